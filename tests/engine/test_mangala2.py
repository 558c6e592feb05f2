"""Mangala II, clause by clause of source 003. South has pits 0 to 5, North 6 to 11."""

import pytest

from engine import games
from engine.move import PASS, Move
from engine.step import Drop
from tests.engine.played import lap, legal, play


def test_003_two_rows_of_six_with_six_seeds_each_72_in_all_and_no_stores_on_the_ring() -> None:
    game = games.load("mangala2")
    start = game.start()
    assert start.pits == (6,) * 12
    assert sum(start.counts) == 72
    # Twelve seeds from 0 come home without meeting a store.
    ply = play("mangala2", [12, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "A")
    assert list(ply.steps) == lap(0, *range(1, 12), 0)


def test_003_players_take_turns_and_each_has_the_row_nearest() -> None:
    game = games.load("mangala2")
    state = game.start()
    assert [move.pit for move in game.legal(state)] == [0, 1, 2, 3, 4, 5]
    state = game.play(state, Move(0)).state
    assert state.player == 1
    assert [move.pit for move in game.legal(state)] == [6, 7, 8, 9, 10, 11]


def test_003_a_pit_is_lifted_whole_and_sown_one_by_one_counter_clockwise() -> None:
    ply = play("mangala2", [6] * 12, "C")
    assert list(ply.steps) == lap(2, 3, 4, 5, 6, 7, 8)
    assert ply.state.pits == (6, 6, 0, 7, 7, 7, 7, 7, 7, 6, 6, 6)


def test_003_an_empty_pit_is_not_sown() -> None:
    assert legal("mangala2", [0, 2, 0, 0, 0, 1] + [1] * 6) == ["B", "F"]


def test_003_there_is_no_relay() -> None:
    # The last of 2 seeds joins 2 in pit 2: 3, no capture, and nothing is sown on.
    ply = play("mangala2", [2, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0], "A")
    assert list(ply.steps) == lap(0, 1, 2)


def test_003_a_player_whose_row_is_empty_passes_until_seeds_come_round() -> None:
    game = games.load("mangala2")
    state = game.play(game.start([0, 0, 0, 1, 0, 1] + [0] * 6), Move(3)).state
    assert game.legal(state) == (PASS,)
    state = game.play(state, PASS).state
    assert [game.name_of(move) for move in game.legal(state)] == ["E", "F"]
    state = game.play(state, Move(5)).state
    assert [game.name_of(move) for move in game.legal(state)] == ["a"]


@pytest.mark.parametrize(("there", "taken"), [(1, 2), (3, 4), (5, 6)])
@pytest.mark.parametrize(("move", "player", "pit"), [("A", 0, 1), ("F", 0, 6), ("a", 1, 7), ("f", 1, 0)])
def test_003_a_last_seed_that_makes_2_4_or_6_in_either_row_takes_them_off_the_board(
    there: int, taken: int, move: str, player: int, pit: int
) -> None:
    pits = [0] * 12
    pits[(pit - 1) % 12], pits[pit] = 1, there
    pits[(pit + 3) % 12] = 9
    ply = play("mangala2", pits, move, player)
    assert ply.captured == ((pit, taken),)
    assert ply.gain[player] == taken
    assert sum(ply.state.pits) == 9


@pytest.mark.parametrize("there", [0, 2, 4, 6, 7])
def test_003_any_other_number_is_not_taken(there: int) -> None:
    assert play("mangala2", [1, there, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0], "A").captured == ()


def test_003_captures_run_backwards_through_2_4_6() -> None:
    ply = play("mangala2", [1, 0, 0, 4, 5, 3, 1, 5, 0, 0, 0, 1], "D")
    # 4, 5, 6 and 7 become 6, 4, 2 and 6: all are taken, back to 3, which was emptied.
    assert ply.captured == ((7, 6), (6, 2), (5, 4), (4, 6))
    assert ply.state.counts == (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 18, 0)


def test_003_the_chain_ends_where_the_sowing_began() -> None:
    # The pit that was lifted is empty, and so ends the chain although 2 and 1 hold 4 and 2.
    assert play("mangala2", [9, 2, 4, 1, 3, 0, 1, 0, 0, 0, 0, 0], "D").captured == ((4, 4),)
    # A lap of 13 ends in 1, which holds 2; 0 before it has got one, 1, and ends the chain.
    assert play("mangala2", [13, 0] + [7] * 10, "A").captured == ((1, 2),)


def test_003_an_odd_pit_breaks_the_chain() -> None:
    ply = play("mangala2", [0, 0, 3, 3, 2, 1, 0, 0, 0, 0, 0, 9], "C")
    # 3, 4 and 5 become 4, 3 and 2: only 5 is taken.
    assert ply.captured == ((5, 2),)


def test_003_play_ends_when_the_board_is_empty_and_most_seeds_win() -> None:
    ply = play("mangala2", [0] * 5 + [1] + [1] + [0] * 5, "F", stores=[36, 34])
    assert ply.state.result is not None
    assert ply.state.result.scores == (38, 34)
    assert ply.state.result.winners == (0,)
    assert ply.state.result.reason == "the board is empty"


def test_003_36_each_is_a_draw() -> None:
    ply = play("mangala2", [0] * 5 + [1] + [1] + [0] * 5, "F", stores=[34, 36])
    assert ply.state.result is not None
    assert ply.state.result.winners == (0, 1)


def test_37_decide_it_but_play_goes_on_unless_end_at_majority() -> None:
    pits = [0] * 5 + [1] + [1, 0, 3] + [0] * 3
    assert play("mangala2", pits, "F", stores=[35, 32]).state.player == 1
    ended = play("mangala2", pits, "F", stores=[35, 32], end_at_majority=True).state
    assert ended.result is not None
    assert ended.result.winners == (0,)


def test_two_lone_seeds_chase_each_other_until_the_repetition_ends_it() -> None:
    game = games.load("mangala2")
    start = game.start([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [35, 35])
    state, plies = start, 0
    while state.player is not None:
        state = game.play(state, max(game.legal(state))).state
        plies += 1
        if plies == 12:
            assert (state.pits, state.player) == (start.pits, 0)
    # The third stand of the position comes after twice twelve plies; each takes what is in their own row.
    assert plies == 24
    assert state.result is not None
    assert state.result.scores == (36, 36)


@pytest.mark.parametrize(("skip_origin", "last"), [(False, 0), (True, 1)])
def test_a_long_sowing_drops_into_its_own_pit_unless_skip_origin(skip_origin: bool, last: int) -> None:
    ply = play("mangala2", [12, 3] + [0] * 10, "A", skip_origin=skip_origin)
    assert ply.steps[-1] == Drop(last)
