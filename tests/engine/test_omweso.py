"""Omweso, clause by clause of the rules as its file cites them.

South's loop is 0 to 15, North's 16 to 31; the front rows are 8 to 15 and 24 to 31. A player's front pit i
faces the other's 23 - i, so that 8 faces 31 and 10 faces 29; behind 31 lies 16, and behind 29 lies 18. The
four pits at a player's left end are 0, 1, 14 and 15 of their own.
"""

from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.move import PASS
from engine.step import Drop, Lift
from tests.engine.played import lap, legal, loops, play

GAME = "omweso"


def sown(seeds: int, *holes: int, front: tuple[int, int], behind: tuple[int, int]) -> list[Lift | Drop]:
    """The steps of a capture of `front` and `behind` (pit, seeds) and of sowing that many in the holes."""
    assert seeds == len(holes) == front[1] + behind[1]
    return [Lift(*front), Lift(*behind), *map(Drop, holes)]


def test_four_rows_of_eight_and_four_seeds_in_each_back_pit() -> None:
    start = games.load(GAME).start()
    assert start.pits == ((4,) * 8 + (0,) * 8) * 2
    assert start.stores == (0, 0)


def test_or_as_each_player_has_arranged_their_32_seeds() -> None:
    arranged = loops({0: 17, 15: 15}, {3: 30, 8: 2})
    assert games.load(GAME, {"start": arranged}).start().pits == tuple(arranged)
    assert games.load(GAME, {"start": " ".join(map(str, arranged))}).start().pits == tuple(arranged)


def test_only_a_pit_with_more_than_one_seed_is_lifted() -> None:
    assert legal(GAME, loops({2: 2, 3: 1, 9: 3}, {2: 2})) == ["0.2+", "0.9+"]


def test_there_is_no_passing() -> None:
    game = games.load(GAME)
    assert PASS not in game.legal(game.start())


def test_its_seeds_are_sown_counter_clockwise_round_the_own_pits() -> None:
    assert list(play(GAME, loops({6: 3}, {2: 2}), "0.6+").steps) == lap(6, 7, 8, 9)
    north = play(GAME, loops({2: 2}, {14: 3}), "1.14+", player=1)
    assert list(north.steps) == lap(30, 31, 16, 17)


def test_a_last_seed_in_an_empty_pit_ends_the_turn() -> None:
    ply = play(GAME, loops({6: 2}, {15: 3, 0: 3}), "0.6+")
    assert list(ply.steps) == lap(6, 7, 8)
    assert ply.state.player == 1


def test_a_last_seed_in_a_filled_pit_is_lifted_with_them_and_sown_on() -> None:
    ply = play(GAME, loops({2: 2, 4: 2}, {2: 2}), "0.2+")
    assert list(ply.steps) == [*lap(2, 3, 4), *lap(4, 5, 6, 7)]


def test_facing_two_filled_pits_it_takes_these_and_sows_them_from_where_the_lap_began() -> None:
    # The example that the International Omweso Society gives: four seeds from m (4) to n, o, p and h (8) take
    # the six in A (31) and I (16), which go from m to f (10) and take the six in C (29) and K (18), and so
    # again.
    pits = loops({4: 4, 8: 1, 10: 1}, {15: 2, 0: 4, 13: 5, 2: 1, 5: 2})
    ply = play(GAME, pits, "0.4+")
    assert list(ply.steps) == [
        *lap(4, 5, 6, 7, 8),
        *sown(6, 5, 6, 7, 8, 9, 10, front=(31, 2), behind=(16, 4)),
        *sown(6, 5, 6, 7, 8, 9, 10, front=(29, 5), behind=(18, 1)),
        # Nothing is left to take there: on with the three seeds of 10.
        *lap(10, 11, 12, 13),
    ]
    # The capturing seeds stayed where they were: one of old, and one of each of the three laps.
    assert ply.state.pits[:16] == (0, 0, 0, 0, 0, 3, 3, 3, 4, 2, 0, 1, 1, 1, 0, 0)


def test_a_lap_that_a_relay_began_is_the_one_that_counts() -> None:
    # 2 to 4, on from there to 8: what 8 takes is sown from 4.
    ply = play(GAME, loops({2: 2, 4: 3, 8: 1}, {15: 1, 0: 1, 5: 2}), "0.2+")
    assert list(ply.steps) == [
        *lap(2, 3, 4), *lap(4, 5, 6, 7, 8),
        *sown(2, 5, 6, front=(31, 1), behind=(16, 1)),
        *lap(6, 7, 8), *lap(8, 9, 10, 11),
    ]  # fmt: skip


