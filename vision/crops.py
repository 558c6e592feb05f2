"""Holes cut out of a top view, as the counting network takes them.

A crop shows a hole and a little of its surroundings at one size, however large the hole is; what lies further
off, such as the stones of a neighbour, is left out.
"""

from functools import lru_cache

import cv2
import numpy as np

from engine.layout import Hole
from vision import Image, Pixels
from vision.rectify import View

SIZE = 64
"""Pixels across a crop."""
REACH = 1.2
"""How far a crop reaches, in radii of the hole."""
SEEN = 1.14
"""How far it is looked at: stones at the rim rise above it and lean outwards."""


def crop(image: Image, hole: Hole) -> Image:
    """`(SIZE, SIZE, 3)` BGR: a hole of a top view; beyond the picture its edge goes on."""
    factor = SIZE / (2 * REACH * (hole.radius + hole.half_length))
    if factor < 1:  # shrunk without a blur, it would lose what is finer than its pixels
        image, hole = _near(image, hole)
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.4 * np.sqrt(1 / factor**2 - 1)), np.uint8)
    middle = SIZE / 2 - 0.5
    place = np.array(
        [[factor, 0, middle - factor * (hole.x - 0.5)], [0, factor, middle - factor * (hole.y - 0.5)]]
    )
    cut = cv2.warpAffine(image, place, (SIZE, SIZE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)


def _near(image: Image, hole: Hole) -> tuple[Image, Hole]:
    """The part of a view that a crop shows."""
    far = REACH * (hole.radius + hole.half_length) + 4
    left, top = max(0, int(hole.x - far)), max(0, int(hole.y - far))
    part = image[top : max(top + 1, int(hole.y + far)), left : max(left + 1, int(hole.x + far))]
    if not part.size:
        return image, hole
    return part, Hole(hole.x - left, hole.y - top, hole.radius, hole.half_length)


@lru_cache(maxsize=64)
def seen(longness: float) -> Pixels:
    """`(SIZE, SIZE)`, 0 to 1: what of a crop is looked at; `longness` is half length in radii."""
    ys, xs = (np.mgrid[:SIZE, :SIZE] + 0.5 - SIZE / 2) * (2 * REACH * (1 + longness) / SIZE)
    far = np.hypot(xs, ys - np.clip(ys, -longness, longness))
    pixel = 2 * REACH * (1 + longness) / SIZE
    return np.asarray(np.clip((SEEN - far) / pixel + 0.5, 0, 1), np.float32)


def batch(view: View) -> Pixels:
    """All holes of a view as the network takes them: `(holes, 3, SIZE, SIZE)` BGR, -2 to 2."""
    return prepared(
        np.array([crop(view.image, hole) for hole in view.holes]).reshape(-1, SIZE, SIZE, 3),
        [round(hole.half_length / hole.radius, 2) for hole in view.holes],
    )


def prepared(crops: Image, longness: list[float]) -> Pixels:
    """Crops `(holes, SIZE, SIZE, 3)` as the network takes them."""
    planes = crops.transpose(0, 3, 1, 2).astype(np.float32)
    masks = np.array([seen(long) for long in longness], np.float32).reshape(-1, 1, SIZE, SIZE)
    return np.asarray((planes - 127.5) / 64 * masks, np.float32)
