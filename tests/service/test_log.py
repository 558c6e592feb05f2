"""The log keeps what it said it has, whatever happens to the machine."""

import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.layout import Hole, Layout
from referee.events import (
    Event,
    GameOver,
    GameStarted,
    Mend,
    MoveMade,
    Pass,
    RoundOver,
    Takeback,
    Turn,
    Violation,
)
from service.log import Log, moves_of

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BOARD = Layout("bench", 200.0, 100.0, (Hole(50.0, 50.0, 15.0), Hole(100.0, 50.0, 15.0)), ())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite"


@pytest.fixture
def log(path: Path) -> Iterator[Log]:
    with Log(path) as opened:
        yield opened


def begin(log: Log, game: str = "kalah") -> str:
    return log.begin(game=game, options={"pits": 6}, board=BOARD, players=("Ann", "Bob"), at=AT)


def move(name: str, ply: int = 1) -> MoveMade:
    return MoveMade(0.5, ply, 0, move=name, captured=((3, 4),), gain=(5, 0), pits=(0, 1), stores=(2, 3))


def test_a_game_is_read_back_as_it_was_logged(log: Log, path: Path) -> None:
    said: list[Event] = [
        GameStarted(0.0, 0, 0, game="kalah", options=(("pits", 6),), pits=(4, 4), stores=(0, 0)),
        Turn(0.0, 0, 0, legal=("A", "B")),
        move("A"),
        Violation(1.0, 1, 1, kind="sown_short", pits=(2,), seeds=(-1,), mend=(Mend(2, 3, 4),), text="Short."),
        GameOver(9.0, 2, 1, scores=(25, 23), winners=(0,), reason="row empty"),
    ]
    game_id = begin(log)
    assert [log.append(game_id, event) for event in said] == [1, 2, 3, 4, 5]
    log.close()

    with Log(path) as again:
        assert [logged.event for logged in again.events(game_id)] == said
        assert [logged.seq for logged in again.events(game_id, after=3)] == [4, 5]
        game = again.game(game_id)
        assert (game.game, game.options, game.players) == ("kalah", {"pits": 6}, ("Ann", "Bob"))
        assert (game.started_at, game.events, game.moves) == ("2026-11-30T12:00:00+00:00", 5, 1)
        assert game.board["length"] == 200.0
        assert game.board["pits"][1] == {"x": 100.0, "y": 50.0, "radius": 15.0, "half_length": 0.0}
        assert game.result == said[-1]


def test_each_game_counts_its_own_events(log: Log) -> None:
    one, two = begin(log), begin(log, "oware")
    assert [log.append(g, move("A")) for g in (one, two, one)] == [1, 1, 2]
    assert [game.game for game in log.games()] == ["oware", "kalah"]
    assert [game.events for game in log.games()] == [1, 2]


def test_the_last_game_is_resumed_unless_it_is_over(log: Log) -> None:
    assert log.unfinished() is None
    left, last = begin(log), begin(log)
    resumed = log.unfinished()
    assert resumed is not None
    assert resumed.id == last
    log.append(last, GameOver(9.0, 2, 1))
    assert log.unfinished() is None
    assert log.game(left).result is None


@pytest.mark.parametrize("ask", [lambda log: log.game("x"), lambda log: log.append("x", move("A"))])
def test_an_unknown_game(log: Log, ask: object) -> None:
    assert callable(ask)
    with pytest.raises(BadInput, match="there is no game 'x' in the log"):
        ask(log)


def test_closing_twice(log: Log) -> None:
    log.close()
    log.close()


# --- what to play again -------------------------------------------------------------------------------


def test_a_takeback_takes_the_forced_pass_with_it() -> None:
    story: list[Event] = [move("A"), move("b"), Pass(0, 2, 0), Takeback(0, 2, 1, move="b"), move("c")]
    assert moves_of(story) == ["A", "c"]


def test_a_pass_may_itself_be_taken_back() -> None:
    assert moves_of([move("A"), Pass(0, 1, 1), Takeback(0, 1, 1, move="-")]) == ["A"]


def test_a_takeback_of_what_was_not_played() -> None:
    with pytest.raises(BadInput, match="takes back 'B', which is not the last move in it"):
        moves_of([move("A"), Takeback(0, 1, 0, move="B")])


@given(st.lists(st.sampled_from(["A", "b", "C+", "undo"])))
def test_moves_are_a_stack(script: list[str]) -> None:
    stack: list[str] = []
    story: list[Event] = []
    for word in script:
        if word != "undo":
            stack.append(word)
            story.append(move(word))
        elif stack:
            story.append(Takeback(0.0, 0, 0, move=stack.pop()))
    assert moves_of(story) == stack


