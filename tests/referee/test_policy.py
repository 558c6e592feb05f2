"""What becomes of a board that is against the rules: who rules on it, and how play goes on from there."""

import math
from typing import Any

import pytest

from engine import games, line
from engine.errors import BadInput
from engine.match import Round, first
from referee.events import GameOver, MoveMade, Ruling, Takeback, Turn, Violation, as_json, from_json
from referee.match import MatchReferee
from referee.policy import Policy
from referee.referee import Referee, Settings
from tests.referee.story import Story
from tests.referee.test_questions import Table, after

KALAH = games.load("kalah")
START = KALAH.start().counts
# South's A went short: its last seed lies in D, and E has none of it.
SHORT = (0, 5, 5, 6, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0)
# North has moved on from there with a.
MOVED_ON = (0, 5, 5, 6, 4, 4, 0, 5, 5, 5, 5, 4, 0, 0)
PUT_RIGHT = (0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0)


def story(policy: Policy, **settings: Any) -> Story:
    return Story(KALAH, settings=Settings(policy=policy, **settings))


def gone_short(policy: Policy, **settings: Any) -> Story:
    told = story(policy, **settings)
    told.show(SHORT)
    assert names(told)[-1] == "violation"
    return told


def names(told: Story) -> list[str]:
    return [event.event for event in told.events if event.event not in ("touch", "sowing")]


def said(told: Story, name: str, choice: int | None = None, **who: Any) -> list[str]:
    """Press a button; what is said at once."""
    events = told.referee.input(told.t, name, choice, **who)
    told.events += events
    return [event.event for event in events]


def ruling(told: Story) -> Ruling:
    found = [event for event in told.events if isinstance(event, Ruling)][-1]
    # It can be gone on from by the log alone.
    words = [event.position for event in told.events if isinstance(event, Ruling) and event.position]
    assert (
        line.read(told.game, words)[-1:]
        == tuple(entry for entry in told.referee.entries if not hasattr(entry, "pit"))[-1:]
    )
    return found


# warn


def test_a_warning_is_settled_when_the_next_player_moves_on() -> None:
    told = gone_short("warn")
    assert told.referee.view().phase == "mend"
    assert told.referee.view().follows == 1
    told.show(MOVED_ON)
    assert names(told)[-4:] == ["ruling", "turn", "move", "turn"]
    found = ruling(told)
    assert (found.settles, found.by, found.player, found.ply) == ("sown_short", "players", 1, 0)
    assert (found.pits, found.stores, found.seeds) == (SHORT[:12], (0, 0), 0)
    assert found.position == "0,5,5,6,4,4/4,4,4,4,4,4 0,0 1"
    assert found.text == "The players go on from the board as it lies: North is to move."
    assert told.referee.state.counts == MOVED_ON
    assert told.referee.state.player == 0
    # One move was completed: South's was none.
    assert [KALAH.name_of(move) for move in told.referee.moves] == ["a"]
    assert told.referee.ply == 1


def test_a_hand_that_moves_on_seed_by_seed_is_no_further_violation() -> None:
    told = gone_short("warn")
    for step in KALAH.sow(SHORT, 1, KALAH.parse("a")).steps:
        told.do(step, pause=1.5)
    told.wait(1.0)
    assert names(told).count("violation") == 1
    assert names(told)[-3:] == ["turn", "move", "turn"]


def test_a_warning_is_settled_by_done() -> None:
    told = gone_short("warn")
    assert said(told, "done") == []
    told.wait(0.3)
    assert names(told)[-2:] == ["ruling", "turn"]
    assert told.referee.view().phase == "waiting"
    assert told.referee.state.player == 1
    told.show(MOVED_ON)
    assert names(told)[-2:] == ["move", "turn"]


def test_done_before_the_warning_does_not_settle_it() -> None:
    told = story("warn")
    said(told, "done")
    told.show(SHORT, wait=8.0)
    assert names(told)[-1] == "violation"


def test_a_warning_may_be_put_right_all_the_same() -> None:
    told = gone_short("warn")
    told.show(PUT_RIGHT)
    assert names(told)[-3:] == ["mended", "move", "turn"]


