"""The clock at a table: flags that fall with nothing to read, restarts, and what is asked for and told."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import games
from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Observation
from hardware.lights import NoLights
from referee.clock import clock_of
from referee.events import Clock, Event, Flag, GameOver, GameStarted
from referee.referee import Settings
from referee.timed import TimedReferee
from service.boards import board_for
from service.log import Log
from service.recording import referee_over
from service.settings import ClockTable, checked
from service.simulated import SimulatedBoard
from service.sources import Back, Gone, Read, Source
from service.table import LiveTable, Pictures
from service.watch import Watch
from tests.service.running import service

KALAH = games.load("kalah")
Item = Read[None] | Gone | Back


class Sharp:
    """A sensor that is sure of the start, whatever it reads."""

    def __init__(self, counts: int) -> None:
        holes = np.array(KALAH.start().counts)
        self._loglik = np.full((len(holes), counts), -40.0)
        self._loglik[np.arange(len(holes)), holes] = 0.0
        self._hand = np.zeros(len(holes))

    def observe(self, t: float, reading: object) -> Observation:
        return Observation(t, self._loglik, self._hand)

    def settled(self, t: float, counts: object) -> None:
        pass


class Script:
    """A source that gives what the test puts in."""

    about = "a script"
    notes: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.items: asyncio.Queue[Item] = asyncio.Queue()

    async def readings(self) -> AsyncGenerator[Item, None]:
        while True:
            yield await self.items.get()


class ScriptedTable(LiveTable):
    """A table whose readings come from a script, and whose time is the test's."""

    script: Script

    def _sensing(
        self,
        referee: TimedReferee,
        layout: Layout,
        cells: Sequence[int],
        simulated: SimulatedBoard | None,
    ) -> tuple[dict[str, Source[Any]], Watch]:
        self.script = Script()
        return {"script": self.script}, Watch(referee, {"script": Sharp(referee.counts)})

    async def reads(self, *items: Item) -> None:
        """All of it has been taken in."""
        for item in items:
            self.script.items.put_nowait(item)
        while not self.script.items.empty():  # noqa: ASYNC110
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)

    def said(self) -> list[Event]:
        return [logged.event for logged in self.log.events(self.snapshot().game_id)]

    def kinds(self) -> list[str]:
        return [event.event for event in self.said()]


LOOKS = [Read(0.1 * look, None) for look in range(20)]
"""Until the board is surely set up: the turn is said on the way."""


