"""The explanations made bit by bit: none is lost, and no look makes many."""

import pytest

from engine import games
from referee import explain
from referee.outlook import Outlook


@pytest.mark.parametrize("name", ["kalah", "omweso", "togyzkumalak"])
@pytest.mark.parametrize("seconds", [0.0125, 0.1, 0.5])
def test_every_explanation_is_made_once(name: str, seconds: float) -> None:
    game = games.load(name)
    state = game.start()
    outlook = Outlook(game, state, [state])
    looks = 0
    while not outlook.exhausted:
        outlook.work(seconds)
        looks += 1
    made = [
        *explain.legal(game, state), *explain.at_rest(game, state), *explain.two_moves(game, state),
        *explain.earlier([state]), *explain.mistakes(game, state), *explain.lasting(game, state),
    ]  # fmt: skip
    assert outlook.found == made
    assert [tuple(row) for row in outlook.boards(len(made)).tolist()] == [one.counts for one in made]
    assert outlook.priors(len(made)).tolist() == [one.prior for one in made]
    assert looks > 1 or seconds == 0.5


def test_a_look_makes_as_much_as_its_time_allows() -> None:
    """3000 units a second: 37.5 at 80 looks a second; two moves at once weigh 4."""
    game = games.load("kalah")
    outlook = Outlook(game, game.start(), [])
    first = len(outlook.found)
    outlook.work(1 / 80)
    assert [one.story for one in outlook.found[first:]] == ["moves"] * 10


def test_a_long_silence_makes_no_look_long() -> None:
    game = games.load("omweso")
    outlook, other = (Outlook(game, game.start(), []) for _ in range(2))
    outlook.work(0.5)
    other.work(3600.0)
    assert len(outlook.found) == len(other.found)
