"""The referee on games in which hands do other things than in Kalah and Oware: free directions, an opening of
its own, captures that others get, moves that leave one board."""

from typing import Any

import pytest

from engine import games
from engine.game import State
from engine.step import Drop, Lift, Step, Take, after
from referee import explain
from referee.events import CaptureDone, CaptureDue, MoveMade, Touch
from referee.referee import Referee
from tests.engine.played import loops
from tests.referee.story import Story


def at(name: str, pits: list[int], stores: list[int], player: int = 0, **options: Any) -> Story:
    game = games.load(name, options)
    return Story(game, Referee(game, game.start(pits, stores, player)))


def last(story: Story, kind: str) -> Any:
    return story.said(kind)[-1]


def names(story: Story, mark: int) -> list[str]:
    return [name for name in story.since(mark) if name not in ("sowing", "touch", "turn")]


# Directions.


def test_a_free_direction_is_no_violation() -> None:
    """Three players sow the way they like: 1.3, pit 11, holds 4 and is sown into 0 to 3, or into 10 to 7."""
    for move, pits in (
        ("1.3+", (5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0)),
        ("1.3-", (4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 0)),
    ):
        story = at("orient-standard", [4] * 12, [0] * 3, 1, players=3)
        mark = len(story.events)
        story.sow(move)
        assert names(story, mark) == ["move"]
        assert (last(story, "move").move, last(story, "move").pits) == (move, pits)


def test_the_only_direction_of_two_players_is_named() -> None:
    """Two players of Standaard sow counter-clockwise: C into D to I, here with six seeds; never into B."""
    story = at("orient-standard", [4] * 12, [0] * 2)
    story.do(Lift(2, 4), Drop(1), Drop(0), Drop(11), Drop(10))
    story.wait(2.0)
    violation = last(story, "violation")
    assert (violation.kind, violation.pits, violation.move) == ("wrong_direction", (2,), "C")


def test_the_opening_of_slinger_puts_three_and_two() -> None:
    """C holds 5: 3 of them into B and 2 into A, clockwise; the move after next is free."""
    story = Story(games.load("orient-slingshot"))
    mark = len(story.events)
    story.do(Lift(2, 5), Drop(1), Drop(1), Drop(1), Drop(0), Drop(0))
    story.wait(0.8)
    assert names(story, mark) == ["move"]
    assert last(story, "move").pits == (7, 8, 0, *[5] * 9)
    assert story.referee.state.opening == 1


def test_the_opening_of_slinger_goes_clockwise() -> None:
    """The same the other way round, 3 into D and 2 into E, is to be sown into B and A."""
    story = Story(games.load("orient-slingshot"))
    story.do(Lift(2, 5), Drop(3), Drop(3), Drop(3), Drop(4), Drop(4))
    story.wait(2.0)
    violation = last(story, "violation")
    assert (violation.kind, violation.pits, violation.move) == ("wrong_direction", (2,), "C-")
    assert {item.pit: item.want for item in violation.mend} == {0: 7, 1: 8, 3: 5, 4: 5}


def test_the_opening_out_of_turn_is_known_for_what_it_is() -> None:
    """North lifts a, pit 6, first: 3 into F and 2 into E."""
    story = Story(games.load("orient-slingshot"))
    story.do(Lift(6, 5), Drop(5), Drop(5), Drop(5), Drop(4), Drop(4))
    story.wait(2.0)
    assert (last(story, "violation").kind, last(story, "violation").pits) == ("wrong_player", (6,))


def test_a_kept_direction_binds_its_player() -> None:
    """Einfaches Mancala: player 1 chose counter-clockwise. Pit 20 into 21 and 22, not 19 and 18."""
    pits = [0] * 32
    pits[3] = pits[20] = 2
    pits[9] = pits[30] = 3
    story = at(
        "simple-mancala", pits, [0, 0], 1,
        direction="each_player", south_direction="clockwise", north_direction="counterclockwise",
    )  # fmt: skip
    mark = len(story.events)
    story.do(Lift(20, 2), Drop(19), Drop(18))
    story.wait(2.0)
    assert (last(story, "violation").kind, last(story, "violation").pits) == ("wrong_direction", (20,))
    story.show([0, 0, 0, 2, *[0] * 5, 3, *[0] * 11, 1, 1, *[0] * 7, 3, 0, 0, 0])
    assert names(story, mark) == ["violation", "mended", "move"]
    assert last(story, "move").pits[20:23] == (0, 1, 1)


