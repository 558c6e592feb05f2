"""A board that stays doubtful is asked about, and what the players answer holds until the board changes."""

from collections.abc import Sequence

import numpy as np
import pytest

from engine import games
from engine.errors import BadInput
from engine.game import Game, State
from engine.observation import Floats, Observation
from engine.rules import Rules, shared_ring
from engine.step import Counts
from referee.events import Event, Question, Recount, Violation
from referee.referee import Referee
from tests.referee.story import Story

KALAH = games.load("kalah")
START = KALAH.start().counts


class Table:
    """Looks without noise, at boards of which one is likelier than the next by some nats."""

    def __init__(self, game: Game = KALAH, state: State | None = None, set_up: bool = True) -> None:
        self.referee = Referee(game, state)
        self.t = 0.0
        self.weighs = False
        self.events: list[Event] = self.referee.start(0.0)
        if set_up:
            self.see([self.referee.state.counts])

    def see(self, boards: Sequence[Counts], nats: float = 0.0, seconds: float = 1.0) -> list[str]:
        """A hand goes over the board and leaves one of `boards`; the names of what is said."""
        holes, axis = len(boards[0]), self.referee.counts
        loglik = np.full((holes, axis), -40.0)
        for behind, board in reversed(list(enumerate(boards))):
            loglik[np.arange(holes), board] = -nats * behind
        said = self.look(np.zeros((holes, axis)), np.ones(holes), 0.1)
        return said + self.look(loglik, np.zeros(holes), seconds)

    def look(self, loglik: Floats, hand: Floats, seconds: float) -> list[str]:
        """The board weighs what the game does, whatever its holes look like."""
        mark = len(self.events)
        total = np.full(self.referee.counts, -40.0)
        total[sum(self.referee.state.counts)] = 0.0
        for _ in range(round(seconds * 10)):
            self.events += self.referee.observe(
                Observation(self.t, loglik, hand, total if self.weighs else None)
            )
            self.t = round(self.t + 0.1, 3)
        self.last = loglik
        return [event.event for event in self.events[mark:] if event.event not in ("touch", "sowing")]

    def wait(self, seconds: float) -> list[str]:
        return self.look(self.last, np.zeros(len(self.last)), seconds)

    def answer(self, choice: int) -> list[str]:
        events = self.referee.input(self.t, "answer", choice)
        self.events += events
        return [event.event for event in events]

    @property
    def question(self) -> Question | None:
        return self.referee.view().question


def after(*moves: str) -> Counts:
    state = KALAH.start()
    for move in moves:
        state = KALAH.play(state, KALAH.parse(move)).state
    return state.counts


# In one hole two counts are equally likely: one seed astray, or none.
SHORT = (*START[:9], 3, *START[10:])


def test_an_uncertain_set_up_is_asked_about_and_the_answer_begins_the_game() -> None:
    table = Table(set_up=False)
    # Missing seeds are rare: eight nats for them make the two boards alike.
    assert table.see([SHORT, START], 8.0 / np.sqrt(5.0), seconds=2.5) == []
    assert table.wait(1.0) == ["question"]
    assert table.question is not None
    assert table.question.choices == ("nothing is out of place", "a board that wants: Put 1 into d.")
    assert table.answer(0) == ["turn"]
    assert table.referee.view().phase == "waiting"
    assert table.wait(20.0) == []


@pytest.mark.parametrize("nats", [0.0, 0.3])
def test_two_moves_that_look_alike_are_asked_about_and_the_answer_settles_one(nats: float) -> None:
    table = Table()
    assert table.see([after("A"), after("B")], nats, seconds=2.5) == []
    assert table.wait(1.0) == ["question"]
    assert table.question is not None
    assert table.question.text == "Which is it: A, or B?"
    assert table.referee.view().phase == "question"
    assert table.answer(1) == ["move", "turn"]
    assert table.referee.state.counts == after("B")
    # The board looks as doubtful as before: it has been told what it is.
    assert table.wait(20.0) == []


