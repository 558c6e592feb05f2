"""Cameras that run: opened, held steady, and read without a pause by a thread each.

Theory of operation. A driver queues frames and a network stream piles them up: who reads slower than they
come sees the past. So a thread does nothing but read, stamps each frame as it comes, and keeps the newest
alone. The thread owns its device from opening to closing: a device that hangs holds up nobody else.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self

import cv2
import numpy as np

from engine.errors import PitwatchError
from vision import Image

WARM_FRAMES = 20
"""Frames after which exposure and white balance have found their values, and are kept."""
CHECK_FRAMES = 150
"""Frames between two looks at whether they are still kept."""
WAIT_MS = 5000
"""How long a stream may take to answer, or to send its next frame."""
CLOSE_S = 0.5
"""Seconds to wait for a device to be closed; one that hangs is left to its thread."""
FROZEN_S = 5.0
"""Seconds of the very same picture after which a camera shows the past: a sensor's noise is never twice the
same, and a coder that leaves it out sends a whole picture every second or two."""


class CameraLost(PitwatchError):  # noqa: N818 (what it is, not an error of ours)
    """A camera that cannot be opened, or that gives no more frames."""


class Device(Protocol):
    """An open camera, used by one thread."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What does not stay as it was locked, each in one sentence with its mend."""
        ...

    def read(self) -> Image:
        """The next frame. Raises `CameraLost` when there are no more."""
        ...

    def close(self) -> None: ...


class Camera(Protocol):
    """A camera as the configuration names it."""

    @property
    def about(self) -> str:
        """What and where it is, in a few words."""
        ...

    def open(self) -> Device:
        """Raises `CameraLost` if it is not there."""
        ...


@dataclass(frozen=True, slots=True)
class UsbCamera:
    """A camera that the system knows as a video device (V4L2 on Linux)."""

    device: int | str = 0
    """Its number, or its path."""
    size: tuple[int, int] = (1280, 720)
    """Width and height to ask for, pixels."""
    lock: bool = True
    """Whether exposure, white balance and focus are kept once they are found."""

    @property
    def about(self) -> str:
        return f"camera {self.device}"

    def open(self) -> Device:
        capture = _opened(self.device, self.about, "plug it in, or name another as device in [camera]")
        # MJPEG: uncompressed, USB 2 carries 1280 by 720 pixels only ten times a second
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        device = OpenCvDevice(capture, self.about)
        if self.lock:
            try:
                for _ in range(WARM_FRAMES):
                    device.read()
                device.hold()
            except BaseException:
                device.close()
                raise
        return device


@dataclass(frozen=True, slots=True)
class StreamCamera:
    """A camera on the network: RTSP, or JPEG pictures one after another over HTTP."""

    url: str

    @property
    def about(self) -> str:
        # a password before the host is nobody else's business
        head, _, tail = self.url.rpartition("@")
        return f"stream {head.partition('//')[0]}//{tail}" if head else f"stream {self.url}"

    def open(self) -> Device:
        mend = "start it, or mend url in [camera]"
        return OpenCvDevice(_opened(self.url, self.about, mend), self.about)


@dataclass(frozen=True, slots=True)
class PiCamera:
    """A camera on the ribbon cable of a Raspberry Pi, through Picamera2."""

    number: int = 0
    size: tuple[int, int] = (1280, 720)
    lock: bool = True

    @property
    def about(self) -> str:
        return f"Raspberry Pi camera {self.number}"

    def open(self) -> Device:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraLost(
                "Picamera2 is not installed: run 'sudo apt install python3-picamera2', and make the venv "
                "with 'VENV_FLAGS=--system-site-packages'"
            ) from error
        try:
            return PiDevice(Picamera2(self.number), self.size, self.lock, self.about)
        except (RuntimeError, IndexError) as error:
            raise CameraLost(
                f"{self.about} cannot be opened ({error}): check its cable, and that no other program has it"
            ) from error


def _opened(what: int | str, about: str, mend: str) -> cv2.VideoCapture:
    local = isinstance(what, int) or "://" not in what
    way = cv2.CAP_ANY if local else cv2.CAP_FFMPEG
    limits = (
        [] if local else [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, WAIT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, WAIT_MS]
    )
    capture = cv2.VideoCapture(what, way, limits)
    if not capture.isOpened():
        capture.release()
        raise CameraLost(f"{about} cannot be opened: {mend}")
    return capture


class _Held:
    """A setting that a camera would change by itself, and how it is told not to (V4L2)."""

    def __init__(self, name: str, auto: int, off: float, value: int) -> None:
        self.name, self.auto, self.off, self.value = name, auto, off, value


_EXPOSURE = _Held("exposure", cv2.CAP_PROP_AUTO_EXPOSURE, 1.0, cv2.CAP_PROP_EXPOSURE)
_SETTINGS = (
    _EXPOSURE,
    _Held("white balance", cv2.CAP_PROP_AUTO_WB, 0.0, cv2.CAP_PROP_WB_TEMPERATURE),
    _Held("focus", cv2.CAP_PROP_AUTOFOCUS, 0.0, cv2.CAP_PROP_FOCUS),
)


class Capture(Protocol):
    """What of `cv2.VideoCapture` is used."""

    def get(self, name: int, /) -> float: ...

    def set(self, name: int, value: float, /) -> bool: ...

    def read(self) -> tuple[bool, Any]: ...

    def release(self) -> None: ...


