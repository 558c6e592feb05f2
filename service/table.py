"""One table: a board, its sensor, the referee, the log and the lights, joined. The heart of `pitwatch run`.

Readings go to the sensor, observations to the referee. Each event is in the log before anybody is told of it,
so that nothing that was seen can be lost. Everything happens on one event loop.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from engine import games, line, position
from engine.errors import BadInput, PitwatchError
from engine.game import Game
from engine.layout import Layout
from engine.match import Round, first
from engine.move import SWAP, Move
from engine.notation import hole_name
from engine.observation import Sensor
from firmware_bridge.calibration import Plan, ScaleCalibration
from firmware_bridge.scale import Calibration, Scale
from firmware_bridge.search import Search
from hardware.lights import BLACK, BoardLights, Lights
from referee.clock import ClockSettings, ClockState, clock_as_json, clock_of
from referee.events import (
    Event,
    GameOver,
    GameStarted,
    Mended,
    RoundOver,
    Ruling,
    Takeback,
    Turn,
    Violation,
)
from referee.lamps import frame, plan
from referee.match import MatchReferee
from referee.referee import Referee, Settings
from referee.timed import TimedReferee
from service.boards import board_for, used
from service.calibrating import Calibrating, names_of, write
from service.log import Log, LoggedGame, moves_of, start_of
from service.overlay import drawn
from service.settings import Button, ClockTable
from service.simulated import Pretence, Sensors, SimulatedBoard
from service.simulation.mistakes import KINDS
from service.sources import Back, CameraSource, FileSource, Gone, PortSource, Pressed, Read, Source
from service.timeline import Timeline
from service.watch import Watch
from service.web.feed import Feed
from service.web.table import (
    Auto,
    Err,
    Guidance,
    InputKind,
    NotSimulatedError,
    Order,
    Pace,
    Play,
    PutRight,
    Rounds,
    SimulatedHand,
    Snapshot,
)
from vision import Image
from vision.camera import Camera, Place
from vision.capture import Camera as Running
from vision.capture import StreamCamera
from vision.frames import FolderFrames, VideoFrames
from vision.markers import ENOUGH, Registration
from vision.tracking import Tracked

_LIGHTS_S = 0.05
"""Seconds between two looks at what the lights should show."""
_TICK_S = 0.05
"""Seconds between two looks at the clock."""
_AGAIN_S = 1.0
"""Seconds that are left between the last reading of a game and the first after its resumption."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """The embedded simulated board."""

    pretence: Pretence


@dataclass(frozen=True, slots=True)
class Scales:
    """A weighing board on a serial port."""

    search: Search
    calibration: Calibration
    rate: int | None = None
    buttons: tuple[Button, ...] = ()
    """What each button of the board says; those beyond say nothing."""
    file: Path | None = None
    """The board file that the calibration stands in; None where it is kept elsewhere."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """A folder of pictures, or one picture, in the place of a camera."""

    folder: Path
    looks: int = 6
    every: float = 0.5
    corners: tuple[tuple[float, float], ...] = ()
    """Of a board without markers; empty for one with markers."""

    def source(self, start: float, live: bool) -> FileSource:
        frames = FolderFrames(self.folder, self.every * self.looks)
        return FileSource(frames, f"pictures in {self.folder}", self.looks, self.every, start, live)


@dataclass(frozen=True, slots=True)
class Film:
    """A video in the place of a camera."""

    path: Path
    every: float = 0.1
    corners: tuple[tuple[float, float], ...] = ()

    def source(self, start: float, live: bool) -> FileSource:
        frames = VideoFrames(self.path, self.every)
        return FileSource(frames, f"pictures in {self.path}", 1, self.every, start, live)


@dataclass(frozen=True, slots=True)
class Live:
    """A camera that runs."""

    camera: Running
    every: float = 0.1
    corners: tuple[tuple[float, float], ...] = ()

    def source(self, start: float, live: bool) -> CameraSource:
        return CameraSource(self.camera, self.every, start)


Setup = Simulated | tuple[Scales | Pictures | Film | Live, ...]
"""What watches the board: it is simulated, or has one sensor or several, one of a kind."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A game that was left unfinished, as the log has it."""

    id: str
    match: str | None
    players: tuple[str, ...]
    round: Round
    standing: tuple[int, ...]
    """Of the match, after the rounds before."""
    moves: tuple[str, ...]
    """And the positions of rulings, in words (`engine.line`)."""
    begun: bool
    """The board has been set up."""
    ended: bool
    """It is a round that is over, and this has been said."""
    clock: ClockState | None
    """After all that is in the log."""


