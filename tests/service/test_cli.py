"""The command line as a person meets it: what it prints, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import BadInput, PitwatchError
from service import app
from service.commands import doctor
from tests.service.conftest import Run
from tests.service.running import board

PITWATCH = Path(sys.executable).with_name("pitwatch")


@pytest.fixture
def run(pitwatch: Run) -> Run:
    return pitwatch


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
    for option in (option for game in told.values() for option in game["options"]):
        if option["values"] is None:
            assert re.fullmatch(option["pattern"], option["default"])
        else:
            assert option["default"] in option["values"]
            assert "pattern" not in option


def test_how_a_list_of_numbers_is_written_is_told(run: Run) -> None:
    _, out, _ = run("games", "orient-standard", "congklak", "--json")
    lists = {
        (game["game"], option["name"]): option["pattern"]
        for game in json.loads(out)
        for option in game["options"]
        if option["values"] is None
    }
    assert lists.keys() == {
        ("orient-standard", "owner"), ("orient-standard", "start"), ("congklak", "short"),
    }  # fmt: skip
    for text in ("", "4", "0 1 0 1 0 1 0 1 0 1 0 1", "0,1, 10", "1234567890", "1 x", "-1"):
        fits = re.fullmatch(lists["orient-standard", "owner"], text) is not None
        assert fits == (run("perft", "orient-standard", "1", "-o", f"owner={text}")[2].find("cannot be") < 0)


def test_the_words_of_a_file_are_printed_as_they_are_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "[red]x.toml"
    path.write_text(
        'title = "A [bold]b[/bold] :smile: \\\\[/]"\nsource = "s"\ntext = "[link=x]T[/] :x:"\n'
        '[options.way]\ndefault = "[i]"\nvalues = ["[i]", ":+1:"]\ntext = "[u]w :tada:"\n'
        '[board]\nshape = "two_rows"\nrow = 4\nstore = "right"\n[rules]\nseeds = 3\n',
        encoding="utf-8",
    )
    status, out, err = run("games", str(path))
    assert (status, err) == (0, "")
    flat = " ".join(out.split())
    for words in ("A [bold]b[/bold] :smile: \\[/]", "[link=x]T[/] :x:", "[i] or :+1:", "[u]w :tada:"):
        assert words in flat
    assert "[red]x.toml" in "".join(out.split())


def test_a_game_without_words_in_a_language_is_said_to_be(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('base = "oware"\ntext = "As at the club."\n', encoding="utf-8")
    for form in ([], ["--json"]):
        status, out, err = run("games", str(path), "--language", "nl", *form)
        assert status == 0
        assert "As at the club." in out
        assert err == f"pitwatch: {path} has no text in nl: it is told as it is written\n"
    assert run("games", str(path))[2] == run("games", "--language", "de")[2] == ""


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


@pytest.mark.parametrize(
    ("words", "said", "helped"),
    [
        (["nonsense"], "nonsense", "pitwatch"),
        (["--nonsense"], "--nonsense", "pitwatch"),
        (["perft"], "missing argument", "pitwatch perft"),
        (["perft", "kalah"], "missing argument", "pitwatch perft"),
        (["perft", "kalah", "three"], "valid integer", "pitwatch perft"),
        (["perft", "kalah", "-1"], "-1 is negative: 0 or more was expected", "pitwatch perft"),
        (["perft", "kalah", "-12"], "-12 is negative: 0 or more was expected", "pitwatch perft"),
        (["perft", "kalah", "3", "4"], "4", "pitwatch perft"),
        (["games", "--nonsense"], "--nonsense", "pitwatch games"),
        (["games", "--language"], "--language", "pitwatch games"),
        (["export", "--format", "xml"], "'xml' is not one of 'text'", "pitwatch export"),
        (["run", "--web-port", "x"], "'--web-port': a valid integer was expected", "pitwatch run"),
    ],
)
def test_a_wrong_word_is_one_sentence(run: Run, words: list[str], said: str, helped: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("pitwatch: ")
    assert err.endswith(f"; see {helped} --help\n")
    assert err.count("\n") == 1


def test_help_is_there_for_the_asking(run: Run) -> None:
    for words in ([], ["--help"]):
        status, out, err = run(*words)
        assert (status, err) == (0, "")
        assert "Usage: pitwatch" in out
        assert "perft" in out
    status, out, err = run("perft", "--help")
    assert (status, err) == (0, "")
    assert "Usage: pitwatch perft" in out
    assert run("--version")[0] == 0


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
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(app, "app", fail)
    assert run() == (status, "", said)


@pytest.mark.parametrize("words", [["games"], ["games", "--json"], ["perft", "kalah", "2"], ["--help"]])
def test_a_reader_that_has_gone_is_no_news(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([PITWATCH, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert done.stderr == b""


def test_an_interrupt_while_it_is_loaded_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [PITWATCH, "games"], capture_output=True, check=False, env={**os.environ, "PYTHONPATH": path}
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_what_begins_it_loads_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import service.cli; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded - set(sys.stdlib_module_names) == {"service"}


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


def test_doctor_listens_to_the_boards_where_it_is_told(run: Run, tmp_path: Path) -> None:
    with board(tmp_path, "--play", "none", "-o", "pits=3") as there:
        status, out, err = run("doctor", "--port", str(there.port), "--json")
    findings = {finding["name"]: finding for finding in json.loads(out)}
    name = f"board {b'simulate'.hex()}"
    assert err == ""
    assert findings[name]["good"]
    assert findings[name]["text"].startswith(f"on {there.port}, firmware simulated 1, link 1.1, 8 cells, ")
    assert findings[f"cells of {name}"]["text"].startswith("8 of 8 live, noise of ")
    assert status == 0
    for port, said in (
        (str(there.port), f"there is no port {there.port}: plug the board in"),
        (f"{tmp_path}/tty*", f"there is no serial port at {tmp_path}/tty*"),
    ):
        status, out, _ = run("doctor", "--port", port)
        assert status == 1
        assert f"bad   board: {said}" in out


def test_drawings_of_a_board(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "drawings"
    status, out, err = run("drawings", "--board", "two-by-six", "--to", str(folder), "--json")
    assert (status, err) == (0, "")
    wires = json.loads(out)
    assert len(wires) == 14
    assert wires[0] == {"cell": 1, "hole": "pit 0", "chip": "PA0", "mega": "D22"}
    names = ["base.svg", "cups.svg", "parts.md", "top.svg", "wiring.svg"]
    assert sorted(file.name for file in folder.iterdir()) == names
    assert "| 14 " in (folder / "parts.md").read_text()
    status, out, _ = run("drawings", "--board", "two-by-six")
    assert status == 0
    assert out.splitlines()[2].split() == ["|", "1", "|", "pit", "0", "|", "D22", "|", "PA0", "|"]
    (tmp_path / "file").write_text("")
    status, _, err = run("drawings", "--board", "two-by-six", "--to", str(tmp_path / "file"))
    assert status == 2
    assert err.startswith(f"pitwatch: the drawings cannot be written to {tmp_path}/file (File exists): name")


def test_doctor_names_the_mend() -> None:
    old = doctor.python((3, 10, 4))
    assert (old.good, old.mend) == (False, "install Python 3.11 to 3.14")
    absent = doctor.library("no_such_library", "2")
    assert not absent.good
    assert 'pip install "no_such_library>=2"' in absent.mend
    outdated = doctor.library("numpy", "99")
    assert not outdated.good
    assert 'pip install "numpy>=99"' in outdated.mend


def test_an_empty_port_is_no_port(run: Run) -> None:
    status, out, err = run("doctor", "--port", "")
    assert (status, out) == (2, "")
    assert err == "pitwatch: --port is empty: name a port, a pattern or usb, or leave it out\n"
