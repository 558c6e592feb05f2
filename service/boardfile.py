"""Board files: the one place that says all that is particular to a board (design.md, *Board file*)."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from engine.errors import BadInput, shown
from engine.layout import Cells, Hole, Layout, Light, Marker, wood_between
from engine.toml import read_toml
from firmware_bridge.frames import MAX_LAMPS
from firmware_bridge.scale import Calibration

Millimetres = Annotated[float, Field(ge=0, le=5000, allow_inf_nan=False)]
Radius = Annotated[float, Field(gt=0, le=500, allow_inf_nan=False)]
Corner = Annotated[list[Annotated[float, Field(ge=-5000, le=5000)]], Field(min_length=2, max_length=2)]

MOST_CAPACITY_G = 1000
"""A load cell rated for more is too coarse for stones (field measurements in docs/hardware.md)."""
BCM_PINS = 28
"""BCM 0 to 27 are on the 40-pin header."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Pit(_Table):
    x: Millimetres
    y: Millimetres
    radius: Radius
    half_length: Millimetres = 0.0


class _Store(_Pit):
    player: Annotated[int, Field(ge=0, le=3)]


class _Marker(_Table):
    id: Annotated[int, Field(ge=0, le=3)]
    corners: Annotated[list[Corner], Field(min_length=4, max_length=4)]


class _Lights(_Table):
    kind: Literal["none", "pins", "apa102", "board"]
    holes: list[Annotated[int, Field(ge=0, le=1023)]] = []


class _Cells(_Table):
    capacity_g: Annotated[float, Field(ge=50, allow_inf_nan=False)]
    length: Millimetres = 47.0
    width: Radius = 12.0
    height: Radius = 6.0
    bolts: Annotated[list[Millimetres], Field(min_length=4, max_length=4)] = [5.0, 12.0, 35.0, 42.0]
    gap: Annotated[float, Field(ge=0.5, le=5)] = 1.0
    wall: Annotated[float, Field(ge=0.8, le=10)] = 2.0
    depth: Annotated[float, Field(ge=3, le=100)] = 14.0
    plate: Annotated[float, Field(ge=2, le=60)] = 10.0
    base: Annotated[float, Field(ge=4, le=60)] = 12.0
    shim: Annotated[float, Field(ge=1, le=20)] = 3.0


class _File(_Table):
    name: Annotated[str, Field(min_length=1, max_length=80)]
    length: Annotated[float, Field(gt=0, le=5000, allow_inf_nan=False)]
    width: Annotated[float, Field(gt=0, le=5000, allow_inf_nan=False)]
    pit: Annotated[list[_Pit], Field(min_length=2, max_length=64)]
    store: Annotated[list[_Store], Field(max_length=4)] = []
    marker: Annotated[list[_Marker], Field(max_length=4)] = []
    lights: _Lights = _Lights(kind="none")
    calibration: dict[str, Any] = {}
    cells: _Cells | None = None


