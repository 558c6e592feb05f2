"""Calibration of a weighing board, step by step: raw counts and answers in, prompts and findings out.

The board is weighed empty; a handful of stones goes from hole to hole (`firmware_bridge.fit` says why that is
enough for gains and crosstalk); a known weight, if there is one, makes grams of it; stones laid out one a pit
show how they differ; and the whole set, of known number, gives the mean that a game needs, without the error
of a sample. The phases, and what leads from one to the next:

    asking    | "done"                          | measuring
    measuring | a calm window, nothing found    | asking for the next step, or over
              | a window with findings          | troubled
              | `WINDOWS` restless windows      | troubled
    troubled  | "again"                         | asking for the same, or from the start on: see `_ANEW`
              | "right", of a load felt by the  |
              | cell of another hole            | troubled: swapped
    any       | the board has started anew      | troubled

Nothing that the cells fail at is ever passed over: what is found here would be a wrong count in each game.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from engine.errors import BadInput
from engine.observation import Floats
from firmware_bridge import findings
from firmware_bridge.findings import Finding
from firmware_bridge.fit import ALL, EMPTY, Fit, Step, Window, measured
from firmware_bridge.frames import COUNT_MAX, COUNT_MIN, CellFlag
from firmware_bridge.scale import Calibration

SETTLE_S = 0.6
"""Seconds after an answer before anything is measured: 4 conversions of an HX711 at 10 a second."""
WINDOW_S = 3.0
"""Seconds of one measurement."""
GAP_S = 0.5
"""Seconds without a frame, after which a measurement begins anew."""
WINDOWS = 3
"""Restless windows after which somebody is asked to see to it."""
ROUNDS = 4
"""Rounds of single stones, at most."""
SLOW = 0.6
"""Share of the readings of the fastest cell below which a cell is slow."""
NOISY = 5.0
"""Noise over that of the median cell, in counts, above which a cell is noisy."""
CLEAR = 20.0
"""Noises by which a load is felt for sure."""
WEAK = 0.5
"""Gain over that of the median cell below which a cell is weak, .."""
COARSE = 0.25
""".. and below which it is one of another rating."""
LEAST_COUNTS_PER_GRAM = 1200.0
"""Fewer are of a cell of 2 kg or more: an HX711 at gain 128 gives 2.1 million for the rating at 1 mV/V."""
RATING_COUNTS = 2.0e6
"""Counts at the rating of a usual cell, between 0.6 and 1 mV/V."""
RATINGS_KG = (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)
NOISE_STONES = 0.25
"""Noise of a reading, in stones, above which stones cannot be told one by one (field-notes.md 3.2)."""
COUPLED = 0.02
"""Crosstalk above which a board is to be mended, not calibrated (field-notes.md 3.3)."""
CONDITION = 2.0
"""Condition number of the crosstalk above which undoing it would double errors."""
ONE_STONE = (0.3, 1.85)
"""Of the median stone: what one stone may weigh."""
LEAST_SPREAD = 0.01
"""No set of stones is more alike, as a share of their mean."""

_ANEW = frozenset(("dead", "saturated", "slow", "noisy", "weak", "rating", "swapped", "coupled", "restarted"))
"""Kinds after whose mend nothing holds that was measured before: zeros and gains are others."""

Answer = Literal["done", "again", "right"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person is to do now."""

    text: str
    holes: tuple[int, ...]
    """To be lit."""
    answers: tuple[Answer, ...]
    """What may be answered; nothing while it measures, and when it is over."""
    step: int
    """Steps that are done .."""
    steps: int
    """.. of so many."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """What lies on the board when a person has done what was asked for."""

    stones: tuple[int, ...]
    """By hole; a handful is two dozen here."""
    weight: tuple[int, float] | None = None
    """The hole that bears the known weight, and its grams."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be calibrated, with what.

    Raises:
        BadInput: a number cannot be.
    """

    names: tuple[str, ...]
    """Of the holes, pits first: what players call them. One cell each."""
    pits: int
    seeds: int
    """In the whole set."""
    weight_g: float | None = None
    """A known weight; None where there is none, and a mean stone is called 1 g."""

    def __post_init__(self) -> None:
        if self.seeds < 2 * self.pits:
            raise BadInput(f"{self.seeds} seeds: two for each of {self.pits} pits, at least, were expected")
        if self.weight_g is not None and not 1.0 <= self.weight_g <= 500.0:
            raise BadInput(f"the weight is {self.weight_g:g} g: 1 to 500 g was expected, as a cell bears it")

    @property
    def rounds(self) -> int:
        """Rounds of single stones."""
        return min(ROUNDS, self.seeds // self.pits)

    @property
    def steps(self) -> tuple[Step, ...]:
        """In their order."""
        steps: list[Step] = [EMPTY, *(("handful", hole) for hole in range(len(self.names)))]
        if self.weight_g is not None:
            steps.append(("weight", 0))
        steps += [("round", number + 1) for number in range(self.rounds)]
        return (*steps, ALL) if self.rounds * self.pits < self.seeds else tuple(steps)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What was found."""

    calibration: Calibration
    rate: tuple[float, ...]
    """By cell, readings a second."""
    weighed: bool
    """Whether grams are grams; False where a mean stone is called 1 g."""

    def as_json(self) -> dict[str, Any]:
        """As plain JSON values; `Calibration.from_json` reads it, too."""
        return {**self.calibration.as_json(), "rate": list(self.rate), "weighed": self.weighed}


