"""Einfaches Mancala, clause by clause of source 002.

South's loop is 0 to 15, North's 16 to 31; the front rows are 8 to 15 and 24 to 31. A player's front pit i
faces the other's 23 - i, so that 13 faces 26 and 8 faces 31; the back pit behind 30 is 17.
"""

from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.move import PASS
from engine.step import Drop, Lift
from tests.engine.played import lap, legal, loops, play

GAME = "simple-mancala"


def winners(
    pits: list[int], move: str, player: int = 0, **options: Any
) -> tuple[tuple[int, ...], str] | None:
    result = play(GAME, pits, move, player=player, **options).state.result
    return None if result is None else (result.winners, result.reason)


def test_002_four_rows_of_eight_and_64_seeds_two_in_each_pit() -> None:
    start = games.load(GAME).start()
    assert start.pits == (2,) * 32
    assert sum(start.counts) == 64


def test_002_each_player_has_the_two_rows_nearest() -> None:
    game = games.load(GAME)
    assert {move.pit for move in game.legal(game.start())} <= set(range(16))
    assert {move.pit for move in game.legal(game.start(player=1))} <= set(range(16, 32))


def test_002_there_is_no_passing() -> None:
    game = games.load(GAME)
    assert PASS not in game.legal(game.start())


def test_002_only_a_pit_with_more_than_one_seed_is_lifted() -> None:
    assert legal(GAME, loops({0: 2, 1: 1, 3: 3}, {0: 2})) == ["0.0", "0.3"]


def test_002_its_seeds_are_sown_one_by_one_clockwise_round_the_own_pits() -> None:
    ply = play(GAME, loops({1: 3}, {0: 2}), "0.1")
    assert list(ply.steps) == lap(1, 0, 15, 14)
    north = play(GAME, loops({1: 3}, {1: 3}), "1.1", player=1)
    assert list(north.steps) == lap(17, 16, 31, 30)


def test_002_a_long_sowing_drops_into_the_emptied_pit_too() -> None:
    ply = play(GAME, loops({1: 17}, {0: 2}), "0.1")
    assert list(ply.steps)[:18] == lap(1, 0, *range(15, 0, -1), 0)


def test_002_a_last_seed_in_a_filled_pit_is_lifted_with_them_and_sown_on() -> None:
    ply = play(GAME, loops({5: 2, 3: 1}, {0: 2}), "0.5")
    assert list(ply.steps) == [*lap(5, 4, 3), *lap(3, 2, 1)]


def test_002_in_the_own_front_row_the_seeds_facing_are_lifted_too_and_sown_along() -> None:
    ply = play(GAME, [2] * 32, "0.5")
    assert list(ply.steps) == [
        *lap(5, 4, 3),
        *lap(3, 2, 1, 0),
        *lap(0, 15, 14, 13),
        Lift(13, 3), Lift(26, 2), *map(Drop, (12, 11, 10, 9, 8)),
        Lift(8, 3), Lift(31, 2), *map(Drop, (7, 6, 5, 4, 3)),
    ]  # fmt: skip


def test_002_not_from_the_back_row() -> None:
    ply = play(GAME, loops({5: 2, 3: 1}, dict.fromkeys(range(16), 3)), "0.5")
    assert sum(ply.state.pits[16:]) == 48


def test_002_not_from_an_empty_pit_of_the_front_row() -> None:
    ply = play(GAME, loops({12: 2}, dict.fromkeys(range(16), 3)), "0.12")
    assert list(ply.steps) == lap(12, 11, 10)


def test_002_you_win_when_the_opponent_has_no_pit_with_more_than_one_seed() -> None:
    assert winners(loops({12: 2}, {3: 1, 9: 1}), "0.12") == ((0,), "player 1 cannot move")


def test_who_leaves_themselves_without_a_move_has_not_lost_until_their_next_turn() -> None:
    assert winners(loops({12: 2}, {3: 2}), "0.12") is None
    game = games.load(GAME)
    state = game.play(game.start(loops({12: 2}, {3: 2, 9: 2})), game.parse("0.12")).state
    over = game.play(state, game.parse("1.9")).state
    assert over.result is not None
    assert over.result.winners == (1,)


