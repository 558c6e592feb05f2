"""Cameras that run: the newest frame alone, what they keep, and how they are lost."""

import sys
from collections.abc import Sequence
from threading import Event, Semaphore
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from vision import Image
from vision.capture import (
    CHECK_FRAMES,
    CameraLost,
    Device,
    Frame,
    Newest,
    OpenCvDevice,
    PiCamera,
    Sameness,
    StreamCamera,
    UsbCamera,
)


def grey(level: int) -> Image:
    return np.full((480, 640, 3), level, np.uint8)


class Scripted:
    """A camera that gives its frames as fast as it is read, and waits for `go` before the last of them."""

    about = "scripted camera"

    def __init__(self, levels: Sequence[int]) -> None:
        self.go, self.late, self.closed = Event(), Event(), Event()
        self.notes = ("It leaks light.",)
        self._levels = list(levels)

    def open(self) -> Device:
        return self

    def read(self) -> Image:
        if len(self._levels) == 1:
            self.late.set()
            assert self.go.wait(5)
        if not self._levels:
            raise CameraLost("its film is at its end: buy another")
        return grey(self._levels.pop(0))

    def close(self) -> None:
        self.closed.set()


def test_only_the_newest_frame_is_there_to_take() -> None:
    camera, told = Scripted([1, 2, 3, 4]), Semaphore(0)
    with Newest(camera, told.release, clock=iter(range(10)).__next__) as newest:
        assert camera.late.wait(5)
        frame = newest.take()
        assert frame is not None
        assert (frame.t, frame.image.max(), frame.notes) == (2, 3, ("It leaks light.",))
        assert newest.take() is None
        camera.go.set()
        assert all(told.acquire(timeout=5) for _ in range(5))
        with pytest.raises(CameraLost, match="buy another"):
            newest.take()
    assert camera.closed.is_set()


def test_nothing_is_told_when_it_is_closed() -> None:
    camera, told = Scripted([1]), Event()
    newest = Newest(camera, told.set)
    with newest:
        assert camera.late.wait(5)
        camera.go.set()
        newest.close()
    told.clear()
    assert newest.take() is None
    assert camera.closed.wait(5)
    assert not told.is_set()


def test_a_picture_that_stays_the_very_same_is_told_from_a_still_board() -> None:
    same, noise = Sameness(), np.random.default_rng(1)
    assert same.seconds(Frame(10.0, grey(90))) == 0.0
    assert same.seconds(Frame(14.0, grey(90))) == 4.0
    noisy = np.asarray(grey(90) + noise.integers(0, 2, (480, 640, 3)), np.uint8)
    assert same.seconds(Frame(15.0, noisy)) == 0.0


class FakeCapture:
    """A V4L2 camera's properties, some of which do not stay as they are set."""

    def __init__(self, stubborn: Sequence[int] = (), lacks: Sequence[int] = ()) -> None:
        self.stubborn, self.lacks = set(stubborn), lacks
        self.values: dict[int, float] = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_EXPOSURE: 156.0,
            cv2.CAP_PROP_AUTO_WB: 1.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
            cv2.CAP_PROP_AUTOFOCUS: 1.0, cv2.CAP_PROP_FOCUS: 30.0,
        }  # fmt: skip

    def get(self, name: int) -> float:
        return -1.0 if name in self.lacks else self.values[name]

    def set(self, name: int, value: float) -> bool:
        if name not in self.stubborn:
            self.values[name] = value
        return True

    def read(self) -> tuple[bool, Any]:
        return True, grey(80)

    def release(self) -> None:
        pass


def test_exposure_white_balance_and_focus_are_kept_where_they_are() -> None:
    capture = FakeCapture()
    device = OpenCvDevice(capture, "camera 0")
    device.hold()
    assert not device.notes
    assert capture.values == {
        cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_EXPOSURE: 156.0,
        cv2.CAP_PROP_AUTO_WB: 0.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
        cv2.CAP_PROP_AUTOFOCUS: 0.0, cv2.CAP_PROP_FOCUS: 30.0,
    }  # fmt: skip


