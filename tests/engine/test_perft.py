"""Counting move sequences: the walk on plain numbers against play by `Game`, and compiled against plain."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import games, perft
from engine.errors import BadInput
from engine.game import Game, Ply, State
from engine.move import PASS
from engine.sowing import CAPTURE, PLAIN, has_seeds, obliged
from tests.engine.test_properties import played

compiled = pytest.importorskip("engine.compiled", reason="numba is not there")

ALL_PLAIN = -1


def by_play(game: Game, state: State, depth: int) -> int:
    """The number of sequences as the contract words it, move by move."""
    if depth == 0:
        return 1
    return sum(by_play(game, game.play(state, move).state, depth - 1) for move in game.legal(state))


def counted(game: Game, state: State, depth: int, **how: Any) -> int:
    return perft.count(
        game.rules, state.counts + state.marks, state.since_capture, state.passes, depth, **how
    )


def walked_on_arrays(game: Game, state: State, depth: int) -> int:
    """The walk as it is compiled, laps looked up in tables, but run by Python."""
    t, u, look = compiled._frozen(game.rules, wide=False)
    past = len(state.since_capture) - 1
    rows = np.zeros((past + depth + 2, compiled._holes(game.rules, wide=False)), np.int8)
    track = np.zeros((len(rows), 8), np.int64)
    for row, (position, mover) in enumerate(state.since_capture):
        now = [*position[: game.pits], *state.stores, *position[game.pits :]]
        rows[row, : len(now)] = now
        track[row, perft.MOVER] = mover
    player = state.player
    assert player is not None
    fed = has_seeds(t, rows[past].tolist(), game.rules.team(player))
    least = CAPTURE if obliged(t, rows[past].tolist(), player) else PLAIN
    track[past] = [player, 0, state.passes, fed, u.first[player], 0, 0, least]
    words = rows.view(np.int64)
    rest: Any = (rows, words, track, past, past, past + depth - 1, sum(state.counts), True, ALL_PLAIN)
    return perft.walk(t, u, look, *rest)[1]


def last_state(case: tuple[Game, State, list[Ply]]) -> tuple[Game, State]:
    game, start, plies = case
    return game, plies[-1].state if plies else start


def kernel_counts(game: Game, state: State) -> bool:
    """Whether the walk is asked: not where the game is over, opens by rules of its own, or may be swapped."""
    return state.player is not None and not (state.opening or state.may_swap)


@settings(max_examples=150, deadline=None)
@given(played(), st.integers(1, 3))
def test_the_walk_finds_what_play_finds(case: tuple[Game, State, list[Ply]], depth: int) -> None:
    game, state = last_state(case)
    expected = by_play(game, state, depth)
    assert game.perft(state, depth) == expected
    if kernel_counts(game, state):
        assert counted(game, state, depth, plainly=ALL_PLAIN) == expected
        assert counted(game, state, depth, plainly=ALL_PLAIN, every_leaf=True) == expected
        if sum(state.counts) <= compiled.NARROW:
            assert walked_on_arrays(game, state, depth) == expected


COMPILED = [
    *map(games.load, games.names()),
    games.load("bao", {"variant": "kujifunza"}),
    games.load("kalah", {"seeds": 12}),  # too many seeds for bytes
    games.load("oware", {"grand_slam": "forbidden", "repetition": "draw", "repetition_count": 2}),
    games.load("oware", {"grand_slam": "opponent_sweeps", "skip_origin": False, "pits": 3}),
    Game("full", {}, replace(games.load("oware").rules, skip_full=5)),
]


@pytest.mark.parametrize("game", COMPILED, ids=lambda game: f"{game.name} {sum(game.start().pits)}")
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_compiled_it_finds_the_same(game: Game, data: st.DataObject) -> None:
    state = game.start()
    for choice in data.draw(st.lists(st.integers(0, 99), max_size=80)):
        legal = game.legal(state)
        if len(legal) > 0 and game.play(state, legal[choice % len(legal)]).state.player is not None:
            state = game.play(state, legal[choice % len(legal)]).state
    if not kernel_counts(game, state):
        return
    depth = data.draw(st.integers(1, 4))
    expected = counted(game, state, depth, plainly=ALL_PLAIN)
    # The walk goes over to the compiled code wherever it is by then.
    plainly = data.draw(st.integers(0, 50))
    assert counted(game, state, depth, plainly=plainly) == expected
    assert counted(game, state, depth, plainly=plainly, every_leaf=True) == expected


@pytest.mark.parametrize(
    ("name", "depth", "nodes"),
    [("kalah", 8, 563055), ("oware", 8, 711414), ("oware", 10, 18137964), ("oware", 11, 91558687)],
)
def test_published_numbers(name: str, depth: int, nodes: int) -> None:
    game = games.load(name)
    assert game.perft(game.start(), depth) == nodes


DOCUMENT = (Path(__file__).parents[2] / "docs" / "perft.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w-]+)` \| (.*?) \| ([\d, ]+) \|$", DOCUMENT, re.MULTILINE)


@pytest.mark.parametrize(("name", "options", "numbers"), ROWS, ids=lambda word: word[:40])
def test_documented_numbers(name: str, options: str, numbers: str) -> None:
    game = games.load(name, dict(option.split("=") for option in re.findall(r"`(.*?)`", options)))
    few = [
        nodes for nodes in (int(number.replace(",", "")) for number in numbers.split(", ")) if nodes < 9000
    ]
    assert [game.perft(game.start(), depth) for depth in range(1, len(few) + 1)] == few


def test_every_game_is_documented() -> None:
    assert {name for name, _, _ in ROWS} == set(games.names())


def test_the_only_ways_on_are_a_pass_or_none() -> None:
    game = games.load("mangala2")
    stuck = game.start([0] * 6 + [0, 0, 0, 0, 0, 5], [3, 0])
    assert game.legal(stuck) == (PASS,)
    assert [game.perft(stuck, depth) for depth in (0, 1, 2)] == [1, 1, 1]
    over = game.start([0] * 12, [3, 0])
    assert [game.perft(over, depth) for depth in (0, 1, 2)] == [1, 0, 0]


def test_more_than_can_be_walked_is_said() -> None:
    game = games.load("kalah")
    with pytest.raises(BadInput, match="at most 10000 was expected"):
        game.perft(game.start(), 10_001)


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={**os.environ, **environment},
    )
    return done.stdout.strip()


COUNT = "from engine import games; g = games.load('kalah'); print(g.perft(g.start(), {depth}))"


def test_without_numba_it_counts_uncompiled() -> None:
    assert run("import sys; sys.modules['numba'] = None; " + COUNT.format(depth=7)) == "114430"


def test_neither_play_nor_a_short_count_loads_numba() -> None:
    code = (
        "import sys, service.app, referee.referee; "
        + COUNT.format(depth=4)
        + "; print('numba' in sys.modules)"
    )
    assert run(code) == "942\nFalse"


def test_where_nothing_can_be_kept_it_compiles_all_the_same(tmp_path: Path) -> None:
    shutil.copytree(
        Path(engine.__file__).parent, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__")
    )
    # A file where a folder is wanted stops even root.
    (tmp_path / "engine" / "__pycache__").touch()
    (tmp_path / "home").touch()
    no_home = str(tmp_path / "home")
    code = COUNT.format(depth=8) + "; import engine, sys; print(engine.__file__, 'numba' in sys.modules)"
    told = run(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); " + code,
        HOME=no_home,
        XDG_CACHE_HOME=no_home,
        NUMBA_CACHE_DIR="",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert told == f"563055\n{tmp_path}/engine/__init__.py True"
