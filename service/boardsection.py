"""One table of a board file, written anew; every other byte of the file stays as its owner left it."""

import re
from pathlib import Path

from engine.errors import BadInput
from engine.toml import read_toml
from service.whole import write_whole

_HEADER = re.compile(r"^\[{1,2}[\w.\"'\- ]+\]{1,2}\s*(#.*)?$")


def put_table(path: Path, name: str, lines: str, text: str | None = None) -> None:
    """Put a table in the place of the one of that name, or at the end; the file is whole at any moment.

    Args:
        lines: the table's keys, without its header.
        text: what the file holds, where it is not there yet.

    Raises:
        BadInput: it cannot be read or written, is not TOML, or has the table in a form that is not `[name]`.
    """
    try:
        before = path.read_text(encoding="utf-8") if text is None else text
    except OSError as error:
        raise BadInput(
            f"board file {path} cannot be read ({error.strerror}): name one that is there"
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"board file {path} is not text in UTF-8: save it as such") from error
    after = with_table(before, name, lines)
    others = [read_toml(each, f"board file {path}") for each in (before, after)]
    for tables in others:
        tables.pop(name, None)
    if others[0] != others[1]:
        raise BadInput(
            f"board file {path} has {name} where it cannot be told from the rest: take it out by hand"
        )
    write_whole(path, after.encode(), "board file")


def with_table(text: str, name: str, lines: str) -> str:
    """The text with the table.

    >>> print(with_table("a = 1\\n[x]\\nb = 2\\n\\n[[y]]\\nc = 3\\n", "x", "b = 4\\n"))
    a = 1
    [x]
    b = 4
    <BLANKLINE>
    [[y]]
    c = 3
    <BLANKLINE>
    """
    there = text.splitlines(keepends=True)
    heads = [at for at, line in enumerate(there) if _HEADER.match(line.rstrip("\r\n"))]
    mine = [at for at in heads if there[at].split("#")[0].strip() == f"[{name}]"]
    if not mine:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}\n[{name}]\n{lines}"
    first = mine[0]
    end = next((at for at in heads if at > first), len(there))
    # What stands before the next table belongs to that: its comment, and the line left blank.
    while end > first + 1 and (not there[end - 1].strip() or there[end - 1].startswith("#")):
        end -= 1
    return "".join([*there[: first + 1], lines, *there[end:]])
