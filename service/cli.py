"""The command `pitwatch`: what it is called with, and how it ends.

Exit status 0 is good, 1 a negative finding, 2 bad input with one sentence on stderr, 130 an interruption.
Each command stands in a module of its own under `service.commands` and imports what is heavy when it runs.
"""

import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from engine.errors import PitwatchError
from service.commands.count import count
from service.commands.doctor import doctor
from service.commands.engine import engine
from service.commands.export import export
from service.commands.games import games
from service.commands.perft import perft
from service.commands.referee import referee
from service.commands.run import run
from service.commands.simulate import simulate

app = typer.Typer(
    name="pitwatch",
    help="A referee for mancala games played with real seeds on a real board.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"pitwatch {version('pitwatch')}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """A referee for mancala games played with real seeds on a real board."""


for _command in (run, games, engine, perft, count, referee, export, simulate, doctor):
    app.command()(_command)


def main() -> None:
    """The console script."""
    try:
        app()
    except PitwatchError as error:
        _fail(str(error))
    except BrokenPipeError:
        _hush()
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _hush()


def _fail(sentence: str) -> None:
    print("pitwatch: " + " ".join(sentence.split()), file=sys.stderr)
    sys.exit(2)


def _hush() -> None:
    """Let the interpreter flush stdout into nothing when it ends: its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
