"""The sheet of markers: what is printed is found again, at its size and in its place."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadInput
from hardware.markersheet import PAPERS, sheet
from service.boardfile import shipped
from vision import Image
from vision.markers import detect

PIXELS_PER_MM = 6
POINT_MM = 25.4 / 72


def printed(data: bytes) -> Image:
    """The black rectangles of the page as a printer would print them."""
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    matrix = re.search(rb"([\d.]+) 0 0 -([\d.]+) 0 ([\d.]+) cm", data)
    assert box is not None
    assert matrix is not None
    wide, high = (float(value) * POINT_MM for value in box.groups())
    across, down, foot = (float(value) for value in matrix.groups())
    image = np.full((round(high * PIXELS_PER_MM), round(wide * PIXELS_PER_MM), 3), 255, np.uint8)
    for found in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re f", data):
        x, y, width, height = (float(value) for value in found)
        left, right = (value * across * POINT_MM * PIXELS_PER_MM for value in (x, x + width))
        # points count up from the foot of the page
        top, bottom = ((high - (foot - value * down) * POINT_MM) * PIXELS_PER_MM for value in (y, y + height))
        image[round(top) : round(bottom), round(left) : round(right)] = 0
    return image


@pytest.mark.parametrize("paper", PAPERS)
def test_each_marker_is_found_on_the_sheet_at_its_size(paper: str) -> None:
    found = detect(printed(sheet(shipped("two-by-six"), paper)))
    assert sorted(found) == [0, 1, 2, 3]
    for corners in found.values():
        across = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / PIXELS_PER_MM
        assert across == pytest.approx([27.2] * 4, abs=0.3)  # as the board file has them
    middles = {number: corners.mean(axis=0) for number, corners in found.items()}
    assert middles[0][0] < middles[1][0]
    assert middles[0][1] < middles[3][1]
    assert middles[2] == pytest.approx([middles[1][0], middles[3][1]], abs=1)


def test_the_page_is_a_whole_pdf_whose_objects_are_where_it_says() -> None:
    data = sheet(shipped("two-by-six"), "a4")
    start = int(data.split(b"startxref\n")[1].split()[0])
    assert data[start : start + 4] == b"xref"
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", data)]
    assert len(places) == 5
    assert all(data[place:].startswith(b"%d 0 obj" % number) for number, place in enumerate(places, 1))
    length = re.search(rb"/Length (\d+)", data)
    assert length is not None
    assert len(data.split(b"stream\n")[1].removesuffix(b"\nend")) == int(length[1])
    assert data.endswith(b"%%EOF\n")


def test_the_bar_is_as_long_as_it_says() -> None:
    data = sheet(shipped("two-by-six"), "a4")
    lines = [[float(value) for value in found] for found in re.findall(
        rb"0\.300 w ([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l S", data)]  # fmt: skip
    assert max(x2 - x1 for x1, _, x2, _ in lines) == 100.0
    assert b"This bar is 100 mm long." in data


def test_a_board_without_markers_gets_some_and_one_with_huge_ones_is_told() -> None:
    board = shipped("two-by-six")
    assert sorted(detect(printed(sheet(replace(board, markers=()), "a4")))) == [0, 1, 2, 3]
    large = [
        replace(marker, corners=tuple((4 * x, 4 * y) for x, y in marker.corners)) for marker in board.markers
    ]
    with pytest.raises(BadInput, match=r"markers of 108\.8 mm do not fit on a4 paper"):
        sheet(replace(board, markers=tuple(large)), "a4")
    with pytest.raises(BadInput, match="paper 'a3' is not known: one of a4, letter"):
        sheet(board, "a3")
