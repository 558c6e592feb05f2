"""What is true of every ply of every game, whatever its options."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from engine import games
from engine.errors import BadInput
from engine.game import Game, Ply, Result, State, replay
from engine.move import DIRECTIONS, PASS, SWAP, Move
from engine.rules import Claim, Repetition, Rules, two_rows
from engine.step import Counts, Drop, Lift, Step, Take, after, stages
from tests.engine.oracle import FAMILY

GAMES = (*games.names(), *sorted(map(str, FAMILY.glob("*.toml"))))
"""All that are shipped, and house files of relatives."""
FOUR_ROWS = ("bao", "omweso")
"""Games in which a move may ask for choices on the way."""
EXAMPLES = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


@st.composite
def any_game(draw: st.DrawFn) -> Game:
    """Any game with any of its options; small where that is an option, so that it may reach its end."""
    name = draw(st.sampled_from(GAMES))
    options: dict[str, Any] = {}
    for option in games.describe(name).options:
        if draw(st.booleans()):
            options[option.name] = draw(values(option, options))
    try:
        return games.load(name, options)
    except BadInput:
        reject()


def values(option: games.Option, chosen: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values of an option, given those of options before it."""
    if option.name == "owner":
        return st.permutations([pit % chosen.get("players", 2) for pit in range(12)])
    if option.numbers:
        return st.just(option.default)
    if isinstance(option.default, bool) or option.values:
        return st.sampled_from(option.choices)
    most = min(option.most, 6) if option.name in ("pits", "seeds") else option.most
    return st.integers(option.least, max(most, option.least))


