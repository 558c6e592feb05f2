"""Board files: the shipped ones are boards that can be built, and each fault is told in one sentence."""

from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.layout import Hole, Layout, wood_between
from service.boardfile import board, load_layout, shipped, shipped_names

Write = Callable[[str], Path]
TWO_ROWS = ["two-by-six", "two-by-seven", "orient-rows"]

SMALL = """
name = "small"
length = 200.0
width = 100.0
[[pit]]
x = 60.0
y = 50.0
radius = 20.0
[[pit]]
x = 110.0
y = 50.0
radius = 20.0
[[store]]
player = 0
x = 160.0
y = 50.0
radius = 15.0
half_length = 10.0
[[marker]]
id = 0
corners = [[2.0, 2.0], [20.0, 2.0], [20.0, 20.0], [2.0, 20.0]]
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def one(text: str) -> Path:
        path = tmp_path / "board.toml"
        path.write_text(text)
        return path

    return one


def test_the_boards_of_the_design_are_shipped() -> None:
    assert shipped_names() == ("four-by-eight", "orient-rows", "orient-square", "two-by-seven", "two-by-six")


def test_two_by_six_is_the_example_of_the_design() -> None:
    layout = shipped("two-by-six")
    assert (layout.length, layout.width) == (477.5, 159.1)
    assert layout.pits[0] == Hole(100.4, 111.9, 23.4)
    assert layout.stores[0] == Hole(440.0, 79.5, 24.0, 20.0)
    assert layout.markers[0].corners == ((7.6, 7.6), (34.8, 7.6), (34.8, 34.8), (7.6, 34.8))
    assert layout.markers[2].corners[2] == pytest.approx((477.5 - 7.6, 159.1 - 7.6))


@pytest.mark.parametrize(
    ("name", "pits", "stores"),
    [
        ("two-by-six", 12, 2),
        ("two-by-seven", 14, 2),
        ("orient-rows", 12, 4),
        ("orient-square", 12, 4),
        ("four-by-eight", 32, 2),
    ],
)
def test_holes_lie_apart_and_on_the_board_clear_of_the_markers(name: str, pits: int, stores: int) -> None:
    layout = shipped(name)
    assert (len(layout.pits), len(layout.stores)) == (pits, stores)
    for one, other in combinations(layout.holes, 2):
        assert wood_between(one, other) > 3.0
    for hole in layout.holes:
        assert hole.radius < hole.x < layout.length - hole.radius
        assert hole.radius + hole.half_length < hole.y < layout.width - hole.radius - hole.half_length
    for marker in layout.markers:
        (left, top), _, (right, bottom), _ = marker.corners
        around = Hole((left + right) / 2, (top + bottom) / 2, 1.0)
        # the circle inside the square and its corners: enough to see a store under a marker
        for hole in layout.holes:
            assert wood_between(around, hole) > (right - left) / 2 - 1.0


@pytest.mark.parametrize("name", TWO_ROWS)
def test_two_rows_run_counter_clockwise_from_souths_leftmost(name: str) -> None:
    pits = shipped(name).pits
    south, north = pits[: len(pits) // 2], pits[len(pits) // 2 :]
    assert all(a.x < b.x and a.y == b.y for a, b in pairwise(south))
    assert all(a.x > b.x and a.y == b.y for a, b in pairwise(north))
    assert south[0].y > north[0].y, "South sits below, y points down"
    for pit, other in zip(south, reversed(north), strict=True):
        assert pit.x == pytest.approx(other.x, abs=0.11), "facing pits add up to 2n-1"


@pytest.mark.parametrize("name", ["two-by-six", "two-by-seven"])
def test_each_store_of_two_rows_is_at_its_players_right(name: str) -> None:
    layout = shipped(name)
    assert layout.stores[0].x > max(pit.x for pit in layout.pits)
    assert layout.stores[1].x < min(pit.x for pit in layout.pits)


def test_the_square_runs_counter_clockwise_with_a_store_behind_each_side() -> None:
    layout = shipped("orient-square")
    ring: list[Hole] = []
    for side in range(4):
        ring += [*layout.pits[3 * side : 3 * side + 3], layout.stores[side]]
    _assert_counter_clockwise(layout, ring)
    assert ring[0] == max(layout.pits, key=lambda pit: (pit.y, -pit.x))


def test_four_rows_are_two_loops_that_face_each_other() -> None:
    layout = shipped("four-by-eight")
    south, north = layout.pits[:16], layout.pits[16:]
    assert south[0].x == min(pit.x for pit in layout.pits)
    assert south[0].y == max(pit.y for pit in layout.pits)
    for loop in (south, north):
        assert sum(a.x * b.y - b.x * a.y for a, b in pairwise([*loop, loop[0]])) < 0, "y points down"
    for i in range(8, 16):
        assert south[i].x == north[23 - i].x, "the front pit i faces the front pit 23 - i"
        assert abs(south[i].y - north[23 - i].y) < 60


def _assert_counter_clockwise(layout: Layout, ring: list[Hole]) -> None:
    x, y = layout.length / 2, layout.width / 2
    for a, b in pairwise([*ring, ring[0]]):
        assert (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x) < 0


def test_lights_are_read(write: Write) -> None:
    layout = load_layout(write(SMALL + '[lights]\nkind = "pins"\nholes = [17, 27, 22]\n'))
    assert layout.lights_kind == "pins"
    assert [(light.hole, light.index) for light in layout.lights] == [(0, 17), (1, 27), (2, 22)]
    assert load_layout(write(SMALL)).lights == ()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("length = 200.0", "", "length is missing: add it"),
        ("radius = 20.0", "radius = -1.0", "pit 0, radius is -1.0: it should be greater than 0"),
        ("radius = 20.0", "radios = 20.0", "pit 0, radius is missing"),
        ("player = 0", "player = 0\ncolour = 'red'", "store 0, colour is not a key of a board file"),
        ("player = 0", "player = 1", "store: the players are [1]"),
        ("x = 60.0", "x = nan", "pit 0, x is nan"),
        ("x = 60.0", 'x = "60"', "pit 0, x is '60': it should be a valid number"),
        ("x = 60.0", "x = 80.0", "pit 0 and pit 1 overlap"),
        ("x = 60.0", "x = 10.0", "pit 0 reaches over the edge"),
        ("[20.0, 2.0], [20.0, 20.0]", "[20.0, 20.0], [20.0, 2.0]", "marker 0, corners do not run clockwise"),
        ("id = 0", "id = 7", "marker 0, id is 7"),
        ("name = ", "name ", "is not TOML"),
        ("[[marker]]", "[lights]\nkind = 'pins'\nholes = [1, 2]\n[[marker]]", "holes has 2 entries"),
        ("[[marker]]", "[lights]\nkind = 'pins'\nholes = [1, 2, 2]\n[[marker]]", "names one light twice"),
        ("[[marker]]", "[lights]\nkind = 'pins'\nholes = [1, 2, 28]\n[[marker]]", "has pin 28"),
        (
            "[[marker]]",
            "[lights]\nkind = 'board'\nholes = [1, 2, 72]\n[[marker]]",
            "has lamp 72: those of a weighing board are 0 to 71",
        ),
        ("[[marker]]", "[lights]\nkind = 'neon'\n[[marker]]", "lights, kind is 'neon'"),
        ("[[marker]]", "[cells]\n[[marker]]", "cells, capacity_g is missing"),
        ("[[marker]]", "[cells]\ncapacity_g = 5000\n[[marker]]", "a cell of so much has noise of the weight"),
        ("[[marker]]", "[cells]\ncapacity_g = 5\n[[marker]]", "cells, capacity_g is 5"),
        (
            "[[marker]]",
            "[cells]\ncapacity_g = 100\nbolts = [5.0, 12.0, 35.0, 52.0]\n[[marker]]",
            "within the 47 mm of the cell, were expected",
        ),
        (
            "[[marker]]",
            "[cells]\ncapacity_g = 100\nplate = 20.0\n[[marker]]",
            "a top so thick lies on the cells; make cups deeper or the top thinner, by 4 mm",
        ),
    ],
)
def test_a_fault_is_one_sentence_with_file_key_and_mend(write: Write, old: str, new: str, told: str) -> None:
    path = write(SMALL.replace(old, new, 1))
    with pytest.raises(BadInput) as caught:
        load_layout(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"missing\.toml cannot be read \(No such file or directory\)"):
        board(tmp_path / "missing.toml")
    noise = tmp_path / "noise.toml"
    noise.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not text in UTF-8"):
        board(noise)
    with pytest.raises(BadInput, match="board 'three-by-six' is not known: one of four-by-eight"):
        board("three-by-six")
