"""Bao la Kiswahili, clause by clause, in the order of Donkers, Zanzibar Bao Rules for the Computer.

Rows are written as their player sees them, from the left: `A` the front row, `B` the back row. The engine
counts a player's pits the other way about along the front, so that A1 is 15, A5, the house, 11 and A8 8; B1
is 0 and B8 7. A player's A1 faces the other's A8. A move with `+` goes leftwards along the front row, `-`
rightwards; where a seed from the hand captures, `+` sows from the right end and `-` from the left."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.game import Game, Ply, State
from engine.move import Move
from engine.record import Entry, Record, read, write
from engine.step import Drop, Lift

BARE = (0,) * 8
SOUTH, NORTH = 32, 33
"""The holes in which the seeds in hand lie."""


def start(
    front: Sequence[int],
    facing: Sequence[int],
    back: Sequence[int] = BARE,
    behind: Sequence[int] = BARE,
    hands: tuple[int, int] = (1, 1),
    houses: tuple[int, int] = (0, 0),
    blocked: int = 0,
    player: int = 0,
    **options: Any,
) -> tuple[Game, State]:
    """A game in play: the rows of South (`front`, `back`) and North (`facing`, `behind`), each from its
    left."""
    game = games.load("bao", options)
    pits = [*back, *front[::-1], *behind, *facing[::-1]]
    marks = (*houses, blocked)[: game.rules.marks] if game.rules.house else ()
    return game, game.start(pits, hands, player, marks)


def legal(case: tuple[Game, State]) -> list[str]:
    game, state = case
    return [game.name_of(move) for move in game.legal(state)]


def play(case: tuple[Game, State], move: str) -> Ply:
    game, state = case
    return game.play(state, game.parse(move))


def why_not(case: tuple[Game, State], move: str) -> str:
    game, state = case
    assert move not in legal(case)
    return game.why_not(state, game.parse(move)).split(";")[0]


def rows(state: State, player: int = 0) -> list[list[int]]:
    """A player's rows, front and back."""
    own = list(state.pits[16 * player : 16 * player + 16])
    return [own[:7:-1], own[:8]]


def steps(*said: str, player: int = 0) -> list[Lift | Drop]:
    """Steps in words: `hand` for the seed from the hand, `-A4` or `-a4` with `=n` to lift, `A4 B2` to drop.

    Small letters are the opponent's.
    """
    found: list[Lift | Drop] = []
    for word in " ".join(said).split():
        place, _, seeds = word.strip("-").partition("=")
        whose = player if place[0].isupper() else 1 - player
        column = int(place[1]) if place != "hand" else 0
        pit = 16 * whose + (16 - column if place[0] in "Aa" else column - 1)
        if place == "hand":
            found.append(Lift(SOUTH + player, 1))
        else:
            found.append(Lift(pit, int(seeds)) if word[0] == "-" else Drop(pit))
    return found


# The beginning


def test_six_seeds_in_each_house_two_in_each_of_the_next_two_pits_and_22_in_hand() -> None:
    state = games.load("bao").start()
    assert rows(state) == rows(state, 1) == [[0, 0, 0, 0, 6, 2, 2, 0], [0] * 8]
    assert state.stores == (22, 22)
    assert state.marks == (1, 1, 0)
    assert sum(state.counts) == 64


def test_the_opening_of_ramadhan_against_kijumbe() -> None:
    # De Voogt, Limits of the Mind, p. 151: 17 October 1994, A7L a5R.
    game = games.load("bao")
    first = game.play(game.start(), game.parse("0.9+"))
    assert list(first.steps) == steps("hand A7 -A7=3 A6 A5 A4")
    assert rows(first.state) == [[0, 0, 0, 1, 7, 3, 0, 0], [0] * 8]
    second = game.play(first.state, game.parse("1.11+"))
    assert list(second.steps) == steps("hand A5 -a4=1 A8", player=1)
    assert rows(second.state) == [[0, 0, 0, 0, 7, 3, 0, 0], [0] * 8]
    assert rows(second.state, 1) == [[0, 0, 0, 0, 7, 2, 2, 1], [0] * 8]
    assert second.state.stores == (21, 21)
    assert second.state.marks == (1, 1, 0)


# Captures with a seed from the hand


MARKERS = ([0, 1, 0, 2, 0, 0, 3, 0], [0, 1, 0, 0, 4, 0, 2, 1])
"""A2, A4 and A7 of South face a7, a5 and a2 with two, four and one."""


