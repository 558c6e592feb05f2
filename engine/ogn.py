"""Oware as OGN, the `.ogn` text of Aualé, the nearest thing to a standard that Oware has.

    >>> print(write(read('[Variant "Oware Abapa"] C d 2. F')), end="")
    [Variant "Oware Abapa"]
    [Event "?"]
    [Site "?"]
    [Date "?"]
    [Round "?"]
    [South "?"]
    [North "?"]
    [Result "*"]
    <BLANKLINE>
    1. C d 2. F

South's pits are `A` to `F`, North's `a` to `f`; `+n` are the seeds taken. `FEN` is the position of the start:
pits, stores and `S` or `N`, with `-` between. As Aualé writes it, a result leaves out what lies on the board
when more than half of the seeds are taken; where play ends otherwise, the `+n` of the last move has what its
mover gathers.

OGN has no options. Aualé plays by the rules of Abapa and ends a game when a position comes back, so that this
is how a text is read; other options stand in a header `Options` of ours, which Aualé keeps but does not heed.
It has no escapes in comments: braces become parentheses there. docs/record.md has the grammar.
"""

import re
from collections.abc import Mapping
from typing import Any

from engine import games
from engine.errors import BadInput
from engine.game import Game, Ply, State
from engine.movetext import HEADER, MOST_VALUE, RESULT, SPACE, Text, Token, clock_words, header_lines, wrapped
from engine.record import (
    Record,
    assemble,
    by_name,
    ending_headers,
    numbers,
    options_text,
    read_options,
    result_text,
    roster_headers,
)
from engine.step import after

ABAPA: Mapping[str, Any] = {"repetition_count": 2}
"""The options of `oware` by which a text without `Options` is played."""

_VARIANT = "Oware Abapa"
_OWN = ("Variant", "FEN", "Comment")
_KEEP_ABAPA = {"seeds", "repetition", "repetition_count"}
"""Options that leave every move as Abapa has it."""
_PIECE = re.compile(
    rf"{SPACE[:-1]}|\([^)]*\)|[!?]+|\$[0-9]+)|{HEADER}|(?P<comment>\{{[^}}]*\}})|(?P<word>[^\s{{}}\[\]()\"!?$]+)"
)
_FEN = re.compile(r"((?:[0-9]{1,2}-){14})([SN])")
_MOST = 49
"""Seeds in a hole that the `FEN` of Aualé can hold."""


_ROUND = str.maketrans("{}", "()")


def read(text: str) -> Record:
    """The game in an OGN text. Variations are passed over.

    Raises:
        BadInput: the text is no OGN; one sentence with the line, and the ply of a move that cannot be played.
    """
    source = Text(text, "OGN")
    tokens = list(source.tokens(_PIECE))
    size = next((at for at, token in enumerate(tokens) if token.kind != "header"), len(tokens))
    headers, body = by_name(source, tokens[:size]), tokens[size:]
    if not headers:
        raise BadInput('there is no OGN in the text: it begins with headers such as [Variant "Oware Abapa"]')
    for token in body:
        if token.kind == "header":
            raise source.bad(token.at, "a second game begins here, and an OGN text holds one: part them")
    game = _game(source, headers)
    start = None
    if fen := headers.pop("FEN", None):
        with source.place(fen.at):
            start = _start(game, fen.text)
    for name in [name for name, token in headers.items() if token.text == "?"]:
        del headers[name]
    scores = headers.get("Result")
    if scores and "Winner" not in headers and RESULT.fullmatch(scores.text) and scores.text != "*":
        south, north, *_ = map(int, scores.text.split("-"))
        won = " ".join(["South"] * (south >= north) + ["North"] * (north >= south))
        headers["Winner"] = Token("header", won, "Winner", scores.at)
    opening = headers.pop("Comment", None)
    if opening:
        body = [Token("comment", opening.text, "", opening.at), *body]
    # A brace in a comment could not be written again.
    body = [one._replace(text=one.text.translate(_ROUND)) if one.kind == "comment" else one for one in body]
    return assemble(source, tokens[0].at, headers, body, game, start, escapes=False, sweep_may_differ=True)


