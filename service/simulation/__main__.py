"""`python -m service.simulation`: the same as `pitwatch simulate`."""

import sys

import typer

from engine.errors import PitwatchError
from service.commands.simulate import simulate

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(simulate)

if __name__ == "__main__":
    try:
        app()
    except PitwatchError as error:
        print(f"pitwatch: {error}", file=sys.stderr)
        sys.exit(2)
