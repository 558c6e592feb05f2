"""The first seconds of a filmed game: pictures in, and nothing read from under the hand that plays."""

from benchmarks.filmed import play


def test_the_beginning_of_a_filmed_game_is_followed() -> None:
    row = play(0, frames=2.0, most_s=9.0)
    assert row["looks"] == 19  # two a second, and the one after the last
    assert row["hidden pits"] > 0
    assert (row["hidden pits read"], row["invented"], row["called in vain"]) == (0, 0, 0)