def test_seeds_that_are_gone_are_told_of() -> None:
    told = story("warn")
    told.show((*START[:9], 2, *START[10:]), wait=12.0)
    said(told, "done")
    told.wait(0.3)
    found = ruling(told)
    assert (found.settles, found.seeds, found.player) == ("seeds_missing", -2, 0)
    assert "2 seeds fewer than before: South is to move" in found.text
    told.sow("A")
    assert names(told)[-2:] == ["move", "turn"]


def test_nobody_moves_on_where_it_is_not_let() -> None:
    told = gone_short("strict")
    said(told, "done")
    told.show(MOVED_ON, wait=4.0)
    assert "ruling" not in names(told)
    with pytest.raises(BadInput, match="the arbiter may accept another position, and nobody else"):
        said(told, "accept")


# opponent_decides


def test_the_opponent_accepts() -> None:
    told = gone_short("opponent_decides")
    view = told.referee.view()
    assert (view.phase, view.deciders, view.follows) == ("decide", (1,), 1)
    assert said(told, "accept") == ["ruling", "turn"]
    assert (ruling(told).by, ruling(told).settles) == ("opponent", "sown_short")
    assert told.referee.view().phase == "waiting"
    told.show(MOVED_ON)
    assert names(told)[-2:] == ["move", "turn"]


def test_the_opponent_accepts_what_was_called_wrong_and_nothing_else() -> None:
    told = gone_short("opponent_decides")
    with pytest.raises(BadInput, match="the arbiter may say who is to move, and nobody else"):
        said(told, "accept", player=0)
    told.show((*SHORT[:11], 3, 1, 0), wait=0.7)
    with pytest.raises(BadInput, match="the board has changed since it was called wrong"):
        said(told, "accept")
    # The arbiter may; and what was done is still what makes it the next player's turn.
    assert said(told, "accept", arbiter=True) == ["ruling", "turn"]
    assert ruling(told).player == 1


def test_the_opponent_has_it_put_right() -> None:
    told = gone_short("opponent_decides")
    assert said(told, "correct") == ["ruling"]
    assert ruling(told).position == ""
    assert ruling(told).text == "The opponent wants the board put right."
    assert told.referee.view().phase == "mend"
    for button in ("accept", "correct"):
        with pytest.raises(BadInput):
            said(told, button)
    told.show(PUT_RIGHT)
    assert names(told)[-3:] == ["mended", "move", "turn"]
    # The next dispute is another.
    told.show((*PUT_RIGHT[:11], 3, *PUT_RIGHT[12:]), wait=12.0)
    assert told.referee.view().phase == "decide"


def test_what_is_put_right_unasked_needs_no_answer() -> None:
    told = gone_short("opponent_decides")
    told.show(PUT_RIGHT)
    assert names(told)[-3:] == ["mended", "move", "turn"]


def test_a_turn_out_of_turn_that_stands_is_a_turn() -> None:
    told = story("opponent_decides")
    # North's b, four seeds into c to f, at South's turn.
    told.show((*[4] * 6, 4, 0, 5, 5, 5, 5, 0, 0), wait=2.0)
    assert isinstance(told.events[-1], Violation)
    assert told.events[-1].kind == "wrong_player"
    view = told.referee.view()
    assert (view.deciders, view.follows) == ((0,), 0)
    said(told, "accept")
    assert told.referee.state.player == 0


def test_a_wrong_move_keeps_the_turn_that_its_move_earns() -> None:
    told = story("opponent_decides")
    # C would end in South's store. Its last seed went on into a; D's and E's and F's are as they should be.
    told.show((4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 0, 0), wait=2.0)
    assert told.referee.view().follows == 0


# arbiter


def test_play_waits_for_the_arbiter() -> None:
    told = gone_short("arbiter")
    view = told.referee.view()
    assert (view.phase, view.deciders) == ("decide", ())
    told.show(PUT_RIGHT, wait=4.0)
    told.show(SHORT, wait=4.0)
    assert names(told)[-1] == "violation"
    for button in ("accept", "correct"):
        with pytest.raises(BadInput, match="the arbiter may accept another position, and nobody else"):
            said(told, button)
    with pytest.raises(BadInput, match="the arbiter has to rule first"):
        said(told, "takeback")
    assert said(told, "accept", arbiter=True) == ["ruling", "turn"]
    assert ruling(told).by == "arbiter"


