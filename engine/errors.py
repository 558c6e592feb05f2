"""The base of every exception this project raises on purpose."""


class PitwatchError(Exception):
    """A caller's mistake or a broken machine, in one clear sentence: what, where, and the mend.

    A foul by a player is never an exception: it is a `referee.events.Violation`.
    """


class BadInput(PitwatchError, ValueError):  # noqa: N818 - the sentence is the error, the name says whose
    """Something handed to us cannot be used: a name, an option, a file, a line, a picture."""


_LONGEST = 60


def shown(value: object) -> str:
    """A value as TOML or JSON would have it, cut short, for a sentence that says it does not fit.

    >>> shown([True, None, "x", 1.5]), shown("9" * 99)[-4:], shown(10**5000)
    ("[true, null, 'x', 1.5]", '99..', 'a number of thousands of digits')
    """
    text = _text(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + ".."


def _text(value: object) -> str:
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case int() if abs(value) >= 10**1000:
            return "a number of thousands of digits"
        case list() | tuple():
            return f"[{', '.join(map(_text, value))}]"
        case dict():
            return f"{{{', '.join(f'{key!r}: {_text(inner)}' for key, inner in value.items())}}}"
    return repr(value)
