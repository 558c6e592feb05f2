"""A simulated board as a process of its own: a pty for the frames, JSON lines for the hand.

On stdout, one JSON object a line: first `{"ready": true, "port": .., "camera": ..}`, then each truth as it
happens, and `{"refused": ..}` for a request that cannot be done. On stdin, one request a line: what the hand
shall do (`player.REQUESTS`), and what becomes of the board: new (game, options), reset, unplug, plug, speed
(factor).
A request with an `id` is answered by a line that bears it: `{"id": .., "done": true, "busy_s": ..}` with the
seconds of virtual time in which the hand will have done it, or the refusal.
When nobody reads the port, the pty fills, and virtual time stands still until somebody does; a board that is
watched by a camera alone sends nothing.
"""

import asyncio
import json
import os
import signal
import stat
import sys
import tty
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine import games
from engine.errors import BadInput
from engine.game import Game
from firmware_bridge.frames import ResetCause
from service.simulation.camera import Exposure
from service.simulation.film import Film
from service.simulation.simulation import Simulation
from service.simulation.stream import Stream

REAL_BLOCK_S = 0.05
"""Seconds of real time between two writes, when the speed is that of a clock."""
FREE_BLOCK = 32
"""Readings in one write, when it is not."""
BEHIND_S = 0.5
"""Seconds of real time by which the board may be late before it lets them go: it was not read."""


class Wire:
    """The master end of a pty in raw mode, and the slave's name. Close it as a context."""

    def __init__(self, link: Path | None) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.port = os.ttyname(self._slave)
        self._link = link
        if link is not None:
            _point(link, self.port)

    def close(self) -> None:
        """Pull the plug: whoever has the port open loses it."""
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        for end in (self.master, self._slave):
            os.close(end)


def _point(link: Path, port: str) -> None:
    """Make `link` a symbolic link to the port.

    Raises:
        BadInput: something else is there, or it cannot be made.
    """
    if link.exists() and not link.is_symlink():
        raise BadInput(f"{link} is there already and is no link to a port: name another path")
    try:
        link.unlink(missing_ok=True)
        link.symlink_to(port)
    except OSError as error:
        raise BadInput(f"{link} cannot be made ({error.strerror}): name a path that can") from error


