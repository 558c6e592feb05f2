"""`pitwatch markers`: a sheet of the corner markers, to print."""

from pathlib import Path
from typing import Annotated

import typer

from engine.errors import BadInput


def markers(
    to: Annotated[Path, typer.Option("--to", help="The PDF to write.")] = Path("markers.pdf"),
    board: Annotated[
        str, typer.Option("--board", help="Name of a shipped board, or a board file.")
    ] = "two-by-six",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
) -> None:
    """Write a PDF with the four markers of a board to scale, and a bar to check the print by."""
    from hardware.markersheet import BAR_MM, sheet
    from service.boardfile import board as find_board

    data = sheet(find_board(board), paper)
    try:
        to.write_bytes(data)
    except OSError as error:
        raise BadInput(f"{to} cannot be written ({error.strerror}): name another file with --to") from error
    print(f"{to}: print it at 100 %, and check that its bar is {BAR_MM:.0f} mm long")
