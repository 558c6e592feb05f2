"""From weights to likelihoods: the statistics of stones on load cells.

Theory of operation. Stones differ, so counting a pit by its weight alone fails beyond a handful (ten stones
that vary by 10 % weigh ten, give or take a third of one). But the referee knows the counts once it has
accepted a position, and the scale knows what each hole weighed then. From there on only *changes* are
weighed. This **ledger** holds, for each hole, the count n0, the mass W0 and the error of W0:

- n > n0: W0 and n - n0 stones unknown; only these few bring their variance;
- n < n0: n stones drawn from n0 whose sum is known: n (n0 - n) / (n0 - 1) times the variance of one;
- n = 0: the zero of the cell, exactly;
- d stones drawn from a closed set of N whose mean is known: d (N - d) / (N - 1) times the variance of one;
- where a hand was since, a stone may have been exchanged for another: twice the variance of one more.

An empty hole is unmistakable, so a hole seen empty starts its ledger anew at 0 by itself; anything else waits
for `settled`. A **hand** weighs what stones cannot: less than nothing or more than all, up and down within a
moment, or between two counts; or several holes grow at once, which seeds do one by one: an arm lies on them;
or all cells go the same way at once, because somebody leans on the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.observation import Floats, Observation, nothing_seen
from firmware_bridge import health
from firmware_bridge.frames import CellFlag

Bools = NDArray[np.bool_]

KEPT = 128
"""Readings kept: 1.6 s at 80 a second."""
RECENT = 1.5
"""Seconds of readings from which `settled` takes the mass of a hole."""
STEP_TIME = 0.05
"""Seconds an HX711 at 80 readings a second takes to settle after a step (4 conversions, data sheet)."""
WOBBLE_TIME = 0.3
"""Seconds over which going up and down is a hand."""
HOLD = 0.15
"""Seconds for which a hand is still believed there after the last sign of it, .."""
CALM_TIME = 0.06
""".. unless the weight has kept still so long: fingers do not. A seed that lands goes up and down, too."""
ODD_TIME = 3.0
"""Seconds after which a steady weight between two counts is a thing, not a hand."""
STEADY_TIME = 0.6
"""Seconds in which a thing keeps its weight, and a hand does not."""
TOGETHER_TIME = 0.15
"""Seconds within which holes grow together: from one seed to the next a hand needs longer, and two hands put
several seeds each into two holes at most, .."""
TOGETHER = ((3, 1.5), (4, 0.5))
"""".. so that so many holes that have grown by so many seeds each are under an arm."""
SURPLUS = 3.5
"""Seeds more than there are that may lie on the board: players add some by mistake, hands weigh more."""
LEAN_TIME = 5.0
"""Seconds after which a steady shift of all cells is a moved board, not a leaning person."""
SILENT_TIME = 0.5
"""Seconds without a reading after which a cell is reported."""
CHECK_EVERY = 8
"""Readings between two looks at whether the cells show what lies there at first, and still ones for it."""
OUTLIER = 1e-4
"""Probability that a reading has nothing to do with the stones."""
EXCHANGED = 0.05
"""Probability that a slip put right has left another stone in a hole where a hand was."""
SYSTEMATIC = 0.02
"""Error of a weighing beside its noise, in stones: creep, friction of the cup."""
ZERO_ERROR = 0.05
"""Error of the zero of a cell that has not been seen empty of late, in stones."""
LEARNED = 0.3
"""Share of the error seen at a `settled` by which noise and mean mass are corrected."""
DRIFT = 0.002
"""Standard deviation of the way a zero goes in one second, in stones; it grows with the root of time."""
COMMON, ALIKE = 3, 0.02
"""Holes whose zeros must have gone the same way, and stones by which that may differ beside half of it, for
the others to have gone with them: one cell alone may have a fault."""

_SPANS: Floats = np.array([STEP_TIME, WOBBLE_TIME, STEADY_TIME, CALM_TIME])
_LEAST = (2, 3, 3, 3)
"""Seconds that each reading looks back for one purpose or another, and the least readings for each."""

_NEW = int(CellFlag.FRESH)
_SAID = int(CellFlag.FRESH | CellFlag.SATURATED | CellFlag.DESYNC | CellFlag.MISSING)
"""Of these flags a reading that can be used has the first, and it alone."""


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    """Grams, `(holes,)`, that follow from noise, zeros and the mass of a seed."""

    jump: Floats
    """What a weight may be off its level; and the range of the readings of some moments up to which no
    fingers press."""
    step: Floats
    """Range of two readings above which the weight is on the move, .."""
    steps: Floats
    """.. and of more."""
    steady: Floats
    """Range of the readings of a longer time up to which it is a thing that presses, and no hand."""
    lean: Floats
    """Shift of the level that counts when all cells are said to have gone the same way."""
    least: Floats
    most: Floats
    """What stones can weigh."""
    empty: Floats
    """Below which a hole that held stones holds none; -inf for one that held none."""


