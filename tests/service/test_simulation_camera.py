"""The simulated camera: what an exposure shows, and how the measured cases become likelihoods."""

import numpy as np
import pytest

from benchmarks.referee import CONFUSION
from engine import games
from engine.errors import BadInput
from engine.observation import Floats
from service.simulation.camera import AROUND, Confusion, Exposure, SimulatedCamera
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation, readings, sensed
from service.simulation.truth import Truth

COUNTS = 12


def case(before: int, now: int, best: int = 0) -> list[float]:
    """A case in which the likeliest count is off by `best`, in both pictures."""
    return [before, now, *[-abs(away - best) for away in range(-AROUND, AROUND + 1)] * 2]


SAYS = Confusion(
    [case(-1, 4), case(4, 4), case(4, 5, best=1), case(4, 6), case(4, 3), case(4, 2), case(4, 0)]
)
"""A counter that says one too many where one was added, and else is right."""


def camera(first: tuple[int, ...] = (4, 4), confusion: Confusion = SAYS, seed: int = 1) -> SimulatedCamera:
    return SimulatedCamera(np.random.default_rng(seed), confusion, COUNTS, first)


def exposure(
    t: float, counts: tuple[int, ...], moved: tuple[int, ...], hidden: tuple[int, ...] = ()
) -> Exposure:
    return Exposure(t, counts, moved, np.isin(np.arange(len(counts)), hidden))


def likely(rows: Floats) -> list[int]:
    return [int(row.argmax()) for row in rows]


def test_a_case_becomes_the_likelihoods_around_the_true_count() -> None:
    row = camera().observe(0.0, exposure(0.0, (4, 4), (0, 0))).loglik[0]
    assert row.tolist() == [-4, -3, -2, -1, 0, -1, -2, -3, -4, -4, -4, -4]
    # Below no seed there is nothing: what is left is put to 0 at its best.
    empty = camera((0, 4)).observe(0.0, exposure(0.0, (0, 4), (0, 0))).loglik[0]
    assert empty.tolist() == [0, -1, -2, -3, *[-4] * 8]


def test_a_hidden_hole_says_nothing_and_is_a_hand() -> None:
    seen = camera().observe(0.0, exposure(0.0, (4, 4), (0, 0), hidden=(1,)))
    assert seen.hand.tolist() == [0.0, 1.0]
    assert not seen.loglik[1].any()


def test_an_error_stays_until_the_stones_move() -> None:
    cases = Confusion([case(4, 4), *(case(4, 5, best) for best in (-1, 0, 1)), case(-1, 4)])
    said = []
    watching = camera(confusion=cases)
    watching.observe(0.0, exposure(0.0, (4, 4), (0, 0)))
    for moved in range(1, 40):
        looks = [
            likely(watching.observe(moved, exposure(moved, (5, 4), (moved, 0))).loglik) for _ in range(5)
        ]
        assert all(look == looks[0] for look in looks)
        assert looks[0][1] == 4
        said.append(looks[0][0])
    assert set(said) == {4, 5, 6}


def test_what_was_told_is_the_measure_of_what_is_seen() -> None:
    watching = camera()
    watching.observe(0.0, exposure(0.0, (4, 4), (0, 0)))
    assert likely(watching.observe(1.0, exposure(1.0, (5, 4), (1, 0))).loglik) == [6, 4]
    watching.settled(1.0, (5, 4))
    # Where a count is known, what stays as it was is right.
    assert likely(watching.observe(2.0, exposure(2.0, (5, 4), (1, 0))).loglik) == [5, 4]
    # A referee that was wrong by one is wrong by one after the next stone, too.
    watching.settled(2.0, (6, 4))
    assert likely(watching.observe(3.0, exposure(3.0, (7, 4), (2, 0))).loglik) == [8, 4]


def test_no_look_is_remembered_of_a_hole_that_was_hidden_when_its_count_changed() -> None:
    watching = camera(confusion=Confusion([case(4, 4), case(-1, 5, best=3)]))
    watching.observe(0.0, exposure(0.0, (4, 4), (0, 0)))
    watching.observe(1.0, exposure(1.0, (5, 4), (1, 0), hidden=(0,)))
    watching.settled(1.0, (5, 4))
    assert likely(watching.observe(2.0, exposure(2.0, (5, 4), (1, 0))).loglik) == [8, 4]


def test_the_nearest_number_that_was_measured_stands_for_one_that_was_not() -> None:
    rng = np.random.default_rng(1)
    found = Confusion([case(-1, 1), case(3, 3, 1), case(9, 9, 2)])
    assert found.draw(rng, 5, 5).argmax() == AROUND + 1
    assert found.draw(rng, 7, 7).argmax() == AROUND + 2
    assert found.draw(rng, 8, 12).argmax() == AROUND + 2


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [([[4, 4, 0.0]], "1 log-likelihoods: 18 were expected"), ([case(4, 5)], "a hole that stays as it was")],
)
def test_cases_that_do_not_do_are_refused(cases: list[list[float]], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Confusion(cases)


def draws(measured: Confusion, before: int | None, now: int) -> list[Floats]:
    rng = np.random.default_rng(2)
    return [measured.draw(rng, before, now)[0] for _ in range(100)]


def test_the_file_of_the_benchmark_says_mostly_what_is_true() -> None:
    with CONFUSION.open() as lines:
        measured = Confusion.read(lines)
    right = {
        (before, now): np.mean([said[AROUND] == said.max() for said in draws(measured, before, now)])
        for before, now in ((4, 4), (4, 5), (4, 0), (None, 4), (None, 12))
    }
    assert min(right[4, 4], right[4, 0]) > 0.8
    assert right[4, 5] > 0.6
    assert right[None, 12] < right[None, 4] < right[4, 4]


def test_the_camera_sees_what_lies_there_and_where_the_hand_is() -> None:
    setting = Setting(seed=3, frames=5, habits=Habits(auto=True))
    simulated = Simulation(games.load("kalah"), setting)
    told, seen = list[Truth](), list[Exposure]()
    for t, reading, truths in sensed(simulated):
        if isinstance(reading, Exposure):
            seen.append(reading)
        told += truths
        if t > 60:
            break
    assert [one.t for one in seen] == pytest.approx([0.2 * (at + 1) for at in range(len(seen))])
    moves = [truth for truth in told if truth.truth == "move"]
    for move in moves:
        # A hand is still over the last hole when its seed has fallen.
        over = next(one for one in seen if one.t > move.t)
        assert over.hidden.any()
        if over.t < move.t + 0.2:
            assert over.counts == move.counts
    assert 0.05 < np.mean([one.hidden.any() for one in seen]) < 0.95


def test_a_camera_changes_nothing_that_is_weighed() -> None:
    def weighed(frames: float) -> list[tuple[float, bytes, tuple[Truth, ...]]]:
        simulated = Simulation(games.load("kalah"), Setting(seed=3, frames=frames, habits=Habits(auto=True)))
        found = []
        for t, grams, told in readings(simulated):
            found.append((t, grams.tobytes(), told))
            if t > 20:
                break
        return found

    alone, watched = weighed(0.0), weighed(7.0)
    assert [one[:2] for one in alone] == [one[:2] for one in watched]
    assert [truth for one in alone for truth in one[2]] == [truth for one in watched for truth in one[2]]
