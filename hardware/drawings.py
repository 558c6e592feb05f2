"""What a maker builds a weighing board from, drawn from its board file: base, top, cups, wiring, parts.

Under each hole a load cell lies on the base: a bar, bolted down at one end, that bears a cup at the other.
The cups hang free in the openings of the top, so that each is weighed by itself. All that has a number comes
from the board file (`engine.layout`) and from the pins of the firmware (`hardware.pins`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, hypot

from engine.errors import BadInput
from engine.layout import Cells, Hole, Layout, Marker, wood_between
from hardware.pins import CLOCK, RATE, STRIP_CLOCK, STRIP_DATA, data_pins
from hardware.svg import Drawing, Point

BOLT = 3.2
"""Diameter of a hole for an M3 bolt, mm."""
CLEAR = 2.0
"""Least distance between two cells, and from a cell to the edge of the base, mm."""
WAYS: tuple[Point, ...] = ((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0))
"""Where a cell may point, from its cup to its bolts in the base; the first that has room is taken."""
LEAST_WOOD = 2.0
"""Between two openings of the top, mm."""
CORNER = 5.0
"""Distance of the pillars from the edges, mm."""
CELL_MA = 6.5
"""Of a load cell of 1,000 ohms and its HX711 at 5 V: 5 mA and 1.5 mA."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One load cell on the base."""

    name: str
    """Of its hole: `pit 0`, `store 1`."""
    hole: Hole
    way: Point
    """Unit vector from the cup to the bolts in the base."""
    corner: Point
    """Top left of the bar, mm in the frame of the board file."""
    size: Point
    """Of the bar, along x and y, mm."""
    bolts: tuple[Point, ...]
    """Centres: the two of the cup, then the two of the base."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One line of the wiring table."""

    cell: int
    """From 1, as `pitwatch doctor` counts them; in the order of the holes."""
    hole: str
    chip: str
    """Pin of the ATmega2560."""
    mega: str
    """The same on an Arduino Mega 2560."""


def cells_of(layout: Layout) -> Cells:
    """The load cells of a board.

    Raises:
        BadInput: it has none.
    """
    if layout.cells is None:
        raise BadInput(f"the board {layout.name} has no load cells: add [cells] with capacity_g to its file")
    return layout.cells


def hole_names(layout: Layout) -> tuple[str, ...]:
    return (
        *(f"pit {pit}" for pit in range(len(layout.pits))),
        *(f"store {player}" for player in range(len(layout.stores))),
    )


def wires(layout: Layout) -> tuple[Wire, ...]:
    """Which pin reads which cell.

    Raises:
        BadInput: the chip has no pins for so many.
    """
    cells_of(layout)
    names = hole_names(layout)
    return tuple(
        Wire(cell, name, pin.chip, pin.mega)
        for cell, (name, pin) in enumerate(zip(names, data_pins(len(names)), strict=True), 1)
    )


def place(layout: Layout) -> tuple[Placed, ...]:
    """Where each load cell lies, so that none touches another, a pillar or the edge.

    Raises:
        BadInput: the board has no load cells, or no room for one of them.
    """
    cells = cells_of(layout)
    taken: list[tuple[Point, Point]] = [
        ((x - CORNER, y - CORNER), (2 * CORNER, 2 * CORNER)) for x, y in pillars(layout)
    ]
    placed: list[Placed] = []
    for name, hole in zip(hole_names(layout), layout.holes, strict=True):
        ways = (_placed(name, hole, cells, way) for way in WAYS)
        fits = (one for one in ways if _inside(one, layout) and not any(_meet(one, t) for t in taken))
        found = next(fits, None)
        if found is None:
            raise BadInput(
                f"the board {layout.name} has no room for a cell of {cells.length:g} by {cells.width:g} mm "
                f"under {name}: use shorter cells, or move its holes apart"
            )
        placed.append(found)
        taken.append((found.corner, found.size))
    return tuple(placed)


def pillars(layout: Layout) -> tuple[Point, ...]:
    """Centres of those that bear the top, mm."""
    return tuple((x, y) for x in (CORNER, layout.length - CORNER) for y in (CORNER, layout.width - CORNER))


