"""The clock as a fold of events: tables worked by hand, and a clock that counts milliseconds one by one."""

import json
from copy import deepcopy
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.clock import ClockState, OnFlag, Switch, after, as_event, clock_as_json, clock_of, settings_for
from referee.events import (
    Clock,
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
    Ruling,
    SensorBack,
    SensorLost,
    Sowing,
    Takeback,
    Turn,
    Violation,
    as_json,
    from_json,
)


class Table:
    """Says events as a referee would, at times of its own, and has them read back from their log."""

    def __init__(
        self,
        *times: str,
        players: int = 2,
        switch: Switch = "move",
        flag: OnFlag = "lose",
        start: float = 0.0,
    ) -> None:
        self.t = start
        self.ply = 0
        self.player = 0
        self.players = players
        self.log: list[str] = []
        self._clock: ClockState | None = None
        self.say(GameStarted(start, 0, 0))
        self.say(as_event(settings_for(times, players, switch, flag), start, 0, 0))

    def say(self, event: Event) -> None:
        self.log.append(json.dumps(as_json(event)))
        self._clock = after(self._clock, from_json(json.loads(self.log[-1])))

    @property
    def clock(self) -> ClockState:
        assert self._clock is not None
        return self._clock

    def wait(self, seconds: float) -> None:
        self.t += seconds

    def turn(self, player: int | None = None) -> None:
        self.player = self.player if player is None else player
        self.say(Turn(self.t, self.ply, self.player))

    def move(self, seconds: float, to: int | None = None, verdict: float = 0.0, move: str = "C") -> None:
        """A move that ends after so long, and the turn of `to`, which comes with the referee's verdict."""
        self.wait(seconds)
        ended = self.t
        self.wait(verdict)
        self.ply += 1
        self.say(MoveMade(self.t, self.ply, self.player, move=move, ended=ended))
        self.turn((self.player + 1) % self.players if to is None else to)

    def take_back(self, ply: int, player: int) -> None:
        self.ply, self.player = ply, player
        self.say(Takeback(self.t, ply, player, move="C"))

    @property
    def left(self) -> list[float]:
        """By player, seconds."""
        return [self.clock.face(player, self.t).left_ms / 1000 for player in range(self.players)]

    @property
    def periods(self) -> list[int]:
        return [self.clock.face(player, self.t).periods for player in range(self.players)]


# Tables worked by hand. Each row: what the turn takes, and what all have after it.


@pytest.mark.parametrize(
    ("times", "rows"),
    [
        (("5:00",), [(12, (288, 300)), (30, (288, 270)), (0.5, (287.5, 270)), (100, (287.5, 170))]),
        # 300 - 12 + 3; 300 - 30 + 3; a turn of less than the increment gains.
        (("5:00+3",), [(12, (291, 300)), (30, (291, 273)), (0.5, (293.5, 273)), (3, (293.5, 273))]),
        # 300 - (12 - 5); the delay covers all of the turns of 4 and 5 seconds.
        (("5:00d5",), [(12, (293, 300)), (4, (293, 300)), (5, (293, 300)), (6.5, (293, 298.5))]),
        # Bronstein ends turns with what a delay leaves, and never with more than there was.
        (("5:00b5",), [(12, (293, 300)), (4, (293, 300)), (5, (293, 300)), (6.5, (293, 298.5))]),
        # Each player another time: handicaps.
        (("5:00", "1:00+2"), [(12, (288, 60)), (30, (288, 32)), (8, (280, 32)), (1, (280, 33))]),
    ],
)
def test_time_tables_of_two(times: tuple[str, ...], rows: list[tuple[float, tuple[float, float]]]) -> None:
    table = Table(*times)
    table.wait(45)  # The board is being set up.
    assert table.left == [table.clock.accounts[player].control.main_ms / 1000 for player in (0, 1)]
    table.turn()
    for took, left in rows:
        table.move(took)
        assert table.left == list(left)


