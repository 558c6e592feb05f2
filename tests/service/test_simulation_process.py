"""The simulated board as a process, met as the service meets it: a port to open, and bytes."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import serial

from firmware_bridge.frames import BAUD, Deframer, Hello, HelloRequest, Sample, encode_frame
from firmware_bridge.protocol import BoardFound, BoardReset, CellFrame, Link, LinkEvent
from firmware_bridge.scale import Calibration
from firmware_bridge.transport import BoardPort, PortLost

PATIENCE_S = 60.0
"""Real seconds after which a test is given up."""


class Running:
    """A simulated board in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, ready: dict[str, Any]) -> None:
        self.process = process
        self.port = str(ready["port"])
        self.ready = ready
        self.calibration = Calibration.from_json(ready["calibration"])

    def ask(self, **request: Any) -> None:
        self.write(json.dumps(request).encode() + b"\n")

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    async def told(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return line

    def counts(self, frame: CellFrame) -> tuple[int, ...]:
        """By hole; right for stones without variation."""
        grams = self.calibration.grams(frame.counts, frame.flags)
        return tuple(np.rint(grams / self.calibration.seed_mass_g).astype(int).tolist())


@asynccontextmanager
async def running(*options: str) -> AsyncIterator[Running]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service.simulation", "--speed", "0", "--cv", "0", *options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        yield Running(process, json.loads(await process.stdout.readline()))
        process.stdin.close()
        # It goes when the one who started it has gone.
        await process.stdout.read()
        assert await process.wait() == 0


async def until(port: BoardPort, t: float) -> list[LinkEvent]:
    """What comes over the link up to a CellFrame of chip time `t`."""
    events = []
    async with aclosing(port.events()) as stream:
        async for event in stream:
            events.append(event)
            if isinstance(event, CellFrame) and event.t >= t:
                break
    return events


async def test_the_frames_are_what_link_md_says() -> None:
    async with running("--play", "none") as board:
        with serial.Serial(board.port, BAUD, timeout=5, exclusive=True) as port:
            port.write(b"\0" + encode_frame(HelloRequest(1)))
            deframer = Deframer()
            frames = [frame for _ in range(40) for frame in deframer.feed(port.read(500))]
        samples = [frame for frame in frames if isinstance(frame, Sample)]
        hellos = [frame for frame in frames if isinstance(frame, Hello)]
        assert len(samples) + len(hellos) == len(frames)
        assert hellos[-1].firmware == "simulated 1"
        first = samples[0].seq
        assert [sample.seq for sample in samples] == list(range(first, first + len(samples)))
        assert len(samples[-1].counts) == hellos[-1].cells == 14


async def test_a_scripted_game_arrives_whole_and_as_fast_as_it_is_read() -> None:
    async with (
        running("--play", "C sown_short:A", "--seed", "7") as board,
        BoardPort(board.port, Link()) as port,
    ):
        assert board.ready["game"] == "kalah"
        events = await until(port, 60.0)
        assert not [event for event in events if not isinstance(event, BoardFound | CellFrame)]
        first, last = (event for event in (events[1], events[-1]) if isinstance(event, CellFrame))
        assert board.counts(first) == (4,) * 12 + (0, 0)
        assert board.counts(last) == (0, 5, 1, 6, 6, 5, 4, 4, 4, 4, 4, 4, 1, 0)
        told = [await board.told() for _ in range(4)]
        assert [truth["truth"] for truth in told] == ["move", "mistake", "mended", "move"]
        assert told[1]["kind"] == "sown_short"
        assert told[1]["pits"] == [4, 3]
        # The board's own frames show what the truth says, when it says it.
        after = next(e for e in events if isinstance(e, CellFrame) and e.t >= told[1]["t"] + 0.1)
        assert board.counts(after) == tuple(told[1]["counts"])


async def test_the_hand_does_what_it_is_asked() -> None:
    async with running("--play", "none") as board, BoardPort(board.port, Link()) as port:
        reading = asyncio.create_task(until(port, float("inf")))
        board.ask(do="play", move="C")
        assert (await board.told())["move"] == "C"
        board.ask(do="mistake", kind="wrong_player", move="a")
        assert (await board.told())["pits"] == [6]
        board.ask(do="play", move="A")
        assert "restore the board first" in (await board.told())["refused"]
        board.ask(do="restore")
        assert (await board.told())["truth"] == "mended"
        board.ask(do="touch", pit=3)
        assert (await board.told())["pits"] == [3]
        board.ask(do="new", game="oware", options={"seeds": 3})
        assert (await board.told())["counts"] == [3] * 12 + [0, 0]
        board.ask(do="new", game="chess")
        assert "unknown game 'chess'" in (await board.told())["refused"]
        board.ask(do="speed", factor=-1)
        assert (await board.told())["refused"].startswith("speed is -1")
        board.ask(do="auto", on=False, id=7)
        told = await board.told()
        assert (told["id"], told["done"]) == (7, True)
        assert told["busy_s"] >= 0
        board.ask(do="dance", id="x")
        refused = await board.told()
        assert refused["id"] == "x"
        assert refused["refused"].startswith("the hand cannot do {'do': 'dance'}")
        board.write(b"nonsense\n[1]\n")
        assert (await board.told())["refused"].startswith("a request is one line of JSON")
        assert (await board.told())["refused"].startswith("a request is an object")
        board.ask(do="auto", on=True)
        told = await board.told()
        while told["truth"] != "over":
            told = await board.told()
        assert sum(told["counts"]) == 36
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading


async def test_a_reset_and_a_pulled_plug(tmp_path: Path) -> None:
    link = Link()
    path = tmp_path / "board"
    async with AsyncExitStack() as stack:
        board = await stack.enter_async_context(running("--play", "none", "--link", str(path)))
        assert board.port == str(path)
        async with BoardPort(board.port, link) as port:
            assert isinstance((await until(port, 1.0))[0], BoardFound)
            board.ask(do="reset")
            async with aclosing(port.events()) as stream:
                async for event in stream:
                    if isinstance(event, BoardReset):
                        break
            board.ask(do="unplug")
            with pytest.raises(PortLost, match="is gone: plug it in again"):
                await until(port, float("inf"))
        board.ask(do="plug")
        assert (await board.told())["port"] == str(path)
        async with BoardPort(str(path), link) as port:
            assert isinstance((await until(port, 0.0))[0], BoardReset)
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cv", "9"], "cv is 9.0: 0 to 0.35 was expected"),
        (["--sensors", "nose"], "--sensors 'nose' is not known: scale, camera or both was expected"),
        (
            ["--sensors", "camera", "--speed", "0"],
            "--speed is 0: a board with a camera keeps the time of a clock, speed 1",
        ),
    ],
)
async def test_what_cannot_be_simulated_is_said_in_one_sentence(words: list[str], sentence: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service.simulation", *words),
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert errors == f"pitwatch: {sentence}\n".encode()
    assert process.returncode == 2
