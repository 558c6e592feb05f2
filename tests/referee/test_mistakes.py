"""Every kind of violation, on boards worked out by hand, named with its pits and its mend.

Kalah starts with four seeds in each pit; South's `C` goes to D, E, F and South's store, `F` to South's
store, a, b and c. Holes: A-F are 0-5, a-f are 6-11, South's store is 12, North's 13.
"""

import pytest

from engine import games
from engine.game import Game
from engine.step import Counts, Drop, Lift, Take, after, stages
from referee.events import Mend, MoveMade, Violation
from referee.explain import KINDS
from referee.referee import Referee
from tests.referee.story import Story

KALAH = games.load("kalah")
SLINGER = games.load("orient-slingshot", {"opening": False})


def only_violation(story: Story) -> Violation:
    (violation,) = story.said("violation")
    assert isinstance(violation, Violation)
    assert violation.kind in KINDS
    return violation


# What lies on the board after the mistake, the holes that name it, and some of the mend as (hole, want).
START = [
    ("sown_short", {"C": 0, "D": 5, "E": 5, "F": 6}, (12, 5), [(5, 6, 5), (12, 0, 1)]),
    ("sown_long", {"C": 0, "D": 5, "E": 5, "F": 5, "a": 5}, (12, 6), [(6, 5, 4), (12, 0, 1)]),
    ("skipped_pit", {"C": 0, "D": 5, "F": 5, "S": 1, "a": 5}, (4,), [(4, 4, 5), (6, 5, 4)]),
    ("double_drop", {"C": 0, "D": 6, "E": 5, "F": 5}, (3,), [(3, 6, 5), (12, 0, 1)]),
    ("seeds_left_behind", {"C": 1, "D": 5, "E": 5, "F": 5}, (2,), [(2, 1, 0), (12, 0, 1)]),
    (
        "wrong_direction",
        {"C": 0, "B": 5, "A": 5, "f": 5, "e": 5},
        (2,),
        [(0, 5, 4), (1, 5, 4), (3, 4, 5), (4, 4, 5), (5, 4, 5), (10, 5, 4), (11, 5, 4), (12, 0, 1)],
    ),
    ("wrong_store", {"F": 0, "N": 1, "a": 5, "b": 5, "c": 5}, (13, 12), [(12, 0, 1), (13, 1, 0)]),
    ("wrong_player", {"c": 0, "d": 5, "e": 5, "f": 5, "N": 1}, (8,), None),
    ("not_own_pit", {"f": 0, "A": 5, "B": 5, "C": 5, "D": 5}, (11,), None),
    ("seeds_missing", {"d": 3}, (9,), [(9, 3, 4)]),
    ("seeds_added", {"d": 5}, (9,), [(9, 5, 4)]),
]


@pytest.mark.parametrize(("kind", "board", "pits", "mend"), START, ids=[case[0] for case in START])
def test_a_mistake_is_named_with_its_pits_and_mend_and_the_game_goes_on_when_it_is_put_right(
    kind: str, board: dict[str, int], pits: tuple[int, ...], mend: list[tuple[int, int, int]] | None
) -> None:
    story = Story(KALAH)
    before = story.counts
    story.set(**board)
    story.wait(2.6)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == (kind, pits)
    wrong = story.counts
    if mend is not None:
        assert violation.mend == tuple(Mend(*item) for item in mend)
    mended = list(wrong)
    for item in violation.mend:
        assert mended[item.pit] == item.seeds
        mended[item.pit] = item.want
    mark = len(story.events)
    story.show(mended)
    assert story.since(mark)[0] == "mended"
    goes_on = [event for event in story.since(mark) if event in ("move", "violation")]
    assert goes_on == ([] if tuple(mended) == tuple(before) else ["move"])


def capture_board() -> Story:
    """South's A reaches B, which is empty, and takes the four seeds in e across."""
    return Story(KALAH, Referee(KALAH, KALAH.start([1, 0, 4, 4, 4, 4] + [4] * 6, [3, 0])))


