"""What in a top view is stone, and how much of it: the measurements that seeing changes and hands rests on.

Theory of operation. Light on wood changes its brightness, hardly its colour: in logarithms a shadow moves
all three channels alike. So each pixel is told by its two log ratios (red to green, blue to green) and
its log brightness. In the plane of the ratios, wood lies on a ray from white: gloss moves it towards
white, and in a bowl, where light has met wood before, it moves away from white. What lies off that ray,
or stands out from its neighbourhood in brightness, is stone. Glass that lets its wood through, stones of
the wood's own colour, and stones under stones are what this cannot see.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import hypot
from typing import NamedTuple

import cv2
import numpy as np

from engine.layout import Hole
from engine.observation import Floats
from vision import Image, Mask, Pixels
from vision.rectify import View

STONE_RADIUS_MM = 6.7
"""Where no single stone can be seen: glass gems and pebbles are sold at 13 to 14 mm."""
LEAST_STONE_MM, MOST_STONE_MM = 4.0, 9.5
DARK = 6.0
"""Added to a pixel value before its logarithm: below it a sensor shows noise, not colour."""
COLOUR_SIGMA = 0.025
"""Least spread of wood's log ratios beyond what noise explains."""
BRIGHT_SIGMA = 0.14
"""Spread of log brightness within a few millimetres of bare wood: grain."""
LIGHT_SIGMA = 0.1
"""Spread of log brightness of wood over the whole board, beyond an even change from side to side."""
LEAST_STONE_AT, MOST_STONE_AT = 3.0, 9.0
"""Standard deviations from wood at which a pixel is stone: between these, where the picture divides."""
RING = 0.9
"""Stones: a smaller gap is the clear middle of a glass stone, a larger one the bare middle of several."""
LARGE = 4.0
"""Stones: what hides more of the surface than this is a hand or a sleeve."""
SAMPLES = 4_000
"""Pixels from which wood and light are taken: medians need no more."""
RIM = 1.12
"""Holes are taken this much larger where the surface is meant: rims are rounded and catch the light."""


@dataclass(frozen=True, slots=True, eq=False)
class Tones:
    """A picture in logarithms, each `(height, width)`."""

    red: Pixels
    """log red - log green."""
    blue: Pixels
    """log blue - log green."""
    bright: Pixels
    """Mean of the three logs."""
    noise: Pixels
    """Standard deviation of `red` and `blue` to expect from a sensor's noise: dark pixels know little."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What each hole shows, `(holes,)`."""

    area: Floats
    """Area of stones, in stones."""
    room: Floats
    """Area of the hole, in stones."""
    covered: Floats
    """0 to 1: how much of the hole's surroundings is neither wood nor marker: a hand, a sleeve."""
    stone_radius: float
    """Pixels of the view."""
    stone: Mask
    """Where stones are seen."""
    white: bool
    """Whether the markers' paper told what white is in this light."""


class Logs(NamedTuple):
    """A smoothed picture, each `(height, width, 3)`."""

    level: Pixels
    """Pixel values, and `DARK`."""
    log: Pixels
    """Their natural logarithms."""


def logs(image: Image) -> Logs:
    """A BGR picture `(height, width, 3)`, smoothed over a pixel."""
    level = cv2.GaussianBlur(image.astype(np.float32), (0, 0), 1.0) + np.float32(DARK)
    return Logs(level, np.log(level))


def tones(seen: Logs) -> Tones:
    """What tells wood from stone."""
    blue, green, red = cv2.split(seen.log)
    least = cv2.min(cv2.min(*cv2.split(seen.level)[:2]), cv2.split(seen.level)[2])
    bright = (blue + green + red) / 3
    return Tones(
        red - green, blue - green, np.asarray(bright, np.float32), np.asarray(2.0 / least, np.float32)
    )


Box = tuple[slice, slice]
"""Rows and columns of a view."""


def hole_mask(shape: tuple[int, ...], holes: Iterable[Hole], grow: float = 1.0) -> Mask:
    """The pixels of a view that lie in any of the holes, each `grow` times as wide."""
    drawn = np.zeros(shape[:2], np.bool_)
    for hole in holes:
        box, mask = _in_box(hole, (shape[0], shape[1]), grow)
        drawn[box] |= mask
    return drawn


@lru_cache(maxsize=512)
def _in_box(hole: Hole, shape: tuple[int, int], grow: float) -> tuple[Box, Mask]:
    """The part of a view that a hole lies in, and its pixels there: drawn once, for boards lie still."""
    box = rows, columns = _box(hole, shape, grow)
    drawn = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    radius, x = hole.radius * grow, round(hole.x) - columns.start
    top = (x, round(hole.y - hole.half_length) - rows.start)
    bottom = (x, round(hole.y + hole.half_length) - rows.start)
    if top == bottom:
        cv2.circle(drawn, top, round(radius), 1, -1)
    else:
        cv2.line(drawn, top, bottom, 1, max(1, round(2 * radius)))
    mask = drawn.astype(np.bool_)
    mask.setflags(write=False)
    return box, mask


