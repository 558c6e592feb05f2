"""TOML that people write: games, boards, settings. Whatever the text holds, tables or one sentence."""

import re
import tomllib
from typing import Any

from engine.errors import BadInput, shown

MOST_DIGITS = 9
"""Longer whole numbers are none that anything here could want."""
_DEEPEST = 20
"""Tables and lists in each other."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def read_toml(text: str, what: str) -> dict[str, Any]:
    """The tables of a text.

    Args:
        what: whose text it is, for the sentences.

    Raises:
        BadInput: it is not TOML, is nested too deeply, or has a number that is too long or a character that
            cannot be printed.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{what} is not TOML: {error}; mend that place") from error
    except ValueError as error:  # more digits than Python turns into a number
        raise BadInput(f"{what} has a number of more than {MOST_DIGITS} digits: shorten it") from error
    except RecursionError as error:
        raise BadInput(_too_deep(what)) from error
    _check(tables, what, "", 0)
    return tables


def _check(value: object, what: str, key: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise BadInput(_too_deep(what))
    match value:
        case dict():
            for name, inner in value.items():
                place = f"{key}.{name}" if key else name
                if _CONTROL.search(name):
                    raise BadInput(f"{what}: the key {place!r} has a control character in it: take it out")
                _check(inner, what, place, depth + 1)
        case list():
            for inner in value:
                _check(inner, what, key, depth + 1)
        case str() if odd := _CONTROL.search(value):
            raise BadInput(f"{what}: {key} has the control character {odd[0]!r} in it: take it out")
        case int() if abs(value) >= 10**MOST_DIGITS:
            raise BadInput(
                f"{what}: {key} is {shown(value)}: a number of at most {MOST_DIGITS} digits was expected"
            )


def _too_deep(what: str) -> str:
    return f"{what} has more than {_DEEPEST} tables or lists in each other: take some out"
