"""Turns and ends on plain numbers: what may be lifted, which sowings stand, and why play is over.

Told once, for `engine.game`, which makes moves, reasons and results of it, and for `engine.perft`, which
counts. Like `engine.sowing` it keeps to what a compiler for numbers takes as it stands.
"""

from typing import NamedTuple

from engine.rules import Rules
from engine.sowing import ENDLESS, HEADS, SLAM, Tables, has_seeds

ON, HEADS_TAKEN, FRONT_LOST, FRONT_WON, SLAMMED, MAJORITY, ROW_EMPTY, REPEATED = range(8)
"""Why play is over: not at all; seeds were captured at both ends of the board; the front row of the player to
move is empty, or of the other; every seed of the opponents was taken; a store holds more than half; a row is
empty; the position has stood too often."""


class Turns(NamedTuple):
    """What `Tables` lacks: the rules of turns and ends as flat numbers."""

    players: int
    first: list[int]
    """By player, and one more: where their part of `lifts` begins."""
    lifts: list[int]
    """`pit << 1 | way`, for each pit and way that a player may lift when it has the seeds."""
    must_feed: bool
    slam_forbidden: bool
    slam_ends: bool
    trial: bool
    """Of a pit with seeds enough only playing it tells whether it may be lifted."""
    majority: bool
    row_ends: bool
    row: list[int]
    """By pit: in whose row it counts for `row_ends`; -1 for none."""
    front_ends: bool
    front: list[int]
    """By pit: in whose front row it is; -1 for none."""
    repeats: int
    """How often a position stands before it ends play; 0 where it may stand for ever."""
    may_pass: bool
    passes_to_end: int


def turns(rules: Rules) -> Turns:
    """Flatten the rules of turns."""
    board, players = rules.board, range(rules.board.players)
    lifts = [
        [
            pit << 1 | int(direction < 0)
            for pit in board.own(player)
            if pit not in board.protected
            for direction in rules.ways(player)
        ]
        for player in players
    ]
    fronts = [board.front(player) for player in players]
    return Turns(
        players=len(players),
        first=[sum(map(len, lifts[:player])) for player in range(len(players) + 1)],
        lifts=[lift for own in lifts for lift in own],
        must_feed=rules.must_feed,
        slam_forbidden=rules.grand_slam == "forbidden",
        slam_ends=rules.grand_slam == "opponent_sweeps",
        trial=rules.relay != "none" or rules.grand_slam == "forbidden",
        majority=rules.end_at_majority,
        row_ends=rules.end != "to_move",
        row=[-1 if pit in board.protected else owner for pit, owner in enumerate(board.owner)],
        front_ends=rules.win in {"front_row", "front_row_or_immobile"},
        front=[owner if pit in fronts[owner] else -1 for pit, owner in enumerate(board.owner)],
        repeats=0 if rules.repetition == "none" else rules.repetition_count,
        may_pass=rules.no_move == "pass" and rules.win == "seeds",
        passes_to_end=rules.passes_to_end,
    )


def stands(t: Tables, u: Turns, counts: list[int], team: int, flags: int, fed: bool) -> bool:
    """Whether the rules let a sowing of `team` stand.

    Args:
        counts: as it left them.
        flags: as `engine.sowing.sow` gave them.
        fed: the opponents had seeds before it.
    """
    if flags & ENDLESS or (flags & SLAM and u.slam_forbidden):
        return False
    return not u.must_feed or fed or has_seeds(t, counts, team)


def over(t: Tables, u: Turns, counts: list[int], following: int, flags: int, total: int, stood: int) -> int:
    """Why play is over before `following` moves, as far as the board shows it; `ON` if it is not.

    Args:
        flags: of the sowing just done, 0 after a pass.
        total: seeds in the game.
        stood: how often this position has stood since the last capture, this time included.
    """
    if flags & HEADS:
        return HEADS_TAKEN
    if u.front_ends:
        if _is_empty(t, counts, u.front, following):
            return FRONT_LOST
        if _is_empty(t, counts, u.front, 1 - following):
            return FRONT_WON
    if flags & SLAM and u.slam_ends:
        return SLAMMED
    if u.majority:
        for store in range(t.pits, t.pits + u.players):
            if counts[store] > total - counts[store]:
                return MAJORITY
    if u.row_ends:
        for player in range(u.players):
            if _is_empty(t, counts, u.row, player):
                return ROW_EMPTY
    return REPEATED if 0 < u.repeats <= stood else ON


def _is_empty(t: Tables, counts: list[int], row: list[int], player: int) -> bool:
    for pit in range(t.pits):  # noqa: SIM110  a loop is what a compiler for numbers takes
        if counts[pit] and row[pit] == player:
            return False
    return True
