"""`pitwatch simulate`: a simulated board behind a serial port."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.game import Game
    from service.simulation.film import Film

FRAMES = 5.0
"""Pictures a second of the simulated camera."""


def simulate(
    game: Annotated[str, typer.Option(help="One of the games of 'pitwatch games'.")] = "kalah",
    option: Annotated[
        list[str] | None, typer.Option("-o", "--option", metavar="NAME=VALUE", help="An option of the game.")
    ] = None,
    play: Annotated[
        str, typer.Option(help="What the hand plays: random, none, or moves such as 'C A sown_short:F b'.")
    ] = "random",
    match: Annotated[
        bool, typer.Option("--match", help="Lay out the next round of a game that has rounds.")
    ] = False,
    start: Annotated[str, typer.Option(help="A position that the game starts from (docs/record.md).")] = "",
    round_: Annotated[int, typer.Option("--round", help="Of a match, which one starts from there.")] = 1,
    played: Annotated[str, typer.Option(help="Moves that lie on the board already.")] = "",
    mistake_rate: Annotated[float, typer.Option(help="How often a random move goes wrong, 0 to 1.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Of every random number: the same seed, the same game.")] = 0,
    speed: Annotated[
        float, typer.Option(help="Virtual seconds a real one; 0 for as fast as the port is read.")
    ] = 1.0,
    rate: Annotated[int, typer.Option(help="Readings a second: 10 or 80.")] = 80,
    cv: Annotated[
        float, typer.Option(help="Standard deviation of the stones' masses over their mean.")
    ] = 0.1,
    noise: Annotated[float, typer.Option(help="Standard deviation of one reading, in stones.")] = 0.05,
    crosstalk: Annotated[
        float, typer.Option(help="Share of a pit's load that its neighbours feel, 0 to 0.1.")
    ] = 0.001,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="A cell with a fault, such as rating:4, dead:1 or swapped:2:3.", metavar="KIND:CELL"
        ),
    ] = None,
    link: Annotated[
        Path | None, typer.Option(help="A path that shall lead to the port, even after plugging it in again.")
    ] = None,
    sensors: Annotated[
        str, typer.Option(help="What watches the board: scale, camera (a stream of pictures), or both.")
    ] = "scale",
    board: Annotated[
        str | None, typer.Option(help="The board that the camera shows: a shipped one or a board file.")
    ] = None,
) -> None:
    """Simulate a board behind a serial port, and a hand that plays on it.

    Point 'pitwatch run --port' at the port in the first line of output. Output is JSON lines: what really
    happens on the board. Input is JSON lines: what the hand shall do, such as {"do": "play", "move": "C"},
    {"do": "mistake", "kind": "sown_short", "move": "C"}, {"do": "restore"} or {"do": "auto", "on": true}.
    It ends when its input is a pipe that closes. With a camera, the first line has the address of its stream.
    """
    import asyncio

    from engine import games
    from engine.errors import BadInput
    from service.commands.perft import read_options
    from service.simulation.cells import CellSettings, read_fault
    from service.simulation.player import Habits
    from service.simulation.process import Process
    from service.simulation.simulation import Setting, Simulation

    if sensors not in ("scale", "camera", "both"):
        raise BadInput(f"--sensors {sensors!r} is not known: scale, camera or both was expected")
    filmed = sensors != "scale"
    if filmed and speed != 1:
        raise BadInput(f"--speed is {speed:g}: a board with a camera keeps the time of a clock, speed 1")
    setting = Setting(
        seed=seed,
        rate=rate,
        cv=cv,
        noise=noise,
        frames=FRAMES if filmed else 0.0,
        cells=CellSettings(crosstalk=crosstalk, faults=tuple(map(read_fault, fault or ()))),
        habits=Habits(auto=play == "random", mistake_rate=mistake_rate, match=match),
        start=start,
        round=round_,
        played=played,
        script="" if play in ("random", "none") else play,
    )
    simulation = Simulation(games.load(game, read_options(option or ())), setting)

    camera = partial(_film, seed=seed, board=board) if filmed else None
    if camera:
        camera(simulation.game)  # a board that does not fit is said before anything begins

    async def run() -> None:
        await Process(simulation, speed, link, camera, weighs=sensors != "camera").run()

    asyncio.run(run())


def _film(game: "Game", seed: int, board: str | None) -> "Film":
    """What films the board of a game: wood, stones, light and skin follow from the seed.

    Raises:
        BadInput: the board is not known, or has other holes.
    """
    import numpy as np

    from service.boardfile import board as find_board
    from service.boards import board_for, used
    from service.simulation.film import Film, Scenery

    rng = np.random.default_rng(seed)
    layout, _ = used(find_board(board) if board else board_for(game), game)
    return Film(rng, layout, Scenery.drawn(rng))
