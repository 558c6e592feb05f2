"""The table without a web in front of it: lights, sources and a simulation that misbehaves."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from engine import games
from engine.errors import BadInput, PitwatchError
from engine.match import first
from firmware_bridge.scale import Calibration
from hardware.lights import BLACK, RGB, NoLights
from referee.referee import Settings
from service.boardfile import shipped
from service.boards import board_for, fits, used
from service.log import Log
from service.simulated import Pretence, SimulatedBoard, _Complaints
from service.table import LiveTable, Simulated


class Seen(NoLights):
    """Lights that remember what they show."""

    def __init__(self, holes: int) -> None:
        super().__init__(holes)
        self.about = "seen"
        self.shown: tuple[RGB, ...] = ()
        self._looked = asyncio.Event()

    def show(self, colours: Sequence[RGB]) -> None:
        super().show(colours)
        self.shown = tuple(colours)
        self._looked.set()

    async def next(self) -> None:
        """Return when they have been told twice what to show: the second is surely of now."""
        for _ in range(2):
            self._looked.clear()
            await self._looked.wait()


async def test_the_lights_are_of_their_own_board(tmp_path: Path) -> None:
    """A simulated board becomes what a game wants; the lamps of another board are dark then."""
    lights, lit = Seen(14), board_for(games.load("kalah"))
    with Log(tmp_path / "p.db") as log:
        table = LiveTable(log, lights, lit, Simulated(Pretence(auto=False, speed=20)), None, Settings())
        await table.open(games.load("kalah"))
        work = [asyncio.create_task(each) for each in (table.watch(), table.light())]
        async with asyncio.timeout(60):
            while table.snapshot().view.phase != "waiting":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            await lights.next()
            assert BLACK not in lights.shown[:6]
            assert table.snapshot().lights == "seen"
            await table.new_game("kalah", {"pits": 3}, ())
            await lights.next()
        assert not any(task.done() for task in work)
        assert lights.shown == (BLACK,) * 14
        assert table.snapshot().lights == "this board has no lights"
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await table.close()


async def test_a_simulation_that_cannot_be() -> None:
    with pytest.raises(BadInput, match=r"^cv is 9\.0: 0 to 0\.35 was expected$"):
        await SimulatedBoard.start(first(games.load("kalah")), [], Pretence(cv=9.0))
    with pytest.raises(BadInput, match=r"^a is not legal"):
        await SimulatedBoard.start(first(games.load("kalah")), ["a"], Pretence())


async def test_a_simulation_that_complains_without_end_is_not_held_up_and_its_last_word_is_told() -> None:
    script = """
import json, sys
sys.stderr.write("x" * 79 + "\\n" * 1); sys.stderr.write(("y" * 79 + "\\n") * 5000); sys.stderr.flush()
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "done": True}), flush=True)
    if "end" in line:
        sys.exit("no more stones")
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    ready = {"port": "none", "calibration": {"seed_mass": {"mean": 3, "sd": 0}, "cell_noise": 0.1}}
    board = SimulatedBoard(process, ready, _Complaints(process))
    async with asyncio.timeout(30):
        await board.ask({"do": "auto"})
        with suppress(PitwatchError):
            await board.ask({"do": "end"})
        said = "the simulated board has ended (no more stones): begin a new game"
        assert await board.ended() == said
        with pytest.raises(PitwatchError) as ended:
            await board.ask({"do": "auto"})
        assert str(ended.value) == said
        await board.close()
        await board.close()


def test_a_board_for_every_game() -> None:
    """A shipped one where the holes are the same; else two rows at the same pitch, and stores beside them."""
    assert board_for(games.load("kalah")) == shipped("two-by-six")
    for name in ("simple-mancala", "omweso", "bao"):
        assert board_for(games.load(name)) == shipped("four-by-eight")
    for pits in (3, 5, 9):
        game = games.load("kalah", {"pits": pits})
        board = board_for(game)
        fits(board, game)
        assert len(board.pits) == 2 * pits
        assert [pit.x for pit in board.pits[:pits]] == [pit.x for pit in reversed(board.pits[pits:])]
        east, west = board.stores
        assert west.x < board.pits[0].x
        assert east.x > board.pits[pits - 1].x
        assert board.length - east.x == pytest.approx(477.5 - 440.0)
    with pytest.raises(
        BadInput, match="the board walnut two by seven has 14 pits and 2 stores, this kalah want"
    ):
        fits(shipped("two-by-seven"), games.load("kalah"))


@pytest.mark.parametrize(("players", "corners"), [(2, (0, 2)), (3, (0, 2, 1)), (4, (0, 3, 2, 1))])
def test_an_own_board_with_four_corners_serves_any_number_of_players(
    players: int, corners: tuple[int, ...]
) -> None:
    """Corners are counted counter-clockwise from the bottom right, South's; turns pass clockwise."""
    own = replace(shipped("orient-rows"), name="our own")
    layout, holes = used(own, games.load("orient-standard", {"players": players}))
    assert holes == (*range(12), *(12 + corner for corner in corners))
    assert layout.stores == tuple(own.stores[corner] for corner in corners)
    with pytest.raises(BadInput, match="our own has 12 pits and 4 stores, this kalah wants 12 and 2"):
        used(own, games.load("kalah"))


def test_the_cells_of_corners_that_nobody_uses_are_left_out() -> None:
    zeros = tuple(map(float, range(16)))
    whole = Calibration(3.0, 0.3, (0.1,), zeros, (2.0,) * 16)
    some = whole.of((0, 12, 14))
    assert (some.zero_counts, some.counts_per_gram, some.cell_noise_g) == (
        (0.0, 12.0, 14.0),
        (2.0,) * 3,
        (0.1,),
    )
    with pytest.raises(BadInput, match="the calibration is of 16 cells, and cell 17 is wanted"):
        whole.of((0, 16))
