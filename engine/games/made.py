"""Values out of a game file's tables, each entry checked against the type of the field that it fills."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.errors import BadInput, shown

_T = TypeVar("_T")


def made(kind: Callable[..., _T], table: object, where: str, **given: object) -> _T:
    """What a class or function makes of a table.

    Args:
        where: the name of the table, for who wrote it.
        given: what the table does not say.

    Raises:
        BadInput: an entry is missing, not known, or not of its type; or what is made finds it wrong.
    """
    if not isinstance(table, Mapping):
        raise BadInput(f"{where} is {shown(table)}: a table was expected")
    hints = get_type_hints(kind)
    fields = {name: one for name, one in signature(kind).parameters.items() if name not in given}
    for name, value in table.items():
        if name not in fields:
            raise BadInput(f"{where} has no {name!r}: {', '.join(fields)} may be there")
        if not _fits(value, hints[name]):
            raise BadInput(f"{where}.{name} cannot be {shown(value)}: {_wanted(hints[name])} was expected")
    for name, field in fields.items():
        if field.default is Parameter.empty and name not in table:
            raise BadInput(f"{where}.{name} is missing: {_wanted(hints[name])} was expected")
    return kind(**table, **given)


def _fits(value: object, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin in (tuple, Sequence):
        return isinstance(value, tuple) and all(_fits(one, arguments[0]) for one in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(key, arguments[0]) and _fits(one, arguments[1]) for key, one in value.items()
        )
    return type(value) is hint


def _wanted(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join(map(str, arguments))
    if origin in (Union, UnionType):
        return " or ".join(map(_wanted, arguments))
    if origin in (tuple, Sequence):
        return f"a list, each {_wanted(arguments[0])},"
    return {bool: "true or false", int: "a whole number", str: "a text"}.get(hint, "a table")
