"""The games, as data: one TOML file each, read into a `Game`.

A file has `title`, `source`, `text`, a table `options` (default, bounds or values, and a text each), and two
tables that become `Board` and `Rules`; in the latter, `rounds` says how a match goes on. `"$name"` stands for
the value of an option, `"!name"` for its opposite, and a table whose only key is `"$name"` is looked up by
that value. What the table of an option leaves out is taken from `_options.toml`. `contradictions` lists
choices that exclude each other. A text is a string, or a table by language: `en`, `nl`, `de`.

A player's own file is named by its path. It is such a file, or it has a `base`, one of the games, and a table
`rules` of that game's options:

    base = "oware"
    title = "Oware at our club"
    [rules]
    grand_slam = "forbidden"
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import BadInput, shown
from engine.game import Game
from engine.games.made import made
from engine.rules import (
    Board,
    ByCount,
    Capture,
    Claim,
    Conquest,
    Facing,
    House,
    Refill,
    Resown,
    Rules,
    Turnback,
    own_loops,
    shared_ring,
    two_rows,
)
from engine.sowing import MOST_SEEDS
from engine.toml import MOST_DIGITS, read_toml

Value = bool | int | str
Language = Literal["en", "nl", "de"]
"""English, Dutch, German."""
LANGUAGES: tuple[Language, ...] = get_args(Language)
_EVEN = tuple(range(2, MOST_SEEDS + 1, 2))
NUMBERS = rf"([0-9]{{1,{MOST_DIGITS}}}([ ,]+[0-9]{{1,{MOST_DIGITS}}})*)?"
"""How a list of whole numbers may be written, as a regular expression."""
MOST_VALUES = 1000
"""That an option offers to choose from."""
_SHAPES: Mapping[str, Callable[..., Board]] = {
    "two_rows": two_rows,
    "shared_ring": shared_ring,
    "own_loops": own_loops,
}

_CAPTURES: Mapping[str, Callable[..., Capture]] = {"facing": Facing, "by_count": ByCount, "claim": Claim}
_PARTS: Mapping[str, Mapping[str, Callable[..., object]]] = {
    "resown": {"": Resown},
    "turnback": {"": Turnback},
    "house": {"": House},
    "rounds": {"conquest": Conquest, "refill": Refill},
}
"""Tables of the rules that become values: of what, by the name of their kind where there are several."""


@dataclass(frozen=True, slots=True)
class Option:
    """A rule that players may choose."""

    name: str
    default: Value
    text: str
    values: tuple[Value, ...] = ()
    """All that may be chosen, where it is not a yes or no, a range or a list."""
    least: int = 0
    most: int = 0
    numbers: bool = False
    """A list of whole numbers, written as text: `0 1 0 1`."""
    default_by: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """By the name and the value of another option: the default that goes with it."""

    def __post_init__(self) -> None:
        """Checks that each default is one of the values.

        Raises:
            BadInput: it is not, or there are no values, too many, or values of several kinds.
        """
        if any(type(value) is not type(self.default) for value in self.values):
            raise BadInput(f"option {self.name} has values of another kind than its default: make them alike")
        if isinstance(self.default, str) and not (self.numbers or self.values):
            raise BadInput(f"option {self.name} has no values: name those that may be chosen")
        if self.most - self.least >= MOST_VALUES or len(self.values) > MOST_VALUES:
            raise BadInput(f"option {self.name} offers too many values: at most {MOST_VALUES} were expected")
        for default in (self.default, *(one for cases in self.default_by.values() for one in cases.values())):
            self.read(default)

    def read(self, given: object) -> Value:
        """The value that `given`, or its text on a command line, stands for.

        Raises:
            BadInput: it is none of the values this option has.
        """
        value: object = given
        if self.numbers:
            words = given.replace(",", " ").split() if isinstance(given, str) else given
            if isinstance(words, list | tuple) and all(_is_number(word) for word in words):
                return " ".join(str(int(word)) for word in words)
        elif isinstance(given, str) and not isinstance(self.default, str):
            value = {"true": True, "false": False}.get(given.lower(), given)
            if value is given and _is_number(given):
                value = int(given)
        if not self.numbers and type(value) is type(self.default) and self._holds(value):
            assert isinstance(value, bool | int | str)
            return value
        raise BadInput(f"option {self.name} cannot be {shown(given)}: {self.wanted} was expected")

    def _holds(self, value: object) -> bool:
        if isinstance(value, bool):
            return True
        if isinstance(value, int) and not self.values:
            return self.least <= value <= self.most
        return value in self.values

    @property
    def choices(self) -> tuple[Value, ...]:
        """All values; none of a list of numbers, which has no end of them."""
        if self.numbers:
            return ()
        if isinstance(self.default, bool):
            return (False, True)
        if isinstance(self.default, int) and not self.values:
            return tuple(range(self.least, self.most + 1))
        return self.values

    @property
    def wanted(self) -> str:
        """The values in words."""
        if self.numbers:
            return "whole numbers with spaces between"
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int) and not self.values:
            return f"a whole number from {self.least} to {self.most}"
        return " or ".join(str(value) for value in self.values)


def _is_number(word: object) -> bool:
    if isinstance(word, str):
        return len(word) <= MOST_DIGITS and word.isascii() and word.isdigit()
    return type(word) is int and word >= 0


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Choices that exclude each other."""

    when: Mapping[str, tuple[Value, ...]]
    """By option: the values that, all together, make it."""
    text: str
    """One sentence with the mend."""


