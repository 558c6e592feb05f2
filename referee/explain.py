"""Every way to explain a quiet board, from the last settled position.

An explanation is a board and its story: nothing happened; a legal move was played, to its end or up to its
captures or with seeds still in the hand; several moves were played at once; or somebody went wrong in one of
the ways in which people do. Each has a prior in nats. Legal moves have the better ones, but not by much: a
referee that snaps to legal moves sees no foul (field-notes.md 7).

The stories are made from the engine's traces alone; no rule of any game is known here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from engine.game import Game, Played, Ply, State
from engine.move import DIRECTIONS, Move
from engine.step import Counts, Drop, Lift, Step, Take, after, deferred, stages
from referee.laps import Lap, Slip, brought_in, laps, mis_captured, slips, too_far, turned

Story = Literal["still", "move", "moves", "begun", "due", "hand", "earlier", "mistake", "unknown"]
"""Nothing happened; a move is done; several are; some are, and the next is under way; captures are to be
lifted; seeds are in a hand, or a relay is to go on; an earlier position was restored; a mistake; nothing
known explains the board."""

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
    "two_handfuls": -2.0,
    "moves": -4.0,
    "begun": -5.0,
    "second_due": -6.5,
    "late": -5.0,
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
LASTING = -5.5
"""The best prior of `lasting`."""
_EACH_BACK = 1.5
"""Nats for each ply further back: late in a game a slip often makes a position that has stood long ago."""
_LEAST_BACK = -15.0
_LAST_LAP, _FIRST_LAP = 0.5, 1.5
"""Nats for going on after a slip in the last lap of a move, or in one before it."""
_MOST_LAPS = 12
"""Laps of a move in which slips are looked for; and the last."""
_PLAYED_ON = 2.0
"""Nats for a next player who has moved on before a mistake was seen."""
_MOST_STOPS = 3
"""Ends of laps, and the last, at which a relay is looked for that was not continued when others moved on."""
_MOST_CHOICES = 2
"""Choices on the way after a slip of which each is thought of; of further ones, the first."""
_MOST_ADRIFT = 3
"""Seeds missing or added that are looked for in one place."""


Traces = Mapping[Move, tuple[Step, ...]]
"""The physical steps of each legal move that sows."""


class Explanation(NamedTuple):
    """A board and its story. They are made by the thousand: a tuple is made in a third of the time of another
    value, and costs the collector of garbage nothing."""

    story: Story
    counts: Counts
    prior: float
    """Nats."""
    moves: tuple[Move, ...] = ()
    """The moves played, or the one that was meant."""
    kind: str = ""
    """Of a mistake: one of `KINDS`; of a relay to go on: the one that it is, if it does not."""
    pits: tuple[int, ...] = ()
    """The holes that name it."""
    want: Counts = ()
    """The board as it should be then; of captures due, when they have been lifted."""
    also: str = ""
    """Of two mistakes in one turn: the lesser."""
    also_pits: tuple[int, ...] = ()
    due: tuple[Take, ...] = ()
    """Captures still to be lifted."""
    back: int = 0
    """Plies taken back."""


def traces(game: Game, state: State) -> Traces:
    """What a hand does in each legal move that sows."""
    player = state.player
    if player is None:
        return {}
    return {move: game.sown(state, player, move).steps for move in game.legal(state) if move.sows}


def legal(state: State, sown: Traces) -> Iterator[Explanation]:
    """The explanations in which nobody went wrong, and at most one move was played."""
    yield Explanation("still", state.counts, _PRIOR["still"])
    for move, steps in sown.items():
        yield from _along(state, move, steps)


def two_moves(game: Game, state: State, sown: Traces) -> Iterator[Explanation]:
    """Two legal moves at once; captures of the first or of the second may still lie."""
    for move in sown:
        ply = game.play(state, move)
        following = ply.state
        player = following.player
        if player is None:
            continue
        for reply in game.legal(following):
            if not reply.sows:
                continue
            second = game.sown(following, player, reply)
            yield several((move, reply), second.counts)
            yield from _late(ply, reply, second)
            for sowing, captures in _orders(second.steps):
                if captures:
                    board = after(following.counts, sowing)
                    yield Explanation("begun", board, _PRIOR["second_due"], (move,))


def _late(ply: Ply, reply: Move, second: Played) -> Iterator[Explanation]:
    """What a move captured still lies when the next is done, in pits where that changes nothing."""
    *_, last = (step.pit for step in second.steps if isinstance(step, Drop))
    minded = {last, *(step.pit for step in second.steps if not isinstance(step, Drop))}
    for _, captures in _orders(ply.steps):
        if captures and minded.isdisjoint(take.pit for take in captures):
            board = list(second.counts)
            for take in captures:
                board[take.pit] += take.seeds
                board[take.to] -= take.seeds
            yield Explanation(
                "due", tuple(board), _PRIOR["late"], (ply.move, reply), due=captures, want=second.counts
            )


def several(moves: tuple[Move, ...], counts: Counts, under_way: bool = False) -> Explanation:
    """Legal moves of which none was settled when the last of them was done, and the board showed `counts`.

    Args:
        under_way: yet another move has been begun, and what it has changed is in `counts`.
    """
    # However many: each of them has been followed.
    story: Story = "begun" if under_way else "moves"
    return Explanation(story, counts, _PRIOR[story], moves)


def _along(state: State, move: Move, steps: Sequence[Step]) -> Iterator[Explanation]:
    """A move's prefixes: seeds in the hand, a relay to go on, captures due in any order, done."""
    done, seeds = after(state.counts, steps), sum(state.counts)
    yield Explanation("move", done, _PRIOR["move"], (move,))
    for sowing, captures in _orders(steps):
        boards = stages(state.counts, sowing)
        for at, board in enumerate(boards[1:-1], start=1):
            kind, pits = _to_go_on(sowing, at) if sum(board) == seeds else ("", _next(sowing[at:]))
            yield Explanation("hand", board, _PRIOR["hand"], (move,), kind, pits, done)
        # Lifted in the order of the trace or the other way about: the first are stored, the next in a hand.
        for order in {captures, captures[::-1]}:
            for stored in range(len(captures)):
                board, left = after(boards[-1], order[:stored]), order[stored:]
                due = tuple(step for step in captures if step in left)
                yield Explanation("due", board, _PRIOR["due"], (move,), want=done, due=due)
                for held in range(1, len(left) + 1):
                    lifted, to = after(board, _lifts(left[:held])), (left[0].to,)
                    yield Explanation("hand", lifted, _PRIOR["hand"], (move,), pits=to, want=done)
                yield from _two_handfuls(move, board, done, left, due)


