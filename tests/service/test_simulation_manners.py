"""What people do by the rules and not by the trace: each habit as the cells and the clock see it."""

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest

from engine import games
from engine.step import Drop, Lift, Step, Take, after
from service.simulation.cells import Cells, CellSettings
from service.simulation.hand import (
    TEMPI,
    Action,
    Carry,
    Gesture,
    Give,
    Grab,
    Hand,
    Press,
    Put,
    Rest,
    Roll,
    Sow,
    Tempo,
    Together,
    Wait,
    counts_after,
)
from service.simulation.manners import LATE_S, LIVELY, PAUSE_S, Mannered, Manners
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation, readings
from service.simulation.stones import HAND, OTHER_HAND, Stones
from service.simulation.table import Table

IDEAL = CellSettings(walk_g=0.0, warm_g=0.0, creep=0.0, crosstalk=0.0)
PITS = 6
COUNTS = (5, 0, 0, 3, 7, 1, 0, 0)
LAP: tuple[Step, ...] = (Lift(0, 5), *(Drop(pit) for pit in (1, 2, 3, 4, 5)))
CAPTURE: tuple[Step, ...] = (*LAP, Take(4, 8, 6), Take(5, 2, 6))


def mannered(seed: int = 1, **rates: float) -> Mannered:
    return Mannered(np.random.default_rng(seed), Manners(**rates), PITS)


def carries(actions: Sequence[Action]) -> list[Carry]:
    return [action for action in actions if isinstance(action, Carry)]


def acted(gestures: Sequence[Gesture]) -> tuple[Action, ...]:
    return Hand(np.random.default_rng(2), Tempo(brush=0.0)).plan(gestures).actions


def table() -> tuple[Table, Hand]:
    stones = Stones(np.random.default_rng(3), COUNTS, cv=0.0)
    hand = Hand(np.random.default_rng(4), Tempo(brush=0.0, fall_m=(0.0, 0.0)))
    return Table(stones, Cells(np.random.default_rng(5), PITS, 2, IDEAL, 0.0)), hand


@pytest.mark.parametrize("manner", [field.name for field in fields(Manners)])
@pytest.mark.parametrize("seed", range(5))
def test_whatever_people_do_the_move_ends_right(manner: str, seed: int) -> None:
    by = mannered(seed, **{manner: 1.0})
    gestures = [*by.opening(Wait(1.0)), *by.move(CAPTURE)]
    assert counts_after(COUNTS, gestures) == after(COUNTS, CAPTURE)
    played, hand = table()
    plan = hand.plan(gestures)
    played.do(plan)
    played.read(int(80 * (plan.seconds + 1)))
    assert played.stones.counts == after(COUNTS, CAPTURE)
    assert played.stones.at(HAND) == played.stones.at(OTHER_HAND) == 0


def test_who_has_no_manners_follows_the_trace() -> None:
    by = mannered()
    state = by.rng.bit_generator.state
    assert by.opening(Wait(1.0)) == (Wait(1.0),)
    assert by.move(LAP) == (Grab(0, 5), *(Sow(pit) for pit in (1, 2, 3, 4, 5)))
    assert by.rng.bit_generator.state == state


def test_a_hand_stops_in_mid_sowing_with_seeds_left_in_it() -> None:
    landed = [carry.at for carry in carries(acted(mannered(pause=1.0).move(LAP))) if carry.target > 0]
    assert all(PAUSE_S[0] < later - sooner < PAUSE_S[1] + 0.5 for sooner, later in pairwise(landed))


def test_a_burst_begins_as_the_turn_before_ends() -> None:
    (opening,) = mannered(burst=1.0).opening(Wait(2.0))
    quick = Hand(np.random.default_rng(2), TEMPI["quick"])
    pressed = [action.at for action in quick.plan([opening, Grab(0, 1)]).actions if isinstance(action, Press)]
    assert pressed[0] < 0.5


def test_a_resting_hand_weighs_on_neighbours_and_moves_nothing() -> None:
    _, rest, thinking = mannered(rest=1.0).opening(Wait(2.0))
    assert isinstance(rest, Rest)
    assert thinking == Wait(2.0)
    assert len(rest.holes) in (2, 3)
    assert all((after_ - hole) % PITS == 1 for hole, after_ in pairwise(rest.holes))
    played, hand = table()
    before = played.cells.grams(played.read(8).counts)[-1]
    played.do(hand.plan([rest]))
    grams = played.cells.grams(played.read(80 * 6).counts)
    heavier = np.flatnonzero((grams - before).max(axis=0) > 10)
    assert sorted(heavier) == sorted(rest.holes)
    assert grams[-1] == pytest.approx(before, abs=1e-2)


