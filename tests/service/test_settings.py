"""The configuration: what its document says is what it reads, and what it cannot read is one sentence."""

import re
import tomllib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import BaseModel

from engine.errors import BadInput
from service.commands.run import camera_of
from service.settings import RunSettings, checked, read_settings
from tests.vision.test_frames import film

DOCUMENT = Path(__file__).parents[2] / "docs" / "configuration.md"


def keys(model: type[BaseModel], before: str = "") -> dict[str, Any]:
    """Every key with its default, tables gone into."""
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        inner = next(
            (kind for kind in (field.annotation, *getattr(field.annotation, "__args__", ()))
             if isinstance(kind, type) and issubclass(kind, BaseModel)),
            None,
        )  # fmt: skip
        if inner:
            found |= keys(inner, f"{before}{name}.")
        else:
            found[before + name] = field.default
    return found


def test_the_document_names_every_key_with_its_default() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \| (.*?) \|", DOCUMENT.read_text(), re.MULTILINE)
    told = {key: default.strip("`") for key, default in rows}
    wanted = keys(RunSettings)
    assert told.keys() == wanted.keys()
    for key, default in wanted.items():
        if told[key] not in ("none", "wanted"):
            assert tomllib.loads(f"it = {told[key]}")["it"] == _plain(default), key


def _plain(default: Any) -> Any:
    return (
        list(default)
        if isinstance(default, tuple)
        else str(default)
        if isinstance(default, Path)
        else default
    )


def test_the_examples_of_the_document_can_be_read(tmp_path: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert len(examples) >= 3
    for text in examples:
        path = tmp_path / "pitwatch.toml"
        path.write_text(text)
        assert read_settings(path) != RunSettings()


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        ({"colour": "red"}, "F, colour: this key is not known"),
        ({"web": {"colour": "red"}}, "F, web.colour: this key is not known"),
        ({"scale": {"calibration": 3}}, "F, scale.calibration is 3: a path, as text, was expected"),
        ({"game": 3}, "F, game is 3: text was expected"),
        ({"log": 3}, "F, log is 3: a path, as text, was expected"),
        ({"players": "Ann"}, "F, players is 'Ann': a list was expected"),
        ({"players": ["Ann", ""]}, "F, players.1 is '': a name was expected"),
        ({"options": 3}, "F, options is 3: a table was expected"),
        (
            {"options": {"seeds": 1.5}},
            "F, options.seeds is 1.5: true, false, a whole number or text was expec",
        ),
        ({"simulation": 3}, "F, simulation is 3: a table was expected"),
        ({"simulation": {"auto": 1}}, "F, simulation.auto is 1: true or false was expected"),
        ({"simulation": {"speed": "fast"}}, "F, simulation.speed is 'fast': a number was expected"),
        ({"simulation": {"speed": float("nan")}}, "F, simulation.speed is nan: a finite number was expected"),
        ({"simulation": {"rate": 20}}, "F, simulation.rate is 20: 10 or 80 was expected"),
        ({"web": {"port": "80"}}, "F, web.port is '80': a whole number was expected"),
        ({"web": {"port": 70000}}, "F, web.port is 70000: less than or equal to 65535 was expected"),
        ({"referee": {"touch": "x"}}, "F, referee.touch is 'x': 'strict', 'announce' or 'off' was expected"),
        ({"clock": {"time": "5+3"}}, "F: time '5+3' begins with 5 seconds: write minutes and seconds, as in"),
        ({"clock": {"time": ["5:00", "x"]}}, "F: time 'x' is not understood: 5:00, 5:00+3 (increment)"),
        ({"clock": {"time": 5}}, "F, clock.time is 5: a list was expected"),
        ({"clock": {"time": [5]}}, "F, clock.time.0 is 5: text was expected"),
        ({"clock": {"switch": "x"}}, "F, clock.switch is 'x': 'move' or 'button' was expected"),
        ({"clock": {"flag": "x"}}, "F, clock.flag is 'x': 'lose' or 'announce' was expected"),
        (
            {"scale": {"board": "walnut", "calibration": "b"}},
            "F, scale.board is 'walnut': an id of 16 hexadecimal digits, as pitwatch doctor --p",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(plain: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        checked(plain, "F")
    assert str(refused.value).startswith(sentence)


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    path = tmp_path / "pitwatch.toml"
    for content in (b"[[", b"\xff\xfe"):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=f"the configuration {path} is not TOML: "):
            read_settings(path)


@pytest.mark.parametrize("table", [{}, {"device": 0, "url": "http://x/"}, {"folder": "a", "file": "b.jpg"}])
def test_a_camera_is_one_camera(table: dict[str, Any]) -> None:
    with pytest.raises(
        BadInput, match=r"\[camera\] names one camera: one of device, pi, url, video, folder, file"
    ):
        checked({"camera": table}, "the file")


@pytest.mark.parametrize(
    ("table", "about"),
    [
        ({"device": 2}, "camera 2"),
        ({"device": "/dev/video2"}, "camera /dev/video2"),
        ({"pi": 1}, "Raspberry Pi camera 1"),
        ({"url": "http://10.0.0.2/live"}, "stream http://10.0.0.2/live"),
        ({"file": "a.png"}, "pictures in a.png"),
        ({"folder": "."}, "pictures in ."),
        ({"video": "a.avi"}, "pictures in a.avi"),
    ],
)
def test_a_camera_of_each_kind_is_watched(
    table: dict[str, Any], about: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("a.png", np.zeros((100, 100, 3), np.uint8))
    film(Path("a.avi"), 2)
    camera = checked({"camera": table}, "the file").camera
    assert camera is not None
    assert camera_of(camera).source(0.0, live=False).about == about
