"""Pictures of the simulated board: wood, bowls, stones, light, lens, noise, and the hand that plays.

Drawn for what a camera has to see through, not for beauty: light from one side, bowls that darken and mirror
it, stones that lie on each other and are stirred when one comes or goes, an arm with its shadow that reaches
over half the board. Of the vision chain nothing is used here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Hole, Layout
from engine.observation import Floats
from service.simulation.camera import Exposure

Picture = NDArray[np.uint8]
"""`(height, width, 3)` BGR."""
Linear = NDArray[np.float32]
"""`(height, width, 3)` BGR, or `(height, width)`; 0 to 1 in linear light."""
Colour = tuple[float, float, float]
"""BGR, 0 to 1, linear light."""

WIDTH, HEIGHT = 1280, 720
PIXELS_PER_MM = 2.4
LEVELS = 4096
SKINS: tuple[Colour, ...] = (
    (0.46, 0.55, 0.80), (0.30, 0.42, 0.68), (0.20, 0.31, 0.55),
    (0.12, 0.20, 0.38), (0.06, 0.11, 0.22), (0.025, 0.045, 0.09),
)  # fmt: skip
"""From the lightest to the darkest."""
SLEEVES: tuple[Colour | None, ...] = (
    None, (0.60, 0.60, 0.60), (0.02, 0.02, 0.02), (0.30, 0.10, 0.05), (0.05, 0.05, 0.40), (0.10, 0.20, 0.38),
)  # fmt: skip
"""Of a long sleeve; None for a bare arm. The last one is of the colour of wood."""
WOODS: tuple[Colour, ...] = ((0.10, 0.20, 0.38), (0.22, 0.38, 0.55), (0.05, 0.09, 0.28), (0.05, 0.08, 0.14))
STONES: tuple[tuple[Colour, ...], ...] = (
    ((0.55, 0.25, 0.05),), ((0.08, 0.06, 0.30),), ((0.60, 0.60, 0.58),), ((0.12, 0.35, 0.10),),
    ((0.60, 0.60, 0.60), (0.50, 0.25, 0.06), (0.35, 0.45, 0.25)),
)  # fmt: skip
FLICKER = 0.01
"""Standard deviation of the light from picture to picture: lamps do so."""


@dataclass(frozen=True, slots=True)
class Scenery:
    """What is filmed, and how."""

    wood: Colour = WOODS[0]
    stones: tuple[Colour, ...] = STONES[0]
    stone_mm: float = 13.5
    gloss: float = 0.7
    """Of the stones, 0 to 1."""
    light: tuple[float, float] = (-0.5, -0.4)
    """Where it comes from, as its slope along x and y."""
    table: Colour = (0.25, 0.22, 0.20)
    skin: Colour = SKINS[1]
    sleeve: Colour | None = SLEEVES[1]
    exposure: float = 1.0
    blur: float = 0.8
    """Standard deviation, pixels."""
    noise: float = 0.008
    """Standard deviation, share of full scale."""
    tilt: float = 0.0
    """Pixels by which the far corners of the board are drawn in."""

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "Scenery":
        """One of many."""
        return cls(
            wood=WOODS[rng.integers(len(WOODS))],
            stones=STONES[rng.integers(len(STONES))],
            stone_mm=float(rng.uniform(12.5, 14.5)),
            gloss=float(rng.uniform(0.0, 0.9)),
            light=(float(rng.uniform(-0.7, 0.7)), float(rng.uniform(-0.7, 0.7))),
            table=(
                float(rng.uniform(0.05, 0.4)),
                float(rng.uniform(0.05, 0.4)),
                float(rng.uniform(0.05, 0.4)),
            ),
            skin=SKINS[rng.integers(len(SKINS))],
            sleeve=SLEEVES[rng.integers(len(SLEEVES))],
            exposure=float(rng.uniform(0.75, 1.15)),
            blur=float(rng.uniform(0.6, 1.1)),
            noise=float(rng.uniform(0.004, 0.012)),
            tilt=float(rng.uniform(-30.0, 30.0)),
        )


@dataclass(frozen=True, slots=True)
class _Stone:
    x: float
    y: float
    """mm on the board."""
    radius: float
    """mm."""
    flat: float
    """Shorter over longer half axis."""
    turn: float
    colour: Colour


class Film:
    """A camera's pictures of one board. Deterministic in `rng` and the exposures."""

    def __init__(self, rng: np.random.Generator, layout: Layout, scenery: Scenery) -> None:
        """Nothing is filmed yet.

        Args:
            layout: with markers, if they are to be seen.
        """
        self.layout, self.scenery = layout, scenery
        self._rng = rng
        holes = len(layout.holes)
        self._stones: list[list[_Stone]] = [[] for _ in range(holes)]
        self._moved = [-1] * holes
        self._bare = self._board()
        self._top = self._bare.copy()
        self.to_pixels = self._homography()
        """`(3, 3)`: board millimetres to picture pixels."""
        self._base: Linear | None = None
        levels = np.arange(LEVELS) / (LEVELS - 1)
        self._tone = np.rint(255 * levels ** (1 / 2.2)).astype(np.uint8)
        spread = 255 * scenery.noise
        self._noise = np.rint(rng.normal(0, spread, (HEIGHT + 64, WIDTH + 64, 3))).astype(np.int16)
        table = 1 + 0.12 * _blotches(rng, (HEIGHT, WIDTH), 60)
        self._table = np.asarray(table[..., None] * np.array(scenery.table, np.float32), np.float32)
        self._side = 1
        self.covered: Floats = np.zeros(holes)
        """`(holes,)`: how much of each hole the hand hid in the last picture."""

    def picture(self, exposure: Exposure) -> Picture:
        """What the camera shows of one exposure."""
        for hole, (count, moved) in enumerate(zip(exposure.counts, exposure.moved, strict=True)):
            if moved != self._moved[hole]:
                self._moved[hole] = moved
                self._stir(hole, count)
        shown = self._seen().copy()
        self._reach(shown, exposure.over)
        light = self.scenery.exposure * (1 + FLICKER * self._rng.normal())
        levels = np.clip(shown * (light * (LEVELS - 1)), 0, LEVELS - 1).astype(np.uint16)
        row, column = self._rng.integers(0, 64, 2)
        noisy = self._tone[levels] + self._noise[row : row + HEIGHT, column : column + WIDTH]
        return np.asarray(np.clip(noisy, 0, 255), np.uint8)

    # -- the board

    def _homography(self) -> Floats:
        layout, tilt = self.layout, self.scenery.tilt
        scale = min(1060 / layout.length, 560 / layout.width)
        wide, high = scale * layout.length / 2, scale * layout.width / 2
        middle = np.array([WIDTH / 2, HEIGHT / 2]) + self._rng.normal(0, 8, 2)
        ideal = np.array([(-wide, -high), (wide, -high), (wide, high), (-wide, high)])
        ideal[:2, 0] *= 1 - abs(tilt) / wide if tilt > 0 else 1
        ideal[2:, 0] *= 1 - abs(tilt) / wide if tilt < 0 else 1
        board = [(0, 0), (layout.length, 0), (layout.length, layout.width), (0, layout.width)]
        corners = (ideal + middle + self._rng.normal(0, 4, (4, 2))).astype(np.float32)
        return np.asarray(cv2.getPerspectiveTransform(np.array(board, np.float32), corners), np.float64)

    def _board(self) -> Linear:
        layout, scenery, rng = self.layout, self.scenery, self._rng
        shape = (round(layout.width * PIXELS_PER_MM), round(layout.length * PIXELS_PER_MM))
        grain = 0.05 * _blotches(rng, shape, 4, 30) + 0.04 * _blotches(rng, shape, 90)
        top = np.asarray(np.array(scenery.wood, np.float32) * (1 + grain[..., None]), np.float32)
        for hole in layout.holes:
            box, dx, dy = _patch(shape, hole, hole.radius + 3, hole.half_length)
            along = np.asarray(dy - np.clip(dy, -hole.half_length, hole.half_length), np.float32)
            far = np.hypot(dx, along) / hole.radius
            inside = np.clip((1.0 - far) * hole.radius * PIXELS_PER_MM / 2, 0, 1)[..., None]
            slope = np.clip(far, 0, 1) * 0.8 / hole.radius
            lit = 1 - slope * (dx * scenery.light[0] + along * scenery.light[1]) - 0.25 * (1 - far)
            wood = np.array(scenery.wood, np.float32) / max(scenery.wood)
            tinted = top[box] * np.clip(lit, 0.3, 1.5)[..., None] * (0.75 + 0.3 * wood)
            top[box] = np.asarray(top[box] * (1 - inside) + tinted * inside, np.float32)
        _print_markers(top, layout)
        return top

    def _seen(self) -> Linear:
        """The whole picture without a hand."""
        if self._base is None:
            scale = np.diag([1 / PIXELS_PER_MM, 1 / PIXELS_PER_MM, 1.0])
            scale[:2, 2] = 0.5 / PIXELS_PER_MM
            matrix = self.to_pixels @ scale
            size = (WIDTH, HEIGHT)
            warped = cv2.warpPerspective(
                self._top, matrix, size, self._table.copy(), cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT
            )
            self._base = np.asarray(cv2.GaussianBlur(warped, (0, 0), self.scenery.blur), np.float32)
        return self._base

    # -- the stones

    def _stir(self, hole: int, count: int) -> None:
        """Let a hole hold `count` stones: those that stay are pushed a little, those that come lie on top."""
        place, stones, rng = self.layout.holes[hole], self._stones[hole], self._rng
        kept = [stones[at] for at in sorted(rng.permutation(len(stones))[:count].tolist())]
        moved = [self._pushed(place, stone) for stone in kept]
        while len(moved) < count:
            moved.append(self._dropped(place, moved, count))
        stones[:] = moved
        box, _, _ = _patch(self._top.shape, place, place.radius + 3, place.half_length)
        self._top[box] = self._bare[box]
        for stone in stones:
            self._lay(stone)
        self._base = None

    def _pushed(self, hole: Hole, stone: _Stone) -> _Stone:
        dx, dy = self._rng.normal(0, 1.0, 2)
        x, y = _within(hole, stone.radius, stone.x + dx, stone.y + dy)
        return _Stone(x, y, stone.radius, stone.flat, stone.turn, stone.colour)

    def _dropped(self, hole: Hole, there: Sequence[_Stone], count: int) -> _Stone:
        rng, scenery = self._rng, self.scenery
        radius = scenery.stone_mm / 2 * float(np.clip(rng.normal(1, 0.05), 0.85, 1.15))
        colour = scenery.stones[rng.integers(len(scenery.stones))]
        reach = min(hole.radius - 0.9 * radius, radius * (0.3 + 0.95 * np.sqrt(count)))
        best, room = (hole.x, hole.y), -1.0
        for _ in range(30):
            angle, far = rng.uniform(0, 2 * np.pi), reach * np.sqrt(rng.uniform())
            x = float(hole.x + far * np.cos(angle))
            y = float(hole.y + far * np.sin(angle) + rng.uniform(-1, 1) * hole.half_length)
            clear = min((float(np.hypot(x - stone.x, y - stone.y)) for stone in there), default=99.0)
            if clear > room:
                best, room = (x, y), clear
            if room > 1.9 * radius:
                break
        return _Stone(*best, radius, float(rng.uniform(0.8, 1.0)), float(rng.uniform(0, np.pi)), colour)

    def _lay(self, stone: _Stone) -> None:
        light = self.scenery.light
        spot = Hole(stone.x, stone.y, stone.radius)
        box, dx, dy = _patch(self._top.shape, spot, 2 * stone.radius, 0.0)
        part = self._top[box]
        fall = np.hypot(dx + 3 * light[0], dy + 3 * light[1]) / (1.1 * stone.radius)
        part *= (1 - 0.5 * np.exp(-(fall**4)))[..., None]
        along = (dx * np.cos(stone.turn) + dy * np.sin(stone.turn)) / stone.radius
        across = (-dx * np.sin(stone.turn) + dy * np.cos(stone.turn)) / (stone.radius * stone.flat)
        far = np.hypot(along, across)
        inside = np.clip((1 - far) * stone.radius * PIXELS_PER_MM / 1.5, 0, 1)[..., None]
        up = np.sqrt(np.clip(1 - far**2, 0, 1))
        nx, ny = dx / stone.radius, dy / stone.radius
        lit = 0.35 + 0.65 * np.clip(up + 0.8 * (nx * light[0] + ny * light[1]), 0, 1.4)
        shine = np.exp(-((nx - 0.35 * light[0]) ** 2 + (ny - 0.35 * light[1]) ** 2) / 0.02)
        body = np.array(stone.colour, np.float32) * lit[..., None] + self.scenery.gloss * shine[..., None]
        part[:] = part * (1 - inside) + body * inside

    # -- the hand

    def _reach(self, shown: Linear, over: Sequence[tuple[int, float]]) -> None:
        """Draw the hand where it is, if it is there; `covered` says what it hides."""
        self.covered = np.zeros(len(self.layout.holes))
        if not over:
            self._side = 1 if self._rng.random() < 0.5 else -1
            return
        weights = np.array([weight for _, weight in over]) + 1e-3
        places = [self.layout.holes[hole] for hole, _ in over]
        at = np.average([(place.x, place.y) for place in places], axis=0, weights=weights)
        tip = _projected(self.to_pixels, at[None])[0]
        skin, sleeve = self._arm(tip, float(weights.max()))
        hidden = np.maximum(skin, sleeve)
        self._measure(hidden)
        light, scenery = self.scenery.light, self.scenery
        shift = np.array([[1, 0, -26 * light[0]], [0, 1, -26 * light[1]]], np.float32)
        shade = cv2.GaussianBlur(cv2.warpAffine(hidden, shift, (WIDTH, HEIGHT)), (0, 0), 9)
        shown *= 1 - 0.45 * np.asarray(shade, np.float32)[..., None]
        for mask, colour in ((skin, scenery.skin), (sleeve, scenery.sleeve or scenery.skin)):
            round_ = np.asarray(cv2.GaussianBlur(mask, (0, 0), 9), np.float32)
            edge = np.asarray(cv2.GaussianBlur(mask, (0, 0), scenery.blur), np.float32)[..., None]
            shown *= 1 - edge
            shown += edge * (np.array(colour, np.float32) * (0.5 + 0.5 * round_)[..., None])

    def _arm(self, tip: Floats, near: float) -> tuple[Linear, Linear]:
        """Where skin and where sleeve are seen `(height, width)`, of a hand whose fingers are at `tip`."""
        unit = 1.1 * float(np.sqrt(abs(np.linalg.det(self.to_pixels[:2, :2]))))
        base = np.array([WIDTH / 2 + 0.35 * (tip[0] - WIDTH / 2), HEIGHT / 2 + self._side * HEIGHT])
        way = (base - tip) / np.linalg.norm(base - tip)
        aside = np.array([-way[1], way[0]])
        # a hand that comes or goes is not yet, or no more, where it works
        tip = tip + max(0.0, 0.5 - near) * 120 * unit * way

        def point(along: float, off: float) -> tuple[int, int]:
            x, y = tip + unit * (along * way + off * aside)
            return round(float(x)), round(float(y))

        def limb(mask: Linear, start: tuple[int, int], end: tuple[int, int], wide: float) -> None:
            cv2.line(mask, start, end, 1.0, max(1, round(wide * unit)), cv2.LINE_AA)

        skin, sleeve = np.zeros((HEIGHT, WIDTH), np.float32), np.zeros((HEIGHT, WIDTH), np.float32)
        for along, off in ((6, -24), (-4, -8), (-2, 8), (10, 24)):
            limb(skin, point(along, 0.8 * off), point(70, 1.1 * off), 16)
        limb(skin, point(14, -34), point(75, -34), 19)
        turn = float(np.degrees(np.arctan2(way[1], way[0])))
        cv2.ellipse(
            skin, point(92, 0), (round(46 * unit), round(40 * unit)), turn, 0, 360, 1.0, -1, cv2.LINE_AA
        )
        limb(skin, point(120, 0), point(900, 0), 58)
        if self.scenery.sleeve is not None:
            limb(sleeve, point(165, 0), point(900, 0), 84)
        skin *= 1 - sleeve
        return skin, sleeve

    def _measure(self, hidden: Linear) -> None:
        for index, hole in enumerate(self.layout.holes):
            angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
            rings = [(share * hole.radius * np.cos(angles), share * hole.radius * np.sin(angles)) for share in
                     (0.3, 0.6, 0.9)]  # fmt: skip
            spots = np.concatenate([np.column_stack([hole.x + dx, hole.y + dy]) for dx, dy in rings])
            pixels = _projected(self.to_pixels, spots).round().astype(int)
            inside = ((pixels >= 0) & (pixels < (WIDTH, HEIGHT))).all(axis=1)
            pixels = pixels[inside]
            self.covered[index] = float(hidden[pixels[:, 1], pixels[:, 0]].mean()) if len(pixels) else 0.0


