"""How well the camera counts, and how well it follows a game: `python -m benchmarks.camera [--shared DIR]`.

`--confusion FILE` measures instead what the camera says beside what is true, and writes it down for
`service.simulation.camera`, which simulates a camera by it.

Pictures of `--shared` are measured and never tuned on: the network was trained on `vision.training`'s
own, and the drawn pictures here are those of `tests.vision.draw`, which it has not seen either. A count
of null in the truth and a pit of which a hand covers more than 0.02 are left out. Beside the network
stands a classical counter (`benchmarks.classical`) on the same top view. All on one core.
"""

import argparse
import csv
import json
import os
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import chain, groupby
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np

from benchmarks.classical import likelihoods
from engine.game import State
from engine.games import load
from engine.layout import Hole, Layout, Marker
from engine.observation import Floats
from engine.step import Counts
from service.boardfile import load_circles, shipped
from tests.vision.draw import Scene, Shot, photograph, random_look, random_shot
from vision import Image
from vision.camera import Camera
from vision.count import best
from vision.counter import MODEL, Counter, said_of
from vision.crops import SIZE
from vision.frames import read_image
from vision.markers import register
from vision.rectify import View, top_view, view_of_circles

BANDS = {"0-4": range(5), "5-8": range(5, 9), "9-12": range(9, 13), "13 and more": range(13, 1000)}
MOST = 60
HIDDEN = 0.02
"""Share of a pit under a hand above which its count is left out."""
CERTAIN = 0.8
"""A count said with this probability is said to be certain."""
COLUMNS = (
    "pictures", "counter", "holes", "exact", *BANDS, "within one", "cannot tell", "whole boards",
    "calibration error", "mean log-likelihood of the truth", f"certain (≥ {CERTAIN})", "of these wrong",
    "ms a picture",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """What was said of one hole."""

    picture: int
    truth: int
    count: int | None
    certainty: float
    loglik: float
    """Of the truth, normalised over 0 to `MOST`."""

    @property
    def exact(self) -> bool:
        return self.count == self.truth


@dataclass(slots=True)
class Score:
    """One counter on one source of pictures."""

    told: list[Told] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, rows: Floats, truth: Sequence[int | None], seconds: float) -> None:
        self.seconds.append(seconds)
        logs = rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))
        picture = len(self.seconds)
        self.told += [
            Told(picture, right, *best(row), float(of_truth[right]))
            for row, of_truth, right in zip(rows, logs, truth, strict=True)
            if right is not None
        ]

    def row(self, name: str, counter: str) -> tuple[str, ...]:
        """The figures, in the order of `COLUMNS`."""
        told = self.told
        boards = [all(one.exact for one in board) for _, board in groupby(told, key=lambda one: one.picture)]
        certain = [one for one in told if one.certainty >= CERTAIN]
        return (
            f"{name}, {len(self.seconds)}",
            counter,
            str(len(told)),
            _share([one.exact for one in told]),
            *(_share([one.exact for one in told if one.truth in counts]) for counts in BANDS.values()),
            _share([one.count is not None and abs(one.count - one.truth) <= 1 for one in told]),
            _share([one.count is None for one in told]),
            f"{sum(boards)} of {len(boards)}",
            f"{calibration_error(told):.1%}",
            f"{np.mean([one.loglik for one in told]):.2f}",
            _share([one.certainty >= CERTAIN for one in told]),
            f"{sum(not one.exact for one in certain)} of {len(certain)}",
            f"{1000 * np.median(self.seconds):.0f}",
        )


def calibration_error(told: Sequence[Told]) -> float:
    """By how much certainty and share of exact counts differ, in the mean over tenths of certainty."""
    said = [one for one in told if one.count is not None]
    off = [0.0] * 10
    for one in said:
        off[min(9, int(10 * one.certainty))] += one.certainty - one.exact
    return sum(abs(value) for value in off) / max(1, len(said))


