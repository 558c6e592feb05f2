"""The hand followed through a move, against probabilities worked by hand.

The tiny Kalah has one pit of two seeds each: A's go to South's store and a. Holes: A, a, and the stores.
"""

import numpy as np
import pytest

from engine import games
from engine.move import Move
from engine.observation import Floats, Observation
from engine.step import Counts, stages
from referee.progress import Prefix, Progress

TINY = games.load("kalah", {"pits": 1, "seeds": 2})
KALAH = games.load("kalah")
A, B, C = (Move(pit) for pit in (0, 1, 2))


def look(*boards: Counts, t: float = 0.0, floor: float = -40.0) -> Observation:
    """A look that takes any of these boards, hole by hole, for as good."""
    loglik: Floats = np.full((len(boards[0]), sum(boards[0]) + 5), floor)
    for board in boards:
        loglik[np.arange(len(board)), board] = 0.0
    return Observation(t, loglik, np.zeros(len(boards[0])))


def blind(holes: int, t: float = 0.0) -> Observation:
    return Observation(t, np.zeros((holes, 9)), np.zeros(holes))


def boards_of(move: str) -> list[Counts]:
    """Every board that the hand passes through, the start first."""
    start = KALAH.start()
    return stages(start.counts, KALAH.play(start, KALAH.parse(move)).steps)


def test_the_prefixes_are_those_of_the_traces() -> None:
    assert Progress(TINY, TINY.start()).prefixes == [
        Prefix(None, 0, 0, 0),
        Prefix(A, 1, 0, 2),
        Prefix(A, 2, 1, 2),
        Prefix(A, 3, 2, 2),
    ]


def test_a_relay_counts_its_seeds_from_its_last_lift() -> None:
    game = games.load("orient-thunderclap")
    # 1 seed joins another in 1, and these two go on to 2 and 3, which is empty.
    prefixes = Progress(game, game.start([1, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0])).prefixes
    assert [(p.done, p.dropped, p.lifted) for p in prefixes if p.move == A] == [
        (1, 0, 1), (2, 1, 1), (3, 0, 2), (4, 1, 2), (5, 2, 2),
    ]  # fmt: skip


def test_nothing_is_touched_at_first() -> None:
    progress = Progress(KALAH, KALAH.start())
    assert progress.best()[0] == Prefix(None, 0, 0, 0)
    assert progress.best()[1] == pytest.approx(1.0, abs=1e-3)


def test_without_sight_the_hand_does_what_hands_do_between_looks() -> None:
    progress = Progress(TINY, TINY.start())
    progress.add(blind(4))
    # In the tenth of a second before the first look, at one step a second: exp(-0.1) = 0.9048 none, 0.0905
    # one, 0.0045 two, 0.0002 three; and 0.01 each that two or three were made at once. Of 1.02 in all, 0.8871
    # stay.
    prefix, probability = progress.best()
    assert prefix == Prefix(None, 0, 0, 0)
    assert probability == pytest.approx(0.8871, abs=1e-4)
    for tenth in range(1, 7):
        progress.add(blind(4, tenth / 10))
    # 0.8871 ** 7 = 0.4323: the move is likelier than not, its likeliest prefix is still less than nothing.
    prefix, probability = progress.best()
    assert prefix == Prefix(None, 0, 0, 0)
    assert probability == pytest.approx(0.4323, abs=1e-3)
    for tenth in range(7, 207):
        progress.add(blind(4, tenth / 10))
    prefix, probability = progress.best()
    assert prefix == Prefix(A, 3, 2, 2)
    assert probability == pytest.approx(1.0, abs=1e-3)


def test_a_look_weighs_half() -> None:
    progress = Progress(TINY, TINY.start())
    # The lift: A is empty, by four nats in one hole. Half of them count: 0.0887 * e**2 against 0.8871 and the
    # two prefixes beyond, whose boards are ruled out.
    loglik = np.full((4, 9), -80.0)
    loglik[0, 0], loglik[0, 2], loglik[1, 2], loglik[2, 0], loglik[3, 0] = 0.0, -4.0, 0.0, 0.0, 0.0
    progress.add(Observation(0.0, loglik, np.zeros(4)))
    lifted, still = 0.0887, 0.8871 * np.exp(-2.0)
    prefix, probability = progress.best()
    assert prefix == Prefix(None, 0, 0, 0)
    assert probability == pytest.approx(still / (lifted + still), abs=1e-4)


