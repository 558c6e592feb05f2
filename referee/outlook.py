"""What the next quiet board may mean: every explanation from one settled position, made bit by bit.

A relay game has thousands of explanations, and making them all takes a good part of a second. They are wanted
when the board lies quiet after a move, which takes its players some seconds; so each look makes some of them,
and no look is held up. Those from the position after a move are begun as soon as the move seems to be done.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, State
from engine.step import Counts
from referee import explain, second
from referee.explain import Explanation, Traces

EACH_S = 3000.0
"""Units of work in a second of the board's time: at some 30 microseconds each, a tenth of one core."""
_LONGEST_S = 0.5
"""Seconds between two looks beyond which no more work is done for them."""
_FIRST_BOARDS = 256
"""Explanations that there is room for at first."""
_TWO_MOVES, _CARRIED_ON = 4, 4
"""Units of an explanation for which moves had to be played, or carried on, and not merely bent."""


def fair(seconds: float, each_s: float = EACH_S) -> float:
    """Units of work that are fair when so much time has gone by since the look before."""
    return each_s * min(seconds, _LONGEST_S) if seconds > 0.0 else 0.0


class Outlook:
    """The explanations of boards, as far as they are made."""

    def __init__(self, game: Game, state: State, sown: Traces) -> None:
        """None is made yet.

        Args:
            state: the settled position, or the one after moves that seem to be done.
            sown: what a hand does in each move that is legal there.
        """
        self._game, self._state = game, state
        self._two: tuple[Counts, Explanation | None] | None = None
        self.found: list[Explanation] = []
        """The position as it is comes first."""
        self._ends: list[int] = []
        """How many there were when each stage was done: those that are legal, and of one move at most; those
        of no move, too; all but those of `explain.lasting`; all."""
        self._earlier: Iterator[Explanation] = iter(())
        self._remembered = True
        self._rest: Iterator[tuple[Explanation, int] | None] = chain(
            ((one, 1) for one in explain.legal(state, sown)),
            [None],
            ((one, 1) for one in explain.at_rest(game, state)),
            [None],
            ((one, _TWO_MOVES) for one in explain.two_moves(game, state, sown)),
            ((one, 1) for one in explain.mistakes(game, state, sown)),
            [None],
            ((one, _CARRIED_ON) for one in explain.lasting(game, state, sown)),
            [None],
        )
        self._columns = np.zeros((len(state.counts), _FIRST_BOARDS), dtype=np.int64)
        self._priors = np.zeros(_FIRST_BOARDS)

    def settle(self, past: Sequence[State]) -> None:
        """Boards are to be explained from here: make those explanations at once in which nobody went wrong,
        or nobody moved.

        Args:
            past: the positions before each ply so far.
        """
        while len(self._ends) < 2:
            self._make()
        self._earlier, self._remembered = explain.earlier(past), False

    @property
    def legal(self) -> int:
        """How many of the first are legal, and of one move at most."""
        return self._ends[0]

    @property
    def at_once(self) -> int:
        """How many of the first are legal, or of no move."""
        return self._ends[1]

    @property
    def complete(self) -> bool:
        """Whether all are made but those of `explain.lasting`."""
        return len(self._ends) >= 3 and self._remembered

    @property
    def exhausted(self) -> bool:
        """Whether all are made."""
        return len(self._ends) == 4 and self._remembered

    def work(self, units: float) -> float:
        """Go on making explanations, for so many units of work; those that are left."""
        while units > 0 and not self.exhausted:
            units -= self._make()
        return units

    def _make(self) -> int:
        """Make the next explanation; the units that it took."""
        earlier = None if self._remembered else next(self._earlier, None)
        if earlier is None and not self._remembered:
            self._remembered = True
            return 0
        made = (earlier, 1) if earlier else next(self._rest)
        if made is None:
            self._ends.append(len(self.found))
            return 0
        one, units = made
        at = len(self.found)
        if at == len(self._priors):
            self._columns = np.concatenate((self._columns, np.zeros_like(self._columns)), axis=1)
            self._priors = np.concatenate((self._priors, np.zeros_like(self._priors)))
        self._columns[:, at], self._priors[at] = one.counts, one.prior
        self.found.append(one)
        return units

    def boards(self, number: int) -> NDArray[np.int64]:
        """`(number, holes)`: seeds in each hole, of the first explanations."""
        return self._columns[:, :number].T

    def priors(self, number: int) -> NDArray[np.float64]:
        """`(number,)`, nats."""
        return self._priors[:number]

    def of(self, counts: Counts) -> list[Explanation]:
        """The explanations of one board, so far as they are made."""
        same = (self._columns[:, : len(self.found)] == np.array(counts)[:, None]).all(axis=0)
        return [self.found[int(at)] for at in np.flatnonzero(same)]

    def two_mistakes(self, counts: Counts) -> Explanation | None:
        """The two mistakes in one turn that leave a board which nothing else explains, if any do."""
        if self._two is None or self._two[0] != counts:
            number = len(self.found)
            boards, priors = self.boards(number), self.priors(number)
            made = second.further(self._game, self._state, self.found, boards, priors, counts)
            self._two = (counts, made)
        return self._two[1]
