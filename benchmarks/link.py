"""What the link takes of its line and of one core here: a board of 34 cells on a pty, paced as on USB.

The board is a process of its own, which writes what a line of `BAUD` carries in packets of 64 bytes, as the
USB chip of an Arduino Mega hands them on. "Link" is all from the port to grams, as `pitwatch run` reads them;
"scale" has their likelihoods too, and "referee" what the referee makes of a board that lies still.

    python -m benchmarks.link [--seconds 20] [--rate 80]
"""

import argparse
import asyncio
import multiprocessing
import os
import sys
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from itertools import count
from random import Random

from engine import games
from engine.observation import Floats
from firmware_bridge.frames import BAUD, COUNT_MAX, Deframer, Hello, HelloRequest, Sample, encode_frame
from firmware_bridge.scale import Calibration, Scale
from firmware_bridge.search import Search
from referee.referee import Referee
from service.sources import PortSource, Read
from service.watch import Watch

LINE_BAR, CORE_BAR = 0.80, 0.05
"""Shares of the line's bandwidth, and of one core, that the link may take."""
GAME = games.load("omweso")
"""It has 32 pits and 2 stores."""
CELLS = GAME.pits + GAME.players
COUNTS_PER_GRAM, SEED_G, NOISE_G = 3500.0, 3.0, 0.05
PACKET = 64
"""Bytes that USB hands on at once."""
WARM_UP = 100
"""Readings before the time is taken."""

Use = Callable[[float, Floats], object]


def bandwidth(rate: int) -> float:
    """Share of the line that SAMPLEs take at their longest; ten bits a byte."""
    longest = Sample(0xFFFF, 0xFFFF_FFFF, 0xFF, (COUNT_MAX,) * CELLS, (0xFF,) * CELLS)
    return len(encode_frame(longest)) * rate * 10 / BAUD


@contextmanager
def board(rate: int) -> Iterator[str]:
    """A board in a process of its own, on which GAME lies set up; its port."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    process = multiprocessing.get_context("fork").Process(target=_weigh, args=(master, rate), daemon=True)
    process.start()
    try:
        yield os.ttyname(slave)
    finally:
        process.kill()
        process.join()
        os.close(master)
        os.close(slave)


def _weigh(master: int, rate: int) -> None:
    random, deframer = Random(1), Deframer()
    hello = encode_frame(Hello("benchmark", b"pitwatch", CELLS, rate, 7))
    began = time.monotonic()
    for seq in count():
        with suppress(BlockingIOError):
            if any(isinstance(frame, HelloRequest) for frame in deframer.feed(os.read(master, 4096))):
                os.write(master, hello)
        grams = [SEED_G * n + random.gauss(0.0, NOISE_G) for n in GAME.start().counts]
        counts = tuple(round(COUNTS_PER_GRAM * one) for one in grams)
        micros = int((time.monotonic() - began) * 1e6) % (1 << 32)
        wire = encode_frame(Sample(seq % 65_536, micros, 7, counts, (1,) * CELLS))
        for at in range(0, len(wire), PACKET):
            os.write(master, wire[at : at + PACKET])
            time.sleep(PACKET * 10 / BAUD)
        time.sleep(max(0.0, began + (seq + 1) / rate - time.monotonic()))


async def cost(rate: int, seconds: float, what: str) -> tuple[float, float]:
    """Share of a core that readings take, over `seconds`, and how many came a second."""
    with board(rate) as port:
        calibration = Calibration(SEED_G, 0.3, (NOISE_G,), (0.0,) * CELLS, (COUNTS_PER_GRAM,) * CELLS)
        use, readings, began, used = _use(what, calibration), 0, 0.0, 0.0
        async with aclosing(PortSource(Search(port), calibration).readings()) as items:
            async for item in items:
                if not isinstance(item, Read):
                    continue
                use(item.t, item.value)
                readings += 1
                if readings == WARM_UP:
                    began, used = time.perf_counter(), time.process_time()
                elif readings > WARM_UP and time.perf_counter() - began >= seconds:
                    break
        used, took = time.process_time() - used, time.perf_counter() - began
        # Of the full rate, also where a busy machine has held the board up.
        return used / (readings - WARM_UP) * rate, (readings - WARM_UP) / took


def _use(what: str, calibration: Calibration) -> Use:
    if what == "link":
        return lambda t, grams: None
    referee = Referee(GAME)
    scale = Scale(calibration, CELLS, sum(referee.state.counts), referee.counts)
    if what == "scale":
        return scale.observe
    watch = Watch(referee, {"scale": scale})
    referee.start(0.0)
    return lambda t, grams: watch.read(t, grams, "scale")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    parser.add_argument("--rate", type=int, default=80, choices=(10, 80), help="readings a second")
    wanted = parser.parse_args()
    line = bandwidth(wanted.rate)
    print(
        f"{CELLS} cells, {wanted.rate} readings a second, {BAUD:,} baud: {line:.1%} of the line "
        f"(bar {LINE_BAR:.0%})"
    )
    for what in ("link", "scale", "referee"):
        core, came = asyncio.run(cost(wanted.rate, wanted.seconds, what))
        bar = f" (bar {CORE_BAR:.0%})" if what == "link" else ""
        print(f"{what}: {core:.1%} of a core{bar}, {came:.1f} readings a second", flush=True)
        if what == "link" and (core > CORE_BAR or line > LINE_BAR):
            sys.exit("more than the bar")


if __name__ == "__main__":
    main()
