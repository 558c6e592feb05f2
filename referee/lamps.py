"""The language of the lamps: one lamp a hole, a colour and a pattern for each thing it can say.

What a lamp says is told by colour *and* by pattern or place, so that it can be read without telling
colours apart, and on a board whose lamps have one colour only. docs/lights.md is its dictionary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from referee.view import View

RGB: TypeAlias = tuple[int, int, int]
"""Red, green, blue, each 0 to 255."""


class Colour(StrEnum):
    """A colour, by the name under which docs/lights.md and the page know it."""

    NONE = "none"
    WHITE = "white"
    BLUE = "blue"
    AMBER = "amber"
    RED = "red"
    CYAN = "cyan"
    VIOLET = "violet"
    GREEN = "green"


RGB_OF: Mapping[Colour, RGB] = {
    Colour.NONE: (0, 0, 0),
    Colour.WHITE: (180, 180, 160),
    Colour.BLUE: (0, 40, 255),
    Colour.AMBER: (255, 140, 0),
    Colour.RED: (255, 20, 0),
    Colour.CYAN: (0, 200, 220),
    Colour.VIOLET: (190, 0, 220),
    Colour.GREEN: (0, 220, 60),
}
"""What an RGB lamp is given for each colour."""


class Pattern(StrEnum):
    """How a lamp behaves in time. None flashes more than three times in a second (WCAG 2.3.1)."""

    OFF = "off"
    STEADY = "steady"
    SLOW = "slow"
    """Blinks: 0.75 s lit, 0.75 s dark."""
    FAST = "fast"
    """Blinks: 0.2 s lit, 0.2 s dark."""
    PULSE = "pulse"
    """Two short flashes and a rest, every 2 s."""


LIT: Mapping[Pattern, tuple[float, tuple[tuple[float, float], ...]]] = {
    Pattern.OFF: (1.0, ()),
    Pattern.STEADY: (1.0, ((0.0, 1.0),)),
    Pattern.SLOW: (1.5, ((0.0, 0.75),)),
    Pattern.FAST: (0.4, ((0.0, 0.2),)),
    Pattern.PULSE: (2.0, ((0.0, 0.2), (0.4, 0.6))),
}
"""Period of each pattern in seconds, and the spans `[from, to)` of it in which the lamp is lit."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """What one lamp shows."""

    colour: Colour
    pattern: Pattern


DARK = Lamp(Colour.NONE, Pattern.OFF)
PLAYABLE = Lamp(Colour.WHITE, Pattern.STEADY)
BOUND = Lamp(Colour.BLUE, Pattern.STEADY)
TOUCHED = Lamp(Colour.BLUE, Pattern.SLOW)
CAPTURE = Lamp(Colour.AMBER, Pattern.PULSE)
TOO_MANY = Lamp(Colour.RED, Pattern.FAST)
TOO_FEW = Lamp(Colour.CYAN, Pattern.SLOW)
UNSURE = Lamp(Colour.VIOLET, Pattern.PULSE)
LOST = Lamp(Colour.VIOLET, Pattern.SLOW)
TAKEN_OVER = Lamp(Colour.GREEN, Pattern.PULSE)
DECIDES = Lamp(Colour.WHITE, Pattern.PULSE)
WINNER = Lamp(Colour.GREEN, Pattern.STEADY)

SURE = 0.95
"""A hole whose count is less certain than this is lit when the referee asks."""


def plan(view: View) -> tuple[Lamp, ...]:
    """What each lamp shows in `view`: `(holes,)`, pits in ring order, then stores."""
    lamps = [DARK] * len(view.counts)

    match view.phase:
        case "lost":
            lamps = [LOST] * len(lamps)
        case "setup" | "mend" | "decide":
            for hole in view.changed:
                lamps[hole] = TAKEN_OVER
            stores = range(view.pits, len(lamps))
            for store in stores if view.phase == "decide" else ():
                if not view.deciders or store - view.pits in view.deciders:
                    lamps[store] = DECIDES
            for mend in view.mend:
                lamps[mend.pit] = TOO_MANY if mend.seeds > mend.want else TOO_FEW
        case "question":
            for hole, certain in enumerate(view.certain):
                if certain < SURE:
                    lamps[hole] = UNSURE
        case "capture":
            for hole in view.due:
                lamps[hole] = CAPTURE
        case "waiting" | "sowing":
            bound = view.touched is not None and (view.binding or view.phase == "sowing")
            if not bound:
                for hole in view.legal:
                    lamps[hole] = PLAYABLE
            if view.touched is not None:
                lamps[view.touched] = BOUND if bound else TOUCHED
        case "over":
            for player in view.result.winners if view.result else ():
                if view.pits + player < len(lamps):
                    lamps[view.pits + player] = WINNER

    return tuple(lamps)


def frame(lamps: Sequence[Lamp], t: float) -> tuple[RGB, ...]:
    """What each of `lamps` gives out at `t` seconds, on any clock that runs evenly."""
    return tuple(RGB_OF[lamp.colour] if _lit(lamp.pattern, t) else RGB_OF[Colour.NONE] for lamp in lamps)


def lamps_as_json(lamps: Sequence[Lamp]) -> list[dict[str, str]]:
    """The plan as plain JSON values."""
    return [{"colour": lamp.colour.value, "pattern": lamp.pattern.value} for lamp in lamps]


def _lit(pattern: Pattern, t: float) -> bool:
    period, spans = LIT[pattern]
    return any(start <= t % period < end for start, end in spans)
