"""What befalls a cable, a port and a chip, as the table hears of it: a real port, on a pty."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from engine.observation import Floats
from firmware_bridge.frames import CellFlag, OtherVersion, ResetCause
from firmware_bridge.protocol import Link
from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from firmware_bridge.transport import BoardPort
from service.sources import Back, Gone, PortSource, Pressed, Read
from tests.firmware_bridge.pty_board import HELLO, PERIOD_US, Board

CALIBRATION = Calibration(3.0, 0.3, (0.1,), (0.0,) * 14, (1.0,) * 14)
Readings = AsyncGenerator[Read[Floats] | Gone | Back | Pressed, None]


@pytest_asyncio.fixture
async def board(tmp_path: Path) -> AsyncIterator[Board]:
    board = Board(tmp_path / "ttyACM0")
    board.live()
    yield board
    board.unplug()


def source(folder: Path, unique_id: bytes | None = None) -> PortSource:
    return PortSource(Search(str(folder / "ttyACM0"), unique_id), CALIBRATION)


async def loss(readings: Readings) -> str:
    """Why the readings that come end; there is at least one."""
    while isinstance(item := await anext(readings), Read):
        pass
    assert isinstance(item, Gone)
    return item.why


async def reads(readings: Readings) -> float:
    """When the next reading was taken, which has to come at once."""
    item = await anext(readings)
    assert isinstance(item, Read)
    assert tuple(item.value) == tuple(range(14))
    return item.t


async def returns(readings: Readings, losses: list[str]) -> str:
    """How the readings come back; the `losses` before."""
    while isinstance(item := await anext(readings), Gone):
        losses.append(item.why)
    assert isinstance(item, Back)
    return item.how


async def test_a_board_comes_back_under_another_number(tmp_path: Path, board: Board) -> None:
    async with aclosing(source(tmp_path).readings()) as readings:
        before = await reads(readings)
        board.unplug()
        assert await loss(readings) == f"the board on {tmp_path}/ttyACM0 is gone: plug it in again"
        board.hello = replace(board.hello, boot_id=8, reset_cause=ResetCause.POWER)
        board.plug(tmp_path / "ttyACM1")
        board.live()
        losses: list[str] = []
        assert await returns(readings, losses) == f"the board on {tmp_path}/ttyACM1 answers again"
        assert losses[-1] == "the board has started anew, its power was gone: it is read afresh"
        assert await reads(readings) >= before


async def test_a_reset_is_said_with_its_cause(tmp_path: Path, board: Board) -> None:
    async with aclosing(source(tmp_path).readings()) as readings:
        before = await reads(readings)
        for cause, words in (
            (ResetCause.WATCHDOG, "its program had stopped"),
            (ResetCause.BROWN_OUT, "its supply sank too low (look at the cable and the power)"),
        ):
            board.reset(cause)
            assert await loss(readings) == f"the board has started anew, {words}: it is read afresh"
            assert await returns(readings, []) == f"the board on {board.port} answers again"
            after = await reads(readings)
            assert after >= before
            before = after


async def test_another_board_in_its_place_is_not_read(tmp_path: Path, board: Board) -> None:
    ours, theirs = board.hello.unique_id.hex(), b"sunbeams".hex()
    async with aclosing(source(tmp_path).readings()) as readings:
        await reads(readings)
        board.unplug()
        assert "is gone" in await loss(readings)
        other = Board(tmp_path / "ttyACM0", replace(HELLO, unique_id=b"sunbeams"))
        other.live()
        assert await loss(readings) == f"{other.port} has board {theirs}"
        board.plug(tmp_path / "ttyACM1")
        board.live()
        assert await returns(readings, []) == f"the board on {tmp_path}/ttyACM1 answers again"
        await reads(readings)
        other.unplug()
    async with aclosing(source(tmp_path, b"sunbeams").readings()) as readings:
        said = await loss(readings)
        assert said.startswith(
            f"the board {theirs} is not there: plug it in; there is no port {tmp_path}/ttyACM0"
        )
        assert said.endswith(f"; {tmp_path}/ttyACM1 has board {ours}")


async def test_a_board_exchanged_behind_an_open_port_is_not_read(tmp_path: Path, board: Board) -> None:
    """As behind a switch of serial lines: the port stays, the board is another."""
    async with aclosing(source(tmp_path).readings()) as readings:
        await reads(readings)
        board.hello = replace(board.hello, unique_id=b"sunbeams")
        board.reset(ResetCause.UNKNOWN)
        assert await loss(readings) == (
            f"the board on {board.port} is {b'sunbeams'.hex()}, not {HELLO.unique_id.hex()}: plug that "
            f"in again, or name this one as board in [scale]"
        )


async def test_a_port_that_another_program_has_is_waited_for(tmp_path: Path, board: Board) -> None:
    async with aclosing(source(tmp_path).readings()) as readings:
        async with BoardPort(board.port, Link()):
            assert await loss(readings) == (
                f"the port {board.port} is in use by another program: end that one first"
            )
        assert await returns(readings, []) == f"the board on {board.port} answers again"


async def test_a_board_of_another_version_is_refused_until_it_is_updated(
    tmp_path: Path, board: Board
) -> None:
    board.greeting = OtherVersion(2, 0)
    async with aclosing(source(tmp_path).readings()) as readings:
        said = "the board speaks link version 2.0, this Pitwatch 1.x: update Pitwatch"
        assert await loss(readings) == said
        board.greeting = None
        assert await returns(readings, []) == f"the board on {board.port} answers again"


async def test_a_burst_of_noise_costs_what_it_hit(tmp_path: Path, board: Board) -> None:
    async with aclosing(source(tmp_path).readings()) as readings:
        before = await reads(readings)
        board.write(bytes(range(256)) * 4)
        for _ in range(8):
            after = await reads(readings)
            assert after >= before
            before = after


NO_READING = "no cell of the board gives a reading: check the power of the converters, and their clock"


@pytest.mark.parametrize("settling", [0, int(CellFlag.MISSING), int(CellFlag.MISSING | CellFlag.FRESH)])
async def test_frames_in_which_no_cell_has_anything_yet_are_no_readings(
    tmp_path: Path, board: Board, settling: int
) -> None:
    board.flags = settling
    async with aclosing(source(tmp_path).readings()) as readings:
        first = asyncio.ensure_future(anext(readings))
        while board.sent < 40:
            assert not first.done()
            await asyncio.sleep(0)
        board.flags = int(CellFlag.FRESH)
        item = await first
        assert isinstance(item, Read)
        assert tuple(item.value) == tuple(range(14))
        assert item.t >= 40 * PERIOD_US / 1e6

        # After that a board of which nothing is new says so: its cells may have lost their power.
        board.flags = settling
        while np.isfinite(item.value).all():
            item = await anext(readings)
            assert isinstance(item, Read)
        assert np.isnan(item.value).all()

        board.reset(ResetCause.POWER)
        assert "has started anew" in await loss(readings)
        back = asyncio.ensure_future(anext(readings))
        while board.sent < 40:
            assert not back.done()
            await asyncio.sleep(0)
        board.flags = int(CellFlag.FRESH)
        assert await back == Back(f"the board on {board.port} answers again")
        await reads(readings)


async def test_a_board_whose_cells_never_answer_is_lost_in_words(tmp_path: Path, board: Board) -> None:
    board.flags = int(CellFlag.MISSING)
    async with aclosing(source(tmp_path).readings()) as readings:
        assert await anext(readings) == Gone(NO_READING)
        board.flags = int(CellFlag.FRESH)
        assert await returns(readings, []) == f"the board on {board.port} answers again"
        await reads(readings)
