"""A calibration of a weighing board on its port: frames in, prompts out to terminal, page and lights."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from engine.layout import Layout
from firmware_bridge.calibration import Calibrated, ScaleCalibration
from firmware_bridge.protocol import BoardReset, CellFrame, Link, LinkEvent, SensorSilent, VersionMismatch
from firmware_bridge.search import Search
from firmware_bridge.transport import PortLost
from hardware.lights import BLACK, RGB, BoardLights, Lights
from service.boardsection import put_table
from service.simulated import SimulatedBoard

ASKED: RGB = (0, 160, 255)
"""Of holes that something is to be put into."""
FAULTY: RGB = (255, 0, 0)
"""Of holes whose cells or stones are to be seen to."""
_TRY_S = 1.0
"""Seconds between two tries to open a port that is not there."""
_CALM_S = 1.0
"""Virtual seconds that a simulated hand waits when it has done what was asked for."""


class Calibrating:
    """A calibration that is going on. `read` until it is over; `changed` is set whenever there is news."""

    def __init__(self, calibration: ScaleCalibration, search: Search, rate: int | None = None) -> None:
        self.calibration = calibration
        self.sensor = "waits for the board"
        """How the board is, in a few words."""
        self.changed = asyncio.Event()
        self._search = search
        self._link = Link(rate)
        self._t = 0.0
        self._beat = asyncio.Event()

    async def read(self) -> Calibrated:
        """Take frames, over as many openings of the port as it takes, until all is found.

        Raises:
            BadInput: the board has not the cells that it should.
        """
        while True:
            try:
                async with await self._search.open(self._link) as port, aclosing(port.events()) as events:
                    async for event in events:
                        self._take(event, port.port)
                        if found := self.calibration.found:
                            return found
            except PortLost as error:
                self._say(str(error))
                await asyncio.sleep(_TRY_S)

    def _take(self, event: LinkEvent, port: str) -> None:
        match event:
            case CellFrame(t, counts, flags):
                self._t = t
                self._beat.set()
                self._say(f"reads from {port}")
                if self.calibration.read(t, counts, flags):
                    self.changed.set()
            case BoardReset():
                self.calibration.restarted("the board has started anew")
                self.changed.set()
            case SensorSilent() | VersionMismatch():
                self._say(event.text)
            case _:
                pass

    def _say(self, how: str) -> None:
        if how != self.sensor:
            self.sensor = how
            self.changed.set()

    def answer(self, answer: Any) -> None:
        """Pass on what a person says.

        Raises:
            BadInput: it is no answer to the prompt.
        """
        self.calibration.answer(answer)
        self.changed.set()

    async def be_handed(self, board: SimulatedBoard) -> None:
        """Let the hand of a simulated board do what is asked for, until it is over or something is wrong."""
        there: float | None = None
        while not (self.calibration.found or self.calibration.prompt.findings):
            wanted = self.calibration.wanted
            if wanted is not None and there is None:
                things = {str(wanted.weight[0]): wanted.weight[1]} if wanted.weight else {}
                busy_s = await board.ask({"do": "lay", "counts": list(wanted.stones), "things": things})
                there = self._t + busy_s + _CALM_S
            elif wanted is not None and there is not None and self._t >= there:
                there = None
                self.answer("done")
            self._beat.clear()
            await self._beat.wait()

    def show(self, lights: Lights) -> None:
        """Light the holes that the prompt is about."""
        prompt = self.calibration.prompt
        colours = [BLACK] * len(self.calibration.plan.names)
        for hole in prompt.holes:
            colours[hole] = FAULTY if prompt.findings else ASKED
        lights.show(colours)
        if isinstance(lights, BoardLights):
            self._link.light(lights.picture)

    async def light(self, lights: Lights) -> None:
        """Keep the lights of the holes lit that the prompt is about, until cancelled."""
        while True:
            self.show(lights)
            await asyncio.sleep(0.1)

    def as_json(self) -> dict[str, Any]:
        """What the page shows, as plain JSON values."""
        prompt = self.calibration.prompt
        return {
            "text": prompt.text,
            "holes": list(prompt.holes),
            "answers": list(prompt.answers),
            "step": prompt.step,
            "steps": prompt.steps,
            "findings": [
                {"kind": finding.kind, "cells": list(finding.cells), "text": finding.text}
                for finding in prompt.findings
            ],
            "sensor": self.sensor,
            "labels": list(self.calibration.plan.names),
            "result": self.calibration.found.as_json() if self.calibration.found else None,
        }


def names_of(layout: Layout, labels: Sequence[str]) -> tuple[str, ...]:
    """What the holes of a board are called: as in the game that is played on it, or by their numbers."""
    if len(labels) == len(layout.holes):
        return tuple(labels)
    pits = [f"pit {number + 1}" for number in range(len(layout.pits))]
    return (*pits, *(f"store {number + 1}" for number in range(len(layout.stores))))


def write(path: Path, found: Calibrated, text: str | None = None) -> None:
    """Write what was found into the table `[calibration]` of a board file.

    Args:
        text: what the file holds, where it is not there yet.

    Raises:
        BadInput: it cannot be written.
    """
    put_table(path, "calibration", as_toml(found.as_json()), text)


def as_toml(plain: Mapping[str, Any]) -> str:
    """The keys of a calibration as lines of TOML, rounded to what is known of them.

    >>> print(as_toml({"seed_mass": {"mean": 3.0, "sd": 0.25}, "crosstalk": [[1.0, 0.0012]]}), end="")
    seed_mass = { mean = 3.0, sd = 0.25 }
    crosstalk = [
        [1.0, 0.0012],
    ]
    """
    lines = []
    for key, value in plain.items():
        match value:
            case dict():
                inner = ", ".join(f"{name} = {_number(one)}" for name, one in value.items())
                lines.append(f"{key} = {{ {inner} }}")
            case [[*_], *_]:
                lines += [
                    f"{key} = [",
                    *(f"    [{', '.join(_number(round(share, 5)) for share in row)}]," for row in value),
                    "]",
                ]
            case list():
                lines.append(f"{key} = [{', '.join(map(_number, value))}]")
            case _:
                lines.append(f"{key} = {str(value).lower()}")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return repr(float(f"{value:.7g}"))
