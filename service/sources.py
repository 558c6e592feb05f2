"""Where readings come from: a serial port, a camera, pictures in files. The thin edge before the sensors."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np

from engine.errors import BadInput
from engine.observation import Floats
from firmware_bridge.frames import Hello, ResetCause
from firmware_bridge.protocol import (
    BadFrame,
    BoardFound,
    BoardReset,
    ButtonPressed,
    CellFrame,
    CommandDone,
    CommandFailed,
    FrameLost,
    Link,
    LinkEvent,
    SensorSilent,
    Told,
    VersionMismatch,
)
from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from firmware_bridge.transport import PortLost
from vision import Image
from vision.capture import FROZEN_S, Camera, CameraLost, Frame, Newest, Sameness

Reading = TypeVar("Reading")

_CAUSES = {
    ResetCause.UNKNOWN: "",
    ResetCause.POWER: ", its power was gone",
    ResetCause.RESET_LINE: ", its reset line was pulled",
    ResetCause.BROWN_OUT: ", its supply sank too low (look at the cable and the power)",
    ResetCause.WATCHDOG: ", its program had stopped",
}

_TRY_S = 1.0
"""Seconds between two tries to open a port or a camera that is not there."""
_SETTLE_S = 2.0
"""Seconds in which converters that have just been started give a first reading: 0.4 s at 10 a second."""
_FIRST_S, _STALE_S = 20.0, 3.0
"""Seconds in which a camera gives its first frame, and after which it is lost if no other follows."""


@dataclass(frozen=True, slots=True)
class Read(Generic[Reading]):
    """A reading, taken at `t` seconds of the source's own clock."""

    t: float
    value: Reading


@dataclass(frozen=True, slots=True)
class Gone:
    """The source gives nothing (any more)."""

    why: str


@dataclass(frozen=True, slots=True)
class Back:
    """The source gives readings (again)."""

    how: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button on the board has been pressed."""

    button: int
    """From 0."""


class Source(Protocol[Reading]):
    """One sensor's readings as they come, its losses and returns among them, and its buttons."""

    @property
    def about(self) -> str:
        """Where the readings come from, in a few words."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What ails the source while it gives readings, each in one sentence."""
        ...

    def readings(self) -> AsyncGenerator[Read[Reading] | Gone | Back | Pressed, None]: ...


class PortSource:
    """Load cells behind a serial port.

    Args:
        search: where the board is, and which one it is. Another one in its place is not read.
        start: seconds at which its clock begins: a resumed game passes its last time.
        rate: readings a second to ask for; None leaves the board as it is.
        outlives: whether it waits for a port that is not there, before and after unplugging. A pty is not
            worth waiting for: its name is soon another program's.
        cells: those that are read, by hole; None for all.
    """

    def __init__(
        self,
        search: Search,
        calibration: Calibration,
        start: float = 0.0,
        rate: int | None = None,
        outlives: bool = True,
        cells: Sequence[int] | None = None,
    ) -> None:
        self._search = search
        self._calibration = calibration
        self._outlives = outlives
        self._cells = None if cells is None else list(cells)
        self._link = Link(rate, start)
        self._awaited = True
        """Whether no cell has given a reading since the board was met or started anew, .."""
        self._awaited_from: float | None = None
        """.. and when its first frame was, seconds; None before it, infinite once the wait was too long."""
        self._refused: dict[type[Told], str] = {}
        self._lit = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What the board refused to do, or cannot."""
        refused = tuple(self._refused.values())
        if not self._lit or self._link.hello is None or self._link.drives_lamps:
            return refused
        return (
            *refused,
            'the board drives no lamps: flash its firmware, or name another kind of [lights] than "board"',
        )

    def light(self, picture: Sequence[tuple[int, int, int]]) -> None:
        """Have the board's own strip show `picture`, red, green and blue by lamp, whenever it is there."""
        self._lit = True
        self._link.light(picture)

    @property
    def about(self) -> str:
        return f"scale on {self._search.about}"

    async def readings(self) -> AsyncGenerator[Read[Floats] | Gone | Back | Pressed, None]:
        """Grams `(holes,)`; NaN where a cell gave nothing new, as none at first does: a board that has just
        started has no reading before one of its cells has."""
        gone = False
        while True:
            try:
                async with await self._search.open(self._link) as port, aclosing(port.events()) as events:
                    async for event in events:
                        if isinstance(event, BoardFound | BoardReset):
                            self._check(event.hello, port.port)
                            self._awaited, self._awaited_from = True, None
                        said = self._take(event)
                        if isinstance(said, Read) and gone:
                            gone = False
                            yield Back(f"the board on {port.port} answers again")
                        if isinstance(said, Gone):
                            gone = True
                        if said is not None:
                            yield said
            except PortLost as error:
                if not self._outlives:
                    return
                gone = True
                yield Gone(str(error))
                await asyncio.sleep(_TRY_S)

    def _check(self, hello: Hello, port: str) -> None:
        if not self._search.recognises(hello):
            assert self._search.board is not None
            raise PortLost(
                port,
                f"the board on {port} is {hello.unique_id.hex()}, not {self._search.board.hex()}: plug that "
                f"in again, or name this one as board in [scale]",
            )

    def _take(self, event: LinkEvent) -> Read[Floats] | Gone | Pressed | None:
        match event:
            case ButtonPressed(button=button):
                return Pressed(button)
            case CellFrame(t, counts, flags):
                try:
                    grams = self._calibration.grams(counts, flags)
                except BadInput as error:
                    return Gone(str(error))
                return self._read(t, grams if self._cells is None else grams[self._cells])
            case BoardReset(hello):
                self._refused.clear()
                return Gone(f"the board has started anew{_CAUSES[hello.reset_cause]}: it is read afresh")
            case SensorSilent() | VersionMismatch():
                return Gone(event.text)
            case CommandFailed(command, text):
                self._refused[type(command)] = text
            case CommandDone(command):
                self._refused.pop(type(command), None)
            case BoardFound() | BadFrame() | FrameLost():
                # The next frame is the whole board again.
                pass
        return None

    def _read(self, t: float, grams: Floats) -> Read[Floats] | Gone | None:
        if self._awaited and not np.isfinite(grams).any():
            if self._awaited_from is None:
                self._awaited_from = t
            elif t - self._awaited_from >= _SETTLE_S:
                self._awaited_from = np.inf
                return Gone(
                    "no cell of the board gives a reading: check the power of the converters, and their clock"
                )
            return None
        self._awaited = False
        return Read(t, grams)


