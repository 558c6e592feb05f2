"""The clock beside a referee that watches a board: what stops it, when flags fall, what is logged."""

import json
from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.match import Round, first
from referee.clock import ClockSettings, OnFlag, Switch, clock_of, settings_for
from referee.events import ClockSet, Flag, GameOver, MoveMade, Turn, as_json, from_json
from referee.match import MatchReferee
from referee.policy import Policy
from referee.referee import Referee, Settings
from referee.timed import BEAT_S, TimedReferee
from tests.referee.story import Story

KALAH = games.load("kalah")


def clocked(time: str = "5:00", switch: Switch = "move", flag: OnFlag = "lose") -> ClockSettings:
    return settings_for((time,), 2, switch, flag)


class Timed(Story):
    """A story knows a referee by what it is asked, and a timed one answers alike."""

    referee: Any


def timed(settings: ClockSettings | None, referee: Settings | None = None) -> Timed:
    told: Any = TimedReferee(Referee(KALAH, settings=referee), settings)
    return Timed(KALAH, told)


def left(story: Timed, player: int) -> float:
    """Seconds."""
    return float(story.referee.clock.face(player, story.t).left_ms / 1000)


def ask(story: Timed, name: str, player: int | None = None) -> list[str]:
    mark = len(story.events)
    story.events += story.referee.tick(story.t)
    story.events += story.referee.input(story.t, name, player=player)
    return story.since(mark)


def from_the_log(story: Timed) -> Any:
    return clock_of(from_json(json.loads(json.dumps(as_json(event)))) for event in story.events)


def test_it_begins_with_the_first_turn_and_switches_with_the_move() -> None:
    story = timed(clocked("5:00+3"))
    assert [event.event for event in story.events[:3]] == ["game_started", "clock_set", "turn"]
    turned = story.events[2].t
    assert left(story, 0) == pytest.approx(300 - (story.t - turned), abs=0.0011)
    story.sow("A", wait=2.0)
    (move,) = [event for event in story.events if isinstance(event, MoveMade)]
    assert move.ended is not None
    # The referee is sure of it a settling time later, which is nobody's.
    assert 0.25 <= move.t - move.ended < 1.0
    assert left(story, 0) == pytest.approx(303 - (move.ended - turned), abs=0.0011)
    assert left(story, 1) == pytest.approx(300 - (story.t - move.t), abs=0.0011)
    assert from_the_log(story) == story.referee.clock


def test_it_stands_during_a_violation_and_a_lost_sensor() -> None:
    story = timed(clocked())
    story.set(A=3, S=1)
    story.wait(5.0)
    assert story.said("violation")
    stands = left(story, 0)
    story.wait(5.0)
    assert left(story, 0) == stands
    story.set(A=4, S=0)
    story.wait(2.0)
    assert left(story, 0) < stands
    assert not story.referee.clock.stops
    story.events += story.referee.lost(story.t, "unplugged")
    stands = left(story, 0)
    story.t += 400.0
    assert story.referee.tick(story.t) == []
    story.events += story.referee.back(story.t, "plugged in")
    assert left(story, 0) == stands
    story.sow("A", wait=1.0)
    assert story.said("move")
    assert from_the_log(story) == story.referee.clock


def test_a_flag_falls_with_nothing_to_see_and_ends_the_game() -> None:
    story = timed(clocked("0:30"))
    turned = story.said("turn")[0].t
    story.t = turned + 30.0
    assert "flag" not in [event.event for event in story.referee.tick(story.t)]
    story.t += 0.01
    flag, over = story.referee.tick(story.t)
    assert isinstance(flag, Flag)
    assert flag.player == 0
    assert flag.at == pytest.approx(turned + 30.0)
    assert isinstance(over, GameOver)
    assert (over.winners, over.scores, over.reason) == ((1,), (0, 0), "South ran out of time")
    assert story.referee.view().phase == "over"
    assert left(story, 0) == 0
    assert story.referee.tick(story.t + 60) == []


def test_a_flag_waits_for_the_verdict_on_a_move_that_may_have_been_in_time() -> None:
    for late in (False, True):
        story = timed(clocked("0:30"))
        turned = story.said("turn")[0].t
        ply = KALAH.play(story.referee.state, KALAH.parse("A"))
        last = 0.3 * (len(ply.steps) - 1)
        story.wait(turned + 30.0 - story.t - last + (0.15 if late else -0.15))
        story.do(*ply.steps)
        story.wait(1.5)
        assert bool(story.said("flag")) == late
        assert bool(story.said("move")) != late
        assert 0.0 <= left(story, 0) < 0.5


