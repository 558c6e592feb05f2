"""Matches of `pitwatch run`, played on the simulated board: rounds follow each other, whatever is pulled."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine import games
from engine.game import Ply, replay
from engine.match import Round, conclude
from referee.events import GameOver, GameStarted, RoundOver, Turn
from service.boards import board_for
from service.log import Log, moves_of
from tests.service.running import gone, service

CONGKLAK = ("congklak", {"pits": 4}, [1, 0, 0, 0, 0, 0, 0, 1], [12, 18])
"""South's A, the only move, goes into the store: South has run out, with 13 seeds to 19."""
DONDERSLAG = ("orient-thunderclap", dict[str, int](), [0, 0, 0, 0, 0, 1, *[0] * 6], [27, 20])
"""F into a, a into b: South cannot move, and has won by 27 to 21."""
Ending = tuple[str, dict[str, int], list[int], list[int]]


def near_its_end(log: Path, ending: Ending) -> tuple[str, ...]:
    """A log in which a first round is left unfinished near its end; the options to go on with it."""
    name, options, pits, stores = ending
    game = games.load(name, options)
    with Log(log) as writer:
        row = writer.begin(
            game=name, options=game.options, board=board_for(game), players=("South", "North"),
            at=datetime(2026, 11, 30, 12, 0, tzinfo=UTC), round_=1,
        )  # fmt: skip
        writer.append(row, GameStarted(0.0, 0, 0, name, (), tuple(pits), tuple(stores), 1))
        writer.append(row, Turn(1.0, 0, 0))
    return ("--game", name, *(word for key, value in options.items() for word in ("-o", f"{key}={value}")))


def match_of(log: Path) -> tuple[list[Round], GameOver | None]:
    """The rounds in a log, each held against what the engine makes of the one before it; and the end."""
    with Log(log) as reader:
        rows = reader.games()[::-1]
        told = [[one.event for one in reader.events(row.id)] for row in rows]
    assert len({row.match for row in rows}) == 1
    rounds: list[Round] = []
    plies: tuple[Ply, ...] = ()
    over: GameOver | None = None
    for number, (row, events) in enumerate(zip(rows, told, strict=True), 1):
        assert row.round == number
        started = next(event for event in events if isinstance(event, GameStarted))
        game = games.load(row.game, row.options)
        if not rounds:
            start = game.start(started.pits, started.stores, started.player)
            round_ = Round(1, game, start, (0,) * game.players)
        else:
            following = conclude(rounds[-1], plies).following
            assert following is not None
            round_ = following.begin(started.pits)
            assert round_.game == game
        assert (started.pits, started.stores, started.player) == (
            round_.start.pits, round_.start.stores, round_.start.player,
        )  # fmt: skip
        plies = tuple(replay(game, round_.start, [game.parse(move) for move in moves_of(events)]))
        said = [event for event in events if isinstance(event, RoundOver)]
        assert bool(said) == bool(plies and plies[-1].state.result)
        for event in said[-1:]:
            outcome = conclude(round_, plies)
            assert (event.scores, event.totals, event.standing) == (
                outcome.scores, outcome.totals, outcome.standing,
            )  # fmt: skip
        rounds.append(round_)
        over = next((event for event in events if isinstance(event, GameOver)), None)
    return rounds, over


def _plays(number: int) -> Callable[[dict[str, Any]], bool]:
    """Whether a round is in play, and a move of it made."""
    phases = ("waiting", "sowing", "capture")
    return lambda state: (
        state["view"]["round"] == number and state["view"]["phase"] in phases and len(state["moves"]) > 0
    )


def _waits(phase: str, number: int) -> Callable[[dict[str, Any]], bool]:
    return lambda state: (state["view"]["phase"], state["view"]["round"]) == (phase, number)


@pytest.mark.parametrize("ending", [CONGKLAK, DONDERSLAG], ids=["congklak", "donderslag"])
@pytest.mark.parametrize("setup", [True, False], ids=["laid out", "played"])
def test_a_killed_service_goes_on_with_the_right_round(tmp_path: Path, ending: Ending, setup: bool) -> None:
    """Killed while the second round is laid out, or in the middle of it."""
    log = tmp_path / "pitwatch.db"
    options = (*near_its_end(log, ending), "--speed", "20")
    with service(log, *options) as running:
        before = running.until(_waits("setup", 2) if setup else _plays(2))
        (hand,) = running.children()
        running.kill()
    assert gone(hand)
    with service(log, *options) as running:
        after = running.until(_plays(2))
        assert after["view"]["owner"] == before["view"]["owner"]
        assert after["view"]["closed"] == before["view"]["closed"]
        assert after["view"]["standing"] == before["view"]["standing"]
        if not setup:
            assert after["game_id"] == before["game_id"]
            assert after["moves"][: len(before["moves"])] == before["moves"]
        assert running.post("inputs", {"input": "end"})[0] == 202
        running.until(_waits("over", 2))
    rounds, over = match_of(log)
    assert len(rounds) == 2
    assert over is not None
    assert over.reason == "the players agreed to end the match"


def test_the_hand_lays_out_the_next_round_when_it_is_told_to(tmp_path: Path) -> None:
    """And the last move of the round is taken back once before."""
    log = tmp_path / "pitwatch.db"
    options = (*near_its_end(log, CONGKLAK), "--no-auto", "--speed", "20")
    with service(log, *options) as running:
        running.until(_waits("waiting", 1))
        running.post("hand", {"do": "play", "pit": 0})
        running.until(_waits("setup", 2))
        assert running.post("inputs", {"input": "takeback"})[0] == 202
        assert running.until(_waits("waiting", 1))["moves"] == []
        assert running.post("hand", {"do": "mend"})[0] == 400
        running.post("hand", {"do": "play", "pit": 0})
        running.until(_waits("setup", 2))
        assert running.post("hand", {"do": "mend"})[0] == 202
        running.until(_waits("waiting", 2))
    rounds, over = match_of(log)
    assert (len(rounds), over) == (2, None)


def test_a_single_round_where_a_club_wants_one(tmp_path: Path) -> None:
    """The match that was left is not taken up; the page may begin another."""
    log = tmp_path / "pitwatch.db"
    options = (*near_its_end(log, CONGKLAK), "--rounds", "single", "--no-auto", "--speed", "20")
    with service(log, *options) as running:
        state = running.until(_waits("waiting", 0))
        assert state["rounds"] == "single"
        assert running.post("inputs", {"input": "end"}) == (
            400,
            {"error": "end has no meaning: no match of several rounds is played"},
        )
        running.post("games", {"game": "congklak", "options": {"pits": 4}, "rounds": "match"})
        state = running.until(_waits("waiting", 1))
        assert state["rounds"] == "match"
        assert [(game["round"], game["match"]) for game in running.get("games")][1] == (0, None)