def _placed(name: str, hole: Hole, cells: Cells, way: Point) -> Placed:
    # The cup stands midway between its two bolts.
    lead = (cells.bolts[0] + cells.bolts[1]) / 2
    start = (hole.x - way[0] * lead, hole.y - way[1] * lead)
    end = (start[0] + way[0] * cells.length, start[1] + way[1] * cells.length)
    half = (abs(way[1]) * cells.width / 2, abs(way[0]) * cells.width / 2)
    corner = (min(start[0], end[0]) - half[0], min(start[1], end[1]) - half[1])
    size = (abs(end[0] - start[0]) + 2 * half[0], abs(end[1] - start[1]) + 2 * half[1])
    bolts = tuple((start[0] + way[0] * at, start[1] + way[1] * at) for at in cells.bolts)
    return Placed(name, hole, way, corner, size, bolts)


def _inside(one: Placed, layout: Layout) -> bool:
    (x, y), (width, height) = one.corner, one.size
    return min(x, y) >= CLEAR and x + width <= layout.length - CLEAR and y + height <= layout.width - CLEAR


def _meet(one: Placed, other: tuple[Point, Point]) -> bool:
    (x, y), (width, height) = one.corner, one.size
    (u, v), (wide, high) = other
    return x < u + wide + CLEAR and u < x + width + CLEAR and y < v + high + CLEAR and v < y + height + CLEAR


def base(layout: Layout) -> Drawing:
    """The base from above: bolts, cells, stops and pillars.

    Raises:
        BadInput: as `place`.
    """
    cells, placed = cells_of(layout), place(layout)
    sheet = Drawing(f"{layout.name}: base, {cells.base:g} mm, seen from above", layout.length, layout.width)
    sheet.rect("cut", (0, 0), (layout.length, layout.width), "outline")
    for number, centre in enumerate(pillars(layout)):
        sheet.circle("cut", centre, BOLT / 2, f"pillar-{number}")
    for one in placed:
        key = one.name.replace(" ", "-")
        sheet.rect("hidden", one.corner, one.size, f"cell-{key}")
        _hole(sheet, "hidden", one.hole, one.hole.radius, f"cup-{key}")
        for number, bolt in enumerate(one.bolts[2:]):
            sheet.circle("cut", bolt, BOLT / 2, f"bolt-{key}-{number}")
        sheet.circle("cut", (one.hole.x, one.hole.y), BOLT / 2, f"stop-{key}")
        sheet.text((one.hole.x, one.hole.y - 4), one.name, "middle")
    sheet.measure((0, -4), (layout.length, -4), f"{layout.length:g}")
    sheet.measure((layout.length + 4, 0), (layout.length + 4, layout.width), f"{layout.width:g}")
    return sheet


def top(layout: Layout) -> Drawing:
    """The top from above: the openings in which the cups hang, pillars, and where the markers go.

    Raises:
        BadInput: the board has no load cells, or two openings leave too little wood between them.
    """
    cells = cells_of(layout)
    sheet = Drawing(f"{layout.name}: top, {cells.plate:g} mm, seen from above", layout.length, layout.width)
    sheet.rect("cut", (0, 0), (layout.length, layout.width), "outline")
    for number, centre in enumerate(pillars(layout)):
        sheet.circle("cut", centre, BOLT / 2, f"pillar-{number}")
    names = hole_names(layout)
    for i, one in enumerate(layout.holes):
        for j, other in enumerate(layout.holes[:i]):
            if wood_between(one, other) - 2 * cells.gap < LEAST_WOOD:
                raise BadInput(
                    f"the board {layout.name} leaves less than {LEAST_WOOD:g} mm of wood between the "
                    f"openings of {names[j]} and {names[i]}: move them apart, or make the gap of [cells] "
                    f"narrower"
                )
        for marker in layout.markers:
            if _reach(one, marker) < one.radius + cells.gap:
                raise BadInput(
                    f"the board {layout.name} has marker {marker.id} where the opening of {names[i]} is: "
                    f"move the marker, or make the gap of [cells] narrower"
                )
    for name, hole in zip(names, layout.holes, strict=True):
        key = name.replace(" ", "-")
        _hole(sheet, "cut", hole, hole.radius + cells.gap, f"opening-{key}")
        sheet.text((hole.x, hole.y + 1.5), name, "middle")
    for marker in layout.markers:
        sheet.line("measure", [*marker.corners, marker.corners[0]], f"marker-{marker.id}")
    sheet.measure((0, -4), (layout.length, -4), f"{layout.length:g}")
    sheet.measure((layout.length + 4, 0), (layout.length + 4, layout.width), f"{layout.width:g}")
    return sheet


