"""A board without markers: its corners are given on the page of a running game, and kept by tracking."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from engine import games
from engine.errors import BadInput
from engine.layout import Layout
from firmware_bridge.search import Search
from hardware.lights import NoLights
from referee.events import Event, MoveMade, Question, Violation
from referee.referee import Settings
from service.boardfile import shipped
from service.log import Log
from service.table import LiveTable, Pictures, Scales
from service.web.app import create_app
from tests.service.running import PATIENCE_S
from tests.service.test_two_sensors import CALIBRATION
from tests.vision.draw import Look, Shot
from tests.vision.test_game import GAME, draw

CORNERS = [list(corner) for corner in Shot().corners]
UNPLACED = (
    "The board is not found: board 'walnut two by six' has 0 markers in its board file: set its corners"
)


class Play:
    """A table whose camera is a folder in which each picture is the one that lies there now."""

    watching: asyncio.Task[None]

    def __init__(self, folder: Path, layout: Layout, log: Log, corners: Any = ()) -> None:
        self.folder, self.log = folder, log
        setup = (Pictures(folder / "seen", looks=1, every=0.4, corners=corners),)
        self.table = LiveTable(log, NoLights(14), layout, setup, layout, Settings())
        self.web = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=create_app(self.table, arbiter="owl")),
            base_url="http://127.0.0.1:8080",
        )

    def lies(self, number: int, shift: float = 0.0) -> None:
        """The board is that of the game after so many moves, in a camera that was shifted by some pixels."""
        image = cv2.imread(str(self.folder / f"{number:02}.png"))
        assert image is not None
        shifted = cv2.warpAffine(image, np.array([[1, 0, shift], [0, 1, 0.0]]), image.shape[1::-1])
        assert cv2.imwrite(str(self.folder / "next.png"), shifted)
        (self.folder / "next.png").rename(self.folder / "now.png")

    async def set(self, corners: Any, arbiter: str = "owl") -> tuple[int, Any]:
        answer = await self.web.post("/api/camera/corners", json={"corners": corners, "arbiter": arbiter})
        return answer.status_code, answer.json()

    async def until(self, there: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not there():
                assert not self.watching.done()
                await asyncio.sleep(0.02)

    def said(self, *kinds: type[Event]) -> list[Any]:
        told = (logged.event for logged in self.log.events(self.table.snapshot().game_id))
        return [event for event in told if isinstance(event, kinds)]

    @property
    def notes(self) -> tuple[str, ...]:
        return self.table.snapshot().notes


@asynccontextmanager
async def playing(folder: Path, markers: bool = False, corners: Any = ()) -> AsyncIterator[Play]:
    shown = shipped("two-by-six")
    layout = shown if markers else replace(shown, markers=())
    draw(replace(shown, markers=()), folder, [board for _, board in GAME[:2]], Look())
    (folder / "seen").mkdir()
    for number in range(5000):
        (folder / "seen" / f"{number:04}.png").symlink_to(folder / "now.png")
    with Log(folder / "p.db") as log:
        play = Play(folder, layout, log, corners)
        play.lies(0)
        await play.table.open(games.load("kalah"))
        play.watching = asyncio.create_task(play.table.watch())
        try:
            yield play
        finally:
            play.watching.cancel()
            await asyncio.gather(play.watching, return_exceptions=True)
            await play.web.aclose()
            await play.table.close()


@pytest.mark.parametrize("markers", [False, True])
async def test_a_game_is_refereed_once_the_corners_are_given(tmp_path: Path, markers: bool) -> None:
    async with playing(tmp_path, markers) as play:
        await play.until(lambda: play.notes)
        assert "0 of 4 markers are seen" in play.notes[0] if markers else play.notes[0].startswith(UNPLACED)
        game_id = play.table.snapshot().game_id
        for wrong, status, why in (
            (CORNERS[:3], 400, "3 board corners were given: give four, clockwise from the top left"),
            (CORNERS[::-1], 400, "do not lie as on a board seen from above: give them clockwise"),
            ([[x + 100, y] for x, y in CORNERS], 400, "outside the picture of 1280 by 720 pixels"),
            ([[x / 100 + 30, y / 100 + 30] for x, y in CORNERS], 400, "too little to be followed by"),
        ):
            assert (answer := await play.set(wrong))[0] == status
            assert why in answer[1]["error"]
        assert (await play.set(CORNERS, "cat"))[0] == 403
        told = len(play.said(Event))
        plain = await play.web.get("/api/picture", params={"plain": True})
        assert (await play.web.get("/api/picture")).content == plain.content  # nothing is known to be drawn
        await play.until(lambda: play.notes)
        assert (play.table.snapshot().view.phase, told) == ("setup", len(play.said(Event)))

        status, answer = await play.set(CORNERS)
        assert status == 200
        assert answer["keep"].endswith(
            "corners = [[100.0, 210.0], [1180.0, 190.0], [1205.0, 560.0], [80.0, 545.0]]"
        )
        await play.until(lambda: play.table.snapshot().view.phase == "waiting")
        assert play.notes == ()
        plain = await play.web.get("/api/picture", params={"plain": True})
        assert (await play.web.get("/api/picture")).content != plain.content
        play.lies(1)
        await play.until(lambda: play.said(MoveMade))
        assert [event.move for event in play.said(MoveMade)] == ["C"]
        assert play.said(Violation, Question) == []
        assert play.table.snapshot().game_id == game_id


async def test_corners_outlive_the_game_and_follow_the_board(tmp_path: Path) -> None:
    """A camera that tracks is given corners anew; it is bumped, and another game begins."""
    off = tuple((x + 40.0, y) for x, y in Shot().corners)
    async with playing(tmp_path, corners=off) as play:
        await play.until(lambda: play.table.snapshot().sensor == "reads")
        assert (await play.set(CORNERS))[0] == 200
        await play.until(lambda: play.table.snapshot().view.phase == "waiting")
        play.lies(0, shift=9.0)
        await play.until(lambda: any("has moved" in note for note in play.notes))
        await play.table.new_game("kalah", {}, ())
        await play.until(lambda: play.table.snapshot().view.phase == "waiting")
        camera: Any = play.table._watch.sensors["camera"]
        corner = camera.place.to_picture(np.array([(0.0, 0.0)]))[0]
        assert corner == pytest.approx((109, 210), abs=1.0)
        assert play.said(Violation, Question) == []


@pytest.mark.parametrize(
    ("camera", "why"),
    [
        (True, "the camera has given no picture yet: set the corners when there is one"),
        (False, "no camera watches this board: name one as [camera] in the configuration"),
    ],
)
async def test_without_a_picture_there_are_no_corners_to_give(tmp_path: Path, camera: bool, why: str) -> None:
    layout = shipped("two-by-six")
    (tmp_path / "0.png").touch()
    with Log(tmp_path / "p.db") as log:
        setup = (Pictures(tmp_path) if camera else Scales(Search("/dev/nowhere"), CALIBRATION),)
        table = LiveTable(log, NoLights(14), layout, setup, layout, Settings())
        await table.open(games.load("kalah"))
        with pytest.raises(BadInput) as refused:
            await table.set_corners(Shot().corners)
        assert str(refused.value) == why
        await table.close()
