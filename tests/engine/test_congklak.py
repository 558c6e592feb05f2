"""Congklak, clause by clause of source 004: one round, and what a round's short pits change.

With five pits South has 0 to 4 and North 5 to 9, stores 10 and 11. Sowing goes clockwise, down the numbers;
South's store comes after 0, at South's left, and North's after 5.
"""

from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.move import PASS
from engine.step import Drop, Lift, Take
from tests.engine.played import lap, legal, play

GAME = "congklak"


@pytest.mark.parametrize(("pits", "seeds"), [(7, 98), (6, 72), (5, 50), (10, 200)])
def test_004_each_pit_holds_as_many_seeds_as_a_row_has_pits_and_the_stores_are_empty(
    pits: int, seeds: int
) -> None:
    start = games.load(GAME, {"pits": pits}).start()
    assert start.pits == (pits,) * (2 * pits)
    assert sum(start.pits) == seeds
    assert start.stores == (0, 0)


def test_004_sow_clockwise_one_seed_a_hole_into_the_own_store_at_the_left() -> None:
    # The default board: South 0 to 6, store 14; North 7 to 13.
    ply = play(GAME, [7] * 14, "C")
    assert list(ply.steps)[:8] == [Lift(2, 7), *map(Drop, [1, 0, 14, 13, 12, 11, 10])]


def test_004_no_seed_falls_into_the_opponents_store() -> None:
    ply = play(GAME, [7, 0, 0, 0, 0, 1, 1, 1, 1, 1], "A", pits=5)
    assert list(ply.steps)[:8] == lap(0, 10, 9, 8, 7, 6, 5, 4)


def test_004_a_last_seed_in_a_pit_with_seeds_is_lifted_with_them_and_sown_on() -> None:
    ply = play(GAME, [0, 2, 1, 1, 1, 0, 0, 0, 2, 0], "D", pits=5)
    # 1 into 2, which holds 2 then: on into 1 and 0. 0 was empty: the turn ends.
    assert list(ply.steps) == [*lap(3, 2), *lap(2, 1, 0)]
    assert ply.state.pits == (1, 3, 0, 0, 1, 0, 0, 0, 2, 0)


def test_004_that_goes_for_the_opponents_pits_too() -> None:
    ply = play(GAME, [2, 1, 0, 0, 0, 0, 0, 1, 0, 1], "A", pits=5)
    # The store, 9 (2 now): on into 8 and 7 (2): on into 6 and 5, which was empty.
    assert list(ply.steps) == [*lap(0, 10, 9), *lap(9, 8, 7), *lap(7, 6, 5)]


def test_004_a_last_seed_in_an_empty_pit_stays_and_ends_the_turn_mati() -> None:
    ply = play(GAME, [0, 0, 3, 0, 1, 1, 1, 1, 1, 1], "E", pits=5)
    assert list(ply.steps) == lap(4, 3)
    assert ply.state.player == 1


def test_004_a_last_seed_in_the_own_store_gives_another_turn_from_any_own_pit() -> None:
    game = games.load(GAME, {"pits": 5})
    state = game.play(game.start([0, 0, 3, 0, 4, 1, 1, 1, 1, 1]), game.parse("C")).state
    assert state.player == 0
    assert state.stores == (1, 0)
    assert [game.name_of(move) for move in game.legal(state)] == ["A", "B", "E"]


def test_004_tembak_after_a_lap_takes_that_seed_and_all_facing_and_ends_the_turn() -> None:
    ply = play(GAME, [7, 1, 0, 0, 0, 1, 1, 1, 1, 1], "A", pits=5)
    # Store, 9, 8, 7, 6, 5, and past North's store 4, which was empty; 5 faces it with 2.
    assert list(ply.steps) == [*lap(0, 10, 9, 8, 7, 6, 5, 4), Take(4, 1, 10), Take(5, 2, 10)]
    assert ply.state.player == 1
    assert ply.state.stores == (4, 0)


def test_004_no_tembak_without_having_been_round_the_board() -> None:
    pits = [0, 2, 1, 1, 1, 0, 0, 0, 0, 2]
    assert play(GAME, pits, "D", pits=5).captured == ()
    assert play(GAME, pits, "D", pits=5, tembak="always").captured == ((0, 1), (9, 2))


def test_004_a_new_turn_has_to_go_round_again() -> None:
    game = games.load(GAME, {"pits": 5})
    # Twelve seeds go right round, and relay from 3 and 1 into the store: another turn.
    state = game.play(game.start([0, 0, 0, 0, 12, 1, 1, 1, 1, 1]), game.parse("E")).state
    assert (state.player, state.pits) == (0, (2, 0, 2, 0, 1, 2, 2, 2, 2, 2))
    # Its one seed falls into the empty 3, and 6 faces it with 2: but this turn has not been round.
    assert game.play(state, game.parse("E")).captured == ()


def test_004_nothing_facing_no_tembak_unless_empty_tembak() -> None:
    always = [0, 1, 0, 1, 1, 1, 1, 0, 1, 1]
    assert play(GAME, always, "D", pits=5, tembak="always").captured == ()
    assert play(GAME, always, "D", pits=5, tembak="always", empty_tembak=True).captured == ((2, 1),)


