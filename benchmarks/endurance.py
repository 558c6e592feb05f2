"""One camera that looks at a board for days: what memory the process has meanwhile.

    python -m benchmarks.endurance [--looks 100000] [--wide]

A board of four pits is filmed by `service.simulation.film` as stones come and go, a hand among them; the
pictures go round, each for some looks. Each position is settled in the camera, as the referee would, so that
it goes on learning. With `--wide` it is the board of two by six, of which a look takes longer.
"""

import argparse
import resource
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.layout import Layout
from service.boardfile import shipped
from service.simulation.camera import Exposure
from service.simulation.film import Film, Scenery
from vision import Image
from vision.camera import Camera

COUNTS = 40
POSITIONS = 40
EACH = 10
"""Looks at a picture."""
PARTS = 20
"""Lines that are printed."""
PAGE = resource.getpagesize()


def narrow() -> Layout:
    """The left end of the board of two by six: four pits, and the markers of its right end moved there."""
    whole = shipped("two-by-six")
    by_place = sorted(whole.pits, key=lambda pit: pit.x)[:4]
    cut = max(pit.x + pit.radius for pit in by_place) + 60.0
    off = whole.length - cut
    middle = whole.length / 2
    markers = tuple(
        replace(marker, corners=tuple((x - off if x > middle else x, y) for x, y in marker.corners))
        for marker in whole.markers
    )
    pits = tuple(pit for pit in whole.pits if pit in by_place)
    return replace(whole, length=cut, pits=pits, stores=(), markers=markers)


def pictures(layout: Layout) -> list[tuple[Image, tuple[int, ...]]]:
    """A board in `POSITIONS` positions, each with what lies there; a hand in every fifth picture."""
    rng = np.random.default_rng(7)
    film, holes = Film(rng, layout, Scenery.drawn(rng)), len(layout.holes)
    counts, moved = [4] * holes, [0] * holes
    found = []
    for number in range(POSITIONS):
        hole, other = rng.choice(holes, 2, replace=False).tolist()
        if number and counts[hole]:
            counts[hole], counts[other] = counts[hole] - 1, counts[other] + 1
            moved[hole], moved[other] = moved[hole] + 1, moved[other] + 1
        over = ((hole, 1.0),) if number % 5 == 4 else ()
        hidden = np.array([bool(over) and at == hole for at in range(holes)])
        shown = Exposure(float(number), tuple(counts), tuple(moved), hidden, over)
        found.append((film.picture(shown), tuple(counts)))
    return found


def megabytes() -> float:
    """Of the process, as it is now."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * PAGE / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--looks", type=int, default=100_000)
    parser.add_argument("--wide", action="store_true")
    asked = parser.parse_args()
    layout = shipped("two-by-six") if asked.wide else narrow()
    shown = pictures(layout)
    camera = Camera(layout, COUNTS, shown[0][1])
    for look in range(asked.looks):
        picture, counts = shown[look // EACH % len(shown)]
        observation = camera.observe(look / 5, picture)
        if look % EACH == EACH - 1 and not observation.hand.any():
            camera.settled(look / 5, counts)
        if (look + 1) % max(1, asked.looks // PARTS) == 0 or look == 999:
            print(f"{look + 1:8,} looks {megabytes():8.1f} MB", flush=True)


if __name__ == "__main__":
    main()
