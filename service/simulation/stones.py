"""A set of stones, each with its own mass, and where each of them lies."""

from collections.abc import Sequence

import numpy as np

HAND = -1
"""The place of a stone that somebody holds."""
OFF = -2
"""The place of a stone that is not on the board: in the bag, or on the floor."""
OTHER_HAND = -3
"""The place of a stone that is held in the other hand, or by another player."""
SPARE = 8
"""Stones in the bag at the start."""
_SPREAD = 2.5
"""Standard deviations beyond which a stone is not put into the set."""


class Stones:
    """Stones on the board, in the hand and off the board. No stone is ever made or lost by a move.

    Args:
        rng: draws the masses and shuffles what is picked up.
        counts: stones in each hole at first.
        mean: grams, above 0.
        cv: standard deviation of the masses over their mean, 0 to 0.35, before the truncation at 2.5 of it.
    """

    def __init__(
        self, rng: np.random.Generator, counts: Sequence[int], mean: float = 3.0, cv: float = 0.10
    ) -> None:
        self._rng = rng
        self._mean, self._cv = mean, cv
        self._grams: list[float] = []
        self._at: dict[int, list[int]] = {HAND: [], OTHER_HAND: [], OFF: []}
        for hole, count in enumerate(counts):
            self._at[hole] = self._draw(count)
        self._holes = len(counts)
        self._at[OFF] = self._draw(SPARE)

    def _draw(self, number: int) -> list[int]:
        """The numbers of so many new stones."""
        first = len(self._grams)
        while len(self._grams) < first + number:
            deviation = self._rng.standard_normal()
            if abs(deviation) <= _SPREAD:
                self._grams.append(self._mean * (1.0 + self._cv * deviation))
        return list(range(first, first + number))

    @property
    def counts(self) -> tuple[int, ...]:
        """Stones in each hole."""
        return tuple(len(self._at[hole]) for hole in range(self._holes))

    @property
    def total(self) -> int:
        """All stones, wherever they are."""
        return sum(len(stones) for stones in self._at.values())

    @property
    def grams(self) -> float:
        """The mass of all stones, wherever they are."""
        return sum(self.load(place) for place in self._at)

    def at(self, place: int) -> int:
        """Stones in a hole, in a hand or `OFF` the board."""
        return len(self._at[place])

    def load(self, place: int) -> float:
        """Grams in a place."""
        return sum(self._grams[stone] for stone in self._at[place])

    def on_board(self) -> tuple[float, float]:
        """Mean and standard deviation, grams, of the stones that lie in holes."""
        grams = [self._grams[stone] for hole in range(self._holes) for stone in self._at[hole]]
        return float(np.mean(grams)), float(np.std(grams))

    def carry(self, number: int, source: int, target: int) -> list[float]:
        """Move stones from one place to another; their masses, in the order in which they arrive.

        What was put into a place last leaves it first, but a pit is picked from at random.

        Raises:
            ValueError: there are not so many at `source`.
        """
        lying = self._at[source]
        if not 0 <= number <= len(lying):
            raise ValueError(f"{number} stones are to leave place {source}, where {len(lying)} lie")
        if source >= 0:
            lying = self._at[source] = [lying[at] for at in self._rng.permutation(len(lying))]
        moved = [lying.pop() for _ in range(number)]
        self._at[target].extend(moved)
        return [self._grams[stone] for stone in moved]

    def fill_bag(self, number: int) -> None:
        """Buy stones of the same kind until at least so many are off the board."""
        self._at[OFF].extend(self._draw(max(0, number - self.at(OFF))))
