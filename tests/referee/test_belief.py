"""Evidence gathered over looks, against sums done by hand. Two holes, counts 0 to 2."""

from dataclasses import replace

import numpy as np
import pytest

from engine.observation import Floats, Observation
from referee.belief import LOOKS, Belief

ONE_OR_TWO = [[-2.0, 0.0, -1.0], [0.0, -3.0, -7.0]]
"""The first hole holds 1, perhaps 2; the second is empty."""
NONE_OR_TWO = [[0.0, -7.0, -2.0], [0.0, -3.0, -7.0]]
"""The first hole can no more hold 1."""


def look(
    t: float, loglik: object = ONE_OR_TWO, hand: tuple[float, float] = (0.0, 0.0), total: Floats | None = None
) -> Observation:
    return Observation(t, np.array(loglik), np.array(hand), total)


def belief(looks: int = 0) -> Belief:
    """A belief that has had so many looks, a second apart from 1."""
    fresh = Belief(2, 3)
    for t in range(1, looks + 1):
        fresh.add(look(t))
    return fresh


@pytest.mark.parametrize("looks", [1, 4, LOOKS])
def test_looks_count_as_their_square_root(looks: int) -> None:
    expected = np.array(ONE_OR_TWO) * np.sqrt(looks)
    np.testing.assert_allclose(belief(looks).evidence, expected)


@pytest.mark.parametrize("looks", [1, 4, 50])
def test_looks_that_err_alike_say_no_more_than_one(looks: int) -> None:
    """The heavy stone of a scale is as heavy at the next look."""
    total = np.array([-9.0, -4.0, 0.0])
    seen = Belief(2, 3)
    for t in range(looks):
        seen.add(replace(look(float(t), total=total), alike=True))
    np.testing.assert_allclose(seen.evidence, np.array(ONE_OR_TWO))
    np.testing.assert_allclose(seen.total, total)


@pytest.mark.parametrize("looks", [LOOKS + 1, 50])
def test_more_looks_than_a_hole_needs_add_no_certainty(looks: int) -> None:
    np.testing.assert_allclose(belief(looks).evidence, np.array(ONE_OR_TWO) * np.sqrt(LOOKS))
    assert belief(looks).looks.tolist() == [LOOKS, LOOKS]


def test_new_looks_push_out_old_ones() -> None:
    full = belief(LOOKS)
    other = [[-2.0, 0.0, -6.0], [0.0, -3.0, -7.0]]
    full.add(look(6.0, other))
    # Five looks at -1, less a fifth, and one at -6: -10, over the root of five.
    assert full.evidence[0, 2] == pytest.approx(-10.0 / np.sqrt(5.0))


def test_a_board_is_clear_after_its_looks_at_every_hole() -> None:
    assert not belief(LOOKS - 1).clear
    assert belief(LOOKS).clear


def test_a_hand_starts_a_hole_afresh_and_no_other() -> None:
    seen = belief(LOOKS)
    seen.add(look(6.0, hand=(0.5, 0.49)))
    assert seen.looks.tolist() == [0, LOOKS]
    assert not seen.clear
    assert seen.changed_at == 6.0
    assert seen.evidence[0].tolist() == [0.0, 0.0, 0.0]
    assert seen.hand.tolist() == [0.5, 0.49]
    for t in range(7, 7 + LOOKS):
        seen.add(look(t))
    assert seen.clear
    assert seen.changed_at == 6.0


def test_a_changed_hole_starts_afresh_with_the_look_that_showed_it() -> None:
    seen = belief(LOOKS)
    seen.add(look(6.0, NONE_OR_TWO))
    assert seen.changed_at == 6.0
    assert seen.looks.tolist() == [1, LOOKS]
    np.testing.assert_allclose(seen.evidence[0], NONE_OR_TWO[0])