def _reach(hole: Hole, marker: Marker) -> float:
    """From the middle of a hole, or the middle line of a long one, to the nearest of a marker, mm."""
    xs, ys = zip(*marker.corners, strict=True)
    across = max(min(xs) - hole.x, hole.x - max(xs), 0.0)
    along = max(min(ys) - hole.y, hole.y - max(ys), hole.half_length) - hole.half_length
    return hypot(across, along)


def cups(layout: Layout) -> Drawing:
    """Each kind of cup from above, and the first in section with its cell.

    Raises:
        BadInput: the board has no load cells.
    """
    cells = cells_of(layout)
    kinds = list(dict.fromkeys((hole.radius, hole.half_length) for hole in layout.holes))
    section = cells.base + cells.pillar + cells.plate
    first = max(2 * kinds[0][0], cells.length)
    left = first + 60
    width = left + sum(2 * radius + 25 for radius, _ in kinds)
    height = max(section + 20, *(2 * (radius + half) + 12 for radius, half in kinds))
    sheet = Drawing(f"{layout.name}: cups from above, and one in section with its cell", width, height)
    _section(sheet, cells, kinds[0][0])
    for number, (radius, half) in enumerate(kinds):
        centre = (left + radius, radius + half + 8)
        outer, inner = Hole(*centre, radius, half), Hole(*centre, radius - cells.wall, half)
        _hole(sheet, "cut", outer, radius, f"cup-{number}")
        _hole(sheet, "line", inner, inner.radius, f"cup-{number}-inside")
        for bolt, at in enumerate(cells.bolts[:2]):
            offset = at - (cells.bolts[0] + cells.bolts[1]) / 2
            sheet.circle("cut", (centre[0], centre[1] + offset), BOLT / 2, f"cup-{number}-bolt-{bolt}")
        sheet.measure((left, 2), (left + 2 * radius, 2), f"{2 * radius:g}")
        if half:
            sheet.measure(
                (left + 2 * radius + 4, 8), (left + 2 * radius + 4, 8 + 2 * (radius + half)),
                f"{2 * (radius + half):g}",
            )  # fmt: skip
        uses = sum((hole.radius, hole.half_length) == (radius, half) for hole in layout.holes)
        sheet.text((left, 2 * (radius + half) + 12), f"{uses} of these")
        left += 2 * radius + 25
    return sheet