@dataclass(frozen=True, slots=True)
class Description:
    """A game before its options are chosen."""

    name: str
    """As `load` takes it: of a shipped game its name, of a player's own its path."""
    title: str
    source: str
    text: str
    translated: bool
    """The text is there in the language that was asked for."""
    options: tuple[Option, ...]
    board: Mapping[str, Any]
    rules: Mapping[str, Any]
    contradictions: tuple[Contradiction, ...] = ()


def names() -> tuple[str, ...]:
    """The games that come with Pitwatch."""
    return tuple(
        sorted(
            file.name.removesuffix(".toml")
            for file in files(__name__).iterdir()
            if file.name.endswith(".toml") and not file.name.startswith("_")
        )
    )


def describe(name: str, language: Language = "en") -> Description:
    """The description of a shipped game, or of a player's own by the path of its file.

    Raises:
        BadInput: there is no such game, or its file is not right.
    """
    if name in names():
        return read(name, _shipped(name), language)
    # What its options stand at shows whether there is a game in it at all.
    description = _own(name, language)
    build(description, {})
    return description


def _own(name: str, language: Language) -> Description:
    if not name.endswith(".toml"):
        raise BadInput(
            f"unknown game {name!r}: one of {', '.join(names())}, or the path of a .toml file, was expected"
        )
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"game file {name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"game file {name} is not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        raise BadInput(f"game file {name!r} cannot be read: {error}") from error
    return read(name, text, language)


def read(name: str, text: str, language: Language = "en") -> Description:
    """The description in a game file's text.

    Raises:
        BadInput: the text is not TOML, or lacks or adds a key, or says something impossible.
    """
    data = read_toml(text, f"game file {name}")
    if "base" in data:
        return _house(name, data, language)
    wanted = {"title", "source", "text", "options", "board", "rules"}
    missing, odd = sorted(wanted - data.keys()), sorted(data.keys() - wanted - {"contradictions"})
    if missing or odd:
        told = [f"{', '.join(missing)} missing"] * bool(missing) + [f"no key {', '.join(odd)}"] * bool(odd)
        raise BadInput(
            f"game file {name}: {'; '.join(told)}: it wants {', '.join(sorted(wanted))}, or a base and rules"
        )
    for key in ("options", "board", "rules"):
        if not isinstance(data[key], dict):
            raise BadInput(f"game file {name}: {key} is {shown(data[key])}: a table was expected")
    shared = read_toml(_shipped("_options"), "game file _options")
    try:
        options = list[Option]()
        for key, table in data["options"].items():
            if not isinstance(table, dict):
                raise BadInput(f"options.{key} is {shown(table)}: a table was expected")
            options.append(_option(key, {**shared.get(key, {}), **table}, options, language))
        excluded = data.get("contradictions", [])
        if not isinstance(excluded, list):
            raise BadInput(f"contradictions is {shown(excluded)}: a list of tables was expected")
        contradictions = tuple(_contradiction(one, options) for one in excluded)
        title, source, words = (_in(language, data[key], key) for key in ("title", "source", "text"))
    except BadInput as error:
        raise BadInput(f"game file {name}: {error}") from error
    return Description(
        name=name,
        title=title,
        source=source,
        text=words,
        translated=_is_in(language, data["text"]),
        options=tuple(options),
        board=data["board"],
        rules=data["rules"],
        contradictions=contradictions,
    )