# Captures in passing.

PASSING = [1, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 1]
"""Donderslag. F, pit 5, into a and b: a comes to hold 4 in passing, and North takes them; b ends the move."""


def test_a_capture_in_passing_goes_to_the_owner_of_the_pit() -> None:
    story = at("orient-thunderclap", PASSING, [20, 21])
    mark = len(story.events)
    story.sow("F")
    assert names(story, mark) == ["capture_done", "move"]
    done, made = last(story, "capture_done"), last(story, "move")
    assert isinstance(done, CaptureDone)
    assert isinstance(made, MoveMade)
    assert (done.pits, done.seeds, done.to, done.player) == ((6,), (4,), 1, 0)
    assert (made.captured, made.gain) == (((6, 4),), (0, 4))


def test_a_capture_in_passing_may_be_lifted_after_the_sowing() -> None:
    story = at("orient-thunderclap", PASSING, [20, 21])
    mark = len(story.events)
    story.do(Lift(5, 2), Drop(6), Drop(7))
    story.wait(1.0)
    due = last(story, "capture_due")
    assert isinstance(due, CaptureDue)
    assert (due.pits, due.seeds, due.to) == ((6,), (4,), 1)
    story.do(Take(6, 4, 13))
    story.wait(0.8)
    assert names(story, mark) == ["capture_due", "capture_done", "move"]


def test_a_capture_in_passing_that_stays_is_missed() -> None:
    story = at("orient-thunderclap", PASSING, [20, 21])
    story.do(Lift(5, 2), Drop(6), Drop(7))
    story.wait(9.0)
    violation = last(story, "violation")
    assert (violation.kind, violation.pits) == ("capture_missed", (6,))
    assert {item.pit: item.want for item in violation.mend} == {6: 0, 13: 25}


def test_the_sower_may_not_keep_what_is_captured_in_passing() -> None:
    """Store 12 is South's, who sowed; the seeds of a are North's."""
    story = at("orient-thunderclap", PASSING, [20, 21])
    story.do(Lift(5, 2), Drop(6), Drop(7), Take(6, 4, 12))
    story.wait(2.0)
    violation = last(story, "violation")
    assert (violation.kind, violation.pits) == ("capture_to_wrong_store", (12, 6))


def test_the_last_four_are_the_sowers() -> None:
    """F's one seed makes a hold 4: South's, with the turn at an end."""
    story = at("orient-thunderclap", [1, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1], [20, 22])
    story.sow("F")
    assert (last(story, "capture_done").to, last(story, "move").gain) == (0, (4, 0))


# A majority.


def test_a_majority_is_told_once_and_play_goes_on() -> None:
    """Of 21 seeds South holds 9, then captures 2 in B, and later 2 in a."""
    story = at("mangala2", [1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 3], [9, 2])
    story.sow("A")
    assert last(story, "move").decided == (0,)
    assert story.referee.state.player == 1
    story.sow("f")
    story.sow("F")
    assert [event.decided for event in story.events if isinstance(event, MoveMade)] == [(0,), (), ()]


@pytest.mark.parametrize(
    ("options", "stores", "who"),
    [
        ({}, (24, 24), ()),
        ({}, (25, 3), (0,)),
        ({"misere": True}, (25, 3), (1,)),
        ({"players": 3}, (25, 3, 0), (0,)),
        ({"players": 3, "misere": True}, (25, 3, 0), ()),
        ({"players": 4, "partners": True}, (13, 0, 12, 0), (0, 2)),
        ({"players": 4, "partners": True, "misere": True}, (13, 0, 12, 0), (1, 3)),
        ({"players": 4}, (13, 0, 12, 0), ()),
    ],
)
def test_more_than_half_decides(
    options: dict[str, Any], stores: tuple[int, ...], who: tuple[int, ...]
) -> None:
    """48 seeds. Where fewest win, two parties alone know who that is."""
    game = games.load("orient-thunderclap", options)
    pits = (48 - sum(stores), *[0] * 11)
    assert game.decided(State(pits, stores, 0)) == who


def test_no_number_of_seeds_decides_where_seeds_do_not_win() -> None:
    game = games.load("simple-mancala")
    assert game.decided(State((0,) * 32, (64, 0), 0)) == ()


# Moves that look alike.


