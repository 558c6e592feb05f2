"""A move, as a player chooses it."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal[1, -1]
"""+1 counter-clockwise (rising pit numbers), -1 clockwise (rules.md, *Conventions*)."""

DIRECTIONS: tuple[Direction, ...] = (1, -1)


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """Sow the seeds of `pit` in `direction`; or one of the two moves that sow nothing."""

    pit: int
    """Ring index of the pit; negative only in `PASS` and `SWAP`."""
    direction: Direction = 1
    choices: int = 0
    """What is chosen on the way, where the rules ask: bit 0 at the first such point, bit 1 at the next .."""

    @property
    def sows(self) -> bool:
        return self.pit >= 0


MOST_CHOICES = 24
"""A move asks no more often; what would be asked after that is chosen as 0."""

PASS = Move(-1)
"""A turn given up, where the rules allow or demand it."""
SWAP = Move(-2)
"""The pie rule: the second player takes the first player's seat. Nothing moves on the board."""
