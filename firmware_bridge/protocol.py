"""The bridge's end of the link, without a wire or a clock: bytes and the time in, events and bytes out.

`Link` is in one of three states, and only HELLO moves it:

    state      | SAMPLE                      | HELLO, our major             | HELLO, another major
    asking     | ignored                     | BoardFound, or BoardReset if | VersionMismatch, refused
               |                             | its boot id is new; talking  |
    talking    | CellFrame, ButtonPressed;   | BoardReset if its boot id    | VersionMismatch, refused
               | of another boot: ignored,   | is new                       |
               | asks for HELLO              |                              |
    refused    | ignored                     | as in asking                 | nothing

A refused board is asked again and again, for its firmware may be updated. The caller says `reopened` when
it opens the port, passes every byte to `receive`, calls `tick` a few times a second, and writes what `due`
returns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from engine.errors import BadInput
from firmware_bridge.frames import (
    MAX_LAMPS,
    PROTOCOL,
    RATES,
    Ack,
    AckStatus,
    Capability,
    Deframer,
    Hello,
    HelloRequest,
    Identify,
    LinkFault,
    OtherVersion,
    Sample,
    SetLights,
    SetRate,
    encode_frame,
)

ASK_EVERY = 0.5
"""Seconds between HELLO requests until one is answered."""
RETRY_AFTER = 0.25
"""Seconds without an ACK after which a command is sent again."""
TRIES = 4
"""Times a command is sent before it counts as failed."""
BOOT_SECONDS = 3.0
"""How long a board may take from opening the port to its first HELLO: boot loaders wait 1 to 2 s."""
BELIEVED_GAP = 60.0
"""Seconds of chip time between two SAMPLEs that are believed without a second one that agrees."""
_WRAP = 1 << 32

Told: TypeAlias = SetRate | Identify | SetLights
"""The commands that a board acknowledges."""


@dataclass(frozen=True, slots=True)
class BoardFound:
    """A board of our protocol answers on a port just opened."""

    hello: Hello


@dataclass(frozen=True, slots=True)
class BoardReset:
    """The microcontroller has started anew, or another board has taken its place (`unique_id`)."""

    hello: Hello
    before: Hello


@dataclass(frozen=True, slots=True)
class CellFrame:
    """One snapshot of all cells."""

    t: float
    """Seconds of chip time, never less than that of the frame before; goes on over a reset."""
    counts: tuple[int, ...]
    """By cell, raw, 24 bits with sign."""
    flags: tuple[int, ...]
    """By cell, bits of `frames.CellFlag`."""


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A button of the board has been pressed once. One held down over a start is none, nor is what was
    pressed before the first SAMPLE since the board started or the port was opened."""

    t: float
    """Seconds of chip time, of the frame that told it."""
    button: int
    """From 0."""


@dataclass(frozen=True, slots=True)
class FrameLost:
    """`count` SAMPLEs between the last one and this did not arrive whole."""

    count: int


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Something arrived that is no frame, or none that can be believed."""

    reason: str


@dataclass(frozen=True, slots=True)
class VersionMismatch:
    """The board speaks another major version; nothing it says is used."""

    major: int
    minor: int

    @property
    def text(self) -> str:
        older = "the board's firmware" if self.major < PROTOCOL[0] else "Pitwatch"
        return (
            f"the board speaks link version {self.major}.{self.minor}, this Pitwatch {PROTOCOL[0]}.x: "
            f"update {older}"
        )


@dataclass(frozen=True, slots=True)
class SensorSilent:
    """No frame for `seconds` of the host's time. Said once; the next frame ends it."""

    seconds: float

    @property
    def text(self) -> str:
        return f"the board has sent nothing for {self.seconds:.1f} s: check its cable and its power"


@dataclass(frozen=True, slots=True)
class CommandDone:
    """The board has done a command."""

    command: Told


@dataclass(frozen=True, slots=True)
class CommandFailed:
    """The board refused a command, or never answered it."""

    command: Told
    text: str


LinkEvent = (
    BoardFound
    | BoardReset
    | CellFrame
    | ButtonPressed
    | FrameLost
    | BadFrame
    | VersionMismatch
    | SensorSilent
    | CommandDone
    | CommandFailed
)


class _State(Enum):
    ASKING = 0
    TALKING = 1
    REFUSED = 2


@dataclass(slots=True)
class _Pending:
    command: Told
    tries: int = 0
    again_at: float = float("-inf")


