"""How the cells are while a game is on: slow, noisy or drifting ones, and those that fail at its start.

The set-up of a game is known, and so what each hole should weigh then: a cell that is off is named before a
game is played on it. Later the zeros are followed on holes that are known to be empty, and noise and rate on
all (`firmware_bridge.scale`); what has gone too far from the calibration is named.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.observation import Floats

SLOW = 0.6
"""Share of the readings of the fastest cell below which a cell is slow."""
HEARD = 0.01
"""Weight of the newest frame in the share of readings: a hundred frames, .."""
FRAMES = 300
""".. and so many before it is believed."""
NOISY = 2.5
"""Noise over the calibrated one, .."""
NOISY_STONES = 0.1
""".. and in stones, above which a cell is named."""
DRIFTED = 1.0
"""Stones by which a zero may wander from the calibration."""
OFF = 4.0
"""Standard deviations from what a known hole should weigh, .."""
OFF_STONES = 0.5
""".. and stones, beyond which a cell is off."""
FEW = 0.25
"""Share of the cells that may be off: where more are, the board is not set up yet."""


class Heard:
    """How often each cell gives a reading."""

    def __init__(self, holes: int) -> None:
        self._share: Floats = np.ones(holes)
        self._frames = 0
        self._whole = True
        """Every cell gave one in each frame so far."""

    def take(self, good: NDArray[np.bool_]) -> None:
        """Take in a frame: `(holes,)`, which cells gave a reading in it."""
        self._frames += 1
        self._whole = self._whole and np.count_nonzero(good) == len(good)
        if not self._whole:
            self._share += HEARD * (good - self._share)

    def notes(self) -> list[str]:
        """The cells that are slow, a sentence each."""
        if self._whole or self._frames < FRAMES:
            return []
        share, cells = self._share / max(float(self._share.max()), 1e-9), len(self._share)
        # A cell that gives nothing at all is not slow.
        return [
            f"cell {cell + 1} of {cells} gives {share[cell]:.0%} of the readings of the others: set the RATE "
            f"pin of its converter as on the others"
            for cell in np.flatnonzero((share < SLOW) & (share > 0.02))
        ]


def notes(zero_g: Floats, noise_g: Floats, calibrated_g: Floats, seed_g: float) -> tuple[str, ...]:
    """Which cells have become noisy, or have drifted, a sentence each.

    Args:
        zero_g: `(holes,)`, what each empty cup weighs now, 0 when it was calibrated.
        noise_g: `(holes,)`, of a reading now.
        calibrated_g: `(holes,)`, of a reading when it was calibrated.
        seed_g: mean mass of a seed.
    """
    cells = len(zero_g)
    noisy = (noise_g > NOISY * calibrated_g) & (noise_g > NOISY_STONES * seed_g)
    said = [
        f"cell {cell + 1} of {cells} is {noise_g[cell] / calibrated_g[cell]:.0f} times as noisy as when it "
        f"was calibrated: see to its plug and its shield, and keep draughts off"
        for cell in np.flatnonzero(noisy)
    ]
    said += [
        f"cell {cell + 1} of {cells} has drifted by {zero_g[cell]:.1f} g since it was calibrated: let the "
        f"board warm up out of the sun, or calibrate it anew"
        for cell in np.flatnonzero(np.abs(zero_g) > DRIFTED * seed_g)
    ]
    return tuple(said)


@dataclass(frozen=True, slots=True)
class Known:
    """What lies on the board when a game begins, or goes on."""

    counts: tuple[int, ...]
    """By hole."""
    seeds: int
    """In the whole set."""
    seed_g: float
    seed_sd_g: float

    def check(self, net_g: Floats, error_g: Floats) -> list[str]:
        """The cells that are off, a sentence each; none while most of the board is not as it should be.

        Args:
            net_g: `(holes,)`, what each hole weighs above its empty cup.
            error_g: `(holes,)`, standard deviation of that, without the stones'.
        """
        n = np.array(self.counts)
        drawn = n * np.maximum(self.seeds - n, 0) / max(self.seeds - 1, 1)
        spread = np.sqrt(drawn * self.seed_sd_g**2 + error_g**2)
        off = np.abs(net_g - n * self.seed_g)
        bad = np.flatnonzero((off > OFF * spread) & (off > OFF_STONES * self.seed_g))
        if len(bad) > max(1.0, FEW * len(n)):
            return []
        return [self._said(int(cell), float(net_g[cell])) for cell in bad]

    def _said(self, cell: int, grams: float) -> str:
        cells, count = len(self.counts), self.counts[cell]
        if not count:
            return (
                f"cell {cell + 1} of {cells} shows {grams:.1f} g where nothing should lie: take out what "
                f"lies there; if nothing does, free its cup and calibrate the scale anew"
            )
        return (
            f"cell {cell + 1} of {cells} shows {grams / self.seed_g:.1f} seeds where {count} should lie: "
            f"count them; if {count} lie there, free its cup, or put in another cell, and calibrate the "
            f"scale anew"
        )
