"""Every way to explain a quiet board, from the last settled position.

An explanation is a board and its story: nothing happened; a legal move was played, to its end or up to its
captures or with seeds still in the hand; two moves were played at once; or somebody went wrong in one of the
ways in which people do. Each has a prior in nats. Legal moves have the better ones, but not by much: a
referee that snaps to legal moves sees no foul (field-notes.md 7).

The stories are made from the engine's traces alone; no rule of any game is known here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.game import Game, State
from engine.move import DIRECTIONS, Direction, Move
from engine.step import Counts, Drop, Lift, Step, Take, after, deferred, stages

Story = Literal["still", "move", "two_moves", "due", "hand", "earlier", "mistake", "unknown"]
"""Nothing happened; a move is done; two are; captures are to be lifted; seeds are in a hand; an earlier
position was restored; a mistake; nothing known explains the board."""

KINDS = (
    "wrong_player", "not_own_pit", "illegal_pit", "touched_other_pit", "seeds_left_behind", "sown_short",
    "sown_long", "skipped_pit", "double_drop", "wrong_direction", "wrong_store", "relay_not_continued",
    "relay_too_far", "capture_missed", "capture_wrong", "capture_to_wrong_store", "seeds_missing",
    "seeds_added", "taken_back", "board_disturbed",
)  # fmt: skip
"""Every kind of violation (design.md)."""

_PRIOR = {
    "still": 0.0,
    "move": 0.0,
    "due": -1.0,
    "hand": -1.5,
    "two_moves": -4.0,
    "earlier": -4.0,
    "capture_missed": -4.0,
    "wrong_player": -5.0,
    "illegal_pit": -5.0,
    "not_own_pit": -5.5,
    "wrong_direction": -6.0,
    "sown_short": -6.0,
    "sown_long": -6.0,
    "seeds_left_behind": -6.5,
    "skipped_pit": -6.5,
    "double_drop": -6.5,
    "capture_to_wrong_store": -6.5,
    "relay_not_continued": -6.5,
    "relay_too_far": -6.5,
    "capture_wrong": -7.0,
    "wrong_store": -7.0,
    "seeds_missing": -8.0,
    "seeds_added": -8.5,
    "board_disturbed": -20.0,
}
_EACH_BACK = 1.5
"""Nats for each ply further back: late in a game a slip often makes a position that has stood long ago."""
_LEAST_BACK = -15.0
_MOST_ADRIFT = 3
"""Seeds missing or added that are looked for in one place."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A board and its story."""

    story: Story
    counts: Counts
    prior: float
    """Nats."""
    moves: tuple[Move, ...] = ()
    """The moves played, or the one that was meant."""
    kind: str = ""
    """Of a mistake: one of `KINDS`."""
    pits: tuple[int, ...] = ()
    """Of a mistake: the holes that name it."""
    want: Counts = ()
    """Of a mistake: the board as it should be."""
    due: tuple[Take, ...] = ()
    """Captures still to be lifted."""
    back: int = 0
    """Plies taken back."""


def legal(game: Game, state: State) -> Iterator[Explanation]:
    """The explanations in which nobody went wrong, and at most one move was played."""
    yield Explanation("still", state.counts, _PRIOR["still"])
    player = state.player
    for move in game.legal(state) if player is not None else ():
        if player is not None and move.sows:
            yield from _along(state, move, game.sown(state, player, move).steps)


def two_moves(game: Game, state: State) -> Iterator[Explanation]:
    """Two legal moves at once."""
    for move in game.legal(state):
        following = game.play(state, move).state if move.sows else state
        for reply in game.legal(following) if move.sows else ():
            if reply.sows:
                second = game.play(following, reply)
                yield Explanation("two_moves", second.state.counts, _PRIOR["two_moves"], (move, reply))


def _along(state: State, move: Move, steps: Sequence[Step]) -> Iterator[Explanation]:
    """A move's prefixes: seeds in the hand, captures due in any order, done."""
    yield Explanation("move", after(state.counts, steps), _PRIOR["move"], (move,))
    for sowing, captures in _orders(steps):
        boards = stages(state.counts, sowing)
        for board in boards[1:-1]:
            yield Explanation("hand", board, _PRIOR["hand"], (move,))
        # Lifted in the order of the trace or the other way about: the first are stored, the next in a hand.
        for order in {captures, captures[::-1]}:
            for stored in range(len(captures)):
                board, left = after(boards[-1], order[:stored]), order[stored:]
                due = tuple(step for step in captures if step in left)
                yield Explanation("due", board, _PRIOR["due"], (move,), due=due)
                for held in range(1, len(left) + 1):
                    yield Explanation("hand", after(board, _lifts(left[:held])), _PRIOR["hand"], (move,))


def _orders(steps: Sequence[Step]) -> tuple[tuple[tuple[Step, ...], tuple[Take, ...]], ...]:
    """The sowing, and the captures that are lifted when it is done: what is captured in passing is lifted
    at once by some people, and by others with the rest."""
    end = len(steps)
    while end and isinstance(steps[end - 1], Take):
        end -= 1
    at_once = (tuple(steps[:end]), tuple(step for step in steps[end:] if isinstance(step, Take)))
    later = deferred(steps)
    return (at_once,) if at_once == later else (at_once, later)


