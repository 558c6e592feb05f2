"""Rounds and matches, clause by clause: source 000 (Donderslag), 004 (Congklak), 002 (variant 8)."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.game import Ply
from engine.match import Outcome, Refilling, Round, Share, conclude, first

# Donderslag. South's pits are 0 to 5, North's 6 to 11.


def decided(scores: tuple[int, int], owner: str = "", player: int = 0, **options: Any) -> Outcome:
    """A round of Donderslag that ends with these scores: South's last seed is sown into North's row."""
    game = games.load("orient-thunderclap", {"owner": owner, **options})
    return conclude(Round(1, game, game.start([0] * 12, scores, player), (0, 0)), ())


def following(outcome: Outcome) -> Round:
    assert isinstance(outcome.following, Round)
    return outcome.following


@pytest.mark.parametrize(
    ("scores", "owner"),
    [
        ((28, 20), (0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0)),
        ((20, 28), (0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1)),
        ((24, 24), (0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1)),
    ],
)
def test_000_the_winner_of_a_round_takes_the_opponents_first_pit_at_the_left(
    scores: tuple[int, int], owner: tuple[int, ...]
) -> None:
    assert following(decided(scores)).game.rules.board.owner == owner


def test_000_the_next_round_has_four_in_each_pit_and_seven_against_five() -> None:
    round_ = following(decided((28, 20)))
    assert round_.number == 2
    assert round_.start.pits == (4,) * 12
    assert round_.start.stores == (0, 0)
    assert [len(round_.game.rules.board.own(player)) for player in (0, 1)] == [7, 5]
    # South may lift the conquered pit; North may not.
    south = round_.game.start(player=0)
    assert 11 in [move.pit for move in round_.game.legal(south)]


def test_000_the_first_pit_moves_with_the_marker() -> None:
    # South has 10, 11, 0 to 5: the next one it takes is 9. North's first is 6: it takes 5 back.
    owner = "0 0 0 0 0 0 1 1 1 1 0 0"
    assert following(decided((28, 20), owner)).game.rules.board.owner[9] == 0
    assert following(decided((20, 28), owner)).game.rules.board.owner[5] == 1
    # South has lost its whole right: 11 and 0 are left, and the pit before them is 10.
    owner = "0 1 1 1 1 1 1 1 1 1 1 0"
    assert following(decided((28, 20), owner)).game.rules.board.owner[10] == 0


def test_000_eleven_pits_win_the_match() -> None:
    outcome = decided((28, 20), "0 0 0 0 0 0 1 1 0 0 0 0")
    assert outcome.following is None
    assert outcome.leaders == (0,)
    assert following(decided((20, 28), "0 0 0 0 0 0 1 1 0 0 0 0")).number == 2


def test_a_match_runs_from_six_pits_each_to_eleven() -> None:
    round_, rounds = first(games.load("orient-thunderclap")), 0
    while True:
        outcome = conclude(
            Round(round_.number, round_.game, round_.game.start([0] * 12, [20, 28]), round_.totals), ()
        )
        rounds += 1
        if outcome.following is None:
            break
        round_ = following(outcome)
    assert rounds == 5
    assert outcome.totals == (100, 140)
    assert outcome.leaders == (1,)


@pytest.mark.parametrize(
    ("next_starter", "scores", "player", "starter"),
    [
        ("loser", (28, 20), 0, 1),
        ("loser", (20, 28), 0, 0),
        ("winner", (28, 20), 1, 0),
        ("alternate", (28, 20), 1, 0),
        ("alternate", (28, 20), 0, 1),
        ("loser", (24, 24), 0, 1),
    ],
)
def test_who_starts_the_next_round(
    next_starter: str, scores: tuple[int, int], player: int, starter: int
) -> None:
    round_ = following(decided(scores, player=player, next_starter=next_starter))
    assert round_.start.player == starter


def test_a_round_must_be_over_to_be_concluded() -> None:
    with pytest.raises(BadInput, match="round 1 is not over"):
        conclude(first(games.load("orient-thunderclap")), ())


# Congklak with five pits: South's store lies left of 0, North's left of 5. Fifty seeds.


def ended(stores: Sequence[int], **options: Any) -> Outcome:
    """A round that ends as South's last seed, from 0, goes into the store; South has run out first."""
    game = games.load("congklak", {"pits": 5, **options})
    start = game.start([1] + [0] * 4 + [0, 0, 0, 0, 1], [stores[0] - 1, stores[1] - 1])
    ply = game.play(start, game.parse("A"))
    return conclude(Round(1, game, start, (0, 0)), [ply])


def refilling(outcome: Outcome) -> Refilling:
    assert isinstance(outcome.following, Refilling)
    return outcome.following


def test_004_who_ran_out_first_has_lost_the_round_and_the_other_starts_the_next() -> None:
    outcome = ended([28, 22])
    assert outcome.scores == (28, 22)
    assert outcome.winners == (0,)  # menang biji
    assert outcome.ran_out == 0  # kalah jalan
    assert refilling(outcome).starter == 1
    assert refilling(ended([28, 22], next_starter="loser")).starter == 0
    assert refilling(ended([28, 22], next_starter="last_mover")).starter == 0