def test_the_arbiter_has_it_put_right() -> None:
    told = gone_short("arbiter")
    assert said(told, "correct", arbiter=True) == ["ruling"]
    told.show(PUT_RIGHT)
    assert names(told)[-3:] == ["mended", "move", "turn"]


def test_the_arbiter_gives_the_turn_to_a_player() -> None:
    told = gone_short("arbiter")
    assert said(told, "accept", arbiter=True, player=0) == ["ruling", "turn"]
    assert told.referee.state.player == 0
    assert told.events[-1].player == 0
    with pytest.raises(BadInput, match="player is 2: 0 to 1 was expected"):
        said(told, "accept", arbiter=True, player=2)


@pytest.mark.parametrize("policy", ["strict", "warn", "opponent_decides"])
def test_the_arbiter_rules_under_every_policy(policy: Policy) -> None:
    told = gone_short(policy)
    assert said(told, "accept", arbiter=True) == ["ruling", "turn"]
    assert ruling(told).by == "arbiter"


def test_what_the_arbiter_accepts_when_it_is_put_right_is_no_ruling() -> None:
    told = gone_short("arbiter")
    told.show(START)
    assert said(told, "accept", arbiter=True) == ["mended", "turn"]


def test_the_arbiter_corrects_a_position_where_nothing_was_wrong() -> None:
    told = story("strict")
    with pytest.raises(BadInput, match="the board lies as the referee has it"):
        said(told, "accept", arbiter=True)
    # Two seeds from A to b, and nothing is said of it yet.
    there = (2, 4, 4, 4, 4, 4, 4, 6, 4, 4, 4, 4, 0, 0)
    told.show(there, wait=0.7)
    assert said(told, "accept", arbiter=True, player=1) == ["ruling", "turn"]
    assert (ruling(told).settles, ruling(told).pits, ruling(told).player) == ("", there[:12], 1)
    # And no more than the turn.
    assert said(told, "accept", arbiter=True, player=0) == ["ruling", "turn"]
    assert told.referee.view().phase == "waiting"


def test_a_board_that_is_not_read_surely_is_not_accepted() -> None:
    told = story("strict")
    told.wait(0.2, hand=[3])
    with pytest.raises(BadInput, match=r"the board is not read yet: take the hands away, and try again"):
        said(told, "accept", arbiter=True, player=1)
    # Seven or eight in A and in B, and who should know which.
    told.sigma = 0.9
    told.show((7, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0), wait=0.6)
    with pytest.raises(BadInput, match=r"the board is not read surely \(. may hold \d or \d"):
        said(told, "accept", arbiter=True)
    told.events += told.referee.lost(told.t, "the plug")
    with pytest.raises(BadInput, match="the sensor is lost"):
        said(told, "accept", arbiter=True)


def test_an_accepted_position_may_end_the_game() -> None:
    told = Story(KALAH, Referee(KALAH, KALAH.start([0, 0, 0, 0, 0, 2, *[1] * 6], (20, 20))))
    told.show((0, 0, 0, 0, 0, 0, *[1] * 6, 22, 20), wait=2.0)
    assert said(told, "accept", arbiter=True) == ["ruling", "game_over"]
    over = told.events[-1]
    assert isinstance(over, GameOver)
    assert over.scores == (22, 26)
    said(told, "takeback")
    assert told.referee.state.counts == (0, 0, 0, 0, 0, 2, *[1] * 6, 20, 20)


# Taking back.


def test_a_ruling_is_taken_back_like_a_move() -> None:
    told = gone_short("opponent_decides")
    said(told, "accept")
    told.sow("a")
    assert said(told, "takeback") == ["takeback"]
    told.show(SHORT)
    assert names(told)[-1] == "turn"
    assert (told.referee.state.counts, told.referee.state.player, told.referee.ply) == (SHORT, 1, 0)
    assert said(told, "takeback") == ["takeback"]
    last = told.events[-1]
    assert isinstance(last, Takeback)
    assert last.move == "ruling"
    assert (told.referee.state.counts, told.referee.state.player) == (START, 0)
    told.show(START)
    assert names(told)[-1] == "turn"