def _lifts(captures: Sequence[Take]) -> list[Step]:
    return [Lift(step.pit, step.seeds) for step in captures]


def earlier(past: Sequence[State]) -> Iterator[Explanation]:
    """The positions before each ply, put back by hand: the players take moves back."""
    for back, state in enumerate(reversed(past), start=1):
        prior = max(_PRIOR["earlier"] - _EACH_BACK * (back - 1), _LEAST_BACK)
        yield Explanation("earlier", state.counts, prior, back=back)


def mistakes(game: Game, state: State) -> Iterator[Explanation]:
    """The explanations in which somebody went wrong, once.

    Touch-means-sow is not among them: its boards are those of legal moves, and who touched what is the
    referee's to know.
    """
    yield from _adrift(state.counts, state.counts, (), _PRIOR["seeds_missing"])
    yield from _taken(game, state)
    player = state.player
    if player is None:
        return
    options = game.legal(state)
    for move in options:
        if move.sows:
            steps = game.sown(state, player, move).steps
            yield from _mis_sown(game, state, player, move, steps)
            yield from _mis_captured(game, state, player, move, steps)
            right = after(state.counts, steps)
            yield from _adrift(right, right, (move,), _PRIOR["seeds_missing"] - 1.0)
    for pit, seeds in enumerate(state.pits):
        owner = game.rules.board.owner[pit]
        if seeds and owner == player:
            yield from _own_pit(game, state, player, pit, [move for move in options if move.pit == pit])
        elif seeds:
            for way in game.ways(state, owner):
                yield from _whole("wrong_player", game, state, owner, Move(pit, way))
            for way in game.ways(state, player) if pit in game.rules.board.course[player] else ():
                yield from _whole("not_own_pit", game, state, player, Move(pit, way))


def _taken(game: Game, state: State) -> Iterator[Explanation]:
    """A pit emptied into a store without a move: mostly by who thinks that the last move captured."""
    for pit, seeds in enumerate(state.pits):
        for store in range(game.pits, game.pits + game.players) if seeds else ():
            counts = after(state.counts, [Take(pit, seeds, store)])
            yield _mistake("capture_wrong", counts, state.counts, (pit,), None)


def _mistake(
    kind: str, counts: Counts, want: Counts, pits: Sequence[int], move: Move | None, less: float = 0.0
) -> Explanation:
    moves = () if move is None else (move,)
    return Explanation("mistake", counts, _PRIOR[kind] - less, moves, kind, tuple(pits), want)


def _whole(kind: str, game: Game, state: State, player: int, move: Move) -> Iterator[Explanation]:
    """A sowing that should not have been made at all, with and without its captures: all is to go back."""
    for counts in _sown(game, state, player, move):
        yield _mistake(kind, counts, state.counts, (move.pit,), move)


def _sown(game: Game, state: State, player: int, move: Move) -> set[Counts]:
    """What lies on the board when `player` has sown `move`, allowed or not: with and without captures."""
    steps = game.sown(state, player, move).steps
    return {after(state.counts, steps), *(after(state.counts, sowing) for sowing, _ in _orders(steps))}


def _own_pit(
    game: Game, state: State, player: int, pit: int, options: Sequence[Move]
) -> Iterator[Explanation]:
    """An own pit in a way that is not legal: not this pit now, or not this way round."""
    ways = game.ways(state, player)
    for way in DIRECTIONS:
        if way in ways and all(move.direction != way for move in options):
            yield from _whole("illegal_pit", game, state, player, Move(pit, way))
        elif way not in ways and options:
            # To be sown again, the right way.
            want = game.play(state, options[0]).state.counts
            for counts in _sown(game, state, player, Move(pit, way)):
                yield _mistake("wrong_direction", counts, want, (pit,), options[0])


def _mis_sown(
    game: Game, state: State, player: int, move: Move, steps: Sequence[Step]
) -> Iterator[Explanation]:
    """The last lap went wrong. Its captures, if it had any, were not lifted."""
    want = after(state.counts, steps)
    for sowing, _ in _orders(steps):
        yield from _mis_sown_lap(game, state, player, move, sowing, want)


