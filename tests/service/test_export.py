"""Games of the log as others read them."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from engine import games, ogn, record
from engine.errors import BadInput
from engine.game import Game, Result
from engine.move import PASS
from referee.clock import Switch, as_event, left_after_moves, settings_for
from referee.events import (
    Event,
    GameOver,
    GameStarted,
    MoveMade,
    Pass,
    Press,
    RoundOver,
    Ruling,
    Takeback,
    Turn,
    Violation,
)
from service.boards import board_for
from service.commands.export import record_of
from service.log import Log
from tests.service.conftest import Run

AT = datetime(2026, 11, 30, 19, 30, tzinfo=UTC)


@pytest.fixture
def run(pitwatch: Run) -> Run:
    """Call `pitwatch export` with words: exit status, stdout, stderr."""
    return partial(pitwatch, "export")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def logged(path: Path, game: Game, events: Iterable[Event], players: Sequence[str] = ("Ann", "Bob")) -> str:
    with Log(path) as log:
        game_id = log.begin(
            game=game.name, options=game.options, board=board_for(game), players=players, at=AT
        )
        for event in events:
            log.append(game_id, event)
    return game_id


def told(game: Game, moves: str, *, start: GameStarted | None = None, t: float = 10.0) -> list[Event]:
    """What a referee says of moves that take 1.5 s each."""
    state = game.start(start.pits, start.stores, start.player) if start else game.start()
    events: list[Event] = [
        start or GameStarted(t, 0, 0, game.name, tuple(game.options.items()), state.pits, state.stores)
    ]
    for number, move in enumerate(map(game.parse, moves.split())):
        assert state.player is not None
        if move == PASS:
            events.append(Pass(t, number, state.player))
        else:
            events.append(Turn(t, number, state.player))
            t += 1.5
            events.append(MoveMade(t, number + 1, state.player, game.name_of(move)))
        state = game.play(state, move).state
    return events


KALAH = games.load("kalah")
OWARE = games.load("oware")


def test_a_game_as_a_text_record(path: Path, run: Run) -> None:
    game = games.load("kalah", {"seeds": 3})
    game_id = logged(path, game, told(game, "D A b"))
    assert run("--log", path) == (
        0,
        f"""\
[Date "2026.11.30"]
[South "Ann"]
[North "Bob"]
[Result "*"]
[Game "kalah"]
[Options "seeds=3"]
[Time "19:30:00+00:00"]
[Id "{game_id}"]