def test_what_a_camera_does_not_keep_is_said() -> None:
    device = OpenCvDevice(
        FakeCapture(stubborn=[cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_AUTO_WB]), "camera 0"
    )
    device.hold()
    assert device.notes == (
        "The camera does not keep its exposure and white balance: lock it in the camera's own settings, or "
        "keep the light even.",
    )


def test_a_camera_without_focus_keeps_it_and_one_without_exposure_may_not() -> None:
    fixed = OpenCvDevice(FakeCapture(lacks=[cv2.CAP_PROP_AUTOFOCUS]), "camera 0")
    fixed.hold()
    assert fixed.notes == ()
    secret = OpenCvDevice(FakeCapture(lacks=[cv2.CAP_PROP_AUTO_EXPOSURE]), "camera 0")
    secret.hold()
    assert "does not keep its exposure:" in secret.notes[0]


def test_it_is_looked_at_again_whether_all_is_kept() -> None:
    capture = FakeCapture()
    device = OpenCvDevice(capture, "camera 0")
    device.hold()
    capture.values[cv2.CAP_PROP_WB_TEMPERATURE] = 5200.0
    for _ in range(CHECK_FRAMES):
        device.read()
    assert "does not keep its white balance:" in device.notes[0]


def test_a_camera_that_is_not_there_is_lost_with_its_mend() -> None:
    with pytest.raises(CameraLost, match=r"camera /dev/video97 cannot be opened: plug it in"):
        UsbCamera("/dev/video97").open()


def test_a_password_in_an_address_is_not_shown() -> None:
    assert StreamCamera("rtsp://ann:secret@10.0.0.2:554/live").about == "stream rtsp://10.0.0.2:554/live"
    assert StreamCamera("http://10.0.0.2/x").about == "stream http://10.0.0.2/x"


class FakeRequest:
    def __init__(self, image: Image, metadata: dict[str, Any]) -> None:
        self.image, self.metadata, self.released = image, metadata, False

    def make_array(self, name: str) -> Image:
        assert name == "main"
        return self.image

    def get_metadata(self) -> dict[str, Any]:
        return self.metadata

    def release(self) -> None:
        self.released = True


class FakePicamera2:
    """What of Picamera2 is used: locked, it shows what it was told."""

    opened: "FakePicamera2"

    def __init__(self, number: int) -> None:
        if number > 0:
            raise IndexError("list index out of range")
        FakePicamera2.opened = self
        self.state: dict[str, Any] = {"ExposureTime": 9000, "AnalogueGain": 2.0, "ColourGains": (1.9, 1.4)}
        self.controls: dict[str, Any] = {}
        self.requests: list[FakeRequest] = []
        self.running = False

    def create_video_configuration(self, main: dict[str, Any]) -> dict[str, Any]:
        return main

    def configure(self, configuration: dict[str, Any]) -> None:
        assert configuration == {"size": (1280, 720), "format": "RGB888"}

    def start(self) -> None:
        self.running = True

    def capture_metadata(self) -> dict[str, Any]:
        return self.state

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.controls |= controls

    def capture_request(self) -> FakeRequest:
        self.requests.append(FakeRequest(grey(70), dict(self.state)))
        return self.requests[-1]

    def close(self) -> None:
        self.running = False


@pytest.fixture
def picamera2(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("picamera2")
    module.Picamera2 = FakePicamera2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)


@pytest.mark.usefixtures("picamera2")
def test_a_pi_camera_is_locked_and_checked_in_every_frame() -> None:
    device = PiCamera().open()
    pi = FakePicamera2.opened
    assert pi.controls == {"AeEnable": False, "AwbEnable": False, **pi.state}
    assert device.read().max() == 70
    assert not device.notes
    assert pi.requests[0].released
    pi.state["ExposureTime"] = 12000
    device.read()
    assert "does not keep its exposure:" in device.notes[0]
    device.close()
    assert not pi.running


@pytest.mark.usefixtures("picamera2")
def test_a_pi_camera_that_is_not_there_is_lost_with_its_mend() -> None:
    with pytest.raises(CameraLost, match=r"Raspberry Pi camera 1 cannot be opened \(.+\): check its cable"):
        PiCamera(1).open()


def test_without_picamera2_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraLost, match="Picamera2 is not installed: run 'sudo apt install"):
        PiCamera().open()