@st.composite
def played(draw: st.DrawFn, most: int = 60) -> tuple[Game, State, list[Ply]]:
    """A game, where it began, and plies from there: the usual start, or a position with few seeds."""
    game = draw(any_game())
    state = game.start()
    if draw(st.booleans()):
        few = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 7])
        pits = draw(st.lists(few, min_size=game.pits, max_size=game.pits))
        bare = draw(st.sampled_from([None, *range(game.players)]))
        pits = [0 if game.rules.board.owner[pit] == bare else seeds for pit, seeds in enumerate(pits)]
        marks = [draw(st.integers(0, 1)) for _ in range(game.rules.marks)]
        if game.rules.find(Claim):
            second = game.pits // 2 + 2
            marks[:2] = draw(st.sampled_from([(0, 0), (0, 1), (second, 0), (second, 1)]))
            # What falls into a claimed pit goes to its owner's store at once.
            pits = [0 if pit + 1 in marks[:2] else seeds for pit, seeds in enumerate(pits)]
        stores = [draw(st.integers(0, 2)) if game.rules.reserve else 0 for _ in range(game.players)]
        state = game.start(pits, stores, draw(st.integers(0, game.players - 1)), marks)
    start, plies = state, list[Ply]()
    least = draw(st.sampled_from([0, most // 2]))
    for choice in draw(st.lists(st.integers(0, 99), min_size=least, max_size=most)):
        legal = game.legal(state)
        if not legal:
            break
        plies.append(game.play(state, legal[choice % len(legal)]))
        state = plies[-1].state
    return game, start, plies


def before(start: State, plies: Sequence[Ply]) -> list[State]:
    """The state before each ply."""
    return [start, *(ply.state for ply in plies)][: len(plies)]


@EXAMPLES
@given(played())
def test_seeds_are_conserved_at_each_step(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    for state, ply in zip(before(start, plies), plies, strict=True):
        hand = 0
        boards = stages(state.counts, ply.steps)
        for step, was, board in zip(ply.steps, boards, boards[1:], strict=False):
            assert step_is_whole(game, step, was)
            hand += step.seeds if isinstance(step, Lift) else -1 if isinstance(step, Drop) else 0
            assert hand >= 0
            assert min(board) >= 0
            assert sum(board) + hand == sum(start.counts)
        assert hand == 0
        assert boards[-1] == ply.state.counts


def step_is_whole(game: Game, step: Step, board: Counts) -> bool:
    """Whether a hand can do the step: it empties the pit that it lifts or takes, and takes into a store."""
    match step:
        case Lift(pit, seeds):
            house = game.rules.house
            partly = pit >= game.pits or (house is not None and seeds == house.tax)
            return 0 < seeds <= board[pit] and (seeds == board[pit] or (partly and game.rules.reserve > 0))
        case Take(pit, seeds, to):
            return pit < game.pits <= to and board[pit] == seeds > 0
        case Drop(pit):
            return 0 <= pit < len(board)


@EXAMPLES
@given(played())
def test_captures_and_gain_are_those_of_the_steps(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    for state, ply in zip(before(start, plies), plies, strict=True):
        into = [0] * game.players
        for step in ply.steps:
            if isinstance(step, Take):
                into[step.to - game.pits] += step.seeds
            elif isinstance(step, Drop) and step.pit >= game.pits:
                into[step.pit - game.pits] += 1
            elif isinstance(step, Lift) and step.pit >= game.pits:
                into[step.pit - game.pits] -= step.seeds
        assert ply.gain == tuple(into)
        taken = [(step.pit, step.seeds) for step in ply.steps if isinstance(step, Take)]
        if game.name in FOUR_ROWS:
            assert not taken
            theirs = game.rules.board.own(1 - ply.player)
            lifts = [step for step in ply.steps if isinstance(step, Lift)]
            taken = [(step.pit, step.seeds) for step in lifts if step.pit in theirs]
        assert ply.captured == tuple(taken)
        assert ply.player == state.player


@EXAMPLES
@given(played())
def test_the_end_is_swept_and_counted(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    for ply in plies:
        result = ply.state.result
        assert (result is None) == (ply.state.player is not None)
        if result is None:
            assert ply.sweep == ()
            assert game.legal(ply.state) != ()
            continue
        assert ply is plies[-1]
        assert game.legal(ply.state) == ()
        drawn = "times" in result.reason and game.rules.repetition == "draw"
        if game.rules.win != "seeds" and not drawn:
            (winner,) = result.winners
            half = sum(ply.state.pits[pit] for pit in game.rules.board.own(winner))
            points = 1 if game.rules.scoring == "games" else half * (1 + (half == sum(ply.state.pits)))
            assert result.scores == tuple(points * (player == winner) for player in range(game.players))
            assert ply.sweep == ()
            continue
        swept = after(ply.state.counts, ply.sweep)
        assert min(swept) >= 0
        assert sum(swept) == sum(start.counts)
        assert result.scores == swept[game.pits :]
        if game.rules.sweep != "none" and "times" not in result.reason:
            assert sum(result.scores) == sum(start.counts)
        if "times" in result.reason and game.rules.repetition == "split":
            assert result.scores == halved(ply.state, game.players)
        assert result.winners == (tuple(range(game.players)) if drawn else first_place(game, result.scores))


def first_place(game: Game, scores: Sequence[int]) -> tuple[int, ...]:
    """Who has most seeds, or fewest in misère; partners together."""
    sign = -1 if game.rules.misere else 1
    partners = 2 if game.rules.partners else game.players
    totals = [sign * sum(scores[player % partners :: partners]) for player in range(game.players)]
    return tuple(player for player, total in enumerate(totals) if total == max(totals))


def halved(state: State, players: int) -> tuple[int, ...]:
    """What the rest comes to when it is shared, an odd seed going to the first player."""
    left = sum(state.pits)
    return tuple(store + (left + players - 1 - p) // players for p, store in enumerate(state.stores))


@EXAMPLES
@given(played(most=4))
def test_legal_moves_play_and_every_other_move_names_the_rule_that_forbids_it(
    case: tuple[Game, State, list[Ply]],
) -> None:
    game, start, plies = case
    for state in [start, *(ply.state for ply in plies)]:
        legal = game.legal(state)
        assert len(set(legal)) == len(legal)
        for move in [Move(pit, way) for pit in range(-3, game.pits + 1) for way in DIRECTIONS]:
            rule = "" if move in legal else "the game is over" if state.player is None else "; "
            if game.name not in FOUR_ROWS:
                rule = rule_against(game, state, move)
            assert (move in legal) == (rule == "")
            if rule == "":
                assert game.play(state, move).move == move
                continue
            with pytest.raises(BadInput) as error:
                game.play(state, move)
            assert rule in str(error.value)
            assert all(game.name_of(option) in str(error.value) for option in legal)


def rule_against(game: Game, state: State, move: Move) -> str:
    """Words of the rule that forbids a move, worked out from the board alone; empty for a legal one."""
    rules, player = game.rules, state.player
    if player is None:
        return "the game is over"
    if move == SWAP and state.may_swap and player == 1:
        return ""
    if move == PASS and (rules.no_move == "pass" or state.opening):
        sowings = [Move(pit, way) for pit in range(game.pits) for way in DIRECTIONS]
        if all(rule_against(game, state, sowing) for sowing in sowings):
            return ""
    if move.pit < 0:
        return "no such choice now"
    if move.pit >= game.pits:
        return f"the board has no pit {move.pit}"
    if rules.board.owner[move.pit] != player:
        return f"not player {player}'s"
    if state.opening and rules.opening == "three_two":
        return "" if state.pits[move.pit] == 5 and move.direction == -1 else "the opening lifts a pit of 5"
    if move.pit in rules.board.protected:
        return "closed for this round"
    if move.direction not in (rules.kept[player : player + 1] or rules.directions):
        return "not sown that way round"
    if state.pits[move.pit] < rules.least_lift:
        return "too few to lift"
    sown = game.sow(state.counts, player, move, opening=state.opening > 0, marks=state.marks)
    if sown.endless and rules.endless == "illegal":
        return "relay would never end"
    ours = {player, (player + 2) % 4} if rules.partners else {player}
    theirs = [pit for pit, owner in enumerate(rules.board.owner) if owner not in ours]
    had, have = (any(counts[pit] for pit in theirs) for counts in (state.pits, sown.counts))
    if had and not have and rules.grand_slam == "forbidden":
        return "every seed of the opponent"
    if not had and not have and rules.must_feed:
        return "must be given some"
    return ""


@EXAMPLES
@given(any_game())
def test_notation_round_trips_and_names_each_move_once(game: Game) -> None:
    moves = [PASS, SWAP]
    moves += [Move(pit, way) for pit in range(game.pits) for way in game.rules.directions]
    if game.rules.choices:
        moves += [replace(move, choices=choices) for move in moves[2:] for choices in (1, 2, 5, 2**24 - 1)]
    names = [game.name_of(move) for move in moves]
    assert len(set(names)) == len(moves)
    assert [game.parse(name) for name in names] == moves


@EXAMPLES
@given(any_game(), st.text(alphabet="ABCabcxyz0123.+- ", max_size=4))
def test_what_names_no_move_is_refused_in_a_sentence(game: Game, text: str) -> None:
    moves = [PASS, SWAP, *(Move(pit, way) for pit in range(game.pits) for way in game.rules.directions)]
    if text.strip() in [game.name_of(move) for move in moves]:
        assert game.name_of(game.parse(text)) == text.strip()
        return
    with pytest.raises(BadInput, match="names no pit of this board: "):
        game.parse(text)


@EXAMPLES
@given(played(most=20))
def test_counting_sequences_is_playing_them(case: tuple[Game, State, list[Ply]]) -> None:
    game, _, plies = case
    for state in [ply.state for ply in plies][-1:]:
        boards = [game.play(state, move).state for move in game.legal(state)]
        assert game.perft(state, 1) == len(boards)
        assert game.perft(state, 2) == sum(len(game.legal(board)) for board in boards)


@EXAMPLES
@given(played(most=20))
def test_a_move_with_other_choices_goes_another_way(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    for state in [start, *(ply.state for ply in plies)]:
        ways: dict[tuple[int, int], list[Ply]] = {}
        for move in game.legal(state):
            ways.setdefault((move.pit, move.direction), []).append(game.play(state, move))
        for same in ways.values():
            # Up to the point where they part they are the same, and there they part.
            assert len({ply.steps for ply in same}) == len(same)


@EXAMPLES
@given(played())
def test_a_replay_is_the_same_as_playing_move_by_move(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    assert list(replay(game, start, [ply.move for ply in plies])) == plies


@EXAMPLES
@given(played())
def test_a_move_taken_back_and_made_again_is_the_same(case: tuple[Game, State, list[Ply]]) -> None:
    game, start, plies = case
    states = before(start, plies)
    as_they_were = [(state.counts, state.player, state.marks, game.legal(state)) for state in states]
    for state, ply in reversed(list(zip(states, plies, strict=True))):
        for other in game.legal(state):
            game.play(state, other)
        assert game.play(state, ply.move) == ply
    assert [(state.counts, state.player, state.marks, game.legal(state)) for state in states] == as_they_were


@EXAMPLES
@given(played(most=6))
def test_a_swap_or_a_pass_moves_nothing_and_a_swap_keeps_the_turn(
    case: tuple[Game, State, list[Ply]],
) -> None:
    game, start, plies = case
    states = [*before(start, plies), plies[-1].state if plies else start]
    for state in states:
        for move in set(game.legal(state)) & {PASS, SWAP}:
            new = game.play(state, move).state
            assert new.counts == state.counts
            if move == SWAP:
                # Exactly the state in which the swap was declined, had the other player been sitting there.
                assert new == replace(state, may_swap=False)


@pytest.mark.parametrize(
    ("repetition", "scores", "winners"),
    [("sweep", (0, 1), (1,)), ("split", (1, 0), (0,)), ("draw", (0, 0), (0, 1))],
)
@pytest.mark.parametrize("count", [2, 3])
def test_a_position_that_keeps_coming_back(
    repetition: Repetition, scores: tuple[int, ...], winners: tuple[int, ...], count: int
) -> None:
    rules = Rules(
        board=two_rows(2, "off"), seeds=1, no_move="pass", repetition=repetition, repetition_count=count
    )
    game = Game("one seed", {}, rules)
    # The one seed goes round, and is North's in a again, North to move, after six plies.
    round_ = [game.parse(move) for move in ["a", "-", "b", "A", "-", "B"]]
    *others, last = replay(game, game.start([0, 0, 1, 0], player=1), round_ * (count - 1))
    assert all(ply.state.result is None for ply in others)
    assert last.state.result == Result(scores, winners, f"the position has stood {count} times")


def test_a_swap_is_no_second_stand_of_the_position() -> None:
    game = games.load("kalah", {"pie": True, "repetition_count": 2})
    state = game.play(game.start(), game.parse("A")).state
    swapped = game.play(state, SWAP).state
    assert swapped.player == 1
    assert swapped.result is None
    assert game.legal(swapped) == tuple(move for move in game.legal(state) if move != SWAP)
