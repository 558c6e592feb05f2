"""Oriënt Donderslag, clause by clause of source 000. South has 0 to 5, North 6 to 11, stores 12 and 13."""

import pytest

from engine import games
from engine.move import PASS
from engine.step import Drop, Lift, Take
from tests.engine.played import lap, legal, play

GAME = "orient-thunderclap"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_000_four_seeds_in_each_pit_whatever_the_number_of_players(players: int) -> None:
    assert games.load(GAME, {"players": players}).start().pits == (4,) * 12


@pytest.mark.parametrize("players", [2, 3, 4])
def test_000_sown_counter_clockwise(players: int) -> None:
    game = games.load(GAME, {"players": players})
    assert {move.direction for move in game.legal(game.start())} == {1}


def test_000_a_last_seed_among_others_is_lifted_with_them_until_one_falls_into_an_empty_pit() -> None:
    ply = play(GAME, [4] * 12, "D")
    assert list(ply.steps) == [
        *lap(3, 4, 5, 6, 7),
        *lap(7, 8, 9, 10, 11, 0),
        *lap(0, 1, 2, 3, 4, 5),
        *lap(5, 6, 7, 8, 9, 10, 11),
        *lap(11, 0, 1, 2, 3, 4, 5),
    ]
    assert ply.state.counts == (1, 6, 6, 2, 7, 1, 6, 1, 6, 6, 6, 0, 0, 0)


@pytest.mark.parametrize(
    ("pits", "pit"), [([2, 0, 3] + [0] * 8 + [9], 2), ([0] * 5 + [1, 3, 0, 0, 0, 0, 9], 6)]
)
def test_000_a_last_seed_that_makes_four_takes_them_wherever_they_lie_and_ends_the_turn(
    pits: list[int], pit: int
) -> None:
    ply = play(GAME, pits, "A" if pit == 2 else "F")
    assert ply.steps[-1] == Take(pit, 4, 12)
    assert ply.gain == (4, 0)


def test_000_another_seed_that_makes_four_gives_them_to_the_pits_owner_at_once() -> None:
    ply = play(GAME, [0, 0, 0, 0, 4, 3, 3, 1, 3, 0, 0, 9], "E")
    assert list(ply.steps) == [
        Lift(4, 4), Drop(5), Take(5, 4, 12), Drop(6), Take(6, 4, 13), Drop(7), Drop(8), Take(8, 4, 12),
    ]  # fmt: skip
    assert ply.gain == (8, 4)


def test_000_two_players_the_round_ends_when_the_one_to_move_has_no_seeds_and_the_rest_counts() -> None:
    ply = play(GAME, [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0], "C", stores=[20, 24])
    assert ply.state.result is not None
    assert ply.state.result.reason == "player 1 cannot move"
    assert ply.state.result.scores == (22, 24)
    assert ply.state.result.winners == (1,)


def test_must_pass_goes_on_until_nobody_can_move() -> None:
    game = games.load(GAME, {"must_pass": True})
    state = game.play(game.start([0, 0, 0, 1, 0, 1] + [0] * 6), game.parse("D")).state
    assert game.legal(state) == (PASS,)
    state = game.play(state, PASS).state
    assert state.player == 0
    emptied = game.play(game.start([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], player=1), game.parse("f")).state
    assert emptied.result is not None
    assert emptied.result.reason == "the board is empty"


def test_000_three_or_four_players_two_in_succession_without_seeds_end_it() -> None:
    game = games.load(GAME, {"players": 3})
    # Player 0 has 0-3, player 1 has 8-11, player 2 has 4-7.
    state = game.start([1, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    state = game.play(state, game.parse("0.0")).state
    assert game.legal(state) == (PASS,)
    state = game.play(state, PASS).state
    assert state.player == 2
    state = game.play(state, game.parse("2.0")).state
    assert state.player == 0
    lone = game.play(game.start([1, 0, 3, 0] + [0] * 8), game.parse("0.0")).state
    over = game.play(lone, PASS).state
    assert over.result is not None
    assert over.result.reason == "2 players in succession cannot move"
    assert over.result.scores == (4, 0, 0)


def test_must_pass_with_four_players_waits_for_all_of_them() -> None:
    game = games.load(GAME, {"players": 4, "must_pass": True})
    state = game.play(game.start([1, 0, 3] + [0] * 9), game.parse("0.0")).state
    for _ in range(3):
        assert game.legal(state) == (PASS,)
        state = game.play(state, PASS).state
    assert state.player == 0


def test_last_four_go_to_who_took_the_four_before_them() -> None:
    pits = [2, 0, 3, 0, 1, 0, 1, 0, 0, 1, 0, 0]
    assert play(GAME, pits, "A").gain == (4, 0)
    ply = play(GAME, pits, "A", last_four=True)
    # 3 becomes 4 and is taken; 1, 4, 6 and 9 hold the last four.
    assert ply.steps[-5:] == (Take(2, 4, 12), Take(1, 1, 12), Take(4, 1, 12), Take(6, 1, 12), Take(9, 1, 12))
    assert ply.state.result is not None
    assert ply.state.result.scores == (8, 0)


def test_last_four_go_with_a_four_in_passing_even_from_the_hand() -> None:
    ply = play(GAME, [0, 0, 0, 0, 0, 3, 3, 0, 2, 0, 0, 0], "F", last_four=True)
    # 6 becomes 4 in passing: North's. Two seeds in the hand and two in 8 are the last four.
    assert list(ply.steps) == [Lift(5, 3), Drop(6), Take(6, 4, 13), Drop(13), Drop(13), Take(8, 2, 13)]
    assert ply.gain == (0, 8)


def test_last_four_stay_while_there_are_more() -> None:
    assert play(GAME, [2, 0, 3, 0, 1, 0, 1, 0, 0, 2, 0, 0], "A", last_four=True).gain == (4, 0)


def test_a_conquered_pit_is_its_new_owners_in_every_way() -> None:
    # South has conquered 11: it may lift from it, and a four in passing there is South's.
    owner = "0 0 0 0 0 0 1 1 1 1 1 0"
    assert legal(GAME, [4] * 12, owner=owner) == ["A", "B", "C", "D", "E", "F", "f"]
    ply = play(GAME, [0] * 10 + [2, 3], "e", player=1, owner=owner)
    assert ply.steps[:3] == (Lift(10, 2), Drop(11), Take(11, 4, 12))
