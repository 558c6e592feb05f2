"""A board without markers is kept in view, and its pits are proposed."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Floats
from service.simulation.film import HEIGHT, WIDTH, Film, Scenery
from tests.vision.test_hands import COUNTS, exposure
from vision import Image
from vision.lens import project
from vision.markers import Registration
from vision.pits import propose
from vision.tracking import Tracked


@pytest.fixture(scope="module")
def plain(layout: Layout) -> Layout:
    return replace(layout, markers=())


@pytest.fixture(scope="module")
def film(plain: Layout) -> Film:
    return Film(np.random.default_rng(2), plain, Scenery())


def corners(film: Film) -> list[tuple[float, float]]:
    board = film.layout
    ideal = np.array([(0, 0), (board.length, 0), (board.length, board.width), (0, board.width)])
    return [(float(x), float(y)) for x, y in project(film.to_pixels, ideal)]


def bumped(image: Image) -> tuple[Image, Floats]:
    """The picture as of a camera that was turned and shifted a little, and how pixels moved."""
    turn = np.vstack([cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 1.2, 1.01), [0, 0, 1]])
    turn[:2, 2] += (9.0, -6.0)
    return np.asarray(cv2.warpPerspective(image, turn, (WIDTH, HEIGHT)), np.uint8), np.asarray(
        turn, np.float64
    )


def test_a_board_is_followed_through_a_bump_and_past_a_hand(film: Film, plain: Layout) -> None:
    find = Tracked(corners(film), plain)
    find(film.picture(exposure(COUNTS, 0)))
    holes = np.array([(hole.x, hole.y) for hole in plain.holes])
    for picture in (film.picture(exposure(COUNTS, 0)), film.picture(exposure(COUNTS, 0, (3, 1.0)))):
        moved, turn = bumped(picture)
        right = project(turn @ film.to_pixels, holes)
        off = np.linalg.norm(project(find(moved).homography, holes) - right, axis=1)
        assert off.max() < 2.0


def test_a_board_that_is_gone_is_not_found(film: Film, plain: Layout) -> None:
    find = Tracked(corners(film), plain)
    find(film.picture(exposure(COUNTS, 0)))
    table = np.random.default_rng(1).integers(80, 120, (HEIGHT, WIDTH, 3)).astype(np.uint8)
    with pytest.raises(BadInput, match="no more where its corners were given: uncover it"):
        find(table)
    with pytest.raises(BadInput, match="too little to be followed by"):
        Tracked(corners(film), plain)(np.full((HEIGHT, WIDTH, 3), 90, np.uint8))


def test_empty_pits_are_proposed_where_they_are(film: Film, plain: Layout) -> None:
    empty = film.picture(exposure((0,) * 14, 1))
    found = propose(empty, plain, Registration(film.to_pixels))
    assert len(found) == 12
    for hole, pit in zip(found, plain.pits, strict=True):
        assert (hole.x, hole.y) == pytest.approx((pit.x, pit.y), abs=3.0)
        assert hole.radius == pytest.approx(pit.radius, abs=3.0)
    assert propose(np.full((HEIGHT, WIDTH, 3), 90, np.uint8), plain, Registration(film.to_pixels)) == ()