class Looks:
    """How a picture becomes a top view."""

    def __init__(self, layout: Layout | None = None, circles: Sequence[Hole] = ()) -> None:
        self.layout, self.circles = layout, circles

    def __call__(self, image: Image) -> View:
        if self.layout is None:
            return view_of_circles(image, self.circles)
        return top_view(image, self.layout, register(image, self.layout))


def rendered_layout(truth: dict[str, Any]) -> Layout:
    """The board of a rendered picture, from its truth file."""
    board = truth["board"]
    holes = [
        (pit["store"], Hole(x, y, pit["radius_mm"], pit["half_length_y_mm"]))
        for pit in board["pits"]
        for x, y in [pit["center_mm"]]
    ]
    return Layout(
        name="rendered",
        length=board["length_mm"],
        width=board["width_mm"],
        pits=tuple(hole for store, hole in holes if not store),
        stores=tuple(hole for store, hole in holes if store),
        markers=tuple(
            Marker(marker["id"], tuple((x, y) for x, y in marker["corners_mm"]))
            for marker in truth["markers"]
        ),
    )


def rendered(folder: Path) -> Iterator[tuple[Image, Looks, list[int | None]]]:
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        pits = [pit for pit in truth["pits"] if not pit["store"]]
        stores = [pit for pit in truth["pits"] if pit["store"]]
        counts = [pit["count"] if pit["hidden_by_hand"] <= HIDDEN else None for pit in pits + stores]
        yield read_image(path.with_suffix(".jpg")), Looks(rendered_layout(truth)), counts


def real(folder: Path) -> Iterator[tuple[Image, Looks, list[int | None]]]:
    for path in sorted(folder.glob("*.json")):
        counts = [pit["count"] for pit in json.loads(path.read_text())["pits"]]
        yield read_image(path.with_suffix(".jpg")), Looks(circles=load_circles(path)), counts


def crops(folder: Path) -> Iterator[tuple[Image, Looks, list[int | None]]]:
    with (folder / "counts.csv").open() as rows:
        for row in csv.DictReader(rows):
            image = read_image(folder / row["file"])
            height, width = image.shape[:2]
            circle = Hole(width / 2, height / 2, 0.47 * min(height, width))
            yield image, Looks(circles=[circle]), [int(row["count"])]


def drawn(pictures: int) -> Iterator[tuple[Image, Looks, list[int | None]]]:
    layout = shipped("two-by-six")
    for seed in range(9000, 9000 + pictures):
        rng = np.random.default_rng(seed)
        scene = Scene(layout, random_look(rng), rng)
        counts = [int(count) for count in rng.integers(0, (5, 10, 17)[seed % 3], len(layout.holes))]
        scene.set(counts)
        yield photograph(scene, random_shot(rng), seed), Looks(layout), list(counts)


def slips(counts: Counts) -> Iterator[Counts]:
    """Every board one seed away: one too many, one too few, one in the wrong hole."""
    for source in range(-1, len(counts)):
        for target in range(-1, len(counts)):
            new = list(counts)
            if source >= 0:
                new[source] -= 1
            if target >= 0:
                new[target] += 1
            if source != target and min(new) >= 0:
                yield tuple(new)


def follow(layout: Layout, frames: Iterable[tuple[Image, State]]) -> tuple[int, int, int]:
    """Moves; those whose true board beat all other legal ones; those that also beat every slip."""
    moves = legal = clean = 0
    camera: Camera | None = None
    before: State | None = None
    game = load("kalah")
    for t, (image, state) in enumerate(frames):
        if camera is None or before is None:
            camera = Camera(layout, sum(state.counts) + 2, first=state.counts)
            camera.observe(t, image)
        else:
            rows = camera.observe(t, image).loglik
            fit = _fit(rows, state.counts)
            others = {game.play(before, move).state.counts for move in game.legal(before)} - {state.counts}
            right = all(fit > _fit(rows, counts) for counts in others)
            moves += 1
            legal += right
            clean += right and all(fit > _fit(rows, counts) for counts in slips(state.counts))
            camera.settled(t, state.counts)
        before = state
    return moves, legal, clean


