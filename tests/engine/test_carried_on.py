"""A move that is under way, carried on by the rules: as it was, or from where a slip has left it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine import games
from engine.game import Game, State
from engine.move import DIRECTIONS, Direction, Move
from engine.step import Drop, Lift, Step, Take

A, B, C = Move(0), Move(1), Move(2)


def ends_of_laps(game: Game, player: int, steps: tuple[Step, ...]) -> Iterator[tuple[int, Direction]]:
    """How many steps are done at the end of each lap, and which way it went, where that shows."""
    hand = 0
    for done, step in enumerate(steps, start=1):
        hand += step.seeds if isinstance(step, Lift) else -1 if isinstance(step, Drop) else 0
        if isinstance(step, Drop) and not hand:
            here, there = [one.pit for one in steps[:done] if not isinstance(one, Take)][-2:]
            yield from ((done, way) for way in DIRECTIONS if game.next_hole(player, here, way) == there)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in games.names()),
        ("bao", {"variant": "kujifunza"}),
        ("congklak", {"short": "0 1 13"}),
        ("orient-thunderclap", {"players": 4}),
    ],
)
def test_the_end_of_every_lap_leads_to_the_rest_of_the_move(name: str, options: dict[str, Any]) -> None:
    game, rng = games.load(name, options), np.random.default_rng(1)
    state, seen = game.start(), 0
    for _ in range(20):
        player = state.player
        if player is None:
            break
        legal = game.legal(state)
        for move in (move for move in legal if move.sows and not move.choices):
            steps = game.sown(state, player, move).steps
            for done, way in ends_of_laps(game, player, steps):
                assert game.carried_on(state, player, move, steps[:done], way).steps == steps[done:]
                seen += 1
        state = game.play(state, legal[int(rng.integers(len(legal)))]).state
    assert seen > 50 or name == "bao"


def carried(game: Game, state: State, move: Move, *done: Step) -> tuple[Step, ...]:
    assert state.player is not None
    return game.carried_on(state, state.player, move, done, 1).steps


def test_a_relay_goes_on_from_where_a_slip_has_led_it() -> None:
    """Donderslag. A's two seeds belong in B and the empty C; with B skipped the second joins D's one."""
    game = games.load("orient-thunderclap")
    state = game.start([2, 0, 0, 1, 0, 0, 3, 3, 3, 3, 3, 3], [10, 17])
    assert carried(game, state, A, Lift(0, 2), Drop(2), Drop(3)) == (Lift(3, 2), Drop(4), Drop(5))


def test_a_slip_may_capture() -> None:
    """Kalah. A's one seed belongs in B; in C, which is empty, it takes the five of d."""
    game = games.load("kalah")
    state = game.start([1, 1, 0, 1, 1, 1, 1, 1, 1, 5, 1, 1], [17, 17])
    assert carried(game, state, A, Lift(0, 1), Drop(2)) == (Take(2, 1, 12), Take(9, 5, 12))
    assert carried(game, state, A, Lift(0, 1), Drop(1)) == ()


def test_a_sowing_that_has_been_round_the_board_captures_at_home() -> None:
    """Congklak. The sowing is back from North's row, and the last seed falls into the empty B."""
    game = games.load("congklak", {"pits": 4})
    state = game.start([1, 0, 1, 1, 1, 1, 1, 1], [13, 12])
    round_the_board = (Lift(0, 1), Drop(8), Drop(7), Drop(6), Drop(5), Drop(4), Drop(3), Drop(2), Drop(1))
    assert game.carried_on(state, 0, A, round_the_board, -1).steps == (Take(1, 1, 8), Take(6, 2, 8))
    # Never abroad, nothing is taken.
    assert game.carried_on(state, 0, C, (Lift(2, 1), Drop(1)), -1).steps == ()


def test_a_seed_in_a_store_that_is_not_sown_leads_nowhere() -> None:
    game = games.load("kalah")
    assert carried(game, game.start(), C, Lift(2, 4), Drop(3), Drop(4), Drop(5), Drop(13)) == ()
    assert carried(game, game.start(), B, Lift(1, 4), Drop(2), Drop(3), Drop(4), Drop(12)) == ()


def test_a_last_seed_in_the_pit_that_is_passed_over_captures_nothing() -> None:
    """Oware: f's eleven seeds, e passed over and the last in f itself. The two in A stay where they are."""
    game = games.load("oware")
    state = game.start([1, 1, 0, 0, 10, 9, 1, 4, 3, 3, 3, 11], [0, 2], 1)
    done: list[Step] = [Lift(11, 11), *map(Drop, range(10)), Drop(11)]
    assert game.carried_on(state, 1, Move(11, 1), done, 1).steps == ()
