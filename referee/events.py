"""Everything the referee says. Events are its only output, and the only input of log, lights and page.

`as_json` and `from_json` are exact inverses; the names are those of design.md, *What the referee sees
and says*.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from engine.errors import BadInput


@dataclass(frozen=True, slots=True)
class Event:
    """What all events carry."""

    event: ClassVar[str] = "event"
    t: float
    """Seconds, on the clock of the observation that made the referee say it."""
    ply: int
    """Moves completed before this event, from 0 at the start of the game."""
    player: int
    """Whose turn it is, or whose deed it was."""


@dataclass(frozen=True, slots=True)
class Mend:
    """One hole that is not as it should be."""

    pit: int
    """Index of the hole: pits in ring order, then stores by player."""
    seeds: int
    """What lies there now, as far as the referee can tell."""
    want: int
    """What should lie there."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the board, and what speaks for it."""

    text: str
    """What would have happened."""
    probability: float
    """0 to 1, among all readings."""
    fit: float
    """Nats, 0 at best: how well its counts fit what was measured."""
    prior: float
    """Nats, 0 at best: how often such a thing happens."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A hole whose seeds decided."""

    pit: int
    seeds: int
    """The likeliest count of the hole, taken by itself."""
    certainty: float
    """The probability of that count, 0 to 1."""
    readings: tuple[int, ...]
    """By reading: what it says lies there."""
    want: int
    """What should lie there."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """What decided."""

    rule: str = ""
    """In words; empty where no rule is concerned."""
    readings: tuple[Reading, ...] = ()
    """The likeliest ones, best first."""
    weighed: tuple[Weighed, ...] = ()
    """The holes in which they differ from each other or from what is wanted, the most telling first."""


@dataclass(frozen=True, slots=True)
class GameStarted(Event):
    event: ClassVar[str] = "game_started"
    game: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    pits: tuple[int, ...] = ()
    stores: tuple[int, ...] = ()
    round: int = 0
    """Which round of a match this is, from 1; 0 where no match is played."""


@dataclass(frozen=True, slots=True)
class Turn(Event):
    """`player` is to move; `legal` are the moves in notation."""

    event: ClassVar[str] = "turn"
    legal: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Touch(Event):
    event: ClassVar[str] = "touch"
    pit: int = 0
    binding: bool = False
    """Whether `player` must now sow this pit (touch-means-sow)."""
    why: str = ""
    """One sentence where it binds nothing though a player might think so."""


@dataclass(frozen=True, slots=True)
class Sowing(Event):
    event: ClassVar[str] = "sowing"
    pit: int = 0
    """The pit that was lifted."""
    progress: int = 0
    """Seeds sown so far in this lap."""
    of: int = 0
    """Seeds lifted."""


@dataclass(frozen=True, slots=True)
class MoveMade(Event):
    """A legal move, complete, with its captures lifted. `ply` counts it: the first move is 1."""

    event: ClassVar[str] = "move"
    move: str = ""
    captured: tuple[tuple[int, int], ...] = ()
    """Pit and seeds of each capture."""
    gain: tuple[int, ...] = ()
    """Seeds each player's store gained by the move."""
    certainty: float = 1.0
    """Probability, 0 to 1, that this and nothing else was played."""
    pits: tuple[int, ...] = ()
    stores: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    """The player, or the partners, who can no longer lose since this move; play goes on."""
    ended: float | None = None
    """Seconds: when its last seed lay and the hand was gone, which is before the referee was sure of it."""
    reasons: Reasons | None = None
    """Where it was not quite certain."""


@dataclass(frozen=True, slots=True)
class CaptureDue(Event):
    """The sowing is done; `pits` with `seeds` are to be lifted into the store of player `to`."""

    event: ClassVar[str] = "capture_due"
    pits: tuple[int, ...] = ()
    seeds: tuple[int, ...] = ()
    to: int = 0


@dataclass(frozen=True, slots=True)
class CaptureDone(Event):
    """What a move captured for player `to`: the mover, or where the rules say so the owner of the pits."""

    event: ClassVar[str] = "capture_done"
    pits: tuple[int, ...] = ()
    seeds: tuple[int, ...] = ()
    to: int = 0