def _simulated_sensors(sensors: Sensors, board: SimulatedBoard) -> tuple[Scales | Live, ...]:
    """What watches a simulated board, on the wires that it has itself."""
    found: list[Scales | Live] = []
    if sensors != "camera":
        found.append(Scales(Search(board.port), board.calibration))
    if board.camera:
        found.append(Live(StreamCamera(board.camera)))
    return tuple(found)


class LiveTable:
    """What `service.web.table.Table` asks for. Begin with `open`, then keep `watch` and `light` running."""

    def __init__(
        self,
        log: Log,
        lights: Lights,
        lit: Layout,
        setup: Setup,
        layout: Layout | None,
        settings: Settings,
        rounds: Rounds = "match",
        clock: ClockTable | None = None,
    ) -> None:
        """Nothing is begun yet.

        Args:
            lit: the board that has the lights.
            layout: the board in use; None for the one that a game wants, which on a simulated board may be
                another in each game.
            rounds: what is played of a game that has rounds.
            clock: of games that begin; None for no clock.
        """
        self.log = log
        self.feed = Feed()
        self._lights = lights
        self._lit = lit
        self._setup = setup
        self._own_layout = layout
        self._settings = settings
        self._rounds: Rounds = rounds
        self._clock = clock or ClockTable()
        self._simulated: SimulatedBoard | None = None
        self._auto = isinstance(setup, Simulated) and setup.pretence.auto
        self._speed = setup.pretence.speed if isinstance(setup, Simulated) else 1.0
        self._beginning = asyncio.Lock()
        self._changed = asyncio.Event()
        self._t = 0.0
        self._read_at: float | None = None
        """By the event loop: when the last reading came; None while there is none."""
        self._ended = False
        """Play is over, and the simulated hand has not been told."""
        self.guided: Calibrating | None = None
        """The calibration that is going on, or the last one if it found all."""
        self._measuring = False
        """Whether it is going on: what the board says is for it then."""
        self._unkept = ""
        """Why it failed, or what it found could not be kept."""
        self._pictured: Image | None = None
        """What the camera has seen last."""
        self._tracked: Tracked | None = None
        """What follows the board from corners that were given."""
        self._sensor: dict[str, str] = {}
        """How each sensor is, by name."""

    async def open(self, game: Game, players: Sequence[str] = ()) -> None:
        """Go on with the game that was left unfinished, if it is this one; else begin it.

        Raises:
            BadInput: the board does not fit, or the log cannot be written or read.
        """
        left = self._left(game)
        if left:
            await self._begin(left.round, left.players, left)
        else:
            await self._begin(first(game), players)

    def _left(self, game: Game) -> _Left | None:
        """The game, or the match, that was left unfinished, if it is this one."""
        last = self.log.unfinished()
        if last is None:
            return None
        rounds = self.log.rounds(last.match) if last.match else [last]
        if (rounds[0].game, rounds[0].options) != (game.name, dict(game.options)):
            return None
        if (last.match is not None) != self._is_match(game):
            return None
        # A round of which nothing was said was never begun.
        while len(rounds) > 1 and not rounds[-1].events:
            rounds.pop()
        return self._taken_up(rounds)

    def _taken_up(self, rounds: Sequence[LoggedGame]) -> _Left:
        last = rounds[-1]
        events = [logged.event for logged in self.log.events(last.id)]
        self._t = max((event.t for event in events), default=0.0) + _AGAIN_S
        game = games.load(last.game, last.options)
        start, totals, standing = start_of(game, events), (0,) * game.players, tuple[int, ...]()
        if len(rounds) > 1 and isinstance(rounds[-2].result, RoundOver):
            totals, standing = rounds[-2].result.totals, rounds[-2].result.standing
        return _Left(
            last.id,
            last.match,
            last.players,
            Round(max(last.round, 1), game, start, totals),
            standing,
            tuple(moves_of(events)),
            any(isinstance(event, Turn) for event in events),
            isinstance(last.result, RoundOver),
            clock_of(events),
        )

    def _is_match(self, game: Game) -> bool:
        return self._rounds == "match" and game.rules.rounds is not None

    async def close(self) -> None:
        """Let go of the simulated board and of all listeners. `watch` has been cancelled before."""
        self.feed.close()
        async with self._beginning:
            if self._simulated:
                await self._simulated.close()

    async def watch(self) -> None:
        """Take readings, one game after another, until cancelled."""
        while True:
            self._changed.clear()
            if self.guided and self._measuring:
                work = self._calibrate(self.guided)
            else:
                work = self._read_all(self._sources, self._watch, self._simulated)
            reading = asyncio.create_task(work)
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
            if self.guided and self._measuring and self._board == self._lit:
                self.guided.show(self._lights)
                await asyncio.sleep(_LIGHTS_S)
                continue
            colours = [BLACK] * len(self._lit.holes)
            if self._board == self._lit:
                shown = frame(plan(self._referee.view()), clock())
                for hole, colour in zip(self._cells, shown, strict=True):
                    colours[hole] = colour
            self._lights.show(colours)
            if isinstance(self._lights, BoardLights):
                for source in self._sources.values():
                    if isinstance(source, PortSource):
                        source.light(self._lights.picture)
            await asyncio.sleep(_LIGHTS_S)

    async def keep_time(self) -> None:
        """Let flags fall when it is time, and the simulated hand rest when play is over, until cancelled."""
        while True:
            said = self._referee.tick(self._now())
            if said:
                self._say(said)
            if self._simulated and self._ended:
                self._ended = False
                # A board that does not answer is lost, and that is said elsewhere.
                with suppress(PitwatchError):
                    await self._simulated.ask({"do": "auto", "on": False})
            await asyncio.sleep(_TICK_S)

    def _now(self) -> float:
        """Seconds, on the clock of the readings: it stands while the sensor is away."""
        if self._read_at is None:
            return self._t
        return self._t + asyncio.get_running_loop().time() - self._read_at

    def snapshot(self) -> Snapshot:
        clock = self._referee.clock
        hand = None
        if self._simulated:
            hand = SimulatedHand(self._auto, self._speed, tuple(KINDS))
        return Snapshot(
            game_id=self._game_id,
            layout=self._layout,
            view=self._referee.view(),
            players=self._players,
            port=" and ".join(source.about for source in self._sources.values()),
            sensor=self._sensors_in_words(),
            lights=self._lights.about if self._board == self._lit else "this board has no lights",
            notes=(
                *(note for source in self._sources.values() for note in source.notes),
                *self._watch.notes,
                *((self._unkept,) if self._unkept else ()),
            ),
            calibrates=self._scales() is not None and self._idle,
            camera="camera" in self._sources,
            rounds=self._rounds,
            hand=hand,
            clock=clock_as_json(clock, self._now()) if clock else None,
        )

    def picture(self, plain: bool = False) -> bytes | None:
        camera = self._watch.sensors.get("camera")
        if self._pictured is None or not isinstance(camera, Camera):
            return None
        picture = self._pictured
        if camera.place is not None and not plain:
            names = [hole_name(self._referee.game.rules, hole) for hole in range(len(self._layout.holes))]
            picture = drawn(picture, self._layout, camera.place, names)
        return cv2.imencode(".jpg", picture)[1].tobytes()

    async def set_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        camera = self._watch.sensors.get("camera")
        if not isinstance(camera, Camera):
            raise BadInput("no camera watches this board: name one as [camera] in the configuration")
        if self._pictured is None:
            raise BadInput("the camera has given no picture yet: set the corners when there is one")
        tracked = Tracked(corners, self._layout)
        high, wide = self._pictured.shape[:2]
        # pixel centres: the picture ends half a pixel beyond the last one
        if any(not (-0.5 <= x <= wide - 0.5 and -0.5 <= y <= high - 0.5) for x, y in corners):
            raise BadInput(
                f"a corner lies outside the picture of {wide} by {high} pixels: show the whole board, and "
                f"give its corners in pixels of the picture"
            )
        camera.placed(tracked, tracked(self._pictured))
        assert not isinstance(self._setup, Simulated)
        self._setup = tuple(
            one if isinstance(one, Scales) else replace(one, corners=tuple(corners)) for one in self._setup
        )
        self._tracked = tracked
        self.feed.look()

    async def post_input(
        self,
        kind: InputKind,
        choice: int | None,
        player: int | None = None,
        arbiter: bool = False,
        seconds: float = 0.0,
    ) -> None:
        t = self._now() if kind in ("press", "pause", "resume", "give") else self._t
        self._say(self._referee.tick(t))
        said = self._referee.input(t, kind, choice, player=player, arbiter=arbiter, seconds=seconds)
        self._say(said)
        if not self._simulated:
            return
        match kind:
            case "takeback":
                # Whoever takes back no more than a resignation moves no seeds.
                if any(isinstance(event, Takeback) and event.move for event in said):
                    asked = {"do": "takeback", "ply": len(self._referee.entries), "round": self._round}
                    await self._simulated.ask(asked)
                await self._simulated.ask({"do": "auto", "on": self._auto})
            case "accept" | "correct":
                await self._lead(said, begun=any(isinstance(event, GameStarted) for event in said))
            case "swap":
                await self._simulated.ask({"do": "play", "move": self._referee.game.name_of(SWAP)})

    async def _lead(self, events: Sequence[Event], begun: bool = False) -> None:
        """Let the simulated hand be where a ruling has led, and rest while one is awaited.

        Args:
            begun: the game or the round has been begun from what lies on the board.
        """
        if self._simulated is None:
            return
        # A board that does not answer is lost, and that is said elsewhere.
        with suppress(PitwatchError):
            if begun or any(isinstance(event, Ruling) and event.position for event in events):
                game = self._referee.game
                logged = [one.event for one in self.log.events(self._game_id)]
                await self._simulated.ask({
                    "do": "enter",
                    "round": self._round,
                    "options": dict(game.options),
                    "start": position.write(start_of(game, logged)),
                    "played": line.as_text(moves_of(logged)),
                })  # fmt: skip
            if any(isinstance(event, Violation | Ruling | Mended) for event in events):
                awaited = self._referee.view().phase == "decide"
                await self._simulated.ask({"do": "auto", "on": self._auto and not awaited})

    async def new_game(
        self,
        game: str,
        options: Mapping[str, Any],
        players: tuple[str, ...],
        rounds: Rounds | None = None,
        clock: ClockTable | None = None,
    ) -> str:
        if game not in (*games.names(), self._referee.game.name):
            raise BadInput(f"unknown game {game!r}: one of {', '.join(games.names())} was expected")
        await self._begin(first(games.load(game, options)), players, rounds=rounds, clock=clock)
        return self._game_id

    def _scales(self) -> Scales | None:
        """The weighing board, if it can be calibrated from here."""
        setup = () if isinstance(self._setup, Simulated) else self._setup
        return next((one for one in setup if isinstance(one, Scales) and one.file), None)

    @property
    def _idle(self) -> bool:
        """Whether nothing is lost when the game is begun anew."""
        return self._referee.view().phase == "over" or not (self._referee.entries or self._round > 1)

    def calibration(self) -> Mapping[str, Any] | None:
        return None if self.guided is None else {**self.guided.as_json(), "layout": asdict(self._board)}

    async def calibrate(self, said: Guidance) -> None:
        match said:
            case "begin":
                self._begin_calibration()
            case "stop":
                self._leave_calibration()
            case _ if self.guided is None or not self._measuring:
                raise BadInput("no calibration is going on: begin one")
            case answer:
                self.guided.answer(answer)
                return
        self._changed.set()
        self.feed.look()

    def _begin_calibration(self) -> None:
        scales, game = self._scales(), self._referee.game
        if scales is None:
            raise BadInput(
                "there is no weighing board here whose calibration stands in its board file: end Pitwatch, "
                "and run pitwatch calibrate scale"
            )
        if not self._idle:
            raise BadInput("a game is being played: calibrate before its first move, or when it is over")
        names = [hole_name(game.rules, hole) for hole in range(len(self._layout.holes))]
        plan = Plan(names_of(self._board, names), len(self._board.pits), sum(game.start().counts))
        self.guided = Calibrating(ScaleCalibration(plan), scales.search, scales.rate)
        self._measuring, self._unkept = True, ""
        self._sensor["scale"] = "the scale is being calibrated"

    def _leave_calibration(self) -> None:
        if self._measuring:
            self.guided, self._measuring = None, False
            self._sensor["scale"] = "waits for the first reading"

    async def _calibrate(self, guided: Calibrating) -> None:
        """Measure; write down what is found, and begin the game anew with it."""
        scales = self._scales()
        assert scales
        assert scales.file
        assert not isinstance(self._setup, Simulated)
        try:
            found = await guided.read()
        except BadInput as error:
            self._leave_calibration()
            self._unkept = str(error)
            self._changed.set()
            return
        try:
            write(scales.file, found)
        except BadInput as error:
            self._unkept = (
                f"the scale is calibrated until Pitwatch ends, for it cannot be written down: {error}"
            )
        new = replace(scales, calibration=found.calibration)
        self._setup = tuple(new if one is scales else one for one in self._setup)
        self._measuring = False
        await self._begin(first(self._referee.game), self._players)

    async def order(self, order: Order) -> None:
        if not self._simulated:
            raise NotSimulatedError("this board is real: move its seeds by hand")
        if self._referee.view().phase == "over" and isinstance(order, Play | Err):
            raise BadInput("the game is over: begin a new one, or take back")
        match order:
            case Play(pit=pit, direction=direction):
                await self._simulated.ask({"do": "play", "move": self._name(pit, direction)})
            case Err(kind=kind, pit=pit):
                await self._simulated.ask({"do": "mistake", "kind": kind, "move": self._name(pit, 1)})
            case PutRight():
                await self._simulated.ask({"do": "restore"})
            case Auto(on=on):
                over = self._referee.view().phase == "over"
                await self._simulated.ask({"do": "auto", "on": on and not over})
                self._auto = on
            case Pace(factor=factor):
                await self._simulated.ask({"do": "speed", "factor": factor})
                self._speed = factor
        self.feed.look()

    def _name(self, pit: int, direction: int) -> str:
        game = self._referee.game
        if pit >= game.pits:
            raise BadInput(f"hole {pit} is no pit of this board: 0 to {game.pits - 1} was expected")
        player = self._referee.state.player
        ways = game.ways(self._referee.state, 0 if player is None else player)
        return game.name_of(Move(pit, next((way for way in ways if way == direction), ways[0])))

    async def _begin(
        self,
        round_: Round,
        players: Sequence[str],
        left: _Left | None = None,
        rounds: Rounds | None = None,
        clock: ClockTable | None = None,
    ) -> None:
        """Make everything that belongs to one game or match, and only then leave the last one."""
        game = round_.game
        board = self._own_layout or board_for(game)
        layout, cells = used(board, game)
        if len(players) not in (0, game.players):
            raise BadInput(f"{len(players)} names for {game.players} players: name all or none")
        timing = (clock or self._clock).of(game.players)
        names = tuple(players) or tuple(game.player_name(player) for player in range(game.players))
        before, self._rounds = self._rounds, rounds or self._rounds
        match, played = self._is_match(game), left.moves if left else ()
        async with self._beginning:
            gone, simulated = self._simulated, None
            try:
                if isinstance(self._setup, Simulated):
                    simulated = await SimulatedBoard.start(round_, played, self._pretence(self._setup), match)
                referee = self._referee_of(round_, left, match, timing)
                sources, watch = self._sensing(referee, layout, cells, simulated)
                game_id = left.id if left else self._log_begun(round_, layout, names, int(match), None)
            except PitwatchError:
                self._rounds = before
                if simulated:
                    await simulated.close()
                raise
            self._simulated, self._sources, self._watch = simulated, sources, watch
            self._timeline, self._began = Timeline(), (self._t, asyncio.get_running_loop().time())
            self._referee, self._players, self._clock = referee, names, clock or self._clock
            self._ended, self._read_at = False, None
            self._leave_calibration()
            self._board, self._layout, self._cells = board, layout, cells
            self._game_id, self._match_id = game_id, (left.match if left else game_id) if match else None
            self._round = round_.number
            self._sensor = dict.fromkeys(sources, "waits for the first reading")
            self._changed.set()
            said = referee.start(self._t)
            if left and left.ended:
                said = [event for event in said if not isinstance(event, RoundOver)]
            self._say(said)
            if gone:
                await gone.close()

    def _referee_of(
        self, round_: Round, left: _Left | None, match: bool, timing: ClockSettings | None
    ) -> TimedReferee:
        # A game that was begun goes on with the clock it has, or with none.
        clock = left.clock if left else None
        referee = self._untimed(round_, left, match)
        return TimedReferee(referee, None if left and left.begun else timing, clock)

    def _untimed(self, round_: Round, left: _Left | None, match: bool) -> Referee | MatchReferee:
        game, settings = round_.game, self._settings
        moves = line.read(game, left.moves) if left else ()
        resumed = left is not None and (left.begun or bool(moves))
        if not match:
            return Referee(game, round_.start, moves=moves, resumed=resumed, settings=settings)
        standing = left.standing if left else ()
        return MatchReferee(round_, moves=moves, resumed=resumed, standing=standing, settings=settings)

    def _log_begun(
        self, round_: Round, layout: Layout, players: Sequence[str], number: int, match: str | None
    ) -> str:
        return self.log.begin(
            game=round_.game.name,
            options=round_.game.options,
            board=layout,
            players=players,
            at=datetime.now().astimezone(),
            round_=number,
            match=match,
        )

    def _pretence(self, setup: Simulated) -> Pretence:
        """The simulation as the page has set it since; each game from a seed of its own."""
        first = setup.pretence
        played = len(self.log.games())
        return replace(first, seed=first.seed + played, speed=self._speed, auto=self._auto)

    def _sensing(
        self,
        referee: TimedReferee,
        layout: Layout,
        cells: Sequence[int],
        simulated: SimulatedBoard | None,
    ) -> tuple[dict[str, Source[Any]], Watch]:
        """The sources of readings, by name, and what becomes of these."""
        setup = self._setup
        if isinstance(setup, Simulated):
            assert simulated is not None
            setup = _simulated_sensors(setup.pretence.sensors, simulated)
        sources: dict[str, Source[Any]] = {}
        sensors: dict[str, Sensor[Any]] = {}
        for one in setup:
            if isinstance(one, Scales):
                sensors["scale"], sources["scale"] = self._weighing(one, referee, cells, simulated is None)
            else:
                names = [hole_name(referee.game.rules, hole) for hole in range(len(layout.holes))]
                place = self._place(one.corners, layout)
                sensors["camera"] = Camera(layout, referee.counts, referee.state.counts, names, place)
                sources["camera"] = one.source(self._t, live=len(setup) > 1)
        return sources, Watch(referee, sensors)

    def _place(self, corners: Sequence[tuple[float, float]], layout: Layout) -> Place | None:
        """What finds the board in a picture; None for its markers."""
        if not corners:
            return partial(_cornerless, layout=layout) if len(layout.markers) < ENOUGH else None
        # In the next game it is the same board, which may have been bumped since the corners were given.
        if self._tracked is None or self._tracked.layout != layout:
            self._tracked = Tracked(corners, layout)
        return self._tracked

    def _weighing(
        self, scales: Scales, referee: TimedReferee, cells: Sequence[int], outlives: bool
    ) -> tuple[Scale, PortSource]:
        game, calibration = referee.game, scales.calibration
        holes, seeds = game.pits + game.players, sum(referee.state.counts)
        # A corner that nobody uses may have a cell.
        more = len(calibration.zero_counts) > holes
        scale = Scale(
            calibration.of(cells) if more else calibration, holes, seeds, referee.counts, referee.state.counts
        )
        source = PortSource(
            scales.search, calibration, self._t, scales.rate, outlives, cells=cells if more else None
        )
        return scale, source

    async def _read_all(
        self, sources: Mapping[str, Source[Any]], watch: Watch, simulated: SimulatedBoard | None
    ) -> None:
        """Take readings of all sensors, until there are no more or one cannot be read at all."""
        tasks = [asyncio.create_task(self._read(name, sources, watch)) for name in sources]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if simulated:
            why = await simulated.ended()
            if sources is self._sources:
                self._lose(next(iter(sources)), why)

    async def _read(self, name: str, sources: Mapping[str, Source[Any]], watch: Watch) -> None:
        async for item in sources[name].readings():
            # The next game may have begun, and this source is not yet told.
            if sources is not self._sources:
                return
            match item:
                case Read(t, value):
                    self._sensor[name] = "reads"
                    if name == "camera":
                        self._pictured = value
                    if len(sources) > 1:
                        t = self._timeline.common(name, t, self._host())
                    self._t, self._read_at = max(t, self._t), asyncio.get_running_loop().time()
                    said = watch.read(t, value, name)
                    self._say(said)
                    await self._lead(said)
                case Gone(why):
                    self._lose(name, why)
                case Back(how):
                    self._return(name, how)
                case Pressed(button):
                    await self._pressed(button)

    async def _pressed(self, button: int) -> None:
        """What a button of the board says; where that has no meaning now, nothing."""
        assert not isinstance(self._setup, Simulated)
        said = next(one.buttons for one in self._setup if isinstance(one, Scales))
        if button < len(said) and (kind := said[button]) != "none":
            with suppress(BadInput):
                await self.post_input(kind, None)

    def _host(self) -> float:
        """Seconds of the game by the event loop: to them the times of several sensors are brought."""
        t, then = self._began
        return t + asyncio.get_running_loop().time() - then

    def _lose(self, name: str, why: str) -> None:
        self._sensor[name] = why
        said = self._watch.lost(self._t, name, why)
        if self._watch.blind:
            self._read_at = None
        self._say(said)

    def _return(self, name: str, how: str) -> None:
        self._sensor[name] = how
        if len(self._sources) > 1 and self._watch.blind:
            # The time went on, and belongs to nobody.
            self._t = max(self._t, self._host())
        self._say(self._watch.back(self._t, name, how))

    def _sensors_in_words(self) -> str:
        if len(self._sensor) == 1:
            return next(iter(self._sensor.values()))
        return "; ".join(f"{name}: {how}" for name, how in self._sensor.items())

    def _say(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, GameStarted) and event.round > self._round:
                assert isinstance(self._referee.inner, MatchReferee)
                round_ = self._referee.inner.round
                self._game_id = self._log_begun(
                    round_, self._layout, self._players, event.round, self._match_id
                )
                self._round = event.round
            if isinstance(event, GameOver | Takeback):
                self._ended = isinstance(event, GameOver)
            seq = self.log.append(self._game_id, event)
            self.feed.say(self._game_id, seq, event)
        self.feed.look()


def _cornerless(image: Image, layout: Layout) -> Registration:
    """A `Place` of a board that cannot be found yet."""
    raise BadInput(
        f"board {layout.name!r} has {len(layout.markers)} markers in its board file: set its corners on the "
        f'page, under "What the camera sees", or give it at least {ENOUGH}'
    )
