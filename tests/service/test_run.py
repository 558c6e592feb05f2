"""How `pitwatch run` begins and ends: what it refuses in one sentence, and that it leaves nothing behind."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from service import cli
from service.boardfile import board_text
from tests.service.running import PITWATCH, Service, board, gone, service

CALIBRATION: dict[str, Any] = {
    "seed_mass": {"mean": 3.0, "sd": 0.3}, "cell_noise": 0.1,
    "zero_counts": [0.0] * 14, "counts_per_gram": [3500.0] * 14,
}  # fmt: skip


def refusal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: Sequence[str | Path]
) -> str:
    """What `pitwatch run` says before it ends with status 2."""
    monkeypatch.setattr("sys.argv", ["pitwatch", "run", "--web-port", "0", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert err.startswith("pitwatch: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    return err.removeprefix("pitwatch: ").rstrip("\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--game", "chess"], "unknown game 'chess': one of "),
        (["-o", "seeds=99"], "option seeds cannot be '99'"),
        (["-o", "colour=red"], "kalah has no option 'colour'"),
        (["-o", "seeds"], "option 'seeds' is not name=value"),
        (["--board", "two-by-seven"], "the board walnut two by seven has 14 pits and 2 stores, this kalah"),
        (["--board", "nowhere"], "board 'nowhere' is not known: one of "),
        (["--log", "nowhere/p.db"], "the log nowhere/p.db cannot be opened for writing (No such file or dir"),
        (["--log", "."], "the log . cannot be opened for writing (Is a directory): name another with --log"),
        (["--log", "broken.db"], "broken.db is not a Pitwatch log (no SQLite file): name another file"),
        (
            ["--sensors", "nose"],
            "the command line, simulation.sensors is 'nose': 'scale', 'camera' or 'both'",
        ),
        (
            ["--sensors", "camera", "--speed", "3"],
            "the command line: with a camera the board keeps the time of a clock: leave out",
        ),
        (
            ["--sensors", "both", "--simulate", "--board", "two-by-seven"],
            "the board walnut two by seven has 14",
        ),
        (["--speed", "0"], "the command line, simulation.speed is 0.0: greater than 0 was expected"),
        (
            ["--seed", "-1"],
            "the command line, simulation.seed is -1: greater than or equal to 0 was expected",
        ),
        (["--pictures", "nowhere"], "nowhere is not there: name a folder of pictures, or a picture"),
        (["--pictures", "empty"], "empty holds no picture"),
        (["--simulate", "--pictures", "x"], "--simulate is of a board that is not there: leave out"),
        (["--simulate", "--port", "y"], "--simulate is of a board that is not there: leave out --port and"),
        (["--pictures", "nowhere", "--port", "y", "--calibration", "good.json"], "nowhere is not there"),
        (["--port", "/dev/x"], "the scale is not calibrated: run pitwatch calibrate scale --board FILE"),
        (["--port", "/dev/x", "--board", "two-by-six"], "the scale is not calibrated: run pitwatch calibr"),
        (["--calibration", "good.json"], "--calibration is of a weighing board: name its port with --port"),
        (["--port", "/dev/x", "--calibration", "nowhere"], "the calibration nowhere cannot be read: No such"),
        (["--port", "/dev/x", "--calibration", "broken.db"], "the calibration broken.db is not JSON: "),
        (["--port", "/dev/x", "--calibration", "noise"], "the calibration noise is not JSON: "),
        (["--port", "/dev/x", "--calibration", "list.json"], "list.json: the calibration lacks 'cell_noise'"),
        (
            ["--port", "/dev/x", "--calibration", "grams.json"],
            "grams.json: the calibration lacks zero_counts",
        ),
        (
            ["--port", "/dev/x", "--calibration", "small.json"],
            "the calibration is of 13 cells, the board has 14",
        ),
        (["--config", "nowhere.toml"], "the configuration nowhere.toml cannot be read: No such file"),
        (["--config", "open.toml"], "web: 0.0.0.0 can be reached from the network, and that wants a token"),
        (["--config", "names.toml"], "1 names for 2 players: name all or none"),
    ],
)
def test_what_it_cannot_begin_with_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("broken.db").write_text("no database\n")
    Path("noise").write_bytes(bytes(range(128, 256)))
    Path("list.json").write_text("[]")
    Path("good.json").write_text(json.dumps(CALIBRATION))
    Path("grams.json").write_text(json.dumps(CALIBRATION | {"zero_counts": [], "counts_per_gram": []}))
    thirteen = {"zero_counts": [0.0] * 13, "counts_per_gram": [1.0] * 13}
    Path("small.json").write_text(json.dumps(CALIBRATION | thirteen))
    Path("open.toml").write_text('web.host = "0.0.0.0"\n')
    Path("names.toml").write_text('players = ["Ann"]\n')
    assert refusal(monkeypatch, capsys, words).startswith(sentence)
    assert Path("broken.db").read_text() == "no database\n"


def test_a_port_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refusal(monkeypatch, capsys, ["--log", tmp_path / "p.db", "--web-port", str(port)])
    assert said.startswith(f"the page cannot be at 127.0.0.1:{port} (Address already in use): name another")
    assert not (tmp_path / "p.db").exists()


def test_a_log_that_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "p.db"
    with service(log, "--no-auto"):
        pass
    whole = bytearray(log.read_bytes())
    whole[4096:] = b"\xa5" * len(whole[4096:])
    log.write_bytes(whole)
    assert refusal(monkeypatch, capsys, ["--log", log]).startswith(f"the log {log} is damaged: move it away")
    assert log.read_bytes() == whole


def test_one_log_has_one_service_which_ends_at_a_signal_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "p.db"
    for by, status in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
        running = Service(log, "--speed", "20")
        running.until(lambda state: state["moves"])
        (hand,) = running.children()
        said = refusal(monkeypatch, capsys, ["--log", log])
        assert said.startswith(f"the log {log} is in use by another Pitwatch: end that one, or name another")
        assert running.stop(by) == (status, "")
        assert gone(hand)
    with service(log, "--no-auto") as running:
        events = [event["event"] for event in running.get("state")["events"]]
        assert "sensor_lost" not in events


def test_the_terminals_interrupt_is_quiet_and_a_page_that_listens_does_not_hold_it(tmp_path: Path) -> None:
    """Ctrl-C goes to the whole group of processes, at any time, and a browser holds a connection open."""
    for listened in (False, True):
        process = subprocess.Popen(
            [PITWATCH, "run", "--web-port", "0", "--log", tmp_path / "p.db"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
        )  # fmt: skip
        assert process.stdout is not None
        page = None
        if listened:
            process.stdout.readline()
            address = process.stdout.readline().removeprefix("Page: http://").strip("/\n").split(":")
            page = socket.create_connection((address[0], int(address[1])))
            page.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert page.recv(12) == b"HTTP/1.1 200"
        else:
            process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
        assert (process.returncode, complaints) == (130, "")
        if page is not None:
            page.close()


def test_strangers_words_are_refused_in_one_sentence_and_change_nothing(tmp_path: Path) -> None:
    with service(tmp_path / "p.db", "--no-auto", "--speed", "20", "-o", "pits=3") as running:
        before = running.until(lambda state: state["view"]["phase"] == "waiting")
        for path, body, status, sentence in (
            ("hand", {"do": "dance"}, 400, "the request does not fit"),
            ("hand", {"do": "play", "pit": 99}, 400, "hole 99 is no pit of this board: 0 to 5 was expected"),
            ("hand", {"do": "play", "pit": 3}, 400, "a is not legal"),
            ("hand", {"do": "play", "pit": -1}, 400, "the request does not fit at play.pit"),
            ("hand", {"do": "play", "pit": "x"}, 400, "the request does not fit at play.pit"),
            ("hand", {"do": "mistake", "kind": "sneeze", "pit": 0}, 400, "mistake 'sneeze' is not known"),
            (
                "hand",
                {"do": "mistake", "kind": "capture_missed", "pit": 0},
                400,
                "the mistake capture_missed",
            ),
            ("hand", {"do": "mend"}, 400, "nothing is to be put right"),
            ("hand", {"do": "speed", "factor": -1}, 400, "the request does not fit at speed.factor"),
            ("inputs", {"input": "takeback"}, 400, "takeback has no meaning"),
            ("inputs", {"input": "answer", "choice": 0}, 400, "answer has no meaning now"),
            ("inputs", {"input": "swap"}, 400, "swap has no meaning now"),
            ("inputs", {"input": "shout"}, 400, "the request does not fit at input"),
            ("inputs", ["takeback"], 400, "the request does not fit"),
            ("games", {"game": "chess"}, 400, "unknown game 'chess'"),
            ("games", {"game": "/tmp/own.toml"}, 400, "unknown game '/tmp/own.toml': one of "),
            ("games", {"game": "kalah", "options": {"seeds": 99}}, 400, "option seeds cannot be 99"),
            ("games", {"game": "kalah", "options": {"seeds": [4]}}, 400, "the request does not fit at opt"),
            ("games", {"game": "kalah", "players": ["Ann"]}, 400, "1 names for 2 players"),
            ("nowhere", {}, 404, "Not Found"),
        ):
            answered, said = running.post(path, body)
            assert (answered, *said) == (status, "error"), (path, body, said)
            assert said["error"].startswith(sentence), (path, body, said)
            assert "\n" not in said["error"]
        after = running.get("state")
        assert (after["game_id"], after["seq"]) == (before["game_id"], before["seq"])
        assert len(running.children()) == 1
        running.post("hand", {"do": "play", "pit": 0})
        running.until(lambda state: state["moves"] == ["A"])


def test_two_new_games_at_once_leave_one_board(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with service(tmp_path / "p.db", "--no-auto", "--speed", "20") as running:
        wanted = [{"game": "kalah", "options": {"pits": pits}} for pits in (3, 4)]
        with ThreadPoolExecutor() as pool:
            statuses = [status for status, _ in pool.map(lambda body: running.post("games", body), wanted)]
        assert statuses == [201, 201]
        state = running.until(lambda state: state["view"]["phase"] == "waiting")
        assert len(running.get("games")) == 3
        assert state["game_id"] == running.get("games")[0]["game_id"]
        assert len(running.children()) == 1


def test_the_players_may_swap_sides_and_the_hand_knows(tmp_path: Path) -> None:
    with service(
        tmp_path / "p.db", "--no-auto", "--speed", "20", "-o", "pie=true", "-o", "pits=3"
    ) as running:
        running.until(lambda state: state["view"]["phase"] == "waiting")
        running.post("hand", {"do": "play", "pit": 0})
        state = running.until(lambda state: state["moves"] == ["A"])
        assert "swap" in state["events"][-1]["legal"]
        assert running.post("inputs", {"input": "swap"})[0] == 202
        state = running.until(lambda state: state["moves"] == ["A", "swap"])
        pit = state["view"]["legal"][0]
        assert running.post("hand", {"do": "play", "pit": pit})[0] == 202
        running.until(lambda state: len(state["moves"]) == 3)


@pytest.mark.parametrize(("kind", "said"), [("board", True), ("none", False)])
def test_lamps_of_a_weighing_board_that_is_not_read_stay_dark_and_it_is_said(
    tmp_path: Path, kind: str, said: bool
) -> None:
    file = tmp_path / "board.toml"
    lamps = "" if kind == "none" else f"\nholes = {list(range(14))}"
    file.write_text(board_text("two-by-six")[0] + f'\n[lights]\nkind = "{kind}"{lamps}\n')
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "1.png"), np.zeros((90, 160, 3), np.uint8))
    with service(tmp_path / "p.db", "--board", str(file), "--pictures", str(pictures)) as running:
        assert ('The lamps stay dark: [lights] kind is "board"' in running.said) == said


def test_a_board_without_markers_waits_for_its_corners_and_it_is_said(tmp_path: Path) -> None:
    file, picture = tmp_path / "board.toml", tmp_path / "1.png"
    file.write_text(board_text("two-by-six")[0].partition("[[marker]]")[0])
    cv2.imwrite(str(picture), np.zeros((90, 160, 3), np.uint8))
    with service(tmp_path / "p.db", "--board", str(file), "--pictures", str(picture)) as running:
        asked = 'set its corners on the page, under "What the camera sees", or '
        assert f"has 0 markers; {asked}name them as corners in [camera]\n" in running.said
        assert running.get("state")["camera"]


def test_a_board_with_other_cells_than_the_calibration_is_said_on_the_page(tmp_path: Path) -> None:
    with board(tmp_path, "--speed", "20", "--play", "none", "-o", "pits=7") as there:
        plain = json.loads(there.calibration.read_text())
        for key in ("cell_noise", "zero_counts", "counts_per_gram"):
            plain[key] = plain[key][:14]
        plain["crosstalk"] = [row[:14] for row in plain["crosstalk"][:14]]
        there.calibration.write_text(json.dumps(plain))
        with service(tmp_path / "p.db", *there.options) as running:
            state = running.until(lambda state: state["view"]["phase"] == "lost")
            assert state["sensor"] == (
                "the board has 16 cells, the calibration 14: calibrate the scale of this board"
            )