def test_a_move_ends_before_the_reply_that_comes_at_once() -> None:
    """South has 0.2 s left as the last seed falls, and North replies before that is settled."""
    story = timed(clocked("0:30"))
    turned = story.said("turn")[0].t
    ply = KALAH.play(story.referee.state, KALAH.parse("A"))
    reply = KALAH.play(ply.state, KALAH.parse("a"))
    story.wait(turned + 30.0 - story.t - 0.3 * (len(ply.steps) - 1) - 0.2)
    story.do(*ply.steps[:-1])
    story.do(ply.steps[-1], pause=0.15)
    done = story.t - 0.15
    story.do(*reply.steps, pause=0.15)
    story.wait(2.0)
    first, second = [event for event in story.events if isinstance(event, MoveMade)]
    assert not story.said("flag")
    assert first.ended == pytest.approx(done, abs=0.25)
    assert second.ended is not None
    assert second.ended > done + 0.6
    assert 0.0 <= left(story, 0) <= 0.25


def test_an_announced_flag_lets_the_game_go_on() -> None:
    story = timed(clocked("0:05", flag="announce"))
    story.wait(8.0)
    story.sow("A", wait=2.0)
    assert [event.event for event in story.said("flag", "game_over", "move")] == ["flag", "move"]
    assert left(story, 0) < 0
    assert from_the_log(story) == story.referee.clock


def test_a_button_is_pressed() -> None:
    story = timed(clocked(switch="button"))
    story.sow("A", wait=3.0)
    assert story.referee.clock.player == 0
    assert ask(story, "press", 0) == ["press"]
    assert story.referee.clock.player == 1
    with pytest.raises(BadInput, match=r"^press has no meaning: it is for the player whose clock it is$"):
        ask(story, "press", 0)
    assert ask(story, "press") == ["press"]
    assert story.referee.clock.player == 1
    story.sow("a", wait=1.0)
    assert story.referee.clock.player == 0
    assert from_the_log(story) == story.referee.clock


def test_the_arbiter_stops_it_and_lets_it_go_on() -> None:
    story = timed(clocked())
    assert ask(story, "pause") == ["clock"]
    stands = left(story, 0)
    story.wait(5.0)
    assert left(story, 0) == stands
    with pytest.raises(BadInput, match=r"^pause has no meaning: the clock stands already$"):
        ask(story, "pause")
    assert ask(story, "resume") == ["clock"]
    story.wait(5.0)
    assert left(story, 0) == pytest.approx(stands - 5.0, abs=0.1)
    with pytest.raises(BadInput, match=r"^resume has no meaning: the clock has not been paused$"):
        ask(story, "resume")
    with pytest.raises(BadInput, match=r"^press has no meaning: this clock switches by itself with the comp"):
        ask(story, "press")
    ask(story, "resign")
    with pytest.raises(BadInput, match=r"^pause has no meaning: the clock is off, as play is over$"):
        ask(story, "pause")


def test_the_arbiter_alone_gives_time() -> None:
    story = timed(clocked())
    before = left(story, 1)
    told = story.referee.input(story.t, "give", player=1, arbiter=True, seconds=-30.5)
    assert [(event.event, event.player, event.ms) for event in told] == [("clock", 1, -30_500)]
    assert left(story, 1) == before - 30.5
    for more, sentence in (
        ({"player": 1, "seconds": 60.0}, "the arbiter gives time, and nobody else"),
        ({"seconds": 60.0, "arbiter": True}, "player None is given time: 0 to 1 was expected"),
        ({"player": 2, "seconds": 60.0, "arbiter": True}, "player 2 is given time: 0 to 1 was expected"),
        ({"player": 1, "arbiter": True}, "0 s are given: up to 3600 s, or down to as much, was expected"),
        ({"player": 1, "seconds": -9e9, "arbiter": True}, "-9e+09 s are given: up to 3600 s, or down to"),
    ):
        with pytest.raises(BadInput) as refused:
            story.referee.input(story.t, "give", **more)
        assert str(refused.value).startswith(sentence)


def test_without_a_clock_nothing_is_different_and_nothing_to_press() -> None:
    story, plain = timed(None), Story(KALAH)
    for each in (story, plain):
        each.sow("C")
        each.sow("F")
    assert story.events == plain.events
    for name in ("press", "pause", "resume", "give"):
        with pytest.raises(BadInput, match=f"^{name} has no meaning: this game has no clock$"):
            story.referee.input(story.t, name)


