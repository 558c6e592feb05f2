"""Cameras and pictures as the table hears of them: a network stream on loopback, a video, a folder."""

import asyncio
import re
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.layout import Layout
from service import cli, sources
from service.boardfile import shipped
from service.simulation.film import Film, Scenery
from service.sources import Back, CameraSource, FileSource, Gone, Read
from tests.vision.test_frames import exif, film
from tests.vision.test_hands import exposure
from vision import AnyImage, Image
from vision.camera import Camera
from vision.capture import StreamCamera
from vision.frames import FolderFrames, VideoFrames

Readings = AsyncGenerator[Read[Image] | Gone | Back, None]
Jpegs = Callable[[], Iterator[bytes]]


def jpeg(level: int, noise: int = 0) -> bytes:
    picture = np.random.default_rng(noise).integers(level, level + 3, (240, 320, 3))
    return cv2.imencode(".jpg", picture.astype(np.uint8))[1].tobytes()


@asynccontextmanager
async def streaming(jpegs: Jpegs, port: int = 0) -> AsyncIterator[int]:
    """A camera that answers HTTP with pictures, one after another, and then closes or falls silent."""
    silent: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        silent.add(task)
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(
                b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"
            )
            for data in jpegs():
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                writer.write(head.encode() + data + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in silent:
            task.cancel()
        await asyncio.gather(*silent, return_exceptions=True)


def watching(port: int) -> Readings:
    return CameraSource(StreamCamera(f"http://127.0.0.1:{port}/live.mjpg"), 0.0, start=7.0).readings()


async def until(readings: Readings, kind: type[Gone] | type[Back]) -> str:
    async for item in readings:
        if isinstance(item, kind):
            return item.why if isinstance(item, Gone) else item.how
    raise AssertionError("the readings have ended")


async def test_a_stream_is_read_lost_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_TRY_S", 0.05)
    async with (
        streaming(lambda: (jpeg(100, n) for n in range(40))) as port,
        aclosing(watching(port)) as readings,
    ):
        first, second = await anext(readings), await anext(readings)
        assert isinstance(first, Read)
        assert isinstance(second, Read)
        assert first.value.shape == (240, 320, 3)
        assert float(np.mean(first.value)) == pytest.approx(101, abs=2)
        assert 7.0 <= first.t < second.t
        assert "gives no more frames: check its cable or its network" in await until(readings, Gone)
        assert "gives pictures again" in await until(readings, Back)


async def test_a_frozen_stream_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "FROZEN_S", 0.2)
    async with (
        streaming(lambda: (jpeg(100) for _ in range(10_000))) as port,
        aclosing(watching(port)) as readings,
    ):
        assert "is frozen" in await until(readings, Gone)


async def test_a_stream_that_falls_silent_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_STALE_S", 0.3)
    go = threading.Event()

    class Silent:
        about, notes = "camera 0", ()
        frames = 1

        def open(self) -> "Silent":
            return self

        def read(self) -> Image:
            self.frames -= 1
            if self.frames < 0:
                go.wait(5)
            return np.zeros((240, 320, 3), np.uint8)

        def close(self) -> None:
            pass

    async with aclosing(CameraSource(Silent(), 0.0).readings()) as readings:
        assert isinstance(await anext(readings), Read)
        asyncio.get_running_loop().call_later(0.5, go.set)
        said = await until(readings, Gone)
    assert said.startswith("camera 0 has given no frame for ")


async def test_a_stream_that_is_not_there_is_waited_for() -> None:
    async with streaming(lambda: iter(())) as port:
        pass
    async with aclosing(watching(port)) as readings:
        assert await until(readings, Gone) == (
            f"stream http://127.0.0.1:{port}/live.mjpg cannot be opened: start it, or mend url in [camera]"
        )


async def test_a_video_is_read_to_its_end(tmp_path: Path) -> None:
    source = FileSource(VideoFrames(film(tmp_path / "a.avi", 5), 0.1), "pictures in a.avi", start=3.0)
    items = [item async for item in source.readings()]
    assert [item.t for item in items if isinstance(item, Read)] == pytest.approx([3.0, 3.1, 3.2, 3.3, 3.4])
    assert items[-1] == Gone("there are no more pictures in a.avi")


