"""The drawings against the numbers of the board file, and the wiring against the firmware."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from engine.errors import BadInput
from engine.layout import Cells, Hole, Layout, Light, Marker
from hardware import pins
from hardware.drawings import base, cups, hole_names, parts, pillars, place, table, top, wires, wiring
from hardware.svg import Drawing
from service.boardfile import shipped, shipped_names

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
SVG = "{http://www.w3.org/2000/svg}"
CELLS = Cells(500, 47, 12, 6, (5, 12, 35, 42), 1, 2, 14, 10, 12, 3)
SMALL = Layout("small", 120.0, 100.0, (Hole(35.0, 30.0, 15.0), Hole(85.0, 30.0, 15.0, 5.0)), (), cells=CELLS)

boards = pytest.mark.parametrize("name", shipped_names())


def drawn(sheet: Drawing) -> dict[str, Xml.Element]:
    """The elements of a drawing by their ids; the whole by ''."""
    whole = Xml.fromstring(str(sheet))
    named = [element for element in whole.iter() if "id" in element.attrib]
    found = {element.attrib["id"]: element for element in named}
    assert len(found) == len(named)
    return {"": whole, **found}


def numbers(element: Xml.Element, *keys: str) -> tuple[float, ...]:
    return tuple(float(element.attrib[key]) for key in keys)


def seen(element: Xml.Element) -> tuple[float, float, float, float]:
    """Centre, radius, and half of the length beyond it, of a circle or a stretched one."""
    if element.tag == f"{SVG}circle":
        return (*numbers(element, "cx", "cy", "r"), 0.0)  # type: ignore[return-value]
    x, y, width, height, radius = numbers(element, "x", "y", "width", "height", "rx")
    assert width == pytest.approx(2 * radius)
    return x + width / 2, y + height / 2, radius, height / 2 - radius


@boards
def test_a_millimetre_is_a_millimetre(name: str) -> None:
    layout = shipped(name)
    for sheet in (base, top, cups, wiring):
        found = drawn(sheet(layout))
        whole = found[""]
        _, _, width, height = map(float, whole.attrib["viewBox"].split())
        assert (whole.attrib["width"], whole.attrib["height"]) == (f"{width:g}mm", f"{height:g}mm")
        (x, y), (u, v) = (map(float, p.split(",")) for p in found["scale-bar"].attrib["points"].split())
        assert (u - x, v - y) == (100.0, 0.0)
        assert not {element.attrib.get("transform") for element in whole.iter()} - {None}


@boards
def test_top_and_base_are_as_the_board_file_says(name: str) -> None:
    layout = shipped(name)
    assert layout.cells is not None
    above, below = drawn(top(layout)), drawn(base(layout))
    for found in (above, below):
        assert numbers(found["outline"], "x", "y", "width", "height") == (0, 0, layout.length, layout.width)
    for hole_name, hole in zip(hole_names(layout), layout.holes, strict=True):
        key = hole_name.replace(" ", "-")
        opening, cup = seen(above[f"opening-{key}"]), seen(below[f"cup-{key}"])
        assert opening == pytest.approx((hole.x, hole.y, hole.radius + layout.cells.gap, hole.half_length))
        assert cup == pytest.approx((hole.x, hole.y, hole.radius, hole.half_length))
    corners = [
        tuple(map(float, point.split(",")))
        for marker in layout.markers
        for point in above[f"marker-{marker.id}"].attrib["points"].split()[:4]
    ]
    assert corners == [corner for marker in layout.markers for corner in marker.corners]


@boards
def test_no_cell_touches_another_and_each_bears_its_cup(name: str) -> None:
    layout = shipped(name)
    placed = place(layout)
    assert [one.hole for one in placed] == list(layout.holes)
    for one in placed:
        assert sorted(one.size) == pytest.approx([12.0, 47.0])
        assert 0 < one.corner[0] < one.corner[0] + one.size[0] < layout.length
        assert 0 < one.corner[1] < one.corner[1] + one.size[1] < layout.width
        cup = [sum(axis) / 2 for axis in zip(*one.bolts[:2], strict=True)]
        assert cup == pytest.approx((one.hole.x, one.hole.y))
        for x, y in one.bolts:
            assert one.corner[0] < x < one.corner[0] + one.size[0]
            assert one.corner[1] < y < one.corner[1] + one.size[1]
    for one, other in combinations(placed, 2):
        apart = max(
            max(one.corner[axis], other.corner[axis])
            - min(one.corner[axis] + one.size[axis], other.corner[axis] + other.size[axis])
            for axis in (0, 1)
        )
        assert apart >= 2.0
    for x, y in pillars(layout):
        assert all(
            not (0 < x - one.corner[0] < one.size[0] and 0 < y - one.corner[1] < one.size[1])
            for one in placed
        )


def test_a_section_adds_up() -> None:
    """By hand: 3 of shim, 6 of cell, 2 of floor and 14 of depth are 25; less 10 of the top, 15 of pillar."""
    assert CELLS.pillar == 15.0
    found = drawn(cups(SMALL))
    rim, floor = 10.0, 10.0 + 10.0 + 15.0
    assert numbers(found["section-base"], "y", "height") == (floor, 12.0)
    assert numbers(found["section-top"], "y", "height") == (rim, 10.0)
    assert numbers(found["section-shim"], "y", "height") == (floor - 3, 3.0)
    assert numbers(found["section-cell"], "y", "width", "height") == (floor - 9, 47.0, 6.0)
    levels = {float(point.split(",")[1]) for point in found["section-cup"].attrib["points"].split()}
    assert levels == {rim, rim + 14, rim + 16}
    assert seen(found["cup-0"])[2:] == (15.0, 0.0)
    assert seen(found["cup-1"])[2:] == (15.0, 5.0)
    assert seen(found["cup-1-inside"])[2:] == (13.0, 5.0)


def test_a_board_without_room_says_so() -> None:
    crowded = Layout("crowded", 60.0, 40.0, (Hole(20.0, 20.0, 8.0), Hole(40.0, 20.0, 8.0)), (), cells=CELLS)
    with pytest.raises(BadInput, match="the board crowded has no room for a cell of 47 by 12 mm under pit 0"):
        place(crowded)
    thin = Layout("thin", 200.0, 120.0, (Hole(50.0, 50.0, 15.0), Hole(83.0, 50.0, 15.0)), (), cells=CELLS)
    with pytest.raises(BadInput, match="less than 2 mm of wood between the openings of pit 0 and pit 1"):
        top(thin)
    corners = ((60.0, 60.0), (80.0, 60.0), (80.0, 80.0), (60.0, 80.0))
    for y, meets in ((39.0, False), (39.5, True)):
        holes = (Hole(70.0, y, 15.0, 5.0), Hole(20.0, 30.0, 15.0))
        marked = Layout("marked", 200.0, 120.0, holes, (), (Marker(2, corners),), cells=CELLS)
        # 15 of radius, 1 of air, 5 of half length: 39 + 21 is where the marker begins.
        if not meets:
            assert "marker-2" in drawn(top(marked))
            continue
        with pytest.raises(BadInput, match="the board marked has marker 2 where the opening of pit 0 is"):
            top(marked)
    with pytest.raises(BadInput, match="has no load cells: add"):
        base(Layout("bare", 100.0, 100.0, SMALL.pits, ()))
    many = Layout("many", 900.0, 900.0, tuple(Hole(9.0, 9.0, 5.0) for _ in range(35)), (), cells=CELLS)
    with pytest.raises(BadInput, match="35 cells are too many for one board: its chip has pins for 34"):
        wires(many)


@boards
def test_every_cell_has_one_pin_and_no_pin_is_used_twice(name: str) -> None:
    layout = shipped(name)
    lines = wires(layout)
    assert [wire.cell for wire in lines] == list(range(1, len(layout.holes) + 1))
    others = {pins.CLOCK, pins.RATE, pins.STRIP_CLOCK, pins.STRIP_DATA, *pins.BUTTONS}
    used = [wire.chip for wire in lines] + [pin.chip for pin in others]
    assert len(set(used)) == len(used)
    assert len({wire.mega for wire in lines}) == len(lines)
    found = drawn(wiring(layout))
    said = "".join(found[""].itertext())
    for wire in lines:
        assert {f"data-{wire.cell}", f"amplifier-{wire.cell}", f"load-cell-{wire.cell}"} <= found.keys()
        assert f"{wire.mega} ({wire.chip})" in said
    assert {f"bus-{bus}" for bus in ("clock", "rate", "power", "ground")} <= found.keys()


@pytest.mark.parametrize(
    ("chip", "mega"),
    [
        # Spot checks by the pin table of Arduino's Mega 2560.
        (("A", 0), "D22"), (("A", 7), "D29"), (("B", 1), "D52"), (("B", 2), "D51"), (("B", 4), "D10"),
        (("B", 5), "D11"), (("C", 0), "D37"), (("C", 7), "D30"), (("F", 0), "A0"), (("K", 0), "A8"),
        (("K", 7), "A15"), (("L", 0), "D49"), (("L", 7), "D42"),
    ],
)  # fmt: skip
def test_pins_have_the_names_that_the_mega_prints(chip: tuple[str, int], mega: str) -> None:
    assert pins.Pin(*chip).mega == mega


@pytest.mark.skipif(not FIRMWARE.is_dir(), reason="the firmware is not in this tree")
def test_the_firmware_has_the_same_pins() -> None:
    source = (FIRMWARE / "pitwatch" / "atmega2560.cpp").read_text()
    ports = re.findall(r"\[(\d)\] = PIN([A-L]);", source)
    assert [int(index) for index, _ in ports] == list(range(len(ports)))
    # Cell i is bit i % 8 of the port i / 8.
    assert [(pin.port, pin.bit) for pin in pins.DATA] == [
        (ports[cell // 8][1], cell % 8) for cell in range(len(pins.DATA))
    ]
    for name, pin in (("kClock", pins.CLOCK), ("kRate", pins.RATE)):
        assert re.search(rf"\b{name} = _BV\({pin.bit}\)", source)
        assert re.search(rf"PORT{pin.port} \|= {name};", source)
    assert {(pin.port, pin.bit) for pin in pins.BUTTONS} == {("F", bit) for bit in range(2, 8)}
    assert "~PINF) >> 2;" in source


@pytest.mark.parametrize(
    ("kind", "on_the_chip", "lamps", "shifted"),
    [("none", False, 0, False), ("apa102", False, 1, True), ("board", True, 1, False)],
)
def test_a_strip_hangs_on_what_drives_it(kind: str, on_the_chip: bool, lamps: int, shifted: bool) -> None:
    lit = replace(SMALL, lights_kind=kind, lights=(Light(0, 0), Light(1, 1)) if lamps else ())
    assert ("strip" in drawn(wiring(lit))) is on_the_chip
    bill = [what for _, what, _ in parts(lit)]
    assert bill.count("APA102 or SK9822 strip, 2 lamps, 5 V") == lamps
    assert ("74AHCT125" in bill) is shifted


def test_the_parts_are_counted_from_the_board() -> None:
    bill = {what: many for many, what, _ in parts(SMALL)}
    assert bill["load cell, bar, 500 g, 47 x 12 x 6 mm"] == "2"
    assert bill["bolt, M3"] == "8"
    assert bill["pillar, 15 mm, M3"] == "4"
    # 2 cells of 6.5 mA, in steps of 50.
    assert bill["supply of 5 V, 50 mA and more"] == "1"
    assert table(("a", "b"), [(1, "xyz")]) == "| a | b   |\n|---|-----|\n| 1 | xyz |"
