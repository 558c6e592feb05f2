"""The real transport over a real pty: the test holds the master end and is the board."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from engine.errors import PitwatchError
from firmware_bridge.frames import HelloRequest, Sample, encode_frame
from firmware_bridge.protocol import BoardFound, CellFrame, FrameLost, Link, LinkEvent
from firmware_bridge.transport import BoardPort, PortLost
from tests.firmware_bridge.pty_board import HELLO, Board


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.unplug()


def sample(seq: int) -> Sample:
    return Sample(seq % 65_536, seq * 12_500, 7, tuple(range(-7000, 7000, 1000)), (1,) * 14)


async def take(port: BoardPort, n: int) -> list[LinkEvent]:
    events = []
    async with aclosing(port.events()) as stream:
        async for event in stream:
            events.append(event)
            if len(events) == n:
                break
    return events


async def test_a_board_is_greeted_and_read(board: Board) -> None:
    async with BoardPort(board.port, Link()) as port:
        board.say(HELLO, sample(0), sample(1))
        found, first, second = await take(port, 3)
        assert found == BoardFound(HELLO)
        assert isinstance(first, CellFrame)
        assert isinstance(second, CellFrame)
        assert (first.t, second.t) == (0.0, 0.0125)
        assert second.counts == tuple(range(-7000, 7000, 1000))
        assert board.heard() == [HelloRequest(1)]
    port.close()


async def test_a_fast_board_loses_nothing(board: Board) -> None:
    total = 20_000
    loop = asyncio.get_running_loop()
    waiting = encode_frame(HELLO) + b"".join(encode_frame(sample(seq)) for seq in range(total))

    def write() -> None:
        nonlocal waiting
        waiting = waiting[os.write(board.fd, waiting[:4096]) :]
        if not waiting:
            loop.remove_writer(board.fd)

    async with BoardPort(board.port, Link()) as port:
        loop.add_writer(board.fd, write)
        events = await take(port, 1 + total)
    assert not [event for event in events if isinstance(event, FrameLost)]
    last = events[-1]
    assert isinstance(last, CellFrame)
    assert last.t == (total - 1) * 0.0125


async def test_unplugging_ends_in_one_sentence(board: Board) -> None:
    async with BoardPort(board.port, Link()) as port:
        board.say(HELLO)
        assert await take(port, 1) == [BoardFound(HELLO)]
        board.unplug()
        with pytest.raises(PortLost) as lost:
            await take(port, 1)
    assert str(lost.value) == f"the board on {board.port} is gone: plug it in again"
    assert lost.value.port == board.port
    assert isinstance(lost.value, PitwatchError)


async def test_a_board_that_reads_nothing_does_not_stop_us(board: Board) -> None:
    async with BoardPort(board.port, Link()) as port:
        board.stuff_its_input()
        board.say(HELLO)
        assert await take(port, 1) == [BoardFound(HELLO)]


async def test_a_second_opener_is_told_so(board: Board) -> None:
    async with BoardPort(board.port, Link()):
        with pytest.raises(PortLost, match=f"{board.port} is in use by another program: end that one first"):
            BoardPort(board.port, Link())


def test_a_missing_port_and_what_is_no_port(tmp_path: Path) -> None:
    with pytest.raises(PortLost, match="there is no port /dev/ttyNONE: plug the board in"):
        BoardPort("/dev/ttyNONE", Link())
    with pytest.raises(PortLost, match="is not a serial port"):
        BoardPort(str(tmp_path), Link())
    text = tmp_path / "notes.txt"
    text.write_text("no board\n")
    with pytest.raises(PortLost, match="is not a serial port"):
        BoardPort(str(text), Link())
