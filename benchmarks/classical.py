"""Counting without learning: the area of stones and the circles that edges point at. What the network is
held to.

A confusion model says what area and how many circles are measured when `n` stones lie in a hole: stones
pile up, so both grow like `n` while there is room and stop when the hole is full. It was read off
pictures drawn by `tests/vision/draw.py`. Photographs are less kind: half of it is spread several times as
wide.
"""

import cv2
import numpy as np

from engine.observation import Floats
from vision import Mask, Pixels
from vision.count import HIDDEN_AT, normal, visible, with_outliers
from vision.rectify import View
from vision.stones import Measured, Tones, area_in_holes, logs, measure, surface_mask, tones, wood_distance

HALO = 1.08
"""Area seen for each stone's own: outlines are rounded up and shadows cling to stones."""
KIND = 0.5
"""How often a picture is as clear as a drawn one."""
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


def likelihoods(view: View, most: int) -> Floats:
    """Log-likelihoods `(holes, most + 1)` of 0 .. `most` stones, each row's best at 0; zeros where hidden."""
    measured = measure(view)
    circles = circles_in(view, measured)
    counts = np.arange(most + 1, dtype=np.float64)
    seen_any = bool((measured.area > 0.5).any())
    outlier = OUTLIER + (0.0 if measured.white else NO_WHITE) + (0.0 if seen_any else NO_STONE)
    rows = np.zeros((len(measured.area), most + 1))
    for hole, room in enumerate(measured.room):
        if measured.covered[hole] > HIDDEN_AT:
            continue
        seen = visible(counts, room)
        clear, unclear = (
            _fit(float(measured.area[hole]), float(circles[hole]), seen, spread)
            for spread in (CLEAR, UNCLEAR)
        )
        rows[hole] = with_outliers(np.logaddexp(np.log(KIND) + clear, np.log(1 - KIND) + unclear), outlier)
    return rows


def _fit(area: float, circles: float, seen: Floats, spread: tuple[tuple[float, float], ...]) -> Floats:
    (area_none, area_each), (circles_none, circles_each) = spread
    by_area = normal(area, HALO * seen, area_none + area_each * seen)
    by_circles = normal(circles, seen, circles_none + circles_each * seen)
    # area and circles come from the same pixels: together they weigh as one and a half
    return 0.75 * (by_area + by_circles)


def circles_in(view: View, measured: Measured) -> Floats:
    """Centres that edges point at, in each hole `(holes,)`."""
    seen = tones(logs(view.image))
    distance, _ = wood_distance(view, seen, surface_mask(view))
    votes = circle_votes(distance, seen, measured.stone_radius)
    radius = measured.stone_radius
    return area_in_holes(peaks(votes, measured.stone, 0.8 * radius, 0.45), view.holes, 1.05)


def circle_votes(distance: Pixels, seen: Tones, radius: float) -> Pixels:
    """For each pixel, the share of a circle of `radius` pixels round it whose edges point at it."""
    votes = np.zeros_like(distance)
    height, width = votes.shape
    capped = np.minimum(distance, 8.0) / 8.0
    for channel, least in ((seen.bright, 0.05), (capped, 0.08)):
        dx = cv2.Sobel(channel, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
        dy = cv2.Sobel(channel, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
        size = np.hypot(dx, dy)
        rows, columns = np.nonzero(size > least / 2)
        length = size[rows, columns]
        unit_x, unit_y = dx[rows, columns] / length, dy[rows, columns] / length
        weight = np.minimum(1.0, length / least)
        for share in (0.85, 1.0, 1.15):
            for sign in (1.0, -1.0):
                x = np.rint(columns + sign * share * radius * unit_x).astype(np.intp)
                y = np.rint(rows + sign * share * radius * unit_y).astype(np.intp)
                fits = (x >= 0) & (x < width) & (y >= 0) & (y < height)
                flat = np.bincount(y[fits] * width + x[fits], weight[fits], height * width)
                votes += flat.reshape(height, width).astype(np.float32)
    spread = radius / 4
    smooth = cv2.GaussianBlur(votes, (0, 0), spread) * (2 * np.pi * spread**2)
    return np.asarray(smooth / (2 * np.pi * radius), np.float32)


def peaks(votes: Pixels, mask: Mask, radius: float, least: float) -> Mask:
    """The pixels of `mask` that no other within `radius` outvotes."""
    size = 2 * max(1, round(radius)) + 1
    highest = cv2.dilate(votes, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    return np.asarray((votes >= highest) & (votes > least) & mask, np.bool_)