def _range(grams: Floats) -> Floats:
    """`(holes,)`: highest less lowest of `(n, holes)`."""
    found: Floats = np.maximum.reduce(grams, axis=0) - np.minimum.reduce(grams, axis=0)
    return found


@dataclass(frozen=True, slots=True)
class Calibration:
    """What one board's cells and one set of stones are like.

    Raises:
        BadInput: a value cannot be.
    """

    seed_mass_g: float
    """Mean of the whole set, grams, above 0."""
    seed_mass_sd_g: float
    """Standard deviation from stone to stone, grams."""
    cell_noise_g: tuple[float, ...]
    """Standard deviation of one reading, grams: one for all cells, or one a cell."""
    zero_counts: tuple[float, ...] = ()
    """By cell: the raw count of the empty cup; empty where readings are in grams already."""
    counts_per_gram: tuple[float, ...] = ()
    """By cell, not 0; negative for a cell that is mounted upside down."""
    crosstalk: tuple[tuple[float, ...], ...] = ()
    """By cell that shows it, by hole that bears it: grams shown for each gram there, about 1 for its own and
    below 0.02 for others (a board bends, cables pull). Empty where it was not measured."""

    def __post_init__(self) -> None:
        values = (self.seed_mass_g, self.seed_mass_sd_g, *self.cell_noise_g, *self.zero_counts)
        shown = [share for row in self.crosstalk for share in row]
        if not np.isfinite([*values, *self.counts_per_gram, *shown]).all():
            raise BadInput("the calibration holds a number that is none: calibrate the scale again")
        if self.seed_mass_g <= 0 or self.seed_mass_sd_g < 0 or min(self.cell_noise_g, default=-1) < 0:
            raise BadInput(
                f"the calibration says seeds of {self.seed_mass_g} g ± {self.seed_mass_sd_g} g, cell noise "
                f"{list(self.cell_noise_g)} g: a mass above 0 and errors not below 0 were expected"
            )
        if len(self.zero_counts) != len(self.counts_per_gram) or 0 in self.counts_per_gram:
            raise BadInput(
                f"the calibration has {len(self.zero_counts)} zero_counts and {len(self.counts_per_gram)} "
                f"counts_per_gram: one of each a cell, none of them 0 counts per gram, was expected"
            )
        if self.crosstalk and len(self.zero_counts) not in (0, len(self.crosstalk)):
            raise BadInput(
                f"the calibration has crosstalk of {len(self.crosstalk)} cells and zero_counts of "
                f"{len(self.zero_counts)}: calibrate the scale again"
            )
        for cell, row in enumerate(self.crosstalk):
            if len(row) != len(self.crosstalk) or sum(map(abs, row)) >= 2 * row[cell]:
                raise BadInput(
                    f"crosstalk of cell {cell + 1} is {list(row)}: a share for each of {len(self.crosstalk)} "
                    f"holes, its own above the others together, was expected; calibrate the scale again"
                )

    def grams(self, counts: Sequence[int], flags: Sequence[int]) -> Floats:
        """`(cells,)`, grams: what each cell shows, crosstalk and all; NaN where its flags say nothing new.

        Raises:
            BadInput: there are more or fewer cells than were calibrated.
        """
        if len(counts) != len(self.zero_counts):
            raise BadInput(
                f"the board has {len(counts)} cells, the calibration {len(self.zero_counts)}: "
                f"calibrate the scale of this board"
            )
        cells = zip(counts, flags, self.zero_counts, self.counts_per_gram, strict=True)
        return np.array([
            (count - zero) / per_gram if flag & _SAID == _NEW else np.nan
            for count, flag, zero, per_gram in cells
        ])  # fmt: skip

    def of(self, cells: Sequence[int]) -> "Calibration":
        """The calibration of some of the cells, in their order.

        Raises:
            BadInput: one of them was not calibrated.
        """
        if max(cells) >= len(self.zero_counts):
            raise BadInput(
                f"the calibration is of {len(self.zero_counts)} cells, and cell {max(cells) + 1} is wanted: "
                f"calibrate the scale of this board"
            )
        each = len(self.cell_noise_g) > 1
        return replace(
            self,
            cell_noise_g=tuple(self.cell_noise_g[cell] for cell in cells) if each else self.cell_noise_g,
            zero_counts=tuple(self.zero_counts[cell] for cell in cells),
            counts_per_gram=tuple(self.counts_per_gram[cell] for cell in cells),
            crosstalk=tuple(
                tuple(row[cell] for cell in cells) for row in (self.crosstalk[cell] for cell in cells)
            )
            if self.crosstalk
            else (),
        )

    def as_json(self) -> dict[str, Any]:
        """The `calibration` of a recording's first line; `from_json` reads it."""
        return {
            "seed_mass": {"mean": self.seed_mass_g, "sd": self.seed_mass_sd_g},
            "cell_noise": list(self.cell_noise_g),
            "zero_counts": list(self.zero_counts),
            "counts_per_gram": list(self.counts_per_gram),
            "crosstalk": [list(row) for row in self.crosstalk],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """What `as_json` wrote. `cell_noise` may be one number; `crosstalk` may be left out, and the two
        lists of counts together.

        Raises:
            BadInput: a key is missing, or its value is of the wrong kind.
        """
        try:
            noise = plain["cell_noise"]
            return cls(
                seed_mass_g=float(plain["seed_mass"]["mean"]),
                seed_mass_sd_g=float(plain["seed_mass"]["sd"]),
                cell_noise_g=tuple(float(value) for value in (noise if isinstance(noise, list) else [noise])),
                zero_counts=tuple(float(value) for value in plain.get("zero_counts", ())),
                counts_per_gram=tuple(float(value) for value in plain.get("counts_per_gram", ())),
                crosstalk=tuple(tuple(float(value) for value in row) for row in plain.get("crosstalk", ())),
            )
        except KeyError as error:
            raise BadInput(f"the calibration lacks {error}: calibrate the scale again") from error
        except (TypeError, ValueError, AttributeError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"the calibration cannot be read ({error}): calibrate the scale again") from error


class Scale:
    """The load cells as a sensor: `engine.observation.Sensor`, read in grams as the cells show them.

    Args:
        calibration: of these cells and these stones.
        holes: pits and stores, one cell each.
        seeds: in the whole set.
        counts: columns of an observation, 0 to counts - 1 seeds; None for seeds + 1.
        known: what should lie in each hole at first: cells that show something else are named until the first
            `settled`. None where that is not known.

    Raises:
        BadInput: the calibration is of another number of cells.
    """

    def __init__(
        self,
        calibration: Calibration,
        holes: int,
        seeds: int,
        counts: int | None = None,
        known: Sequence[int] | None = None,
    ) -> None:
        each = len(calibration.cell_noise_g)
        for cells in (holes if each == 1 else each, len(calibration.zero_counts), len(calibration.crosstalk)):
            if cells not in (0, holes):
                raise BadInput(
                    f"the calibration is of {cells} cells, the board has {holes} holes: "
                    f"calibrate the scale of this board"
                )
        self.holes = holes
        self.seeds = seeds
        self.counts = seeds + 1 if counts is None else counts
        self.seed_mass_g = calibration.seed_mass_g
        """Mean mass of a seed as learned so far, grams."""
        self.zero_g: Floats = np.zeros(holes)
        """`(holes,)`: what each empty cup weighs at present, grams; follows drift."""
        self.noise_g: Floats = np.broadcast_to(calibration.cell_noise_g, holes).copy()
        """`(holes,)`: standard deviation of a reading, grams; never below the calibration's."""
        self._calibration = calibration
        self._bears: Floats = (
            np.linalg.inv(np.array(calibration.crosstalk)) if calibration.crosstalk else np.eye(holes)
        )
        # The ledger. An unknown hole is one that held nothing when its zero was taken.
        self._n0 = np.zeros(holes, dtype=np.int64)
        self._w0: Floats = np.zeros(holes)
        self._error0: Floats = np.full(holes, ZERO_ERROR * self.seed_mass_g)
        self._total_n0 = 0
        self._total_w0 = 0.0
        self._total_var0 = float((self._error0**2).sum())
        # The last KEPT readings, twice, so that the newest are always one slice.
        self._times: Floats = np.full(2 * KEPT, -np.inf)
        self._grams: Floats = np.zeros((2 * KEPT, holes))
        self._strides: Floats = np.zeros((2 * KEPT, holes))
        """How far each is from the one before."""
        self._readings = 0
        self._since: Floats = np.full(holes, -np.inf)
        self._handled_at: Floats = np.full(holes, -np.inf)
        self._any_handled_at = -np.inf
        self._known_at = -np.inf
        self._zero_var: Floats = np.full(holes, (ZERO_ERROR * self.seed_mass_g) ** 2)
        # When the mass of each hole was taken that nobody has touched since; it, its error, the zero then.
        self._taken_t: Floats = np.zeros(holes)
        self._taken_g: Floats = np.zeros(holes)
        self._taken_error: Floats = np.full(holes, np.inf)
        self._taken_zero: Floats = np.zeros(holes)
        self._heard: Floats = np.full(holes, np.nan)
        self._shown: Floats = np.zeros(holes)
        self._ever_heard: Bools = np.zeros(holes, dtype=np.bool_)
        self._heard_of = health.Heard(holes)
        self._setup = known and health.Known(
            tuple(known), seeds, calibration.seed_mass_g, calibration.seed_mass_sd_g
        )
        self._off: list[str] = []
        self._hand_until: Floats = np.full(holes, -np.inf)
        self._odd_since: Floats = np.full(holes, np.inf)
        self._odd_at: Floats = np.full(holes, -np.inf)
        self._any_odd_at = -np.inf
        self._unsteady_at: Floats = np.full(holes, -np.inf)
        self._level: Floats = np.zeros(holes)
        self._grew_at: Floats = np.full(holes, -np.inf)
        self._grew_from: Floats = np.zeros(holes)
        self._grew_to: Floats = np.zeros(holes)
        self._under_arm: Bools = np.zeros(holes, dtype=np.bool_)
        self._bare_g = 0.0
        """What lay on the board before an arm did."""
        self._lean_since = np.inf
        self._rebuild()

    def observe(self, t: float, reading: Floats) -> Observation:
        """What one weighing says.

        Args:
            t: seconds, not before that of the last reading.
            reading: `(holes,)`, grams; NaN for a cell that gave nothing new.

        Raises:
            BadInput: it has more or fewer values.
        """
        if reading.shape != (self.holes,):
            raise BadInput(f"a weighing has {reading.size} values, the board {self.holes} holes")
        good = np.isfinite(reading)
        # A cell that gives nothing new still bears what it bore, and its neighbours feel it.
        self._shown = np.where(good, reading, self._shown)
        w: Floats = self._bears @ self._shown
        if not self._readings:
            self._heard[:] = t
            self._level = w.copy()
        self._heard[good] = t
        self._ever_heard |= good
        self._heard_of.take(good)
        self._keep(t, w)

        steps, *spans = self._within(t, _SPANS, _LEAST)
        moved = _range(self._newest(steps)) > (self._limits.steps if steps > 2 else self._limits.step)
        misfit = self._misfit(w)
        hand = self._hand(t, w, moved, misfit, *spans)
        busy = hand | moved
        # To count what is true takes a tenth of the time of `any` and `all`.
        if np.count_nonzero(busy):
            self._since[busy] = t
            self._handled_at[hand] = t
            self._any_handled_at = t
        quiet = ~busy
        off = w - self._level
        followed = np.where(np.abs(off) <= self._limits.jump, self._level + 0.05 * off, w)
        self._level = np.where(quiet, followed, self._level)
        self._start_anew_where_empty(t, w, quiet & good)

        # A reading that is lost changes nothing; a cell that is silent tells nothing.
        blind = busy | (t - self._heard > HOLD) | ~self._ever_heard
        blinded = np.count_nonzero(blind)
        loglik = nothing_seen(self.holes, self.counts) if blinded == self.holes else self._loglik(w, misfit)
        loglik[blind] = 0.0
        total = None if blinded else self._total(w)
        if self._setup and self._readings % CHECK_EVERY == 0:
            self._check_setup(self._setup)
        return Observation(t, loglik, hand.astype(np.float64), total, self._notes(t), alike=True)

    def settled(self, t: float, counts: Sequence[int]) -> None:
        """Take `counts` as known, and what lies in each hole since it last moved as their mass.

        A hole that has not been quiet since keeps what the ledger makes of its new count.

        Raises:
            ValueError: there are more or fewer counts than holes.
        """
        n = np.array(counts, dtype=np.int64)
        if n.shape != (self.holes,):
            raise ValueError(f"{self.holes} counts were expected; got {n.size}")
        column = np.minimum(n, self.counts - 1)
        rows = np.arange(self.holes)
        expected = self._mean[rows, column]
        spread = np.sqrt(np.maximum(self._var[rows, column] - self.noise_g**2, 0.0))
        mass, readings, noise = self._recent_mass()
        known = readings > 0
        floor = SYSTEMATIC * self.seed_mass_g
        self._error0 = np.where(
            known, np.hypot(self.noise_g / np.sqrt(np.maximum(readings, 1)), floor), spread
        )
        self._follow_drift(t, n, mass, self._error0, known)
        self._w0 = np.where(known, mass, expected)
        self._n0 = n
        self._setup, self._off = None, []
        self._known_at = t
        many = readings >= 8
        heard_noise = self.noise_g + LEARNED * (noise - self.noise_g)
        self.noise_g = np.where(many, np.maximum(heard_noise, self._calibration.cell_noise_g), self.noise_g)

        total = int(n.sum())
        self._total_n0 = total
        self._total_w0 = float(self._w0.sum())
        self._total_var0 = float((self._error0**2).sum())
        if known.all() and total == self.seeds and total:
            learned = float((self._w0 - self.zero_g).sum()) / total
            if abs(learned / self._calibration.seed_mass_g - 1) < 0.25:
                self.seed_mass_g += LEARNED * (learned - self.seed_mass_g)
        self._rebuild()

    def _follow_drift(
        self, t: float, n: NDArray[np.int64], mass: Floats, error: Floats, known: Bools
    ) -> None:
        """Move the zeros: all by what is common to the holes that nobody has touched, then each by its own.

        A hole that holds nothing tells where its zero is; one in which nothing has moved since its mass was
        taken, how far its zero may have gone since then. What the room's temperature does is common to all.
        """
        mu = self.seed_mass_g
        bound = 0.25 * mu
        if self._known_at > -np.inf:
            self._zero_var += (DRIFT * mu) ** 2 * (t - self._known_at)
        untouched = known & (n == self._n0) & (self._since <= self._known_at) & np.isfinite(self._taken_error)
        apart = np.hypot(self._taken_error, error)
        self._move_zeros(np.clip(self._common(mass - self._taken_g, apart, untouched), -bound, bound))
        # How far one zero wanders is known, and how well each mass: what is seen is shared between the two.
        wandered = (DRIFT * mu) ** 2 * np.where(untouched, t - self._taken_t, 0.0)
        share = wandered / (wandered + apart**2)
        own = np.where(untouched, self._taken_zero + share * (mass - self._taken_g) - self.zero_g, 0.0)
        empty = known & (n == 0)
        gain = np.maximum(LEARNED, self._zero_var / (self._zero_var + error**2))  # bad cells wander faster
        own = np.where(empty, gain * (mass - self.zero_g), own)
        self._zero_var = np.where(empty, (1 - gain) * self._zero_var, self._zero_var)
        self.zero_g = self.zero_g + np.clip(own, -bound, bound)
        self._taken_t = np.where(untouched, self._taken_t, t)
        self._taken_g = np.where(untouched, self._taken_g, mass)
        self._taken_error = np.where(untouched, self._taken_error, np.where(known, error, np.inf))
        self._taken_zero = np.where(untouched, self._taken_zero, self.zero_g)

    def _common(self, gone: Floats, error: Floats, untouched: Bools) -> float:
        """Grams by which all zeros have gone, as those of untouched holes say, as far as it is no noise."""
        if np.count_nonzero(untouched) < COMMON:
            return 0.0
        common = float(np.median(gone[untouched]))
        agree = untouched & (np.abs(gone - common) <= ALIKE * self.seed_mass_g + 0.5 * abs(common))
        if agree.sum() < max(COMMON, 0.5 * untouched.sum()):
            return 0.0
        noise = 1.25 * float(np.median(error[agree])) / np.sqrt(agree.sum())
        return common * max(0.0, 1 - (noise / common) ** 2) if common else 0.0

    def _move_zeros(self, by: float) -> None:
        """Take a shift of all cells into what is known of them."""
        self.zero_g = self.zero_g + by
        self._taken_g = self._taken_g + by
        self._taken_zero = self._taken_zero + by

    @property
    def _visited(self) -> Bools:
        """`(holes,)`: where a hand was since the content was known, and it was not nothing."""
        visited: Bools = (self._handled_at > self._known_at) & (self._n0 > 0)
        return visited

    # -- the ring of readings

    def _keep(self, t: float, w: Floats) -> None:
        stride = np.abs(w - self._grams[(self._readings - 1) % KEPT])
        at = self._readings % KEPT
        self._times[at] = self._times[at + KEPT] = t
        self._grams[at] = self._grams[at + KEPT] = w
        self._strides[at] = self._strides[at + KEPT] = stride
        self._readings += 1

    def _end(self) -> int:
        return (self._readings - 1) % KEPT + KEPT + 1

    def _newest(self, n: int) -> Floats:
        """`(n, holes)`, oldest first; n at most `KEPT` and the readings there are."""
        return self._grams[self._end() - n : self._end()]

    def _within(self, t: float, spans: Floats, at_least: Sequence[int]) -> list[int]:
        """How many of the newest readings are of the last so many seconds, for each of `spans`."""
        times = self._times[self._end() - KEPT : self._end()]
        before = times.searchsorted(t - spans - 1e-9).tolist()
        return [
            min(max(KEPT - n, least), self._readings, KEPT) for n, least in zip(before, at_least, strict=True)
        ]

    def _recent_mass(self) -> tuple[Floats, NDArray[np.int64], Floats]:
        """By hole: mean of the quiet readings since it last moved, how many they are, and their spread."""
        if not self._readings:
            nothing = np.zeros(self.holes)
            return nothing, np.zeros(self.holes, dtype=np.int64), nothing
        end = self._end()
        now = self._times[end - 1]
        (n,) = self._within(float(now), np.array([RECENT]), [1])
        times, grams = self._times[end - n : end], self._newest(n)
        middle = np.median(grams[-min(n, 5) :], axis=0)
        near = np.abs(grams - middle) <= np.maximum(4 * self.noise_g, 0.3 * self.seed_mass_g)
        used = near & (times[:, None] > self._since) & (self._heard >= now - SILENT_TIME)
        readings = used.sum(axis=0)
        some = np.maximum(readings, 1)
        mean = np.where(used, grams, 0.0).sum(axis=0) / some
        off = np.where(used, grams - mean, 0.0)
        return mean, readings, np.sqrt((off**2).sum(axis=0) / np.maximum(some - 1, 1))

    # -- the tables

    def _rebuild(self) -> None:
        """Mean and variance of every count in every hole, `(holes, counts)`, from the ledger."""
        mu, sd = self.seed_mass_g, self._calibration.seed_mass_sd_g
        n: Floats = np.arange(self.counts, dtype=np.float64)
        n0: Floats = self._n0[:, None].astype(np.float64)
        more = np.maximum(n - n0, 0)
        share = np.minimum(n / np.maximum(n0, 1), 1.0)
        w0, zero = self._w0[:, None], self.zero_g[:, None]
        fewer = n < n0
        self._mean: Floats = np.where(fewer, zero + (w0 - zero) * share, w0 + more * mu)
        drawn = more * np.maximum(self.seeds - more, 0) / max(self.seeds - 1, 1)
        strange = np.maximum(n - self.seeds, 0)
        left = n * np.maximum(n0 - n, 0) / np.maximum(n0 - 1, 1)
        stones = np.where(fewer, left, drawn + strange) * sd**2
        base = (self._error0[:, None] * share) ** 2 + ((1 - share) * ZERO_ERROR * mu) ** 2
        base = np.where(fewer, base, self._error0[:, None] ** 2)
        cell = self.noise_g[:, None] ** 2 + (SYSTEMATIC * mu) ** 2
        self._var: Floats = stones + base + cell
        self._exchanged_var: Floats = self._var + 2 * sd**2
        self._half_precision: Floats = 0.5 / self._var
        self._log_norm: Floats = -0.5 * np.log(2 * np.pi * self._var)
        self._outlier = OUTLIER / (max(self.seeds, 1) * mu)
        self._least_exponent = np.log(self._outlier) - 40.0
        self._limits = self._limits_now()
        self._ailing: tuple[str, ...] | None = None

        change = np.abs(n - self._total_n0)
        drawn = change * np.maximum(self.seeds - change, 0) / max(self.seeds - 1, 1) + strange
        self._total_mean: Floats = self._total_w0 + (n - self._total_n0) * mu
        self._total_var: Floats = drawn * sd**2 + self._total_var0 + float(cell.sum())

    def _limits_now(self) -> _Limits:
        mu, noise = self.seed_mass_g, self.noise_g
        jump = np.maximum(6 * noise, 0.2 * mu)
        # A seed that weighs less than a third of the mean would pass for none; half a lone one does not.
        light = np.minimum(0.3 * mu, 0.5 * np.abs(self._w0 - self.zero_g))
        return _Limits(
            jump=jump,
            # The range of five readings exceeds 7.5 sigmas less than once an hour, that of two 7.
            step=np.maximum(7 * noise, jump),
            steps=np.maximum(7.5 * noise, jump),
            steady=np.maximum(8 * noise, 0.3 * mu),
            lean=np.maximum(3 * noise, 0.15 * mu),
            least=-np.maximum(5 * noise, 0.3 * mu),
            most=1.05 * self.seeds * mu + 2 * mu + 5 * noise,
            empty=np.where(self._n0 > 0, light, -np.inf),
        )

    def _misfit(self, w: Floats) -> Floats:
        """`(holes, counts)`: half the square of the distance from each count, in sigmas."""
        misfit: Floats = (w[:, None] - self._mean) ** 2 * self._half_precision
        return misfit

    def _loglik(self, w: Floats, misfit: Floats) -> Floats:
        """`(holes, counts)`: log-likelihood of the seeds in each hole, best at 0."""
        exponent = self._log_norm - misfit
        # Of most counts nothing is left but that a reading may have nothing to do with the stones.
        likely = exponent > self._least_exponent
        visited = np.flatnonzero(self._visited) if self._any_handled_at > self._known_at else None
        if visited is not None:
            likely[visited] = True
        at = np.flatnonzero(likely)
        density = np.full(exponent.shape, self._outlier)
        density.ravel()[at] += np.exp(exponent.ravel()[at])
        if visited is not None:
            exchanged = self._exchanged_var[visited]
            off = w[visited, None] - self._mean[visited]
            density[visited] += EXCHANGED * np.exp(-0.5 * off**2 / exchanged) / np.sqrt(2 * np.pi * exchanged)
        best = np.maximum.reduce(density, axis=1)
        loglik = np.empty_like(density)
        loglik[:] = np.log(self._outlier / best)[:, None]
        loglik.ravel()[at] = np.log(density.ravel()[at] / best[at // self.counts])
        return loglik

    def _total(self, w: Floats) -> Floats:
        """`(counts,)`: log-likelihood of the seeds on the whole board."""
        misfit = 0.5 * (w.sum() - self._total_mean) ** 2 / self._total_var
        density = np.exp(-misfit) / np.sqrt(2 * np.pi * self._total_var) + self._outlier
        loglik: Floats = np.log(density / density.max())
        return loglik

    # -- hands

    def _hand(
        self, t: float, w: Floats, moved: Bools, misfit: Floats, wobbling: int, steadying: int, calming: int
    ) -> Bools:
        """Where a hand is; each of its signs is looked for in so many of the newest readings."""
        mu, limits, end = self.seed_mass_g, self._limits, self._end()
        net = w - self.zero_g
        signs: Bools = (net < limits.least) | (net > limits.most)

        path = np.add.reduce(self._strides[end - wobbling + 1 : end], axis=0)
        there = np.abs(w - self._grams[end - wobbling])
        wobble = path - there - 1.6 * (wobbling - 1) * self.noise_g > 1.5 * mu

        unsteady = _range(self._newest(steadying)) > limits.steady
        self._unsteady_at[unsteady] = t
        odd = self._odd(w, moved, misfit)
        if np.count_nonzero(moved) or np.count_nonzero(self._under_arm):
            odd |= self._armed(t, w, moved)
        if np.count_nonzero(odd):
            self._odd_at[odd] = self._any_odd_at = t
        if t - self._any_odd_at > WOBBLE_TIME:
            self._odd_since[:] = np.inf
        else:
            self._odd_since = np.where(
                t - self._odd_at > WOBBLE_TIME, np.inf, np.minimum(self._odd_since, self._odd_at)
            )
            since = np.maximum(self._odd_since, self._unsteady_at)
            self._under_arm &= t - since < ODD_TIME
            signs |= odd & (self._odd_since < t) & (t - since < ODD_TIME)

        calm = _range(self._newest(calming)) <= limits.jump
        signs |= wobble & ~calm
        if self._leaned(t, w, moved):
            signs[:] = True
        self._hand_until[calm] = t
        self._hand_until[signs] = t + HOLD
        held: Bools = t < self._hand_until
        return held

    def _odd(self, w: Floats, moved: Bools, misfit: Floats) -> Bools:
        """Where the weight is that of no count."""
        mu = self.seed_mass_g
        # Four sigmas from every count, and a good third of a stone; or grown, on a board too heavy.
        odd: Bools = (np.minimum.reduce(misfit, axis=1) > 8.0) & ~moved
        if np.count_nonzero(odd):
            odd &= np.abs(w[:, None] - self._mean).min(axis=1) > 0.35 * mu
            same = np.minimum(self._n0, self.counts - 1)
            rows = np.arange(self.holes)
            exchanged = (w - self._mean[rows, same]) ** 2 < 9.0 * self._exchanged_var[rows, same]
            odd &= ~(self._visited & exchanged)
        if self._surplus(w) > SURPLUS * mu:
            odd |= w - self._level > 0.5 * mu
        return odd

    def _armed(self, t: float, w: Floats, moved: Bools) -> Bools:
        """The holes that an arm lies on: they have grown together, and are not yet back by half."""
        mu = self.seed_mass_g
        grows = (w - self._level > 0.5 * mu) & moved & (w > self._newest(2)[0])
        grows &= (t - self._grew_at > TOGETHER_TIME) & ~self._under_arm
        self._grew_at = np.where(grows, t, self._grew_at)
        self._grew_from = np.where(grows, self._level, self._grew_from)
        self._grew_to = np.where(grows, w, np.maximum(self._grew_to, w))
        grown = w - self._grew_from
        lately = t - self._grew_at <= TOGETHER_TIME
        if not np.count_nonzero(self._under_arm):
            self._bare_g = float(self._level.sum())
        for holes, seeds in TOGETHER:
            together = lately & (grown > seeds * mu)
            # Who sets a board up fills holes as they please.
            if together.sum() >= holes and self._known_at > -np.inf:
                self._under_arm |= together
        # Seeds that a bump throws into some holes are those of others: an arm adds to the whole.
        self._under_arm &= float(w.sum()) - self._bare_g > 0.6 * float(grown[self._under_arm].sum())
        self._under_arm &= 2 * grown > self._grew_to - self._grew_from
        return self._under_arm

    def _surplus(self, w: Floats) -> float:
        """Grams on the board beyond those of all seeds."""
        if self._total_n0 == self.seeds:
            return float(w.sum()) - self._total_w0
        return float((w - self.zero_g).sum()) - 1.02 * self.seeds * self.seed_mass_g

    def _leaned(self, t: float, w: Floats, moved: Bools) -> bool:
        """Whether all cells have gone the same way; a shift that stays is taken into the zeros."""
        shift = w - self._level
        least = self._limits.lean
        same = max(np.count_nonzero(shift > least), np.count_nonzero(shift < -least))
        if self.holes < 4 or same < 0.9 * self.holes:
            self._lean_since = np.inf
            return False
        self._lean_since = min(self._lean_since, t)
        if t - self._lean_since < LEAN_TIME or moved.any():
            return True
        common = float(np.median(shift))
        self._move_zeros(common)
        self._w0 = self._w0 + common
        self._total_w0 += self.holes * common
        self._level = w.copy()
        self._lean_since = np.inf
        self._rebuild()
        return True

    def _start_anew_where_empty(self, t: float, w: Floats, quiet: Bools) -> None:
        """A hole that held stones and has been empty for a quarter of a second holds nothing, for sure."""
        bound = self._limits.empty
        light = np.abs(w - self.zero_g) < bound
        if not np.count_nonzero(light):
            return
        empty = light & quiet & (t - self._since >= 0.25)
        if not empty.any():
            return
        mass, readings, _ = self._recent_mass()
        empty &= (readings >= 2) & (np.abs(mass - self.zero_g) < bound)
        if not empty.any():
            return
        error = np.hypot(self.noise_g / np.sqrt(np.maximum(readings, 1)), SYSTEMATIC * self.seed_mass_g)
        self._n0 = np.where(empty, 0, self._n0)
        self._w0 = np.where(empty, mass, self._w0)
        self._error0 = np.where(empty, error, self._error0)
        self._rebuild()

    def _notes(self, t: float) -> tuple[str, ...]:
        silent = t - self._heard > SILENT_TIME
        odd = t - self._odd_since >= ODD_TIME
        leaned = t - self._lean_since >= 1.0
        if self._ailing is None:
            calibrated = np.broadcast_to(self._calibration.cell_noise_g, self.holes)
            self._ailing = health.notes(self.zero_g, self.noise_g, calibrated, self.seed_mass_g)
        notes = [*self._heard_of.notes(), *self._ailing]
        if not (leaned or np.count_nonzero(silent) or np.count_nonzero(odd)):
            return (*notes, *self._off)
        notes += [
            f"cell {hole + 1} of {self.holes} gives no reading: check its plug and what presses on it"
            for hole in np.flatnonzero(silent)
        ]
        notes += [
            f"cell {hole + 1} of {self.holes} weighs between two counts: take out what is no seed, or free "
            f"a seed that leans out"
            for hole in np.flatnonzero(odd)
        ]
        if leaned:
            notes.append("all cells are pressed alike: nobody should lean on the table")
        return (*notes, *self._off)

    def _check_setup(self, known: health.Known) -> None:
        """Name the cells that do not show what lies there at first, once all lie still."""
        mass, readings, _ = self._recent_mass()
        if (readings < CHECK_EVERY).any():
            return
        mu = self.seed_mass_g
        error = np.hypot(self.noise_g / np.sqrt(readings), (ZERO_ERROR + SYSTEMATIC) * mu)
        self._off = known.check(mass - self.zero_g, error)
