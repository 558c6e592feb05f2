"""Hands over the board, of any skin and sleeve: of a pit under one nothing is said. Shadows hide none."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.layout import Layout
from engine.observation import Observation
from service.simulation.camera import Exposure
from service.simulation.film import SKINS, SLEEVES, WOODS, Film, Scenery
from vision import Image
from vision.camera import Camera

COUNTS = (4, 4, 0, 1, 5, 8, 4, 2, 0, 3, 6, 4, 3, 7)
COLUMNS = 49


def exposure(counts: Sequence[int], moved: int, *over: tuple[int, float]) -> Exposure:
    return Exposure(0.0, tuple(counts), (moved,) * len(counts), np.zeros(len(counts), np.bool_), over)


def said(seen: Observation) -> list[bool]:
    return [bool(row.any()) for row in seen.loglik]


@pytest.mark.parametrize("skin", [0, 3, 5])
def test_nothing_is_said_of_a_pit_under_a_hand(layout: Layout, skin: int) -> None:
    wood, sleeve = WOODS[skin % len(WOODS)], SLEEVES[-1 - skin]
    film = Film(np.random.default_rng(skin), layout, Scenery(skin=SKINS[skin], sleeve=sleeve, wood=wood))
    camera = Camera(layout, COLUMNS, first=COUNTS)
    assert all(said(camera.observe(0.0, film.picture(exposure(COUNTS, 0)))))
    for t, hole in ((1.0, skin), (2.0, 11 - skin)):
        film.picture(exposure(COUNTS, 0))
        seen = camera.observe(t, film.picture(exposure(COUNTS, 0, (hole, 1.0))))
        hidden = film.covered >= 0.1
        assert hidden[hole]
        assert not any(told for told, under in zip(said(seen), hidden, strict=True) if under)
        assert (seen.hand[hidden] > 0.5).all()
        assert sum(said(seen)) >= 7


def test_stones_moved_under_a_hand_are_counted_when_it_has_gone(layout: Layout) -> None:
    film = Film(np.random.default_rng(3), layout, Scenery())
    camera = Camera(layout, COLUMNS, first=COUNTS)
    camera.observe(0.0, film.picture(exposure(COUNTS, 0)))
    after = (4, 4, 0, 1, 0, 9, 5, 3, 1, 4, 6, 4, 3, 7)
    during = camera.observe(1.0, film.picture(exposure(after, 1, (5, 1.0))))
    assert not said(during)[5]
    seen = camera.observe(2.0, film.picture(exposure(after, 1)))
    assert all(said(seen))
    assert seen.hand.max() == 0
    assert [int(seen.loglik[hole].argmax()) for hole in (4, 7, 8, 9)] == [0, 3, 1, 4]
    # of many that lie otherwise than before it is not sure, and does not say so
    assert seen.loglik[5, 9] > -2.5
    assert seen.loglik[6, 5] > -2.5


def test_stones_pushed_about_in_their_pit_may_be_as_many_as_before(layout: Layout) -> None:
    film = Film(np.random.default_rng(4), layout, Scenery())
    camera = Camera(layout, COLUMNS, first=COUNTS)
    camera.observe(0.0, film.picture(exposure(COUNTS, 0)))
    seen = camera.observe(1.0, film.picture(exposure(COUNTS, 1)))
    few = [hole for hole, count in enumerate(COUNTS[:11]) if count <= 4]
    assert min(float(seen.loglik[hole, COUNTS[hole]]) for hole in few) > -1.5
    fewest = [hole for hole in few if COUNTS[hole] < 4]
    assert [int(seen.loglik[hole].argmax()) for hole in fewest] == [COUNTS[hole] for hole in fewest]


def test_a_hand_taken_for_the_board_in_the_first_picture_is_found_out_when_it_has_gone(
    layout: Layout,
) -> None:
    """One of the wood's colour. What seems to hide the board then neither looks like a hand nor moves."""
    film = Film(np.random.default_rng(3), layout, Scenery(skin=SKINS[2], sleeve=SLEEVES[-1]))
    camera = Camera(layout, COLUMNS, first=COUNTS)
    assert all(said(camera.observe(0.0, film.picture(exposure(COUNTS, 0, (5, 1.0))))))
    for t in range(1, 9):
        seen = camera.observe(float(t), film.picture(exposure(COUNTS, 0)))
        assert [hole for hole, told in enumerate(said(seen)) if not told] == [4, 5]
    for t in range(9, 11):
        seen = camera.observe(float(t), film.picture(exposure(COUNTS, 0)))
        assert all(said(seen))
    # and from then on a hand is seen again
    camera.settled(10.0, COUNTS)
    seen = camera.observe(11.0, film.picture(exposure(COUNTS, 0, (2, 1.0))))
    assert not said(seen)[2]


def shaded(picture: Image, left: int, right: int, soft: float) -> Image:
    """A shadow that falls over part of the board."""
    mask = np.zeros(picture.shape[:2], np.float32)
    mask[:, left:right] = 0.45
    light = (1 - np.asarray(cv2.GaussianBlur(mask, (0, 0), soft), np.float32)) ** (1 / 2.2)
    return np.asarray(picture * light[..., None], np.uint8)


def test_a_soft_shadow_is_no_hand(layout: Layout) -> None:
    film = Film(np.random.default_rng(5), layout, Scenery())
    camera = Camera(layout, COLUMNS, first=COUNTS)
    picture = film.picture(exposure(COUNTS, 0))
    camera.observe(0.0, picture)
    seen = camera.observe(1.0, shaded(film.picture(exposure(COUNTS, 0)), 200, 600, 25))
    assert sum(said(seen)) >= 12
    assert all(row.argmax() == count for row, count in zip(seen.loglik, COUNTS, strict=True) if row.any())


def test_the_picture_hides_what_the_film_says(layout: Layout) -> None:
    scenery = replace(Scenery(), noise=0.0, blur=0.5)
    film = Film(np.random.default_rng(6), layout, scenery)
    film.picture(exposure(COUNTS, 0))
    bare = film.picture(exposure(COUNTS, 0)).astype(np.int16)
    reached = film.picture(exposure(COUNTS, 0, (1, 1.0))).astype(np.int16)
    assert film.covered[1] > 0.5
    assert film.covered[12] == film.covered[4] == 0.0
    away = np.abs(reached - bare)[:, 900:]
    assert float(np.percentile(away, 99)) <= 6
