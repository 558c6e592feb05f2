"""A board that starts anew in the middle of a game: the table on a real port, the board on a pty."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from engine import games
from firmware_bridge.frames import CellFlag, OtherVersion, ResetCause
from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from hardware.lights import NoLights
from referee.clock import clock_of
from referee.events import Clock, MoveMade, Question, SensorBack, SensorLost
from referee.referee import Settings
from service.boardfile import shipped
from service.log import Log
from service.settings import ClockTable
from service.table import LiveTable, Scales
from tests.firmware_bridge.pty_board import Board
from tests.vision.test_game import GAME

PATIENCE_S = 60.0


def weight(counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(3000 * n for n in counts)


class Play:
    """A game of Kalah with a clock, on one board."""

    def __init__(self, board: Board, table: LiveTable, work: Sequence[asyncio.Task[None]]) -> None:
        self.board, self.table, self._work = board, table, work

    def told(self) -> list[str]:
        """What stands in the log: sensors lost and back, and moves."""
        events = [logged.event for logged in self.table.log.events(self.table.snapshot().game_id)]
        return [
            event.move if isinstance(event, MoveMade) else f"{event.event}: {event.text}"
            for event in events
            if isinstance(event, MoveMade | SensorLost | SensorBack)
        ]

    def stopped(self) -> frozenset[str]:
        """Why the clock stood when the sensor was last lost."""
        events = [logged.event for logged in self.table.log.events(self.table.snapshot().game_id)]
        lost = max(at for at, event in enumerate(events) if isinstance(event, SensorLost))
        clock = clock_of(events[: lost + 1])
        assert clock is not None
        return frozenset(clock.stops)

    def stops(self) -> list[str]:
        """Why the clock stands."""
        clock = self.table.snapshot().clock
        assert clock is not None
        return list(clock["stops"])

    async def until(self, there: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not there():
                assert not any(task.done() for task in self._work)
                await asyncio.sleep(0.02)


@pytest_asyncio.fixture
async def play(tmp_path: Path) -> AsyncIterator[Play]:
    board, layout = Board(tmp_path / "ttyACM0"), shipped("two-by-six")
    board.live(weight(GAME[0][1]))
    calibration = Calibration(3.0, 0.3, (0.1,), (0.0,) * 14, (1000.0,) * 14)
    scales = Scales(Search(board.port), calibration, buttons=("pause", "none", "resume"))
    with Log(tmp_path / "p.db") as log:
        clock = ClockTable(time=("5:00",))
        table = LiveTable(log, NoLights(14), layout, (scales,), layout, Settings(), clock=clock)
        await table.open(games.load("kalah"))
        work = [asyncio.create_task(each) for each in (table.watch(), table.keep_time())]
        playing = Play(board, table, work)
        await playing.until(lambda: table.snapshot().view.phase == "waiting")
        yield playing
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await table.close()
    board.unplug()


async def test_a_reset_stops_the_clock_and_the_game_goes_on(play: Play) -> None:
    assert play.stops() == []
    play.board.reset(ResetCause.WATCHDOG)
    await play.until(lambda: len(play.told()) == 2)
    assert play.stopped() == {"sensor"}
    await play.until(lambda: play.table.snapshot().view.phase == "waiting")
    assert play.stops() == []
    play.board.counts = weight(GAME[1][1])
    await play.until(lambda: "C" in play.told())
    assert play.told() == [
        "sensor_lost: the board has started anew, its program had stopped: it is read afresh",
        f"sensor_back: the board on {play.board.port} answers again",
        "C",
    ]


async def test_converters_that_wake_up_after_the_chip_make_no_question(play: Play) -> None:
    play.board.flags = 0
    play.board.reset(ResetCause.WATCHDOG)
    await play.until(lambda: play.board.sent > 100)
    play.board.flags = int(CellFlag.FRESH)
    await play.until(lambda: play.table.snapshot().view.phase == "waiting")
    play.board.counts = weight(GAME[1][1])
    await play.until(lambda: "C" in play.told())
    events = [logged.event for logged in play.table.log.events(play.table.snapshot().game_id)]
    assert not any(isinstance(event, Question) for event in events)


async def test_a_button_on_the_board_says_what_the_configuration_gives_it(play: Play) -> None:
    play.board.presses = [4, 255, 9, 0]
    sent = play.board.sent
    await play.until(lambda: play.board.sent > sent + 20)
    assert play.stops() == []
    play.board.presses[0] += 1
    await play.until(lambda: play.stops() == ["paused"])
    # To pause again has no meaning, the second button is to say nothing, and the fourth is not named.
    play.board.presses = [6, 0, 9, 1]
    sent = play.board.sent
    await play.until(lambda: play.board.sent > sent + 20)
    assert play.stops() == ["paused"]
    play.board.presses[2] += 1
    await play.until(lambda: play.stops() == [])
    play.board.reset(ResetCause.WATCHDOG)
    await play.until(lambda: len(play.told()) == 2)
    events = [logged.event for logged in play.table.log.events(play.table.snapshot().game_id)]
    said = [event.state for event in events if isinstance(event, Clock) and event.state != "runs"]
    assert said == ["paused", "resumed"]


async def test_a_pulled_cable_stops_the_clock_until_the_board_is_back_elsewhere(
    play: Play, tmp_path: Path
) -> None:
    play.board.unplug()
    await play.until(lambda: play.table.snapshot().view.phase == "lost")
    assert play.stops() == ["sensor"]
    play.board.hello = replace(play.board.hello, boot_id=9, reset_cause=ResetCause.POWER)
    play.board.plug(tmp_path / "ttyACM3")
    # They have played on meanwhile.
    play.board.live(weight(GAME[1][1]))
    await play.until(lambda: "C" in play.told())
    assert play.stops() == []
    assert play.told()[0] == f"sensor_lost: the board on {tmp_path}/ttyACM0 is gone: plug it in again"
    assert play.told()[1] == f"sensor_back: the board on {tmp_path}/ttyACM3 answers again"


async def test_a_board_that_was_flashed_with_another_version_is_told_in_words(play: Play) -> None:
    play.board.greeting = OtherVersion(2, 0)
    play.board.say(OtherVersion(2, 0))
    await play.until(lambda: play.table.snapshot().view.phase == "lost")
    said = "the board speaks link version 2.0, this Pitwatch 1.x: update Pitwatch"
    assert play.told() == [f"sensor_lost: {said}"]
    assert play.table.snapshot().sensor == said


@pytest.mark.parametrize("size", [20, 300])
async def test_noise_on_the_line_is_nothing_to_the_game(play: Play, size: int) -> None:
    for burst in range(20):
        play.board.write(bytes((burst * 37 + at * 101) % 256 for at in range(size)))
        await asyncio.sleep(0)
    play.board.counts = weight(GAME[1][1])
    await play.until(lambda: "C" in play.told())
    assert play.told() == ["C"]