def test_a_capture_is_announced_and_missed_when_nobody_lifts_it() -> None:
    story = capture_board()
    story.set(A=0, B=1)
    story.wait(2.0)
    (due,) = story.said("capture_due")
    assert (due.pits, due.seeds, due.to) == ((1, 10), (1, 4), 0)  # type: ignore[attr-defined]
    assert not story.said("violation")
    story.wait(8.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == ("capture_missed", (1, 10))
    assert violation.mend == (Mend(1, 1, 0), Mend(10, 4, 0), Mend(12, 3, 8))
    assert violation.text == (
        "The capture of B and e was not taken. Take 1 from B, 4 from e; put 5 into South's store."
    )


def test_a_capture_lifted_late_is_a_move_like_any_other() -> None:
    story = capture_board()
    story.set(A=0, B=1)
    story.wait(3.0)
    story.set(B=0, e=0)
    story.wait(1.0)
    story.set(S=8)
    story.wait(1.0)
    assert [event.event for event in story.events if event.event != "sowing"] == [
        "game_started", "turn", "touch", "capture_due", "capture_done", "move", "turn",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "board", "pits"),
    [
        ("capture_to_wrong_store", {"A": 0, "e": 0, "N": 5}, (13, 1, 10)),
        ("capture_wrong", {"A": 0, "d": 0, "S": 8}, (9, 10)),
    ],
)
def test_a_capture_made_wrong(kind: str, board: dict[str, int], pits: tuple[int, ...]) -> None:
    story = capture_board()
    story.set(**board)
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == (kind, pits)


def test_a_capture_left_lying_is_noticed_when_the_other_player_moves_on() -> None:
    """c is sown into e too, the pit that is to be lifted: 4 seeds of its 5."""
    story = capture_board()
    story.set(A=0, B=1)
    story.wait(1.0)
    story.set(c=0, d=5, e=5, f=5, N=1)
    story.wait(7.0)
    assert story.said("violation", "move") == []
    assert [event.pits for event in story.said("capture_due")] == [(1, 10)]  # type: ignore[attr-defined]
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("capture_missed", (1, 10), "A")
    assert violation.mend == (Mend(1, 1, 0), Mend(10, 5, 1), Mend(12, 3, 8))


def test_a_capture_lifted_when_the_reply_is_sown_is_understood() -> None:
    story = capture_board()
    mark = len(story.events)
    story.set(A=0, B=1)
    story.wait(1.0)
    story.set(c=0, d=5, e=5, f=5, N=1)
    story.wait(2.0)
    story.set(B=0, e=1, S=8)
    story.wait(1.0)
    assert [name for name in story.since(mark) if name not in ("touch", "sowing", "turn")] == [
        "capture_due", "capture_done", "move", "move",
    ]  # fmt: skip
    assert [event.move for event in story.said("move")] == ["A", "c"]  # type: ignore[attr-defined]


def test_a_pit_that_must_not_be_sown_names_the_rule() -> None:
    oware = games.load("oware")
    story = Story(oware, Referee(oware, oware.start([0, 0, 0, 1, 0, 3] + [0] * 6, [22, 22])))
    story.set(D=0, E=1)
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == ("illegal_pit", (3,))
    assert violation.text == (
        "D may not be sown: the opponent has no seeds and must be given some. Take 1 from E; put 1 into D."
    )


