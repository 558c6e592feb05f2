"""Boards, stones, lamps and cameras at random, and what a camera makes of one hole.

Nothing here was measured off a board: the ranges are wider than what lies on tables, so that a board
nobody has seen lies within them.
"""

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Hole
from engine.observation import Floats
from vision import Image
from vision.crops import REACH, SIZE, crop
from vision.training.settle import depth, settle, turned
from vision.training.trace import trace

INNER = 76
"""Pixels across a hole's surroundings as traced."""
VIEW_RADIUS = 47.0
"""Pixels from the middle of a pit to its rim in a top view (23.4 mm at 0.5 mm)."""
MOST = 48
"""Stones in a hole."""
KINDS = ("marble", "bead", "pebble", "gem", "seed", "bean", "cowrie", "disc")


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One board with one set of stones under one light, seen by one camera."""

    kind: str
    size: float
    """A stone's longest half axis, in radii of a pit."""
    spread: float
    flat: tuple[float, float]
    """The other half axes, in longest ones."""
    flat_spread: float
    cut: float
    colours: Floats
    """`(colours, 3)`: linear RGB."""
    tint_spread: float
    glass: bool
    clear: float
    cloud: float
    gloss: float
    sharp: float
    pattern: int
    strength: float
    scale: float
    rough: float
    bowl: Floats
    wild: float
    hold: float
    wood: Floats
    lamps: Floats
    sky: Floats
    eye: Floats
    squeeze: tuple[float, float]
    """How oblique circles are that were drawn in a picture: direction, and cosine of the tilt."""
    pixels: float
    """Picture pixels across a pit."""
    blur: float
    noise: float
    quality: int
    white: Floats
    exposure: float
    curve: float
    saturation: float
    sharpen: float