def load_layout(path: Path) -> Layout:
    """Read a board file.

    Raises:
        BadInput: the file cannot be read, is not TOML, lacks or misspells a key, or its holes cannot be.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"board file {path} cannot be read ({error.strerror}): name a file that is there"
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"board file {path} is not text in UTF-8: save it as such") from error
    return _parse(text, str(path))


def shipped_names() -> tuple[str, ...]:
    """The boards that come with Pitwatch, sorted."""
    found = (item.name for item in files("hardware.boards").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def shipped(name: str) -> Layout:
    """A board that comes with Pitwatch.

    Raises:
        BadInput: there is none of that name.
    """
    if name not in shipped_names():
        raise BadInput(f"board {name!r} is not known: one of {', '.join(shipped_names())} was expected")
    file = files("hardware.boards") / f"{name}.toml"
    return _parse(file.read_text(encoding="utf-8"), f"{name}.toml")


def board(name_or_path: str | Path) -> Layout:
    """The board of that name, if it is shipped; else the board file at that path.

    Raises:
        BadInput: neither is there, or the file is not right.
    """
    if str(name_or_path) in shipped_names():
        return shipped(str(name_or_path))
    path = Path(name_or_path)
    if not path.suffix and not path.exists():
        return shipped(str(name_or_path))
    return load_layout(path)


def board_text(name_or_path: str | Path) -> tuple[str, str]:
    """The text of that board file, and what it is called in sentences.

    Raises:
        BadInput: it is not there or cannot be read.
    """
    path = Path(name_or_path)
    if str(name_or_path) in shipped_names() or (not path.suffix and not path.exists()):
        shipped(str(name_or_path))
        return (files("hardware.boards") / f"{name_or_path}.toml").read_text(
            encoding="utf-8"
        ), f"{name_or_path}.toml"
    load_layout(path)
    return path.read_text(encoding="utf-8"), str(path)


def board_calibration(name_or_path: str | Path) -> Calibration | None:
    """What `pitwatch calibrate scale` has written into a board file; None if it has not.

    Raises:
        BadInput: the file is not there or not right, or its calibration cannot be.
    """
    text, where = board_text(name_or_path)
    plain = read_toml(text, f"board file {where}").get("calibration")
    try:
        return Calibration.from_json(plain) if plain else None
    except BadInput as error:
        raise BadInput(f"board file {where}: {error}") from error


def _parse(text: str, where: str) -> Layout:
    try:
        read = _File.model_validate(read_toml(text, f"board file {where}"))
    except ValidationError as error:
        raise BadInput(f"board file {where}: {_sentence(error.errors()[0])}") from error
    _check_order(where, "store: the players", [store.player for store in read.store])
    _check_order(where, "marker: the ids", sorted(marker.id for marker in read.marker), or_fewer=True)
    _check_lights(where, read)
    stores = sorted(read.store, key=lambda store: store.player)
    kind = read.lights.kind
    layout = Layout(
        name=read.name,
        length=read.length,
        width=read.width,
        pits=tuple(_hole(pit) for pit in read.pit),
        stores=tuple(_hole(store) for store in stores),
        markers=tuple(_marker(where, marker) for marker in sorted(read.marker, key=lambda marker: marker.id)),
        lights_kind=kind,
        lights=tuple(Light(hole, index) for hole, index in enumerate(read.lights.holes)),
        cells=_cells(where, read.cells) if read.cells else None,
    )
    _check_geometry(where, layout)
    return layout


def _sentence(fault: ErrorDetails) -> str:
    """One pydantic fault as `pit 3, radius is -1: ...`; list positions count from 0, as holes do."""
    parts: list[str] = []
    for part in fault["loc"]:
        if isinstance(part, int) and parts:
            parts[-1] += f" {part}"
        else:
            parts.append(str(part))
    key = ", ".join(parts)
    if fault["type"] == "missing":
        return f"{key} is missing: add it"
    if fault["type"] == "extra_forbidden":
        return f"{key} is not a key of a board file: remove it or mend its spelling"
    wanted = fault["msg"].removeprefix("Input ").removeprefix("should ")
    return f"{key} is {shown(fault['input'])}: it should {wanted}"


def _check_order(where: str, what: str, numbers: list[int], or_fewer: bool = False) -> None:
    repeated = len(set(numbers)) < len(numbers)
    gap = not or_fewer and sorted(numbers) != list(range(len(numbers)))
    if repeated or gap:
        raise BadInput(f"board file {where}: {what} are {numbers}: number each once, from 0")


def _check_lights(where: str, read: _File) -> None:
    kind, holes = read.lights.kind, read.lights.holes
    expected = 0 if kind == "none" else len(read.pit) + len(read.store)
    if len(holes) != expected:
        raise BadInput(
            f"board file {where}: lights, holes has {len(holes)} entries: "
            f"kind {kind!r} on this board wants {expected}, one for each hole"
        )
    if len(set(holes)) < len(holes):
        raise BadInput(f"board file {where}: lights, holes names one light twice: give each hole its own")
    if kind == "pins" and any(pin >= BCM_PINS for pin in holes):
        raise BadInput(f"board file {where}: lights, holes has pin {max(holes)}: BCM pins are 0 to 27")
    if kind == "board" and any(lamp >= MAX_LAMPS for lamp in holes):
        raise BadInput(
            f"board file {where}: lights, holes has lamp {max(holes)}: those of a weighing board are 0 to "
            f"{MAX_LAMPS - 1}"
        )


def _cells(where: str, read: _Cells) -> Cells:
    if read.capacity_g > MOST_CAPACITY_G:
        raise BadInput(
            f"board file {where}: cells, capacity_g is {read.capacity_g:g}: a cell of so much has noise of "
            f"the weight of a stone (docs/hardware.md); use one of 100 to 500 g, {MOST_CAPACITY_G} g at most"
        )
    a, b, c, d = read.bolts
    if not 0 < a < b < c < d < read.length:
        raise BadInput(
            f"board file {where}: cells, bolts are {read.bolts}: from the end that bears the cup, two of the "
            f"cup and two of the base, rising, within the {read.length:g} mm of the cell, were expected"
        )
    cells = Cells(**{**read.model_dump(), "bolts": (a, b, c, d)})
    if cells.pillar < cells.shim + cells.height:
        raise BadInput(
            f"board file {where}: cells, plate is {cells.plate:g}: a top so thick lies on the cells; make "
            f"cups deeper or the top thinner, by {cells.shim + cells.height - cells.pillar:g} mm"
        )
    return cells


def _hole(pit: _Pit) -> Hole:
    return Hole(x=pit.x, y=pit.y, radius=pit.radius, half_length=pit.half_length)


def _marker(where: str, marker: _Marker) -> Marker:
    corners = tuple((x, y) for x, y in marker.corners)
    turns = [
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        for a, b, c in zip(corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True)
    ]
    if min(turns) <= 0:
        raise BadInput(
            f"board file {where}: marker {marker.id}, corners do not run clockwise round a square: "
            f"list them from the marker's own top left"
        )
    return Marker(id=marker.id, corners=corners)


def _check_geometry(where: str, layout: Layout) -> None:
    names = [f"pit {i}" for i in range(len(layout.pits))] + [f"store {i}" for i in range(len(layout.stores))]
    for name, hole in zip(names, layout.holes, strict=True):
        reach = hole.radius + hole.half_length
        inside_x = hole.radius <= hole.x <= layout.length - hole.radius
        if not (inside_x and reach <= hole.y <= layout.width - reach):
            raise BadInput(
                f"board file {where}: {name} reaches over the edge of a board of {layout.length:g} by "
                f"{layout.width:g} mm: mend its place, its radius or the board's size"
            )
    for i, one in enumerate(layout.holes):
        for j, other in enumerate(layout.holes[:i]):
            if wood_between(one, other) < 0:
                raise BadInput(
                    f"board file {where}: {names[j]} and {names[i]} overlap: mend x, y or radius of one"
                )


class _Circle(BaseModel):
    """One pit in a picture; what else a file says of it (a name, a count) is not read."""

    model_config = ConfigDict(strict=True)

    x: Annotated[float, Field(allow_inf_nan=False)]
    y: Annotated[float, Field(allow_inf_nan=False)]
    radius: Annotated[float, Field(gt=1, le=5000, allow_inf_nan=False)]


class _Circles(BaseModel):
    model_config = ConfigDict(strict=True)

    pits: Annotated[list[_Circle], Field(min_length=1, max_length=64)]


def load_circles(path: Path) -> tuple[Hole, ...]:
    """Read a pits file: JSON whose `pits` are circles `x`, `y`, `radius` in pixels of one picture.

    Raises:
        BadInput: the file cannot be read, is not JSON, or its circles are not right.
    """
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        read = _Circles.model_validate(plain)
    except UnicodeDecodeError as error:
        raise BadInput(f"pits file {path} is not text in UTF-8: name a JSON file with pits") from error
    except OSError as error:
        raise BadInput(
            f"pits file {path} cannot be read ({error.strerror}): name a file that is there"
        ) from error
    except ValidationError as error:
        raise BadInput(f"pits file {path}: {_sentence(error.errors()[0])}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"pits file {path} is not JSON ({error}): mend that place") from error
    return tuple(Hole(circle.x, circle.y, circle.radius) for circle in read.pits)