class ScaleCalibration:
    """One guided calibration: `read` each frame, show `prompt`, `answer` it, until `found` is there."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.found: Calibrated | None = None
        """When all is measured."""
        self._todo: deque[Step] = deque(plan.steps)
        self._windows: dict[Step, Window] = {}
        self._findings: tuple[Finding, ...] = ()
        self._measuring = False
        self._restless = 0
        self._frames: list[tuple[float, tuple[int, ...], tuple[int, ...]]] = []

    # -- what it says

    @property
    def prompt(self) -> Prompt:
        """What is to be done now."""
        steps = len(self.plan.steps)
        done = steps - len(self._todo)
        if self.found:
            return Prompt("The scale is calibrated.", (), (), done, steps)
        if self._findings:
            cells = tuple(sorted({cell for finding in self._findings for cell in finding.cells}))
            text = " ".join(finding.text for finding in self._findings)
            doubted = self._findings[0].kind == "misplaced"
            return Prompt(
                text, cells, ("again", "right") if doubted else ("again",), done, steps, self._findings
            )
        text, holes = self._asked(self._todo[0])
        if self._measuring:
            return Prompt("Measuring: hands off, please.", holes, (), done, steps)
        return Prompt(text, holes, ("done",), done, steps)

    def _asked(self, step: Step) -> tuple[str, tuple[int, ...]]:
        names, pits = self.plan.names, tuple(range(self.plan.pits))
        match step:
            case "empty", _:
                return "Take everything out of all pits and stores.", ()
            case "handful", 0:
                first = (
                    f"Put a good handful of stones into {names[0]}: two dozen or more, nobody counts them."
                )
                return first, (0,)
            case "handful", hole:
                return f"Move the same stones, all of them, into {names[hole]}.", (hole,)
            case "weight", hole:
                grams = f"{self.plan.weight_g:g} g"
                return f"Take the stones out, and put the weight of {grams} into {names[hole]}.", (hole,)
            case "round", 1:
                return "Take everything out, then put one stone into each pit; none into a store.", pits
            case "round", number:
                return f"Put another stone into each pit, so that each holds {number}.", pits
        return f"Put in all other stones, wherever you like: {self.plan.seeds} lie on the board then.", pits

    @property
    def wanted(self) -> Layout | None:
        """What lies there when what is asked for is done; None where nothing is asked for."""
        if self.found or self._findings or self._measuring:
            return None
        lies, pits = [0] * len(self.plan.names), self.plan.pits
        match self._todo[0]:
            case "handful", hole:
                lies[hole] = min(24, self.plan.seeds)
            case "weight", hole:
                return Layout(tuple(lies), (hole, self.plan.weight_g or 0.0))
            case "round", number:
                lies[:pits] = [number] * pits
            case "all", _:
                each, more = divmod(self.plan.seeds, pits)
                lies[:pits] = [each + (pit < more) for pit in range(pits)]
        return Layout(tuple(lies))

    # -- what it is told

    def answer(self, answer: Answer) -> None:
        """Take in what a person says.

        Raises:
            BadInput: it is no answer to the prompt.
        """
        allowed = self.prompt.answers
        if answer not in allowed:
            wanted = " or ".join(allowed) or "nothing, while it measures or when it is over,"
            raise BadInput(f"the answer is {answer}: {wanted} was expected")
        match answer:
            case "done":
                self._measuring, self._restless, self._frames = True, 0, []
            case "again":
                if any(finding.kind in _ANEW for finding in self._findings):
                    self._todo, self._windows = deque(self.plan.steps), {}
                self._findings = ()
            case "right":
                cells = self._findings[0].cells
                self._trouble([findings.swapped(cells, [self.plan.names[cell] for cell in cells])])

    def restarted(self, why: str) -> None:
        """The board has lost its zeros, because of `why`."""
        if not self.found:
            self._trouble([findings.restarted(why)])

    def read(self, t: float, counts: Sequence[int], flags: Sequence[int]) -> bool:
        """Take in one frame; whether a measurement has ended with it.

        Args:
            t: seconds, not before that of the last frame.
            counts: by cell, raw.
            flags: by cell, bits of `CellFlag`.

        Raises:
            BadInput: there are more or fewer cells than holes.
        """
        if len(counts) != len(self.plan.names):
            raise BadInput(
                f"the board has {len(counts)} cells, and {len(self.plan.names)} holes are to be calibrated: "
                f"name the board file that it belongs to"
            )
        if not self._measuring:
            return False
        if self._frames and t - self._frames[-1][0] > GAP_S:
            self._frames = []
        self._frames.append((t, tuple(counts), tuple(flags)))
        if t - self._frames[0][0] < SETTLE_S + WINDOW_S:
            return False
        began = self._frames[0][0] + SETTLE_S
        frames = [frame for frame in self._frames if frame[0] > began]
        self._frames = []
        self._judge(frames)
        return True

    def _trouble(self, found: Iterable[Finding]) -> None:
        self._findings, self._measuring = tuple(found), False

    # -- one window

    def _judge(self, frames: list[tuple[float, tuple[int, ...], tuple[int, ...]]]) -> None:
        step = self._todo[0]
        t: Floats = np.array([frame[0] for frame in frames])
        counts: Floats = np.array([frame[1] for frame in frames], dtype=np.float64)
        flags = np.array([frame[2] for frame in frames])
        fresh = (flags & CellFlag.FRESH != 0) & (flags & (CellFlag.MISSING | CellFlag.DESYNC) == 0)
        clipped = (flags & CellFlag.SATURATED != 0) | (counts >= COUNT_MAX) | (counts <= COUNT_MIN)
        if failing := self._failing(counts, fresh, clipped):
            self._trouble(failing)
            return
        window, restless = measured(t, counts, fresh)
        if restless.any():
            self._restless += 1
            if self._restless == WINDOWS:
                self._trouble([self._unsettled([int(cell) for cell in np.flatnonzero(restless)])])
            return
        self._restless = 0
        self._windows[step] = window
        if found := self._wrong(step, window):
            self._trouble(found)
            return
        self._measuring = False
        self._todo.popleft()
        if not self._todo:
            self.found = self._result()

    def _failing(self, counts: Floats, fresh: Any, clipped: Any) -> list[Finding]:
        """Cells that give nothing to be measured."""
        readings, found = fresh.sum(axis=0), []
        for cell, name in enumerate(self.plan.names):
            said = counts[fresh[:, cell], cell]
            if clipped[:, cell].mean() > 0.1:
                found.append(findings.saturated(cell, name))
            elif len(said) < 3 or np.ptp(said) == 0:
                found.append(findings.dead(cell, name))
            elif len(said) < SLOW * readings.max():
                found.append(findings.slow(cell, name, len(said) / readings.max()))
        return found

    def _unsettled(self, cells: list[int]) -> Finding:
        if 2 * len(cells) > len(self.plan.names):
            return findings.table_unsettled()
        return findings.unsettled(tuple(cells), [self.plan.names[cell] for cell in cells])

    # -- what a step means

    def _wrong(self, step: Step, window: Window) -> list[Finding]:
        match step:
            case "empty", _:
                return self._noisy(window)
            case "handful", hole:
                found = self._elsewhere(hole, window)
                last = hole == len(self.plan.names) - 1
                return found or (self._unlike() or self._coupled() if last else [])
            case "weight", hole:
                return self._elsewhere(hole, window) or self._rated()
            case "round", number:
                return (self._unfit() if number == 1 else []) or self._not_one(number)
        return self._miscounted()

    def _noisy(self, window: Window) -> list[Finding]:
        times = window.noise / np.median(window.noise)
        return [
            findings.noisy(cell, name, float(times[cell]))
            for cell, name in enumerate(self.plan.names)
            if times[cell] > NOISY
        ]

    def _elsewhere(self, hole: int, window: Window) -> list[Finding]:
        """The load is felt by the cell of another hole, or by none."""
        felt = np.abs(window.mean - self._windows[EMPTY].mean)
        there, names = int(np.argmax(felt)), self.plan.names
        before = [
            self._windows[step] for step in self.plan.steps if step[0] == "handful" and step in self._windows
        ]
        usual = float(np.median([np.abs(one.mean - self._windows[EMPTY].mean).max() for one in before]))
        if felt[there] < CLEAR * window.noise[there] or (there != hole and felt[there] < COARSE * usual):
            return [findings.unfelt(hole, names[hole])]
        return [] if there == hole else [findings.misplaced(hole, names[hole], there, names[there])]

    def _fit(self) -> Fit:
        return Fit(self._windows, len(self.plan.names), self.plan.pits, self.plan.weight_g)

    def _unlike(self) -> list[Finding]:
        """Cells that show less of the handful than the others do."""
        own = np.abs(self._fit().own)
        found = []
        for cell, share in enumerate((own / np.median(own)).tolist()):
            if share < COARSE:
                found.append(findings.coarse_by_stones(cell, self.plan.names[cell], share))
            elif share < WEAK:
                found.append(findings.weak(cell, self.plan.names[cell], share))
        return found

    def _coupled(self) -> list[Finding]:
        """Crosstalk that should be mended, not undone."""
        crosstalk, names = self._fit().crosstalk, self.plan.names
        much = np.abs(crosstalk - np.eye(len(names))) > COUPLED
        if not much.any():
            return [findings.all_coupled()] if np.linalg.cond(crosstalk) > CONDITION else []
        return [
            findings.coupled(cell, names[cell], hole, names[hole], float(crosstalk[cell, hole]), COUPLED)
            for cell, hole in np.argwhere(much).tolist()
        ]

    def _rated(self) -> list[Finding]:
        """Cells that the known weight shows to be of too high a rating."""
        found = []
        for cell, counts in enumerate(np.abs(self._fit().counts_per_gram).tolist()):
            if counts < LEAST_COUNTS_PER_GRAM:
                rating = min(RATINGS_KG, key=lambda kg: abs(np.log(kg * 1000 * counts / RATING_COUNTS)))
                found.append(findings.coarse_by_weight(cell, self.plan.names[cell], counts, rating))
        return found

    def _unfit(self) -> list[Finding]:
        """Cells whose noise is more than single stones allow."""
        fit = self._fit()
        noise = fit.noise() / np.median(fit.stones())
        return [
            findings.coarse_by_noise(cell, name, float(noise[cell]), NOISE_STONES)
            for cell, name in enumerate(self.plan.names)
            if noise[cell] > NOISE_STONES
        ]

    def _not_one(self, number: int) -> list[Finding]:
        """Pits that have not gained one stone in a round."""
        stones = self._fit().stones()
        low, high = np.median(stones) * np.array(ONE_STONE)
        return [
            findings.not_one_stone(pit, name, "no stone" if stone < low else "two stones or more", number)
            for pit, (name, stone) in enumerate(zip(self.plan.names, stones[number - 1], strict=False))
            if not low < stone < high
        ]

    def _miscounted(self) -> list[Finding]:
        """The whole set is not of the number it should be, as far as single stones can tell."""
        fit, seeds = self._fit(), self.plan.seeds
        stones = fit.stones()
        there = float(fit.grams(ALL).sum() / stones.mean())
        sample = stones.std(ddof=1) / stones.mean() * np.sqrt(1 / stones.size - 1 / seeds)
        wrong = abs(there / seeds - 1) > 4 * sample + 0.01
        return [findings.miscounted(there, seeds)] if wrong else []

    def _result(self) -> Calibrated:
        fit, last = self._fit(), self.plan.steps[-1]
        mean = float(fit.grams(last).sum()) / self.plan.seeds
        weighed = self.plan.weight_g is not None
        unit = 1.0 if weighed else mean
        calibration = Calibration(
            seed_mass_g=mean / unit,
            seed_mass_sd_g=max(fit.spread(), LEAST_SPREAD * mean) / unit,
            cell_noise_g=tuple((fit.noise() / unit).tolist()),
            zero_counts=tuple(fit.zero(self._windows[last].t).tolist()),
            counts_per_gram=tuple((fit.counts_per_gram * unit).tolist()),
            crosstalk=tuple(tuple(row) for row in fit.crosstalk.tolist()),
        )
        rate = np.mean([window.rate for window in self._windows.values()], axis=0)
        return Calibrated(calibration, tuple(rate.tolist()), weighed)
