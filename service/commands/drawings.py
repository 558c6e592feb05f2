"""`pitwatch drawings`: what a maker builds a weighing board from."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import BadInput


def drawings(
    board: Annotated[str, typer.Option("--board", help="Name of a shipped board, or a board file.")],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="A folder for base.svg, top.svg, cups.svg, wiring.svg, parts.md."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the wiring table as JSON.")] = False,
) -> None:
    """Draw base, top, cups and wiring of a board with load cells, to scale, and print its wiring table."""
    from hardware import drawings as drawn
    from service.boardfile import board as find_board

    layout = find_board(board)
    wires = drawn.wires(layout)
    sheets = {"base": drawn.base, "top": drawn.top, "cups": drawn.cups, "wiring": drawn.wiring}
    files = {f"{name}.svg": str(sheet(layout)) for name, sheet in sheets.items()}
    parts = drawn.table(("how many", "what", "to what end"), drawn.parts(layout))
    files["parts.md"] = f"# {layout.name}\n\n{parts}\n\n{drawn.wiring_table(layout)}"
    if to is not None:
        _write(to, files)
    if as_json:
        print(json.dumps([asdict(wire) for wire in wires], indent=1))
    else:
        print(drawn.wiring_table(layout), end="")


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"the drawings cannot be written to {folder} ({error.strerror}): name another folder with --to"
        ) from error
