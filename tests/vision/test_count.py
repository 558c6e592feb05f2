"""Counting one picture: right where stones can be told apart, and unsure where they cannot."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import Layout
from engine.observation import Floats
from tests.vision.draw import Scene, homography, photograph, random_look, random_shot
from vision.count import HIDDEN_AT, best, hand, likelihoods, visible, with_outliers
from vision.rectify import top_view
from vision.stones import Measured, measure

MOST = 60


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Many holes, `(holes,)` each but `rows` `(holes, MOST + 1)`."""

    truth: np.ndarray
    rows: Floats

    @property
    def chance(self) -> Floats:
        said = np.exp(self.rows)
        return np.asarray(said / said.sum(axis=1, keepdims=True))


@pytest.fixture(scope="module")
def drawn(layout: Layout) -> Drawn:
    """Twelve boards of every wood, stone, light and filling."""
    truth: list[int] = []
    rows = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scene, shot = Scene(layout, random_look(rng), rng), random_shot(rng)
        counts = [int(n) for n in rng.integers(0, (5, 10, 17)[seed % 3], len(layout.holes))]
        scene.set(counts)
        image = photograph(scene, shot, seed)
        rows.append(likelihoods(measure(top_view(image, layout, homography(layout, shot))), MOST))
        truth += counts
    return Drawn(np.array(truth), np.concatenate(rows))


def test_few_stones_are_mostly_counted_right(drawn: Drawn) -> None:
    few = drawn.truth <= 4
    assert few.sum() > 80
    assert (drawn.rows.argmax(axis=1) == drawn.truth)[few].mean() > 0.8


def test_certainty_is_earned(drawn: Drawn) -> None:
    """Of what is said with a probability, at least about that share is right."""
    certainty = drawn.chance.max(axis=1)
    right = drawn.rows.argmax(axis=1) == drawn.truth
    for low, high in ((0.2, 0.4), (0.4, 0.7), (0.7, 1.0)):
        said = (certainty >= low) & (certainty < high)
        assert said.sum() >= 10
        assert right[said].mean() > certainty[said].mean() - 0.08


def test_a_wrong_answer_does_not_rule_out_the_truth(drawn: Drawn) -> None:
    of_truth = drawn.chance[np.arange(len(drawn.truth)), drawn.truth]
    assert of_truth.min() > 1e-3
    wrong = drawn.rows.argmax(axis=1) != drawn.truth
    assert drawn.chance.max(axis=1)[wrong].mean() < 0.5


def test_heaps_are_not_told(drawn: Drawn) -> None:
    heaps = [best(row) for row in drawn.rows[drawn.truth >= 14]]
    assert len(heaps) >= 5
    assert all(certainty < 0.5 for _, certainty in heaps)
    assert sum(number is None for number, _ in heaps) >= len(heaps) / 2


@given(st.floats(1.5, 60.0))
def test_no_more_stones_are_seen_than_lie_there_or_fit(room: float) -> None:
    counts = np.arange(MOST + 1, dtype=np.float64)
    seen = visible(counts, room)
    assert (seen <= counts + 1e-9).all()
    assert (np.diff(seen) >= -1e-9).all()
    assert seen.max() <= max(0.75 * room, 1.0) + 1e-9


def test_with_room_every_stone_is_seen() -> None:
    assert visible(np.arange(8.0), 20.0) == pytest.approx(np.arange(8.0), abs=0.1)


def _measured(area: float, circles: float, covered: float = 0.0, white: bool = True) -> Measured:
    """Two holes with room for 17: one measures as said, the other holds three stones."""
    return Measured(
        np.array([area, 3.2]), np.array([circles, 3.0]), np.full(2, 17.0),
        np.array([covered, 0.0]), 13.0, np.zeros((9, 9), np.bool_), white,
    )  # fmt: skip


@given(st.floats(0, 30), st.integers(0, 20), st.floats(0, 4))
def test_rows_are_likelihoods(area: float, circles: int, misfit: float) -> None:
    rows = likelihoods(_measured(area, circles), MOST, misfit)
    assert rows.shape == (2, MOST + 1)
    assert np.isfinite(rows).all()
    assert rows.max(axis=1) == pytest.approx([0.0, 0.0])


def test_a_hidden_hole_is_not_counted() -> None:
    rows = likelihoods(_measured(2.1, 2, covered=HIDDEN_AT + 0.01), MOST)
    assert (rows[0] == 0).all()
    assert best(rows[0]) == (None, 0.0)
    assert best(rows[1])[0] == 3


def test_what_misled_before_is_trusted_less() -> None:
    trusted, doubted = (likelihoods(_measured(2.1, 2), MOST, misfit)[0] for misfit in (0.0, 2.0))
    assert best(trusted)[1] > best(doubted)[1]


def test_without_white_or_without_any_stone_less_is_said() -> None:
    both = best(likelihoods(_measured(0.0, 0), MOST)[0])
    no_white = best(likelihoods(_measured(0.0, 0, white=False), MOST)[0])
    blind = replace(_measured(0.0, 0), area=np.zeros(2), circles=np.zeros(2))
    no_stone = best(likelihoods(blind, MOST)[0])
    neither = best(likelihoods(replace(blind, white=False), MOST)[0])
    assert {both[0], no_white[0], no_stone[0], neither[0]} == {0}
    assert both[1] > no_white[1] == no_stone[1] > neither[1]
    assert neither[1] < 0.55


def test_outliers_bound_what_a_row_can_say() -> None:
    row = with_outliers(np.array([0.0, -500.0, -2.0]), 0.1)
    assert row.max() == 0
    assert np.exp(row[1]) / np.exp(row).sum() == pytest.approx(0.1 / 3)


def test_evidence_of_a_hand_rises_with_what_is_covered() -> None:
    assert hand(np.array([0.0, HIDDEN_AT, 1.0])).tolist() == [0.0, 0.5, 1.0]
