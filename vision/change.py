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
SENSOR = 3.0
"""Noise to expect of a pixel after light smoothing, in 8-bit steps."""
SHAKE = 0.6
"""Pixels of the view by which two pictures of a still board may lie apart."""
LIGHT = 0.06
"""Change of log brightness within a hole that light alone may bring about."""
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
    from_old, to_new = from_old[::7], to_new[::7]  # medians need no more
    edges = np.quantile(from_old, np.linspace(0, 1, LEVELS + 1))
    place = np.clip(np.searchsorted(edges, from_old, side="right") - 1, 0, LEVELS - 1)
    middles = np.array([np.median(from_old[place == level]) for level in np.unique(place)])
    levels = np.array([np.median(to_new[place == level]) for level in np.unique(place)])
    curve = np.interp(old, middles, levels)
    # beyond the ends of the curve the exposure goes on as at its ends
    return np.asarray(curve + np.minimum(0, old - middles[0]) + np.maximum(0, old - middles[-1]), np.float32)


def changed(distances: Pixels, radius: float) -> Mask:
    """The pixels that have changed, without specks and thin lines; `radius` is a stone's, in pixels."""
    size = 2 * max(1, round(radius * 0.15)) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = cv2.morphologyEx((distances > CHANGED_AT).astype(np.uint8), cv2.MORPH_OPEN, disc)
    return np.asarray(mask, np.uint8).astype(bool)
