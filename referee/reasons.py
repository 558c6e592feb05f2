"""What decided a verdict: the likeliest readings, how probable, and the holes that told them apart."""

from collections.abc import Sequence

import numpy as np

from engine.game import Game, State
from engine.step import Counts
from referee import words
from referee.belief import Belief
from referee.events import Reading, Reasons, Weighed
from referee.explain import Explanation

_READINGS = 3
_WEIGHED = 6
"""Readings, and holes, that are told of at most."""


def of(
    game: Game,
    state: State,
    belief: Belief,
    best: Explanation,
    certainty: float,
    rivals: Sequence[Explanation],
    want: Counts,
) -> Reasons:
    """What decided that it was `best`.

    Args:
        certainty: the probability of its board.
        rivals: the likely boards, best first; the first is that of `best`.
        want: the board as it should be.
    """
    # That something unknown has happened is another story, but no other reading of the board.
    others = [one for one in rivals[1:] if one.counts != best.counts]
    read = [best, *others[: _READINGS - 1]]
    fit = belief.fit(np.array([one.counts for one in read], dtype=np.int64))
    # The best story may be told otherwise than it was found, for who touched what, or for how long.
    priors = np.array([one.prior for one in [*rivals[:1], *read][:1] + read[1:]])
    share = certainty * np.exp(fit + priors - fit[0] - priors[0])
    readings = tuple(
        Reading(words.story(game, one), round(float(p), 6), round(float(f), 2), round(float(prior), 2))
        for one, p, f, prior in zip(read, share, fit, priors, strict=True)
    )
    likely, certain = belief.likely()
    first, second = read[0].counts, read[min(1, len(read) - 1)].counts
    apart = [hole for hole in range(len(want)) if len({first[hole], second[hole], want[hole]}) > 1]
    # What tells the two likeliest readings apart comes before what is not as it should be.
    apart.sort(key=lambda hole: first[hole] == second[hole])
    weighed = tuple(
        Weighed(
            hole, likely[hole], round(certain[hole], 6), tuple(one.counts[hole] for one in read), want[hole]
        )
        for hole in apart[:_WEIGHED]
    )
    move = best.moves[0] if best.moves else None
    return Reasons(words.rule(game, state, best.kind, move) if best.kind else "", readings, weighed)
