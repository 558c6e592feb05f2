"""The word that sensors and referee share: one look at the board, as likelihoods.

A sensor never says "7". It says how likely each count is, how sure it is that a hand is in the
way, and what ails it. Only the referee decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""An array of float64; each use says its shape and unit."""

Reading_contra = TypeVar("Reading_contra", contravariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One sensor's look at the board at one time."""

    t: float
    """Seconds; when it was weighed or exposed, not when it arrived."""
    loglik: Floats
    """`(holes, counts)`, natural log of the likelihood of 0, 1 .. counts-1 seeds in each hole (pits in
    ring order, then stores), each row's best at 0. A row of zeros says nothing: a hidden hole."""
    hand: Floats
    """`(holes,)`, 0 to 1: evidence that a hand covers or presses the hole at this moment."""
    total: Floats | None = None
    """`(counts,)`, natural log of the likelihood of 0, 1 .. seeds on the whole board, best at 0; None from a
    sensor that cannot tell the whole better than its parts. A scale can: stones that only change places leave
    the sum of all cells as it was."""
    notes: tuple[str, ...] = ()
    """What ails the sensor, each in one sentence with its mend; empty when all is well."""
    feels: bool = True
    """Whether evidence of a hand means that it touches: fingers weigh on a cell. A camera sees a hand over a
    hole, and not whether it touches."""
    alike: bool = False
    """Whether looks at holes in which nothing moves err alike, for a heavy stone stays heavy: several of them
    then say no more than one."""
    sensor: str = ""
    """Which sensor looked, where several watch one board."""

    def __post_init__(self) -> None:
        if self.loglik.ndim != 2 or self.hand.shape != (len(self.loglik),):
            raise ValueError(
                f"an observation wants loglik (holes, counts) and hand (holes,); "
                f"got {self.loglik.shape} and {self.hand.shape}"
            )


class Sensor(Protocol[Reading_contra]):
    """Turns raw readings (cell grams, a camera frame) into observations. Pure: no clock, no device."""

    def observe(self, t: float, reading: Reading_contra) -> Observation:
        """What this reading, taken at `t` seconds, says of the board."""
        ...

    def settled(self, t: float, counts: Sequence[int]) -> None:
        """The referee has accepted `counts` (pits, then stores) as what lies on the board at `t`.

        A sensor may learn from it: a scale re-baselines its mass ledger, a camera its look of a pit.
        It is the only feedback there is, and it never comes from an unsettled position.
        """
        ...


def nothing_seen(holes: int, counts: int) -> Floats:
    """Likelihoods `(holes, counts)` that say nothing at all."""
    return np.zeros((holes, counts))
