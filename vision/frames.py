"""Pictures from files: one, a folder of them, or a video, as a camera's frames."""

import struct
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from engine.errors import BadInput
from vision import AnyImage, Image

PICTURES = frozenset({".jpg", ".jpeg", ".png"})
"""What cameras write, and what tells its size and its end before it is decoded."""
MOST_BYTES = 64 * 1024 * 1024
MOST_PIXELS = 50_000_000
"""A larger one is no camera frame, and would take a Pi's memory to decode."""
LEAST_SIDE = 32
JPEG = b"\xff\xd8"
PNG = b"\x89PNG\r\n\x1a\n"


Frames = Iterator[tuple[float, Image | BadInput]]
"""Seconds from the first exposure, and the frame; for one that cannot be read, the sentence that says why."""


class FolderFrames:
    """The pictures of a folder in the order of their names, or one picture, `interval_s` seconds apart."""

    def __init__(self, path: Path, interval_s: float = 1.0) -> None:
        """List the pictures; each is read when its turn comes.

        Raises:
            BadInput: no such folder or picture, no picture in it, or an interval that does not lead forward.
        """
        if not path.exists():
            raise BadInput(f"{path} is not there: name a folder of pictures, or a picture")
        if not interval_s > 0:
            raise BadInput(f"an interval of {interval_s:g} s does not lead forward: give one above 0")
        listed = path.iterdir() if path.is_dir() else [path]
        self.paths = tuple(sorted(file for file in listed if file.suffix.lower() in PICTURES))
        if not self.paths:
            wanted = "put .jpg or .png files in it" if path.is_dir() else "name a .jpg or .png file"
            raise BadInput(f"{path} holds no picture: {wanted}")
        self.interval_s = interval_s

    def __iter__(self) -> Frames:
        for number, path in enumerate(self.paths):
            try:
                image: Image | BadInput = read_image(path)
            except BadInput as error:
                image = error
            yield number * self.interval_s, image


class VideoFrames:
    """Frames of a video file, at least `interval_s` seconds apart."""

    def __init__(self, path: Path, interval_s: float = 0.1) -> None:
        """Open it once, to see that it is one.

        Raises:
            BadInput: there is no such file, or no picture can be read from it.
        """
        if not path.is_file():
            raise BadInput(f"video {path} is not there: name a video file")
        self.path, self.interval_s = path, interval_s
        if next(iter(self), None) is None:
            raise BadInput(f"video {path} cannot be read: save it as .mp4 or .avi")

    def __iter__(self) -> Frames:
        capture = cv2.VideoCapture(str(self.path), cv2.CAP_FFMPEG)
        try:
            due = 0.0
            while capture.grab():
                t = max(0.0, capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
                if t + 1e-3 < due:
                    continue
                good, image = capture.retrieve()
                if good:
                    yield t, np.asarray(image, dtype=np.uint8)
                    due = t + self.interval_s
        finally:
            capture.release()


def read_image(path: Path) -> Image:
    """Read a picture: upright as its EXIF says, 8 bits, BGR; transparent parts on white.

    Raises:
        BadInput: it is missing, empty, broken off, too large or small, or neither JPEG nor PNG.
    """
    try:
        if path.exists() and not path.is_file():
            raise BadInput(f"picture {path} is not a file: name a file")
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"picture {path} is larger than {MOST_BYTES >> 20} MB: save it smaller")
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"picture {path} cannot be read ({error.strerror}): name a file that is there"
        ) from error
    if not data:
        raise BadInput(f"picture {path} is empty: take it again")
    if not data.startswith((JPEG, PNG)):
        raise BadInput(f"picture {path} is neither JPEG nor PNG: save it as one of these")
    size, ended = _declared(data)
    _refuse_size(path, *size)
    if not ended:
        raise BadInput(f"picture {path} is broken off before its end: copy or take it again")
    decoded = _decode(data, cv2.IMREAD_COLOR if data.startswith(JPEG) else cv2.IMREAD_UNCHANGED)
    if decoded is None:
        raise BadInput(f"picture {path} is damaged and cannot be read: copy or take it again")
    _refuse_size(path, decoded.shape[1], decoded.shape[0])
    if decoded.ndim == 3 and decoded.shape[2] == 4:
        return _on_white(_eight_bits(decoded))
    plain = _eight_bits(decoded)
    if plain.ndim == 2 or plain.shape[2] == 1:
        plain = np.asarray(cv2.cvtColor(plain, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    return np.ascontiguousarray(plain[:, :, :3])


def _decode(data: bytes, how: int) -> AnyImage | None:
    try:
        return cv2.imdecode(np.frombuffer(data, np.uint8), how)
    except cv2.error:
        return None


def _refuse_size(path: Path, width: int, height: int) -> None:
    if height * width > MOST_PIXELS:
        most = MOST_PIXELS // 1_000_000
        raise BadInput(f"picture {path} has {width} by {height} pixels: shrink it to at most {most} million")
    if min(height, width) < LEAST_SIDE:
        raise BadInput(f"picture {path} has only {width} by {height} pixels: take a larger one")


def _declared(data: bytes) -> tuple[tuple[int, int], bool]:
    """Width and height that a picture declares before it is decoded, and whether its end is there.

    A decoder fills the missing part of a picture with grey, which would be counted. Where the head makes no
    sense the decoder is left to say: the smallest size that passes.
    """
    return _declared_png(data) if data.startswith(PNG) else _declared_jpeg(data)


def _declared_png(data: bytes) -> tuple[tuple[int, int], bool]:
    width, height = struct.unpack(">II", data[16:24]) if len(data) >= 24 else (LEAST_SIDE, LEAST_SIDE)
    at = len(PNG)
    while at + 12 <= len(data):
        if data[at + 4 : at + 8] == b"IEND":
            return (width, height), True
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    return (width, height), False


def _declared_jpeg(data: bytes) -> tuple[tuple[int, int], bool]:
    width, height, at = LEAST_SIDE, LEAST_SIDE, 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        kind, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if kind == 0xFF:  # a fill byte
            at += 1
            continue
        if kind in range(0xC0, 0xD0) and kind not in (0xC4, 0xC8, 0xCC):  # a frame header (T.81, table B.1)
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
        if kind == 0xDA:  # the scan begins: within it 0xFF 0xD9 can only be the end
            return (width, height), b"\xff\xd9" in data[at:]
        at += 2 + length
    return (width, height), False


def _eight_bits(image: AnyImage) -> Image:
    return (image >> 8).astype(np.uint8) if image.dtype == np.uint16 else image


def _on_white(image: Image) -> Image:
    alpha = image[:, :, 3:].astype(np.float32) / 255
    return np.asarray(image[:, :, :3] * alpha + 255 * (1 - alpha), dtype=np.uint8)