def test_capture_must_be_made_if_there_is_one() -> None:
    assert legal(start(*MARKERS)) == ["0.9+", "0.12+", "0.12-", "0.14-"]
    assert why_not(start([0, 2, 0, 2, 0, 0, 0, 0], [0, 0, 0, 0, 4, 0, 0, 0]), "0.14+") == (
        "a move that captures at once must be played"
    )


def test_the_seeds_facing_are_sown_from_an_end_of_the_own_front_row_that_pit_included() -> None:
    left = play(start(*MARKERS), "0.12-")
    # Four from A1 to A4, which holds seeds and faces none by then: on with its four.
    assert list(left.steps) == steps("hand A4 -a5=4 A1 A2 A3 A4 -A4=4 A5 A6 A7 A8")
    right = play(start(*MARKERS), "0.12+")
    assert list(right.steps) == steps("hand A4 -a5=4 A8 A7 A6 A5")


def test_the_capturing_seeds_stay() -> None:
    assert rows(play(start(*MARKERS), "0.12+").state) == [[0, 1, 0, 3, 1, 1, 4, 1], [0] * 8]


def test_only_the_front_row_is_captured() -> None:
    back = [5] * 8
    ply = play(start(*MARKERS, behind=back), "0.12+")
    assert rows(ply.state, 1) == [[0, 1, 0, 0, 0, 0, 2, 1], back]


@pytest.mark.parametrize(("column", "end"), [(1, "-"), (2, "-"), (7, "+"), (8, "+")])
def test_the_two_pits_at_an_end_sow_from_that_end(column: int, end: str) -> None:
    front, facing = [0] * 8, [0] * 8
    front[column - 1] = facing[8 - column] = 2
    case = start(front, [*facing[:-1], 1] if column != 1 else [1, *facing[1:]])
    other = "+" if end == "-" else "-"
    assert legal(case) == [f"0.{16 - column}{end}"]
    assert why_not(case, f"0.{16 - column}{other}") == (
        "what is captured there is sown from the nearer end of the row"
    )


def test_relay_goes_on_the_same_way() -> None:
    # Two from A8 to A7: on with its three, leftwards.
    ply = play(start([0, 0, 0, 1, 0, 0, 2, 0], [1, 0, 0, 0, 2, 0, 0, 0]), "0.12+")
    assert list(ply.steps) == steps("hand A4 -a5=2 A8 A7 -A7=3 A6 A5 A4 -A4=3 A3 A2 A1")


def test_a_capture_on_the_way_keeps_the_way_round() -> None:
    # Three from the left end to A3, which faces a6: its two are sown from the left end again.
    ply = play(start([0, 0, 1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 3, 2, 0, 0]), "0.12-")
    assert list(ply.steps) == steps("hand A4 -a5=3 A1 A2 A3 -a6=2 A1 A2 -A2=2 A3 A4 -A4=3 A5 A6 A7")


def test_a_capture_by_a_pit_at_the_other_end_turns_it_round() -> None:
    # Rightwards from A1 to A7, which faces a2: what it takes is sown from the right end, leftwards.
    ply = play(start([0, 0, 0, 1, 0, 0, 1, 0], [1, 2, 0, 0, 7, 0, 0, 0]), "0.12-")
    assert list(ply.steps) == steps(
        "hand A4 -a5=7 A1 A2 A3 A4 A5 A6 A7 -a2=2 A8 A7 -A7=3 A6 A5 A4 -A4=4 A3 A2 A1 B1"
    )


def test_captures_go_on_after_laps_that_capture_nothing() -> None:
    # Two to A2, which faces nothing: on with three to A5, which faces a4.
    ply = play(start([0, 2, 0, 1, 1, 0, 0, 0], [1, 0, 0, 1, 2, 0, 0, 0]), "0.12-")
    assert list(ply.steps) == steps(
        "hand A4 -a5=2 A1 A2 -A2=3 A3 A4 A5 -a4=1 A1 -A1=2 A2 A3 -A3=2 A4 A5 -A5=3 A6 A7 A8"
    )


def test_a_last_seed_in_an_empty_pit_ends_the_move() -> None:
    ply = play(start([0, 0, 0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 2, 0, 0, 2]), "0.12-")
    # A2 was empty, whatever faces it.
    assert list(ply.steps) == steps("hand A4 -a5=2 A1 A2")