def test_004_each_fills_from_the_pit_nearest_the_own_store_and_the_rest_goes_back_into_the_store() -> None:
    south, north = refilling(ended([28, 22])).shares
    assert south == Share(full=(0, 1, 2, 3, 4), short=(), ngacang=(), spread=0, store=3)
    assert north == Share(full=(5, 6, 7, 8), short=(9,), ngacang=(9,), spread=2, store=0)


def test_004_as_many_as_can_be_are_filled_and_the_ngacang_pits_lie_nearest_the_opponents_store() -> None:
    south, _ = refilling(ended([13, 37])).shares
    assert south == Share(full=(0, 1), short=(2, 3, 4), ngacang=(2, 3, 4), spread=3, store=0)
    assert refilling(ended([13, 37], fill_from="far")).shares[0].full == (4, 3)


def test_004_never_more_than_three_ngacang_the_other_short_pits_are_ordinary() -> None:
    south, _ = refilling(ended([4, 46])).shares
    assert south == Share(full=(), short=(0, 1, 2, 3, 4), ngacang=(2, 3, 4), spread=4, store=0)


def test_004_the_spread_is_read_from_the_board() -> None:
    due = refilling(ended([13, 37]))
    for spread in ((3, 0, 0), (0, 1, 2), (1, 1, 1)):
        round_ = due.begin([5, 5, *spread, 5, 5, 5, 5, 5])
        assert round_.start.pits == (5, 5, *spread, 5, 5, 5, 5, 5)
        assert round_.start.stores == (0, 12)
        assert round_.start.player == 1
        assert round_.game.rules.board.protected == (2, 3, 4)
        assert sum(round_.start.counts) == 50
    assert due.begin(due.proposal()).start.pits == (5, 5, 1, 1, 1, 5, 5, 5, 5, 5)


@pytest.mark.parametrize(
    ("pits", "sentence"),
    [
        ([5, 4, 2, 1, 1, 5, 5, 5, 5, 5], "pit B holds 4 seeds: 5 were expected, full pits come first"),
        ([5, 5, 2, 1, 1, 5, 5, 5, 5, 5], "pits C, D, E hold 4 seeds together: 3 were expected"),
        ([5, 5, 1, 1, 1, 5, 5, 5, 5, 6], "pit e holds 6 seeds: 5 were expected"),
        ([5, 5, 1, 1, 1], "the board has 5 pits: 10 were expected"),
    ],
)
def test_004_a_board_filled_otherwise_is_refused_in_a_sentence(pits: list[int], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        refilling(ended([13, 37])).begin(pits)


def test_004_a_player_must_keep_something_to_play() -> None:
    due = refilling(ended([4, 46]))
    with pytest.raises(BadInput, match="South would have nothing to play: lay at least one seed into A, B"):
        due.begin([0, 0, 2, 1, 1, 5, 5, 5, 5, 5])
    assert due.begin([1, 0, 1, 1, 1, 5, 5, 5, 5, 5]).start.player == 1
    assert due.begin(due.proposal()).start.result is None


def test_closed_pits_are_out_of_play_and_the_leftover_is_banked() -> None:
    due = refilling(ended([13, 37], short_pits="closed"))
    assert due.shares[0] == Share(full=(0, 1), short=(2, 3, 4), ngacang=(2, 3, 4), spread=0, store=3)
    round_ = due.begin([5, 5, 0, 0, 0, 5, 5, 5, 5, 5])
    assert round_.start.stores == (3, 12)
    assert not set(round_.game.rules.board.course[0]) & {2, 3, 4}


def test_004_the_game_ends_when_a_player_has_lost_all_seeds() -> None:
    game = games.load("congklak", {"pits": 5})
    start = game.start([0] * 5 + [1] + [0] * 4, [0, 49], 1)
    outcome = conclude(Round(3, game, start, (0, 0)), ())
    assert outcome.following is None
    assert outcome.leaders == (1,)
    assert outcome.ran_out == 0


def test_who_ran_out_first_counts_even_when_both_rows_are_empty() -> None:
    game = games.load("congklak", {"pits": 5, "end": "pass"})
    start = game.start([0, 1] + [0] * 3 + [0, 1, 0, 0, 0])
    plies = list[Ply]()
    state = start
    for word in ("B", "b", "A", "-", "a"):
        if state.player is None:
            break
        plies.append(game.play(state, game.parse(word)))
        state = plies[-1].state
    # South's last seed goes home with an extra turn that South has to pass; North's goes home last.
    assert state.result is not None
    assert conclude(Round(1, game, start, (0, 0)), plies).ran_out == 0


# Games without rounds of their own: points add up for as long as people agree.


def test_002_variant_8_points_are_added_over_games_and_starters_alternate() -> None:
    game = games.load("simple-mancala", {"scoring": "seeds"})
    start = game.start([0] * 12 + [2] + [0] * 3 + [1] + [0] * 15)
    ply = game.play(start, game.parse("0.12"))
    outcome = conclude(Round(2, game, start, (5, 7)), [ply])
    assert outcome.totals == (7, 7)
    assert outcome.leaders == (0, 1)
    assert following(outcome).number == 3
    assert following(outcome).start.player == 1
    assert following(outcome).totals == (7, 7)
