"""Holes cut out of a top view: at one size, and nothing of their neighbours."""

import numpy as np
import pytest

from engine.layout import Hole
from vision.crops import REACH, SEEN, SIZE, batch, crop, seen
from vision.rectify import View


def disc(
    x: float, y: float, radius: float, size: int = 300
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    ys, xs = np.mgrid[:size, :size] + 0.5
    return np.where(np.hypot(xs - x, ys - y)[..., None] < radius, 255, 0).astype(np.uint8).repeat(3, axis=2)


@pytest.mark.parametrize("radius", [12.0, 47.0, 90.0])
def test_a_hole_fills_the_same_part_of_its_crop_whatever_its_size(radius: float) -> None:
    cut = crop(disc(140.0, 160.0, radius), Hole(140.0, 160.0, radius)) > 127
    ys, xs = np.nonzero(cut[..., 0])
    assert (xs.mean() + 0.5, ys.mean() + 0.5) == pytest.approx((SIZE / 2, SIZE / 2), abs=0.6)
    assert np.sqrt(cut[..., 0].sum() / np.pi) == pytest.approx(SIZE / 2 / REACH, rel=0.05)


def test_a_hole_at_the_edge_of_a_picture_is_cut_out_too() -> None:
    assert crop(disc(2.0, 2.0, 40.0), Hole(2.0, 2.0, 40.0)).shape == (SIZE, SIZE, 3)


def test_what_lies_beside_a_hole_is_left_out() -> None:
    holes = (Hole(150.0, 150.0, 40.0), Hole(150.0, 150.0, 30.0, 20.0))
    ready = batch(View(np.full((300, 300, 3), 255, np.uint8), holes, (), 1.0))
    assert ready.shape == (2, 3, SIZE, SIZE)
    assert ready.max() == pytest.approx(127.5 / 64)
    assert (ready[0, :, 0, 0] == 0).all()
    lit = (ready[0, 0] > 0).sum() * (2 * REACH / SIZE) ** 2
    assert lit == pytest.approx(np.pi * SEEN**2, rel=0.05)
    # a long store is higher than wide
    assert (ready[1, 0, SIZE // 2] > 0).sum() < 0.7 * (ready[1, 0, :, SIZE // 2] > 0).sum()


def test_the_part_that_is_seen_is_round() -> None:
    assert seen(0.0) == pytest.approx(seen(0.0).T)
    assert seen(0.0)[SIZE // 2, SIZE // 2] == 1.0
