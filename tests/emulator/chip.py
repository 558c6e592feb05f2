"""A board of load cells with a simulated chip and the real firmware. Its time is the test's."""

import json
import os
import select
import shutil
import subprocess
import tty
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from firmware_bridge.frames import CellFlag, Frame, LinkFault, Sample

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "hardware" / "firmware"
PATIENCE_S = 60.0
"""Real seconds in which the simulated chip has done what it was told, or never will."""
FRESH = int(CellFlag.FRESH)
PACKAGES = "gcc g++ gcc-avr avr-libc libsimavr-dev libelf-dev"
PROGRAMS = ("make", "gcc", "g++", "avr-g++", "avr-objcopy")


def samples(frames: list[Frame | LinkFault]) -> list[Sample]:
    """The samples in what was heard, of which every frame must be whole."""
    assert not any(isinstance(frame, LinkFault) for frame in frames)
    return [frame for frame in frames if isinstance(frame, Sample)]


def build(folder: Path) -> tuple[Path, Path]:
    """The firmware's ELF and the emulator, made in `folder`.

    Raises:
        AssertionError: what they are made with is not installed, or they cannot be made.
    """
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    missing += [name for name in ("simavr/sim_avr.h", "libelf.h") if not Path("/usr/include", name).exists()]
    assert not missing, (
        f"the firmware's tests need {', '.join(missing)}: run scripts/apt.sh {PACKAGES}, or make test"
    )
    make("make", "-C", str(FIRMWARE), f"BUILD={folder}")
    emulator = folder / "hxboard"
    source = str(Path(__file__).with_name("hxboard.c"))
    warnings = ("-Wall", "-Wextra", "-Werror")
    make("gcc", "-O2", *warnings, "-o", str(emulator), source, "-lsimavr", "-lelf", "-lutil")
    return folder / "pitwatch.elf", emulator


def make(*words: str) -> None:
    """Run a compiler, or make; what it says is the failure."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Chip:
    """The chip, its converters and its cable. Open it as a context.

    Args:
        built: as `build` returns it.
        link: a path that leads to its serial port while it is plugged in.
    """

    def __init__(self, built: tuple[Path, Path], cells: int, link: Path) -> None:
        elf, emulator = built
        self.link = link
        self._process = subprocess.Popen(
            [emulator, elf, str(cells), link],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
        )  # fmt: skip
        self._port = -1
        self._received = 0
        self.ms = 0
        """Of its time, that have passed."""
        assert self._answer() == "ok"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_port()
        self._process.communicate(timeout=PATIENCE_S)

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def tell(self, *words: object) -> str:
        """Give a command of `hxboard.c`; its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        answer = self._answer()
        assert answer not in ("", "error"), words
        return answer

    def show(self, rows: Iterable[Sequence[int]]) -> None:
        """Have the cells show these counts, a row a conversion from now on."""
        rows = list(rows)
        self.tell("rows", len(rows), *(count for row in rows for count in row))

    def open_port(self) -> None:
        self._port = os.open(self.link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._port)
        self._received = 0

    def close_port(self) -> None:
        if self._port >= 0:
            os.close(self._port)
            self._port = -1

    def write(self, data: bytes) -> None:
        os.write(self._port, data)

    def run(self, ms: int) -> bytes:
        """Let time pass; what the board has sent meanwhile to the port, which has been open all the time."""
        sent = int(self.tell("run", ms))
        self.ms += ms
        data = b""
        while self._port >= 0 and self._received < sent:
            ready, _, _ = select.select([self._port], [], [], PATIENCE_S)
            assert ready, f"{sent - self._received} bytes of the board do not arrive"
            part = os.read(self._port, 65536)
            self._received += len(part)
            data += part
        return data

    def plug(self) -> None:
        """Plug it in again, and open its port."""
        self.tell("plug")
        self.open_port()

    def unplug(self) -> None:
        self.close_port()
        self.tell("unplug")

    @property
    def stats(self) -> dict[str, Any]:
        """Counters of `hxboard.c`."""
        found: dict[str, Any] = json.loads(self.tell("stats"))
        return found
