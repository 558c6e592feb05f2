"""Pictures from files: of every kind that a camera writes, and harmed ones, each refused in one sentence."""

import os
import re
import struct
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.errors import BadInput
from vision.frames import MOST_BYTES, FolderFrames, VideoFrames, read_image

HEIGHT, WIDTH = 40, 60


def halves(left: tuple[int, ...], right: tuple[int, ...], dtype: type = np.uint8) -> np.ndarray:
    """A picture of two colours."""
    image: np.ndarray = np.zeros((HEIGHT, WIDTH, len(left)), dtype)
    image[:, : WIDTH // 2], image[:, WIDTH // 2 :] = left, right
    return image


def write(path: Path, image: np.ndarray) -> Path:
    assert cv2.imwrite(str(path), image)
    return path


def exif(orientation: int) -> bytes:
    """The APP1 segment of a picture whose only EXIF tag is its orientation (Exif 2.3, 4.5.2)."""
    tiff = b"II*\0" + struct.pack("<IHHHII", 8, 1, 0x0112, 3, 1, orientation) + bytes(4)
    body = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def test_colours_come_as_they_are(tmp_path: Path) -> None:
    image = read_image(write(tmp_path / "a.png", halves((10, 20, 30), (200, 150, 100))))
    assert image.dtype == np.uint8
    assert image.shape == (HEIGHT, WIDTH, 3)
    assert image[5, 5].tolist() == [10, 20, 30]
    assert image[5, 50].tolist() == [200, 150, 100]


def test_grey_becomes_three_channels(tmp_path: Path) -> None:
    for name in ("a.png", "a.jpg"):
        image = read_image(write(tmp_path / name, halves((50,), (200,))[..., 0]))
        assert image.shape == (HEIGHT, WIDTH, 3)
        assert image[5, 5].tolist() == pytest.approx([50, 50, 50], abs=2)


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    image = read_image(write(tmp_path / "a.png", halves((0, 257 * 7, 65535), (0, 0, 0), np.uint16)))
    assert image[5, 5].tolist() == [0, 7, 255]


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    image = read_image(write(tmp_path / "a.png", halves((10, 20, 30, 255), (0, 0, 0, 0))))
    assert image[5, 5].tolist() == [10, 20, 30]
    assert image[5, 50].tolist() == [255, 255, 255]


def test_a_picture_taken_upright_is_turned_as_its_exif_says(tmp_path: Path) -> None:
    flat = write(tmp_path / "flat.jpg", halves((0, 0, 255), (255, 0, 0))).read_bytes()
    path = tmp_path / "turned.jpg"
    path.write_bytes(flat[:2] + exif(6) + flat[2:])  # 6: row 0 is the right side, so turn it clockwise
    image = read_image(path)
    assert image.shape == (WIDTH, HEIGHT, 3)
    assert image[5, 20].tolist() == pytest.approx([0, 0, 255], abs=6)  # what was left is now above
    assert image[50, 20].tolist() == pytest.approx([255, 0, 0], abs=6)


@pytest.mark.parametrize("name", ["a.jpg", "a.png"])
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.97])
def test_a_picture_that_is_broken_off_is_refused(tmp_path: Path, name: str, kept: float) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (80, 90, 3), np.uint8)
    path = write(tmp_path / name, noise)
    data = path.read_bytes()
    path.write_bytes(data[: int(kept * len(data))])
    with pytest.raises(BadInput, match="is broken off before its end: copy or take it again"):
        read_image(path)


def test_a_large_picture_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = write(tmp_path / "a.png", halves((1, 2, 3), (4, 5, 6)))
    data = path.read_bytes()
    path.write_bytes(data[:16] + struct.pack(">II", 60000, 60000) + data[24:])
    with pytest.raises(BadInput, match="has 60000 by 60000 pixels: shrink it"):
        read_image(path)