def _to_go_on(sowing: Sequence[Step], at: int) -> tuple[str, tuple[int, ...]]:
    """What it is that a hand fails to do which stops after the first `at` steps, a lap's last seed sown."""
    landed = sowing[at - 1].pit
    lifts = list[int]()
    for step in sowing[at:]:
        if not isinstance(step, Lift):
            break
        lifts.append(step.pit)
    return ("relay_not_continued", (landed,)) if landed in lifts else ("capture_missed", tuple(lifts))


def _next(steps: Sequence[Step]) -> tuple[int, ...]:
    """The hole that the next seed of the hand belongs in."""
    return next(((step.pit,) for step in steps if isinstance(step, Drop)), ())


def _two_handfuls(
    move: Move, board: Counts, done: Counts, left: Sequence[Take], due: Sequence[Take]
) -> Iterator[Explanation]:
    """Part of the next pit's seeds is stored; the rest lies there, or is in the hand."""
    take = left[0]
    for seeds in range(1, take.seeds):
        part, rest = Take(take.pit, seeds, take.to), Take(take.pit, take.seeds - seeds, take.to)
        still = tuple(rest if step == take else step for step in due)
        stored = after(board, [part])
        yield Explanation("due", stored, _PRIOR["two_handfuls"], (move,), want=done, due=still)
        lifted, to = after(stored, _lifts([rest])), (take.to,)
        yield Explanation("hand", lifted, _PRIOR["two_handfuls"], (move,), pits=to, want=done)


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


def at_rest(game: Game, state: State) -> Iterator[Explanation]:
    """The explanations in which nobody moved, and yet seeds are not where they were."""
    yield from _adrift(state.counts, state.counts, (), _PRIOR["seeds_missing"])
    yield from _taken(game, state)


def mistakes(game: Game, state: State, sown: Traces) -> Iterator[Explanation]:
    """The explanations in which a move went wrong, once.

    Touch-means-sow is not among them: its boards are those of legal moves, and who touched what is the
    referee's to know.
    """
    player = state.player
    if player is None:
        return
    options = game.legal(state)
    for move, steps in sown.items():
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
    """The last lap went wrong, and there the hand stopped; captures, if it had any, were not lifted."""
    want = after(state.counts, steps)
    for sowing, _ in _orders(steps):
        (*_, lap) = laps(game, player, state.counts, sowing)
        for slip in (*slips(game, player, lap), *too_far(game, player, lap)):
            yield _mistake(slip.kind, slip.counts, want, slip.pits, move, slip.less)


