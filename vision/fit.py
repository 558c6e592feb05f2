"""How well a camera is placed above a board with markers: what `pitwatch calibrate camera` says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.layout import Layout
from engine.observation import Floats
from vision.markers import from_corners, lens_by
from vision.stones import STONE_RADIUS_MM

FIELD_DEGREES = 60.0
"""How wide a camera sees that says nothing of itself, from side to side: height and tilt are told by it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the board lies, and how sure that is."""

    rms_mm: float
    """Of the markers' corners, on the board, what the lens does taken out."""
    rms_pixels: float
    """The same in the picture."""
    worst_mm: float
    bend_pixels: float
    """By which the lens shifts what lies in the picture's corners, outwards if above 0."""
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
    lens = lens_by(last, layout, width, height)
    found = from_corners(last, layout, lens)
    board = np.array([corner for marker in layout.markers if marker.id in last for corner in marker.corners])
    pixels = np.concatenate([last[marker.id] for marker in layout.markers if marker.id in last])
    off = np.linalg.norm(found.to_board(pixels) - board, axis=1)
    middle = np.array([[layout.length / 2, layout.width / 2]])
    steps = found.to_picture(middle + np.array([[0, 0], [1, 0], [0, 1]]))
    scale = float(np.sqrt(abs(np.linalg.det(steps[1:] - steps[0]))))
    up, tilt = _pose(board, lens.straight(pixels), layout, width, height)
    in_pixels = np.linalg.norm(found.to_picture(board) - pixels, axis=1)
    return Fit(
        rms_mm=_rms(off),
        rms_pixels=_rms(in_pixels),
        worst_mm=float(off.max()),
        bend_pixels=lens.bend * float(np.hypot(width, height)) / 2,
        jitter_pixels=_jitter(seen),
        stone_pixels=2 * STONE_RADIUS_MM * scale,
        height_mm=up,
        tilt_degrees=tilt,
    )


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


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
