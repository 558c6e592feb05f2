"""The games that can be played, as plain JSON values: for `pitwatch games --json` and the page."""

from functools import cache
from typing import Any

from engine.games import Option, Value, describe, names


@cache
def catalogue() -> tuple[dict[str, Any], ...]:
    """One entry a game, with each option's default, values and meaning."""
    return tuple(
        {
            "game": game.name,
            "title": game.title,
            "source": game.source,
            "text": game.text,
            "options": [
                {
                    "name": option.name,
                    "default": option.default,
                    "values": _values(option),
                    "text": option.text,
                }
                for option in game.options
            ],
        }
        for game in map(describe, names())
    )


def _values(option: Option) -> list[Value]:
    """All values an option can have."""
    if isinstance(option.default, bool):
        return [False, True]
    if isinstance(option.default, int):
        return list(range(option.least, option.most + 1))
    return list(option.values)
