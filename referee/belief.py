"""What the board shows, gathered over several clear looks.

One lucky look must not settle a move (style.md, *What the sketch's referee taught*): the evidence of a hole
is the mean of its last few looks, and it starts afresh whenever a hand hid the hole or its content changed.
Looks share a part of their errors, so n of them count as the square root of n, not as n; those that share all
of them (a heavy stone stays heavy) count as one.

Several sensors are several witnesses: each has looks of its own, and what they say of a hole is added. When
one of them sees a hole hidden or changed, what the others saw of it before counts no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.observation import Floats, Observation

LOOKS = 5
"""Clear looks that make a hole sure."""
_HAND = 0.5
"""Evidence of a hand from which a look counts as hidden."""
_AWAY_S = 3.0
"""Seconds without a look after which a sensor among several is left out of account."""
_AT_ONCE = 512
"""Boards that are weighed at a time."""
_CHANGED = 6.0
"""Nats by which one look must contradict the belief to mean that the hole's content changed."""

_FLAT = 10.0
"""Nats by which the looks at a hole contradict a count that no scatter explains."""


@dataclass(slots=True, eq=False)
class _Witness:
    """What one sensor has seen."""

    sum: Floats
    """`(holes, counts)`: of its looks, the older ones faded."""
    looks: NDArray[np.int64]
    """`(holes,)`: clear looks since the hole was last hidden or changed, at most `LOOKS`."""
    hand: Floats
    """`(holes,)`: of its last look."""
    feels: bool
    alike: bool
    total: Floats
    totals: int = 0
    t: float = float("-inf")
    """Of its last look."""

    def worth(self, looks: NDArray[np.int64]) -> Floats:
        """By what the sum of so many looks is divided, to be what they say together."""
        return looks.astype(np.float64) if self.alike else np.sqrt(looks)

    def forget(self, holes: NDArray[np.bool_]) -> None:
        self.sum[holes] = 0.0
        self.looks[holes] = 0
        self.total[:] = 0.0
        self.totals = 0


