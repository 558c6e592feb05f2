"""The one sowing engine plays the other games of rules.md: by hand, and as independent programs played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from engine.game import Game, Ply, State
from engine.move import PASS, Direction, Move
from engine.rules import ByCount, Facing, Resown, Rules, shared_ring, two_rows
from engine.step import Drop, Lift, Take
from tests.engine import oracle, relatives
from tests.engine.test_vectors import SHARED

STANDARD_FOR_FOUR = Rules(board=shared_ring(4), seeds=6, directions=(1, -1), captures=(ByCount((2, 3)),))
SIMPLE_BOTH_ROWS = replace(relatives.SIMPLE, resown=Resown(takes="both_rows"))


def play(rules: Rules, pits: Sequence[int], pit: int, player: int = 0, direction: Direction = 1) -> Ply:
    game = relatives.game("relative", rules)
    return game.play(game.start(pits, player=player), Move(pit, direction))


def lift_and_drop(pit: int, *holes: int) -> list[Lift | Drop]:
    return [Lift(pit, len(holes)), *(Drop(hole) for hole in holes)]


# By hand. A ring of twelve: South 0 to 5, North 6 to 11, stores 12 and 13.


def test_standard_takes_back_along_the_sowing_until_a_pit_does_not_qualify() -> None:
    ply = play(relatives.STANDARD, [0, 0, 0, 0, 5, 1, 3, 1, 2, 1, 0, 5], 4)
    # 5 sown: pits 5 to 9 become 2, 4, 2, 3, 2. 9, 8 and 7 are taken; 6 holds 4 and breaks the chain.
    assert ply.state.counts == (0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 5, 7, 0)
    assert ply.captured == ((9, 2), (8, 3), (7, 2))


def test_standard_never_takes_the_movers_own() -> None:
    ply = play(relatives.STANDARD, [0, 0, 0, 2, 1, 2, 1, 0, 0, 0, 0, 5], 3)
    assert ply.state.counts == (0, 0, 0, 0, 2, 3, 1, 0, 0, 0, 0, 5, 0, 0)
    # 4, 5 and 6 become 2, 3 and 2; the chain stops at South's own 5.
    longer = play(relatives.STANDARD, [0, 0, 0, 3, 1, 2, 1, 0, 0, 0, 0, 5], 3)
    assert longer.captured == ((6, 2),)
    assert longer.state.counts == (0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 5, 2, 0)


@pytest.mark.parametrize(
    ("rules", "counts"),
    [
        (relatives.STANDARD, (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 0, 0)),
        (relatives.STANDARD_SKIPS, (0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 0, 0)),
    ],
)
def test_a_lap_drops_into_the_starting_pit_or_skips_it(rules: Rules, counts: tuple[int, ...]) -> None:
    assert play(rules, [12, *[0] * 10, 5], 0).state.counts == counts


def test_standard_for_four_takes_from_one_opponent_after_another_either_way_round() -> None:
    # Three pits each: 0-2, 3-5, 6-8, 9-11; stores 12 to 15.
    pits = [0, 0, 4, 1, 1, 1, 1, 9, 0, 0, 0, 9]
    onward = play(STANDARD_FOR_FOUR, pits, 2)
    assert onward.captured == ((6, 2), (5, 2), (4, 2), (3, 2))
    assert onward.state.counts == (0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9, 8, 0, 0, 0)
    back = play(STANDARD_FOR_FOUR, [4, 0, 0, 9, 0, 0, 0, 9, 2, 1, 1, 0], 0, direction=-1)
    # 11, 10, 9 and 8 become 1, 2, 2 and 3; the chain runs 8, 9, 10 and stops at 11.
    assert back.captured == ((8, 3), (9, 2), (10, 2))
    assert back.state.player == 1


def test_thunderclap_relays_until_an_empty_pit() -> None:
    ply = play(relatives.THUNDERCLAP, [4] * 12, 3)
    assert list(ply.steps) == [
        *lift_and_drop(3, 4, 5, 6, 7),
        *lift_and_drop(7, 8, 9, 10, 11, 0),
        *lift_and_drop(0, 1, 2, 3, 4, 5),
        *lift_and_drop(5, 6, 7, 8, 9, 10, 11),
        *lift_and_drop(11, 0, 1, 2, 3, 4, 5),
    ]
    assert ply.state.counts == (1, 6, 6, 2, 7, 1, 6, 1, 6, 6, 6, 0, 0, 0)


def test_thunderclap_gives_a_four_in_passing_to_its_owner_and_a_last_four_to_the_sower() -> None:
    ply = play(relatives.THUNDERCLAP, [0, 0, 0, 0, 4, 3, 3, 1, 3, 0, 0, 0], 4)
    assert list(ply.steps) == [
        Lift(4, 4), Drop(5), Take(5, 4, 12), Drop(6), Take(6, 4, 13), Drop(7), Drop(8), Take(8, 4, 12),
    ]  # fmt: skip
    assert ply.gain == (8, 4)
    assert ply.state.counts == (0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 8, 4)


def test_slingshot_turns_round_at_each_relay_and_takes_across_from_an_own_empty_pit() -> None:
    ply = play(relatives.SLINGSHOT, [5, 0, 2, 0, 1, 0, 0, 0, 0, 3, 0, 0], 2)
    # 3 and 4 get one each; 4 now holds 2, sown back into 3 and 2, which is empty: 2 and 9 across are taken.
    assert list(ply.steps) == [
        *lift_and_drop(2, 3, 4), *lift_and_drop(4, 3, 2), Take(2, 1, 12), Take(9, 3, 12),
    ]  # fmt: skip
    assert ply.state.counts == (5, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0)


def test_slingshot_takes_a_lone_seed_and_nothing_from_an_opponents_empty_pit() -> None:
    lone = play(relatives.SLINGSHOT, [5, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 3], 2)
    assert lone.captured == ((2, 1),)
    abroad = play(relatives.SLINGSHOT, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], 0, direction=-1)
    # 11 becomes 3, 10 and 9 get one each; 9 was empty.
    assert abroad.captured == ()
    assert abroad.state.counts == (0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3, 0, 0)


def test_simple_mancala_gathers_the_front_seeds_that_face_a_relay() -> None:
    # South's loop is 0-15, its front 8-15; 13 faces North's 26, 8 faces 31.
    ply = play(relatives.SIMPLE, [2] * 32, 5, direction=-1)
    assert list(ply.steps) == [
        *lift_and_drop(5, 4, 3),
        *lift_and_drop(3, 2, 1, 0),
        *lift_and_drop(0, 15, 14, 13),
        Lift(13, 3), Lift(26, 2), *(Drop(hole) for hole in (12, 11, 10, 9, 8)),
        Lift(8, 3), Lift(31, 2), *(Drop(hole) for hole in (7, 6, 5, 4, 3)),
    ]  # fmt: skip
    south = (0, 3, 3, 1, 4, 1, 3, 3, 0, 3, 3, 3, 3, 0, 3, 3)
    assert ply.state.pits == (*south, *[2] * 10, 0, *[2] * 4, 0)


def test_simple_mancala_can_gather_the_back_seeds_too() -> None:
    ply = play(
        SIMPLE_BOTH_ROWS, [0] * 9 + [1, 0, 2] + [0] * 4 + [0, 0, 0, 3] + [0] * 8 + [4, 0, 0, 0], 11, 0, -1
    )
    # The last of 2 seeds joins the one in 9; 30 faces it and holds nothing: nothing is gathered behind it.
    assert ply.steps[:4] == (Lift(11, 2), Drop(10), Drop(9), Lift(9, 2))
    assert ply.steps[4:] == (Drop(8), Drop(7))
    facing = play(SIMPLE_BOTH_ROWS, [0] * 9 + [1, 0, 2] + [0] * 4 + [0, 5] + [0] * 12 + [4, 0], 11, 0, -1)
    # 30 faces 9 and holds 4; 17 lies behind 30 and holds 5.
    assert facing.steps[:6] == (Lift(11, 2), Drop(10), Drop(9), Lift(9, 2), Lift(30, 4), Lift(17, 5))


def test_simple_mancala_does_not_lift_single_seeds() -> None:
    game = relatives.game("simple", relatives.SIMPLE)
    start = game.start([2, 1, 0, 3] + [0] * 12 + [2] * 16)
    assert [move.pit for move in game.legal(start)] == [0, 3]
    stuck = game.start([1] * 16 + [2] * 16)
    assert stuck.player is None
    assert stuck.result is not None
    assert stuck.result.reason == "player 0 cannot move"


def test_mangala_takes_even_pits_of_either_row() -> None:
    ply = play(relatives.MANGALA2, [1, 0, 0, 4, 5, 3, 1, 5, 0, 0, 0, 1], 3)
    # 4, 5, 6 and 7 become 6, 4, 2 and 6; all are taken, back to 3, which was emptied.
    assert ply.captured == ((7, 6), (6, 2), (5, 4), (4, 6))
    assert ply.state.counts == (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 18, 0)


def test_mangala_passes_when_a_row_is_empty() -> None:
    game = relatives.game("mangala2", relatives.MANGALA2)
    state = game.play(game.start([0, 0, 1, 0, 1] + [0] * 7), Move(2)).state
    assert game.legal(state) == (PASS,)
    passed = game.play(state, PASS).state
    assert (passed.player, passed.counts) == (0, state.counts)
    assert [move.pit for move in game.legal(passed)] == [3, 4]


# Congklak with five pits: South 0-4, North 5-9, stores 10 and 11. Sown clockwise, South's store after 0.
FIVE = relatives.congklak(5)
AFTER_LAP = replace(FIVE, captures=(Facing(after_lap=True),))


def test_congklak_moves_again_from_the_own_store_and_passes_over_the_others() -> None:
    home = play(FIVE, [0, 0, 3, 0, 0, 1, 1, 1, 1, 1], 2, direction=-1)
    assert home.state.counts == (1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0)
    assert home.state.player == 0
    round_ = play(FIVE, [7, 0, 0, 0, 0, 1, 1, 1, 1, 1], 0, direction=-1)
    # Store, 9, 8, 7, 6, 5, and over North's store to 4, which is empty: 5 across holds 2.
    assert round_.captured == ((4, 1), (5, 2))
    assert round_.state.counts == (0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 4, 0)


def test_congklak_relays_and_dies_in_an_empty_pit() -> None:
    ply = play(FIVE, [0, 2, 1, 1, 1, 0, 0, 0, 0, 2], 3, direction=-1)
    # 2 becomes 2: on into 1, which becomes 3, and 0, which was empty; 9 across holds 2.
    assert list(ply.steps) == [
        *lift_and_drop(3, 2), *lift_and_drop(2, 1, 0), Take(0, 1, 10), Take(9, 2, 10),
    ]  # fmt: skip
    nothing_across = play(FIVE, [0, 2, 1, 1, 1, 0, 0, 0, 2, 0], 3, direction=-1)
    assert nothing_across.state.counts == (1, 3, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0)
    assert nothing_across.state.player == 1


def test_congklak_may_ask_for_a_lap_before_it_takes() -> None:
    assert play(AFTER_LAP, [0, 2, 1, 1, 1, 0, 0, 0, 0, 2], 3, direction=-1).captured == ()
    assert play(AFTER_LAP, [7, 0, 0, 0, 0, 1, 1, 1, 1, 1], 0, direction=-1).captured == ((4, 1), (5, 2))


def test_a_protected_pit_is_not_lifted_and_not_taken_from() -> None:
    # 9 is North's, protected; 0 is South's, across from it.
    rules = replace(FIVE, board=replace(FIVE.board, protected=(2, 9)))
    assert play(rules, [0, 2, 1, 1, 1, 0, 0, 0, 0, 2], 1, direction=-1).captured == ()
    game = relatives.game("congklak", rules)
    start = game.start([0, 2, 1, 1, 1, 0, 0, 0, 0, 2])
    assert [move.pit for move in game.legal(start)] == [1, 3, 4]
    assert game.why_not(start, Move(2, -1)).startswith("that pit is closed for this round; ")
    # A last seed in a protected pit ends the turn.
    assert play(rules, [0, 2, 1, 1, 1, 0, 0, 0, 0, 2], 3, direction=-1).steps == tuple(lift_and_drop(3, 2))


def test_a_relay_that_never_ends_is_no_move() -> None:
    # Two pits: A's 3 leave 1 and 3, a's 3 leave 3 and 1 again.
    rules = Rules(board=two_rows(1, "off"), seeds=2, relay="onward", no_move="pass")
    game = relatives.game("two pits", rules)
    start = game.start([3, 1])
    assert game.legal(start) == (PASS,)
    assert game.why_not(start, Move(0)).startswith("its relay would never end; ")
    assert game.sow(start.counts, 0, Move(0)).endless


# As other programs played them.


def _as_it_is(pit: int) -> int:
    return pit


def _mirrored(row: int) -> Callable[[int], int]:
    """MancalaGames sows Dakon counter-clockwise with the store at the right: the board in a mirror."""
    return lambda pit: (row - 1 - pit) % (2 * row)


def _from_ludii(site: int) -> int:
    """Ludii counts the pits of four rows of eight row by row from the south, west to east."""
    row, column = divmod(site, 8)
    return (column, 15 - column, 24 + column, 23 - column)[row]


@dataclass(frozen=True, slots=True)
class Played:
    """A file, the rules that it was played by, and its pits in our order."""

    rules: Rules
    plies: int
    ours: Callable[[int], int] = _as_it_is


_SKIPS = replace(relatives.MANGALA2, skip_origin=True)
_MUST_PASS = replace(relatives.THUNDERCLAP, no_move="pass")
FILES: Mapping[str, Played] = {
    "mancalagames_orient_standaard_2p_sow_origin": Played(relatives.STANDARD, 2851),
    "mancalagames_orient_standaard_2p_skip_origin": Played(relatives.STANDARD_SKIPS, 2609),
    "mancalagames_orient_donderslag_2p_round": Played(relatives.THUNDERCLAP, 2545),
    "mancalagames_orient_donderslag_2p_round_mustpass": Played(_MUST_PASS, 6534),
    "mancalagames_orient_slinger_2p_0_6": Played(relatives.SLINGSHOT, 309),
    "mancalagames_orient_slinger_2p_2_11": Played(relatives.SLINGSHOT, 282),
    "mancalagames_orient_slinger_2p_3_9": Played(relatives.SLINGSHOT, 255),
    "mancalagames_orient_slinger_2p_5_8": Played(relatives.SLINGSHOT, 268),
    "mancalagames_mangala2_seed": Played(relatives.MANGALA2, 2377),
    "mancalagames_mangala2_seed_skip_origin": Played(_SKIPS, 930),
    "mancalagames_dakon_4x4_round1": Played(relatives.congklak(4), 265, _mirrored(4)),
    "mancalagames_dakon_6x6_round1": Played(relatives.congklak(6), 1374, _mirrored(6)),
    "mancalagames_dakon_7x7_round1": Played(relatives.congklak(7), 1644, _mirrored(7)),
    "ludii_einfach_cw": Played(relatives.SIMPLE, 2470, _from_ludii),
    "ludii_einfach_cw_v4": Played(SIMPLE_BOTH_ROWS, 647, _from_ludii),
}
GIVES_UP = "mancalagames_orient_slinger_2p_2_11, game 12, ply 33"
"""MancalaGames ends here as one seed is left. Its owner is to move and can: by rules.md, play goes on."""


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the vectors of other programs are not in {SHARED}")
@pytest.mark.parametrize("name", FILES)
def test_as_another_program_played_it(name: str) -> None:
    compared = 0
    for number, line in enumerate(oracle.read(SHARED / f"{name}.jsonl.gz"), 1):
        before = line["start"]
        for index, theirs in enumerate(line["plies"], 1):
            if theirs.get("disputed"):
                break
            _compare(FILES[name], before, theirs, f"{name}, game {number}, ply {index}")
            before = theirs
            compared += 1
    assert compared == FILES[name].plies


def _compare(file: Played, before: oracle.Line, theirs: oracle.Line, where: str) -> None:
    """Play one ply from the position that the program left."""
    game = relatives.game("relative", file.rules)
    state = game.start(_in_our_order(file, before), before.get("stores"), theirs["player"])
    assert sorted(game.legal(state)) == sorted(_move(file, move) for move in theirs["legal"]), where
    ply = game.play(state, _move(file, theirs["move"]))
    over = theirs["next"] == -1
    if over and not any(theirs["pits"]) and any(ply.state.pits):
        # The program has swept the board.
        assert (ply.state.result is None) == (where == GIVES_UP), where
        assert _swept(game, ply.state) == theirs["stores"], where
        return
    assert ply.state.pits == tuple(_in_our_order(file, theirs)), where
    if "stores" in theirs:
        assert ply.state.stores == tuple(theirs["stores"]), where
        assert ply.gain == tuple(theirs["gain"]), where
    following = ply.state
    if theirs.get("opp_passes"):
        assert game.legal(following) == (PASS,), where
        following = game.play(following, PASS).state
    if not (over and _decided(following)):
        assert following.player == (None if over else theirs["next"]), where


def _swept(game: Game, state: State) -> list[int]:
    """The stores, with what is left in each row."""
    own = game.rules.board.own
    return [store + sum(state.pits[pit] for pit in own(player)) for player, store in enumerate(state.stores)]


def _decided(state: State) -> bool:
    """Where MancalaGames stops though our round goes on: at a majority, and on an empty board."""
    return 2 * max(state.stores) > sum(state.counts) or not any(state.pits)


def _in_our_order(file: Played, line: oracle.Line) -> list[int]:
    pits = [0] * len(line["pits"])
    for theirs, seeds in enumerate(line["pits"]):
        pits[file.ours(theirs)] = seeds
    return pits


def _move(file: Played, move: int | Sequence[int]) -> Move:
    if isinstance(move, int):
        return Move(file.ours(move), file.rules.directions[0])
    return Move(file.ours(move[0]), 1 if move[1] > 0 else -1)
