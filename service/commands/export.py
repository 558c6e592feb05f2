"""`pitwatch export`: games of the log for other programs and for people."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.move import SWAP

if TYPE_CHECKING:
    from engine.game import Game
    from engine.record import Record
    from referee.events import Event
    from service.log import Log, LoggedGame


COLUMNS = (
    "id", "started_at", "game", "round", "ply", "player", "name", "move", "captured", "pits", "stores",
    "ruling", "took_ms", "clock_ms", "comment",
)  # fmt: skip
"""Of the table that is written as CSV."""


class Format(Enum):
    """What a game is written as."""

    TEXT = "text"
    OGN = "ogn"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Exported:
    """A game of the log, and the record of it."""

    logged: "LoggedGame"
    record: "Record"


def export(
    game_id: Annotated[
        str | None,
        typer.Argument(help="The id of one game; all games if it is left out.", show_default=False),
    ] = None,
    log: Annotated[Path, typer.Option("--log", help="The log.", metavar="FILE")] = Path("pitwatch.db"),
    form: Annotated[
        Format, typer.Option("--format", help="Text record, OGN (one game of Oware), JSON, or a row a ply.")
    ] = Format.TEXT,
    output: Annotated[
        Path | None,
        typer.Option("--output", help="Write to this file; print if it is left out.", metavar="FILE"),
    ] = None,
) -> None:
    """Write games of the log, the oldest first, with the moves that stand and what was said of them.

    A game that cannot be written, such as one whose game file is gone, is named on stderr; the others are.
    """
    from service.log import Log

    if output and output.resolve() == log.resolve():
        raise BadInput(f"{output} is the log itself: name another file with --output")
    if not log.exists():
        raise BadInput(f"there is no log {log}: name one with --log")
    with Log(log) as opened:
        chosen = [opened.game(game_id)] if game_id else opened.games()[::-1]
        found: list[Exported] = []
        for logged in chosen:
            try:
                found.append(Exported(logged, _record(opened, logged)))
            except BadInput as error:
                if len(chosen) == 1:
                    raise
                print(f"pitwatch: {error}", file=sys.stderr)
        text = _written(found, form)
    if output is None:
        print(text, end="")
    else:
        _save(output, text)
    if len(found) < len(chosen):
        raise typer.Exit(2)


def _written(games: Sequence[Exported], form: Format) -> str:
    from engine import ogn
    from engine.record import write_all

    match form:
        case Format.TEXT:
            return write_all(game.record for game in games)
        case Format.OGN:
            if len(games) != 1:
                raise BadInput(f"OGN holds one game, and the log has {len(games)}: name one by its id")
            return ogn.write(games[0].record)
        case Format.JSON:
            return json.dumps([_plain(game) for game in games], ensure_ascii=False, indent=1) + "\n"
        case Format.CSV:
            return _table(games)


def _save(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise BadInput(f"{path} is no file: name another with --output, or leave it out to print")
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _record(log: "Log", logged: "LoggedGame") -> "Record":
    from engine import games

    events = [one.event for one in log.events(logged.id)]
    try:
        return record_of(games.load(logged.game, logged.options), logged, events)
    except BadInput as error:
        raise BadInput(f"game {logged.id} cannot be exported: {error}") from error


def record_of(game: "Game", logged: "LoggedGame", events: "Sequence[Event]") -> "Record":
    """The record of a logged game: the moves that stand, how long each took, and in comments what went wrong.

    Raises:
        BadInput: the events make no game.
    """
    from engine.game import Result
    from engine.movetext import tidy
    from engine.record import Entry, Record
    from referee.clock import left_after_moves
    from referee.events import GameOver, MoveMade, Pass, Ruling, Takeback, Turn, Violation
    from service.log import moves_of, start_of

    told, said = list[tuple[int | None, list[str]]](), list[str]()
    since, over = None, None
    for event in events:
        match event:
            case Turn():
                since = event.t
            case Violation():
                said.append(event.text or event.kind)
            case Ruling():
                said.append(event.text)
            case MoveMade():
                ended = event.t if event.ended is None else event.ended
                took = None if since is None else max(0, round(1000 * (ended - since)))
                told[event.ply - 1 :] = [(took, said)]
                said, over = [], None
            case Pass():
                told[event.ply :] = [(None, [])]
            case Takeback():
                del told[event.ply :]
                what = {"": "How the game ended", "ruling": "A ruling"}.get(event.move, event.move)
                said.append(f"{what} was taken back.")
                over = None
            case GameOver():
                over = event
    moves, rulings = list[str](), dict[int, str]()
    for word in moves_of(events):
        if "/" in word:
            rulings[len(moves)] = word
        else:
            moves.append(word)
    if len(moves) != len(told):
        raise BadInput(f"{len(moves)} moves stand in the log, and their numbers say {len(told)}")
    if told:
        told[-1][1].extend(said)
    left = left_after_moves(events)
    day, _, time = logged.started_at.partition("T")
    record = Record(
        game,
        tuple(
            Entry(
                game.parse(move),
                tidy(" ".join(texts)),
                clock_ms=left.get(ply),
                took_ms=took,
                ruling=rulings.get(ply, ""),
            )
            for ply, (move, (took, texts)) in enumerate(zip(moves, told, strict=True), 1)
        ),
        players=tuple(
            "" if name == game.player_name(player) else tidy(name)
            for player, name in enumerate(logged.players)
        ),
        start=start_of(game, events),
        date=day.replace("-", "."),
        round=str(logged.round or ""),
        comment="" if told else tidy(" ".join(said)),
        ruling=rulings.get(0, ""),
        headers=(("Time", time), ("Id", logged.id), *_of_match(logged, events), *_of_clock(events)),
    )
    if over and not record.last.result:
        return replace(record, result=Result(over.scores, tuple(sorted(over.winners)), tidy(over.reason)))
    return record


def _of_match(logged: "LoggedGame", events: "Sequence[Event]") -> list[tuple[str, str]]:
    """The headers of a round of a match: which match, and how it stands after the round."""
    from referee.events import RoundOver

    if not logged.match:
        return []
    over = [event for event in events if isinstance(event, RoundOver)]
    standing = [("Standing", "-".join(map(str, over[-1].standing)))] if over else []
    return [("Match", logged.match), *standing]


def _of_clock(events: "Sequence[Event]") -> list[tuple[str, str]]:
    """The header of a game with a clock: one time for all, or one a player."""
    from referee.events import ClockSet

    times = next((event.times for event in events if isinstance(event, ClockSet)), ())
    return [("TimeControl", " ".join(times if len(set(times)) > 1 else times[:1]))] if times else []


def _plain(game: Exported) -> dict[str, Any]:
    """A game as JSON values, in the words of `pitwatch engine`."""
    record = game.record
    result = record.result
    return {
        "id": game.logged.id,
        "started_at": game.logged.started_at,
        "game": record.game.name,
        "options": dict(record.game.options),
        "players": list(game.logged.players),
        "match": game.logged.match,
        "round": game.logged.round,
        "time_control": dict(record.headers).get("TimeControl"),
        "owner": list(record.game.rules.board.owner),
        "closed": list(record.game.rules.board.protected),
        "start": {
            "pits": list(record.first.pits),
            "stores": list(record.first.stores),
            "player": record.first.player,
        },
        "ruling": record.ruling,
        "plies": [
            {
                "player": ply.player,
                "move": record.game.name_of(ply.move),
                "captured": [list(capture) for capture in ply.captured],
                "gain": list(ply.gain),
                "pits": list(ply.state.pits),
                "stores": list(ply.state.stores),
                "ruling": entry.ruling,
                "took_ms": entry.took_ms,
                "clock_ms": entry.clock_ms,
                "comment": entry.comment,
            }
            for entry, ply in zip(record.entries, record.plies, strict=True)
        ],
        "result": result
        and {"scores": list(result.scores), "winners": list(result.winners), "reason": result.reason},
    }


def _table(games: Sequence[Exported]) -> str:
    """A row a ply; the seeds of all pits, and of all stores, are one column each, with spaces between."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    for game in games:
        record = game.record
        names = list(game.logged.players)
        for number, (entry, ply) in enumerate(zip(record.entries, record.plies, strict=True), 1):
            values = (
                game.logged.id,
                game.logged.started_at,
                record.game.name,
                game.logged.round or "",
                number,
                ply.player,
                names[ply.player],
                record.game.name_of(ply.move),
                sum(seeds for _, seeds in ply.captured),
                " ".join(map(str, ply.state.pits)),
                " ".join(map(str, ply.state.stores)),
                entry.ruling,
                entry.took_ms,
                entry.clock_ms,
                entry.comment,
            )
            table.writerow(dict(zip(COLUMNS, values, strict=True)))
            if ply.move == SWAP:
                names.reverse()
    return out.getvalue()