# Moves that capture nothing, with a seed from the hand


def test_the_pit_with_the_seed_is_lifted_and_sown_either_way() -> None:
    case = start([0, 0, 0, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0])
    assert legal(case) == ["0.12+", "0.12-"]
    assert list(play(case, "0.12+").steps) == steps("hand A4 -A4=3 A3 A2 A1")
    assert list(play(case, "0.12-").steps) == steps("hand A4 -A4=3 A5 A6 A7")


def test_it_captures_nothing_wherever_its_laps_end() -> None:
    # The second lap ends in A5, which the first has filled and which faces a4 with three.
    ply = play(start([0, 0, 0, 2, 0, 0, 13, 0], [0, 0, 0, 3, 0, 0, 0, 0]), "0.12-")
    assert list(ply.steps) == steps(
        "hand A4 -A4=3 A5 A6 A7 -A7=14 A8 B8 B7 B6 B5 B4 B3 B2 B1 A1 A2 A3 A4 A5 -A5=2 A6 A7"
    )
    assert rows(ply.state, 1)[0] == [0, 0, 0, 3, 0, 0, 0, 0]


def test_seed_goes_only_into_a_front_pit_that_holds_seeds() -> None:
    case = start([0, 0, 0, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], back=[3] * 8)
    assert legal(case) == ["0.12+", "0.12-"]
    for move in ("0.3+", "0.13+"):
        assert why_not(case, move) == "a seed is brought into a front pit that holds seeds"


def test_not_to_a_single_seed_while_another_front_pit_has_more() -> None:
    case = start([0, 1, 0, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0])
    assert legal(case) == ["0.12+", "0.12-"]
    assert why_not(case, "0.14+") == "no seed is brought to a single seed while another front pit has more"
    singles = start([0, 1, 0, 1, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0])
    assert legal(singles) == ["0.12+", "0.12-", "0.14+", "0.14-"]


def test_but_any_pit_will_do_while_the_house_stands() -> None:
    case = start([0, 1, 0, 2, 6, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], houses=(1, 0))
    assert legal(case) == ["0.12+", "0.12-", "0.14+", "0.14-"]


def test_only_not_the_house_itself_while_another_front_pit_holds_seeds() -> None:
    case = start([0, 1, 0, 2, 6, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], houses=(1, 0))
    assert why_not(case, "0.11+") == "no seed is brought into a house while another front pit has any"
    # With five seeds, or when it is no house any more, it is a pit like others.
    five = start([0, 1, 0, 2, 5, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], houses=(1, 0))
    assert legal(five) == ["0.11+", "0.11-", "0.12+", "0.12-"]
    lost = start([0, 1, 0, 2, 6, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0])
    assert legal(lost) == ["0.11+", "0.11-", "0.12+", "0.12-"]


def test_if_only_the_house_holds_seeds_two_of_them_are_sown() -> None:
    case = start([0, 0, 0, 0, 6, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], houses=(1, 0))
    assert legal(case) == ["0.11+", "0.11-"]
    left, right = play(case, "0.11+"), play(case, "0.11-")
    assert list(left.steps) == steps("hand A5 -A5=2 A4 A3")
    assert list(right.steps) == steps("hand A5 -A5=2 A6 A7")
    assert rows(right.state)[0] == [0, 0, 0, 0, 5, 1, 1, 0]
    # The house is not lost: it has too few seeds until it has six again.
    assert right.state.marks[0] == 1


def test_the_only_front_pit_with_seeds_is_not_sown_out_of_the_row() -> None:
    right_end = start([0, 0, 0, 0, 0, 0, 0, 2], [0, 2, 0, 0, 0, 0, 0, 0])
    assert legal(right_end) == ["0.8+"]
    assert why_not(right_end, "0.8-") == "the front row would be empty"
    left_end = start([2, 0, 0, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0, 0, 0])
    assert legal(left_end) == ["0.15-"]


# The house