@pytest.mark.parametrize("north", [{15: 3, 5: 2}, {0: 3, 5: 2}])
def test_not_unless_both_of_them_hold_seeds(north: dict[int, int]) -> None:
    ply = play(GAME, loops({6: 2, 8: 1}, north), "0.6+")
    assert list(ply.steps) == [*lap(6, 7, 8), *lap(8, 9, 10)]


def test_not_from_an_empty_pit_of_the_front_row() -> None:
    ply = play(GAME, loops({6: 2}, {15: 3, 0: 3}), "0.6+")
    assert list(ply.steps) == lap(6, 7, 8)


def test_not_from_the_back_row() -> None:
    ply = play(GAME, loops({0: 2, 2: 1}, dict.fromkeys(range(16), 2)), "0.0+")
    assert list(ply.steps) == [*lap(0, 1, 2), *lap(2, 3, 4)]


def test_capturing_is_no_choice() -> None:
    assert legal(GAME, loops({6: 2, 8: 1}, {15: 1, 0: 1, 5: 2})) == ["0.6+"]


def test_from_the_four_pits_at_the_left_end_a_player_may_sow_clockwise_if_this_captures() -> None:
    # The society's example: three seeds from i (0) clockwise to c (13) take the two in F (26) and N (21).
    pits = loops({0: 3, 13: 1}, {10: 1, 5: 1, 3: 2})
    assert legal(GAME, pits) == ["0.0+", "0.0-"]
    ply = play(GAME, pits, "0.0-")
    assert list(ply.steps) == [*lap(0, 15, 14, 13), *sown(2, 1, 2, front=(26, 1), behind=(21, 1))]


@pytest.mark.parametrize(
    ("pit", "may"), [(0, True), (1, True), (14, True), (15, True), (2, False), (13, False), (7, False)]
)
def test_only_from_these_four(pit: int, may: bool) -> None:
    end = (pit - 4) % 16
    south = {pit: 4, end: 1}
    # Whatever faces it holds seeds.
    names = legal(GAME, loops(south, dict.fromkeys(range(16), 2)))
    # From 0, 1, 14 and 15 clockwise to 12, 13, 10 and 11; 2, 13 and 7 reach 14, 9 and 3.
    assert (f"0.{pit}-" in names) == may


@pytest.mark.parametrize("pits", [
    loops({0: 3, 13: 1}, {10: 1, 3: 2}),  # the pit behind is empty
    loops({0: 3}, {10: 1, 5: 1, 3: 2}),  # the last seed would fall into an empty pit
    loops({0: 4, 13: 1}, {10: 1, 5: 1, 3: 2}),  # and so here: a capture further on is no matter
])  # fmt: skip
def test_only_if_the_lap_itself_captures(pits: list[int]) -> None:
    assert legal(GAME, pits) == ["0.0+"]
    game = games.load(GAME)
    why = game.why_not(game.start(pits), game.parse("0.0-"))
    assert why == "that pit is sown that way round only where it captures at once; legal are 0.0+"


def test_a_lap_of_sixteen_finds_its_own_last_pit_filled() -> None:
    # Seventeen from 1: round the whole loop, over the emptied 1 into 0, which the first seed has filled.
    pits = loops({1: 17}, {3: 2})
    assert legal(GAME, pits) == ["0.1+"]
    # Eighteen end in 15, filled by the second of them.
    pits = loops({1: 18}, {8: 1, 7: 1, 3: 2})
    assert legal(GAME, pits) == ["0.1+", "0.1-"]


def test_seeds_that_a_clockwise_lap_took_may_go_clockwise_again_if_they_capture_at_once() -> None:
    # Two seeds from 0 reach 14, which the first lap has filled; it faces 25, with 22 behind it.
    pits = loops({0: 3, 13: 1}, {10: 1, 5: 1, 9: 2, 6: 2, 3: 2})
    assert legal(GAME, pits) == ["0.0+", "0.0-", "0.0-:1"]
    assert list(play(GAME, pits, "0.0-").steps)[4:] == sown(2, 1, 2, front=(26, 1), behind=(21, 1))
    assert list(play(GAME, pits, "0.0-:1").steps) == [
        *lap(0, 15, 14, 13),
        *sown(2, 15, 14, front=(26, 1), behind=(21, 1)),
        *sown(4, 1, 2, 3, 4, front=(25, 2), behind=(22, 2)),
    ]


