"""The games that can be played, as plain JSON values: for `pitwatch games --json` and the page."""

from functools import cache
from typing import Any

from engine.games import NUMBERS, Description, describe, names


@cache
def catalogue() -> tuple[dict[str, Any], ...]:
    """One entry a shipped game."""
    return tuple(entry(describe(name)) for name in names())


def entry(game: Description) -> dict[str, Any]:
    """A game's rules in words, with each option's default, values and meaning.

    An option that is a list of whole numbers has no values, but a `pattern`: what its text must match.
    """
    return {
        "game": game.name,
        "title": game.title,
        "source": game.source,
        "text": game.text,
        "rounds": "rounds" in game.rules,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "values": None if option.numbers else list(option.choices),
                **({"pattern": NUMBERS} if option.numbers else {}),
                "text": option.text,
            }
            for option in game.options
        ],
    }