def _mis_sown_lap(
    game: Game, state: State, player: int, move: Move, sowing: Sequence[Step], want: Counts
) -> Iterator[Explanation]:
    start = max(at for at, step in enumerate(sowing) if isinstance(step, Lift))
    before = after(state.counts, sowing[: start + 1])
    # What is taken in passing belongs to its place in the trace; only bare laps are bent.
    holes = [step.pit for step in sowing[start + 1 :] if isinstance(step, Drop)]
    seeds = len(holes)
    if start + 1 + seeds != len(sowing) or not holes:
        return
    origin = sowing[start].pit
    # A relay may have turned the hand round.
    last = [origin, *holes][-2:]
    way = next((way for way in DIRECTIONS if game.next_hole(player, last[0], way) == last[1]), move.direction)
    beyond = game.next_hole(player, holes[-1], way)

    def sown(path: Sequence[int]) -> Counts:
        return after(before, [Drop(hole) for hole in path])

    if beyond >= 0:
        yield _mistake("sown_long", sown([*holes[:-1], beyond]), want, (holes[-1], beyond), move)
        for at in range(seeds - 1):
            path = [*holes[:at], *holes[at + 1 :], beyond]
            yield _mistake("skipped_pit", sown(path), want, (holes[at],), move)
    if seeds > 1:
        path = [*holes[:-1], holes[-2]]
        yield _mistake("sown_short", sown(path), want, (holes[-1], holes[-2]), move)
    for at in range(seeds - 2):
        path = [*holes[: at + 1], *holes[at:-1]]
        yield _mistake("double_drop", sown(path), want, (holes[at],), move)
    for left in range(1, seeds):
        path = [*holes[: seeds - left], *[origin] * left]
        yield _mistake("seeds_left_behind", sown(path), want, (origin,), move)
    yield from _strangers_store(game, player, holes, way, sown, want, move)


def _strangers_store(
    game: Game,
    player: int,
    holes: Sequence[int],
    way: Direction,
    sown: Callable[[Sequence[int]], Counts],
    want: Counts,
    move: Move,
) -> Iterator[Explanation]:
    """A seed in a store that is not the mover's: instead of the own one, or in passing a skipped one."""
    own = game.rules.board.store(player)
    for other in range(game.players):
        store = game.rules.board.store(other)
        if other == player:
            continue
        if own in holes:
            path = [store if hole == own else hole for hole in holes]
            yield _mistake("wrong_store", sown(path), want, (store, own), move)
        for at, hole in enumerate(holes[:-1]):
            if game.next_hole(other, hole, way) == store:
                path = [*holes[: at + 1], store, *holes[at + 1 : -1]]
                yield _mistake("wrong_store", sown(path), want, (store,), move)


def _mis_captured(
    game: Game, state: State, player: int, move: Move, steps: Sequence[Step]
) -> Iterator[Explanation]:
    """The sowing was right, the captures were not."""
    for sowing, captures in _orders(steps):
        yield from _captured_wrong(game, state, player, move, sowing, captures)


def _captured_wrong(
    game: Game, state: State, player: int, move: Move, sowing: Sequence[Step], captures: Sequence[Take]
) -> Iterator[Explanation]:
    sown = after(state.counts, sowing)
    want = after(sown, captures)
    own = game.rules.board.store(player)
    if captures:
        # The board itself is that of a capture still due: the referee turns one into the other in time.
        pits = tuple(step.pit for step in captures)
        for store in range(game.pits, game.pits + game.players):
            astray = [Take(step.pit, step.seeds, store) for step in captures]
            if astray != list(captures):
                yield _mistake("capture_to_wrong_store", after(sown, astray), want, (store, *pits), move)
        yield from _missed_and_played_on(game, state, sown, want, move, captures)
    right = {step.pit for step in captures}
    for pit in range(game.pits):
        if sown[pit] and pit not in right:
            extra = Take(pit, sown[pit], own)
            yield _mistake("capture_wrong", after(sown, [*captures, extra]), want, (pit,), move)
            for one in captures:
                rest = [step for step in captures if step != one]
                yield _mistake("capture_wrong", after(sown, [*rest, extra]), want, (pit, one.pit), move, 0.5)
    if not captures and sowing and isinstance(sowing[-1], Drop) and sowing[-1].pit < game.pits:
        last, facing = sowing[-1].pit, game.rules.board.across[sowing[-1].pit]
        if facing >= 0 and sown[facing]:
            both = [Take(hole, sown[hole], own) for hole in (last, facing)]
            yield _mistake("capture_wrong", after(sown, both), want, (last, facing), move)


def _missed_and_played_on(
    game: Game, state: State, sown: Counts, want: Counts, move: Move, captures: Sequence[Take]
) -> Iterator[Explanation]:
    """The captures were left lying and the next player has already moved."""
    following = game.play(state, move).state
    if following.player is None:
        return
    uncaptured = game.start(sown[: game.pits], sown[game.pits :], following.player, following.marks)
    pits = tuple(step.pit for step in captures)
    for reply in game.legal(uncaptured):
        if reply.sows:
            counts = game.play(uncaptured, reply).state.counts
            missed = _mistake("capture_missed", counts, want, pits, move, 2.0)
            yield replace(missed, moves=(move, reply))


def _adrift(board: Counts, want: Counts, moves: tuple[Move, ...], prior: float) -> Iterator[Explanation]:
    """Seeds that left the board, or came to it, at one hole."""
    for hole, there in enumerate(board):
        for seeds in range(1, _MOST_ADRIFT + 1):
            less = (0.5 * (seeds - 1)) + (0.5 if moves else 0.0)
            for kind, change in (("seeds_missing", -seeds), ("seeds_added", seeds)):
                if there + change >= 0:
                    counts = (*board[:hole], there + change, *board[hole + 1 :])
                    yield Explanation(
                        "mistake", counts, prior - less - (0.5 if change > 0 else 0.0),
                        moves, kind, (hole,), want,
                    )  # fmt: skip
