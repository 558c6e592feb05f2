"""The referee of a match: one round after another, and between two the board laid out anew.

Theory of operation. It has the referee of the round that is played and, between rounds, a `SetUp` that reads
the next one from the board. When a round ends, its last event, `game_over`, becomes `round_over` with what
`engine.match.conclude` makes of it; the match's own `game_over` follows only when that is over: no round is
left, somebody resigns, or the players agree to end it. The next round begins by itself, with `game_started`,
when the board lies right; until then the last move can be taken back.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine import line, match
from engine.errors import BadInput
from engine.game import Game, State, replay
from engine.match import Outcome, Round
from engine.move import Move
from engine.observation import Observation
from engine.rules import Conquest
from referee.events import Event, GameOver, GameStarted, Recount, RoundOver, SensorBack, SensorLost
from referee.referee import Referee, Settings
from referee.setup import SetUp
from referee.view import View


class MatchReferee:
    """A match on one board, spoken to as one speaks to a `Referee`. As deterministic as that."""

    def __init__(
        self,
        round_: Round,
        *,
        moves: Sequence[line.Entry] = (),
        resumed: bool = False,
        standing: tuple[int, ...] = (),
        settings: Settings | None = None,
    ) -> None:
        """A referee at the start of a round, with `moves` already played in it.

        Args:
            moves: as `Referee` wants them.
            resumed: as `Referee` wants it.
            standing: of the match, after the rounds before; empty in the first.

        Raises:
            BadInput: one of the moves is not legal.
        """
        self.settings = settings or Settings()
        self.round = round_
        self._standing = standing
        self._referee = Referee(
            round_.game, round_.start, moves=moves, resumed=resumed, settings=self.settings
        )
        self._outcome: Outcome | None = None
        self._setup: SetUp | None = None
        self._over: GameOver | None = None
        self._agreed = False
        """It is over because the players agreed to end it."""
        self._lost = False

    @property
    def game(self) -> Game:
        """With the options of the round."""
        return self.round.game

    @property
    def state(self) -> State:
        return self._referee.state

    @property
    def ply(self) -> int:
        """Moves completed in this round."""
        return self._referee.ply

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves completed in this round, in order."""
        return self._referee.moves

    @property
    def entries(self) -> tuple[line.Entry, ...]:
        """As `Referee.entries`, of this round."""
        return self._referee.entries

    @property
    def counts(self) -> int:
        """Length of the count axis that observations must have; the same in all rounds."""
        return self._referee.counts

    @property
    def accepted_at(self) -> float:
        """When the board was last seen quiet in the settled position of this round."""
        return self._referee.accepted_at

    @property
    def changed_at(self) -> float:
        """As `Referee.changed_at`."""
        return self._referee.changed_at

    @property
    def ended_at(self) -> float:
        """As `Referee.ended_at`."""
        return self._referee.ended_at

    def start(self, t: float) -> list[Event]:
        """Begin the round, or go on with it after a resume."""
        return self._concluded(t, self._numbered(self._referee.start(t)))

    def observe(self, observation: Observation) -> list[Event]:
        """Take in one look at the board.

        Raises:
            ValueError: the look is of another board.
        """
        if self._over or self._lost:
            return []
        if self._setup is None:
            return self._concluded(observation.t, self._referee.observe(observation))
        # The referee of the round looks on: its last move may yet be taken back.
        self._referee.observe(observation)
        events = self._setup.observe(observation, self.ply)
        return events + self._begun(observation.t)

    def input(
        self,
        t: float,
        name: str,
        choice: int | None = None,
        *,
        player: int | None = None,
        arbiter: bool = False,
    ) -> list[Event]:
        """As `Referee.input`; and `end`: the players agree that the match is over as it stands.

        Raises:
            BadInput: no such input, or it has no meaning now.
        """
        if name == "end" and not self._over:
            if self._outcome:
                standing, leaders = self._outcome.standing, self._outcome.leaders
            else:
                standing, leaders = match.agreed(self.round, self.state)
            self._agreed = True
            return self._end(t, standing, leaders, "the players agreed to end the match")
        if self._over and name != "takeback":
            raise BadInput(f"{name} has no meaning: the match is over; take back, and it is not")
        if name == "takeback":
            return self._take_back(t, arbiter)
        if self._setup is None:
            return self._said(t, self._referee.input(t, name, choice, player=player, arbiter=arbiter))
        match name:
            case "accept" if arbiter:
                self._setup.accept(t, player)
                return self._begun(t)
            case "accept":
                raise BadInput("the arbiter may begin the round from another position, and nobody else")
            case "answer":
                self._setup.answer(choice)
                return self._begun(t)
            case "recount":
                self._setup.forget(t)
                return [Recount(t, self.ply, self._player, done=False)]
            case "resign":
                raise BadInput("resign has no meaning between two rounds: end the match, or begin the next")
        raise BadInput(f"{name} has no meaning while the next round is laid out")

    def forfeit(self, t: float, player: int, why: str) -> list[Event]:
        """As `Referee.forfeit`: it ends the match."""
        return self._concluded(t, self._referee.forfeit(t, player, why))

    def _said(self, t: float, events: list[Event]) -> list[Event]:
        """The events of an input: the round may have been begun anew, from another position."""
        if any(isinstance(event, GameStarted) for event in events):
            self.round = replace(self.round, start=self.state)
        return self._concluded(t, self._numbered(events))

    def _take_back(self, t: float, arbiter: bool) -> list[Event]:
        if self._agreed:
            self._referee.may_take_back(arbiter)
            self._agreed, self._over = False, None
            return [self._referee.unend(t)]
        events = self._referee.input(t, "takeback", arbiter=arbiter)
        self._setup = self._outcome = self._over = None
        return events

    def lost(self, t: float, why: str, sensor: str = "", watching: Sequence[str] = ()) -> list[Event]:
        """As `Referee.lost`."""
        if self._lost and not watching:
            return []
        self._lost = not watching
        self._referee.lost(t, why, sensor, watching)
        return [SensorLost(t, self.ply, self._player, why, sensor, tuple(watching))]

    def back(self, t: float, how: str, sensor: str = "", watching: Sequence[str] = ()) -> list[Event]:
        """As `Referee.back`."""
        if not (self._lost or watching):
            return []
        self._referee.back(t, how, sensor, watching)
        if self._lost and self._setup:
            self._setup.forget(t)
        self._lost = False
        return [SensorBack(t, self.ply, self._player, how, sensor, tuple(watching))]

    def view(self) -> View:
        """How things stand, to be drawn."""
        view = self._setup.view() if self._setup else self._referee.view()
        number = self._setup.following.number if self._setup else self.round.number
        standing = self._outcome.standing if self._outcome else self._standing
        view = replace(view, round=number, standing=standing)
        if self._over:
            return replace(view, phase="over", player=None, result=self._over, mend=(), changed=(), note="")
        return replace(view, phase="lost") if self._lost else view

    @property
    def _player(self) -> int:
        return self._setup.following.starter if self._setup else self.state.player or 0

    def _numbered(self, events: list[Event]) -> list[Event]:
        number = self.round.number
        return [replace(event, round=number) if isinstance(event, GameStarted) else event for event in events]

    def _concluded(self, t: float, events: list[Event]) -> list[Event]:
        """The events of a round, with what its end means for the match."""
        if not events or not isinstance(events[-1], GameOver):
            return events
        over = events[-1]
        if self.state.result is None:  # Somebody has resigned.
            self._over = over
            return events
        since, moves = line.since_ruling(self.round.start, self.entries)
        outcome = self._outcome = match.conclude(self.round, tuple(replay(self.game, since, moves)), since)
        said: list[Event] = [
            *events[:-1],
            RoundOver(
                t, over.ply, over.player, outcome.scores, outcome.winners, over.reason, self.round.number,
                outcome.ran_out, outcome.totals, outcome.standing, outcome.leaders,
            ),
        ]  # fmt: skip
        if outcome.following is None:
            return said + self._end(t, outcome.standing, outcome.leaders, _why_over(self.round.game))
        self._setup = SetUp(self.round, outcome.following, self.counts, self.settings)
        return said

    def _end(self, t: float, standing: tuple[int, ...], leaders: tuple[int, ...], why: str) -> list[Event]:
        self._over = GameOver(t, self.ply, self._player, standing, leaders, why)
        return [self._over]

    def _begun(self, t: float) -> list[Event]:
        """Go on to the next round, if it lies on the board."""
        if self._setup is None or self._setup.begun is None:
            return []
        assert self._outcome is not None
        self.round, self._standing = self._setup.begun, self._outcome.standing
        self._setup = self._outcome = None
        self._referee = Referee(
            self.game, self.round.start, resumed=True, settings=self.settings, counts=self.counts
        )
        return self._concluded(t, self._numbered(self._referee.start(t)))


def _why_over(game: Game) -> str:
    rounds = game.rules.rounds
    if isinstance(rounds, Conquest):
        return f"{rounds.pits} pits are held"
    return "a player has lost all seeds"