def lasting(game: Game, state: State, sown: Traces) -> Iterator[Explanation]:
    """Somebody went wrong, once, and then went on as the rules have it from there."""
    player = state.player
    if player is None:
        return
    for move, steps in sown.items():
        want = after(state.counts, steps)
        for slip, less in _every_slip(game, player, laps(game, player, state.counts, steps)):
            for counts in _carried_on(game, state, player, move, slip):
                yield _mistake(slip.kind, counts, want, slip.pits, move, slip.less + less)
        yield from _stopped_and_played_on(game, state, player, move, steps)


def _carried_on(game: Game, state: State, player: int, move: Move, slip: Slip) -> Iterator[Counts]:
    """The boards to which a slip leads, by what is then chosen on the way, if anything is."""
    if not slip.way or slip.ends:
        yield slip.counts
        return
    asked, choices = 0, 0
    while choices < 1 << min(asked, _MOST_CHOICES):
        played = game.carried_on(state, player, move, slip.done, slip.way, choices)
        if not played.endless and played.asked >= choices.bit_length():
            yield played.counts
        asked, choices = max(asked, played.asked), choices + 1


def _stopped_and_played_on(
    game: Game, state: State, player: int, move: Move, steps: Sequence[Step]
) -> Iterator[Explanation]:
    """A relay was not continued, and the next player has already moved."""
    want = after(state.counts, steps)
    made = laps(game, player, state.counts, steps)
    for lap in made[1:] if len(made) <= _MOST_STOPS else (*made[1:_MOST_STOPS], made[-1]):
        kind, pits = _to_go_on(steps, len(lap.done))
        there = replace(
            state, player=(player + 1) % game.players, opening=max(state.opening - 1, 0), may_swap=False
        )
        yield from _played_on(game, there, _mistake(kind, lap.board, want, pits, move, _PLAYED_ON))


def _played_on(game: Game, following: State, stood: Explanation) -> Iterator[Explanation]:
    """A mistake was left as it lay, and the player of `following` has moved on from there."""
    there = replace(following, pits=stood.counts[: game.pits], stores=stood.counts[game.pits :])
    for reply in game.legal(there):
        if there.player is not None and reply.sows:
            counts = game.sown(there, there.player, reply).counts
            yield stood._replace(counts=counts, moves=(*stood.moves, reply))


def _every_slip(game: Game, player: int, made: Sequence[Lap]) -> Iterator[tuple[Slip, float]]:
    """The slips in all laps of a move, each with what it costs beside the last seed's, in nats."""
    if len(made) > 1 and made[0].lifts[0].pit >= game.pits:
        yield from ((slip, 0.0) for slip in brought_in(game, player, *made[:2]))
    for lap in [*made[:_MOST_LAPS], *made[_MOST_LAPS:][-1:]]:
        less = _LAST_LAP if lap.last else _FIRST_LAP
        for slip in (*slips(game, player, lap), *turned(game, player, lap), *mis_captured(game, player, lap)):
            yield slip, less
    yield from ((slip, _LAST_LAP) for slip in too_far(game, player, made[-1]))


def _mis_captured(
    game: Game, state: State, player: int, move: Move, steps: Sequence[Step]
) -> Iterator[Explanation]:
    """The sowing was right, the captures were not."""
    want = after(state.counts, steps)
    for take in (step for step in steps if isinstance(step, Take)):
        for store in range(game.pits, game.pits + game.players):
            if store != take.to:
                counts = after(want, [Lift(take.to, take.seeds), *[Drop(store)] * take.seeds])
                yield _mistake("capture_to_wrong_store", counts, want, (store, take.pit), move, 0.5)
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
        following = game.play(state, move).state
        yield from _played_on(game, following, _mistake("capture_missed", sown, want, pits, move, _PLAYED_ON))
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


def _adrift(board: Counts, want: Counts, moves: tuple[Move, ...], prior: float) -> Iterator[Explanation]:
    """Seeds that left the board, or came to it, at one hole."""
    for hole, there in enumerate(board):
        before, behind = board[:hole], board[hole + 1 :]
        for seeds in range(1, _MOST_ADRIFT + 1):
            less = (0.5 * (seeds - 1)) + (0.5 if moves else 0.0)
            for kind, change in (("seeds_missing", -seeds), ("seeds_added", seeds)):
                if there + change >= 0:
                    counts = (*before, there + change, *behind)
                    yield Explanation(
                        "mistake", counts, prior - less - (0.5 if change > 0 else 0.0),
                        moves, kind, (hole,), want,
                    )  # fmt: skip