def test_byo_yomi_by_hand() -> None:
    """20 s, then three periods of 10 s."""
    table = Table("0:20+3x10")
    rows = [
        # South takes, South's time left, South's periods, whether in one
        (15, 5.0, 3, False),  # 20 - 15
        (5, 10.0, 3, True),  # the main time is used to its last ms: the first period has not run
        (10, 10.0, 3, True),  # exactly a period: kept
        (10.001, 10.0, 2, True),  # a ms more: lost, and the next is fresh
        (9.5, 10.0, 2, True),
        (20, 10.0, 1, True),  # one lost, the second exactly used
    ]
    table.turn()
    for took, left, periods, in_period in rows:
        table.move(took)
        face = table.clock.face(0, table.t)
        assert (face.left_ms / 1000, face.periods, face.in_period) == (left, periods, in_period)
        table.move(1)
    # In mid-turn: 4 s of the last period are gone, then all of it.
    table.wait(4)
    assert table.left[0] == 6.0
    assert table.clock.flag_ms == round(1000 * table.t) + 6_000
    # From main time into the periods in one turn: 26 s are 6 into the first, 32 s are 2 into the second.
    other = Table("0:20+3x10")
    other.turn()
    other.wait(26)
    face = other.clock.face(0, other.t)
    assert (face.left_ms, face.periods, face.in_period) == (4_000, 3, True)
    other.wait(6)
    face = other.clock.face(0, other.t)
    assert (face.left_ms, face.periods) == (8_000, 2)
    other.move(0)
    assert (other.left[0], other.periods[0]) == (10.0, 2)


@pytest.mark.parametrize("players", [3, 4])
def test_a_table_of_three_and_four(players: int) -> None:
    """Turns go round; North's partner or neighbour waits at no cost."""
    table = Table("1:00+1", players=players)
    table.turn()
    for took in (5, 7, 11, 13)[:players]:
        table.move(took)
    # 60 - 5 + 1, 60 - 7 + 1 ..
    assert table.left == [56, 54, 50, 48][:players]
    table.move(10)
    assert table.left == [47, 54, 50, 48][:players]


def test_what_the_referee_needs_is_nobodys_time() -> None:
    table = Table("5:00+3")
    table.turn()
    table.move(12, verdict=0.7)
    assert table.left == [291, 300]
    table.wait(2)
    assert table.left == [291, 298]


def test_extra_turns_are_one_turn_and_earn_once() -> None:
    table = Table("5:00+3", "5:00d3")
    table.turn()
    table.move(4, to=0)
    assert table.left == [296, 300]
    table.move(5, to=0, verdict=0.5)
    table.move(6)
    # 300 - 4 - 5 - 6 + 3
    assert table.left == [288, 300]
    table.move(2, to=1)
    assert table.left == [288, 300]
    table.move(2)
    # One delay of 3 s covers both: 300 - (4 - 3)
    assert table.left == [288, 299]


def test_byo_yomi_gives_one_period_for_all_moves_of_a_turn() -> None:
    table = Table("0+3x10")
    table.turn()
    table.move(6, to=0)
    table.move(6)
    assert (table.left[0], table.periods[0]) == (10.0, 2)


def test_a_forced_pass_costs_and_earns_nothing() -> None:
    """North passes; South's turn has ended all the same, and a new one begins."""
    table = Table("5:00+3")
    table.turn()
    table.move(10, to=1)
    table.move(10, to=0)
    table.wait(10)
    table.ply += 1
    table.say(MoveMade(table.t, table.ply, 0, move="C"))
    table.ply += 1
    table.say(Pass(table.t, table.ply, 1))
    table.turn(0)
    assert table.left == [286, 293]
    table.move(10)
    assert table.left == [279, 293]


def test_whoever_swaps_sides_takes_the_time_along() -> None:
    """Ann sits South and opens in 20 s, Bob takes her side in 5 s; she moves next, now North, after 7 s."""
    table = Table("5:00", "4:00")
    table.turn()
    table.move(20)
    table.move(5, to=1, move="swap")
    assert table.left == [235, 280]
    assert [str(account.control) for account in table.clock.accounts] == ["240", "300"]
    table.move(7)
    assert table.left == [235, 273]


