"""Where the holes of a physical board are: the geometry of a board file, in millimetres.

Frame (design.md, *Board file*): origin at the board's top left corner as the camera sees it,
x right, y down. Holes are listed as everywhere: pits in ring order, then stores by player.
"""

from dataclasses import dataclass


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
    """BCM pin number (`lights_kind` "pins") or LED number along the strip ("apa102"), from 0."""


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

    @property
    def holes(self) -> tuple[Hole, ...]:
        """Pits, then stores: the order of every array with one row a hole."""
        return self.pits + self.stores
