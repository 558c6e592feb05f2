"""Looks at a board for a while: who it is, how many readings it gives, and which of its cells are alive."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from statistics import pstdev

from firmware_bridge.frames import CellFlag, Hello
from firmware_bridge.protocol import BadFrame, CellFrame, FrameLost, SensorSilent
from firmware_bridge.search import greeted

SLOW = 0.7
"""Share of the board's rate below which a cell is slow."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell gave."""

    number: int
    """From 1, in the order of the holes."""
    readings: int
    """That can be used."""
    saturated: int
    desync: int
    missing: int
    spread: float
    """Standard deviation of its readings, raw counts; 0 where it gave none."""
    fault: str = ""
    """What is wrong, in a few words; empty for a cell that lives."""
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Checkup:
    """What a board said of itself, and gave."""

    port: str
    hello: Hello
    seconds: float
    """Of the chip's time."""
    frames: int
    lost: int
    broken: int
    cells: tuple[Cell, ...]

    @property
    def rate(self) -> float:
        """Frames that the board has sent a second, those lost on the way among them; 0 where too few came."""
        return (self.frames + self.lost - 1) / self.seconds if self.seconds > 0 else 0.0


async def check_up(port: str, seconds: float = 2.0) -> Checkup:
    """Listen to the board on a port for so many seconds of its time.

    Raises:
        PortLost: nobody answers there, or the board is gone meanwhile.
    """
    opened, hello = await greeted(port)
    frames: list[CellFrame] = []
    lost = broken = 0
    async with opened, aclosing(opened.events()) as events:
        async for event in events:
            match event:
                case CellFrame():
                    frames.append(event)
                    if event.t - frames[0].t >= seconds:
                        break
                case FrameLost(count):
                    lost += count
                case BadFrame():
                    broken += 1
                case SensorSilent():
                    break
                case _:
                    pass
    took = frames[-1].t - frames[0].t if frames else 0.0
    cells = tuple(_cell(number, frames, took, hello) for number in range(hello.cells))
    return Checkup(port, hello, took, len(frames), lost, broken, cells)


def _cell(index: int, frames: Sequence[CellFrame], seconds: float, hello: Hello) -> Cell:
    flags = [CellFlag(frame.flags[index]) for frame in frames]
    counts = [
        frame.counts[index] for frame, said in zip(frames, flags, strict=True) if said == CellFlag.FRESH
    ]
    saturated, desync, missing = (
        sum(bool(said & flag) for said in flags)
        for flag in (CellFlag.SATURATED, CellFlag.DESYNC, CellFlag.MISSING)
    )
    spread = pstdev(counts) if counts else 0.0
    fault = mend = ""
    if missing > len(flags) / 2 or not flags:
        fault, mend = "gives nothing", "check the data line, the clock and the supply of its HX711"
    elif saturated > len(flags) / 2:
        fault, mend = "is at the end of its range", "check the four wires of the cell, and what presses on it"
    elif desync > len(flags) / 10:
        fault, mend = "loses the clock", "shorten the clock line, and keep it away from the strip"
    elif len(counts) >= 10 and spread == 0:
        fault, mend = "says the same number always", "its HX711 hears no cell: check A+ and A-, or change it"
    elif seconds > 0 and len(counts) < SLOW * hello.rate * seconds:
        rate = len(counts) / seconds
        fault = f"gives {rate:.0f} readings a second, not {hello.rate}"
        mend = "check the RATE pin of its HX711: high is 80, low is 10"
    return Cell(index + 1, len(counts), saturated, desync, missing, spread, fault, mend)
