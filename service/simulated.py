"""The embedded simulated board: a process of its own on a pty, as strange to the service as a real board."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from engine import position
from engine.errors import BadInput, PitwatchError
from engine.line import as_text
from engine.match import Round
from firmware_bridge.scale import Calibration

_ANSWER_S = 5.0
"""Seconds in which the simulation answers a request, on a busy machine too."""
_END_S = 5.0
"""Seconds in which it ends when it is told to."""


Sensors = Literal["scale", "camera", "both"]
"""What watches a simulated board."""


@dataclass(frozen=True, slots=True)
class Pretence:
    """What is simulated. Fields as the options of `pitwatch simulate`."""

    seed: int = 0
    speed: float = 2.0
    rate: int = 80
    cv: float = 0.1
    noise: float = 0.05
    auto: bool = True
    mistake_rate: float = 0.0
    sensors: Sensors = "scale"
    board: str | None = None
    """Of which a camera is to make pictures; None for the one that fits the game."""


class SimulatedBoard:
    """A running simulation. `close` may be called twice.

    Its pipes are read to their ends: a process whose stderr nobody reads stands still when the pipe is full.
    """

    def __init__(self, process: Process, ready: Mapping[str, Any], complaints: "_Complaints") -> None:
        self._process = process
        self._complaints = complaints
        self.port = str(ready["port"])
        self.camera: str | None = ready.get("camera")
        """The address of its stream; None without a camera."""
        self.calibration = Calibration.from_json(ready["calibration"])
        self._ids = count()
        self._asked: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(
        cls, round_: Round, played: Sequence[str], pretence: Pretence, match: bool = False
    ) -> "SimulatedBoard":
        """Set out a round on a board of its own, as it lies after the moves, and rulings, `played`.

        Args:
            match: whether the hand lays out the next round when this is over.

        Raises:
            BadInput: the simulation refused what it was told.
        """
        game = round_.game
        arguments = [
            "--game", game.name, "--seed", str(pretence.seed), "--speed", str(pretence.speed),
            "--rate", str(pretence.rate), "--cv", str(pretence.cv), "--noise", str(pretence.noise),
            "--play", "random" if pretence.auto else "none", "--mistake-rate", str(pretence.mistake_rate),
            "--sensors", pretence.sensors, *(["--board", pretence.board] if pretence.board else []),
            "--start", position.write(round_.start), "--round", str(round_.number),
            "--played", as_text(played), *(["--match"] if match else []),
        ]  # fmt: skip
        for name, value in game.options.items():
            arguments += ["--option", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        # -P: no package named service in the folder where we were started passes for ours.
        # A group of its own: the terminal's Ctrl-C is for the service alone, which ends it in its turn.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "service.simulation", *arguments),
            stdin=PIPE, stdout=PIPE, stderr=PIPE, process_group=0,
        )  # fmt: skip
        assert process.stdout is not None
        complaints = _Complaints(process)
        try:
            line = await process.stdout.readline()
            if not line:
                await process.wait()
                said = await complaints.last()
                raise BadInput(said.removeprefix("pitwatch: ") or "the simulated board did not start")
            return cls(process, json.loads(line), complaints)
        except BaseException:
            if process.returncode is None:
                process.kill()
            raise

    async def ask(self, request: Mapping[str, Any]) -> float:
        """Have the hand, or the board, do something; virtual seconds until the hand has done it.

        Raises:
            BadInput: it refused.
            PitwatchError: the simulation has ended, or does not answer.
        """
        stdin = self._process.stdin
        assert stdin is not None
        if self._listening.done():
            raise PitwatchError(await self.ended())
        name = next(self._ids)
        answer = self._asked[name] = asyncio.get_running_loop().create_future()
        try:
            stdin.write(json.dumps({**request, "id": name}).encode() + b"\n")
            async with asyncio.timeout(_ANSWER_S):
                await stdin.drain()
                said = await answer
        except ConnectionError as error:
            raise PitwatchError(await self.ended()) from error
        except TimeoutError as error:
            raise PitwatchError("the simulated board does not answer: begin a new game") from error
        finally:
            del self._asked[name]
        if "refused" in said:
            raise BadInput(str(said["refused"]))
        return float(said.get("busy_s", 0.0))

    async def ended(self) -> str:
        """Return when the process has ended; why, in one sentence."""
        status = await self._process.wait()
        said = await self._complaints.last() or f"exit status {status}"
        return f"the simulated board has ended ({said}): begin a new game"

    async def close(self) -> None:
        """End the process; its port is gone."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(_END_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._listening

    async def _listen(self) -> None:
        """Pass on answers, until the process ends; whoever still waits for one then learns of it."""
        stdout = self._process.stdout
        assert stdout is not None
        async for line in stdout:
            with suppress(ValueError):
                said = json.loads(line)
                answer = self._asked.get(said.get("id"))
                if answer is not None and not answer.done():
                    answer.set_result(said)
        why = await self.ended()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(PitwatchError(why))


class _Complaints:
    """What a process says on stderr: all of it is read, the last of it kept."""

    def __init__(self, process: Process) -> None:
        self._lines: deque[bytes] = deque(maxlen=20)
        self._reading = asyncio.create_task(self._read(process))

    async def _read(self, process: Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(4096):
            self._lines.extend(data.splitlines())

    async def last(self) -> str:
        """The last line, when all has been read."""
        await asyncio.shield(self._reading)
        lines = [line.decode(errors="replace").strip() for line in self._lines]
        return next((line for line in reversed(lines) if line), "")
