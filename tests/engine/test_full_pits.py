"""Pits that are sown past because they are full, in a house file: where all are, the sowing still ends."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine import games
from engine.game import Game
from engine.rules import Rules, two_rows
from tests.engine.oracle import FAMILY

Awari = Callable[[int], Game]


@pytest.fixture
def awari() -> Awari:
    text = (FAMILY / "awari.toml").read_text(encoding="utf-8")

    def full_from(seeds: int) -> Game:
        changed = text.replace("skip_full = 12", f"skip_full = {seeds}")
        return games.build(games.read("awari.toml", changed), {})

    return full_from


def test_a_pit_that_was_full_is_sown_past(awari: Awari) -> None:
    game = awari(4)
    ply = game.play(game.start([3, 0, 4, 0, 3, 1, 0, 0, 0, 0, 0, 1], [18, 18]), game.parse("A"))
    assert ply.state.pits == (0, 1, 4, 1, 4, 1, 0, 0, 0, 0, 0, 1)


def test_where_every_pit_is_full_seeds_fall_as_if_none_were(awari: Awari) -> None:
    game = awari(4)
    first = game.play(game.start(), game.parse("A"))
    assert first.state.pits == (0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4)
    # Now A alone has room: all four fall there.
    second = game.play(first.state, game.parse("a"))
    assert second.state.pits == (4, 5, 5, 5, 5, 4, 0, 4, 4, 4, 4, 4)


def test_the_origin_that_is_skipped_is_no_room(awari: Awari) -> None:
    # Of all pits only A had fewer than 15, and A is where the seeds come from.
    game = awari(15)
    ply = game.play(game.start([14, *[15] * 11], [0, 0]), game.parse("A"))
    assert ply.state.pits == (0, 17, 17, 17, 16, 16, 16, 16, 16, 16, 16, 16)


def test_a_store_that_is_sown_is_never_full() -> None:
    game = Game("kalah", {}, replace(games.load("kalah").rules, skip_full=4))
    # F, 3: into the store with 20 in it, past a, which is full, into b and c.
    ply = game.play(game.start([1, 0, 0, 0, 0, 3, 5, 0, 0, 0, 0, 1], [20, 18]), game.parse("F"))
    assert ply.state.counts == (1, 0, 0, 0, 0, 0, 5, 1, 1, 0, 0, 1, 21, 18)


@pytest.mark.parametrize("full", [1, 2, 3, 4, 5])
def test_whatever_is_full_play_goes_on(awari: Awari, full: int) -> None:
    game = awari(full)
    state = game.start()
    for _ in range(40):
        if state.player is None:
            break
        state = game.play(state, game.legal(state)[0]).state
        assert sum(state.counts) == 48


def test_seeds_of_a_pit_that_is_all_there_is_to_sow_fall_back_into_it() -> None:
    board = two_rows(2, "off", short=[1, 2, 3])
    game = Game("own", {}, Rules(board, seeds=3, skip_origin=True, end="to_move"))
    assert game.sow([3, 0, 0, 0, 0, 0], 0, game.parse("A")).counts == (3, 0, 0, 0, 0, 0)
