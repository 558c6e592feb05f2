"""Light among stones in a bowl: a small ray tracer, from the camera backwards.

Stones are ellipsoids, some cut flat below, of wood-like, stone-like or glassy stuff; glass bends and
tints what is seen through it. Lengths are in radii of the hole, z up, colours linear RGB.
"""

import numba
import numpy as np

from engine.observation import Floats
from vision.training.settle import depth, slope

FAR = 1e9


@numba.njit(cache=True, fastmath=True)
def _span(o: Floats, d: Floats, place: Floats, turn: Floats, axes: Floats) -> tuple[float, float]:
    """Where a ray goes in and out of a stone; `axes` are three half axes and the height of the cut."""
    x, y, z = o[0] - place[0], o[1] - place[1], o[2] - place[2]
    ox = (turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z) / axes[0]
    oy = (turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z) / axes[1]
    oz = (turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z) / axes[2]
    dx = (turn[0, 0] * d[0] + turn[1, 0] * d[1] + turn[2, 0] * d[2]) / axes[0]
    dy = (turn[0, 1] * d[0] + turn[1, 1] * d[1] + turn[2, 1] * d[2]) / axes[1]
    dz = (turn[0, 2] * d[0] + turn[1, 2] * d[1] + turn[2, 2] * d[2]) / axes[2]
    a = dx * dx + dy * dy + dz * dz
    b = ox * dx + oy * dy + oz * dz
    c = ox * ox + oy * oy + oz * oz - 1
    inside = b * b - a * c
    if inside <= 0:
        return FAR, -FAR
    root = np.sqrt(inside)
    first, last = (-b - root) / a, (-b + root) / a
    if axes[3] < 1:
        if abs(dz) < 1e-9:
            if oz < -axes[3]:
                return FAR, -FAR
        else:
            cut = (-axes[3] - oz) / dz
            if dz > 0:
                first = max(first, cut)
            else:
                last = min(last, cut)
    if first > last:
        return FAR, -FAR
    return first, last


@numba.njit(cache=True, fastmath=True)
def _normal(p: Floats, place: Floats, turn: Floats, axes: Floats, out: Floats, local: Floats) -> None:
    """Unit normal of a stone at a point of its surface, and the point in the stone's own half axes."""
    for k in range(3):
        local[k] = (
            turn[0, k] * (p[0] - place[0]) + turn[1, k] * (p[1] - place[1]) + turn[2, k] * (p[2] - place[2])
        ) / axes[k]
    x, y, z = local[0] / axes[0], local[1] / axes[1], local[2] / axes[2]
    if axes[3] < 1 and local[2] < -axes[3] + 0.02:
        x, y, z = 0.0, 0.0, -1.0
    for k in range(3):
        out[k] = turn[k, 0] * x + turn[k, 1] * y + turn[k, 2] * z
    long = np.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2)
    for k in range(3):
        out[k] /= long


@numba.njit(cache=True, fastmath=True)
def _wave(x: float, y: float, z: float, key: float) -> float:
    """Uneven waves, -1 to 1, of about unit length."""
    a = np.sin(1.9 * x + 2.3 * np.sin(1.3 * y + key) + key)
    b = np.sin(2.1 * y + 1.9 * np.sin(1.7 * z + 2 * key) + 3 * key)
    c = np.sin(1.7 * z + 2.1 * np.sin(1.5 * x + 5 * key) + 7 * key)
    return float((a + b + c) / 3)


@numba.njit(cache=True, fastmath=True)
def _bowl(o: Floats, d: Floats, bowl: Floats) -> float:
    """Where a ray meets the wood; `FAR` if it leaves."""
    t = 0.0
    if o[2] > 0:
        if d[2] >= -1e-6:
            return FAR
        t = -o[2] / d[2]
        x, y = o[0] + t * d[0], o[1] + t * d[1]
        if depth(x, y, bowl) >= -1e-4:
            return float(t)
    step = 0.1
    last = t
    for _ in range(40):
        t += step
        z = o[2] + t * d[2]
        if z > 0.001 and d[2] > 0:
            return FAR
        if z < depth(o[0] + t * d[0], o[1] + t * d[1], bowl):
            low, high = last, t
            for _ in range(6):
                middle = (low + high) / 2
                if o[2] + middle * d[2] < depth(o[0] + middle * d[0], o[1] + middle * d[1], bowl):
                    high = middle
                else:
                    low = middle
            return float(low)
        last = t
    return FAR


