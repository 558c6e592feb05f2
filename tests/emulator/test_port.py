"""The firmware's own binary at a serial port, as `pitwatch run` reads it: in the time of this machine."""

import asyncio
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from service.sources import PortSource, Pressed, Read
from tests.emulator.chip import Chip

PATIENCE_S = 20.0


async def time_passes(chip: Chip) -> None:
    """Until cancelled; the port is another's to read."""
    while True:
        chip.run(5)
        await asyncio.sleep(0)


def on_strip(picture: list[tuple[int, int, int]]) -> bytes:
    """What shows `picture`, red, green and blue by lamp: APA102 wants brightness, B, G, R of each of 72."""
    lamps = picture + [(0, 0, 0)] * (72 - len(picture))
    return bytes(4) + bytes(byte for r, g, b in lamps for byte in (0xFF, b, g, r))


async def test_the_service_reads_weights_and_buttons_and_lights_the_lamps(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    calibration = Calibration(3.0, 0.3, (0.1,), (100.0,) * 14, (10.0,) * 14)
    picture = [(lamp, 2 * lamp, 3 * lamp) for lamp in range(1, 15)]
    async with AsyncExitStack() as stack:
        chip = stack.enter_context(Chip(built, 14, tmp_path / "ttyACM0"))
        chip.show([[100 + 50 * cell for cell in range(14)]])
        source = PortSource(Search(str(chip.link)), calibration, rate=80)
        source.light(picture)
        passing = asyncio.create_task(time_passes(chip))
        stack.callback(passing.cancel)
        async with asyncio.timeout(PATIENCE_S), aclosing(source.readings()) as items:
            first = await anext(items)
            # The converters have settled before anything is a reading.
            assert isinstance(first, Read)
            assert first.value.tolist() == [5.0 * cell for cell in range(14)]
            told = b""
            while on_strip(picture) not in told:
                await anext(items)
                told += bytes.fromhex(chip.stats["strip"])
            chip.tell("buttons", 0b000100)
            while not isinstance(item := await anext(items), Pressed):
                pass
            assert item == Pressed(2)
            assert source.notes == ()
            assert not passing.done()
        # The port is closed, and the lamps are told.
        async with asyncio.timeout(PATIENCE_S):
            while on_strip([]) not in told:
                await asyncio.sleep(0)
                told += bytes.fromhex(chip.stats["strip"])
        stats = chip.stats
        assert (stats["early"], stats["torn"], stats["high"]) == (0, 0, 0)
