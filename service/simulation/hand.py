"""A hand at the board: gestures in, timed actions out.

A *gesture* is what a person would say they do: pick up the seeds of C, sow one into D, drop one on the floor.
An *action* is what the cells feel of it, at its time: a press, a stone that goes from one place to another.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from engine.step import Counts, Drop, Lift, Step, Take
from service.simulation.stones import HAND, OFF, OTHER_HAND
from service.simulation.truth import Truth

Span = tuple[float, float]
"""Shortest and longest duration, seconds."""


@dataclass(frozen=True, slots=True)
class Grab:
    """Pick up `seeds` of a hole, all or some."""

    hole: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Sow:
    """Let one seed fall into a hole."""

    hole: int


@dataclass(frozen=True, slots=True)
class Put:
    """Put `seeds` into a hole at once."""

    hole: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Touch:
    """Press a hole for a time and move nothing."""

    hole: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Lose:
    """Let seeds out of the hand fall off the board."""

    seeds: int


@dataclass(frozen=True, slots=True)
class Find:
    """Take seeds from beside the board into the hand."""

    seeds: int


@dataclass(frozen=True, slots=True)
class Bump:
    """Knock against the board: seeds jump, each from one hole to another."""

    jumps: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Give:
    """Give seeds out of the hand to the other hand."""

    seeds: int


@dataclass(frozen=True, slots=True)
class Roll:
    """Let one seed fall into a hole, hit its rim, and come to lie in another."""

    hole: int
    into: int


@dataclass(frozen=True, slots=True)
class Rest:
    """Let the hand lie on holes for a time and move nothing."""

    holes: tuple[int, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a thing of so many grams on a hole that is no seed; 0 takes it away."""

    hole: int
    grams: float


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for a time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Say:
    """Note down what has happened by now."""

    truth: Truth


@dataclass(frozen=True, slots=True)
class Together:
    """Two hands at once: what one does, and what the other does meanwhile."""

    one: "tuple[Gesture, ...]"
    other: "tuple[Gesture, ...]"


Gesture = Grab | Sow | Put | Touch | Lose | Find | Bump | Give | Roll | Rest | Lay | Wait | Say | Together


def of_steps(steps: Iterable[Step]) -> tuple[Gesture, ...]:
    """The gestures that make the engine's steps."""
    gestures: list[Gesture] = []
    for step in steps:
        match step:
            case Lift(pit, seeds):
                gestures.append(Grab(pit, seeds))
            case Drop(pit):
                gestures.append(Sow(pit))
            case Take(pit, seeds, to):
                gestures += [Grab(pit, seeds), Put(to, seeds)]
    return tuple(gestures)


def counts_after(counts: Sequence[int], gestures: Iterable[Gesture]) -> Counts:
    """What lies in each hole when the gestures are done.

    >>> counts_after((2, 1, 0), [Grab(0, 2), Sow(1), Lose(1)])
    (0, 2, 0)
    """
    new = list(counts)
    for gesture in gestures:
        match gesture:
            case Grab(hole, seeds):
                new[hole] -= seeds
            case Sow(hole):
                new[hole] += 1
            case Put(hole, seeds):
                new[hole] += seeds
            case Bump(jumps):
                for source, target in jumps:
                    new[source] -= 1
                    new[target] += 1
            case Roll(_, hole):
                new[hole] += 1
            case Together(one, other):
                new = list(counts_after(new, [*one, *other]))
    return tuple(new)


def putting_right(counts: Sequence[int], want: Sequence[int]) -> tuple[Gesture, ...]:
    """The gestures that turn one board into another: all that is too much is picked up, then put down.

    >>> putting_right((3, 0, 1), (1, 1, 1))
    (Grab(hole=0, seeds=2), Put(hole=1, seeds=1), Lose(seeds=1))
    """
    change = [(hole, w - n) for hole, (n, w) in enumerate(zip(counts, want, strict=True))]
    gestures: list[Gesture] = [Grab(hole, -by) for hole, by in change if by < 0]
    total = sum(by for _, by in change)
    if total > 0:
        gestures.append(Find(total))
    gestures += [Put(hole, by) for hole, by in change if by > 0]
    if total < 0:
        gestures.append(Lose(-total))
    return tuple(gestures)


