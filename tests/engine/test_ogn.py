"""OGN: read and written as Aualé does, with games worked by hand."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import games, ogn
from engine.errors import BadInput
from engine.game import Result
from engine.movetext import tidy
from engine.record import Entry, Record
from tests.engine.test_record import EXAMPLES, any_record, entries

ABAPA = games.load("oware", {"repetition_count": 2})

# South's F makes two of North's a, and takes them: 25 of 48. Aualé leaves the two in f on the board.
MAJORITY = """\
[Variant "Oware Abapa"]
[Event "Club evening"]
[Site "Barcelona"]
[Date "2014.05.02"]
[Round "?"]
[South "Ann"]
[North "Bo \\"B\\" de Vries"]
[Result "25-21"]
[FEN "0-0-0-0-0-1-1-0-0-0-0-2-23-21-S"]

1. F+2 { A fine end. } 25-21
"""


def test_a_game_won_by_majority() -> None:
    read = ogn.read(MAJORITY)
    assert read == Record(
        ABAPA,
        (replace(entries(ABAPA, "F")[0], comment="A fine end."),),
        players=("Ann", 'Bo "B" de Vries'),
        start=ABAPA.start([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 2], [23, 21]),
        result=Result((25, 23), (0,), "more than half of the seeds are taken"),
        event="Club evening",
        site="Barcelona",
        date="2014.05.02",
    )
    written = ogn.write(read)
    assert written.replace('[Termination "more than half of the seeds are taken"]\n', "") == MAJORITY


def test_a_position_that_comes_back_ends_the_game_and_the_mover_gathers() -> None:
    # One seed each, six pits apart, goes round: after twelve plies the start is back, by a move of North's,
    # who gathers the one seed in the own row; Aualé writes that as taken.
    moves = "1. A a 2. B b 3. C c 4. D d 5. E e 6. F f+1 24-24"
    text = f'[Variant "Oware Abapa"]\n[Result "24-24"]\n[FEN "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S"]\n\n{moves}\n'
    read = ogn.read(text)
    assert read.result == Result((24, 24), (0, 1), "the position has stood 2 times")
    assert ogn.write(read).splitlines()[-1] == moves
    assert ogn.read(text.replace("f+1", "f")) == read
    with pytest.raises(BadInput, match=r"^line 5: ply 12: f\+2 takes 0 seeds, not 2$"):
        ogn.read(text.replace("f+1", "f+2"))
    assert ogn.read(text.replace("24-24", "23-23")).result == read.result
    with pytest.raises(BadInput, match=r"^line 2: the result is 24-23: the moves end in 24-24$"):
        ogn.read(text.replace("24-24", "24-23"))


def test_the_usual_start_needs_no_position_and_our_default_an_option() -> None:
    text = ogn.write(Record(games.load("oware"), entries(ABAPA, "C d")))
    assert text.splitlines() == [
        '[Variant "Oware Abapa"]',
        '[Event "?"]',
        '[Site "?"]',
        '[Date "?"]',
        '[Round "?"]',
        '[South "?"]',
        '[North "?"]',
        '[Result "*"]',
        '[Options "repetition_count=3"]',
        "",
        "1. C d",
    ]
    assert ogn.read(text).game == games.load("oware")


def test_house_rules_are_not_called_abapa_and_other_seeds_have_a_position() -> None:
    game = games.load("oware", {"seeds": 3, "grand_slam": "forbidden", "repetition_count": 2})
    lines = ogn.write(Record(game)).splitlines()
    assert lines[0] == '[Variant "Oware"]'
    assert lines[8:] == [
        '[Options "seeds=3 grand_slam=forbidden"]',
        '[FEN "3-3-3-3-3-3-3-3-3-3-3-3-0-0-S"]',
    ]


def test_a_game_that_was_resigned() -> None:
    text = '[Variant "Oware Abapa"]\n[Result "20-8"]\n\n1. C d 2. F 20-8'
    assert ogn.read(text).result == Result((20, 8), (0,), "")
    resigned = Record(ABAPA, entries(ABAPA, "C d"), result=Result((0, 0), (1,), "South resigned"))
    assert ogn.read(ogn.write(resigned)) == resigned


def test_what_auale_skips_is_skipped() -> None:
    text = '[Variant "Oware Abapa"]\r\n[Result "?"]\r\n1.C! d (1... e 2. A) { so } { far } 2.F?? $4\r\n*'
    read = ogn.read(text)
    assert [entry.move for entry in read.entries] == [entry.move for entry in entries(ABAPA, "C d F")]
    assert read.entries[1].comment == "so far"
    assert read.result is None


def as_auale_reads(text: str) -> str:
    """The letters of the moves: tags go first, then all in braces, then whatever is no letter of a pit."""
    tags = re.match(r'(?:\s*\[\s*\w+\s+"(?:[^"\\]|\\.)*"\s*\])*', text)
    assert tags
    return "".join(re.findall(r"[A-Fa-f]", re.sub(r"\{[^}]*\}", "", text[tags.end() :])))


@st.composite
def any_oware(draw: st.DrawFn) -> Record:
    """Of what OGN can carry: six pits, and no text that is but a question mark."""
    found = draw(any_record().filter(lambda found: found.game.name == "oware"))
    options = {**found.game.options, "pits": 6}
    game, played = games.load("oware", options), list[Entry]()
    state = game.start()
    for choice in draw(st.lists(st.integers(0, 99), max_size=60)):
        legal = game.legal(state)
        if not legal:
            break
        entry = found.entries[choice % len(found.entries)] if found.entries else Entry(legal[0])
        comment = re.sub(r"[{}]|\[%", "", entry.comment)
        played.append(replace(entry, move=legal[choice % len(legal)], comment=tidy(comment), ruling=""))
        state = game.play(state, played[-1].move).state

    def known(text: str) -> str:
        return "" if text == "?" else text

    return Record(
        game,
        tuple(played),
        players=(known(found.players[0]), known(found.players[1])),
        result=found.result if state.result is None and not found.last.result else None,
        event=known(found.event),
        date=known(found.date),
        comment=known(tidy(re.sub(r"[{}]|\[%", "", found.comment))),
    )


@EXAMPLES
@given(any_oware())
def test_what_is_written_is_read_as_it_was_and_auale_finds_the_moves(case: Record) -> None:
    text = ogn.write(case)
    assert text.startswith('[Variant "Oware')
    assert as_auale_reads(text) == "".join(case.game.name_of(entry.move) for entry in case.entries)
    assert ogn.read(text) == case
    assert all(len(line) < 80 for line in text.splitlines() if not line.startswith("["))


PIECES = st.sampled_from(
    [
        '[Variant "Oware Abapa"]', '[Options "seeds=3"]',
        '[FEN "4-4-4-4-4-4-4-4-4-4-4-4-0-0-N"]', "A", "f",
        '[Result "*"]', '[Result "24-20"]', "C+3", "1.", "{", "}", "{hm}",
        "*", "24-24", "(", ")", "[", '"', "\n",
    ]
)  # fmt: skip


@EXAMPLES
@given(st.text() | st.lists(PIECES, max_size=20).map(" ".join))
def test_any_text_is_a_game_or_a_sentence(text: str) -> None:
    try:
        found = ogn.read(text)
    except BadInput as error:
        sentence = str(error)
    else:
        assert ogn.read(ogn.write(found)) == found
        return
    assert "\n" not in sentence
    assert sentence.startswith(("line ", "there is no OGN"))


def test_braces_in_a_comment_become_parentheses() -> None:
    found = ogn.read('[A ""]{{}')
    assert found.comment == "("
    assert ogn.read(ogn.write(found)) == found


HEAD = '[Variant "Oware Abapa"]\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'there is no OGN in the text: it begins with headers such as [Variant "Oware Abapa"]'),
        ("C d", "there is no OGN in the text"),
        ('[Variant "Kalah"]\n\nC d', "line 1: Variant is 'Kalah': OGN is a format of Oware"),
        (HEAD + "C d e", "line 2: ply 3: e is not legal: that pit is not player 0's"),
        (HEAD + "C d\nC", "line 3: ply 3: C is not legal: that pit holds 0 seeds, too few"),
        (HEAD + "C g", "line 2: move 'g' names no pit of this board: A to f"),
        (HEAD + "C+2 d", "line 2: ply 1: C+2 takes 0 seeds, not 2"),
        (HEAD + "C d\n" + HEAD, "line 3: a second game begins here, and an OGN text holds one: part them"),
        (HEAD + '[FEN "4-4-S"]', "line 2: FEN '4-4-S' is not 14 numbers and S or N with - between"),
        (HEAD + '[FEN "' + "0-" * 14 + 'S"]', "line 2: the game is over in the position of FEN"),
        (HEAD + '[Options "pits=5"]', "line 2: a row has 5 pits: OGN has letters for 6"),
        (HEAD + '[Options "pits=x"]', "line 2: option pits cannot be 'x'"),
        (HEAD + "C {why", "line 2: this comment is not closed: put } after it"),
        (HEAD + "C (why", "line 2: a variation begins here: take it out, parentheses and all, if this is an"),
        (HEAD + '[Result "won"]\nC', "line 2: result 'won' is not scores"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_line_and_the_mend(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        ogn.read(text)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    ("name", "options", "fields", "sentence"),
    [
        ("kalah", {}, {}, "kalah cannot be written as OGN, a format of Oware: write it as a text record"),
        (
            "oware",
            {"pits": 7},
            {},
            "a row has 7 pits: OGN has letters for 6; the text record has them for all",
        ),
        ("oware", {}, {"comment": "x" * 1001}, "OGN has no place for more than 49 seeds in a hole"),
        ("oware", {}, {"headers": (("FEN", "x"),)}, "header FEN means something else in OGN"),
    ],
)
def test_what_ogn_has_no_place_for_is_refused(
    name: str, options: dict[str, Any], fields: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadInput) as error:
        ogn.write(Record(games.load(name, options), **fields))
    assert str(error.value).startswith(sentence)


def test_more_seeds_than_the_position_holds_are_refused() -> None:
    game = games.load("oware")
    with pytest.raises(BadInput, match="more than 49 seeds in a hole"):
        ogn.write(Record(game, start=game.start([50, *[1] * 11])))
