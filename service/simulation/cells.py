"""Load cells under the holes, and the converter that reads them: grams in, 24-bit counts out.

    counts = zero + gain * settled(load + crosstalk) + drift + creep + noise, rounded, clipped to 24 bits

Figures from field-notes.md 3: cells of 500 g and 1 mV/V at 4.2 V on an HX711 give some 3,500 counts a gram;
zero moves 50 mg a degree and a board warms by some degrees in its first half hour; creep is 0.03 to 0.1 % of
the load in 30 minutes; a new load is fully seen after 4 conversions.
"""

from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.observation import Floats
from firmware_bridge.frames import COUNT_MAX, COUNT_MIN

SETTLING = 4
"""Conversions over which a load is averaged."""


FaultKind = Literal["dead", "saturated", "weak", "rating", "noisy", "slow", "swapped"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A cell that is not as it should be.

    dead: gives one count for ever. saturated: the end of its range. weak: rubs on the wood, which bears 70 %.
    rating: made for ten times the load. noisy: ten times the noise. slow: every eighth conversion.
    swapped: its plug is exchanged with that of `other`.
    """

    kind: FaultKind
    cell: int
    other: int = 0


def read_fault(text: str) -> Fault:
    """A fault as `kind:cell`, or `swapped:cell:other`; cells count from 1, as people do.

    Raises:
        BadInput: it is none.

    >>> read_fault("rating:4")
    Fault(kind='rating', cell=3, other=0)
    """
    kind, *cells = text.split(":")
    numbers = [int(cell) - 1 for cell in cells if cell.isdecimal() and int(cell)]
    if kind not in get_args(FaultKind) or len(numbers) != len(cells) or len(cells) != 1 + (kind == "swapped"):
        kinds = ", ".join(get_args(FaultKind))
        raise BadInput(
            f"fault {text!r} is not known: one of {kinds} with its cell was expected, as in rating:4; "
            f"swapped has two, as in swapped:2:3"
        )
    return Fault(cast(FaultKind, kind), *numbers)


@dataclass(frozen=True, slots=True)
class CellSettings:
    """How good the cells are, but for their noise. Each draws its own zero, gain and warming from these."""

    walk_g: float = 0.003
    """Standard deviation of the wandering of zero in one second, grams; it grows with the root of time."""
    warm_g: float = 0.10
    """Standard deviation over the cells of what warming up does to zero in all, grams."""
    warm_s: float = 900.0
    """Seconds in which 63 % of the warming is done."""
    creep: float = 0.0005
    """Share of the load by which it seems to grow in time."""
    creep_s: float = 600.0
    """Seconds in which 63 % of the creep is done."""
    crosstalk: float = 0.001
    """Share of a pit's load that each of its two neighbours in the ring feels, 0 to 0.1."""
    uneven: float = 0.0
    """By how much of it, at most, that share differs from pair to pair, 0 to 1."""
    gain: float = 3500.0
    """Counts a gram, of the typical cell; each differs by some 3 %."""
    zero: float = 200_000.0
    """Standard deviation of the counts without load."""
    faults: tuple[Fault, ...] = ()


class Cells:
    """One cell a hole. `read` is called with consecutive conversions, in blocks of any size.

    Args:
        rng: split into streams of its own, so that the size of the blocks changes nothing.
        pits: the first holes, in ring order.
        stores: the holes after them.
        noise_g: standard deviation of the white noise of one reading, grams, at either rate.
    """

    def __init__(
        self, rng: np.random.Generator, pits: int, stores: int, settings: CellSettings, noise_g: float
    ) -> None:
        made, self._walk_rng, self._noise_rng = rng.spawn(3)
        holes = pits + stores
        for fault in settings.faults:
            if max(fault.cell, fault.other) >= holes:
                raise BadInput(f"cell {max(fault.cell, fault.other) + 1} is none: 1 to {holes} was expected")
        self.settings = settings
        self.pits = pits
        self.noise_g = noise_g
        self.zero: Floats = np.round(settings.zero * made.standard_normal(holes))
        """`(holes,)`, counts of the empty cups when the board is switched on."""
        self.gain: Floats = settings.gain * (1.0 + 0.03 * made.uniform(-1.0, 1.0, holes))
        """`(holes,)`, counts a gram."""
        self._warm: Floats = settings.warm_g * made.standard_normal(holes)
        ring = np.arange(pits)
        self.crosstalk: Floats = np.eye(holes)
        """`(holes, holes)`: grams that a cell shows for each gram on a hole."""
        for neighbour in (ring - 1, ring + 1):
            self.crosstalk[ring, neighbour % pits] += settings.crosstalk * (
                1.0 + settings.uneven * made.uniform(-1.0, 1.0, pits)
            )
        self._bears: Floats = np.ones(holes)
        self._noise: Floats = np.full(holes, noise_g)
        for fault in settings.faults:
            match fault.kind:
                case "weak":
                    self._bears[fault.cell] = 0.3
                case "rating":
                    # The converter's noise is the same in counts, ten times as much in grams.
                    self.gain[fault.cell] /= 10.0
                    self._noise[fault.cell] *= 10.0
                case "noisy":
                    self._noise[fault.cell] *= 10.0
        self._walk = np.zeros(holes)
        self._creep = np.zeros(holes)
        self._tail = np.zeros((SETTLING - 1, holes))

    def place(self, load: Floats) -> None:
        """Let `load`, `(holes,)` grams, have lain there since before the first reading."""
        self._tail[:] = load
        self._creep[:] = self.settings.creep * load

    def read(self, t: Floats, period: float, loads: Floats) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Counts, and which of them are at the end of the range; each `(n, holes)`.

        Args:
            t: `(n,)` seconds since the board was switched on, at the end of each conversion.
            period: seconds of one conversion.
            loads: `(n, holes)` grams, the mean over each conversion.
        """
        s, n = self.settings, len(loads)
        history = np.concatenate((self._tail, loads))
        self._tail = history[n:]
        settled = (history[3:] + history[2:-1] + history[1:-2] + history[:-3]) / SETTLING
        grams = settled @ self.crosstalk.T * self._bears
        if s.creep:
            share = period / s.creep_s
            for k in range(n):
                self._creep += (s.creep * settled[k] - self._creep) * share
                grams[k] += self._creep
        steps = s.walk_g * np.sqrt(period) * self._walk_rng.standard_normal(loads.shape)
        walk = np.cumsum(np.concatenate((self._walk[None], steps)), axis=0)[1:]
        self._walk = walk[-1]
        grams += walk
        grams += self._warm * (1.0 - np.exp(-t / s.warm_s))[:, None]
        grams += self._noise * self._noise_rng.standard_normal(loads.shape)
        counts = np.rint(self.zero + self.gain * grams)
        for fault in s.faults:
            match fault.kind:
                case "dead":
                    counts[:, fault.cell] = self.zero[fault.cell]
                case "saturated":
                    counts[:, fault.cell] = COUNT_MAX
                case "swapped":
                    counts[:, [fault.cell, fault.other]] = counts[:, [fault.other, fault.cell]]
        saturated = (counts >= COUNT_MAX) | (counts <= COUNT_MIN)
        return np.clip(counts, COUNT_MIN, COUNT_MAX).astype(np.int64), saturated

    def grams(self, counts: NDArray[np.int64]) -> Floats:
        """What a host that knows each zero and gain makes of `(.., holes)` counts; crosstalk is in it."""
        grams: Floats = (counts - self.zero) / self.gain
        return grams