def test_a_move_short_of_certain_is_asked_about_even_where_its_rival_is_unlikely() -> None:
    table = Table()
    # A and B differ in three holes, by which A is ahead 3 * 0.5 * sqrt(5) = 3.4 nats: A's share is 0.966.
    assert [at for at in range(14) if after("A")[at] != after("B")[at]] == [0, 1, 5]
    assert table.see([after("A"), after("B")], 0.5, seconds=4.0) == ["question"]
    assert table.answer(0) == ["move", "turn"]
    assert table.referee.state.counts == after("A")


def test_that_nothing_happened_is_an_answer_too() -> None:
    table = Table()
    table.weighs = True
    assert table.see([after("A"), START], 0.1, seconds=4.0) == ["question"]
    assert table.question is not None
    assert table.question.choices == ("A", "nothing is out of place")
    assert table.answer(1) == ["turn"]
    assert table.question is None
    assert table.wait(20.0) == []
    assert table.see([after("B")]) == ["move", "turn"]


def test_none_of_the_choices_is_a_disturbed_board() -> None:
    table = Table()
    table.weighs = True
    # The odd board differs from that of A in two holes; a board that nothing explains costs 20 nats.
    odd = (0, 5, 5, 5, 0, 4, 9, 4, 4, 4, 4, 4, 0, 0)
    assert table.see([odd, after("A")], 20.0 / (2 * np.sqrt(5.0)), seconds=4.0) == ["question"]
    assert table.question is not None
    assert set(table.question.choices) == {"A", "something else"}
    table.answer(table.question.choices.index("something else"))
    table.wait(3.0)
    violation = table.referee.view().violation
    assert violation is not None
    assert violation.kind == "board_disturbed"


def test_a_question_is_void_once_a_hand_has_been_on_the_board() -> None:
    table = Table()
    table.see([after("A"), after("B")], seconds=4.0)
    assert table.question is not None
    table.see([START])
    assert table.question is None
    assert table.referee.view().phase == "waiting"
    with pytest.raises(BadInput, match="nothing was asked"):
        table.referee.input(table.t, "answer", 0)
    assert table.see([after("C")]) == ["move", "turn"]


def test_a_question_that_a_hand_makes_void_is_followed_by_the_turn() -> None:
    """Whoever listens learns that play goes on."""
    table = Table()
    table.weighs = True
    table.see([after("A"), START], 0.1, seconds=4.0)
    assert table.see([after("A")], 9.0)[0] == "turn"
    assert table.question is None
    # Not where something else is in the way of play.
    table = Table(set_up=False)
    assert table.see([SHORT, START], 8.0 / np.sqrt(5.0), seconds=4.0) == ["question"]
    assert table.see([START], 9.0) == ["turn"]


def test_a_question_that_clearer_looks_settle_is_followed_by_the_turn() -> None:
    table = Table()
    table.weighs = True
    assert table.see([after("A"), START], 0.1, seconds=4.0) == ["question"]
    for hole in range(14):
        if after("A")[hole] != START[hole]:
            table.last[hole, after("A")[hole]] = -3.0
    assert table.wait(3.0) == ["turn"]
    assert table.referee.view().phase == "waiting"


def test_an_answer_is_void_once_a_hand_has_been_on_the_board() -> None:
    table = Table()
    table.weighs = True
    table.see([after("A"), START], 0.1, seconds=4.0)
    assert table.answer(1) == ["turn"]
    assert table.see([after("A"), START], 0.1, seconds=4.0) == ["question"]


def test_a_recount_asks_again_and_is_done_when_the_board_agrees() -> None:
    table = Table()
    table.see([after("A"), after("B")], seconds=4.0)
    table.events += table.referee.input(table.t, "recount")
    assert table.question is None
    assert table.wait(4.0) == ["question"]
    table.answer(0)
    assert [event.done for event in table.events if isinstance(event, Recount)] == [False, True]


def test_a_recount_is_not_done_while_the_board_disagrees() -> None:
    table = Table()
    assert table.see([SHORT], seconds=2.0) == ["violation"]
    table.events += table.referee.input(table.t, "recount")
    assert table.wait(5.0) == []
    assert table.see([START]) == ["recount", "mended", "turn"]


