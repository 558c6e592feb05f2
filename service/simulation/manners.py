"""How people play by the rules and not as the trace has it. None of it is a fault, all of it ends right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.step import Drop, Lift, Step, Take
from service.simulation.hand import Gesture, Give, Grab, Put, Rest, Roll, Sow, Span, Together, Wait, of_steps

PAUSE_S: Span = (1.0, 4.0)
"""Of a hand that stops in mid-sowing."""
AT_ONCE_S: Span = (0.0, 0.15)
"""Before a turn that begins as the other ends."""
LATE_S: Span = (2.0, 6.0)
"""Before a capture that is lifted late."""
REST_S: Span = (1.0, 4.0)
"""For which a hand lies on the board."""
SETTLE_S: Span = (0.5, 1.0)
"""From a move until a hand comes to rest on the board."""
NOTICE_S: Span = (0.05, 0.25)
"""Until it is seen that a seed lies wrong."""
SHARED = 4
"""Seeds in a hand from which two hands may sow them."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How often each thing is done, 0 to 1."""

    pause: float = 0.0
    """Of the seeds sown: before one of them the hand stops."""
    burst: float = 0.0
    """Of the turns: begun at once, as the one before ends."""
    hasty: float = 0.0
    """Of the captures: lifted while the next player sows already, where neither is in the other's way."""
    early: float = 0.0
    """Of the captures: lifted by the other hand while the last seeds fall."""
    late: float = 0.0
    """Of the captures: left lying for some seconds first."""
    handfuls: float = 0.0
    """Of the pits captured: lifted in two handfuls."""
    two_hands: float = 0.0
    """Of the laps: the other hand sows the second half, at the same time."""
    slip: float = 0.0
    """Of the seeds sown: into the next pit by mistake, and put right at once."""
    roll: float = 0.0
    """Of the seeds sown: one rolls on into a neighbouring pit, and is put right at once."""
    rest: float = 0.0
    """Of the turns: the hand rests on two or three pits before them."""


LIVELY = Manners(
    pause=0.02, burst=0.15, hasty=0.15, early=0.15, late=0.15, handfuls=0.2, two_hands=0.1, slip=0.01,
    roll=0.01, rest=0.1,
)  # fmt: skip
"""People who do all of it, more often than most."""


@dataclass(frozen=True, slots=True)
class Mannered:
    """Gestures as people of some manners make them. Deterministic for the same `rng`."""

    rng: np.random.Generator
    manners: Manners
    pits: int
    """Of the board; they are a ring."""

    def opening(self, thinking: Wait) -> tuple[Gesture, ...]:
        """Before a turn, `thinking` or otherwise."""
        if self._does(self.manners.burst):
            return (Wait(self._within(AT_ONCE_S)),)
        if self._does(self.manners.rest):
            first, pits = int(self.rng.integers(self.pits)), int(self.rng.integers(2, 4))
            holes = tuple((first + pit) % self.pits for pit in range(pits))
            return (Wait(self._within(SETTLE_S)), Rest(holes, self._within(REST_S)), thinking)
        return (thinking,)

    def move(self, steps: Sequence[Step]) -> tuple[Gesture, ...]:
        """The gestures of a move."""
        sowing, captures = parted(steps)
        gestures = list(self._sown(sowing))
        if captures and self._does(self.manners.early):
            gestures, captures = self._early(gestures, captures)
        elif captures and self._does(self.manners.late):
            gestures.append(Wait(self._within(LATE_S)))
        return (*gestures, *self.capture(captures))

    def hasty(self) -> bool:
        """Whether the next player begins before a capture is lifted."""
        return self._does(self.manners.hasty)

    def beside(self, captures: Sequence[Take], said: Gesture, reply: Sequence[Step]) -> Together:
        """Captures that are lifted while the next player moves; `said` when they are stored."""
        waits = [Wait(self._within(AT_ONCE_S)) for _ in range(2)]
        return Together((waits[0], *of_steps(reply)), (waits[1], *self.capture(captures), said))

    def capture(self, captures: Sequence[Take]) -> Iterator[Gesture]:
        """The gestures that lift and store captures."""
        for take in captures:
            first = take.seeds // 2 if take.seeds > 3 and self._does(self.manners.handfuls) else 0
            for seeds in (first, take.seeds - first):
                if seeds:
                    yield Grab(take.pit, seeds)
                    yield Put(take.to, seeds)

    def _sown(self, sowing: Sequence[Step]) -> Iterator[Gesture]:
        at = 0
        while at < len(sowing):
            step = sowing[at]
            yield from of_steps([step])
            at += 1
            lap = 0
            while at + lap < len(sowing) and isinstance(sowing[at + lap], Drop):
                lap += 1
            drops = [step for step in sowing[at : at + lap] if isinstance(step, Drop)]
            if isinstance(step, Lift) and step.seeds == lap >= SHARED and self._does(self.manners.two_hands):
                half = lap - lap // 2
                yield Give(lap - half)
                yield Together(
                    tuple(Sow(drop.pit) for drop in drops[:half]),
                    tuple(Sow(drop.pit) for drop in drops[half:]),
                )
            else:
                for place, drop in enumerate(drops):
                    if place and self._does(self.manners.pause):
                        yield Wait(self._within(PAUSE_S))
                    yield from self._drop(drop.pit)
            at += lap

    def _drop(self, hole: int) -> Iterator[Gesture]:
        """One seed sown, in the end."""
        slips, rolls = self._does(self.manners.slip), self._does(self.manners.roll)
        if hole < self.pits and (slips or rolls):
            astray = (hole + int(self.rng.choice((-1, 1)))) % self.pits
            wrong = Sow(astray) if slips else Roll(hole, astray)
            yield from (wrong, Wait(self._within(NOTICE_S)), Grab(astray, 1))
        yield Sow(hole)

    def _early(
        self, gestures: Sequence[Gesture], captures: Sequence[Take]
    ) -> tuple[list[Gesture], tuple[Take, ...]]:
        """The first capture that nothing is sown into any more, lifted while the last two seeds fall."""
        last = len(gestures)
        while last > len(gestures) - 2 and last and isinstance(gestures[last - 1], Sow):
            last -= 1
        falling = tuple(gestures[last:])
        sown = {gesture.hole for gesture in falling if isinstance(gesture, Sow)}
        for take in captures if falling else ():
            if take.pit not in sown:
                lifted = tuple(self.capture([take]))
                left = tuple(other for other in captures if other != take)
                return [*gestures[:last], Together(falling, lifted)], left
        return list(gestures), tuple(captures)

    def _does(self, how_often: float) -> bool:
        # Who never does a thing draws no number for it.
        return how_often > 0 and self.rng.random() < how_often

    def _within(self, span: Span) -> float:
        return float(self.rng.uniform(*span))


def parted(steps: Sequence[Step]) -> tuple[tuple[Step, ...], tuple[Take, ...]]:
    """The sowing, and the captures that follow it.

    >>> parted([Lift(0, 1), Drop(1), Take(1, 4, 6)])
    ((Lift(pit=0, seeds=1), Drop(pit=1)), (Take(pit=1, seeds=4, to=6),))
    """
    end = len(steps)
    while end and isinstance(steps[end - 1], Take):
        end -= 1
    return tuple(steps[:end]), tuple(step for step in steps[end:] if isinstance(step, Take))
