"""Whatever happens at a table with a clock: the log alone has the clock, and nobody loses time unsaid."""

import json
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from engine.errors import BadInput
from referee.clock import OnFlag, Switch, clock_of, settings_for
from referee.events import Clock, Flag, MoveMade, Press, as_json, from_json
from referee.policy import Policy
from referee.referee import Referee, Settings
from referee.timed import TimedReferee
from tests.referee.test_properties import GAMES, AnyTable, sharp


class AnyTimedTable(AnyTable):
    """A referee with a clock to whom anything may happen."""

    referee: Any

    @initialize(
        name=st.sampled_from(sorted(GAMES)),
        policy=st.sampled_from(["strict", "opponent_decides", "arbiter"]),
        takeback=st.just("free"),
        times=st.sampled_from([("1:00",), ("0:20+3",), ("0:05d3", "1:00b2"), ("0:10+3x5",), ("0+2x30",)]),
        switch=st.sampled_from(["move", "button"]),
        flag=st.sampled_from(["lose", "announce", "announce"]),
    )
    def begin(
        self,
        name: str,
        policy: Policy,
        takeback: Literal["free", "locked"],
        times: tuple[str, ...],
        switch: Switch,
        flag: OnFlag,
    ) -> None:
        super().begin(name, policy, takeback)
        plain = Referee(self.game, settings=Settings(policy=policy, takeback=takeback))
        players = self.game.players
        clock = settings_for((times * players)[:players], players, switch, flag)
        self.referee = TimedReferee(plain, clock)
        self.events = self.referee.start(self.t)
        self.show(3.0)

    @rule(choice=st.integers(0, 9), gone=st.sampled_from([0.0, 1.0, 8.0]))
    def a_whole_move(self, choice: int, gone: float) -> None:
        """Thought of for a while, if one is to be made."""
        moves = [move for move in self.game.legal(self.referee.state) if move.sows]
        if moves and self.referee.view().phase == "waiting":
            self.t += gone
            self.board = self.game.play(self.referee.state, moves[choice % len(moves)]).state.counts
            self.look(sharp(self.board, self.referee.counts), 1, np.ones(len(self.board)))
            self.show(3.0)

    @rule(seconds=st.sampled_from([0.0, 0.5, 5.0]))
    def time_goes_on(self, seconds: float) -> None:
        self.t += seconds

    @rule()
    def tick(self) -> None:
        self.events += self.referee.tick(self.t)

    @rule(name=st.sampled_from(["press", "pause", "resume"]), player=st.sampled_from([None, 0, 1, 2]))
    def at_the_clock(self, name: str, player: int | None) -> None:
        self.events += self.referee.tick(self.t)
        before = self.referee.clock
        try:
            self.events += self.referee.input(self.t, name, player=player)
        except BadInput:
            assert self.referee.clock == before

    @rule(player=st.sampled_from([0, 1]), seconds=st.sampled_from([-3600.0, -1.0, 0.001, 20.0]))
    def give(self, player: int, seconds: float) -> None:
        self.events += self.referee.tick(self.t)
        if "over" not in self.referee.clock.stops:
            self.events += self.referee.input(self.t, "give", player=player, arbiter=True, seconds=seconds)

    @invariant()
    def the_log_has_the_clock(self) -> None:
        told = clock_of(from_json(json.loads(json.dumps(as_json(event)))) for event in self.events)
        assert told == self.referee.clock

    @invariant()
    def nobody_is_below_zero_without_a_flag(self) -> None:
        clock = self.referee.clock
        for player in range(2):
            face = clock.face(player, self.t)
            assert face.left_ms >= 0 or face.flagged
            assert face.delay_ms >= 0
            assert face.periods >= 0
        last = next((event for event in reversed(self.events) if isinstance(event, Flag)), None)
        assert last is None or last.at <= last.t

    @invariant()
    def it_runs_where_play_does(self) -> None:
        clock, phase = self.referee.clock, self.referee.view().phase
        if clock.runs:
            assert phase in ("waiting", "sowing", "capture")
        elif phase in ("waiting", "sowing", "capture"):
            # After an end that was taken back the board has yet to be seen.
            assert clock.stops <= {"paused", "set-up"}

    @invariant()
    def a_move_ends_before_it_is_said(self) -> None:
        for event in self.events:
            if isinstance(event, MoveMade):
                assert event.ended is not None
                assert event.ended <= event.t
            if isinstance(event, Press | Clock):
                assert 0 <= event.player < 2


TestAnyTimedTable = pytest.mark.filterwarnings("error")(AnyTimedTable.TestCase)
AnyTimedTable.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
