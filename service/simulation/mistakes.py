"""The ways in which a hand goes wrong, and how each is put right.

All are made from the engine's traces. Where a move has several laps, any of the first few or the last may go
wrong; after one that is not the last, and now and then after that too, the hand goes on as the rules say from
where its last seed has come to lie.

=======================  ==============================================================  =================
kind                     what the hand does                                              named by the holes
=======================  ==============================================================  =================
wrong_player             a player whose turn it is not sows a pit of their own           the pit
not_own_pit              the mover sows another's pit, along the mover's own course      the pit
illegal_pit              the mover sows an own pit that the rules close now              the pit
touched_other_pit        the mover touches one pit, then sows another                    touched, sown
seeds_left_behind        some seeds stay in the lifted pit, the rest is sown             the pit
sown_short               the last seed lies one hole early                               its hole, where it is
sown_long                the last seed lies one hole further                             its hole, where it is
skipped_pit              one hole gets none, every later seed is one hole further on     the hole
double_drop              one hole gets two, the sowing ends one hole early               the hole
wrong_direction          the pit is sown the other way round                             the pit
wrong_store              a seed in a store that is not sown: for the own one, in passing  that store, the own
relay_not_continued      the hand stops where the last seed joins others                 where it lies
relay_too_far            the last seed of a move is lifted with others, and sown on      where it lay
capture_missed           the sowing is right and nothing is lifted; or not all is sown   the due pits
capture_wrong            a wrong pit is lifted; the right one, if there is one, stays    it, the right one
capture_to_wrong_store   the right pits, or one of them, go into another's store         that store, the pits
seeds_missing            the sowing is right, but one seed fell beside the board         its hole
seeds_added              the sowing is right, but a seed from elsewhere joined it        its hole
board_disturbed          a bump: seeds jump between neighbouring pits                    the changed holes
=======================  ==============================================================  =================

Put right means the position before for `wrong_player`, `not_own_pit`, `illegal_pit`, `touched_other_pit` and
`board_disturbed`, and the meant move, complete, for all others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import BadInput
from engine.game import Game, State
from engine.move import DIRECTIONS, PASS, Direction, Move
from engine.step import Counts, Drop, Lift, Step, Take, after, stages
from service.simulation.hand import Bump, Find, Gesture, Grab, Lose, Put, Sow, Touch, counts_after, of_steps

FIRST_LAPS = 4
"""Laps of a move, from its beginning, that may go wrong beside the last."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake, as it is going to be made."""

    kind: str
    """One of `KINDS`."""
    player: int
    """Who makes it."""
    move: Move | None
    """The move made instead of a right one, or the one that was meant; None for a bump."""
    pits: tuple[int, ...]
    """The holes that name it."""
    gestures: tuple[Gesture, ...]
    counts: Counts
    """The board when it has been made."""
    want: Counts
    """The board when it has been put right."""
    plays: bool
    """Whether the board put right is that after `move`; else it is the one before."""
    then: Move | None = None
    """The move the player must make once all is put right: touch means sow."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """A move about to be made wrongly."""

    game: Game
    state: State
    player: int
    move: Move
    rng: np.random.Generator

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.sown_by(self.player, self.move)

    def sown_by(self, player: int, move: Move) -> tuple[Step, ...]:
        """What a hand does that sows `move` as `player` would; nothing where it would never end."""
        if move.pit not in self.game.rules.board.course[player]:
            return ()
        played = self.game.sown(self.state, player, move)
        return () if played.endless and self.game.rules.endless == "illegal" else played.steps

    @property
    def want(self) -> Counts:
        return after(self.state.counts, self.steps)

    @property
    def captures(self) -> tuple[Take, ...]:
        """The captures that follow the sowing."""
        taken: list[Take] = []
        for step in reversed(self.steps):
            if not isinstance(step, Take):
                break
            taken.insert(0, step)
        return tuple(taken)

    @property
    def sowing(self) -> tuple[Step, ...]:
        """The steps without the captures that follow them."""
        return self.steps[: len(self.steps) - len(self.captures)]

    @property
    def ways(self) -> tuple[Direction, ...]:
        return self.game.ways(self.state, self.player)

    @property
    def legal(self) -> bool:
        return self.move in self.game.legal(self.state)

    @property
    def pits_of_the_next(self) -> frozenset[int]:
        """Whose owner is to move when the move is done."""
        owner = self.game.rules.board.owner
        following = self.game.play(self.state, self.move).state.player if self.legal else None
        return frozenset(pit for pit in range(self.game.pits) if owner[pit] == following)

    def others(self) -> tuple[int, ...]:
        """The stores that are not the mover's."""
        board = self.game.rules.board
        return tuple(board.store(other) for other in range(board.players) if other != self.player)

    @property
    def laps(self) -> tuple["_Lap", ...]:
        """The laps that may go wrong: the first few and the last."""
        laps = list[_Lap]()
        hand, begun = 0, 0
        for at, step in enumerate(self.sowing):
            if isinstance(step, Lift):
                begun = begun if hand else at
                hand += step.seeds
            elif isinstance(step, Drop):
                hand -= 1
                if not hand:
                    laps.append(self._lap(begun, at + 1))
        return (*laps[:FIRST_LAPS], *laps[FIRST_LAPS:][-1:])

    def _lap(self, begun: int, end: int) -> "_Lap":
        steps = self.sowing[begun:end]
        holes = tuple(step.pit for step in steps if isinstance(step, Drop))
        lifts = tuple(step for step in steps if isinstance(step, Lift))
        here, there = [lifts[0].pit, *holes][-2:]
        ways = (way for way in DIRECTIONS if self.game.next_hole(self.player, here, way) == there)
        last = not any(isinstance(step, Lift) for step in self.sowing[end:])
        return _Lap(
            self.sowing[:begun], lifts, holes, len(lifts) + len(holes) == len(steps), next(ways, None), last
        )

    @property
    def bare_laps(self) -> tuple["_Lap", ...]:
        """Those in which nothing is captured in passing, and whose way round shows, of a legal move."""
        return tuple(lap for lap in self.laps if lap.bare and lap.way) if self.legal else ()

    def mistake(
        self, kind: str, pits: Sequence[int], gestures: Sequence[Gesture], *, plays: bool = True
    ) -> Mistake:
        counts = counts_after(self.state.counts, gestures)
        want = self.want if plays else self.state.counts
        return Mistake(kind, self.player, self.move, tuple(pits), tuple(gestures), counts, want, plays)

    def resown(
        self, kind: str, pits: Sequence[int], lap: "_Lap", holes: Sequence[int], lifts: Sequence[Lift] = ()
    ) -> Iterator[Mistake]:
        """A lap sown into `holes` instead: as far as that, if it is the last, or on from there."""
        done = [*lap.before, *(lifts or lap.lifts), *(Drop(hole) for hole in holes)]
        if lap.last:
            yield self.mistake(kind, pits, of_steps(done))
        played = self.game.carried_on(
            self.state, self.player, self.move, done, lap.way or self.move.direction
        )
        if not played.endless and (played.steps or not lap.last):
            yield self.mistake(kind, pits, of_steps([*done, *played.steps]))


