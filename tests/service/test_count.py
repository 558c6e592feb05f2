"""`pitwatch count` as people and programs meet it, on pictures that the tests draw."""

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.errors import BadInput
from service.boardfile import load_circles, shipped
from tests.service.conftest import Run
from tests.vision.conftest import COUNTS, drawn
from tests.vision.draw import Shot, homography
from vision.lens import project

PITWATCH = Path(sys.executable).with_name("pitwatch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`board.png` holds `COUNTS`; `pits.json` says where its pits are."""
    folder = tmp_path_factory.mktemp("pictures")
    layout = shipped("two-by-six")
    assert cv2.imwrite(str(folder / "board.png"), drawn(layout, COUNTS))
    centres = project(homography(layout, Shot()), np.array([(pit.x, pit.y) for pit in layout.pits]))
    pits = [{"x": x, "y": y, "radius": 23.4 * 2.3, "name": "of no matter"} for x, y in centres.tolist()]
    (folder / "pits.json").write_text(json.dumps({"image": "board.png", "pits": pits}))
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, pitwatch: Run, folder: Path) -> Run:
    """Call `pitwatch count` with words, in `folder`: exit status, stdout, stderr."""
    monkeypatch.chdir(folder)
    return partial(pitwatch, "count")


def parsed(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_json_says_what_lies_in_each_hole(run: Run) -> None:
    status, out, err = run("board.png", "--board", "two-by-six", "--json")
    (found,) = parsed(out)
    assert (status, err) == (0, "")
    assert found["image"] == "board.png"
    assert found["pits"] == list(COUNTS[:12])
    assert found["stores"] == list(COUNTS[12:])
    assert len(found["certainty"]) == 14
    assert all(0.2 <= certainty <= 1 for certainty in found["certainty"])
    assert 0 < found["ms"] < 60_000
    assert found["notes"] == []


def test_a_table_says_it_to_people(run: Run) -> None:
    status, out, err = run("board.png", "--board", "two-by-six")
    assert (status, err) == (0, "")
    rows = re.findall(r"^ ([A-Fa-f]|\w+'s store) +(\d+) +(\d+)% *$", out, re.MULTILINE)
    assert [int(seeds) for _, seeds, _ in rows] == list(COUNTS)
    assert [name for name, _, _ in rows] == [*"ABCDEFabcdef", "South's store", "North's store"]
    assert "board.png" in out


def test_given_pits_serve_where_there_are_no_markers(run: Run) -> None:
    status, out, _ = run("board.png", "--pits", "pits.json", "--json")
    (found,) = parsed(out)
    assert status == 0
    assert found["stores"] == []
    # without a marker's white less is certain: five may be too many to tell
    assert [told for told, right in zip(found["pits"], COUNTS, strict=False) if right < 5] == [
        right for right in COUNTS[:12] if right < 5
    ]
    assert found["pits"][5] in (None, 5)


def test_given_corners_serve_where_there_are_no_markers(run: Run) -> None:
    corners = " ".join(f"{x},{y}" for x, y in Shot().corners)
    status, out, _ = run("board.png", "--board", "two-by-six", "--corners", corners, "--json")
    (found,) = parsed(out)
    assert status == 0
    assert found["pits"] + found["stores"] == list(COUNTS)


def test_what_cannot_be_told_is_null(run: Run, folder: Path) -> None:
    heaped = drawn(shipped("two-by-six"), [24, *COUNTS[1:]])
    assert cv2.imwrite(str(folder / "heap.png"), heaped)
    status, out, _ = run("heap.png", "--board", "two-by-six", "--json")
    (found,) = parsed(out)
    assert status == 0
    assert found["pits"] == [None, *COUNTS[1:12]]
    assert found["certainty"][0] < 0.2
    assert "cannot tell" in run("heap.png", "--board", "two-by-six")[1]


def test_a_picture_of_which_nothing_can_be_told_is_a_negative_finding(run: Run, folder: Path) -> None:
    layout = shipped("two-by-six")
    assert cv2.imwrite(str(folder / "full.png"), drawn(layout, [24] * 14))
    status, out, _ = run("full.png", "--board", "two-by-six", "--json")
    assert status == 1
    assert parsed(out)[0]["pits"] == [None] * 12


def test_what_ails_a_picture_is_noted(run: Run, folder: Path) -> None:
    dark = np.asarray(drawn(shipped("two-by-six"), COUNTS) * 0.12, np.uint8)
    assert cv2.imwrite(str(folder / "dark.png"), dark)
    _, out, _ = run("dark.png", "--board", "two-by-six", "--json")
    assert "too dark" in parsed(out)[0]["notes"][0]
    assert "too dark" in run("dark.png", "--board", "two-by-six")[1]


def test_a_bad_picture_does_not_lose_the_good_ones(run: Run, folder: Path) -> None:
    (folder / "text.jpg").write_text("no picture")
    (folder / "empty.jpg").touch()
    status, out, err = run("text.jpg", "board.png", "empty.jpg", "--board", "two-by-six", "--json")
    assert status == 2
    assert [found["image"] for found in parsed(out)] == ["board.png"]
    assert err.splitlines() == [
        "pitwatch: picture text.jpg is neither JPEG nor PNG: save it as one of these",
        "pitwatch: picture empty.jpg is empty: take it again",
    ]


def _bad_files(folder: Path) -> None:
    (folder / "text.toml").write_text("this is not = = TOML")
    (folder / "short.toml").write_text('name = "x"\nlength = 100.0\nwidth = 50.0\n')
    (folder / "text.json").write_text("pits, as I said")
    (folder / "none.json").write_text('{"pits": []}')
    (folder / "names.json").write_text('{"pits": [{"name": "A"}]}')
    (folder / "list.json").write_text("[1, 2]")
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "far.json").write_text('{"pits": [{"x": 5000, "y": 20, "radius": 30}]}')
    (folder / "flat.json").write_text('{"pits": [{"x": 20, "y": 20, "radius": -3}]}')
    (folder / "nan.json").write_text('{"pits": [{"x": NaN, "y": 20, "radius": 3}]}')
    assert cv2.imwrite(str(folder / "plain.png"), np.full((300, 400, 3), 128, np.uint8))