def test_it_stands_in_dispute_and_goes_on_when_it_is_mended() -> None:
    table = Table("5:00")
    table.turn()
    table.wait(10)
    table.say(Violation(table.t, 0, 0, kind="sown_short"))
    table.wait(60)
    table.turn()
    table.wait(5)
    assert table.left == [285, 300]
    table.say(Question(table.t, 0, 0))
    table.wait(60)
    assert not table.clock.runs
    table.turn()
    table.wait(5)
    assert table.left == [280, 300]
    # A move that was asked about ended before the question.
    table.wait(10)
    ended = table.t
    table.wait(3)
    table.say(Question(table.t, 0, 0))
    table.wait(60)
    table.say(MoveMade(table.t, 1, 0, move="C", ended=ended))
    assert table.left == [270, 300]
    # A violation that the move itself mends costs nothing more.
    table.turn(1)
    table.wait(10)
    table.say(Violation(table.t, 1, 1, kind="sown_short"))
    table.wait(60)
    table.say(MoveMade(table.t, 2, 1, move="c", ended=table.t - 1))
    assert table.left == [270, 290]


def test_it_stands_while_the_sensor_is_away_and_a_recount_ends_a_question() -> None:
    table = Table("5:00")
    table.turn()
    table.wait(10)
    table.say(SensorLost(table.t, 0, 0))
    table.wait(60)
    table.say(SensorBack(table.t, 0, 0))
    table.wait(5)
    assert table.left == [285, 300]
    table.say(Question(table.t, 0, 0))
    table.wait(60)
    table.say(Recount(table.t, 0, 0, done=False))
    table.wait(5)
    assert table.left == [280, 300]
    # What is lost in a dispute comes back into it.
    table.say(Violation(table.t, 0, 0))
    table.say(SensorLost(table.t, 0, 0))
    table.wait(9)
    table.say(SensorBack(table.t, 0, 0))
    table.wait(9)
    assert table.left == [280, 300]
    assert table.clock.stops == {"violation"}


def test_the_arbiter_pauses_over_moves() -> None:
    table = Table("5:00")
    table.turn()
    table.wait(10)
    table.say(Clock(table.t, 0, 0, "paused"))
    table.move(60)
    table.wait(60)
    assert table.left == [290, 300]
    assert table.clock.player == 1
    assert table.clock.stops == {"paused"}
    table.say(Clock(table.t, 1, 1, "resumed"))
    table.wait(5)
    assert table.left == [290, 295]


def test_a_takeback_gives_the_times_back() -> None:
    table = Table("5:00+3")
    table.turn()
    for took in (10, 20, 30):
        table.move(took)
    assert table.left == [266, 283]
    table.wait(40)
    table.take_back(2, 0)
    assert table.left == [293, 283]
    table.wait(60)
    table.turn()
    table.wait(1)
    assert table.left == [292, 283]
    table.take_back(1, 1)
    assert table.left == [293, 300]
    # To the second move of one turn: what the first took is spent.
    table = Table("5:00+3")
    table.turn()
    table.move(10, to=0)
    table.move(10)
    table.wait(10)
    table.take_back(1, 0)
    assert table.left == [290, 300]
    table.turn()
    table.move(5)
    assert table.left == [288, 300]


def test_a_takeback_undoes_the_end_and_its_flag() -> None:
    table = Table("0:30")
    table.turn()
    table.move(10)
    table.wait(31)
    table.say(Flag(table.t, 1, 1, at=table.t - 1))
    table.say(GameOver(table.t, 1, 1))
    assert table.left == [20, 0]
    assert table.clock.face(1, table.t).flagged
    table.take_back(0, 0)
    table.wait(5)
    table.turn()
    table.wait(1)
    assert table.left == [29, 30]
    assert not table.clock.face(1, table.t).flagged


def test_how_a_game_ended_is_taken_back_and_the_time_goes_on() -> None:
    """Somebody resigned, 15 s into the turn; after a flag the turn has its time again."""
    table = Table("0:30")
    table.turn()
    table.wait(15)
    table.say(GameOver(table.t, 0, 0))
    table.wait(60)
    table.say(Takeback(table.t, 0, 0, move=""))
    table.wait(60)
    assert table.left == [15, 30]
    table.turn()
    table.wait(5)
    assert table.left == [10, 30]
    table.wait(11)
    table.say(Flag(table.t, 0, 0, at=table.t - 1))
    table.say(GameOver(table.t, 0, 0))
    table.say(Takeback(table.t, 0, 0, move=""))
    assert table.left == [30, 30]
    assert not table.clock.face(0, table.t).flagged


