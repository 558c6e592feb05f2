"""What is wrong with a picture: of which holes it cannot tell, and how that is mended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision import Pixels
from vision.rectify import View
from vision.stones import STONE_RADIUS_MM, area_in_holes

DARK_LEVEL = 30
"""Of 255: where nine tenths of the picture are darker, stones drown in noise."""
FEWEST_PIXELS = 9.0
"""Pixels across a stone below which its outline is lost."""
BLURRED = 4.5
"""Pixels over which the edge of a marker goes from black to white."""
COLOURLESS = 2
"""Of 255: the most by which the channels of any pixel differ in a grey picture."""
BURNT_LEVEL = 250
"""Of 255: what is brighter in all channels has no shape any more."""
GLARE_SHARE = 0.2
"""Of a hole's area: gloss on a stone is smaller."""


@dataclass(frozen=True, slots=True)
class Ailment:
    """One thing that is wrong."""

    what: str
    """A sentence; `{}` stands for the holes, where it is not the whole picture."""
    holes: tuple[int, ...]
    """Those of which nothing can be told; none where it is only told worse."""

    def sentence(self, names: Sequence[str]) -> str:
        """What is wrong, with its mend; `names` of the holes."""
        return self.what.format(" and ".join(names[hole] for hole in self.holes))


def ailments(view: View) -> tuple[Ailment, ...]:
    """What is wrong with a top view."""
    every = tuple(range(len(view.holes)))
    found = []
    grey = cv2.cvtColor(view.image, cv2.COLOR_BGR2GRAY)
    level = float(np.percentile(grey[::4, ::4], 90))
    if level < DARK_LEVEL:
        what = f"The picture is too dark ({level:.0f} of 255): give the board more light."
        found.append(Ailment(what, every))
    across = 2 * STONE_RADIUS_MM / view.mm * view.scale
    if across < FEWEST_PIXELS:
        what = f"A stone is only {across:.0f} pixels across: move the camera nearer or raise its resolution."
        found.append(Ailment(what, every))
    width = _edge_width(view, np.asarray(grey, dtype=np.float32))
    if width is not None and width > BLURRED:
        what = f"The picture is blurred (edges {width:.0f} pixels wide): focus the camera or hold it still."
        found.append(Ailment(what, every))
    if view.outside:
        what = "The picture does not show all of {}: move the camera until the whole board is in view."
        found.append(Ailment(what, view.outside))
    some = view.image[::4, ::4].astype(np.int16)
    if np.ptp(some, axis=2).max() <= COLOURLESS:
        what = "The picture has no colour, which tells stones from wood: set the camera to colour."
        found.append(Ailment(what, ()))
    burnt = cv2.inRange(view.image, (BURNT_LEVEL,) * 3, (255,) * 3).astype(np.bool_)
    area = area_in_holes(np.ones_like(burnt), view.holes)
    glaring = area_in_holes(burnt, view.holes) > GLARE_SHARE * area
    if glaring.any():
        what = "Light glares in {}: move the lamp, shade the window, or lower the exposure."
        found.append(Ailment(what, tuple(np.flatnonzero(glaring).tolist())))
    return tuple(found)


def untold(found: Iterable[Ailment]) -> list[int]:
    """The holes of which one ailment or another leaves nothing to be told."""
    return sorted({hole for ailment in found for hole in ailment.holes})


def _edge_width(view: View, grey: Pixels) -> float | None:
    """Picture pixels over which the sharpest edges of the markers rise; None without markers."""
    widths = []
    for left, top, right, bottom in view.surface:
        part = grey[max(0, int(top)) : int(bottom), max(0, int(left)) : int(right)]
        if min(part.shape) < 3:
            continue
        dx = cv2.Sobel(part, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
        dy = cv2.Sobel(part, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
        contrast = float(np.ptp(np.percentile(part, [2, 98])))
        widths.append(contrast / max(1e-3, float(np.percentile(np.hypot(dx, dy), 99))))
    return float(np.median(widths)) * view.scale if widths else None