def test_004_the_round_ends_when_a_player_has_no_seeds_in_their_row_and_a_row_is_its_owners() -> None:
    ply = play(GAME, [1, 0, 0, 0, 0, 0, 2, 0, 0, 3], "A", stores=[20, 24], pits=5)
    assert ply.state.result is not None
    assert ply.state.result.reason == "a row is empty"
    assert ply.state.result.scores == (21, 29)
    assert ply.state.result.winners == (1,)


def test_the_round_may_end_only_at_the_turn_of_who_has_nothing_or_that_player_passes() -> None:
    pits = [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    # North's 5 goes into the store: North has nothing, and it is North's turn again.
    assert play(GAME, pits, "a", player=1, pits=5).state.result is not None
    to_move = play(GAME, pits, "a", player=1, pits=5, end="to_move").state.result
    assert to_move is not None
    assert to_move.reason == "player 1 cannot move"
    game = games.load(GAME, {"pits": 5, "end": "pass"})
    state = game.play(game.start(pits, player=1), game.parse("a")).state
    assert game.legal(state) == (PASS,)
    assert game.play(state, PASS).state.player == 0
    # South's last two seeds leave the row, and North is to move.
    ran_out = [2, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert play(GAME, ran_out, "A", pits=5).state.result is not None
    assert play(GAME, ran_out, "A", pits=5, end="to_move").state.player == 1


NGACANG: dict[str, Any] = {"pits": 5, "short": "3 4"}


def test_004_the_opponent_sows_past_ngacang_pits() -> None:
    # North's 6 seeds: 8, 7, 6, 5, store, then past 4 and 3 into 2.
    ply = play(GAME, [1, 1, 0, 7, 0, 0, 0, 0, 0, 6], "e", player=1, **NGACANG)
    assert list(ply.steps) == lap(9, 8, 7, 6, 5, 11, 2)


def test_004_the_owner_does_sow_into_own_ngacang_pits_and_the_turn_ends_there() -> None:
    # South's 8 seeds: store, 9 to 5, then 4 and 3, which is ngacang: no relay, no tembak.
    ply = play(GAME, [8, 0, 0, 2, 0, 0, 1, 1, 1, 1], "A", **NGACANG)
    assert list(ply.steps) == lap(0, 10, 9, 8, 7, 6, 5, 4, 3)
    ends = play(GAME, [7, 1, 0, 0, 0, 5, 1, 1, 1, 1], "A", **NGACANG)
    # 4 was empty and 5 faces it: but a ngacang pit shoots nobody.
    assert list(ends.steps) == lap(0, 10, 9, 8, 7, 6, 5, 4)
    assert ends.state.player == 1


def test_004_nobody_lifts_from_ngacang_pits() -> None:
    assert legal(GAME, [1, 1, 0, 7, 2, 0, 0, 0, 0, 6], **NGACANG) == ["A", "B"]
    game = games.load(GAME, NGACANG)
    state = game.start([1, 1, 0, 7, 2, 0, 0, 0, 0, 6])
    assert "closed for this round" in game.why_not(state, game.parse("D"))


def test_004_ngacang_pits_are_safe_from_tembak() -> None:
    pits = [5, 1, 1, 3, 4, 0, 0, 1, 1, 1]
    # North's 7 moves two on: 6 gets it. 6 faces 3, ngacang with 3 seeds: nothing is taken.
    assert play(GAME, pits, "c", player=1, tembak="always", **NGACANG).captured == ()
    assert play(GAME, pits, "c", player=1, tembak="always", pits=5).captured == ((6, 1), (3, 3))


def test_004_seeds_in_ngacang_pits_are_nothing_to_play_and_go_to_their_owner() -> None:
    ply = play(GAME, [1, 0, 0, 3, 4, 0, 0, 1, 1, 1], "A", stores=[10, 10], **NGACANG)
    assert ply.state.result is not None
    assert ply.state.result.scores == (10 + 1 + 7, 13)


def test_004_never_more_than_three_are_ngacang() -> None:
    with pytest.raises(BadInput, match="short has 4 pits of player 0: at most 3 may be ngacang"):
        games.load(GAME, {"pits": 5, "short": [1, 2, 3, 4]})
    assert games.load(GAME, {"pits": 5, "short": [1, 2, 3, 4], "short_pits": "closed"}).rules.board.protected


def test_closed_pits_are_sown_by_nobody() -> None:
    ply = play(GAME, [8, 1, 0, 0, 0, 1, 1, 1, 1, 1], "A", short_pits="closed", **NGACANG)
    # Store, 9 to 5, past 4 and 3, 2 and 1, which holds 2 then: on into 0 and the store.
    assert list(ply.steps) == [*lap(0, 10, 9, 8, 7, 6, 5, 2, 1), *lap(1, 0, 10)]


def test_five_to_ten_pits_and_none_beyond() -> None:
    with pytest.raises(BadInput, match="a whole number from 4 to 10 was expected"):
        games.load(GAME, {"pits": 11})
