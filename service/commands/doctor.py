"""`pitwatch doctor`: what works and what does not on this machine, and the mend."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Annotated

import typer


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what works and what does not on this machine, and the mend."""
    findings = list(examine())
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