1. D {{[%emt 0:00:01.5]}} A+4 {{[%emt 0:00:01.5]}} b {{[%emt 0:00:01.5]}} *
""",
        "",
    )


def test_all_games_the_oldest_first_or_one_of_them(path: Path, run: Run) -> None:
    ids = [logged(path, game, told(game, moves)) for game, moves in ((KALAH, "C F"), (OWARE, "C d"))]
    status, out, _ = run("--log", path)
    assert status == 0
    records = record.read_all(out)
    assert [(one.game, dict(one.headers)["Id"]) for one in records] == [(KALAH, ids[0]), (OWARE, ids[1])]
    _, out, _ = run(ids[1], "--log", path)
    assert record.read(out) == records[1]


def test_names_that_are_but_seats_are_left_out(path: Path, run: Run) -> None:
    logged(path, KALAH, told(KALAH, "C"), players=("South", "North"))
    assert record.read(run("--log", path)[1]).players == ("", "")


def test_what_went_wrong_stands_in_comments(path: Path, run: Run) -> None:
    events = told(KALAH, "A b C")
    short = Violation(30.0, 3, 1, kind="sown_short", text="One seed too few in {c}.")
    back = Takeback(31.0, 2, 0, move="C")
    again = [Turn(32.0, 2, 0), MoveMade(34.25, 3, 0, move="D"), Violation(35.0, 3, 1, kind="seeds_added")]
    logged(path, KALAH, [*events, short, back, *again])
    found = record.read(run("--log", path)[1])
    assert [KALAH.name_of(entry.move) for entry in found.entries] == ["A", "b", "D"]
    assert found.entries[2].comment == "One seed too few in {c}. C was taken back. seeds_added"
    assert found.entries[2].took_ms == 2250


def test_a_game_resigned_and_one_taken_up_again(path: Path) -> None:
    events = told(KALAH, "C F")
    over = GameOver(20.0, 2, 1, scores=(2, 0), winners=(0,), reason="North resigned")
    resigned = logged(path, KALAH, [*events, over])
    resumed = logged(path, KALAH, [*events, over, Takeback(21.0, 1, 0, move="F")])
    with Log(path) as log:
        found = [
            record_of(KALAH, log.game(game_id), [one.event for one in log.events(game_id)])
            for game_id in (resigned, resumed)
        ]
    assert found[0].result == Result((2, 0), (0,), "North resigned")
    assert found[1].result is None
    assert len(found[1].entries) == 1


def test_rulings_stand_where_they_were_made_and_those_taken_back_do_not(path: Path, run: Run) -> None:
    def ruled(t: float, ply: int, position: str) -> Ruling:
        return Ruling(t, ply, 1, "sown_short", "opponent", position, text="The opponent accepts the board.")

    short, other = "0,5,5,6,4,4/4,4,4,4,4,4 0,0 1", "0,5,5,5,5,4/4,4,4,4,4,4 0,0 1"
    start = GameStarted(0.0, 0, 0, "kalah", (), (4,) * 12, (0, 0))
    events: list[Event] = [
        start,
        # Not what it was begun from in the end: an arbiter had it begin from the board.
        replace(start, pits=(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3), player=0),
        Turn(1.0, 0, 0),
        Violation(2.0, 0, 0, "sown_short", text="Short."),
        ruled(3.0, 0, other),
        Takeback(4.0, 0, 0, "ruling"),
        ruled(5.0, 0, short),
        # Taken up again.
        GameStarted(6.0, 0, 1, "kalah", (), (0, 5, 5, 6, 4, 4, 4, 4, 4, 4, 4, 4), (0, 0)),
        Turn(7.0, 0, 1),
        MoveMade(8.0, 1, 1, "a"),
        ruled(9.0, 1, "0,5,5,6,4,4/0,5,5,5,5,3 0,0 1"),
        MoveMade(11.0, 2, 1, "b"),
        GameOver(12.0, 2, 0, (0, 1), (1,), "South resigned"),
        Takeback(13.0, 2, 0, ""),
    ]
    game_id = logged(path, KALAH, events)
    (found,) = record.read_all(run("--log", path)[1])
    assert found.start == KALAH.start([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3], [0, 0], 0)
    assert found.ruling == short
    assert [entry.ruling for entry in found.entries] == ["0,5,5,6,4,4/0,5,5,5,5,3 0,0 1", ""]
    assert found.last.counts == (0, 5, 5, 6, 4, 4, 0, 0, 6, 6, 6, 4, 0, 1)
    assert found.result is None
    assert found.entries[0].comment == (
        "Short. The opponent accepts the board. A ruling was taken back. The opponent accepts the board."
    )
    assert found.entries[1].comment.endswith("How the game ended was taken back.")
    (plain,) = json.loads(run(game_id, "--log", path, "--format", "json")[1])
    assert (plain["ruling"], plain["plies"][0]["ruling"]) == (short, found.entries[0].ruling)


def timed(game: Game, *times: str, switch: Switch = "move") -> list[Event]:
    """D takes 4 s and gives another turn, A 6 s, b 20 s; the referee is sure of each 0.5 s later."""
    settings = settings_for(times, game.players, switch, "lose")
    state = game.start()
    begun = GameStarted(0.0, 0, 0, game.name, pits=state.pits, stores=state.stores)
    events: list[Event] = [begun, as_event(settings, 0.0, 0, 0)]
    t = 5.0
    for ply, (player, move, seconds) in enumerate([(0, "D", 4.0), (0, "A", 6.0), (1, "b", 20.0)], 1):
        events.append(Turn(t, ply - 1, player))
        t += seconds + 0.5
        events.append(MoveMade(t, ply, player, move, ended=t - 0.5))
    return [*events, Turn(t, 3, 0)]


def test_a_game_with_a_clock_has_the_times_left_and_the_time_control(path: Path, run: Run) -> None:
    game = games.load("kalah", {"seeds": 3})
    game_id = logged(path, game, timed(game, "5:00+3"))
    out = run("--log", path)[1]
    assert '[TimeControl "300+3"]' in out
    # 300 - 4; then 296 - 6 + 3 as the turn passes; North: 300 - 20 + 3.
    assert "1. D {[%clk 0:04:56] [%emt 0:00:04]} A+4 {[%clk 0:04:53] [%emt 0:00:06]} b\n{[%clk" in out
    assert [entry.clock_ms for entry in record.read(out).entries] == [296_000, 293_000, 283_000]
    (plain,) = json.loads(run("--log", path, "--format", "json")[1])
    assert plain["time_control"] == "300+3"
    assert [ply["clock_ms"] for ply in plain["plies"]] == [296_000, 293_000, 283_000]
    rows = list(csv.DictReader(io.StringIO(run("--log", path, "--format", "csv")[1])))
    assert [row["clock_ms"] for row in rows] == ["296000", "293000", "283000"]
    with Log(path) as log:
        found = record_of(game, log.game(game_id), timed(game, "5:00+3", "2:00"))
        assert dict(found.headers)["TimeControl"] == "300+3 120"


def test_the_time_left_with_a_button_is_that_of_the_press() -> None:
    events = timed(games.load("kalah", {"seeds": 3}), "5:00+3", switch="button")[:-2]
    assert events[-1] == Turn(16.0, 2, 1)
    # South's time has run since 5.0: 4.5 s to the verdict on D, and 11 s to that on A, which is not pressed.
    assert left_after_moves(events) == {1: 295_500, 2: 289_000}
    # 300 - 12.5 + 3
    pressed = [*events, Press(17.5, 2, 0)]
    assert left_after_moves(pressed) == {1: 295_500, 2: 290_500}
    assert left_after_moves([*pressed, Takeback(40.0, 1, 0, "A")]) == {1: 295_500}


def test_the_time_left_after_a_swap_is_of_who_swapped() -> None:
    events: list[Event] = [as_event(settings_for(["5:00", "4:00"], 2, "move", "lose"), 0.0, 0, 0)]
    for ply, (player, move, t) in enumerate([(0, "A", 20.0), (1, "swap", 25.0), (1, "b", 32.0)], 1):
        events += [Turn(events[-1].t, ply - 1, player), MoveMade(t, ply, player, move)]
    assert left_after_moves(events) == {1: 280_000, 2: 235_000, 3: 273_000}


def test_a_start_a_pass_and_a_resumption(path: Path, run: Run) -> None:
    game = games.load("mangala2")
    start = GameStarted(0.0, 0, 0, game.name, (), (0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1), (34, 36))
    events = told(game, "- f A", start=start)
    resumed = GameStarted(90.0, 3, 1, game.name, (), (0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0), (34, 36))
    more = [resumed, Turn(91.0, 3, 1), MoveMade(93.0, 4, 1, move="c")]
    logged(path, game, [*events, *more])
    out = run("--log", path)[1]
    assert '[Start "0,0,0,0,0,0/0,0,1,0,0,1 34,36 0"]' in out
    found = record.read(out)
    assert [game.name_of(entry.move) for entry in found.entries] == ["-", "f", "A", "c"]
    assert [entry.took_ms for entry in found.entries] == [None, 1500, 1500, 2000]


def test_a_match_is_a_record_a_round(path: Path, run: Run) -> None:
    """Congklak with four pits: North begins round 2, and South's D, pit 3, holds one seed and is closed."""
    first = games.load("congklak", {"pits": 4})
    second = games.load("congklak", {"pits": 4, "short": "3"})
    over = RoundOver(20.0, 1, 0, (13, 19), (1,), "", 1, 0, (13, 19), (13, 19), (1,))
    start = GameStarted(30.0, 0, 1, "congklak", (), (4, 4, 4, 1, 4, 4, 4, 4), (0, 3), 2)
    with Log(path) as log:
        match = None
        for number, game, events in (
            (1, first, [*told(first, "B"), over]), (2, second, told(second, "b", start=start)),
        ):  # fmt: skip
            row = log.begin(
                game=game.name, options=game.options, board=board_for(game), players=("Ann", "Bob"), at=AT,
                round_=number, match=match,
            )  # fmt: skip
            match = match or row
            for event in events:
                log.append(row, event)
    _, out, _ = run("--log", path)
    one, two = record.read_all(out)
    assert (one.game, one.round, one.start) == (first, "1", None)
    assert (two.game, two.round) == (second, "2")
    assert dict(one.headers)["Match"] == dict(two.headers)["Match"] == match
    assert dict(one.headers)["Standing"] == "13-19"
    assert '[Options "pits=4 short=3"]' in out
    assert '[Start "4,4,4,1/4,4,4,4 0,3 1 closed=3"]' in out
    plain = json.loads(run("--log", path, "--format", "json")[1])
    assert [(game["round"], game["closed"], game["match"]) for game in plain] == [
        (1, [], match),
        (2, [3], match),
    ]
    rows = list(csv.DictReader(io.StringIO(run("--log", path, "--format", "csv")[1])))
    assert [(row["round"], row["move"]) for row in rows] == [("1", "B"), ("2", "b")]


