"""Broken bytes for the link's decoder: nothing may crash, and hardly a frame be taken that nobody sent.

A stream of whole frames is spoilt in the ways of a bad wire (`SPOILING`), and mixed with frames whose
checksum is guessed. What passes the checksum and was never sent is held against the odds of a CRC of 16
bits: one in 65,536 of what came so far. The same bytes go through `Link`, as they would from a port.

    python -m benchmarks.fuzz [--bytes 100_000_000] [--seed 1]
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from random import Random
from time import process_time

from firmware_bridge import cobs
from firmware_bridge.frames import (
    COUNT_MAX,
    COUNT_MIN,
    RATES,
    Ack,
    Deframer,
    Frame,
    Hello,
    HelloRequest,
    Identify,
    LinkFault,
    Sample,
    SetRate,
    encode_frame,
)
from firmware_bridge.protocol import CellFrame, Link

CELLS = 14
"""Of the board that is pretended."""
_BEFORE_THE_CHECKSUM = ("the byte stuffing is broken", "shorter than any frame", "no end of a frame")
"""Faults of bytes that are no frame to whatever checksum."""


@dataclass(slots=True)
class Found:
    """What became of the spoilt bytes."""

    size: int = 0
    """Bytes."""
    frames: int = 0
    """Taken, and sent."""
    judged: int = 0
    """Pieces that were never sent and came as far as the checksum."""
    passed: int = 0
    """Of these, passed by the checksum."""
    false: int = 0
    """Of these, taken for a frame."""
    readings: int = 0
    """Never sent, and believed by `Link`."""

    @property
    def odds(self) -> float:
        """Pieces that a checksum of 16 bits lets pass by chance."""
        return self.judged / (1 << 16)

    @property
    def good(self) -> bool:
        """Whether no more passed than chance explains: four sigmas, and one."""
        return self.passed <= self.odds + 4 * sqrt(self.odds) + 1


def fuzz(size: int, seed: int) -> Found:
    """Spoil and decode about `size` bytes; the same ones for the same seed."""
    random, found = Random(seed), Found()
    deframer, link = Deframer(), Link(80)
    now, seq = 0.0, 0
    deframer.feed(b"\0")
    before: set[Frame] = set()
    while found.size < size:
        sent = [_frame(random, seq + n) for n in range(random.randint(4, 40))]
        seq += len(sent)
        data = _spoilt(random, b"".join(map(encode_frame, sent))) + b"\0"
        # The last piece of what came before may end in this one.
        known = before | set(sent)
        for said in deframer.feed(data):
            _judge(said, known, found)
        readings = {frame.counts for frame in known if isinstance(frame, Sample)}
        for event in link.receive(data, now):
            found.readings += isinstance(event, CellFrame) and event.counts not in readings
        now += 0.5
        link.tick(now)
        link.due(now)
        found.size += len(data)
        before = set(sent)
    return found


def _judge(said: Frame | LinkFault, known: set[Frame], found: Found) -> None:
    if not isinstance(said, LinkFault):
        if said in known:
            found.frames += 1
            return
        found.false += 1
    elif said.reason.startswith(_BEFORE_THE_CHECKSUM):
        return
    elif said.reason == "the checksum does not match":
        found.judged += 1
        return
    found.judged += 1
    found.passed += 1


def _frame(random: Random, seq: int) -> Frame:
    kind = random.random()
    if kind < 0.7:
        cells = CELLS if random.random() < 0.8 else random.randint(0, 34)
        counts = tuple(random.randint(COUNT_MIN, COUNT_MAX) for _ in range(cells))
        return Sample(seq % 65_536, seq * 12_500 % (1 << 32), 7, counts, (1,) * cells)
    if kind < 0.8:
        return Hello("0.1.0", b"pitwatch", CELLS, random.choice(RATES), 7)
    few = random.randrange(256)
    small: tuple[Frame, ...] = (Ack(few, 0), HelloRequest(few), SetRate(few, 80), Identify(few, few))
    return random.choice(small)


def _spoilt(random: Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(random.randint(0, 12)):
        random.choice(SPOILING)(random, out)
    return bytes(out)


def _flip(random: Random, out: bytearray) -> None:
    """Single bits."""
    for _ in range(random.randint(1, 12)):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)


def _burst(random: Random, out: bytearray) -> None:
    """A spark on the wire."""
    at = random.randrange(len(out))
    n = min(random.randint(1, 64), len(out) - at)
    out[at : at + n] = random.randbytes(n)


def _lose(random: Random, out: bytearray) -> None:
    """Bytes that a full buffer dropped."""
    at = random.randrange(len(out))
    del out[at : at + min(random.randint(1, 200), len(out) - 1)]


def _insert(random: Random, out: bytearray) -> None:
    """Noise between the bytes."""
    at = random.randrange(len(out))
    out[at:at] = random.randbytes(random.randint(1, 300))


def _repeat(random: Random, out: bytearray) -> None:
    """A piece that comes twice, the second time elsewhere."""
    at, to = random.randrange(len(out)), random.randrange(len(out))
    out[to:to] = out[at : at + random.randint(1, 200)]


def _zeros(random: Random, out: bytearray) -> None:
    """A line that lies still."""
    at = random.randrange(len(out))
    out[at:at] = bytes(random.randint(1, 20))


def _forge(random: Random, out: bytearray) -> None:
    """Frames of known kinds, whole but for their checksums, which are guessed."""
    for _ in range(40):
        kind = random.choice((0x01, 0x02, 0x03, 0x81, 0x82, 0x83))
        body = bytes([kind]) + random.randbytes(random.randint(2, 12))
        at = out.find(0, random.randrange(len(out))) + 1
        out[at:at] = cobs.encode(body + random.randbytes(2)) + b"\0"


SPOILING: tuple[Callable[[Random, bytearray], None], ...] = (
    _flip, _burst, _lose, _insert, _repeat, _zeros, _forge,
)  # fmt: skip
"""What may befall a stream."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bytes", type=int, default=100_000_000, help="to spoil and decode, about")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    start = process_time()
    found = fuzz(wanted.bytes, wanted.seed)
    print(
        f"{found.size:,} bytes, seed {wanted.seed}, {process_time() - start:.0f} s: {found.frames:,} whole "
        f"frames taken; of {found.judged:,} pieces that nobody sent, {found.passed} passed the checksum "
        f"(chance: {found.odds:.1f}), {found.false} were taken for frames, {found.readings} for readings"
    )
    if not found.good:
        sys.exit("more passed the checksum than chance explains")


if __name__ == "__main__":
    main()