def test_a_ruling_that_passes_the_turn_is_taken_back_with_it() -> None:
    table = Table("5:00+3")
    table.turn()
    table.move(10)
    table.wait(20)
    table.say(Violation(table.t, 1, 1))
    table.wait(60)
    # The board is accepted, with South to move: North's turn is over.
    table.say(Ruling(table.t, 1, 0, "sown_short", "arbiter", "4,4 0,0 0"))
    table.turn(0)
    table.wait(5)
    assert table.left == [288, 283]
    table.say(Takeback(table.t, 1, 1, move="ruling"))
    table.wait(60)
    assert table.left == [293, 300]
    table.turn(1)
    table.wait(5)
    assert table.left == [293, 295]


def test_a_restart_charges_up_to_the_last_event_and_no_further() -> None:
    table = Table("5:00")
    table.turn()
    table.wait(10)
    table.say(Sowing(table.t, 0, 0))
    table.wait(4)
    table.say(Clock(table.t, 0, 0, "runs"))
    table.wait(500)
    table.say(GameStarted(table.t, 0, 0))
    table.wait(10)
    assert table.left == [286, 300]
    table.turn()
    table.wait(1)
    assert table.left == [285, 300]
    # A pause outlives it; a lost sensor, a question and a violation are as the new referee finds them.
    table.say(Clock(table.t, 0, 0, "paused"))
    table.say(SensorLost(table.t, 0, 0))
    table.say(GameStarted(table.t, 0, 0))
    table.turn()
    assert table.clock.stops == {"paused"}


def test_it_stands_when_play_is_over() -> None:
    for over in (GameOver(17, 1, 0), RoundOver(17, 1, 0)):
        table = Table("5:00")
        table.turn()
        table.wait(15)
        table.say(MoveMade(17, 1, 0, ended=15.0))
        table.say(over)
        table.wait(60)
        assert table.left == [285, 300]
        assert table.clock.flag_ms is None


def test_a_resignation_stops_the_clock_where_it_is() -> None:
    table = Table("5:00")
    table.turn()
    table.wait(15)
    table.say(GameOver(table.t, 0, 0))
    table.wait(5)
    assert table.left == [285, 300]


# With a button.


def test_a_button_ends_the_turn() -> None:
    table = Table("5:00+3", switch="button")
    table.turn()
    table.move(10, verdict=0.7)
    table.wait(1.3)
    # Not pressed: it is still South's time that runs, the verdict's time with it.
    assert table.left == [288, 300]
    table.say(Press(table.t, 1, 0))
    assert table.left == [291, 300]
    table.wait(4)
    assert table.left == [291, 296]


def test_a_press_before_the_verdict_counts_from_the_press() -> None:
    table = Table("5:00", switch="button")
    table.turn()
    table.say(Press(10.2, 0, 0))
    table.t = 10.7
    table.say(MoveMade(10.7, 1, 0, ended=10.0))
    table.ply = 1
    table.turn(1)
    table.t = 12.7
    assert table.left == [289.8, 298]


def test_a_press_in_anticipation_counts_from_the_end_of_the_move() -> None:
    table = Table("5:00", switch="button")
    table.turn()
    table.wait(3)
    table.say(Press(table.t, 0, 0))
    table.move(7)
    table.wait(5)
    assert table.left == [290, 295]
    # The press of a turn that turned out wrong is void.
    table.say(Press(table.t, 1, 1))
    table.say(Violation(table.t, 1, 1))
    table.wait(9)
    table.turn()
    table.move(5)
    table.wait(1)
    assert table.left == [290, 289]
    assert table.clock.player == 1


def test_a_press_within_extra_turns_is_void() -> None:
    table = Table("5:00", switch="button")
    table.turn()
    table.say(Press(table.t, 0, 0))
    table.move(5, to=0)
    table.move(5)
    table.wait(5)
    assert table.left == [285, 300]
    table.say(Press(table.t, 2, 0))
    table.wait(5)
    assert table.left == [285, 295]


def test_who_moves_before_the_other_has_pressed_presses_for_them() -> None:
    table = Table("5:00+3", switch="button")
    table.turn()
    table.move(10)
    table.move(8)
    # South's time ran through North's move; North's turn is open, and costs nothing up to here.
    assert table.left == [285, 300]
    table.wait(2)
    table.say(Press(table.t, 2, 1))
    assert table.left == [285, 301]
    # And what is taken back then is North's move, at the times of its end.
    table.wait(9)
    table.take_back(1, 1)
    assert table.left == [285, 300]


