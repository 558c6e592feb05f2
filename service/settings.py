"""What `pitwatch run` is told by a TOML file: which board, which sensor, where to log, where the page is."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from engine.errors import BadInput, shown
from engine.toml import read_toml
from referee.clock import ClockSettings, OnFlag, Switch, settings_for
from referee.policy import Policy
from referee.timecontrol import parse
from service.simulated import Sensors

AnyPath = Annotated[Path, Field(strict=False)]
"""Text in the file. A relative one counts from the folder in which Pitwatch is started."""


_Point = Annotated[tuple[float, float], Field(strict=False)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


Button = Literal[
    "adjust", "done", "takeback", "resign", "recount", "swap", "accept", "correct", "end", "press", "pause",
    "resume", "none",
]  # fmt: skip
"""What a button on the board may say: inputs of the referee that want no more said; "none" says nothing."""


class ScaleTable(_Table):
    """`[scale]`: load cells on a serial port."""

    port: str | None = None
    """A device, or a pattern such as `/dev/ttyACM*`; None for every serial port on USB."""
    board: Annotated[str, Field(pattern="^[0-9a-fA-F]{16}$")] | None = None
    """The unique id of the board's chip (docs/link.md); None for the only one there."""
    calibration: AnyPath | None = None
    """A JSON file, as `pitwatch simulate` prints and a recording holds it; None for the board file's own."""
    rate: Literal[10, 80] | None = None
    buttons: Annotated[tuple[Button, ...], Field(strict=False)] = ()
    """What each button of the board says, from its first on."""


class CameraTable(_Table):
    """`[camera]`: one camera, or what stands for it."""

    device: Annotated[int, Field(ge=0)] | str | None = None
    """A USB camera, by its number or its path."""
    pi: Annotated[int, Field(ge=0)] | None = None
    """A camera of a Raspberry Pi, by its number."""
    url: str | None = None
    """A stream on the network."""
    video: AnyPath | None = None
    folder: AnyPath | None = None
    """Pictures."""
    file: AnyPath | None = None
    """One picture."""
    width: Annotated[int, Field(ge=320, le=8000)] = 1280
    height: Annotated[int, Field(ge=240, le=8000)] = 720
    """Pixels to ask a camera for."""
    lock: bool = True
    """Keep exposure, white balance and focus as they are found."""
    corners: Annotated[tuple[_Point, ...], Field(strict=False)] = ()
    """Of a board without markers: clockwise from its top left, in pixels; empty for one with markers."""
    looks: Annotated[int, Field(ge=1, le=100)] = 6
    """How often each picture of a folder is looked at."""
    every: Annotated[float, Field(gt=0, le=60)] | None = None
    """Seconds between two looks; None for 0.5 at pictures, 0.1 at a video or a camera."""

    @model_validator(mode="after")
    def _one_camera(self) -> "CameraTable":
        kinds = ("device", "pi", "url", "video", "folder", "file")
        if sum(getattr(self, kind) is not None for kind in kinds) != 1:
            raise ValueError(f"[camera] names one camera: one of {', '.join(kinds)} was expected")
        if len(self.corners) not in (0, 4):
            raise ValueError("[camera] corners are four points x, y: clockwise from the board's top left")
        return self


class SimulationTable(_Table):
    """`[simulation]`: the embedded simulated board."""

    seed: Annotated[int, Field(ge=0)] = 0
    sensors: Sensors = "scale"
    """What watches it; a camera's pictures are drawn."""
    speed: Annotated[float, Field(gt=0, le=100)] | None = None
    """Times the pace of a person; None for 2, or 1 where a camera watches."""
    rate: Literal[10, 80] = 80
    cv: Annotated[float, Field(ge=0, le=0.35)] = 0.1
    noise: Annotated[float, Field(ge=0, le=10)] = 0.05
    auto: bool = True
    """Play by itself."""
    mistake_rate: Annotated[float, Field(ge=0, le=1)] = 0.0

    @model_validator(mode="after")
    def _in_time(self) -> "SimulationTable":
        if self.sensors != "scale" and self.speed not in (None, 1):
            raise ValueError(
                "with a camera the board keeps the time of a clock: leave out speed, or set it to 1"
            )
        return self

    @property
    def pace(self) -> float:
        """The speed, set or usual."""
        return self.speed or (2.0 if self.sensors == "scale" else 1.0)