def _colour(rng: np.random.Generator) -> Floats:
    """Any colour, oftener a dull one: linear RGB."""
    hsv = np.array([[[rng.uniform(0, 360), rng.beta(1.3, 1.6), rng.uniform(0.08, 1.0)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(np.float64) ** 2.0)


def _wood(rng: np.random.Generator) -> Floats:
    """Colour of a board: mostly browns from pale to black, sometimes red, painted, or anything."""
    if rng.random() < 0.12:
        return _colour(rng)
    hue, full, bright = rng.uniform(8, 40), rng.uniform(0.15, 0.85), rng.uniform(0.12, 0.95)
    hsv = np.array([[[hue, full, bright]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(np.float64) ** 2.2)


def random_look(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS) -> Look:
    """A board, a set, a light and a camera; its holes are hollows, in which stones roll to the middle."""
    kind = str(rng.choice(kinds))
    shapes = {
        "marble": (1.0, 1.0, 0.0), "bead": (0.95, rng.uniform(0.7, 1.0), 0.03),
        "pebble": (rng.uniform(0.7, 0.95), rng.uniform(0.4, 0.8), 0.1),
        "gem": (rng.uniform(0.9, 1.0), rng.uniform(0.35, 0.6), 0.05),
        "seed": (rng.uniform(0.75, 0.97), rng.uniform(0.7, 0.95), 0.06),
        "bean": (rng.uniform(0.5, 0.7), rng.uniform(0.4, 0.65), 0.06),
        "cowrie": (rng.uniform(0.6, 0.75), rng.uniform(0.45, 0.6), 0.05),
        "disc": (rng.uniform(0.85, 1.0), rng.uniform(0.25, 0.4), 0.04),
    }  # fmt: skip
    second, third, flat_spread = shapes[kind]
    third = min(third, second)
    glass = bool(rng.random() < {"gem": 0.6, "bead": 0.5, "marble": 0.5, "disc": 0.3}.get(kind, 0.04))
    size = rng.uniform(0.17, 0.36) if rng.random() < 0.8 else rng.uniform(0.12, 0.45)
    size *= {"bean": 1.15, "cowrie": 1.15}.get(kind, 1.0)
    wood = _wood(rng)
    colours = np.array([_colour(rng) for _ in range(1 if rng.random() < 0.6 else rng.integers(2, 6))])
    if kind == "cowrie":
        colours = np.array([[0.75, 0.65, 0.5]]) * rng.uniform(0.6, 1.1) + rng.normal(0, 0.04, (1, 3))
    elif rng.random() < 0.1:  # stones the colour of the board
        colours = wood[None] * rng.uniform(0.5, 2.0) + rng.normal(0, 0.03, (1, 3))
    colours = np.clip(colours, 0.01, 0.95)
    lamps = []
    for _ in range(rng.integers(1, 4)):
        tilt, turn = rng.uniform(0, 1.15), rng.uniform(0, 2 * np.pi)
        warm = np.array([1.0, rng.uniform(0.75, 1.0), rng.uniform(0.5, 1.0)])
        soft = rng.uniform(0.02, 0.5)
        lamps.append(
            [
                np.sin(tilt) * np.cos(turn),
                np.sin(tilt) * np.sin(turn),
                np.cos(tilt),
                *(warm * rng.uniform(0.3, 1.5)),
                soft,
                np.cos(0.04 + 0.4 * soft),
                rng.uniform(2, 12),
            ]
        )
    turn = rng.uniform(0, 2 * np.pi)
    ambient = rng.uniform(0.15, 0.9)
    cool = np.array([rng.uniform(0.75, 1.1), 1.0, rng.uniform(0.8, 1.25)])
    sky = np.concatenate(
        [
            cool * ambient, cool * ambient * rng.uniform(0, 0.8), [np.cos(turn), np.sin(turn)],
            rng.uniform(-0.7, 0.7, 2), rng.uniform(0.03, 0.3, 2), [rng.uniform(0, 5)],
        ]
    )  # fmt: skip
    away, turn = rng.uniform(0, 0.75) * rng.uniform(0.3, 1), rng.uniform(0, 2 * np.pi)
    high = rng.uniform(9, 30)
    return Look(
        kind=kind,
        size=float(size),
        spread=float(rng.choice([0.02, 0.06, 0.12])),
        flat=(second, third),
        flat_spread=flat_spread,
        cut=float(rng.uniform(0.1, 0.5)) if kind == "gem" and rng.random() < 0.7 else 1.0,
        colours=colours,
        tint_spread=float(rng.uniform(0.02, 0.25)),
        glass=glass,
        clear=float(rng.uniform(0.5, 5.0)),
        cloud=float(rng.choice([0.03, rng.uniform(0.05, 0.5)])),
        gloss=float(rng.choice([0.0, rng.uniform(0, 0.12), rng.uniform(0.05, 0.35)])),
        sharp=float(np.exp(rng.uniform(np.log(6), np.log(200)))),
        pattern=2 if kind == "cowrie" else 3 if kind == "bean" else int(rng.choice(np.array([0, 0, 0, 1]))),
        strength=float(rng.uniform(0.0, 0.45)),
        scale=float(rng.uniform(1.5, 8)),
        rough=float(rng.choice([0.0, 0.0, rng.uniform(0, 0.35)])),
        bowl=np.array([rng.uniform(0.3, 0.75), rng.uniform(1.7, 3.2), 0.0, rng.uniform(0, 0.03)]),
        wild=float(rng.uniform(0.15, 0.75)),
        hold=0.0,
        wood=np.concatenate(
            [
                wood,
                [
                    rng.uniform(0.02, 0.3), rng.uniform(0.3, 3.0), rng.uniform(0, np.pi),
                    rng.choice([0.0, rng.uniform(0, 0.1), rng.uniform(0.03, 0.3)]),
                    np.exp(rng.uniform(2, 4.6)), rng.uniform(0, 100),
                    rng.choice([0.03, rng.uniform(0, 0.35)]),
                    rng.choice([1.0, 1.0, 1.0, rng.uniform(0.35, 2.5)]),
                    rng.choice([0.0, rng.uniform(0, 0.3)]),
                ],
            ]
        ),
        lamps=np.array(lamps),
        sky=sky,
        eye=np.array([high * away * np.cos(turn), high * away * np.sin(turn), high]),
        squeeze=(float(rng.uniform(0, np.pi)), float(rng.uniform(0.75, 1.0)) if rng.random() < 0.4 else 1.0),
        pixels=float(np.exp(rng.uniform(np.log(40), np.log(190)))),
        blur=float(rng.choice([rng.uniform(0.3, 0.9), rng.uniform(0.5, 1.4)])),
        noise=float(np.exp(rng.uniform(np.log(0.001), np.log(0.035)))),
        quality=int(rng.choice(np.array([95, rng.integers(40, 96)]))),
        white=np.exp(rng.normal(0, 0.13, 3)),
        exposure=float(np.exp(rng.normal(0, 0.35))),
        curve=float(rng.uniform(0.8, 1.25)),
        saturation=float(rng.uniform(0.4, 1.35)),
        sharpen=float(rng.choice([0.0, rng.uniform(0, 1.0)])),
    )  # fmt: skip


def with_flat_holes(look: Look, rng: np.random.Generator) -> Look:
    """The same with holes that have flat bottoms, in which stones lie about where they fell."""
    power = np.exp(rng.uniform(np.log(3.2), np.log(14)))
    return replace(
        look,
        bowl=np.array([rng.uniform(0.2, 0.6), power, 0.0, look.bowl[3]]),
        wild=float(rng.uniform(0.5, 0.95)),
        hold=float(rng.uniform(0.004, 0.02)),
    )


def room(look: Look, half_length: float) -> int:
    """About how many of its stones a hole holds before they lie on the board."""
    depth, power = look.bowl[0], look.bowl[1]
    hole = depth * (np.pi * power / (power + 2) + 4 * half_length * power / (power + 1))
    stone = 4 / 3 * np.pi * look.size**3 * look.flat[0] * look.flat[1]
    return int(np.clip(0.62 * hole / stone + 2, 3, MOST))


def picture(
    look: Look, rng: np.random.Generator, count: int, half_length: float = 0.0
) -> tuple[Image, Floats]:
    """A hole into which `count` stones fell.

    `half_length` is that of a long store, in its own radii.

    Returns:
        What the product cuts out of a picture of it, `(SIZE, SIZE, 3)` BGR, and where in it the stones lie,
        `(stones, 2)` pixels: those that rolled off the board are taken away and do not count.
    """
    # a long store's radius is about a pit's
    scale = rng.normal(1, look.spread, count).clip(0.65, 1.5) * look.size
    axes = np.ones((count, 4))
    axes[:, 0] = scale
    axes[:, 1] = scale * np.minimum(1.0, look.flat[0] + rng.normal(0, look.flat_spread, count))
    axes[:, 2] = np.minimum(axes[:, 1], scale * (look.flat[1] + rng.normal(0, look.flat_spread, count)))
    axes[:, 1:3] = np.maximum(axes[:, 1:3], 0.2 * scale[:, None])
    axes[:, 3] = look.cut
    bowl = look.bowl.copy()
    bowl[2] = half_length
    wild = look.wild * min(1.0, 0.5 + count / 12)
    at, turn = settle(axes[:, :3], bowl, wild, look.hold, int(rng.integers(1 << 31)))
    beside = np.maximum(0, np.abs(at[:, 1]) - half_length)
    # nor do those that a crowd pushed into the wood
    above = np.array(
        [z > depth(x, y, bowl) + 0.3 * c for (x, y, z), c in zip(at, axes[:, 2], strict=True)], bool
    )
    stays = (np.hypot(at[:, 0], beside) < 0.97) & above
    at, turn, axes = at[stays], turn[stays], axes[stays]
    count = len(at)
    turns = np.array([turned(q) for q in turn]).reshape(-1, 3, 3)
    if count and rng.random() < 0.02:  # one lies on the rim
        angle = rng.uniform(0, 2 * np.pi)
        on = (0.9 * np.cos(angle), 0.9 * np.sin(angle) + half_length * np.sign(np.sin(angle)))
        at[-1], turns[-1] = (*on, axes[-1, 2] - 0.03), np.eye(3)
    stones = np.zeros((count, 14))
    stones[:, :3] = at
    tint = look.colours[rng.integers(len(look.colours), size=count)]
    shade = np.exp(
        rng.normal(0, look.tint_spread, (count, 1)) + rng.normal(0, look.tint_spread / 4, (count, 3))
    )
    stones[:, 3:6] = np.clip(tint * shade, 0.005, 0.97)
    stones[:, 6] = look.glass
    stones[:, 7], stones[:, 8] = look.gloss, look.sharp
    stones[:, 9], stones[:, 11] = look.pattern, look.scale
    stones[:, 10] = look.clear / look.size if look.glass else look.strength
    stones[:, 12] = rng.uniform(0, 100, count)
    stones[:, 13] = look.cloud if look.glass else look.rough
    reach = REACH * (1 + half_length)
    angle, tilt = look.squeeze
    to_plane = np.array([[2 * reach / INNER, 0, -reach], [0, -2 * reach / INNER, reach]])
    # a circle drawn in an oblique picture reaches further along the board one way than the other
    along = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    if half_length == 0:
        to_plane = along.T @ np.diag([1.0, 1 / tilt]) @ along @ to_plane * np.sqrt(tilt)
    eye = look.eye + np.array([*rng.uniform(-4, 4, 2), 0.0])
    wood = look.wood.copy()
    wood[8] += rng.uniform(0, 10)
    traced = trace(
        INNER,
        INNER,
        to_plane,
        eye,
        stones,
        turns,
        axes,
        bowl,
        look.lamps,
        look.sky,
        wood,
        int(rng.integers(1 << 31)),
    )
    in_plane = (at[:, :2] - eye[:2]) * (eye[2] / (eye[2] - at[:, 2:])) + eye[:2]
    pixels = np.linalg.solve(to_plane[:, :2], (in_plane - to_plane[:, 2]).T).T
    return _photographed(look, rng, traced, half_length), pixels * SIZE / INNER


def _photographed(look: Look, rng: np.random.Generator, light: Floats, half_length: float) -> Image:
    """Light to a top view's pixels, by way of a camera, and to a crop as the product makes it."""
    shown: NDArray[Any] = light.astype(np.float32)[..., ::-1]
    if rng.random() < 0.25:  # the shadow of a head or a hand falls over a part
        angle, place = rng.uniform(0, 2 * np.pi), rng.uniform(-0.7, 0.7)
        ys, xs = np.mgrid[-1 : 1 : INNER * 1j, -1 : 1 : INNER * 1j]
        edge = (xs * np.cos(angle) + ys * np.sin(angle) - place) / rng.uniform(0.05, 0.8)
        shown = shown * (1 - rng.uniform(0.2, 0.7) / (1 + np.exp(-np.clip(4 * edge, -30, 30))))[..., None]
    shown = cv2.GaussianBlur(shown, (0, 0), 0.55)  # a pixel's few rays are grainy
    # a camera's exposure fits the board, not the hole
    lit = float((look.lamps[:, 3:6].sum(axis=0) * 0.7 + 0.6 * look.sky[:3]).mean())
    bright = 0.6 * float(look.wood[:3].mean()) + 0.4 * float(look.colours.mean())
    shown = shown * look.white * (0.3 * look.exposure / (lit * max(0.04, bright)))
    side = max(16, round(look.pixels * REACH * (1 + half_length)))
    way = cv2.INTER_AREA if side < INNER else cv2.INTER_CUBIC
    photo: NDArray[Any] = cv2.resize(shown.astype(np.float32), (side, side), interpolation=way)
    photo = cv2.GaussianBlur(np.clip(photo, 0, None), (0, 0), look.blur)
    photo = photo + rng.normal(0, look.noise, photo.shape) * np.sqrt(photo + 0.02)
    photo = np.clip(photo, 0, 1) ** (look.curve / 2.2)
    grey = photo.mean(axis=2, keepdims=True)
    photo = grey + (photo - grey) * look.saturation
    if look.sharpen:
        photo = photo + look.sharpen * (photo - cv2.GaussianBlur(photo, (0, 0), 1.2))
    eight = np.clip(photo * 255, 0, 255).astype(np.uint8)
    ok, data = cv2.imencode(".jpg", eight, [cv2.IMWRITE_JPEG_QUALITY, look.quality])
    assert ok
    eight = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    view = round(2 * VIEW_RADIUS * REACH * (1 + half_length))
    way = cv2.INTER_AREA if view < side else cv2.INTER_LINEAR
    top = np.asarray(cv2.resize(eight, (view, view), interpolation=way), np.uint8)
    # where the hole is said to be is a little off, and so is its size
    off = rng.normal(0, 0.03, 2) * VIEW_RADIUS
    radius = VIEW_RADIUS * rng.normal(1, 0.04)
    hole = Hole(view / 2 + off[0], view / 2 + off[1], radius, half_length * VIEW_RADIUS)
    return crop(top, hole)


def random_count(rng: np.random.Generator, most: int) -> int:
    """Of 0 to `most`: small numbers oftener, as in games."""
    if rng.random() < 0.06:
        return 0
    top = min(most, int(rng.choice([6, 12, 16, 24, MOST], p=[0.25, 0.35, 0.2, 0.12, 0.08])))
    return int(rng.integers(0, top + 1))
