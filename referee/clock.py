"""The clock: how much time each player has, as a pure function of the events of a game.

Theory of operation. `clock_set`, the event after `game_started`, says by which times a game is played; from
then on `ClockState.after` takes in one logged event after another. All is counted in whole milliseconds, so
that the same events make the same clock. The time of a player runs down from the `turn` that the referee
says until the move has ended (`MoveMade.ended`): what the referee needs to be sure of a move is nobody's
time. It stands still, for whatever reason, from the event in the middle column to the one on the right:

==========  =================================  ================================================
reason      stands from                        until
==========  =================================  ================================================
set-up      the start, a takeback, a restart   the board is as it should be: `turn`
move        the move that was made             `turn`; with a button it runs until it is pressed
violation   `violation` for which play waits   it is mended, or ruled upon: `turn`
question    `question`                         it is answered or no more in doubt: `turn`
sensor      `sensor_lost` of the last sensor   `sensor_back`
paused      `clock`, `paused`                  `clock`, `resumed`
over        `game_over`, `round_over`          a takeback
==========  =================================  ================================================

A player's *turn* lasts until the turn passes to another, by a move or a pass. Extra turns are part of it:
what a turn earns (an increment, a delay, a fresh period) it earns once. A forced pass costs and earns
nothing. A takeback gives all players the times they had when that move was begun. Who swaps sides takes
the time along. Each round of a match begins with fresh times.

With a button the turn ends when it is pressed, but not before the move has ended: a press in anticipation
holds until then, unless a violation comes between. Whoever moves before the other has pressed has
pressed for them.

A flag falls where time has run out. Where the board has just changed it waits for the referee's verdict, for
that may have been the move; and never while the sensor is away. After a flag that is only announced the time
goes on below zero.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from engine.errors import BadInput
from referee.account import Account, Face
from referee.events import (
    Clock,
    ClockSet,
    Event,
    Flag,
    GameOver,
    GameStarted,
    MoveMade,
    Pass,
    Press,
    Question,
    Recount,
    RoundOver,
    SensorBack,
    SensorLost,
    Takeback,
    Turn,
    Violation,
)
from referee.timecontrol import ByoYomi, Control, parse

Switch: TypeAlias = Literal["move", "button"]
"""What ends a turn: the completed move, or its player, who presses a button."""
OnFlag: TypeAlias = Literal["lose", "announce"]
"""What becomes of a player whose time has run out: the game is lost, or the arbiter decides."""
Stop: TypeAlias = Literal["set-up", "move", "violation", "question", "sensor", "paused", "over"]


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The clock of one game."""

    controls: tuple[Control, ...]
    """By player."""
    switch: Switch = "move"
    flag: OnFlag = "lose"


def settings_for(times: Iterable[str], players: int, switch: Switch, flag: OnFlag) -> ClockSettings:
    """The clock of a game.

    Args:
        times: of all players alike, or one a player.

    Raises:
        BadInput: a time is not understood, or their number does not fit.
    """
    controls = tuple(parse(time) for time in times)
    if len(controls) not in (1, players):
        raise BadInput(f"{len(controls)} times for {players} players: give one for all, or one each")
    return ClockSettings(controls * players if len(controls) == 1 else controls, switch, flag)


@dataclass(frozen=True, slots=True)
class _Point:
    """The clock when a move was begun; what a takeback comes back to."""

    ply: int
    accounts: tuple[Account, ...]
    player: int
    spent_ms: int


