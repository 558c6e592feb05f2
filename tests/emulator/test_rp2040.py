"""The firmware's binary for the RP2040, started by the chip's own boot ROM on a simulated chip."""

import runpy
import struct
import zlib
from itertools import pairwise
from pathlib import Path

import pytest

from firmware_bridge.frames import (
    Ack,
    AckStatus,
    Deframer,
    Hello,
    Identify,
    ResetCause,
    SetLights,
    SetRate,
    encode_frame,
)
from tests.emulator.chip import FIRMWARE, FRESH, samples
from tests.emulator.pico import FLASH_ID, Pico, build

STARTED_MS = 10.0
"""In which the boot ROM has started the firmware, and that has said so."""


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("twenty"), 20)


def test_it_says_who_it_is_and_what_the_cells_show(twenty: Path) -> None:
    pico, deframer = Pico(twenty, 20), Deframer()
    counts = tuple(0x123456 * (-1) ** cell + cell for cell in range(20))
    pico.show(counts)
    said = deframer.feed(pico.run(STARTED_MS))
    pico.write(encode_frame(SetRate(7, 80)))
    said += deframer.feed(pico.run(80))
    assert said[0] == Hello(
        "pitwatch 1.1", FLASH_ID, 20, 10, 0,
        capabilities=6, reset_cause=ResetCause.POWER, protocol=(1, 1),
    )  # fmt: skip
    assert Ack(7, AckStatus.OK) in said
    told = samples(said + deframer.feed(pico.run(300)))
    assert {(sample.counts, sample.flags) for sample in told} == {(counts, (FRESH,) * 20)}
    assert [b.seq - a.seq for a, b in pairwise(told)] == [1] * (len(told) - 1)
    assert all(11_000 < b.micros - a.micros < 14_000 for a, b in pairwise(told))
    assert 22 <= len(told) <= 28

    pico.show([~count for count in counts])
    pico.press(1, True)
    pico.run(60)
    pico.press(1, False)
    pico.run(40)
    told = samples(deframer.feed(pico.run(15)))
    assert {(sample.counts, sample.presses) for sample in told} == {
        (tuple(~count for count in counts), (0, 1))
    }
    assert (pico.early, sum(converter.torn for converter in pico.converters)) == (0, 0)
    assert min(converter.reads for converter in pico.converters) > 30
    assert 200 < pico.longest_ns < 3000


def test_the_watchdog_ends_a_fault_and_the_next_start_says_so(twenty: Path) -> None:
    pico, deframer = Pico(twenty, 20), Deframer()
    first = deframer.feed(pico.run(STARTED_MS))
    pico.crash()
    assert pico.run(480) == b""
    again = deframer.feed(pico.run(40))
    assert first == [
        Hello(
            "pitwatch 1.1", FLASH_ID, 20, 10, 0, capabilities=6, reset_cause=ResetCause.POWER, protocol=(1, 1)
        )
    ]
    assert again == [
        Hello(
            "pitwatch 1.1",
            FLASH_ID,
            20,
            10,
            1,
            capabilities=6,
            reset_cause=ResetCause.WATCHDOG,
            protocol=(1, 1),
        )
    ]


def test_with_sixteen_cells_it_lights_a_strip(tmp_path: Path) -> None:
    pico, deframer = Pico(build(tmp_path, 16), 16), Deframer()
    said = deframer.feed(pico.run(STARTED_MS))
    assert isinstance(said[0], Hello)
    assert (said[0].cells, said[0].capabilities) == (16, 7)
    pico.write(encode_frame(SetLights(3, 1, ((1, 2, 3), (4, 5, 6)))))
    assert deframer.feed(pico.run(10)) == [Ack(3, AckStatus.OK)]
    lit = bytes([*bytes(4), 255, 0, 0, 0, 255, 3, 2, 1, 255, 6, 5, 4]) + b"\xff\0\0\0" * 69 + b"\xff" * 5
    assert bytes(pico.strip) == lit
    pico.write(encode_frame(Identify(4, 1)))
    assert deframer.feed(pico.run(2)) == [Ack(4, AckStatus.OK)]
    assert pico.lamp
    pico.run(260)
    assert not pico.lamp


def test_without_a_strip_it_says_that_it_cannot_light_one(twenty: Path) -> None:
    pico, deframer = Pico(twenty, 20), Deframer()
    pico.run(STARTED_MS)
    pico.write(encode_frame(SetLights(3, 0, ((1, 2, 3),))))
    assert deframer.feed(pico.run(5)) == [Ack(3, AckStatus.BAD_ARGUMENT)]
    assert not pico.strip


def test_the_uf2_file_is_the_flash_with_its_checksum() -> None:
    """Against zlib, whose CRC-32 is the same but for the order of bits and the last inversion."""
    made = runpy.run_path(str(FIRMWARE / "rp2040" / "image.py"))
    linked = bytes(range(256)) + b"firmware"
    blocks = made["uf2"](made["image"](linked))
    assert len(blocks) == 2 * 512
    first, second = blocks[:512], blocks[512:]
    assert struct.unpack("<8I", first[:32]) == (
        0x0A324655,
        0x9E5D5157,
        0x2000,
        0x10000000,
        256,
        0,
        2,
        0xE48BFF56,
    )
    assert struct.unpack("<2I", second[12:16] + second[20:24]) == (0x10000100, 1)
    assert (first[508:], second[508:]) == (struct.pack("<I", 0x0AB16F30),) * 2
    assert second[32 : 32 + 256] == b"firmware" + bytes(248)
    mirrored = bytes(int(f"{byte:08b}"[::-1], 2) for byte in linked[:252])
    crc = int(f"{zlib.crc32(mirrored) ^ 0xFFFFFFFF:032b}"[::-1], 2)
    assert first[32 : 32 + 256] == linked[:252] + struct.pack("<I", crc)
