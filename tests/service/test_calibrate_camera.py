"""`pitwatch calibrate camera` on pictures of a board: what is good, what to mend, what is written."""

import json
import re
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.observation import Floats
from service.boardfile import load_layout, shipped
from service.commands.run import camera_of
from service.settings import read_settings
from service.simulation.film import HEIGHT, WIDTH, Film, Scenery
from service.table import Pictures
from tests.service.conftest import Run
from tests.vision.draw import bent
from tests.vision.test_hands import exposure
from vision import Image
from vision.fit import fit
from vision.lens import project
from vision.markers import detect


@pytest.fixture(scope="module")
def film() -> Film:
    return Film(np.random.default_rng(1), shipped("two-by-six"), Scenery())


@pytest.fixture(scope="module")
def empty(film: Film) -> Image:
    return film.picture(exposure((0,) * 14, 0))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, pitwatch: Run, tmp_path: Path, empty: Image) -> Run:
    cv2.imwrite(str(tmp_path / "board.png"), empty)
    monkeypatch.chdir(tmp_path)
    return partial(pitwatch, "calibrate", "camera")


def test_a_camera_that_is_well_placed_is_told_and_configured(run: Run, tmp_path: Path) -> None:
    status, out, err = run("--file", "board.png", "--to", "pitwatch.toml")
    assert (status, err) == (0, "")
    assert "\nGood.\n" in out
    overlay = cv2.imread(str(tmp_path / "calibration.png"))
    assert overlay is not None
    assert overlay.shape == (HEIGHT, WIDTH, 3)
    settings = read_settings(tmp_path / "pitwatch.toml")
    assert settings.board == "two-by-six"
    assert settings.camera is not None
    assert camera_of(settings.camera) == Pictures(Path("board.png"))
    assert run("--file", "board.png", "--to", "pitwatch.toml")[0] == 2  # what is there is not written over
    assert not list(tmp_path.glob(".*"))


def test_what_is_wrong_is_said_and_nothing_configured(run: Run, tmp_path: Path, empty: Image) -> None:
    cv2.imwrite(str(tmp_path / "dark.png"), np.asarray(empty * 0.15, np.uint8))
    status, out, _ = run("--file", "dark.png", "--to", "pitwatch.toml")
    assert status == 1
    assert "too dark" in out
    assert "pitwatch.toml is not written: mend this first." in out
    assert not (tmp_path / "pitwatch.toml").exists()
    cv2.imwrite(str(tmp_path / "mirrored.png"), empty[:, ::-1])
    status, _, err = run("--file", "mirrored.png")
    assert (status, "mirrored" in err) == (2, True)


def test_the_picture_itself_is_not_drawn_over(run: Run, tmp_path: Path) -> None:
    before = (tmp_path / "board.png").read_bytes()
    status, _, err = run("--file", "board.png", "--overlay", "./board.png")
    assert (status, "is the picture itself: name another file with --overlay" in err) == (2, True)
    assert (tmp_path / "board.png").read_bytes() == before


def test_one_camera_is_wanted_and_no_more(run: Run) -> None:
    for words in ((), ("--file", "board.png", "--device", "0")):
        status, _, err = run(*words)
        assert (status, err.count("\n")) == (2, 1)
        assert "one camera is wanted: name it by one of --device, --pi, --url or --file" in err


def test_a_board_without_markers_is_found_by_its_corners_and_its_pits_proposed(
    run: Run, tmp_path: Path, film: Film
) -> None:
    board = film.layout
    ideal = np.array([(0, 0), (board.length, 0), (board.length, board.width), (0, board.width)])
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in project(film.to_pixels, ideal))
    status, out, _ = run(
        "--file", "board.png", "--corners", corners, "--pits", "new.toml", "--to", "run.toml"
    )
    assert status == 0
    assert "new.toml proposes 12 pits" in out
    assert len(load_layout(tmp_path / "new.toml").pits) == 12
    settings = read_settings(tmp_path / "run.toml")
    assert settings.camera is not None
    assert len(settings.camera.corners) == 4


def test_json_has_the_figures(run: Run) -> None:
    status, out, _ = run("--file", "board.png", "--json")
    found = json.loads(out)
    assert (status, found["notes"]) == (0, [])
    assert found["fit"]["rms_mm"] < 0.5
    # as drawn: 1060 pixels for 477.5 mm; a stone of 13.4 mm
    assert found["fit"]["stone_pixels"] == pytest.approx(13.4 * 1060 / 477.5, rel=0.03)


def test_a_lens_that_bends_is_told_and_how_much(film: Film, empty: Image) -> None:
    seen = detect(bent(empty, 0.08))
    found = fit([seen], film.layout, WIDTH, HEIGHT)
    half = float(np.hypot(WIDTH, HEIGHT)) / 2
    assert found.bend_pixels == pytest.approx(0.08 * half, abs=0.01 * half)
    assert found.rms_mm < 0.3


def test_a_picture_through_a_lens_that_bends_is_good(run: Run, tmp_path: Path, empty: Image) -> None:
    cv2.imwrite(str(tmp_path / "bent.png"), bent(empty, -0.1))
    status, out, _ = run("--file", "bent.png")
    # a tenth of half the diagonal of 1280 by 720 is 73 pixels
    said = re.search(r"The lens bends straight lines, by (\d+) pixels in the corners", out)
    assert status == 0
    assert said is not None
    assert int(said[1]) == pytest.approx(73, abs=7)


def test_a_camera_that_trembles_is_told(film: Film, empty: Image) -> None:
    seen = detect(empty)
    apart = [{number: corners + by for number, corners in seen.items()} for by in (-1.0, 1.0)]
    assert fit(apart, film.layout, WIDTH, HEIGHT).jitter_pixels == pytest.approx(np.sqrt(2.0))
    assert fit([seen, seen], film.layout, WIDTH, HEIGHT).jitter_pixels == 0.0


def test_a_camera_is_as_high_and_as_tilted_as_it_is() -> None:
    board = shipped("two-by-six")
    focal = WIDTH / 2 / np.tan(np.radians(30))
    lens = np.array([[focal, 0, WIDTH / 2], [0, focal, HEIGHT / 2], [0, 0, 1]])
    seen: dict[int, Floats] = {}
    for marker in board.markers:
        flat = np.array([(x - board.length / 2, y - board.width / 2, 0.0) for x, y in marker.corners])
        turn, shift = np.radians([20.0, 0, 0]), np.array([0.0, 0, 600.0])
        pixels = cv2.projectPoints(flat, turn, shift, lens, np.zeros(4))[0]
        seen[marker.id] = np.asarray(pixels, dtype=np.float64).reshape(4, 2)
    found = fit([seen], board, WIDTH, HEIGHT)
    assert found.tilt_degrees == pytest.approx(20.0, abs=0.5)
    assert found.height_mm == pytest.approx(600.0, rel=0.01)
    assert found.rms_mm < 0.01
