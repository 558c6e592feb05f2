"""`pitwatch calibrate scale`: over a port and a pty, into a board file, on terminal, page and lights."""

import asyncio
import json
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from httpx import ASGITransport, AsyncClient
from playwright.async_api import Page, expect

from engine import games
from engine.errors import BadInput
from engine.game import Game
from engine.match import first
from firmware_bridge.calibration import Plan, ScaleCalibration
from firmware_bridge.frames import CellFlag
from firmware_bridge.scale import Calibration
from firmware_bridge.search import Search
from hardware.lights import BLACK, RGB, NoLights
from referee.referee import Settings
from service import cli
from service.boardfile import board as find_board
from service.boardfile import board_calibration, board_text, shipped
from service.boardsection import put_table, with_table
from service.calibrating import ASKED, FAULTY, Calibrating, names_of
from service.log import Log
from service.simulated import Pretence, SimulatedBoard
from service.table import LiveTable, Scales
from service.web.calibration import create_calibration_app
from service.web.serving import listen, server
from tests.service.running import PATIENCE_S, PITWATCH, board

NAMES = (*"ABCDEFabcdef", "South", "North")
FRESH = (int(CellFlag.FRESH),) * 14


def run(folder: Path, *words: str, say: str = "") -> tuple[int, str, str]:
    """`pitwatch calibrate scale` in `folder`: exit status, stdout, stderr."""
    done = subprocess.run(
        [PITWATCH, "calibrate", "scale", *words],
        cwd=folder, input=say, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_a_simulated_board_is_calibrated_into_a_copy_of_a_shipped_board(tmp_path: Path) -> None:
    status, out, said = run(tmp_path, "--simulate", "--board", "two-by-six", "--weight", "50", "--json")
    assert status == 0, said
    found = json.loads(out)
    assert "Move the same stones, all of them, into B.  [Enter]" in said
    assert "Written into two-by-six.toml." in said
    text = (tmp_path / "two-by-six.toml").read_text()
    assert text.startswith(board_text("two-by-six")[0].rstrip())
    read = board_calibration(tmp_path / "two-by-six.toml")
    assert read is not None
    expected = Calibration.from_json(found)
    assert read.counts_per_gram == pytest.approx(expected.counts_per_gram, rel=1e-6)
    assert read.crosstalk[1] == pytest.approx(expected.crosstalk[1], abs=1e-5)
    assert found["weighed"] is True
    assert found["rate"] == pytest.approx([80.0] * 14, rel=0.01)


def test_a_person_is_guided_over_a_port_and_may_stop(tmp_path: Path) -> None:
    with board(tmp_path, "--play", "none", "--speed", "0") as simulated:
        status, out, said = run(
            tmp_path, "--board", "two-by-six", "--port", str(simulated.port), say="right\n\nstop\n"
        )
    assert (status, out) == (1, "")
    assert said.startswith("0/19  Take everything out of all pits and stores.  [Enter]\n")
    assert "the answer is right: done was expected" in said
    assert said.endswith("Ended before all was found: nothing is written.\n")
    assert not (tmp_path / "two-by-six.toml").exists()


def test_answers_may_come_from_a_file_which_ends(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.write_text("right\n")
    for path in (answers, Path("/dev/null")):
        with path.open() as said:
            done = subprocess.run(
                [PITWATCH, "calibrate", "scale", "--board", "two-by-six", "--port", str(tmp_path / "none")],
                cwd=tmp_path, stdin=said, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            )  # fmt: skip
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.endswith("Ended before all was found: nothing is written.\n")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "pitwatch: --board is wanted: the board file to write into, or a shipped board"),
        (["--simulate", "--port", "x"], "pitwatch: --simulate is of a board that is not there"),
        (["--board", "nowhere.toml"], "pitwatch: board file nowhere.toml cannot be read"),
        (["--simulate", "--weight", "5000"], "pitwatch: the weight is 5000 g: 1 to 500 g was expected"),
        (["--simulate", "--seeds", "5"], "pitwatch: 5 seeds: two for each of 12 pits"),
        (["--simulate", "--seeds", "0"], "pitwatch: invalid value for '--seeds'"),
        (["--simulate", "--web-port", "99999"], "pitwatch: invalid value for '--web-port'"),
        (
            ["--board", "two-by-six", "--game", "bao"],
            "pitwatch: the board walnut two by six has 12 pits and 2 stores",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pitwatch", "calibrate", "scale", *words])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    out, said = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert said.startswith(sentence)
    assert said.count("\n") == 1


# -- the board file

FILE = """\
# my walnut board
name = "walnut"   # from the attic

[calibration]     # measured in May
seed_mass = { mean = 2.0, sd = 0.1 }
crosstalk = [
    [1.0, 0.0],
]

# its corner stores
[[store]]
player = 0
"""


def test_all_but_the_table_stays_as_it_was() -> None:
    after = with_table(FILE, "calibration", "cell_noise = 0.1\n")
    assert (
        after == FILE[: FILE.index("seed_mass")] + "cell_noise = 0.1\n" + FILE[FILE.index("\n# its corner") :]
    )
    assert with_table(after, "calibration", "cell_noise = 0.1\n") == after
    assert with_table("a = 1", "calibration", "b = 2\n") == "a = 1\n\n[calibration]\nb = 2\n"


def test_a_file_that_cannot_be_told_apart_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text('text = """\n[calibration]\n"""\n')
    with pytest.raises(BadInput, match=r"take it out by hand|is not TOML"):
        put_table(path, "calibration", "x = 1\n")
    assert path.read_text() == 'text = """\n[calibration]\n"""\n'
    assert [file.name for file in tmp_path.iterdir()] == ["b.toml"]


def test_a_link_stays_a_link_and_rights_stay_rights(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "link.toml"
    real.write_text("a = 1\n")
    real.chmod(0o600)
    link.symlink_to(real)
    put_table(link, "x", "b = 2\n")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert tomllib.loads(real.read_text()) == {"a": 1, "x": {"b": 2}}


def test_a_calibration_that_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text(board_text("two-by-six")[0] + "\n[calibration]\ncell_noise = [0.1]\n")
    with pytest.raises(BadInput, match=r"board file .*b\.toml: the calibration lacks 'seed_mass'"):
        board_calibration(path)
    assert board_calibration("two-by-six") is None


def test_holes_have_the_names_of_the_game_or_numbers() -> None:
    ring = shipped("orient-square")
    assert names_of(shipped("two-by-six"), NAMES) == NAMES
    assert names_of(ring, NAMES)[0] == "pit 1"
    assert names_of(ring, NAMES)[-1] == "store 4"


# -- page and lights


class Lamps(NoLights):
    """Lights that remember what they show."""

    def __init__(self) -> None:
        super().__init__(14)
        self.shown: list[RGB] = []

    def show(self, colours: Any) -> None:
        super().show(colours)
        self.shown = list(colours)


def calibrating() -> Calibrating:
    return Calibrating(ScaleCalibration(Plan(NAMES, 12, 48)), Search("/dev/nowhere"))


def weigh(guided: Calibrating, loads: dict[int, float], t: float) -> float:
    """Four seconds of cells of 4000 counts a gram, 20 times a second."""
    for number in range(80):
        t += 0.05
        counts = [round(4000 * loads.get(cell, 0.0)) + number % 2 for cell in range(14)]
        guided.calibration.read(t, counts, FRESH)
    return t


async def test_the_lights_show_which_hole_is_meant_and_which_is_wrong() -> None:
    guided, lamps = calibrating(), Lamps()
    lighting = asyncio.create_task(guided.light(lamps))

    async def lit() -> list[RGB]:
        lamps.shown = []
        while not lamps.shown:  # noqa: ASYNC110  # lamps have no event
            await asyncio.sleep(0.01)
        return lamps.shown

    assert await lit() == [BLACK] * 14
    guided.answer("done")
    t = weigh(guided, {}, 0.0)
    assert await lit() == [ASKED] + [BLACK] * 13
    guided.answer("done")
    weigh(guided, {2: 40.0}, t)
    assert await lit() == [FAULTY, BLACK, FAULTY] + [BLACK] * 11
    lighting.cancel()


async def test_the_page_asks_and_takes_answers() -> None:
    guided = calibrating()
    transport = ASGITransport(app=create_calibration_app(guided, shipped("two-by-six")))
    async with AsyncClient(transport=transport, base_url="http://127.0.0.1") as web:
        now = (await web.get("/api/calibration")).json()
        assert (now["text"], now["answers"]) == ("Take everything out of all pits and stores.", ["done"])
        assert len(now["layout"]["pits"]) == 12
        refused = await web.post("/api/calibration", json={"answer": "again"})
        assert refused.status_code == 400
        assert refused.json() == {"error": "the answer is again: done was expected"}
        assert (await web.post("/api/calibration", json={"answer": "maybe"})).status_code == 400
        assert (await web.post("/api/calibration", json={"answer": "done"})).json()["answers"] == []
        foreign = await web.post(
            "/api/calibration", json={"answer": "done"}, headers={"Origin": "http://evil"}
        )
        assert foreign.status_code == 403


# -- in a running service


@asynccontextmanager
async def refereed(folder: Path, game: Game) -> AsyncIterator[tuple[LiveTable, SimulatedBoard, Path]]:
    """A service on a simulated board whose port is as a real one's, and its board file; not calibrated."""
    simulated = await SimulatedBoard.start(first(game), (), Pretence(seed=3, speed=0.0, auto=False))
    file = folder / "walnut.toml"
    file.write_text(board_text("two-by-six")[0])
    layout = find_board(str(file))
    raw = Calibration(1.0, 0.1, (0.1,), (0.0,) * 14, (4000.0,) * 14)
    scales = Scales(Search(simulated.port), raw, file=file)
    with Log(folder / "p.db") as log:
        table = LiveTable(log, NoLights(14), layout, (scales,), layout, Settings())
        await table.open(game)
        work = [asyncio.create_task(each) for each in (table.watch(), table.light())]
        try:
            yield table, simulated, file
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            await table.close()
            await simulated.close()


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not there():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_running_service_is_calibrated_and_referees_with_what_was_found(tmp_path: Path) -> None:
    async with refereed(tmp_path, games.load("kalah")) as (table, simulated, file):
        await until(lambda: table.snapshot().sensor == "reads")
        before = table.snapshot()
        assert before.calibrates
        await table.calibrate("begin")
        assert table.snapshot().sensor == "the scale is being calibrated"
        guided = table.guided
        assert guided is not None
        await guided.be_handed(simulated)
        await until(lambda: table.snapshot().game_id != before.game_id)
        asked = table.calibration()
        assert asked is not None
        assert asked["text"] == "The scale is calibrated."
        assert len(asked["layout"]["pits"]) == 12
        kept = board_calibration(file)
        assert kept is not None
        assert kept.zero_counts == pytest.approx(simulated.calibration.zero_counts, abs=2000)
        assert kept.counts_per_gram[3] / kept.counts_per_gram[0] == pytest.approx(
            simulated.calibration.counts_per_gram[3] / simulated.calibration.counts_per_gram[0], rel=0.01
        )
        # The stones are set up, and with these numbers the referee sees that they are.
        await simulated.ask({"do": "lay", "counts": [4] * 12 + [0, 0], "things": {}})
        await until(lambda: table.snapshot().view.phase == "waiting")
        await simulated.ask({"do": "play", "move": "A"})
        await until(lambda: not table.snapshot().calibrates)
        with pytest.raises(BadInput, match="a game is being played: calibrate before its first move"):
            await table.calibrate("begin")


async def test_a_calibration_in_a_running_service_may_be_stopped(tmp_path: Path) -> None:
    async with refereed(tmp_path, games.load("kalah")) as (table, _, file):
        text, game_id = file.read_text(), table.snapshot().game_id
        with pytest.raises(BadInput, match="no calibration is going on: begin one"):
            await table.calibrate("done")
        await table.calibrate("begin")
        with pytest.raises(BadInput, match="the answer is right: done was expected"):
            await table.calibrate("right")
        await table.calibrate("stop")
        assert table.calibration() is None
        await until(lambda: table.snapshot().sensor == "reads")
        assert (file.read_text(), table.snapshot().game_id) == (text, game_id)


@pytest_asyncio.fixture(loop_scope="module")
async def served() -> AsyncIterator[tuple[Calibrating, str]]:
    guided = calibrating()
    with listen("127.0.0.1", 0) as listening:
        page = server(create_calibration_app(guided, shipped("two-by-six")))
        serving = asyncio.create_task(page.serve(sockets=[listening]))
        yield guided, f"http://127.0.0.1:{listening.getsockname()[1]}/"
        page.should_exit = True
        await serving


@pytest.mark.asyncio(loop_scope="module")
async def test_a_browser_guides_from_hole_to_hole(
    served: tuple[Calibrating, str], browser_page: Page
) -> None:
    guided, address = served
    await browser_page.goto(address)
    await expect(browser_page.locator("#prompt")).to_have_text("Take everything out of all pits and stores.")
    await browser_page.get_by_role("button", name="Done").click()
    await expect(browser_page.locator("#prompt")).to_have_text("Measuring: hands off, please.")
    t = weigh(guided, {}, 0.0)
    await expect(browser_page.locator("#prompt")).to_contain_text("Put a good handful of stones into A")
    await expect(browser_page.locator('[data-hole="0"] .lamp')).to_have_class("lamp c-blue p-slow")
    await expect(browser_page.locator('[data-hole="1"] .lamp')).to_have_class("lamp c-none p-off")
    guided.answer("done")
    weigh(guided, {2: 40.0}, t)
    await expect(browser_page.locator("#prompt")).to_contain_text("The cell of C feels what should lie in A")
    await expect(browser_page.locator('[data-hole="2"] .lamp')).to_have_class("lamp c-red p-slow")
    await browser_page.get_by_role("button", name="They lie right").click()
    await expect(browser_page.locator("#prompt")).to_have_text(
        "The cells of A and C are swapped: exchange their plugs."
    )