def _fit(rows: Floats, counts: Counts) -> float:
    return float(sum(row[count] for row, count in zip(rows, counts, strict=True)))


def drawn_game(seed: int, plies: int, again: bool = False) -> Iterator[tuple[Image, State]]:
    """A random game of Kalah from some way in, one picture a position; `again` for another of the same."""
    layout, game, rng = shipped("two-by-six"), load("kalah"), np.random.default_rng(seed)
    scene, shot = Scene(layout, random_look(rng), rng), random_shot(rng)
    state, opening = game.start(), int(rng.integers(0, 12))
    for ply in range(opening + plies + 1):
        if ply >= opening:
            scene.set(state.counts)
            light = float(shot.exposure * rng.uniform(0.8, 1.2))
            if again:
                light *= 1.03
            noise = seed + ply + (1 << 20) * again
            yield photograph(scene, Shot(shot.corners, light, shot.blur, shot.noise), noise), state
        legal = game.legal(state)
        if not legal:
            return
        state = game.play(state, legal[int(rng.integers(len(legal)))]).state


def rendered_game(folder: Path) -> tuple[Layout, list[tuple[Image, State]]]:
    """The sequence `seqA`, and the states its truth names."""
    game = load("kalah")
    frames: list[tuple[Image, State]] = []
    layout: Layout | None = None
    for path in sorted(folder.glob("seqA_*.json")):
        truth = json.loads(path.read_text())
        listed = truth["state"]  # South's row, South's store, North's row, North's store
        counts = (*listed[:6], *listed[7:13], listed[6], listed[13])
        layout = layout or rendered_layout(truth)
        if frames:
            before = frames[-1][1]
            after = [game.play(before, move).state for move in game.legal(before)]
            state = next(state for state in after if state.counts == counts)
        else:
            state = game.start()
        frames.append((read_image(path.with_suffix(".jpg")), state))
    assert layout is not None
    return layout, frames


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    beside = Path(__file__).parents[2] / "shared"
    shared = Path(os.environ.get("PITWATCH_SHARED", beside))
    parser.add_argument("--shared", type=Path, default=shared, help="folder that holds boards/")
    parser.add_argument("--pictures", type=int, default=30, help="pictures to draw")
    parser.add_argument("--games", type=int, default=12, help="games to draw, of 6 pictures each")
    parser.add_argument("--confusion", type=Path, help="a file to write what is said beside what is true")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    boards = asked.shared / "boards"
    if asked.confusion:
        write_confusion(asked.confusion, asked.games, boards / "rendered")
        return
    there = boards.is_dir()
    if not there:
        print(f"{boards} is not there: only drawn pictures are measured.\n")

    sources = {"drawn": drawn(asked.pictures)}
    if there:
        sources["rendered boards"] = rendered(boards / "rendered")
        sources["photographs"] = chain(real(boards / "real"), crops(boards / "real" / "pits"))
        sources["photographs of boards"] = real(boards / "real")
        sources["photographs of single pits"] = crops(boards / "real" / "pits")
    begun = perf_counter()
    network = Counter()
    network(np.zeros((1, 3, SIZE, SIZE), np.float32))
    started = perf_counter() - begun
    size = len(files("vision").joinpath(MODEL).read_bytes())
    print(f"The network: {size:,} bytes, ready in {1000 * started:.0f} ms.\n")
    counters: dict[str, Callable[[View], Floats]] = {
        "network": lambda view: said_of(view, network, MOST),
        "classical": lambda view: likelihoods(view, MOST),
    }
    rows = []
    for name, source in sources.items():
        scores = {counter: Score() for counter in counters}
        for image, look, truth in source:
            for counter, say in counters.items():
                begun = perf_counter()
                said = say(look(image))
                scores[counter].add(said, truth, perf_counter() - begun)
        rows += [score.row(name, counter) for counter, score in scores.items()]
    _print_markdown(COLUMNS, rows)

    each = [follow(shipped("two-by-six"), drawn_game(seed, 5)) for seed in range(7000, 7000 + asked.games)]
    followed = {f"drawn games, {asked.games}": tuple(sum(column) for column in zip(*each, strict=True))}
    if there:
        followed["rendered game, seqA"] = follow(*rendered_game(boards / "rendered"))
    _print_markdown(
        ("Kalah followed", "moves", "true board beats all other legal ones", "and every slip of one seed"),
        [(name, *(str(number) for number in figures)) for name, figures in followed.items()],
    )


