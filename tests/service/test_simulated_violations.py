"""Hands that go wrong over simulated cells, and what the referee makes of their weight.

The measure is the simulation's own truth: what was done, by which holes it is named, what should lie where.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from engine import games
from engine.game import Game, State
from engine.move import Move
from firmware_bridge.scale import Calibration, Scale
from referee.events import Event, Mended, MoveMade, Violation
from referee.referee import Referee
from service.simulation import mistakes
from service.simulation.simulation import Setting, Simulation, readings
from service.simulation.truth import Truth
from service.watch import Watch

NEVER = {
    ("kalah", "illegal_pit"),  # no rule of Kalah closes a pit of one's own that has seeds
    ("kalah", "relay_not_continued"),  # no lap follows another
    ("oware", "relay_not_continued"),  # nor here
    ("oware", "not_own_pit"),  # both players sow the same holes: whose hand it was cannot be seen
}
CASES = [
    *((name, kind) for name in ("kalah", "oware") for kind in mistakes.KINDS if (name, kind) not in NEVER),
    ("orient-thunderclap", "relay_not_continued"),
]
REST_S = 10.0
"""A pit with other stones than before may weigh like a hand, and is believed when a hand would be gone."""
SEEDS = {10: (1, 2), 80: (3,)}
"""By readings a second."""
MUST_FEED = {10: (10, 30), 80: (50,)}
"""Random games of Oware that come to a pit which does not feed the other player, beside one that does."""

GOES_ON = {10: (1, 2), 80: (5,)}
"""Where the hand that relays too far does so before the move, which was right so far, is settled."""


def positions(game: Game, seed: int) -> Iterator[tuple[State, list[Move]]]:
    """A random game, from its third ply on."""
    rng = np.random.default_rng(seed)
    state, moves = game.start(), list[Move]()
    while state.player is not None:
        if len(moves) >= 3:
            yield state, moves
        legal = game.legal(state)
        moves.append(legal[int(rng.integers(len(legal)))])
        state = game.play(state, moves[-1]).state


def erring(game: Game, kind: str, seed: int, rate: int) -> Simulation:
    """A simulation of a mistake that nothing but itself explains, in the midst of a random game."""
    rng = np.random.default_rng(seed)
    for state, moves in positions(game, seed):
        found = mistakes.possible(game, state, kind, rng)
        if mistakes.unmistakable(game, state, found, rng):
            played = " ".join(game.name_of(move) for move in moves)
            return Simulation(game, Setting(seed=seed, rate=rate, played=played, script=kind))
    raise AssertionError(f"no position of this game has an unmistakable {kind}")


def watched(simulation: Simulation) -> tuple[list[Truth], list[Event], Referee]:
    """What happened, what was said, and the referee at the end."""
    game = simulation.game
    moves = [game.parse(name) for name in simulation.setting.played.split()]
    referee = Referee(game, moves=moves)
    calibration = Calibration.from_json(simulation.calibration())
    scale = Scale(calibration, game.pits + game.players, sum(referee.state.counts), referee.counts)
    watch = Watch(referee, {"scale": scale})
    events, truths = referee.start(0.0), list[Truth]()
    for t, grams, told in readings(simulation, REST_S):
        truths += told
        events += watch.read(t, grams, "scale")
    return truths, events, referee


@pytest.mark.parametrize("rate", SEEDS)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_mistake_is_named_and_mended(name: str, kind: str, rate: int) -> None:
    for seed in {"illegal_pit": MUST_FEED, "relay_too_far": GOES_ON}.get(kind, SEEDS)[rate]:
        truths, events, referee = watched(erring(games.load(name), kind, seed, rate))
        done = next(truth for truth in truths if truth.truth == "mistake")
        called = next(event for event in events if isinstance(event, Violation))
        assert (called.kind, called.pits) == (done.kind, done.pits)
        assert done.want is not None
        assert done.pits is not None
        assert [(mend.pit, mend.seeds, mend.want) for mend in called.mend] == [
            (hole, there, want)
            for hole, (there, want) in enumerate(zip(done.counts, done.want, strict=True))
            if there != want
        ]
        assert [event.kind for event in events if isinstance(event, Mended)] == [done.kind]
        played = [truth.move for truth in truths if truth.truth == "move"]
        assert [event.move for event in events if isinstance(event, MoveMade)] == played
        assert referee.state.counts == truths[-1].counts
        view = referee.view()
        if kind == "touched_other_pit":
            assert (view.phase, view.touched, view.binding) == ("sowing", done.pits[0], True)
        else:
            assert view.phase in ("waiting", "over")
