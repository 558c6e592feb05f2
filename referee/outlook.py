"""What the next quiet board may mean: every explanation from one settled position, made bit by bit.

A relay game has thousands of explanations, and making them all takes a good part of a second. They are wanted
when the board lies quiet after a move, which takes its players some seconds; so each look makes some of them,
and no look is held up.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, State
from engine.step import Counts
from referee import explain, second
from referee.explain import Explanation

EACH_S = 3000.0
"""Units of work in a second of the board's time: at some 30 microseconds each, a tenth of one core."""
_LONGEST_S = 0.5
"""Seconds between two looks beyond which no more work is done for them."""
_TWO_MOVES, _CARRIED_ON = 4, 4
"""Units of an explanation for which moves had to be played, or carried on, and not merely bent."""


class Outlook:
    """The explanations of boards, as far as they are made."""

    def __init__(self, game: Game, state: State, past: Sequence[State]) -> None:
        """The explanations in which nobody went wrong, or nobody moved, are there at once.

        Args:
            state: the settled position.
            past: the positions before each ply so far.
        """
        self._game, self._state = game, state
        self._two: tuple[Counts, Explanation | None] | None = None
        self.found = list(explain.legal(game, state))
        """The position as it is comes first."""
        self.legal = len(self.found)
        """How many of them are legal, and of one move at most."""
        self.found += explain.at_rest(game, state)
        self.at_once = len(self.found)
        """How many of them are legal, or of no move."""
        self.complete = False
        """Whether all are made but those of `explain.lasting`."""
        self.exhausted = False
        """Whether all are made."""
        self._rest: Iterator[tuple[Explanation, int] | None] = chain(
            ((one, _TWO_MOVES) for one in explain.two_moves(game, state)),
            ((one, 1) for one in explain.earlier(past)),
            ((one, 1) for one in explain.mistakes(game, state)),
            [None],
            ((one, _CARRIED_ON) for one in explain.lasting(game, state)),
            [None],
        )
        self._boards: NDArray[np.int64] = np.array([one.counts for one in self.found], dtype=np.int64)
        self._priors = np.array([one.prior for one in self.found])

    def work(self, seconds: float) -> None:
        """Go on making explanations, for as long as is fair when `seconds` have gone by."""
        left = EACH_S * min(seconds, _LONGEST_S)
        while left > 0 and not self.exhausted:
            made = next(self._rest)
            if made is None:
                self.complete, self.exhausted = True, self.complete
            else:
                self.found.append(made[0])
                left -= made[1]

    def boards(self, number: int) -> NDArray[np.int64]:
        """`(number, holes)`: seeds in each hole, of the first explanations."""
        self._array(number)
        return self._boards[:number]

    def priors(self, number: int) -> NDArray[np.float64]:
        """`(number,)`, nats."""
        self._array(number)
        return self._priors[:number]

    def two_mistakes(self, counts: Counts) -> Explanation | None:
        """The two mistakes in one turn that leave a board which nothing else explains, if any do."""
        if self._two is None or self._two[0] != counts:
            number = len(self.found)
            boards, priors = self.boards(number), self.priors(number)
            made = second.further(self._game, self._state, self.found, boards, priors, counts)
            self._two = (counts, made)
        return self._two[1]

    def _array(self, number: int) -> None:
        # Most looks ask for those alone that have been there from the first.
        if number > len(self._boards):
            new = self.found[len(self._boards) :]
            boards = np.array([one.counts for one in new], dtype=np.int64)
            self._boards = np.concatenate((self._boards, boards))
            self._priors = np.concatenate((self._priors, [one.prior for one in new]))
