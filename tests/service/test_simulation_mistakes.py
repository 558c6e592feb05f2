"""Every mistake of the simulated hand, worked by hand; and what holds for all of them in any position.

Holes of Kalah and Oware: South's A to F are 0 to 5, North's a to f are 6 to 11, the stores 12 and 13.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from engine.game import Game, State
from engine.move import Move
from service.simulation import mistakes
from service.simulation.hand import (
    Bump,
    Find,
    Gesture,
    Grab,
    Lose,
    Put,
    Sow,
    Touch,
    counts_after,
    putting_right,
)
from service.simulation.mistakes import Mistake

KALAH = games.load("kalah")
OWARE = games.load("oware")
START = KALAH.start()
A, B, C, D, E, F, a, b, c, d, e, f = (Move(pit) for pit in range(12))
NORTH = (4, 4, 4, 4, 4, 4)

CAPTURES = KALAH.start((1, 0, 0, 1, 0, 4, 4, 3, 0, 0, 0, 0), (0, 0), 0)
"""South's D falls into the empty E and takes the 3 of North's b, which faces it."""
HUNGRY = OWARE.start((1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0), (22, 23), 0)
"""North has no seeds: South must sow F, which feeds, and not A."""


def found(game: Game, state: State, kind: str, move: Move) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Boards that the mistake can leave, each with the holes that name it."""
    ways = mistakes.ways(game, state, kind, move, np.random.default_rng(1))
    assert all(way.kind == kind for way in ways)
    return {way.counts: way.pits for way in ways}


@pytest.mark.parametrize(
    ("kind", "move", "boards"),
    [
        ("sown_short", C, {(4, 4, 0, 5, 5, 6, *NORTH, 0, 0): (12, 5)}),
        ("sown_long", C, {(4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 0, 0): (12, 6)}),
        (
            "skipped_pit",
            A,
            {
                (0, 4, 5, 5, 5, 5, *NORTH, 0, 0): (1,),
                (0, 5, 4, 5, 5, 5, *NORTH, 0, 0): (2,),
                (0, 5, 5, 4, 5, 5, *NORTH, 0, 0): (3,),
            },
        ),
        (
            "double_drop",
            A,
            {(0, 6, 5, 5, 4, 4, *NORTH, 0, 0): (1,), (0, 5, 6, 5, 4, 4, *NORTH, 0, 0): (2,)},
        ),
        (
            "seeds_left_behind",
            A,
            {
                (1, 5, 5, 5, 4, 4, *NORTH, 0, 0): (0,),
                (2, 5, 5, 4, 4, 4, *NORTH, 0, 0): (0,),
                (3, 5, 4, 4, 4, 4, *NORTH, 0, 0): (0,),
            },
        ),
        ("wrong_direction", A, {(0, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 0, 0): (0,)}),
        ("wrong_player", a, {(4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 5, 4, 0, 0): (6,)}),
        ("wrong_player", f, {(5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 1): (11,)}),
        ("not_own_pit", f, {(5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0): (11,)}),
        ("not_own_pit", a, {}),
        ("wrong_store", C, {(4, 4, 0, 5, 5, 5, *NORTH, 0, 1): (13, 12)}),
        ("wrong_store", D, {(4, 4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 0, 1): (13, 12)}),
        ("wrong_store", A, {}),
        (
            "seeds_missing",
            C,
            {
                (4, 4, 0, 4, 5, 5, *NORTH, 1, 0): (3,),
                (4, 4, 0, 5, 4, 5, *NORTH, 1, 0): (4,),
                (4, 4, 0, 5, 5, 4, *NORTH, 1, 0): (5,),
            },
        ),
        (
            "seeds_added",
            C,
            {
                (4, 4, 0, 6, 5, 5, *NORTH, 1, 0): (3,),
                (4, 4, 0, 5, 6, 5, *NORTH, 1, 0): (4,),
                (4, 4, 0, 5, 5, 6, *NORTH, 1, 0): (5,),
                (4, 4, 0, 5, 5, 5, *NORTH, 2, 0): (12,),
            },
        ),
        (
            "capture_wrong",
            C,
            {
                (4, 4, 0, 5, 5, 5, *NORTH[:at], 0, *NORTH[at + 1 :], 5, 0): (6 + at,)
                for at in range(6)
            },
        ),
        ("capture_missed", C, {}),
        ("illegal_pit", A, {}),
    ],
)  # fmt: skip
def test_mistakes_at_the_start_of_kalah(
    kind: str, move: Move, boards: dict[tuple[int, ...], tuple[int, ...]]
) -> None:
    assert found(KALAH, START, kind, move) == boards


def test_mistakes_with_a_capture() -> None:
    right = (1, 0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 4, 0)
    assert KALAH.play(CAPTURES, D).state.counts == right
    assert found(KALAH, CAPTURES, "capture_missed", D) == {(1, 0, 0, 0, 1, 4, 4, 3, 0, 0, 0, 0, 0, 0): (4, 7)}
    assert found(KALAH, CAPTURES, "capture_to_wrong_store", D) == {
        (1, 0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 4): (13, 4, 7),
        (1, 0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 3, 1): (13, 4),
        (1, 0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 1, 3): (13, 7),
    }
    assert found(KALAH, CAPTURES, "capture_wrong", D) == {(1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 8, 0): (6,)}
    (missed,) = mistakes.ways(KALAH, CAPTURES, "capture_missed", D, np.random.default_rng(1))
    assert missed.plays
    assert missed.want == right


def test_an_opponent_without_seeds_is_not_fed() -> None:
    assert OWARE.legal(HUNGRY) == (F,)
    (made,) = mistakes.possible(OWARE, HUNGRY, "illegal_pit", np.random.default_rng(1))
    assert (made.move, made.pits) == (A, (0,))
    assert made.counts == (0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 22, 23)
    assert made.want == HUNGRY.counts


