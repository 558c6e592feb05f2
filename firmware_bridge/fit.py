"""What the measurements of a calibration add up to.

A cell shows `zero + gain (load + shares of its neighbours' loads)`. One handful of stones, the same ones all
the time, goes from hole to hole; what each cell shows of it is one column of a matrix

    shown[cell, hole] = gain[cell] * crosstalk[cell, hole] * handful

A cell's own share is called 1, so the diagonal gives the gains but for one common factor, and each row over
its own diagonal the crosstalk, without knowing what the handful weighs. The factor comes from a known weight;
without one the handful is called 1 g until the mean stone is known, which then is.

Zeros drift all the while: they are followed through all the measurements in which a cell bears nothing, by
the median of the slopes between any two (Theil and Sen), which the neighbours' shares do not disturb. Noise
is told from the differences of consecutive readings, which drift does not disturb.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.observation import Floats

Step = tuple[Literal["empty", "handful", "weight", "round", "all"], int]
"""What was measured: a handful or a weight with its hole, a round of single stones with its number from 1."""
EMPTY: Step = ("empty", 0)
ALL: Step = ("all", 0)
LEAST_FREE = 5
"""Measurements without load from which a drift is told."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """One measurement of all cells, while nothing moved."""

    t: float
    """Seconds, the middle."""
    mean: Floats
    """`(cells,)`, counts."""
    noise: Floats
    """`(cells,)`, counts: standard deviation of one reading."""
    readings: Floats
    """`(cells,)`, how many there were."""
    rate: Floats
    """`(cells,)`, readings a second."""


def measured(t: Floats, counts: Floats, fresh: NDArray[np.bool_]) -> tuple[Window, NDArray[np.bool_]]:
    """A measurement, and `(cells,)` which of them moved in it: its four quarters differ by more than noise.

    Args:
        t: `(n,)`, seconds, rising.
        counts: `(n, cells)`.
        fresh: `(n, cells)`, which of them are readings; three a cell at least.
    """
    cells = counts.shape[1]
    mean, noise, readings = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    restless = np.zeros(cells, dtype=np.bool_)
    for cell in range(cells):
        said = counts[fresh[:, cell], cell]
        mean[cell], readings[cell] = said.mean(), len(said)
        noise[cell] = np.sqrt(np.mean(np.diff(said) ** 2) / 2)
        quarters = [quarter.mean() for quarter in np.array_split(said, 4) if len(quarter)]
        error = noise[cell] / np.sqrt(max(len(said) / 4, 1.0))
        # The range of four means exceeds 6.5 of their errors once in 100,000; half a sigma is drift.
        restless[cell] = np.ptp(quarters) > 6.5 * error + 0.5 * noise[cell]
    rate = (len(t) - 1) / (t[-1] - t[0]) * readings / len(t)
    return Window(float(t.mean()), mean, noise, readings, rate), restless


class Fit:
    """Gains, zeros, crosstalk, noise and masses.

    Args:
        windows: the handful in each hole, and the empty board, at least.
        holes: how many there are.
        pits: of these, the first ones.
        weight_g: the known weight, if one was weighed.
    """

    def __init__(
        self, windows: Mapping[Step, Window], holes: int, pits: int, weight_g: float | None = None
    ) -> None:
        self._windows, self._pits = windows, pits
        handfuls = [windows["handful", hole] for hole in range(holes)]
        self._follow_zeros(windows[EMPTY], handfuls)
        shown: Floats = np.array([window.mean - self.zero(window.t) for window in handfuls]).T
        self.own: Floats = np.diag(shown).copy()
        """`(cells,)`, counts that each shows of the handful."""
        self.crosstalk: Floats = shown / self.own[:, None]
        """`(cells, holes)`, its own share 1."""
        handful = 1.0
        if weight_g is not None and (weighed := windows.get(("weight", 0))):
            handful = weight_g * self.own[0] / float((weighed.mean - self.zero(weighed.t))[0])
        self.counts_per_gram: Floats = self.own / handful
        """`(cells,)`."""

    def _follow_zeros(self, empty: Window, handfuls: list[Window]) -> None:
        self._began, self._last = empty.t, max(window.t for window in handfuls)
        self._zero = empty.mean.copy()
        self._slope = np.zeros(len(empty.mean))
        if len(handfuls) < LEAST_FREE:
            return
        for cell in range(len(self._zero)):
            free = [empty, *(window for hole, window in enumerate(handfuls) if hole != cell)]
            t = np.array([window.t for window in free]) - empty.t
            said = np.array([window.mean[cell] for window in free])
            one, other = np.triu_indices(len(free), 1)
            self._slope[cell] = np.median((said[other] - said[one]) / (t[other] - t[one]))
            self._zero[cell] = np.median(said - self._slope[cell] * t)

    def zero(self, t: float) -> Floats:
        """`(cells,)`, counts of the empty cups at `t`; as at the last handful after it."""
        # Beyond the last of the windows nothing is known of the drift.
        zero: Floats = self._zero + self._slope * (min(t, self._last) - self._began)
        return zero

    def grams(self, step: Step) -> Floats:
        """`(holes,)`, what lay there, crosstalk undone."""
        window = self._windows[step]
        shown = (window.mean - self.zero(window.t)) / self.counts_per_gram
        grams: Floats = np.asarray(np.linalg.solve(self.crosstalk, shown), dtype=np.float64)
        return grams

    def stones(self) -> Floats:
        """`(rounds, pits)`, grams of each stone that was laid down by itself, in the rounds there are."""
        rounds = sorted(step for step in self._windows if step[0] == "round")
        lay = np.array([np.zeros(self._pits), *(self.grams(step)[: self._pits] for step in rounds)])
        stones: Floats = np.diff(lay, axis=0)
        return stones

    def noise(self) -> Floats:
        """`(cells,)`, grams: standard deviation of one reading, pooled over all windows."""
        windows = list(self._windows.values())
        weights = np.array([window.readings - 1 for window in windows])
        variance = (np.array([window.noise**2 for window in windows]) * weights).sum(axis=0)
        noise: Floats = np.sqrt(variance / weights.sum(axis=0)) / np.abs(self.counts_per_gram)
        return noise

    def spread(self) -> float:
        """Grams: standard deviation from stone to stone, the errors of weighing taken out."""
        stones = self.stones()
        rounds = [window for step, window in self._windows.items() if step[0] == "round"]
        readings = np.mean([window.readings[: self._pits] for window in rounds], axis=0)
        # A stone is the difference of two windows.
        error = 2 * float((self.noise()[: self._pits] ** 2 / readings).mean())
        return float(np.sqrt(max(float(stones.var(ddof=1)) - error, 0.0)))