@dataclass(frozen=True, slots=True)
class _Lap:
    """One of the laps of a move."""

    before: tuple[Step, ...]
    lifts: tuple[Lift, ...]
    holes: tuple[int, ...]
    bare: bool
    """Nothing is captured in passing."""
    way: Direction | None
    """The way round, where it shows."""
    last: bool

    @property
    def landed(self) -> int | None:
        """Where the last seed fell before this lap."""
        return next((step.pit for step in reversed(self.before) if isinstance(step, Drop)), None)


def _wrong_player(scene: _Scene) -> Iterator[Mistake]:
    owner = scene.game.rules.board.owner[scene.move.pit]
    if owner != scene.player and scene.move.direction in scene.game.ways(scene.state, owner):
        steps = scene.sown_by(owner, scene.move)
        made = scene.mistake("wrong_player", [scene.move.pit], of_steps(steps), plays=False)
        yield replace(made, player=owner)


def _not_own_pit(scene: _Scene) -> Iterator[Mistake]:
    board = scene.game.rules.board
    owner, course = board.owner[scene.move.pit], board.course[scene.player]
    if owner == scene.player or scene.move.pit not in course or scene.move.direction not in scene.ways:
        return
    # Whose hand it was shows only where the two sow other holes: captures may be left lying.
    theirs = replace(scene, player=owner)
    if after(scene.state.counts, scene.sowing) != after(scene.state.counts, theirs.sowing):
        yield scene.mistake("not_own_pit", [scene.move.pit], of_steps(scene.steps), plays=False)


