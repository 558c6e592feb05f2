"""What the board shows, gathered over several clear looks.

One lucky look must not settle a move (style.md, *What the sketch's referee taught*): the evidence of a hole
is the mean of its last few looks, and it starts afresh whenever a hand hid the hole or its content changed.
Looks share their errors (a heavy stone stays heavy), so n of them count as the square root of n, not as n.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.observation import Floats, Observation

LOOKS = 5
"""Clear looks that make a hole sure."""
_HAND = 0.5
"""Evidence of a hand from which a look counts as hidden."""
_CHANGED = 6.0
"""Nats by which one look must contradict the belief to mean that the hole's content changed."""


@dataclass(slots=True)
class Belief:
    """The running evidence of every hole. A mutable part of the referee, fed with observations alone."""

    holes: int
    counts: int
    _sum: Floats = field(init=False)
    _total: Floats = field(init=False)
    _totals: int = field(init=False, default=0)
    looks: NDArray[np.int64] = field(init=False)
    """`(holes,)`: clear looks since the hole was last hidden or changed, at most `LOOKS`."""
    hand: Floats = field(init=False)
    """`(holes,)`: the hand evidence of the last observation."""
    changed_at: float = field(init=False, default=float("-inf"))
    """When a hole was last hidden or changed, seconds."""

    def __post_init__(self) -> None:
        self._sum = np.zeros((self.holes, self.counts))
        self._total = np.zeros(self.counts)
        self.looks = np.zeros(self.holes, dtype=np.int64)
        self.hand = np.zeros(self.holes)

    def add(self, observation: Observation) -> None:
        """Take in one look.

        Raises:
            ValueError: it is of another board.
        """
        look = observation.loglik
        if look.shape != self._sum.shape:
            raise ValueError(f"a look of shape {self._sum.shape} was expected; got {look.shape}")
        hidden = observation.hand >= _HAND
        self.hand = observation.hand
        believed = self._sum.argmax(axis=1)
        contradicts = look[np.arange(self.holes), believed] < -_CHANGED
        afresh = hidden | (contradicts & (self.looks > 0))
        if afresh.any():
            self.changed_at = observation.t
            self._sum[afresh] = 0.0
            self.looks[afresh] = 0
            self._total[:] = 0.0
            self._totals = 0
        # Beyond LOOKS looks the mean forgets the oldest at the rate at which new ones come.
        full = self.looks >= LOOKS
        self._sum[full] *= (LOOKS - 1) / LOOKS
        clear = ~hidden
        self._sum[clear] += look[clear]
        self.looks[clear] = np.minimum(self.looks[clear] + 1, LOOKS)
        if observation.total is not None and not hidden.any():
            if self._totals >= LOOKS:
                self._total *= (LOOKS - 1) / LOOKS
            self._total += observation.total
            self._totals = min(self._totals + 1, LOOKS)

    def forget(self, t: float) -> None:
        """Start afresh everywhere: the sensor was away."""
        self._sum[:] = 0.0
        self._total[:] = 0.0
        self._totals = 0
        self.looks[:] = 0
        self.changed_at = t

    @property
    def clear(self) -> bool:
        """Whether every hole has had its clear looks since it last changed."""
        return bool((self.looks >= LOOKS).all())

    @property
    def evidence(self) -> Floats:
        """`(holes, counts)`, nats: the mean look times the square root of the number of looks, best at 0."""
        n = np.maximum(self.looks, 1)
        evidence = self._sum / np.sqrt(n)[:, None]
        best: Floats = evidence.max(axis=1, keepdims=True)
        result: Floats = evidence - best
        return result

    @property
    def total(self) -> Floats:
        """`(counts,)`, nats: the same for the seeds on the whole board."""
        total: Floats = self._total / np.sqrt(max(self._totals, 1))
        return total

    def likely(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """The most likely count of each hole taken by itself, and its probability."""
        evidence = self.evidence
        best = evidence.argmax(axis=1)
        certain = 1.0 / np.exp(evidence).sum(axis=1)
        return tuple(int(n) for n in best), tuple(float(p) for p in certain)

    def fit(self, boards: NDArray[np.int64]) -> Floats:
        """`(n,)`, nats, 0 at best: how well each of `boards` `(n, holes)` fits the evidence."""
        top = self.counts - 1
        each = self.evidence[np.arange(self.holes), np.minimum(boards, top)]
        whole = self.total[np.minimum(boards.sum(axis=1), top)]
        result: Floats = each.sum(axis=1) + whole
        return result
