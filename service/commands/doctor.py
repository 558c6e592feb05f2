"""`pitwatch doctor`: what works and what does not on this machine, and the mend."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import BadInput

if TYPE_CHECKING:
    from firmware_bridge.checkup import Checkup


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    good: bool
    needed: bool
    """Whether Pitwatch cannot run without it; the rest is needed for a board of wood only."""
    text: str
    mend: str = ""
    """What to do about it, where it is not good."""


def doctor(
    port: Annotated[
        str | None,
        typer.Option(
            help="Listen to the boards there, too: a serial port, a pattern such as '/dev/ttyACM*', or usb "
            "for every port on USB. A board is reset by it.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what works and what does not on this machine, and the mend."""
    if port == "":
        raise BadInput("--port is empty: name a port, a pattern or usb, or leave it out")
    findings = [*examine(), *(boards(None if port == "usb" else port) if port else ())]
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        for finding in findings:
            mark = "good" if finding.good else "bad " if finding.needed else "none"
            print(f"{mark}  {finding.name}: {finding.text}" + (f"; {finding.mend}" if finding.mend else ""))
    if any(finding.needed and not finding.good for finding in findings):
        raise typer.Exit(1)


def examine() -> Iterator[Finding]:
    """Look at everything Pitwatch depends on, the needed things first."""
    yield python(sys.version_info[:3])
    yield library("numpy", "2")
    yield library("cv2", "4.7", "opencv-python-headless")
    yield serial_ports()
    yield lights()


def python(found: tuple[int, ...]) -> Finding:
    """The interpreter, given its version."""
    text = ".".join(str(part) for part in found)
    good = (3, 11) <= found[:2] < (3, 15)
    return Finding("python", good, True, text, "" if good else "install Python 3.11 to 3.14")


def library(name: str, least: str, package: str = "") -> Finding:
    """A library that has to be there, `least` or newer."""
    package = package or name
    mend = f'run .venv/bin/python -m pip install "{package}>={least}"'
    try:
        version = str(import_module(name).__version__)
    except (ImportError, AttributeError) as error:
        return Finding(name, False, True, f"cannot be imported ({error})", mend)
    good = _numbers(version) >= _numbers(least)
    return Finding(name, good, True, version, "" if good else mend)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdigit())


def serial_ports() -> Finding:
    """The ports a board of load cells may be plugged into."""
    from serial.tools.list_ports import comports

    ports = [port.device for port in comports() if port.vid is not None]
    if ports:
        return Finding("serial ports", True, False, ", ".join(ports))
    return Finding(
        "serial ports",
        False,
        False,
        "no board on USB",
        "plug it in, or play on the simulated board with pitwatch run",
    )


def boards(port: str | None) -> Iterator[Finding]:
    """The boards on a port, on those that fit a pattern, or on USB: who they are, and which cells live."""
    import asyncio

    from firmware_bridge.checkup import Checkup, check_up
    from firmware_bridge.search import places
    from firmware_bridge.transport import PortLost

    async def all_at_once() -> list[Checkup | BaseException]:
        return await asyncio.gather(*map(check_up, places(port)), return_exceptions=True)

    found = asyncio.run(all_at_once())
    if not found:
        where = port or "USB"
        yield Finding("board", False, True, f"there is no serial port at {where}", "plug the board in")
    for one in found:
        if isinstance(one, PortLost):
            mend = "check its cable, end what has the port open, or run pitwatch flash for its firmware"
            yield Finding("board", False, True, str(one), mend)
        elif isinstance(one, BaseException):
            raise one
        else:
            yield from _board(one)


def _board(found: "Checkup") -> Iterator[Finding]:
    hello = found.hello
    name = f"board {hello.unique_id.hex()}"
    steady = (
        0.9 * hello.rate <= found.rate <= 1.1 * hello.rate and found.lost + found.broken <= found.frames / 50
    )
    said = (
        f"on {found.port}",
        f"firmware {hello.firmware or 'unknown'}",
        f"link {hello.protocol[0]}.{hello.protocol[1]}",
        f"{hello.cells} cells",
        f"{found.rate:.1f} of {hello.rate} readings a second",
        f"{found.lost} lost",
        f"{found.broken} broken",
    )
    mend = "" if steady else "change the USB cable, and plug it into the machine itself"
    yield Finding(name, steady, True, ", ".join(said), mend)
    dead = [cell for cell in found.cells if cell.fault]
    for cell in dead:
        yield Finding(f"cell {cell.number} of {name}", False, True, cell.fault, cell.mend)
    alive = sorted((cell for cell in found.cells if not cell.fault), key=lambda cell: cell.spread)
    if alive:
        noise = " to ".join(f"{cell.spread:.0f} (cell {cell.number})" for cell in (alive[0], alive[-1]))
        text = f"{len(alive)} of {hello.cells} live, noise of {noise} counts"
        yield Finding(f"cells of {name}", True, False, text)


def lights() -> Finding:
    """The pins that would drive the lights."""
    from engine.layout import Layout
    from hardware.lights import open_lights

    # A board with no lamp claims no pin, so that this does not disturb a service that runs.
    with open_lights(Layout("none", 1, 1, (), (), lights_kind="pins")) as opened:
        pins = opened.about.removeprefix("0 LEDs on ")
    if not pins.lower().startswith("mock"):
        return Finding("lights", True, False, pins)
    return Finding(
        "lights",
        False,
        False,
        pins,
        "on a Raspberry Pi, run apt install python3-lgpio, rm -r .venv and "
        "make run VENV_FLAGS=--system-site-packages; elsewhere the page shows them",
    )
