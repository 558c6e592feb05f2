"""Every kind of violation in every game in which it can occur, told by the simulated hand, without noise.

The simulated hand knows nothing of how the referee explains a board: it makes its mistakes from the engine's
traces by itself. Here each of them must be among the explanations, with its holes and its mend; and of each
kind in each game there must be one whose board the referee takes for just that.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from engine import games
from engine.game import Game, State
from engine.move import Move
from referee import explain
from referee.events import Violation
from referee.explain import Explanation
from referee.outlook import Outlook
from service.simulation import mistakes
from service.simulation.mistakes import Mistake
from tests.referee.story import Story

NO_RELAY = {"relay_not_continued": "no lap follows another"}
ENDS_ALONE = {"relay_too_far": "a relay ends with a seed alone, or in a store: sown on, it is sown too far"}
SAME_COURSE = {"not_own_pit": "all sow the same holes: whose hand it was cannot be seen"}
OWN_COURSE = {"not_own_pit": "a course passes no pit of another: it is sown as its owner would"}
FREE = {"wrong_direction": "each sows the way they like, and one lap"}
ANY_PIT = {"illegal_pit": "no rule closes a pit of one's own that has seeds"}
NO_STORE = {"wrong_store": "no store lies on the way or between two pits of it"}
NOTHING_SPARED = {"wrong_store": "no side of the board ends where another begins"}


@dataclass(frozen=True)
class Variant:
    name: str
    never: Mapping[str, str]
    """The kinds that cannot occur, and why."""
    options: dict[str, Any] = field(default_factory=dict)
    pits: tuple[int, ...] = ()
    """A position to begin with, where the start leads to what is asked for too seldom."""
    stores: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options.items())])


FOUR_ROWS = OWN_COURSE | NO_STORE
VARIANTS = [
    Variant("kalah", NO_RELAY | ANY_PIT),
    Variant("kalah", NO_RELAY | ANY_PIT, {"pits": 3, "seeds": 6, "capture_keeps_seed": True}),
    Variant("oware", NO_RELAY | SAME_COURSE, {}, (1, 0, 0, 2, 1, 1, *[0] * 6), (20, 23)),
    Variant("oware", NO_RELAY | SAME_COURSE | ANY_PIT, {"must_feed": False}),
    Variant("orient-standard", NO_RELAY | SAME_COURSE | ANY_PIT),
    Variant("orient-standard", NO_RELAY | SAME_COURSE | ANY_PIT | FREE, {"players": 3}),
    Variant("orient-standard", NO_RELAY | SAME_COURSE | ANY_PIT | FREE, {"players": 4, "partners": True}),
    Variant(
        "orient-standard",
        NO_RELAY | SAME_COURSE | ANY_PIT | NOTHING_SPARED,
        {"owner": "0 1 0 1 0 1 0 1 0 1 0 1", "deal": 7, "misere": True},
    ),
    Variant("orient-thunderclap", SAME_COURSE | ANY_PIT),
    Variant("orient-thunderclap", SAME_COURSE | ANY_PIT, {"players": 3}),
    Variant("orient-thunderclap", SAME_COURSE | ANY_PIT, {"players": 4}),
    # The second round, in which the winner holds a pit of the other's row.
    Variant("orient-thunderclap", SAME_COURSE | ANY_PIT, {"owner": "0 0 0 0 0 0 1 1 1 1 1 0"}),
    Variant("orient-slingshot", SAME_COURSE | ENDS_ALONE | ANY_PIT),
    Variant("orient-slingshot", SAME_COURSE | ENDS_ALONE | ANY_PIT, {"players": 4, "opening": False}),
    Variant("simple-mancala", FOUR_ROWS | ENDS_ALONE),
    Variant(
        "simple-mancala", FOUR_ROWS | ENDS_ALONE, {"direction": "counterclockwise", "capture_back_row": True}
    ),
    Variant("bao", FOUR_ROWS),
    Variant("bao", FOUR_ROWS | ENDS_ALONE, {"variant": "kujifunza"}),
    Variant("omweso", FOUR_ROWS | ENDS_ALONE),
    Variant("congklak", ENDS_ALONE | ANY_PIT),
    Variant("congklak", {}, {"short": "0 1 13"}),
    Variant("togyzkumalak", NO_RELAY | SAME_COURSE | ANY_PIT),
    Variant("bohnenspiel", NO_RELAY | SAME_COURSE | ANY_PIT),
    Variant("mangala2", NO_RELAY | SAME_COURSE | ANY_PIT),
    Variant("turkish-mangala", NO_RELAY | ANY_PIT),
]
KINDS = [kind for kind in mistakes.KINDS if kind not in ("touched_other_pit", "board_disturbed")]
"""Of the other two the board shows nothing, or nothing that has a name: they have tests of their own."""
PLIES = 40


def positions(game: Game, variant: Variant, rng: np.random.Generator) -> Iterator[State]:
    """Every third position of random games."""
    for _ in range(4):
        state = game.start(variant.pits or None, variant.stores or None)
        for ply in range(PLIES):
            if state.player is None:
                break
            if ply % 3 == 0:
                yield state
            legal = game.legal(state)
            state = game.play(state, legal[int(rng.integers(len(legal)))]).state


def explanations(game: Game, state: State) -> dict[tuple[int, ...], list[Explanation]]:
    """By board, the likeliest first."""
    outlook = Outlook(game, state, explain.traces(game, state))
    outlook.work(math.inf)
    found: dict[tuple[int, ...], list[Explanation]] = {}
    for one in sorted(outlook.found, key=lambda one: -one.prior):
        found.setdefault(one.counts, []).append(one)
    return found


def verdict(one: Explanation) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """What the referee calls it, when it has stood as long as it takes."""
    if one.story == "due":
        return "capture_missed", tuple(take.pit for take in one.due), one.want
    return one.kind or "seeds_missing" if one.story == "hand" else one.kind, one.pits, one.want


def some(found: tuple[Mistake, ...], rng: np.random.Generator) -> list[Mistake]:
    return [found[int(at)] for at in rng.permutation(len(found))[:6]]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_mistake_of_the_hand_is_explained_and_named(variant: Variant) -> None:
    game, rng = games.load(variant.name, variant.options), np.random.default_rng(5)
    left = {kind for kind in KINDS if kind not in variant.never}
    for state in positions(game, variant, rng):
        board = explanations(game, state)
        pits = game.rules.board.pits
        moves = [Move(pit, way) for pit in range(pits) for way in (1, -1) if state.pits[pit]]
        moves = [moves[int(at)] for at in rng.permutation(len(moves))[:10]]
        for kind in KINDS:
            made = [one for move in moves for one in some(mistakes.ways(game, state, kind, move, rng), rng)]
            assert kind not in variant.never or not made, (kind, made[:1])
            for one in made:
                ways = [verdict(way) for way in board.get(one.counts, [])]
                assert (one.kind, one.pits, one.want) in ways, (state, one)
                if ways[0] == (one.kind, one.pits, one.want):
                    left.discard(kind)
        if not left:
            break
    assert not left


WHOLE = [kind for kind in KINDS if kind not in ("capture_missed", "relay_not_continued", "seeds_missing")]
"""Kinds that a seed which is lost besides does not turn into a hand that still holds one."""


@pytest.mark.parametrize("name", games.names())
def test_a_seed_lost_besides_is_told_with_every_mistake(name: str) -> None:
    """Two mistakes of one turn. Some boards two others leave as well, mostly with the same mend."""
    game, rng = games.load(name), np.random.default_rng(3)
    state = game.start()
    made = whole = mended = 0
    for ply in range(5):
        if ply % 4 == 0:
            outlook = Outlook(game, state, explain.traces(game, state))
            outlook.work(math.inf)
            boards = {one.counts for one in outlook.found}
            moves = [Move(pit, way) for pit in range(game.pits) for way in (1, -1) if state.pits[pit]]
            moves = [moves[int(at)] for at in rng.permutation(len(moves))[:8]]
            for kind in WHOLE:
                found = tuple(one for move in moves for one in mistakes.ways(game, state, kind, move, rng))
                for one in some(found, rng)[:3]:
                    hole = int(rng.integers(game.pits))
                    counts = tuple(n - (at == hole) for at, n in enumerate(one.counts))
                    if min(counts) < 0 or counts in boards:
                        continue
                    two = outlook.two_mistakes(counts)
                    assert two is not None, (state, one, hole)
                    first, second = (two.kind, two.pits), (two.also, two.also_pits)
                    made += 1
                    whole += first == (one.kind, one.pits) and second == ("seeds_missing", (hole,))
                    mended += two.want == one.want
        legal = game.legal(state)
        state = game.play(state, legal[int(rng.integers(len(legal)))]).state
        if state.player is None:
            break
    assert made >= 12
    assert whole >= 0.6 * made
    assert mended >= 0.85 * made


def called(story: Story) -> Violation:
    (violation,) = story.said("violation")
    assert isinstance(violation, Violation)
    return violation


@pytest.mark.parametrize("name", games.names())
def test_who_touches_a_pit_must_sow_it_in_every_game(name: str) -> None:
    game = games.load(name)
    story = Story(game)
    before = story.counts
    moves = {move.pit: move for move in game.legal(story.referee.state)}
    touched, sown = sorted(moves)[:2]
    story.wait(0.8, hand=[touched])
    story.wait(0.5)
    assert [(event.pit, event.binding) for event in story.said("touch")] == [(touched, True)]  # type: ignore[attr-defined]
    story.sow(game.name_of(moves[sown]), wait=3.0)
    violation = called(story)
    assert (violation.kind, violation.pits) == ("touched_other_pit", (touched, sown))
    assert {item.pit: item.want for item in violation.mend} == {
        hole: n for hole, n in enumerate(before) if story.counts[hole] != n
    }
    story.show(before, wait=2.0)
    assert story.events[-1].event == "turn"
    assert (story.referee.view().touched, story.referee.ply) == (touched, 0)


@pytest.mark.parametrize("name", games.names())
def test_a_board_that_was_knocked_over_is_to_be_put_back_in_every_game(name: str) -> None:
    game = games.load(name)
    story = Story(game)
    state, before = story.referee.state, story.counts
    (bumped, *_) = mistakes.possible(game, state, "board_disturbed", np.random.default_rng(2))
    story.show(bumped.counts, wait=3.5)
    violation = called(story)
    assert (violation.kind, violation.pits) == ("board_disturbed", bumped.pits)
    assert violation.seeds == tuple(bumped.counts[pit] - before[pit] for pit in bumped.pits)
    assert {item.pit: item.want for item in violation.mend} == {pit: before[pit] for pit in bumped.pits}
    story.show(before, wait=1.0)
    assert story.since(-2) == ["mended", "turn"]


def test_a_kind_that_never_occurs_is_no_kind_of_the_referee_alone() -> None:
    """What the hand can do and the referee can say are the same kinds."""
    assert {*mistakes.KINDS, "taken_back"} == set(explain.KINDS)