class OpenCvDevice:
    """An open `cv2.VideoCapture`."""

    def __init__(self, capture: Capture, about: str) -> None:
        self._capture = capture
        self._about = about
        self._kept: dict[str, float] = {}
        self._frames = 0
        self.notes: tuple[str, ...] = ()

    def hold(self) -> None:
        """Keep exposure, white balance and focus as they are now; what cannot be kept is in `notes`."""
        for setting in _SETTINGS:
            value = self._capture.get(setting.value)
            # -1: the camera has no such thing, and cannot change it either
            if setting is not _EXPOSURE and -1 in (value, self._capture.get(setting.auto)):
                continue
            self._capture.set(setting.auto, setting.off)
            self._capture.set(setting.value, value)
            self._kept[setting.name] = value
        self._check()

    def _check(self) -> None:
        loose = [
            setting.name
            for setting in _SETTINGS
            if setting.name in self._kept
            and (
                self._capture.get(setting.auto) != setting.off
                or self._capture.get(setting.value) != self._kept[setting.name]
            )
        ]
        self.notes = (_loose(loose),) if loose else ()

    def read(self) -> Image:
        good, image = self._capture.read()
        if not good or image is None:
            raise CameraLost(f"{self._about} gives no more frames: check its cable or its network")
        self._frames += 1
        if self._kept and self._frames % CHECK_FRAMES == 0:
            self._check()
        return np.asarray(image, dtype=np.uint8)

    def close(self) -> None:
        self._capture.release()


def _loose(names: list[str]) -> str:
    return (
        f"The camera does not keep its {' and '.join(names)}: lock it in the camera's own settings, or keep "
        f"the light even."
    )


class PiDevice:
    """A running `Picamera2`, which is closed if it cannot be started."""

    def __init__(self, camera: Any, size: tuple[int, int], lock: bool, about: str) -> None:
        self._camera = camera
        self._about = about
        self._kept: Mapping[str, Any] = {}
        self.notes: tuple[str, ...] = ()
        try:
            # its RGB888 lies in memory as OpenCV's BGR
            camera.configure(camera.create_video_configuration(main={"size": size, "format": "RGB888"}))
            camera.start()
            if lock:
                self._hold()
        except BaseException:
            self.close()
            raise

    def _hold(self) -> None:
        for _ in range(WARM_FRAMES):
            found = self._camera.capture_metadata()
        self._kept = {
            key: found[key] for key in ("ExposureTime", "AnalogueGain", "ColourGains") if key in found
        }
        self._camera.set_controls({"AeEnable": False, "AwbEnable": False, **self._kept})

    def read(self) -> Image:
        try:
            request = self._camera.capture_request()
        except RuntimeError as error:
            raise CameraLost(f"{self._about} gives no more frames ({error}): check its cable") from error
        try:
            image, found = request.make_array("main"), request.get_metadata()
        finally:
            request.release()
        loose = [
            name
            for key, name in (("ExposureTime", "exposure"), ("ColourGains", "white balance"))
            if key in self._kept and not np.allclose(found.get(key, 0), self._kept[key], rtol=0.02)
        ]
        self.notes = (_loose(loose),) if loose else ()
        return np.asarray(image, dtype=np.uint8)

    def close(self) -> None:
        self._camera.close()


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture."""

    t: float
    """Seconds of the monotonic clock, when it had been read."""
    image: Image
    notes: tuple[str, ...] = ()
    """What ails the camera."""


class Newest:
    """A camera, read without pause; a context that starts and ends it.

    Args:
        tell: called, from the thread, whenever there is something to take.
        clock: seconds.
    """

    def __init__(
        self, camera: Camera, tell: Callable[[], object], clock: Callable[[], float] = monotonic
    ) -> None:
        self._camera, self._tell, self._clock = camera, tell, clock
        self._lock = threading.Lock()
        self._newest: Frame | CameraLost | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=camera.about, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Take no more. The thread closes the device when its last read has ended, which may hang."""
        with self._lock:
            self._closed = True
            self._newest = None
        self._thread.join(CLOSE_S)

    def take(self) -> Frame | None:
        """The newest frame, if it was not taken yet.

        Raises:
            CameraLost: there are no more.
        """
        with self._lock:
            newest, self._newest = self._newest, None
        if isinstance(newest, CameraLost):
            raise newest
        return newest

    def _run(self) -> None:
        try:
            device = self._camera.open()
            try:
                while not self._closed:
                    image = device.read()
                    self._put(Frame(self._clock(), image, device.notes))
            finally:
                device.close()
        except CameraLost as error:
            self._put(error)
        except cv2.error as error:
            self._put(CameraLost(f"{self._camera.about} cannot be read ({error.err}): plug it in again"))

    def _put(self, newest: Frame | CameraLost) -> None:
        with self._lock:
            if not self._closed:
                self._newest = newest
                # whoever listened may have gone in this moment
                with suppress(RuntimeError):
                    self._tell()


class Sameness:
    """For how long a camera has shown the very same picture."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._since = 0.0

    def seconds(self, frame: Frame) -> float:
        """Take in a frame; the seconds since the first one like it."""
        some = frame.image[::4, ::4]
        if self._last is None or not np.array_equal(some, self._last):
            self._last, self._since = some.copy(), frame.t
        return frame.t - self._since
