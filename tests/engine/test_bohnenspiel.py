"""Das Bohnenspiel, clause by clause, by the rules cited in its file. South 0 to 5, North 6 to 11."""

import pytest

from tests.engine.played import play


def test_it_is_sown_counter_clockwise_and_nothing_is_skipped() -> None:
    assert play("bohnenspiel", [6] * 12, "A").state.counts == (0, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 0, 0)
    long = play("bohnenspiel", [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7], "A")
    assert long.state.pits == (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8)
    skipped = play("bohnenspiel", [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7], "A", skip_origin=True)
    assert skipped.captured == ((1, 2),)


@pytest.mark.parametrize(
    ("held", "captured"), [(0, 0), (1, 2), (2, 0), (3, 4), (4, 0), (5, 6), (6, 0), (7, 0)]
)
def test_two_four_or_six_are_captured(held: int, captured: int) -> None:
    ply = play("bohnenspiel", [1, 0, 0, 0, 1, 1, held, 0, 0, 0, 0, 1], "F")
    assert sum(seeds for _, seeds in ply.captured) == captured


def test_and_so_backwards_in_either_row() -> None:
    ply = play("bohnenspiel", [1, 0, 0, 4, 1, 3, 5, 1, 0, 0, 0, 3], "D")
    # 4, 5, 6 and 7 become 2, 4, 6 and 2; pit 3 is empty.
    assert ply.captured == ((7, 2), (6, 6), (5, 4), (4, 2))
    assert ply.state.counts == (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 14, 0)


def test_an_empty_row_ends_the_game_and_what_is_left_is_the_others() -> None:
    ply = play("bohnenspiel", [0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0], "F", stores=[30, 39])
    # North moves on; South, who has nothing, is then to move and ends the game.
    assert ply.state.player == 1
    end = play("bohnenspiel", [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0], "a", player=1, stores=[30, 40])
    assert end.state.result is not None
    assert end.state.result.scores == (30, 42)