def test_a_last_seed_in_the_house_ends_a_move_that_captures_nothing() -> None:
    case = start([0, 0, 2, 0, 6, 0, 0, 3], [0, 2, 0, 0, 0, 0, 0, 0], houses=(1, 0))
    ply = play(case, "0.8+")
    assert list(ply.steps) == steps("hand A8 -A8=4 A7 A6 A5 A4")
    ply = play(start([0, 1, 0, 0, 6, 0, 0, 2], [0, 2, 0, 0, 0, 0, 0, 0], houses=(1, 0)), "0.8+")
    assert list(ply.steps) == steps("hand A8 -A8=3 A7 A6 A5")
    assert ply.state.marks[0] == 1
    # Of a house that is lost the seven are sown on.
    ply = play(start([0, 1, 0, 0, 6, 0, 0, 2], [0, 2, 0, 0, 0, 0, 0, 0]), "0.8+")
    assert list(ply.steps) == steps("hand A8 -A8=3 A7 A6 A5 -A5=7 A4 A3 A2 A1 B1 B2 B3")


@pytest.mark.parametrize(("seeds", "stands"), [(5, True), (4, False)])
def test_a_house_stands_with_six_seeds_the_last_one_counted(seeds: int, stands: bool) -> None:
    case = start([0, 1, 0, 0, seeds, 0, 0, 2], [0, 2, 0, 0, 0, 0, 0, 0], houses=(1, 0))
    ply = play(case, "0.8+")
    assert (len(ply.steps) == len(steps("hand A8 -A8=3 A7 A6 A5"))) == stands
    # Lifted and sown it is lost for good.
    assert ply.state.marks[0] == stands


HOUSE = ([0, 0, 2, 0, 6, 0, 0, 0], [1, 0, 0, 0, 0, 5, 0, 0])
"""Five from a6 go from A1 to the house, which faces nothing."""


def test_move_that_captures_may_stop_in_the_house_or_sow_it() -> None:
    case = start(*HOUSE, houses=(1, 0))
    assert legal(case) == ["0.13+", "0.13-", "0.13-:1"]
    stop, go_on = play(case, "0.13-"), play(case, "0.13-:1")
    assert list(stop.steps) == steps("hand A3 -a6=5 A1 A2 A3 A4 A5")
    assert stop.state.marks[0] == 1
    assert list(go_on.steps) == steps("hand A3 -a6=5 A1 A2 A3 A4 A5 -A5=7 A6 A7 A8 B8 B7 B6 B5")
    assert go_on.state.marks[0] == 0


def test_what_lies_in_a_lost_house_is_sown_without_asking() -> None:
    case = start(*HOUSE)
    assert legal(case) == ["0.13+", "0.13-"]
    assert len(play(case, "0.13-").steps) > len(steps("hand A3 -a6=5 A1 A2 A3 A4 A5"))


def test_house_that_faces_seeds_captures_and_stands() -> None:
    ply = play(start([0, 0, 2, 0, 6, 0, 0, 0], [1, 0, 0, 2, 0, 5, 0, 0], houses=(1, 0)), "0.13-")
    assert list(ply.steps) == steps("hand A3 -a6=5 A1 A2 A3 A4 A5 -a4=2 A1 A2 -A2=2 A3 A4 -A4=2 A5 A6")
    assert ply.state.marks[0] == 1


def test_a_house_whose_seeds_are_captured_is_lost() -> None:
    case = start([0, 0, 0, 2, 0, 0, 0, 0], [1, 0, 0, 0, 6, 0, 0, 0], houses=(0, 1))
    ply = play(case, "0.12+")
    assert Lift(16 + 11, 6) in ply.steps
    assert ply.state.marks[1] == 0


LATE: dict[str, Any] = {"hands": (0, 0), "houses": (1, 0), "back": (2, 0, 0, 0, 0, 0, 0, 0)}


def test_without_seeds_in_hand_a_house_is_a_pit_like_others_unless_option_late_house() -> None:
    # Two from B1 to A2 take five, and these reach the house.
    front, facing = [0, 1, 0, 1, 6, 0, 0, 0], [1, 0, 0, 0, 0, 0, 5, 0]
    case = start(front, facing, **LATE)
    assert legal(case) == ["0.0-"]
    ply = play(case, "0.0-")
    assert list(ply.steps) == steps("-B1=2 A1 A2 -a7=5 A1 A2 A3 A4 A5 -A5=7 A6 A7 A8 B8 B7 B6 B5")
    assert ply.state.marks[0] == 0
    late = start(front, facing, **LATE, late_house=True)
    assert legal(late) == ["0.0-", "0.0-:1"]
    assert list(play(late, "0.0-").steps) == steps("-B1=2 A1 A2 -a7=5 A1 A2 A3 A4 A5")
    assert list(play(late, "0.0-:1").steps) == list(ply.steps)


# The second stage