class WebTable(_Table):
    """`[web]`: the page."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """0 for any free one."""
    token: str | None = None
    """Wanted from callers beyond loopback."""
    arbiter: Annotated[str, Field(min_length=1)] | None = None
    """The word by which the arbiter is known; None lets anybody be the arbiter."""


class RefereeTable(_Table):
    """`[referee]`: how patient and how strict. Times in seconds."""

    touch: Literal["strict", "announce", "off"] = "strict"
    policy: Policy = "strict"
    takeback: Literal["free", "locked"] = "free"
    mistake_s: Annotated[float, Field(gt=0, le=60)] = 1.0
    capture_s: Annotated[float, Field(gt=0, le=600)] = 8.0
    hand_s: Annotated[float, Field(gt=0, le=600)] = 10.0


class ClockTable(_Table):
    """`[clock]`: the time that players have. Without `time` there is no clock."""

    time: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda given: (given,) if isinstance(given, str) else given),
        Field(strict=False),
    ] = ()
    """One for all players, or one each, as `referee.timecontrol.parse` reads them."""
    switch: Switch = "move"
    """What ends a turn."""
    flag: OnFlag = "lose"
    """What becomes of a player whose time has run out."""

    @model_validator(mode="after")
    def _understood(self) -> "ClockTable":
        for time in self.time:
            parse(time)
        return self

    def of(self, players: int) -> ClockSettings | None:
        """The clock of a game; None for no clock.

        Raises:
            BadInput: the number of times does not fit.
        """
        return settings_for(self.time, players, self.switch, self.flag) if self.time else None


class RunSettings(_Table):
    """The whole file. Without `[scale]` and `[camera]` the board is simulated; with both, both watch it."""

    game: str = "kalah"
    options: dict[str, bool | int | str] = {}
    rounds: Literal["match", "single"] = "match"
    """What is played of a game that has rounds."""
    players: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=40)], ...], Field(strict=False)
    ] = ()
    """Names, by player; empty for South, North and so on."""
    board: str | None = None
    """A shipped board or a board file; None for the one that fits the game."""
    log: AnyPath = Path("pitwatch.db")
    scale: ScaleTable | None = None
    camera: CameraTable | None = None
    simulation: SimulationTable = SimulationTable()
    web: WebTable = WebTable()
    referee: RefereeTable = RefereeTable()
    clock: ClockTable = ClockTable()


def read_settings(path: Path) -> RunSettings:
    """The settings in a file.

    Raises:
        BadInput: it cannot be read, is not TOML, or has a key or value that does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"the configuration {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(
            f"the configuration {path} is not TOML: it is not UTF-8 at byte {error.start}"
        ) from error
    return checked(read_toml(text, f"the configuration {path}"), f"the configuration {path}")


def checked(plain: object, where: str) -> RunSettings:
    """Settings from plain values.

    Raises:
        BadInput: a key is not known or a value does not fit; the sentence begins with `where`.
    """
    try:
        return RunSettings.model_validate(plain)
    except ValidationError as error:
        raise BadInput(f"{where}{_sentence(error.errors()[0])}") from error


def _sentence(fault: ErrorDetails) -> str:
    loc = fault["loc"]
    # An option may be of three types: the last word of its place says in vain which was tried.
    key = ".".join(str(part) for part in (loc[:2] if loc[:1] == ("options",) else loc))
    match fault["type"]:
        case "extra_forbidden":
            return f", {key}: this key is not known"
        case "missing":
            return f", {key}: this key is missing"
        case "value_error":
            return f": {fault['msg'].removeprefix('Value error, ')}"
    wanted = _WANTED.get(fault["type"], fault["msg"].removeprefix("Input should be "))
    if len(loc) > 2 and loc[0] == "options":
        wanted = "true, false, a whole number or text"
    return f", {key} is {shown(fault['input'])}: {wanted} was expected"


_WANTED = {
    "string_type": "text",
    "path_type": "a path, as text,",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a table",
    "dict_type": "a table",
    "string_too_short": "a name",
    "string_pattern_mismatch": "an id of 16 hexadecimal digits, as pitwatch doctor --port usb tells it,",
    "string_too_long": "a shorter name",
}
