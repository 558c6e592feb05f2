"""The laps of a move, and the ways in which a hand goes wrong in one of them.

A slip bends what the hand does in a lap, up to its last seed. What follows from there, the rules say
(`Game.carried_on`): who skips a pit finds the last seed one hole further on, and lifts what lies there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from engine.game import Game
from engine.move import DIRECTIONS, Direction
from engine.step import Counts, Drop, Lift, Step, Take, after


@dataclass(frozen=True, slots=True)
class Lap:
    """What is lifted at once, and where it is sown."""

    done: tuple[Step, ...]
    """What the hand did before."""
    board: Counts
    """As it then lies."""
    lifts: tuple[Lift, ...]
    """One; or more, where what is captured is sown with it."""
    holes: tuple[int, ...]
    """By seed, in order."""
    takes: tuple[Take, ...]
    """What is captured while there are seeds in the hand."""
    way: Direction | None
    """The way round; None where it does not show."""
    last: bool

    @property
    def landed(self) -> int:
        """Where the last seed fell before this lap; -1 at the beginning of a move."""
        return next((step.pit for step in reversed(self.done) if isinstance(step, Drop)), -1)


@dataclass(frozen=True, slots=True)
class Slip:
    """A lap gone wrong."""

    kind: str
    pits: tuple[int, ...]
    """The holes that name it."""
    done: tuple[Step, ...]
    """All that the hand did, from the beginning of the move to the last seed of the lap."""
    counts: Counts
    way: Direction | None
    less: float = 0.0
    """Nats that it is less likely than others of its kind."""
    ends: bool = False
    """The hand does not go on: what it held is in a store."""


def laps(game: Game, player: int, counts: Counts, steps: Sequence[Step]) -> list[Lap]:
    """The laps of a move; what is captured after its last seed is in none."""
    found: list[Lap] = []
    at, hand, begun = 0, 0, 0
    while at < len(steps):
        step = steps[at]
        if isinstance(step, Lift) and not hand:
            begun = at
        hand += step.seeds if isinstance(step, Lift) else -1 if isinstance(step, Drop) else 0
        at += 1
        if isinstance(step, Drop) and not hand:
            within, done = steps[begun:at], tuple(steps[:begun])
            lifts = tuple(one for one in within if isinstance(one, Lift))
            holes = tuple(one.pit for one in within if isinstance(one, Drop))
            takes = tuple(one for one in within if isinstance(one, Take))
            path = [lifts[0].pit, *holes][-2:]
            ways = (way for way in DIRECTIONS if game.next_hole(player, path[0], way) == path[1])
            last = not any(isinstance(one, Lift) for one in steps[at:])
            board = after(found[-1].board, steps[len(found[-1].done) : begun]) if found else counts
            found.append(Lap(done, board, lifts, holes, takes, next(ways, None), last))
    return found


_drop = cache(Drop)


def _slip(
    kind: str, pits: Sequence[int], lap: Lap, holes: Sequence[int], lifts: Sequence[Lift] | None = None,
    way: Direction | None = None,
) -> Slip:  # fmt: skip
    """The lap sown into `holes` instead. What is captured in passing is taken where its count comes about."""
    counts, done = list(lap.board), list(lap.done)
    for lift in lap.lifts if lifts is None else lifts:
        counts[lift.pit] -= lift.seeds
        done.append(lift)
    for left, hole in zip(range(len(holes) - 1, -1, -1), holes, strict=True):
        counts[hole] += 1
        done.append(_drop(hole))
        for take in lap.takes:
            if left and take.pit == hole and take.seeds == counts[hole]:
                counts[hole] -= take.seeds
                counts[take.to] += take.seeds
                done.append(take)
    return Slip(kind, tuple(pits), tuple(done), tuple(counts), way or lap.way)


def slips(game: Game, player: int, lap: Lap) -> Iterator[Slip]:
    """The ways in which seeds are sown wrong."""
    holes, seeds = lap.holes, len(lap.holes)
    beyond = game.next_hole(player, holes[-1], lap.way) if lap.way else -1
    if beyond >= 0:
        yield _slip("sown_long", (holes[-1], beyond), lap, [*holes[:-1], beyond])
        for at in range(seeds - 1):
            yield _slip("skipped_pit", (holes[at],), lap, [*holes[:at], *holes[at + 1 :], beyond])
    if seeds > 1:
        yield _slip("sown_short", (holes[-1], holes[-2]), lap, [*holes[:-1], holes[-2]])
    for at in range(seeds - 2):
        yield _slip("double_drop", (holes[at],), lap, [*holes[: at + 1], *holes[at:-1]])
    for lift in lap.lifts:
        for left in range(1, lift.seeds):
            lifts = [Lift(one.pit, one.seeds - left) if one == lift else one for one in lap.lifts]
            yield _slip("seeds_left_behind", (lift.pit,), lap, holes[: seeds - left], lifts)
    if lap.way:
        yield from _strangers_store(game, player, lap, lap.way)


def _strangers_store(game: Game, player: int, lap: Lap, way: Direction) -> Iterator[Slip]:
    """A seed in a store that is not sown: instead of the own one, or in passing."""
    board, path = game.rules.board, [lap.lifts[0].pit, *lap.holes[:-1]]
    own = board.store(player)
    sown = any(board.store(0) in course for course in board.course)
    # Where each has the pits of one side, a store lies where one side ends.
    sides = sum(one != other for one, other in pairwise([board.owner[-1], *board.owner])) == game.players
    unsown = sides and not sown
    for other in range(game.players):
        store = board.store(other)
        if other != player and own in lap.holes:
            holes = [store if hole == own else hole for hole in lap.holes]
            yield _slip("wrong_store", (store, own), lap, holes)
        for at, hole in enumerate(path):
            following = game.next_hole(other, hole, way) if hole < game.pits else -1
            # Where stores are not sown, who is used to it sows them between one row and the next.
            between = unsown and 0 <= following < game.pits and board.owner[following] != board.owner[hole]
            if following == store != own or between:
                slip = _slip("wrong_store", (store,), lap, [*lap.holes[:at], store, *lap.holes[at:-1]])
                yield replace(slip, less=float(between))


def along(game: Game, player: int, pit: int, way: Direction, seeds: int) -> list[int] | None:
    """The holes that so many seeds go into after `pit`; None where the course does not pass there."""
    holes = [pit]
    while len(holes) <= seeds and holes[-1] >= 0:
        holes.append(game.next_hole(player, holes[-1], way))
    return holes[1:] if holes[-1] >= 0 else None


def turned(game: Game, player: int, lap: Lap) -> Iterator[Slip]:
    """A later lap sown the wrong way round."""
    if not (lap.done and lap.way):
        return
    back: Direction = DIRECTIONS[lap.way > 0]
    first, front = lap.holes[0], game.rules.board.front(player)
    lifted = lap.lifts[0].pit
    holes = along(game, player, lifted, back, len(lap.holes))
    if game.next_hole(player, lifted, lap.way) == first and holes:
        yield _slip("wrong_direction", (lifted,), lap, holes, way=back)
    elif front and first in (front[0], front[-1]):
        # What is captured begins at an end of the row: at the other one.
        end = front[-1] if first == front[0] else front[0]
        if rest := along(game, player, end, back, len(lap.holes) - 1):
            yield _slip("wrong_direction", (lifted,), lap, [end, *rest], way=back)


def mis_captured(game: Game, player: int, lap: Lap) -> Iterator[Slip]:
    """What is captured in a lap, or before it, is left lying, or put where it does not belong."""
    for take in lap.takes:
        others = tuple(other for other in lap.takes if other != take)
        yield _slip("capture_missed", (take.pit,), replace(lap, takes=others), lap.holes)
    landed = lap.landed
    prey = tuple(lift for lift in lap.lifts if lift.pit != landed)
    if landed < 0 or not lap.way or lap.board[landed] == 0:
        return
    own = Lift(landed, lap.board[landed])
    if prey and landed < game.pits:
        pits = tuple(lift.pit for lift in prey)
        if holes := along(game, player, landed, lap.way, own.seeds):
            yield _slip("capture_missed", pits, lap, holes, [own])
        if len(prey) > 1:
            fewer = [lift for lift in lap.lifts if lift != prey[-1]]
            seeds = sum(lift.seeds for lift in fewer)
            yield _slip("capture_missed", pits[1:], lap, lap.holes[:seeds], fewer)
        if own not in lap.lifts:
            rest = along(game, player, lap.holes[-1], lap.way, own.seeds)
            yield _slip("capture_wrong", (landed,), lap, [*lap.holes, *(rest or ())], [own, *lap.lifts])
        for store in range(game.pits, game.pits + game.players):
            stored = [Take(lift.pit, lift.seeds, store) for lift in prey]
            counts = after(lap.board, stored)
            yield Slip(
                "capture_to_wrong_store", (store, *pits), (*lap.done, *stored), counts, None, ends=True
            )
    facing = game.rules.board.across[landed] if landed < game.pits else -1
    if not prey and facing >= 0 and lap.board[facing] and game.next_hole(player, facing, 1) < 0:
        # Four rows: what faces the last seed is sown with it, though nothing is to be captured.
        lifts = [own, Lift(facing, lap.board[facing])]
        if holes := along(game, player, landed, lap.way, own.seeds + lap.board[facing]):
            yield _slip("capture_wrong", (facing,), lap, holes, lifts)


def brought_in(game: Game, player: int, first: Lap, lap: Lap) -> Iterator[Slip]:
    """A seed from the hand that opens a move is forgotten, or two are brought in; `lap` comes next."""
    (drawn,) = first.lifts
    store, pit = drawn.pit, first.holes[0]
    joined = lap.lifts[0].pit == pit
    counts = first.board
    for brought in (0, 2):
        if brought > counts[store]:
            continue
        opening: tuple[Step, ...] = (Lift(store, brought), Drop(pit), Drop(pit)) if brought else ()
        lifts = [Lift(pit, lap.lifts[0].seeds + brought - 1)] if joined else list(lap.lifts)
        seeds, way = sum(lift.seeds for lift in lifts), lap.way
        holes = list(lap.holes[:seeds])
        if seeds > len(holes) and way:
            holes += along(game, player, holes[-1], way, seeds - len(holes)) or []
        if seeds != len(holes):
            continue
        bent = replace(lap, done=opening, board=after(counts, opening), takes=())
        kind, name = ("double_drop", pit) if brought else ("seeds_left_behind", store)
        yield _slip(kind, (name,), bent, holes, lifts)


def too_far(game: Game, player: int, lap: Lap) -> Iterator[Slip]:
    """The last seed of a move is lifted, with those it joined, and sown on."""
    pit = lap.holes[-1]
    counts = _slip("", (), lap, lap.holes)
    # A single seed sown on is no more than one sown too far.
    if pit < game.pits and counts.counts[pit] > 1:
        lift = Lift(pit, counts.counts[pit])
        for way in DIRECTIONS:
            if holes := along(game, player, pit, way, lift.seeds):
                last = Lap(counts.done, counts.counts, (lift,), tuple(holes), (), way, last=True)
                yield _slip("relay_too_far", (pit,), last, holes)
