"""`pitwatch games`: what can be played, and by which rules."""

import json
from typing import Annotated

import typer


def games(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the games and their options, with defaults and values."""
    if as_json:
        from service.catalogue import catalogue

        print(json.dumps(catalogue(), ensure_ascii=False, indent=1))
        return

    from rich.console import Console
    from rich.table import Table

    from engine.games import describe, names

    console = Console(highlight=False)
    for description in map(describe, names()):
        console.print(f"\n[bold]{description.name}[/bold]  {description.title}")
        console.print(description.text, markup=False)
        table = Table("option", "default", "values", "meaning", box=None, padding=(0, 2, 0, 0))
        for option in description.options:
            default = json.dumps(option.default).strip('"')
            table.add_row(option.name, default, option.wanted, option.text)
        console.print(table)