def test_a_takeback_is_not_put_back_by_an_answer_about_the_board_before() -> None:
    table = Table()
    table.see([after("A"), after("B")], seconds=4.0)
    table.answer(0)
    table.events += table.referee.input(table.t, "takeback")
    table.wait(1.0)
    assert table.referee.view().phase == "mend"


# What else arbitrary play has brought to light.


def test_the_mend_follows_the_hand() -> None:
    table = Table()
    wrong = list(after("A"))
    wrong[9], wrong[2] = wrong[9] + 1, wrong[2] - 1
    table.see([tuple(wrong)], seconds=3.0)
    mend = table.referee.view().mend
    assert len(mend) >= 2
    wrong[9] -= 1
    table.see([tuple(wrong)], seconds=0.7)
    assert {item.pit for item in table.referee.view().mend} == {item.pit for item in mend} - {9}


def test_done_pressed_too_early_does_not_rush_the_move_that_follows() -> None:
    table = Table()
    table.events += table.referee.input(table.t, "done")
    assert table.wait(1.0) == []
    lifted = (*START[:2], 0, *START[3:])
    assert table.see([lifted], seconds=5.0) == []
    table.events += table.referee.input(table.t, "done")
    assert table.wait(1.0) == ["violation"]


def test_a_mistake_elsewhere_frees_a_touched_pit_at_once_so_that_its_mend_is_the_end_of_it() -> None:
    story = Story(KALAH)
    story.wait(0.8, hand=[0])
    story.wait(0.5)
    assert story.referee.view().binding
    story.show((4, 1, 5, 5, 5, 4, *[4] * 6, 0, 0), wait=2.0)
    (violation,) = story.said("violation")
    assert isinstance(violation, Violation)
    assert (violation.kind, violation.move) == ("seeds_left_behind", "B")
    board = list(story.counts)
    for item in violation.mend:
        board[item.pit] = item.want
    mark = len(story.events)
    story.show(board)
    assert story.since(mark) == ["mended", "move", "turn"]


def test_an_impossible_look_is_not_for_ever() -> None:
    table = Table()
    nowhere = np.full((14, table.referee.counts), -np.inf)
    nowhere[:, -1] = 0.0
    table.look(nowhere, np.zeros(14), 0.5)
    table.see([START])
    assert table.see([after("C")])[-2:] == ["move", "turn"]


def test_a_swap_on_a_wrong_board_waits_for_its_mend() -> None:
    game = games.load("kalah", {"pie": True})
    table = Table(game)
    board = list(after("A"))
    table.see([tuple(board)])
    board[9] -= 1
    table.see([tuple(board)], seconds=2.0)
    with pytest.raises(BadInput, match="swap has no meaning until the board is put right"):
        table.referee.input(table.t, "swap")
    assert table.see([after("A")]) == ["mended", "turn"]
    accepted = table.referee.accepted_at
    assert [event.event for event in table.referee.input(table.t + 1.0, "swap")] == ["move", "turn"]
    # Nobody has looked at the board since.
    assert table.referee.accepted_at == accepted


def test_a_referee_of_a_finished_game_says_how_it_ended() -> None:
    over = KALAH.start([0] * 6 + [1] * 6, [20, 22])
    referee = Referee(KALAH, over)
    assert [event.event for event in referee.start(0.0)] == ["game_started", "game_over"]
    assert referee.view().phase == "over"
    with pytest.raises(BadInput, match="no move has been completed"):
        referee.input(1.0, "takeback")


def test_players_who_cannot_move_pass_one_after_another() -> None:
    # Four players with three pits each, clockwise: the second and the third have nothing.
    rules = Rules(board=shared_ring(4), seeds=1, no_move="pass", passes_to_end=4)
    game = Game("four", {}, rules)
    table = Table(game, state=game.start([1, 1, 1, 1, 1, 1, *[0] * 6]))
    assert table.see([(1, 0, 2, 1, 1, 1, *[0] * 10)]) == ["move", "pass", "pass", "turn"]
    assert table.referee.view().player == 3
    assert [event.player for event in table.events[-3:]] == [1, 2, 3]