def test_a_seed_that_rolls_on_hits_one_pit_and_is_lifted_out_of_the_next() -> None:
    _, wrong, _, lifted, right = mannered(roll=1.0).move((Lift(0, 1), Drop(2)))
    assert isinstance(wrong, Roll)
    assert wrong.hole == 2
    assert (lifted, right) == (Grab(wrong.into, 1), Sow(2))
    played, hand = table()
    before = played.cells.grams(played.read(8).counts)[-1]
    played.do(hand.plan([Grab(0, 1), Roll(2, 1), Wait(1.0)]))
    grams = played.cells.grams(played.read(80 * 3).counts) - before
    assert grams[:, 2].max() > 0.5
    assert grams[-1] == pytest.approx([-3, 3, 0, 0, 0, 0, 0, 0], abs=1e-2)


@pytest.mark.parametrize("manner", ["slip", "roll"])
@pytest.mark.parametrize("seed", range(8))
def test_a_seed_in_the_wrong_pit_is_touched_again_within_a_second(manner: str, seed: int) -> None:
    actions = acted(mannered(seed, **{manner: 1.0}).move((Lift(0, 1), Drop(2))))
    wrong = next(carry for carry in carries(actions) if carry.target >= 0)
    assert wrong.target in (1, 3)
    lifted = next(
        act for act in actions if isinstance(act, Press) and act.hole == wrong.target and act.seconds > 0.1
    )
    assert 0 < lifted.at - wrong.at < 1.0
    assert carries(actions)[-1].target == 2


def test_two_hands_sow_one_lap_in_about_half_the_time() -> None:
    lift, give, together = mannered(two_hands=1.0).move(LAP)
    assert (lift, give) == (Grab(0, 5), Give(2))
    assert together == Together((Sow(1), Sow(2), Sow(3)), (Sow(4), Sow(5)))
    alone, both = (
        [carry for carry in carries(acted(gestures)) if carry.target > 0]
        for gestures in (mannered().move(LAP), (lift, give, together))
    )
    assert {carry.source for carry in both} == {HAND, OTHER_HAND}
    assert both[-1].at - both[0].at < 0.7 * (alone[-1].at - alone[0].at)


def touched_and_sown(manners: Manners) -> tuple[float, float]:
    """When the fingers come for the captured pit, and when the last seed falls."""
    steps = (Lift(4, 3), Drop(5), Drop(1), Drop(2), Take(3, 3, 6))
    actions = acted(Mannered(np.random.default_rng(1), manners, PITS).move(steps))
    pressed = next(act.at for act in actions if isinstance(act, Press) and act.hole == 3)
    return pressed, max(carry.at for carry in carries(actions) if carry.target in range(PITS))


def test_a_capture_taken_early_is_touched_before_the_last_seed_falls() -> None:
    pressed, sown = touched_and_sown(Manners(early=1.0))
    assert pressed < sown


def test_a_capture_taken_late_lies_for_some_seconds() -> None:
    pressed, sown = touched_and_sown(Manners(late=1.0))
    assert LATE_S[0] < pressed - sown < LATE_S[1] + 1.0


def test_a_capture_in_two_handfuls_is_stored_in_two() -> None:
    gestures = mannered(handfuls=1.0).move((Take(4, 7, 6),))
    assert gestures == (Grab(4, 3), Put(6, 3), Grab(4, 4), Put(6, 4))


def test_a_hasty_player_sows_while_the_other_still_lifts_the_capture() -> None:
    found = 0
    simulated = Simulation(
        games.load("kalah"), Setting(seed=5, habits=Habits(auto=True, manners=Manners(hasty=1.0)))
    )
    player = simulated.player
    player.waiting = False
    while plan := player.next_plan():
        if any(isinstance(act, Carry) and act.source == OTHER_HAND for act in plan.actions):
            found += 1
            stored = [act.at for act in carries(plan.actions) if act.source == OTHER_HAND]
            lifted = [act.at for act in carries(plan.actions) if act.target == HAND]
            assert lifted[0] < lifted[-1] < stored[0] + 1.0
    assert found > 2


@pytest.mark.parametrize("game", ["kalah", "oware", "orient-thunderclap", "bao"])
@pytest.mark.parametrize("tempo", TEMPI)
def test_lively_people_play_by_the_rules(game: str, tempo: str) -> None:
    habits = Habits(auto=True, manners=LIVELY)
    simulated = Simulation(games.load(game), Setting(seed=6, rate=10, tempo=TEMPI[tempo], habits=habits))
    rules, state = simulated.game, simulated.game.start()
    told = [truth for _, _, truths in readings(simulated) for truth in truths]
    for truth in told:
        if truth.truth == "move":
            assert truth.move is not None
            assert truth.player == state.player
            state = rules.play(state, rules.parse(truth.move)).state
    assert told[-1].truth == "over"
    assert told[-1].counts == state.counts
    assert simulated.stones.at(HAND) == simulated.stones.at(OTHER_HAND) == 0
