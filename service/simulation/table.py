"""Stones, cells and the hand's plans in one virtual time: what each conversion of each cell gives."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.observation import Floats
from service.simulation.camera import Exposure
from service.simulation.cells import Cells
from service.simulation.hand import Action, Carry, Note, Plan, Press, Thing
from service.simulation.stones import Stones
from service.simulation.truth import Truth

_GRAVITY = 9.81
OVER_S = 0.25
"""Seconds for which a hand is over a hole before and after it does something there."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Consecutive conversions."""

    micros: tuple[int, ...]
    """Since the board was switched on, at the end of each."""
    counts: NDArray[np.int64]
    """`(n, holes)`, raw."""
    saturated: NDArray[np.bool_]
    """`(n, holes)`."""
    truths: tuple[Truth, ...]
    """What happened up to the last of them, and had not been told before."""
    exposures: tuple[Exposure, ...] = ()
    """Of the camera, up to the last of them."""


class Table:
    """A board on a table, a hand over it, and the time.

    The same streams of random numbers give the same counts, however the readings are cut into blocks.

    Args:
        next_plan: asked whenever the hand has done all it was told; a plan takes some time, None is rest.
        frames: exposures a second of a camera above it; 0 where there is none.
    """

    def __init__(
        self,
        stones: Stones,
        cells: Cells,
        rate: int = 80,
        next_plan: Callable[[], Plan | None] = lambda: None,
        frames: float = 0.0,
    ) -> None:
        self.stones = stones
        self.cells = cells
        self.rate = rate
        """Conversions a second: 10 or 80."""
        self.next_plan = next_plan
        self.micros = 0
        """Since the board was switched on, at the end of the last conversion."""
        self._free_at = 0.0
        self._actions: deque[Action] = deque()
        self._presses: list[Press] = []
        self._frame_s = 1.0 / frames if frames else np.inf
        self._exposed = 0
        self._moved = [0] * len(stones.counts)
        self._over: list[tuple[float, float, int]] = []
        self._load: Floats = np.array([stones.load(hole) for hole in range(len(stones.counts))])
        self._things: Floats = np.zeros(len(self._load))
        cells.place(self._load)

    @property
    def holes(self) -> int:
        return len(self._load)

    def resting(self, t: float) -> float:
        """Seconds for which the hand has done nothing at `t`; 0 while it has something to do."""
        return 0.0 if self._actions else max(0.0, t - self._free_at)

    @property
    def busy_s(self) -> float:
        """Seconds until the hand has done all it was told."""
        return max(0.0, self._free_at - self.micros / 1e6)

    def do(self, plan: Plan) -> None:
        """Have the hand carry out a plan, now or when it has done what it was told before."""
        start = max(self._free_at, self.micros / 1e6)
        self._actions.extend(replace(action, at=start + action.at) for action in plan.actions)
        self._free_at = start + plan.seconds
        self._over = [one for one in self._over if one[1] >= self.micros / 1e6]
        for action in plan.actions:
            at = start + action.at
            match action:
                case Press(hole=hole, seconds=seconds):
                    self._over.append((at - OVER_S, at + seconds + OVER_S, hole))
                case Carry(source=source, target=target):
                    self._over += [(at - OVER_S, at + OVER_S, hole) for hole in (source, target) if hole >= 0]

    def read(self, n: int) -> Block:
        """The next `n` conversions."""
        period = 1_000_000 // self.rate
        start, end = self.micros, self.micros + n * period
        loads = np.tile(self._load, (n, 1))
        truths, exposures = list[Truth](), list[Exposure]()
        while True:
            while self._actions and self._actions[0].at * 1e6 < end:
                self._expose(self._actions[0].at, exposures)
                self._carry_out(self._actions.popleft(), loads, start, period, truths)
            if self._actions or self._free_at * 1e6 >= end:
                break
            plan = self.next_plan()
            if plan is None:
                break
            self.do(plan)
        for press in self._presses:
            _weigh(press, loads, start, period)
        self._presses = [press for press in self._presses if (press.at + press.seconds) * 1e6 > end]
        self._expose(end / 1e6, exposures)
        self.micros = end
        micros = tuple(range(start + period, end + 1, period))
        counts, saturated = self.cells.read(np.array(micros) / 1e6, period / 1e6, loads)
        return Block(micros, counts, saturated, tuple(truths), tuple(exposures))

    def _expose(self, until: float, exposures: list[Exposure]) -> None:
        """Take the pictures that are due before `until`, of the board as it lies."""
        while (t := (self._exposed + 1) * self._frame_s) < until:
            self._exposed += 1
            hidden = np.zeros(self.holes, dtype=np.bool_)
            over = dict[int, float]()
            for begins, ends, hole in self._over:
                if begins <= t <= ends:
                    near = min(1.0, (t - begins) / OVER_S, (ends - t) / OVER_S)
                    over[hole] = max(over.get(hole, 0.0), near)
                    # A hand is wider than a pit.
                    pits = self.cells.pits
                    beside = {(hole - 1) % pits, hole, (hole + 1) % pits} if hole < pits else {hole}
                    hidden[list(beside)] = True
            moved = tuple(self._moved)
            exposures.append(Exposure(t, self.stones.counts, moved, hidden, tuple(over.items())))

    def _carry_out(self, action: Action, loads: Floats, start: int, period: int, truths: list[Truth]) -> None:
        match action:
            case Note(at, truth):
                truths.append(replace(truth, t=round(at, 4), counts=self.stones.counts))
            case Press():
                self._presses.append(action)
            case Thing(at, hole, grams):
                loads[int(max(at * 1e6 - start, 0.0) // period) + 1 :, hole] += grams - self._things[hole]
                self._things[hole] = grams
                self._load[hole] = self.stones.load(hole) + grams
            case Carry(at, seeds, source, target, height):
                # The part of its own conversion in which a change is felt is what is left of it.
                row, passed = divmod(max(at * 1e6 - start, 0.0), period)
                k, left = int(row), 1.0 - passed / period
                grams = sum(self.stones.carry(seeds, source, target))
                for hole, change in ((source, -grams), (target, grams)):
                    if hole >= 0:
                        self._moved[hole] += 1
                        loads[k, hole] += change * left
                        loads[k + 1 :, hole] += change
                        self._load[hole] = self.stones.load(hole) + self._things[hole]
                if target >= 0:
                    # What stops a fall is the momentum m * sqrt(2 g h), spread over this conversion.
                    seconds = period / 1e6
                    loads[k, target] += grams * np.sqrt(2.0 * height / _GRAVITY) / seconds


def _weigh(press: Press, loads: Floats, start: int, period: int) -> None:
    """Add a press to the conversions it reaches into, by the share of each."""
    begins = start + period * np.arange(len(loads))
    reaches = np.minimum((press.at + press.seconds) * 1e6, begins + period) - np.maximum(
        press.at * 1e6, begins
    )
    rows = np.flatnonzero(reaches > 0)
    t = (begins[rows] + period / 2) / 1e6
    shape = 1.0 + sum(share * np.sin(2 * np.pi * hertz * t + phase) for share, hertz, phase in press.tremor)
    loads[rows, press.hole] += press.grams * shape * reaches[rows] / period
