"""Stones fall into a bowl and come to rest: rigid bodies made of spheres, held apart by moving them.

Each stone is one to seven spheres fixed to each other. A step lets it fall, then pushes spheres out of
each other and out of the bowl, which moves and turns the stones (position-based dynamics of rigid bodies,
Mueller et al. 2020, with one moment of inertia for all axes). Lengths are in radii of the hole; z is up,
0 at the rim.
"""

import numba
import numpy as np

from engine.observation import Floats

STEPS, LAST_STEPS = 60, 150
"""Steps in which stones that fell must lie still before more come, and in which all must at last."""


@numba.njit(cache=True)
def depth(x: float, y: float, bowl: Floats) -> float:
    """Height of the wood at a point; `bowl` is depth, power, half length along y, and unevenness."""
    along = max(0.0, abs(y) - bowl[2])
    far = np.sqrt(x * x + along * along)
    if far >= 1.0:
        return 0.0
    rough = bowl[3] * (np.sin(5 * x + 3 * y) + np.sin(4 * y - 6 * x + 1)) * (1 - far)
    return float(-bowl[0] * (1 - far ** bowl[1]) + rough)


@numba.njit(cache=True)
def slope(x: float, y: float, bowl: Floats) -> tuple[float, float, float]:
    """Unit normal of the wood at a point."""
    e = 0.01
    dx = (depth(x + e, y, bowl) - depth(x - e, y, bowl)) / (2 * e)
    dy = (depth(x, y + e, bowl) - depth(x, y - e, bowl)) / (2 * e)
    long = np.sqrt(dx * dx + dy * dy + 1)
    return -dx / long, -dy / long, 1 / long


