"""Pictures of boards with known counts, drawn from nothing: wood, pits, stones, light, shadow, blur, noise.

Not meant to be beautiful: meant to vary in what a counter could trip over. A `Scene` keeps its stones where
they are between pictures, as a board does; only holes whose count changes are stirred.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np

from engine.layout import Hole, Layout
from engine.observation import Floats
from vision import Image, Pixels
from vision.markers import Registration

PIXELS_PER_MM = 3.0
WIDTH, HEIGHT = 1280, 720

Kind = Literal["pebble", "gem", "glass", "seed"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a scene looks like. Colours are BGR, 0 to 1, linear light."""

    wood: tuple[float, float, float] = (0.10, 0.20, 0.38)
    grain: float = 0.10
    kind: Kind = "gem"
    colours: tuple[tuple[float, float, float], ...] = ((0.55, 0.25, 0.05),)
    stone_mm: float = 13.5
    spread: float = 0.05
    """Relative standard deviation of a stone's size."""
    gloss: float = 0.05
    """How much of the lamp the wood of a bowl mirrors."""
    bleed: float = 0.3
    """How much of a bowl's light has met its wood before."""
    light: tuple[float, float] = (-0.5, -0.4)
    """Where the light comes from, as its slope along x and y."""
    table: tuple[float, float, float] = (0.25, 0.22, 0.20)


@dataclass(frozen=True, slots=True)
class Stone:
    x: float
    y: float
    """mm on the board."""
    long: float
    short: float
    """Half axes, mm."""
    turn: float
    colour: tuple[float, float, float]


@dataclass(slots=True)
class Scene:
    """A board with stones on it."""

    layout: Layout
    look: Look
    rng: np.random.Generator
    holes: list[list[Stone]] = field(default_factory=list)

    def set(self, counts: Sequence[int], nudge_mm: float = 0.8) -> None:
        """Put `counts` stones in the holes; stones of a hole that is touched move by about `nudge_mm`."""
        self.holes = self.holes or [[] for _ in self.layout.holes]
        for hole, stones, count in zip(self.layout.holes, self.holes, counts, strict=True):
            if len(stones) == count:
                continue
            kept = stones[:count]
            moved = [self._nudged(stone, nudge_mm) for stone in kept]
            while len(moved) < count:
                moved.append(self._dropped(hole, moved, count))
            stones[:] = moved

    def _nudged(self, stone: Stone, mm: float) -> Stone:
        dx, dy = self.rng.normal(0, mm, 2)
        return Stone(stone.x + dx, stone.y + dy, stone.long, stone.short, stone.turn, stone.colour)

    def _dropped(self, hole: Hole, there: list[Stone], count: int) -> Stone:
        """A stone that rolls down: near the middle of the bowl, beside the others while there is room."""
        look = self.look
        size = look.stone_mm / 2 * max(0.7, self.rng.normal(1, look.spread))
        flat = self.rng.uniform(0.75, 1.0) if look.kind in ("pebble", "seed") else 1.0
        reach = min(hole.radius - 0.9 * size, size * (0.3 + 0.95 * np.sqrt(count)))
        closest = 0.92
        while True:
            for _ in range(40):
                angle, far = self.rng.uniform(0, 2 * np.pi), reach * np.sqrt(self.rng.uniform())
                x = hole.x + far * np.cos(angle)
                y = hole.y + far * np.sin(angle) + self.rng.uniform(-1, 1) * hole.half_length
                apart = closest * 2 * size
                if all((x - s.x) ** 2 + (y - s.y) ** 2 > apart**2 for s in there):
                    colour = look.colours[self.rng.integers(len(look.colours))]
                    return Stone(x, y, size, size * flat, self.rng.uniform(0, np.pi), colour)
            closest -= 0.06


@dataclass(frozen=True, slots=True)
class Shot:
    """How a scene is photographed."""

    corners: tuple[tuple[float, float], ...] = ((100, 210), (1180, 190), (1205, 560), (80, 545))
    """The board's corners in pixels, clockwise from the top left."""
    exposure: float = 1.0
    blur: float = 0.7
    """Standard deviation, pixels."""
    noise: float = 0.008
    """Standard deviation, share of full scale."""
    hand_mm: tuple[float, float] | None = None
    """Where on the board the fingertips of a hand are, reaching in from the bottom edge."""


