"""What has changed between two top views of the same board: the evidence that counting alone cannot give.

A hole that looks as it did when its count was known still holds that count. Two pictures of the same board
differ in exposure, in the camera's tone curve, in local light, and by half a pixel: that is no change.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision import Image, Mask, Pixels
from vision.stones import DARK

LEVELS = 24
"""Points of the tone curve from one picture to another."""
SAMPLES = 12_000
"""Pixels from which the curve is taken: its medians need no more."""
SENSOR = 3.0
"""Noise to expect of a pixel after light smoothing, in 8-bit steps."""
SHAKE = 0.6
"""Pixels of the view by which two pictures of a still board may lie apart."""
LIGHT = 0.06
"""Change of log brightness within a hole that light alone may bring about."""
HAND_COLOUR = 0.07
"""Change of a log ratio of two channels over a stretch of the board that no light brings about."""
HAND_BRIGHTER, HAND_DARKER = 0.08, 0.40
"""Change of log brightness that no shadow brings about: a shadow is dark, but not black."""
SHARP = 0.035
"""Change of log brightness from one millimetre to the next, of what is darker: a shadow's edge is softer."""
COARSE = 2
"""Pixels of the view to a pixel in which a hand is looked for."""
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


def frame(image: Image) -> Frame:
    """Prepare a top view."""
    soft = cv2.GaussianBlur(image.astype(np.float32), (0, 0), 1.0)
    logs = np.log(soft + DARK).astype(np.float32)
    dx = cv2.Sobel(logs, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    dy = cv2.Sobel(logs, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return Frame(logs, np.hypot(dx, dy).astype(np.float32), (SENSOR / (soft + DARK)).astype(np.float32))


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
    height, width = surface.shape
    small = (width // COARSE, height // COARSE)
    seen = cv2.resize(surface.astype(np.uint8), small, interpolation=cv2.INTER_AREA).astype(np.bool_)
    apart = np.empty((small[1], small[0], 3), np.float32)
    for channel in range(3):
        old, new = (
            cv2.GaussianBlur(
                cv2.resize(one.logs[..., channel], small, interpolation=cv2.INTER_AREA), (0, 0), 1.5
            )
            for one in (before, now)
        )
        apart[..., channel] = _unlit(np.asarray(old, np.float32), np.asarray(new, np.float32), seen)
    bright = apart.mean(axis=2)
    colour = np.hypot(apart[..., 2] - apart[..., 1], apart[..., 0] - apart[..., 1])
    darker = (bright < -HAND_BRIGHTER) & seen
    certain = seen & ((colour > HAND_COLOUR) | (bright > HAND_BRIGHTER) | (bright < -HAND_DARKER))
    dx, dy = (
        cv2.Sobel(bright, cv2.CV_32F, 1, 0, scale=1 / 8),
        cv2.Sobel(bright, cv2.CV_32F, 0, 1, scale=1 / 8),
    )
    sharp = (np.hypot(dx, dy) > SHARP) & seen
    count, labels = cv2.connectedComponents(darker.astype(np.uint8))
    edged = np.bincount(labels[sharp & darker], minlength=count)
    around = np.sqrt(np.bincount(labels.ravel(), minlength=count))
    # of a hand much of the outline is sharp, of a shadow at most where it meets something else
    hard = edged > around
    hard[0] = False
    mask = np.asarray(certain | hard[labels], np.uint8)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_NEAREST), np.bool_) & surface


def _unlit(old: Pixels, new: Pixels, seen: Mask) -> Pixels:
    """The change from `old` to `new` without what light and exposure do to most of the board.

    That is a change of level and of contrast, and one from side to side.
    """
    height, width = old.shape
    rows, columns = np.nonzero(seen)
    step = 1 + len(rows) // (SAMPLES // 4)
    rows, columns = rows[::step], columns[::step]
    level = float(np.median(old[seen])) if len(rows) else 0.0
    apart = (new - old)[rows, columns].astype(np.float64)
    shares, edges = np.histogram(apart, bins=60, range=(-1.5, 1.5))
    usual = np.abs(apart - edges[int(shares.argmax())] - 0.025) < 0.08
    down, right = np.arange(height)[:, None] / height, np.arange(width)[None] / width
    points = np.column_stack([np.ones(len(rows)), old[rows, columns] - level, rows / height, columns / width])
    fitted = np.zeros(4)
    for _ in range(4):
        if usual.sum() < 50:
            break
        fitted = np.linalg.lstsq(points[usual], apart[usual], rcond=None)[0]
        usual = np.abs(apart - points @ fitted) < 0.05
    light = fitted[0] + fitted[1] * (old - level) + fitted[2] * down + fitted[3] * right
    return np.asarray(new - old - light, np.float32)


def _smooth(field: Pixels) -> Pixels:
    """A blur over 30 pixels, made on a small copy for speed."""
    height, width = field.shape
    small = cv2.resize(field, (max(1, width // 8), max(1, height // 8)), interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), 30 / 8)
    return np.asarray(cv2.resize(blurred, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _toned(old: Pixels, new: Pixels, still: Mask) -> Pixels:
    """The old picture with the new one's exposure and tone curve."""
    from_old, to_new = old[still], new[still]
    if len(from_old) < 50 * LEVELS:
        return old
    step = 1 + len(from_old) // SAMPLES
    from_old, to_new = from_old[::step], to_new[::step]
    parts = np.array_split(np.argsort(from_old), LEVELS)
    middles = np.array([from_old[part[len(part) // 2]] for part in parts])
    levels = np.array([np.median(to_new[part]) for part in parts])
    curve = np.interp(old, middles, levels)
    # beyond the ends of the curve the exposure goes on as at its ends
    return np.asarray(curve + np.minimum(0, old - middles[0]) + np.maximum(0, old - middles[-1]), np.float32)


def changed(distances: Pixels, radius: float) -> Mask:
    """The pixels that have changed, without specks and thin lines; `radius` is a stone's, in pixels."""
    size = 2 * max(1, round(radius * 0.15)) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = cv2.morphologyEx((distances > CHANGED_AT).astype(np.uint8), cv2.MORPH_OPEN, disc)
    return np.asarray(mask, np.uint8).astype(bool)
