"""Verdicts as people read them."""

from engine import games
from referee.events import Mend
from referee.words import verdict


def test_a_pit_is_called_by_its_own_name_at_the_start_of_a_sentence_too() -> None:
    game = games.load("kalah")
    state, move = game.start(player=1), game.parse("a")
    mend = (Mend(8, 4, 5), Mend(11, 5, 4))
    assert verdict(game, state, "skipped_pit", (8,), mend, move) == (
        "c was skipped: each hole on the way gets one seed. Take 1 from f; put 1 into c."
    )
    assert verdict(game, state, "sown_short", (10, 9), mend, move).startswith(
        "The last seed lies short, in d"
    )
