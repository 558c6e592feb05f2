"""One board, a quick sensor that feels and a slow one that sees, whose looks come late."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from engine import games
from engine.observation import Floats, Observation
from engine.step import Counts, stages
from referee.events import Event, MoveMade, SensorBack, SensorLost, Violation
from referee.referee import Referee

KALAH = games.load("kalah")
LATE_S = 0.3


class Both:
    """20 looks a second of a scale, 2 of a camera, each of those delivered `LATE_S` after it was taken."""

    def __init__(self, blind: Sequence[int] = ()) -> None:
        """`blind`: holes of which the scale says nothing."""
        self.referee = Referee(KALAH)
        self.blind = list(blind)
        self.events: list[Event] = self.referee.start(0.0)
        self.counts: Counts = self.referee.state.counts
        self.looks = 0
        self.scale = True
        """Whether it gives readings."""
        self.underway: list[tuple[float, Observation]] = []

    def sharp(self, floor: float) -> Floats:
        loglik = np.full((len(self.counts), self.referee.counts), floor)
        loglik[np.arange(len(self.counts)), self.counts] = 0.0
        return loglik

    def show(self, counts: Counts, seconds: float) -> None:
        self.counts = counts
        for _ in range(round(seconds * 20)):
            t = self.looks / 20
            weighed = self.sharp(-30.0)
            weighed[self.blind] = 0.0
            nobody = np.zeros(len(counts))
            if self.scale:
                self.events += self.referee.observe(Observation(t, weighed, nobody, sensor="scale"))
            if self.looks % 10 == 0:
                seen = Observation(t, self.sharp(-8.0), nobody, feels=False, sensor="camera")
                self.underway.append((t + LATE_S, seen))
            while self.underway and self.underway[0][0] <= t:
                self.events += self.referee.observe(self.underway.pop(0)[1])
            self.looks += 1

    def said(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


def test_looks_that_come_late_disturb_neither_the_moves_nor_the_order_of_events() -> None:
    both = Both()
    both.show(both.counts, 2.0)
    for name in ("C", "A", "e"):
        steps = KALAH.play(both.referee.state, KALAH.parse(name)).steps
        for board in stages(both.referee.state.counts, steps)[1:]:
            both.show(board, 0.25)
        both.show(both.counts, 2.0)
    assert [event.move for event in both.said(MoveMade)] == ["C", "A", "e"]  # type: ignore[attr-defined]
    assert both.said(Violation) == []
    assert all(one.t <= other.t for one, other in pairwise(both.events))


def test_what_the_one_cannot_tell_the_other_does() -> None:
    """The cell of a is dead. South sows D into E, F, the store and a, and another seed joins it there."""
    both = Both(blind=[6])
    both.show(both.counts, 3.0)
    board = list(both.counts)
    board[3], board[4], board[5], board[6], board[12] = 0, 5, 5, 6, 1
    both.show(tuple(board), 6.0)
    assert both.said(MoveMade) == []
    (violation,) = both.said(Violation)
    assert isinstance(violation, Violation)
    assert [(item.pit, item.seeds, item.want) for item in violation.mend] == [(6, 6, 5)]


def test_one_of_two_is_lost_and_play_goes_on_with_the_other() -> None:
    both = Both()
    both.show(both.counts, 2.0)
    t = both.looks / 20
    lost = both.referee.lost(t, "unplugged", "scale", ("camera",))
    assert lost == [SensorLost(t, 0, 0, "unplugged", "scale", ("camera",))]
    assert both.referee.view().phase == "waiting"
    both.scale = False
    after = KALAH.play(both.referee.state, KALAH.parse("C")).state.counts
    both.show(after, 6.0)
    assert [event.move for event in both.said(MoveMade)] == ["C"]  # type: ignore[attr-defined]
    t = both.looks / 20
    # The last one goes, and one comes back: nothing is judged between.
    assert both.referee.lost(t, "dark", "camera") == [SensorLost(t, 1, 0, "dark", "camera")]
    assert both.referee.view().phase == "lost"
    assert both.referee.back(t, "answers", "scale") == [SensorBack(t, 1, 0, "answers", "scale")]
    assert both.referee.back(t, "light", "camera", ("scale",)) == [
        SensorBack(t, 1, 0, "light", "camera", ("scale",))
    ]
    both.scale = True
    both.show(after, 2.0)
    assert both.referee.view().phase == "waiting"
