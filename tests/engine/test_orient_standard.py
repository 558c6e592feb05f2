"""Oriënt Standaard, clause by clause of source 000.

Two players: South has 0 to 5, North 6 to 11. Four: players 0, 1, 2, 3 have 0-2, 9-11, 6-8 and 3-5, because
turns go clockwise round a ring that is numbered counter-clockwise.
"""

import pytest

from engine import games
from engine.errors import BadInput
from engine.move import PASS
from engine.step import Take
from tests.engine.played import lap, legal, play

GAME = "orient-standard"


@pytest.mark.parametrize(("players", "each", "pits"), [(2, 4, 6), (3, 5, 4), (4, 6, 3)])
def test_000_set_out_six_four_or_three_adjacent_pits_with_four_five_or_six_seeds(
    players: int, each: int, pits: int
) -> None:
    game = games.load(GAME, {"players": players})
    assert game.start().pits == (each,) * 12
    for player in range(players):
        own = game.rules.board.own(player)
        assert len(own) == pits
        assert own[-1] - own[0] == pits - 1


@pytest.mark.parametrize(("players", "second"), [(3, [8, 9, 10, 11]), (4, [9, 10, 11])])
def test_000_turns_pass_clockwise(players: int, second: list[int]) -> None:
    game = games.load(GAME, {"players": players})
    state = game.play(game.start(), game.parse("0.0+")).state
    assert state.player == 1
    assert sorted({move.pit for move in game.legal(state)}) == second


def test_000_all_seeds_of_an_own_pit_are_sown_one_by_one_counter_clockwise() -> None:
    ply = play(GAME, [4] * 12, "E")
    assert list(ply.steps) == lap(4, 5, 6, 7, 8)
    assert ply.state.pits == (4, 4, 4, 4, 0, 5, 5, 5, 5, 4, 4, 4)


def test_000_two_players_sow_counter_clockwise_only() -> None:
    assert legal(GAME, [4] * 12) == ["A", "B", "C", "D", "E", "F"]


@pytest.mark.parametrize("players", [3, 4])
def test_000_three_or_four_choose_the_direction_each_turn(players: int) -> None:
    assert legal(GAME, [4] * 12, players=players)[:4] == ["0.0+", "0.0-", "0.1+", "0.1-"]
    ply = play(GAME, [4] * 12, "0.1-", players=players)
    assert list(ply.steps) == lap(1, 0, 11, 10, 9)


@pytest.mark.parametrize(("there", "taken"), [(1, ((6, 2),)), (2, ((6, 3),)), (0, ()), (3, ())])
def test_000_a_last_seed_that_makes_2_or_3_of_an_opponent_takes_them(
    there: int, taken: tuple[tuple[int, int], ...]
) -> None:
    ply = play(GAME, [0, 0, 0, 0, 0, 1, there, 0, 0, 9, 0, 0], "F")
    assert ply.captured == taken


def test_000_only_opponents_pits_are_taken() -> None:
    assert play(GAME, [1, 1, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0], "A").captured == ()


def test_000_the_pits_before_it_are_taken_too_in_an_unbroken_row() -> None:
    ply = play(GAME, [0, 0, 0, 0, 5, 1, 3, 1, 2, 1, 0, 5], "E")
    # 5 to 9 become 2, 4, 2, 3, 2. 9, 8 and 7 are taken; 6 holds 4 and breaks the chain.
    assert ply.captured == ((9, 2), (8, 3), (7, 2))
    assert ply.state.counts == (0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 5, 7, 0)


def test_000_the_chain_stops_at_the_movers_own_pits() -> None:
    ply = play(GAME, [0, 0, 0, 3, 1, 2, 1, 0, 0, 0, 0, 5], "D")
    # 4, 5 and 6 become 2, 3 and 2: 5 is South's own.
    assert ply.captured == ((6, 2),)


def test_000_the_chain_runs_from_one_opponents_pits_into_anothers() -> None:
    ply = play(GAME, [0, 0, 4, 1, 1, 1, 1, 9, 0, 0, 0, 9], "0.2+", players=4)
    assert ply.captured == ((6, 2), (5, 2), (4, 2), (3, 2))


def test_000_the_chain_runs_against_the_sowing_whichever_way_that_went() -> None:
    ply = play(GAME, [4, 0, 0, 9, 0, 0, 0, 9, 2, 1, 1, 0], "0.0-", players=4)
    # 11, 10, 9 and 8 become 1, 2, 2 and 3: the chain runs 8, 9, 10 and stops at 11.
    assert ply.captured == ((8, 3), (9, 2), (10, 2))