def _section(sheet: Drawing, cells: Cells, radius: float) -> None:
    """Through the middle of a pit, along its cell."""
    lead = (cells.bolts[0] + cells.bolts[1]) / 2
    middle = max(radius, lead) + 4
    floor = 10 + cells.plate + cells.pillar
    start = middle - lead
    far = start + cells.length + 8
    rim = 10.0
    sheet.rect("part", (0, floor), (far, cells.base), "section-base")
    sheet.rect("part", (start + cells.bolts[2] - 5, floor - cells.shim),
               (cells.bolts[3] - cells.bolts[2] + 10, cells.shim), "section-shim")  # fmt: skip
    bar = floor - cells.shim - cells.height
    sheet.rect("part", (start, bar), (cells.length, cells.height), "section-cell")
    sheet.line("line", [
        (middle - radius, rim), (middle - radius, bar), (middle + radius, bar), (middle + radius, rim),
        (middle + radius - cells.wall, rim), (middle + radius - cells.wall, rim + cells.depth),
        (middle - radius + cells.wall, rim + cells.depth), (middle - radius + cells.wall, rim),
        (middle - radius, rim),
    ], "section-cup")  # fmt: skip
    opening = radius + cells.gap
    if middle - opening > 0:
        sheet.rect("part", (0, rim), (middle - opening, cells.plate), "section-top-left")
    sheet.rect("part", (middle + opening, rim), (max(far - middle - opening, 8), cells.plate), "section-top")
    for at in cells.bolts[:2]:
        sheet.line("line", [(start + at, rim + cells.depth - 2), (start + at, bar + cells.height)])
    for at in cells.bolts[2:]:
        sheet.line("line", [(start + at, bar - 2), (start + at, floor + cells.base)])
    side = max(far, middle + opening + 8) + 4
    sheet.measure((side, floor), (side, floor + cells.base), f"base {cells.base:g}")
    sheet.measure((side, rim + cells.plate), (side, floor), f"pillar {cells.pillar:g}")
    sheet.measure((side, rim), (side, rim + cells.plate), f"top {cells.plate:g}")
    sheet.measure((middle - radius, 6), (middle + radius, 6), f"{2 * radius:g}, air {cells.gap:g}")
    sheet.text((0, floor + cells.base + 6), (
        f"cup: wall {cells.wall:g}, inside {cells.depth:g} deep; shim {cells.shim:g}; "
        f"cell {cells.length:g} x {cells.width:g} x {cells.height:g}"
    ))  # fmt: skip


def _hole(sheet: Drawing, layer: str, hole: Hole, radius: float, name: str) -> None:
    """A circle, or the same stretched along y, of another radius."""
    if not hole.half_length:
        sheet.circle(layer, (hole.x, hole.y), radius, name)
        return
    half = radius + hole.half_length
    sheet.rect(layer, (hole.x - radius, hole.y - half), (2 * radius, 2 * half), name, corner=radius)


ROW = 9.0
"""mm between two lines of the wiring diagram."""


@dataclass(frozen=True, slots=True)
class _Bus:
    """A line that goes to every HX711."""

    name: str
    pin: str
    pad: str
    """On the HX711."""
    x: float
    """mm, where it runs down."""
    tap: float
    """mm above or below the data line, where it goes off to each."""


def wiring(layout: Layout) -> Drawing:
    """The wiring diagram: each cell to its HX711, and this to the pins of the chip.

    Raises:
        BadInput: as `wires`.
    """
    table = wires(layout)
    strip = layout.lights_kind == "board"
    rows = len(table)
    width, height = 250.0, ROW * (rows + 5) + 10
    sheet = Drawing(f"{layout.name}: wiring", width, height)
    chip, amp, cell = (0.0, 45.0), (120.0, 35.0), (195.0, 40.0)
    sheet.rect("part", (chip[0], 0), (chip[1], height), "chip")
    sheet.text((3, 5), "Arduino Mega 2560")
    # Buses run down between the chip and the amplifiers.
    buses = tuple(
        _Bus(name, pin, pad, 90.0 + 6 * place, (-2.8, -1.4, 1.4, 2.8)[place])
        for place, (name, pin, pad) in enumerate((
            ("clock", f"{CLOCK.mega} ({CLOCK.chip})", "SCK"), ("rate", f"{RATE.mega} ({RATE.chip})", "RATE"),
            ("power", "5V", "VCC"), ("ground", "GND", "GND"),
        ))
    )  # fmt: skip
    for row, wire in enumerate(table):
        y = 12 + ROW * row
        sheet.rect("part", (amp[0], y - 3.5), (amp[1], 7), f"amplifier-{wire.cell}")
        sheet.rect("part", (cell[0], y - 3.5), (cell[1], 7), f"load-cell-{wire.cell}")
        sheet.line("line", [(chip[1], y), (amp[0], y)], f"data-{wire.cell}")
        sheet.line("line", [(amp[0] + amp[1], y), (cell[0], y)])
        sheet.text((3, y + 1.5), f"{wire.mega} ({wire.chip})")
        sheet.text((amp[0] + 2, y + 1.5), f"HX711 {wire.cell}: DT")
        sheet.text((cell[0] + 2, y + 1.5), f"cell {wire.cell}, {wire.hole}")
        sheet.text((amp[0] + amp[1] + 2, y - 0.5), "E+ E- A+ A-")
        for bus in buses:
            sheet.line("measure", [(bus.x, y + bus.tap), (amp[0], y + bus.tap)])
            sheet.circle("measure", (bus.x, y + bus.tap), 0.4)
    bottom = 12 + ROW * rows
    for line, bus in enumerate(buses):
        y = bottom + ROW * line
        sheet.line("measure", [(chip[1], y), (bus.x, y), (bus.x, 12 + bus.tap)], f"bus-{bus.name}")
        sheet.text((3, y + 1.5), bus.pin)
        sheet.text((chip[1] + 2, y - 1), f"to every {bus.pad}")
    if strip:
        y = bottom + ROW * len(buses)
        sheet.text((3, y + 1.5), f"{STRIP_DATA.mega}, {STRIP_CLOCK.mega}")
        sheet.line("line", [(chip[1], y), (amp[0], y)], "strip")
        sheet.rect("part", (amp[0], y - 3.5), (cell[0] + cell[1] - amp[0], 7), "strip-lamps")
        sheet.text((amp[0] + 2, y + 1.5), f"APA102 strip, {len(layout.lights)} lamps: DI, CI; 5 V of its own")
    return sheet


