"""The log: every game and every event of it, in one SQLite file that outlives a pulled plug.

An event is on the disk before `Log.append` returns (WAL, synchronous=FULL), and the service shows an
event only after that: what anyone has seen is never lost. Nothing is changed or deleted; a takeback is
one more event.

A file deleted while it is in use is written anew, whole, before the next event.

A file that is not ours, is damaged or is newer than this program is refused in one sentence and left
as it is.
"""

import json
import sqlite3
import struct
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.errors import BadInput
from engine.game import Game, State
from engine.layout import Layout
from referee.events import (
    Event,
    GameOver,
    GameStarted,
    MoveMade,
    Pass,
    RoundOver,
    Ruling,
    Takeback,
    as_json,
    from_json,
)

APPLICATION_ID = int.from_bytes(b"PitW", "big")
"""SQLite's mark of whose file it is, at byte 68 of the header."""

SCHEMA_VERSION = 2
"""SQLite's user_version, at byte 60 of the header."""

SCHEMA = """
CREATE TABLE games (
    number INTEGER PRIMARY KEY,       -- in the order they were begun
    id TEXT NOT NULL UNIQUE,          -- UUID
    started_at TEXT NOT NULL,         -- ISO 8601
    game TEXT NOT NULL,
    options TEXT NOT NULL,            -- JSON object
    board TEXT NOT NULL,              -- JSON object: the layout it was played on
    players TEXT NOT NULL,            -- JSON list of names
    match TEXT,                       -- id of the first round of the match; NULL for a game of its own
    round INTEGER NOT NULL DEFAULT 0  -- of the match, from 1; 0 for a game of its own
);
CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games (number),
    seq INTEGER NOT NULL,             -- from 1 in each game
    t REAL NOT NULL,                  -- seconds, on the referee's clock
    kind TEXT NOT NULL,
    event TEXT NOT NULL,              -- JSON object
    PRIMARY KEY (game, seq)
) WITHOUT ROWID;
CREATE INDEX events_by_kind ON events (kind, game);
"""

BUSY_SECONDS = 5.0
"""How long another program may hold the file before we give up."""


@dataclass(frozen=True, slots=True)
class LoggedGame:
    """One game in the log."""

    id: str
    started_at: str
    """ISO 8601, with the offset from UTC."""
    game: str
    options: Mapping[str, Any]
    board: Mapping[str, Any]
    """The layout it was played on: the fields of `engine.layout.Layout`, in mm."""
    players: tuple[str, ...]
    events: int
    """How many events are logged; the last one's `seq`."""
    moves: int
    """Moves and passes, those taken back included."""
    result: GameOver | RoundOver | None
    """How it, or the round it is, ended; None while it has not."""
    match: str | None
    """The match it is a round of, by the id of the first round; None for a game of its own."""
    round: int
    """Of the match, from 1; 0 for a game of its own."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event with its number in its game."""

    seq: int
    """From 1 in each game, without a gap."""
    event: Event


