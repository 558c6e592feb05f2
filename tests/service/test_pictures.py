"""The pictures of `../shared/boards`, where they are: read as they must be, whatever is counted on them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.camera import rendered_layout
from tests.vision.test_game import moves, referee_over, troubles

SHARED = Path(os.environ.get("PITWATCH_SHARED", Path(__file__).parents[3] / "shared")) / "boards"
PITWATCH = Path(sys.executable).with_name("pitwatch")

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there")


def count(*words: str | Path) -> list[dict[str, Any]]:
    done = subprocess.run([PITWATCH, "count", *words, "--json"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", ["congklak_ediw7", "kalah_alphacapture", "oware_miguelseca"])
def test_a_photograph_is_counted_where_its_pits_are(name: str) -> None:
    truth = json.loads((SHARED / "real" / f"{name}.json").read_text())
    (found,) = count(SHARED / "real" / f"{name}.jpg", "--pits", SHARED / "real" / f"{name}.json")
    assert len(found["pits"]) == len(found["certainty"]) == len(truth["pits"])
    assert found["stores"] == []


def test_a_rendered_board_is_counted_with_a_board_file_of_its_truth(tmp_path: Path) -> None:
    truth = json.loads((SHARED / "rendered" / "img001.json").read_text())
    layout = rendered_layout(truth)
    lines = [f'name = "rendered"\nlength = {layout.length}\nwidth = {layout.width}']
    lines += [f"[[pit]]\nx = {pit.x}\ny = {pit.y}\nradius = {pit.radius}" for pit in layout.pits]
    lines += [
        f"[[store]]\nplayer = {player}\nx = {store.x}\ny = {store.y}\nradius = {store.radius}\n"
        f"half_length = {store.half_length}"
        for player, store in enumerate(layout.stores)
    ]
    lines += [
        f"[[marker]]\nid = {marker.id}\ncorners = {[list(corner) for corner in marker.corners]}"
        for marker in layout.markers
    ]
    board = tmp_path / "board.toml"
    board.write_text("\n".join(lines))
    (found,) = count(SHARED / "rendered" / "img001.jpg", "--board", board)
    assert (len(found["pits"]), len(found["stores"])) == (12, 2)
    assert found["notes"] == []


async def test_the_rendered_game_is_refereed_as_the_moves_that_it_is(tmp_path: Path) -> None:
    sequence = sorted((SHARED / "rendered").glob("seqA_*.json"))
    truths = [json.loads(path.read_text()) for path in sequence]
    for path in sequence:
        (tmp_path / path.name).with_suffix(".jpg").symlink_to(path.with_suffix(".jpg").resolve())
    made = []
    for truth in truths[1:]:
        pit, listed = truth["move_from_previous"]["pit"], truth["state"]
        # listed: South's row and store, North's row and store
        name = "ABCDEF"[pit] if pit < 6 else "abcdef"[pit - 7]
        made.append((name, (*listed[:6], *listed[7:13], listed[6], listed[13])))
    events = await referee_over(tmp_path, rendered_layout(truths[0]))
    assert troubles(events) == []
    # of the last one the network is in doubt, and says so: nothing is invented
    assert moves(events) == made[: len(moves(events))]
    assert len(moves(events)) >= 3