def test_ogn_holds_one_game_of_oware(path: Path, run: Run) -> None:
    game_id = logged(path, OWARE, told(OWARE, "C d"))
    status, out, _ = run("--log", path, "--format", "ogn")
    assert status == 0
    assert out.startswith('[Variant "Oware Abapa"]\n')
    assert [OWARE.name_of(entry.move) for entry in ogn.read(out).entries] == ["C", "d"]
    other = logged(path, KALAH, told(KALAH, "C"))
    assert run(game_id, "--log", path, "--format", "ogn") == (0, out, "")
    status, _, err = run("--log", path, "--format", "ogn")
    assert (status, err) == (2, "pitwatch: OGN holds one game, and the log has 2: name one by its id\n")
    status, _, err = run(other, "--log", path, "--format", "ogn")
    assert status == 2
    assert err.startswith("pitwatch: kalah cannot be written as OGN, a format of Oware")


def test_json(path: Path, run: Run) -> None:
    game = games.load("kalah", {"pits": 1, "seeds": 1})
    game_id = logged(path, game, told(game, "A"))
    # A's seed falls in the store; South's row is empty, and North gathers the one in a.
    (plain,) = json.loads(run("--log", path, "--format", "json")[1])
    assert plain == {
        "id": game_id,
        "started_at": "2026-11-30T19:30:00+00:00",
        "game": "kalah",
        "options": dict(game.options),
        "players": ["Ann", "Bob"],
        "match": None,
        "round": 0,
        "time_control": None,
        "owner": [0, 1],
        "closed": [],
        "start": {"pits": [1, 1], "stores": [0, 0], "player": 0},
        "ruling": "",
        "plies": [
            {
                "player": 0,
                "move": "A",
                "captured": [],
                "gain": [1, 0],
                "pits": [0, 1],
                "stores": [1, 0],
                "ruling": "",
                "took_ms": 1500,
                "clock_ms": None,
                "comment": "",
            }
        ],
        "result": {"scores": [1, 1], "winners": [0, 1], "reason": "a row is empty"},
    }


