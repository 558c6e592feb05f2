"""What the web page needs of the rest of the service: the table that is being played at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import PitwatchError
from engine.layout import Layout
from referee.view import View
from service.log import Log
from service.settings import ClockTable
from service.web.feed import Feed


class NotSimulatedError(PitwatchError):
    """The board is real: there is no simulated hand to move."""


Rounds = Literal["match", "single"]
"""What is played of a game that has rounds: the match, or one of them."""


@dataclass(frozen=True, slots=True)
class SimulatedHand:
    """The hand that plays on a simulated board."""

    auto: bool
    """Whether it plays by itself."""
    speed: float
    """Times the pace of a person."""
    mistakes: tuple[str, ...]
    """The kinds of mistake that it can make, by the names of `referee.mistakes.KINDS`."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How the table stands."""

    game_id: str
    """In the log."""
    layout: Layout
    view: View
    players: tuple[str, ...]
    """Names, by player."""
    port: str
    """Where the readings come from, in a few words."""
    sensor: str
    """How the sensor is, in a few words."""
    lights: str
    """What is lit, in a few words (`hardware.lights.Lights.about`)."""
    notes: tuple[str, ...] = ()
    """What ails the table, a sentence each."""
    camera: bool = False
    """Whether a camera watches the board."""
    calibrates: bool = False
    """Whether the scale can be calibrated now."""
    rounds: Rounds = "match"
    """What is played of a game that has rounds."""
    hand: SimulatedHand | None = None
    """None on a real board."""
    clock: Mapping[str, Any] | None = None
    """What the clock shows, as `referee.clock.clock_as_json` tells it; None where the game has none."""


class _Order(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Play(_Order):
    """Lift a pit and sow it, captures included."""

    do: Literal["play"]
    pit: int = Field(ge=0)
    direction: Literal[1, -1] = 1


class Err(_Order):
    """Play a pit with a mistake in it."""

    do: Literal["mistake"]
    kind: str
    pit: int = Field(ge=0)


class PutRight(_Order):
    """Put right what the referee says is wrong."""

    do: Literal["mend"]


class Auto(_Order):
    """Play by itself from now on, or no longer."""

    do: Literal["auto"]
    on: bool


class Pace(_Order):
    """Play at a multiple of a person's pace."""

    do: Literal["speed"]
    factor: float = Field(gt=0, le=100, allow_inf_nan=False)


Order = Annotated[Play | Err | PutRight | Auto | Pace, Field(discriminator="do")]
"""What the simulated hand may be told."""

Guidance = Literal["begin", "stop", "done", "again", "right"]
"""What may be said to a calibration: that there be one, that it end, and answers to what it asks for."""

InputKind = Literal[
    "adjust", "done", "takeback", "resign", "recount", "swap", "answer", "accept", "correct", "end",
    "press", "pause", "resume", "give",
]  # fmt: skip
"""What players may tell the referee; "answer" picks one of a question's choices, "accept" lets the board
stand as it lies and "correct" has it put right, "end" ends a match by agreement; the last four are of the
clock."""


class Table(Protocol):
    """The table, as the page sees it. All its methods are called on the event loop."""

    @property
    def log(self) -> Log: ...

    @property
    def feed(self) -> Feed:
        """Told of each event once it is logged, and whenever a snapshot would differ from the last."""
        ...

    def snapshot(self) -> Snapshot: ...

    def picture(self, plain: bool = False) -> bytes | None:
        """What the camera has seen last, as JPEG; None where there is none.

        The board is drawn over it unless it is to be `plain`.
        """
        ...

    async def set_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        """Has the camera find the board by its own corners, in pixels of the picture that it has seen last,
        clockwise from the board's top left, and follow it from there. The game goes on.

        Raises:
            BadInput: there is no camera or no picture, or these are not the corners of a board that can be
                followed; nothing has changed then.
        """
        ...

    def calibration(self) -> Mapping[str, Any] | None:
        """What the calibration of the scale asks for now, or has found, as plain JSON values with the board's
        `layout`; None where none is going on and none was finished."""
        ...

    async def calibrate(self, said: Guidance) -> None:
        """Begins, leads or ends the calibration of the scale. Meanwhile nothing is refereed; when all is
        found it is in the board file, and the game begins anew.

        Raises:
            BadInput: there is nothing to calibrate, a game is being played, or it is no answer.
        """
        ...

    async def post_input(
        self,
        kind: InputKind,
        choice: int | None,
        player: int | None = None,
        arbiter: bool = False,
        seconds: float = 0.0,
    ) -> None:
        """Passes on what a player says.

        Args:
            choice: of an "answer", the index into the question's choices.
            player: of a "press", who presses; None for the one whose clock it is. Of an "accept", who is to
                move; None for who follows from what was done. Of a "give", to whom.
            arbiter: whether it is the arbiter who says so.
            seconds: of a "give".

        Raises:
            BadInput: it cannot be said now.
        """
        ...

    async def new_game(
        self,
        game: str,
        options: Mapping[str, Any],
        players: tuple[str, ...],
        rounds: Rounds | None = None,
        clock: ClockTable | None = None,
    ) -> str:
        """Leaves the game that is on and begins another; returns its id in the log.

        Args:
            players: names, by player; empty for the usual ones.
            rounds: from now on; None for as before.
            clock: likewise.

        Raises:
            BadInput: there is no such game or option, or the board does not fit it.
        """
        ...

    async def order(self, order: Order) -> None:
        """Tells the simulated hand what to do; returns before it is done.

        Raises:
            NotSimulatedError: the board is real.
            BadInput: it cannot do that now.
        """
        ...
