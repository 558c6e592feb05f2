"""`pitwatch count`: how many seeds lie in each hole of a picture."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput

if TYPE_CHECKING:
    from vision import Image
    from vision.counter import Counter
    from vision.rectify import View

MOST = 60
"""Counts above this are never told from one picture: such a heap shows only its surface."""

Look = Callable[["Image"], tuple["View", tuple[str, ...]]]
"""A picture to its top view, and what is not as it should be about where the board lies."""


def count(
    images: Annotated[list[Path], typer.Argument(help="Pictures of a board: JPEG or PNG.", metavar="IMAGE")],
    board: Annotated[
        str | None, typer.Option("--board", help="Name of a shipped board, or a board file.")
    ] = None,
    corners: Annotated[
        str | None,
        typer.Option(
            "--corners",
            help="With --board, for pictures without markers: the board's corners in pixels, clockwise "
            "from the top left, as 'x,y x,y x,y x,y'.",
        ),
    ] = None,
    pits: Annotated[
        Path | None,
        typer.Option(
            "--pits",
            help="Instead of --board, for pictures without markers: a JSON file with `pits`, circles "
            "x, y, radius in pixels.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line a picture.")] = False,
) -> None:
    """Count the seeds in pictures of a board, each picture by itself."""
    if (board is None) == (pits is None):
        raise BadInput(
            "count wants either --board or --pits: name a board, or a file that says where the pits are"
        )
    if pits is not None and corners is not None:
        raise BadInput("--corners says where a board lies: give --board with it, not --pits")
    look, names = _with_board(board, corners) if board is not None else _with_pits(pits or Path())

    from vision.counter import Counter

    counter = Counter()
    good, told = 0, True
    for path in images:
        try:
            found = _count(path, look, names, counter)
        except BadInput as error:
            sentence = str(error) if str(path) in str(error) else f"picture {path}: {error}"
            print(f"pitwatch: {sentence}", file=sys.stderr)
            continue
        good += 1
        told = told and any(number is not None for number in found["pits"])
        if as_json:
            print(json.dumps(found), flush=True)
        else:
            _show(found, names)
    if good < len(images):
        raise typer.Exit(2)
    if not told:
        raise typer.Exit(1)


def _with_board(name: str, corners: str | None) -> tuple[Look, tuple[str, ...]]:
    """How to look at a picture of a board, and what its holes are called."""
    import numpy as np

    from service.boardfile import board
    from service.boards import hole_names
    from vision.markers import from_board_corners, register
    from vision.rectify import top_view

    layout = board(name)
    given = None if corners is None else from_board_corners(points(corners), layout)
    holes = np.array([(hole.x, hole.y) for hole in layout.holes])

    def look(image: "Image") -> "tuple[View, tuple[str, ...]]":
        place = given or register(image, layout)
        if given:
            middles = given.to_picture(holes)
            inside = ((middles >= 0) & (middles < image.shape[1::-1])).all(axis=1)
            if not inside.all():
                height, width = image.shape[:2]
                raise BadInput(
                    f"--corners puts {(~inside).sum()} of the {len(middles)} holes outside a picture of "
                    f"{width} by {height} pixels: give the corners in pixels of this picture"
                )
        view = top_view(image, layout, place)
        return view, place.notes

    return look, hole_names(layout)


def _with_pits(path: Path) -> tuple[Look, tuple[str, ...]]:
    """How to look at a picture whose pits are given, and what these are called."""
    from service.boardfile import load_circles
    from vision.rectify import view_of_circles

    circles = load_circles(path)

    def look(image: "Image") -> "tuple[View, tuple[str, ...]]":
        return view_of_circles(image, circles), ()

    return look, tuple(f"pit {pit}" for pit in range(len(circles)))


def points(text: str) -> list[tuple[float, float]]:
    """Four corners as they are written.

    Raises:
        BadInput: it is not so written.
    """
    try:
        return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]
    except ValueError as error:
        raise BadInput(f"--corners {text!r} was given: write them as 'x,y x,y x,y x,y'") from error


def _count(path: Path, look: Look, names: tuple[str, ...], counter: "Counter") -> dict[str, Any]:
    from vision.ailments import ailments, untold
    from vision.count import best
    from vision.counter import said_of
    from vision.frames import read_image

    image = read_image(path)
    start = perf_counter()
    view, notes = look(image)
    ails = ailments(view)
    rows = said_of(view, counter, MOST)
    rows[untold(ails)] = 0.0
    each = [best(row) for row in rows]
    took = perf_counter() - start
    numbers = [number for number, _ in each]
    pits = sum("store" not in name for name in names)
    return {
        "image": str(path),
        "pits": numbers[:pits],
        "stores": numbers[pits:],
        "certainty": [certainty for _, certainty in each],
        "ms": round(1000 * took, 1),
        "notes": [*notes, *(ailment.sentence(names) for ailment in ails)],
    }


def _show(found: dict[str, Any], names: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("hole", "seeds", "certainty", box=None)
    for name, number, certainty in zip(
        names, found["pits"] + found["stores"], found["certainty"], strict=True
    ):
        table.add_row(name, "cannot tell" if number is None else str(number), f"{certainty:.0%}")
    console = Console(highlight=False, markup=False)
    console.print(found["image"], soft_wrap=True)
    console.print(table)
    for note in found["notes"]:
        console.print(note, soft_wrap=True)
    console.print(f"counted in {found['ms']:.0f} ms\n")
