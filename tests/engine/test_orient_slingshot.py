"""Oriënt Slinger, clause by clause of source 000. South has 0 to 5, North 6 to 11, stores 12 and 13."""

import pytest

from engine import games
from engine.errors import BadInput
from engine.move import PASS
from engine.step import Drop, Lift, Take
from tests.engine.played import lap, legal, play

GAME = "orient-slingshot"


@pytest.mark.parametrize("players", [2, 4])
def test_000_five_seeds_in_each_pit_for_two_or_four_players(players: int) -> None:
    assert games.load(GAME, {"players": players}).start().pits == (5,) * 12


def test_000_three_players_do_not_play_it() -> None:
    with pytest.raises(BadInput, match="option players cannot be 3: 2 or 4 was expected"):
        games.load(GAME, {"players": 3})


def test_000_at_first_each_player_puts_three_in_the_next_pit_clockwise_and_two_in_the_one_after() -> None:
    game = games.load(GAME)
    start = game.start()
    assert [game.name_of(move) for move in game.legal(start)] == ["A-", "B-", "C-", "D-", "E-", "F-"]
    south = game.play(start, game.parse("C-"))
    assert list(south.steps) == [Lift(2, 5), Drop(1), Drop(1), Drop(1), Drop(0), Drop(0)]
    assert south.state.player == 1
    north = game.play(south.state, game.parse("a-"))
    # From 6 into 5 and 4, South's.
    assert north.state.pits == (7, 8, 0, 5, 7, 8, 0, 5, 5, 5, 5, 5)
    # "Then the sowing proper begins": South's pits, either way.
    assert north.state.player == 0
    assert len(game.legal(north.state)) == 10


def test_000_the_opening_lifts_a_pit_of_exactly_five() -> None:
    game = games.load(GAME)
    # North's pit 6 puts its seeds into 5 and 4; from 0 South's go into 11 and 10.
    state = game.play(game.start(), game.parse("A-")).state
    assert [game.name_of(move) for move in game.legal(state)] == ["a-", "b-", "c-", "d-"]
    assert game.why_not(state, game.parse("e-")).startswith("the opening lifts a pit of 5 and goes clockwise")
    assert game.why_not(state, game.parse("a+")).startswith("the opening lifts a pit of 5 and goes clockwise")


def test_000_four_players_open_in_turn_before_the_first_moves() -> None:
    game = games.load(GAME, {"players": 4})
    state = game.start()
    # Clockwise: 0 has 0-2, 1 has 9-11, 2 has 6-8, 3 has 3-5.
    for player, move in enumerate(["0.2-", "1.2-", "2.2-", "3.2-"]):
        assert state.player == player
        state = game.play(state, game.parse(move)).state
    assert state.player == 0
    assert state.pits == (7, 8, 0, 7, 8, 0, 7, 8, 0, 7, 8, 0)
    assert {game.name_of(move)[-1] for move in game.legal(state)} == {"+", "-"}


def test_a_player_whose_pits_of_five_are_all_gone_opens_with_a_pass() -> None:
    # Player 1 has pits 10 and 11 only, and South's opening from 0 fills both.
    owner = "0 0 0 0 0 0 0 0 0 0 1 1"
    game = games.load(GAME, {"owner": owner})
    state = game.play(game.start(), game.parse("A-")).state
    assert game.legal(state) == (PASS,)
    state = game.play(state, PASS).state
    assert state.player == 0
    assert state.opening == 0


def test_000_an_own_pit_is_sown_either_way() -> None:
    pits = [1, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0]
    assert legal(GAME, pits) == ["A+", "A-", "D+", "D-"]
    assert list(play(GAME, pits, "D+").steps)[:3] == lap(3, 4, 5)
    assert list(play(GAME, pits, "D-").steps)[:3] == lap(3, 2, 1)


def test_000_a_last_seed_among_others_is_lifted_with_them_and_sown_the_opposite_way_and_so_on() -> None:
    ply = play(GAME, [1, 0, 2, 0, 1, 0, 0, 0, 0, 3, 0, 9], "C+")
    # 3 and 4 (2 now): back into 3 (2 now) and 2, which is empty.
    assert list(ply.steps)[:6] == [*lap(2, 3, 4), *lap(4, 3, 2)]
    twice = play(GAME, [0, 1, 2, 0, 1, 0, 0, 9, 0, 0, 9, 0], "B+")
    # 2 becomes 3: back into 1, 0 and 11, which is empty and North's.
    assert list(twice.steps) == [*lap(1, 2), *lap(2, 1, 0, 11)]
    thrice = play(GAME, [0, 1, 2, 0, 1, 0, 0, 9, 0, 0, 9, 1], "B+")
    # 11 becomes 2: on again into 0 and 1.
    assert list(thrice.steps)[:9] == [*lap(1, 2), *lap(2, 1, 0, 11), *lap(11, 0, 1)]


def test_000_a_last_seed_in_an_opponents_empty_pit_ends_the_turn() -> None:
    ply = play(GAME, [1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0], "A-")
    assert list(ply.steps) == lap(0, 11)
    assert ply.state.player == 1


def test_000_a_last_seed_in_an_own_empty_pit_captures_itself_and_all_facing_and_ends_the_turn() -> None:
    ply = play(GAME, [5, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0], "B+")
    assert list(ply.steps) == [*lap(1, 2), Take(2, 1, 12), Take(9, 3, 12)]


@pytest.mark.parametrize(("lone_seed", "captured"), [(True, ((2, 1),)), (False, ())])
def test_nothing_facing_the_single_seed_is_captured_alone_unless_not_lone_seed(
    lone_seed: bool, captured: tuple[tuple[int, int], ...]
) -> None:
    assert play(GAME, [5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], "B+", lone_seed=lone_seed).captured == captured


def test_own_seeds_facing_are_not_captured() -> None:
    # In a square 0 faces 8, and with four players in rows 0 faces 11, 1 faces 10. Owner 0 has 9 here too.
    ply = play(GAME, [5, 1, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0], "B+", owner="0 0 0 0 0 0 1 1 1 0 1 1")
    assert ply.captured == ((2, 1),)


def test_the_facing_pit_is_the_layouts() -> None:
    ply = play(GAME, [5, 1, 0, 0, 0, 0, 4, 0, 0, 3, 0, 0], "B+", layout="square")
    assert ply.captured == ((2, 1), (6, 4))


def test_000_the_end_is_as_in_standaard() -> None:
    ply = play(GAME, [0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0], "B+", stores=[27, 30])
    assert ply.state.result is not None
    assert ply.state.result.scores == (30, 30)
    assert ply.state.result.winners == (0, 1)


def test_an_opening_wants_pits_of_five() -> None:
    with pytest.raises(BadInput, match="set seeds to 5, or opening to false"):
        games.load(GAME, {"seeds": 4})
    game = games.load(GAME, {"seeds": 4, "opening": False})
    assert len(game.legal(game.start())) == 12