def random_look(rng: np.random.Generator) -> Look:
    """Wood, stones and light, each from what is found on tables."""
    woods = [
        (0.10, 0.20, 0.38),
        (0.03, 0.05, 0.09),
        (0.22, 0.38, 0.55),
        (0.05, 0.09, 0.28),
        (0.30, 0.40, 0.48),
    ]
    sets = [
        [(0.45, 0.42, 0.38)],
        [(0.55, 0.25, 0.05)],
        [(0.08, 0.06, 0.30)],
        [(0.10, 0.45, 0.50)],
        [(0.60, 0.60, 0.60), (0.50, 0.25, 0.06), (0.35, 0.45, 0.25)],
        [(0.25, 0.06, 0.18)],
        [(0.12, 0.35, 0.10)],
        [(0.18, 0.24, 0.22)],
    ]
    kinds: list[Kind] = ["pebble", "gem", "glass", "seed"]
    return Look(
        wood=woods[rng.integers(len(woods))],
        grain=rng.uniform(0.04, 0.16),
        kind=kinds[rng.integers(len(kinds))],
        colours=tuple(sets[rng.integers(len(sets))]),
        stone_mm=rng.uniform(12.0, 15.5),
        spread=rng.uniform(0.02, 0.09),
        gloss=rng.uniform(0.0, 0.15),
        bleed=rng.uniform(0.0, 0.8),
        light=(rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8)),
        table=tuple(rng.uniform(0.03, 0.5, 3)),
    )


def random_shot(rng: np.random.Generator) -> Shot:
    """A camera roughly above the board."""
    ideal = np.array([(110, 195), (1170, 195), (1170, 550), (110, 550)], dtype=np.float64)
    corners = ideal + rng.normal(0, 18, (4, 2))
    return Shot(
        corners=tuple((float(x), float(y)) for x, y in corners),
        exposure=rng.uniform(0.7, 1.25),
        blur=rng.uniform(0.5, 1.2),
        noise=rng.uniform(0.004, 0.016),
    )


def homography(layout: Layout, shot: Shot) -> Floats:
    """`(3, 3)`: board millimetres to picture pixels, as the picture is drawn."""
    board = np.array(
        [(0, 0), (layout.length, 0), (layout.length, layout.width), (0, layout.width)], dtype=np.float32
    )
    fitted = cv2.getPerspectiveTransform(board, np.array(shot.corners, dtype=np.float32))
    return np.asarray(fitted, dtype=np.float64)


def placed(layout: Layout, shot: Shot) -> Registration:
    """Where the board lies in the picture that is drawn."""
    return Registration(homography(layout, shot))


def bent(image: Image, share: float) -> Image:
    """As through a lens that shifts the corners outwards by this share of half the diagonal."""
    high, wide = image.shape[:2]
    half = float(np.hypot(wide, high)) / 2
    ys, xs = np.mgrid[0:high, 0:wide]
    dx, dy = (xs - (wide - 1) / 2) / half, (ys - (high - 1) / 2) / half
    seen = np.hypot(dx, dy)
    # a pixel shows what would lie where the lens brings it here from
    before = np.linspace(0, 1.6, 4000)
    after = before * (1 + share * before**2)
    rising = int(np.argmax(np.diff(after, append=-1) <= 0)) or len(after)
    pull = np.interp(seen, after[:rising], before[:rising]) / np.maximum(seen, 1e-9)
    where = [(side - 1) / 2 + half * off * pull for side, off in ((wide, dx), (high, dy))]
    shown = cv2.remap(
        image,
        where[0].astype(np.float32),
        where[1].astype(np.float32),
        cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(shown, np.uint8)


def photograph(scene: Scene, shot: Shot, seed: int = 0) -> Image:
    """Draw the scene `(720, 1280, 3)`."""
    layout, look = scene.layout, scene.look
    rng = np.random.default_rng(seed)
    top = _board(scene)
    _markers(top, layout)
    # drawn pixel i covers millimetres i / 3 to (i + 1) / 3
    to_mm = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, PIXELS_PER_MM]]) / PIXELS_PER_MM
    to_mm[2] = (0, 0, 1)
    matrix = homography(layout, shot) @ to_mm
    picture = np.empty((HEIGHT, WIDTH, 3), np.float32)
    picture[:] = np.array(look.table, np.float32)
    picture *= 1 + 0.25 * _noise(rng, (HEIGHT, WIDTH), 60)[..., None]
    size = (WIDTH, HEIGHT)
    warped = cv2.warpPerspective(top, matrix, size, flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(np.ones(top.shape[:2], np.float32), matrix, size)[..., None]
    picture = picture * (1 - cover) + np.asarray(warped, np.float32) * cover
    if shot.hand_mm is not None:
        _hand(picture, homography(layout, shot), shot.hand_mm)
    picture = cv2.GaussianBlur(picture, (0, 0), shot.blur).astype(np.float32) * shot.exposure
    shown = np.clip(picture, 0, None) ** (1 / 2.2)
    shown += rng.normal(0, shot.noise, shown.shape)
    return np.asarray(np.clip(shown, 0, 1) * 255, np.uint8)


def _noise(rng: np.random.Generator, shape: tuple[int, int], size: float, stretch: float = 1.0) -> Pixels:
    """Smooth noise of standard deviation 1; blotches of about `size` pixels, `stretch` times as wide."""
    small = (max(2, round(shape[0] / size)), max(2, round(shape[1] / size / stretch)))
    coarse = rng.normal(0, 1, small).astype(np.float32)
    return np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)