@numba.njit(cache=True)
def turned(q: Floats) -> Floats:
    """Rotation matrix `(3, 3)` of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@numba.njit(cache=True)
def _push(
    at: Floats, q: Floats, stone: int, arm: Floats, normal: Floats, by: float, inverse_inertia: float
) -> None:
    """Move and turn a stone so that the point `arm` from its middle goes `by` along `normal`."""
    cx = arm[1] * normal[2] - arm[2] * normal[1]
    cy = arm[2] * normal[0] - arm[0] * normal[2]
    cz = arm[0] * normal[1] - arm[1] * normal[0]
    share = by / (1 + inverse_inertia * (cx * cx + cy * cy + cz * cz))
    for axis in range(3):
        at[stone, axis] += share * normal[axis]
    tx, ty, tz = (
        0.5 * share * inverse_inertia * cx,
        0.5 * share * inverse_inertia * cy,
        0.5 * share * inverse_inertia * cz,
    )
    w, x, y, z = q[stone]
    q[stone, 0] += -tx * x - ty * y - tz * z
    q[stone, 1] += tx * w + ty * z - tz * y
    q[stone, 2] += ty * w + tz * x - tx * z
    q[stone, 3] += tz * w + tx * y - ty * x
    q[stone] /= np.sqrt((q[stone] ** 2).sum())


@numba.njit(cache=True)
def settle(axes: Floats, bowl: Floats, wild: float, hold: float, seed: int) -> tuple[Floats, Floats]:
    """Where stones of half axes `(stones, 3)`, longest first, come to rest.

    They fall up to `wild` from the middle; what a step would shift by less than `hold` stays, for friction.

    Returns:
        Middles `(stones, 3)` and quaternions `(stones, 4)`.
    """
    np.random.seed(seed)
    stones = axes.shape[0]
    at, q = np.zeros((stones, 3)), np.zeros((stones, 4))
    arms, sphere, spheres = np.zeros((stones, 7, 3)), np.zeros((stones, 7)), np.zeros(stones, np.int64)
    for s in range(stones):
        a, b, c = axes[s]
        sphere[s, :] = c
        spheres[s] = 1
        if a > 1.12 * c:
            ring = 6 if b > 1.12 * c else 2
            spheres[s] = 1 + ring
            for k in range(ring):
                angle = 2 * np.pi * k / ring
                arms[s, k + 1, 0] = 0.92 * (a - c) * np.cos(angle)
                arms[s, k + 1, 1] = 0.92 * (b - c) * np.sin(angle)
                sphere[s, k + 1] = 0.9 * c
        for k in range(4):
            q[s, k] = np.random.normal() * (0.4 if k in (1, 2) else 1.0)
        q[s] /= np.sqrt((q[s] ** 2).sum())
    here = np.zeros((stones, 7, 3))
    before = np.zeros((stones, 3))
    fall = np.zeros((stones, 3))
    inside = 0
    steps = 0
    normal = np.zeros(3)
    touched = np.zeros(stones, np.bool_)
    moving = 1.0
    while inside < stones or (moving > 0.003 and steps < LAST_STEPS):
        if inside < stones and steps > 3 and (moving < 0.02 or steps > STEPS):
            steps = 0
        if steps == 0:
            for _ in range(3):  # a few at a time
                if inside < stones:
                    far, angle = wild * np.sqrt(np.random.random()), 2 * np.pi * np.random.random()
                    at[inside, 0] = far * np.cos(angle)
                    at[inside, 1] = far * np.sin(angle) + bowl[2] * (2 * np.random.random() - 1)
                    top = 0.0
                    for o in range(inside):
                        top = max(top, at[o, 2] + axes[o, 0])
                    at[inside, 2] = top + axes[inside, 0] * (1 + np.random.random())
                    fall[inside] = 0.0
                    inside += 1
        steps += 1
        for s in range(inside):
            before[s] = at[s]
            fall[s, 2] = max(-0.1, fall[s, 2] - 0.02)
            at[s] += fall[s]
            touched[s] = False
        for _ in range(2):
            for s in range(inside):
                r = turned(q[s])
                for k in range(spheres[s]):
                    for axis in range(3):
                        here[s, k, axis] = (
                            r[axis, 0] * arms[s, k, 0]
                            + r[axis, 1] * arms[s, k, 1]
                            + r[axis, 2] * arms[s, k, 2]
                        )
            for s in range(inside):
                inertia = 2.5 / (axes[s, 0] * axes[s, 1])
                for k in range(spheres[s]):
                    x, y, z = at[s, 0] + here[s, k, 0], at[s, 1] + here[s, k, 1], at[s, 2] + here[s, k, 2]
                    nx, ny, nz = slope(x, y, bowl)
                    deep = sphere[s, k] - (z - depth(x, y, bowl)) * nz
                    if deep > 0:
                        touched[s] = True
                        normal[0], normal[1], normal[2] = nx, ny, nz
                        _push(at, q, s, here[s, k] - sphere[s, k] * normal, normal, 0.8 * deep, inertia)
                for o in range(s):
                    reach = axes[s, 0] + axes[o, 0]
                    dx, dy, dz = at[s, 0] - at[o, 0], at[s, 1] - at[o, 1], at[s, 2] - at[o, 2]
                    if dx * dx + dy * dy + dz * dz > reach * reach:
                        continue
                    other = 2.5 / (axes[o, 0] * axes[o, 1])
                    for k in range(spheres[s]):
                        for m in range(spheres[o]):
                            ex = at[s, 0] + here[s, k, 0] - at[o, 0] - here[o, m, 0]
                            ey = at[s, 1] + here[s, k, 1] - at[o, 1] - here[o, m, 1]
                            ez = at[s, 2] + here[s, k, 2] - at[o, 2] - here[o, m, 2]
                            apart = np.sqrt(ex * ex + ey * ey + ez * ez) + 1e-9
                            deep = sphere[s, k] + sphere[o, m] - apart
                            if deep > 0:
                                touched[s] = touched[o] = True
                                normal[0], normal[1], normal[2] = ex / apart, ey / apart, ez / apart
                                _push(
                                    at, q, s, here[s, k] - sphere[s, k] * normal, normal, 0.4 * deep, inertia
                                )
                                _push(
                                    at, q, o, here[o, m] + sphere[o, m] * normal, -normal, 0.4 * deep, other
                                )
        moving = 0.0
        for s in range(inside):
            if touched[s] and (at[s, 0] - before[s, 0]) ** 2 + (at[s, 1] - before[s, 1]) ** 2 < hold**2:
                at[s, :2] = before[s, :2]
            # what slides is held back by friction, and nothing bounces
            fall[s] = (0.6 if touched[s] else 1.0) * (at[s] - before[s])
            fall[s, 2] = min(fall[s, 2], 0.0)
            moving = max(moving, np.sqrt(((at[s] - before[s]) ** 2).sum()))
    return at, q