# --- files that are no log, or not one of ours ----------------------------------------------------------


def make(path: Path, application_id: int, user_version: int) -> None:
    with sqlite3.connect(path) as db:
        db.executescript(
            f"PRAGMA application_id = {application_id}; PRAGMA user_version = {user_version}; "
            "CREATE TABLE theirs (x);"
        )
    db.close()


def test_a_strangers_file_is_refused_and_left_alone(path: Path) -> None:
    path.write_bytes(b"dear diary, " * 40)
    with pytest.raises(BadInput, match="is not a Pitwatch log"):
        Log(path)
    assert path.read_bytes() == b"dear diary, " * 40
    assert list(path.parent.iterdir()) == [path]


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    make(path, 0, 1)
    before = path.read_bytes()
    with pytest.raises(BadInput, match="belongs to another program"):
        Log(path)
    assert path.read_bytes() == before


def test_a_newer_log_is_refused_and_left_alone(path: Path) -> None:
    make(path, int.from_bytes(b"PitW", "big"), 3)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=r"written by a newer Pitwatch \(format 3, this one knows 2\)"):
        Log(path)
    assert path.read_bytes() == before


FIRST = """
CREATE TABLE games (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started_at TEXT NOT NULL, game TEXT NOT NULL,
    options TEXT NOT NULL, board TEXT NOT NULL, players TEXT NOT NULL
);
CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games (number), seq INTEGER NOT NULL, t REAL NOT NULL,
    kind TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (game, seq)
) WITHOUT ROWID;
CREATE INDEX events_by_kind ON events (kind, game);
"""
"""The log as its first format had it: without matches."""


