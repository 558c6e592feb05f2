"""Finds a board by its identity: ports are numbered anew at each plug, boards keep their ids."""

import asyncio
import re
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from serial.tools import list_ports

from firmware_bridge.frames import Hello
from firmware_bridge.protocol import BoardFound, Link, SensorSilent, VersionMismatch
from firmware_bridge.transport import BoardPort, PortLost


class Search:
    """Where a board may be, and which one it has to be.

    Args:
        port: a device such as `/dev/ttyACM0`, a pattern such as `/dev/ttyACM*`, or None for every serial
            port on USB. Once the board is known, a device with a number at its end stands for all numbers.
        board: the unique id of its chip, 8 bytes; None for the only one there, which is then kept to.
    """

    def __init__(self, port: str | None = None, board: bytes | None = None) -> None:
        self.port = port
        self.board = board
        self._at = port if port and not _is_pattern(port) else None
        """Where it was last, or has to be."""

    @property
    def about(self) -> str:
        """Where the board is, or is looked for."""
        return self._at or self.port or "any USB port"

    def recognises(self, hello: Hello) -> bool:
        """Whether it is the board that is looked for; the first one met is, where none was named."""
        self.board = self.board or hello.unique_id
        return hello.unique_id == self.board

    async def open(self, link: Link) -> BoardPort:
        """The port of the board, open, for `link` to talk over. Of other boards none stays open.

        Where a device is named and the board is not yet known, nobody is asked who is there.

        Raises:
            PortLost: it is not there, or several answer and none was named.
        """
        if self.board is None and self._at:
            return BoardPort(self._at, link)
        # Opening a port may reset the board behind it: others are asked only when it is not where it was.
        places = self._places()
        first, others = [name for name in places if name == self._at], [n for n in places if n != self._at]
        missed: list[PortLost] = []
        for names in (first, others):
            if found := await self._among(names, missed):
                found.link = link
                self._at = found.port
                return found
        if len(missed) == 1:
            raise missed[0]
        if not missed:
            raise PortLost(self.about, f"there is no serial port at {self.about}: plug the board in")
        sought = f"the board {self.board.hex()} is not there" if self.board else "no board is there"
        raise PortLost(self.about, f"{sought}: plug it in; {'; '.join(map(str, missed))}")

    async def _among(self, names: Sequence[str], missed: list[PortLost]) -> BoardPort | None:
        """The board's port among `names`, all asked at once; why not the others, in `missed`."""
        answers = await asyncio.gather(*map(greeted, names), return_exceptions=True)
        found: list[tuple[BoardPort, Hello]] = []
        try:
            for answer in answers:
                if isinstance(answer, PortLost):
                    missed.append(answer)
                elif isinstance(answer, BaseException):
                    raise answer
                elif self.board is None or answer[1].unique_id == self.board:
                    found.append(answer)
                else:
                    port, hello = answer
                    port.close()
                    missed.append(PortLost(port.port, f"{port.port} has board {hello.unique_id.hex()}"))
            if len(found) > 1:
                there = ", ".join(f"{hello.unique_id.hex()} on {port.port}" for port, hello in found)
                raise PortLost(
                    self.about, f"several boards answer: {there}: name one of them as board in [scale]"
                )
            return found.pop()[0] if found else None
        finally:
            for port, _ in found:
                port.close()

    def _places(self) -> list[str]:
        found = places(self.port)
        if (
            self.port
            and not _is_pattern(self.port)
            and (kin := re.sub(r"\d+$", "[0-9]*", self.port)) != self.port
        ):
            found += places(kin)
        return _distinct(found)


def places(port: str | None) -> list[str]:
    """The serial ports that `port` stands for: itself, those that fit it as a pattern, or all on USB."""
    if port is None:
        return sorted(found.device for found in list_ports.comports() if found.vid is not None)
    if not _is_pattern(port):
        return [port]
    path = Path(port)
    return _distinct(sorted(map(str, path.parent.glob(path.name))))


def _distinct(names: Sequence[str]) -> list[str]:
    """One name of each port, the first: those in /dev/serial/by-id are second names."""
    ports: dict[Path, str] = {}
    for name in names:
        ports.setdefault(Path(name).resolve(), name)
    return list(ports.values())


async def greeted(port: str) -> tuple[BoardPort, Hello]:
    """An open port, and the board that has answered on it.

    Raises:
        PortLost: it cannot be opened, nobody answers, or it is a board of another version.
    """
    opened = BoardPort(port, Link())
    try:
        async with aclosing(opened.events()) as events:
            async for event in events:
                match event:
                    case BoardFound(hello):
                        return opened, hello
                    case VersionMismatch():
                        raise PortLost(port, f"{port}: {event.text}")
                    case SensorSilent():
                        raise PortLost(port, f"no board answers on {port}")
                    case _:
                        pass
        raise PortLost(port, f"no board answers on {port}")
    except BaseException:
        opened.close()
        raise


def _is_pattern(port: str) -> bool:
    return any(sign in port for sign in "*?[")
