"""The lamps say what docs/lights.md says they say."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from referee import lamps
from referee.events import GameOver, Mend
from referee.lamps import DARK, Colour, Lamp, Pattern, frame, plan
from referee.view import Phase, View, view_as_json

START = View(
    game="kalah",
    options=(("pits", 6),),
    players=2,
    pits=12,
    counts=(4,) * 12 + (0, 0),
    live=(4,) * 12 + (0, 0),
    certain=(1.0,) * 14,
    hand=(0.0,) * 14,
    phase="waiting",
    player=0,
    legal=(0, 1, 2, 3, 4, 5),
)


def lit(view: View) -> dict[int, tuple[str, str]]:
    """The holes that are not dark, with colour and pattern."""
    return {hole: (lamp.colour, lamp.pattern) for hole, lamp in enumerate(plan(view)) if lamp != DARK}


def test_the_pits_one_may_play_are_steady_white() -> None:
    assert lit(START) == dict.fromkeys(range(6), ("white", "steady"))


def test_a_touch_that_binds_nothing_leaves_the_other_pits_open() -> None:
    touched = lit(replace(START, touched=2))
    assert touched[2] == ("blue", "slow")
    assert set(touched) == {0, 1, 2, 3, 4, 5}


@pytest.mark.parametrize("view", [replace(START, binding=True), replace(START, phase="sowing")])
def test_a_pit_that_must_be_sown_is_lit_alone(view: View) -> None:
    assert lit(replace(view, touched=2)) == {2: ("blue", "steady")}


def test_captured_pits_flash_until_they_are_lifted() -> None:
    assert lit(replace(START, phase="capture", due=(5, 6))) == {
        5: ("amber", "pulse"),
        6: ("amber", "pulse"),
    }


@pytest.mark.parametrize(("deciders", "stores"), [((1,), {13}), ((), {12, 13})])
def test_who_decides_is_asked_beside_what_is_wrong(deciders: tuple[int, ...], stores: set[int]) -> None:
    mend = (Mend(pit=3, seeds=6, want=4), Mend(pit=4, seeds=3, want=5))
    asked = lit(replace(START, phase="decide", deciders=deciders, mend=mend))
    assert asked == {3: ("red", "fast"), 4: ("cyan", "slow"), **dict.fromkeys(stores, ("white", "pulse"))}
    # A store that is itself wrong says so first.
    wrong = replace(START, phase="decide", deciders=deciders, mend=(*mend, Mend(pit=13, seeds=0, want=1)))
    assert lit(wrong)[13] == ("cyan", "slow")


@pytest.mark.parametrize("phase", ["setup", "mend"])
def test_too_many_and_too_few_differ_by_pattern(phase: Phase) -> None:
    wrong = replace(START, phase=phase, mend=(Mend(pit=3, seeds=6, want=4), Mend(pit=13, seeds=0, want=1)))
    assert lit(wrong) == {3: ("red", "fast"), 13: ("cyan", "slow")}


def test_a_question_lights_the_doubtful_holes() -> None:
    certain = (1.0, 0.5, 0.96) + (1.0,) * 8 + (0.9, 1.0, 1.0)
    assert lit(replace(START, phase="question", certain=certain)) == {
        1: ("violet", "pulse"),
        11: ("violet", "pulse"),
    }


def test_a_lost_sensor_lights_the_whole_board() -> None:
    assert lit(replace(START, phase="lost")) == dict.fromkeys(range(14), ("violet", "slow"))


@pytest.mark.parametrize(("winners", "stores"), [((1,), {13}), ((0, 1), {12, 13})])
def test_the_winners_stores_are_lit_at_the_end(winners: tuple[int, ...], stores: set[int]) -> None:
    over = replace(START, phase="over", result=GameOver(0.0, 40, 0, scores=(24, 24), winners=winners))
    assert lit(over) == dict.fromkeys(stores, ("green", "steady"))


def test_a_board_without_stores_has_none_to_light() -> None:
    four = View("oware", (), 2, 4, (0,) * 4, (0,) * 4, (1.0,) * 4, (0.0,) * 4, "over")
    assert lit(replace(four, result=GameOver(0.0, 9, 0, winners=(1,)))) == {}


@pytest.mark.parametrize(
    ("pattern", "lit_at", "dark_at"),
    [
        (Pattern.OFF, [], [0.0, 0.3, 7.7]),
        (Pattern.STEADY, [0.0, 0.3, 7.7], []),
        (Pattern.SLOW, [0.0, 0.74, 1.5, 2.2], [0.75, 1.49, 2.26]),
        (Pattern.FAST, [0.0, 0.19, 0.41], [0.21, 0.39, 0.61]),
        (Pattern.PULSE, [0.0, 0.19, 0.41, 0.59, 2.01], [0.2, 0.39, 0.6, 1.0, 1.99]),
    ],
)
def test_patterns_in_time(pattern: Pattern, lit_at: list[float], dark_at: list[float]) -> None:
    lamp = Lamp(Colour.AMBER, pattern)
    assert [frame([lamp], t) for t in lit_at] == [((255, 140, 0),)] * len(lit_at)
    assert [frame([lamp], t) for t in dark_at] == [((0, 0, 0),)] * len(dark_at)


@pytest.mark.parametrize("pattern", Pattern)
def test_no_pattern_flashes_more_than_three_times_a_second(pattern: Pattern) -> None:
    ticks = [bool(any(frame([Lamp(Colour.RED, pattern)], i / 100)[0])) for i in range(1200)]
    rises = [i for i in range(1, len(ticks)) if ticks[i] and not ticks[i - 1]]
    assert all(sum(start <= r < start + 100 for r in rises) <= 3 for start in range(1100))


def test_the_dictionary_has_every_word() -> None:
    text = (Path(__file__).parents[2] / "docs" / "lights.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| (\w+) \| ([\w ]+) \|", text, re.MULTILINE)
    spelt = {"slow blink": "slow", "fast blink": "fast", "double flash": "pulse"}
    told = {(colour, spelt.get(pattern, pattern)) for colour, pattern in rows}
    words = [
        lamps.PLAYABLE, lamps.BOUND, lamps.TOUCHED, lamps.CAPTURE, lamps.TOO_MANY, lamps.TOO_FEW,
        lamps.UNSURE, lamps.LOST, lamps.TAKEN_OVER, lamps.DECIDES, lamps.WINNER,
    ]  # fmt: skip
    assert {(lamp.colour.value, lamp.pattern.value) for lamp in words} <= told


def test_a_view_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="a view of 14 holes"):
        replace(START, hand=(0.0,) * 13)


def test_a_view_as_json() -> None:
    plain = view_as_json(replace(START, phase="mend", mend=(Mend(3, 5, 4),), certain=(0.123456,) * 14))
    assert plain["options"] == {"pits": 6}
    assert plain["mend"] == [{"pit": 3, "seeds": 5, "want": 4}]
    assert plain["certain"][0] == 0.1235
    assert plain["result"] is None
