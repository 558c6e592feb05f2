"""What has changed between two top views of the same board: the evidence that counting alone cannot give.

A hole that looks as it did when its count was known still holds that count. Two pictures of the same board
differ in exposure, in the camera's tone curve, in local light, and by half a pixel: that is no change.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import Mask, Pixels
from vision.stones import Logs

LEVELS = 24
"""Points of the tone curve from one picture to another."""
SAMPLES = 3_000
"""Pixels from which the curve and the light are taken: their medians need no more."""
CURVE = 2048
"""Steps in which the curve is looked up."""
SENSOR = 3.0
"""Noise to expect of a pixel after light smoothing, in 8-bit steps."""
SHAKE = 0.3
"""Pixels of the view by which two pictures of a still board may lie apart."""
LIGHT = 0.06
"""Change of log brightness within a hole that light alone may bring about."""
HAND_COLOUR = 0.07
"""Change of a log ratio of two channels over a stretch of the board that no light brings about."""
HAND_BRIGHTER, HAND_DARKER = 0.08, 0.40
"""Change of log brightness that no shadow brings about: a shadow is dark, but not black."""
SHARP = 0.035
"""Change of log brightness from one millimetre to the next, of what is darker: a shadow's edge is softer."""
CHANGED_AT = 4.0
"""Standard deviations from sameness at which a pixel has changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A top view kept for comparison."""

    logs: Pixels
    """`(height, width, 3)` log of the smoothed picture."""
    slope: Pixels
    """`(height, width, 3)`: change of `logs` over one pixel."""
    spread: Pixels
    """`(height, width, 3)`: standard deviation of `logs` from the sensor's noise."""
    smooth: Pixels
    """`(3, height, width)`: `logs` without what is finer than a hand."""


