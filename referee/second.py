"""A second mistake in one turn: what is left over when a first one explains most of the board.

Two mistakes together leave so many boards that they are not made beforehand. Of all boards that have a story,
those are looked at that differ from what lies there in one hole or two; the difference is the second mistake.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, State
from engine.step import Counts, Drop
from referee.explain import Explanation

BEST = -8.5
"""Nats: no second mistake has a better prior."""
_ASTRAY, _EACH_MORE, _MISPLACED, _WRONG_TAKE = 4.0, 0.5, 4.0, 4.5
"""Nats: a seed off the board or from elsewhere, each further one, a seed in a wrong hole, a wrong capture."""
_BY_ITSELF = 6.0
"""Nats that the first of two mistakes costs which explain a board together, and neither alone."""
_MOST_ASTRAY = 6
"""Seeds."""


def further(
    game: Game,
    state: State,
    found: Sequence[Explanation],
    boards: NDArray[np.int64],
    priors: NDArray[np.float64],
    counts: Counts,
) -> Explanation | None:
    """The likeliest two mistakes that leave `counts` together; None where there are none.

    Args:
        found: explanations of other boards.
        boards: `(n, holes)`, theirs.
        priors: `(n,)`, theirs, in nats.
    """
    off = np.array(counts, dtype=np.int64) - boards
    holes = np.count_nonzero(off, axis=1)
    near = np.flatnonzero((holes > 0) & (holes <= 2))
    best: Explanation | None = None
    for at in near[np.argsort(-priors[near], kind="stable")]:
        one = found[int(at)]
        if best and one.prior - _ASTRAY <= best.prior:
            break
        made = _together(game, state, one, counts, [int(by) for by in off[at]])
        if made and (best is None or made.prior > best.prior):
            best = made
    return best


def _together(
    game: Game, state: State, one: Explanation, counts: Counts, off: Sequence[int]
) -> Explanation | None:
    if one.story not in ("move", "moves", "mistake"):
        return None
    rest = _rest(game, state, one, counts, off)
    if rest is None:
        return None
    kind, pits, nats = rest
    if one.story == "mistake":
        return one._replace(counts=counts, prior=one.prior - nats, also=kind, also_pits=pits)
    wrong = one._replace(
        story="mistake", counts=counts, prior=one.prior - _BY_ITSELF - nats, kind=kind, pits=pits,
        want=one.counts,
    )  # fmt: skip
    missed = [hole for hole, by in enumerate(off) if by < 0]
    if kind == "double_drop" and missed:
        # A seed that lies in another hole of the way than its own, for one: that one was passed over.
        return wrong._replace(kind="skipped_pit", pits=tuple(missed), also=kind, also_pits=pits)
    return wrong


def _way(game: Game, state: State, one: Explanation) -> tuple[frozenset[int], frozenset[int]]:
    """The holes that the meant moves sow into, and all those on the courses of who makes them."""
    holes, courses = set[int](), set[int]()
    for move in one.moves:
        owner = game.rules.board.owner[move.pit]
        player = owner if one.kind == "wrong_player" or len(one.moves) > 1 else state.player or 0
        holes |= {step.pit for step in game.sown(state, player, move).steps if isinstance(step, Drop)}
        courses |= set(game.rules.board.course[player])
    return frozenset(holes), frozenset(courses)


def _rest(
    game: Game, state: State, one: Explanation, counts: Counts, off: Sequence[int]
) -> tuple[str, tuple[int, ...], float] | None:
    """The mistake that puts the board of a story off by so much: its kind, its holes, and what it costs."""
    changed = [(hole, by) for hole, by in enumerate(off) if by]
    if len(changed) == 1:
        ((hole, by),) = changed
        if abs(by) > _MOST_ASTRAY:
            return None
        nats = _ASTRAY + _EACH_MORE * (abs(by) - 1)
        return "seeds_added" if by > 0 else "seeds_missing", (hole,), nats
    (fewer, less), (more, by) = sorted(changed, key=lambda change: change[1])
    if less + by:
        return None
    if by == 1:
        way, course = _way(game, state, one)
        if more in way:
            return "double_drop", (more,), _MISPLACED
        if more in course or more < game.pits:
            return ("skipped_pit", (fewer,), _MISPLACED) if fewer in way else None
        if fewer in way or fewer >= game.pits or counts[fewer]:
            return "wrong_store", (more, fewer), _MISPLACED
    if fewer < game.pits <= more:
        return ("capture_wrong", (fewer,), _WRONG_TAKE) if not counts[fewer] else None
    if more < game.pits <= fewer:
        return ("capture_missed", (more,), _WRONG_TAKE) if counts[more] == by else None
    return ("capture_to_wrong_store", (more, fewer), _WRONG_TAKE) if fewer >= game.pits else None
