"""`pitwatch perft`: the number of move sequences, to check the rules against other programs."""

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from engine.errors import BadInput


def perft(
    game: Annotated[str, typer.Argument(help="One of the games of 'pitwatch games'.")],
    depth: Annotated[int, typer.Argument(help="Moves in each sequence, from 0.")],
    option: Annotated[
        list[str] | None, typer.Option("-o", "--option", metavar="NAME=VALUE", help="An option of the game.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count the move sequences of a length, from the start.

    A finished game counts where it ended at exactly that length; a pass is a move; an extra turn is a
    further move.
    """
    from engine import games

    if depth < 0:
        raise BadInput(f"depth is {depth}: 0 or more was expected")
    chosen = games.load(game, read_options(option or ()))
    try:
        nodes = chosen.perft(chosen.start(), depth)
    except RecursionError as error:
        raise BadInput(f"depth {depth} is more than can be walked: name a smaller one") from error
    if as_json:
        plain = {"game": chosen.name, "options": dict(chosen.options), "depth": depth, "nodes": nodes}
        print(json.dumps(plain))
    else:
        print(nodes)


def read_options(pairs: Sequence[str]) -> dict[str, object]:
    """The options of `-o name=value` words.

    Raises:
        BadInput: a word is no pair, or an option is given twice.

    >>> read_options(["seeds=3", "pie=true"])
    {'seeds': '3', 'pie': 'true'}
    """
    options: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise BadInput(f"option {pair!r} is not name=value, as in seeds=3")
        if name in options:
            raise BadInput(f"option {name} is given twice: leave one out")
        options[name] = value
    return options