@dataclass(frozen=True, slots=True)
class Carry:
    """`seeds` leave one place for another at `at`; what falls, falls from `height` metres."""

    at: float
    seeds: int
    source: int
    target: int
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Press:
    """A hand weighs on a hole from `at` on; its tremor is a sum of sines."""

    at: float
    hole: int
    seconds: float
    grams: float
    tremor: tuple[tuple[float, float, float], ...]
    """Share of `grams`, hertz and phase of each."""


@dataclass(frozen=True, slots=True)
class Thing:
    """From `at` on, a thing of so many grams lies on a hole; 0 for none."""

    at: float
    hole: int
    grams: float


@dataclass(frozen=True, slots=True)
class Note:
    """The truth, to be told at `at`."""

    at: float
    truth: Truth


Action = Carry | Press | Thing | Note


@dataclass(frozen=True, slots=True)
class Plan:
    """Actions by rising time; their times, and `seconds` of it all, count from when the plan starts."""

    actions: tuple[Action, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Tempo:
    """How fast and how carefully the hand moves."""

    think_s: Span = (0.8, 2.5)
    """Before a turn."""
    reach_s: Span = (0.2, 0.5)
    """From anywhere to the first pit."""
    contact_s: Span = (0.25, 0.5)
    """In a pit that is being lifted."""
    drop_s: Span = (0.25, 0.45)
    """From one seed sown to the next."""
    carry_s: Span = (0.4, 0.8)
    """With a handful to where it is put down."""
    floor_s: Span = (1.0, 1.6)
    """To pick up what has fallen off the board."""
    press_g: tuple[float, float] = (20.0, 200.0)
    """Least and most that fingers in a pit weigh, grams."""
    fall_m: tuple[float, float] = (0.01, 0.05)
    """Least and most height from which a seed falls, metres."""
    brush: float = 0.03
    """How often, of all seeds sown, the fingers touch the cup."""
    mend_s: float = 3.0
    """From a mistake until the hand begins to mend it."""
    missed_s: float = 11.0
    """.. when the mistake is a capture not taken: what is not lifted at once may yet be."""
    rest_g: tuple[float, float] = (15.0, 80.0)
    """Least and most that a resting hand weighs on a hole, grams."""


TEMPI: Mapping[str, Tempo] = MappingProxyType(
    {
        "steady": Tempo(),
        "slow": Tempo(
            think_s=(2.0, 6.0),
            reach_s=(0.4, 0.9),
            contact_s=(0.4, 0.9),
            drop_s=(0.4, 0.9),
            carry_s=(0.6, 1.2),
        ),
        "quick": Tempo(
            think_s=(0.3, 1.2),
            reach_s=(0.1, 0.3),
            contact_s=(0.15, 0.3),
            drop_s=(0.18, 0.3),
            carry_s=(0.25, 0.5),
        ),
    }
)
"""People by how fast they are; the quick sow four seeds a second."""


@dataclass(slots=True)
class Hand:
    """A hand of some temper. Deterministic: the same `rng` and gestures make the same plans."""

    rng: np.random.Generator
    tempo: Tempo = field(default_factory=Tempo)

    def plan(self, gestures: Sequence[Gesture]) -> Plan:
        """When each gesture is made, and what the cells feel of it."""
        actions: list[Action] = []
        now = 0.0
        for gesture in self._gathered(gestures):
            now = self._make(gesture, now, actions, HAND)
        # Fingers still in the last hole when the next plan starts are in nobody's way.
        return Plan(tuple(sorted(actions, key=lambda action: action.at)), now)

    def think(self) -> Wait:
        return Wait(self._within(self.tempo.think_s))

    def _within(self, span: Span) -> float:
        return float(self.rng.uniform(*span))

    def _gathered(self, gestures: Sequence[Gesture]) -> list[Gesture]:
        """Captures one by one or, as often, all picked up before they go into the store together."""
        made = list(gestures)
        at = 0
        while at + 3 < len(made):
            match made[at : at + 4]:
                case [Grab() as one, Put(store, n), Grab() as two, Put(to, m)] if store == to:
                    if self.rng.random() < 0.5:
                        made[at : at + 4] = [one, two, Put(store, n + m)]
            at += 1
        return made

    def _press(self, at: float, hole: int, seconds: float, grams: float) -> Press:
        tremor = tuple(
            (share, float(self.rng.uniform(low, high)), float(self.rng.uniform(0.0, 2 * np.pi)))
            for share, low, high in ((0.25, 1.0, 4.0), (0.12, 7.0, 12.0), (0.08, 14.0, 25.0))
        )
        return Press(at, hole, seconds, grams, tremor)

    def _fall(self, at: float, hand: int, hole: int) -> Carry:
        return Carry(at, 1, hand, hole, self._within(self.tempo.fall_m))

    def _make(self, gesture: Gesture, now: float, actions: list[Action], hand: int) -> float:
        """Append the actions of a gesture of one hand that begins at `now`; when it ends."""
        tempo = self.tempo
        match gesture:
            case Grab(hole, seeds):
                now += self._within(tempo.reach_s)
                contact = self._within(tempo.contact_s)
                actions.append(self._press(now, hole, contact, self._within(tempo.press_g)))
                first = seeds // 2 if seeds > 3 else 0
                if first:
                    actions.append(Carry(now + 0.5 * contact, first, hole, hand))
                actions.append(Carry(now + 0.8 * contact, seeds - first, hole, hand))
                return now + contact
            case Sow(hole):
                now += self._within(tempo.drop_s)
                if self.rng.random() < tempo.brush:
                    brush = self._within((0.05, 0.12))
                    actions.append(self._press(now - brush / 2, hole, brush, self._within((10.0, 60.0))))
                actions.append(self._fall(now, hand, hole))
                return now
            case Put(hole, seeds):
                now += self._within(tempo.carry_s)
                for _ in range(seeds):
                    actions.append(self._fall(now, hand, hole))
                    now += self._within((0.005, 0.03))
                return now
            case Touch(hole, seconds):
                now += self._within(tempo.reach_s)
                actions.append(self._press(now, hole, seconds, self._within(tempo.press_g)))
                return now + seconds
            case Lose(seeds):
                now += self._within(tempo.drop_s)
                actions.append(Carry(now, seeds, hand, OFF))
                return now
            case Find(seeds):
                now += self._within(tempo.floor_s)
                actions.append(Carry(now, seeds, OFF, hand))
                return now
            case Bump(jumps):
                now += self._within(tempo.reach_s)
                for hole in sorted({hole for jump in jumps for hole in jump}):
                    actions.append(
                        self._press(now, hole, self._within((0.1, 0.4)), self._within((20.0, 80.0)))
                    )
                for source, target in jumps:
                    actions.append(Carry(now + 0.05, 1, source, target, self._within(tempo.fall_m)))
                return now + 0.4
            case Give(seeds):
                actions.append(Carry(now, seeds, hand, OTHER_HAND))
                return now
            case Roll(hole, into):
                now += self._within(tempo.drop_s)
                hit, rolled = 0.03, self._within((0.05, 0.15))
                actions.append(self._press(now, hole, hit, self._within((3.0, 20.0))))
                actions.append(replace(self._fall(now + rolled, hand, into), height=0.0))
                return now + rolled
            case Rest(holes, seconds):
                now += self._within(tempo.reach_s)
                for hole in holes:
                    actions.append(self._press(now, hole, seconds, self._within(tempo.rest_g)))
                return now + seconds
            case Together(one, other):
                ends = []
                for gestures, its in ((one, hand), (other, OTHER_HAND)):
                    end = now
                    for part in gestures:
                        end = self._make(part, end, actions, its)
                    ends.append(end)
                return max(ends)
            case Lay(hole, grams):
                now += self._within(tempo.carry_s)
                actions.append(Thing(now, hole, grams))
                return now
            case Wait(seconds):
                return now + seconds
            case Say(truth):
                actions.append(Note(now, truth))
                return now