def test_a_hand_gets_further_in_a_longer_time() -> None:
    progress = Progress(TINY, TINY.start())
    progress.add(look(TINY.start().counts))
    # Half a second: exp(-0.5) = 0.6065 no step, and 0.05 each for two, three at once: of 1.1, 0.5514.
    progress.add(blind(4, t=0.5))
    assert progress.best()[0] == Prefix(None, 0, 0, 0)
    assert progress.best()[1] == pytest.approx(0.5514, abs=1e-3)


@pytest.mark.parametrize("move", ["A", "C", "F"])
def test_a_sowing_is_followed_seed_by_seed(move: str) -> None:
    progress = Progress(KALAH, KALAH.start())
    for done, board in enumerate(boards_of(move)):
        progress.add(look(board, t=done / 10))
        prefix, probability = progress.best()
        if done:
            assert prefix == Prefix(KALAH.parse(move), done, done - 1, 4)
            assert probability > 0.99
        else:
            assert prefix.move is None


def test_a_jump_to_the_end_is_followed_too() -> None:
    progress = Progress(KALAH, KALAH.start())
    progress.add(look(boards_of("B")[-1]))
    assert progress.best()[0] == Prefix(B, 5, 4, 4)


def test_a_move_put_back_is_nothing_touched() -> None:
    progress = Progress(KALAH, KALAH.start())
    for tenth, board in enumerate([*boards_of("C"), KALAH.start().counts]):
        progress.add(look(board, t=tenth / 10))
    assert progress.best()[0].move is None


def test_another_move_begun_instead_is_followed() -> None:
    progress = Progress(KALAH, KALAH.start())
    for tenth, board in enumerate([*boards_of("C")[:3], KALAH.start().counts, *boards_of("A")]):
        progress.add(look(board, t=tenth / 10))
    assert progress.best()[0].move == A


def test_hidden_pits_leave_open_what_may_have_been_lifted_there() -> None:
    progress = Progress(KALAH, KALAH.start())
    loglik = look(KALAH.start().counts).loglik
    loglik[[0, 1]] = 0.0
    progress.add(Observation(0.0, loglik, np.zeros(14)))
    # Left: nothing, 0.8871; A lifted, 0.0887 / 6, and its first seed in B, 0.0142 / 6; B lifted, 0.0887 / 6.
    prefix, probability = progress.best()
    assert prefix.move is None
    assert probability == pytest.approx(0.8871 / (0.8871 + 0.1916 / 6), abs=1e-4)


def test_a_move_is_as_probable_as_all_its_steps_together() -> None:
    progress = Progress(KALAH, KALAH.start())
    loglik = look(boards_of("A")[1]).loglik
    loglik[1] = 0.0
    progress.add(Observation(0.0, loglik, np.zeros(14)))
    # A has been lifted, 0.0887 against 0.0142 that its first seed is in B, which is hidden.
    prefix, probability = progress.best()
    assert prefix == Prefix(A, 1, 0, 4)
    assert probability == pytest.approx(1.0, abs=1e-3)


def test_an_impossible_look_leaves_every_prefix_possible() -> None:
    progress = Progress(KALAH, KALAH.start())
    for _ in range(20):
        progress.add(look((0,) * 12 + (24, 24)))
    progress.add(look(boards_of("C")[1]))
    progress.add(look(boards_of("C")[2]))
    assert progress.best()[0] == Prefix(C, 2, 1, 4)


def test_a_finished_game_has_no_moves_to_follow() -> None:
    over = TINY.start([0, 0], [2, 2])
    progress = Progress(TINY, over)
    progress.add(look(over.counts))
    assert progress.best() == (Prefix(None, 0, 0, 0), 1.0)


def test_a_seed_that_falls_late_into_a_pit_of_the_next_player_is_no_touch() -> None:
    """F is sown into the store, a, b and c; a was empty, its seed is hidden at first and falls last."""
    start = KALAH.start([4] * 6 + [0] + [4] * 5)
    progress, after = Progress(KALAH, start), KALAH.play(start, KALAH.parse("F")).state
    late = tuple(there - (hole == 6) for hole, there in enumerate(after.counts))
    shown = [[start.counts], *[[after.counts, late]] * 6, *[[late]] * 3, *[[after.counts]] * 6]
    for at, boards in enumerate(shown):
        progress.add(look(*boards, t=0.1 * at))
    assert progress.after(after).touched is None