@dataclass(frozen=True, slots=True)
class Violation(Event):
    """What was done against the rules, where, and what should lie where instead."""

    event: ClassVar[str] = "violation"
    kind: str = ""
    """One of `referee.explain.KINDS`."""
    pits: tuple[int, ...] = ()
    """The holes concerned, the one that names the mistake first."""
    seeds: tuple[int, ...] = ()
    """Seeds too many (positive) or too few (negative) in each of `pits`."""
    mend: tuple[Mend, ...] = ()
    """Every hole to put right; empty where the board shows nothing wrong."""
    text: str = ""
    """The mistake, its rule and its mend in words."""
    certainty: float = 1.0
    move: str = ""
    """The move that was meant, in notation, where one is clear."""
    reasons: Reasons | None = None
    also: str = ""
    """Of two mistakes in one turn: the kind of the lesser; the mend is that of both."""
    also_pits: tuple[int, ...] = ()
    """The holes that name it."""
    waits: bool = True
    """Whether play waits until the board is right, or until somebody rules; else it is no more than said."""


@dataclass(frozen=True, slots=True)
class Mended(Event):
    """The board is right again, and the game goes on."""

    event: ClassVar[str] = "mended"
    kind: str = ""
    """The violation that is over."""


@dataclass(frozen=True, slots=True)
class Question(Event):
    """Two readings stay equally likely: the players say which. A choice is a move or a position in words."""

    event: ClassVar[str] = "question"
    choices: tuple[str, ...] = ()
    text: str = ""
    reasons: Reasons | None = None


@dataclass(frozen=True, slots=True)
class Ruling(Event):
    """What has been ruled of a board that is not the settled position.

    Accepted, it is the settled position now, with `player` to move; or it is to be put right.
    """

    event: ClassVar[str] = "ruling"
    settles: str = ""
    """The kind of the violation that it settles; empty where there was none."""
    by: str = ""
    """`players`, who went on; `opponent`; or `arbiter`."""
    position: str = ""
    """The position from which play goes on, as `engine.position` writes it; empty: it is to be put right."""
    pits: tuple[int, ...] = ()
    stores: tuple[int, ...] = ()
    seeds: int = 0
    """Seeds on the board more than before, or fewer (negative)."""
    text: str = ""
    """The same in a sentence."""


@dataclass(frozen=True, slots=True)
class Takeback(Event):
    event: ClassVar[str] = "takeback"
    move: str = ""
    """In notation; `ruling` for one that is undone; empty where what is undone is no more than how the game
    ended (somebody resigned, or the players agreed)."""
    pits: tuple[int, ...] = ()
    stores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pass(Event):
    event: ClassVar[str] = "pass"


@dataclass(frozen=True, slots=True)
class RoundOver(Event):
    """A round of a match is over; the next one is to be laid out, unless `game_over` follows."""

    event: ClassVar[str] = "round_over"
    scores: tuple[int, ...] = ()
    """By player, of this round."""
    winners: tuple[int, ...] = ()
    """Of this round by its scores (in Congklak *menang biji*); all who share the first place."""
    reason: str = ""
    round: int = 1
    ran_out: int | None = None
    """The player who had nothing to play first (*kalah jalan*; the other is *menang jalan*); None where play
    ended otherwise, or the game knows no such thing."""
    totals: tuple[int, ...] = ()
    """By player: the scores of all rounds up to this, added."""
    standing: tuple[int, ...] = ()
    """By player, what wins the match: pits held, or seeds owned."""
    leaders: tuple[int, ...] = ()
    """Who stands first in the match."""