async def test_a_bad_picture_is_said_and_the_next_one_read(tmp_path: Path) -> None:
    for name in ("a.jpg", "d.jpg"):
        (tmp_path / name).write_bytes(jpeg(100))
    (tmp_path / "b.jpg").touch()
    (tmp_path / "c.jpg").write_bytes(jpeg(100)[:500])
    source = FileSource(FolderFrames(tmp_path), "pictures", looks=1)
    items = [item async for item in source.readings()]
    assert [type(item).__name__ for item in items] == ["Read", "Gone", "Gone", "Back", "Read", "Gone"]
    assert [item.why for item in items if isinstance(item, Gone)] == [
        f"picture {tmp_path / 'b.jpg'} is empty: take it again",
        f"picture {tmp_path / 'c.jpg'} is broken off before its end: copy or take it again",
        "there are no more pictures",
    ]


def png(image: AnyImage) -> bytes:
    return cv2.imencode(".png", image)[1].tobytes()


def without_a_marker(good: Image) -> Image:
    covered = good.copy()
    covered[: good.shape[0] // 2, : good.shape[1] // 5] = 90
    return covered


def turned(good: Image) -> bytes:
    """A JPEG that lies on its side, and whose EXIF says so."""
    flat = cv2.imencode(".jpg", np.rot90(good), [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    return flat[:2] + exif(6) + flat[2:]


BAD: dict[str, tuple[Callable[[Image], bytes], str]] = {
    "a_empty": (lambda good: b"", "is empty: take it again"),
    "b_truncated": (lambda good: png(good)[:5000], "is broken off before its end: copy or take it again"),
    "c_huge": (
        lambda good: png(good)[:16] + b"\0\1\0\0" * 2 + png(good)[24:],
        "has 65536 by 65536 pixels: shrink",
    ),
    "d_unmarked": (
        lambda good: png(np.full_like(good, 120)),
        "0 of 4 markers are seen (not 0, 1, 2, 3): show",
    ),
    "e_mirrored": (lambda good: png(good[:, ::-1]), "the picture is mirrored: turn mirroring off"),
    "f_three": (lambda good: png(without_a_marker(good)), "Marker 0 is not seen: uncover it."),
    "g_grey": (lambda good: png(cv2.cvtColor(good, cv2.COLOR_BGR2GRAY)), "The picture has no colour"),
    "h_alpha": (lambda good: png(np.dstack([good, np.full(good.shape[:2], 255, np.uint8)])), ""),
    "i_turned": (turned, ""),
}
"""What befalls a picture, and its sentence; none where it is read as if nothing were."""


@pytest.fixture(scope="module")
def layout() -> Layout:
    return shipped("two-by-six")


@pytest.fixture(scope="module")
def bad_pictures(tmp_path_factory: pytest.TempPathFactory, layout: Layout) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    good = Film(np.random.default_rng(1), layout, Scenery()).picture(exposure((4,) * 12 + (0, 0), 0))
    for name, (make, _) in BAD.items():
        data = make(good)
        suffix = ".jpg" if data.startswith(b"\xff") else ".png"
        (folder / name).with_suffix(suffix).write_bytes(data)
    return folder


async def test_every_bad_picture_gets_its_sentence_and_ends_nothing(
    bad_pictures: Path, layout: Layout
) -> None:
    """As `pitwatch run --pictures` meets them."""
    camera, said = Camera(layout, 49), list[str]()
    async for item in FileSource(FolderFrames(bad_pictures), "pictures").readings():
        if isinstance(item, Gone):
            said.append(item.why)
        elif isinstance(item, Read):
            said.append(" ".join(camera.observe(item.t, item.value).notes))
    for (_, words), sentence in zip(BAD.values(), said, strict=False):
        assert words in sentence if words else sentence == ""
    assert said[-1] == "there are no more pictures"


@pytest.mark.parametrize("name", BAD)
def test_every_bad_picture_gets_its_sentence_when_it_is_counted(
    name: str, bad_pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = bad_pictures.glob(f"{name}.*")
    monkeypatch.setattr(sys, "argv", ["pitwatch", "count", str(path), "--board", "two-by-six"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    out, err = capsys.readouterr()
    words = BAD[name][1]
    assert words in out + err
    assert "Traceback" not in err
    read = name >= "f"
    assert stopped.value.code == (0 if read else 2)
    assert bool(re.search(r"^ A  ", out, re.MULTILINE)) == read