@pytest.mark.parametrize("move", ["2.0+", "2.0-"])
def test_a_lap_that_ends_the_same_either_way_is_known_by_the_hand(move: str) -> None:
    """Twelve seeds go once round and leave the same board; the pits of player 2 are 4 to 7."""
    story = at("orient-standard", [4] * 4 + [12] + [4] * 7, [0] * 3, 2, players=3)
    story.sow(move)
    assert last(story, "move").move == move


def test_half_a_capture_is_not_taken_for_another_move() -> None:
    """Slinger. North's c-, pit 8, lands in the empty b: 1 from b and 1 from E facing it. With b alone stored
    the board is that of c+, which takes the single seed in d."""
    story = at("orient-slingshot", [0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0], [39, 18], 1, opening=False)
    mark = len(story.events)
    steps: list[Step] = [Lift(8, 1), Drop(7), Take(7, 1, 13)]
    story.do(*steps)
    story.wait(1.5)
    assert "move" not in story.since(mark)
    story.do(Take(4, 1, 13))
    story.wait(0.8)
    assert last(story, "move").move == "c-"


def test_a_board_that_another_move_passes_by_is_settled_by_the_hand() -> None:
    """Slinger. North's e+ joins f, whose eleven go back to A: f+ comes by that board between laps."""
    pits = [0, 2, 2, 2, 7, 6, 1, 2, 3, 1, 1, 10]
    story = at("orient-slingshot", pits, [9, 14], 1, opening=False)
    state = story.referee.state
    others = [one for one in explain.legal(state, explain.traces(story.game, state)) if one.story == "hand"]
    done = story.game.play(story.referee.state, story.game.parse("e+")).state.counts
    assert any(one.counts == done and one.moves[0].pit != 10 for one in others)
    story.sow("e+", wait=1.0)
    assert last(story, "move").move == "e+"


def test_a_pit_lifted_in_a_relay_is_no_touch() -> None:
    """Donderslag. A, one seed, joins B, whose three go on into C, D and the empty E: one touch, of A."""
    story = at("orient-thunderclap", [1, 2, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2], [10, 20])
    story.sow("A")
    touches = [event for event in story.events if isinstance(event, Touch)]
    assert [touch.pit for touch in touches] == [0]


def test_the_further_back_a_position_the_less_it_is_taken_back() -> None:
    """A position of one ply ago is taken back before a slip is thought of; one of long ago is a slip's."""
    game = games.load("orient-thunderclap")
    past = [game.start(player=ply % 2) for ply in range(4)]
    back = {one.back: one.prior for one in explain.earlier(past)}
    slips = explain.mistakes(game, past[0], explain.traces(game, past[0]))
    (slip, *_) = {one.prior for one in slips if one.kind == "wrong_player"}
    assert back[1] > slip > back[3] > back[4]


# Moves in which the player chooses.


def house(pause: float) -> tuple[Story, int]:
    """South's move of Bao in which the five captured reach the house; 13, A3 of South, captures 26."""
    pits = loops({13: 2, 11: 6}, {10: 5, 15: 1})
    story = at("bao", pits, [1, 1])
    mark = len(story.events)
    stop, go_on = (
        story.game.play(story.referee.state, story.game.parse(move)).steps for move in ("0.13-", "0.13-:1")
    )
    assert go_on[: len(stop)] == stop
    story.do(*stop)
    story.wait(pause)
    if pause < 1.0:
        story.do(*go_on[len(stop) :])
        story.wait(0.8)
    return story, mark


def test_a_move_that_may_be_carried_on_settles_when_the_hand_has_rested() -> None:
    story, mark = house(pause=2.5)
    assert names(story, mark) == ["move"]
    assert last(story, "move").move == "0.13-"


def test_carried_on_in_time_it_is_one_move() -> None:
    story, mark = house(pause=0.8)
    assert names(story, mark) == ["move"]
    assert last(story, "move").move == "0.13-:1"


def test_a_lap_that_turns_back_is_followed() -> None:
    """Omweso: the lap from 11 ends in 15, and goes on either way."""
    pits = loops({11: 4, 15: 2}, {11: 1, 4: 1, 3: 2})
    for move in ("0.11+", "0.11+:1"):
        story = at("omweso", pits, [0, 0])
        mark = len(story.events)
        story.sow(move)
        assert names(story, mark) == ["move"]
        assert last(story, "move").move == move


# Seeds in the hand.