def test_a_hole_of_which_nothing_is_said_any_more_is_on_the_move() -> None:
    """Seven seeds that fall into a store in half a second are not to be taken for missing meanwhile."""
    seen = belief(LOOKS)
    nothing = [[0.0, 0.0, 0.0], ONE_OR_TWO[1]]
    seen.add(look(6.0, nothing))
    assert seen.changed_at == 6.0
    assert seen.looks.tolist() == [1, LOOKS]
    assert not seen.evidence[0].any()
    # A cell that is broken keeps nobody waiting.
    for t in range(7, 7 + LOOKS):
        seen.add(look(float(t), nothing))
    assert seen.changed_at == 6.0
    assert seen.clear


def test_a_doubtful_look_is_no_change() -> None:
    seen = belief(LOOKS)
    seen.add(look(6.0, [[0.0, -6.0, -6.0], [0.0, -3.0, -7.0]]))
    assert seen.looks.tolist() == [LOOKS, LOOKS]
    assert seen.changed_at == float("-inf")


def test_the_first_look_at_a_hole_is_no_change() -> None:
    first = belief()
    first.add(look(1.0, [[-9.0, 0.0, -9.0], [-9.0, -9.0, 0.0]]))
    assert first.changed_at == float("-inf")
    assert first.looks.tolist() == [1, 1]


def test_forgetting_leaves_nothing_but_the_time() -> None:
    seen = belief(LOOKS)
    seen.add(look(6.0, total=np.array([-1.0, 0.0, -1.0])))
    seen.forget(9.0)
    assert seen.looks.tolist() == [0, 0]
    assert not seen.evidence.any()
    assert not seen.total.any()
    assert seen.changed_at == 9.0


def test_likely_counts_and_their_probabilities() -> None:
    counts, certain = belief(1).likely()
    assert counts == (1, 0)
    assert certain == pytest.approx((1 / (1 + np.exp(-1) + np.exp(-2)), 1 / (1 + np.exp(-3) + np.exp(-7))))
    # Nothing seen: each of three counts is as likely.
    assert belief().likely()[1] == pytest.approx((1 / 3, 1 / 3))


def test_the_fit_of_a_board_is_the_sum_over_its_holes() -> None:
    boards = np.array([[1, 0], [2, 1], [0, 2], [7, 0]])
    # A count beyond the axis, as 7 here, is as likely as the last.
    assert belief(1).fit(boards).tolist() == [0.0, -4.0, -9.0, -1.0]
    assert belief(4).fit(boards).tolist() == [0.0, -8.0, -18.0, -2.0]


def test_the_whole_board_weighs_in() -> None:
    seen = Belief(2, 3)
    seen.add(look(1.0, total=np.array([-9.0, -4.0, 0.0])))
    # By the holes alone 1 and 0 fit best; the board as a whole holds two seeds, or more.
    assert seen.fit(np.array([[1, 0], [2, 0], [1, 1], [2, 2]])).tolist() == [-4.0, -1.0, -3.0, -8.0]
    for t in range(2, 2 + 2 * LOOKS):
        seen.add(look(t, total=np.array([-9.0, -4.0, 0.0])))
    np.testing.assert_allclose(seen.total, np.array([-9.0, -4.0, 0.0]) * np.sqrt(LOOKS))


def test_the_whole_board_is_not_weighed_under_a_hand_and_afresh_after_it() -> None:
    total = np.array([-9.0, -4.0, 0.0])
    seen = Belief(2, 3)
    seen.add(look(1.0, total=total))
    seen.add(look(2.0, hand=(1.0, 0.0), total=total))
    assert seen.total.tolist() == [0.0, 0.0, 0.0]
    seen.add(look(3.0, total=total))
    assert seen.total.tolist() == total.tolist()


def test_a_look_at_another_board_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a look of shape \(2, 3\) was expected; got \(3, 3\)"):
        belief().add(Observation(1.0, np.zeros((3, 3)), np.zeros(3)))


def seen_by(
    sensor: str, t: float, loglik: object = ONE_OR_TWO, hand: tuple[float, float] = (0.0, 0.0)
) -> Observation:
    return Observation(t, np.array(loglik), np.array(hand), sensor=sensor)


