"""A position as text: what it says, what it carries, and what it refuses."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import games, position
from engine.errors import BadInput
from engine.game import Game, Ply, State
from engine.move import PASS
from engine.rules import Rules, shared_ring
from tests.engine.test_properties import EXAMPLES, any_game, played

KALAH = games.load("kalah")
PIE = games.load("kalah", {"pie": True})
FOUR = Game("four", {}, Rules(shared_ring(4), seeds=3, directions=(1, -1), no_move="pass", passes_to_end=3))


@pytest.mark.parametrize(
    ("game", "moves", "text"),
    [
        (KALAH, "", "4,4,4,4,4,4/4,4,4,4,4,4 0,0 0"),
        (KALAH, "C", "4,4,0,5,5,5/4,4,4,4,4,4 1,0 0"),
        (KALAH, "C F", "4,4,0,5,5,0/5,5,5,5,4,4 2,0 1"),
        (games.load("oware", {"pits": 2, "seeds": 1}), "B", "1,0/0,1 2,0 1"),
        (PIE, "", "4,4,4,4,4,4/4,4,4,4,4,4 0,0 0 swap"),
        (PIE, "A", "0,5,5,5,5,4/4,4,4,4,4,4 0,0 1 swap"),
        (PIE, "A swap", "0,5,5,5,5,4/4,4,4,4,4,4 0,0 1"),
    ],
)
def test_a_position_by_hand(game: Game, moves: str, text: str) -> None:
    state = game.start()
    for move in moves.split():
        state = game.play(state, game.parse(move)).state
    assert position.write(state) == text
    assert position.read(game, text) == replace(state, since_capture=((state.pits, state.player or 0),))


def test_four_players_and_a_pass() -> None:
    # Pits 6 to 8, player 2's, hold all that is left.
    rows = "0,0,0/0,0,0/1,0,1/0,0,0"
    state = FOUR.play(position.read(FOUR, f"{rows} 0,0,0,34 1"), FOUR.parse("-")).state
    assert state.player == 2
    assert position.write(state) == f"{rows} 0,0,0,34 2 passes=1"
    assert position.read(FOUR, f"{rows} 0,0,0,34 2 passes=1").passes == 1


def test_an_opening_that_is_not_over() -> None:
    game = games.load("orient-slingshot")
    state = game.play(game.start(), game.parse("B-")).state
    # Three seeds of B in the next pit clockwise, two in the one after it, which is North's f.
    text = "8,0,5,5,5,5/5,5,5,5,5,7 0,0 1 opening=1"
    assert position.write(state) == text
    assert position.read(game, text) == replace(state, since_capture=((state.pits, 1),))
    assert position.read(game, text.removesuffix(" opening=1")).opening == 0
    with pytest.raises(BadInput, match="opening=3, which orient-slingshot as it is played cannot have"):
        position.read(game, text.replace("opening=1", "opening=3"))


def test_a_first_turn_without_captures() -> None:
    game = games.load("simple-mancala", {"first_move_no_capture": True})
    text = position.write(game.start())
    assert text.endswith(" 0,0 0 opening=1")
    assert position.read(game, text) == game.start()


def test_a_position_in_which_play_ends_is_over_when_read_and_cannot_be_gone_on_from() -> None:
    state = position.read(KALAH, "0,0,0,0,0,0/1,0,0,0,0,2 40,5 1")
    assert state.result is not None
    assert state.result.scores == (40, 8)
    assert position.write(state) == "0,0,0,0,0,0/1,0,0,0,0,2 40,5 -"
    with pytest.raises(BadInput, match="is over: name the player to move in place of -"):
        position.read(KALAH, position.write(state))


@EXAMPLES
@given(played())
def test_every_position_in_play_is_read_as_it_was_written(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    for state in [start, *(ply.state for ply in plies)]:
        if state.player is not None:
            stood_once = replace(state, since_capture=((state.pits + state.marks, state.player),))
            assert position.read(game, position.write(state)) == stood_once


@EXAMPLES
@given(any_game(), st.text(max_size=60) | st.text(alphabet="0123456789,/ -=swappasses", max_size=60))
def test_any_text_is_a_position_or_a_sentence(game: Game, text: str) -> None:
    try:
        state = position.read(game, text)
    except BadInput:
        return
    pits, stores, *_ = text.split()
    assert state.pits == tuple(int(seeds) for row in pits.split("/") for seeds in row.split(","))
    assert state.stores == tuple(int(seeds) for seeds in stores.split(","))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has 0 of its parts"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0", "has 2 of its parts"),
        ("4,4,4,4,4/4,4,4,4,4,4,4 0,0 0", "rows of 5 and 7 pits: kalah wants 2 rows of 6"),
        ("4,4,4,4,4,4,4,4,4,4,4,4 0,0 0", "rows of 12 pits"),
        ("4,4,4,4,4,x/4,4,4,4,4,4 0,0 0", "'4,4,4,4,4,x' for pits: whole numbers"),
        ("4,4,4,4,4,-4/4,4,4,4,4,4 0,0 0", "for pits: whole numbers"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0 0", "start.stores has 1 numbers"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 2", "start.player is 2: 0 to 1"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S", "'S' for player: a whole number"),
        (
            "4,4,4,4,4,4/4,4,4,4,4,4 0,0 0 swap",
            "has swap, which kalah as it is played cannot have: leave it out",
        ),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 0 passes=1", "passes=1, which kalah as it is played cannot have"),
        (
            "4,4,4,4,4,4/4,4,4,4,4,4 0,0 0 black",
            "'black': swap, passes=1, opening=1 or marks=0,1 was expected",
        ),
        ("9999,9999,9999,9999,4,4/4,4,4,4,4,4 0,0 0", "start has 40028 seeds"),
        ("1" * 5000 + "/4,4,4,4,4,4 0,0 0", "for pits: whole numbers"),
    ],
)
def test_what_is_no_position_of_kalah_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=r"^(position|start)[^\n]*$") as error:
        position.read(KALAH, text)
    assert sentence in str(error.value)
    assert len(str(error.value)) < 300


def test_a_word_may_stand_once() -> None:
    with pytest.raises(BadInput, match="has swap twice: leave one out"):
        position.read(PIE, "4,4,4,4,4,4/4,4,4,4,4,4 0,0 0 swap swap")


def test_every_part_of_a_state_is_carried_or_named_as_not_carried() -> None:
    carried = {"pits", "stores", "player", "may_swap", "passes", "opening", "marks"}
    assert {field.name for field in fields(State)} == carried | {"since_capture", "result"}


# Rounds of a match.

FULL = "4,4,4,4,4,4/4,4,4,4,4,4"
CONQUERED = "0 0 0 0 0 0 1 1 1 1 1 0"


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        (
            "orient-thunderclap",
            {"owner": CONQUERED},
            "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1 owner=0,0,0,0,0,0,1,1,1,1,1,0",
        ),
        ("congklak", {"pits": 4, "short": "2 3"}, "4,4,2,1/4,4,4,4 0,5 0 closed=2,3"),
    ],
)
def test_whose_pits_are_whose_and_which_are_closed(name: str, options: dict[str, Any], text: str) -> None:
    game, usual = games.load(name, options), games.load(name, {"pits": 4} if name == "congklak" else {})
    state = position.read(game, text)
    assert position.write(state, game) == text
    assert position.game_of(usual, text) == game
    assert position.game_of(game, text) is game
    # Where the game is known to be that of the round the words may be left out.
    assert position.read(game, text.rpartition(" ")[0]) == state
    with pytest.raises(BadInput, match=r"is of a round that .* as it is played is not: set (owner|short) to"):
        position.read(usual, text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{FULL} 0,0 0 closed=3", "closed=3', which kalah cannot have: leave it out"),
        (f"{FULL} 0,0 0 owner=0 owner=0", "owner=0', which kalah cannot have"),
    ],
)
def test_rounds_that_a_game_cannot_have(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        position.read(KALAH, text)


def test_a_word_of_a_round_stands_once() -> None:
    with pytest.raises(BadInput, match="position has closed twice: leave one out"):
        position.read(games.load("congklak", {"pits": 4}), "4,4,2,1/4,4,4,4 0,5 0 closed=3 closed=3")


def test_a_pass_in_the_opening_of_slingshot_is_not_counted() -> None:
    """With no pit of the lifts of the opening, its mover passes; Slinger itself knows no pass."""
    game = games.load("orient-slingshot", {"owner": "0 1 0 1 0 1 0 1 0 1 0 1", "seeds": 5, "deal": 1})
    state = game.start()
    assert game.legal(state) == (PASS,)
    passed = game.play(state, PASS).state
    assert (passed.player, passed.passes) == (1, 0)
    assert position.read(game, position.write(passed)).player == 1
