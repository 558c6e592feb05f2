"""Time controls: the times by which one player plays, and how they are written.

The notation is that of PGN's header `TimeControl`, main times and increments in seconds (`300+3`), with
`300d3` for a delay, `300b3` for Bronstein's and `300+5x30` for byo-yomi beside it. People may write `5:00+3`.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from engine.errors import BadInput

MOST_MAIN_MS = 24 * 3_600_000
MOST_EXTRA_MS = 3_600_000
"""Of an increment, a delay or a period."""
MOST_PERIODS = 99
_PLAIN_MS = 60_000
"""Main times from here on may be written in seconds: who writes 5 means minutes, and would get seconds."""

_TIME = r"(?:(?:\d{1,2}:[0-5]\d|\d{1,4}):[0-5]\d|\d{1,5})(?:\.\d{1,3})?"
_CONTROL = re.compile(rf"({_TIME})(?:([+db])(?:(\d{{1,2}})x)?({_TIME}))?")


@dataclass(frozen=True, slots=True)
class Increment:
    """Fischer: given after each turn."""

    ms: int


@dataclass(frozen=True, slots=True)
class Delay:
    """Simple, US: the main time waits so long in each turn."""

    ms: int


@dataclass(frozen=True, slots=True)
class Bronstein:
    """What a turn took is given back after it, up to this."""

    ms: int


@dataclass(frozen=True, slots=True)
class ByoYomi:
    """Japanese: after the main time, periods; one within which the turn ends is kept."""

    periods: int
    ms: int


Bonus: TypeAlias = Increment | Delay | Bronstein | ByoYomi | None
"""None is sudden death."""


@dataclass(frozen=True, slots=True)
class Control:
    """The times of one player."""

    main_ms: int
    bonus: Bonus = None

    def __post_init__(self) -> None:
        """Checks the ranges.

        Raises:
            BadInput: a time is out of its range, or the flag would fall at once.
        """
        if not 0 <= self.main_ms <= MOST_MAIN_MS:
            raise BadInput(f"a main time is {_long(self.main_ms)}: 0:00 to 24:00:00 was expected")
        if self.bonus and not 0 < self.bonus.ms <= MOST_EXTRA_MS:
            raise BadInput(
                f"what a turn gets is {_long(self.bonus.ms)}: more than 0:00, to 1:00:00, was expected"
            )
        if isinstance(self.bonus, ByoYomi) and not 1 <= self.bonus.periods <= MOST_PERIODS:
            raise BadInput(f"byo-yomi has {self.bonus.periods} periods: 1 to {MOST_PERIODS} were expected")
        if not self.main_ms and not isinstance(self.bonus, Delay | ByoYomi):
            raise BadInput("a main time of 0 wants a delay or byo-yomi, or the flag falls at once")

    def __str__(self) -> str:
        """As `parse` reads it: `300`, `300+3`, `300d3`, `300b3`, `300+5x30`."""
        main = _short(self.main_ms)
        if 0 < self.main_ms < _PLAIN_MS:
            main = "0:" + (f"0{main}" if self.main_ms < 10_000 else main)
        match self.bonus:
            case None:
                return main
            case Increment(ms):
                return f"{main}+{_short(ms)}"
            case Delay(ms):
                return f"{main}d{_short(ms)}"
            case Bronstein(ms):
                return f"{main}b{_short(ms)}"
            case ByoYomi(periods, ms):
                return f"{main}+{periods}x{_short(ms)}"


def parse(text: str) -> Control:
    """The times that a text says.

    >>> parse("5:00+3")
    Control(main_ms=300000, bonus=Increment(ms=3000))
    >>> str(parse("1:30:00 + 5x0:30"))
    '5400+5x30'

    Raises:
        BadInput: it says none.
    """
    found = _CONTROL.fullmatch("".join(text.split()))
    if found is None or (found[3] and found[2] != "+"):
        raise BadInput(
            f"time {text[:40]!r} is not understood: 5:00, 5:00+3 (increment), 5:00d3 (delay), 5:00b3 "
            f"(Bronstein) or 5:00+3x0:30 (byo-yomi) was expected"
        )
    main, kind, periods, extra = found.groups()
    main_ms = _read_ms(main)
    if ":" not in main and 0 < main_ms < _PLAIN_MS:
        raise BadInput(
            f"time {text[:40]!r} begins with {main} seconds: write minutes and seconds, as in 5:00 or 0:30"
        )
    if kind is None:
        return Control(main_ms)
    ms = _read_ms(extra)
    if periods:
        return Control(main_ms, ByoYomi(int(periods), ms))
    bonuses: dict[str, Bonus] = {"+": Increment(ms), "d": Delay(ms), "b": Bronstein(ms)}
    return Control(main_ms, bonuses[kind])


def _read_ms(text: str) -> int:
    """Of `90`, `1:30` or `0:01:30`, with up to three decimals."""
    *larger, seconds = text.split(":")
    minutes = 0
    for part in larger:
        minutes = 60 * minutes + int(part)
    whole, _, fraction = seconds.partition(".")
    return 60_000 * minutes + 1000 * int(whole) + int(fraction.ljust(3, "0"))


def _short(ms: int) -> str:
    """Seconds, without zeros that say nothing."""
    return f"{ms // 1000}.{ms % 1000:03}".rstrip("0").rstrip(".")


def _long(ms: int) -> str:
    minutes, rest = divmod(ms, 60_000)
    return f"{minutes // 60}:{minutes % 60:02}:{rest / 1000:02g}"