def test_without_seeds_in_hand_a_pit_is_lifted() -> None:
    case = start([0, 0, 0, 2, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 2], hands=(0, 0))
    assert list(play(case, "0.12+").steps) == steps("-A4=2 A3 A2")


def test_each_player_has_an_own_hand() -> None:
    case = start([0, 0, 0, 2, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0, 0, 0], hands=(0, 1))
    game, _ = case
    ply = play(case, "0.12+")
    assert game.play(ply.state, game.parse("1.12+")).steps[0] == Lift(NORTH, 1)


def test_capture_must_be_made_if_there_is_one_from_either_row() -> None:
    # A5's three reach A2 or A8, B1's two reach A2; A2 faces a7.
    case = start(
        [0, 1, 0, 0, 3, 0, 0, 0], [0, 0, 0, 0, 0, 0, 2, 1], back=[2, 0, 0, 0, 0, 0, 0, 0], hands=(0, 0)
    )
    assert legal(case) == ["0.0-", "0.11+"]
    assert why_not(case, "0.11-") == "a move that captures at once must be played"
    assert list(play(case, "0.0-").steps)[:6] == steps("-B1=2 A1 A2 -a7=2 A1 A2")


def test_what_the_first_lap_captures_goes_on_that_way_round_or_from_the_nearer_end() -> None:
    # Leftwards to A4: its two from the right end.
    case = start([0, 0, 0, 1, 0, 2, 0, 0], [1, 0, 0, 0, 2, 0, 0, 0], hands=(0, 0))
    assert list(play(case, "0.10+").steps) == steps("-A6=2 A5 A4 -a5=2 A8 A7")
    # Leftwards to A2: its one from the left end, and rightwards from there.
    case = start([0, 1, 0, 2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1, 0], hands=(0, 0))
    assert list(play(case, "0.12+").steps) == steps("-A4=2 A3 A2 -a7=1 A1")


def test_single_seeds_are_not_lifted() -> None:
    case = start([0, 0, 0, 2, 0, 1, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], hands=(0, 0))
    assert legal(case) == ["0.12+", "0.12-"]
    assert why_not(case, "0.10+") == "that pit holds 1 seeds, too few to lift"


def test_capture_begins_with_fifteen_seeds_at_most() -> None:
    # Rightwards from B8 along the back row and up to A8, which faces a1.
    fifteen = start([1, 0, 0, 0, 0, 0, 0, 1], [2, *BARE[1:]], back=[*BARE[:7], 15], hands=(0, 0))
    assert legal(fifteen) == ["0.7-"]
    assert Lift(31, 2) in play(fifteen, "0.7-").steps
    # And from A7, with one more, once round to A8's neighbour and on to A8 itself.
    more = start([1, 0, 0, 0, 0, 0, 17, 1], [2, *BARE[1:]], hands=(0, 0))
    assert legal(more) == ["0.9+", "0.9-"]
    assert Lift(31, 2) not in play(more, "0.9-").steps


def test_sixteen_seeds_are_sown_into_their_own_pit_too() -> None:
    case = start([1, 0, 0, 16, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1], hands=(0, 0))
    assert legal(case) == ["0.12+", "0.12-"]
    for move in ("0.12+", "0.12-"):
        ply = play(case, move)
        assert len(ply.steps) == 17
        assert rows(ply.state) == [[2, 1, 1, 1, 1, 1, 1, 1], [1] * 8]


def test_without_a_capture_the_front_row_comes_first() -> None:
    case = start(
        [0, 0, 0, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], back=[0, 0, 0, 4, 0, 0, 0, 0], hands=(0, 0)
    )
    assert legal(case) == ["0.12+", "0.12-"]
    assert why_not(case, "0.3+") == "a front pit must be lifted where one can be"
    single = start(
        [0, 0, 0, 1, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], back=[0, 0, 0, 4, 0, 0, 0, 0], hands=(0, 0)
    )
    assert legal(single) == ["0.3+", "0.3-"]


def test_nor_in_the_second_stage_is_the_only_front_pit_with_seeds_sown_out_of_the_row() -> None:
    case = start(
        [0, 0, 0, 0, 0, 0, 0, 3], [0, 2, 0, 0, 0, 0, 0, 0], back=[0, 0, 0, 4, 0, 0, 0, 0], hands=(0, 0)
    )
    assert legal(case) == ["0.8+"]
    assert why_not(case, "0.8-") == "the front row would be empty"