def test_a_large_jpeg_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    data = write(tmp_path / "a.jpg", halves((1, 2, 3), (4, 5, 6))).read_bytes()
    size = struct.pack(">HH", HEIGHT, WIDTH)
    assert data.count(size) == 1
    path = tmp_path / "b.jpg"
    path.write_bytes(data.replace(size, struct.pack(">HH", 50000, 60000)))
    with pytest.raises(BadInput, match="has 60000 by 50000 pixels: shrink it"):
        read_image(path)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "cannot be read (No such file or directory)"),
    "empty": (lambda path: path.touch(), "is empty"),
    "text": (lambda path: path.write_text("Dear picture,"), "is neither JPEG nor PNG"),
    "folder": (lambda path: path.mkdir(), "is not a file"),
    "pipe": (os.mkfifo, "is not a file"),
    "huge": (_huge, "is larger than 64 MB"),
    "tiny": (lambda path: write(path, np.zeros((8, 8, 3), np.uint8)), "has only 8 by 8 pixels"),
    "head": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n"), "is broken off"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_picture_is_refused_in_one_sentence(tmp_path: Path, kind: str) -> None:
    make, words = REFUSED[kind]
    path = tmp_path / "a.png"
    make(path)
    with pytest.raises(BadInput, match=re.escape(words)) as caught:
        read_image(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damage_within_a_png_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.png", halves((1, 2, 3), (4, 5, 6)))
    data = path.read_bytes()
    at = data.index(b"IHDR") + 4 + 8
    path.write_bytes(data[:at] + b"\x63" + data[at + 1 :])  # 99 bits a channel
    with pytest.raises(BadInput, match="is damaged and cannot be read"):
        read_image(path)


def test_a_folder_gives_its_pictures_in_the_order_of_their_names(tmp_path: Path) -> None:
    for level, name in ((30, "c.png"), (10, "a.PNG"), (20, "b.jpg")):
        cv2.imencode(Path(name).suffix.lower(), np.full((HEIGHT, WIDTH, 3), level, np.uint8))[1].tofile(
            tmp_path / name
        )
    (tmp_path / "notes.txt").write_text("not a picture")
    frames = list(FolderFrames(tmp_path, 2.5))
    assert [t for t, _ in frames] == [0.0, 2.5, 5.0]
    assert [round(float(np.mean(image))) for _, image in frames if not isinstance(image, BadInput)] == [
        10,
        20,
        30,
    ]


def test_a_picture_that_cannot_be_read_does_not_end_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.png", halves((1, 2, 3), (4, 5, 6)))
    (tmp_path / "b.png").touch()
    write(tmp_path / "c.png", halves((1, 2, 3), (4, 5, 6)))
    (t, bad) = list(FolderFrames(tmp_path, 2.0))[1]
    assert t == 2.0
    assert str(bad) == f"picture {tmp_path / 'b.png'} is empty: take it again"
    assert not isinstance(list(FolderFrames(tmp_path))[2][1], BadInput)


def test_one_picture_serves_as_a_folder_of_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.png", halves((1, 2, 3), (4, 5, 6)))
    assert FolderFrames(path).paths == (path,)


def test_a_folder_that_cannot_serve_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no picture"):
        FolderFrames(tmp_path)
    with pytest.raises(BadInput, match="none is not there: name a folder"):
        FolderFrames(tmp_path / "none")
    with pytest.raises(BadInput, match="does not lead forward"):
        FolderFrames(tmp_path, 0.0)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(BadInput, match=r"notes\.txt holds no picture: name a \.jpg or \.png file"):
        FolderFrames(tmp_path / "notes.txt")


def film(path: Path, frames: int, fps: float = 10.0) -> Path:
    """A video whose frame number `n` is of grey level `20 * n`."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (WIDTH, HEIGHT))
    for number in range(frames):
        writer.write(np.full((HEIGHT, WIDTH, 3), 20 * number, np.uint8))
    writer.release()
    return path


def test_a_video_gives_its_frames_at_their_times(tmp_path: Path) -> None:
    frames = list(VideoFrames(film(tmp_path / "a.avi", 9), 0.2))
    assert [t for t, _ in frames] == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8])
    assert [float(np.mean(image)) for _, image in frames if not isinstance(image, BadInput)] == pytest.approx(
        [0, 40, 80, 120, 160], abs=2
    )


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not there: name a video file"):
        VideoFrames(tmp_path / "none.mp4")
    (tmp_path / "a.mp4").write_text("Dear film,")
    with pytest.raises(BadInput, match=r"a\.mp4 cannot be read: save it as"):
        VideoFrames(tmp_path / "a.mp4")
