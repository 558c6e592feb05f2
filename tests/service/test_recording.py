"""`pitwatch referee` over recordings: of weighings and of likelihoods, whole and harmed."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import games
from engine.errors import BadInput
from engine.game import replay
from firmware_bridge.scale import Calibration, Scale
from referee.events import GameOver, GameStarted, Mended, MoveMade, Ruling, Violation, as_json
from referee.referee import SPARE_COUNTS
from service.recording import referee_over
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation, readings
from service.simulation.truth import Truth

PITWATCH = Path(sys.executable).with_name("pitwatch")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording, and what really happened."""

    header: dict[str, Any]
    readings: list[tuple[float, list[float]]]
    truths: list[Truth]

    def lines(self) -> Iterator[str]:
        yield json.dumps(self.header)
        for t, grams in self.readings:
            yield json.dumps({"t": t, "grams": [round(gram, 3) for gram in grams]})


def record(name: str, options: dict[str, Any], setting: Setting) -> Recorded:
    simulation = Simulation(games.load(name, options), setting)
    given: list[tuple[float, list[float]]] = []
    truths: list[Truth] = []
    for t, grams, told in readings(simulation):
        given.append((t, grams.tolist()))
        truths += told
    header = {
        "pitwatch": 1, "board": {}, "game": name, "options": options, "sensor": "scale",
        "calibration": simulation.calibration(),
    }  # fmt: skip
    return Recorded(header, given, truths)