@dataclass(frozen=True, slots=True)
class GameOver(Event):
    """The game is over, or the match, where one is played."""

    event: ClassVar[str] = "game_over"
    scores: tuple[int, ...] = ()
    """By player; of a match what wins it: pits held, or seeds owned."""
    winners: tuple[int, ...] = ()
    """One player, or all who share the first place."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SensorLost(Event):
    event: ClassVar[str] = "sensor_lost"
    text: str = ""
    sensor: str = ""
    """Which one, where the board has several."""
    watching: tuple[str, ...] = ()
    """Those that are still there. While there is one, play goes on."""


@dataclass(frozen=True, slots=True)
class SensorBack(Event):
    event: ClassVar[str] = "sensor_back"
    text: str = ""
    sensor: str = ""
    """Which one, where the board has several."""
    watching: tuple[str, ...] = ()
    """Those that were there meanwhile."""


@dataclass(frozen=True, slots=True)
class Recount(Event):
    event: ClassVar[str] = "recount"
    done: bool = False
    """False when asked for, true when the board has been read afresh and agrees."""


@dataclass(frozen=True, slots=True)
class ClockSet(Event):
    """By which times this game is played; in the notation of `referee.clock`."""

    event: ClassVar[str] = "clock_set"
    times: tuple[str, ...] = ()
    """By player, as in `("300+3", "300+3")`."""
    switch: str = "move"
    flag: str = "lose"


@dataclass(frozen=True, slots=True)
class Clock(Event):
    """The clock has been stopped, set going again or set anew; or it runs, and that is all."""

    event: ClassVar[str] = "clock"
    state: str = ""
    """`paused`, `resumed`, `given` or `runs`."""
    ms: int = 0
    """`given`: to the time of `player`; below 0 what is taken from it."""


@dataclass(frozen=True, slots=True)
class Press(Event):
    """`player` has pressed the clock."""

    event: ClassVar[str] = "press"


@dataclass(frozen=True, slots=True)
class Flag(Event):
    """The time of `player` has run out."""

    event: ClassVar[str] = "flag"
    at: float = 0.0
    """Seconds: when it ran out. The referee may have waited to see whether the move was done by then."""


EVENTS: Mapping[str, type[Event]] = {
    kind.event: kind
    for kind in (
        GameStarted, Turn, Touch, Sowing, MoveMade, CaptureDue, CaptureDone, Violation, Mended, Question,
        Ruling, Takeback, Pass, RoundOver, GameOver, SensorLost, SensorBack, Recount,
        ClockSet, Clock, Press, Flag,
    )
}  # fmt: skip
"""Every kind of event, by its name on the wire."""


def as_json(event: Event) -> dict[str, Any]:
    """The event as plain JSON values, `event` first."""
    plain: dict[str, Any] = {"event": event.event}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name == "options":
            value = dict(value)
        elif field.name == "mend":
            value = [{"pit": m.pit, "seeds": m.seeds, "want": m.want} for m in value]
        elif isinstance(value, Reasons):
            value = _plain(value)
        elif isinstance(value, tuple):
            value = [list(item) if isinstance(item, tuple) else item for item in value]
        plain[field.name] = value
    return plain


def _plain(reasons: Reasons) -> dict[str, Any]:
    """What decided, as plain JSON values."""
    plain = asdict(reasons)
    plain["readings"] = list(plain["readings"])
    plain["weighed"] = [{**one, "readings": list(one["readings"])} for one in plain["weighed"]]
    return plain


def from_json(plain: Mapping[str, Any]) -> Event:
    """The event that `as_json` wrote.

    Raises:
        BadInput: the name of the event or one of its fields is not known.
    """
    kind = EVENTS.get(str(plain.get("event")))
    if kind is None:
        raise BadInput(f"unknown event {plain.get('event')!r}: one of {', '.join(EVENTS)} was expected")
    try:
        return kind(**{name: _value(name, value) for name, value in plain.items() if name != "event"})
    except (TypeError, KeyError) as error:
        raise BadInput(f"event {kind.event!r} does not fit: {error}") from error


def _value(name: str, plain: Any) -> Any:
    if name == "options":
        return tuple(sorted(plain.items()))
    if name == "mend":
        return tuple(Mend(**item) for item in plain)
    if name == "reasons" and plain is not None:
        readings = tuple(Reading(**one) for one in plain["readings"])
        weighed = tuple(Weighed(**{**one, "readings": tuple(one["readings"])}) for one in plain["weighed"])
        return Reasons(plain["rule"], readings, weighed)
    if isinstance(plain, list):
        return tuple(tuple(item) if isinstance(item, list) else item for item in plain)
    return plain