CORNERS = ("board.png", "--board", "two-by-six", "--corners")
BAD = {
    "either --board or --pits": ("board.png",),
    "either --board or --pits: ": ("board.png", "--board", "two-by-six", "--pits", "pits.json"),
    "14 of the 14 holes outside": (*CORNERS, "5000,5000 6000,5000 6000,6000 5000,6000"),
    "give --board with it": ("board.png", "--pits", "pits.json", "--corners", "1,1 2,1 2,2 1,2"),
    "'no-such-board' is not known": ("board.png", "--board", "no-such-board"),
    "board file gone.toml cannot be read": ("board.png", "--board", "gone.toml"),
    "board file text.toml is not TOML": ("board.png", "--board", "text.toml"),
    "board file short.toml: pit is missing": ("board.png", "--board", "short.toml"),
    "board file pits.json is not TOML": ("board.png", "--board", "pits.json"),
    "board file board.png is not text": ("board.png", "--board", "board.png"),
    "this is another board": ("board.png", "--board", "four-by-eight"),
    "0 of 4 markers are seen (not 0, 1, 2, 3)": ("plain.png", "--board", "two-by-six"),
    "pits file gone.json cannot be read": ("board.png", "--pits", "gone.json"),
    "pits file text.json is not JSON": ("board.png", "--pits", "text.json"),
    "pits file deep.json is not JSON": ("board.png", "--pits", "deep.json"),
    "pits file board.png is not text": ("board.png", "--pits", "board.png"),
    "pits file list.json": ("board.png", "--pits", "list.json"),
    "pits file none.json: pits": ("board.png", "--pits", "none.json"),
    "pits 0, x is missing": ("board.png", "--pits", "names.json"),
    "pits 0, radius is -3": ("board.png", "--pits", "flat.json"),
    "pits 0, x is nan": ("board.png", "--pits", "nan.json"),
    "pit 0 at 5000, 20 lies outside a picture of 1280 by 720": ("board.png", "--pits", "far.json"),
    "picture gone.png cannot be read": ("gone.png", "--board", "two-by-six"),
    "picture . is not a file": (".", "--board", "two-by-six"),
    "write them as 'x,y x,y x,y x,y'": (*CORNERS, "1 2 3 4"),
    "3 board corners were given": (*CORNERS, "1,1 2,1 2,2"),
    "clockwise from the top left": (*CORNERS, "nan,1 2,1 2,2 1,2"),
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_gets_one_sentence(run: Run, folder: Path, words: str) -> None:
    _bad_files(folder)
    status, out, err = run(*BAD[words])
    assert status == 2
    assert out == ""
    assert words.strip() in err
    assert err.startswith("pitwatch: ")
    assert err.count("\n") == 1
    assert len(err) < 400


def test_the_command_itself_counts(folder: Path) -> None:
    done = subprocess.run(
        [PITWATCH, "count", folder / "board.png", "--board", "two-by-six", "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert parsed(done.stdout)[0]["pits"] == list(COUNTS[:12])


def test_circles_are_read_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "pits.json"
    path.write_text('{"pits": [{"x": 1.5, "y": 2, "radius": 30, "count": null}]}')
    (hole,) = load_circles(path)
    assert (hole.x, hole.y, hole.radius, hole.half_length) == (1.5, 2.0, 30.0, 0.0)
    with pytest.raises(BadInput, match="cannot be read"):
        load_circles(tmp_path)
