"""Boards found by their identity, each at the end of a pty of its own."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from firmware_bridge.frames import OtherVersion
from firmware_bridge.protocol import BoardFound, CellFrame, Link
from firmware_bridge.search import Search
from firmware_bridge.transport import BoardPort, PortLost
from tests.firmware_bridge.pty_board import HELLO, Board

OURS, THEIRS = HELLO.unique_id, b"sunbeams"
Plug = Callable[[str, bytes], Awaitable[Board]]


@pytest_asyncio.fixture
async def plug(tmp_path: Path) -> AsyncIterator[Plug]:
    """Plug in a living board of that id at that place."""
    boards: list[Board] = []

    async def plugged(place: str, unique_id: bytes) -> Board:
        board = Board(tmp_path / place, replace(HELLO, unique_id=unique_id))
        board.live()
        boards.append(board)
        return board

    yield plugged
    for board in boards:
        board.unplug()


async def opened(search: Search) -> str:
    """The name of the port where a search ends, and that the board talks there."""
    link = Link()
    async with await search.open(link) as port, aclosing(port.events()) as events:
        assert isinstance(await anext(events), BoardFound)
        assert isinstance(await anext(events), CellFrame)
        assert link.hello is not None
        assert search.recognises(link.hello)
        return Path(port.port).name


async def missed(search: Search) -> str:
    with pytest.raises(PortLost) as lost:
        await search.open(Link())
    return str(lost.value)


async def test_the_board_of_that_id_is_found_among_several(tmp_path: Path, plug: Plug) -> None:
    for place, unique_id in (("ttyACM0", THEIRS), ("ttyACM1", OURS), ("ttyUSB0", b"12345678")):
        await plug(place, unique_id)
    assert await opened(Search(str(tmp_path / "tty*"), OURS)) == "ttyACM1"
    assert await opened(Search(str(tmp_path / "ttyACM1"), OURS)) == "ttyACM1"
    # Others are let go of again.
    assert await opened(Search(str(tmp_path / "ttyACM0"), THEIRS)) == "ttyACM0"


async def test_the_only_board_needs_no_name_but_one_of_several_does(tmp_path: Path, plug: Plug) -> None:
    anywhere = Search(str(tmp_path / "ttyACM*"))
    first = await plug("ttyACM0", OURS)
    assert await opened(anywhere) == "ttyACM0"
    second = await plug("ttyACM1", THEIRS)
    # It is known by now.
    assert await opened(anywhere) == "ttyACM0"
    ids = f"{OURS.hex()} on {first.port}, {THEIRS.hex()} on {second.port}"
    assert await missed(Search(str(tmp_path / "ttyACM*"))) == (
        f"several boards answer: {ids}: name one of them as board in [scale]"
    )


async def test_a_board_that_has_another_number_now_is_found(tmp_path: Path, plug: Plug) -> None:
    search = Search(str(tmp_path / "ttyACM0"))
    board = await plug("ttyACM0", OURS)
    assert await opened(search) == "ttyACM0"
    board.unplug()
    await plug("ttyACM0", THEIRS)
    await plug("ttyACM12", OURS)
    assert await opened(search) == "ttyACM12"
    # And is looked for there first, from then on.
    assert search.about == str(tmp_path / "ttyACM12")
    assert await opened(search) == "ttyACM12"


async def test_a_strange_device_is_asked_once_and_a_new_one_at_once(tmp_path: Path, plug: Plug) -> None:
    """To open a port resets what is behind it."""
    search = Search(str(tmp_path / "ttyACM*"), OURS)
    strange = await plug("ttyACM0", THEIRS)
    said = f"{strange.port} has board {THEIRS.hex()}"
    assert [await missed(search) for _ in range(3)] == [said] * 3
    assert strange.greeted == 1
    await plug("ttyACM1", OURS)
    assert await opened(search) == "ttyACM1"
    assert strange.greeted == 1


async def test_why_a_board_is_not_there(tmp_path: Path, plug: Plug) -> None:
    pattern = str(tmp_path / "ttyACM*")
    assert await missed(Search(pattern, OURS)) == f"there is no serial port at {pattern}: plug the board in"
    await plug("ttyACM0", THEIRS)
    assert await missed(Search(pattern, OURS)) == f"{tmp_path}/ttyACM0 has board {THEIRS.hex()}"
    await plug("ttyACM1", OURS)
    async with BoardPort(str(tmp_path / "ttyACM1"), Link()):
        assert await missed(Search(pattern, OURS)) == (
            f"the board {OURS.hex()} is not there: plug it in; {tmp_path}/ttyACM0 has board {THEIRS.hex()}; "
            f"the port {tmp_path}/ttyACM1 is in use by another program: end that one first"
        )


async def test_a_board_of_another_version_is_told_from_none(tmp_path: Path, plug: Plug) -> None:
    board = await plug("ttyACM0", OURS)
    board.greeting = OtherVersion(2, 1)
    assert await missed(Search(str(tmp_path / "*"), OURS)) == (
        f"{tmp_path}/ttyACM0: the board speaks link version 2.1, this Pitwatch 1.x: update Pitwatch"
    )
