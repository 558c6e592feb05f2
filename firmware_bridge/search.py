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

AGAIN_S = 30.0
"""Seconds after which a port is asked again, where somebody else was or nobody."""


class NotHere(PortLost):
    """The port was opened, and it is another board that answers there, or none."""


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
        self._asked: dict[tuple[str, int], tuple[float, NotHere]] = {}
        """A port and when it came to be: when it was asked in vain, by the event loop, and why."""

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
        places, missed = self._places(), list[PortLost]()
        found = await self._among([name for name in places if name == self._at], missed)
        if found is None:
            others = [name for name in places if name != self._at]
            found = await self._among([name for name in others if not self._in_vain(name, missed)], missed)
        if found:
            found.link = link
            self._at = found.port
            self._asked.clear()
            return found
        if len(missed) == 1:
            raise missed[0]
        if not missed:
            raise PortLost(self.about, f"there is no serial port at {self.about}: plug the board in")
        sought = f"the board {self.board.hex()} is not there" if self.board else "no board is there"
        raise PortLost(self.about, f"{sought}: plug it in; {'; '.join(map(str, missed))}")

    def _in_vain(self, name: str, missed: list[PortLost]) -> bool:
        """Whether another port is not to be asked again yet; why it is not the one, in `missed`. A strange
        device is not to be reset each second, but what has just been plugged in may be the board."""
        asked, why = self._asked.get(_plugged(name), (float("-inf"), None))
        if why is None or asyncio.get_running_loop().time() - asked >= AGAIN_S:
            return False
        missed.append(why)
        return True

    async def _among(self, names: Sequence[str], missed: list[PortLost]) -> BoardPort | None:
        """The board's port among `names`, all asked at once; why not the others, in `missed`."""
        answers = await asyncio.gather(*map(greeted, names), return_exceptions=True)
        found: list[tuple[BoardPort, Hello]] = []
        try:
            for answer in answers:
                if isinstance(answer, PortLost):
                    missed.append(answer)
                    self._remember(answer)
                elif isinstance(answer, BaseException):
                    raise answer
                elif self.board is None or answer[1].unique_id == self.board:
                    found.append(answer)
                else:
                    port, hello = answer
                    port.close()
                    missed.append(NotHere(port.port, f"{port.port} has board {hello.unique_id.hex()}"))
                    self._remember(missed[-1])
            if len(found) > 1:
                there = ", ".join(f"{hello.unique_id.hex()} on {port.port}" for port, hello in found)
                raise PortLost(
                    self.about, f"several boards answer: {there}: name one of them as board in [scale]"
                )
            return found.pop()[0] if found else None
        finally:
            for port, _ in found:
                port.close()

    def _remember(self, why: PortLost) -> None:
        if isinstance(why, NotHere):
            self._asked[_plugged(why.port)] = asyncio.get_running_loop().time(), why

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
                        raise NotHere(port, f"{port}: {event.text}")
                    case SensorSilent():
                        raise NotHere(port, f"no board answers on {port}")
                    case _:
                        pass
        raise NotHere(port, f"no board answers on {port}")
    except BaseException:
        opened.close()
        raise


def _plugged(port: str) -> tuple[str, int]:
    """A port, and when it came to be: another one of the same name is another."""
    try:
        return port, Path(port).stat().st_ctime_ns
    except OSError:
        return port, 0


def _is_pattern(port: str) -> bool:
    return any(sign in port for sign in "*?[")