def test_000_captures_go_into_the_movers_own_corner_pit() -> None:
    ply = play(GAME, [0] * 6 + [2, 1] + [0] * 3 + [9], "2.0-", player=2, players=4)
    assert ply.state.player == 3
    ply = play(GAME, [1] + [0] * 5 + [0, 0, 1] + [0, 0, 9], "2.2+", player=2, players=4)
    assert ply.gain == (0, 0, 0, 0)
    taken = play(GAME, [9] + [0] * 5 + [0, 0, 1] + [2, 0, 9], "2.2+", player=2, players=4)
    assert taken.steps[-1] == Take(9, 3, 12 + 2)
    assert taken.gain == (0, 0, 3, 0)


def test_000_two_players_the_end_is_a_player_to_move_with_empty_pits_and_the_rest_is_its_owners() -> None:
    ply = play(GAME, [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "B", stores=[20, 25])
    assert ply.state.result is not None
    assert ply.state.result.reason == "player 1 cannot move"
    assert ply.state.result.scores == (23, 25)
    assert ply.state.result.winners == (1,)


def test_000_with_three_or_four_one_who_cannot_move_passes_and_two_in_succession_end_play() -> None:
    game = games.load(GAME, {"players": 4})
    # Player 1 (9-11) has nothing, player 2 (6-8) has a seed.
    state = game.play(game.start([1, 0, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0]), game.parse("0.0+")).state
    assert game.legal(state) == (PASS,)
    state = game.play(state, PASS).state
    assert state.player == 2
    # Players 1 and 2 have nothing.
    over = game.play(game.start([0, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0]), game.parse("0.1+")).state
    assert game.legal(over) == (PASS,)
    ended = game.play(over, PASS).state
    assert ended.result is not None
    assert ended.result.reason == "2 players in succession cannot move"
    assert ended.result.scores == (2, 0, 0, 3)
    assert ended.result.winners == (3,)


def test_000_a_tie_shares_the_place() -> None:
    ply = play(GAME, [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "B", stores=[20, 23])
    assert ply.state.result is not None
    assert ply.state.result.winners == (0, 1)


# What the source leaves open.


@pytest.mark.parametrize(
    ("skip_origin", "pits"),
    [(False, (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6)), (True, (0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6))],
)
def test_a_lap_drops_into_the_starting_pit_unless_skip_origin(
    skip_origin: bool, pits: tuple[int, ...]
) -> None:
    assert play(GAME, [12, *[0] * 10, 5], "A", skip_origin=skip_origin).state.pits == pits


def test_all_of_an_opponents_seeds_may_be_taken_and_there_is_no_duty_to_feed() -> None:
    slam = [0, 3, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    assert play(GAME, slam, "F").captured == ((6, 2),)
    assert legal(GAME, [0, 3, 0, 0, 0, 1] + [0] * 6, player=0) == ["B", "F"]
    assert legal(GAME, [0, 3, 0, 0, 0, 1] + [0] * 6, must_feed=True) == ["F"]


@pytest.mark.parametrize(
    ("grand_slam", "stores"),
    [
        ("no_capture", (0, 0)),
        ("capture", (5, 0)),
        ("leave_leftmost", (3, 0)),
        ("leave_rightmost", (5, 0)),
    ],
)
def test_a_grand_slam_as_in_oware(grand_slam: str, stores: tuple[int, int]) -> None:
    # 6 and 7 become 2 and 3, all that North has; 6 is North's leftmost, 11 the rightmost.
    ply = play(GAME, [9, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0], "F", grand_slam=grand_slam)
    assert ply.state.stores == stores


def test_a_grand_slam_may_be_forbidden_or_give_the_rest_to_the_opponent() -> None:
    pits = [9, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0]
    assert legal(GAME, pits, grand_slam="forbidden") == ["A"]
    swept = play(GAME, pits, "F", grand_slam="opponent_sweeps").state.result
    assert swept is not None
    assert swept.scores == (5, 9)


def test_facing_depends_on_the_layout() -> None:
    rows = games.load(GAME, {"layout": "rows"}).rules.board.across
    square = games.load(GAME, {"layout": "square"}).rules.board.across
    assert rows == (11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
    assert square == (8, 7, 6, 11, 10, 9, 2, 1, 0, 5, 4, 3)


def test_five_players_are_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="option players cannot be 5: 2 or 3 or 4 was expected"):
        games.load(GAME, {"players": 5})