def test_touching_one_pit_and_sowing_another() -> None:
    story = Story(KALAH)
    story.wait(0.8, hand=[0])
    story.wait(0.5)
    (touch,) = story.said("touch")
    assert (touch.pit, touch.binding) == (0, True)  # type: ignore[attr-defined]
    story.sow("C", wait=2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == ("touched_other_pit", (0, 2))
    story.show(story.referee.state.counts)
    story.sow("A")
    assert [event.move for event in story.said("move")] == ["A"]  # type: ignore[attr-defined]


def test_a_brush_binds_nothing_and_is_noted() -> None:
    story = Story(KALAH)
    story.wait(0.3, hand=[0])
    assert not story.said("touch")
    story.wait(2.0)
    (brush,) = story.said("touch")
    assert (brush.pit, brush.binding, brush.player) == (0, False, 0)  # type: ignore[attr-defined]
    assert brush.why == "A was brushed, not touched: it binds nothing."  # type: ignore[attr-defined]
    assert story.referee.view().touched is None
    story.sow("C")
    assert not story.said("violation")
    assert [event.move for event in story.said("move")] == ["C"]  # type: ignore[attr-defined]


def test_a_hand_that_rests_on_several_pits_touches_none() -> None:
    """It is felt now in the one, now in the other, for three seconds; then E is sown."""
    story = Story(KALAH, rate=10.0)
    for hands in ([2], [2, 3], [3], [], [3], [2], [3], [3], []) * 3:
        story.wait(0.1, hand=hands)
    story.wait(0.3)
    assert story.said("touch") == []
    story.sow("E")
    assert [event.move for event in story.said("move")] == ["E"]  # type: ignore[attr-defined]


def test_a_pit_brushed_and_then_touched_is_touched() -> None:
    story = Story(KALAH)
    story.wait(0.3, hand=[0])
    story.wait(1.0)
    story.wait(0.8, hand=[0])
    assert [(event.pit, event.binding) for event in story.said("touch")] == [  # type: ignore[attr-defined]
        (0, False),
        (0, True),
    ]
    assert story.referee.view().binding


@pytest.mark.parametrize("hands", [[[6]], [[0], [1], [2]], [[0, 1]], [[12]]])
def test_what_could_bind_nothing_is_no_brush(hands: list[list[int]]) -> None:
    """The other player's pit, a hand that passes over three, one that lies on two, a store."""
    story = Story(KALAH)
    for hand in hands:
        story.wait(0.1, hand=hand)
    story.wait(2.0)
    assert not story.said("touch")


def test_a_pit_lifted_and_sown_is_not_brushed_beside() -> None:
    story = Story(KALAH)
    story.wait(0.3, hand=[2])
    story.sow("C")
    assert [(event.pit, event.binding) for event in story.said("touch")] == [  # type: ignore[attr-defined]
        (2, True)
    ]


def test_a_hand_that_lies_on_pits_for_long_has_not_sown_them() -> None:
    """South rests a hand on A, B and f for six seconds: what happened there, nothing shows."""
    story = Story(KALAH, rate=10.0)
    story.wait(6.0, hand=[0, 1, 11])
    assert story.said("touch", "sowing") == []
    story.wait(0.5)
    story.sow("E")
    assert [event.move for event in story.said("move")] == ["E"]  # type: ignore[attr-defined]
    assert story.said("violation") == []


def test_a_hand_that_a_camera_sees_over_a_pit_touches_nothing_and_seeds_that_it_lifts_do() -> None:
    story = Story(KALAH, feels=False)
    story.wait(2.0, hand=[0])
    story.wait(1.0)
    assert story.said("touch") == []
    story.do(Lift(2, 4), pause=0.5)
    assert [(event.pit, event.binding) for event in story.said("touch")] == [(2, True)]  # type: ignore[attr-defined]


def test_a_finger_put_down_before_the_last_move_is_settled_binds() -> None:
    """North rests a finger in b as soon as A is sown, for a second, and then sows c."""
    story = Story(KALAH)
    first = KALAH.play(story.referee.state, KALAH.parse("A"))
    story.do(*first.steps, pause=0.2)
    story.wait(1.0, hand=[7])
    story.do(*KALAH.play(first.state, KALAH.parse("c")).steps, pause=0.2)
    story.wait(2.0)
    assert [event.move for event in story.said("move")] == ["A"]  # type: ignore[attr-defined]
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == ("touched_other_pit", (7, 8))


def test_who_lifts_the_captures_of_a_move_touches_nothing_for_the_next() -> None:
    """Oware. F's two seeds make twos of a and b: South's finger rests in a for a second, then lifts."""
    game = games.load("oware")
    start = game.start([4, 4, 4, 0, 0, 2, 1, 1, 1, 4, 4, 4], [10, 11])
    story = Story(game, Referee(game, start))
    ply = game.play(start, game.parse("F"))
    assert ply.captured == ((7, 2), (6, 2))
    story.do(*ply.steps[:-2], pause=0.2)
    story.wait(1.0, hand=[6])
    story.do(*ply.steps[-2:], pause=0.2)
    story.do(*game.play(ply.state, game.parse("d")).steps, pause=0.2)
    story.wait(2.0)
    assert [event.move for event in story.said("move")] == ["F", "d"]  # type: ignore[attr-defined]
    assert story.said("violation", "question") == []


def test_the_adjust_button_suspends_touch_means_sow() -> None:
    story = Story(KALAH)
    story.referee.input(story.t, "adjust")
    story.wait(0.8, hand=[0])
    story.wait(0.5)
    story.sow("C")
    assert not story.said("violation")


def test_nothing_explains_a_bumped_board() -> None:
    story = Story(KALAH)
    story.set(A=2, B=6, c=1, d=7, e=6, f=2)
    story.wait(3.0)
    violation = only_violation(story)
    assert violation.kind == "board_disturbed"
    assert violation.mend == tuple(
        Mend(*item) for item in [(0, 2, 4), (1, 6, 4), (8, 1, 4), (9, 7, 4), (10, 6, 4), (11, 2, 4)]
    )


def test_a_slip_mended_within_a_second_is_no_violation() -> None:
    story = Story(KALAH)
    story.set(C=0, D=5, E=5, F=6)
    story.wait(0.7)
    story.set(F=5, S=1)
    story.wait(1.0)
    assert not story.said("violation")
    assert [event.move for event in story.said("move")] == ["C"]  # type: ignore[attr-defined]


def test_seeds_held_in_the_hand_are_waited_for_and_then_missed() -> None:
    story = Story(KALAH)
    story.set(C=0, D=5, E=5)
    story.wait(9.0)
    assert not story.said("violation", "move")
    story.wait(2.0)
    assert only_violation(story).kind == "seeds_missing"


@pytest.mark.parametrize("game", [KALAH, games.load("oware")], ids=["kalah", "oware"])
def test_two_moves_within_one_gap_are_both_recognised(game: Game) -> None:
    story = Story(game)
    first = game.play(story.referee.state, game.parse("A"))
    second = game.play(first.state, game.parse("b"))
    story.show(second.state.counts)
    assert [event.move for event in story.said("move")] == ["A", "b"]  # type: ignore[attr-defined]


def boards_of(story: Story, *moves: str) -> list[Counts]:
    """Every board that hands pass through which make these moves, one after another."""
    state, boards = story.referee.state, [story.referee.state.counts]
    for name in moves:
        ply = story.game.play(state, story.game.parse(name))
        boards += stages(state.counts, ply.steps)[1:]
        state = ply.state
    return boards


@pytest.mark.parametrize("name", ["kalah", "oware", "orient-thunderclap"])
def test_moves_that_leave_the_board_no_rest_are_all_recognised(name: str) -> None:
    """Four of them, a seed every fifth of a second and no pause between: none can be settled on the way."""
    story = Story(games.load(name))
    moves, state = [], story.referee.state
    for _ in range(4):
        moves.append(story.game.name_of(story.game.legal(state)[-1]))
        state = story.game.play(state, story.game.legal(state)[-1]).state
    for board in boards_of(story, *moves)[1:]:
        story.show(board, wait=0.2)
    assert story.said("move") == []
    story.wait(1.0)
    assert [event.move for event in story.said("move")] == moves  # type: ignore[attr-defined]
    assert story.said("violation", "question") == []


def test_a_move_is_settled_when_the_next_one_pauses_in_mid_sowing() -> None:
    story = Story(KALAH)
    boards = boards_of(story, "A", "b")
    for board in boards[1:-2]:
        story.show(board, wait=0.2)
    # Two of b's four seeds are still in the hand.
    story.wait(1.0)
    assert [event.move for event in story.said("move")] == ["A"]  # type: ignore[attr-defined]
    for board in boards[-2:]:
        story.show(board, wait=0.2)
    story.wait(1.0)
    assert [event.move for event in story.said("move")] == ["A", "b"]  # type: ignore[attr-defined]
    assert story.said("violation", "question") == []


def test_seeds_in_the_hand_of_who_mends_are_not_of_the_next_move() -> None:
    """South's A is right, and South stores b's four, which it did not capture; they go back by and by."""
    story = Story(KALAH)
    story.do(*KALAH.play(story.referee.state, KALAH.parse("A")).steps)
    story.do(Take(7, 4, 12), pause=3.0)
    assert [event.kind for event in story.said("violation")] == ["capture_wrong"]  # type: ignore[attr-defined]
    story.do(Lift(12, 4), pause=2.0)
    for _ in range(4):
        story.do(Drop(7), pause=0.1)
    story.wait(1.5)
    said = [event.event for event in story.events if event.event in ("violation", "mended", "touch")]
    assert said == ["touch", "violation", "mended"]
    story.sow("c")
    assert [event.move for event in story.said("move")] == ["A", "c"]  # type: ignore[attr-defined]


def test_a_slip_in_the_second_of_two_quick_moves_is_no_legal_game() -> None:
    """B is sown right and, before it is settled, a's last seed goes one hole too far."""
    story = Story(KALAH)
    for board in boards_of(story, "B", "a")[1:-1]:
        story.show(board, wait=0.2)
    story.set(f=5)
    story.wait(4.0)
    assert [event.move for event in story.said("move")] in ([], ["B"])  # type: ignore[attr-defined]
    assert story.said("violation") != []


def test_a_bump_after_quick_moves_is_only_where_it_was() -> None:
    """South's F and north's b, and before they are settled, C's four fall into D and a's five into f."""
    story = Story(KALAH)
    for board in boards_of(story, "F", "b"):
        story.counts = board
        story.wait(0.1)
    story.wait(0.1)
    story.set(C=0, D=8, a=0, f=10)
    story.wait(3.5)
    assert [event.move for event in story.events if isinstance(event, MoveMade)] == ["F", "b"]
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == ("board_disturbed", (2, 3, 6, 11))


def test_an_earlier_position_put_back_takes_the_moves_back() -> None:
    story = Story(KALAH)
    start = story.counts
    story.sow("C")
    story.sow("A")
    story.sow("f")
    mark = len(story.events)
    story.show(start, wait=3.0)
    said = [event for event in story.events[mark:] if event.event in ("takeback", "turn", "violation")]
    assert [(event.event, getattr(event, "move", "")) for event in said] == [
        ("takeback", "f"), ("takeback", "A"), ("takeback", "C"), ("turn", ""),
    ]  # fmt: skip
    assert (story.referee.ply, story.referee.state.counts) == (0, start)


def test_players_who_put_a_move_back_play_another_at_once() -> None:
    story = Story(KALAH)
    start = story.counts
    story.sow("C")
    story.sow("A")
    mark = len(story.events)
    story.show(start, wait=0.8)
    story.sow("F")
    assert [
        (event.event, getattr(event, "move", ""))
        for event in story.events[mark:]
        if event.event in ("takeback", "move", "violation")
    ] == [("takeback", "A"), ("takeback", "C"), ("move", "F")]


def test_seeds_taken_after_a_move_that_captured_nothing() -> None:
    story = Story(KALAH)
    story.sow("A")
    story.show((0, 5, 5, 5, 0, 4, 4, 4, 4, 4, 4, 4, 5, 0))
    said = only_violation(story)
    assert (said.kind, said.pits, said.mend) == ("capture_wrong", (4,), (Mend(4, 0, 5), Mend(12, 5, 0)))


def test_a_second_capture_in_the_hand_is_not_missing() -> None:
    # South's A falls into the empty B and takes it and the four of e: one is stored, four are in the hand.
    start = KALAH.start([1, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], [1, 0])
    story = Story(KALAH, Referee(KALAH, start))
    lift, drop, first, second = KALAH.play(start, KALAH.parse("A")).steps
    assert isinstance(second, Take)
    story.do(lift, drop, first, Lift(second.pit, second.seeds))
    story.wait(4.0)
    assert story.said("violation", "move") == []
    story.show(after(start.counts, [lift, drop, first, second]))
    assert [event.event for event in story.said("violation", "move")] == ["move"]


# Two mistakes in one turn. Kalah, South to move; the boards are worked out by hand.
TWO = [
    # C's last seed goes into F, not into the store; and of D's five one is gone.
    ("sown_short", {"C": 0, "D": 4, "E": 5, "F": 6}, (12, 5), "seeds_missing", (3,), (4, 4, 0, 5, 5, 5)),
    # North's c out of turn: two into d, none into the store.
    ("wrong_player", {"c": 0, "d": 6, "e": 5, "f": 5}, (8,), "double_drop", (9,), (4,) * 6),
    # A goes past B, and past D: C, E, F and the store, where B to E were to get them.
    ("skipped_pit", {"A": 0, "C": 5, "E": 5, "F": 5, "S": 1}, (1,), "skipped_pit", (3,), (0, 5, 5, 5, 5, 4)),
    # Of A's seeds the one for C rolls into D.
    ("skipped_pit", {"A": 0, "B": 5, "C": 4, "D": 6, "E": 5}, (2,), "double_drop", (3,), (0, 5, 5, 5, 5, 4)),
    # C misses D, and one of its seeds falls to the floor, of those for E.
    ("skipped_pit", {"C": 0, "F": 5, "S": 1, "a": 5}, (3,), "seeds_missing", (4,), (4, 4, 0, 5, 5, 5)),
    # f is sown along South's pits by South, the seed for B into C.
    ("not_own_pit", {"f": 0, "A": 5, "C": 6, "D": 5}, (11,), "double_drop", (2,), (4,) * 6),
    # A the wrong way round, into f, e, d and c; one of them into N instead.
    ("wrong_direction", {"A": 0, "f": 5, "e": 5, "d": 5, "N": 1}, (0,), "wrong_store", (13, 8), None),
]


@pytest.mark.parametrize(("kind", "board", "pits", "also", "also_pits", "south"), TWO)
def test_two_mistakes_in_one_turn_are_both_named(
    kind: str,
    board: dict[str, int],
    pits: tuple[int, ...],
    also: str,
    also_pits: tuple[int, ...],
    south: tuple[int, ...] | None,
) -> None:
    story = Story(KALAH)
    story.set(**board)
    wrong = story.counts
    story.wait(2.6)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == (kind, pits)
    assert (violation.also, violation.also_pits) == (also, also_pits)
    mended = list(wrong)
    for item in violation.mend:
        assert mended[item.pit] == item.seeds
        mended[item.pit] = item.want
    if south is not None:
        # A move that was meant is carried out whole; else all is as before.
        assert tuple(mended[:6]) == south
        assert tuple(mended[6:12]) == (4,) * 6
    mark = len(story.events)
    story.show(mended)
    assert story.since(mark)[0] == "mended"


def test_two_moves_at_once_and_a_pit_taken_that_was_not_captured() -> None:
    """Donderslag: B into C, then b into c; and North lifts F, a single seed."""
    start = THUNDERCLAP.start([0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0], [16, 28])
    story = Story(THUNDERCLAP, Referee(THUNDERCLAP, start))
    story.show((0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 16, 29), wait=2.5)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == ("capture_wrong", (5,))
    assert violation.mend == (Mend(5, 0, 1), Mend(13, 29, 28))
    # B had been done before it went wrong.
    assert [event.move for event in story.events if isinstance(event, MoveMade)] == ["B"]
    mark = len(story.events)
    story.set(F=1, N=28)
    story.wait(1.0)
    assert [name for name in story.since(mark) if name != "turn"] == ["mended", "move"]
    assert [event.move for event in story.said("move")] == ["B", "b"]  # type: ignore[attr-defined]


def test_a_violation_of_two_mistakes_says_both() -> None:
    story = Story(KALAH)
    story.set(c=0, d=6, e=5, f=5)
    story.wait(2.0)
    assert only_violation(story).text == (
        "c was sown out of turn: it is South's move. "
        "d got two seeds in passing: each hole on the way gets one. "
        "Take 2 from d, 1 from e, 1 from f; put 4 into c."
    )


def test_a_board_that_nothing_explains_waits_for_seeds_that_are_in_a_hand() -> None:
    """C's four are lifted, two lie in odd places and two are held: nobody has gone wrong for sure yet."""
    story = Story(KALAH)
    story.set(C=0, a=5, d=5)
    story.wait(9.0)
    assert story.said("violation", "move") == []
    story.wait(2.0)
    assert only_violation(story).kind in ("board_disturbed", "seeds_missing")


def test_a_seed_captured_alone_is_of_the_way_in_which_it_was_sown() -> None:
    """Slinger. B's one seed is captured alone in C or in A: both leave the same board."""
    for way, pit in (("B+", 2), ("B-", 0)):
        start = SLINGER.start([0, 1, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0], [20, 31])
        story = Story(SLINGER, Referee(SLINGER, start))
        story.do(Lift(1, 1), pause=0.4)
        story.do(Drop(pit), pause=0.4)
        story.do(Lift(pit, 1), pause=1.0)
        story.do(Drop(12), pause=1.5)
        assert [event.move for event in story.said("move")] == [way]  # type: ignore[attr-defined]


# Relays. Donderslag, South to move: A's one seed joins B's two, whose three go into C, D and the empty E.
RELAY = [1, 2, 0, 0, 0, 3, 1, 0, 2, 2, 2, 2]
THUNDERCLAP = games.load("orient-thunderclap")


def relay() -> Story:
    return Story(THUNDERCLAP, Referee(THUNDERCLAP, THUNDERCLAP.start(RELAY, [13, 20])))


def test_a_relay_that_is_not_continued_is_waited_for_and_then_called() -> None:
    story = relay()
    story.set(A=0, B=3)
    story.wait(7.0)
    assert not story.said("violation", "move")
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("relay_not_continued", (1,), "A")
    assert violation.mend == (Mend(1, 3, 0), Mend(2, 0, 1), Mend(3, 0, 1), Mend(4, 0, 1))
    assert violation.text == (
        "The sowing was to go on from B. Take 3 from B; put 1 into C, 1 into D, 1 into E."
    )
    mark = len(story.events)
    story.set(B=0, C=1, D=1, E=1)
    story.wait(1.0)
    assert [name for name in story.since(mark) if name != "sowing"] == ["mended", "move", "turn"]


def test_a_relay_that_is_not_continued_is_called_at_once_when_the_other_player_moves_on() -> None:
    """North's a, one seed, goes into b, which is empty."""
    story = relay()
    story.set(A=0, B=3)
    story.wait(1.5)
    story.set(a=0, b=1)
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("relay_not_continued", (1,), "A")
    # North's move is to go back too, and South's to be sown to its end.
    mended = list(story.counts)
    for item in violation.mend:
        mended[item.pit] = item.want
    assert mended == [0, 0, 1, 1, 1, 3, 1, 0, 2, 2, 2, 2, 13, 20]


def test_a_slip_in_the_first_lap_that_ends_the_move() -> None:
    """F's three belong in a, b and c; c's three then go on to d, e and f, f's to A, B and C. With two
    in a the last falls into b, which is empty. The mend is that of the whole move."""
    story = relay()
    story.set(F=0, a=3, b=1)
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("double_drop", (6,), "F")
    assert violation.mend == tuple(
        Mend(*item)
        for item in [(0, 1, 2), (1, 2, 3), (2, 0, 1), (6, 3, 2), (8, 2, 0), (9, 2, 3), (10, 2, 3), (11, 2, 0)]
    )


def test_a_slip_that_leads_a_relay_elsewhere() -> None:
    """F's three with a skipped: the last joins d's two, whose three go on to e, f and A, whose two go on to
    B and C, which is empty."""
    story = relay()
    story.set(F=0, b=1, c=3, d=0, e=3, f=3, A=0, B=3, C=1)
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("skipped_pit", (6,), "F")


def test_a_relay_carried_too_far_where_four_were_to_be_taken() -> None:
    """E's one seed makes F's three four: South's to take. They are sown on into a, b, c and d."""
    story = Story(
        THUNDERCLAP,
        Referee(THUNDERCLAP, THUNDERCLAP.start([0, 0, 0, 0, 1, 3, 1, 1, 1, 0, 1, 1], [19, 20])),
    )
    story.set(E=0, F=0, a=2, b=2, c=2, d=1)
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("relay_too_far", (5,), "E")
    assert violation.mend == (
        Mend(6, 2, 1), Mend(7, 2, 1), Mend(8, 2, 1), Mend(9, 1, 0), Mend(12, 19, 23)
    )  # fmt: skip


def test_a_relay_turned_the_wrong_way() -> None:
    """Slinger: A's two end in C, whose four are to go back into B, A, f, e; they went into D, E, F and a."""
    game = games.load("orient-slingshot", {"opening": False})
    start = game.start([2, 0, 3, 0, 0, 0, 0, 5, 5, 5, 0, 2], [18, 20])
    assert game.play(start, game.parse("A+")).state.pits == (1, 2, 0, 0, 0, 0, 0, 5, 5, 5, 1, 3)
    story = Story(game, Referee(game, start))
    story.show((0, 1, 0, 1, 1, 1, 1, *start.counts[7:]), wait=2.5)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("wrong_direction", (2,), "A+")


def test_what_is_captured_in_mid_relay_and_left_lying() -> None:
    """Einfaches Mancala: the three of the capturing pit are sown on, without the three that face them."""
    game = games.load("simple-mancala", {"direction": "counterclockwise"})
    pits = [0] * 32
    pits[6], pits[8], pits[31], pits[20] = 2, 2, 3, 2
    start = game.start(pits, [0, 0])
    move = game.parse("0.6")
    # 6's two go into 7 and 8, where two lie: these three, with the facing three of 15 (31), go on from 8.
    assert len(game.play(start, move).steps) == 3 + 2 + 6
    story = Story(game, Referee(game, start))
    story.counts = tuple(
        {6: 0, 7: 1, 8: 0, 9: 1, 10: 1, 11: 1}.get(at, n) for at, n in enumerate(start.counts)
    )
    story.wait(2.5)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("capture_missed", (31,), "0.6")


def test_a_seed_that_is_not_brought_in() -> None:
    """Bao: 9's two go into 10, 11 and 12 with a third seed out of the hand, which stayed there."""
    game = games.load("bao")
    start = game.start()
    story = Story(game)
    board = list(start.counts)
    board[9], board[10], board[11] = 0, board[10] + 1, board[11] + 1
    story.show(board, wait=2.5)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("seeds_left_behind", (32,), "0.9+")
    assert violation.mend == (Mend(12, 0, 1), Mend(32, 22, 21))


def names(story: Story, mark: int) -> list[str]:
    return [name for name in story.since(mark) if name in ("mended", "move", "violation")]


def test_a_move_mended_and_the_next_begun_at_once() -> None:
    """C's last seed falls short into F. A moment after it is put right South sows B, and North a."""
    story = Story(KALAH)
    start = KALAH.start()
    steps = KALAH.play(start, KALAH.parse("C")).steps
    story.do(*steps[:-1], Drop(5))
    story.wait(2.0)
    assert only_violation(story).kind == "sown_short"
    mark = len(story.events)
    story.do(Lift(5, 1), Drop(12), pause=0.1)
    state = KALAH.play(start, KALAH.parse("C")).state
    for move in ("B", "a"):
        ply = KALAH.play(state, KALAH.parse(move))
        story.do(*ply.steps, pause=0.2)
        state = ply.state
    story.wait(1.0)
    assert names(story, mark) == ["mended", "move", "move", "move"]
    assert story.referee.state == state


def test_a_board_put_back_and_the_right_move_begun_at_once() -> None:
    """North sows b, though South is to move; it is put back, and South sows A, and North b, without pause."""
    story = Story(KALAH)
    start = KALAH.start()
    story.do(*KALAH.sown(start, 1, KALAH.parse("b")).steps)
    story.wait(2.0)
    assert only_violation(story).kind == "wrong_player"
    mark = len(story.events)
    for hole in (8, 9, 10, 11):
        story.do(Lift(hole, 1), Drop(7), pause=0.1)
    state = start
    for move in ("A", "b"):
        ply = KALAH.play(state, KALAH.parse(move))
        story.do(*ply.steps, pause=0.2)
        state = ply.state
    story.wait(1.0)
    assert names(story, mark) == ["mended", "move", "move"]
    assert story.referee.state == state


def test_a_mistake_in_a_move_that_follows_at_once() -> None:
    """A is followed by b before it is settled; b's last seed falls short, and it is b that is named."""
    story = Story(KALAH)
    state = KALAH.start()
    ply = KALAH.play(state, KALAH.parse("A"))
    story.do(*ply.steps, pause=0.2)
    steps = KALAH.play(ply.state, KALAH.parse("b")).steps
    story.do(*steps[:-1], Drop(10), pause=0.2)
    story.wait(3.0)
    violation = only_violation(story)
    assert (violation.kind, violation.move, violation.ply) == ("sown_short", "b", 1)
    assert names(story, 0) == ["move", "violation"]
    story.do(Lift(10, 1), Drop(11))
    story.wait(1.0)
    assert names(story, 0) == ["move", "violation", "mended", "move"]


@pytest.mark.parametrize(("pause", "kind"), [(0.4, "relay_too_far"), (2.0, "wrong_player")])
def test_the_hand_of_a_move_that_is_settled_goes_on(pause: float, kind: str) -> None:
    """Oware. A's one seed falls into B, and the move settles; South sows B's five, at once or later."""
    game = games.load("oware")
    start = game.start([1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], [3, 0])
    story = Story(game, Referee(game, start))
    story.do(*game.play(start, game.parse("A")).steps, pause=0.1)
    story.wait(pause)
    assert names(story, 0) == ["move"]
    story.do(Lift(1, 5), *map(Drop, (2, 3, 4, 5, 6)))
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits) == (kind, (1,))
    assert violation.move == ("A" if kind == "relay_too_far" else "B")


