"""The text record: what it says of a game, that nothing is lost in it, and what it refuses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import games, line, ogn, position
from engine.errors import BadInput
from engine.game import Game, Result, State
from engine.move import SWAP
from engine.movetext import tidy
from engine.record import MOST_PLIES, BadPly, Entry, Record, read, read_all, write, write_all

EXAMPLES = settings(max_examples=150, deadline=None)
KALAH = games.load("kalah")
OWARE = games.load("oware")

# Two pits a side, two seeds each. B: a seed in the store and one in a. a: its three go to b, to North's store
# and to A. A: its three go round to a, which holds 1 then.
SMALL = """\
[Event "Club evening"]
[Site "Delft"]
[Date "2026.03.14"]
[Round "2.1"]
[South "Ann"]
[North "Bob \\"Bo\\" de Vries"]
[Result "3-1"]
[Game "kalah"]
[Options "pits=2 seeds=2"]
[Winner "North"]
[Termination "South resigned"]
[Arbiter "Chris"]

{Played on the walnut board.} 1. B {[%clk 0:04:58] Quick.} a 2. A {[%clk
0:04:11.25] [%emt 0:00:47]} 3-1
"""


def entries(game: Game, moves: str) -> tuple[Entry, ...]:
    return tuple(Entry(game.parse(move)) for move in moves.split())


def test_a_record_by_hand() -> None:
    record = read(SMALL)
    game = games.load("kalah", {"pits": 2, "seeds": 2})
    quick, answer, last = entries(game, "B a A")
    assert record == Record(
        game,
        (
            replace(quick, comment="Quick.", clock_ms=298_000),
            answer,
            replace(last, clock_ms=251_250, took_ms=47_000),
        ),
        players=("Ann", 'Bob "Bo" de Vries'),
        result=Result((3, 1), (1,), "South resigned"),
        event="Club evening",
        site="Delft",
        date="2026.03.14",
        round="2.1",
        comment="Played on the walnut board.",
        headers=(("Arbiter", "Chris"),),
    )
    assert [ply.state.counts for ply in record.plies] == [
        (2, 0, 3, 2, 1, 0),
        (3, 0, 0, 3, 1, 1),
        (0, 1, 1, 3, 2, 1),
    ]
    assert write(record) == SMALL


def test_the_examples_of_the_document() -> None:
    document = Path(__file__).parents[2].joinpath("docs", "record.md").read_text(encoding="utf-8")
    shown = [block for block in document.split("```")[1::2] if "=" not in block.splitlines()[1]]
    assert len(shown) == 4
    assert shown[0].strip() == SMALL.replace('Bob \\"Bo\\" de Vries', "Bob").strip()
    assert write(read(shown[0])).strip() == shown[0].strip()
    round_ = read(shown[1])
    assert (round_.round, round_.game.rules.board.protected, round_.first.player) == ("2", (3,), 1)
    assert write(round_).split() == [*shown[1].split(), "*"]
    assert position.write(position.read(KALAH, shown[2])) == shown[2].strip()
    assert ogn.write(ogn.read(shown[3])).split("]\n\n")[1].strip() == shown[3].split("]\n\n")[1].strip()


def test_extra_turns_captures_and_numbers() -> None:
    record = Record(KALAH, entries(KALAH, "C F b a"))
    # C ends in the store, and so does b: South and North have another turn each.
    assert write(record) == '[Result "*"]\n[Game "kalah"]\n\n1. C F b a *\n'
    record = Record(games.load("kalah", {"seeds": 3}), entries(KALAH, "D A b B"))
    # A's last seed falls into D, just emptied, and takes the three of c with it.
    assert write(record).splitlines()[-1] == "1. D A+4 b 2. B *"
    assert read(write(record)) == record


def test_a_swap_is_a_move_of_the_second_player() -> None:
    game = games.load("kalah", {"pie": True})
    record = read('[Game "kalah"]\n[Options "pie=true"]\n\n1. A swap b 2. C *')
    assert record.entries[1].move == SWAP
    assert [ply.player for ply in record.plies] == [0, 1, 1, 0]
    assert record.game == game
    assert write(record).endswith("\n\n1. A swap b 2. C *\n")


def test_a_start_position_and_a_pass() -> None:
    text = """\
[Result "*"]
[Game "mangala2"]
[Start "0,0,0,0,0,0/0,0,1,0,0,1 34,36 0"]