def _box(hole: Hole, shape: tuple[int, ...], grow: float) -> Box:
    """The part of a view that a hole lies in."""
    wide = hole.radius * grow + 2
    high = wide + hole.half_length
    top, left = max(0, int(hole.y - high)), max(0, int(hole.x - wide))
    return (
        slice(top, max(top, min(shape[0], int(hole.y + high) + 1))),
        slice(left, max(left, min(shape[1], int(hole.x + wide) + 1))),
    )


def surface_mask(view: View) -> Mask:
    """The board's upper side, without holes and markers; near the holes only, if the view has no board."""
    shape = view.image.shape[:2]
    mask = ~hole_mask(shape, view.holes, RIM)
    if not view.surface:
        mask &= hole_mask(shape, view.holes, 1.4)
    for left, top, right, bottom in view.surface:
        edge = 3.5 / view.mm  # the white paper round the print
        rows = slice(max(0, int(top - edge)), max(0, int(bottom + edge)))
        mask[rows, max(0, int(left - edge)) : max(0, int(right + edge))] = False
    return mask


def wood_distance(view: View, seen: Tones, surface: Mask) -> tuple[Pixels, Pixels]:
    """How far each pixel is from wood, in standard deviations `(height, width)`, twice.

    The first is for stones: it forgives gloss, and minds what stands out within a stone's reach. The second
    is for hands: it forgives no other colour and no other brightness, however wide.
    """
    shape = seen.red.shape
    white_red, white_blue = _white(view, seen)
    bare = np.flatnonzero(surface)
    bare = bare[:: 1 + len(bare) // SAMPLES]
    wood_red = float(np.median(seen.red.ravel()[bare])) - white_red
    wood_blue = float(np.median(seen.blue.ravel()[bare])) - white_blue
    colour = max(hypot(wood_red, wood_blue), 0.02)
    red, blue = (seen.red - white_red) / colour, (seen.blue - white_blue) / colour
    along = red * (wood_red / colour) + blue * (wood_blue / colour)
    aside = red * (wood_blue / colour) - blue * (wood_red / colour)
    of_bare = aside.ravel()[bare]
    grain = 1.5 * float(np.median(np.abs(of_bare - np.median(of_bare))))
    sigma = np.sqrt(max(COLOUR_SIGMA, grain * colour) ** 2 + seen.noise**2) / colour
    near_rim = hole_mask(shape, view.holes, 0.95) & ~hole_mask(shape, view.holes, 0.72)
    usual = (surface | near_rim) & (np.abs(aside) < 2 * sigma)
    level = float(np.median(seen.bright.ravel()[bare]))
    some = along[usual]
    low, high = np.percentile(some[:: 1 + len(some) // SAMPLES], [5, 95]) if len(some) > 200 else (1.0, 1.0)
    low, high = float(np.clip(low, 0.75, 1.0)), float(np.clip(high, 1.0, 1.8))
    # gloss is brighter than the wood it lies on: only there may wood turn white
    gloss = np.clip((seen.bright - level) / 0.3, 0, 1) * 0.4
    too_wooden = np.maximum(along - high, 0)
    off = cv2.magnitude(aside, too_wooden + np.maximum(low - gloss - along, 0)) / sigma
    around = 0.9 * STONE_RADIUS_MM / view.mm
    stands_out = np.abs(seen.bright - cv2.GaussianBlur(seen.bright, (0, 0), around)) / BRIGHT_SIGMA
    stone = cv2.magnitude(off, np.maximum(stands_out - 1.0, 0))
    matt = cv2.magnitude(aside, too_wooden + np.maximum(low - along, 0)) / sigma
    unlit = np.abs(seen.bright - _light(seen.bright, surface)) / LIGHT_SIGMA
    return np.asarray(stone, np.float32), np.asarray(np.maximum(matt, unlit), np.float32)


def _light(bright: Pixels, surface: Mask) -> Pixels:
    """Log brightness of bare wood over the whole view, if light changes evenly from side to side."""
    rows, columns = np.nonzero(surface)
    step = 1 + len(rows) // SAMPLES
    rows, columns = rows[::step], columns[::step]
    height, width = bright.shape
    points = np.column_stack([np.ones(len(rows)), rows / height, columns / width])
    levels = bright[rows, columns].astype(np.float64)
    usual = np.ones(len(rows), np.bool_)
    plane = np.zeros(3)
    for _ in range(4):
        some = points[usual]
        plane = np.linalg.solve(some.T @ some + 1e-9 * np.eye(3), some.T @ levels[usual])
        off = np.abs(levels - points @ plane)
        usual = off <= np.percentile(off, 70)
    level, down, right = plane
    rows, columns = np.arange(height)[:, None], np.arange(width)[None]
    return np.asarray(np.add(level + down / height * rows, right / width * columns, dtype=np.float32))


def _white(view: View, seen: Tones) -> tuple[float, float]:
    """The log ratios that white shows in this light, red and blue: those of the markers' paper, or none."""
    paper = [
        np.s_[max(0, int(top)) : max(0, int(bottom)), max(0, int(left)) : max(0, int(right))]
        for left, top, right, bottom in view.surface
    ]
    bright = np.concatenate([np.zeros(0), *(seen.bright[area].ravel() for area in paper)])
    if not len(bright):
        return 0.0, 0.0
    whitest = bright >= np.percentile(bright, 75)
    red = np.concatenate([seen.red[area].ravel() for area in paper])[whitest]
    blue = np.concatenate([seen.blue[area].ravel() for area in paper])[whitest]
    return float(np.median(red)), float(np.median(blue))


def stone_mask(view: View, distance: Pixels) -> Mask:
    """Where stones are seen within the holes: specks removed, gaps closed."""
    unit = STONE_RADIUS_MM / view.mm
    within = hole_mask(distance.shape, view.holes, 1.05)
    mask = ((distance > _divide(distance[within])) & within).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _disc(unit * 0.35)).astype(np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for outline in outlines:
        hollow = np.zeros_like(mask)
        cv2.drawContours(hollow, [outline], -1, 1, -1)
        gap = hollow & (1 - mask)
        if gap.sum() < RING * np.pi * unit**2:
            mask |= gap
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(unit * 0.4))
    return np.asarray(opened, np.uint8).astype(bool)


def _divide(distances: Pixels) -> float:
    """The distance that divides wood from stone: Otsu's, within bounds: some pictures show only one."""
    scale = 255 / (2 * MOST_STONE_AT)
    levels = np.clip(distances * scale, 0, 255).astype(np.uint8)
    otsu, _ = cv2.threshold(levels.reshape(1, -1), 0, 1, cv2.THRESH_OTSU)
    return float(np.clip(otsu / scale, LEAST_STONE_AT, MOST_STONE_AT))


def _disc(radius: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    size = 2 * max(1, round(radius)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def stone_radius(mask: Mask, mm: float) -> float:
    """Radius of a typical stone, by those alone, in pixels of `mm`; `STONE_RADIUS_MM` counts twice."""
    outlines, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    alone = [STONE_RADIUS_MM / mm] * 2
    for outline in outlines:
        area = cv2.contourArea(outline)
        radius = float(np.sqrt(area / np.pi))
        if len(outline) < 8 or not LEAST_STONE_MM < radius * mm < MOST_STONE_MM:
            continue
        solid = area / max(1.0, cv2.contourArea(cv2.convexHull(outline)))
        _, (wide, high), _ = cv2.minAreaRect(outline)
        if solid > 0.93 and max(wide, high) < 1.45 * min(wide, high):
            alone.append(radius)
    return float(np.median(alone)) if len(alone) > 4 else float(np.mean(alone))


def large_parts(odd: Mask, unit: float) -> Mask:
    """The parts of a mask that are larger than stones can be; `unit` is a stone's radius in pixels."""
    solid = cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, _disc(0.6 * unit)).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    large = np.zeros(count, np.bool_)
    large[1:] = stats[1:, cv2.CC_STAT_AREA] > LARGE * np.pi * unit**2
    return np.asarray(large[labels], np.bool_)


def covered(view: View, hand: Mask, surface: Mask) -> Floats:
    """The share of each hole's surroundings that `hand` hides `(holes,)`."""
    shares = np.zeros(len(view.holes))
    for index, hole in enumerate(view.holes):
        box, mask = _in_box(hole, (surface.shape[0], surface.shape[1]), 1.35)
        ring = mask & surface[box]
        shares[index] = hand[box][ring].mean() if ring.any() else 0.0
    return shares


def area_in_holes(mask: Mask, holes: Iterable[Hole], grow: float = 1.0) -> Floats:
    """Pixels of `mask` in each hole `(holes,)`."""
    within = (_in_box(hole, (mask.shape[0], mask.shape[1]), grow) for hole in holes)
    return np.array([float(np.count_nonzero(mask[box] & hole)) for box, hole in within])


def measure(view: View, seen_logs: Logs | None = None) -> Measured:
    """Measure a top view, whose `logs` may be there already."""
    seen = tones(seen_logs or logs(view.image))
    surface = surface_mask(view)
    distance, strange = wood_distance(view, seen, surface)
    mask = stone_mask(view, distance)
    radius = stone_radius(mask, view.mm)
    stone = np.pi * radius**2
    hand = large_parts((strange > LEAST_STONE_AT + 1) & surface, radius)
    return Measured(
        area=area_in_holes(mask, view.holes, 1.05) / stone,
        room=area_in_holes(np.ones_like(mask), view.holes, 1.05) / stone,
        covered=covered(view, hand, surface),
        stone_radius=radius,
        stone=mask,
        white=bool(view.surface),
    )