class Belief:
    """The running evidence of every hole. A mutable part of the referee, fed with observations alone."""

    def __init__(self, holes: int, counts: int) -> None:
        self.holes = holes
        self.counts = counts
        self.changed_at = float("-inf")
        """When a hole was last hidden or changed, seconds."""
        self._witnesses: dict[str, _Witness] = {}
        self._rows = np.arange(holes)
        self.since = np.full(holes, float("-inf"))
        """`(holes,)`: when each hole was last hidden or changed, seconds."""
        self.held = np.full(holes, -1)
        """`(holes,)`: what each seemed to hold before that; -1 where nothing was seen."""
        self._t = float("-inf")

    def add(self, observation: Observation) -> bool:
        """Take in one look.

        Returns:
            Whether it shows a hole hidden or changed.

        Raises:
            ValueError: it is of another board.
        """
        look, t = observation.loglik, observation.t
        if look.shape != (self.holes, self.counts):
            raise ValueError(f"a look of shape {(self.holes, self.counts)} was expected; got {look.shape}")
        self._t = max(self._t, t)
        self._outdate()
        mine = self._witness(observation.sensor)
        mine.hand, mine.feels, mine.t = observation.hand, observation.feels, t
        mine.alike = observation.alike
        hidden = observation.hand >= _HAND
        believed = mine.sum.argmax(axis=1)
        changed = (look[self._rows, believed] < -_CHANGED) & (mine.looks > 0)
        # Nothing said of a hole of which something was: its content is on the move.
        blank = np.minimum.reduce(look, axis=1) == 0.0
        if np.count_nonzero(blank):
            changed |= blank & mine.sum.any(axis=1)
        afresh, clear = hidden | changed, ~hidden
        if t < self.changed_at:
            # What was seen before the hole changed, and comes late, says nothing of it.
            late = t < self.since
            afresh, clear = afresh & ~late, clear & ~late
        # To count what is true takes a tenth of the time of `any` and `all`.
        stirred = bool(np.count_nonzero(afresh))
        whole = bool(np.count_nonzero(clear) == self.holes)
        if stirred:
            self.changed_at = max(self.changed_at, t)
            self.since[afresh] = t
            told = afresh & (mine.looks > 0) & mine.sum.any(axis=1)
            self.held[told] = believed[told]
            for witness in self._witnesses.values():
                witness.forget(afresh)
        # Beyond LOOKS looks the mean forgets the oldest at the rate at which new ones come.
        full = mine.looks >= LOOKS
        if whole and np.count_nonzero(full) == self.holes:
            mine.sum *= (LOOKS - 1) / LOOKS
            mine.sum += look
        else:
            mine.sum[full] *= (LOOKS - 1) / LOOKS
            mine.sum[clear] += look[clear]
            mine.looks[clear & ~full] += 1
        if observation.total is not None and whole:
            if mine.totals >= LOOKS:
                mine.total *= (LOOKS - 1) / LOOKS
            mine.total += observation.total
            mine.totals = min(mine.totals + 1, LOOKS)
        return stirred

    def _outdate(self) -> None:
        """What was made of the looks so far is to be made anew."""
        for name in ("looks", "hand", "touch", "clear", "evidence", "total", "_likely"):
            self.__dict__.pop(name, None)

    def _witness(self, sensor: str) -> _Witness:
        if sensor not in self._witnesses:
            self._witnesses[sensor] = _Witness(
                sum=np.zeros((self.holes, self.counts)),
                looks=np.zeros(self.holes, dtype=np.int64),
                hand=np.zeros(self.holes),
                feels=True,
                alike=False,
                total=np.zeros(self.counts),
            )
        return self._witnesses[sensor]

    @property
    def _present(self) -> list[_Witness]:
        return [witness for witness in self._witnesses.values() if self._t - witness.t <= _AWAY_S]

    def leave(self, sensor: str) -> None:
        """One sensor among several is gone: what it said counts no more."""
        self._witnesses.pop(sensor, None)
        self._outdate()

    def forget(self, t: float) -> None:
        """Start afresh everywhere: no sensor was there."""
        for witness in self._witnesses.values():
            witness.forget(np.ones(self.holes, dtype=np.bool_))
        self.since[:] = self.changed_at = t
        self._outdate()

    @cached_property
    def looks(self) -> NDArray[np.int64]:
        """`(holes,)`: clear looks since the hole was hidden or changed, by who has most; at most `LOOKS`."""
        looks = np.zeros(self.holes, dtype=np.int64)
        for witness in self._present:
            np.maximum(looks, witness.looks, out=looks)
        return looks

    @cached_property
    def hand(self) -> Floats:
        """`(holes,)`: evidence of a hand, by who has seen most of one in their last look."""
        return self._most_of_a_hand(self._present)

    @cached_property
    def touch(self) -> Floats:
        """`(holes,)`: the same by those alone who feel a hand, and do not merely see it."""
        return self._most_of_a_hand([witness for witness in self._present if witness.feels])

    def _most_of_a_hand(self, witnesses: Sequence[_Witness]) -> Floats:
        most = np.zeros(self.holes)
        for witness in witnesses:
            np.maximum(most, witness.hand, out=most)
        return most

    @cached_property
    def clear(self) -> bool:
        """Whether every hole has had its clear looks since it last changed, and no hand hides one."""
        return bool(np.count_nonzero((self.looks >= LOOKS) & (self.hand < _HAND)) == self.holes)

    @cached_property
    def evidence(self) -> Floats:
        """`(holes, counts)`, nats, best at 0: each sensor's mean look, times the root of its number of looks
        unless they err alike; added."""
        evidence = np.zeros((self.holes, self.counts))
        for witness in self._present:
            evidence += witness.sum / witness.worth(np.maximum(witness.looks, 1))[:, None]
        evidence -= np.maximum.reduce(evidence, axis=1, keepdims=True)
        return evidence

    @cached_property
    def total(self) -> Floats:
        """`(counts,)`, nats: the same for the seeds on the whole board."""
        total = np.zeros(self.counts)
        for witness in self._present:
            total += witness.total / witness.worth(np.array(max(witness.totals, 1)))
        return total

    def likely(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """The most likely count of each hole taken by itself, and its probability."""
        return self._likely

    @cached_property
    def _likely(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        best, shares = self.evidence.argmax(axis=1), np.exp(self.evidence).sum(axis=1)
        return tuple(best.tolist()), tuple((1.0 / shares).tolist())

    def standing(self, counts: Sequence[int]) -> tuple[float, float]:
        """How well `counts` fit the evidence, and by how much less any other board does, at least; nats."""
        there = np.minimum(counts, self.counts - 1)
        own = self.evidence[self._rows, there]
        others = self.evidence.copy()
        others[self._rows, there] = -np.inf
        fit = float(own.sum()) + float(self.total[min(sum(counts), self.counts - 1)])
        return fit, fit - float(others.max()) - float(self.total.max())

    def admits(self, counts: Sequence[int]) -> bool:
        """Whether no hole flatly contradicts `counts`."""
        there = np.minimum(counts, self.counts - 1)
        return bool(self.evidence[self._rows, there].min() > -_FLAT)

    def fit(self, boards: NDArray[np.int64]) -> Floats:
        """`(n,)`, nats, 0 at best: how well each of `boards` `(n, holes)` fits the evidence."""
        fit = np.empty(len(boards))
        evidence, first = self.evidence.ravel(), self.counts * self._rows[:, None]
        # Some hundreds at a time: thousands of boards at once are more than a processor keeps at hand.
        for at in range(0, len(boards), _AT_ONCE):
            columns = boards[at : at + _AT_ONCE].T
            cells = np.minimum(columns, self.counts - 1) + first
            seeds = np.add.reduce(columns, axis=0)
            part = np.add.reduce(evidence.take(cells), axis=0)
            fit[at : at + _AT_ONCE] = part + self.total.take(seeds, mode="clip")
        return fit