class Process:
    """The simulated board on its pty, until it is told to stop.

    Args:
        speed: virtual seconds a real one; 0 for as fast as it is read.
        link: a path that shall lead to the port, over unplugging and plugging in.
        film: what films the board of a game, if a camera is above it; its exposures are the simulation's.
        weighs: whether cells are under it.
    """

    def __init__(
        self,
        simulation: Simulation,
        speed: float = 1.0,
        link: Path | None = None,
        film: Callable[[Game], Film] | None = None,
        weighs: bool = True,
    ) -> None:
        self.simulation = simulation
        self._film, self._weighs = film, weighs
        self._stream = Stream() if film else None
        self._exposure: Exposure | None = None
        self._exposed = asyncio.Event()
        self._link = link
        self._wire: Wire | None = None
        self._speed = _checked_speed(speed)
        self._stopped = asyncio.Event()
        self._plugged = asyncio.Event()
        self._stirred = asyncio.Event()
        self._answers = bytearray()
        self._line = b""
        self._anchor = (0.0, 0)

    async def run(self) -> None:
        """Weigh and send, until a signal comes or the one who asked has gone."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stopped.set)
        if self._stream:
            await self._stream.open()
        self._plug()
        self._tell(self._ready())
        self._listen()
        filming = asyncio.create_task(self._show())
        sending = asyncio.create_task(self._send())
        stopping = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait((sending, stopping), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, stopping, filming):
                task.cancel()
            for task in (sending, filming):
                with suppress(asyncio.CancelledError):
                    await task
            if self._stream:
                await self._stream.close()
            loop.remove_reader(sys.stdin.fileno())
            self._unplug()

    def _ready(self) -> Mapping[str, Any]:
        assert self._wire is not None
        game = self.simulation.game
        return {
            "ready": True,
            "port": str(self._link or self._wire.port),
            "camera": self._stream and self._stream.url,
            "game": game.name,
            "options": dict(game.options),
            "calibration": self.simulation.calibration(),
        }

    # -- the wire

    def _plug(self) -> None:
        self._wire = Wire(self._link)
        asyncio.get_running_loop().add_reader(self._wire.master, self._receive, self._wire)
        self._rebase()
        self._plugged.set()

    def _unplug(self) -> None:
        if self._wire is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._wire.master)
        loop.remove_writer(self._wire.master)
        self._wire.close()
        self._wire = None
        self._stirred.set()
        self._plugged.clear()
        self._answers.clear()

    def _receive(self, wire: Wire) -> None:
        board = self.simulation.board
        with suppress(BlockingIOError):
            self._answers += board.receive(os.read(wire.master, 4096))
        if board.greeted:
            self.simulation.player.waiting = False

    async def _send(self) -> None:
        while True:
            await self._plugged.wait()
            wire, board = self._wire, self.simulation.board
            assert wire is not None
            n = await self._due()
            data, truths = board.read(n) if n else (b"", ())
            if n and board.exposed:
                self._exposure = board.exposed[-1]
                self._exposed.set()
            if self._stream and not self._weighs:
                data, self.simulation.player.waiting = b"", not self._stream.watched.is_set()
            for truth in truths:
                self._tell(truth.as_json())
            # Answers go between two frames, as they would from one serial port.
            answers = bytes(self._answers)
            self._answers.clear()
            await self._write(wire, answers + data)

    async def _show(self) -> None:
        """Draw the newest exposure, and then the newest again: those that come meanwhile are passed over."""
        if self._stream is None or self._film is None:
            return
        game, film = self.simulation.game, self._film(self.simulation.game)
        while True:
            await self._exposed.wait()
            self._exposed.clear()
            if self.simulation.game != game:
                game, film = self.simulation.game, self._film(self.simulation.game)
            if self._exposure is not None:
                await self._stream.show(film, self._exposure)

    async def _due(self) -> int:
        """Wait until there are conversions to be made; how many."""
        table = self.simulation.board.table
        if not self._speed:
            await asyncio.sleep(0)
            return FREE_BLOCK
        await asyncio.sleep(REAL_BLOCK_S)
        began, micros = self._anchor
        late = asyncio.get_running_loop().time() - began - (table.micros - micros) / 1e6 / self._speed
        if late > BEHIND_S:
            self._rebase()
            late = REAL_BLOCK_S
        return max(0, int(late * self._speed * table.rate))

    def _rebase(self) -> None:
        self._anchor = (asyncio.get_running_loop().time(), self.simulation.board.table.micros)

    async def _write(self, wire: Wire, data: bytes) -> None:
        """Write all of it, as fast as it is read; what an unplugged port does not take is lost."""
        rest = memoryview(data)
        while rest and wire is self._wire:
            try:
                rest = rest[os.write(wire.master, rest) :]
            except BlockingIOError:
                await self._writable(wire)

    async def _writable(self, wire: Wire) -> None:
        """Return when the wire takes more, or has been unplugged."""
        loop = asyncio.get_running_loop()
        self._stirred.clear()
        loop.add_writer(wire.master, self._stirred.set)
        await self._stirred.wait()
        if wire is self._wire:
            loop.remove_writer(wire.master)

    # -- requests

    def _listen(self) -> None:
        """Take requests from stdin: a pipe, a terminal, or a file that is read through at once."""
        fd = sys.stdin.fileno()
        try:
            asyncio.get_running_loop().add_reader(fd, self._hear, fd)
        except PermissionError:
            for line in sys.stdin.buffer:
                self._take(line)

    def _hear(self, fd: int) -> None:
        data = os.read(fd, 65536)
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            self._take(line)
        if not data:
            asyncio.get_running_loop().remove_reader(fd)
            if not stat.S_ISCHR(os.fstat(fd).st_mode):
                self._stopped.set()

    def _take(self, line: bytes) -> None:
        name: dict[str, Any] = {}
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise BadInput('a request is an object, such as {"do": "play", "move": "C"}')
            if "id" in message:
                name = {"id": message.pop("id")}
            self.do(message)
            if name:
                self._tell({**name, "done": True, "busy_s": self.simulation.board.table.busy_s})
        except BadInput as error:
            self._tell({**name, "refused": str(error)})
        except (ValueError, RecursionError) as error:
            self._tell({"refused": f"a request is one line of JSON: {error}"})

    def do(self, message: Mapping[str, Any]) -> None:
        """Do what a request says.

        Raises:
            BadInput: the request is not known, or cannot be done now.
        """
        match message:
            case {"do": "reset"}:
                self.simulation.board.reset()
            case {"do": "unplug"}:
                self._unplug()
            case {"do": "plug"}:
                if self._wire is None:
                    self.simulation.board.reset(ResetCause.POWER)
                    self._plug()
                    self._tell(self._ready())
            case {"do": "speed", "factor": int() | float() as factor}:
                if self._film and factor != 1:
                    raise BadInput("a board with a camera keeps the time of a clock: speed 1 was expected")
                self._speed = _checked_speed(factor)
                self._rebase()
            case {"do": "new", "game": str(name), **rest}:
                options = rest.get("options", {})
                if not isinstance(options, dict):
                    raise BadInput('options are an object, such as {"seeds": 3}')
                self.simulation.new_game(games.load(name, options))
            case _:
                self.simulation.request(message)

    def _tell(self, plain: Mapping[str, Any]) -> None:
        try:
            print(json.dumps(plain), flush=True)
        except BrokenPipeError:
            self._stopped.set()


def _checked_speed(factor: float) -> float:
    if not 0.0 <= factor <= 1000.0:
        raise BadInput(f"speed is {factor}: 0 (as fast as it is read) to 1000 was expected")
    return float(factor)
