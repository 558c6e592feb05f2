"""A board at the end of a pty: the test holds its end, and is the board."""

import asyncio
import os
import tty
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from firmware_bridge.frames import (
    Ack,
    CellFlag,
    Deframer,
    Frame,
    Hello,
    HelloRequest,
    LinkFault,
    ResetCause,
    Sample,
    SetLights,
    SetRate,
    encode_frame,
)

PERIOD_US = 12_500
"""Microseconds between two SAMPLEs."""
HELLO = Hello("0.1.0", b"pitwatch", 14, 80, 7)


class Board:
    """The master end of a pty.

    Args:
        place: a path at which it is plugged in, such as `ttyACM0` in a folder; None for the pty's own.
    """

    def __init__(self, place: Path | None = None, hello: Hello = HELLO) -> None:
        self.hello = hello
        self.greeted = 0
        """HELLO_REQUESTs it has answered."""
        self.greeting: Frame | None = None
        """What it answers to a HELLO_REQUEST; None for its HELLO."""
        self.flags = int(CellFlag.FRESH)
        """What it says of each cell's reading."""
        self.lamps: list[tuple[int, int, int]] = []
        """What its strip shows."""
        self.pictures = 0
        """SET_LIGHTS it has heard."""
        self.deaf = 0
        """How many more of them it does not hear."""
        self.presses: list[int] = []
        """By button, how often it has been pressed."""
        self._next: asyncio.TimerHandle | None = None
        self.plug(place)

    def plug(self, place: Path | None = None) -> None:
        """Plug it in (again), there."""
        self.fd, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.fd, False)
        self.port = os.ttyname(self._slave)
        self._deframer = Deframer()
        self._seq = 0
        self._place = place
        if place:
            place.symlink_to(self.port)
            self.port = str(place)

    @property
    def sent(self) -> int:
        """SAMPLEs since it was plugged in, or started."""
        return self._seq

    def say(self, *frames: Frame) -> None:
        self.write(b"".join(encode_frame(frame) for frame in frames))

    def write(self, data: bytes) -> None:
        # What a full line does not take is lost, as on a real one.
        with suppress(BlockingIOError):
            os.write(self.fd, data)

    def heard(self) -> list[Frame | LinkFault]:
        try:
            return self._deframer.feed(os.read(self.fd, 4096))
        except BlockingIOError:
            return []

    def live(self, counts: tuple[int, ...] | None = None) -> None:
        """From now on answer the host as a board does, and weigh the same 80 times a second."""
        self.counts = counts or tuple(range(self.hello.cells))
        loop = asyncio.get_running_loop()
        loop.add_reader(self.fd, self.answer)
        self._began = loop.time()
        self._weigh()

    def answer(self) -> None:
        for frame in self.heard():
            match frame:
                case HelloRequest():
                    self.greeted += 1
                    self.say(self.greeting or self.hello)
                case SetRate(id=number):
                    self.say(Ack(number, 0))
                case SetLights() if self.deaf:
                    self.deaf -= 1
                case SetLights(number, start, colours):
                    self.pictures += 1
                    self.lamps[start : start + len(colours)] = colours
                    self.say(Ack(number, 0))
                case _:
                    pass

    def _weigh(self) -> None:
        # Its own clock is right, however late a busy machine lets it speak.
        micros = self._seq * PERIOD_US
        flags = (self.flags,) * len(self.counts)
        boot, presses = self.hello.boot_id & 0xFF, tuple(self.presses)
        self.say(Sample(self._seq % 65_536, micros, boot, self.counts, flags, presses))
        self._seq += 1
        loop = asyncio.get_running_loop()
        self._next = loop.call_at(self._began + self._seq * PERIOD_US / 1e6, self._weigh)

    def reset(self, cause: ResetCause) -> None:
        """Start anew, as after a pressed button or a stuck program, and say so."""
        self.hello = replace(self.hello, boot_id=self.hello.boot_id + 1, reset_cause=cause)
        self._seq, self._began = 0, asyncio.get_running_loop().time()
        self.presses = [0] * len(self.presses)
        self.lamps = []
        self.write(b"\0")
        self.say(self.hello)

    def stuff_its_input(self) -> None:
        """As if it had not read for long: no byte more can be written to it."""
        os.set_blocking(self._slave, False)
        with suppress(BlockingIOError):
            while True:
                os.write(self._slave, b"x" * 4096)

    def unplug(self) -> None:
        if self.fd < 0:
            return
        if self._next:
            self._next.cancel()
            asyncio.get_running_loop().remove_reader(self.fd)
            self._next = None
        if self._place:
            self._place.unlink()
        for fd in (self.fd, self._slave):
            os.close(fd)
        self.fd = -1