@dataclass(frozen=True, slots=True)
class ClockState:
    """The clock after some events."""

    settings: ClockSettings
    accounts: tuple[Account, ...]
    """By player."""
    player: int | None = None
    """Whose turn it is by the clock; None before the first turn."""
    spent_ms: int = 0
    """Of this turn, before the present stretch."""
    since_ms: int = 0
    """When the present stretch of time began."""
    until_ms: int | None = 0
    """When it ended; None while the clock runs."""
    stops: frozenset[Stop] = frozenset({"set-up"})
    """Why it stands."""
    moved_ms: int | None = None
    """When the move of this turn ended, where the turn has not yet passed on."""
    passed: bool = False
    """Somebody has passed since then: the turn passes on even where it comes back."""
    pressed_ms: int | None = None
    following: tuple[int, int] | None = None
    """Player and ply: to whom the turn passes as soon as the button is pressed."""
    seen_ms: int = 0
    """Of the last event."""
    past: tuple[_Point, ...] = ()
    """By ply, in order."""

    @property
    def runs(self) -> bool:
        return self.until_ms is None

    @property
    def flag_ms(self) -> int | None:
        """When the time of `player` runs out, if nothing happens, or ran out; None where no flag can fall."""
        if self.player is None or self.accounts[self.player].flagged:
            return None
        if self.stops & {"sensor", "question", "paused", "over", "move"}:
            return None
        at = self.since_ms + self.accounts[self.player].allowance_ms - self.spent_ms
        return at if self.until_ms is None or at < self.until_ms else None

    def due(self, t: float, ended_at: float, changed_at: float, hold_s: float) -> bool:
        """Whether the flag falls at `t`.

        Args:
            ended_at: when the move of this turn may have ended, seconds.
            changed_at: when the board last changed, seconds: after that by a reply, which hides the move.
            hold_s: how long the referee may take to be sure of a move on a board that does not change.
        """
        at, now = self.flag_ms, _ms(t)
        if at is None or now <= at:
            return False
        may_have_moved = self.settings.switch == "move" or self.pressed_ms is not None
        held = ended_at > float("-inf") and _ms(ended_at) <= at and t < changed_at + hold_s
        return not (may_have_moved and held)

    def face(self, player: int, t: float) -> Face:
        """What the clock shows of a player at `t` seconds, the time of the last event or later."""
        spent = self._spent(_ms(t)) if player == self.player else 0
        return self.accounts[player].face(spent)

    def after(self, event: Event) -> "ClockState":
        """The clock after one more event of the log."""
        now = max(_ms(event.t), self.seen_ms)
        return replace(self._told(event, now), seen_ms=now)

    def _told(self, event: Event, now: int) -> "ClockState":
        match event:
            case ClockSet():
                return _set(event)
            case GameStarted():
                # The service is up again: up to its last event the clock has surely run.
                stood = self._stop("set-up", self.seen_ms)
                return replace(
                    stood, stops=stood.stops - {"sensor", "violation", "question"}, pressed_ms=None
                )
            case Turn():
                return self._turn(event.player, event.ply, now)
            case MoveMade():
                ended = now if event.ended is None else _ms(event.ended)
                return self._moved(event.player, event.ply, min(ended, now), event.move == "swap")
            case Pass():
                return replace(self, passed=True)
            case Press() if event.player == self.player:
                if self.following:
                    return self._passed_on(now, *self.following, now)
                return replace(self, pressed_ms=now)
            case Violation():
                return replace(self._stop("violation", now) if event.waits else self, pressed_ms=None)
            case Question():
                return self._stop("question", now)
            case Recount(done=False):
                return self._go(now, "question")
            case SensorLost(watching=()):
                return self._stop("sensor", now)
            case SensorBack(watching=()):
                return self._go(now, "sensor", "question")
            case Clock(state="paused"):
                return self._stop("paused", now)
            case Clock(state="resumed"):
                return self._go(now, "paused")
            case Clock(state="given"):
                return self._given(event.player, event.ms, now)
            case Flag():
                accounts = list(self.accounts)
                accounts[event.player] = accounts[event.player].fallen()
                fallen = replace(self, accounts=tuple(accounts))
                return fallen._stop("over", _ms(event.at)) if self.settings.flag == "lose" else fallen
            case Takeback():
                return self._back(event, now)
            case GameOver() | RoundOver():
                return self._stop("over", now if self.moved_ms is None else self.moved_ms)
        return self

    def _turn(self, player: int, ply: int, now: int) -> "ClockState":
        state = replace(self, stops=self.stops - {"set-up", "move", "violation", "question"})
        if state.player is None:
            return state._open(player, ply, now)
        if state.moved_ms is None:
            # The turn goes on, unless it has passed on by a ruling.
            return state._go(now) if player == state.player else state._passed_on(now, player, ply, now)
        if player == state.player and not state.passed:
            more = replace(state._go(now), moved_ms=None, pressed_ms=None)
            return more._remember(ply)
        if self.settings.switch == "move" or player == state.player:
            return state._passed_on(now, player, ply, now)
        if state.pressed_ms is not None:
            return state._passed_on(max(state.pressed_ms, state.moved_ms), player, ply, now)
        return replace(state._go(now), following=(player, ply))

    def _moved(self, player: int, ply: int, ended: int, swap: bool) -> "ClockState":
        state = self
        if state.player is None:
            state = state._open(player, ply - 1, ended)
        elif player != state.player:
            state = state._passed_on(ended, player, ply - 1, ended)
        state = replace(state, moved_ms=ended, passed=False)
        if swap:
            # The seats are exchanged, and the people take their times along.
            closed = state._close(ended)
            stood = replace(closed, player=None, since_ms=ended, until_ms=ended)
            return replace(stood, accounts=closed.accounts[::-1], stops=closed.stops | {"move"})
        return state._stop("move", ended, back=True) if self.settings.switch == "move" else state

    def _spent(self, now: int) -> int:
        """Of this turn, up to `now`."""
        end = now if self.until_ms is None else min(now, self.until_ms)
        return self.spent_ms + max(0, end - self.since_ms)

    def _stop(self, why: Stop, at: int, back: bool = False) -> "ClockState":
        """Stand still from `at`; with `back` also where it stands since later than that."""
        until = self.until_ms
        if until is None or back:
            until = max(self.since_ms, at if until is None else min(at, until))
        return replace(self, until_ms=until, stops=self.stops | {why})

    def _go(self, now: int, *over: Stop) -> "ClockState":
        """Go on, if nothing else but what is `over` keeps the clock."""
        stops = self.stops - set(over)
        if stops or self.until_ms is None or self.player is None:
            return replace(self, stops=stops)
        return replace(self, stops=stops, spent_ms=self._spent(now), since_ms=now, until_ms=None)

    @property
    def _lost_on_time(self) -> bool:
        return self.settings.flag == "lose" and any(account.flagged for account in self.accounts)

    def _close(self, at: int) -> "ClockState":
        """The turn ends."""
        assert self.player is not None
        accounts = list(self.accounts)
        accounts[self.player] = accounts[self.player].after_turn(self._spent(at))
        return replace(
            self, accounts=tuple(accounts), spent_ms=0, moved_ms=None, passed=False, pressed_ms=None,
            following=None,
        )  # fmt: skip

    def _passed_on(self, at: int, player: int, ply: int, now: int) -> "ClockState":
        """The turn ends at `at`, and that of `player` begins at `now`."""
        return self._close(at)._open(player, ply, now)

    def _open(self, player: int, ply: int, now: int) -> "ClockState":
        until = now if self.stops else None
        opened = replace(self, player=player, spent_ms=0, since_ms=now, until_ms=until, moved_ms=None)
        return opened._remember(ply)

    def _remember(self, ply: int) -> "ClockState":
        """Keep how the clock stands as the move after `ply` others is begun, or begun anew by a ruling."""
        assert self.player is not None
        past = tuple(point for point in self.past if point.ply <= ply)
        return replace(self, past=(*past, _Point(ply, self.accounts, self.player, self.spent_ms)))

    def _given(self, player: int, ms: int, now: int) -> "ClockState":
        """The arbiter gives time, or takes it; a takeback leaves that as it is."""
        spent = self._spent(now) if player == self.player else 0

        def with_it(accounts: tuple[Account, ...], spent_ms: int) -> tuple[Account, ...]:
            return tuple(
                account.given(ms, spent_ms) if at == player else account
                for at, account in enumerate(accounts)
            )

        past = tuple(
            replace(point, accounts=with_it(point.accounts, point.spent_ms if point.player == player else 0))
            for point in self.past
        )
        return replace(self, accounts=with_it(self.accounts, spent), past=past)

    def _back(self, back: Takeback, now: int) -> "ClockState":
        if not back.move and "over" in self.stops and not self._lost_on_time:
            # What ended the game was no move: it goes on where it was.
            return replace(self, stops=self.stops - {"over"} | {"set-up"})
        past = tuple(point for point in self.past if point.ply <= back.ply)
        if back.move == "ruling" and [point.ply for point in past[-2:]] == [back.ply] * 2:
            past = past[:-1]
        stops: frozenset[Stop] = self.stops & {"sensor", "paused"} | {"set-up"}
        state = replace(
            self, stops=stops, since_ms=now, until_ms=now, moved_ms=None, passed=False, pressed_ms=None,
            following=None, past=past,
        )  # fmt: skip
        if not past:
            return state
        point = past[-1]
        return replace(state, accounts=point.accounts, player=point.player, spent_ms=point.spent_ms)