@asynccontextmanager
async def table(path: Path, clock: ClockTable) -> AsyncGenerator[ScriptedTable, None]:
    with Log(path) as log:
        board = board_for(KALAH)
        made = ScriptedTable(log, NoLights(14), board, (Pictures(path),), board, Settings(), clock=clock)
        await made.open(KALAH)
        work = [asyncio.create_task(each) for each in (made.watch(), made.keep_time())]
        try:
            yield made
            assert not any(task.done() for task in work)
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            await made.close()


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let so many seconds pass at once, for all that asks the event loop for the time."""

    def later(seconds: float) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time
        monkeypatch.setattr(loop, "time", lambda: now() + seconds)

    return later


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(1e6):
        while not there():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_flag_falls_though_nothing_is_read(tmp_path: Path, passes: Callable[[float], None]) -> None:
    async with table(tmp_path / "p.db", ClockTable(time=("5:00",))) as played:
        await played.reads(*LOOKS)
        assert played.kinds() == ["game_started", "clock_set", "turn"]
        passes(290.0)
        await until(lambda: "clock" in played.kinds())
        assert "flag" not in played.kinds()
        passes(20.0)
        await until(lambda: "game_over" in played.kinds())
        flag, over = played.said()[-2:]
        assert isinstance(flag, Flag)
        assert isinstance(over, GameOver)
        turned = played.said()[2].t
        assert flag.at == pytest.approx(turned + 300.0, abs=0.0011)
        assert over.winners == (1,)
        clock = played.snapshot().clock
        assert clock is not None
        assert clock["players"][0]["flagged"]
        assert clock["stops"] == ["over"]
        assert played.log.unfinished() is None


async def test_no_flag_falls_while_the_sensor_is_away(
    tmp_path: Path, passes: Callable[[float], None]
) -> None:
    async with table(tmp_path / "p.db", ClockTable(time=("5:00",))) as played:
        await played.reads(*LOOKS, Gone("unplugged"))
        before = played.snapshot().clock
        passes(3600.0)
        await asyncio.sleep(0.2)
        assert played.snapshot().clock == before
        assert before is not None
        assert before["stops"] == ["sensor"]
        await played.reads(Back("it is back"), Read(2.0, None))
        passes(290.0)
        await until(lambda: "clock" in played.kinds())
        assert "flag" not in played.kinds()
        passes(20.0)
        await until(lambda: "flag" in played.kinds())


async def test_a_press_counts_when_it_is_made(tmp_path: Path, passes: Callable[[float], None]) -> None:
    """Not when the last reading was taken."""
    async with table(tmp_path / "p.db", ClockTable(time=("5:00",), switch="button")) as played:
        await played.reads(*LOOKS)
        passes(100.0)
        await played.post_input("pause", None)
        paused = played.said()[-1]
        assert isinstance(paused, Clock)
        assert paused.t == pytest.approx(LOOKS[-1].t + 100.0, abs=30.0)
        with pytest.raises(BadInput, match=r"^press has no meaning: it is for the player whose clock it is$"):
            await played.post_input("press", None, 1)
        await played.post_input("resume", None)
        await played.post_input("press", None, 0)
        assert played.kinds()[-3:] == ["clock", "clock", "press"]


async def test_the_clock_of_the_next_game(tmp_path: Path) -> None:
    async with table(tmp_path / "p.db", ClockTable()) as played:
        assert played.snapshot().clock is None
        await played.new_game("kalah", {}, (), clock=ClockTable(time=("5:00", "3:00+2"), flag="announce"))
        clock = played.snapshot().clock
        assert clock is not None
        assert (clock["times"], clock["flag"]) == (["300", "180+2"], "announce")
        # As before, where nothing is said; and what is refused changes nothing.
        with pytest.raises(BadInput, match=r"^3 times for 2 players: give one for all, or one each$"):
            await played.new_game("kalah", {}, (), clock=ClockTable(time=("5:00",) * 3))
        await played.new_game("kalah", {}, ())
        again = played.snapshot().clock
        assert again is not None
        assert again["times"] == ["300", "180+2"]
        await played.new_game("kalah", {}, (), clock=ClockTable())
        assert played.snapshot().clock is None


async def test_a_game_goes_on_with_the_clock_it_was_begun_with(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    async with table(path, ClockTable(time=("5:00",))) as played:
        await played.reads(*LOOKS)
        first = played.snapshot().clock
    async with table(path, ClockTable(time=("9:00",))) as played:
        clock = played.snapshot().clock
        assert clock is not None
        assert first is not None
        assert clock["times"] == ["300", "300"]
        assert clock["stops"] == ["set-up"]
        # What was not logged is not charged; nor is the time away.
        assert first["players"][0]["left_ms"] <= clock["players"][0]["left_ms"] <= 300_000
        assert played.kinds().count("clock_set") == 1
        await played.new_game("kalah", {}, (), clock=ClockTable())
        await played.reads(*LOOKS)
    async with table(path, ClockTable(time=("9:00",))) as played:
        assert played.snapshot().clock is None
        await played.reads(*LOOKS)
        assert "clock_set" not in played.kinds()


def test_a_killed_service_goes_on_with_the_time_left(tmp_path: Path) -> None:
    """On the simulated board: the log has the time to within 5 s, and a pause outlives the plug."""
    log = tmp_path / "p.db"
    options = ("--no-auto", "--speed", "20", "--clock", "60:00+3")
    with service(log, *options) as running:
        running.until(lambda state: state["view"]["phase"] == "waiting")
        running.post("hand", {"do": "play", "pit": 0})
        running.until(lambda state: state["moves"] == ["A"])
        running.until(lambda state: any(event["event"] == "clock" for event in state["events"][-1:]))
        running.kill()
    with Log(log) as reader:
        (row,) = reader.games()
        events = [logged.event for logged in reader.events(row.id)]
    clock = clock_of(events)
    assert clock is not None
    left = [clock.face(player, events[-1].t).left_ms for player in (0, 1)]
    assert clock.player == 1
    assert left[1] < 3_600_000 - 4_000
    with service(log, *options) as running:
        assert running.post("inputs", {"input": "pause"}) == (202, {"input": "pause"})
        told = running.get("state")["clock"]
        assert told["players"][0]["left_ms"] == left[0]
        running.until(lambda state: state["view"]["phase"] == "waiting")
        running.kill()
    with Log(log) as reader:
        events = [logged.event for logged in reader.events(row.id)]
    (again,) = [at for at, event in enumerate(events) if isinstance(event, GameStarted)][1:]
    before, after = clock_of(events[:again]), clock_of(events[: again + 1])
    assert before is not None
    assert after is not None
    assert after.face(1, events[again].t) == before.face(1, events[again - 1].t)
    with service(log, *options) as running:
        state = running.until(lambda state: state["clock"]["stops"] == ["paused"])
        assert state["clock"]["players"] == [
            {**one, "left_ms": left_ms}
            for one, left_ms in zip(told["players"], (left[0], told["players"][1]["left_ms"]), strict=True)
        ]
        assert running.post("inputs", {"input": "resume"})[0] == 202
        assert running.get("state")["clock"]["runs"]


def test_a_game_on_time_on_the_simulated_board(tmp_path: Path) -> None:
    """The flag ends it; a takeback undoes that, and gives the turn its time again."""
    log = tmp_path / "p.db"
    with service(log, "--no-auto", "--speed", "40") as running:
        running.until(lambda state: state["view"]["phase"] == "waiting")
        status, _ = running.post("games", {"game": "kalah", "clock": {"time": "0:40"}})
        assert status == 201
        running.until(lambda state: state["view"]["phase"] == "waiting")
        running.post("hand", {"do": "play", "pit": 0})
        running.until(lambda state: state["moves"] == ["A"])
        state = running.until(lambda state: state["view"]["phase"] == "over")
        assert state["view"]["result"]["reason"] == "North ran out of time"
        assert state["view"]["result"]["winners"] == [0]
        assert [one["flagged"] for one in state["clock"]["players"]] == [False, True]
        assert running.post("inputs", {"input": "pause"}) == (
            400,
            {"error": "pause has no meaning: the clock is off, as play is over"},
        )
        stood = state["clock"]["players"][0]["left_ms"]
        assert running.post("inputs", {"input": "takeback"})[0] == 202
        assert running.post("inputs", {"input": "pause"})[0] == 202
        south, north = running.get("state")["clock"]["players"]
        assert (south["flagged"], north["flagged"], south["left_ms"]) == (False, False, stood)
        assert 0 < north["left_ms"] <= 40_000


def test_a_recording_has_a_clock_too(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    loglik = [[-40.0] * seeds + [0.0, -40.0] for seeds in KALAH.start().counts]
    looks = "".join(f'{{"t":{0.1 * look:.1f},"loglik":{loglik}}}\n' for look in range(20))
    head = '{"pitwatch":1,"game":"kalah","sensor":"camera","clock":{"time":"0:30"}}\n'
    end = '{"t":20.0,"input":"pause"}\n{"t":50.0,"input":"resume"}\n{"t":70.0,"input":"recount"}\n'
    path.write_text(head + looks + end)
    events = list(referee_over(path))
    assert [event.event for event in events][:3] == ["game_started", "clock_set", "turn"]
    assert [event.event for event in events if event.event in ("flag", "game_over")] == ["flag", "game_over"]
    (flag,) = [event for event in events if isinstance(event, Flag)]
    # 30 s, and 30 s of pause, after the turn.
    assert flag.at == pytest.approx(events[2].t + 60.0)
    path.write_text(head.replace("0:30", "5+3") + looks)
    with pytest.raises(BadInput, match=r"line 1, clock: .*time '5\+3' begins with 5 seconds: write minutes"):
        list(referee_over(path))


def test_the_configured_clock() -> None:
    assert checked({"clock": {"time": "5:00+3"}}, "F").clock.time == ("5:00+3",)
    assert checked({"clock": {"time": []}}, "F").clock.of(2) is None
    clock = checked({"clock": {"time": ["5:00", "3:00"], "switch": "button"}}, "F").clock.of(2)
    assert clock is not None
    assert [control.main_ms for control in clock.controls] == [300_000, 180_000]
    assert clock.switch == "button"
