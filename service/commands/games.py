"""`pitwatch games`: what can be played, and by which rules."""

import json
import sys
from typing import Annotated

import typer

from engine.errors import BadInput


def games(
    game: Annotated[
        list[str] | None, typer.Argument(help="Which games, or paths of game files; all if left out.")
    ] = None,
    language: Annotated[str, typer.Option(help="Of the rules: en, nl or de.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the games and their options, with defaults and values."""
    from engine.games import LANGUAGES, describe, names

    spoken = next((one for one in LANGUAGES if one == language), None)
    if spoken is None:
        raise BadInput(f"language {language!r} is not known: {', '.join(LANGUAGES)} was expected")
    descriptions = [describe(name, spoken) for name in game or names()]
    for one in descriptions:
        if not one.translated:
            sentence = f"{one.name} has no text in {spoken}: it is told as it is written"
            print(f"pitwatch: {sentence}", file=sys.stderr)
    if as_json:
        from service.catalogue import entry

        print(json.dumps([entry(one) for one in descriptions], ensure_ascii=False, indent=1))
        return

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    for description in descriptions:
        # As `Text`, which is printed as it stands: brackets and colons in a file's words are no markup.
        console.print("", Text.assemble((description.name, "bold"), "  ", description.title), sep="\n")
        console.print(Text(description.text))
        table = Table("option", "default", "values", "meaning", box=None, padding=(0, 2, 0, 0))
        for option in description.options:
            default = json.dumps(option.default, ensure_ascii=False).strip('"')
            table.add_row(*map(Text, (option.name, default, option.wanted, option.text)))
        console.print(table)