1. - f 2. A c *
"""
    record = read(text)
    assert [ply.player for ply in record.plies] == [0, 1, 0, 1]
    assert record.last.pits == (0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0)
    assert write(record) == text


def test_the_end_by_the_rules_needs_no_words() -> None:
    # South's last seed goes home, the row is empty, and North keeps three: 24 all with North to gather.
    text = '[Game "kalah"]\n[Start "0,0,0,0,0,1/0,0,0,0,0,3 23,21 0"]\n\n1. F'
    record = read(text)
    assert record.result == Result((24, 24), (0, 1), "a row is empty")
    assert read(f"{text} 24-24") == read(f"{text} *") == record
    assert write(record).splitlines() == [
        '[Result "24-24"]',
        '[Game "kalah"]',
        '[Start "0,0,0,0,0,1/0,0,0,0,0,3 23,21 0"]',
        '[Termination "a row is empty"]',
        "",
        "1. F 24-24",
    ]
    with pytest.raises(BadInput, match=r"^line 4: the result is 24-23: the moves end in 24-24$"):
        read(f"{text} 24-23")


def test_what_people_type_by_hand_is_read() -> None:
    typed = '\ufeff[Game "oware"]\r\n[Options  "seeds=3"]\r\n\r\n1.C d 2. F {so\r\n  far}{and on}\r\n2... a'
    record = read(typed)
    assert [record.game.name_of(entry.move) for entry in record.entries] == ["C", "d", "F", "a"]
    assert record.entries[2].comment == "so far and on"
    assert record.game.options["seeds"] == 3


def test_why_an_unfinished_game_stopped_is_kept() -> None:
    text = '[Result "*"]\n[Game "kalah"]\n[Termination "the lamp fell over"]\n\n1. A *\n'
    record = read(text)
    assert record.result is None
    assert record.headers == (("Termination", "the lamp fell over"),)
    assert write(record) == text


def test_four_players_with_directions_and_partners() -> None:
    text = """\
[Player0 "Ann"]
[Player2 "Cor"]
[Player3 "Dee"]
[Result "1-2-3-4"]
[Game "orient-standard"]
[Options "players=4 partners=true"]
[Winner "Player1 Player3"]
[Termination "players 0 and 2 resigned"]

1. 0.1+ 1.0- 2.2+ 3.1- 2. 0.2- 1-2-3-4
"""
    record = read(text)
    assert record.players == ("Ann", "", "Cor", "Dee")
    assert record.result == Result((1, 2, 3, 4), (1, 3), "players 0 and 2 resigned")
    assert [(ply.player, ply.move.direction) for ply in record.plies] == [
        (0, 1), (1, -1), (2, 1), (3, -1), (0, -1),
    ]  # fmt: skip
    assert write(record) == text


def test_a_capture_stands_behind_the_direction() -> None:
    # Player 2's pits are 4 to 7, player 1's 8 to 11; 2.3 is pit 7, whose seed makes 8, player 1's first, two.
    text = """\
[Result "*"]
[Game "orient-standard"]
[Options "players=3"]
[Start "4,4,4,4/4,4,4,1/1,4,4,4 0,0,0 2"]