def _board(scene: Scene) -> Pixels:
    layout, look = scene.layout, scene.look
    rng = np.random.default_rng(7)  # the wood of a board stays the same from picture to picture
    shape = (round(layout.width * PIXELS_PER_MM), round(layout.length * PIXELS_PER_MM))
    grain = 0.6 * _noise(rng, shape, 5, 30) + 0.4 * _noise(rng, shape, 2.5, 14) + 0.5 * _noise(rng, shape, 90)
    top = np.array(look.wood, np.float32) * (1 + look.grain * grain[..., None])
    ys, xs = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    xs, ys = (xs + 0.5) / PIXELS_PER_MM, (ys + 0.5) / PIXELS_PER_MM
    for hole, stones in zip(layout.holes, scene.holes, strict=True):
        _bowl(top, xs, ys, hole, look)
        for stone in stones:
            _stone(top, xs, ys, stone, look, hole)
    return np.asarray(np.clip(top, 0, None), np.float32)


def _bowl(top: Pixels, xs: Pixels, ys: Pixels, hole: Hole, look: Look) -> None:
    dx = (xs - hole.x) / hole.radius
    along = ys - hole.y
    dy = (along - np.clip(along, -hole.half_length, hole.half_length)) / hole.radius
    far = np.hypot(dx, dy)
    inside = np.clip((1.02 - far) * hole.radius * PIXELS_PER_MM / 2, 0, 1)[..., None]
    slope = np.clip(far, 0, 1) * 0.8
    lit = 1 - slope * (dx * look.light[0] + dy * look.light[1]) - 0.25 * (1 - far)
    shade = np.clip(lit, 0.25, 1.6)[..., None]
    # light that fell on wood before takes on more of its colour
    wood = np.array(look.wood, np.float32) / max(look.wood)
    mirror = np.exp(-((dx - 0.5 * look.light[0]) ** 2 + (dy - 0.5 * look.light[1]) ** 2) / 0.08)[..., None]
    tinted = top * shade * (1 - look.bleed + look.bleed * wood * 1.3) + look.gloss * mirror
    top *= 1 - inside
    top += inside * tinted