def test_one_pit_is_touched_and_another_sown() -> None:
    ways = mistakes.ways(KALAH, START, "touched_other_pit", C, np.random.default_rng(1))
    assert [way.pits for way in ways] == [(0, 2), (1, 2), (3, 2), (4, 2), (5, 2)]
    assert [way.then for way in ways] == [A, B, D, E, F]
    for way in ways:
        assert way.counts == (4, 4, 0, 5, 5, 5, *NORTH, 1, 0)
        assert way.want == START.counts
        touched = way.pits[0]
        match way.gestures:
            case (Touch(hole, seconds), *_):
                assert hole == touched
                assert seconds >= 0.6
            case (Grab(hole, 4), Put(back, 4), *_):
                assert hole == back == touched
            case _:
                pytest.fail(f"nothing was touched: {way.gestures}")
    assert {type(way.gestures[0]) for way in ways} == {Touch, Grab}


def test_a_bump_moves_seeds_between_neighbours() -> None:
    ways = mistakes.ways(KALAH, START, "board_disturbed", A, np.random.default_rng(1))
    assert ways
    for way in ways:
        ((bump),) = way.gestures
        assert isinstance(bump, Bump)
        assert all((source - target) % 12 in (1, 11) for source, target in bump.jumps)
        assert len(bump.jumps) >= 3
        assert sum(way.counts) == 48
        assert way.pits == tuple(hole for hole in range(14) if way.counts[hole] != START.counts[hole])
        assert way.want == START.counts


def test_two_mistakes_with_one_board_are_not_told_apart() -> None:
    # F goes into the store, a and b. Two into the store and none into b, or the one in b taken: all the same.
    state = KALAH.start((1, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0), (0, 0), 0)
    rng = np.random.default_rng(1)
    double = mistakes.ways(KALAH, state, "double_drop", F, rng)
    alike = (1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 2, 0)
    assert [(way.counts, way.pits) for way in double] == [(alike, (12,))]
    assert found(KALAH, state, "capture_wrong", F)[alike] == (7,)
    assert mistakes.unmistakable(KALAH, state, double, rng) == ()
    long = mistakes.ways(KALAH, state, "sown_long", F, rng)
    assert mistakes.unmistakable(KALAH, state, long, rng) == long


def test_the_board_is_put_right_in_full_view() -> None:
    assert putting_right((4, 4, 0, 5, 5, 6, 0, 0), (4, 4, 0, 5, 5, 5, 1, 0)) == (Grab(5, 1), Put(6, 1))
    assert putting_right((1, 0), (1, 1)) == (Find(1), Put(1, 1))
    assert putting_right((1, 2), (1, 1)) == (Grab(1, 1), Lose(1))
    assert putting_right((1, 2), (1, 2)) == ()


def in_hand(gestures: tuple[Gesture, ...]) -> int:
    """Seeds in the hand when the gestures are done; it never holds fewer than none."""
    held = 0
    for gesture in gestures:
        match gesture:
            case Grab(_, seeds) | Find(seeds):
                held += seeds
            case Put(_, seeds) | Lose(seeds):
                held -= seeds
            case Sow():
                held -= 1
        assert held >= 0
    return held


BACK = {"wrong_player", "not_own_pit", "illegal_pit", "touched_other_pit", "board_disturbed"}


def check(game: Game, state: State, made: Mistake) -> None:
    assert counts_after(state.counts, made.gestures) == made.counts
    assert in_hand(made.gestures) == 0
    assert min(made.counts) >= 0
    assert counts_after(made.counts, putting_right(made.counts, made.want)) == made.want
    assert sum(made.want) == sum(state.counts)
    assert sum(made.counts) - sum(state.counts) == {"seeds_missing": -1, "seeds_added": 1}.get(made.kind, 0)
    assert made.pits
    if made.kind in BACK:
        assert (made.want, made.plays) == (state.counts, False)
    else:
        assert made.plays
        assert made.move is not None
        assert made.want == game.play(state, made.move).state.counts
    legal = {game.play(state, move).state.counts for move in game.legal(state)}
    assert (made.counts in legal) == (made.kind == "touched_other_pit")


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([KALAH, OWARE, games.load("kalah", {"seeds": 6})]), st.data())
def test_every_mistake_in_any_position_is_whole(game: Game, data: st.DataObject) -> None:
    state = game.start()
    for _ in range(data.draw(st.integers(0, 30))):
        state = game.play(state, data.draw(st.sampled_from(game.legal(state)))).state
        if state.player is None:
            break
    kind = data.draw(st.sampled_from(mistakes.KINDS))
    for made in mistakes.possible(game, state, kind, np.random.default_rng(1)):
        check(game, state, made)
    if state.player is None:
        assert not mistakes.possible(game, state, kind, np.random.default_rng(1))


def test_what_a_player_may_do_since_the_other_has_to_pass_is_no_mistake() -> None:
    game = games.load("mangala2")
    state = game.start((0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2), (54, 14), 1)
    # North sows e into f; South, who has nothing, passes; and North may sow the three of f: no relay too far.
    boards = found(game, state, "relay_too_far", e)
    assert (1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 54, 14) not in boards


def test_a_seed_in_the_store_of_who_is_about_to_capture_it_is_no_mistake() -> None:
    game = games.load("orient-standard", {"layout": "rows"})
    state = game.start((0, 0, 0, 0, 1, 1, 1, 0, 2, 0, 0, 1), (25, 17), 0)
    assert game.play(state, F).captured == ((6, 2),)
    # F's only seed goes into South's own store instead of a: as if one of a's two had been taken already.
    assert (0, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 26, 17) not in found(game, state, "wrong_store", F)