def clock_of(events: Iterable[Event]) -> ClockState | None:
    """The clock after the events of a game; None where none has been set."""
    clock: ClockState | None = None
    for event in events:
        clock = after(clock, event)
    return clock


def after(clock: ClockState | None, event: Event) -> ClockState | None:
    """The clock after one more event; None as long as none has been set."""
    if clock is None:
        return _set(event) if isinstance(event, ClockSet) else None
    return clock.after(event)


def left_after_moves(events: Iterable[Event]) -> dict[int, int]:
    """By ply, of the moves that stand: ms that the mover's clock showed after it, at least 0.

    What the turn earned is among it as soon as the turn has passed on. Empty where there is no clock.
    """
    clock: ClockState | None = None
    left: dict[int, int] = {}
    last: dict[int, int] = {}  # by player: the last move, until the next turn
    for event in events:
        clock = after(clock, event)
        match event:
            case Turn():
                last.pop(event.player, None)
            case Takeback():
                left, last = (
                    {key: value for key, value in left.items() if key <= event.ply},
                    {player: ply for player, ply in last.items() if ply <= event.ply},
                )
            case MoveMade(move="swap"):
                # The mover's time is that of the other seat now.
                last = {1 - event.player: event.ply}
            case MoveMade():
                last[event.player] = event.ply
        for player, ply in last.items() if clock else ():
            assert clock is not None
            if player != clock.player or not clock.runs or isinstance(event, MoveMade):
                left[ply] = max(0, clock.face(player, event.t).left_ms)
    return left


