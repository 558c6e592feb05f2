"""How many stones lie in each hole of a top view: log-likelihoods, never a number.

The confusion model says what area and how many circles are measured when `n` stones lie in a hole: stones
pile up, so both grow like `n` while there is room and stop when the hole is full. It was read off pictures
drawn by `tests/vision/draw.py`. Photographs are less kind: half of it is spread several times as wide.
"""

from collections.abc import Sequence

import numpy as np

from engine.observation import Floats
from vision.stones import Measured

FILL = 0.75
"""The share of a hole's area, in stones, up to which stones lie side by side."""
PILE = 6.0
"""How sharply piling up begins: the power of a soft minimum."""
HALO = 1.08
"""Area seen for each stone's own: outlines are rounded up and shadows cling to stones."""
KIND = 0.5
"""How often a picture is as clear as a drawn one."""
MISFIT = 0.5
"""Stones by which counting is off, at which a picture is no longer likely to be clear."""
CLEAR = ((0.25, 0.10), (0.15, 0.06))
"""Standard deviation of area and of circles in a clear picture, in stones: at none, and more for each."""
UNCLEAR = ((0.30, 0.25), (0.40, 0.25))
"""The same in any other."""
OUTLIER = 0.1
"""How often what is measured has nothing to do with what lies there: gloss, wood-coloured stones."""
NO_WHITE = 0.2
"""How much oftener where no marker tells what white is: colours are then taken as they come."""
NO_STONE = 0.2
"""How much oftener where no stone is seen in the whole picture: they may look like the wood."""
HIDDEN_AT = 0.06
"""Share of a hole's surroundings, covered by something large, at which nothing is said of the hole."""


def visible(counts: Floats, room: float) -> Floats:
    """How many of `counts` stones are seen apart, in a hole with room for `room` stones side by side."""
    full = max(FILL * room, 1.0)
    return np.asarray(counts / (1 + (counts / full) ** PILE) ** (1 / PILE), dtype=np.float64)


def likelihoods(measured: Measured, most: int, misfit: float = 0.0) -> Floats:
    """Log-likelihoods `(holes, most + 1)` of 0 .. `most` stones, each row's best at 0; zeros where hidden.

    `misfit` is how far counting was off on this board before, in stones.
    """
    counts = np.arange(most + 1, dtype=np.float64)
    seen_any = bool((measured.area > 0.5).any())
    outlier = OUTLIER + (0.0 if measured.white else NO_WHITE) + (0.0 if seen_any else NO_STONE)
    kind = KIND * float(np.exp(-((misfit / MISFIT) ** 2)))
    rows = np.zeros((len(measured.area), most + 1))
    for hole, room in enumerate(measured.room):
        if measured.covered[hole] > HIDDEN_AT:
            continue
        seen = visible(counts, room)
        clear, unclear = (
            _fit(float(measured.area[hole]), float(measured.circles[hole]), seen, spread, misfit)
            for spread in (CLEAR, UNCLEAR)
        )
        rows[hole] = with_outliers(np.logaddexp(np.log(kind) + clear, np.log(1 - kind) + unclear), outlier)
    return rows


def _fit(
    area: float, circles: float, seen: Floats, spread: tuple[tuple[float, float], ...], misfit: float
) -> Floats:
    (area_none, area_each), (circles_none, circles_each) = spread
    by_area = normal(area, HALO * seen, area_none * (1 + misfit) + area_each * seen)
    by_circles = normal(circles, seen, circles_none * (1 + misfit) + circles_each * seen)
    # area and circles come from the same pixels: together they weigh as one and a half
    return 0.75 * (by_area + by_circles)


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