AROUND = 4
"""Counts above and below the true one that the confusion file tells of."""
EACH = 8
"""Holes of one change and number of seeds in the confusion file."""


def confusion(games: int, folder: Path) -> Iterator[tuple[int, int, list[float]]]:
    """What the camera says of each hole in two pictures of one position, after a position it knew.

    Yields:
        The seeds there before, -1 for a hole of which no look is remembered; the seeds there now; for each
        picture the log-likelihoods of the true count less `AROUND` to the true count and `AROUND`.
    """
    sources: list[tuple[Layout, Iterable[tuple[tuple[Image, Image], State]]]] = [
        (shipped("two-by-six"), drawn_twice(7000 + game, 8)) for game in range(games)
    ]
    if folder.is_dir():
        layout, frames = rendered_game(folder)
        sources.append((layout, [((image, image), state) for image, state in frames]))
    for layout, positions in sources:
        camera: Camera | None = None
        before: Counts = ()
        for t, (images, state) in enumerate(positions):
            if camera is None:
                camera = Camera(layout, sum(state.counts) + AROUND, first=state.counts)
                camera.observe(t, images[0])
            else:
                rows = [camera.observe(t, image).loglik for image in images]
                bare = [Camera(layout, rows[0].shape[1]).observe(t, image).loglik for image in images]
                for hole, now in enumerate(state.counts):
                    yield before[hole], now, [value for row in rows for value in _around(row[hole], now)]
                    yield -1, now, [value for row in bare for value in _around(row[hole], now)]
                camera.settled(t, state.counts)
            before = state.counts


def _around(row: Floats, count: int) -> list[float]:
    near = np.clip(np.arange(count - AROUND, count + AROUND + 1), 0, len(row) - 1)
    return [round(float(value), 1) for value in row[near]]


def write_confusion(path: Path, games: int, folder: Path) -> None:
    """The confusion file: CSV, at most `EACH` lines of every change and number of seeds."""
    left: Tally[tuple[int, int]] = Tally()
    with path.open("w", newline="") as file:
        file.write(
            f"# python -m benchmarks.camera --confusion: {games} drawn games of Kalah and one rendered, two "
            f"pictures each.\n# seeds before (-1: no look is remembered), seeds now; log-likelihoods of "
            f"now - {AROUND} .. now + {AROUND} in one picture, and in another\n"
        )
        for before, now, values in confusion(games, folder):
            change = (max(-2, min(now - before, 2)) if before >= 0 else 9, now)
            if left[change] < EACH:
                left[change] += 1
                csv.writer(file).writerow([before, now, *values])


def drawn_twice(seed: int, plies: int) -> Iterator[tuple[tuple[Image, Image], State]]:
    """As `drawn_game`; two pictures of each position, in which only the light and the noise differ."""
    for one, two in zip(drawn_game(seed, plies), drawn_game(seed, plies, again=True), strict=True):
        yield (one[0], two[0]), one[1]


def _print_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def _share(which: Sequence[bool]) -> str:
    return f"{np.mean(which):.0%}" if which else "none"


if __name__ == "__main__":
    main()
