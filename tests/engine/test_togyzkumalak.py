"""Togyzkumalak, clause by clause, by the rules cited in its file. South 0 to 8, North 9 to 17."""

import pytest

from engine import games, position
from engine.errors import BadInput
from engine.game import Game, State
from engine.move import Move
from engine.step import Drop, Lift, Take
from tests.engine.played import play

GAME = games.load("togyzkumalak")


def start(
    south: list[int], north: list[int], player: int = 0, tuzdyks: tuple[int, int] = (0, 0), game: Game = GAME
) -> State:
    """Tuzdyks by player, counted from 1."""
    return game.start([*south, *north], player=player, marks=tuzdyks)


def test_the_first_seed_goes_back_into_its_pit_and_an_even_pit_is_captured() -> None:
    ply = play("togyzkumalak", [9] * 18, "F")
    # One stays, eight go into pits 6 to 13; North's fifth pit then holds 10.
    assert ply.state.pits == (9, 9, 9, 9, 9, 1, 10, 10, 10, 10, 10, 10, 10, 0, 9, 9, 9, 9)
    assert ply.captured == ((13, 10),)
    assert ply.gain == (10, 0)
    assert ply.steps[:3] == (Lift(5, 9), Drop(5), Drop(6))


def test_a_single_seed_moves_on_to_the_next_pit() -> None:
    ply = GAME.play(start([0, 1, 0, 0, 0, 0, 0, 0, 4], [0] * 8 + [5]), Move(1))
    assert ply.steps == (Lift(1, 1), Drop(2))


def test_own_pits_are_never_captured() -> None:
    ply = GAME.play(start([0, 2, 3, 0, 0, 0, 0, 0, 0], [0] * 8 + [5]), Move(1))
    assert ply.state.pits[:4] == (0, 1, 4, 0)
    assert ply.captured == ()


def test_an_odd_pit_is_not_captured() -> None:
    ply = GAME.play(start([0] * 8 + [2], [4, 0, 0, 0, 0, 0, 0, 0, 5]), Move(8))
    assert ply.state.pits[8:10] == (1, 5)
    assert ply.captured == ()


def test_only_the_pit_of_the_last_seed_is_captured() -> None:
    ply = GAME.play(start([1] + [0] * 7 + [3], [1, 1, 0, 0, 0, 0, 0, 0, 5]), Move(8))
    # Pits 9 and 10 both become 2.
    assert ply.captured == ((10, 2),)


def test_a_pit_brought_to_three_is_taken_and_becomes_a_tuzdyk() -> None:
    ply = GAME.play(start([1] + [0] * 7 + [2], [2, 0, 0, 0, 0, 0, 0, 0, 5]), Move(8))
    assert ply.captured == ((9, 3),)
    assert ply.state.stores == (3, 0)
    assert ply.state.marks == (10, 0)


def test_each_seed_that_falls_into_a_tuzdyk_is_its_owners_at_once() -> None:
    north_sows = start([1] + [0] * 8, [0] * 8 + [4], 1, (10, 2))
    # North's tuzdyk is South's second pit: 17, 0, 1 and 2.
    ply = GAME.play(north_sows, Move(17))
    assert ply.steps == (Lift(17, 4), Drop(17), Drop(0), Drop(1), Take(1, 1, 19), Drop(2))
    assert ply.gain == (0, 1)
    south_sows = start([1] + [0] * 7 + [2], [0] * 8 + [4], 0, (10, 2))
    assert GAME.play(south_sows, Move(8)).steps == (Lift(8, 2), Drop(8), Drop(9), Take(9, 1, 18))


def test_seeds_go_into_a_tuzdyk_whoever_sows() -> None:
    # North's own long sowing passes South's tuzdyk in North's first pit.
    ply = GAME.play(start([0] * 9, [0] * 8 + [12], 1, (10, 0)), Move(17))
    assert ply.gain == (1, 0)
    assert ply.state.pits == (*[1] * 9, 0, 1, *[0] * 6, 1)


def test_a_player_has_one_tuzdyk() -> None:
    ply = GAME.play(start([1] + [0] * 7 + [2], [2, 0, 0, 0, 0, 0, 0, 0, 5], 0, (12, 0)), Move(8))
    assert ply.captured == ()
    assert ply.state.pits[9] == 3
    assert ply.state.marks == (12, 0)


def test_the_ninth_pit_is_no_tuzdyk() -> None:
    ply = GAME.play(start([1] + [0] * 7 + [10], [0] * 8 + [2]), Move(8))
    assert ply.state.pits[17] == 3
    assert ply.state.marks == (0, 0)


def test_a_tuzdyk_is_not_of_the_number_of_the_opponents() -> None:
    twin = start([0, 1] + [0] * 6 + [2], [2, 0, 0, 0, 0, 0, 0, 0, 5], 0, (0, 1))
    assert GAME.play(twin, Move(8)).state.marks == (0, 1)
    other = start([0, 1] + [0] * 6 + [2], [2, 0, 0, 0, 0, 0, 0, 0, 5], 0, (0, 3))
    assert GAME.play(other, Move(8)).state.marks == (10, 3)


def test_a_player_to_move_without_seeds_ends_the_game_and_rows_are_their_owners() -> None:
    ply = GAME.play(start([0] * 8 + [1], [6] + [0] * 7 + [5]), Move(8))
    assert ply.state.player == 1
    last = GAME.play(start([0] * 9, [0] * 8 + [1], 1), Move(17))
    assert last.state.player == 0
    end = GAME.play(start([1] + [0] * 8, [0] * 8 + [1], 1), Move(17))
    # South's first pit becomes 2 and is taken: South has nothing to move.
    assert end.state.result is not None
    assert end.state.result.scores == (0, 2)


def test_eighty_two_seeds_win_at_once() -> None:
    won = GAME.start([1] + [0] * 7 + [2] + [1] + [0] * 7 + [6], [80, 72])
    ply = GAME.play(won, Move(8))
    assert ply.state.result is not None
    assert ply.state.result.winners == (0,)


def test_a_position_keeps_its_tuzdyks() -> None:
    state = start([0] * 8 + [2], [0] * 8 + [5], 0, (13, 3))
    assert position.write(state).endswith(" marks=13,3")
    assert position.read(GAME, position.write(state)) == state


def test_tuzdyks_are_two_pits() -> None:
    with pytest.raises(BadInput, match=r"start.marks has 1 numbers: togyzkumalak wants 2"):
        GAME.start(marks=[3])


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        ((1, 0), "player 0 has claimed pit 1, counted from 1: that is an own pit"),
        ((0, 10), "player 1 has claimed pit 10, counted from 1: that is an own pit"),
        ((18, 0), "player 0 has claimed pit 18, counted from 1: that is the last of a row"),
        ((0, 9), "player 1 has claimed pit 9, counted from 1: that is the last of a row"),
        ((10, 1), "pits 10 and 1, counted from 1, are claimed: they have one number"),
        ((1, 1), "that is an own pit"),
    ],
)
def test_tuzdyks_that_cannot_be_are_refused(marks: tuple[int, int], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        start([9] * 9, [9] * 9, tuzdyks=marks)
    text = f"{','.join('9' * 9)}/{','.join('9' * 9)} 0,0 0 marks={marks[0]},{marks[1]}"
    with pytest.raises(BadInput, match=sentence):
        position.read(GAME, text)


def test_tuzdyks_that_can_be_are_taken() -> None:
    for marks in ((0, 0), (10, 0), (17, 1), (10, 8), (0, 8)):
        assert start([9] * 9, [9] * 9, tuzdyks=marks).marks == marks