def test_a_clock_that_runs_says_so_from_time_to_time() -> None:
    story = timed(clocked())
    story.wait(3 * BEAT_S + 1.0)
    assert [event.event for event in story.said("clock")] == ["clock"] * 3
    gone = [one.t - other.t for one, other in zip(story.events[3:], story.events[2:], strict=False)]
    assert all(BEAT_S <= seconds <= BEAT_S + 0.11 for seconds in gone)


def test_a_takeback_and_a_restart() -> None:
    story = timed(clocked())
    before = left(story, 0)
    story.sow("A", wait=3.0)
    ask(story, "takeback")
    assert left(story, 0) == pytest.approx(300.0)
    assert left(story, 1) == 300.0
    assert before < 300.0
    story.show(KALAH.start().counts)
    story.wait(4.0)
    used = 300.0 - left(story, 0)
    assert used > 3.0
    # Another referee takes it up, an hour later.
    told: Any = TimedReferee(Referee(KALAH, resumed=True), clocked("9:00"), from_the_log(story))
    mark = story.events[-1].t
    story.referee, story.t = told, story.t + 3600.0
    story.events += told.start(story.t)
    assert [event.event for event in story.events].count("clock_set") == 1
    assert left(story, 0) >= 300.0 - used
    assert left(story, 0) <= 300.0 - used + BEAT_S + 0.1
    story.wait(2.0)
    assert left(story, 0) < 300.0 - (mark - story.said("takeback")[0].t) + 60.0
    assert from_the_log(story) == told.clock


def test_each_round_of_a_match_begins_with_fresh_times() -> None:
    game = games.load("orient-thunderclap")
    start = game.start([0, 0, 0, 0, 0, 1, *[0] * 6], (27, 20))
    told: Any = TimedReferee(MatchReferee(Round(1, game, start, (0, 0))), clocked("1:00"))
    story = Timed(game, told)
    story.wait(10.0)
    story.sow("F", wait=2.0)
    story.wait(10.0)
    story.sow("a", wait=2.0)
    assert story.events[-1].event == "round_over"
    stands = [left(story, player) for player in (0, 1)]
    assert max(stands) < 50.0
    story.wait(100.0)
    assert [left(story, player) for player in (0, 1)] == stands
    mark = len(story.events)
    story.show(told.view().counts, wait=2.0)
    begun = [event for event in story.events[mark:] if isinstance(event, ClockSet | Turn)]
    assert [event.event for event in begun] == ["clock_set", "turn"]
    assert left(story, 0) == 60.0
    assert left(story, 1) == pytest.approx(60.0 - (story.t - begun[1].t), abs=0.0011)
    # The flag ends the match.
    story.t += 61.0
    flag, over = told.tick(story.t)
    assert (flag.player, over.winners, told.view().phase) == (1, (0,), "over")


def test_of_three_or_four_only_who_flags_has_lost_and_partners_with_them() -> None:
    for options, winners in (
        ({"players": 3}, (1, 2)),
        ({"players": 4}, (1, 2, 3)),
        ({"players": 4, "partners": True}, (1, 3)),
    ):
        game = games.load("orient-standard", options)
        settings = settings_for(("0:20",), game.players, "move", "lose")
        told: Any = TimedReferee(Referee(game), settings)
        story = Timed(game, told)
        *_, flag, over = told.tick(story.t + 30.0)
        assert (flag.event, flag.player) == ("flag", 0)
        assert over.winners == winners


def test_first_rounds_have_clocks_too() -> None:
    told = TimedReferee(MatchReferee(first(games.load("congklak"))), clocked())
    assert [event.event for event in told.start(0.0)] == ["game_started", "clock_set"]


@pytest.mark.parametrize(("policy", "runs"), [("warn", True), ("strict", False), ("arbiter", False)])
def test_a_warning_lets_the_time_of_the_player_go_on(policy: Policy, runs: bool) -> None:
    """B falls one short, and is called; ten seconds later South presses done, or has it put right."""
    story = timed(clocked("5:00"), Settings(policy=policy))
    story.set(B=0, C=5, D=5, E=6)
    story.wait(2.5)
    assert story.said("violation")
    before = [left(story, player) for player in (0, 1)]
    story.wait(10.0)
    spent = [was - left(story, player) for player, was in enumerate(before)]
    assert spent == pytest.approx([10.0 if runs else 0.0, 0.0], abs=0.1)
    if runs:
        assert ask(story, "done") == []
        story.wait(0.1)
        assert [event.event for event in story.events[-2:]] == ["ruling", "turn"]
        before = [left(story, player) for player in (0, 1)]
        story.wait(5.0)
        spent = [was - left(story, player) for player, was in enumerate(before)]
        assert spent == pytest.approx([0.0, 5.0], abs=0.1)
