"""The embedded simulated board: a process of its own on a pty, as strange to the service as a real board."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.errors import BadInput, PitwatchError
from engine.game import Game
from firmware_bridge.scale import Calibration

_REFUSAL_S = 0.15
"""Seconds in which the hand refuses what it will not do."""


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


class SimulatedBoard:
    """A running simulation. `close` may be called twice."""

    def __init__(self, process: Process, ready: Mapping[str, Any]) -> None:
        self._process = process
        self.port = str(ready["port"])
        self.calibration = Calibration.from_json(ready["calibration"])
        self._refused: asyncio.Queue[str] = asyncio.Queue()
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, game: Game, played: Sequence[str], pretence: Pretence) -> "SimulatedBoard":
        """Set out `game` on a board of its own, as it lies after the moves `played`.

        Raises:
            BadInput: the simulation refused what it was told.
        """
        arguments = [
            "--game", game.name, "--seed", str(pretence.seed), "--speed", str(pretence.speed),
            "--rate", str(pretence.rate), "--cv", str(pretence.cv), "--noise", str(pretence.noise),
            "--play", "random" if pretence.auto else "none", "--mistake-rate", str(pretence.mistake_rate),
            "--played", " ".join(played),
        ]  # fmt: skip
        for name, value in game.options.items():
            arguments += ["--option", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "service.simulation", *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        assert process.stdout is not None
        assert process.stderr is not None
        line = await process.stdout.readline()
        if not line:
            said = (await process.stderr.read()).decode().strip().splitlines()
            await process.wait()
            raise BadInput(
                said[-1].removeprefix("pitwatch: ") if said else "the simulated board did not start"
            )
        return cls(process, json.loads(line))

    async def ask(self, request: Mapping[str, Any]) -> None:
        """Have the hand, or the board, do something.

        Raises:
            BadInput: it refused.
            PitwatchError: the simulation has ended.
        """
        stdin = self._process.stdin
        if stdin is None or self._process.returncode is not None:
            raise PitwatchError("the simulated board has ended: begin a new game")
        while not self._refused.empty():
            self._refused.get_nowait()
        stdin.write(json.dumps(request).encode() + b"\n")
        await stdin.drain()
        with suppress(TimeoutError):
            async with asyncio.timeout(_REFUSAL_S):
                raise BadInput(await self._refused.get())

    async def close(self) -> None:
        """End the process; its port is gone."""
        self._listening.cancel()
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.wait()

    async def _listen(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        async for line in stdout:
            with suppress(ValueError):
                said = json.loads(line)
                if "refused" in said:
                    self._refused.put_nowait(str(said["refused"]))