@pytest.mark.parametrize(
    ("pause", "store", "kind", "pits"),
    [(0.4, 0, "capture_wrong", (11,)), (2.0, 0, "wrong_store", (12,)), (0.4, 1, "wrong_store", (13,))],
)
def test_a_single_seed_goes_into_a_store(pause: float, store: int, kind: str, pits: tuple[int, ...]) -> None:
    """Oware. South's A is settled when f's only seed is put into a store: at once and into South's, South
    takes it for captured; later, or into North's, it is North's move gone astray."""
    game = games.load("oware")
    start = game.start([1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 1], [5, 5])
    story = Story(game, Referee(game, start))
    story.do(*game.play(start, game.parse("A")).steps, pause=0.1)
    story.wait(pause)
    story.do(Take(11, 1, 12 + store))
    story.wait(2.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits[: len(pits)]) == (kind, pits)


def test_a_move_that_was_seen_is_done_before_two_mistakes_are_thought_of() -> None:
    """Donderslag for four. 2.2 goes into 1.1; then 3.2's seed joins two, of whose three one stays behind.

    As it lies, 3.2 out of turn, with a seed astray, would explain it as well.
    """
    game = games.load("orient-thunderclap", {"players": 4})
    start = game.start([1, 0, 0, 0, 1, 1, 2, 1, 1, 0, 0, 1], [12, 12, 4, 12], 2)
    story = Story(game, Referee(game, start))
    story.do(*game.play(start, game.parse("2.2")).steps, pause=0.2)
    story.do(Lift(5, 1), Drop(6), Lift(6, 2), Drop(7), Drop(8), pause=0.2)
    story.wait(3.0)
    violation = only_violation(story)
    assert (violation.kind, violation.pits, violation.move) == ("seeds_left_behind", (6,), "3.2")
