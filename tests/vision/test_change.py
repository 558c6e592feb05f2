"""Between two pictures of a still board nothing has changed, whatever the camera did to it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.layout import Layout
from tests.vision.conftest import COUNTS
from tests.vision.draw import Look, Scene, Shot, photograph, placed
from vision import Image
from vision.change import changed, distance, frame
from vision.rectify import View, coarse, top_view
from vision.stones import area_in_holes, hole_mask, logs, measure, surface_mask

OFF = (0.4, -0.3)
"""Pixels by which the camera moved."""


def _changes(before: View, now: View) -> np.ndarray:
    """Changed area in each hole, in stones `(holes,)`."""
    unit = measure(before).stone_radius
    still = surface_mask(before) | hole_mask(before.image.shape[:2], before.holes)
    mask = changed(distance(frame(logs(before.image)), frame(logs(now.image)), still), unit)
    return area_in_holes(mask, before.holes) / (np.pi * unit**2)


@pytest.fixture(scope="module")
def scene(layout: Layout) -> Scene:
    scene = Scene(layout, Look(), np.random.default_rng(1))
    scene.set(COUNTS)
    return scene


def _view(layout: Layout, image: Image) -> View:
    return coarse(top_view(image, layout, placed(layout, Shot())))


def test_light_tone_noise_and_a_shake_are_no_change(layout: Layout, scene: Scene) -> None:
    before = _view(layout, photograph(scene, Shot(), 1))
    again = photograph(scene, Shot(exposure=1.25), 2)
    toned = np.asarray(255 * (again / 255.0) ** 1.2, np.uint8)
    shaken = cv2.warpAffine(again, np.array([[1, 0, OFF[0]], [0, 1, OFF[1]]]), (1280, 720))
    for image in (again, toned, np.asarray(shaken, np.uint8)):
        assert _changes(before, _view(layout, image)).max() < 0.1


def test_a_shadow_over_a_part_of_the_board_is_no_change(layout: Layout, scene: Scene) -> None:
    image = photograph(scene, Shot(), 1)
    shade = 1 - 0.2 / (1 + np.exp(-(np.arange(1280) - 640) / 40))
    dimmed = np.asarray(image * shade[None, :, None], np.uint8)
    assert _changes(_view(layout, image), _view(layout, dimmed)).max() < 0.3


def test_a_stone_that_comes_changes_about_its_area(layout: Layout, scene: Scene) -> None:
    before = _view(layout, photograph(scene, Shot(), 1))
    more = replace(scene, holes=[list(stones) for stones in scene.holes], rng=np.random.default_rng(9))
    counts = list(COUNTS)
    counts[0] += 1
    counts[5] -= 5
    more.set(counts)
    areas = _changes(before, _view(layout, photograph(more, Shot(), 2)))
    assert areas[0] == pytest.approx(1.0, abs=0.5)
    assert areas[5] == pytest.approx(5.0, abs=1.5)
    assert np.delete(areas, [0, 5]).max() < 0.1
