"""The link's frames as values, and their bytes (docs/link.md says them byte by byte).

Both ends use this file: the bridge, and every simulated board. Nothing that arrives can raise: a broken
frame is a `LinkFault`.
"""

import struct
from binascii import crc_hqx
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from itertools import repeat

from firmware_bridge import cobs

BAUD = 250_000
"""34 cells at 80 readings a second take 119,200 of it. An ATmega2560 at 16 MHz makes it without error."""
PROTOCOL = (1, 1)
"""Major and minor version that this bridge speaks."""
RATES = (10, 80)
"""Readings a second that an HX711 can be set to; the bit of each in HELLO is its index."""
MAX_CELLS = 64
MAX_LAMPS = 72
"""Lamps that one SET_LIGHTS may set."""
MAX_FRAME = 280
"""Bytes between two delimiters, at most: a SAMPLE of `MAX_CELLS`, with room."""
MAX_FIRMWARE = 32
"""Bytes of the firmware's version text, at most."""

COUNT_MIN, COUNT_MAX = -(1 << 23), (1 << 23) - 1
"""Range of a raw count: 24 bits, two's complement, as an HX711 gives it."""

_HELLO, _SAMPLE, _ACK = 0x01, 0x02, 0x03
_HELLO_REQUEST, _SET_RATE, _IDENTIFY, _SET_LIGHTS = 0x81, 0x82, 0x83, 0x84


class CellFlag(IntFlag):
    """What a board says of one cell's reading."""

    FRESH = 1
    """A new conversion since the last SAMPLE."""
    SATURATED = 2
    """The converter is at the end of its range: overload, or a broken wire."""
    DESYNC = 4
    """The extra clock pulse did not read back 1: the value is not to be trusted."""
    MISSING = 8
    """The cell has not answered."""


class Capability(IntFlag):
    """What a board has besides cells; since version 1.1."""

    LIGHTS = 1
    """It drives a strip of lamps: SET_LIGHTS."""
    BUTTONS = 2
    """Each SAMPLE ends with the presses of its buttons."""
    TEXT = 4
    """It answers lines of text in text."""


class ResetCause(IntEnum):
    """Why the microcontroller started."""

    UNKNOWN = 0
    POWER = 1
    RESET_LINE = 2
    """The reset pin; opening the port does it on most boards, by DTR."""
    BROWN_OUT = 3
    WATCHDOG = 4


class AckStatus(IntEnum):
    """What became of a command."""

    OK = 0
    UNKNOWN_COMMAND = 1
    BAD_ARGUMENT = 2


@dataclass(frozen=True, slots=True)
class Hello:
    """Board to host, at boot and on request: who the board is."""

    firmware: str
    """Its version in words, 0 to `MAX_FIRMWARE` bytes of ASCII."""
    unique_id: bytes
    """8 bytes that stay the same for the life of the chip."""
    cells: int
    """0 to `MAX_CELLS`."""
    rate: int
    """Readings a second at present."""
    boot_id: int
    """u32, another at each start; a counter in EEPROM, so that the low byte always differs from the last."""
    rates: tuple[int, ...] = RATES
    """Those of `RATES` that the board can be set to."""
    capabilities: int = 0
    """u16, bits of `Capability`."""
    reset_cause: ResetCause = ResetCause.UNKNOWN
    protocol: tuple[int, int] = PROTOCOL
    """Major and minor."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Board to host: a snapshot of all cells."""

    seq: int
    """u16, one more for each SAMPLE of a boot, from 0, wrapping."""
    micros: int
    """u32, the chip's microseconds since boot, wrapping after 71.6 minutes; when it was weighed."""
    boot: int
    """u8, the low byte of the boot id."""
    counts: tuple[int, ...]
    """By cell, raw, `COUNT_MIN` to `COUNT_MAX`."""
    flags: tuple[int, ...]
    """By cell, bits of `CellFlag`."""
    presses: tuple[int, ...] = ()
    """By button, how often it was pressed since the board's start, u8, wrapping; none before version 1.1."""


@dataclass(frozen=True, slots=True)
class Ack:
    """Board to host: what became of a command."""

    id: int
    """Of the command."""
    status: int
    """An `AckStatus`, or a number a later minor version adds."""


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """A HELLO of a major version that is not ours; only its first two bytes have a known meaning."""

    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class HelloRequest:
    """Host to board: say HELLO. Answered by a HELLO, not by an ACK."""

    id: int


