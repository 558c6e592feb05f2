"""Whatever is seen and pressed, in whatever order: no exception, a view that adds up, a way back to play."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine import games, line
from engine.errors import BadInput
from engine.game import Game
from engine.observation import Floats, Observation
from engine.step import Counts, stages
from referee import lamps
from referee.events import Event, GameStarted, as_json, from_json
from referee.policy import Policy
from referee.referee import Referee, Settings
from referee.view import view_as_json
from service.log import moves_of

GAMES = {
    "kalah": games.load("kalah", {"pits": 3, "seeds": 3}),
    "kalah with pie": games.load("kalah", {"pits": 2, "seeds": 2, "pie": True}),
    "kalah to its last row": games.load("kalah", {"pits": 4, "seeds": 2, "end": "to_move"}),
    "oware": games.load("oware", {"pits": 3, "seeds": 3}),
    "oware, grand slam forbidden": games.load("oware", {"pits": 3, "seeds": 1, "grand_slam": "forbidden"}),
}
"""Small ones, whose games are over soon."""
MORE = {
    "togyzkumalak": games.load("togyzkumalak", {"pits": 3, "seeds": 3}),
    "a relay, in rounds": games.load("congklak", {"pits": 5}),
    "a relay, three players": games.load("orient-thunderclap", {"players": 3}),
    "both ways, four players": games.load("orient-standard", {"players": 4}),
    "two loops": games.load("omweso"),
}
INPUTS = ["adjust", "done", "takeback", "resign", "recount", "swap", "answer", "accept", "correct", "dance"]


def sharp(counts: Sequence[int], axis: int, floor: float = -40.0) -> Floats:
    """`(holes, axis)`: a look that is sure of `counts`."""
    loglik = np.full((len(counts), axis), floor)
    loglik[np.arange(len(counts)), np.minimum(counts, axis - 1)] = 0.0
    return loglik


class AnyTable(RuleBasedStateMachine):
    """A referee to whom anything may happen."""

    referee: Referee
    game: Game

    @initialize(
        name=st.sampled_from(sorted(GAMES | MORE)),
        policy=st.sampled_from(get_args(Policy)),
        takeback=st.sampled_from(["free", "locked"]),
    )
    def begin(self, name: str, policy: Policy, takeback: Literal["free", "locked"]) -> None:
        self.game = (GAMES | MORE)[name]
        self.referee = Referee(self.game, settings=Settings(policy=policy, takeback=takeback))
        self.t = 0.0
        self.hand = np.zeros(self.game.pits + self.game.players)
        self.board: Counts = self.referee.state.counts
        self.events: list[Event] = self.referee.start(self.t)

    def look(self, loglik: Floats, looks: int = 1, hand: Floats | None = None, dt: float = 0.2) -> None:
        for _ in range(looks):
            hands = self.hand if hand is None else hand
            self.events += self.referee.observe(Observation(self.t, loglik, hands))
            self.t += dt

    def show(self, seconds: float = 1.0) -> None:
        """The board as it lies, seen sharply and with no hand over it."""
        self.look(sharp(self.board, self.referee.counts), round(seconds * 5))

    @rule(choice=st.integers(0, 9), done=st.integers(0, 99), seconds=st.sampled_from([0.2, 1.4, 4.0, 12.0]))
    def part_of_a_move(self, choice: int, done: int, seconds: float) -> None:
        moves = [move for move in self.game.legal(self.referee.state) if move.sows]
        if moves:
            steps = self.game.play(self.referee.state, moves[choice % len(moves)]).steps
            boards = stages(self.referee.state.counts, steps)
            self.board = boards[-1] if done % 2 else boards[done % len(boards)]
            self.show(seconds)

    @rule(change=st.lists(st.tuples(st.integers(0, 9), st.integers(-2, 2)), max_size=4))
    def disturb(self, change: list[tuple[int, int]]) -> None:
        """Seeds go astray, come from nowhere, or change places."""
        board = list(self.board)
        for hole, seeds in change:
            board[hole % len(board)] = max(0, board[hole % len(board)] + seeds)
        self.board = tuple(board)
        self.show(2.5)

    @rule(seconds=st.sampled_from([0.2, 1.0, 9.0]))
    def wait(self, seconds: float) -> None:
        self.show(seconds)

    @rule(
        holes=st.sets(st.integers(0, 9), max_size=10),
        sure=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        looks=st.integers(1, 8),
    )
    def hands(self, holes: set[int], sure: float, looks: int) -> None:
        hand = self.hand.copy()
        hand[[hole % len(hand) for hole in holes]] = sure
        loglik = sharp(self.board, self.referee.counts)
        loglik[hand >= 0.5] = 0.0
        self.look(loglik, looks, hand)

    @rule(looks=st.integers(1, 60))
    def nothing_to_see(self, looks: int) -> None:
        self.look(np.zeros((len(self.board), self.referee.counts)), looks)

    @rule(floor=st.sampled_from([-1e6, -700.0, -np.inf]), looks=st.integers(1, 8))
    def impossible(self, floor: float, looks: int) -> None:
        """More seeds in every hole than there are in the game, and no doubt about it."""
        self.look(sharp([self.referee.counts - 1] * len(self.board), self.referee.counts, floor), looks)

    @rule(
        two=st.integers(0, 9),
        doubt=st.sampled_from([0.0, 1.0, 2.0, 4.0]),
        seconds=st.sampled_from([1.0, 5.0]),
    )
    def doubtful(self, two: int, doubt: float, seconds: float) -> None:
        """Two moves lie on the board at once, one of them better."""
        moves = [move for move in self.game.legal(self.referee.state) if move.sows]
        loglik = sharp(self.board, self.referee.counts)
        for at in (two, two + 1) if moves else ():
            counts = self.game.play(self.referee.state, moves[at % len(moves)]).state.counts
            better = sharp(counts, self.referee.counts) - (doubt if at > two else 0.0)
            loglik = np.maximum(loglik, better)
        self.look(loglik, round(seconds * 5))

    @rule(seed=st.integers(0, 2**16), looks=st.integers(1, 12))
    def noise(self, seed: int, looks: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(looks):
            loglik = -rng.exponential(5.0, (len(self.board), self.referee.counts))
            self.look(loglik - loglik.max(axis=1, keepdims=True))

    @rule(
        moves=st.lists(st.integers(0, 9), min_size=2, max_size=5),
        cut=st.integers(0, 30),
        dt=st.sampled_from([0.05, 0.2]),
    )
    def moves_without_a_pause(self, moves: list[int], cut: int, dt: float) -> None:
        """Quick people, the last of whom stops anywhere."""
        state, boards = self.referee.state, list[Counts]()
        for choice in moves:
            sowings = [move for move in self.game.legal(state) if move.sows]
            if sowings:
                ply = self.game.play(state, sowings[choice % len(sowings)])
                boards += stages(state.counts, ply.steps)[1:]
                state = ply.state
        for board in boards[: max(1, len(boards) - cut)]:
            self.board = board
            self.look(sharp(board, self.referee.counts), 2, dt=dt)

    @rule(late=st.sampled_from([0.0, 0.1, 1.0]), looks=st.integers(1, 8), sure=st.sampled_from([0.0, 1.0]))
    def a_camera_looks_too(self, late: float, looks: int, sure: float) -> None:
        """A second sensor, whose looks come late and see a hand or none."""
        for _ in range(looks):
            loglik = sharp(self.board, self.referee.counts, -6.0)
            seen = Observation(
                max(self.t - late, 0.0), loglik, self.hand + sure, feels=False, sensor="camera"
            )
            self.events += self.referee.observe(seen)
            self.look(sharp(self.board, self.referee.counts))

    @rule(seconds=st.sampled_from([0.0, 5.0, 1e6]))
    def time_goes_on(self, seconds: float) -> None:
        self.t += seconds

    @rule(looks=st.integers(1, 12))
    def time_stands(self, looks: int) -> None:
        self.look(sharp(self.board, self.referee.counts), looks, dt=0.0)

    @rule(name=st.sampled_from(INPUTS), choice=st.sampled_from([None, -1, 0, 1, 2]), arbiter=st.booleans())
    def press(self, name: str, choice: int | None, arbiter: bool) -> None:
        before = self.referee.view(), self.referee.entries
        player = choice if name == "accept" else None
        try:
            self.events += self.referee.input(self.t, name, choice, player=player, arbiter=arbiter)
        except BadInput:
            # What is refused changes nothing.
            assert (self.referee.view(), self.referee.entries) == before

    @rule(player=st.sampled_from([None, 0, 1]))
    @precondition(lambda self: self.referee.view().phase in ("setup", "mend", "decide"))
    def accept(self, player: int | None) -> None:
        """The arbiter lets stand what lies there, if it can be read."""
        self.show(1.0)
        phase = self.referee.view().phase
        try:
            self.events += self.referee.input(self.t, "accept", player=player, arbiter=True)
        except BadInput:
            assert self.referee.view().phase == phase
        else:
            view = self.referee.view()
            assert view.phase in ("waiting", "over"), view
            assert view.counts == self.board

    @rule(choice=st.sampled_from([0, 1]))
    @precondition(lambda self: self.referee.view().question is not None)
    def answer(self, choice: int) -> None:
        if self.referee.view().phase == "question":
            self.events += self.referee.input(self.t, "answer", choice)
            assert self.referee.view().question is None

    @rule(looks=st.integers(0, 3))
    def lose_the_sensor(self, looks: int) -> None:
        self.events += self.referee.lost(self.t, "the cable is out")
        assert self.referee.view().phase == "lost"
        mark = len(self.events)
        self.look(sharp(self.board, self.referee.counts), looks)
        assert self.events[mark:] == []
        self.events += self.referee.back(self.t, "it is back")

    @rule()
    def put_right(self) -> None:
        """The board as the view wants it: play goes on."""
        self.events += self.referee.back(self.t, "it is back")
        for _ in range(5):
            view = self.referee.view()
            if view.phase == "over":
                return
            board = list(view.counts)
            if view.phase == "decide":
                self.events += self.referee.input(self.t, "correct", arbiter=True)
            if view.mend and view.phase in ("mend", "decide"):
                board = list(view.live)
                for item in view.mend:
                    board[item.pit] = item.want
            self.board = tuple(board)
            # The hand that does it is seen.
            self.look(np.zeros((len(board), self.referee.counts)), 2, np.ones(len(board)))
            self.show(3.0)
        view = self.referee.view()
        assert view.phase in ("waiting", "sowing", "over"), view
        assert view.mend == (), view

    @invariant()
    def the_view_adds_up(self) -> None:
        view = self.referee.view()
        assert view.counts == self.referee.state.counts
        assert (view.phase == "over") <= (view.result is not None)
        assert (view.phase == "question") <= (view.question is not None)
        assert all(0.0 <= value <= 1.0 for value in (*view.certain, *view.hand))
        assert all(item.seeds != item.want for item in view.mend)
        assert len(lamps.plan(view)) == len(view.counts)
        view_as_json(view)

    @invariant()
    def events_are_in_order_and_survive_the_log(self) -> None:
        assert all(one.t <= other.t for one, other in pairwise(self.events))
        assert all(from_json(as_json(event)) == event for event in self.events[-10:])

    @invariant()
    def the_moves_lead_from_the_start_to_the_settled_position(self) -> None:
        start = self.game.start()
        for event in self.events:
            if isinstance(event, GameStarted):
                start = self.game.start(event.pits, event.stores, event.player)
        entries = line.read(self.game, moves_of(self.events))
        assert entries == self.referee.entries
        assert self.referee.state == [start, *line.follow(self.game, start, entries)][-1]


TestAnyTable = pytest.mark.filterwarnings("error")(AnyTable.TestCase)
AnyTable.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
