"""`pitwatch games`: what can be played, and by which rules."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.games import Option, Value


def games(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the games and their options, with defaults and values."""
    from engine.games import describe, names

    descriptions = [describe(name) for name in names()]
    if as_json:
        plain = [
            {
                "game": description.name,
                "title": description.title,
                "source": description.source,
                "text": description.text,
                "options": [
                    {
                        "name": option.name,
                        "default": option.default,
                        "values": _values(option),
                        "text": option.text,
                    }
                    for option in description.options
                ],
            }
            for description in descriptions
        ]
        print(json.dumps(plain, ensure_ascii=False, indent=1))
        return

    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for description in descriptions:
        console.print(f"\n[bold]{description.name}[/bold]  {description.title}")
        console.print(description.text, markup=False)
        table = Table("option", "default", "values", "meaning", box=None, padding=(0, 2, 0, 0))
        for option in description.options:
            default = json.dumps(option.default).strip('"')
            table.add_row(option.name, default, option.wanted, option.text)
        console.print(table)


def _values(option: "Option") -> "list[Value]":
    """All values an option can have."""
    if isinstance(option.default, bool):
        return [False, True]
    if isinstance(option.default, int):
        return list(range(option.least, option.most + 1))
    return list(option.values)