1. 2.3++2 *
"""
    record = read(text)
    assert record.plies[0].captured == ((8, 2),)
    assert write(record) == text
    assert read(text.replace("2.3++2", "2.3+")) == record
    with pytest.raises(BadInput, match=r"line 6: move '2.3' names no pit"):
        read(text.replace("2.3++2", "2.3+2"))


def test_an_owner_map_is_an_option() -> None:
    owner = "0 1 0 1 0 1 0 1 0 1 0 1"
    record = Record(games.load("orient-standard", {"owner": owner}))
    assert write(record) == f'[Result "*"]\n[Game "orient-standard"]\n[Options "\'owner={owner}\'"]\n\n*\n'
    assert read(write(record)) == record


def test_several_records_in_one_text() -> None:
    first = Record(KALAH, entries(KALAH, "C"), round="1")
    second = Record(OWARE, (), round="2", comment="Not begun.")
    text = write_all([first, second])
    assert read_all(text) == (first, second)
    with pytest.raises(BadInput, match="there are 2 records in the text: one was expected"):
        read(text)


TIDY = st.text(max_size=30).map(tidy)
TIMES = st.none() | st.integers(0, 10_000 * 3_600_000 - 1)


@st.composite
def any_options(draw: st.DrawFn, name: str) -> Game:
    options: dict[str, Any] = {}
    for option in games.describe(name).options:
        small = option.name in ("pits", "seeds")
        options[option.name] = draw(st.integers(1, 6) if small else st.sampled_from(option.choices))
    return games.load(name, options)


def any_ruling(draw: st.DrawFn, game: Game, state: State) -> tuple[State, str]:
    """Seldom, the seeds of the pits change places, and either player is to move; where, and in words."""
    if draw(st.integers(0, 9)):
        return state, ""
    counts = (*draw(st.permutations(state.pits)), *state.stores)
    ruling = line.ruled(game, state, counts, draw(st.integers(0, 1)))
    return position.read(game, ruling), ruling


@st.composite
def any_record(draw: st.DrawFn) -> Record:
    """Kalah or Oware with any options, played at random from any position, with all that can be said."""
    game = draw(st.sampled_from(["kalah", "oware"]).flatmap(any_options))
    state = game.start()
    if draw(st.booleans()):
        pits = draw(st.lists(st.integers(0, 4), min_size=game.pits, max_size=game.pits))
        given = game.start(pits, draw(st.tuples(*[st.integers(0, 30)] * 2)), draw(st.integers(0, 1)))
        state = given if given.player is not None else state
    start, played = state, list[Entry]()
    state, opening = any_ruling(draw, game, state)
    for choice in draw(st.lists(st.integers(0, 99), max_size=60)):
        legal = game.legal(state)
        if not legal:
            break
        move = legal[choice % len(legal)]
        state, ruling = any_ruling(draw, game, game.play(state, move).state)
        played.append(Entry(move, draw(TIDY), draw(TIMES), draw(TIMES), ruling))
    score = st.integers(0, 99)
    ruled = st.builds(Result, st.tuples(score, score), st.sampled_from([(0,), (1,), (0, 1)]), TIDY)
    return Record(
        game,
        tuple(played),
        players=draw(st.tuples(TIDY, TIDY)),
        result=draw(st.none() | ruled) if state.result is None else None,
        start=draw(st.sampled_from([start])),
        event=draw(TIDY),
        site=draw(TIDY),
        date=draw(TIDY),
        round=draw(TIDY),
        comment=draw(TIDY),
        ruling=opening,
        headers=tuple((f"X{number}", draw(TIDY)) for number in range(draw(st.integers(0, 2)))),
    )


@EXAMPLES
@given(any_record())
def test_what_is_written_is_read_as_it_was(record: Record) -> None:
    text = write(record)
    assert read(text) == record
    assert write(read(text)) == text
    assert all(len(line) < 80 for line in text.splitlines() if not line.startswith("["))


@pytest.mark.parametrize("name", games.names())
@settings(max_examples=10, deadline=None)
@given(choices=st.lists(st.integers(0, 99), max_size=40))
def test_every_game_is_recorded(name: str, choices: list[int]) -> None:
    game = games.load(name)
    state, played = game.start(), list[Entry]()
    for choice in choices:
        legal = game.legal(state)
        if not legal:
            break
        played.append(Entry(legal[choice % len(legal)]))
        state = game.play(state, played[-1].move).state
    record = Record(game, tuple(played))
    assert read(write(record)) == record
    if state.player is not None:
        stood_once = replace(state, since_capture=((state.pits + state.marks, state.player),))
        assert position.read(game, position.write(state)) == stood_once


@EXAMPLES
@given(any_record(), any_record())
def test_two_records_are_read_as_two(one: Record, other: Record) -> None:
    assert read_all(write_all([one, other])) == (one, other)


PIECES = st.sampled_from(
    [
        '[Game "kalah"]', '[Game "oware"]', '[Options "seeds=3"]', '[Start "1,1/1,1 0,0 0"]', '[Result "*"]',
        '[Winner "South"]', '[North "x"]', "A", "f", "C+3", "1.", "2...", "{", "}", "{hm}",
        "{[%clk 0:00:01]}", "{[%pos 1,1/1,1 0,0 1]}", "*", "24-24", "-", "swap", "0.1+", "(", "[", '"', "\\",
        "\n", "\n\n", " ",
    ]
)  # fmt: skip


@EXAMPLES
@given(st.text() | st.lists(PIECES, max_size=20).map("".join) | st.lists(PIECES, max_size=20).map(" ".join))
@example("\0")
@example('[Game "x.toml"]')
@example('[Game "kalah"]\n[Options "seeds=' + "9" * 5000 + '"]')
@example('[Game "kalah"]\n[Options "seeds=' + "9" * 900 + '"]')
@example('[Game "kalah"] ' + "1" * 9000)
@example('[Game "kalah"] {[%clk ' + "1" * 9000 + ":00:00]}")
@example('[Game "kalah"] ' + "1" * 5000 + "-1")
def test_any_text_is_a_record_or_a_sentence(text: str) -> None:
    try:
        records = read_all(text)
    except BadInput as error:
        sentence = str(error)
    else:
        assert read_all(write_all(records)) == records
        return
    assert "\n" not in sentence
    assert sentence.startswith(("line ", "there is no game record"))


@EXAMPLES
@given(any_record(), st.data())
def test_a_damaged_record_is_a_record_or_a_sentence(record: Record, data: st.DataObject) -> None:
    text = write(record)
    at = data.draw(st.integers(0, len(text)))
    to = data.draw(st.integers(at, min(at + 9, len(text))))
    damaged = text[:at] + data.draw(st.text(max_size=5)) + text[to:]
    try:
        records = read_all(damaged)
    except BadInput as error:
        sentence = str(error)
    else:
        assert read_all(write_all(records)) == records
        return
    assert sentence.startswith(("line ", "there is no game record"))


HEAD = '[Game "kalah"]\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'there is no game record in the text: it begins with headers such as [Game "kalah"]'),
        ("1. C", 'line 1: the record has no header Game: add one, such as [Game "kalah"]'),
        ('\n[Game "chess"]', "line 2: unknown game 'chess': one of "),
        ('[Options "seeds=99"]\n[Game "kalah"]', "line 1: option seeds cannot be '99': a whole number"),
        (HEAD + '[Options "seeds"]', "line 2: option 'seeds' is not of the form name=value, as in seeds=3"),
        (HEAD + '[Options "seeds=3 seeds=4"]', "line 2: option 'seeds' is given twice: leave one out"),
        (HEAD + "[Options \"seeds='3\"]", "line 2: options \"seeds='3\" have a quote that is not closed"),
        (HEAD + '[Game "oware"]', "line 2: header Game stands here a second time: leave one out"),
        (HEAD + "[Event Club]", 'line 2: a header must be written [Name "value"] on one line'),
        (HEAD + '[Event "Club', "line 2: a header must be written"),
        (HEAD + '[Start "4,4/4,4 0,0 0"]', "line 2: position '4,4/4,4 0,0 0' has rows of 2 and 2 pits"),
        (HEAD + '[Event "' + "x" * 1001 + '"]', "line 2: header Event has more than 1000 characters"),
        (HEAD + "\n1. C F\na q", "line 4: move 'q' names no pit of this board: A to f"),
        (HEAD + "\n1. C F\na f B", "line 4: ply 4: f is not legal: that pit is not player 0's; legal are A"),
        (HEAD + "\n1. C\n\n\nA A", "line 6: ply 3: A is not legal: that pit is not player 1's"),
        (HEAD + "\n1. C+3", "line 3: ply 1: C+3 takes 0 seeds, not 3"),
        (HEAD + "\n1. C (B) d", "line 3: a variation begins here: take it out, parentheses and all"),
        (HEAD + "\n1. C {why\n\n", "line 3: this comment is not closed: put } after it"),
        (HEAD + "\n1. C }", "line 3: '}' has no meaning: a header, a move"),
        (HEAD + "\n1. C 0-1 F", "line 3: 'F' stands after the result: a header was expected"),
        (HEAD + "\n1. C 1-0", "line 3: the moves do not end the game: say who has won it 1-0"),
        (HEAD + '[Result "1-0"]\n\n1. C 0-1', "line 4: the result is 0-1 here and 1-0 in the header"),
        (HEAD + '[Result "won"]\n\n1. C', "line 2: result 'won' is not scores such as 25-23, or *"),
        (HEAD + '[Winner "South"]\n\n1. C', "line 2: there is a Winner but no Result: give the scores"),
        (HEAD + '[Result "1-0"]\n[Winner "Ann"]\n\n1. C', "line 3: Winner is 'Ann': some of South"),
        (HEAD + '[Result "1-0"]\n[Winner ""]\n\n1. C', "line 3: winners are ()"),
        (HEAD + '[Result "1-0-0"]\n[Winner "South"]\n\n1. C', "line 3: scores are (1, 0, 0): 2 numbers"),
        (HEAD + "{[%clk 0:05:00]} 1. C", "line 2: a clock time stands before the first move"),
        (HEAD + "1. C {[%clk five]}", "line 2: clock time 'five' is not of the form h:mm:ss"),
        (HEAD + "1. C\x1b[2J", "line 2: a control character stands here: this is no game record"),
        (HEAD + "1. " + "C" * 50, "line 2: 'CCCCCCCCCCCCCCCCCCCC'.. is no move"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_line_and_the_mend(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        read(text)
    assert str(error.value).startswith(sentence)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"event": "two\nlines"}, "header Event is 'two\\nlines': one line"),
        ({"comment": " spaced"}, "a comment is ' spaced': one line"),
        ({"players": ("Ann",)}, "1 names for 2 players: name all or none"),
        ({"headers": (("Game", "x"),)}, "a header cannot be called 'Game' here"),
        ({"headers": (("a b", "x"),)}, "a header cannot be called 'a b' here"),
        ({"headers": (("A", "x"), ("A", "y"))}, "a header cannot be called 'A' here"),
        ({"result": Result((1, 2, 3), (0,), "")}, "scores are (1, 2, 3): 2 numbers"),
        ({"result": Result((1, 2), (1, 0), "")}, "winners are (1, 0): rising numbers from 0 to 1"),
        ({"result": Result((1, 2), (), "")}, "winners are ()"),
        ({"start": KALAH.start([0] * 12)}, "the start is over or has a history"),
        ({"start": KALAH.play(KALAH.start(), KALAH.parse("A")).state}, "the start is over or has a history"),
        ({"entries": (Entry(KALAH.parse("A")),) * (MOST_PLIES + 1)}, "a record has 10001 moves"),
    ],
)
def test_a_record_is_checked_when_it_is_made(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        Record(KALAH, **fields)
    assert str(error.value).startswith(sentence)


def test_a_ply_that_cannot_be_played_is_numbered() -> None:
    with pytest.raises(BadPly) as error:
        Record(KALAH, entries(KALAH, "A B"))
    assert error.value.number == 2
    with pytest.raises(BadInput, match="a clock time is -1 ms"):
        Entry(KALAH.parse("A"), clock_ms=-1)


def test_a_ruling_in_mid_game_stands_in_a_comment_and_play_goes_on_from_it() -> None:
    # South's A went one pit too far, into d of North's; it was let stand. North's b then ends in its store.
    game = games.load("kalah", {"pits": 2, "seeds": 2})
    (sown,) = entries(game, "B")
    ruled = replace(sown, ruling="0,1/4,2 1,0 1", comment="Let stand.")
    record = Record(game, (ruled, *entries(game, "b A")))
    assert record.plies[1].state.counts == (1, 1, 4, 0, 1, 1)
    text = write(record)
    assert "1. B {[%pos 0,1/4,2 1,0 1] Let stand.} b 2. A *" in text
    assert read(text) == record
    assert record.ruled
    assert record.last == record.plies[-1].state
    # A ruling before the first move, and one that ends the game.
    opened = Record(game, entries(game, "a"), ruling="1,3/2,2 0,0 1")
    assert "{[%pos 1,3/2,2 0,0 1]} a" in write(opened)
    assert read(write(opened)) == opened
    ended = Record(game, (replace(sown, ruling="0,0/4,2 2,0 0"),))
    assert ended.result == ended.last.result == Result((2, 6), (1,), "a row is empty")
    with pytest.raises(BadInput, match="line 2: ply 1: position '1,1/1' has"):
        read('[Game "kalah"]\nA {[%pos 1,1/1]}')
    with pytest.raises(BadInput, match="OGN has no place for a ruling"):
        ogn.write(Record(OWARE, ruling="4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"))


def test_a_result_that_the_moves_deny_is_refused() -> None:
    start = position.read(KALAH, "0,0,0,0,0,1/0,0,0,0,0,3 23,21 0")
    with pytest.raises(BadInput, match="the moves end in"):
        Record(KALAH, entries(KALAH, "F"), start=start, result=Result((1, 0), (0,), ""))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 300_000,
        HEAD + "{" + "\\" * 300_000,
        HEAD + "{" * 300_000,
        HEAD + '[A "' + '\\"' * 150_000,
        HEAD + "1. " * 200_000,
        HEAD + "{x} " * 100_000,
        (HEAD + "*\n\n") * 1_000,
        HEAD + "1" * 1_000_000,
        HEAD + "{" + "[%clk" * 100_000 + "}",
    ],
    ids=range(9),
)
def test_a_large_text_is_answered(text: str) -> None:
    """A reader that looks back over what it has read would take hours here."""
    try:
        sentence = write_all(read_all(text))
    except BadInput as error:
        sentence = str(error)
    assert sentence.startswith(("line ", "[Result"))


def test_a_game_that_does_not_end_is_cut_at_a_bound() -> None:
    """Two seeds that go round the board for ever, one pit a move."""
    head = '[Game "oware"]\n[Options "repetition=none"]\n[Start "1,0,0,0,0,0/1,0,0,0,0,0 0,0 0"]\n\n'
    round_ = "A a B b C c D d E e F f "
    assert len(read(head + round_ * 20).entries) == 240
    with pytest.raises(BadInput, match=r"^line 5: the record has more than 10000 moves: it is no game$"):
        read(head + round_ * 1000)
