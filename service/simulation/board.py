"""The microcontroller of a simulated board: conversions in, frames of docs/link.md out."""

from firmware_bridge.frames import (
    RATES,
    Ack,
    AckStatus,
    CellFlag,
    Deframer,
    Hello,
    HelloRequest,
    Identify,
    ResetCause,
    Sample,
    SetRate,
    encode_frame,
)
from service.simulation.camera import Exposure
from service.simulation.table import Table
from service.simulation.truth import Truth

FIRMWARE = "simulated 1"
BOOT_S = 0.5
"""Seconds after a reset in which nothing is sent, and commands are lost."""
SLOW = 8
"""Conversions of a board for one of a slow cell."""
_FRESH = int(CellFlag.FRESH)
_SATURATED = int(CellFlag.FRESH | CellFlag.SATURATED)


class SimulatedBoard:
    """A board as its serial line sees it. It never reads a clock: `read` is what makes time pass.

    Args:
        table: what its cells weigh.
        unique_id: 8 bytes, the chip's.
    """

    def __init__(self, table: Table, unique_id: bytes = b"simulate") -> None:
        self.table = table
        self.greeted = False
        """Whether a host has spoken to it since it was switched on."""
        self.exposed: tuple[Exposure, ...] = ()
        """What a camera above it was exposed to in the last `read`."""
        self._unique_id = unique_id
        self._boot_id = 0
        self._start(ResetCause.POWER, silent_s=0.0)

    def _start(self, cause: ResetCause, silent_s: float) -> None:
        self._boot_id = (self._boot_id + 1) % (1 << 32)
        self._cause = cause
        self._booted_at = self.table.micros + round(silent_s * 1e6)
        self._said_hello = False
        self._seq = 0
        self._deframer = Deframer()

    def reset(self, cause: ResetCause = ResetCause.RESET_LINE) -> None:
        """Start anew, as after a press of the reset button or a dip of the supply."""
        self._start(cause, BOOT_S)

    def exchange(self, table: Table, unique_id: bytes) -> None:
        """Have another board, just switched on, stand at the other end of the line."""
        self.table, self._unique_id = table, unique_id
        self._start(ResetCause.POWER, BOOT_S)

    @property
    def hello(self) -> Hello:
        return Hello(
            FIRMWARE,
            self._unique_id,
            self.table.holes,
            self.table.rate,
            self._boot_id,
            reset_cause=self._cause,
        )

    def read(self, n: int) -> tuple[bytes, tuple[Truth, ...]]:
        """What the board sends in its next `n` conversions, and what happened in that time."""
        block = self.table.read(n)
        self.exposed = block.exposures
        boot = self._boot_id & 0xFF
        out = []
        for micros, counts, ends in zip(
            block.micros, block.counts.tolist(), block.saturated.tolist(), strict=True
        ):
            if micros < self._booted_at:
                continue
            if not self._said_hello:
                self._said_hello = True
                out += [b"\0", encode_frame(self.hello)]
            flags = [_SATURATED if end else _FRESH for end in ends]
            for fault in self.table.cells.settings.faults:
                if fault.kind == "slow" and self._seq % SLOW:
                    flags[fault.cell] = 0
            sample = Sample(
                self._seq, (micros - self._booted_at) % (1 << 32), boot, tuple(counts), tuple(flags)
            )
            out.append(encode_frame(sample))
            self._seq = (self._seq + 1) % (1 << 16)
        return b"".join(out), block.truths

    def receive(self, data: bytes) -> bytes:
        """What the board answers to bytes from the host. A broken command gets no answer."""
        if self.table.micros < self._booted_at:
            return b""
        out = b""
        for frame in self._deframer.feed(data):
            self.greeted = True
            match frame:
                case HelloRequest():
                    out += encode_frame(self.hello)
                case SetRate(id, rate) if rate in RATES:
                    self.table.rate = rate
                    out += encode_frame(Ack(id, AckStatus.OK))
                case SetRate(id):
                    out += encode_frame(Ack(id, AckStatus.BAD_ARGUMENT))
                case Identify(id):
                    out += encode_frame(Ack(id, AckStatus.OK))
        return out
