"""A table at the seam between web and service: a real log and feed, and a view that tests lay out by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.games import load
from referee.events import Event, GameStarted
from referee.view import View
from service.boardfile import shipped
from service.log import Log
from service.settings import ClockTable
from service.web.feed import Feed
from service.web.table import Guidance, InputKind, NotSimulatedError, Order, Rounds, SimulatedHand, Snapshot

START = View(
    game="kalah",
    options=(("pits", 6), ("seeds", 4)),
    players=2,
    pits=12,
    counts=(4,) * 12 + (0, 0),
    live=(4,) * 12 + (0, 0),
    certain=(1.0,) * 14,
    hand=(0.0,) * 14,
    phase="waiting",
    player=0,
    legal=(0, 1, 2, 3, 4, 5),
)


class FakeTable:
    """Remembers what it is told; `say` and `look` are what the service would do."""

    def __init__(self, path: Path, *, simulated: bool = True) -> None:
        self.log = Log(path)
        self.feed = Feed()
        self.inputs: list[tuple[str, int | None]] = []
        self.orders: list[Order] = []
        self.rounds: Rounds | None = None
        self.clock: ClockTable | None = None
        self.seconds = 0.0
        self.pictured: bytes | None = None
        self.bare: bytes | None = None
        self.corners: Sequence[tuple[float, float]] = ()
        self.guided: Mapping[str, Any] | None = None
        self.state = Snapshot(
            game_id="",
            layout=shipped("two-by-six"),
            view=START,
            players=("South", "North"),
            port="a bench",
            sensor="10 readings a second",
            lights="this board has no lights",
            hand=SimulatedHand(auto=False, speed=1.0, mistakes=("sown_short", "skipped_pit"))
            if simulated
            else None,
        )
        self._begin("kalah", {})

    def _begin(self, game: str, options: Mapping[str, Any]) -> str:
        state = load(game, dict(options)).start()
        game_id = self.log.begin(
            game=game,
            options=options,
            board=self.state.layout,
            players=self.state.players,
            at=datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
        )
        holes = len(state.counts)
        view = replace(
            START, game=game, pits=len(state.pits), counts=state.counts, live=state.counts,
            certain=(1.0,) * holes, hand=(0.0,) * holes,
        )  # fmt: skip
        self.state = replace(self.state, game_id=game_id, view=view)
        self.say(GameStarted(0.0, 0, 0, game=game, pits=state.pits, stores=state.stores))
        return game_id

    def say(self, event: Event) -> None:
        self.feed.say(self.state.game_id, self.log.append(self.state.game_id, event), event)

    def look(self, **changes: Any) -> None:
        """Changes the view."""
        self.state = replace(self.state, view=replace(self.state.view, **changes))
        self.feed.look()

    def clocked(self, clock: Mapping[str, Any]) -> None:
        """Changes the clock."""
        self.state = replace(self.state, clock=clock)
        self.feed.look()

    def snapshot(self) -> Snapshot:
        return self.state

    def picture(self, plain: bool = False) -> bytes | None:
        return self.bare if plain else self.pictured

    async def set_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        if len(corners) != 4:
            raise BadInput(f"{len(corners)} board corners were given: give four, clockwise from the top left")
        self.corners = corners

    def calibration(self) -> Mapping[str, Any] | None:
        return self.guided

    async def calibrate(self, said: Guidance) -> None:
        if said != "begin" and self.guided is None:
            raise BadInput("no calibration is going on: begin one")
        self.guided = None if said == "stop" else {**(self.guided or {}), "text": f"after {said}"}

    async def post_input(
        self,
        kind: InputKind,
        choice: int | None,
        player: int | None = None,
        arbiter: bool = False,
        seconds: float = 0.0,
    ) -> None:
        self.seconds = seconds
        if kind == "swap":
            raise BadInput("nobody may swap sides now: the pie rule is for the second move")
        self.inputs.append((f"arbiter: {kind}" if arbiter else kind, choice if player is None else player))

    async def new_game(
        self,
        game: str,
        options: Mapping[str, Any],
        players: tuple[str, ...],
        rounds: Rounds | None = None,
        clock: ClockTable | None = None,
    ) -> str:
        self.rounds, self.clock = rounds, clock
        if players:
            self.state = replace(self.state, players=players)
        return self._begin(game, options)

    async def order(self, order: Order) -> None:
        if self.state.hand is None:
            raise NotSimulatedError("the board is real: move the seeds by hand")
        self.orders.append(order)

    def close(self) -> None:
        self.feed.close()
        self.log.close()
