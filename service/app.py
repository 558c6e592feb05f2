"""The commands of `pitwatch`, and what they have in common.

Each stands in a module of its own under `service.commands` and imports what is heavy when it runs.
"""

from importlib.metadata import version
from typing import Annotated

import typer

from service.commands.calibrate import calibrate
from service.commands.calibrate_camera import camera
from service.commands.count import count
from service.commands.doctor import doctor
from service.commands.drawings import drawings
from service.commands.engine import engine
from service.commands.export import export
from service.commands.flash import flash
from service.commands.games import games
from service.commands.markers import markers
from service.commands.perft import perft
from service.commands.referee import referee
from service.commands.run import run
from service.commands.simulate import simulate

app = typer.Typer(
    name="pitwatch",
    help="A referee for mancala games played with real seeds on a real board.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"pitwatch {version('pitwatch')}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """A referee for mancala games played with real seeds on a real board."""
    if context.invoked_subcommand is None:
        print(context.get_help())


for _command in (
    run,
    games,
    engine,
    perft,
    count,
    referee,
    export,
    simulate,
    flash,
    doctor,
    drawings,
    markers,
):
    app.command()(_command)
calibrate.command()(camera)
app.add_typer(calibrate, name="calibrate")