def parts(layout: Layout) -> tuple[tuple[str, str, str], ...]:
    """The bill of materials: how many, what, and to what end.

    Raises:
        BadInput: as `wires`.
    """
    cells, n = cells_of(layout), len(wires(layout))
    amps = ceil(n * CELL_MA / 50) * 50
    bill = [
        (str(n), f"load cell, bar, {cells.capacity_g:g} g, {cells.length:g} x {cells.width:g} x "
                 f"{cells.height:g} mm", "one under each hole"),
        (str(n), "HX711 module, 5 V, with its RATE pin within reach", "one a cell"),
        ("1", "Arduino Mega 2560, or another board with an ATmega2560 at 16 MHz", "reads all cells at once"),
        ("1", "USB cable, A to B", "to the Raspberry Pi: power, and the link"),
        (str(n), f"cup, {cells.depth:g} mm deep, wall {cells.wall:g} mm", "cups.svg"),
        ("1", f"base, {layout.length:g} x {layout.width:g} x {cells.base:g} mm, stiff", "base.svg"),
        ("1", f"top, {layout.length:g} x {layout.width:g} x {cells.plate:g} mm", "top.svg"),
        (str(len(pillars(layout))), f"pillar, {cells.pillar:g} mm, M3", "between base and top"),
        (str(n), f"shim, {cells.shim:g} mm", "between base and cell"),
        (str(4 * n), "bolt, M3", "two hold a cup, two a cell"),
        (str(n), "set screw, M3", "under the free end of a cell: the stop for a hand that leans"),
        ("1", f"supply of 5 V, {amps} mA and more", "USB of the Pi does, without a strip"),
    ]  # fmt: skip
    if layout.lights_kind in {"apa102", "board"}:
        bill.append(("1", f"APA102 or SK9822 strip, {len(layout.lights)} lamps, 5 V", "docs/lights.md"))
    if layout.lights_kind == "apa102":
        bill.append(("1", "74AHCT125", "lifts the 3.3 V of the Pi, which drives the strip, to 5 V"))
    return tuple(bill)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Markdown, its columns lined up."""
    cells = [list(map(str, row)) for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        "| " + " | ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


def wiring_table(layout: Layout) -> str:
    """The wiring in words.

    Raises:
        BadInput: as `wires`.
    """
    rows = [(wire.cell, wire.hole, wire.mega, wire.chip) for wire in wires(layout)]
    return table(("cell", "hole", "Mega", "chip"), rows) + (
        f"\n\nTo every HX711: {CLOCK.mega} ({CLOCK.chip}) to SCK, {RATE.mega} ({RATE.chip}) to RATE, "
        f"5V to VCC, GND to GND.\n"
    )