def test_moves_and_rulings_are_taken_back_by_hand_together() -> None:
    told = gone_short("opponent_decides")
    said(told, "accept")
    told.sow("a")
    told.show(START, wait=2.0)
    assert names(told)[-3:] == ["takeback", "takeback", "turn"]
    assert told.referee.entries == ()


def test_a_referee_goes_on_from_moves_and_rulings() -> None:
    told = gone_short("opponent_decides")
    said(told, "accept")
    told.sow("a")
    again = Referee(KALAH, moves=told.referee.entries, resumed=True)
    assert (again.state, again.ply, again.moves) == (told.referee.state, 1, told.referee.moves)
    other = Story(KALAH, again)
    assert isinstance(other.events[-1], Turn)
    said(other, "takeback")
    said(other, "takeback")
    assert other.referee.state == KALAH.start()


def test_taking_back_may_be_locked() -> None:
    told = story("strict", takeback="locked")
    told.sow("A")
    with pytest.raises(BadInput, match="takeback is locked: the arbiter may, and nobody else"):
        said(told, "takeback")
    assert told.referee.view().locked
    told.show(START, wait=2.0)
    violation = told.events[-1]
    assert isinstance(violation, Violation)
    assert violation.kind == "taken_back"
    assert violation.text.startswith("An earlier position was put back: taking back is locked.")
    assert {(item.pit, item.want) for item in violation.mend} == {(0, 0), (1, 5), (2, 5), (3, 5), (4, 5)}
    assert said(told, "takeback", arbiter=True) == ["takeback"]
    told.wait(1.0)
    assert names(told)[-1] == "turn"
    assert told.referee.state == KALAH.start()


def test_what_is_taken_back_of_a_resigned_game_is_the_resignation() -> None:
    told = story("strict")
    told.sow("A")
    said(told, "resign")
    assert told.referee.view().phase == "over"
    assert said(told, "takeback") == ["takeback"]
    last = told.events[-1]
    assert isinstance(last, Takeback)
    assert last.move == ""
    assert told.referee.ply == 1
    told.wait(1.0)
    assert names(told)[-1] == "turn"
    assert told.referee.view().phase == "waiting"
    told.sow("a")
    assert names(told)[-2:] == ["move", "turn"]


# Beginning from what lies there.


def test_a_game_begins_from_what_lies_on_the_board() -> None:
    told = Story(KALAH)
    told.referee = Referee(KALAH)
    told.events = told.referee.start(told.t)
    there = (0, 0, 3, 0, 1, 0, 5, 0, 0, 2, 0, 0, 20, 17)
    told.show(there, wait=2.5)
    assert told.referee.view().phase == "setup"
    with pytest.raises(BadInput, match="the arbiter may accept another position"):
        said(told, "accept")
    assert said(told, "accept", arbiter=True, player=1) == ["game_started", "turn"]
    assert (told.referee.state, told.referee.ply) == (KALAH.start(there[:12], there[12:], 1), 0)
    told.sow("d")
    assert names(told)[-2:] == ["move", "turn"]


def test_no_game_begins_where_it_is_over() -> None:
    told = Story(KALAH)
    told.referee = Referee(KALAH)
    told.events = told.referee.start(told.t)
    told.show((0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 24, 0), wait=2.5)
    with pytest.raises(BadInput, match="no game begins here, as a row is empty: lay out another position"):
        said(told, "accept", arbiter=True)


def matched(round_: Round) -> Story:
    referee: Any = MatchReferee(round_)
    return Story(round_.game, referee)


def test_a_match_begins_from_what_lies_on_the_board_and_goes_on_by_the_rulings() -> None:
    game = games.load("congklak", {"pits": 5})
    told = matched(first(game))
    referee: Any = MatchReferee(first(game))
    told.referee, told.events = referee, referee.start(told.t)
    told.show((1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 12, 35), wait=2.5)
    assert said(told, "accept", arbiter=True) == ["game_started", "turn"]
    assert referee.round.start.counts == told.counts
    # A seed more in South's store by a ruling: A's own, which B's was taken for. South runs out with B.
    told.show((1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 13, 35), wait=2.5)
    assert said(told, "accept", arbiter=True, player=0) == ["ruling", "turn"]
    told.sow("A")
    assert names(told)[-2:] == ["move", "round_over"]
    over: Any = told.events[-1]
    assert (over.scores, over.ran_out) == ((14, 36), 0)