def test_a_button_needs_no_press_at_the_end_nor_for_a_swap() -> None:
    table = Table("5:00", switch="button")
    table.turn()
    table.move(10)
    table.say(Press(table.t, 1, 0))
    table.move(10, to=1, move="swap")
    table.wait(5)
    assert table.left == [290, 285]
    table.wait(5)
    table.say(MoveMade(table.t + 2, 3, 1, ended=table.t))
    table.say(GameOver(table.t + 2, 3, 1))
    table.wait(60)
    assert table.left == [290, 280]


# Flags.


def test_when_a_flag_falls() -> None:
    table = Table("0:30d5", "0:30")
    table.turn()
    assert table.clock.flag_ms == 35_000
    never = float("-inf")
    # To the last ms the player is in time.
    assert not table.clock.due(35.0, never, never, 3.0)
    assert table.clock.due(35.001, never, never, 3.0)
    # The board changed 1 s before: that may have been the move, until the referee must know.
    assert not table.clock.due(36.9, 34.0, 34.0, 3.0)
    assert table.clock.due(37.0, 34.0, 34.0, 3.0)
    # It changed after the time was up: the player was still at it.
    assert table.clock.due(35.3, 35.2, 35.2, 3.0)
    # Unless that is the other's reply to a move that was done in time.
    assert not table.clock.due(35.3, 34.9, 35.2, 3.0)
    # With a button only a press can have been in time.
    table = Table("0:30", switch="button")
    table.turn()
    assert table.clock.due(30.001, 29.9, 29.9, 3.0)
    table.say(Press(29.95, 0, 0))
    assert not table.clock.due(30.001, 29.9, 29.9, 3.0)


@pytest.mark.parametrize(
    "event",
    [
        SensorLost(20, 0, 0),
        Question(20, 0, 0),
        Clock(20, 0, 0, "paused"),
        GameOver(20, 0, 0),
        RoundOver(20, 0, 0),
    ],
)
def test_no_flag_falls_while_nobody_can_know(event: Event) -> None:
    table = Table("0:30")
    table.turn()
    table.say(event)
    assert table.clock.flag_ms is None


def test_time_that_ran_out_before_a_violation_has_run_out() -> None:
    table = Table("0:30")
    table.turn()
    table.say(Violation(29, 0, 0))
    assert table.clock.flag_ms is None
    table.turn()
    table.say(Violation(31.5, 0, 0))
    assert table.clock.flag_ms == 30_000


def test_after_an_announced_flag_time_goes_on_below_zero() -> None:
    table = Table("0:30+5", "0:10+2x5", flag="announce")
    table.turn()
    table.wait(33)
    assert table.left == [0, 10]
    table.say(Flag(table.t, 0, 0, at=30.0))
    assert table.left == [-3, 10]
    assert table.clock.flag_ms is None
    table.move(1)
    # 30 - 34 + 5
    assert table.left == [1, 10]
    table.wait(22)
    table.say(Flag(table.t, 1, 1, at=54.0))
    # 10 + 2 * 5 are used, and no period is left.
    assert table.left == [1, -2]
    assert table.periods == [0, 0]
    table.move(1)
    assert table.left == [1, -3]
    table.move(4)
    # 1 - 4 + 5: it was below zero already once, and no second flag falls.
    assert table.left == [2, -3]


def test_the_arbiter_gives_and_takes_time() -> None:
    table = Table("5:00")
    table.turn()
    table.move(10)
    table.wait(20)
    table.say(Clock(table.t, 1, 1, "given", ms=120_000))
    table.say(Clock(table.t, 1, 0, "given", ms=-60_000))
    assert table.left == [230, 400]
    # No more than there is.
    table.say(Clock(table.t, 1, 1, "given", ms=-3_600_000))
    assert table.left == [230, 0]
    assert table.clock.flag_ms == round(1000 * table.t)
    table.say(Clock(table.t, 1, 1, "given", ms=5_000))
    # A takeback restores the times, and what was given stays given.
    table.take_back(0, 0)
    assert table.left == [240, 5]
    # In byo-yomi it is main time.
    table = Table("0+3x10")
    table.turn()
    table.wait(12)
    table.say(Clock(table.t, 0, 0, "given", ms=-60_000))
    assert (table.left[0], table.periods[0]) == (8, 2)
    table.say(Clock(table.t, 0, 0, "given", ms=30_000))
    assert (table.left[0], table.periods[0], table.clock.face(0, table.t).in_period) == (18, 3, False)