def _illegal_pit(scene: _Scene) -> Iterator[Mistake]:
    game = scene.game
    own = game.rules.board.owner[scene.move.pit] == scene.player
    if own and not scene.legal and scene.move.direction in scene.ways:
        yield scene.mistake("illegal_pit", [scene.move.pit], of_steps(scene.steps), plays=False)


def _touched_other_pit(scene: _Scene) -> Iterator[Mistake]:
    for other in scene.game.legal(scene.state) if scene.legal else ():
        if other.sows and other.pit != scene.move.pit:
            seeds = scene.state.pits[other.pit]
            touch: list[Gesture] = [Touch(other.pit, float(scene.rng.uniform(0.7, 1.2)))]
            if scene.rng.random() < 0.5:
                touch = [Grab(other.pit, seeds), Put(other.pit, seeds)]
            pits = [other.pit, scene.move.pit]
            made = scene.mistake("touched_other_pit", pits, [*touch, *of_steps(scene.steps)], plays=False)
            yield replace(made, then=other)


def _seeds_left_behind(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.bare_laps:
        for at, lift in enumerate(lap.lifts):
            for left in range(1, lift.seeds):
                lifts = [*lap.lifts[:at], Lift(lift.pit, lift.seeds - left), *lap.lifts[at + 1 :]]
                holes = lap.holes[: len(lap.holes) - left]
                yield from scene.resown("seeds_left_behind", [lift.pit], lap, holes, lifts)


def _sown_short(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.bare_laps:
        holes = lap.holes
        if len(holes) > 1:
            yield from scene.resown("sown_short", [holes[-1], holes[-2]], lap, [*holes[:-1], holes[-2]])


def _sown_long(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.bare_laps:
        holes, beyond = lap.holes, _beyond(scene, lap)
        yield from scene.resown("sown_long", [holes[-1], beyond], lap, [*holes[:-1], beyond])


def _skipped_pit(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.bare_laps:
        holes, beyond = lap.holes, _beyond(scene, lap)
        for at in range(len(holes) - 1):
            path = [*holes[:at], *holes[at + 1 :], beyond]
            yield from scene.resown("skipped_pit", [holes[at]], lap, path)


def _beyond(scene: _Scene, lap: _Lap) -> int:
    assert lap.way is not None
    return scene.game.next_hole(scene.player, lap.holes[-1], lap.way)


def _double_drop(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.bare_laps:
        holes = lap.holes
        for at in range(len(holes) - 2):
            yield from scene.resown("double_drop", [holes[at]], lap, [*holes[: at + 1], *holes[at:-1]])


def _wrong_direction(scene: _Scene) -> Iterator[Mistake]:
    if not scene.legal:
        return
    for way in set(DIRECTIONS) - set(scene.ways):
        steps = scene.sown_by(scene.player, Move(scene.move.pit, way))
        yield scene.mistake("wrong_direction", [scene.move.pit], of_steps(steps))
    for lap in scene.bare_laps:
        # A later lap, which a hand begins where the last seed fell, is sown the other way.
        lifted, first = lap.lifts[0].pit, lap.holes[0]
        if lap.before and lap.way and scene.game.next_hole(scene.player, lifted, lap.way) == first:
            back = replace(lap, way=DIRECTIONS[lap.way > 0], last=False)
            yield from scene.resown(
                "wrong_direction", [lifted], back, _on(scene, back, lifted, len(lap.holes))
            )


def _on(scene: _Scene, lap: _Lap, hole: int, seeds: int) -> list[int]:
    """So many holes after this one, the way of the lap."""
    assert lap.way is not None
    holes = [hole]
    while len(holes) <= seeds:
        holes.append(scene.game.next_hole(scene.player, holes[-1], lap.way))
    return holes[1:]


def _wrong_store(scene: _Scene) -> Iterator[Mistake]:
    game, board = scene.game, scene.game.rules.board
    own = board.store(scene.player)
    sown = any(hole >= board.pits for course in board.course for hole in course)
    ends = [pit for pit, owner in enumerate(board.owner) if board.owner[(pit + 1) % board.pits] != owner]
    for lap in scene.bare_laps:
        holes, path = lap.holes, [lap.lifts[0].pit, *lap.holes[:-1]]
        for store in scene.others():
            if own in holes:
                instead = [store if hole == own else hole for hole in holes]
                yield from scene.resown("wrong_store", [store, own], lap, instead)
            for at, hole in enumerate(path):
                assert lap.way is not None
                if game.next_hole(store - board.pits, hole, lap.way) == store:
                    yield from scene.resown("wrong_store", [store], lap, [*holes[:at], store, *holes[at:-1]])
        # Where no store is sown, who is used to it sows one where the pits of one player end.
        for store in () if sown or len(ends) != game.players else (own, *scene.others()):
            for at, (here, there) in enumerate(zip(path, holes, strict=True)):
                after_it = lap.way and game.next_hole(scene.player, here, lap.way) == there < board.pits
                if after_it and board.owner[here] != board.owner[there]:
                    yield from scene.resown("wrong_store", [store], lap, [*holes[:at], store, *holes[at:-1]])


def _relay_not_continued(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.laps if scene.legal else ():
        if lap.landed in [lift.pit for lift in lap.lifts] and lap.before:
            yield scene.mistake("relay_not_continued", [lap.landed or 0], of_steps(lap.before))


def _relay_too_far(scene: _Scene) -> Iterator[Mistake]:
    for lap in scene.bare_laps:
        pit = lap.holes[-1]
        seeds = after(scene.state.counts, scene.sowing)[pit]
        # One seed sown on is one sown too far. Who lifts a pit of whoever is next may be they themselves.
        if lap.last and pit < scene.game.pits and seeds > 1 and pit not in scene.pits_of_the_next:
            for way in DIRECTIONS:
                further = _Lap(scene.sowing, (Lift(pit, seeds),), (), bare=True, way=way, last=True)
                further = replace(further, holes=tuple(_on(scene, further, pit, seeds)))
                yield from scene.resown("relay_too_far", [pit], further, further.holes)


def _capture_missed(scene: _Scene) -> Iterator[Mistake]:
    if not scene.legal:
        return
    if scene.captures:
        pits = [take.pit for take in scene.captures]
        yield scene.mistake("capture_missed", pits, of_steps(scene.sowing))
    for lap in scene.laps:
        prey = [lift for lift in lap.lifts if lift.pit != lap.landed]
        if not (lap.before and prey and lap.landed is not None and lap.way):
            continue
        pits = [lift.pit for lift in prey]
        if len(prey) == len(lap.lifts):
            # What is captured is all that is sown on: the hand stops.
            yield scene.mistake("capture_missed", pits, of_steps(lap.before))
        else:
            own = [lift for lift in lap.lifts if lift.pit == lap.landed]
            goes_on = replace(lap, last=False)
            yield from scene.resown("capture_missed", pits, goes_on, lap.holes[: own[0].seeds], own)


def _capture_wrong(scene: _Scene) -> Iterator[Mistake]:
    if not scene.legal:
        return
    board = scene.game.rules.board
    store = board.store(scene.player)
    sown = after(scene.state.counts, scene.sowing)
    right = [take.pit for take in scene.captures]
    for pit in range(board.pits):
        if not sown[pit] or pit in right or board.owner[pit] == scene.player:
            continue
        extra = Take(pit, sown[pit], store)
        # One due pit is taken for another; where more are due, the wrong one is lifted with them.
        takes = [extra] if len(right) < 2 else [*scene.captures, extra]
        pits = [pit, *right] if len(right) < 2 else [pit]
        yield scene.mistake("capture_wrong", pits, of_steps([*scene.sowing, *takes]))


def _capture_to_wrong_store(scene: _Scene) -> Iterator[Mistake]:
    captures = scene.captures if scene.legal else ()
    for store in scene.others() if captures else ():
        pits = [take.pit for take in captures]
        takes = [Take(take.pit, take.seeds, store) for take in captures]
        yield scene.mistake("capture_to_wrong_store", [store, *pits], of_steps([*scene.sowing, *takes]))
        for at, take in enumerate(captures if len(captures) > 1 else ()):
            one = [*captures[:at], Take(take.pit, take.seeds, store), *captures[at + 1 :]]
            yield scene.mistake("capture_to_wrong_store", [store, take.pit], of_steps([*scene.sowing, *one]))
    for lap in scene.bare_laps:
        # What is to be sown on is put into a store.
        prey = [lift for lift in lap.lifts if lift.pit != lap.landed]
        for store in range(scene.game.pits, scene.game.pits + scene.game.players):
            if prey and lap.before and lap.landed is not None and lap.landed < scene.game.pits:
                pits = [store, *(lift.pit for lift in prey)]
                takes = [Take(lift.pit, lift.seeds, store) for lift in prey]
                yield scene.mistake("capture_to_wrong_store", pits, of_steps([*lap.before, *takes]))


def _astray(scene: _Scene, kind: str, instead: Callable[[int], list[Gesture]]) -> Iterator[Mistake]:
    """The move is right, but for what happens `instead` of one seed sown."""
    steps = scene.steps
    taken = {step.pit for step in steps if isinstance(step, Lift | Take)}
    for at, step in enumerate(steps if scene.legal else ()):
        if isinstance(step, Drop) and step.pit not in taken:
            gestures = [*of_steps(steps[:at]), *instead(step.pit), *of_steps(steps[at + 1 :])]
            yield scene.mistake(kind, [step.pit], gestures)


def _seeds_missing(scene: _Scene) -> Iterator[Mistake]:
    yield from _astray(scene, "seeds_missing", lambda hole: [Lose(1)])


def _seeds_added(scene: _Scene) -> Iterator[Mistake]:
    yield from _astray(scene, "seeds_added", lambda hole: [Sow(hole), Find(1), Sow(hole)])


def _board_disturbed(scene: _Scene) -> Iterator[Mistake]:
    """A handful of seeds jump to the next pit, three or four along one half of the board."""
    pits = scene.game.pits
    for _ in range(8):
        first = int(scene.rng.integers(pits))
        jumps: list[tuple[int, int]] = []
        for pit in (first, first + 2, first + 4):
            source = pit % pits
            way = 1 if scene.rng.random() < 0.5 else -1
            jumps += [(source, (source + way) % pits)] * min(2, max(0, scene.state.pits[source] - 1))
        counts = counts_after(scene.state.counts, [Bump(tuple(jumps))])
        changed = [hole for hole, now in enumerate(counts) if now != scene.state.counts[hole]]
        if len(jumps) >= 3 and len(changed) >= 4:
            yield Mistake(
                "board_disturbed", scene.player, None, tuple(changed), (Bump(tuple(jumps)),),
                counts, scene.state.counts, plays=False,
            )  # fmt: skip


_MAKERS: dict[str, Callable[[_Scene], Iterator[Mistake]]] = {
    "wrong_player": _wrong_player,
    "not_own_pit": _not_own_pit,
    "illegal_pit": _illegal_pit,
    "touched_other_pit": _touched_other_pit,
    "seeds_left_behind": _seeds_left_behind,
    "sown_short": _sown_short,
    "sown_long": _sown_long,
    "skipped_pit": _skipped_pit,
    "double_drop": _double_drop,
    "wrong_direction": _wrong_direction,
    "wrong_store": _wrong_store,
    "relay_not_continued": _relay_not_continued,
    "relay_too_far": _relay_too_far,
    "capture_missed": _capture_missed,
    "capture_wrong": _capture_wrong,
    "capture_to_wrong_store": _capture_to_wrong_store,
    "seeds_missing": _seeds_missing,
    "seeds_added": _seeds_added,
    "board_disturbed": _board_disturbed,
}
KINDS = tuple(_MAKERS)
"""The mistakes a simulated hand can make."""


def ways(game: Game, state: State, kind: str, move: Move, rng: np.random.Generator) -> tuple[Mistake, ...]:
    """Every way to make this mistake with `move`; none where there is none that could be seen.

    A mistake whose board needs none (nothing was done, or a legal move, or is being done) is none for anyone
    who sees the board alone. Only `touched_other_pit` shows otherwise.

    Raises:
        BadInput: there is no such kind.
    """
    return _seen(game, state, _made(game, state, kind, [move], rng))


def possible(game: Game, state: State, kind: str, rng: np.random.Generator) -> tuple[Mistake, ...]:
    """Every way to make this mistake in this position.

    Raises:
        BadInput: there is no such kind.
    """
    return _seen(game, state, _made(game, state, kind, _moves(game), rng))


def unmistakable(
    game: Game, state: State, found: Sequence[Mistake], rng: np.random.Generator
) -> tuple[Mistake, ...]:
    """Those of `found` whose boards no mistake of another kind, or of other holes, leaves as well.

    Of two mistakes with the same board nobody who sees the board alone can tell which it was.
    """
    names: dict[Counts, set[tuple[str, tuple[int, ...]]]] = {}
    for kind in KINDS:
        for mistake in _made(game, state, kind, _moves(game), rng) if kind != "touched_other_pit" else ():
            names.setdefault(mistake.counts, set()).add((kind, mistake.pits))
    return tuple(
        mistake for mistake in found if names.get(mistake.counts, set()) <= {(mistake.kind, mistake.pits)}
    )


def _moves(game: Game) -> list[Move]:
    return [Move(pit, direction) for pit in range(game.pits) for direction in DIRECTIONS]


def _made(
    game: Game, state: State, kind: str, moves: Sequence[Move], rng: np.random.Generator
) -> list[Mistake]:
    if kind not in _MAKERS:
        raise BadInput(f"mistake {kind!r} is not known: one of {', '.join(KINDS)} was expected")
    made: list[Mistake] = []
    for move in moves:
        if state.player is not None and 0 <= move.pit < game.pits and state.pits[move.pit]:
            made += _MAKERS[kind](_Scene(game, state, state.player, move, rng))
    return made


def _seen(game: Game, state: State, made: Sequence[Mistake]) -> tuple[Mistake, ...]:
    """Those that show: on the board, or by a touch."""
    innocent = _innocent(game, state) if made else set()
    return tuple(
        mistake for mistake in made if mistake.kind == "touched_other_pit" or mistake.counts not in innocent
    )


def _innocent(game: Game, state: State) -> set[Counts]:
    """Boards without a mistake: nothing done, one or two moves done, a move with seeds still in the hand, or
    with a pit of which not all that is captured has been taken yet."""
    boards = {state.counts}
    for move in game.legal(state):
        ply = game.play(state, move)
        way = stages(state.counts, ply.steps)
        boards.add(ply.state.counts)
        boards.update(board for board in way if sum(board) < sum(state.counts))
        for step, board in zip(ply.steps, way, strict=False):
            if isinstance(step, Take):
                boards.update(after(board, [replace(step, seeds=some)]) for some in range(1, step.seeds))
        following = ply.state
        while game.legal(following) == (PASS,):
            following = game.play(following, PASS).state
        boards.update(game.play(following, reply).state.counts for reply in game.legal(following))
    return boards


def make(game: Game, state: State, kind: str, move: Move | None, rng: np.random.Generator) -> Mistake:
    """One way to make this mistake, with `move` or with any; an unmistakable one, if there is one.

    Raises:
        BadInput: there is no such kind, or no way to make it here.
    """
    found = possible(game, state, kind, rng) if move is None else ways(game, state, kind, move, rng)
    if not found:
        where = "in this position" if move is None else f"with {game.name_of(move)} in this position"
        raise BadInput(f"the mistake {kind} cannot be made {where}: try another move or kind")
    found = unmistakable(game, state, found, rng) or found
    return found[int(rng.integers(len(found)))]
