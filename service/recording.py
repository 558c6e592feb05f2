"""Recordings: what a sensor gave in one game, line by line, for the referee to look at again (design.md).

Line 1 says what was played and what the numbers mean; each other line is a reading or an input.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from engine import games
from engine.errors import BadInput
from engine.match import Round
from engine.observation import Observation, Sensor
from firmware_bridge.scale import Calibration, Scale
from referee.events import Event
from referee.match import MatchReferee
from referee.referee import Referee, Settings
from referee.timed import TimedReferee
from service.settings import ClockTable, RefereeTable
from service.watch import Watch
from service.web.table import InputKind


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Start(_Line):
    """A position to start from; what is left out is as at the start of the game."""

    pits: list[int] | None = None
    stores: list[int] | None = None
    player: int = 0


class Header(_Line):
    """The first line."""

    pitwatch: Literal[1]
    board: dict[str, Any] | str = {}
    game: str
    options: dict[str, bool | int | str] = {}
    rounds: Literal["match", "single"] = "match"
    """What was played of a game that has rounds."""
    start: Start = Start()
    sensor: Literal["scale", "camera"] = "scale"
    calibration: dict[str, Any] = {}
    clock: ClockTable = ClockTable()
    referee: RefereeTable = RefereeTable()
    """As in the configuration."""


class Grams(_Line):
    """A weighing: one value a cell, pits in ring order, then stores; null for a cell that gave nothing."""

    t: FiniteFloat
    grams: list[FiniteFloat | None]


class Likelihoods(_Line):
    """A look: log-likelihoods `(holes, counts)` and evidence of a hand `(holes,)`."""

    t: FiniteFloat
    loglik: list[list[FiniteFloat]]
    hand: list[Annotated[float, Field(ge=0, le=1)]] = []


class Input(_Line):
    """What a player said."""

    t: FiniteFloat
    input: InputKind
    choice: int | None = None
    player: int | None = None
    arbiter: bool = False
    seconds: FiniteFloat = 0.0


class _Given:
    """The sensor of a recording of likelihoods: they are observations as they stand."""

    def __init__(self, holes: int, counts: int, feels: bool) -> None:
        self._shape = (holes, counts)
        self._feels = feels

    def observe(self, t: float, reading: Likelihoods) -> Observation:
        rows = [row[: self._shape[1]] for row in reading.loglik]
        if len(rows) != self._shape[0]:
            raise BadInput(
                f"loglik has {len(rows)} rows: one for each of {self._shape[0]} holes was expected"
            )
        if [] in rows:
            raise BadInput(f"loglik says nothing of hole {rows.index([])}: a value for no seed was expected")
        if len(reading.hand) not in (0, self._shape[0]):
            raise BadInput(f"hand has {len(reading.hand)} values: one for each of {self._shape[0]} holes")
        loglik = np.empty(self._shape)
        for hole, row in enumerate(rows):
            # A recording need not go as far as the referee looks: what it leaves out is as its worst.
            loglik[hole] = [*row, *[min(row)] * (self._shape[1] - len(row))]
        loglik -= loglik.max(axis=1, keepdims=True)
        return Observation(t, loglik, np.array(reading.hand or [0.0] * self._shape[0]), feels=self._feels)

    def settled(self, t: float, counts: object) -> None:
        pass


def referee_over(path: Path) -> Iterator[Event]:
    """What the referee says of a recording, event by event.

    Raises:
        BadInput: the file cannot be read, or a line of it does not fit; the sentence names the line.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            yield from _judge(path, enumerate(lines, start=1))
    except OSError as error:
        raise BadInput(f"the recording {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"the recording {path} is not text: a .jsonl file was expected") from error


def _judge(path: Path, lines: Iterator[tuple[int, str]]) -> Iterator[Event]:
    number, first = next(lines, (1, ""))
    if not first.strip():
        raise BadInput(f"{path}, line 1 is empty: the line that says what was played was expected")
    header = _parse(path, number, first, (Header,))
    assert isinstance(header, Header)
    try:
        referee, watch = _set_out(header)
    except BadInput as error:
        raise BadInput(f"{path}, line 1: {error}") from error
    started = False
    t = float("-inf")
    for number, text in lines:
        if not text.strip():
            continue
        line = _parse(path, number, text, (Grams, Likelihoods, Input))
        assert isinstance(line, Grams | Likelihoods | Input)
        if line.t < t:
            raise BadInput(
                f"{path}, line {number}: its time {line.t:g} s is before the {t:g} s of the line above; "
                f"put the lines in order"
            )
        t = line.t
        if not started:
            started = True
            yield from referee.start(line.t)
        try:
            match line:
                case Likelihoods():
                    yield from watch.read(line.t, line, "camera")
                case Grams() if "scale" in watch.sensors:
                    weights = [np.nan if gram is None else gram for gram in line.grams]
                    yield from watch.read(line.t, np.array(weights, dtype=np.float64), "scale")
                case Grams():
                    raise BadInput("grams want a calibration in the first line")
                case Input():
                    yield from referee.tick(line.t)
                    yield from referee.input(
                        line.t,
                        line.input,
                        line.choice,
                        player=line.player,
                        arbiter=line.arbiter,
                        seconds=line.seconds,
                    )
        except BadInput as error:
            raise BadInput(f"{path}, line {number}: {error}") from error


def _set_out(header: Header) -> tuple[TimedReferee, Watch]:
    """The referee of the game, a sensor of likelihoods as they stand, and the scale if one was used.

    Raises:
        BadInput: the game, the position or the calibration cannot be, or they do not fit each other.
    """
    game = games.load(header.game, header.options)
    state = game.start(**header.start.model_dump(exclude_unset=True))
    if isinstance(header.board, dict) and header.board:
        for what, wanted in (("pits", game.pits), ("stores", game.players)):
            there = header.board.get(what)
            if isinstance(there, list) and len(there) != wanted:
                raise BadInput(f"the board has {len(there)} {what}, this {game.name} wants {wanted}")
    settings = Settings(**header.referee.model_dump())
    untimed: Referee | MatchReferee = Referee(game, state, settings=settings)
    if header.rounds == "match" and game.rules.rounds:
        untimed = MatchReferee(Round(1, game, state, (0,) * game.players), settings=settings)
    referee = TimedReferee(untimed, header.clock.of(game.players))
    holes = game.pits + game.players
    sensors: dict[str, Sensor[Any]] = {"camera": _Given(holes, referee.counts, header.sensor == "scale")}
    if header.calibration:
        calibration = Calibration.from_json(header.calibration)
        sensors["scale"] = Scale(calibration, holes, sum(state.counts), referee.counts)
    return referee, Watch(referee, sensors)


def _parse(path: Path, number: int, text: str, kinds: tuple[type[BaseModel], ...]) -> BaseModel:
    """The line as the kind of which it has the telling key.

    Raises:
        BadInput: it is none of them.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}, line {number} is not JSON: {error}") from error
    keys = {"grams": Grams, "loglik": Likelihoods, "input": Input, "pitwatch": Header}
    kind = next((keys[key] for key in keys if isinstance(plain, dict) and key in plain), None)
    if kind not in kinds:
        wanted = " or ".join(key for key in keys if keys[key] in kinds)
        raise BadInput(f"{path}, line {number}: an object with {wanted} was expected")
    try:
        return kind.model_validate(plain)
    except ValidationError as error:
        fault = error.errors()[0]
        # What follows the name of the union's member tried last says nothing.
        where = ".".join(str(part) for part in fault["loc"] if str(part).isidentifier() or type(part) is int)
        what = fault["msg"][:1].lower() + fault["msg"][1:]
        if fault["type"] == "extra_forbidden":
            what = "this key is not known"
        raise BadInput(f"{path}, line {number}, {where}: {what}") from error
