"""What is stone and what is wood, measured against what was drawn."""

from dataclasses import replace

import numpy as np
import pytest

from engine.layout import Hole, Layout
from tests.vision.conftest import COUNTS
from tests.vision.draw import Look, Scene, Shot, photograph, placed
from vision import Image
from vision.rectify import MM_PER_PIXEL, View, top_view, view_of_circles
from vision.stones import hole_mask, large_parts, measure


def view(layout: Layout, image: Image, shot: Shot | None = None) -> View:
    return top_view(image, layout, placed(layout, shot or Shot()))


def test_stones_are_measured_as_they_were_drawn(layout: Layout, picture: Image) -> None:
    measured = measure(view(layout, picture))
    assert measured.area == pytest.approx(np.array(COUNTS), rel=0.25, abs=0.3)
    assert measured.stone_radius * MM_PER_PIXEL == pytest.approx(Look().stone_mm / 2, rel=0.1)
    assert measured.covered.max() == 0
    assert measured.white


@pytest.mark.parametrize("light", [(-0.8, 0.0), (0.8, 0.8), (0.0, -0.8)])
def test_shadows_and_gloss_in_empty_bowls_are_no_stones(layout: Layout, light: tuple[float, float]) -> None:
    scene = Scene(layout, Look(light=light, gloss=0.15, bleed=0.8), np.random.default_rng(1))
    scene.set([0] * 13 + [2])
    measured = measure(view(layout, photograph(scene, Shot(), 1)))
    assert measured.area[:13].max() < 0.5


def test_the_room_of_a_hole_is_its_area_in_stones(layout: Layout, picture: Image) -> None:
    measured = measure(view(layout, picture))
    hole = layout.pits[0]
    stones = (1.05 * hole.radius / (measured.stone_radius * MM_PER_PIXEL)) ** 2
    assert measured.room[0] == pytest.approx(stones, rel=0.05)


@pytest.mark.parametrize("wood", [(0.10, 0.20, 0.38), (0.03, 0.05, 0.09), (0.05, 0.09, 0.28)])
def test_a_hand_covers_the_surroundings_of_the_pit_it_is_over(
    layout: Layout, wood: tuple[float, float, float]
) -> None:
    scene = Scene(layout, Look(wood=wood), np.random.default_rng(1))
    scene.set(COUNTS)
    over = layout.pits[2]
    covered = measure(view(layout, photograph(scene, Shot(hand_mm=(over.x, over.y)), 1))).covered
    assert covered[2] > 0.15
    assert np.delete(covered, [1, 2, 3]).max() < 0.03


def test_the_bare_middle_of_a_ring_of_stones_is_no_stone(layout: Layout) -> None:
    scene = Scene(layout, Look(spread=0.0), np.random.default_rng(1))
    scene.set([0] * 13 + [2])
    pit, far = layout.pits[0], 1.15 * Look().stone_mm / 2 / np.sin(np.pi / 5)
    for angle in 2 * np.pi * np.arange(5) / 5:
        stone = replace(scene.holes[13][0], x=pit.x + far * np.cos(angle), y=pit.y + far * np.sin(angle))
        scene.holes[0].append(stone)
    measured = measure(view(layout, photograph(scene, Shot(), 1)))
    assert measured.area[0] == pytest.approx(5, abs=0.9)


def test_a_picture_without_markers_knows_no_white(picture: Image) -> None:
    assert not measure(view_of_circles(picture, [Hole(400, 400, 50)])).white


def test_the_mask_of_a_long_store_is_a_stadium() -> None:
    hole = Hole(100, 100, 30, 40)
    expected = np.pi * 30**2 + 2 * 30 * 2 * 40
    assert hole_mask((200, 200), [hole]).sum() == pytest.approx(expected, rel=0.05)
    circle = replace(hole, half_length=0.0)
    assert hole_mask((200, 200), [circle]).sum() == pytest.approx(np.pi * 30**2, rel=0.05)
    assert hole_mask((200, 200), [circle], 2.0).sum() == pytest.approx(np.pi * 60**2, rel=0.05)


def test_only_what_is_larger_than_stones_is_a_hand() -> None:
    odd = hole_mask((300, 300), [Hole(60, 60, 12), Hole(200, 200, 40)])
    large = large_parts(odd, 12.0)
    assert not large[60, 60]
    assert large[200, 200]
