"""A referee with a clock beside it: what it says goes on to the clock, and what the clock says joins it.

The clock stops and goes by the events alone (`referee.clock`), so it is the same when the log is read again.
What is added here is what no event of the referee brings about: presses, pauses, and flags that fall.
"""

from collections.abc import Sequence

from engine import line
from engine.errors import BadInput
from engine.game import Game, State
from engine.move import Move
from engine.observation import Observation
from referee.clock import ClockSettings, ClockState, after, as_event
from referee.events import Clock, Event, Flag, GameStarted, Press
from referee.match import MatchReferee
from referee.referee import Referee
from referee.view import View

BEAT_S = 5.0
"""Seconds after which a clock that runs says so, if nothing else has been said: what a pulled plug may take
from the time that is charged."""

MOST_GIVEN_S = 3600
"""Seconds that are given or taken at once."""


class TimedReferee:
    """A game or match with a clock, spoken to as one speaks to a `Referee`. As deterministic as that.

    Whoever has inputs calls `tick` at their time first: a flag may have fallen before.
    """

    def __init__(
        self,
        referee: Referee | MatchReferee,
        settings: ClockSettings | None = None,
        clock: ClockState | None = None,
    ) -> None:
        """The clock of a game, or of each round of a match.

        Args:
            settings: of a game that begins, and of later rounds; None for no clock.
            clock: of a game that goes on, after all that is in its log.
        """
        self.inner = referee
        self.clock = clock
        """None where the game has none, or has not begun."""
        self._settings = clock.settings if clock else settings
        self._round: int | None = None

    @property
    def game(self) -> Game:
        return self.inner.game

    @property
    def state(self) -> State:
        return self.inner.state

    @property
    def ply(self) -> int:
        return self.inner.ply

    @property
    def moves(self) -> tuple[Move, ...]:
        return self.inner.moves

    @property
    def entries(self) -> tuple[line.Entry, ...]:
        return self.inner.entries

    @property
    def counts(self) -> int:
        return self.inner.counts

    @property
    def accepted_at(self) -> float:
        return self.inner.accepted_at

    def view(self) -> View:
        return self.inner.view()

    def start(self, t: float) -> list[Event]:
        """Begin, or go on after a resume."""
        return self._said(self.inner.start(t))

    def observe(self, observation: Observation) -> list[Event]:
        """Take in one look at the board; before it, the flag that has fallen by then."""
        return self.tick(observation.t) + self._said(self.inner.observe(observation))

    def input(
        self,
        t: float,
        name: str,
        choice: int | None = None,
        *,
        player: int | None = None,
        arbiter: bool = False,
        seconds: float = 0.0,
    ) -> list[Event]:
        """As `Referee.input`; and `press`, `pause`, `resume` and `give` of the clock.

        Args:
            player: of `press`: who presses; None for the one whose clock it is. Of `give`: to whom. Else as
                `Referee.input`.
            seconds: of `give`: how much time the arbiter gives, or takes where it is below 0.

        Raises:
            BadInput: no such input, or it has no meaning now.
        """
        if name not in ("press", "pause", "resume", "give"):
            return self._said(self.inner.input(t, name, choice, player=player, arbiter=arbiter))
        clock = self.clock
        if clock is None:
            raise BadInput(f"{name} has no meaning: this game has no clock")
        if "over" in clock.stops:
            raise BadInput(f"{name} has no meaning: the clock is off, as play is over")
        if name == "give":
            return self._given(t, clock, player, seconds, arbiter)
        if name != "press":
            if ("paused" in clock.stops) == (name == "pause"):
                state = "stands already" if name == "pause" else "has not been paused"
                raise BadInput(f"{name} has no meaning: the clock {state}")
            return self._said([Clock(t, self.ply, self._player, f"{name}d")])
        if clock.settings.switch == "move":
            raise BadInput("press has no meaning: this clock switches by itself with the completed move")
        player = clock.player if player is None else player
        if player is None or player != clock.player:
            raise BadInput("press has no meaning: it is for the player whose clock it is")
        return self._said([Press(t, self.ply, player)])

    def _given(
        self, t: float, clock: ClockState, player: int | None, seconds: float, arbiter: bool
    ) -> list[Event]:
        if not arbiter:
            raise BadInput("the arbiter gives time, and nobody else")
        if player is None or not 0 <= player < len(clock.accounts):
            raise BadInput(f"player {player} is given time: 0 to {len(clock.accounts) - 1} was expected")
        if not 0 < abs(seconds) <= MOST_GIVEN_S:
            raise BadInput(
                f"{seconds:g} s are given: up to {MOST_GIVEN_S} s, or down to as much, was expected"
            )
        return self._said([Clock(t, self.ply, player, "given", round(1000 * seconds))])

    def lost(self, t: float, why: str, sensor: str = "", watching: Sequence[str] = ()) -> list[Event]:
        """As `Referee.lost`; when it was the last sensor, the clock stands until one is back."""
        return self._said(self.inner.lost(t, why, sensor, watching))

    def back(self, t: float, how: str, sensor: str = "", watching: Sequence[str] = ()) -> list[Event]:
        """As `Referee.back`."""
        return self._said(self.inner.back(t, how, sensor, watching))

    def tick(self, t: float) -> list[Event]:
        """What the time `t` alone means, whether or not there is anything to see: a flag that falls."""
        clock = self.clock
        if clock is None or clock.player is None:
            return []
        # By then the referee is sure of a move, or asks.
        inner = self.inner
        if clock.due(t, inner.ended_at, inner.changed_at, inner.settings.question_s):
            assert clock.flag_ms is not None
            player = clock.player
            said: list[Event] = [Flag(t, self.ply, player, clock.flag_ms / 1000)]
            if clock.settings.flag == "lose":
                why = f"{self.game.player_name(player)} ran out of time"
                said += self.inner.forfeit(t, player, why)
            return self._said(said)
        if clock.runs and t - clock.seen_ms / 1000 >= BEAT_S:
            return self._said([Clock(t, self.ply, clock.player, "runs")])
        return []

    @property
    def _player(self) -> int:
        return self.state.player or 0

    def _said(self, events: Sequence[Event]) -> list[Event]:
        """The events, that of a clock among them where a game or round begins; and the clock told of them."""
        said: list[Event] = []
        for event in events:
            said.append(event)
            if isinstance(event, GameStarted):
                next_round = self._round is not None and event.round > self._round
                self._round = event.round
                if self._settings and (self.clock is None or next_round):
                    said.append(as_event(self._settings, event.t, event.ply, event.player))
        for event in said:
            self.clock = after(self.clock, event)
        return said
