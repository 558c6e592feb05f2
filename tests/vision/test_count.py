"""Likelihoods of counts, and the classical counter that the network is held to."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.classical import likelihoods
from engine.layout import Layout
from engine.observation import Floats
from tests.vision.draw import Scene, photograph, placed, random_look, random_shot
from vision.count import HIDDEN_AT, hand, visible, with_outliers
from vision.rectify import top_view

MOST = 60


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Many holes, `(holes,)` each but `rows` `(holes, MOST + 1)`."""

    truth: np.ndarray
    rows: Floats


@pytest.fixture(scope="module")
def drawn(layout: Layout) -> Drawn:
    """Six boards of every wood, stone, light and filling."""
    truth: list[int] = []
    rows = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scene, shot = Scene(layout, random_look(rng), rng), random_shot(rng)
        counts = [int(n) for n in rng.integers(0, (5, 10, 17)[seed % 3], len(layout.holes))]
        scene.set(counts)
        image = photograph(scene, shot, seed)
        rows.append(likelihoods(top_view(image, layout, placed(layout, shot)), MOST))
        truth += counts
    return Drawn(np.array(truth), np.concatenate(rows))


def test_few_stones_are_mostly_counted_right(drawn: Drawn) -> None:
    few = drawn.truth <= 4
    assert few.sum() > 40
    assert (drawn.rows.argmax(axis=1) == drawn.truth)[few].mean() > 0.8


@given(st.floats(1.5, 60.0))
def test_no_more_stones_are_seen_than_lie_there_or_fit(room: float) -> None:
    counts = np.arange(MOST + 1, dtype=np.float64)
    seen = visible(counts, room)
    assert (seen <= counts + 1e-9).all()
    assert (np.diff(seen) >= -1e-9).all()
    assert seen.max() <= max(0.75 * room, 1.0) + 1e-9


def test_with_room_every_stone_is_seen() -> None:
    assert visible(np.arange(8.0), 20.0) == pytest.approx(np.arange(8.0), abs=0.1)


def test_outliers_bound_what_a_row_can_say() -> None:
    row = with_outliers(np.array([0.0, -500.0, -2.0]), 0.1)
    assert row.max() == 0
    assert np.exp(row[1]) / np.exp(row).sum() == pytest.approx(0.1 / 3)


def test_evidence_of_a_hand_rises_with_what_is_covered() -> None:
    assert hand(np.array([0.0, HIDDEN_AT, 1.0])).tolist() == [0.0, 0.5, 1.0]
