"""What people may write in a game file of their own: whatever it is, a game or one sentence."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from engine.errors import BadInput
from engine.game import Game
from engine.games import read
from tests.engine.test_properties import GAMES

ODD = [
    "0", "-1", "1", "3", "999", "1e9", "true", '""', '"x"', '"$pits"', '"$nothing"', '"!seeds"', "[]", "[0]",
    "[1, -1]", '["a"]', "{}", "{ a = 1 }", '{ "$pits" = { 6 = 1 } }', "2020-01-01", "nan", "{ facing = 1 }",
]  # fmt: skip
"""Values that hardly fit anywhere."""
VALUE = re.compile(r"(?<== )(\"[^\"]*\"|\[[^\[\]]*\]|[\w.+-]+)")


def source(name: str) -> str:
    path = Path(name) if name.endswith(".toml") else Path(games.__file__).parent / f"{name}.toml"
    return path.read_text(encoding="utf-8")


def a_game_or_one_sentence(text: str) -> Game | None:
    try:
        return games.build(read("own.toml", text), {})
    except BadInput as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 600
    return None


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(GAMES), st.data())
def test_a_file_with_odd_values_is_a_game_or_gets_one_sentence(name: str, data: st.DataObject) -> None:
    text = source(name)
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()):
            places = [match.span() for match in VALUE.finditer(text)]
            start, end = data.draw(st.sampled_from(places))
            text = text[:start] + data.draw(st.sampled_from(ODD)) + text[end:]
        else:
            lines = text.splitlines(keepends=True)
            del lines[data.draw(st.integers(0, len(lines) - 1))]
            text = "".join(lines)
    game = a_game_or_one_sentence(text)
    if game is None:
        return
    state, chance = game.start(), Random(1)
    for _ in range(8):
        if state.player is None:
            break
        state = game.play(state, chance.choice(game.legal(state))).state


@pytest.mark.parametrize("name", ["\0.toml", "a\0b.toml", "/", "x" * 5000 + ".toml", "", ".toml"])
def test_a_name_of_no_file_gets_one_sentence(name: str) -> None:
    with pytest.raises(BadInput):
        games.load(name)


@pytest.mark.parametrize("value", ["9" * 5000, "-1", "²", "٣", "1.5", " ", "true", "nan", "1e3"])
def test_a_value_that_is_no_number_gets_one_sentence(value: str) -> None:
    with pytest.raises(BadInput, match="option seeds cannot be"):
        games.load("kalah", {"seeds": value})
