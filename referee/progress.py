"""How far a move has got: a forward filter over the prefixes of the traces of all legal moves.

The physical half of a move is a prefix of its trace (design.md), so the filter's states are those prefixes.
Between two looks a hand stays where it is, or goes on by a step or a few; seldom, anything else. The filter
says which pit is being sown and how many seeds are down; it never settles a move, `referee.referee` does that
on a quiet board.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, State
from engine.move import Move
from engine.observation import Floats, Observation
from engine.step import Drop, Lift, stages

_ON = (0.90, 0.07, 0.02, 0.01)
"""Probability that a hand does 0, 1, 2 or 3 steps between two looks; human cadence at 10 looks a second."""
_ELSEWHERE = 1e-5
"""Probability of anything else: the filter can always recover."""
_WEIGHT = 0.5
"""Share of a look's evidence that is new: looks share their errors."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """A move, and how many of its steps are done."""

    move: Move | None
    """None: nothing has been touched."""
    done: int
    dropped: int
    """Seeds dropped since the last lift."""
    lifted: int
    """Seeds of the last lift."""


class Progress:
    """The filter for one settled position."""

    def __init__(self, game: Game, state: State) -> None:
        """`state` is the settled position; nothing has been touched."""
        self.prefixes = [Prefix(None, 0, 0, 0)]
        boards: list[Sequence[int]] = [state.counts]
        starts = []
        for move in game.legal(state) if state.player is not None else ():
            if not move.sows:
                continue
            steps = game.play(state, move).steps
            starts.append(len(boards))
            dropped = lifted = 0
            for done, (step, board) in enumerate(
                zip(steps, stages(state.counts, steps)[1:], strict=True), start=1
            ):
                if isinstance(step, Lift):
                    dropped, lifted = 0, step.seeds
                elif isinstance(step, Drop):
                    dropped += 1
                self.prefixes.append(Prefix(move, done, dropped, lifted))
                boards.append(board)
        self._boards: NDArray[np.int64] = np.array(boards, dtype=np.int64)
        self._next = self._transitions(starts)
        self._weights = np.full(len(boards), _ELSEWHERE)
        self._weights[0] = 1.0

    def _transitions(self, starts: Sequence[int]) -> Floats:
        """`(n, n)`: row i holds the probabilities of going from prefix i to each other."""
        n = len(self.prefixes)
        after = np.zeros((n, n))
        ends = [*starts[1:], n]
        after[0, 0] = _ON[0]
        for start, end in zip(starts, ends, strict=False):
            for on in (1, 2, 3):
                if start + on - 1 < end:
                    after[0, start + on - 1] += _ON[on] / len(starts)
            for at in range(start, end):
                for on, probability in enumerate(_ON):
                    after[at, min(at + on, end - 1)] += probability
        result: Floats = after + _ELSEWHERE / n
        return result

    def add(self, observation: Observation) -> None:
        """Take in one look."""
        look = observation.loglik
        top = look.shape[1] - 1
        fit = look[np.arange(len(look)), np.minimum(self._boards, top)].sum(axis=1) * _WEIGHT
        weights = (self._weights @ self._next) * np.exp(fit - fit.max())
        self._weights = np.maximum(weights / weights.sum(), 1e-12)

    def best(self) -> tuple[Prefix, float]:
        """The likeliest prefix, and the probability of its move (any number of steps done)."""
        prefix = self.prefixes[int(self._weights.argmax())]
        same = [i for i, other in enumerate(self.prefixes) if other.move == prefix.move]
        return prefix, float(self._weights[same].sum() / self._weights.sum())