def test_002_variant_1_the_first_move_takes_nothing_but_relays() -> None:
    game = games.load(GAME, {"first_move_no_capture": True})
    pits = loops({12: 2, 10: 1, 3: 4}, {13: 5, 2: 2})
    ply = game.play(game.start(pits), game.parse("0.12"))
    # 10 faces 29, which is North's 13: its seeds stay, and the two from 10 go on.
    assert list(ply.steps) == [*lap(12, 11, 10), *lap(10, 9, 8)]
    assert sum(ply.state.pits[16:]) == 7
    # North's second move takes again: 13 faces South's 10.
    second = game.start(pits)
    assert second.opening == 1
    assert ply.state.opening == 0
    normal = play(GAME, pits, "0.12")
    assert Lift(29, 5) in normal.steps


def test_002_variant_1_is_over_after_the_first_move() -> None:
    game = games.load(GAME, {"first_move_no_capture": True})
    state = game.play(game.start(loops({0: 2, 10: 5}, {15: 2, 13: 1})), game.parse("0.0")).state
    ply = game.play(state, game.parse("1.15"))
    # North's 13 faces South's 23 - 13 = 10.
    assert Lift(10, 5) in ply.steps


def test_002_variant_2_an_empty_front_row_of_the_opponent_wins_too() -> None:
    pits = loops({12: 2, 10: 1, 0: 2}, {13: 5, 2: 2})
    assert winners(pits, "0.12") is None
    assert winners(pits, "0.12", win="front_row_or_immobile") == ((0,), "the front row of player 1 is empty")
    immobile = loops({12: 2}, {3: 1, 9: 1})
    assert winners(immobile, "0.12", win="front_row_or_immobile") == ((0,), "player 1 cannot move")


@pytest.mark.parametrize("win", ["front_row", "front_row_or_immobile"])
def test_002_variants_2_and_3_an_own_front_row_emptied_by_ones_own_move_loses(win: str) -> None:
    pits = loops({8: 2, 3: 2}, {9: 2})
    assert winners(pits, "0.8", win=win) == ((1,), "the front row of player 0 is empty")


def test_if_both_front_rows_are_empty_the_mover_wins() -> None:
    # South's front seeds meet in 8 and go on into the back row, with those of North's 15, which faces it.
    pits = loops({9: 1, 8: 1}, {15: 2, 3: 2})
    assert winners(pits, "0.9", win="front_row") == ((0,), "the front row of player 1 is empty")
    assert not any(play(GAME, pits, "0.9", win="front_row").state.pits[8:16])


def test_002_variant_3_single_seeds_may_be_played_and_only_an_empty_front_row_wins() -> None:
    assert legal(GAME, loops({0: 2, 1: 1, 9: 1}, {9: 2}), win="front_row") == ["0.0", "0.1", "0.9"]
    # North has single seeds only, but may play them.
    assert winners(loops({12: 2}, {3: 1, 9: 1}), "0.12", win="front_row") is None


def test_002_variant_3_moves_still_end_in_an_empty_pit() -> None:
    ply = play(GAME, loops({5: 1, 9: 1}, {9: 2}), "0.5", win="front_row")
    assert list(ply.steps) == lap(5, 4)


def test_002_variant_4_the_back_seeds_behind_are_taken_with_the_front_ones() -> None:
    pits = loops({11: 2, 9: 1}, {14: 4, 1: 5, 3: 2})
    ply = play(GAME, pits, "0.11", capture_back_row=True)
    # 9 faces 30, North's 14, and 17, North's 1, lies behind it.
    assert ply.steps[:6] == (Lift(11, 2), Drop(10), Drop(9), Lift(9, 2), Lift(30, 4), Lift(17, 5))
    assert Lift(17, 5) not in play(GAME, pits, "0.11").steps


def test_002_variant_4_not_without_front_seeds() -> None:
    ply = play(GAME, loops({11: 2, 9: 1}, {1: 5, 3: 2}), "0.11", capture_back_row=True)
    assert list(ply.steps) == [*lap(11, 10, 9), *lap(9, 8, 7)]


def test_002_variant_5_counter_clockwise() -> None:
    ply = play(GAME, loops({1: 3}, {0: 2}), "0.1", direction="counterclockwise")
    assert list(ply.steps) == lap(1, 2, 3, 4)


def test_002_variant_6_each_move_either_way_and_kept_within_the_move() -> None:
    pits = loops({5: 2, 3: 1, 7: 1}, {0: 2})
    assert legal(GAME, pits, direction="each_move") == ["0.5+", "0.5-"]
    assert list(play(GAME, pits, "0.5+", direction="each_move").steps)[:6] == [*lap(5, 6, 7), *lap(7, 8, 9)]
    assert list(play(GAME, pits, "0.5-", direction="each_move").steps) == [*lap(5, 4, 3), *lap(3, 2, 1)]


