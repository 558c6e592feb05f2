"""What a pulled plug, a pressed reset button and a lost cable do to a game: nothing."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service.running import board, gone, logged, service

SHORT = ("-o", "pits=4", "-o", "seeds=3")


def _moves(at_least: int) -> Callable[[dict[str, Any]], bool]:
    return lambda state: len(state["moves"]) >= at_least


@pytest.mark.parametrize("name", ["kalah", "oware"])
def test_a_killed_service_goes_on_at_the_same_ply(tmp_path: Path, name: str) -> None:
    log = tmp_path / "pitwatch.db"
    options = ("--game", name, "--speed", "20", *SHORT)
    before: list[str] = []
    for _ in range(2):
        with service(log, *options) as running:
            state = running.until(_moves(len(before) + 3))
            assert state["moves"][: len(before)] == before
            (hand,) = running.children()
            running.kill()
        assert gone(hand)
        _, before, _ = logged(log)
        assert before[: len(state["moves"])] == state["moves"]
    with service(log, *options, "--speed", "40") as running:
        state = running.get("state")
        assert state["moves"][: len(before)] == before
        assert state["events"][-1]["ply"] >= len(before)
        running.until(lambda state: state["view"]["phase"] == "over")
    game, moves, last = logged(log)
    assert moves[: len(before)] == before
    assert game.result is not None
    assert last.result is not None
    assert game.result.scores == last.result.scores


def test_a_takeback_and_a_mistake_outlive_the_service(tmp_path: Path) -> None:
    log = tmp_path / "pitwatch.db"
    with service(log, "--no-auto", "--speed", "20") as running:
        running.post("hand", {"do": "play", "pit": 2})
        running.until(lambda state: state["moves"] == ["C"])
        running.post("hand", {"do": "play", "pit": 0})
        running.until(lambda state: state["moves"] == ["C", "A"])
        running.post("inputs", {"input": "takeback"})
        running.until(lambda state: state["view"]["phase"] == "waiting" and state["moves"] == ["C"])
        running.post("hand", {"do": "mistake", "kind": "sown_long", "pit": 1})
        running.until(lambda state: state["view"]["violation"])
        running.kill()
    with service(log, "--no-auto", "--speed", "20") as running:
        state = running.until(lambda state: state["view"]["phase"] == "waiting")
        assert state["moves"] == ["C"]
        assert state["view"]["counts"] == [4, 4, 0, 5, 5, 5, *[4] * 6, 1, 0]
        running.post("hand", {"do": "play", "pit": 1})
        running.until(lambda state: state["moves"] == ["C", "B"])


def test_another_game_is_another_game(tmp_path: Path) -> None:
    log = tmp_path / "pitwatch.db"
    for options in (SHORT, ("-o", "pits=4", "-o", "seeds=2")):
        with service(log, "--no-auto", *options) as running:
            running.until(lambda state: state["view"]["phase"] == "waiting")
            games = running.get("games")
    assert [game["options"]["seeds"] for game in games] == [2, 3]


def test_the_players_go_on_while_the_service_is_away(tmp_path: Path) -> None:
    """The move that was half made when it died is on the board when it comes back, and counts."""
    log = tmp_path / "pitwatch.db"
    with board(tmp_path, "--speed", "5", "--seed", "9", "--play", "none", *SHORT) as there:
        for moves in (["B"], ["B", "A"]):
            with service(log, *there.options, *SHORT) as running:
                running.until(lambda state: state["view"]["phase"] == "waiting")
                there.ask(do="play", move=moves[-1])
                running.until(lambda state: state["view"]["phase"] == "sowing")
                running.kill()
            assert there.told()["move"] == moves[-1]
            with service(log, *there.options, *SHORT) as running:
                state = running.until(_moves(len(moves)))
                assert state["moves"] == moves
                assert not state["view"]["violation"]


def test_a_port_that_comes_later_goes_and_comes_again(tmp_path: Path) -> None:
    log, port = tmp_path / "pitwatch.db", tmp_path / "port"
    with board(tmp_path, "--speed", "20", "--seed", "9", "--play", "none", *SHORT) as there:
        there.ask(do="unplug")
        with service(log, *there.options, *SHORT) as running:
            state = running.until(lambda state: state["view"]["phase"] == "lost")
            assert state["sensor"].startswith(f"there is no port {port}: plug the board in")
            assert state["lamps"][0] == {"colour": "violet", "pattern": "slow"}
            there.ask(do="plug")
            running.until(lambda state: state["view"]["phase"] == "waiting")
            there.ask(do="play", move="B")
            running.until(lambda state: state["moves"] == ["B"])
            there.ask(do="unplug")
            state = running.until(lambda state: state["view"]["phase"] == "lost")
            gone = [event["text"] for event in state["events"] if event["event"] == "sensor_lost"]
            assert gone[-1] == f"the board on {port} is gone: plug it in again"
            there.ask(do="plug")
            running.until(lambda state: state["view"]["phase"] == "waiting")
            there.ask(do="play", move="A")
            running.until(lambda state: state["moves"] == ["B", "A"])
            there.ask(do="reset")
            running.until(lambda state: state["events"][-1]["event"] == "sensor_back")
            there.ask(do="play", move="a")
            state = running.until(lambda state: state["moves"] == ["B", "A", "a"])
            names = [event["event"] for event in state["events"]]
            assert names.count("sensor_lost") == names.count("sensor_back") == 3
            assert "violation" not in names


def test_a_board_is_found_by_its_id_wherever_it_is(tmp_path: Path) -> None:
    log, config = tmp_path / "pitwatch.db", tmp_path / "pitwatch.toml"
    with board(tmp_path, "--speed", "20", "--seed", "9", "--play", "none", *SHORT) as there:
        config.write_text(
            f'[scale]\nport = "{tmp_path}/po*"\nboard = "{b"simulate".hex()}"\n'
            f'calibration = "{there.calibration}"\n'
        )
        with service(log, "--config", str(config), *SHORT) as running:
            state = running.until(lambda state: state["view"]["phase"] == "waiting")
            assert state["port"] == f"scale on {there.port}"
            there.ask(do="play", move="B")
            running.until(lambda state: state["moves"] == ["B"])


def test_the_simulated_board_may_die(tmp_path: Path) -> None:
    """It is said on the page, nobody else's terminal is opened in its place, and a new game has a new one."""
    log = tmp_path / "pitwatch.db"
    with service(log, "--no-auto", "--speed", "20") as running:
        running.post("hand", {"do": "play", "pit": 2})
        running.until(lambda state: state["moves"] == ["C"])
        (hand,) = running.children()
        os.kill(hand, signal.SIGKILL)
        state = running.until(lambda state: state["view"]["phase"] == "lost")
        said = "the simulated board has ended (exit status -9): begin a new game"
        assert state["sensor"] == said
        assert state["events"][-1]["text"] == said
        assert running.post("hand", {"do": "play", "pit": 0}) == (503, {"error": said})
        assert running.post("games", {"game": "kalah"})[0] == 201
        running.until(lambda state: state["view"]["phase"] == "waiting")
        running.post("hand", {"do": "play", "pit": 2})
        running.until(lambda state: state["moves"] == ["C"])
        assert len(running.children()) == 1
