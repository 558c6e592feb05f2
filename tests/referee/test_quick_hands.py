"""People who leave the board no rest, put slips right at once, and mend while a move seems to be made.

Holes: South's A to F are 0 to 5, North's a to f are 6 to 11, South's store is 12, North's 13.
"""

import pytest

from engine import games
from engine.step import Drop, Lift, Take
from referee.events import MoveMade, Violation
from referee.referee import Referee
from tests.referee.story import Story

KALAH = games.load("kalah")


def moves(story: Story) -> list[str]:
    return [event.move for event in story.events if isinstance(event, MoveMade)]


def test_moves_that_were_seen_stand_before_a_mistake_of_another_move() -> None:
    """Mangala II. F's seed goes into a, a's into b; then South sows C into D and b's seed is taken.

    As it lies, C with F captured wrongly would leave the same board.
    """
    game = games.load("mangala2")
    start = game.start([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0], [34, 36])
    story = Story(game, Referee(game, start), rate=10.0)
    story.do(Lift(5, 1), Drop(6), pause=0.3)
    story.do(Lift(6, 1), pause=0.2)
    story.do(Drop(7), Lift(2, 1), pause=0.1)
    story.do(Drop(3), Take(7, 1, 12), pause=0.2)
    story.wait(2.0)
    assert moves(story) == ["F", "a"]
    (violation,) = story.said("violation")
    assert isinstance(violation, Violation)
    assert (violation.kind, violation.pits, violation.move) == ("capture_wrong", (7,), "C")


def test_who_fetches_a_seed_that_rolled_touches_nothing() -> None:
    """A's last seed rolls from E into a. South fetches it from there; North then sows c."""
    story = Story(KALAH)
    story.do(Lift(0, 4), Drop(1), Drop(2), Drop(3), Drop(4), pause=0.2)
    story.do(Lift(4, 1), Drop(6), pause=0.1)
    story.wait(0.8, hand=[6])
    story.do(Lift(6, 1), Drop(4), pause=0.2)
    story.wait(1.0)
    story.sow("c")
    assert moves(story) == ["A", "c"]
    assert story.said("violation") == []


@pytest.mark.parametrize(("seconds", "made"), [(0.6, ["F"]), (1.6, ["F", "b"])])
def test_a_last_seed_astray_is_no_move_of_the_next_player_for_a_second(
    seconds: float, made: list[str]
) -> None:
    """F's three go into the store, a, and c instead of b, as if North had sown b's only seed into c."""
    start = KALAH.start([4, 4, 4, 4, 4, 3, 4, 0, 4, 4, 4, 4], [2, 3])
    story = Story(KALAH, Referee(KALAH, start))
    story.do(Lift(5, 3), Drop(12), Drop(6), Drop(8), pause=0.1)
    story.wait(seconds)
    if made == ["F"]:
        story.do(Lift(8, 1), Drop(7), pause=0.1)
        story.wait(1.0)
    assert moves(story) == made
    assert story.said("takeback", "violation") == []


def test_a_legal_board_that_a_mend_comes_by_is_no_move() -> None:
    """Donderslag. North has sown e, though South is to move; with A and B half put back it looks for a
    moment as if South had sown B, and North begun the next move."""
    game = games.load("orient-thunderclap", {"players": 2})
    start = game.start([1, 1, 1, 0, 0, 0, 2, 0, 1, 0, 2, 0], [16, 24])
    story = Story(game, Referee(game, start), rate=80.0)
    wrong = game.sown(start, 1, game.parse("e"))
    story.do(*wrong.steps)
    story.wait(2.0)
    (violation,) = story.said("violation")
    assert isinstance(violation, Violation)
    assert violation.kind == "wrong_player"
    story.set(B=0)
    story.wait(0.05)
    story.wait(0.35, hand=[1])
    story.set(B=1)
    story.wait(0.6)
    assert moves(story) == []
    story.show(start.counts)
    assert story.since(0).count("mended") == 1
    assert moves(story) == []
