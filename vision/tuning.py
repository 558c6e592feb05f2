"""Fitting the counting network to the set on the table, from looks whose count the game has settled.

Theory of operation. The network's last layer is added to: `said + (features, 1) @ weights @ SHAPES`, where
`SHAPES` are a few smooth functions of the count, so that what is learned of four seeds helps with five.
Fitting is a logistic regression with a prior that the addition is nothing. It is convex and solved by
Newton's method. Before a look is learned from, both the network and its fitted form are asked what they
would have said of it; the better one has done so far, the more it weighs. So fitting can never cost more
than `log 2` over all looks together. The first looks, a whole board at once, stand in for each other.

Pure: no file, no clock. Looks of one hole whose stones nobody moved are the same look: learn from it once.
"""

import numpy as np

from engine.observation import Floats
from vision.counter import Counted

PRIOR = 0.5
"""How strongly the addition is held to nothing: precision of each weight."""
MOST_LOOKS = 600
"""Looks that are kept; the oldest go first."""
LEAST_LOOKS = 8
"""Looks below which nothing is fitted."""
PARTS = 4
"""Into which the first looks are divided, to see whether a fit to some helps with the others."""
NEWTON_STEPS = 6
MEMORY = 0.995
"""By which what a form has said before weighs less for each new look: sets and lamps are changed."""
FEWEST_CHANCE = 1e-4
"""Share of a chance that says nothing: one gross misreading must not decide between the two forms."""


def _shapes(columns: int) -> Floats:
    """`(shapes, columns)`: over the count, a slope, a bend, and the first few steps."""
    count = np.arange(columns, dtype=np.float64)
    return np.array([count / 8, (count / 8) ** 2 / 4, np.sqrt(count), np.minimum(count, 1.0)])


class Tuning:
    """What has been learned of one set of stones on one board."""

    def __init__(self) -> None:
        self._features: Floats = np.zeros((0, 0))
        self._said: Floats = np.zeros((0, 0))
        self._counts: Floats = np.zeros(0)
        self._weights: Floats | None = None
        self._lead = 0.0
        """Nats by which the fitted form has done better than the shipped one."""

    @property
    def looks(self) -> int:
        """How many looks are kept."""
        return len(self._counts)

    @property
    def share(self) -> float:
        """0 to 1: how much the fitted form weighs beside the shipped one."""
        return 0.0 if self._weights is None else float(1 / (1 + np.exp(-np.clip(self._lead, -50, 50))))

    def __call__(self, counted: Counted) -> Counted:
        """What the network has said, fitted."""
        if self._weights is None or not len(counted.chance):
            return counted
        fitted = _fitted(counted.chance, counted.features, self._weights)
        share = np.clip(self.share, 1e-12, 1 - 1e-12)
        mixed = np.logaddexp(np.log(1 - share) + counted.chance, np.log(share) + fitted)
        return Counted(np.asarray(mixed), counted.features)

    def learn(self, counted: Counted, counts: Floats) -> None:
        """Learn from looks whose true counts `(holes,)` are known.

        Raises:
            ValueError: not one count a look, or a count below 0.
        """
        counts = np.asarray(counts, dtype=np.float64)
        if counts.shape != (len(counted.chance),) or (counts < 0).any():
            raise ValueError(f"{len(counted.chance)} looks need as many counts of 0 and more, not {counts}")
        if not len(counts):
            return
        column = np.minimum(counts, counted.chance.shape[1] - 1)
        if self._weights is not None:
            self._compare(counted.chance, counted.features, column, self._weights)
        if self.looks:
            self._features = np.concatenate([self._features, counted.features])[-MOST_LOOKS:]
            self._said = np.concatenate([self._said, counted.chance])[-MOST_LOOKS:]
            self._counts = np.concatenate([self._counts, column])[-MOST_LOOKS:]
        else:
            self._features, self._said, self._counts = counted.features, counted.chance, column
        if self.looks >= LEAST_LOOKS:
            if self._weights is None:
                self._compare_parts()
            self._weights = _fit(self._features, self._said, self._counts, self._weights)

    def _compare(self, said: Floats, features: Floats, column: Floats, weights: Floats) -> None:
        """Which form says better of looks that it was not fitted to."""
        fitted = _fitted(said, features, weights)
        for plain, better in zip(_of(said, column), _of(fitted, column), strict=True):
            self._lead = MEMORY * self._lead + float(better - plain)

    def _compare_parts(self) -> None:
        """The same of the first looks, which came at once: each part of them by a fit to the others."""
        part = np.arange(self.looks) % PARTS
        for mine in (part == k for k in range(PARTS)):
            weights = _fit(self._features[~mine], self._said[~mine], self._counts[~mine], None)
            self._compare(self._said[mine], self._features[mine], self._counts[mine], weights)


def _of(chance: Floats, column: Floats) -> Floats:
    """The log-probability of each look's own count, none below that of a form that sometimes just guesses."""
    own = np.exp(chance[np.arange(len(column)), column.astype(int)])
    return np.asarray(np.log((1 - FEWEST_CHANCE) * own + FEWEST_CHANCE))


def _inputs(features: Floats) -> Floats:
    return np.concatenate([features / np.sqrt(features.shape[1]), np.ones((len(features), 1))], axis=1)


def _fitted(chance: Floats, features: Floats, weights: Floats) -> Floats:
    """Log-probabilities with the addition."""
    rows = chance + _inputs(features) @ weights @ _shapes(chance.shape[1])
    rows = rows - rows.max(axis=1, keepdims=True)
    return np.asarray(rows - np.log(np.exp(rows).sum(axis=1, keepdims=True)))


def _fit(features: Floats, said: Floats, counts: Floats, start: Floats | None) -> Floats:
    """The likeliest weights `(features + 1, shapes)`."""
    inputs, shapes = _inputs(features), _shapes(said.shape[1])
    weights = np.zeros((inputs.shape[1], len(shapes))) if start is None else start
    wanted = shapes[:, counts.astype(int)].T
    size, width, number = weights.size, *weights.shape
    # products of two, row by row: with them all is left to matrix products, which are fast
    pairs = (inputs[:, :, None] * inputs[:, None, :]).reshape(len(inputs), -1)
    shape_pairs = (shapes[:, None] * shapes[None]).reshape(number**2, -1)
    for _ in range(NEWTON_STEPS):
        chance = np.exp(_fitted(said, features, weights))
        mean = chance @ shapes.T
        slope = PRIOR * weights + inputs.T @ (mean - wanted)
        second = chance @ shape_pairs.T - (mean[:, :, None] * mean[:, None, :]).reshape(len(mean), -1)
        parts = (pairs.T @ second).reshape(width, width, number, number)
        bend = parts.transpose(0, 2, 1, 3).reshape(size, size)
        move = np.linalg.solve(bend + PRIOR * np.eye(size), slope.ravel()).reshape(weights.shape)
        weights = weights - move
        if np.abs(move).max() < 1e-4:
            break
    return np.asarray(weights)
