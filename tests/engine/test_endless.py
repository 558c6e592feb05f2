"""Relays that never end, against a walk that keeps all it has found in a set."""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from engine import games
from engine.game import Game
from engine.move import DIRECTIONS, Move
from engine.rules import Board, Resown, Rules, two_rows
from engine.step import Drop, Lift

SMALL_LOOPS = Board(
    owner=(0, 0, 0, 0, 1, 1, 1, 1),
    across=(-1, -1, 7, 6, -1, -1, 3, 2),
    course=((0, 1, 2, 3), (4, 5, 6, 7)),
    behind=(-1, -1, 1, 0, -1, -1, 5, 4),
)
"""Each player sows round four pits, the last two of which face the opponent's."""


def finds(game: Game, pits: Sequence[int], move: Move) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Where the last seed of each lap falls, and the board then; for ever, if the relay never ends."""
    rules, board = game.rules, game.rules.board
    course = board.course[board.owner[move.pit]][:: move.direction]
    seeds, at = list(pits), course.index(move.pit)
    hand, seeds[move.pit] = seeds[move.pit], 0
    while True:
        for _ in range(hand):
            at = (at + 1) % len(course)
            seeds[course[at]] += 1
        pit = course[at]
        yield pit, tuple(seeds)
        if seeds[pit] == 1:
            return
        hand, seeds[pit] = seeds[pit], 0
        facing = board.across[pit]
        if rules.resown and facing >= 0 and seeds[facing]:
            gathered = [facing, board.behind[facing]][: 1 + (rules.resown.takes == "both_rows")]
            for prey in gathered:
                hand, seeds[prey] = hand + seeds[prey], 0


def settled(game: Game, pits: Sequence[int], move: Move) -> tuple[bool, tuple[int, ...]]:
    """Whether the relay never ends, and the board where it ends or first finds what it found before."""
    seen = set[tuple[int, tuple[int, ...]]]()
    for found in finds(game, pits, move):
        if found in seen:
            return True, found[1]
        seen.add(found)
    return False, found[1]


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        (Rules(board=two_rows(1, "off"), seeds=1, relay="onward"), 30),
        (Rules(board=two_rows(2, "off"), seeds=1, relay="onward"), 7),
        (Rules(board=two_rows(3, "off"), seeds=1, relay="onward"), 3),
        (Rules(board=SMALL_LOOPS, seeds=1, relay="onward", resown=Resown()), 2),
        (Rules(board=SMALL_LOOPS, seeds=1, relay="onward", resown=Resown(takes="both_rows")), 2),
    ],
)
def test_every_move_of_every_small_position(rules: Rules, most: int) -> None:
    game = Game("ring", {}, rules)
    endless = 0
    for pits in product(range(most + 1), repeat=game.pits):
        for move in (Move(pit, way) for pit in range(game.pits) if pits[pit] for way in DIRECTIONS):
            sown = game.sow((*pits, 0, 0), rules.board.owner[move.pit], move)
            assert (sown.endless, sown.counts[: game.pits]) == settled(game, pits, move), (pits, move)
            endless += sown.endless
    assert endless > 100


LONG = [
    0, 3, 3, 0, 4, 4, 1, 3, 1, 2, 3, 3, 1, 2, 2, 1, 2, 1, 0, 1, 7, 1, 2, 6, 0, 0, 1, 0, 2, 3, 5, 0,
]  # fmt: skip
"""From North's pit 4 the relay comes back to what it found after 126,216 laps."""
VERY_LONG = [
    2, 3, 2, 20, 3, 1, 5, 1, 7, 5, 3, 2, 0, 1, 4, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0,
]  # fmt: skip
"""From South's pit 4 it takes 2,945,126,304 laps."""


def test_a_long_cycle_is_stopped_where_it_begins() -> None:
    game = games.load("simple-mancala", {"endless": "stop"})
    move = Move(20, -1)
    ply = game.play(game.start(LONG, player=1), move)
    walk = list(zip(range(127_000), finds(game, LONG, move), strict=False))
    begins = next(lap for lap, found in walk if found == walk[lap + 126_216][1])
    assert begins > 0
    assert ply.state.pits == walk[begins][1][1]
    # One lap is in the trace for each find, the last of which is not sown on.
    lifts = [step for step in ply.steps if isinstance(step, Lift) and step.pit >= 16]
    assert len(lifts) == begins + 1
    # It does not come round sooner.
    assert len({found for _, found in walk[begins : begins + 126_216]}) == 126_216


def test_a_cycle_too_long_to_walk_is_known_at_once() -> None:
    game = games.load("simple-mancala")
    state = game.start(VERY_LONG)
    assert Move(4, -1) not in game.legal(state)
    assert "its relay would never end" in game.why_not(state, Move(4, -1))
    # The laps in which it gathers are few.
    assert len(game.sow(state.counts, 0, Move(4, -1)).steps) < 1000


def test_what_is_still_to_be_gathered_can_end_what_else_would_not_end() -> None:
    # At lap 32 nothing but North's front seeds stands between this relay and one that never ends; at lap 38
    # it is over.
    pits = [
        7, 3, 1, 2, 1, 0, 1, 0, 13, 2, 0, 2, 9, 1, 2, 1, 2, 1, 3, 0, 1, 0, 1, 1, 1, 1, 1, 1, 2, 0, 2, 2,
    ]  # fmt: skip
    game, move = games.load("simple-mancala"), Move(11, -1)
    sown = game.sow((*pits, 0, 0), 0, move)
    *_, (_, end) = walk = list(finds(game, pits, move))
    assert len(walk) == 39
    assert not sown.endless
    assert sown.counts[:32] == end


def test_the_lap_that_brings_a_seed_in_leads_into_the_cycle() -> None:
    pits = [
        1, 3, 2, 1, 2, 3, 4, 1, 2, 1, 3, 4, 1, 4, 1, 2, 2, 1, 2, 3, 2, 1, 2, 5, 0, 1, 2, 2, 1, 1, 3, 1,
    ]  # fmt: skip
    game = games.load("bao")
    sown = game.sow(game.start(pits).counts, 0, Move(1))
    assert sown.endless
    # Brought into pit 1, which makes four, sown as far as 5: and there the relay comes back after 626 laps.
    assert sown.steps == (Lift(32, 1), Drop(1), Lift(1, 4), Drop(2), Drop(3), Drop(4), Drop(5))
    at, seeds, laps = 5, list(sown.counts[:16]), 0
    while laps == 0 or (at, seeds) != (5, list(sown.counts[:16])):
        hand, seeds[at] = seeds[at], 0
        for _ in range(hand):
            at = (at + 1) % 16
            seeds[at] += 1
        assert seeds[at] > 1
        laps += 1
    assert laps == 626