class FileSource:
    """Pictures in files, one after another, as a camera would have taken them.

    Args:
        frames: seconds from the first, and the picture or why it cannot be read.
        about: where they are, in a few words.
        looks: how often each is looked at: a still board in front of a running camera.
        every: seconds from one look to the next.
        live: whether the looks are taken as the time goes by, as beside another sensor they must be; else
            each is taken when the one before it has been used.
    """

    def __init__(
        self,
        frames: Iterable[tuple[float, Image | BadInput]],
        about: str,
        looks: int = 1,
        every: float = 0.0,
        start: float = 0.0,
        live: bool = False,
    ) -> None:
        self._frames = frames
        self.about = about
        self._live = live
        self.notes: tuple[str, ...] = ()
        self._looks = looks
        self._every = every
        self._start = start

    async def readings(self) -> AsyncGenerator[Read[Image] | Gone | Back, None]:
        """BGR images."""
        clock = asyncio.get_running_loop().time
        began = clock()
        gone = False
        for t, image in self._frames:
            if isinstance(image, BadInput):
                gone = True
                yield Gone(str(image))
                continue
            if gone:
                gone = False
                yield Back("there are pictures again")
            for look in range(self._looks):
                if not self._live:
                    yield Read(self._start + t + look * self._every, image)
                    await asyncio.sleep(0)
                    continue
                taken = clock()
                yield Read(self._start + taken - began, image)
                # What a slow machine needs for a look it leaves to the other sensor too.
                await asyncio.sleep(max(self._every - (clock() - taken), clock() - taken))
        yield Gone(f"there are no more {self.about}")


class CameraSource:
    """A camera that runs. It may come later, go and come again.

    Args:
        every: least seconds from one frame that is used to the next.
    """

    def __init__(self, camera: Camera, every: float = 0.1, start: float = 0.0) -> None:
        self._camera = camera
        self._every = every
        self._start = start
        self.notes: tuple[str, ...] = ()
        """What the camera does not keep as it should."""

    @property
    def about(self) -> str:
        return self._camera.about

    async def readings(self) -> AsyncGenerator[Read[Image] | Gone | Back, None]:
        """BGR images, the newest there is."""
        began = asyncio.get_running_loop().time()
        gone = False
        while True:
            try:
                async with aclosing(self._frames()) as frames:
                    async for frame in frames:
                        if gone:
                            gone = False
                            yield Back(f"{self.about} gives pictures again")
                        self.notes = frame.notes
                        yield Read(self._start + max(0.0, frame.t - began), frame.image)
            except CameraLost as error:
                self.notes = ()
                gone = True
                yield Gone(str(error))
                await asyncio.sleep(_TRY_S)

    async def _frames(self) -> AsyncGenerator[Frame, None]:
        """From opening to loss, which raises `CameraLost`."""
        loop, news, same = asyncio.get_running_loop(), asyncio.Event(), Sameness()
        patience = _FIRST_S
        with Newest(self._camera, partial(loop.call_soon_threadsafe, news.set), loop.time) as newest:
            while True:
                try:
                    async with asyncio.timeout(patience):
                        await news.wait()
                except TimeoutError as error:
                    raise CameraLost(
                        f"{self.about} has given no frame for {patience:.0f} s: plug it in again"
                    ) from error
                news.clear()
                frame = newest.take()
                if frame is None:
                    continue
                patience = _STALE_S
                if same.seconds(frame) >= FROZEN_S:
                    raise CameraLost(
                        f"{self.about} is frozen, it has shown the very same picture for {FROZEN_S:.0f} s: "
                        f"it is opened anew"
                    )
                taken = loop.time()
                yield frame
                # What a slow machine needs for a look it leaves to the other sensor too.
                await asyncio.sleep(max(self._every, loop.time() - taken))
