"""The engine against games that others played and numbers that others counted."""

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import games
from engine.game import Game, State
from tests.engine import oracle

OWN = Path(__file__).parents[1] / "vectors"
SHARED = Path(os.environ.get("PITWATCH_SHARED", Path(__file__).parents[3] / "shared")) / "vectors"
PROGRAMS = sorted(SHARED.glob("*.jsonl.gz"))
KNOWN = list(oracle.read(OWN / "known_values.jsonl"))


def _label(known: Any) -> str:
    return f"{known['game']}-{known['options']}"


@pytest.mark.parametrize(
    "line", list(oracle.read(OWN / "by_hand.jsonl")), ids=lambda line: str(line["about"])
)
def test_a_game_worked_by_hand(line: oracle.Line) -> None:
    compared, differences = oracle.replay(line)
    assert differences == []
    assert compared == len(line["plies"])


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the vectors of other programs are not in {SHARED}")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.name))
def test_games_of_another_program(path: Path) -> None:
    report = oracle.replay_file(path)
    assert report.differences == ()
    assert report.plies == sum(sowings(line) for line in oracle.read(path))


def sowings(line: oracle.Line) -> int:
    """All sowings of a game but those that are disputed, or cut off in the middle."""
    cut_off = line["final"] is not None and line["final"].get("terminal") is False
    plies = line["plies"][: -1 if cut_off else None]
    return sum(not isinstance(ply["move"], str) and not ply.get("disputed") for ply in plies)


@pytest.mark.parametrize("known", [known for known in KNOWN if "nodes" in known], ids=_label)
def test_number_of_move_sequences(known: dict[str, Any]) -> None:
    game = games.load(known["game"], known["options"])
    start = game.start()
    assert [game.perft(start, depth) for depth in range(len(known["nodes"]))] == known["nodes"]


@pytest.mark.parametrize("known", [known for known in KNOWN if "games" in known], ids=_label)
def test_number_of_complete_games(known: dict[str, Any]) -> None:
    game = games.load(known["game"], known["options"])

    def complete(state: State) -> int:
        if state.player is None:
            return 1
        return sum(complete(game.play(state, move).state) for move in game.legal(state))

    assert complete(game.start()) == known["games"]


@pytest.mark.parametrize("known", [known for known in KNOWN if "value" in known], ids=_label)
def test_value_of_solved_kalah(known: dict[str, Any]) -> None:
    game = games.load(known["game"], {**known["options"], "repetition": "none"})
    assert _value(game, game.start(), -LARGE, LARGE, {}) == known["value"]


LARGE = 999
"""More seeds than can be won."""


def _value(game: Game, state: State, low: int, high: int, seen: dict[object, tuple[int, int]]) -> int:
    """Seeds by which South will have gained more than North from here, both playing their best.

    Where that is not between `low` and `high`, only which of them it passes. By alpha and beta, bounds of
    the positions met kept in `seen`.
    """
    if state.result is not None:
        swept = [score - store for score, store in zip(state.result.scores, state.stores, strict=True)]
        return swept[0] - swept[1]
    key, sign = (state.pits, state.player), 1 if state.player == 0 else -1
    least, most = seen.get(key, (-LARGE, LARGE))
    if least >= high or least == most:
        return least
    if most <= low:
        return most
    alpha, beta = max(low, least), min(high, most)
    plies = [game.play(state, move) for move in game.legal(state)]
    plies.sort(key=lambda ply: (sign * (ply.gain[1] - ply.gain[0]), ply.state.player != state.player))
    best = -sign * LARGE
    for ply in plies:
        gain = ply.gain[0] - ply.gain[1]
        value = gain + _value(game, ply.state, alpha - gain, beta - gain, seen)
        best = sign * max(sign * best, sign * value)
        if sign > 0:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    seen[key] = (least if best <= low else best, most if best >= high else best)
    return best


@pytest.mark.parametrize(
    ("name", "options", "number", "plies", "within"),
    [
        ("kalah", {"repetition": "none"}, 400, 43, 2.0),
        ("oware", {}, 300, 106, 9.0),
        ("simple-mancala", {"repetition": "none"}, 120, 110, 30.0),
    ],
)
def test_random_games_are_as_long_as_others_found_them(
    name: str, options: dict[str, object], number: int, plies: int, within: float
) -> None:
    # Within three standard errors of the mean that independent programs counted.
    game, chance, played = games.load(name, options), Random(1), 0
    for _ in range(number):
        state = game.start()
        while state.player is not None:
            state = game.play(state, chance.choice(game.legal(state))).state
            played += 1
    assert played / number == pytest.approx(plies, abs=within)


def _one(**changes: Any) -> dict[str, Any]:
    """A game of one ply of OpenSpiel's Kalah, with changes to that ply."""
    words = {word.word: word.value for word in oracle.WORDS["open_spiel", "kalah"]}
    ply = {
        "player": 0,
        "legal": [0, 1, 2, 3, 4, 5],
        "move": 0,
        "pits": [0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4],
        "stores": [0, 0],
        "gain": [0, 0],
        "next": 1,
    }
    return {
        "game": "kalah",
        "oracle": "open_spiel 2.0.2",
        "options": {**words, "pits": 6, "seeds": 4},
        "start": {"pits": [4] * 12, "stores": [0, 0], "turn": 0},
        "plies": [{**ply, **changes}],
        "final": None,
    }


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, []),
        ({"legal": [0, 1]}, ["legal"]),
        ({"player": 1}, ["player"]),
        ({"pits": [4] * 12}, ["pits"]),
        ({"stores": [1, 0], "gain": [1, 0], "next": 0}, ["stores", "gain", "next"]),
    ],
)
def test_the_replayer_names_what_differs(changes: dict[str, Any], what: Sequence[str]) -> None:
    _, differences = oracle.replay(_one(**changes))
    assert [difference.what for difference in differences] == what


def test_the_replayer_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as file:
        file.write(json.dumps(_one()) + "\n" + json.dumps(_one(next=0)) + "\n")
    assert oracle.main([str(tmp_path), "a*"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "a.jsonl.gz: 2 games, 2 plies, 1 differences",
        "  game 2 ply 1: next is 0, ours 1",
        "1 files, 1 differences",
    ]


def test_the_replayer_wants_every_word_translated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = _one()
    line["options"]["lap_into_own_origin"] = False
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    assert oracle.main([str(tmp_path), "a*"]) == 2
    assert "lap_into_own_origin=False of open_spiel" in capsys.readouterr().err


def test_the_replayer_wants_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert oracle.main([str(tmp_path)]) == 2
    assert "no file" in capsys.readouterr().err