def _option(key: str, table: Mapping[str, Any], before: Sequence[Option], language: Language) -> Option:
    given = {**table, "values": table.get("values", ())}
    if "text" in table:
        given["text"] = _in(language, table["text"], f"options.{key}.text")
    option = made(Option, _tupled(given), f"options.{key}", name=key)
    for other in option.default_by:
        if other not in {one.name for one in before}:
            raise BadInput(f"options.{key}.default_by names {other}: an option before it was expected")
    return option


def _contradiction(table: object, options: Sequence[Option]) -> Contradiction:
    one = made(Contradiction, _tupled(table), "contradictions")
    for key in one.when:
        if key not in {option.name for option in options}:
            raise BadInput(f"contradictions name {key}: one of the options was expected")
    return one


def _tupled(value: Any) -> Any:
    """The same, with tuples for lists."""
    if isinstance(value, dict):
        return {key: _tupled(inner) for key, inner in value.items()}
    return tuple(map(_tupled, value)) if isinstance(value, list | tuple) else value


def _shipped(name: str) -> str:
    return (files(__name__) / f"{name}.toml").read_text(encoding="utf-8")


def _in(language: Language, text: object, key: str) -> str:
    """The words of a language; where there are none, the English or the first ones."""
    words = text
    if isinstance(text, dict) and text:
        words = text.get(language, text.get("en", next(iter(text.values()))))
    if not isinstance(words, str):
        raise BadInput(f"{key} is {shown(text)}: a text, or a table with texts en, nl, de, was expected")
    return words.strip()


def _is_in(language: Language, text: object) -> bool:
    """Whether there are words of that language; those that are in none are taken for English."""
    return language in text if isinstance(text, dict) else language == "en"


def _house(name: str, data: Mapping[str, Any], language: Language) -> Description:
    """A shipped game with defaults of a player's own."""
    odd = sorted(data.keys() - {"base", "title", "text", "rules"})
    if odd:
        raise BadInput(f"game file {name} has no key {odd[0]!r}: base, title, text and rules may be there")
    base, chosen = data["base"], data.get("rules", {})
    if base not in names():
        raise BadInput(f"game file {name}: base is {shown(base)}: one of {', '.join(names())} was expected")
    if not isinstance(chosen, dict):
        raise BadInput(f"game file {name}: rules is {shown(chosen)}: a table of options was expected")
    model = describe(base, language)
    try:
        fixed = _choose(model, chosen)
        title = _in(language, data.get("title", model.title), "title")
        words = _in(language, data.get("text", model.text), "text")
    except BadInput as error:
        raise BadInput(f"game file {name}: {error}") from error
    options = tuple(
        replace(option, default=fixed[option.name], default_by={}) if option.name in chosen else option
        for option in model.options
    )
    told = _is_in(language, data["text"]) if "text" in data else model.translated
    return replace(model, name=name, title=title, text=words, translated=told, options=options)


def load(name: str, options: Mapping[str, object] | None = None) -> Game:
    """A game with the given options, the others at their defaults.

    Raises:
        BadInput: no such game, no such option, a value it does not have, or a contradiction.
    """
    return build(describe(name), options or {})