OTHER = [[0.0, -1.0, -1.0], [0.0, -2.0, -4.0]]
"""What a second sensor makes of the board: weak, and for no seed in the first hole."""


def both(looks: int = LOOKS) -> Belief:
    """A belief that has had so many looks of two sensors, a second apart."""
    fresh = Belief(2, 3)
    for t in range(1, looks + 1):
        fresh.add(seen_by("scale", t))
        fresh.add(seen_by("camera", t, OTHER))
    return fresh


def test_what_two_sensors_say_is_added() -> None:
    # -2, 0, -1 and 0, -1, -1: -2, -1, -2, best at 0; and 0, -3, -7 with 0, -2, -4.
    expected = np.array([[-1.0, 0.0, -1.0], [0.0, -5.0, -11.0]]) * np.sqrt(LOOKS)
    np.testing.assert_allclose(both().evidence, expected)


def test_the_quicker_sensor_makes_a_board_clear() -> None:
    seen = Belief(2, 3)
    seen.add(seen_by("camera", 1.0, OTHER))
    for tenth in range(LOOKS):
        seen.add(seen_by("scale", 1.0 + tenth / 10))
    assert seen.clear
    assert seen.looks.tolist() == [LOOKS, LOOKS]


def test_a_hand_that_one_sensor_sees_keeps_the_board_from_being_clear() -> None:
    seen = both()
    seen.add(seen_by("camera", 6.0, OTHER, (0.0, 1.0)))
    for tenth in range(2 * LOOKS):
        seen.add(seen_by("scale", 6.0 + tenth / 10))
    assert seen.looks.tolist() == [LOOKS, LOOKS]
    assert not seen.clear
    seen.add(seen_by("camera", 7.0, OTHER))
    assert seen.clear


def test_a_change_that_one_sensor_sees_makes_the_other_look_again() -> None:
    seen = both()
    seen.add(seen_by("scale", 6.0, NONE_OR_TWO))
    np.testing.assert_allclose(seen.evidence[0], NONE_OR_TWO[0])
    np.testing.assert_allclose(seen.evidence[1], np.array([0.0, -5.0, -11.0]) * np.sqrt(LOOKS))


def test_a_look_of_before_a_change_that_comes_after_it_is_of_no_use_there() -> None:
    seen = both()
    seen.add(seen_by("scale", 6.0, NONE_OR_TWO))
    seen.add(seen_by("camera", 5.5, [[0.0, -9.0, -9.0], [0.0, -2.0, -4.0]]))
    np.testing.assert_allclose(seen.evidence[0], NONE_OR_TWO[0])
    assert seen.changed_at == 6.0


def test_a_sensor_that_is_away_is_left_out() -> None:
    seen = both()
    seen.add(seen_by("camera", 6.0, OTHER, (1.0, 1.0)))
    for second in range(6, 6 + LOOKS):
        seen.add(seen_by("scale", float(second)))
    assert seen.clear
    np.testing.assert_allclose(seen.evidence, np.array(ONE_OR_TWO) * np.sqrt(LOOKS))


def test_a_hole_that_flatly_contradicts_a_board_rules_it_out() -> None:
    # 4 looks count twice: 1 and nothing fits, 2 costs 2 nats, and 2 in the second hole 14
    seen = belief(4)
    assert seen.admits((1, 0))
    assert seen.admits((2, 0))
    assert not seen.admits((1, 2))


def test_what_a_hole_held_is_remembered_when_a_hand_comes_over_it() -> None:
    seen = belief(3)
    assert seen.held.tolist() == [-1, -1]
    seen.add(look(4.0, [[0.0, 0.0, 0.0], [0.0, -3.0, -7.0]], (1.0, 0.0)))
    assert seen.held.tolist() == [1, -1]
    # nothing is seen under the hand that could be remembered when it changes
    seen.add(look(5.0, [[0.0, 0.0, 0.0], [0.0, -3.0, -7.0]], (1.0, 0.0)))
    assert seen.held.tolist() == [1, -1]
