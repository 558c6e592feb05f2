"""A board in a test: hands move seeds on it, and each look at it is an observation with Gaussian noise.

Deliberately simple: independent noise, one hand. The physics of real cells is `service.simulation`.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from engine.game import Game
from engine.move import Move
from engine.observation import Observation
from engine.step import Step, after
from referee.events import Event
from referee.referee import Referee, Settings


class Story:
    """Acts on a board and collects what the referee says of it."""

    def __init__(
        self,
        game: Game,
        referee: Referee | None = None,
        *,
        sigma: float = 0.12,
        rate: float = 20.0,
        seed: int = 1,
        settings: Settings | None = None,
        feels: bool = True,
    ) -> None:
        self.game = game
        self.referee = referee or Referee(game, settings=settings)
        self.counts: Sequence[int] = self.referee.state.counts
        self.sigma = sigma
        self.rate = rate
        self.feels = feels
        self.t = 0.0
        self.rng = np.random.default_rng(seed)
        self.events: list[Event] = self.referee.start(0.0)
        self.wait(1.0)

    def look(self, hand: Iterable[int] = ()) -> None:
        """One observation, with hands over some holes."""
        hidden = np.zeros(len(self.counts))
        hidden[list(hand)] = 1.0
        seen = np.array(self.counts) + self.rng.normal(0.0, self.sigma, len(self.counts))
        axis = np.arange(self.referee.counts)
        loglik = -0.5 * ((seen[:, None] - axis) / self.sigma) ** 2
        loglik = np.maximum(loglik - loglik.max(axis=1, keepdims=True), -40.0)
        loglik[hidden > 0] = 0.0
        self.events += self.referee.observe(Observation(self.t, loglik, hidden, feels=self.feels))
        self.t += 1.0 / self.rate

    def wait(self, seconds: float, hand: Iterable[int] = ()) -> None:
        for _ in range(max(1, round(seconds * self.rate))):
            self.look(hand)

    def do(self, *steps: Step, pause: float = 0.3) -> None:
        """The steps one after another, with a pause after each."""
        for step in steps:
            self.counts = after(tuple(self.counts), [step])
            self.wait(pause)

    def set(self, **holes: int) -> None:
        """Put seeds by hand: `A=3` for a pit, `S=2` and `N=0` for the stores. Nothing is looked at."""
        counts = list(self.counts)
        for name, seeds in holes.items():
            hole = self.game.pits + "SN".index(name) if name in ("S", "N") else self.game.parse(name).pit
            counts[hole] = seeds
        self.counts = counts

    def sow(self, move: str, wait: float = 0.8) -> None:
        """Play a legal move, stone by stone, captures included, and take the hand away."""
        ply = self.game.play(self.referee.state, self.game.parse(move))
        self.do(*ply.steps)
        self.wait(wait)

    def show(self, counts: Sequence[int], wait: float = 1.6) -> None:
        """The board as it lies after something unseen."""
        self.counts = counts
        self.wait(wait)

    def sown(self, move: Move) -> Sequence[int]:
        return self.game.sow(self.counts, self.referee.state.player or 0, move).counts

    def said(self, *kinds: str) -> list[Event]:
        """What was said so far, of these kinds."""
        return [event for event in self.events if event.event in kinds]

    def since(self, mark: int) -> list[str]:
        return [event.event for event in self.events[mark:]]
