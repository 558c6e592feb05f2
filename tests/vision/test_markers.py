"""The board is found where it was drawn, by all its markers or three, and by given corners."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.errors import BadInput
from engine.layout import Layout
from service.boardfile import shipped
from tests.vision.conftest import COUNTS, drawn
from tests.vision.draw import Shot, bent, homography
from vision import Image
from vision.lens import Lens, project
from vision.markers import Registration, detect, from_board_corners, lens_by, register

STEEP = Shot(corners=((330, 170), (950, 150), (1220, 640), (60, 600)))
"""Seen from the side: what is far is half as large as what is near."""


def hidden(image: Image, layout: Layout, *numbers: int, shot: Shot | None = None) -> Image:
    """The picture with a sheet of paper over some markers."""
    covered = image.copy()
    for marker in layout.markers:
        if marker.id in numbers:
            corners = project(homography(layout, shot or Shot()), np.array(marker.corners))
            cv2.fillConvexPoly(covered, corners.round().astype(np.int32), (180, 190, 200))
    return covered


def furthest(found: Registration, layout: Layout, shot: Shot) -> float:
    """Pixels by which the worst hole centre is off from where it was drawn."""
    centres = np.array([(hole.x, hole.y) for hole in layout.holes])
    off = project(found.homography, centres) - project(homography(layout, shot), centres)
    return float(np.linalg.norm(off, axis=1).max())


def test_the_board_is_found_where_it_is(layout: Layout, picture: Image) -> None:
    found = register(picture, layout)
    assert furthest(found, layout, Shot()) < 1.0
    assert found.notes == ()


def test_the_board_is_found_when_seen_from_the_side(layout: Layout) -> None:
    found = register(drawn(layout, COUNTS, STEEP), layout)
    assert furthest(found, layout, STEEP) < 2.0


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_three_markers_are_enough(layout: Layout, picture: Image, number: int) -> None:
    found = register(hidden(picture, layout, number), layout)
    assert furthest(found, layout, Shot()) < 3.0
    assert found.notes == (f"Marker {number} is not seen: uncover it.",)


def test_two_markers_are_not_and_the_missing_ones_are_named(layout: Layout, picture: Image) -> None:
    with pytest.raises(BadInput, match=r"2 of 4 markers are seen \(not 1, 2\)"):
        register(hidden(picture, layout, 1, 2), layout)


def test_a_picture_without_a_board_names_all_markers(layout: Layout) -> None:
    with pytest.raises(BadInput, match=r"0 of 4 markers are seen \(not 0, 1, 2, 3\)"):
        register(np.full((240, 320, 3), 128, np.uint8), layout)


def test_a_mirrored_picture_is_told(layout: Layout, picture: Image) -> None:
    with pytest.raises(BadInput, match="mirrored"):
        register(np.ascontiguousarray(picture[:, ::-1]), layout)


def test_a_large_picture_gives_the_same_place(layout: Layout, picture: Image) -> None:
    large = np.asarray(cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR), np.uint8)
    small, big = detect(picture), detect(large)
    assert small.keys() == big.keys() == {0, 1, 2, 3}
    for number, corners in small.items():
        # pixel x of the small picture covers 2x and 2x + 1 of the large one
        assert np.abs(big[number] - (2 * corners + 0.5)).max() < 1.5


@pytest.mark.parametrize("name", ["four-by-eight", "orient-rows", "orient-square"])
def test_another_boards_file_is_refused(picture: Image, name: str) -> None:
    with pytest.raises(BadInput, match="this is another board"):
        register(picture, shipped(name))


def test_a_board_file_that_is_slightly_off_is_noted(picture: Image) -> None:
    # one pit longer: the perspective takes up all of it but what it does to the markers themselves
    found = register(picture, shipped("two-by-seven"))
    assert len(found.notes) == 1
    assert "check the board file" in found.notes[0]


def test_a_board_without_markers_is_refused(layout: Layout, picture: Image) -> None:
    with pytest.raises(BadInput, match="has 0 markers in its board file"):
        register(picture, replace(layout, markers=()))


def test_given_corners_place_the_board(layout: Layout) -> None:
    for shot in (Shot(), STEEP):
        assert furthest(from_board_corners(shot.corners, layout), layout, shot) < 0.01


def test_corners_that_are_no_board_are_refused(layout: Layout) -> None:
    corners = Shot().corners
    with pytest.raises(BadInput, match="3 board corners were given"):
        from_board_corners(corners[:3], layout)
    for wrong in (corners[::-1], (corners[0], corners[2], corners[1], corners[3]), (corners[0],) * 4):
        with pytest.raises(BadInput, match="clockwise from the top left"):
            from_board_corners(wrong, layout)


@pytest.mark.parametrize("bend", [-0.2, -0.08, 0.08])
def test_a_board_is_found_through_a_lens_that_bends(layout: Layout, picture: Image, bend: float) -> None:
    found = register(bent(picture, bend), layout)
    assert found.lens is not None
    assert found.lens.bend == pytest.approx(bend, abs=0.01)
    assert found.notes == ()
    holes = np.array([(hole.x, hole.y) for hole in layout.holes])
    straight = Lens(1280, 720, bend).straight(found.to_picture(holes))
    assert straight == pytest.approx(project(homography(layout, Shot()), holes), abs=1.5)
    # once known it holds, though a marker be hidden
    later = register(bent(hidden(picture, layout, 2), bend), layout, found)
    assert later.lens == found.lens
    assert later.to_picture(holes) == pytest.approx(found.to_picture(holes), abs=1.5)


def test_markers_that_were_glued_askew_are_no_lens(layout: Layout) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        seen = {}
        for marker in layout.markers:
            turn = rng.normal(0, 0.01)
            corners = np.array(marker.corners)
            middle = corners.mean(axis=0)
            glued = (corners - middle) @ np.array([[1, turn], [-turn, 1]]) + middle + rng.normal(0, 0.7, 2)
            seen[marker.id] = project(homography(layout, Shot()), glued) + rng.normal(0, 0.15, (4, 2))
        assert abs(lens_by(seen, layout, 1280, 720).bend) < 0.015


def test_a_lens_undoes_what_it_does() -> None:
    at = np.random.default_rng(1).uniform((0, 0), (1280, 720), (50, 2))
    # by hand: a corner lies half a diagonal from the middle, and is shifted by the bend's share of it
    assert Lens(1281, 721, 0.1).bent(np.array([[1280.0, 720.0]]))[0] == pytest.approx(
        (640 + 640 * 1.1, 360 + 360 * 1.1), abs=0.2
    )
    for bend in (-0.25, 0.0, 0.2):
        lens = Lens(1280, 720, bend)
        assert lens.straight(lens.bent(at)) == pytest.approx(at, abs=1e-4)