def test_csv_knows_who_sits_where_after_a_swap(path: Path, run: Run) -> None:
    game = games.load("kalah", {"pie": True})
    game_id = logged(path, game, told(game, "A swap b"))
    rows = list(csv.DictReader(io.StringIO(run("--log", path, "--format", "csv")[1])))
    assert [(row["ply"], row["player"], row["name"], row["move"]) for row in rows] == [
        ("1", "0", "Ann", "A"),
        ("2", "1", "Bob", "swap"),
        ("3", "1", "Ann", "b"),
    ]
    assert rows[0] == {
        "id": game_id,
        "started_at": "2026-11-30T19:30:00+00:00",
        "game": "kalah",
        "round": "",
        "ply": "1",
        "player": "0",
        "name": "Ann",
        "move": "A",
        "captured": "0",
        "pits": "0 5 5 5 5 4 4 4 4 4 4 4",
        "stores": "0 0",
        "ruling": "",
        "took_ms": "1500",
        "clock_ms": "",
        "comment": "",
    }


def test_a_file_is_written_whole(path: Path, run: Run, tmp_path: Path) -> None:
    logged(path, KALAH, told(KALAH, "C"))
    _, out, _ = run("--log", path)
    target = tmp_path / "games.txt"
    target.write_text("of yesterday")
    assert run("--log", path, "--output", target) == (0, "", "")
    assert target.read_text() == out
    assert sorted(file.name for file in tmp_path.iterdir() if "games.txt" in file.name) == ["games.txt"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--log", "none.db"], "pitwatch: there is no log none.db: name one with --log\n"),
        (["b", "--log", "games.db"], "pitwatch: there is no game 'b' in the log games.db"),
        (["--log", "games.db", "--output", "."], "is no file: name another with --output"),
        (["--log", "games.db", "--output", "no/such"], "no/such.part: No such file or directory\n"),
        (["--log", "other.txt"], "pitwatch: other.txt is not a Pitwatch log"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_sentence(
    words: list[str], sentence: str, path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    logged(path, KALAH, told(KALAH, "C"))
    Path("other.txt").write_text("not a log at all")
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert not Path("none.db").exists()


def test_a_game_that_the_rules_deny_is_named(path: Path, run: Run) -> None:
    game_id = logged(path, KALAH, [MoveMade(1.0, 1, 0, move="C"), MoveMade(2.0, 2, 1, move="a")])
    status, out, err = run("--log", path)
    assert (status, out) == (2, "")
    assert err.startswith(
        f"pitwatch: game {game_id} cannot be exported: ply 2: a is not legal: that pit is not"
    )


def test_moves_whose_numbers_do_not_fit_are_refused(path: Path) -> None:
    game_id = logged(path, KALAH, [MoveMade(1.0, 1, 0, move="C"), MoveMade(2.0, 1, 0, move="F")])
    with Log(path) as log, pytest.raises(BadInput, match="2 moves stand in the log, and their numbers say 1"):
        record_of(KALAH, log.game(game_id), [one.event for one in log.events(game_id)])


def test_an_empty_log(path: Path, run: Run) -> None:
    Log(path).close()
    assert run("--log", path) == (0, "", "")
    assert run("--log", path, "--format", "json") == (0, "[]\n", "")
    assert run("--log", path, "--format", "csv")[1].count("\n") == 1


def test_the_log_is_never_written_over(run: Run, path: Path) -> None:
    game = games.load("kalah")
    logged(path, game, told(game, "C A"))
    before = path.read_bytes()
    status, _, err = run("--log", path, "--output", path.parent / "." / path.name)
    assert (status, path.read_bytes()) == (2, before)
    assert "is the log itself: name another file with --output" in err


def test_a_game_whose_file_is_gone_does_not_keep_the_others(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('base = "kalah"\ntitle = "Ours"\n[rules]\nseeds = 3\n')
    ours, kalah = games.load(str(file)), games.load("kalah")
    gone = logged(path, ours, told(ours, "C"))
    kept = logged(path, kalah, told(kalah, "C A"))
    file.unlink()
    status, out, err = run("--log", path, "--format", "json")
    assert status == 2
    assert [one["id"] for one in json.loads(out)] == [kept]
    assert f"game {gone} cannot be exported" in err
