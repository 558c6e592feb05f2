"""The firmware's portable core on this computer, under sanitizers: what it decodes, and what it does.

Its decoder finds the same frames and faults in the same bytes as the bridge's.
"""

import random
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.frames import (
    MAX_FRAME,
    Ack,
    Deframer,
    Hello,
    HelloRequest,
    Identify,
    LinkFault,
    Sample,
    SetLights,
    SetRate,
    decode_frame,
    encode_frame,
)
from tests.emulator.chip import make
from tests.firmware_bridge.test_frames import on_wire

FAULTS = {
    "stuffing": "the byte stuffing is broken",
    "short": "shorter than any frame",
    "checksum": "the checksum does not match",
    "long": f"no end of a frame within {MAX_FRAME} bytes",
}
FRAMES = [
    encode_frame(frame)
    for frame in (
        Hello("0.1", bytes(8), 14, 80, 7), Ack(1, 0), HelloRequest(2), SetRate(3, 80), SetRate(4, 9),
        Identify(5, 3), Sample(9, 5, 7, tuple(range(-30, 30)), (1,) * 60),
        SetLights(6, 1, ((0, 0, 0), (10, 63, 10)) * 30),
    )
]  # fmt: skip


def corpus(seed: int) -> bytes:
    """Frames, and frames spoilt in the ways of a bad wire, and lines of text."""
    draw = random.Random(seed)
    out = bytearray()
    for _ in range(2000):
        piece = bytearray(draw.choice([*FRAMES, b"\nhello\nrate 80\n?\n", draw.randbytes(3) + b"\0"]))
        match draw.randrange(8):
            case 0:
                piece[draw.randrange(len(piece))] ^= 1 << draw.randrange(8)
            case 1:
                del piece[draw.randrange(len(piece))]
            case 2:
                piece[draw.randrange(len(piece))] = 0
            case 3:
                piece = bytearray(draw.randbytes(draw.randrange(400)))
            case 4:
                piece[-1:] = b""
            case _:
                pass
        out += piece
    return bytes(out)


def built(name: str, folder: Path) -> Path:
    program = folder / name
    source = str(Path(__file__).with_name(f"{name}.cpp"))
    flags = ("-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror")
    make(
        "g++", *flags, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o", str(program), source
    )
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("host", tmp_path_factory.mktemp("host"))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_decoders_find_the_same(program: Path, seed: int) -> None:
    data = corpus(seed)
    done = subprocess.run([program], input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found: list[object] = []
    for line in done.stdout.decode().splitlines():
        kind, _, payload = line.partition(" ")
        if kind == "frame":
            found.append(decode_frame(on_wire(payload)))
        else:
            found.append(LinkFault(FAULTS[kind]))
    assert found == Deframer().feed(data)
    assert sum(isinstance(one, LinkFault) for one in found) > 100
    assert sum(not isinstance(one, LinkFault) for one in found) > 300


def test_the_core_holds_whatever_host_converters_buttons_and_clock_do(tmp_path: Path) -> None:
    program = built("fuzz", tmp_path)
    for seed in range(12):
        life = random.Random(seed).randbytes(3000)
        done = subprocess.run([program], input=life, capture_output=True, check=False)
        assert done.returncode == 0, (seed, done.stderr.decode())