def _stone(top: Pixels, xs: Pixels, ys: Pixels, stone: Stone, look: Look, hole: Hole) -> None:
    reach = 2.2 * stone.long
    rows = slice(
        max(0, int((stone.y - reach) * PIXELS_PER_MM)), max(1, int((stone.y + reach) * PIXELS_PER_MM))
    )
    columns = slice(
        max(0, int((stone.x - reach) * PIXELS_PER_MM)), max(1, int((stone.x + reach) * PIXELS_PER_MM))
    )
    part = top[rows, columns]
    dx, dy = xs[rows, columns] - stone.x, ys[rows, columns] - stone.y
    shadow = np.exp(
        -((((dx + look.light[0] * 3) ** 2 + (dy + look.light[1] * 3) ** 2) / (1.1 * stone.long) ** 2) ** 2)
    )
    part *= 1 - 0.5 * shadow[..., None]
    along = (dx * np.cos(stone.turn) + dy * np.sin(stone.turn)) / stone.long
    across = (-dx * np.sin(stone.turn) + dy * np.cos(stone.turn)) / stone.short
    far = np.hypot(along, across)
    inside = np.clip((1 - far) * stone.short * PIXELS_PER_MM / 1.5, 0, 1)
    height = np.sqrt(np.clip(1 - far**2, 0, 1))
    normal_x, normal_y = dx / stone.long, dy / stone.long
    lit = 0.35 + 0.65 * np.clip(height + 0.8 * (normal_x * look.light[0] + normal_y * look.light[1]), 0, 1.4)
    # a stone deep in the bowl is darker than one near the rim
    deep = 0.8 + 0.2 * min(1.0, float(np.hypot(stone.x - hole.x, stone.y - hole.y)) / hole.radius)
    body = np.array(stone.colour, np.float32) * (deep * lit)[..., None]
    shine = 0.7 * np.exp(
        -((normal_x - 0.35 * look.light[0]) ** 2 + (normal_y - 0.35 * look.light[1]) ** 2) / 0.02
    )
    if look.kind in ("gem", "glass"):
        body = body + shine[..., None]
    if look.kind == "glass":
        # what lies below is seen, tinted and darker; the rim gathers the light
        rim = np.clip((far - 0.7) / 0.2, 0, 1)[..., None]
        tint = 0.5 * part + 0.5 * part * np.array(stone.colour, np.float32) / max(stone.colour)
        body = rim * (1.6 * body) + (1 - rim) * (0.8 * tint + 0.5 * shine[..., None])
    part *= 1 - inside[..., None]
    part += inside[..., None] * body


def _markers(top: Pixels, layout: Layout) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for marker in layout.markers:
        (left, upper), _, (right, lower), _ = marker.corners
        size = 120
        printed = cv2.aruco.generateImageMarker(dictionary, marker.id, size).astype(np.float32) / 255
        paper = np.full(top.shape[:2], -1.0, np.float32)
        edge = 2.5
        box = np.array([left - edge, upper - edge, right + edge, lower + edge]) * PIXELS_PER_MM
        x0, y0, x1, y1 = np.maximum(box.round().astype(int), 0)
        paper[y0:y1, x0:x1] = 0.75
        # corner k of the print, at the pixel's outer edge, falls on corner k of the board file
        source = np.array([(0, 0), (size, 0), (size, size), (0, size)], np.float32) - 0.5
        target = np.array(marker.corners, np.float32) * PIXELS_PER_MM - 0.5
        matrix = cv2.getPerspectiveTransform(source, target)
        drawn = cv2.warpPerspective(printed, matrix, top.shape[1::-1], flags=cv2.INTER_AREA)
        cover = cv2.warpPerspective(np.ones((size, size), np.float32), matrix, top.shape[1::-1])
        paper = np.where(cover > 0.5, 0.03 + 0.72 * drawn, paper)
        top[:] = np.where(paper[..., None] >= 0, paper[..., None], top)


def _hand(picture: Pixels, to_pixels: Floats, tip_mm: tuple[float, float]) -> None:
    """An arm from below the picture and four fingers, the colour of skin."""
    tip = to_pixels @ np.array([*tip_mm, 1.0])
    x, y = tip[:2] / tip[2]
    skin = np.zeros(picture.shape[:2], np.float32)
    for finger in range(4):
        start = (round(x + 26 * (finger - 1.5)), round(y + 8 * abs(finger - 1.2)))
        cv2.line(skin, start, (round(x + 18 * (finger - 1.5)), round(y + 110)), 1.0, 24, cv2.LINE_AA)
    cv2.ellipse(skin, (round(x), round(y + 150)), (62, 75), 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    cv2.line(skin, (round(x), round(y + 200)), (round(x + 40), HEIGHT + 100), 1.0, 90, cv2.LINE_AA)
    thick = cv2.GaussianBlur(skin, (0, 0), 9)
    shade = cv2.GaussianBlur(np.roll(skin, (14, 14), (0, 1)), (0, 0), 12)
    picture *= 1 - 0.45 * shade[..., None]
    colour = np.array([0.30, 0.42, 0.72], np.float32) * (0.45 + 0.6 * thick)[..., None]
    picture *= 1 - skin[..., None]
    picture += skin[..., None] * colour