@pytest.fixture(scope="module")
def kalah() -> Recorded:
    """A short game to its end, with a mistake in it."""
    setting = Setting(seed=3, rate=10, habits=Habits(auto=True), script="B sown_short:A")
    return record("kalah", {"pits": 4, "seeds": 3}, setting)


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def run(path: Path, *options: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [PITWATCH, "referee", path, *options], capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


def check(
    truths: Sequence[Truth], said: Sequence[dict[str, Any]], name: str, options: dict[str, Any]
) -> None:
    """Every move was seen and none invented; every mistake was named; the engine agrees about the end."""
    moves = [event["move"] for event in said if event["event"] == "move"]
    assert moves == [truth.move for truth in truths if truth.truth == "move"]
    fouls = [(event["kind"], tuple(event["pits"])) for event in said if event["event"] == "violation"]
    assert fouls == [(truth.kind, truth.pits) for truth in truths if truth.truth == "mistake"]
    game = games.load(name, options)
    played = [
        event["move"] if event["event"] == "move" else "-"
        for event in said
        if event["event"] in ("move", "pass")
    ]
    *_, last = replay(game, game.start(), [game.parse(move) for move in played])
    result = last.state.result
    assert result is not None
    assert said[-1]["event"] == "game_over"
    assert (said[-1]["scores"], said[-1]["winners"]) == (list(result.scores), list(result.winners))


def test_weighings_of_a_game_with_a_mistake(tmp_path: Path, kalah: Recorded) -> None:
    path = write(tmp_path / "game.jsonl", list(kalah.lines()))
    status, out, err = run(path, "--json")
    assert (status, err) == (0, "")
    said = [json.loads(line) for line in out.splitlines()]
    assert said[0]["event"] == "game_started"
    check(kalah.truths, said, "kalah", {"pits": 4, "seeds": 3})
    kinds = [event["event"] for event in said]
    assert kinds.index("violation") < kinds.index("mended") < len(kinds) - kinds[::-1].index("move")


def test_it_is_told_in_words_one_event_a_line(tmp_path: Path, kalah: Recorded) -> None:
    path = write(tmp_path / "game.jsonl", list(kalah.lines()))
    status, out, _ = run(path)
    lines = out.splitlines()
    assert status == 0
    assert len(lines) == len(list(referee_over(path)))
    assert "violation: " in out
    assert "kind sown_short" in out
    assert lines[-1].split(":")[0].endswith(" game_over")


def test_likelihoods_of_a_game(tmp_path: Path) -> None:
    """The likelihoods are those of a scale that was told each settled position by the simulation itself."""
    options = {"seeds": 2}
    recorded = record("oware", options, Setting(seed=5, rate=10, habits=Habits(auto=True)))
    game = games.load("oware", options)
    seeds = sum(game.start().counts)
    scale = Scale(Calibration.from_json(recorded.header["calibration"]), 14, seeds, seeds + 1 + SPARE_COUNTS)
    told = [truth for truth in recorded.truths if truth.truth == "move"]
    lines = [json.dumps({**recorded.header, "sensor": "camera", "calibration": {}})]
    scale_counts = game.start().counts
    for t, grams in recorded.readings:
        look = scale.observe(t, np.array(grams))
        if told and t > told[0].t + 0.7:
            scale_counts = told.pop(0).counts
            scale.settled(t, scale_counts)
        # As far as the board can go, and no further than was seen.
        loglik = np.maximum(look.loglik[:, : seeds + 1], -50.0).round(3)
        lines.append(json.dumps({"t": t, "loglik": loglik.tolist(), "hand": look.hand.tolist()}))
    said = [as_json(event) for event in referee_over(write(tmp_path / "game.jsonl", lines))]
    check(recorded.truths, said, "oware", options)


def test_a_position_to_start_from_and_inputs(tmp_path: Path) -> None:
    one = [[0.0 if n == count else -30.0 for n in range(12)] for count in (1, 0, 0, 1, 0, 1, 6, 5)]
    header = {
        "pitwatch": 1, "game": "kalah", "options": {"pits": 3},
        "start": {"pits": [1, 0, 0, 1, 0, 1], "stores": [6, 5], "player": 1}, "sensor": "camera",
    }  # fmt: skip
    looks = [json.dumps({"t": k / 10, "loglik": one}) for k in range(12)]
    ends = [json.dumps({"t": 2.0, "input": "resign"})]
    said = list(referee_over(write(tmp_path / "a.jsonl", [json.dumps(header), *looks, "", *ends])))
    assert [event.event for event in said] == ["game_started", "turn", "game_over"]
    assert said[1].player == 1
    over = said[-1]
    assert isinstance(over, GameOver)
    assert (over.winners, over.scores) == ((0,), (6, 5))


def test_a_ruling_in_a_recording(tmp_path: Path) -> None:
    """Under a policy of the first line; what the arbiter says is told apart from what players say."""
    board = (0, 4, 2, 3, 3, 3, 0, 0)  # A's last seed lies in B with the other, and not in C.
    look = [[0.0 if n == count else -30.0 for n in range(19)] for count in board]
    start = [[0.0 if n == count else -30.0 for n in range(19)] for count in (2, 2, 2, 3, 3, 3, 0, 0)]
    header = {
        "pitwatch": 1, "game": "kalah", "options": {"pits": 3}, "sensor": "camera",
        "start": {"pits": [2, 2, 2, 3, 3, 3]}, "referee": {"policy": "arbiter"},
    }  # fmt: skip
    lines = [json.dumps(header)]
    lines += [json.dumps({"t": k / 10, "loglik": start}) for k in range(12)]
    lines += [json.dumps({"t": 1.2 + k / 10, "loglik": look}) for k in range(40)]
    ruling = {"t": 6.0, "input": "accept", "player": 1}
    said = list(referee_over(write(tmp_path / "a.jsonl", [*lines, json.dumps({**ruling, "arbiter": True})])))
    assert [event.event for event in said if event.event not in ("touch", "sowing")] == [
        "game_started", "turn", "violation", "ruling", "turn",
    ]  # fmt: skip
    found = said[-2]
    assert isinstance(found, Ruling)
    assert (found.by, found.position, found.seeds) == ("arbiter", "0,4,2/3,3,3 0,0 1", 0)
    with pytest.raises(BadInput, match="line 54: the arbiter may accept another position"):
        list(referee_over(write(tmp_path / "b.jsonl", [*lines, json.dumps(ruling)])))


def test_a_takeback_that_is_said_and_done(tmp_path: Path, kalah: Recorded) -> None:
    """A button in the midst of the readings: a move is taken back by word, though not by hand."""
    done = next(truth.t for truth in kalah.truths if truth.truth == "move") + 1.2
    lines = [line for line in kalah.lines() if json.loads(line).get("t", 0.0) < done]
    t = json.loads(lines[-1])["t"]
    still = [json.dumps({**json.loads(lines[-1]), "t": t + 0.1 * k}) for k in range(1, 60)]
    lines += [json.dumps({"t": t, "input": "takeback"}), *still]
    said = list(referee_over(write(tmp_path / "a.jsonl", lines)))
    names = [event.event for event in said]
    assert names.index("takeback") > names.index("move")
    assert not any(isinstance(event, Mended | Violation) for event in said[names.index("takeback") :])
    assert sum(isinstance(event, MoveMade) for event in said) == 1


CALIBRATION: dict[str, Any] = {"seed_mass": {"mean": 3, "sd": 0.3}, "cell_noise": 0.1}
HEAD: dict[str, Any] = {"pitwatch": 1, "game": "kalah", "options": {}, "calibration": CALIBRATION}
GRAMS: dict[str, Any] = {"t": 1.0, "grams": [12.0] * 12 + [0.0] * 2}
LOOK: dict[str, Any] = {"t": 1.0, "loglik": [[0.0, -1.0]] * 14}


def refusal(path: Path, *lines: dict[str, Any] | str) -> str:
    """Why a recording of these lines is refused, without the name of the file."""
    write(path, [line if isinstance(line, str) else json.dumps(line) for line in lines])
    with pytest.raises(BadInput) as refused:
        list(referee_over(path))
    said = str(refused.value)
    assert said.startswith(f"{path}, ")
    assert "\n" not in said
    return said.removeprefix(f"{path}, ")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "line 1 is empty: the line that says what was played was expected"),
        ("nonsense", "line 1 is not JSON: Expecting value"),
        ("[" * 100_000, "line 1 is not JSON"),
        ("[1]", "line 1: an object with pitwatch was expected"),
        (GRAMS, "line 1: an object with pitwatch was expected"),
        ({"pitwatch": 1}, "line 1, game: field required"),
        ({**HEAD, "pitwatch": 2}, "line 1, pitwatch: input should be 1"),
        ({**HEAD, "colour": "red"}, "line 1, colour: this key is not known"),
        ({**HEAD, "game": "chess"}, "line 1: unknown game 'chess'"),
        ({**HEAD, "options": {"seeds": 99}}, "line 1: option seeds cannot be 99"),
        ({**HEAD, "options": {"seeds": [4]}}, "line 1, options.seeds"),
        ({**HEAD, "options": {"colour": 1}}, "line 1: kalah has no option 'colour'"),
        ({**HEAD, "board": {"pits": [{}] * 14}}, "line 1: the board has 14 pits, this kalah wants 12"),
        ({**HEAD, "start": {"pits": [4]}}, "line 1: start.pits has 1 numbers: kalah wants 12"),
        ({**HEAD, "start": {"seeds": [4]}}, "line 1, start.seeds: this key is not known"),
        ({**HEAD, "start": {"player": 2}}, "line 1: start.player is 2: 0 to 1 was expected"),
        ({**HEAD, "sensor": "nose"}, "line 1, sensor: input should be 'scale' or 'camera'"),
        ({**HEAD, "calibration": {"seed_mass": 3}}, "line 1: the calibration lacks 'cell_noise'"),
        (
            {**HEAD, "calibration": {**CALIBRATION, "cell_noise": [0.1] * 13}},
            "line 1: the calibration is of 13 cells, the board has 14 holes",
        ),
    ],
)
def test_a_first_line_that_does_not_fit(tmp_path: Path, line: dict[str, Any] | str, sentence: str) -> None:
    assert refusal(tmp_path / "game.jsonl", line, GRAMS).startswith(sentence)


