"""The games on four rows against a second telling of their rules, in play at random."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from engine.errors import BadInput
from engine.game import Game, State
from engine.rules import House, Resown, Rules, Turnback, two_rows
from tests.engine import by_the_book as book


def pit(player: int, place: book.Place) -> int:
    row, column = place
    return 16 * player + (15 - column if row == "A" else column)


def table(game: Game, state: State) -> book.Table:
    assert state.player is not None
    seeds: list[dict[book.Row, list[int]]] = [
        {row: [state.pits[pit(player, (row, column))] for column in range(8)] for row in ("A", "B")}
        for player in (0, 1)
    ]
    told = book.Table(seeds, list(state.stores), mover=state.player)
    if game.rules.house:
        told.house = [mark == 1 for mark in state.marks[:2]]
    if game.rules.blocks and state.marks[-1]:
        told.blocked = next(place for place in book.PLACES if pit(state.player, place) == state.marks[-1] - 1)
    return told


def as_state(game: Game, told: book.Table) -> dict[str, Any]:
    pits = [0] * 32
    for player in (0, 1):
        for place in book.PLACES:
            pits[pit(player, place)] = told.seeds[player][place[0]][place[1]]
    marks = [int(stands) for stands in told.house] if game.rules.house else []
    if game.rules.blocks:
        marks.append(0 if told.blocked is None else pit(told.mover, told.blocked) + 1)
    return {"pits": tuple(pits), "stores": tuple(told.hand), "marks": tuple(marks)}


def moves(game: Game, told: book.Table) -> Iterator[tuple[book.Place, bool, book.Answers, book.Table]]:
    if game.name == "omweso":
        return book.omweso(told)
    return book.bao(told, bool(game.options["late_house"]), game.rules.blocks)


def compare(game: Game, state: State) -> list[State]:
    """The states after each legal move, which are those by the book."""
    found = {}
    for place, right, answers, after in moves(game, table(game, state)):
        choices = "".join("01"[answer] for answer in answers).rstrip("0")
        name = f"{state.player}.{pit(0, place)}{'-' if right else '+'}" + (f":{choices}" if choices else "")
        found[name] = after
    plies = {game.name_of(move): game.play(state, move) for move in game.legal(state)}
    assert plies.keys() == found.keys()
    for name, ply in plies.items():
        now = {"pits": ply.state.pits, "stores": ply.state.stores, "marks": ply.state.marks}
        result = ply.state.result
        if game.rules.blocks and result is not None:
            # What is blocked when all is over is no matter.
            now["marks"] = (*ply.state.marks[:-1], 0)
            found[name].blocked = None
        assert now == as_state(game, found[name]), name
        if found[name].winner is not None:
            assert result is not None
            assert result.winners == (found[name].winner,)
        elif result is None:
            assert game.legal(ply.state)
        else:
            stuck = not list(moves(game, found[name]))
            assert stuck or "times" in result.reason
    return [ply.state for ply in plies.values()]


CASES = [
    ("omweso", {}),
    ("bao", {}),
    ("bao", {"late_house": True}),
    ("bao", {"takasia": False}),
    ("bao", {"variant": "kujifunza"}),
]
SEEDS = [[0, 0, 0, 1, 1, 2, 3, 7], [0, 1, 2, 3], [0, 0, 0, 0, 0, 1, 2], [0, 0, 1, 5, 17]]
"""Seeds in a pit of a made-up position, with a few, many, hardly any, or very many in a few."""


@pytest.mark.parametrize(("name", "options"), CASES)
@settings(max_examples=12, deadline=None)
@given(choices=st.lists(st.integers(0, 99), max_size=80))
def test_a_game_goes_as_the_book_tells_it(name: str, options: dict[str, Any], choices: list[int]) -> None:
    game = games.load(name, options)
    state = game.start()
    for choice in choices:
        states = compare(game, state)
        state = states[choice % len(states)]
        if state.player is None:
            break


@pytest.mark.parametrize(("name", "options"), CASES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_from_any_position_moves_go_as_the_book_tells_them(
    name: str, options: dict[str, Any], data: st.DataObject
) -> None:
    game = games.load(name, options)
    seeds = st.sampled_from(data.draw(st.sampled_from(SEEDS)))
    pits = data.draw(st.lists(seeds, min_size=32, max_size=32))
    player, stores, marks = data.draw(st.integers(0, 1)), (0, 0), list[int]()
    if game.rules.house:
        stores = data.draw(st.sampled_from([(0, 0), (0, 1), (1, 0), (2, 2)]))
        for house in (11, 27):
            pits[house] = data.draw(st.integers(0, 8))
            marks.append(data.draw(st.integers(0, int(pits[house] > 0))))
    if game.rules.blocks:
        front = 16 * player + data.draw(st.integers(8, 15))
        marks.append(data.draw(st.sampled_from([0, front + 1])))
    state = game.start(pits, stores, player, marks)
    if state.player is not None:
        compare(game, state)


@pytest.mark.parametrize("name", ["simple-mancala", "omweso", "bao"])
def test_a_pit_of_the_other_loop_is_sown_round_that_loop(name: str) -> None:
    game = games.load(name)
    state = game.start()
    for move in game.legal(game.start(player=1)):
        assert game.sown(state, 0, move) == game.sown(state, 1, move)


BAO, OMWESO = games.load("bao").rules, games.load("omweso").rules


@pytest.mark.parametrize(
    ("rules", "changes", "said"),
    [
        (BAO, {"house": House(3, 6, 2, late=False)}, "house.pit is 3: a pit of the front row"),
        (BAO, {"house": House(16, 6, 2, late=False)}, "house.pit is 16: 0 to 15 was"),
        (BAO, {"resown": Resown(begins="end", ends=5, obliged=True)}, "resown.ends is 5: 0 to 4 was"),
        (BAO, {"resown": Resown()}, "reserve, house, keeps_front and blocks need captures that are obliged"),
        (BAO, {"board": two_rows(16, "off")}, "each player has two rows"),
        (BAO, {"relay": "none"}, "set relay to"),
        (OMWESO, {"turnback": Turnback((16,), "any")}, "turnback.pits is 16: 0 to 15 was"),
        (OMWESO, {"directions": (1,)}, "turnback needs"),
        (OMWESO, {"endless": "stop"}, "set it to"),
        (OMWESO, {"resown": None, "turnback": None}, "heads counts only where"),
    ],
)
def test_rules_that_do_not_go_together_are_refused(rules: Rules, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        replace(rules, **changes)


def test_captured_seeds_that_stay_where_they_are_begin_at_no_end() -> None:
    with pytest.raises(BadInput, match="ends counts only where captured seeds begin at an end"):
        Resown(ends=2)
