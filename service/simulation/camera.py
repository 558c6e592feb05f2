"""A camera above the simulated board: what an exposure shows, and what a counter makes of it.

No picture is drawn here: that does `film`. How the counter errs was measured once on pictures with the
project's own (the confusion file, `benchmarks.camera --confusion`): for so many seeds before and so many now,
what it said of the true count and those around it. Here one of these cases is drawn for every hole whenever
its stones move, and stays until they move again: a stone that is hidden behind another stays hidden. From one
exposure to the next it varies as two pictures of the same board did.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.observation import Floats, Observation, nothing_seen
from engine.step import Counts

AROUND = 4
"""Counts on each side of the true one that a case tells of; beyond them all are as likely as the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """The board from above at one moment."""

    t: float
    """Seconds since the board was switched on."""
    counts: Counts
    """Stones that lie in each hole."""
    moved: tuple[int, ...]
    """By hole: how often stones have come or gone."""
    hidden: NDArray[np.bool_]
    """`(holes,)`: where a hand is in the way."""
    over: tuple[tuple[int, float], ...] = ()
    """The holes that a hand works at, and how near it is to each, 0 to 1."""


class Confusion:
    """What the counter says beside what is true.

    Args:
        cases: seeds before (-1 where no look is remembered), seeds now, and twice the log-likelihoods of
            `now - AROUND` to `now + AROUND`.

    Raises:
        BadInput: a case has another number of values, or there are too few cases.
    """

    def __init__(self, cases: Iterable[Sequence[float]]) -> None:
        self._cases: dict[int | None, dict[int, list[Floats]]] = {}
        for before, now, *said in cases:
            if len(said) != 2 * (2 * AROUND + 1):
                raise BadInput(f"a case has {len(said)} log-likelihoods: {4 * AROUND + 2} were expected")
            change = _change(None if before < 0 else int(before), int(now))
            looks: Floats = np.array(said, dtype=np.float64).reshape(2, -1)
            self._cases.setdefault(change, {}).setdefault(int(now), []).append(looks)
        if None not in self._cases or 0 not in self._cases:
            raise BadInput("the cases tell nothing of a hole that stays as it was, or of one seen first")

    @classmethod
    def read(cls, lines: Iterable[str]) -> "Confusion":
        """A confusion file: CSV of cases, `#` before a remark."""
        rows = csv.reader(line for line in lines if not line.startswith("#"))
        return cls([float(value) for value in row] for row in rows)

    def draw(self, rng: np.random.Generator, before: int | None, now: int) -> Floats:
        """A case `(2, 2 * AROUND + 1)` of this change, with the nearest number of seeds measured."""
        change = _change(before, now)
        if change not in self._cases:
            change = min(
                (key for key in self._cases if key is not None), key=lambda key: abs(key - (change or 0))
            )
        measured = self._cases[change]
        cases = measured[min(measured, key=lambda seeds: (abs(seeds - now), seeds))]
        return cases[int(rng.integers(len(cases)))]


def _change(before: int | None, now: int) -> int | None:
    """Two stones more or fewer are as any greater change."""
    return None if before is None else max(-2, min(now - before, 2))


@dataclass(frozen=True, slots=True)
class _Look:
    """How a hole looked when its count was told."""

    told: int
    true: int
    moved: int


class SimulatedCamera:
    """An `engine.observation.Sensor` whose reading is an `Exposure`.

    Args:
        counts: columns of an observation, 0 to counts - 1 seeds.
        first: what lies in each hole in the first exposure that shows them all: the players vouch for it.
    """

    def __init__(
        self, rng: np.random.Generator, confusion: Confusion, counts: int, first: Sequence[int]
    ) -> None:
        self.counts = counts
        self._rng = rng
        self._confusion = confusion
        self._first: Sequence[int] | None = first
        self._looks: list[_Look | None] = [None] * len(first)
        self._cases: dict[int, tuple[tuple[int, _Look | None], Floats]] = {}
        self._last: Exposure | None = None

    def observe(self, t: float, reading: Exposure) -> Observation:
        """What is said of one exposure."""
        self._last = reading
        if self._first is not None and not reading.hidden.any():
            self.settled(t, self._first)
            self._first = None
        loglik = nothing_seen(len(reading.counts), self.counts)
        for hole in np.flatnonzero(~reading.hidden).tolist():
            loglik[hole] = self._row(hole, reading.counts[hole], reading.moved[hole])
        return Observation(t, loglik, reading.hidden.astype(np.float64), feels=False)

    def settled(self, t: float, counts: Sequence[int]) -> None:
        """Remember how each hole looked in the last exposure, as the look of `counts`."""
        last = self._last
        for hole, told in enumerate(counts):
            look = self._looks[hole]
            if last is not None and not last.hidden[hole]:
                self._looks[hole] = _Look(told, last.counts[hole], last.moved[hole])
            elif look is not None and look.told != told:
                self._looks[hole] = None

    def _row(self, hole: int, true: int, moved: int) -> Floats:
        look = self._looks[hole]
        known, case = self._cases.get(hole, (None, np.empty(0)))
        if known != (moved, look):
            case = self._confusion.draw(self._rng, None if look is None else look.true, true)
            self._cases[hole] = ((moved, look), case)
        said = case[0] + float(self._rng.random()) * (case[1] - case[0])
        # It sees the change, and takes the count that it was told for what was there before.
        middle = true if look is None else true + look.told - look.true
        away = np.clip(np.arange(self.counts) - middle, -AROUND, AROUND)
        said = said[away + AROUND]
        row: Floats = said - said.max()
        return row
