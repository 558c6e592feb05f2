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
    "[1, -1]", '["a"]', "9" * 26, "-999999999", "999999999", "[999999999]", "{}",
    "{ a = 1 }", '{ "$pits" = { 6 = 1 } }', "2020-01-01", "nan", "{ facing = 1 }",
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


WHOLE = (
    'title = "Mine"\nsource = "me"\ntext = "Words."\n[options.seeds]\ndefault = 4\n'
    '[board]\nshape = "two_rows"\nrow = 6\nstore = "right"\n[rules]\nseeds = "$seeds"\n'
)


def refused(folder: Path, text: str) -> str:
    """The sentence with which a file is refused, whether it is described or played."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as described:
        games.describe(str(path))
    with pytest.raises(BadInput) as loaded:
        games.load(str(path))
    said = str(described.value)
    assert said == str(loaded.value)
    assert str(path) in said
    assert "\n" not in said
    assert len(said) < 600
    return said


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"two_rows"', '"hexagon"', "board.shape is not one of two_rows"),
        ("row = 6", 'row = "six"', "board.row cannot be 'six': a whole number was expected"),
        ("row = 6", "row = -6", "row is -6: 1 to 125 was expected"),
        ("row = 6", "row = 0", "row is 0: 1 to 125 was expected"),
        ("row = 6", "row = 600", "row is 600: 1 to 125 was expected"),
        ("row = 6", 'row = "$nope"', "$nope names no option: there are seeds"),
        ("[rules]", '[rules]\nno_move = "fly"', "rules.no_move cannot be 'fly': end or pass was expected"),
        (
            "[rules]",
            '[rules]\ncapture = { by_count = { sizes = "2" } }',
            "sizes cannot be '2': a list, each a whole number",
        ),
        ("[rules]", "[rules]\ncolour = true", "rules has no 'colour'"),
        ("[rules]", "[rules]\npie = 1", "rules.pie cannot be 1: true or false was expected"),
        (
            "default = 4",
            "default = 5\nleast = 7\nmost = 3",
            "option seeds cannot be 5: a whole number from 7 to 3",
        ),
        ("default = 4", "default = 44", "option seeds cannot be 44: a whole number from 1 to 12"),
        ("default = 4", "default = 4\nvalues = [3, 5]", "option seeds cannot be 4: 3 or 5 was expected"),
        ("default = 4", 'default = "a"\nvalues = []', "option seeds has no values"),
        ("default = 4", 'default = 4\nvalues = ["4"]', "values of another kind than its default"),
        ("default = 4", "default = 4\nmost = 99999", "option seeds offers too many values"),
        (
            "default = 4",
            "default = 4\n[options.pits]\ndefault_by = { seeds = { 4 = 99 } }",
            "option pits cannot be 99",
        ),
        ('title = "Mine"', "title = 5", "title is 5: a text, or a table with texts"),
        ('title = "Mine"', "title = [true]", "title is [true]: a text"),
        ('text = "Words."', "text = { nl = 3 }", "text is {'nl': 3}: a text"),
        ("default = 4", "default = 4\ntext = 7", "options.seeds.text is 7: a text"),
        ('title = "Mine"', 'title = "\\u001b[31mMine"', "title has the control character '\\x1b' in it"),
        ('text = "Words."', 'text.en = "a\\u009b"', "text.en has the control character '\\x9b' in it"),
        ('title = "Mine"', '"\\u0007" = 1', "the key '\\x07' has a control character in it"),
        (
            "row = 6",
            "row = 99999999999999999999999999",
            "board.row is 99999999999999999999999999: a number of at",
        ),
        ("row = 6", f"row = {'9' * 5000}", "a number of more than 9 digits"),
        ("row = 6", f"row = 0x{'f' * 5000}", "board.row is a number of thousands of digits"),
        ('"$seeds"', "-99999999999999999999", "rules.seeds is -99999999999999999999: a number of at most"),
        ("[rules]", "[rules]\nstart = [1, 1000000000]", "rules.start is 1000000000: a number of at most"),
        ("row = 6", f"row = {'[' * 5000}{']' * 5000}", "more than 20 tables or lists in each other"),
        ("row = 6", f"row = {'[' * 50}{']' * 50}", "more than 20 tables or lists in each other"),
        ("row = 6", f"{'a.' * 5000}b = 1", "more than 20 tables or lists in each other"),
        ("[board]", "contradictions = 3\n[board]", "seeds has no 'contradictions'"),
    ],
)
def test_a_file_that_no_game_can_be_made_of_is_refused_when_it_is_listed(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert WHOLE.count(old) == 1
    said = refused(tmp_path, WHOLE.replace(old, new))
    assert sentence in said


def test_a_file_without_options_that_names_one(tmp_path: Path) -> None:
    text = WHOLE.replace("[options.seeds]\ndefault = 4", "[options]")
    assert refused(tmp_path, text).endswith("$seeds names no option: this file has none")
    assert "contradictions is 3: a list of tables" in refused(tmp_path, "contradictions = 3\n" + WHOLE)


def test_words_are_in_the_language_asked_for_or_said_not_to_be() -> None:
    assert read("x.toml", WHOLE, "en").translated
    assert not read("x.toml", WHOLE, "nl").translated
    dutch = WHOLE.replace('text = "Words."', 'text.nl = "Woorden."')
    assert read("x.toml", dutch, "nl").translated
    assert not read("x.toml", dutch, "de").translated
    assert read("x.toml", dutch, "de").text == "Woorden."
    house = 'base = "oware"\ntitle = "Ours"\n'
    assert read("x.toml", house, "de").translated
    assert not read("x.toml", house + 'text = "Ours."\n', "de").translated
    assert all(
        games.describe(name, language).translated for name in games.names() for language in games.LANGUAGES
    )