def test_002_variant_7_each_player_keeps_the_direction_chosen_before_the_game() -> None:
    chosen: dict[str, Any] = {"direction": "each_player", "north_direction": "counterclockwise"}
    pits = loops({5: 2}, {5: 2})
    assert legal(GAME, pits, **chosen) == ["0.5-"]
    assert legal(GAME, pits, player=1, **chosen) == ["1.5+"]
    game = games.load(GAME, chosen)
    assert "is not sown that way round" in game.why_not(game.start(pits), game.parse("0.5+"))


@pytest.mark.parametrize("option", ["south_direction", "north_direction"])
@pytest.mark.parametrize("direction", ["clockwise", "counterclockwise", "each_move"])
def test_002_variants_5_6_and_7_exclude_each_other(option: str, direction: str) -> None:
    with pytest.raises(BadInput, match=f"simple-mancala: {option} counts only where each player keeps"):
        games.load(GAME, {"direction": direction, option: "counterclockwise"})


def test_002_variant_8_the_winner_scores_the_seeds_on_the_own_half() -> None:
    pits = loops({12: 2, 0: 7}, {3: 1, 9: 1})
    result = play(GAME, pits, "0.12", scoring="seeds").state.result
    assert result is not None
    assert result.scores == (9, 0)
    by_games = play(GAME, pits, "0.12").state.result
    assert by_games is not None
    assert by_games.scores == (1, 0)


def test_002_variant_8_a_win_counts_double_when_the_opponent_has_no_seeds_left() -> None:
    # 10 faces 29, North's 13: North's last seeds are sown along by South. With all 64 it would be 128.
    pits = loops({12: 2, 10: 1, 0: 59}, {13: 2})
    result = play(GAME, pits, "0.12", scoring="seeds").state.result
    assert result is not None
    assert result.scores == (128, 0)


def test_a_third_stand_of_a_position_is_a_draw() -> None:
    game = games.load(GAME, {"direction": "counterclockwise", "win": "front_row"})
    state = game.start(loops({0: 1, 8: 1}, {0: 1, 8: 1}))
    plies = 0
    while state.player is not None:
        # Two single seeds eight apart chase each other round each loop, the one in the back row first.
        one, other = (pit for pit in game.rules.board.own(state.player) if state.pits[pit])
        place = one if (other - one) in (8, 9) else other
        state = game.play(state, game.parse(f"{state.player}.{place % 16}")).state
        plies += 1
    # Sixteen moves of each player bring the position back; twice that is its third stand.
    assert plies == 64
    assert state.result is not None
    assert state.result.winners == (0, 1)
    assert state.result.reason == "the position has stood 3 times"


ENDLESS = [
    2, 1, 2, 1, 0, 1, 2, 1, 2, 1, 0, 2, 1, 0, 3, 2, 1, 1, 1, 1, 1, 0, 0, 0, 2, 3, 3, 1, 3, 2, 0, 2,
]  # fmt: skip
"""From pit 14 the relay never ends."""


def test_a_relay_that_never_ends_is_not_legal() -> None:
    assert "0.14" not in legal(GAME, ENDLESS)
    assert "0.15" in legal(GAME, ENDLESS)
    with pytest.raises(BadInput, match=r"0\.14 is not legal: its relay would never end"):
        play(GAME, ENDLESS, "0.14")


def test_or_it_stops_where_it_first_repeats_itself() -> None:
    ply = play(GAME, ENDLESS, "0.14", endless="stop")
    # By the book, with all that has been found before kept in a set.
    pits, at, seen, hand = list(ENDLESS), 14, set[tuple[int, ...]](), 0
    hand, pits[at] = pits[at], 0
    while True:
        for _ in range(hand):
            at = (at - 1) % 16
            pits[at] += 1
        assert pits[at] > 1
        if (at, *pits) in seen:
            break
        seen.add((at, *pits))
        hand, pits[at] = pits[at], 0
        if at >= 8:
            facing = 16 + 23 - at
            hand, pits[facing] = hand + pits[facing], 0
    assert ply.state.pits == tuple(pits)
    # The turn is over, and North has single seeds only.
    assert ply.state.result is not None
    assert ply.state.result.winners == (0,)
