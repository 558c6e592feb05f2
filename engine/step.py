"""The physical steps of a move: what the hand does, in order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Counts = tuple[int, ...]
"""Seeds in each hole: pits in ring order, then stores by player."""


@dataclass(frozen=True, slots=True)
class Lift:
    """So many seeds of a hole go into the hand: all of a pit, but where the rules leave some behind."""

    pit: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Drop:
    """One seed goes from the hand into a hole."""

    pit: int


@dataclass(frozen=True, slots=True)
class Take:
    """All `seeds` of a pit go into the store at hole `to`: a capture or a sweep."""

    pit: int
    seeds: int
    to: int


Step = Lift | Drop | Take


def after(counts: Counts, steps: Iterable[Step]) -> Counts:
    """The counts when the steps have been done; seeds in the hand are in no hole.

    >>> after((0, 2, 0, 5), [Lift(1, 2), Drop(2), Drop(0), Take(0, 1, 3)])
    (0, 0, 1, 6)
    """
    new = list(counts)
    for step in steps:
        if isinstance(step, Drop):
            new[step.pit] += 1
        else:
            new[step.pit] -= step.seeds
            if isinstance(step, Take):
                new[step.to] += step.seeds
    return tuple(new)


def deferred(steps: Sequence[Step]) -> tuple[tuple[Step, ...], tuple[Take, ...]]:
    """The same move by a hand that captures only when the sowing is done: the sowing, and the captures.

    A capture stays in its place among the sowing where a later lap lifts its pit.

    >>> deferred([Lift(0, 2), Drop(1), Take(1, 4, 6), Drop(2)])
    ((Lift(pit=0, seeds=2), Drop(pit=1), Drop(pit=2)), (Take(pit=1, seeds=4, to=6),))
    """
    if not any(isinstance(step, Take) for step in steps):
        return tuple(steps), ()
    lifted: set[int] = set()
    sowing, captures = list[Step](), list[Take]()
    for step in reversed(steps):
        if isinstance(step, Take) and step.pit not in lifted:
            captures.append(step)
        else:
            sowing.append(step)
        if isinstance(step, Lift):
            lifted.add(step.pit)
    return tuple(sowing[::-1]), tuple(captures[::-1])


def stages(counts: Sequence[int], steps: Sequence[Step]) -> list[Counts]:
    """Every board the hand passes through: `len(steps) + 1` counts, `counts` itself first."""
    boards = [tuple(counts)]
    for step in steps:
        boards.append(after(boards[-1], (step,)))
    return boards
