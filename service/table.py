"""One table: a board, its sensor, the referee, the log and the lights, joined. The heart of `pitwatch run`.

Readings go to the sensor, observations to the referee. Each event is in the log before anybody is told of it,
so that nothing that was seen can be lost. Everything happens on one event loop.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from engine import games
from engine.errors import BadInput
from engine.game import Game
from engine.layout import Layout
from engine.move import Move
from firmware_bridge.scale import Calibration, Scale
from hardware.lights import Lights
from referee.events import Event
from referee.lamps import frame, plan
from referee.referee import Referee, Settings
from service.boards import board_for, fits
from service.log import Log, moves_of
from service.simulated import Pretence, SimulatedBoard
from service.simulation.mistakes import KINDS
from service.sources import Back, FolderSource, Gone, PortSource, Read, Source
from service.watch import Watch
from service.web.feed import Feed
from service.web.table import (
    Auto,
    Err,
    InputKind,
    NotSimulatedError,
    Order,
    Pace,
    Play,
    PutRight,
    SimulatedHand,
    Snapshot,
)
from vision.camera import Camera

_LIGHTS_S = 0.05
"""Seconds between two looks at what the lights should show."""
_AGAIN_S = 1.0
"""Seconds that are left between the last reading of a game and the first after its resumption."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """The embedded simulated board."""

    pretence: Pretence


@dataclass(frozen=True, slots=True)
class Scales:
    """A weighing board on a serial port."""

    port: str
    calibration: Calibration
    rate: int | None = None


@dataclass(frozen=True, slots=True)
class Pictures:
    """A folder of pictures in the place of a camera."""

    folder: Path
    looks: int = 6
    every: float = 0.5


Setup = Simulated | Scales | Pictures
"""What watches the board."""


class LiveTable:
    """What `service.web.table.Table` asks for. Begin with `open`, then keep `watch` and `light` running."""

    def __init__(
        self, log: Log, lights: Lights, setup: Setup, layout: Layout | None, settings: Settings
    ) -> None:
        """`layout` is the board in use; None on a simulated one, which becomes what the game wants."""
        self.log = log
        self.feed = Feed()
        self._lights = lights
        self._setup = setup
        self._own_layout = layout
        self._settings = settings
        self._simulated: SimulatedBoard | None = None
        self._auto = isinstance(setup, Simulated) and setup.pretence.auto
        self._speed = setup.pretence.speed if isinstance(setup, Simulated) else 1.0
        self._changed = asyncio.Event()
        self._t = 0.0
        self._sensor = "waiting for the first reading"

    async def open(self, game: Game, players: Sequence[str] = ()) -> None:
        """Go on with the game that was left unfinished, if it is this one; else begin it.

        Raises:
            BadInput: the board does not fit, or the log cannot be written or read.
        """
        last = self.log.unfinished()
        if last and (last.game, dict(last.options)) == (game.name, dict(game.options)):
            events = [logged.event for logged in self.log.events(last.id)]
            self._t = max((event.t for event in events), default=0.0) + _AGAIN_S
            await self._begin(game, moves_of(events), last.id, last.players)
        else:
            await self._begin(game, [], None, players)

    async def close(self) -> None:
        """Let go of the simulated board and of all listeners."""
        self.feed.close()
        if self._simulated:
            await self._simulated.close()

    async def watch(self) -> None:
        """Take readings, one game after another, until cancelled."""
        while True:
            self._changed.clear()
            reading = asyncio.create_task(self._read(self._source))
            changed = asyncio.create_task(self._changed.wait())
            try:
                await asyncio.wait((reading, changed), return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    reading.result()
                    await changed
            finally:
                for task in (reading, changed):
                    task.cancel()
                with suppress(asyncio.CancelledError):
                    await reading

    async def light(self) -> None:
        """Keep the lights as they should be, until cancelled."""
        clock = asyncio.get_running_loop().time
        while True:
            self._lights.show(frame(plan(self._referee.view()), clock()))
            await asyncio.sleep(_LIGHTS_S)

    def snapshot(self) -> Snapshot:
        hand = None
        if self._simulated:
            hand = SimulatedHand(self._auto, self._speed, tuple(KINDS))
        return Snapshot(
            game_id=self._game_id,
            layout=self._layout,
            view=self._referee.view(),
            players=self._players,
            port=self._source.about,
            sensor=self._sensor,
            lights=self._lights.about,
            notes=self._watch.notes,
            hand=hand,
        )

    async def post_input(self, kind: InputKind, choice: int | None) -> None:
        self._say(self._referee.input(self._t, kind, choice))
        if kind == "takeback" and self._simulated:
            await self._simulated.ask({"do": "takeback"})

    async def new_game(self, game: str, options: Mapping[str, Any], players: tuple[str, ...]) -> str:
        await self._begin(games.load(game, options), [], None, players)
        return self._game_id

    async def order(self, order: Order) -> None:
        if not self._simulated:
            raise NotSimulatedError("this board is real: move its seeds by hand")
        match order:
            case Play(pit=pit, direction=direction):
                await self._simulated.ask({"do": "play", "move": self._name(pit, direction)})
            case Err(kind=kind, pit=pit):
                await self._simulated.ask({"do": "mistake", "kind": kind, "move": self._name(pit, 1)})
            case PutRight():
                await self._simulated.ask({"do": "restore"})
            case Auto(on=on):
                await self._simulated.ask({"do": "auto", "on": on})
                self._auto = on
            case Pace(factor=factor):
                await self._simulated.ask({"do": "speed", "factor": factor})
                self._speed = factor
        self.feed.look()

    def _name(self, pit: int, direction: int) -> str:
        game = self._referee.game
        if pit >= game.pits:
            raise BadInput(f"hole {pit} is no pit of this board: 0 to {game.pits - 1} was expected")
        way = direction if direction in game.rules.directions else game.rules.directions[0]
        return game.name_of(Move(pit, 1 if way > 0 else -1))

    async def _begin(
        self, game: Game, moves: Sequence[str], game_id: str | None, players: Sequence[str]
    ) -> None:
        """Make everything that belongs to one game, and only then leave the last one."""
        layout = self._own_layout or board_for(game)
        fits(layout, game)
        if len(players) not in (0, game.players):
            raise BadInput(f"{len(players)} names for {game.players} players: name all or none")
        referee = Referee(game, moves=[game.parse(move) for move in moves], settings=self._settings)
        simulated = None
        if isinstance(self._setup, Simulated):
            simulated = await SimulatedBoard.start(game, moves, self._pretence(self._setup))
        source, watch = self._sensing(referee, layout, simulated)
        if self._simulated:
            await self._simulated.close()
        names = tuple(players) or tuple(game.player_name(player) for player in range(game.players))
        self._simulated, self._source, self._watch = simulated, source, watch
        self._referee, self._layout, self._players = referee, layout, names
        self._game_id = game_id or self.log.begin(
            game=game.name, options=game.options, board=layout, players=names, at=datetime.now().astimezone()
        )
        self._say(referee.start(self._t))
        self._changed.set()

    def _pretence(self, setup: Simulated) -> Pretence:
        """The simulation as the page has set it since; each game from a seed of its own."""
        first = setup.pretence
        played = len(self.log.games())
        return Pretence(
            first.seed + played,
            self._speed,
            first.rate,
            first.cv,
            first.noise,
            self._auto,
            first.mistake_rate,
        )

    def _sensing(
        self, referee: Referee, layout: Layout, simulated: SimulatedBoard | None
    ) -> tuple[Source[Any], Watch[Any]]:
        game, seeds = referee.game, sum(referee.state.counts)
        holes = game.pits + game.players
        if isinstance(self._setup, Pictures):
            folder = self._setup
            return (
                FolderSource(folder.folder, folder.looks, folder.every, self._t),
                Watch(referee, Camera(layout, referee.counts, referee.state.counts)),
            )
        if simulated:
            port, calibration, rate = simulated.port, simulated.calibration, None
        else:
            assert isinstance(self._setup, Scales)
            port, calibration, rate = self._setup.port, self._setup.calibration, self._setup.rate
        scale = Scale(calibration, holes, seeds, referee.counts)
        return PortSource(port, calibration, self._t, rate), Watch(referee, scale)

    async def _read(self, source: Source[Any]) -> None:
        async for item in source.readings():
            match item:
                case Read(t, value):
                    self._t = t
                    self._sensor = "reads"
                    self._say(self._watch.read(t, value))
                    self.feed.look()
                case Gone(why):
                    self._sensor = why
                    self._say(self._referee.lost(self._t, why))
                case Back(how):
                    self._sensor = how
                    self._say(self._referee.back(self._t, how))

    def _say(self, events: Iterable[Event]) -> None:
        for event in events:
            seq = self.log.append(self._game_id, event)
            self.feed.say(self._game_id, seq, event)
        self.feed.look()