@dataclass(frozen=True, slots=True)
class SetRate:
    """Host to board: take `rate` readings a second, one of `RATES`."""

    id: int
    rate: int


@dataclass(frozen=True, slots=True)
class Identify:
    """Host to board: blink the board's own lamp for `seconds`, 0 to 255, so that a person can find it."""

    id: int
    seconds: int


@dataclass(frozen=True, slots=True)
class SetLights:
    """Host to board: the lamps of its strip from `first` on have these colours."""

    id: int
    first: int
    """From 0."""
    colours: tuple[tuple[int, int, int], ...]
    """Red, green and blue, each 0 to 255; at most `MAX_LAMPS` lamps."""


@dataclass(frozen=True, slots=True)
class LinkFault:
    """Bytes that are no frame, and why, in a few words."""

    reason: str


Command = HelloRequest | SetRate | Identify | SetLights
Frame = Hello | Sample | Ack | OtherVersion | Command

_HELLO_FIXED = struct.Struct("<8sBBBHIB")
_SAMPLE_FIXED = struct.Struct("<HIBB")


def encode_frame(frame: Frame) -> bytes:
    """The bytes of a frame on the wire, its closing 0x00 included.

    Raises:
        ValueError: a field is out of the range its docstring gives.
    """
    try:
        body = _body(frame)
    except struct.error as error:
        raise ValueError(f"a field of {frame!r} is out of its range: {error}") from error
    return cobs.encode(body + crc_hqx(body, 0).to_bytes(2, "little")) + b"\0"


def _body(frame: Frame) -> bytes:
    match frame:
        case Sample():
            if frame.counts and (min(frame.counts) < COUNT_MIN or max(frame.counts) > COUNT_MAX):
                raise ValueError(f"a count of {frame!r} does not fit 24 bits")
            if len(frame.counts) > MAX_CELLS:
                raise ValueError(f"{len(frame.counts)} cells: {MAX_CELLS} at most were expected")
            cells = [
                count & 0xFFFFFF | flag << 24 for count, flag in zip(frame.counts, frame.flags, strict=True)
            ]
            head = _SAMPLE_FIXED.pack(frame.seq, frame.micros, frame.boot, len(cells))
            presses = bytes([len(frame.presses), *frame.presses]) if frame.presses else b""
            return b"\x02" + head + struct.pack(f"<{len(cells)}I", *cells) + presses
        case Hello():
            firmware = frame.firmware.encode("ascii")
            if len(firmware) > MAX_FIRMWARE or len(frame.unique_id) != 8 or frame.cells > MAX_CELLS:
                raise ValueError(f"a field of {frame!r} is out of its range")
            fixed = _HELLO_FIXED.pack(
                frame.unique_id,
                frame.cells,
                sum(1 << RATES.index(rate) for rate in frame.rates),
                frame.rate,
                frame.capabilities,
                frame.boot_id,
                frame.reset_cause,
            )
            return struct.pack("<BBB", _HELLO, *frame.protocol) + fixed + bytes([len(firmware)]) + firmware
        case Ack():
            return struct.pack("<BBB", _ACK, frame.id, frame.status)
        case OtherVersion():
            return struct.pack("<BBB", _HELLO, frame.major, frame.minor)
        case HelloRequest():
            return struct.pack("<BB", _HELLO_REQUEST, frame.id)
        case SetRate():
            return struct.pack("<BBB", _SET_RATE, frame.id, frame.rate)
        case Identify():
            return struct.pack("<BBB", _IDENTIFY, frame.id, frame.seconds)
        case SetLights():
            head = struct.pack("<BBBB", _SET_LIGHTS, frame.id, frame.first, len(frame.colours))
            return head + b"".join(struct.pack("<BBB", *colour) for colour in frame.colours)