def frame(seen: Logs) -> Frame:
    """Prepare a top view."""
    dx = cv2.Sobel(seen.log, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    dy = cv2.Sobel(seen.log, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    smooth = np.ascontiguousarray(cv2.GaussianBlur(seen.log, (0, 0), 1.5).transpose(2, 0, 1), np.float32)
    return Frame(seen.log, np.sqrt(dx * dx + dy * dy), np.float32(SENSOR) / seen.level, smooth)


def distance(before: Frame, now: Frame, still: Mask) -> Pixels:
    """How far each pixel is from looking as before, in standard deviations `(height, width)`.

    `still` are pixels that mostly show what they showed before: the tone curve and the local light are
    taken from them.
    """
    total = np.zeros(still.shape, np.float32)
    weight = still.astype(np.float32)
    around = _smooth(weight)
    for channel in range(3):
        old, new = before.logs[..., channel], now.logs[..., channel]
        apart = new - _toned(old, new, still)
        # what is left of a local change of light: a smooth field, of which gross differences are no part
        near = _smooth(np.clip(apart, -0.25, 0.25) * weight) / (around + 1e-3)
        shake = SHAKE * np.maximum(before.slope[..., channel], now.slope[..., channel])
        spread = before.spread[..., channel] ** 2 + now.spread[..., channel] ** 2 + LIGHT**2 + shake**2
        total += (apart - near) ** 2 / spread
    return np.asarray(np.sqrt(total), np.float32)


def covered_since(before: Frame, now: Frame, surface: Mask) -> Mask:
    """Where the board is hidden that was seen before `(height, width)`: by a hand, a sleeve, a thing.

    A hand may have the colour of the wood. It then is brighter than the wood was, or darker with a sharp
    edge, which no shadow is. What light does to the board is taken out first: its tone, and an even change
    from side to side.
    """
    some = np.flatnonzero(surface)
    some = some[:: 1 + len(some) // SAMPLES]
    blue, green, red = (_unlit(old, new, some) for old, new in zip(before.smooth, now.smooth, strict=True))
    bright = (blue + green + red) / 3
    colour = cv2.magnitude(red - green, blue - green)
    darker = (bright < -HAND_BRIGHTER) & surface
    certain = surface & ((colour > HAND_COLOUR) | (bright > HAND_BRIGHTER) | (bright < -HAND_DARKER))
    dx, dy = (
        cv2.Sobel(bright, cv2.CV_32F, 1, 0, scale=1 / 8),
        cv2.Sobel(bright, cv2.CV_32F, 0, 1, scale=1 / 8),
    )
    sharp = (cv2.magnitude(dx, dy) > SHARP) & surface
    count, labels = cv2.connectedComponents(darker.astype(np.uint8))
    edged = np.bincount(labels[sharp & darker], minlength=count)
    around = np.sqrt(np.bincount(labels.ravel(), minlength=count))
    # of a hand much of the outline is sharp, of a shadow at most where it meets something else
    hard = edged > around
    hard[0] = False
    return np.asarray((certain | hard[labels]) & surface, np.bool_)


def _unlit(old: Pixels, new: Pixels, some: NDArray[np.intp]) -> Pixels:
    """The change from `old` to `new` without what light and exposure do to most of the board.

    That is a change of level and of contrast, and one from side to side, as at `some` pixels of the surface.
    """
    height, width = old.shape
    change = new - old
    apart, was = change.ravel()[some].astype(np.float64), old.ravel()[some].astype(np.float64)
    rows, columns = np.divmod(some, width)
    level = float(np.median(was)) if len(some) else 0.0
    shares, edges = np.histogram(apart, bins=60, range=(-1.5, 1.5))
    usual = np.abs(apart - edges[int(shares.argmax())] - 0.025) < 0.08
    points = np.column_stack([np.ones(len(some)), was - level, rows / height, columns / width])
    fitted = np.zeros(4)
    for _ in range(4):
        if usual.sum() < 50:
            break
        part = points[usual]
        fitted = np.linalg.solve(part.T @ part + 1e-9 * np.eye(4), part.T @ apart[usual])
        usual = np.abs(apart - points @ fitted) < 0.05
    even, contrast, down, right = map(float, fitted)
    across = np.arange(width, dtype=np.float32)[None] * (right / width)
    along = np.arange(height, dtype=np.float32)[:, None] * (down / height) + (even - contrast * level)
    return np.asarray(change - contrast * old - across - along, np.float32)


def _smooth(field: Pixels) -> Pixels:
    """A blur over 15 pixels, made on a small copy for speed."""
    height, width = field.shape
    small = cv2.resize(field, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), 15 / 4)
    return np.asarray(cv2.resize(blurred, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _toned(old: Pixels, new: Pixels, still: Mask) -> Pixels:
    """The old picture with the new one's exposure and tone curve."""
    at = np.flatnonzero(still)
    if len(at) < 50 * LEVELS:
        return old
    at = at[:: 1 + len(at) // SAMPLES]
    from_old, to_new = old.ravel()[at], new.ravel()[at]
    each = len(at) // LEVELS
    order = np.argsort(from_old)[: LEVELS * each].reshape(LEVELS, each)
    middles, levels = from_old[order[:, each // 2]], np.median(to_new[order], axis=1)
    # looked up in even steps; beyond the ends of the curve the exposure goes on as at its ends
    low, high = float(old.min()), float(old.max())
    points = np.linspace(low, high, CURVE)
    curve = np.interp(points, middles, levels)
    curve += np.minimum(0, points - middles[0]) + np.maximum(0, points - middles[-1])
    step = (CURVE - 1) / max(high - low, 1e-6)
    return curve.astype(np.float32)[((old - low) * step + 0.5).astype(np.intp)]


def changed(distances: Pixels, radius: float) -> Mask:
    """The pixels that have changed, without specks and thin lines; `radius` is a stone's, in pixels."""
    size = 2 * max(1, round(radius * 0.15)) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = cv2.morphologyEx((distances > CHANGED_AT).astype(np.uint8), cv2.MORPH_OPEN, disc)
    return np.asarray(mask, np.uint8).astype(bool)
