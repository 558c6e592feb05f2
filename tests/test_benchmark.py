"""The benchmarks: that their plan leaves nothing out, and that they count right."""

import json
from collections import Counter

import pytest

from benchmarks import fuzz
from benchmarks.referee import CVS, FRAMES, NOISES, PEOPLE, Deal, Tally, deal, play, variants
from referee.events import Mend, MoveMade, Violation
from service.simulation.truth import Truth


def test_a_thousand_games_are_dealt_evenly() -> None:
    deals = [deal(number) for number in range(1000)]
    each = Counter((one.name, one.players, one.fouled, one.rate) for one in deals)
    assert len(each) == 4 * len(variants())
    assert max(each.values()) - min(each.values()) <= 1
    for values, of in (
        (CVS, [one.cv for one in deals]),
        (NOISES, [one.noise for one in deals]),
        (FRAMES, [one.frames for one in deals]),
        (PEOPLE, [one.people for one in deals]),
    ):
        dealt = Counter(of)
        assert set(dealt) == set(values)
        assert min(dealt.values()) > 0.8 * len(deals) / len(values)
    assert deal(17) == deals[17]


def made(t: float, move: str) -> MoveMade:
    return MoveMade(t, 1, 0, move, (), (0, 0), 1.0, (), (), ())


def called(t: float, kind: str, pits: tuple[int, ...]) -> Violation:
    return Violation(t, 1, 0, kind, pits, (), (), "", 1.0, "")


def moved(t: float, move: str) -> Truth:
    return Truth("move", t, 0, move)


def erred(t: float, kind: str, pits: tuple[int, ...], mended: float) -> tuple[Truth, Truth]:
    return Truth("mistake", t, 0, "C", kind, pits), Truth("mended", mended, kind=kind)


def test_moves_are_missed_and_invented() -> None:
    tally = Tally()
    truths = [moved(1.0, "A"), moved(2.0, "b"), moved(3.0, "-"), moved(4.0, "C")]
    tally.judge(truths, [made(1.3, "A"), made(4.2, "D"), made(4.7, "C")])
    # b has become D; a pass is not waited for.
    assert (tally.moves, tally.missed, tally.invented, tally.flawless) == (3, 1, 1, 0)
    assert tally.waits == pytest.approx([0.3, 0.7])


def test_fouls_are_found_named_and_called_in_vain() -> None:
    tally = Tally()
    truths = [
        *erred(10.0, "sown_short", (3, 2), 14.0), moved(14.0, "A"),
        *erred(30.0, "sown_long", (3, 4), 34.0), moved(34.0, "b"),
        *erred(50.0, "capture_missed", (5,), 60.0), moved(60.0, "C"),
    ]  # fmt: skip
    said = [
        called(11.0, "sown_short", (3, 2)), made(14.3, "A"),
        called(31.0, "skipped_pit", (3,)), made(34.3, "b"),
        called(42.0, "board_disturbed", (1,)), made(60.5, "C"),
    ]  # fmt: skip
    tally.judge(truths, said)
    assert (tally.fouls, tally.found, tally.named, tally.in_vain) == (3, 2, 1, 1)
    assert tally.made == {"sown_short": 1, "sown_long": 1, "capture_missed": 1}
    assert tally.right == {"sown_short": 1}
    assert tally.calls == pytest.approx([1.0, 1.0])
    assert len(tally.faults) == 3
    assert Tally.from_json(json.loads(json.dumps(tally.as_json()))) == tally


def test_a_single_seed_in_a_store_has_two_names() -> None:
    """One seed from 11 lies in 12, a store: either name is exact. Two seeds, or another store, are not."""
    for there, kind, pits, exact in (
        ((Mend(11, 0, 1), Mend(12, 6, 5)), "capture_wrong", (11,), True),
        ((Mend(11, 0, 2), Mend(12, 7, 5)), "capture_wrong", (11,), False),
        ((Mend(11, 0, 1), Mend(13, 6, 5)), "capture_wrong", (11,), False),
        ((Mend(11, 0, 1), Mend(12, 6, 5)), "seeds_added", (12,), False),
    ):
        tally = Tally()
        call = Violation(11.0, 1, 0, kind, pits, (), there, "", 1.0, "")
        tally.judge([*erred(10.0, "wrong_store", (12,), 14.0), moved(14.0, "A")], [call, made(14.3, "A")])
        assert (tally.found, tally.named) == (1, int(exact))


def test_tallies_are_added() -> None:
    one, two = Tally(), Tally()
    one.judge([moved(1.0, "A")], [made(1.3, "A")])
    two.judge([moved(1.0, "A"), *erred(9.0, "sown_long", (3, 4), 12.0)], [])
    one.add(two)
    assert (one.games, one.flawless, one.moves, one.missed, one.fouls, one.found) == (2, 1, 2, 1, 1, 0)


def test_one_game_is_watched_by_scale_camera_and_both() -> None:
    dealt = Deal(5, "mangala2", 0, False, 10, 0.05, 0.03, 0.001, "quick lively", 2)
    tallies = play(dealt, ["scale", "camera", "both"])
    assert {tally.games for tally in tallies.values()} == {1}
    assert len({tally.moves for tally in tallies.values()}) == 1


def test_fuzzed_bytes_crash_nothing_and_pass_no_more_often_than_a_checksum_lets() -> None:
    found = fuzz.fuzz(200_000, seed=2)
    assert found.size >= 200_000
    assert found.frames > 1000
    assert found.judged > 2000
    assert found.good
    assert found.readings == 0
    # The bar itself: nine where one is the odds are too many.
    assert not fuzz.Found(judged=1 << 16, passed=9).good