def build(description: Description, options: Mapping[str, object]) -> Game:
    """The game of a description with the given options.

    Raises:
        BadInput: no such option, a value it does not have, or a contradiction.
    """
    chosen = _choose(description, options)
    lists = {option.name for option in description.options if option.numbers}
    values: dict[str, Any] = {
        key: tuple(map(int, str(value).split())) if key in lists else value for key, value in chosen.items()
    }
    for one in description.contradictions:
        if all(chosen[key] in excluded for key, excluded in one.when.items()):
            raise BadInput(f"{description.name}: {one.text}")
    try:
        board, rules = _fill(description.board, values), _fill(description.rules, values)
        if not (isinstance(board, dict) and isinstance(rules, dict)):
            raise BadInput("board and rules are tables, with shape and seeds for the least of it")
        shape = _SHAPES.get(str(board.pop("shape", "")))
        if shape is None:
            raise BadInput(f"board.shape is not one of {', '.join(_SHAPES)}: name one of these")
        rules["captures"] = _captures(rules.pop("capture", {}))
        for key, kinds in _PARTS.items():
            if key in rules:
                rules[key] = _part(kinds, rules[key], f"rules.{key}")
        game = Game(description.name, chosen, made(Rules, rules, "rules", board=made(shape, board, "board")))
        game.start()
        return game
    except BadInput as error:
        raise BadInput(f"{description.name}: {error}") from error


def _choose(description: Description, options: Mapping[str, object]) -> dict[str, Value]:
    """The value of every option."""
    known = {option.name: option for option in description.options}
    for key in options:
        if key not in known:
            raise BadInput(f"{description.name} has no option {key!r}: it has {', '.join(known)}")
    chosen: dict[str, Value] = {}
    for key, option in known.items():
        default = option.default
        for other, defaults in option.default_by.items():
            default = defaults.get(_word(chosen[other]), default)
        chosen[key] = option.read(options.get(key, default))
    return chosen


def _word(value: Value) -> str:
    """A value as a key of TOML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fill(value: Any, chosen: Mapping[str, Any]) -> Any:
    """Put the chosen options where a game file names them."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, cases),) = value.items()
            if key.startswith("$"):
                case = _word(_chosen(chosen, key))
                if not isinstance(cases, dict) or case not in cases:
                    raise BadInput(f"the table {key} has no entry for {case}: add one")
                return _fill(cases[case], chosen)
        return {key: _fill(inner, chosen) for key, inner in value.items()}
    if isinstance(value, list):
        return tuple(_fill(inner, chosen) for inner in value)
    if isinstance(value, str) and value.startswith("$"):
        return _chosen(chosen, value)
    if isinstance(value, str) and value.startswith("!"):
        return not _chosen(chosen, value)
    return value


def _chosen(chosen: Mapping[str, Any], name: str) -> Any:
    if name[1:] not in chosen:
        there = f"there are {', '.join(chosen)}" if chosen else "this file has none"
        raise BadInput(f"{name} names no option: {there}")
    return chosen[name[1:]]


def _captures(table: object) -> tuple[Capture, ...]:
    if not isinstance(table, dict):
        raise BadInput(f"rules.capture is {shown(table)}: a table was expected")
    return tuple(_part(_CAPTURES, {kind: _even(values)}, "rules.capture") for kind, values in table.items())


def _even(values: Any) -> Any:
    """A capture's table, its sizes spelled out."""
    all_even = isinstance(values, dict) and values.get("sizes") == "even"
    return {**values, "sizes": _EVEN} if all_even else values


def _part(kinds: Mapping[str, Callable[..., Any]], table: object, where: str) -> Any:
    """The value of one of the kinds that a table names; an empty table is None."""
    if table == {}:
        return None
    if "" in kinds:
        return made(kinds[""], table, where)
    if not isinstance(table, dict) or len(table) != 1 or not table.keys() <= kinds.keys():
        raise BadInput(f"{where} is {shown(table)}: a table with one of {', '.join(kinds)} was expected")
    ((kind, values),) = table.items()
    return made(kinds[kind], values, f"{where}.{kind}")
