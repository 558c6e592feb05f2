"""Where the holes of a physical board are: the geometry of a board file, in millimetres.

Frame (design.md, *Board file*): origin at the board's top left corner as the camera sees it,
x right, y down. Holes are listed as everywhere: pits in ring order, then stores by player.
"""

from dataclasses import dataclass
from math import hypot


@dataclass(frozen=True, slots=True)
class Hole:
    """One pit or store, seen from above: a circle, stretched along y if `half_length` is positive."""

    x: float
    """Centre, mm."""
    y: float
    """Centre, mm."""
    radius: float
    """mm, above 0."""
    half_length: float = 0.0
    """mm by which the centre line extends up and down from the centre (a long store); 0 for a circle."""


def wood_between(one: Hole, other: Hole) -> float:
    """Wood between two holes, mm; negative where they overlap."""
    apart = max(0.0, abs(one.y - other.y) - one.half_length - other.half_length)
    return hypot(one.x - other.x, apart) - one.radius - other.radius


@dataclass(frozen=True, slots=True)
class Marker:
    """A printed ArUco marker of DICT_4X4_50 on the board."""

    id: int
    """0 to 3, clockwise from the top left."""
    corners: tuple[tuple[float, float], ...]
    """Four corners, mm, in the order OpenCV gives them: clockwise from the marker's own top left."""


@dataclass(frozen=True, slots=True)
class Light:
    """Which lamp lights a hole: a GPIO pin on a small board, or a place on the strip."""

    hole: int
    """Index of the hole: pits in ring order, then stores."""
    index: int
    """BCM pin number (`lights_kind` "pins") or LED number along the strip ("apa102", "board"), from 0."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The load cells of a board, one under each hole, and the cups that they bear; mm, if not said otherwise.

    The cell is a bar: one end is bolted to the base, on a shim, the other bears the cup.
    """

    capacity_g: float
    """Rated load of each, grams."""
    length: float
    width: float
    height: float
    bolts: tuple[float, float, float, float]
    """From the end that bears the cup, along the middle: the two of the cup, then the two of the base."""
    gap: float
    """Air around a cup."""
    wall: float
    """Of a cup, its floor too."""
    depth: float
    """Of a cup, inside."""
    plate: float
    """Thickness of the board's top, in which the cups hang free, their rims flush with it."""
    base: float
    """Thickness of the base."""
    shim: float
    """Between base and cell, so that the cell can bend."""

    @property
    def pillar(self) -> float:
        """Height of the pillars between base and top."""
        return self.shim + self.height + self.wall + self.depth - self.plate


@dataclass(frozen=True, slots=True)
class Layout:
    """All that is particular to one physical board."""

    name: str
    length: float
    """mm, along x."""
    width: float
    """mm, along y."""
    pits: tuple[Hole, ...]
    """In ring order, counter-clockwise from South's leftmost."""
    stores: tuple[Hole, ...]
    """By player; empty on a board without stores."""
    markers: tuple[Marker, ...] = ()
    lights_kind: str = "none"
    """"none", "pins" (one GPIO LED a hole) or "apa102" (a strip on SPI)."""
    lights: tuple[Light, ...] = ()
    cells: Cells | None = None
    """None for a board that is not weighed."""

    @property
    def holes(self) -> tuple[Hole, ...]:
        """Pits, then stores: the order of every array with one row a hole."""
        return self.pits + self.stores
