"""Log-likelihoods of counts: what is made of them, and how they are mixed."""

from collections.abc import Sequence

import numpy as np

from engine.observation import Floats

FILL = 0.75
"""The share of a hole's area, in stones, up to which stones lie side by side."""
PILE = 6.0
"""How sharply piling up begins: the power of a soft minimum."""
OUTLIER = 0.1
"""How often what is said of a hole has nothing to do with what lies there: gloss, wood-coloured stones."""
HIDDEN_AT = 0.06
"""Share of a hole's surroundings, covered by something large, at which nothing is said of the hole."""


def visible(counts: Floats, room: float) -> Floats:
    """How many of `counts` stones are seen apart, in a hole with room for `room` stones side by side."""
    full = max(FILL * room, 1.0)
    return np.asarray(counts / (1 + (counts / full) ** PILE) ** (1 / PILE), dtype=np.float64)


def normal(value: float, mean: Floats, sd: Floats) -> Floats:
    """Log density of a normal distribution."""
    return np.asarray(-0.5 * ((value - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi)), dtype=np.float64)


def with_outliers(row: Floats, share: float) -> Floats:
    """Mix a row of log-likelihoods with one that says nothing, and put its best at 0."""
    said = np.exp(row - row.max())
    mixed = np.log((1 - share) * said / said.sum() + share / len(row))
    return np.asarray(mixed - mixed.max(), dtype=np.float64)


def hand(covered: Floats) -> Floats:
    """Evidence of a hand `(holes,)`, 0 to 1, from how much of the surroundings is hidden."""
    return np.clip((covered - HIDDEN_AT / 2) / HIDDEN_AT, 0.0, 1.0)


def best(row: Sequence[float] | Floats, least: float = 0.2) -> tuple[int | None, float]:
    """The likeliest count of a row and its probability if all counts were as likely beforehand.

    None where the row says nothing, or too little: below `least`.

    >>> best(np.log([0.1, 0.8, 0.1]))
    (1, 0.8)
    >>> best([0.0, 0.0])
    (None, 0.0)
    """
    said = np.exp(np.asarray(row, dtype=np.float64))
    chance = said / said.sum()
    if np.ptp(chance) == 0:
        return None, 0.0
    count = int(chance.argmax())
    certainty = round(float(chance[count]), 3)
    return (count if certainty >= least else None), certainty
