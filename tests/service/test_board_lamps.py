"""The strip of a weighing board: the table and a calibration on a real port, the board on a pty."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest_asyncio

from engine import games
from engine.layout import Light
from firmware_bridge.calibration import Plan, ScaleCalibration
from firmware_bridge.frames import Capability, ResetCause
from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from hardware.lights import BLACK, RGB, BoardLights
from referee.referee import Settings
from service.boardfile import shipped
from service.calibrating import Calibrating
from service.log import Log
from service.table import LiveTable, Scales
from tests.firmware_bridge.pty_board import HELLO, Board

WHITE: RGB = (46, 46, 41)
"""A pit that may be played, (180, 180, 160), at 8 / 31 of full brightness."""
PLAYABLE = [WHITE] * 6 + [BLACK] * 8
"""At the start of Kalah."""
START = (12_000,) * 6 + (12_000,) * 6 + (0, 0)
"""Raw counts of four stones in each pit."""


@pytest_asyncio.fixture
async def board(tmp_path: Path) -> AsyncIterator[Board]:
    board = Board(tmp_path / "ttyACM0", replace(HELLO, capabilities=Capability.LIGHTS))
    board.live(START)
    yield board
    board.unplug()


@asynccontextmanager
async def table(board: Board, folder: Path) -> AsyncIterator[LiveTable]:
    """A game of Kalah on `board`, whose lamps lie in the order of the holes, until the port is closed."""
    layout = replace(shipped("two-by-six"), lights_kind="board")
    scales = Scales(Search(board.port), Calibration(3.0, 0.3, (0.1,), (0.0,) * 14, (1000.0,) * 14))
    lights = BoardLights(14, tuple(Light(hole, hole) for hole in range(14)))
    with Log(folder / "p.db") as log:
        table = LiveTable(log, lights, layout, (scales,), layout, Settings())
        await table.open(games.load("kalah"))
        work = [asyncio.create_task(each) for each in (table.watch(), table.light())]
        yield table
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await table.close()


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not there():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_the_strip_shows_the_plan_and_is_told_what_changes_alone(tmp_path: Path, board: Board) -> None:
    board.deaf = 2
    async with table(board, tmp_path) as playing:
        await until(lambda: board.lamps == PLAYABLE)
        assert board.deaf == 0
        assert playing.snapshot().lights == "14 APA102 lamps on the weighing board"
        assert playing.snapshot().notes == ()
        pictures, sent = board.pictures, board.sent
        await until(lambda: board.sent > sent + 40)
        assert board.pictures == pictures
    await until(lambda: board.lamps == [BLACK] * 14)


async def test_a_board_that_has_started_anew_is_lit_again(tmp_path: Path, board: Board) -> None:
    async with table(board, tmp_path):
        await until(lambda: board.lamps == PLAYABLE)
        board.reset(ResetCause.WATCHDOG)
        assert board.lamps == []
        await until(lambda: board.lamps == PLAYABLE)


async def test_a_board_without_lamps_is_told_none_and_this_is_said(tmp_path: Path, board: Board) -> None:
    board.hello = HELLO
    async with table(board, tmp_path) as playing:
        await until(lambda: playing.snapshot().view.phase == "waiting")
        assert board.pictures == 0
        assert playing.snapshot().notes == (
            'the board drives no lamps: flash its firmware, or name another kind of [lights] than "board"',
        )


async def test_a_calibration_is_led_by_the_strip_too(board: Board) -> None:
    board.counts = (0,) * 14
    names = (*"ABCDEFabcdef", "South", "North")
    guided = Calibrating(ScaleCalibration(Plan(names, 12, 48)), Search(board.port))
    lights = BoardLights(14, tuple(Light(hole, hole) for hole in range(14)))
    work = [asyncio.create_task(each) for each in (guided.read(), guided.light(lights))]
    await until(lambda: board.lamps == [BLACK] * 14)
    guided.answer("done")
    # These cells say the very same number always, which no cell does: each is to be seen to.
    await until(lambda: board.lamps == [(65, 0, 0)] * 14)
    for task in work:
        task.cancel()
    await asyncio.gather(*work, return_exceptions=True)
    await until(lambda: board.lamps == [BLACK] * 14)
