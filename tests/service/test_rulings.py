"""Rulings in the service: logged, led on from, taken up again and taken back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import games, line
from engine.record import read, write
from service.commands.export import record_of
from service.log import Log, moves_of, start_of
from tests.service.running import service

SHORT = [0, 5, 5, 6, 4, 4, *[4] * 6, 0, 0]
"""South's A, with its last seed in D and not in E."""


def settings(folder: Path, policy: str, more: str = "") -> tuple[str, ...]:
    path = folder / "pitwatch.toml"
    path.write_text(f'[referee]\npolicy = "{policy}"\n{more}')
    return ("--config", str(path), "--no-auto", "--speed", "20")


def _waits_after(entries: int) -> Callable[[dict[str, Any]], bool]:
    return lambda state: len(state["moves"]) == entries and state["view"]["phase"] == "waiting"


def test_a_ruling_is_played_on_from_taken_up_again_and_taken_back(tmp_path: Path) -> None:
    log = tmp_path / "pitwatch.db"
    options = settings(tmp_path, "opponent_decides")
    with service(log, *options) as running:
        running.post("hand", {"do": "mistake", "kind": "sown_short", "pit": 0})
        state = running.until(lambda state: state["view"]["phase"] == "decide")
        assert (state["view"]["deciders"], state["view"]["follows"]) == ([1], 1)
        assert state["view"]["violation"]["reasons"]["readings"][0]["text"] == "A, sown short"
        assert running.post("inputs", {"input": "accept"})[0] == 202
        running.until(lambda state: state["view"]["phase"] == "waiting" and state["view"]["player"] == 1)
        # The simulated hand plays on from what was accepted.
        assert running.post("hand", {"do": "play", "pit": 6})[0] == 202
        state = running.until(lambda state: len(state["moves"]) == 2)
        assert state["moves"] == ["0,5,5,6,4,4/4,4,4,4,4,4 0,0 1", "a"]
        running.kill()
    with service(log, *options) as running:
        state = running.until(lambda state: state["view"]["phase"] == "waiting")
        assert (state["moves"], state["view"]["player"]) == (["0,5,5,6,4,4/4,4,4,4,4,4 0,0 1", "a"], 0)
        assert state["view"]["counts"] == [0, 5, 5, 6, 4, 4, 0, 5, 5, 5, 5, 4, 0, 0]
        for left, counts in ((1, SHORT), (0, [4] * 12 + [0, 0])):
            assert running.post("inputs", {"input": "takeback"})[0] == 202
            state = running.until(_waits_after(left))
            assert state["view"]["counts"] == counts
        assert running.post("hand", {"do": "play", "pit": 2})[0] == 202
        running.until(lambda state: state["moves"] == ["C"])
    with Log(log) as reader:
        (only,) = reader.games()
        events = [one.event for one in reader.events(only.id)]
        found = record_of(games.load("kalah"), only, events)
    assert [entry.ruling for entry in found.entries] == [""]
    assert "A ruling was taken back." in found.entries[0].comment
    assert found.ruling == ""


def test_players_move_on_after_a_warning(tmp_path: Path) -> None:
    log = tmp_path / "pitwatch.db"
    with service(log, *settings(tmp_path, "warn")) as running:
        running.post("hand", {"do": "mistake", "kind": "sown_short", "pit": 0})
        running.until(lambda state: state["view"]["violation"])
        assert running.post("inputs", {"input": "done"})[0] == 202
        running.until(lambda state: state["view"]["phase"] == "waiting" and state["view"]["player"] == 1)
        assert running.post("hand", {"do": "play", "pit": 6})[0] == 202
        running.until(lambda state: len(state["moves"]) == 2)
    with Log(log) as reader:
        (only,) = reader.games()
        events = [one.event for one in reader.events(only.id)]
    game = games.load("kalah")
    *_, last = line.follow(game, start_of(game, events), line.read(game, moves_of(events)))
    assert last.counts == (0, 5, 5, 6, 4, 4, 0, 5, 5, 5, 5, 4, 0, 0)


def test_the_arbiter_rules_with_a_word(tmp_path: Path) -> None:
    log = tmp_path / "pitwatch.db"
    word = '[web]\narbiter = "oak"\n'
    options = settings(tmp_path, "arbiter", word)
    with service(log, *options) as running:
        running.post("hand", {"do": "mistake", "kind": "sown_short", "pit": 0})
        running.until(lambda state: state["view"]["phase"] == "decide")
        ruling = {"input": "accept", "player": 0}
        status, answer = running.post("inputs", ruling)
        assert (status, answer["error"]) == (
            400,
            "the arbiter may accept another position, and nobody else now",
        )
        assert running.post("inputs", {**ruling, "arbiter": "elm"})[0] == 403
        assert running.post("inputs", {**ruling, "arbiter": "oak"})[0] == 202
        state = running.until(lambda state: state["view"]["phase"] == "waiting")
        assert (state["view"]["counts"], state["view"]["player"]) == (SHORT, 0)
    record = read(_exported(log))
    assert record.ruling == "0,5,5,6,4,4/4,4,4,4,4,4 0,0 0"


def test_a_resignation_taken_back_is_no_move_taken_back(tmp_path: Path) -> None:
    log = tmp_path / "pitwatch.db"
    with service(log, *settings(tmp_path, "strict")) as running:
        running.post("hand", {"do": "play", "pit": 2})
        running.until(lambda state: state["moves"] == ["C"])
        running.post("inputs", {"input": "resign"})
        running.until(lambda state: state["view"]["phase"] == "over")
        assert running.post("inputs", {"input": "takeback"})[0] == 202
        state = running.until(lambda state: state["view"]["phase"] == "waiting")
        assert state["moves"] == ["C"]
        running.post("hand", {"do": "play", "pit": 0})
        running.until(lambda state: state["moves"] == ["C", "A"])
        assert running.get("games")[0]["result"] is None


def _exported(log: Path) -> str:
    with Log(log) as reader:
        (only,) = reader.games()
        events = [one.event for one in reader.events(only.id)]
        return write(record_of(games.load("kalah"), only, events))
