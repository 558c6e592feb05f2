"""What the text of any record of a game is made of: headers, comments with clock times, words, lines.

`engine.record` and `engine.ogn` are two grammars over these pieces.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from engine.errors import BadInput

MOST_VALUE = 1_000
"""Characters in the value of a header."""
MOST_MS = 10_000 * 3_600_000
"""A clock time is less than this."""
_WIDTH = 79

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
"""The name of a header."""
RESULT = re.compile(r"\*|[0-9]{1,4}(?:-[0-9]{1,4}){1,3}")
"""Scores of two to four players, or a game that is not over."""
SPACE = r"(?P<space>\s+)"
HEADER = (
    rf'(?P<header>\[[ \t]*(?P<name>{NAME.pattern})[ \t]+"(?P<value>[^"\\\n]*(?:\\[^\n][^"\\\n]*)*)"[ \t]*\])'
)
"""A pattern. Before a quote or a backslash in the value there is a backslash."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_COMMAND = re.compile(r"(?<!\\)\[%(clk|emt)\b([^\[\]]*)\]")
_POSITION = re.compile(r"(?<!\\)\[%pos\b([^\[\]]*)\]")
_TIME = re.compile(r"([0-9]{1,4}):([0-5]?[0-9]):([0-5][0-9])(?:\.([0-9]{1,3}))?")


class Token(NamedTuple):
    """A piece of a text."""

    kind: str
    """`header`, `comment`, or another group of the pattern that found it."""
    text: str
    """The value of a header, what stands between a comment's braces, or the piece as it is."""
    name: str
    """Of a header; else empty."""
    at: int
    """Where it begins in the text."""


class Text:
    """A text that is being read, and the lines of it."""

    def __init__(self, text: str, what: str) -> None:
        """Takes in a text.

        Args:
            what: what kind of record it is, for the sentences.

        Raises:
            BadInput: there is a control character in it.
        """
        self._text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._what = what
        if odd := _CONTROL.search(self._text):
            raise self.bad(odd.start(), f"a control character stands here: this is no {what}")

    def bad(self, at: int, sentence: str) -> BadInput:
        """The error to raise for what stands at a place."""
        return BadInput(f"line {self._text.count(chr(10), 0, at) + 1}: {sentence}")

    @contextmanager
    def place(self, at: int) -> Iterator[None]:
        """Gives the line to a BadInput that is raised within."""
        try:
            yield
        except BadInput as error:
            raise self.bad(at, str(error)) from error

    def tokens(self, pattern: re.Pattern[str]) -> Iterator[Token]:
        """All pieces that the pattern's groups name, without those of `space`.

        Raises:
            BadInput: something is no such piece.
        """
        at = 0
        while at < len(self._text):
            match = pattern.match(self._text, at)
            if match is None:
                raise self.bad(at, self._why_not(at))
            kind = match.lastgroup or ""
            if kind == "header":
                value = tidy(re.sub(r"\\(.)", r"\1", match["value"]))
                if len(value) > MOST_VALUE:
                    raise self.bad(at, f"header {match['name']} has more than {MOST_VALUE} characters")
                yield Token(kind, value, match["name"], at)
            elif kind == "comment":
                yield Token(kind, match[0][1:-1], "", at)
            elif kind != "space":
                yield Token(kind, match[0], "", at)
            at = match.end()

    def _why_not(self, at: int) -> str:
        match self._text[at]:
            case "[":
                return 'a header must be written [Name "value"] on one line, and \\" for a quote in the value'
            case "{":
                return "this comment is not closed: put } after it"
            case "(":
                article = "an" if self._what[0] in "AEIOU" else "a"
                what = f"{article} {self._what}"
                return f"a variation begins here: take it out, parentheses and all, if this is {what}"
        piece = self._text[at : at + 20].split()[0]
        return f"{piece!r} has no meaning: a header, a move, a comment or a result was expected"


def tidy(text: str) -> str:
    """The text as one line: white space is single spaces, and control characters are gone.

    >>> tidy(" Ann\\tde\\n Vries ")
    'Ann de Vries'
    """
    return " ".join(_CONTROL.sub("", re.sub(r"\s", " ", text)).split())


def header_lines(headers: Iterable[tuple[str, str]]) -> list[str]:
    """`[Name "value"]` for each."""
    quoted = [(name, re.sub(r'["\\]', r"\\\g<0>", value)) for name, value in headers]
    return [f'[{name} "{value}"]' for name, value in quoted]


def wrapped(words: Sequence[str]) -> list[str]:
    """The words in lines of at most 79 characters; a longer word has a line of its own."""
    lines, line = list[str](), ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines


def clock_words(clock_ms: int | None, took_ms: int | None) -> list[str]:
    """Clock times as they stand in the comment of a move.

    >>> clock_words(299_500, 1_000)
    ['[%clk 0:04:59.5]', '[%emt 0:00:01]']
    """
    times = (("clk", clock_ms), ("emt", took_ms))
    return [f"[%{name} {_time_text(time)}]" for name, time in times if time is not None]


def clock_times(comment: str) -> tuple[str, dict[str, int]]:
    """A comment without the clock times in it, and these: `clk` (left) and `emt` (taken) in ms.

    Raises:
        BadInput: a clock time is not of the form h:mm:ss.
    """
    found = dict[str, int]()
    for name, words in _COMMAND.findall(comment):
        time = _TIME.fullmatch(words.strip())
        if time is None:
            raise BadInput(f"clock time {words.strip()[:40]!r} is not of the form h:mm:ss or h:mm:ss.sss")
        hours, minutes, seconds, fraction = time.groups(default="")
        whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
        found[name] = 1000 * whole + int(fraction.ljust(3, "0"))
    return _COMMAND.sub(" ", comment), found


def ruled_position(comment: str) -> tuple[str, str]:
    """A comment without the position of a ruling in it, and that; empty where there is none."""
    found = _POSITION.findall(comment)
    return _POSITION.sub(" ", comment), tidy(found[-1]) if found else ""


def _time_text(time_ms: int) -> str:
    seconds, ms = divmod(time_ms, 1000)
    fraction = f".{ms:03}".rstrip("0") if ms else ""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
