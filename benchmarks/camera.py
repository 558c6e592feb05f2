"""How well the camera counts, and how well it follows a game: `python -m benchmarks.camera [--shared DIR]`.

Pictures of `--shared` are measured and never tuned on; the shape of the counter's models comes from pictures
drawn by `tests.vision.draw`, and the drawn pictures here have other seeds. A count of null in the truth and a
pit of which a hand covers more than 0.02 are left out.
"""

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from engine.game import State
from engine.games import load
from engine.layout import Hole, Layout, Marker
from engine.observation import Floats
from engine.step import Counts
from service.boardfile import load_circles, shipped
from tests.vision.draw import Scene, Shot, photograph, random_look, random_shot
from vision import Image
from vision.camera import Camera
from vision.count import best, likelihoods
from vision.frames import read_image
from vision.markers import register
from vision.rectify import View, top_view, view_of_circles
from vision.stones import measure

BANDS = {"0-4": range(5), "5-8": range(5, 9), "9-12": range(9, 13), "13+": range(13, 1000)}
MOST = 60
HIDDEN = 0.02
"""Share of a pit under a hand above which its count is left out."""


@dataclass(slots=True)
class Score:
    """Exact and near counts, by band of the true count."""

    exact: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    near: list[bool] = field(default_factory=list)
    silent: int = 0
    boards: list[bool] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)

    def add(self, image: Image, look: "Looks", truth: Sequence[int | None]) -> None:
        start = perf_counter()
        rows = likelihoods(measure(look(image)), MOST)
        told = [best(row)[0] for row in rows]
        self.ms.append(1000 * (perf_counter() - start))
        right = []
        for number, count in zip(told, truth, strict=True):
            if count is None:
                continue
            band = next(name for name, counts in BANDS.items() if count in counts)
            right.append(number == count)
            self.exact[band].append(right[-1])
            self.near.append(number is not None and abs(number - count) <= 1)
            self.silent += number is None
        self.boards.append(all(right))


class Looks:
    """How a picture becomes a top view."""

    def __init__(self, layout: Layout | None = None, circles: Sequence[Hole] = ()) -> None:
        self.layout, self.circles = layout, circles

    def __call__(self, image: Image) -> View:
        if self.layout is None:
            return view_of_circles(image, self.circles)
        return top_view(image, self.layout, register(image, self.layout).homography)


def rendered_layout(truth: dict[str, Any]) -> Layout:
    """The board of a rendered picture, from its truth file."""
    board = truth["board"]
    holes = [
        (pit["store"], Hole(*pit["center_mm"], pit["radius_mm"], pit["half_length_y_mm"]))
        for pit in board["pits"]
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


def drawn_game(seed: int, plies: int) -> Iterator[tuple[Image, State]]:
    """A random game of Kalah from some way in, one picture a position."""
    layout, game, rng = shipped("two-by-six"), load("kalah"), np.random.default_rng(seed)
    scene, shot = Scene(layout, random_look(rng), rng), random_shot(rng)
    state, opening = game.start(), int(rng.integers(0, 12))
    for ply in range(opening + plies + 1):
        if ply >= opening:
            scene.set(state.counts)
            light = float(shot.exposure * rng.uniform(0.8, 1.2))
            yield photograph(scene, Shot(shot.corners, light, shot.blur, shot.noise), seed + ply), state
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
    parser.add_argument("--shared", type=Path, default=Path("../shared"), help="folder that holds boards/")
    parser.add_argument("--pictures", type=int, default=30, help="pictures to draw")
    parser.add_argument("--games", type=int, default=12, help="games to draw, of 6 pictures each")
    asked = parser.parse_args()
    console = Console()

    table = Table("pictures", *BANDS, "all", "within 1", "silent", "whole boards", "ms", title="exact counts")
    boards = asked.shared / "boards"
    sources: dict[str, Iterator[tuple[Image, Looks, list[int | None]]]] = {"drawn": drawn(asked.pictures)}
    if boards.is_dir():
        sources["rendered"] = rendered(boards / "rendered")
        sources["real boards"] = real(boards / "real")
        sources["real pits"] = crops(boards / "real" / "pits")
    else:
        console.print(f"{boards} is not there: only drawn pictures are measured")
    for name, source in sources.items():
        score = Score()
        for image, look, truth in source:
            score.add(image, look, truth)
        everything = [right for band in score.exact.values() for right in band]
        table.add_row(
            name,
            *(_share(score.exact[band]) for band in BANDS),
            _share(everything),
            _share(score.near),
            str(score.silent),
            _share(score.boards),
            f"{np.median(score.ms):.0f}",
        )
    console.print(table)

    games = Table("games", "moves", "right move", "and beats every slip of one seed", title="following Kalah")
    each = [follow(shipped("two-by-six"), drawn_game(seed, 5)) for seed in range(7000, 7000 + asked.games)]
    moves, legal, clean = (sum(column) for column in zip(*each, strict=True))
    games.add_row(f"drawn, {asked.games}", str(moves), str(legal), str(clean))
    if boards.is_dir():
        moves, legal, clean = follow(*rendered_game(boards / "rendered"))
        games.add_row("rendered, seqA", str(moves), str(legal), str(clean))
    console.print(games)


def _share(right: Sequence[bool]) -> str:
    return f"{sum(right)}/{len(right)} {np.mean(right):.0%}" if right else "none"


if __name__ == "__main__":
    main()