@pytest.mark.parametrize("name", games.names())
def test_a_move_is_not_done_while_a_hand_holds_seeds(name: str) -> None:
    """Wherever a hand stops in mid-sowing, and however quiet the board lies then, the move is not done."""
    game = games.load(name)
    story = Story(game, sigma=0.05, rate=10.0)
    for _ in range(2):
        state = story.referee.state
        moves = [move for move in game.legal(state) if move.sows]
        # One of the longer moves, of a dozen steps or so.
        move = min(moves, key=lambda move: abs(len(game.play(state, move).steps) - 12))
        steps, ply = game.play(state, move).steps, story.referee.ply
        held = 0
        for step in steps[:24]:
            story.do(step, pause=0.0)
            held += step.seeds if isinstance(step, Lift) else -1 if isinstance(step, Drop) else 0
            if held:
                story.wait(1.2)
                assert story.referee.ply == ply
                assert not story.said("violation", "question")
        story.do(*steps[24:], pause=0.3)
        story.wait(3.0)
        assert story.referee.ply == ply + 1
        assert story.referee.moves[-1] == move


def test_a_slip_after_which_another_choice_is_made_on_the_way() -> None:
    """Omweso. A lap that should end in 1 drops its last seed into 0. The two seeds there may be sown on, or
    back into 15 and 14, where they capture: the hand chooses that."""
    pits = [0, 5, 1, 2, 0, 7, 1, 2, 1, 4, 4, 1, 2, 0, 1, 1, 0, 1, 0, 7, 1, 3, 7, 7, 0, 3, 2, 1, 0, 0, 0, 0]
    story = at("omweso", pits, [0, 0])
    there = (0, 1, 3, 4, 2, 9, 1, 4, 1, 6, 1, 2, 3, 1, 3, 1, 0, 1, 0, 7, 1, 3, 0, 7, 0, 0, 2, 1, 0, 0, 0, 0)
    assert story.game.play(story.referee.state, story.game.parse("0.1+")).state.pits != there
    story.show((*there, 0, 0), wait=3.5)
    violation = last(story, "violation")
    assert (violation.kind, violation.pits, violation.move) == ("sown_short", (1, 0), "0.1+")


def test_the_first_of_two_captures_is_not_the_end_of_a_move_that_has_only_that_one() -> None:
    """B- captures its own lone seed and then two across; B+ would have captured the lone seed alone."""
    story = at("orient-slingshot", [0, 1, 0, 1, 3, 0, 2, 3, 6, 0, 0, 2], [17, 25], players=2)
    *quickly, across = story.game.play(story.referee.state, story.game.parse("B-")).steps
    story.show(after(tuple(story.counts), quickly), wait=0.9)
    story.do(across, pause=1.0)
    assert [event.move for event in story.said("move") if isinstance(event, MoveMade)] == ["B-"]
    assert not story.said("violation", "touch")[1:]


def test_a_mended_move_is_the_one_that_was_said_to_be_wrong() -> None:
    """Twelve seeds go round all twelve pits: 0.1+ and 0.1- leave one board. 0.1+ skipped pit 3."""
    story = at("orient-standard", [1, 12, *[1] * 10], [20, 5, 0], players=3)
    way = [*range(2, 12), 0, 1]
    assert story.game.play(story.referee.state, story.game.parse("0.1+")).steps == (
        Lift(1, 12), *map(Drop, way)
    )  # fmt: skip
    story.do(Lift(1, 12), *(Drop(2 if pit == 3 else pit) for pit in way))
    story.wait(2.0)
    violation = last(story, "violation")
    assert (violation.kind, violation.pits, violation.move) == ("skipped_pit", (3,), "0.1+")
    story.do(Lift(2, 3), Drop(3), Drop(2), Drop(2))  # as if 0.1- ended
    story.wait(1.5)
    assert [event.move for event in story.events if isinstance(event, MoveMade)] == ["0.1+"]


def test_who_sows_out_of_turn_what_a_move_has_just_left_has_not_sown_that_move_too_far() -> None:
    """1.2, one seed, ends in 0.0, and player 0 sows that on into 0.1: as if the seed had gone too far."""
    pits = [0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
    story = at("orient-thunderclap", pits, [16, 12, 4, 12], 1, players=4)
    story.do(Lift(11, 1), pause=0.4)
    story.do(Drop(0), pause=0.25)
    story.do(Lift(0, 1), Drop(1))
    story.wait(2.0)
    assert [event.move for event in story.events if isinstance(event, MoveMade)] == ["1.2"]
    assert (last(story, "violation").kind, last(story, "violation").pits) == ("wrong_player", (0,))
