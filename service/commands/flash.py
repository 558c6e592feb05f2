"""`pitwatch flash`: puts the firmware on a board of load cells, by avrdude."""

import re
import secrets
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import BadInput
from hardware.pins import DATA

HEX = Path(__file__).parents[2] / "build" / "firmware" / "pitwatch.hex"
"""Where `make firmware` puts it."""
MOST_CELLS = len(DATA)
EEPROM_BYTES = 4096
"""Of an ATmega2560."""
MEGA_IDS = ((0x2341, 0x0010), (0x2341, 0x0042), (0x2341, 0x0242), (0x2A03, 0x0010), (0x2A03, 0x0042))
"""USB vendor and product of an Arduino Mega 2560; copies of it have a serial chip of any maker."""
MARK = b"PW"
IDENTITY_AT = 4
"""Where the mark stands in the EEPROM, after the count of starts; then 8 bytes of id, then the cells."""
WRITE_S = 120
"""Seconds in which avrdude is done, or never will be."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a board keeps of itself, beside the count of its starts."""

    unique_id: bytes
    """8 bytes."""
    cells: int
    """Wired, 1 to `MOST_CELLS`."""

    @classmethod
    def read(cls, eeprom: bytes) -> "Identity | None":
        """That of an EEPROM, None for one that never had any."""
        kept = eeprom[IDENTITY_AT : IDENTITY_AT + len(MARK) + 9]
        if len(kept) < len(MARK) + 9 or not kept.startswith(MARK) or not 1 <= kept[-1] <= MOST_CELLS:
            return None
        return cls(kept[len(MARK) : -1], kept[-1])

    @property
    def as_hex(self) -> str:
        """Its bytes of the EEPROM, and no others, in Intel's hex format.

        >>> print(Identity(bytes(8), 14).as_hex)
        :0B000400505700000000000000000E3C
        :00000001FF
        <BLANKLINE>
        """
        data = MARK + self.unique_id + bytes([self.cells])
        record = bytes([len(data), 0, IDENTITY_AT, 0]) + data
        return f":{record.hex().upper()}{-sum(record) & 0xFF:02X}\n:00000001FF\n"


def flash(
    port: Annotated[
        str | None,
        typer.Option(
            "--port", help="The board's serial port; needed where there are several.", metavar="PORT"
        ),
    ] = None,
    cells: Annotated[
        int | None,
        typer.Option(
            "--cells", help="Load cells wired to it; a board that knows keeps what it knows.", min=1
        ),
    ] = None,
    image: Annotated[Path, typer.Option("--hex", help="The firmware.", metavar="FILE")] = HEX,
) -> None:
    """Put the firmware on a board, and tell it how many cells it has. Its id stays as it is.

    The board is an Arduino Mega 2560, or wired like one. A service that reads it must be ended before.
    """
    if cells is not None and cells > MOST_CELLS:
        raise BadInput(f"--cells is {cells}: 1 to {MOST_CELLS} was expected, the chip has pins for no more")
    program = shutil.which("avrdude")
    if program is None:
        raise BadInput("avrdude is not installed: run apt install avrdude, then try again")
    if not image.is_file():
        raise BadInput(f"there is no firmware {image}: run make firmware, or name the file with --hex")
    port = port or _only_port()
    if not Path(port).exists():
        raise BadInput(f"there is no port {port}: plug the board in, or name another with --port")

    with tempfile.TemporaryDirectory() as folder:
        kept, wanted = Path(folder, "kept.bin"), Path(folder, "identity.hex")
        _avrdude(program, port, f"eeprom:r:{kept}:r")
        before = Identity.read(kept.read_bytes().ljust(EEPROM_BYTES, b"\xff"))
        if before is None and cells is None:
            raise BadInput(f"the board on {port} is new: say how many cells are wired, such as --cells 14")
        # A new board's id is drawn here: the chip has none of its own.
        identity = before or Identity(secrets.token_bytes(8), cells or 0)
        identity = replace(identity, cells=cells or identity.cells)
        wanted.write_text(identity.as_hex)
        _avrdude(program, port, f"flash:w:{image}:i", f"eeprom:w:{wanted}:i")
    print(f"board {identity.unique_id.hex()} on {port} has the new firmware and reads {identity.cells} cells")


def _only_port() -> str:
    """The one port that may be a board's: that of a Mega if there is one, else the only one on USB."""
    from serial.tools.list_ports import comports

    found = [port for port in comports() if port.vid is not None]
    ports = sorted(port.device for port in found if (port.vid, port.pid) in MEGA_IDS)
    ports = ports or sorted(port.device for port in found)
    if not ports:
        raise BadInput("no board is plugged in: connect it by USB, or name its port with --port")
    if len(ports) > 1:
        raise BadInput(f"several boards are plugged in, at {', '.join(ports)}: name one with --port")
    return ports[0]


def _avrdude(program: str, port: str, *operations: str) -> None:
    """Have avrdude read or write memories of the chip, over its boot loader.

    Raises:
        BadInput: it cannot, with the last of what it says.
    """
    words = [program, "-q", "-q", "-p", "atmega2560", "-c", "wiring", "-P", port, "-b", "115200", "-D"]
    for operation in operations:
        words += ["-U", operation]
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WRITE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BadInput(
            f"avrdude did not come to an end within {WRITE_S} s: plug the board in again"
        ) from error
    if done.returncode == 0:
        return
    if re.search(r"permission denied", done.stderr, re.IGNORECASE):
        raise BadInput(f"the port {port} may not be opened by this user: add the user to the group dialout")
    if re.search(r"busy|in use", done.stderr, re.IGNORECASE):
        raise BadInput(f"the port {port} is in use by another program: end that one first")
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    reason = f" ({said[-1]})" if said else ""
    raise BadInput(
        f"the board on {port} does not answer as a Mega 2560{reason}: is it one, and the right port?"
    )
