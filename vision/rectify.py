"""Top views: the board as seen from straight above, at a scale that is the same for every picture.

Only the board's upper surface is flat: what lies deep in a pit is seen a little to the side of where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from engine.errors import BadInput
from engine.layout import Hole, Layout
from engine.observation import Floats
from vision import Image, Pixels
from vision.markers import Registration

PIT_RADIUS_MM = 23.4
"""What a pit is taken to measure where a picture comes without a board file (the shipped two by six)."""
MM_PER_PIXEL = 0.5
"""A stone of 13 mm is 26 pixels across: less loses its outline, more costs time and shows only noise."""
MESH = 8
"""Pixels of a top view from one to the next of those whose place in a bent picture is worked out."""
COARSE = 2
"""Pixels to one of the view in which changes and hands are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A board from above."""

    image: Image
    holes: tuple[Hole, ...]
    """In pixels of `image`: pits in ring order, then stores."""
    surface: tuple[tuple[float, float, float, float], ...]
    """Rectangles (left, top, right, bottom) in pixels that are neither wood nor hole: the markers."""
    scale: float
    """Picture pixels for each pixel of `image`, at the board's middle; below 1 the view is stretched."""
    outside: tuple[int, ...] = ()
    """The holes that the picture does not show whole."""
    mm: float = MM_PER_PIXEL
    """Millimetres to a pixel."""


def top_view(image: Image, layout: Layout, place: Registration) -> View:
    """Warp a picture to a top view of the whole board at `MM_PER_PIXEL`."""
    size = (round(layout.length / MM_PER_PIXEL), round(layout.width / MM_PER_PIXEL))
    if place.lens is None or not place.lens.bend:
        matrix = place.homography @ np.diag([MM_PER_PIXEL, MM_PER_PIXEL, 1.0])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        warped = cv2.warpPerspective(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    else:
        warped = cv2.remap(image, *_where(place, size), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    middle = np.array([[size[0] / 2, size[1] / 2]])
    steps = place.to_picture((middle + np.array([[0, 0], [1, 0], [0, 1]])) * MM_PER_PIXEL)
    scale = float(np.sqrt(abs(np.linalg.det(steps[1:] - steps[0]))))
    printed = tuple(
        (
            min(x for x, _ in marker.corners) / MM_PER_PIXEL,
            min(y for _, y in marker.corners) / MM_PER_PIXEL,
            max(x for x, _ in marker.corners) / MM_PER_PIXEL,
            max(y for _, y in marker.corners) / MM_PER_PIXEL,
        )
        for marker in layout.markers
    )
    holes = tuple(_scaled(hole, 1 / MM_PER_PIXEL) for hole in layout.holes)
    outlines = place.to_picture(np.concatenate([_outline(hole) for hole in layout.holes]))
    within = (outlines >= -0.5) & (outlines <= (image.shape[1] - 0.5, image.shape[0] - 0.5))
    shown = within.all(axis=1).reshape(len(layout.holes), -1).all(axis=1)
    outside = tuple(np.flatnonzero(~shown).tolist())
    return View(np.asarray(warped, dtype=np.uint8), holes, printed, scale, outside)


def _where(place: Registration, size: tuple[int, int]) -> tuple[Pixels, Pixels]:
    """`(height, width)` each: where across and down in the picture each pixel of a top view lies."""
    # a lens bends gently: from point to point of a mesh the way is straight to a hundredth of a pixel
    width, height = size
    across, down = (np.arange(-1, side // MESH + 2) for side in size)
    # a mesh point has the place of the middle of the pixels that it becomes
    xs, ys = np.meshgrid(*(MESH * (steps + 0.5) - 0.5 for steps in (across, down)))
    mesh = place.to_picture(np.column_stack([xs.ravel(), ys.ravel()]) * MM_PER_PIXEL)
    x, y = (
        cv2.resize(axis.reshape(xs.shape), None, fx=MESH, fy=MESH)[MESH : MESH + height, MESH : MESH + width]
        for axis in mesh.T.astype(np.float32)
    )
    return np.asarray(x, np.float32), np.asarray(y, np.float32)


def coarse(view: View) -> View:
    """The same with fewer pixels, each the mean of `COARSE` by `COARSE`."""
    height, width = view.image.shape[:2]
    size = (max(1, width // COARSE), max(1, height // COARSE))
    return View(
        np.asarray(cv2.resize(view.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8),
        tuple(_scaled(hole, 1 / COARSE) for hole in view.holes),
        tuple((a / COARSE, b / COARSE, c / COARSE, d / COARSE) for a, b, c, d in view.surface),
        view.scale * COARSE,
        view.outside,
        view.mm * COARSE,
    )


@lru_cache(maxsize=64)
def _outline(hole: Hole) -> Floats:
    """Points `(n, 2)` round a hole, mm."""
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    along = hole.half_length * np.sign(np.sin(turn))
    return np.column_stack([hole.x + hole.radius * np.cos(turn), hole.y + hole.radius * np.sin(turn) + along])


def view_of_circles(image: Image, circles: Sequence[Hole]) -> View:
    """A picture taken from above whose holes are circles in pixels: scaled so that the middle one is a pit.

    Raises:
        BadInput: a circle lies outside the picture.
    """
    height, width = image.shape[:2]
    for number, hole in enumerate(circles):
        if not (0 <= hole.x < width and 0 <= hole.y < height):
            raise BadInput(
                f"pit {number} at {hole.x:g}, {hole.y:g} lies outside a picture of {width} by {height}: "
                f"use the pits file that belongs to this picture"
            )
    radius = float(np.median([hole.radius for hole in circles]))
    factor = PIT_RADIUS_MM / MM_PER_PIXEL / radius
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    if max(size) > 8192:
        raise BadInput(
            f"pits of radius {radius:g} are too small in a picture of {width} by {height} pixels: "
            f"give the circles in pixels"
        )
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    scaled = np.asarray(cv2.resize(image, size, interpolation=way), dtype=np.uint8)
    return View(scaled, tuple(_scaled(hole, factor) for hole in circles), (), 1 / factor)


def _scaled(hole: Hole, factor: float) -> Hole:
    # the half pixel between a pixel's edge and its centre does not matter here
    return Hole(hole.x * factor, hole.y * factor, hole.radius * factor, hole.half_length * factor)