def test_a_round_begins_from_another_position_if_the_arbiter_says_so() -> None:
    game = games.load("orient-thunderclap")
    told = matched(Round(1, game, game.start([0, 0, 0, 0, 0, 1, *[0] * 6], (27, 20)), (0, 0)))
    told.sow("F")
    told.sow("a")
    assert names(told)[-1] == "round_over"
    # A seed has rolled away.
    short = (3, *[4] * 11, 0, 0)
    told.show(short, wait=2.0)
    with pytest.raises(BadInput, match="the arbiter may begin the round from another position"):
        said(told, "accept")
    assert said(told, "accept", arbiter=True) == ["game_started"]
    assert told.referee.state.counts == short
    told.wait(1.0)
    assert names(told)[-1] == "turn"
    assert told.referee.view().round == 2


@pytest.mark.parametrize("between", [False, True])
def test_an_agreed_end_of_a_match_is_taken_back(between: bool) -> None:
    game = games.load("orient-thunderclap")
    told = matched(Round(1, game, game.start([0, 0, 0, 0, 0, 1, *[0] * 6], (27, 20)), (0, 0)))
    if between:
        told.sow("F")
        told.sow("a")
    said(told, "end")
    assert told.referee.view().phase == "over"
    assert said(told, "takeback") == ["takeback"]
    assert told.referee.view().phase == ("setup" if between else "waiting")
    told.show((*[4] * 12, 0, 0) if between else told.counts, wait=1.5)
    assert names(told)[-1] == "turn"
    assert told.referee.view().round == 1 + between


# Reasons.


@pytest.mark.parametrize(("nats", "told"), [(0.9, True), (1.5, False)])
def test_a_move_says_what_decided_where_it_was_not_quite_certain(nats: float, told: bool) -> None:
    """A and B differ in three holes; with a seed of B still in the hand, in two."""
    table = Table()
    assert table.see([after("A"), after("B")], nats, seconds=4.0) == ["move", "turn"]
    move = next(event for event in table.events if isinstance(event, MoveMade))
    assert (move.reasons is not None) == told == (move.certainty < 0.999)
    if move.reasons:
        one, lifted, other = move.reasons.readings
        assert [one.text, lifted.text, other.text] == ["A", "B with seeds in the hand", "B"]
        assert (lifted.fit, other.fit) == (round(-2 * nats * 5**0.5, 2), round(-3 * nats * 5**0.5, 2))
        assert other.probability == pytest.approx(move.certainty * math.exp(other.fit), rel=0.01)
        assert {hole.pit for hole in move.reasons.weighed} <= {0, 1, 5}
        assert all(hole.seeds == after("A")[hole.pit] == hole.want for hole in move.reasons.weighed)
        assert from_json(as_json(move)) == move


def test_a_violation_says_what_decided() -> None:
    told = gone_short("strict")
    violation = told.events[-1]
    assert isinstance(violation, Violation)
    reasons = violation.reasons
    assert reasons is not None
    assert reasons.rule == "Seeds are sown one a hole, without passing over or doubling one."
    best = reasons.readings[0]
    assert (best.text, best.prior) == ("A, sown short", -6.0)
    assert best.probability == pytest.approx(violation.certainty, abs=1e-6)
    # The second is of another board.
    assert any(hole.readings[0] != hole.readings[1] for hole in reasons.weighed)
    assert reasons.readings[1].probability < 0.01
    assert sum(reading.probability for reading in reasons.readings) <= 1.0 + 1e-6
    told_of = {hole.pit: (hole.seeds, hole.want, hole.readings[0]) for hole in reasons.weighed}
    # D has six where five are wanted, E four.
    assert told_of[3] == (6, 5, 6)
    assert told_of[4] == (4, 5, 4)
    assert all(hole.certainty > 0.99 for hole in reasons.weighed)
