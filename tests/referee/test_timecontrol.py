"""Time controls as people and headers write them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from referee.timecontrol import Bonus, Bronstein, ByoYomi, Control, Delay, Increment, parse


@pytest.mark.parametrize(
    ("text", "control", "written"),
    [
        ("5:00", Control(300_000), "300"),
        ("300", Control(300_000), "300"),
        ("0:30", Control(30_000), "0:30"),
        ("0:01.25", Control(1_250), "0:01.25"),
        ("5:00+3", Control(300_000, Increment(3_000)), "300+3"),
        ("1:30:00 + 0:30", Control(5_400_000, Increment(30_000)), "5400+30"),
        ("5:00d2.5", Control(300_000, Delay(2_500)), "300d2.5"),
        ("0d5", Control(0, Delay(5_000)), "0d5"),
        ("3:00b10", Control(180_000, Bronstein(10_000)), "180b10"),
        ("30:00+5x0:30", Control(1_800_000, ByoYomi(5, 30_000)), "1800+5x30"),
        ("0+3x10", Control(0, ByoYomi(3, 10_000)), "0+3x10"),
        ("90:00", Control(5_400_000), "5400"),
    ],
)
def test_what_is_written(text: str, control: Control, written: str) -> None:
    assert parse(text) == control
    assert str(control) == written
    assert parse(written) == control


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "time '' is not understood: 5:00, 5:00+3"),
        ("five", "time 'five' is not understood"),
        ("5:00+", "time '5:00+' is not understood"),
        ("5:75", "time '5:75' is not understood"),
        ("5:00d3x10", "time '5:00d3x10' is not understood"),
        ("-5:00", "time '-5:00' is not understood"),
        ("5+3", "time '5+3' begins with 5 seconds: write minutes and seconds, as in 5:00 or 0:30"),
        ("0", "a main time of 0 wants a delay or byo-yomi, or the flag falls at once"),
        ("0+5", "a main time of 0 wants a delay or byo-yomi"),
        ("24:00:01", "a main time is 24:00:01: 0:00 to 24:00:00 was expected"),
        ("5:00+0", "what a turn gets is 0:00:00: more than 0:00, to 1:00:00, was expected"),
        ("5:00d1:00:01", "what a turn gets is 1:00:01: more than"),
        ("5:00+0x30", "byo-yomi has 0 periods: 1 to 99 were expected"),
    ],
)
def test_what_is_no_time_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=f"^{re.escape(sentence)}"):
        parse(text)


EXTRAS = st.integers(1, 3_600_000)
BONUSES: st.SearchStrategy[Bonus] = st.one_of(
    st.none(),
    EXTRAS.map(Increment),
    EXTRAS.map(Delay),
    EXTRAS.map(Bronstein),
    st.builds(ByoYomi, st.integers(1, 99), EXTRAS),
)


@given(main=st.integers(1, 86_400_000), bonus=BONUSES)
def test_what_is_written_is_read_back(main: int, bonus: Bonus) -> None:
    control = Control(main, bonus)
    assert parse(str(control)) == control