def test_time_given_after_a_flag_undoes_it() -> None:
    table = Table("0:30", flag="announce")
    table.turn()
    table.wait(33)
    table.say(Flag(table.t, 0, 0, at=30.0))
    table.say(Clock(table.t, 0, 0, "given", ms=2_000))
    assert (table.left[0], table.clock.face(0, table.t).flagged) == (-1, True)
    table.say(Clock(table.t, 0, 0, "given", ms=2_000))
    assert (table.left[0], table.clock.face(0, table.t).flagged) == (1, False)
    assert table.clock.flag_ms == 34_000


def test_what_the_page_is_told() -> None:
    table = Table("1:00d5", "0+2x10")
    table.turn()
    table.wait(2)
    assert clock_as_json(table.clock, table.t) == {
        "times": ["60d5", "0+2x10"],
        "switch": "move",
        "flag": "lose",
        "player": 0,
        "runs": True,
        "stops": [],
        "players": [
            {"left_ms": 60_000, "delay_ms": 3_000, "periods": 0, "in_period": False, "flagged": False},
            {"left_ms": 10_000, "delay_ms": 0, "periods": 2, "in_period": True, "flagged": False},
        ],
    }


# A clock that counts every millisecond, one by one, against the fold.


@dataclass
class Hand:
    """One player's time, as a mechanism of counters that only ever go down by one."""

    kind: str
    main: int
    extra: int
    periods: int
    flagged: bool = False
    delay: int = 0
    period: int = 0
    taken: int = 0

    def begin(self) -> None:
        self.delay = self.extra if self.kind == "d" else 0
        self.period = self.extra
        self.taken = 0

    def tick(self) -> None:
        """A millisecond runs; the flag falls when there is none left to run."""
        self.taken += 1
        if self.delay:
            self.delay -= 1
        elif self.main > 0 or self.flagged:
            self.main -= 1
        elif self.kind == "x":
            if not self.period:
                self.periods -= 1
                self.period = self.extra
            if self.periods:
                self.period -= 1
            else:
                self.main, self.flagged = -1, True
        else:
            self.main, self.flagged = -1, True

    def end(self) -> None:
        if self.kind == "+":
            self.main += self.extra
        if self.kind == "b":
            self.main += min(self.taken, self.extra)
        self.begin()

    def shows(self) -> tuple[int, int]:
        in_period = self.kind == "x" and self.main <= 0 and not self.flagged
        return (self.period if in_period else self.main), self.periods


@dataclass
class Mechanism:
    """The oracle of the fold."""

    hands: list[Hand]
    player: int = 0
    stops: set[str] = field(default_factory=lambda: {"set-up"})
    past: dict[int, tuple[list[Hand], int]] = field(default_factory=dict)


CONTROLS = st.one_of(
    st.tuples(st.just(""), st.integers(1, 90), st.just(0), st.just(0)),
    st.tuples(st.sampled_from("+b"), st.integers(1, 60), st.integers(1, 20), st.just(0)),
    st.tuples(st.just("d"), st.integers(0, 60), st.integers(1, 20), st.just(0)),
    st.tuples(st.just("x"), st.integers(0, 40), st.integers(1, 20), st.integers(1, 3)),
)
DEEDS = st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 40)),
    st.tuples(st.just("move"), st.sampled_from([0, 1, 1, 1])),
    st.tuples(st.sampled_from(["violation", "question", "sensor", "pause", "restart"]), st.integers(0, 20)),
    st.tuples(st.just("takeback"), st.integers(0, 3)),
)


def written(kind: str, main: int, extra: int, periods: int) -> str:
    head = f"0:00.{main:03}"
    return f"{head}+{periods}x0.{extra:03}" if kind == "x" else f"{head}{kind}0.{extra:03}" if kind else head