def test_an_empty_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "game.jsonl").startswith("line 1 is empty")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (json.dumps(GRAMS)[:-9], "line 2 is not JSON"),
        ({"t": 1.0}, "line 2: an object with grams or loglik or input was expected"),
        (HEAD, "line 2: an object with grams or loglik or input was expected"),
        ({**GRAMS, "hand": []}, "line 2, hand: this key is not known"),
        ({**GRAMS, "t": "1"}, "line 2, t: input should be a valid number"),
        ({**GRAMS, "t": math.nan}, "line 2, t: input should be a finite number"),
        ({**GRAMS, "grams": [12.0] * 13}, "line 2: a weighing has 13 values, the board 14 holes"),
        ({**GRAMS, "grams": [math.nan] * 14}, "line 2, grams.0: input should be a finite number"),
        ({**GRAMS, "grams": ["x"] * 14}, "line 2, grams.0: input should be a valid number"),
        ('{"t": 1, "grams": [1e999]}', "line 2, grams.0: input should be a finite number"),
        ('{"t": 1, "grams": [1%s]}' % ("0" * 400), "line 2, grams.0: input should be a valid number"),
        ({**LOOK, "loglik": [[0.0]] * 13}, "line 2: loglik has 13 rows: one for each of 14 holes"),
        ({**LOOK, "loglik": [[0.0]] * 13 + [[]]}, "line 2: loglik says nothing of hole 13"),
        ({**LOOK, "loglik": [[-math.inf]] * 14}, "line 2, loglik.0.0: input should be a finite number"),
        ({**LOOK, "hand": [0.5]}, "line 2: hand has 1 values: one for each of 14 holes"),
        ({**LOOK, "hand": [1.5] * 14}, "line 2, hand.0: input should be less than or equal to 1"),
        ({"t": 1.0, "input": "shout"}, "line 2, input: input should be 'adjust'"),
        ({"t": 1.0, "input": "takeback"}, "line 2: takeback has no meaning"),
        ({"t": 1.0, "input": "answer", "choice": 0}, "line 2: answer has no meaning now"),
    ],
)
def test_a_line_that_does_not_fit(tmp_path: Path, line: dict[str, Any] | str, sentence: str) -> None:
    assert refusal(tmp_path / "game.jsonl", HEAD, line).startswith(sentence)


