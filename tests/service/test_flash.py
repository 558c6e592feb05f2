"""`pitwatch flash`, with a stand-in for avrdude that keeps an EEPROM in a file and notes what it is told."""

import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.commands.flash import EEPROM_BYTES, Identity
from tests.service.conftest import Run

AVRDUDE = """#!{python}
import pathlib, sys
here = pathlib.Path(__file__).parent
with (here / "told").open("a") as told:
    print(*sys.argv[1:], file=told)
if (here / "fails").exists():
    sys.exit((here / "fails").read_text())
eeprom = here / "eeprom"
for operation in [word for flag, word in zip(sys.argv, sys.argv[1:]) if flag == "-U"]:
    memory, way, path, form = operation.split(":")
    if (memory, way, form) == ("eeprom", "r", "r"):
        pathlib.Path(path).write_bytes(eeprom.read_bytes())
    elif (memory, way, form) == ("eeprom", "w", "i"):
        held = bytearray(eeprom.read_bytes())
        for line in pathlib.Path(path).read_text().split():
            record = bytes.fromhex(line[1:])
            assert sum(record) & 0xFF == 0, line
            held[record[2]: record[2] + record[0]] = record[4:-1]
        eeprom.write_bytes(held)
    else:
        assert (memory, way, form) == ("flash", "w", "i"), operation
        assert pathlib.Path(path).is_file()
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the stand-in, a blank EEPROM, a firmware and a port; and nothing else can be called."""
    (tmp_path / "avrdude").write_text(AVRDUDE.format(python=sys.executable))
    (tmp_path / "avrdude").chmod(0o755)
    (tmp_path / "eeprom").write_bytes(b"\xff" * EEPROM_BYTES)
    (tmp_path / "pitwatch.hex").write_text(":00000001FF\n")
    (tmp_path / "ttyACM0").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    plugged(monkeypatch, str(tmp_path / "ttyACM0"))
    return tmp_path


def plugged(monkeypatch: pytest.MonkeyPatch, *mega: str, other: tuple[str, ...] = ()) -> None:
    """Have the system show ports: those of an Arduino Mega, and of other things on USB."""
    ports = [SimpleNamespace(device=name, vid=0x2341, pid=0x0042) for name in mega]
    ports += [SimpleNamespace(device=name, vid=0x1A86, pid=0x7523) for name in other]
    ports.append(SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None))
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)


@pytest.fixture
def run(bench: Path, pitwatch: Run) -> Run:
    """Call `pitwatch flash` with words: exit status, stdout, stderr."""
    return partial(pitwatch, "flash", "--hex", bench / "pitwatch.hex")


def identity(bench: Path) -> Identity | None:
    return Identity.read((bench / "eeprom").read_bytes())


def test_a_new_board_gets_its_firmware_its_cells_and_an_id(bench: Path, run: Run) -> None:
    status, out, err = run("--cells", 14)
    assert (status, err) == (0, "")
    kept = identity(bench)
    assert kept is not None
    assert kept.cells == 14
    assert out == (
        f"board {kept.unique_id.hex()} on {bench}/ttyACM0 has the new firmware and reads 14 cells\n"
    )
    read, written = (bench / "told").read_text().splitlines()
    for line in (read, written):
        assert f"-p atmega2560 -c wiring -P {bench}/ttyACM0 -b 115200 -D -U" in line
    assert f"-U flash:w:{bench}/pitwatch.hex:i -U eeprom:w:" in written
    # Beside the identity nothing is written: the count of starts goes on.
    eeprom = (bench / "eeprom").read_bytes()
    assert eeprom == b"\xff" * 4 + b"PW" + kept.unique_id + b"\x0e" + b"\xff" * (EEPROM_BYTES - 15)


def test_a_board_keeps_its_id_and_its_cells_until_they_are_told_anew(bench: Path, run: Run) -> None:
    run("--cells", 14)
    first = identity(bench)
    assert first is not None
    assert run()[0] == 0
    assert identity(bench) == first
    assert run("--cells", 34)[0] == 0
    assert identity(bench) == Identity(first.unique_id, 34)


def test_two_new_boards_have_different_ids(bench: Path, run: Run) -> None:
    run("--cells", 14)
    first = identity(bench)
    (bench / "eeprom").write_bytes(b"\xff" * EEPROM_BYTES)
    run("--cells", 14)
    assert identity(bench) != first


def test_a_new_board_is_not_guessed_at(bench: Path, run: Run) -> None:
    status, _, err = run()
    assert status == 2
    assert err.endswith("is new: say how many cells are wired, such as --cells 14\n")
    assert identity(bench) is None


@pytest.mark.parametrize(
    ("mega", "other", "sentence"),
    [
        ((), (), "no board is plugged in: connect it by USB, or name its port with --port"),
        (("/dev/a", "/dev/b"), (), "several boards are plugged in, at /dev/a, /dev/b: name one with --port"),
        (("/dev/a",), ("/dev/b",), "there is no port /dev/a: plug the board in, or name another with --port"),
        ((), ("/dev/b",), "there is no port /dev/b: plug the board in, or name another with --port"),
    ],
)
def test_the_port_is_the_only_one_there_or_has_to_be_named(
    mega: tuple[str, ...], other: tuple[str, ...], sentence: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugged(monkeypatch, *mega, other=other)
    assert run("--cells", 14) == (2, "", f"pitwatch: {sentence}\n")


def test_a_named_port_is_taken_whatever_else_is_there(
    bench: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugged(monkeypatch, "/dev/a", "/dev/b")
    assert run("--cells", 14, "--port", bench / "ttyACM0")[0] == 0


def test_what_is_missing_is_said_in_one_sentence(bench: Path, run: Run) -> None:
    assert run("--cells", 35)[2] == (
        "pitwatch: --cells is 35: 1 to 34 was expected, the chip has pins for no more\n"
    )
    (bench / "pitwatch.hex").unlink()
    assert run()[2] == (
        f"pitwatch: there is no firmware {bench}/pitwatch.hex: run make firmware, or name the file with "
        "--hex\n"
    )
    (bench / "avrdude").unlink()
    assert run() == (
        2, "", "pitwatch: avrdude is not installed: run apt install avrdude, then try again\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("cannot open port: Permission denied", "may not be opened by this user: add the user to the group"),
        (
            "ser_open(): can't open: Device or resource busy",
            "is in use by another program: end that one first",
        ),
        (
            "stk500v2_getsync(): timeout\n\navrdude error: unable to open programmer",
            "does not answer as a Mega 2560 (avrdude error: unable to open programmer): is it one, and the",
        ),
        ("", "does not answer as a Mega 2560: is it one, and the right port?"),
    ],
)
def test_what_avrdude_says_becomes_one_sentence(said: str, sentence: str, bench: Path, run: Run) -> None:
    (bench / "fails").write_text(said)
    status, _, err = run("--cells", 14)
    assert status == 2
    assert err.count("\n") == 1
    assert f"on {bench}/ttyACM0 {sentence}" in err or f"port {bench}/ttyACM0 {sentence}" in err
