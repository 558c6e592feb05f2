"""The explanations made bit by bit: none is lost, and no look makes many."""

import pytest

from engine import games
from referee import explain
from referee.outlook import Outlook, fair


@pytest.mark.parametrize("name", ["kalah", "omweso", "togyzkumalak"])
@pytest.mark.parametrize("seconds", [0.0125, 0.1, 0.5])
def test_every_explanation_is_made_once(name: str, seconds: float) -> None:
    game = games.load(name)
    state = game.start()
    sown = explain.traces(game, state)
    outlook = Outlook(game, state, sown)
    outlook.settle([state])
    looks = 0
    while not outlook.exhausted:
        outlook.work(fair(seconds))
        looks += 1
    made = [
        *explain.legal(state, sown), *explain.at_rest(game, state), *explain.earlier([state]),
        *explain.two_moves(game, state, sown), *explain.mistakes(game, state, sown),
        *explain.lasting(game, state, sown),
    ]  # fmt: skip
    assert outlook.found == made
    assert [tuple(row) for row in outlook.boards(len(made)).tolist()] == [one.counts for one in made]
    assert outlook.priors(len(made)).tolist() == [one.prior for one in made]
    assert looks > 1 or seconds == 0.5


def test_a_look_makes_as_much_as_its_time_allows() -> None:
    """3000 units a second: 37.5 at 80 looks a second; two moves at once weigh 4."""
    game = games.load("kalah")
    state = game.start()
    outlook = Outlook(game, state, explain.traces(game, state))
    outlook.settle([])
    first = len(outlook.found)
    outlook.work(fair(1 / 80))
    assert [one.story for one in outlook.found[first:]] == ["moves"] * 10


def test_a_long_silence_makes_no_look_long() -> None:
    game = games.load("omweso")
    state = game.start()
    outlook, other = (Outlook(game, state, explain.traces(game, state)) for _ in range(2))
    outlook.work(fair(0.5))
    other.work(fair(3600.0))
    assert len(outlook.found) == len(other.found)