@numba.njit(cache=True, fastmath=True)
def _sky(d: Floats, sky: Floats, lamps: Floats, out: Floats) -> None:
    """Light from a direction. `sky`: colour above, colour of the side, window's direction and sharpness."""
    side = 0.5 + 0.5 * (d[0] * sky[6] + d[1] * sky[7])
    up = max(0.0, d[2])
    window = 1.0 if abs(d[0] - sky[8]) < sky[10] and abs(d[1] - sky[9]) < sky[11] else 0.0
    for k in range(3):
        out[k] = sky[k] * up + sky[3 + k] * side + window * sky[12]
    for lamp in range(lamps.shape[0]):
        close = d[0] * lamps[lamp, 0] + d[1] * lamps[lamp, 1] + d[2] * lamps[lamp, 2]
        if close > lamps[lamp, 7]:
            for k in range(3):
                out[k] += lamps[lamp, 3 + k] * lamps[lamp, 8]


@numba.njit(cache=True, fastmath=True)
def _blocked(o: Floats, d: Floats, stones: Floats, turns: Floats, axes: Floats, bowl: Floats) -> float:
    """How much of the light along a ray gets through, and -1 - stone where one stops it; -1000 for wood."""
    if o[2] < 0:
        if d[2] <= 0.02:
            return -1000.0
        t = -o[2] / d[2]
        x, y = o[0] + t * d[0], o[1] + t * d[1]
        along = max(0.0, abs(y) - bowl[2])
        if x * x + along * along > 1:
            return -1000.0
    through = 1.0
    for s in range(stones.shape[0]):
        x, y, z = stones[s, 0] - o[0], stones[s, 1] - o[1], stones[s, 2] - o[2]
        ahead = x * d[0] + y * d[1] + z * d[2]
        big = axes[s, 0]
        if ahead < -big or x * x + y * y + z * z - ahead * ahead > big * big:
            continue
        first, last = _span(o, d, stones[s], turns[s], axes[s])
        if last > 2e-3 and first < last and (first > 2e-3 or last > 2e-2):
            if stones[s, 6] < 0.5:
                return -1.0 - s
            through *= 0.7
    return through


@numba.njit(cache=True, fastmath=True)
def _shade(
    p: Floats, n: Floats, d: Floats, albedo: Floats, gloss: float, sharp: float, stones: Floats,
    turns: Floats, axes: Floats, bowl: Floats, lamps: Floats, sky: Floats, wood: Floats, out: Floats,
) -> None:  # fmt: skip
    """Light that a matt surface with some gloss sends back along a ray."""
    o, ray, light = np.empty(3), np.empty(3), np.zeros(3)
    for k in range(3):
        o[k] = p[k] + 0.004 * n[k]
        out[k] = 0.0
    for lamp in range(lamps.shape[0]):
        for k in range(3):
            ray[k] = lamps[lamp, k] + lamps[lamp, 6] * (np.random.random() - 0.5) * 2
        long = np.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
        half = 0.0
        facing = 0.0
        for k in range(3):
            ray[k] /= long
            facing += n[k] * ray[k]
        if facing <= 0:
            continue
        through = _blocked(o, ray, stones, turns, axes, bowl)
        if through <= 0:
            continue
        hx, hy, hz = ray[0] - d[0], ray[1] - d[1], ray[2] - d[2]
        half = (n[0] * hx + n[1] * hy + n[2] * hz) / np.sqrt(hx * hx + hy * hy + hz * hz)
        shine = gloss * (sharp + 2) / 8 * max(0.0, half) ** sharp
        for k in range(3):
            out[k] += lamps[lamp, 3 + k] * through * facing * (albedo[k] + shine)
    rays = 3
    for _ in range(rays):  # cosine-weighted: the normal and a point on the unit sphere
        z = 2 * np.random.random() - 1
        angle, flat = 2 * np.pi * np.random.random(), np.sqrt(1 - z * z)
        ray[0], ray[1], ray[2] = n[0] + flat * np.cos(angle), n[1] + flat * np.sin(angle), n[2] + z
        long = np.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2) + 1e-9
        for k in range(3):
            ray[k] /= long
        through = -1000.0 if ray[2] < 0 else _blocked(o, ray, stones, turns, axes, bowl)
        if through > 0:
            _sky(ray, sky, lamps[:0], light)
            for k in range(3):
                out[k] += albedo[k] * light[k] * through / rays
        elif through <= -1000:
            for k in range(3):
                out[k] += albedo[k] * wood[k] * 0.45 * (sky[k] + sky[3 + k]) / rays
        else:
            s = int(-through - 1)
            for k in range(3):
                out[k] += albedo[k] * stones[s, 3 + k] * 0.35 * (sky[k] + sky[3 + k]) / rays
    # what mirrors at all mirrors more at grazing angles
    if gloss > 0:
        cosine = -(d[0] * n[0] + d[1] * n[1] + d[2] * n[2])
        mirrored = min(1.0, gloss * 0.6) * (0.04 + 0.96 * max(0.0, 1 - cosine) ** 5)
        for k in range(3):
            ray[k] = d[k] + 2 * cosine * n[k]
        if _blocked(o, ray, stones, turns, axes, bowl) > 0:
            _sky(ray, sky, lamps[:0], light)
            for k in range(3):
                out[k] += mirrored * light[k]