def test_move_that_never_ends_is_not_legal() -> None:
    front = [0, 2, 1, 2, 3, 0, 3, 0]
    case = start(front, [0, 0, 0, 0, 0, 0, 0, 1], back=[2, 1, 0, 3, 2, 3, 0, 1], hands=(0, 0))
    game, state = case
    # By the book, with all that has been found before kept in a set.
    pits, at, seen = list(state.pits[:16]), 14, set[tuple[int, ...]]()
    while (at, *pits) not in seen:
        seen.add((at, *pits))
        hand, pits[at] = pits[at], 0
        assert any(pits[8:])
        for _ in range(hand):
            at = (at + 1) % 16
            pits[at] += 1
        assert pits[at] > 1
    assert why_not(case, "0.14+") == "its relay would never end"
    assert game.sow(state.counts, 0, Move(14, 1), marks=state.marks).endless


# The end


def result(ply: Ply) -> tuple[tuple[int, ...], str] | None:
    ended = ply.state.result
    return None if ended is None else (ended.winners, ended.reason)


def test_who_takes_the_last_seeds_of_the_front_row_has_won_at_once() -> None:
    ply = play(start([0, 0, 0, 1, 0, 0, 2, 0], [0, 0, 0, 0, 2, 0, 0, 0], behind=[5] * 8), "0.12+")
    # The two in the hand are laid out, and A7's are not sown on.
    assert list(ply.steps) == steps("hand A4 -a5=2 A8 A7")
    assert result(ply) == ((0,), "the front row of player 1 is empty")
    assert ply.state.result is not None
    assert ply.state.result.scores == (1, 0)


def test_who_cannot_move_has_lost() -> None:
    case = start([0, 0, 0, 2, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1], behind=[1] * 8, hands=(0, 0))
    assert result(play(case, "0.12+")) == ((0,), "player 1 cannot move")


# Takasia


KIBA = (
    [0, 2, 0, 0, 1, 1, 0, 0], [1, 0, 1, 2, 10, 0, 0, 10],
    [0, 0, 2, 2, 0, 2, 6, 4], [2, 2, 8, 4, 1, 2, 1, 0],
)  # fmt: skip
"""The position of K.I.B.A.'s rules, section 4.5: South has just made a takata, and blocked North's a4."""


def before_kiba(**options: Any) -> tuple[Game, State]:
    """The same, with A5 and A6 still in A7."""
    return start([0, 2, 0, 0, 0, 0, 2, 0], *KIBA[1:], hands=(0, 0), **options)


def test_after_a_takata_the_only_pit_that_can_be_captured_is_blocked() -> None:
    ply = play(before_kiba(), "0.9+")
    assert rows(ply.state) == [list(KIBA[0]), list(KIBA[2])]
    # a4 is North's pit 12, 28 of all, counted from 1.
    assert ply.state.marks == (0, 0, 29)


def test_its_owner_may_not_lift_it_in_the_next_move() -> None:
    case = start(*KIBA, hands=(0, 0), blocked=29, player=1)
    assert legal(case) == ["1.8+", "1.8-", "1.11+", "1.11-"]
    assert why_not(case, "1.12+") == "that pit is blocked for this turn"
    assert "1.12+" in legal(start(*KIBA, hands=(0, 0), player=1))


@pytest.mark.parametrize(
    ("move", "laps", "last", "seeds"),
    [("1.8-", 1, 14, 2), ("1.8+", 5, 12, 5), ("1.11-", 2, 14, 2), ("1.11+", 10, 13, 6)],
)
def test_a_relay_ends_in_it_and_passes_through_it(move: str, laps: int, last: int, seeds: int) -> None:
    # The four answers of North in that position: how many laps, where they end, what lies in a4 then.
    ply = play(start(*KIBA, hands=(0, 0), blocked=29, player=1), move)
    assert sum(isinstance(step, Lift) for step in ply.steps) == laps
    assert ply.steps[-1] == Drop(16 + last)
    assert ply.state.pits[28] == seeds
    assert ply.state.marks[-1] == 0


def test_it_is_no_rule_of_the_first_stage_or_without_the_option() -> None:
    assert play(before_kiba(takasia=False), "0.9+").state.marks == (0, 0)
    game, state = before_kiba()
    in_hand = game.start(state.pits, (0, 1), 0, (0, 0, 0))
    assert game.play(in_hand, game.parse("0.9+")).state.marks[-1] == 0