def test_weighings_without_a_calibration(tmp_path: Path) -> None:
    said = refusal(tmp_path / "game.jsonl", {**HEAD, "calibration": {}}, GRAMS)
    assert said == "line 2: grams want a calibration in the first line"


def test_time_goes_forward(tmp_path: Path) -> None:
    said = refusal(tmp_path / "game.jsonl", HEAD, GRAMS, {**GRAMS, "t": 0.9})
    assert said == "line 3: its time 0.9 s is before the 1 s of the line above; put the lines in order"


def test_a_recording_that_breaks_off_is_judged_up_to_there(tmp_path: Path, kalah: Recorded) -> None:
    lines = list(kalah.lines())[:400]
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(lines)[:-20])
    status, out, err = run(path, "--json")
    whole = [as_json(event) for event in referee_over(write(tmp_path / "whole.jsonl", lines[:-1]))]
    assert status == 2
    assert [json.loads(line) for line in out.splitlines()] == whole
    assert err.startswith(f"pitwatch: {path}, line 400 is not JSON")
    assert err.count("\n") == 1


def test_what_is_no_recording(tmp_path: Path) -> None:
    absent, folder, noise = tmp_path / "absent", tmp_path, tmp_path / "noise"
    noise.write_bytes(bytes(range(128, 256)))
    for path, sentence in (
        (absent, f"the recording {absent} cannot be read: No such file or directory"),
        (folder, f"the recording {folder} cannot be read: Is a directory"),
        (noise, f"the recording {noise} is not text: a .jsonl file was expected"),
    ):
        assert run(path) == (2, "", f"pitwatch: {sentence}\n")


@pytest.mark.parametrize(
    ("rounds", "ends"),
    [("match", ["round_over", "game_started"]), ("single", ["game_over"])],
)
def test_a_match_in_a_recording(tmp_path: Path, rounds: str, ends: list[str]) -> None:
    """Congklak, shortly before the end of a round: A, the only move, and half a minute for the next round."""
    start = "1,0,0,0/0,0,0,1 12,18 0"
    habits = Habits(auto=True, match=True)
    simulation = Simulation(
        games.load("congklak", {"pits": 4}), Setting(seed=5, rate=10, start=start, habits=habits)
    )
    header = {
        "pitwatch": 1, "game": "congklak", "options": {"pits": 4}, "rounds": rounds,
        "start": {"pits": [1, 0, 0, 0, 0, 0, 0, 1], "stores": [12, 18], "player": 0},
        "calibration": simulation.calibration(),
    }  # fmt: skip
    lines = [json.dumps(header)]
    laid = float("inf")
    for t, grams, told in readings(simulation):
        lines.append(json.dumps({"t": t, "grams": grams.tolist()}))
        laid = min([laid, *(truth.t for truth in told if truth.truth == "game")])
        if t > laid + 2.0:
            break
    said = list(referee_over(write(tmp_path / "match.jsonl", lines)))
    names = [event.event for event in said if event.event not in ("touch", "sowing", "turn")]
    assert names == ["game_started", "move", *ends]
    if rounds == "match":
        started = [event for event in said if isinstance(event, GameStarted)]
        assert [event.round for event in started] == [1, 2]
        # South's 13 fill A to C, and one is left for D, which is closed; North keeps 3 of its 19.
        assert (started[1].pits, started[1].stores) == ((4, 4, 4, 1, 4, 4, 4, 4), (0, 3))
        assert dict(started[1].options)["short"] == "3"
