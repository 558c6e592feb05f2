"""The wire under the link: a serial port on the event loop. POSIX only, as the Pi is."""

import asyncio
import errno
import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import serial
from serial.tools import list_ports

from engine.errors import PitwatchError
from firmware_bridge.frames import BAUD
from firmware_bridge.protocol import Link, LinkEvent

NAP = 0.025
"""Seconds between two looks at the port. To be woken for each packet, 240 times a second of 34 cells on USB,
would cost more than all else (`benchmarks/link.py`); a full line carries 625 bytes meanwhile."""
FULL = 2048
"""Bytes at one look from which a line is not waited for but followed, as that of a board in fast motion: the
kernel keeps 4,096 of a pty."""
CHUNK = 1 << 16
"""Bytes read at once, at most."""


class PortLost(PitwatchError, OSError):  # noqa: N818 - named for what happened, as BadInput is
    """The port cannot be opened, or has gone away."""

    def __init__(self, port: str, text: str) -> None:
        super().__init__(text)
        self.port = port
        """As it was asked for."""

    def __str__(self) -> str:
        return str(self.args[0])


class BoardPort:
    """An open serial port with a board behind it. Open it as a context; `close` may be called twice.

    Args:
        port: the device, such as `/dev/ttyACM0`.
        link: the board's end as it was when the port was last open, or a new one.

    Raises:
        PortLost: there is no such port, it is in use, or it is none.
    """

    def __init__(self, port: str, link: Link) -> None:
        self.port = port
        self.link = link
        try:
            self._serial = serial.Serial(port, BAUD, timeout=0, exclusive=True)
        except (OSError, ValueError) as error:
            raise PortLost(port, _why(port, error)) from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with suppress(OSError):
            self._write(self.link.farewell())
        self._serial.close()

    async def events(self) -> AsyncGenerator[LinkEvent, None]:
        """What comes over the link, until the port goes away. Bytes not asked for wait in the kernel.

        Raises:
            PortLost: the board was unplugged.
        """
        loop = asyncio.get_running_loop()
        self.link.reopened(loop.time())
        full = False
        try:
            while True:
                self._write(self.link.due(loop.time()))
                await (self._readable(loop) if full else asyncio.sleep(NAP))
                data = self._serial.read(CHUNK)
                full = len(data) >= FULL
                now = loop.time()
                for event in self.link.receive(data, now) + self.link.tick(now):
                    yield event
        except OSError as error:
            raise PortLost(self.port, f"the board on {self.port} is gone: plug it in again") from error

    def _write(self, data: bytes) -> None:
        """Write what fits; the link says again what was cut off. Serial.write would wait, or spin."""
        with suppress(BlockingIOError):
            os.write(self._serial.fileno(), data)

    async def _readable(self, loop: asyncio.AbstractEventLoop) -> None:
        """Return when there are bytes, or after `NAP`."""
        ready = asyncio.Event()
        loop.add_reader(self._serial.fileno(), ready.set)
        try:
            async with asyncio.timeout(NAP):
                await ready.wait()
        except TimeoutError:
            pass
        finally:
            loop.remove_reader(self._serial.fileno())


def _why(port: str, error: OSError | ValueError) -> str:
    number = getattr(error, "errno", None)
    if not Path(port).exists():
        others = ", ".join(sorted(found.device for found in list_ports.comports()))
        return f"there is no port {port}: plug the board in, or name one of: {others or 'none is there now'}"
    if number in (errno.EAGAIN, errno.EBUSY):
        return f"the port {port} is in use by another program: end that one first"
    if number in (errno.EACCES, errno.EPERM):
        return f"the port {port} may not be opened by this user: add the user to the group dialout"
    return f"{port} is not a serial port: name the board's device, such as /dev/ttyACM0"
