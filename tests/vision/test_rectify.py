"""Top views: every hole lies where the view says, whatever the camera's place."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.errors import BadInput
from engine.layout import Hole, Layout
from tests.vision.draw import Shot, bent, placed
from tests.vision.test_markers import STEEP
from vision.lens import Lens, project
from vision.rectify import MM_PER_PIXEL, PIT_RADIUS_MM, top_view, view_of_circles


@pytest.mark.parametrize("shot", [Shot(), STEEP])
@pytest.mark.parametrize("bend", [0.0, -0.15, 0.1])
def test_a_dot_in_each_hole_comes_to_lie_at_its_centre(layout: Layout, shot: Shot, bend: float) -> None:
    place = placed(layout, shot)
    for index, hole in enumerate(layout.holes):
        image = np.zeros((720, 1280, 3), np.uint8)
        spot = project(place.homography, np.array([(hole.x, hole.y)]))[0]
        cv2.circle(image, (round(spot[0]), round(spot[1])), 3, (255, 255, 255), -1)
        if bend:
            image = bent(image, bend)
        view = top_view(image, layout, replace(place, lens=Lens(1280, 720, bend)))
        ys, xs = np.nonzero(view.image[..., 0] > 100)
        assert np.hypot(xs.mean() - view.holes[index].x, ys.mean() - view.holes[index].y) < 2.0


def test_the_scale_of_a_view_is_that_of_millimetres(layout: Layout) -> None:
    view = top_view(np.zeros((720, 1280, 3), np.uint8), layout, placed(layout, Shot()))
    assert view.image.shape[1] == pytest.approx(layout.length / MM_PER_PIXEL, abs=1)
    assert view.image.shape[0] == pytest.approx(layout.width / MM_PER_PIXEL, abs=1)
    # the picture shows 477.5 mm on some 1100 pixels: 2.3 a millimetre, 1.15 for each pixel of the view
    assert view.scale == pytest.approx(1.15, abs=0.05)
    assert len(view.surface) == 4


def test_circles_are_scaled_to_a_pit() -> None:
    view = view_of_circles(np.zeros((200, 300, 3), np.uint8), [Hole(100, 50, 30), Hole(200, 150, 30)])
    factor = PIT_RADIUS_MM / MM_PER_PIXEL / 30
    assert view.holes[0].radius == pytest.approx(PIT_RADIUS_MM / MM_PER_PIXEL)
    assert (view.holes[1].x, view.holes[1].y) == pytest.approx((200 * factor, 150 * factor))
    assert view.scale == pytest.approx(1 / factor)
    assert view.surface == ()


@pytest.mark.parametrize(("x", "y"), [(-1, 50), (300, 50), (100, 200), (1e9, 50)])
def test_a_circle_outside_the_picture_is_refused(x: float, y: float) -> None:
    with pytest.raises(BadInput, match=r"pit 1 at .* lies outside a picture of 300 by 200"):
        view_of_circles(np.zeros((200, 300, 3), np.uint8), [Hole(100, 50, 30), Hole(x, y, 30)])


def test_circles_in_something_else_than_pixels_are_refused() -> None:
    with pytest.raises(BadInput, match="give the circles in pixels"):
        view_of_circles(np.zeros((1000, 1500, 3), np.uint8), [Hole(100, 50, 1.5)])