def _projected(matrix: Floats, points: Floats) -> Floats:
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:], np.float64)


def _within(hole: Hole, radius: float, x: float, y: float) -> tuple[float, float]:
    """The point nearest to `x`, `y` at which a stone still lies in the hole."""
    middle = float(np.clip(y, hole.y - hole.half_length, hole.y + hole.half_length))
    far = float(np.hypot(x - hole.x, y - middle))
    share = min(1.0, (hole.radius - 0.9 * radius) / far) if far > 0 else 1.0
    return hole.x + share * (x - hole.x), middle + share * (y - middle)


def _patch(
    shape: Sequence[int], hole: Hole, reach: float, more: float
) -> tuple[tuple[slice, slice], NDArray[np.float32], NDArray[np.float32]]:
    """The part of the board round a place, and how far its pixels lie from there, mm."""
    rows = slice(
        max(0, int((hole.y - reach - more) * PIXELS_PER_MM)),
        min(shape[0], int((hole.y + reach + more) * PIXELS_PER_MM) + 1),
    )
    columns = slice(
        max(0, int((hole.x - reach) * PIXELS_PER_MM)),
        min(shape[1], int((hole.x + reach) * PIXELS_PER_MM) + 1),
    )
    ys, xs = np.mgrid[rows, columns].astype(np.float32)
    return (rows, columns), (xs + 0.5) / PIXELS_PER_MM - hole.x, (ys + 0.5) / PIXELS_PER_MM - hole.y


def _blotches(rng: np.random.Generator, shape: tuple[int, int], size: float, stretch: float = 1.0) -> Linear:
    """Smooth noise of standard deviation about 1; blotches of `size` pixels, `stretch` times as wide."""
    small = (max(2, round(shape[0] / size)), max(2, round(shape[1] / size / stretch)))
    coarse = rng.normal(0, 1, small).astype(np.float32)
    return np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)


def _print_markers(top: Linear, layout: Layout) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for marker in layout.markers:
        side = 120
        print_ = np.asarray(cv2.aruco.generateImageMarker(dictionary, marker.id, side), np.float32) / 255
        paper = cv2.copyMakeBorder(print_, 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=1.0)
        corners = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32) + 12 - 0.5
        target = np.array(marker.corners, np.float32) * PIXELS_PER_MM - 0.5
        matrix = cv2.getPerspectiveTransform(corners, target)
        size = (top.shape[1], top.shape[0])
        drawn = cv2.warpPerspective(np.asarray(0.03 + 0.72 * paper, np.float32), matrix, size)
        cover = cv2.warpPerspective(np.ones_like(paper), matrix, size)[..., None]
        top[:] = top * (1 - cover) + np.asarray(drawn)[..., None] * cover
