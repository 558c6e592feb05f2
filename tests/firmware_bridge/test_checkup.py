"""A board is looked at, over a pty: what it is, what it gives, and which cells are dead, slow or torn."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from firmware_bridge.checkup import check_up
from firmware_bridge.frames import CellFlag, Sample
from firmware_bridge.transport import PortLost
from tests.firmware_bridge.pty_board import HELLO, Board

FRESH, STALE = int(CellFlag.FRESH), 0


class Sick(Board):
    """Cell 2 is not there, 3 overloaded, 4 torn, 5 stuck, 6 slow; the others live."""

    def say(self, *frames: object) -> None:
        super().say(*(self._sick(frame) if isinstance(frame, Sample) else frame for frame in frames))  # type: ignore[arg-type]

    def _sick(self, sample: Sample) -> Sample:
        counts = [1000 * cell + 30 * (sample.seq % 2) for cell in range(14)]
        flags = [FRESH] * 14
        flags[1] = int(CellFlag.MISSING)
        counts[2], flags[2] = (1 << 23) - 1, FRESH | int(CellFlag.SATURATED)
        flags[3] = FRESH | int(CellFlag.DESYNC) if sample.seq % 4 == 0 else FRESH
        counts[4] = 5000
        flags[5] = FRESH if sample.seq % 8 == 0 else STALE
        return Sample(sample.seq, sample.micros, sample.boot, tuple(counts), tuple(flags))


@pytest_asyncio.fixture
async def board(tmp_path: Path) -> AsyncIterator[Sick]:
    board = Sick(tmp_path / "ttyACM0")
    board.live()
    yield board
    board.unplug()


async def test_dead_slow_and_torn_cells_are_named(board: Sick) -> None:
    found = await check_up(board.port, 0.5)
    assert (found.hello, found.lost, found.broken) == (HELLO, 0, 0)
    assert found.seconds >= 0.5
    faults = {cell.number: cell.fault for cell in found.cells if cell.fault}
    assert faults.keys() == {2, 3, 4, 5, 6}
    assert faults[2] == "gives nothing"
    assert faults[3] == "is at the end of its range"
    assert faults[4] == "loses the clock"
    assert faults[5] == "says the same number always"
    assert faults[6].endswith(" readings a second, not 80")
    # Two values 30 apart, as often one as the other.
    assert found.cells[0].spread == pytest.approx(15, rel=0.05)
    assert found.rate == pytest.approx((found.frames - 1) / found.seconds)


async def test_a_board_that_says_nothing_more_has_no_rate(tmp_path: Path) -> None:
    board = Board(tmp_path / "ttyACM0")
    asyncio.get_running_loop().add_reader(board.fd, board.answer)
    try:
        found = await check_up(board.port, 0.5)
        assert (found.frames, found.rate) == (0, 0.0)
        assert {cell.fault for cell in found.cells} == {"gives nothing"}
    finally:
        asyncio.get_running_loop().remove_reader(board.fd)
        board.unplug()


async def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(PortLost, match=f"there is no port {tmp_path}/ttyACM0: plug the board in"):
        await check_up(f"{tmp_path}/ttyACM0")
