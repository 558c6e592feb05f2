"""The games that can be played, as plain JSON values: for `pitwatch games --json` and the page."""

from functools import cache
from typing import Any

from engine.games import Description, describe, names


@cache
def catalogue() -> tuple[dict[str, Any], ...]:
    """One entry a shipped game."""
    return tuple(entry(describe(name)) for name in names())


def entry(game: Description) -> dict[str, Any]:
    """A game's rules in words, with each option's default, values and meaning."""
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
                "values": list(option.choices),
                "text": option.text,
            }
            for option in game.options
        ],
    }