def test_seeds_that_a_counter_clockwise_lap_took_go_counter_clockwise() -> None:
    # From 14 the lap reaches 8 by way of the back row, and the two taken could reach 12 to capture.
    pits = loops({14: 10, 8: 1, 12: 1}, {15: 1, 0: 1, 11: 1, 4: 1, 3: 2})
    assert "0.14+:1" not in legal(GAME, pits)
    assert list(play(GAME, pits, "0.14+").steps)[:15] == [
        *lap(14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8),
        *sown(2, 15, 0, front=(31, 1), behind=(16, 1)),
    ]


RELAY = loops({11: 4, 15: 2, 12: 0, 13: 0}, {11: 1, 4: 1, 3: 2})
"""The lap from 11 ends in 15, with three seeds then; clockwise these reach 12, which it has filled, facing
27."""


def test_a_lap_that_ends_in_one_of_these_four_may_turn_clockwise_if_that_captures_at_once() -> None:
    assert legal(GAME, RELAY) == ["0.11+", "0.11+:1", "0.15+"]
    assert list(play(GAME, RELAY, "0.11+").steps) == [*lap(11, 12, 13, 14, 15), *lap(15, 0, 1, 2)]
    assert list(play(GAME, RELAY, "0.11+:1").steps) == [
        *lap(11, 12, 13, 14, 15), *lap(15, 14, 13, 12),
        *sown(2, 0, 1, front=(27, 1), behind=(20, 1)),
    ]  # fmt: skip


def test_a_choice_that_is_not_there_is_no_move() -> None:
    game = games.load(GAME)
    state = game.start(RELAY)
    for text in ("0.11+:01", "0.15+:1"):
        with pytest.raises(BadInput, match="is not legal: it asks for fewer choices on the way; legal are"):
            game.play(state, game.parse(text))


@pytest.mark.parametrize(
    ("reverse", "first", "relay"),
    [
        ("any_lap", ["0.0+", "0.0-"], ["0.11+", "0.11+:1", "0.15+"]),
        ("first_lap", ["0.0+", "0.0-"], ["0.11+", "0.15+"]),
        ("none", ["0.0"], ["0.11", "0.15"]),
    ],
)
def test_option_reverse(reverse: str, first: list[str], relay: list[str]) -> None:
    assert legal(GAME, loops({0: 3, 13: 1}, {10: 1, 5: 1, 3: 2}), reverse=reverse) == first
    assert legal(GAME, RELAY, reverse=reverse) == relay


def won(pits: list[int], move: str, **options: Any) -> tuple[tuple[int, ...], tuple[int, ...], str] | None:
    result = play(GAME, pits, move, **options).state.result
    return None if result is None else (result.winners, result.scores, result.reason)


def test_who_is_the_last_to_be_able_to_move_has_won() -> None:
    assert won(loops({6: 2}, {3: 1, 9: 1}), "0.6+") == ((0,), (1, 0), "player 1 cannot move")
    assert won(loops({6: 2}, {3: 2, 9: 1}), "0.6+") is None


HEADS = loops({4: 4, 8: 1, 15: 1}, {15: 5, 0: 6, 8: 1, 7: 1, 5: 2})
"""From 4 to 8, which takes eleven from 31 and 16; and they reach 15, which takes those of 24 and 23."""


def test_emitwe_ebiri_who_captures_at_both_ends_in_one_turn_has_won() -> None:
    assert won(HEADS, "0.4+") == ((0,), (1, 0), "player 0 captured at both ends")
    assert won(HEADS, "0.4+", emitwe_ebiri=False) is None


def test_emitwe_ebiri_one_end_twice_is_not_two() -> None:
    # Two take 31 and 16 from 6, the two taken reach 8 once more; nothing is there any longer.
    assert won(loops({6: 2, 8: 1}, {15: 1, 0: 1, 5: 2}), "0.6+") is None


def test_a_third_stand_of_a_position_is_a_draw() -> None:
    game = games.load(GAME)
    # A pair and the single seed before it go round each loop, a pit with each move, and never meet another.
    state = game.start(loops({0: 2, 1: 1}, {0: 2, 1: 1}))
    plies = 0
    while state.player is not None:
        (move,) = game.legal(state)
        state = game.play(state, move).state
        plies += 1
    # Sixteen moves of each bring the position back; twice that is its third stand.
    assert plies == 64
    assert state.result is not None
    assert state.result.winners == (0, 1)
    assert state.result.reason == "the position has stood 3 times"