def test_an_older_log_is_brought_up_to_date(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.executescript(f"PRAGMA application_id = {0x50697457}; PRAGMA user_version = 1; {FIRST}")
        db.execute("INSERT INTO games VALUES (1, 'old', '2026-11-30T12:00:00', 'kalah', '{}', '{}', '[]')")
    db.close()
    with Log(path) as log:
        old = log.game("old")
        assert (old.match, old.round, old.result) == (None, 0, None)
        log.append("old", move("A"))
        new = begin(log)
    with Log(path) as again:
        assert [game.id for game in again.games()] == [new, "old"]
        assert [logged.event for logged in again.events("old")] == [move("A")]


# --- matches ------------------------------------------------------------------------------------------


def test_the_rounds_of_a_match_belong_together(log: Log) -> None:
    def begun(number: int, match: str | None = None) -> str:
        return log.begin(
            game="congklak", options={}, board=BOARD, players=(), at=AT, round_=number, match=match
        )

    first = begun(1)
    over = RoundOver(9.0, 3, 1, (28, 22), (0,), "a row is empty", 1, 0, (28, 22), (28, 22), (0,))
    log.append(first, over)
    # The match goes on: its round is over, it is not.
    last = log.unfinished()
    assert last is not None
    assert (last.id, last.match, last.round, last.result) == (first, first, 1, over)
    begin(log)
    second = begun(2, first)
    assert [(game.id, game.round) for game in log.rounds(first)] == [(first, 1), (second, 2)]
    log.append(second, GameOver(20.0, 9, 0, (50, 0), (0,), "a player has lost all seeds"))
    assert log.unfinished() is None


def test_a_game_whose_end_was_taken_back_is_unfinished(log: Log) -> None:
    game_id = begin(log)
    log.append(game_id, GameOver(9.0, 3, 1, (28, 20), (0,), "a row is empty"))
    assert log.unfinished() is None
    log.append(game_id, Takeback(10.0, 2, 1, "f"))
    last = log.unfinished()
    assert last is not None
    assert (last.id, last.result) == (game_id, None)


def filled(path: Path) -> bytes:
    with Log(path) as log:
        game_id = begin(log)
        for ply in range(200):
            log.append(game_id, move("A", ply))
    return path.read_bytes()


@pytest.mark.parametrize("harm", ["noise in a page", "cut short"])
def test_a_damaged_log_is_refused_and_left_alone(path: Path, harm: str) -> None:
    whole = filled(path)
    hurt = whole[:4096] + b"\xa5" * 4096 + whole[8192:] if harm == "noise in a page" else whole[:6000]
    path.write_bytes(hurt)
    with pytest.raises(BadInput, match="is damaged: move it away"):
        Log(path)
    assert path.read_bytes() == hurt


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good log."""
    path = tmp_path_factory.mktemp("log") / "games.sqlite"
    filled(path)
    return path


@settings(max_examples=40, deadline=None)
@given(place=st.floats(0, 1), noise=st.binary(min_size=1, max_size=300))
def test_whatever_is_wrong_with_the_file_is_one_sentence(good: Path, place: float, noise: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        whole = good.read_bytes()
        at = int(place * (len(whole) - 1))
        path.write_bytes(whole[:at] + noise + whole[at + len(noise) :])
        try:
            with Log(path) as log:
                for game in log.games():
                    log.events(game.id)
        except BadInput as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the folder must exist and be writable"):
        Log(tmp_path / "nowhere" / "games.sqlite")


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        Log(tmp_path)


def test_a_log_in_use_is_one_sentence(log: Log, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.log.BUSY_SECONDS", 0.0)
    game_id = begin(log)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Log(path) as second, pytest.raises(BadInput, match="is in use by another program"):
        second.append(game_id, move("A"))
    other.close()


def test_a_full_disk_is_one_sentence_and_loses_nothing(log: Log, path: Path) -> None:
    game_id = begin(log)
    log.append(game_id, move("A"))
    log._db.execute("PRAGMA max_page_count = 8")  # SQLite's own way to run out of room

    def fill() -> None:
        for ply in range(10_000):
            log.append(game_id, move("B", ply))

    with pytest.raises(BadInput, match="the disk is full; free some space"):
        fill()
    kept = log.events(game_id)
    assert kept[0].event == move("A")
    assert [logged.seq for logged in kept] == list(range(1, len(kept) + 1))


def test_a_read_only_log_is_one_sentence(log: Log) -> None:
    game_id = begin(log)
    log._db.execute("PRAGMA query_only = 1")  # SQLite's own way to be read-only, for root too
    with pytest.raises(BadInput, match="cannot be written: make the file and its folder writable"):
        log.append(game_id, move("A"))


# --- the pulled plug ------------------------------------------------------------------------------------

WRITER = textwrap.dedent("""
    import sys
    from datetime import UTC, datetime
    from pathlib import Path
    from engine.layout import Layout
    from referee.events import MoveMade
    from service.log import Log

    with Log(Path(sys.argv[1])) as log:
        game = log.begin(game="kalah", options={}, board=Layout("b", 1.0, 1.0, (), ()), players=("A", "B"),
                         at=datetime.now(UTC))
        print(game, flush=True)
        ply = 0
        while True:
            ply += 1
            print(log.append(game, MoveMade(ply / 7, ply, 0, move="A" * (ply % 50))), flush=True)
""")


@pytest.mark.parametrize("kill_after", [0, 1, 7, 60, 350])
def test_what_was_appended_outlives_sigkill(path: Path, kill_after: int) -> None:
    with Log(path) as log:
        earlier = begin(log)
        log.append(earlier, move("A"))

    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    game_id = writer.stdout.readline().strip()
    told = [int(writer.stdout.readline()) for _ in range(kill_after)]
    writer.send_signal(signal.SIGKILL)
    # The last line may have been cut by the kill; whole lines were all said after the append.
    told += [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    assert writer.wait() == -signal.SIGKILL
    writer.stdout.close()

    with Log(path) as log:
        kept = log.events(game_id)
        assert [logged.seq for logged in kept[: len(told)]] == told
        assert len(kept) - len(told) in (0, 1)
        assert [logged.event for logged in kept] == [
            MoveMade(ply / 7, ply, 0, move="A" * (ply % 50)) for ply in range(1, len(kept) + 1)
        ]
        resumed = log.unfinished()
        assert resumed is not None
        assert resumed.id == game_id
        assert log.append(game_id, move("C")) == len(kept) + 1
        assert [logged.event for logged in log.events(earlier)] == [move("A")]


@pytest.mark.parametrize("left", [(), ("-wal", "-shm")], ids=["all of it", "all but what is beside it"])
def test_a_log_that_is_deleted_in_use_is_written_anew(log: Log, path: Path, left: tuple[str, ...]) -> None:
    game = begin(log)
    log.append(game, move("A"))
    for name in {"", "-wal", "-shm"} - set(left):
        Path(f"{path}{name}").unlink()
    log.append(game, move("B", 2))
    log.append(game, move("C", 3))
    with Log(path) as again:
        assert moves_of(one.event for one in again.events(game)) == ["A", "B", "C"]
        assert [one.id for one in again.games()] == [game]


def test_a_file_in_the_place_of_the_log_is_left_as_it_is(log: Log, path: Path) -> None:
    game = begin(log)
    path.unlink()
    path.write_text("dear diary")
    with pytest.raises(BadInput, match="another file was put in the place of the log"):
        log.append(game, move("A"))
    assert path.read_text() == "dear diary"
    path.unlink()
    log.append(game, move("A"))
    with Log(path) as again:
        assert moves_of(one.event for one in again.events(game)) == ["A"]
