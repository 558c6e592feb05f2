"""The firmware's own binary in simavr: samples a second, torn values, how long the clock was high.

All converters go to and fro between two counts whose bits differ everywhere: a value put together from two
conversions is neither of them. Time is the simulated chip's; the machine's speed changes nothing.

    python -m benchmarks.firmware [--cells 34] [--seconds 10]
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_bridge.frames import CellFlag, Deframer, Sample, SetRate, encode_frame
from tests.emulator.chip import Chip, build

COUNTS = (0x2AAAAA, -0x2AAAAB)
SETTLED_MS = 200
BLOCK_MS = 250


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cells", type=int, default=34)
    parser.add_argument("--seconds", type=int, default=10, help="of the chip's time")
    wanted = parser.parse_args()
    rows = [[count] * wanted.cells for count in COUNTS] * 20
    samples: list[Sample] = []
    faults = 0
    with (
        TemporaryDirectory() as folder,
        Chip(build(Path(folder)), wanted.cells, Path(folder, "port")) as chip,
    ):
        chip.open_port()
        chip.show(rows)
        deframer = Deframer()
        chip.run(20)
        chip.write(encode_frame(SetRate(1, 80)))
        deframer.feed(chip.run(SETTLED_MS))
        for _ in range(wanted.seconds * 1000 // BLOCK_MS):
            chip.show(rows)
            for frame in deframer.feed(chip.run(BLOCK_MS)):
                if isinstance(frame, Sample):
                    samples.append(frame)
                else:
                    faults += 1
        stats = chip.stats
    values = [count for sample in samples for count in sample.counts]
    fresh = sum(flag == CellFlag.FRESH for sample in samples for flag in sample.flags)
    lost = (samples[-1].seq - samples[0].seq + 1) % 65536 - len(samples)
    torn = sum(value not in COUNTS for value in values)
    print(
        f"{wanted.cells} cells: {len(samples) / wanted.seconds:.1f} samples a second, {lost} lost, "
        f"{faults} broken; of {len(values):,} values {fresh:,} fresh, {torn} torn; the clock high for "
        f"{stats['longest_ns'] / 1000:.1f} us at most, {stats['early']} early pulses, {stats['torn']} "
        f"conversions that ended in a reading"
    )


if __name__ == "__main__":
    main()
