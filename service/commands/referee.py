"""`pitwatch referee`: the pure referee over a recording."""

from pathlib import Path
from typing import Annotated

import typer


def referee(
    recording: Annotated[Path, typer.Argument(help="A .jsonl file of readings.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON.")] = False,
) -> None:
    """Say what happened in a recording, one event a line."""
    from json import dumps

    from referee.events import as_json
    from service.recording import referee_over

    for event in referee_over(recording):
        plain = as_json(event)
        if json:
            print(dumps(plain), flush=True)
        else:
            said = ", ".join(
                f"{name} {value}"
                for name, value in plain.items()
                if name not in ("event", "t", "player", "reasons")
            )
            print(f"{event.t:9.2f} s  {event.event}: {said}", flush=True)