@numba.njit(cache=True, fastmath=True)
def trace(
    rows: int, columns: int, to_plane: Floats, eye: Floats, stones: Floats, turns: Floats, axes: Floats,
    bowl: Floats, lamps: Floats, sky: Floats, wood: Floats, seed: int,
) -> Floats:  # fmt: skip
    """A picture `(rows, columns, 3)`, linear RGB.

    Args:
        rows, columns: its size.
        to_plane: `(2, 3)`: pixel (column, row, 1) to a point of the board's surface.
        eye: where the camera is.
        stones: `(stones, 14)`: middle, colour, glass or not, gloss, its sharpness, pattern, its strength,
            its scale, its key, roughness; of glass instead of the last: how cloudy.
        turns: `(stones, 3, 3)`: their rotations.
        axes: `(stones, 4)`: half axes, and where they are cut below (1 for not).
        bowl: see `settle.depth`.
        lamps: `(lamps, 9)`: direction, colour, softness, cosine of its disc, how bright that is in a mirror.
        sky: `(13,)`: see `_sky`.
        wood: `(12,)`: colour, grain, grain's scale, direction, gloss, sharpness, key, stain, paint of the
            bowl (1 for none), how coarsely it was worked.
    """
    np.random.seed(seed)
    picture = np.zeros((rows, columns, 3))
    o, d, p, n, local = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    albedo, light, ray = np.empty(3), np.empty(3), np.empty(3)
    through = np.empty(3)
    for row in range(rows):
        for column in range(columns):
            u, v = column + np.random.random(), row + np.random.random()
            x = to_plane[0, 0] * u + to_plane[0, 1] * v + to_plane[0, 2]
            y = to_plane[1, 0] * u + to_plane[1, 1] * v + to_plane[1, 2]
            o[:] = eye
            d[0], d[1], d[2] = x - eye[0], y - eye[1], -eye[2]
            long = np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
            for k in range(3):
                d[k] /= long
                through[k] = 1.0
            # start near the board, for accuracy
            near = max(0.0, (eye[2] - 2.5) / -d[2])
            for k in range(3):
                o[k] += near * d[k]
            for _ in range(6):
                best, which = _bowl(o, d, bowl), -1
                for s in range(stones.shape[0]):
                    sx, sy, sz = stones[s, 0] - o[0], stones[s, 1] - o[1], stones[s, 2] - o[2]
                    ahead = sx * d[0] + sy * d[1] + sz * d[2]
                    big = axes[s, 0]
                    if sx * sx + sy * sy + sz * sz - ahead * ahead > big * big or ahead < -big:
                        continue
                    first, last = _span(o, d, stones[s], turns[s], axes[s])
                    if 1e-3 < first < last and first < best:
                        best, which = first, s
                if best >= FAR:
                    _sky(d, sky, lamps, light)
                    for k in range(3):
                        picture[row, column, k] += through[k] * light[k]
                    break
                for k in range(3):
                    p[k] = o[k] + best * d[k]
                if which < 0:
                    n[0], n[1], n[2] = slope(p[0], p[1], bowl)
                    across = p[0] * np.cos(wood[5]) + p[1] * np.sin(wood[5])
                    along = -p[0] * np.sin(wood[5]) + p[1] * np.cos(wood[5])
                    scale = wood[4]
                    ring = (
                        across * scale
                        + 0.8 * _wave(across, 0.5 * along, p[2] * 2, wood[8])
                        + p[2] * scale * 0.7
                    )
                    grain = np.sin(6.28 * ring) * 0.5 + 0.5 * _wave(
                        9 * scale * across, 0.7 * along, 9 * scale * p[2], wood[8] + 1
                    )
                    stain = wood[9] * _wave(2.5 * p[0], 2.5 * p[1], 2 * p[2], wood[8] + 2)
                    shade = max(0.15, 1 + wood[3] * grain + stain)
                    painted = wood[10] if p[2] < -0.02 else 1.0
                    # worked with a gouge: facets
                    rough = wood[11]
                    if rough > 0 and p[2] < -0.01:
                        for k in range(3):
                            n[k] += rough * _wave(7 * p[0] + 2 * k, 7 * p[1], 7 * p[2], wood[8] + 4 + k)
                        long = np.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
                        for k in range(3):
                            n[k] /= long
                    for k in range(3):
                        albedo[k] = min(0.95, wood[k] * shade * painted)
                    _shade(
                        p, n, d, albedo, wood[6], wood[7], stones, turns, axes, bowl, lamps, sky, wood, light
                    )
                    for k in range(3):
                        picture[row, column, k] += through[k] * light[k]
                    break
                _normal(p, stones[which], turns[which], axes[which], n, local)
                stone = stones[which]
                if stone[6] < 0.5:
                    pattern, strength, scale, key = stone[9], stone[10], stone[11], stone[12]
                    mark = 1.0
                    if pattern == 0:
                        mark = 1 + strength * _wave(scale * local[0], scale * local[1], scale * local[2], key)
                    elif pattern == 1:  # veins and stripes
                        mark = 1 + strength * np.sign(
                            _wave(scale * local[0], 0.3 * scale * local[1], scale * local[2], key)
                        )
                    elif pattern == 2:  # a slit with teeth: cowries
                        width = 0.09 + 0.07 * np.sin(22 * local[0]) + 0.04 * np.cos(3 * local[0])
                        if local[2] > 0.3 and abs(local[1] - 0.1 * np.sin(2 * local[0])) < width:
                            mark = 1 - 0.75 * min(1.0, strength * 3)
                        elif local[2] < 0:
                            mark = 1 + 0.5 * strength * _wave(3 * local[0], 3 * local[1], 1.0, key)
                    elif pattern == 3 and local[1] > 0.75 and abs(local[0]) < 0.35:  # a scar: beans
                        mark = 1 - min(0.8, 2 * strength)
                    if stone[13] > 0:
                        for k in range(3):
                            n[k] += stone[13] * _wave(
                                5 * local[0] + 3 * k, 5 * local[1], 5 * local[2], key + k
                            )
                        long = np.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
                        for k in range(3):
                            n[k] /= long
                    for k in range(3):
                        albedo[k] = min(0.95, max(0.005, stone[3 + k] * mark))
                    _shade(
                        p,
                        n,
                        d,
                        albedo,
                        stone[7],
                        stone[8],
                        stones,
                        turns,
                        axes,
                        bowl,
                        lamps,
                        sky,
                        wood,
                        light,
                    )
                    for k in range(3):
                        picture[row, column, k] += through[k] * light[k]
                    break
                # glass: what it mirrors
                cosine = -(d[0] * n[0] + d[1] * n[1] + d[2] * n[2])
                mirrored = 0.04 + 0.96 * max(0.0, 1 - cosine) ** 5
                for k in range(3):
                    ray[k] = d[k] + 2 * cosine * n[k]
                if ray[2] > 0.05:
                    _sky(ray, sky, lamps, light)
                    for k in range(3):
                        picture[row, column, k] += through[k] * mirrored * light[k]
                # and what is seen through it
                ratio = 1 / 1.5
                inner = np.sqrt(1 - ratio * ratio * (1 - cosine * cosine))
                for k in range(3):
                    d[k] = ratio * d[k] + (ratio * cosine - inner) * n[k]
                    o[k] = p[k]
                    through[k] *= 1 - mirrored
                for _ in range(3):
                    _, last = _span(o, d, stones[which], turns[which], axes[which])
                    last = max(last, 1e-3)
                    for k in range(3):
                        o[k] += last * d[k]
                        # colour deepens with the way through it; half of the light is let in by the sides
                        through[k] *= (0.02 + 0.98 * stone[3 + k]) ** (last * stone[10])
                        picture[row, column, k] += (
                            through[k] * stone[3 + k] * stone[13] * min(1.0, last * 3) * (sky[k] + sky[3 + k])
                        )
                        through[k] *= 1 - 0.5 * stone[13] * min(1.0, last * 3)
                    _normal(o, stones[which], turns[which], axes[which], n, local)
                    cosine = d[0] * n[0] + d[1] * n[1] + d[2] * n[2]
                    bend = 1 - 2.25 * (1 - cosine * cosine)
                    if bend > 0:
                        for k in range(3):
                            d[k] = 1.5 * d[k] + (np.sqrt(bend) - 1.5 * cosine) * n[k]
                            o[k] += 1e-4 * n[k]
                        break
                    for k in range(3):
                        d[k] -= 2 * cosine * n[k]
                        o[k] -= 1e-4 * n[k]
    return picture