def blocked_after(
    move: str, front: Sequence[int], back: Sequence[int], facing: Sequence[int], house: int = 0
) -> int:
    """North's own number from 1 of the pit that a takata of South blocks, 0 for none."""
    case = start(front, facing, back=back, hands=(0, 0), houses=(0, house))
    mark = play(case, move).state.marks[-1]
    return mark - 16 if mark else 0


TAKATA = ("0.13+", [0, 0, 2, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0, 0, 0])
"""A3's two go to A2 and A1; from then on B2's two would end in A1, which faces a8, North's pit 8."""


def test_not_a_single_seed_nor_the_only_pit_with_seeds_or_with_more_than_one() -> None:
    assert blocked_after(*TAKATA, [0, 0, 2, 0, 0, 0, 0, 2]) == 8 + 1
    assert blocked_after(*TAKATA, [0, 0, 2, 0, 0, 0, 0, 1]) == 0
    assert blocked_after(*TAKATA, [0, 0, 0, 0, 0, 0, 0, 2]) == 0
    assert blocked_after(*TAKATA, [0, 0, 1, 0, 0, 0, 0, 2]) == 0


@pytest.mark.parametrize(("house", "seeds", "blocked"), [(0, 7, 12), (1, 5, 12), (1, 7, 0)])
def test_nor_a_house_that_stands(house: int, seeds: int, blocked: int) -> None:
    # A6's two go to A5 and A4; B1's four would end in A4, which faces a5.
    facing = [0, 2, 0, 0, seeds, 0, 0, 0]
    assert blocked_after("0.10+", [0, 0, 0, 0, 0, 2, 0, 0], [4, *BARE[1:]], facing, house) == blocked


def test_not_if_two_pits_can_be_captured_or_the_opponent_can_capture() -> None:
    move, front, _ = TAKATA
    # B1's two would end in A2, which faces a7.
    assert blocked_after(move, front, [2, 2, *BARE[2:]], [0, 0, 2, 0, 0, 0, 0, 2]) == 9
    assert blocked_after(move, front, [2, 2, *BARE[2:]], [0, 0, 2, 0, 0, 0, 2, 2]) == 0
    # North's a6 would end in a8, which faces A1.
    assert blocked_after(*TAKATA, [0, 0, 2, 0, 0, 2, 0, 2]) == 0


# Bao la Kujifunza


def test_kujifunza_two_seeds_in_every_pit_none_in_hand_no_house_and_no_takasia() -> None:
    game = games.load("bao", {"variant": "kujifunza"})
    state = game.start()
    assert state.pits == (2,) * 32
    assert state.stores == (0, 0)
    assert state.marks == ()


@pytest.mark.parametrize(("depth", "nodes"), [(1, 16), (2, 108), (3, 500), (4, 1902)])
def test_kujifunza_has_as_many_moves_as_its_solver_counts(depth: int, nodes: int) -> None:
    # chrislovescoding/solve-bao on GitHub: moves from the positions 0, 1, 2 and 3 plies from the start.
    game = games.load("bao", {"variant": "kujifunza"})
    assert game.perft(game.start(), depth) == nodes


def test_kujifunza_has_no_house_to_keep() -> None:
    with pytest.raises(BadInput, match="there are no houses in kujifunza"):
        games.load("bao", {"variant": "kujifunza", "late_house": True})


# What others are told of a move


def test_what_is_captured_is_told_and_what_the_hand_brings_in() -> None:
    ply = play(start(*MARKERS), "0.12-")
    assert ply.captured == ((16 + 11, 4),)
    assert ply.gain == (-1, 0)
    assert play(start([0, 0, 0, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0]), "0.12+").captured == ()


def test_a_game_is_recorded_with_its_choices_and_captures() -> None:
    game, state = start(*HOUSE, houses=(1, 0))
    kept = Record(game, (Entry(game.parse("0.13-:1")),), start=state)
    text = write(kept)
    assert "1. 0.13-:1+5 *" in text
    assert "marks=1,0,0" in text
    again = read(text)
    assert again.plies == kept.plies


def test_no_more_is_lifted_from_a_house_than_must_be_in_it() -> None:
    rules = games.load("bao").rules
    assert rules.house is not None
    with pytest.raises(BadInput, match=r"house.tax is 7: 1 to 6 was expected"):
        replace(rules, house=replace(rules.house, tax=7))
