"""What the camera sees, with what is known of the board drawn over it."""

from collections.abc import Sequence

import cv2
import numpy as np

from engine.layout import Hole, Layout
from vision import Image
from vision.markers import Registration

_RING, _EDGE, _WORDS = (80, 220, 80), (60, 180, 255), (255, 255, 255)


def drawn(image: Image, layout: Layout, place: Registration, names: Sequence[str]) -> Image:
    """A copy `(height, width, 3)` with the board's edge, its holes and their names, and its markers."""
    picture = image.copy()
    long, wide = layout.length, layout.width
    _trace(picture, place, [(0, 0), (long, 0), (long, wide), (0, wide)], _EDGE)
    for marker in layout.markers:
        _trace(picture, place, marker.corners, _EDGE)
    for hole, name in zip(layout.holes, names, strict=True):
        _trace(picture, place, _outline(hole), _RING)
        ((x, y),) = place.to_picture(np.array([(hole.x, hole.y)])).round().astype(int)
        for colour, thick in (((0, 0, 0), 4), (_WORDS, 1)):
            size = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)[0]
            at = (int(x) - size[0] // 2, int(y) + size[1] // 2)
            cv2.putText(picture, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, thick, cv2.LINE_AA)
    return picture


def _outline(hole: Hole) -> list[tuple[float, float]]:
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    along = hole.half_length * np.sign(np.sin(turns))
    xs, ys = hole.x + hole.radius * np.cos(turns), hole.y + hole.radius * np.sin(turns) + along
    return list(zip(xs.tolist(), ys.tolist(), strict=True))


def _trace(
    picture: Image, place: Registration, points: Sequence[tuple[float, float]], colour: tuple[int, int, int]
) -> None:
    corners = place.to_picture(np.array(points, dtype=np.float64)).round().astype(np.int32)
    cv2.polylines(picture, [corners], True, colour, 2, cv2.LINE_AA)