def decode_frame(stuffed: bytes) -> Frame | LinkFault:
    """The frame whose bytes on the wire, without the closing 0x00, are `stuffed`. Never raises.

    Bytes after the fields known to this version are skipped: a later minor version may append some.
    """
    data = cobs.decode(stuffed)
    if data is None:
        return LinkFault("the byte stuffing is broken")
    if len(data) < 3:
        return LinkFault("shorter than any frame")
    if crc_hqx(data[:-2], 0) != data[-2] | data[-1] << 8:
        return LinkFault("the checksum does not match")
    body = data[1:-2]
    match data[0]:
        case 0x02:
            return _sample(body)
        case 0x01:
            return _hello(body)
        case 0x03 if len(body) >= 2:
            return Ack(body[0], body[1])
        case 0x81 if len(body) >= 1:
            return HelloRequest(body[0])
        case 0x82 if len(body) >= 2:
            return SetRate(body[0], body[1])
        case 0x83 if len(body) >= 2:
            return Identify(body[0], body[1])
        case 0x84 if len(body) >= 3 and len(body) >= 3 + 3 * body[2]:
            rgb = iter(body[3 : 3 + 3 * body[2]])
            return SetLights(body[0], body[1], tuple(zip(rgb, rgb, rgb, strict=True)))
        case 0x03 | 0x81 | 0x82 | 0x83 | 0x84:
            return LinkFault("the frame is too short for its kind")
        case kind:
            return LinkFault(f"frames of kind 0x{kind:02x} are not known")


def _sample(body: bytes) -> Sample | LinkFault:
    if len(body) < _SAMPLE_FIXED.size:
        return LinkFault("the SAMPLE is too short")
    seq, micros, boot, cells = _SAMPLE_FIXED.unpack_from(body)
    if cells > MAX_CELLS or len(body) < _SAMPLE_FIXED.size + 4 * cells:
        return LinkFault("the SAMPLE is shorter than its number of cells")
    words = struct.unpack_from(f"<{cells}I", body, _SAMPLE_FIXED.size)
    counts = tuple([((word & 0xFFFFFF) ^ 0x800000) - 0x800000 for word in words])
    flags = tuple(body[_SAMPLE_FIXED.size + 3 :: 4][:cells])
    more = body[_SAMPLE_FIXED.size + 4 * cells :]
    presses = tuple(more[1 : 1 + more[0]]) if more and len(more) > more[0] else ()
    return Sample(seq, micros, boot, counts, flags, presses)


def _hello(body: bytes) -> Hello | OtherVersion | LinkFault:
    if len(body) < 2:
        return LinkFault("the HELLO is too short")
    major, minor = body[0], body[1]
    if major != PROTOCOL[0]:
        return OtherVersion(major, minor)
    at = 2 + _HELLO_FIXED.size
    if len(body) < at + 1 or body[at] > MAX_FIRMWARE or len(body) < at + 1 + body[at]:
        return LinkFault("the HELLO is too short")
    unique_id, cells, rate_bits, rate, capabilities, boot_id, cause = _HELLO_FIXED.unpack_from(body, 2)
    if cells > MAX_CELLS or rate not in RATES:
        return LinkFault(f"the HELLO says {cells} cells at {rate} readings a second")
    return Hello(
        firmware=body[at + 1 : at + 1 + body[at]].decode("ascii", "replace"),
        unique_id=unique_id,
        cells=cells,
        rate=rate,
        boot_id=boot_id,
        rates=tuple(known for bit, known in enumerate(RATES) if rate_bits >> bit & 1),
        capabilities=capabilities,
        reset_cause=ResetCause(cause) if cause <= max(ResetCause) else ResetCause.UNKNOWN,
        protocol=(major, minor),
    )


class Deframer:
    """Cuts a stream of bytes into frames; for either end. Holds at most `MAX_FRAME` bytes.

    The first piece of a stream may be the tail of a frame: if it is broken it is dropped without a word.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._joining = True
        self._overlong = False

    def feed(self, data: bytes) -> list[Frame | LinkFault]:
        """The frames that `data` completes, in order; the same ones however the stream is cut."""
        frames: list[Frame | LinkFault] = []
        first, *later = data.split(b"\0")
        for piece, ended in zip((first, *later), (*repeat(True, len(later)), False), strict=True):
            room = MAX_FRAME - len(self._rest)
            if len(piece) > room and not self._overlong:
                self._overlong = True
                if not self._joining:
                    frames.append(LinkFault(f"no end of a frame within {MAX_FRAME} bytes"))
            self._rest += piece[:room]
            if not ended:
                break
            if self._rest and not self._overlong:
                frame = decode_frame(bytes(self._rest))
                if not (self._joining and isinstance(frame, LinkFault)):
                    frames.append(frame)
            self._joining = False
            self._overlong = False
            self._rest.clear()
        return frames
