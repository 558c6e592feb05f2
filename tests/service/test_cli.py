"""The command line as a person meets it: what it prints, and how it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BadInput, PitwatchError
from service import cli
from service.commands import doctor

PITWATCH = Path(sys.executable).with_name("pitwatch")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call `pitwatch` with words: exit status, stdout, stderr."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["pitwatch", *words])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        out, err = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return stopped.value.code, out, err

    return call


def test_games_are_told_in_words(run: Run) -> None:
    status, out, _ = run("games")
    assert status == 0
    assert "kalah" in out
    assert "grand_slam" in out


def test_games_are_told_in_json(run: Run) -> None:
    status, out, _ = run("games", "--json")
    told = {game["game"]: game for game in json.loads(out)}
    assert status == 0
    assert {"kalah", "oware"} <= told.keys()
    options = {option["name"]: option for option in told["kalah"]["options"]}
    assert options["seeds"]["default"] == 4
    assert {3, 4, 5, 6} <= set(options["seeds"]["values"])
    assert options["empty_capture"]["values"] == [False, True]
    assert options["end"]["values"] == ["either", "to_move"]
    assert all(option["text"] for game in told.values() for option in game["options"])
    assert all(option["default"] in option["values"] for game in told.values() for option in game["options"])


def test_perft(run: Run) -> None:
    assert run("perft", "kalah", "3") == (0, "185\n", "")
    status, out, _ = run("perft", "oware", "2", "-o", "seeds=3", "-o", "grand_slam=capture", "--json")
    told = json.loads(out)
    assert status == 0
    assert (told["game"], told["depth"], told["nodes"]) == ("oware", 2, 36)
    assert told["options"]["seeds"] == 3
    assert told["options"]["grand_slam"] == "capture"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["perft", "chess", "3"], "unknown game 'chess'"),
        (["perft", "kalah", "3", "-o", "seeds=99"], "option seeds cannot be '99'"),
        (["perft", "kalah", "3", "-o", "colour=red"], "kalah has no option 'colour'"),
        (["perft", "kalah", "3", "-o", "seeds"], "'seeds' is not name=value"),
        (["perft", "kalah", "3", "-o", "seeds=3", "-o", "seeds=4"], "seeds is given twice"),
        (["perft", "--", "kalah", "-1"], "depth is -1"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, words: list[str], said: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("pitwatch: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["nonsense"], ["perft", "kalah", "three"], ["games", "--nonsense"]])
def test_a_wrong_word_is_a_usage_error(run: Run, words: list[str]) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert "Usage: pitwatch" in err


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (BadInput("a sentence\nover two lines"), 2, "pitwatch: a sentence over two lines\n"),
        (PitwatchError("the port has gone"), 2, "pitwatch: the port has gone\n"),
        (PermissionError(13, "Permission denied", "/x"), 2, "pitwatch: /x: Permission denied\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_how_a_command_that_fails_ends(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, said: str
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "app", fail)
    assert run() == (status, "", said)


def test_a_reader_that_has_gone_is_no_news() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([PITWATCH, "games"], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert done.returncode == 1
    assert done.stderr == b""


def test_an_interrupt_is_quiet() -> None:
    with subprocess.Popen(
        [PITWATCH, "engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Tests that run in the background of a shell may have been told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert b"error" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
        assert process.wait() == 130


def test_doctor_finds_what_this_machine_has(run: Run) -> None:
    status, out, _ = run("doctor", "--json")
    told = {finding["name"]: finding for finding in json.loads(out)}
    assert status == 0
    assert told["python"]["good"]
    assert told["cv2"]["good"]
    assert told["numpy"]["good"]
    assert not told["lights"]["needed"]
    assert all(finding["good"] or finding["mend"] for finding in told.values())


def test_doctor_prints_a_line_for_each(run: Run) -> None:
    status, out, _ = run("doctor")
    assert status == 0
    assert [line.split(":")[0].split(maxsplit=1)[1] for line in out.splitlines()] == [
        finding.name for finding in doctor.examine()
    ]


def test_doctor_names_the_mend() -> None:
    old = doctor.python((3, 10, 4))
    assert (old.good, old.mend) == (False, "install Python 3.11 to 3.14")
    absent = doctor.library("no_such_library", "2")
    assert not absent.good
    assert 'pip install "no_such_library>=2"' in absent.mend
    outdated = doctor.library("numpy", "99")
    assert not outdated.good
    assert 'pip install "numpy>=99"' in outdated.mend
