"""`pitwatch engine`: the contract of design.md, and that no line can stop it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import games
from service.commands.engine import answers


def ask(**request: Any) -> dict[str, Any]:
    (answer,) = answers([json.dumps(request).encode()])
    return dict(json.loads(answer))


def refused(line: str | bytes) -> dict[str, Any]:
    (text,) = answers([line.encode() if isinstance(line, str) else line])
    answer = dict(json.loads(text))
    assert answer.keys() == {"id", "error"}
    assert answer["error"]
    assert "\n" not in answer["error"]
    return answer


def test_play_as_in_the_contract() -> None:
    # Worked by hand: 4 seeds from C reach the store, so South moves again; so do 5 from b, which is North's.
    answer = ask(id=1, cmd="play", game="kalah", options={}, moves=["C", "F", "b"])
    assert answer["id"] == 1
    first, second, third = answer["plies"]
    assert first == {
        "player": 0,
        "legal": ["A", "B", "C", "D", "E", "F"],
        "move": "C",
        "pit": 2,
        "direction": 1,
        "pits": [4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4],
        "stores": [1, 0],
        "captured": [],
        "gain": [1, 0],
        "next": 0,
    }
    assert (second["pits"], second["stores"]) == ([4, 4, 0, 5, 5, 0, 5, 5, 5, 5, 4, 4], [2, 0])
    assert (second["legal"], second["next"]) == (["A", "B", "D", "E", "F"], 1)
    assert (third["player"], third["pit"], third["gain"]) == (1, 7, [0, 1])
    assert third["pits"] == [4, 4, 0, 5, 5, 0, 5, 0, 6, 6, 5, 5]
    assert third["next"] == 1
    assert (answer["legal"], answer["over"], answer["result"]) == (["a", "c", "d", "e", "f"], False, None)


def test_a_start_a_capture_and_the_end() -> None:
    # 6 and 7 become 2 and 2, all that North has; South keeps the 2 in pit 4.
    answer = ask(
        id="g",
        cmd="play",
        game="oware",
        options={"grand_slam": "capture"},
        start={"pits": [0, 0, 0, 0, 2, 2, 1, 1, 0, 0, 0, 0], "stores": [20, 22], "player": 0},
        moves=[{"pit": 5, "direction": 1}],
    )
    (ply,) = answer["plies"]
    assert sorted(ply["captured"]) == [[6, 2], [7, 2]]
    assert ply["next"] is None
    assert (answer["legal"], answer["over"]) == ([], True)
    assert answer["result"] == {"scores": [26, 22], "winners": [0]}


def test_north_may_start() -> None:
    answer = ask(cmd="play", game="kalah", start={"player": 1}, moves=[{"pit": 8}])
    assert answer["id"] is None
    assert (answer["plies"][0]["move"], answer["plies"][0]["gain"]) == ("c", [0, 1])


def test_perft() -> None:
    assert ask(id=2, cmd="perft", game="kalah", depth=4) == {"id": 2, "depth": 4, "nodes": 942}
    assert ask(id=3, cmd="perft", game="kalah", depth=0)["nodes"] == 1
    # After C South moves again, from any pit but C.
    assert ask(id=4, cmd="perft", game="kalah", moves=["C"], depth=1)["nodes"] == 5


def test_trace() -> None:
    answer = ask(
        id=5,
        cmd="trace",
        game="kalah",
        start={"pits": [1, 0, 0, 0, 0, 3, 2, 2, 2, 2, 4, 2], "stores": [15, 15]},
        moves=["A"],
    )
    assert answer["steps"] == [
        {"step": "lift", "pit": 0, "seeds": 1},
        {"step": "drop", "pit": 1},
        {"step": "take", "pit": 1, "seeds": 1, "to": 12},
        {"step": "take", "pit": 10, "seeds": 4, "to": 12},
    ]
    assert (answer["player"], answer["move"], answer["sweep"]) == (0, "A", [])


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({}, "cmd is missing"),
        ({"cmd": 3}, "cmd is 3"),
        ({"cmd": "sing", "game": "kalah"}, "unknown cmd 'sing'"),
        ({"cmd": "play"}, "game is missing"),
        ({"cmd": "play", "game": "chess"}, "unknown game 'chess'"),
        ({"cmd": "play", "game": ["kalah"]}, "game is"),
        ({"cmd": "play", "game": "kalah", "move": ["A"]}, "no key 'move'"),
        ({"cmd": "play", "game": "kalah", "options": {"colour": 1}}, "no option 'colour'"),
        ({"cmd": "play", "game": "kalah", "options": {"seeds": 4.0}}, "seeds cannot be 4.0"),
        (
            {"cmd": "play", "game": "kalah", "options": {"seeds": True}},
            "seeds cannot be true: a whole",
        ),
        ({"cmd": "play", "game": "kalah", "options": []}, "options is []"),
        ({"cmd": "play", "game": "kalah", "moves": "A"}, "moves is"),
        ({"cmd": "play", "game": "kalah", "moves": ["A", "a", "a"]}, "moves[2]: a is not legal"),
        ({"cmd": "play", "game": "kalah", "moves": ["Z"]}, "moves[0]: move 'Z'"),
        ({"cmd": "play", "game": "kalah", "moves": [7]}, "moves[0]: a move is a string"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": -1}]}, "pit is -1"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": 12}]}, "pit is 12"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": True}]}, "pit is true"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": 0, "direction": 0}]}, "direction is 0"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": 0, "direction": -1}]}, "not sown that way"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": 0, "way": 1}]}, "no key 'way'"),
        ({"cmd": "play", "game": "kalah", "start": {"pits": [4]}}, "start.pits has 1"),
        ({"cmd": "play", "game": "kalah", "start": {"pits": [-1] * 12}}, "start.pits"),
        ({"cmd": "play", "game": "kalah", "start": {"stores": ["0", 0]}}, "start.stores"),
        ({"cmd": "play", "game": "kalah", "start": {"player": 2}}, "start.player is 2"),
        ({"cmd": "play", "game": "kalah", "start": {"pits": [10**9] * 12}}, "start"),
        ({"cmd": "play", "game": "kalah", "start": {"turn": 0}}, "no key 'turn'"),
        ({"cmd": "play", "game": "kalah", "start": {"pits": True}}, "start.pits is true: a list"),
        ({"cmd": "play", "game": "kalah", "start": {"player": 1.5}}, "start.player is 1.5: a whole number"),
        (
            {"cmd": "play", "game": "kalah", "start": {"player": 10**2000}},
            "player is a number of thou",
        ),
        (
            {"cmd": "play", "game": "kalah", "start": {"pits": [10**2000] * 12}},
            "start has a number of",
        ),
        ({"cmd": "play", "game": "kalah", "start": {"marks": [None]}}, "start.marks has 1 numbers"),
        (
            {"cmd": "play", "game": "togyzkumalak", "start": {"marks": [None, True]}},
            "start.marks holds null: 0 to 18",
        ),
        ({"cmd": "play", "game": "kalah", "options": {"end": None}}, "end cannot be null: either or to_move"),
        ({"cmd": "play", "game": "kalah", "options": {"pits": [None, 1]}}, "pits cannot be [null, 1]"),
        (
            {"cmd": "play", "game": "kalah", "options": {"pits": 10**2000}},
            "pits cannot be a number",
        ),
        ({"cmd": "play", "game": "kalah", "moves": ["A:1"]}, "moves[0]: move 'A:1': nothing is chosen"),
        ({"cmd": "play", "game": "kalah", "moves": [{"pit": 10**2000}]}, "pit is a number of thou"),
        ({"cmd": "perft", "game": "kalah", "depth": 10**2000}, "depth is a number of thou"),
        ({"cmd": "perft", "game": "kalah", "depth": -(10**2000)}, "depth is a number of thou"),
        ({"cmd": "perft", "game": "kalah"}, "depth is missing"),
        ({"cmd": "perft", "game": "kalah", "depth": -1}, "depth is -1"),
        ({"cmd": "perft", "game": "kalah", "depth": "1"}, "depth is '1': a whole number was expected"),
        ({"cmd": "trace", "game": "kalah"}, "at least one move"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(request_: dict[str, Any], said: str) -> None:
    answer = refused(json.dumps({"id": 9, **request_}))
    assert answer["id"] == 9
    assert said in answer["error"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hello", "not JSON"),
        ('{"id":1', "not JSON"),
        ("[1]", "no request"),
        ("null", "no request"),
        (b"\xff\xfe", "not UTF-8"),
        ('{"id":NaN}', "NaN"),
        ('{"id":1e999}', "id has a number in it that is larger"),
        ('{"id":"a\tb"}', "not JSON: Invalid control character at character 8"),
        ('{"id":' + "9" * 5000 + "}", "more digits"),
        ("[" * 100_000, "nested"),
        ('{"id":' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
    ],
)
def test_a_line_that_is_no_request(line: str | bytes, said: str) -> None:
    answer = refused(line)
    assert answer["id"] is None
    assert said in answer["error"]


def test_blank_lines_say_nothing() -> None:
    assert list(answers([b"\n", b"  \r\n"])) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
requests = st.fixed_dictionaries(
    {"id": json_values},
    optional={
        "cmd": st.sampled_from(["play", "trace"]) | json_values,
        "game": st.sampled_from(["kalah", "oware"]) | json_values,
        "options": st.dictionaries(st.sampled_from(["seeds", "pits", "end"]), json_values, max_size=2)
        | json_values,
        "start": st.fixed_dictionaries(
            {},
            optional={
                "pits": st.lists(st.integers(0, 20), min_size=12, max_size=12) | json_values,
                "stores": st.lists(st.integers(0, 20), min_size=2, max_size=2) | json_values,
                "player": st.integers(0, 1) | json_values,
            },
        )
        | json_values,
        "moves": st.lists(st.sampled_from("ABCDEFabcdef-") | json_values, max_size=4) | json_values,
    },
)


@given(requests)
def test_every_request_is_answered_with_its_id(request_: dict[str, Any]) -> None:
    (text,) = answers([json.dumps(request_).encode()])
    answer = json.loads(text)
    assert answer["id"] == request_["id"]
    assert "error" in answer or "plies" in answer or "steps" in answer


@given(st.binary(max_size=200).filter(lambda line: bool(line.strip())))
def test_every_line_is_answered(line: bytes) -> None:
    (text,) = answers([line])
    assert "error" in json.loads(text)


def test_the_process_answers_line_by_line_and_goes_on() -> None:
    with subprocess.Popen(
        [Path(sys.executable).with_name("pitwatch"), "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        for line, wanted in ((b"nonsense\n", "error"), (b'{"id":1,"cmd":"play","game":"kalah"}\n', "plies")):
            process.stdin.write(line)
            process.stdin.flush()
            assert wanted in json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait() == 0


def test_choices_and_marks() -> None:
    # Bao: five from 26 reach South's house, 11, where the move may stop, or sow the seven in it.
    pits = [0] * 32
    pits[13], pits[11], pits[26], pits[31] = 2, 6, 5, 1
    start = {"pits": pits, "stores": [1, 1], "player": 0, "marks": [1, 0, 0]}
    answer = ask(id=1, cmd="play", game="bao", start=start)
    assert answer["legal"] == ["0.13+", "0.13-", "0.13-:1"]
    for move in ("0.13-:1", {"pit": 13, "direction": -1, "choices": "1"}):
        (ply,) = ask(id=1, cmd="play", game="bao", start=start, moves=[move])["plies"]
        assert (ply["move"], ply["choices"]) == ("0.13-:1", "1")
        assert ply["marks"] == [0, 0, 0]
        assert ply["captured"] == [[26, 5]]
    (ply,) = ask(id=1, cmd="play", game="bao", start=start, moves=["0.13-"])["plies"]
    assert (ply["choices"], ply["marks"], ply["pits"][11]) == ("", [1, 0, 0], 7)
    for choices, said in (("0", "the last one a 1"), ("2", "digits 0 or 1"), ("01", "fewer choices")):
        move = {"pit": 13, "direction": -1, "choices": choices}
        assert said in ask(id=1, cmd="play", game="bao", start=start, moves=[move])["error"]
    assert "nothing is chosen" in ask(id=1, cmd="play", game="kalah", moves=["C:1"])["error"]


@pytest.mark.parametrize("name", games.names())
def test_a_game_goes_on_from_what_it_answers(name: str) -> None:
    # Each answer's first legal move is played on, named and by its pit, to the end or as far as it goes.
    moves: list[Any] = []
    for turn in range(30):
        answer = ask(id=turn, cmd="play", game=name, moves=moves)
        assert [ply["move"] for ply in answer["plies"]] == [
            ply["legal"][-1] if index % 2 else ply["legal"][0] for index, ply in enumerate(answer["plies"])
        ]
        if answer["over"]:
            assert answer["result"]["winners"]
            break
        assert answer["result"] is None
        moves.append(answer["legal"][-1] if turn % 2 else answer["legal"][0])
    last = answer["plies"][-1]
    state = {key: last[key] for key in ("pits", "stores", "marks") if key in last}
    if last["next"] is not None and games.load(name).rules.opening == "none":
        again = ask(id=0, cmd="play", game=name, start={**state, "player": last["next"]})
        assert again["legal"] == answer["legal"]
    assert ask(id=0, cmd="trace", game=name, moves=moves)["steps"] or moves[-1] == "-"
    first = len(ask(id=0, cmd="play", game=name)["legal"])
    assert ask(id=0, cmd="perft", game=name, depth=1)["nodes"] == first
