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
    from vision.rectify import View

MOST = 60
"""Counts above this are never told from one picture: such a heap shows only its surface."""


def count(
    images: Annotated[
        list[Path], typer.Argument(help="Pictures of a board: JPEG or PNG.", metavar="IMAGE ..")
    ],
    board: Annotated[
        str | None, typer.Option("--board", help="Name of a shipped board, or a board file; with markers.")
    ] = None,
    pits: Annotated[
        Path | None,
        typer.Option(
            "--pits", help="JSON file with `pits`, circles x, y, radius in pixels; without markers."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line a picture.")] = False,
) -> None:
    """Count the seeds in pictures of a board, each picture by itself."""
    if (board is None) == (pits is None):
        raise BadInput(
            "count wants either --board or --pits: name a board, or a file that says where the pits are"
        )
    look, wanted = _with_pits(pits) if pits is not None else _with_board(str(board))

    good, told = 0, True
    for path in images:
        try:
            found = _count(path, look, wanted)
        except BadInput as error:
            sentence = str(error) if str(path) in str(error) else f"picture {path}: {error}"
            print(f"pitwatch: {sentence}", file=sys.stderr)
            continue
        good += 1
        told = told and any(number is not None for number in found["pits"])
        if as_json:
            print(json.dumps(found))
        else:
            _show(path, found)
    if good < len(images):
        raise typer.Exit(2)
    if not told:
        raise typer.Exit(1)


def _with_board(name: str) -> "tuple[Callable[[Image], View], int]":
    """How to look at a picture with markers, and how many of the holes are pits."""
    from service.boardfile import board
    from vision.markers import register
    from vision.rectify import top_view

    layout = board(name)
    return lambda image: top_view(image, layout, register(image, layout).homography), len(layout.pits)


def _with_pits(path: Path) -> "tuple[Callable[[Image], View], int]":
    """How to look at a picture whose pits are given, and how many there are."""
    from service.boardfile import load_circles
    from vision.rectify import view_of_circles

    circles = load_circles(path)
    return lambda image: view_of_circles(image, circles), len(circles)


def _count(path: Path, look: "Callable[[Image], View]", pits: int) -> dict[str, Any]:
    from vision.count import best, likelihoods
    from vision.frames import read_image
    from vision.stones import measure

    image = read_image(path)
    start = perf_counter()
    rows = likelihoods(measure(look(image)), MOST)
    each = [best(row) for row in rows]
    took = perf_counter() - start
    numbers = [number for number, _ in each]
    return {
        "pits": numbers[:pits],
        "stores": numbers[pits:],
        "certainty": [certainty for _, certainty in each],
        "ms": round(1000 * took, 1),
    }


def _show(path: Path, found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    pits = len(found["pits"])
    table = Table("hole", "seeds", "certainty", title=str(path), title_justify="left", box=None)
    for hole, (number, certainty) in enumerate(
        zip(found["pits"] + found["stores"], found["certainty"], strict=True)
    ):
        name = f"pit {hole}" if hole < pits else f"store {hole - pits}"
        table.add_row(name, "cannot tell" if number is None else str(number), f"{certainty:.0%}")
    console = Console(highlight=False)
    console.print(table)
    console.print(f"counted in {found['ms']:.0f} ms\n")
