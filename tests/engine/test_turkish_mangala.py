"""Turkish Mangala, clause by clause, by the rules cited in its file. South 0 to 5, North 6 to 11."""

import pytest

from engine.step import Drop, Lift, Take
from tests.engine.played import play


def test_the_first_seed_goes_back_into_its_pit() -> None:
    assert play("turkish-mangala", [4] * 12, "A").state.pits == (1, 5, 5, 5, 4, 4, *[4] * 6)


def test_a_single_seed_moves_on_to_the_next_pit() -> None:
    ply = play("turkish-mangala", [0, 1, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0], "B")
    assert ply.steps == (Lift(1, 1), Drop(2))


def test_a_last_seed_in_the_own_store_moves_again() -> None:
    ply = play("turkish-mangala", [4] * 12, "D")
    assert ply.steps == (Lift(3, 4), Drop(3), Drop(4), Drop(5), Drop(12))
    assert ply.state.player == 0


def test_the_opponents_store_is_passed_by() -> None:
    ply = play("turkish-mangala", [1, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 2], "F")
    # 5, the store, 6 to 11, and 0.
    assert ply.state.counts == (2, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 1, 0)


@pytest.mark.parametrize(("held", "captured"), [(1, ((7, 2),)), (2, ()), (3, ((7, 4),)), (0, ())])
def test_an_opponents_pit_made_even_is_captured(held: int, captured: tuple[tuple[int, int], ...]) -> None:
    ply = play("turkish-mangala", [1, 0, 0, 0, 0, 4, 1, held, 0, 0, 0, 1], "F")
    # 5, the store, 6 and 7. Pit 6 becomes 2 as well: only the last seed's pit is captured.
    assert ply.captured == captured
    assert ply.state.pits[6] == 2


def test_an_own_pit_made_even_is_not_captured() -> None:
    ply = play("turkish-mangala", [2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "A")
    assert ply.captured == ()


def test_a_last_seed_in_an_own_empty_pit_captures_it_and_the_facing_seeds() -> None:
    ply = play("turkish-mangala", [1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 5, 0], "A")
    assert ply.steps == (Lift(0, 1), Drop(1), Take(1, 1, 12), Take(10, 5, 12))


def test_with_nothing_facing_the_seed_stays() -> None:
    ply = play("turkish-mangala", [1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0], "A")
    assert ply.captured == ()
    assert ply.state.pits[1] == 1


def test_who_runs_out_takes_what_is_left() -> None:
    ply = play("turkish-mangala", [0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3], "F", stores=[20, 22])
    assert ply.state.result is not None
    assert ply.state.result.scores == (26, 22)


def test_so_does_an_opponent_whose_last_seeds_are_captured() -> None:
    ply = play("turkish-mangala", [1, 0, 0, 0, 2, 3, 1, 0, 0, 0, 0, 0], "F", stores=[20, 21])
    # 5, the store and 6, which becomes 2 and is captured; 1, 2 and 1 are left in South's row.
    assert ply.state.result is not None
    assert ply.state.result.scores == (23, 25)
    owner = play("turkish-mangala", [1, 0, 0, 0, 2, 3, 1, 0, 0, 0, 0, 0], "F", stores=[20, 21], sweep="owner")
    assert owner.state.result is not None
    assert owner.state.result.scores == (27, 21)
