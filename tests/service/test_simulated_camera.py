"""A board with no hardware, watched by a camera: its pictures come over the network as a real camera's do."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from service.boardfile import shipped
from tests.service.running import board, service
from vision.capture import CameraLost, StreamCamera
from vision.markers import register


def kinds(state: dict[str, Any]) -> set[str]:
    return {event["event"] for event in state["events"]}


@pytest.mark.parametrize("sensors", ["camera", "both"])
def test_what_the_hand_plays_is_refereed_by_pictures(tmp_path: Path, sensors: str) -> None:
    """Kalah's C ends in South's store, and South plays F; then North's a is sown one short."""
    options = ("--sensors", sensors, "--no-auto", "--board", "two-by-six")
    with service(tmp_path / "games.db", *options) as running:
        state = running.until(lambda state: "turn" in kinds(state) and "waits" not in state["sensor"])
        assert state["hand"]["speed"] == 1.0
        for pit, moves in ((2, ["C"]), (5, ["C", "F"])):
            assert running.post("hand", {"do": "play", "pit": pit})[0] == 202
            state = running.until(lambda state, moves=moves: len(state["moves"]) >= len(moves))  # type: ignore[misc]
            assert state["moves"] == moves
        assert not kinds(state) & {"violation", "question"}
        assert running.post("hand", {"do": "mistake", "kind": "sown_short", "pit": 6})[0] == 202
        # pictures alone may leave a doubt, of which it asks
        state = running.until(lambda state: state["view"]["violation"] or state["view"]["question"])
        if sensors == "both":
            assert state["view"]["violation"]["kind"] == "sown_short"
        assert state["sensor"] == ("scale: reads; camera: reads" if sensors == "both" else "reads")
        status, refused = running.post("hand", {"do": "speed", "factor": 2})
        assert status == 400
        assert "keeps the time of a clock" in refused["error"]


def test_the_stream_shows_the_board_that_was_asked_for(tmp_path: Path) -> None:
    layout = shipped("two-by-six")
    with board(tmp_path, "--sensors", "camera", "--board", "two-by-six", "--play", "none") as simulated:
        device = StreamCamera(simulated.ready["camera"]).open()
        picture = device.read()
        device.close()
    assert picture.shape == (720, 1280, 3)
    # four seeds in each pit, none in the stores: these show bare wood alone
    found = register(picture, layout)
    middles = found.to_picture(np.array([(hole.x, hole.y) for hole in layout.holes]))
    spread = [
        float(
            cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)[
                int(y) - 15 : int(y) + 15, int(x) - 15 : int(x) + 15, 1:
            ].std()
        )
        for x, y in middles
    ]
    assert min(spread[:12]) > 2 * max(spread[12:])
    with pytest.raises(CameraLost, match="cannot be opened"):
        StreamCamera(simulated.ready["camera"]).open()