def _game(source: Text, headers: dict[str, Token]) -> Game:
    variant, options = headers.pop("Variant", None), headers.pop("Options", None)
    if variant and not variant.text.lower().startswith(("oware", "abapa", "?")):
        raise source.bad(variant.at, f"Variant is {variant.text[:40]!r}: OGN is a format of Oware")
    if not options:
        return games.load("oware", ABAPA)
    with source.place(options.at):
        game = games.load("oware", {**ABAPA, **read_options(options.text)})
        _check_row(game)
    return game


def _check_row(game: Game) -> None:
    if game.options["pits"] != 6:
        raise BadInput(
            f"a row has {game.options['pits']} pits: OGN has letters for 6; the text record has them for all"
        )


def _start(game: Game, fen: str) -> State:
    match = _FEN.fullmatch(fen)
    if not match:
        raise BadInput(
            f"FEN {fen[:80]!r} is not 14 numbers and S or N with - between, as in {'4-' * 12}0-0-S"
        )
    holes = list(map(int, match[1].split("-")[:-1]))
    start = game.start(holes[:12], holes[12:], "SN".index(match[2]))
    if start.player is None:
        raise BadInput("the game is over in the position of FEN: give one to play on from")
    return start


def write(record: Record) -> str:
    """The record as OGN, which `read` makes an equal record of, but for braces in comments and texts `?`.

    Raises:
        BadInput: it is not Oware with six pits in a row, or has something that OGN has no place for.
    """
    game = record.game
    if game.name != "oware":
        raise BadInput(f"{game.name} cannot be written as OGN, a format of Oware: write it as a text record")
    _check_row(game)
    if record.ruled:
        raise BadInput("OGN has no place for a ruling in mid-game: write a text record")
    if max(record.first.counts) > _MOST or len(record.comment) > MOST_VALUE:
        raise BadInput(
            f"OGN has no place for more than {_MOST} seeds in a hole at the start, nor for {MOST_VALUE} "
            f"characters before the first move: write a text record"
        )
    for name, _ in record.headers:
        if name in _OWN:
            raise BadInput(f"header {name} means something else in OGN: give it another name")
    abapa = games.load("oware", ABAPA)
    odd = {name: value for name, value in game.options.items() if value != abapa.options[name]}
    headers = [("Variant", _VARIANT if odd.keys() <= _KEEP_ABAPA else "Oware")]
    headers += [(name, value or "?") for name, value in roster_headers(record)]
    headers += [("Result", _result_text(record)), ("Options", options_text(odd.items()))]
    if record.first != abapa.start():
        holes = "-".join(map(str, record.first.counts))
        headers.append(("FEN", f"{holes}-{'SN'[record.first.player or 0]}"))
    headers += [*ending_headers(record), ("Comment", _plain(record.comment))]
    lines = header_lines([*((name, value) for name, value in headers if value), *record.headers])
    words = list[str]()
    for number, entry, ply in zip(numbers(record), record.entries, record.plies, strict=True):
        words += [f"{number}."] * bool(number)
        words.append(game.name_of(entry.move) + (f"+{taken}" if (taken := _taken(record, ply)) else ""))
        said = [*clock_words(entry.clock_ms, entry.took_ms), _plain(entry.comment)]
        words += ["{", *" ".join(said).split(), "}"] if any(said) else []
    if record.result:
        words.append(_result_text(record))
    return "\n".join([*lines, *([""] if words else []), *wrapped(words), ""])


def _by_majority(record: Record) -> bool:
    """Whether play ended because more than half of the seeds were taken; Aualé sweeps nothing then."""
    last = record.last
    return (
        last.result is not None
        and record.game.rules.end_at_majority
        and 2 * max(last.stores) > sum(last.counts)
    )


def _result_text(record: Record) -> str:
    return "-".join(map(str, record.last.stores)) if _by_majority(record) else result_text(record.result)


def _taken(record: Record, ply: Ply) -> int:
    """What the mover's store gains, as Aualé counts it."""
    sweep = () if _by_majority(record) else ply.sweep
    store = record.game.pits + ply.player
    return ply.gain[ply.player] + after(ply.state.counts, sweep)[store] - ply.state.counts[store]


def _plain(comment: str) -> str:
    """The comment with parentheses for its braces and for the bracket of what looks like a clock time."""
    return comment.translate(_ROUND).replace("[%", "(%")
