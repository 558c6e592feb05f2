"""How well a camera is placed above a board with markers: what `pitwatch calibrate camera` says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.layout import Layout
from engine.observation import Floats
from vision.markers import from_corners, project
from vision.stones import STONE_RADIUS_MM

FIELD_DEGREES = 60.0
"""How wide a camera sees that says nothing of itself, from side to side: height and tilt are told by it."""
BENDS = np.linspace(-0.25, 0.25, 101)
"""Radial distortions that are tried: shares by which a point half a diagonal from the middle is shifted."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the board lies, and how sure that is."""

    rms_mm: float
    """Of the markers' corners, on the board."""
    rms_pixels: float
    """The same in the picture."""
    worst_mm: float
    bend_pixels: float
    """By which the lens shifts what lies in the picture's corners, outwards if above 0."""
    straight_rms_mm: float
    """What `rms_mm` would be through a lens that keeps straight lines straight."""
    jitter_pixels: float
    """Root mean square of the corners' movement from picture to picture; 0 of a single one."""
    stone_pixels: float
    """Across a stone, in the middle of the board."""
    height_mm: float
    """From the board to the camera, if it sees `FIELD_DEGREES`."""
    tilt_degrees: float
    """Between the camera's axis and the board's, so too."""


def fit(seen: Sequence[Mapping[int, Floats]], layout: Layout, width: int, height: int) -> Fit:
    """Judge by the corners `(4, 2)` of three markers or more, by id, in each of some pictures of that size.

    Raises:
        BadInput: no homography fits the markers of the last picture.
    """
    last = {marker.id: seen[-1][marker.id] for marker in layout.markers if marker.id in seen[-1]}
    found = from_corners(last, layout)
    board = np.array([corner for marker in layout.markers if marker.id in last for corner in marker.corners])
    pixels = np.concatenate([last[marker.id] for marker in layout.markers if marker.id in last])
    off = _off(board, pixels, found.homography)
    bend, straight = _bend(board, pixels, width, height)
    middle = np.array([[layout.length / 2, layout.width / 2]])
    steps = project(found.homography, middle + np.array([[0, 0], [1, 0], [0, 1]]))
    scale = float(np.sqrt(abs(np.linalg.det(steps[1:] - steps[0]))))
    up, tilt = _pose(board, pixels, layout, width, height)
    in_pixels = np.linalg.norm(project(found.homography, board) - pixels, axis=1)
    return Fit(
        rms_mm=_rms(off),
        rms_pixels=_rms(in_pixels),
        worst_mm=float(off.max()),
        bend_pixels=bend * float(np.hypot(width, height)) / 2,
        straight_rms_mm=straight,
        jitter_pixels=_jitter(seen),
        stone_pixels=2 * STONE_RADIUS_MM * scale,
        height_mm=up,
        tilt_degrees=tilt,
    )


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _off(board: Floats, pixels: Floats, homography: Floats) -> Floats:
    back = np.asarray(np.linalg.inv(homography), dtype=np.float64)
    return np.asarray(np.linalg.norm(project(back, pixels) - board, axis=1), np.float64)


def _bend(board: Floats, pixels: Floats, width: int, height: int) -> tuple[float, float]:
    """The radial distortion that leaves the least, and what it leaves, mm."""
    middle, half = np.array([width / 2, height / 2]), np.hypot(width, height) / 2
    aside = (pixels - middle) / half
    square = (aside**2).sum(axis=1, keepdims=True)
    left = []
    for bend in BENDS:
        straight = middle + half * aside * (1 - bend * square)
        homography = np.asarray(cv2.findHomography(board, straight, 0)[0], dtype=np.float64)
        left.append(_rms(_off(board, straight, homography)))
    best = int(np.argmin(left))
    return float(BENDS[best]), left[best]


def _pose(board: Floats, pixels: Floats, layout: Layout, width: int, height: int) -> tuple[float, float]:
    focal = width / 2 / np.tan(np.radians(FIELD_DEGREES / 2))
    lens = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    middle = np.array([layout.length / 2, layout.width / 2])
    flat = np.column_stack([board - middle, np.zeros(len(board))])
    _, turn, shift = cv2.solvePnP(flat, pixels, lens, np.zeros(4), flags=cv2.SOLVEPNP_IPPE)
    matrix = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)
    tilt = float(np.degrees(np.arccos(np.clip(abs(matrix[2, 2]), 0, 1))))
    return float(np.linalg.norm(shift)), tilt


def _jitter(seen: Sequence[Mapping[int, Floats]]) -> float:
    common = set.intersection(*(set(one) for one in seen))
    if len(seen) < 2 or not common:
        return 0.0
    tracks = np.stack([np.concatenate([one[number] for number in sorted(common)]) for one in seen])
    return _rms(np.linalg.norm(tracks - tracks.mean(axis=0), axis=2))