@settings(max_examples=300, deadline=None)
@given(
    controls=st.lists(CONTROLS, min_size=2, max_size=4),
    deeds=st.lists(DEEDS, max_size=30),
    start=st.integers(0, 10**7),
)
def test_the_fold_agrees_with_a_clock_that_counts_every_millisecond(
    controls: list[tuple[str, int, int, int]], deeds: list[tuple[str, int]], start: int
) -> None:
    players = len(controls)
    table = Table(*(written(*one) for one in controls), players=players, flag="announce", start=start / 1000)
    clock = Mechanism([Hand(kind, main, extra, periods) for kind, main, extra, periods in controls])
    now = start

    def check() -> None:
        """The time that has run is the time that was used; nobody is below zero but by a flag."""
        state = table.clock
        for player, hand in enumerate(clock.hands):
            face = state.face(player, table.t)
            assert (face.left_ms, face.periods, face.flagged) == (*hand.shows(), hand.flagged)
            assert face.left_ms >= 0 or face.flagged
        assert state.player == clock.player
        assert state.runs == (not clock.stops)

    def run(ms: int) -> None:
        nonlocal now
        for _ in range(ms):
            now += 1
            table.t = now / 1000
            flagged = clock.hands[clock.player].flagged
            if not clock.stops:
                clock.hands[clock.player].tick()
            due = table.clock.due(table.t, float("-inf"), float("-inf"), 3.0)
            assert due == (clock.hands[clock.player].flagged and not flagged)
            if due:
                at = table.clock.flag_ms
                assert at == now - 1
                table.say(Flag(table.t, table.ply, clock.player, at / 1000))

    def turn(player: int) -> None:
        clock.stops -= {"set-up"}
        clock.player = player
        clock.past.setdefault(table.ply, (deepcopy(clock.hands), player))
        table.turn(player)

    for hand in clock.hands:
        hand.begin()
    turn(0)
    for deed, number in deeds:
        match deed:
            case "wait":
                run(number)
            case "move":
                table.ply += 1
                table.say(MoveMade(table.t, table.ply, clock.player))
                if number:
                    clock.hands[clock.player].end()
                clock.past = {ply: point for ply, point in clock.past.items() if ply < table.ply}
                turn((clock.player + number) % players)
            case "takeback" if table.ply:
                table.take_back(max(0, table.ply - 1 - number), 0)
                hands, player = clock.past[table.ply]
                clock.hands, clock.player = deepcopy(hands), player
                clock.stops |= {"set-up"}
                run(number)
                turn(player)
            case "restart":
                table.say(Clock(table.t, table.ply, 0, "runs"))
                now += number
                table.t = now / 1000
                table.say(GameStarted(table.t, table.ply, 0))
                clock.stops = clock.stops & {"pause"} | {"set-up"}
                run(number)
                turn(clock.player)
            case "violation" | "question":
                kind = Violation if deed == "violation" else Question
                table.say(kind(table.t, table.ply, clock.player))
                clock.stops |= {"set-up"}
                run(number)
                turn(clock.player)
            case "sensor":
                table.say(SensorLost(table.t, table.ply, 0))
                clock.stops |= {"sensor"}
                run(number)
                table.say(SensorBack(table.t, table.ply, 0))
                clock.stops -= {"sensor"}
            case "pause":
                paused = "pause" not in clock.stops
                table.say(Clock(table.t, table.ply, 0, "paused" if paused else "resumed"))
                clock.stops ^= {"pause"}
        check()
    assert clock_of(from_json(json.loads(line)) for line in table.log) == table.clock


@settings(max_examples=200, deadline=None)
@given(
    players=st.integers(2, 4),
    turns=st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 900), st.booleans()), max_size=40),
    switch=st.sampled_from(["move", "button"]),
)
def test_the_time_used_is_the_time_run(
    players: int, turns: list[tuple[int, int, bool]], switch: Switch
) -> None:
    """In sudden death nothing is earned: what all have lost is what ran, to the millisecond."""
    table = Table("10:00", players=players, switch=switch)
    table.turn()
    ran, now = 0, 0
    for took, verdict, again in turns:
        now += took
        mover = table.player
        table.ply += 1
        table.t = (now + verdict) / 1000
        table.say(MoveMade(table.t, table.ply, mover, ended=now / 1000))
        now += verdict
        table.turn(mover if again else (mover + 1) % players)
        if switch == "button" and not again:
            table.say(Press(table.t, table.ply, mover))
        ran += took + (verdict if switch == "button" else 0)
        assert sum(account.control.main_ms for account in table.clock.accounts) - ran == sum(
            round(1000 * left) for left in table.left
        )