def as_event(settings: ClockSettings, t: float, ply: int, player: int) -> ClockSet:
    """What is logged of a clock when a game begins; `after` makes the clock of it."""
    times = tuple(map(str, settings.controls))
    return ClockSet(t, ply, player, times, settings.switch, settings.flag)


def clock_as_json(clock: ClockState, t: float) -> dict[str, Any]:
    """What the clock shows at `t`, as plain JSON values."""
    faces = [clock.face(player, t) for player in range(len(clock.accounts))]
    return {
        "times": [str(account.control) for account in clock.accounts],
        "switch": clock.settings.switch,
        "flag": clock.settings.flag,
        "player": clock.player,
        "runs": clock.runs,
        "stops": sorted(clock.stops),
        "players": [
            {
                "left_ms": face.left_ms,
                "delay_ms": face.delay_ms,
                "periods": face.periods,
                "in_period": face.in_period,
                "flagged": face.flagged,
            }
            for face in faces
        ],
    }


def _set(event: ClockSet) -> ClockState:
    switch: Switch = "button" if event.switch == "button" else "move"
    flag: OnFlag = "announce" if event.flag == "announce" else "lose"
    settings = settings_for(event.times, len(event.times), switch, flag)
    accounts = tuple(
        Account(control, control.main_ms, control.bonus.periods if isinstance(control.bonus, ByoYomi) else 0)
        for control in settings.controls
    )
    at = _ms(event.t)
    return ClockState(settings, accounts, since_ms=at, until_ms=at, seen_ms=at)


def _ms(t: float) -> int:
    return round(1000 * t)
