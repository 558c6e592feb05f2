"""The sheet of markers that a camera finds the board by, to print, cut out and glue on."""

from math import hypot

import cv2
import numpy as np

from engine.errors import BadInput
from engine.layout import Layout
from hardware.pdf import Page

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height, mm."""
SIDE_MM = 27.2
"""Of the markers of a board that names none."""
QUIET_MM = 4.0
"""White paper that is left round a marker when it is cut out: without it, none is found."""
BAR_MM = 100.0
MODULES = 6
"""Of a marker's side, its black border included (DICT_4X4_50)."""
_LEFT, _TOP, _GAP = 20.0, 50.0, 16.0
_CORNERS = ("top left", "top right", "bottom right", "bottom left")


def sides(layout: Layout) -> tuple[float, ...]:
    """The side of each marker, mm, by id; `SIDE_MM` where the board names none."""
    if not layout.markers:
        return (SIDE_MM,) * 4
    first = [(marker.corners[0], marker.corners[1]) for marker in layout.markers]
    return tuple(hypot(b[0] - a[0], b[1] - a[1]) for a, b in first)


def sheet(layout: Layout, paper: str) -> bytes:
    """A PDF with the markers of a board, a bar to check its scale by, and what to do.

    Raises:
        BadInput: the paper is not known, or the markers are larger than two side by side.
    """
    if paper not in PAPERS:
        raise BadInput(f"paper {paper!r} is not known: one of {', '.join(PAPERS)} was expected")
    width, height = PAPERS[paper]
    each = sides(layout)
    step = max(each) + 2 * QUIET_MM + _GAP
    if _LEFT + 2 * step > width or _TOP + 2 * step + 30 > height:
        raise BadInput(
            f"markers of {max(each):g} mm do not fit on {paper} paper: make them smaller in the board file"
        )
    page = Page(width, height)
    page.text(_LEFT, 18, f"Pitwatch: markers of board {layout.name}", 5)
    page.text(
        _LEFT, 26, "Print at 100 %, not fitted to the page. Matt paper; shining ink or film hides a marker."
    )
    page.text(
        _LEFT, 32, "Cut along the thin lines, so that the white edge stays, and glue each to its corner of"
    )
    page.text(_LEFT, 38, "the board as the camera sees it, its number upright, where the board file has it.")
    numbers = [marker.id for marker in layout.markers] or list(range(4))
    # on the sheet as on the board: 0 and 1 above, 3 and 2 below
    for number, side in zip(numbers, each, strict=True):
        column, row = ((0, 0), (1, 0), (1, 1), (0, 1))[number]
        _marker(page, number, side, _LEFT + column * step + QUIET_MM, _TOP + row * step + QUIET_MM)
    _bar(page, _LEFT, _TOP + 2 * step + 6)
    return page.file()


def modules(number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """`(MODULES, MODULES)`: which of a marker's modules are black."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, number, MODULES) == 0, np.bool_)


def _marker(page: Page, number: int, side: float, x: float, y: float) -> None:
    module = side / MODULES
    for row, blacks in enumerate(modules(number)):
        start = None
        for column, black in enumerate([*blacks.tolist(), False]):
            if black and start is None:
                start = column
            if not black and start is not None:
                page.box(x + start * module, y + row * module, (column - start) * module, module)
                start = None
    left, top, right, bottom = x - QUIET_MM, y - QUIET_MM, x + side + QUIET_MM, y + side + QUIET_MM
    page.line([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], 0.1)
    page.text(left, bottom + 4.5, f"{number}: {_CORNERS[number]}, {side:.1f} mm", 3.5)


def _bar(page: Page, x: float, y: float) -> None:
    page.line([(x, y), (x + BAR_MM, y)], 0.3)
    for at in range(0, int(BAR_MM) + 1, 10):
        page.line([(x + at, y), (x + at, y - (4 if at % 50 == 0 else 2))], 0.3)
    page.text(x, y + 6, f"This bar is {BAR_MM:.0f} mm long. If a ruler says otherwise, print anew at 100 %.")