class Link:
    """One board, over as many openings of its port as it takes.

    Args:
        rate: readings a second to ask the board for; None leaves it as it is.
        start: chip time begins here, seconds. A service that resumes a game passes its last time.

    Raises:
        BadInput: `rate` is not one of `frames.RATES`.
    """

    def __init__(self, rate: int | None = None, start: float = 0.0) -> None:
        if rate is not None and rate not in RATES:
            raise BadInput(f"{rate} readings a second: one of {RATES} was expected")
        self._rate = rate
        self._hello: Hello | None = None
        self._base = self._t = start
        self._elapsed = 0
        self._micros: int | None = None
        self._doubted: int | None = None
        self._seq: int | None = None
        self._presses: tuple[int, ...] = ()
        self._next_id = 0
        self._pending: dict[type[Told], _Pending] = {}
        self._lamps: tuple[tuple[int, int, int], ...] = ()
        self.reopened(0.0)

    @property
    def hello(self) -> Hello | None:
        """What the board last said of itself, with the rate it has been set to since."""
        return self._hello

    def reopened(self, now: float) -> None:
        """The port has been opened (again) at host time `now`: ask who is there. Chip time goes on."""
        self._deframer = Deframer()
        self._state = _State.ASKING
        self._presses = ()
        self._greeting = b"\0"
        self._ask_at: float | None = now
        self._heard_at = now
        self._patience = BOOT_SECONDS
        self._silent = False

    def identify(self, seconds: int) -> None:
        """Have the board blink its own lamp for 0 to 255 seconds. `due` sends it.

        Raises:
            BadInput: it does not fit.
        """
        if not 0 <= seconds <= 255:
            raise BadInput(f"identify for {seconds} seconds: 0 to 255 was expected")
        self._queue(Identify(self._new_id(), seconds))

    @property
    def drives_lamps(self) -> bool:
        """Whether the board has said that it drives a strip of lamps."""
        return self._hello is not None and bool(self._hello.capabilities & Capability.LIGHTS)

    def light(self, colours: Sequence[tuple[int, int, int]]) -> None:
        """Have the lamps of the board's strip show `colours`, red, green and blue, each 0 to 255, from the
        first lamp on. `due` sends what differs from the last, and all after each HELLO; nothing to a board
        that drives no lamps.

        Raises:
            BadInput: there are more than a strip may have.
        """
        if len(colours) > MAX_LAMPS:
            raise BadInput(f"{len(colours)} lamps: {MAX_LAMPS} at most were expected")
        if tuple(colours) != self._lamps:
            self._lamps = tuple(colours)
            self._light_up()

    def farewell(self) -> bytes:
        """Bytes to write before the port is closed: a strip would go on showing what it was told last."""
        if self._state is not _State.TALKING or not self.drives_lamps or not self._lamps:
            return b""
        return encode_frame(SetLights(self._new_id(), 0, ((0, 0, 0),) * len(self._lamps)))

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """The events in the next bytes of the port, in order; the same ones however the bytes are cut."""
        events: list[LinkEvent] = []
        for frame in self._deframer.feed(data):
            match frame:
                case Sample():
                    self._sample(frame, now, events)
                case Hello():
                    self._greeted(frame, now, events)
                case OtherVersion(major, minor):
                    if self._state is not _State.REFUSED:
                        self._state = _State.REFUSED
                        self._ask(now)
                        events.append(VersionMismatch(major, minor))
                case Ack():
                    self._acked(frame, events)
                case LinkFault(reason):
                    events.append(BadFrame(reason))
                case _:
                    events.append(BadFrame("a command came from the board: another host may be on the line"))
        return events

    def tick(self, now: float) -> list[LinkEvent]:
        """What the passing of time means. Pass all bytes at hand to `receive` first."""
        events: list[LinkEvent] = []
        for kind, pending in list(self._pending.items()):
            if pending.tries >= TRIES and pending.again_at <= now:
                del self._pending[kind]
                events.append(
                    CommandFailed(pending.command, f"the board did not answer {kind.__name__} {TRIES} times")
                )
        quiet = now - self._heard_at
        if quiet >= self._patience and not self._silent and self._state is not _State.REFUSED:
            self._silent = True
            self._ask(now)
            events.append(SensorSilent(quiet))
        return events

    def due(self, now: float) -> bytes:
        """Bytes to write to the port now: requests, commands, and those that were not answered, again."""
        out = b""
        if self._ask_at is not None and now >= self._ask_at:
            out += self._greeting + encode_frame(HelloRequest(self._new_id()))
            self._greeting = b""
            self._ask_at = now + ASK_EVERY
        if self._state is _State.TALKING:
            for pending in self._pending.values():
                if pending.again_at <= now and pending.tries < TRIES:
                    out += encode_frame(pending.command)
                    pending.tries += 1
                    pending.again_at = now + RETRY_AFTER
        return out

    def _new_id(self) -> int:
        self._next_id = (self._next_id + 1) % 256
        return self._next_id

    def _queue(self, command: Told) -> None:
        self._pending[type(command)] = _Pending(command)

    def _light_up(self) -> None:
        self._pending.pop(SetLights, None)
        if self._lamps and self.drives_lamps:
            self._queue(SetLights(self._new_id(), 0, self._lamps))

    def _ask(self, now: float) -> None:
        if self._ask_at is None:
            self._ask_at = now

    def _heard(self, now: float) -> None:
        self._heard_at = now
        self._silent = False
        if self._state is _State.TALKING:
            self._ask_at = None

    def _greeted(self, hello: Hello, now: float, events: list[LinkEvent]) -> None:
        before, self._hello = self._hello, hello
        anew = before is None or (before.boot_id, before.unique_id) != (hello.boot_id, hello.unique_id)
        asking = self._state is not _State.TALKING
        self._state = _State.TALKING
        self._patience = max(3 / hello.rate, 0.5)
        self._heard(now)
        if anew:
            self._base, self._elapsed = self._t, 0
            self._micros = self._doubted = self._seq = None
            self._presses = ()
        if anew and before is not None:
            events.append(BoardReset(hello, before))
        elif asking:
            events.append(BoardFound(hello))
        if self._rate is not None and hello.rate != self._rate and self._rate in hello.rates:
            self._queue(SetRate(self._new_id(), self._rate))
        self._light_up()

    def _acked(self, ack: Ack, events: list[LinkEvent]) -> None:
        for kind, pending in list(self._pending.items()):
            if pending.command.id != ack.id or not pending.tries:
                continue
            del self._pending[kind]
            if ack.status != AckStatus.OK:
                why = "does not know" if ack.status == AckStatus.UNKNOWN_COMMAND else "refused"
                events.append(CommandFailed(pending.command, f"the board {why} {_named(pending.command)}"))
                continue
            if isinstance(pending.command, SetRate) and self._hello is not None:
                self._hello = replace(self._hello, rate=pending.command.rate)
                self._patience = max(3 / pending.command.rate, 0.5)
            events.append(CommandDone(pending.command))

    def _sample(self, sample: Sample, now: float, events: list[LinkEvent]) -> None:
        hello = self._hello
        if self._state is not _State.TALKING or hello is None:
            return
        if sample.boot != hello.boot_id & 0xFF:
            self._ask(now)
            return
        if len(sample.counts) != hello.cells:
            events.append(BadFrame(f"{len(sample.counts)} cells, where HELLO had {hello.cells}"))
            return
        step = sample.micros if self._micros is None else (sample.micros - self._micros) % _WRAP
        if self._micros is not None and step > BELIEVED_GAP * 1e6:
            agrees = self._doubted is not None and (
                (sample.micros - self._doubted) % _WRAP <= BELIEVED_GAP * 1e6
            )
            self._doubted = sample.micros
            if not agrees:
                events.append(BadFrame(f"its time is {step / 1e6:.0f} s after the frame before it"))
                return
        self._doubted = None
        lost = 0 if self._seq is None else (sample.seq - self._seq - 1) % (1 << 16)
        if lost:
            events.append(FrameLost(lost))
        self._seq = sample.seq
        self._micros = sample.micros
        self._elapsed += step
        self._t = self._base + self._elapsed / 1e6
        self._heard(now)
        events.append(CellFrame(self._t, sample.counts, sample.flags))
        if len(sample.presses) == len(self._presses):
            for button, (before, after) in enumerate(zip(self._presses, sample.presses, strict=True)):
                events += [ButtonPressed(self._t, button)] * ((after - before) % (1 << 8))
        self._presses = sample.presses


def _named(command: Told) -> str:
    return f"SetLights of {len(command.colours)} lamps" if isinstance(command, SetLights) else repr(command)
