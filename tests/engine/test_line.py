"""A line of play: what a ruling leaves as it was, and that it is followed again as it was said."""

import pytest

from engine import games, line, position
from engine.errors import BadInput
from engine.game import Game, State

KALAH = games.load("kalah")
PIE = games.load("kalah", {"pie": True})
SLINGSHOT = games.load("orient-slingshot")
TOGYZ = games.load("togyzkumalak")
BAO = games.load("bao")


def at(game: Game, moves: str) -> State:
    return [game.start(), *line.follow(game, game.start(), line.read(game, moves.split()))][-1]


@pytest.mark.parametrize(
    ("game", "before", "player", "text"),
    [
        # Nothing but seeds and a player.
        (KALAH, at(KALAH, "C"), 1, "4,4,0,5,5,5/4,4,4,4,4,4 1,0 1"),
        # The right to swap sides is the second player's at his first turn, and gone with it.
        (PIE, at(PIE, ""), 0, "4,4,4,4,4,4/4,4,4,4,4,4 0,0 0 swap"),
        (PIE, at(PIE, ""), 1, "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1 swap"),
        (PIE, at(PIE, "A"), 1, "0,5,5,5,5,4/4,4,4,4,4,4 0,0 1 swap"),
        (PIE, at(PIE, "A"), 0, "0,5,5,5,5,4/4,4,4,4,4,4 0,0 0"),
        # Each turn of an opening is had once.
        (SLINGSHOT, at(SLINGSHOT, ""), 1, "5,5,5,5,5,5/5,5,5,5,5,5 0,0 1 opening=1"),
        (SLINGSHOT, at(SLINGSHOT, ""), 0, "5,5,5,5,5,5/5,5,5,5,5,5 0,0 0 opening=2"),
    ],
)
def test_what_the_seeds_do_not_show_stays_as_it_was(
    game: Game, before: State, player: int, text: str
) -> None:
    assert line.ruled(game, before, before.counts, player) == text


def test_a_tuzdyk_stays_and_a_takasia_is_of_one_turn() -> None:
    claimed = position.read(TOGYZ, "9,9,9,9,9,9,9,9,9/0,9,9,9,9,9,9,9,9 3,6 1 marks=0,3")
    assert line.ruled(TOGYZ, claimed, claimed.counts, 0).endswith(" 0 marks=0,3")
    text = position.write(BAO.start())
    marks = text.rpartition("marks=")[2].split(",")
    blocked = position.read(BAO, text.replace(f"marks={','.join(marks)}", "marks=1,1,5"))
    assert line.ruled(BAO, blocked, blocked.counts, 0).endswith(" 0 marks=1,1,5")
    assert line.ruled(BAO, blocked, blocked.counts, 1).endswith(" 1 marks=1,1,0")


def test_a_line_is_followed_through_moves_and_rulings() -> None:
    words = ["C", "4,4,0,5,5,5/4,4,4,3,4,5 1,0 1", "a"]
    states = list(line.follow(KALAH, KALAH.start(), line.read(KALAH, words)))
    assert [state.counts for state in states] == [
        (4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4, 1, 0),
        (4, 4, 0, 5, 5, 5, 4, 4, 4, 3, 4, 5, 1, 0),
        (4, 4, 0, 5, 5, 5, 0, 5, 5, 4, 5, 5, 1, 0),
    ]
    assert [state.player for state in states] == [0, 1, 0]
    # By the moves alone it would have been South's turn.
    with pytest.raises(BadInput, match="a is not legal"):
        list(line.follow(KALAH, KALAH.start(), line.read(KALAH, ["C", "a"])))


def test_a_ruling_may_end_the_game() -> None:
    (state,) = line.follow(KALAH, KALAH.start(), line.read(KALAH, ["0,0,0,0,0,0/4,4,4,4,4,4 24,0 0"]))
    assert state.result is not None
    assert state.result.scores == (24, 24)
