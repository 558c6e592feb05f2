"""`pitwatch simulate`: a simulated board behind a serial port."""

from pathlib import Path
from typing import Annotated

import typer


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
) -> None:
    """Simulate a board behind a serial port, and a hand that plays on it.

    Point 'pitwatch run --port' at the port in the first line of output. Output is JSON lines: what really
    happens on the board. Input is JSON lines: what the hand shall do, such as {"do": "play", "move": "C"},
    {"do": "mistake", "kind": "sown_short", "move": "C"}, {"do": "restore"} or {"do": "auto", "on": true}.
    It ends when its input is a pipe that closes.
    """
    import asyncio

    from engine import games
    from service.commands.perft import read_options
    from service.simulation.cells import CellSettings, read_fault
    from service.simulation.player import Habits
    from service.simulation.process import Process
    from service.simulation.simulation import Setting, Simulation

    setting = Setting(
        seed=seed,
        rate=rate,
        cv=cv,
        noise=noise,
        cells=CellSettings(crosstalk=crosstalk, faults=tuple(map(read_fault, fault or ()))),
        habits=Habits(auto=play == "random", mistake_rate=mistake_rate, match=match),
        start=start,
        round=round_,
        played=played,
        script="" if play in ("random", "none") else play,
    )
    simulation = Simulation(games.load(game, read_options(option or ())), setting)

    async def run() -> None:
        await Process(simulation, speed, link).run()

    asyncio.run(run())
