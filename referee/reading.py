"""What lies on the board, whatever came before: no story, only holes and the sum of their seeds."""

import numpy as np

from engine.errors import BadInput
from engine.game import Game
from engine.observation import Floats
from engine.step import Counts
from referee.belief import Belief

_OTHER_SUM = -5.0
"""Nats: seeds have come to the board or gone from it since they were last counted."""
_NAMED = 3
"""Doubtful holes that are named."""


def read(evidence: Floats, total: Floats, seeds: int) -> tuple[Counts, float]:
    """The likeliest board, and its probability: of all boards there are, each hole may hold anything.

    Args:
        evidence: `(holes, counts)`, nats, the best of each row 0.
        total: `(counts,)`, nats: of the seeds on the whole board; the last stands for all above.
        seeds: how many there should be.
    """
    holes, counts = evidence.shape
    sums = np.arange(holes * (counts - 1) + 1)
    whole = total[np.minimum(sums, counts - 1)] + np.where(sums == seeds, 0.0, _OTHER_SUM)
    best = np.full(len(sums), -np.inf)
    best[0] = 0.0
    every = np.ones(1)
    chosen = []
    for row in evidence:
        # Of all ways to come to each sum with this hole, the best; and all of them together.
        ways = np.full((counts, len(sums)), -np.inf)
        for seeds_here, nats in enumerate(row):
            ways[seeds_here, seeds_here:] = best[: len(sums) - seeds_here] + nats
        chosen.append(ways.argmax(axis=0))
        best = ways.max(axis=0)
        every = np.convolve(every, np.exp(row))
    at = int((best + whole).argmax())
    probability = float(np.exp(best[at] + whole[at]) / (every * np.exp(whole)).sum())
    board = [0] * holes
    left = at
    for hole in reversed(range(holes)):
        board[hole] = int(chosen[hole][left])
        left -= board[hole]
    return tuple(board), probability


def check_quiet(belief: Belief, t: float, settle_s: float) -> None:
    """See that the board is clear at `t`, and has been quiet for `settle_s` seconds.

    Raises:
        BadInput: it is not.
    """
    if not belief.clear or t - belief.changed_at < settle_s:
        raise BadInput("the board is not read yet: take the hands away, and try again in a moment")


def as_it_lies(game: Game, belief: Belief, seeds: int, certain: float) -> Counts:
    """What lies on a quiet board.

    Args:
        seeds: as in `read`.
        certain: the probability that it must have.

    Raises:
        BadInput: it is not read surely; the sentence says where.
    """
    evidence = belief.evidence
    board, certainty = read(evidence, belief.total, seeds)
    if certainty >= certain:
        return board
    share = np.exp(evidence) / np.exp(evidence).sum(axis=1, keepdims=True)
    unsure = []
    for hole in sorted(range(len(board)), key=lambda hole: float(share[hole, board[hole]])):
        first, second = (int(seeds) for seeds in np.argsort(-share[hole], kind="stable")[:2])
        if share[hole, board[hole]] < certain:
            fewer, more = sorted((board[hole], second if first == board[hole] else first))
            unsure.append(f"{game.hole_name(hole)} may hold {fewer} or {more}")
    what = ", ".join(unsure[:_NAMED]) or "many holes are a little doubtful"
    raise BadInput(f"the board is not read surely ({what}): have it counted again")
