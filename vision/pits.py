"""Where the pits of a board seem to be: a proposal, for a person to correct."""

import cv2
import numpy as np

from engine.layout import Hole, Layout
from vision import Image
from vision.markers import Registration
from vision.rectify import MM_PER_PIXEL, top_view

LEAST_MM, MOST_MM = 14.0, 45.0
"""Radius of a pit."""
IN_LINE = 0.4
"""Radii by which a pit may be out of the line of its row."""


def propose(image: Image, board: Layout, place: Registration) -> tuple[Hole, ...]:
    """The round holes of one size that are seen on a board, mm, in ring order; empty ones are seen best.

    Two rows are put into the order of a board file: South's from the left, then North's from the right.

    Args:
        board: its length and width are used, and its holes are not.
        place: where it lies in the picture.
    """
    grey = cv2.cvtColor(top_view(image, board, place).image, cv2.COLOR_BGR2GRAY)
    grey = cv2.createCLAHE(3.0, (4, 4)).apply(cv2.medianBlur(grey, 9))
    found = cv2.HoughCircles(
        grey, cv2.HOUGH_GRADIENT_ALT, 2.0, 1.6 * LEAST_MM / MM_PER_PIXEL, param1=200, param2=0.6,
        minRadius=round(LEAST_MM / MM_PER_PIXEL), maxRadius=round(MOST_MM / MM_PER_PIXEL),
    )  # fmt: skip
    if found is None:
        return ()
    circles = np.asarray(found, dtype=np.float64).reshape(-1, found.shape[-1])[:, :3] * MM_PER_PIXEL
    usual = float(np.median(circles[:, 2]))
    alike = circles[np.abs(circles[:, 2] - usual) < 0.2 * usual]
    inside = (np.abs(alike[:, 0] - board.length / 2) < board.length / 2 - 0.9 * usual) & (
        np.abs(alike[:, 1] - board.width / 2) < board.width / 2 - 0.9 * usual
    )
    holes = [Hole(round(float(x), 1), round(float(y), 1), round(usual, 1)) for x, y, _ in alike[inside]]
    return _ring(holes)


def _ring(holes: list[Hole]) -> tuple[Hole, ...]:
    if not holes:
        return ()
    middle = (min(hole.y for hole in holes) + max(hole.y for hole in holes)) / 2
    south = _row([hole for hole in holes if hole.y > middle])
    return (*south, *_row([hole for hole in holes if hole.y <= middle])[::-1])


def _row(holes: list[Hole]) -> list[Hole]:
    """Those in line, from the left, each once: the round ends of long stores are not."""
    if not holes:
        return []
    line = float(np.median([hole.y for hole in holes]))
    row: list[Hole] = []
    for hole in sorted(holes, key=lambda hole: hole.x):
        if abs(hole.y - line) < IN_LINE * hole.radius and not (row and hole.x - row[-1].x < hole.radius):
            row.append(hole)
    return row
