"""The games, as data: one TOML file each, read into a `Game`.

A file has `title`, `source`, `text`, a table `options` (default, bounds or values, and a text each), and two
tables that become `Board` and `Rules`. In these `"$name"` stands for the value of an option and `"!name"`
for its opposite.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

from engine.errors import BadInput
from engine.game import Game
from engine.rules import Board, ByCount, Capture, Facing, Rules, own_loops, shared_ring, two_rows

Value = bool | int | str
_SHAPES: Mapping[str, Callable[..., Board]] = {
    "two_rows": two_rows,
    "shared_ring": shared_ring,
    "own_loops": own_loops,
}


@dataclass(frozen=True, slots=True)
class Option:
    """A rule that players may choose."""

    name: str
    default: Value
    text: str
    values: tuple[Value, ...] = ()
    """All that may be chosen, for a word; empty for a number or a yes or no."""
    least: int = 0
    most: int = 0

    def read(self, given: object) -> Value:
        """The value that `given`, or its text on a command line, stands for.

        Raises:
            BadInput: it is none of the values this option has.
        """
        value: object = given
        if isinstance(given, str) and not isinstance(self.default, str):
            value = {"true": True, "false": False}.get(given.lower(), given)
            if value is given and given.isascii() and given.isdigit():
                value = int(given)
        if type(value) is type(self.default) and self._holds(value):
            assert isinstance(value, bool | int | str)
            return value
        raise BadInput(f"option {self.name} cannot be {given!r}: {self.wanted} was expected")

    def _holds(self, value: object) -> bool:
        if isinstance(value, bool):
            return True
        if isinstance(value, int):
            return self.least <= value <= self.most
        return value in self.values

    @property
    def wanted(self) -> str:
        """The values in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a whole number from {self.least} to {self.most}"
        return " or ".join(str(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Description:
    """A game before its options are chosen."""

    name: str
    title: str
    source: str
    text: str
    options: tuple[Option, ...]
    board: Mapping[str, Any]
    rules: Mapping[str, Any]


def names() -> tuple[str, ...]:
    """The games that come with Pitwatch."""
    return tuple(
        sorted(
            file.name.removesuffix(".toml")
            for file in files(__name__).iterdir()
            if file.name.endswith(".toml")
        )
    )


def describe(name: str) -> Description:
    """The description of a shipped game.

    Raises:
        BadInput: there is no such game.
    """
    if name not in names():
        raise BadInput(f"unknown game {name!r}: one of {', '.join(names())} was expected")
    return read(name, (files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))


def read(name: str, text: str) -> Description:
    """The description in a game file's text.

    Raises:
        BadInput: the text is not TOML, or lacks or adds a key.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"game file {name} is not TOML: {error}") from error
    wanted = {"title", "source", "text", "options", "board", "rules"}
    if data.keys() != wanted:
        odd = ", ".join(sorted(data.keys() ^ wanted))
        raise BadInput(f"game file {name}: these keys are missing or not known: {odd}")
    options = []
    for key, table in data["options"].items():
        known = {field.name for field in fields(Option)} - {"name"}
        if not isinstance(table, dict) or not {"default", "text"} <= table.keys() <= known:
            raise BadInput(f"game file {name}: option {key} wants default and text, and may have {known}")
        values = tuple(table.get("values", ()))
        options.append(Option(name=key, **{**table, "values": values}))
    return Description(
        name=name,
        title=data["title"],
        source=data["source"],
        text=data["text"].strip(),
        options=tuple(options),
        board=data["board"],
        rules=data["rules"],
    )


def load(name: str, options: Mapping[str, object] | None = None) -> Game:
    """A shipped game with the given options, the others at their defaults.

    Raises:
        BadInput: no such game, no such option, or a value it does not have.
    """
    return build(describe(name), options or {})


def build(description: Description, options: Mapping[str, object]) -> Game:
    """The game of a description with the given options.

    Raises:
        BadInput: no such option, a value it does not have, or a contradiction.
    """
    known = {option.name: option for option in description.options}
    for key in options:
        if key not in known:
            raise BadInput(f"{description.name} has no option {key!r}: it has {', '.join(known)}")
    chosen = {key: option.read(options.get(key, option.default)) for key, option in known.items()}
    try:
        board = {key: _fill(value, chosen) for key, value in description.board.items()}
        rules = {key: _fill(value, chosen) for key, value in description.rules.items()}
        shape = _SHAPES[board.pop("shape")]
        if "capture" in rules:
            rules["capture"] = _capture(rules["capture"])
        if "directions" in rules:
            rules["directions"] = tuple(rules["directions"])
        return Game(description.name, chosen, Rules(board=shape(**board), **rules))
    except (TypeError, KeyError) as error:
        raise BadInput(f"game file {description.name} does not fit: {error}") from error


def _fill(value: Any, chosen: Mapping[str, Value]) -> Any:
    """Put the chosen options where a game file names them."""
    if isinstance(value, dict):
        return {key: _fill(inner, chosen) for key, inner in value.items()}
    if isinstance(value, str) and value.startswith("$"):
        return chosen[value[1:]]
    if isinstance(value, str) and value.startswith("!"):
        return not chosen[value[1:]]
    return value


def _capture(table: Mapping[str, Any]) -> Capture:
    ((kind, values),) = table.items()
    if kind == "facing":
        return Facing(**values)
    if kind == "by_count":
        return ByCount(**{**values, "sizes": tuple(values["sizes"])})
    raise KeyError(f"capture {kind!r}: facing or by_count was expected")
