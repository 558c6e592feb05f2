"""A board that is weighed and seen: the scale on a pty, the camera a folder whose pictures change."""

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import games
from engine.observation import Observation
from firmware_bridge.frames import ResetCause
from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from hardware.lights import NoLights
from referee.events import Event, MoveMade, Question, SensorBack, SensorLost, Violation
from referee.referee import Referee, Settings
from service.boardfile import shipped
from service.log import Log
from service.settings import ClockTable, checked
from service.table import LiveTable, Pictures, Scales
from service.watch import Watch
from tests.firmware_bridge.pty_board import Board
from tests.service.test_reset_in_play import weight
from tests.vision.draw import Look
from tests.vision.test_game import GAME, draw

CALIBRATION = Calibration(3.0, 0.3, (0.1,), (0.0,) * 14, (1000.0,) * 14)
PATIENCE_S = 60.0


async def test_the_game_goes_on_while_one_of_two_is_lost(tmp_path: Path) -> None:
    layout = shipped("two-by-six")
    pictures, seen = tmp_path / "pictures", tmp_path / "seen"
    pictures.mkdir()
    seen.mkdir()
    draw(layout, pictures, [board for _, board in GAME[:3]], Look())
    for number in range(1000):
        (seen / f"{number:04}.png").symlink_to(tmp_path / "now.png")

    def lies(number: int) -> None:
        """The board is that of the game after so many moves, for both to see."""
        shutil.copy(pictures / f"{number:02}.png", tmp_path / "next.png")
        (tmp_path / "next.png").rename(tmp_path / "now.png")
        board.counts = weight(GAME[number][1])

    board = Board(tmp_path / "ttyACM0")
    board.live()
    lies(0)
    with Log(tmp_path / "p.db") as log:
        setup = (Scales(Search(board.port), CALIBRATION), Pictures(seen, looks=1, every=0.4))
        clock = ClockTable(time=("5:00",))
        table = LiveTable(log, NoLights(14), layout, setup, layout, Settings(), clock=clock)
        await table.open(games.load("kalah"))
        work = [asyncio.create_task(each) for each in (table.watch(), table.keep_time())]

        def said(kind: type[Event]) -> list[Event]:
            told = (logged.event for logged in log.events(table.snapshot().game_id))
            return [event for event in told if isinstance(event, kind)]

        async def until(there: Callable[[], object]) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while not there():
                    assert not any(task.done() for task in work)
                    await asyncio.sleep(0.02)

        def runs() -> bool:
            shown = table.snapshot().clock
            return shown is not None and shown["stops"] == []

        await until(lambda: table.snapshot().view.phase == "waiting")
        await until(lambda: table.snapshot().sensor == "scale: reads; camera: reads")
        shown = table.picture()
        assert table.snapshot().camera
        assert shown is not None
        assert shown.startswith(b"\xff\xd8")
        assert table.snapshot().port == f"scale on {board.port} and pictures in {seen}"
        board.unplug()
        await until(lambda: said(SensorLost))
        (lost,) = said(SensorLost)
        assert isinstance(lost, SensorLost)
        assert (lost.sensor, lost.watching) == ("scale", ("camera",))
        assert lost.text == f"the board on {tmp_path}/ttyACM0 is gone: plug it in again"
        assert table.snapshot().sensor.startswith("scale: ")
        assert table.snapshot().view.phase == "waiting"
        assert runs()

        lies(1)
        await until(lambda: said(MoveMade))
        board.hello = replace(board.hello, boot_id=8, reset_cause=ResetCause.POWER)
        board.plug(tmp_path / "ttyACM1")
        board.live(board.counts)
        await until(lambda: said(SensorBack))
        (back,) = said(SensorBack)
        assert isinstance(back, SensorBack)
        assert (back.sensor, back.watching) == ("scale", ("camera",))
        lies(2)
        await until(lambda: len(said(MoveMade)) == 2)
        assert [event.move for event in said(MoveMade)] == ["C", "A"]  # type: ignore[attr-defined]
        assert said(Violation) + said(Question) == []
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await table.close()
    board.unplug()


class Asked:
    """A sensor that sees nothing, and remembers what it was told."""

    def __init__(self, counts: int) -> None:
        loglik = np.full((14, counts), -40.0)
        loglik[np.arange(14), games.load("kalah").start().counts] = 0.0
        self._loglik = loglik
        self.told = 0

    def observe(self, t: float, reading: object) -> Observation:
        return Observation(t, self._loglik, np.zeros(14))

    def settled(self, t: float, counts: object) -> None:
        self.told += 1


def test_who_is_away_is_not_told_what_the_others_have_seen() -> None:
    """Its last readings are of another position: they would pass for the weight of this one."""
    referee = Referee(games.load("kalah"))
    scale, camera = Asked(referee.counts), Asked(referee.counts)
    watch = Watch(referee, {"scale": scale, "camera": camera})
    referee.start(0.0)
    lost = watch.lost(0.0, "scale", "unplugged")
    assert [event.event for event in lost] == ["sensor_lost"]
    assert watch.lost(0.1, "scale", "still unplugged") == []
    for look in range(40):
        watch.read(look / 10, None, "camera")
    assert (scale.told, camera.told > 0) == (0, True)
    assert [event.event for event in watch.back(4.0, "scale", "answers")] == ["sensor_back"]
    for look in range(40, 80):
        watch.read(look / 10, None, "camera")
    assert scale.told > 0
    watch.lost(8.0, "camera", "dark")
    assert not watch.blind
    assert [event.event for event in watch.lost(8.0, "scale", "unplugged")] == ["sensor_lost"]
    assert watch.blind


@pytest.mark.parametrize("both", [True, False])
def test_the_configuration_may_name_both(both: bool) -> None:
    plain = {"scale": {"calibration": "b"}, **({"camera": {"folder": "c"}} if both else {})}
    settings = checked(plain, "F")
    assert settings.scale is not None
    assert (settings.camera is not None) == both
