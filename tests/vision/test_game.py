"""A game seen by a camera: frames of a folder in, the moves that were made out, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from engine.games import load
from engine.layout import Layout
from referee.events import Event, MoveMade, Question, Violation
from referee.referee import Referee
from service.sources import FileSource, Read
from service.watch import Watch
from tests.vision.draw import Look, Scene, Shot, photograph
from vision.camera import Camera
from vision.frames import FolderFrames

GAME = (
    ("", (4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0)),
    # D E F and the store: South moves again
    ("C", (4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4, 1, 0)),
    # B C D E
    ("A", (0, 5, 1, 6, 6, 5, 4, 4, 4, 4, 4, 4, 1, 0)),
    # f, the store, A, B
    ("e", (1, 6, 1, 6, 6, 5, 4, 4, 4, 4, 0, 5, 1, 1)),
    ("A", (0, 7, 1, 6, 6, 5, 4, 4, 4, 4, 0, 5, 1, 1)),
    # b c d e: e was empty, so its seed and the seven of B, which faces it, are North's
    ("a", (0, 0, 1, 6, 6, 5, 0, 5, 5, 5, 0, 5, 1, 9)),
)
"""A game of Kalah worked by hand: each move, and the board after it."""


def draw(layout: Layout, folder: Path, boards: Sequence[Sequence[int]], look: Look) -> None:
    """One picture a board; the light changes a little from one to the next."""
    scene = Scene(layout, look, np.random.default_rng(5))
    for number, counts in enumerate(boards):
        scene.set(counts)
        image = photograph(scene, Shot(exposure=1.0 + 0.06 * (number % 3 - 1)), number)
        assert cv2.imwrite(str(folder / f"{number:02}.png"), image)


async def referee_over(folder: Path, layout: Layout, looks: int = 6) -> list[Event]:
    """What the referee says of Kalah over the pictures of a folder."""
    referee = Referee(load("kalah"))
    watch = Watch(referee, {"camera": Camera(layout, referee.counts, referee.state.counts)})
    events = referee.start(0.0)
    async for reading in FileSource(FolderFrames(folder, looks * 0.5), "pictures", looks, 0.5).readings():
        if isinstance(reading, Read):
            events += watch.read(reading.t, reading.value, "camera")
    return events


def moves(events: Sequence[Event]) -> list[tuple[str, tuple[int, ...]]]:
    return [(event.move, event.pits + event.stores) for event in events if isinstance(event, MoveMade)]


def troubles(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, Violation | Question)]


async def test_a_game_is_refereed_as_it_was_played(layout: Layout, tmp_path: Path) -> None:
    draw(layout, tmp_path, [board for _, board in GAME], Look())
    events = await referee_over(tmp_path, layout)
    assert troubles(events) == []
    assert moves(events) == list(GAME[1:])
    made = [event for event in events if isinstance(event, MoveMade)]
    assert [event.player for event in made] == [0, 0, 1, 0, 1]
    assert made[-1].captured == ((1, 7), (10, 1)) or made[-1].captured == ((10, 1), (1, 7))


async def test_a_seed_in_the_wrong_pit_is_no_move(layout: Layout, tmp_path: Path) -> None:
    """The camera sees fouls too: C is sown as D E F F, and the store gets nothing."""
    wrong = (4, 4, 0, 5, 5, 6, 4, 4, 4, 4, 4, 4, 0, 0)
    draw(layout, tmp_path, [GAME[0][1], wrong, wrong, GAME[1][1], GAME[1][1]], Look())
    events = await referee_over(tmp_path, layout)
    kinds = [event.kind for event in events if isinstance(event, Violation)]
    assert kinds == ["sown_short"]
    assert moves(events) == [GAME[1]]
    assert [event.event for event in events].index("violation") < [e.event for e in events].index("mended")