class Log:
    """The log in one file. A context manager; `close` may be called twice."""

    def __init__(self, path: Path) -> None:
        """Opens the log at `path`, and makes it where there is none.

        Raises:
            BadInput: it is no log of ours, is damaged, is newer than this program, or cannot be
                opened for writing; the file is left as it is.
        """
        self._path = path
        self._db = self._open()
        self._file = _which(path)

    def _open(self) -> sqlite3.Connection:
        fresh = _refuse_strangers(self._path)
        with self._one_sentence():
            db = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._one_sentence():
                if fresh:
                    _create(db)
                _check(db)
                _renew(db)
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = FULL")
                db.execute("PRAGMA foreign_keys = ON")
        except BadInput:
            db.close()
            raise
        return db

    def begin(
        self,
        *,
        game: str,
        options: Mapping[str, Any],
        board: Layout,
        players: Iterable[str],
        at: datetime,
        round_: int = 0,
        match: str | None = None,
    ) -> str:
        """Begins a game, or a round of a match.

        Args:
            game: name of the game.
            options: its options by name, as JSON values.
            board: what it is played on.
            players: names, by player.
            at: the time of day, with its offset from UTC.
            round_: of the match, from 1; 0 for a game of its own.
            match: the id of the first round; None for that itself, and for a game of its own.

        Returns:
            The id of the game, a UUID.

        Raises:
            BadInput: the file cannot be written.
        """
        game_id = str(uuid.uuid4())
        row = (
            game_id,
            at.isoformat(timespec="seconds"),
            game,
            json.dumps(dict(options)),
            json.dumps(asdict(board)),
            json.dumps(list(players)),
            match or (game_id if round_ else None),
            round_,
        )
        self._keep()
        with self._one_sentence():
            self._db.execute(
                "INSERT INTO games (id, started_at, game, options, board, players, match, round) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        return game_id

    def append(self, game_id: str, event: Event) -> int:
        """Appends an event to a game; it is on the disk when this returns.

        Returns:
            Its `seq`, one above the last.

        Raises:
            BadInput: there is no such game, or the file cannot be written.
        """
        self._keep()
        number = self._number(game_id)
        text = json.dumps(as_json(event))
        with self._one_sentence():
            row = self._db.execute(
                "INSERT INTO events (game, seq, t, kind, event) "
                "SELECT ?, coalesce(max(seq), 0) + 1, ?, ?, ? FROM events WHERE game = ? RETURNING seq",
                (number, event.t, event.event, text, number),
            ).fetchall()
        return int(row[0][0])

    def games(self) -> list[LoggedGame]:
        """All games, the newest first.

        Raises:
            BadInput: the file cannot be read.
        """
        return self._games("ORDER BY number DESC")

    def game(self, game_id: str) -> LoggedGame:
        """One game.

        Raises:
            BadInput: there is no such game, or the file cannot be read.
        """
        found = self._games("WHERE id = ?", game_id)
        if not found:
            raise self._no_such(game_id)
        return found[0]

    def events(self, game_id: str, after: int = 0) -> list[LoggedEvent]:
        """The events of a game with a `seq` above `after`, in order.

        Raises:
            BadInput: there is no such game, or the file cannot be read.
        """
        number = self._number(game_id)
        with self._one_sentence():
            rows = self._db.execute(
                "SELECT seq, event FROM events WHERE game = ? AND seq > ? ORDER BY seq", (number, after)
            ).fetchall()
            return [LoggedEvent(seq, from_json(json.loads(text))) for seq, text in rows]

    def rounds(self, match: str) -> list[LoggedGame]:
        """The rounds of a match, in order.

        Raises:
            BadInput: the file cannot be read.
        """
        return self._games("WHERE match = ? ORDER BY round", match)

    def unfinished(self) -> LoggedGame | None:
        """The game to resume: the one begun last, unless it is over. A game left for another stays left.

        The last round of a match is to be resumed until the match is over.

        Raises:
            BadInput: the file cannot be read.
        """
        last = self._games("ORDER BY number DESC LIMIT 1")
        return last[0] if last and not isinstance(last[0].result, GameOver) else None

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _games(self, which: str, *values: str) -> list[LoggedGame]:
        with self._one_sentence():
            rows = self._db.execute(
                f"""
                SELECT id, started_at, game, options, board, players,
                    (SELECT coalesce(max(seq), 0) FROM events WHERE events.game = number),
                    (SELECT count(*) FROM events WHERE events.game = number AND kind IN (?, ?)),
                    (SELECT event FROM events WHERE events.game = number AND kind IN (?, ?, ?)
                        ORDER BY seq DESC LIMIT 1),
                    match, round
                FROM games {which}
                """,
                (
                    *(MoveMade.event, Pass.event),
                    *(GameOver.event, RoundOver.event, Takeback.event),
                    *values,
                ),
            ).fetchall()
            return [
                LoggedGame(
                    id=game_id,
                    started_at=at,
                    game=game,
                    options=json.loads(options),
                    board=json.loads(board),
                    players=tuple(json.loads(players)),
                    events=events,
                    moves=moves,
                    result=_result(end),
                    match=match,
                    round=number,
                )
                for game_id, at, game, options, board, players, events, moves, end, match, number in rows
            ]

    def _number(self, game_id: str) -> int:
        with self._one_sentence():
            row = self._db.execute("SELECT number FROM games WHERE id = ?", (game_id,)).fetchone()
        if row is None:
            raise self._no_such(game_id)
        return int(row[0])

    def _no_such(self, game_id: str) -> BadInput:
        return BadInput(
            f"there is no game {game_id!r} in the log {self._path}: leave the id out, and all games come, "
            f"each with its id"
        )

    def _keep(self) -> None:
        """Write the log anew, whole, where its file was deleted: it is still there for who has it open.

        Raises:
            BadInput: another file lies in its place, or it cannot be written.
        """
        there = _which(self._path)
        if there == self._file:
            return
        if there is not None:
            raise BadInput(
                f"another file was put in the place of the log {self._path} while it was in use: move that "
                f"away, and the log is written there again"
            )
        whole = self._path.with_name(f"{self._path.name}-whole")
        with self._one_sentence():
            whole.unlink(missing_ok=True)
            self._db.execute("VACUUM INTO ?", (str(whole),))
            self._db.close()
            # What is left of the old file would be taken for changes to the new one.
            for left in ("-wal", "-shm"):
                self._path.with_name(self._path.name + left).unlink(missing_ok=True)
            whole.replace(self._path)
        self._db = self._open()
        self._file = _which(self._path)

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        """Turns what SQLite raises, and what is found in the file and cannot be, into a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            raise self._trouble(_TROUBLE.get(code, _DAMAGED), error) from error
        except (ValueError, TypeError, AttributeError) as error:
            # SQLite keeps no checksum of what it stores: text may be no UTF-8, no JSON or no event.
            raise self._trouble(_DAMAGED, error) from error
        except OSError as error:
            raise self._trouble(_TROUBLE[sqlite3.SQLITE_CANTOPEN], error) from error

    def _trouble(self, what: str, error: Exception) -> BadInput:
        return BadInput(f"the log {self._path} {what} ({' '.join(str(error).split())})")


_DAMAGED = (
    "is damaged: move it away and a new one is begun, or save what is in it with `sqlite3 FILE .recover`"
)

_TROUBLE: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; free some space",
    sqlite3.SQLITE_READONLY: "cannot be written: make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: the folder must exist and be writable",
    sqlite3.SQLITE_PERM: "cannot be opened: make the file and its folder writable",
    sqlite3.SQLITE_IOERR: "cannot be read or written: check the disk",
    sqlite3.SQLITE_BUSY: "is in use by another program: stop that, or name another log",
}


def moves_of(events: Iterable[Event]) -> list[str]:
    """The moves that stand, in notation, a pass as "-": what to play again to come to the same ply.

    Where a ruling put another position in the place of the last, that stands among them (`engine.line`).

    >>> move = lambda name: MoveMade(0.0, 0, 0, move=name)
    >>> moves_of([move("C"), move("F"), Takeback(0.0, 0, 0, move="F"), move("A"), Pass(0.0, 0, 1)])
    ['C', 'A', '-']

    Raises:
        BadInput: a move is taken back that was not played.
    """
    moves: list[str] = []
    for event in events:
        match event:
            case MoveMade():
                moves.append(event.move)
            case Pass():
                moves.append("-")
            case Ruling() if event.position:
                moves.append(event.position)
            case Takeback() if event.move:
                # A pass is forced: it falls with the move before it.
                while moves and moves[-1] == "-" != event.move:
                    moves.pop()
                last = "" if not moves else "ruling" if "/" in moves[-1] else moves[-1]
                if last != event.move:
                    raise BadInput(f"the log takes back {event.move!r}, which is not the last move in it")
                moves.pop()
    return moves


def start_of(game: Game, events: Iterable[Event]) -> State:
    """Where play began: from the usual start, or from what lay on the board."""
    start = game.start()
    for event in events:
        match event:
            case GameStarted(ply=0):
                start = game.start(event.pits, event.stores, event.player)
            case MoveMade() | Ruling():
                break
    return start


def _which(path: Path) -> tuple[int, int] | None:
    """Which file lies at a path, by device and number; None for none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _create(db: sqlite3.Connection) -> None:
    # One transaction, so that a plug pulled here leaves an empty file or a whole one; and before
    # WAL, so that the header is in the file itself, where _refuse_strangers reads it.
    db.executescript(
        f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; "
        f"PRAGMA user_version = {SCHEMA_VERSION}; {SCHEMA} COMMIT;"
    )


def _renew(db: sqlite3.Connection) -> None:
    """Bring the file of an older Pitwatch up to date, whole or not at all."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version < SCHEMA_VERSION:
        db.executescript(
            "BEGIN IMMEDIATE; ALTER TABLE games ADD COLUMN match TEXT; "
            "ALTER TABLE games ADD COLUMN round INTEGER NOT NULL DEFAULT 0; "
            f"PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )


def _check(db: sqlite3.Connection) -> None:
    found = [row[0] for row in db.execute("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise sqlite3.DatabaseError(found[0])


def _refuse_strangers(path: Path) -> bool:
    """Whether there is no log at `path` yet. Reads the header alone: a stranger's file is not touched.

    Raises:
        BadInput: the file is not ours, or newer than this program.
    """
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise BadInput(f"the log {path} cannot be read: {error.strerror}") from error
    if not header:
        return True
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise BadInput(f"{path} is not a Pitwatch log (no SQLite file): name another file for the log")
    user_version, application_id = struct.unpack(">60xI4xI28x", header)
    if application_id != APPLICATION_ID:
        raise BadInput(f"{path} belongs to another program: name another file for the log")
    if user_version > SCHEMA_VERSION:
        raise BadInput(
            f"the log {path} was written by a newer Pitwatch (format {user_version}, "
            f"this one knows {SCHEMA_VERSION}): update Pitwatch, or name another file for the log"
        )
    return False


def _result(text: str | None) -> GameOver | RoundOver | None:
    """The last of ends and takebacks: what has been taken back since has not ended."""
    event = from_json(json.loads(text)) if text else None
    return event if isinstance(event, GameOver | RoundOver) else None
