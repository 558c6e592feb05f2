"""Where the board lies in a picture: the four ArUco markers, and the homography they give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Floats
from vision import Image

LONGEST_SIDE = 1920
"""Markers are looked for in a picture shrunk to this many pixels: more cost time and find no more."""
ENOUGH = 3
"""Three markers are twelve points spread over the board, where a homography wants four."""
CROOKED_MM, WRONG_MM = 1.3, 2.0
"""A marker corner further than the first from its place in the board file is a wrong board file or a bent
lens; further than the second, no lens explains it."""


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """The board's place in a picture."""

    homography: Floats
    """`(3, 3)`: board millimetres to picture pixels."""
    notes: tuple[str, ...] = ()
    """What is not as it should be, each in one sentence with its mend."""


def detect(image: Image) -> dict[int, Floats]:
    """The corners of each marker of DICT_4X4_50 in the picture, by id: `(4, 2)` pixels, clockwise.

    Of a marker seen twice the larger counts: the other is a reflection or a print lying about.
    """
    shrink = min(1.0, LONGEST_SIDE / max(image.shape[:2]))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if shrink < 1.0:
        grey = cv2.resize(grey, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(grey)
    found: dict[int, Floats] = {}
    sizes: dict[int, float] = {}
    for quad, number in zip(corners, () if ids is None else np.ravel(ids), strict=True):
        points = np.asarray(quad, dtype=np.float64).reshape(4, 2)
        size = float(cv2.contourArea(points.astype(np.float32)))
        if size > sizes.get(int(number), 0.0):
            # pixel centres: (x + 0.5) / shrink - 0.5
            found[int(number)] = (points + 0.5) / shrink - 0.5
            sizes[int(number)] = size
    return found


def register(image: Image, layout: Layout, before: Registration | None = None) -> Registration:
    """Find the board by its markers; first where they were `before`, in a fraction of the time.

    Raises:
        BadInput: the board file names no markers; fewer than three of them are seen, or not where the board
            file has them; the picture is mirrored.
    """
    if len(layout.markers) < ENOUGH:
        raise BadInput(
            f"board {layout.name!r} has {len(layout.markers)} markers in its board file: "
            f"give it at least {ENOUGH}, or say where the pits are"
        )
    wanted = {marker.id for marker in layout.markers}
    seen = {} if before is None else _where_they_were(image, layout, before)
    if seen.keys() != wanted:
        seen = {number: corners for number, corners in detect(image).items() if number in wanted}
    if len(seen) < ENOUGH:
        flipped = np.ascontiguousarray(image[:, ::-1])
        if len(wanted & detect(flipped).keys()) >= ENOUGH:
            raise BadInput("the picture is mirrored: turn mirroring off in the camera's settings")
        missing = ", ".join(str(number) for number in sorted(wanted - seen.keys()))
        raise BadInput(
            f"{len(seen)} of {len(wanted)} markers are seen (not {missing}): "
            f"show the whole board with its markers uncovered, sharp and evenly lit"
        )
    return from_corners(seen, layout)


def _where_they_were(image: Image, layout: Layout, before: Registration) -> dict[int, Floats]:
    """The corners of markers that lie within their own size of where they were."""
    seen: dict[int, Floats] = {}
    height, width = image.shape[:2]
    for marker in layout.markers:
        corners = project(before.homography, np.array(marker.corners))
        middle, reach = corners.mean(axis=0), 1.5 * np.ptp(corners, axis=0).max()
        left, top = np.clip(middle - reach, 0, (width, height)).astype(int)
        right, bottom = np.clip(middle + reach, 0, (width, height)).astype(int)
        if right > left and bottom > top:
            here = detect(np.ascontiguousarray(image[top:bottom, left:right]))
            if marker.id in here:
                seen[marker.id] = here[marker.id] + (left, top)
    return seen


def from_corners(seen: Mapping[int, Floats], layout: Layout) -> Registration:
    """The board's place from the pixel corners `(4, 2)` of three or more of its markers, found or clicked.

    Raises:
        BadInput: no homography leads from the board's markers to these corners, not even roughly.
    """
    known = [marker for marker in layout.markers if marker.id in seen]
    board = np.array([corner for marker in known for corner in marker.corners], dtype=np.float64)
    pixels = np.concatenate([seen[marker.id] for marker in known])
    homography = _fit(board, pixels, "the markers")
    off = np.linalg.norm(
        project(np.asarray(np.linalg.inv(homography), dtype=np.float64), pixels) - board, axis=1
    )
    apart = f"the markers lie up to {off.max():.1f} mm from where board {layout.name!r} has them"
    if off.max() > WRONG_MM:
        raise BadInput(f"{apart}: this is another board, name the board file that belongs to the picture")
    notes = []
    if len(known) < len(layout.markers):
        hidden = ", ".join(str(marker.id) for marker in layout.markers if marker.id not in seen)
        notes.append(f"Marker {hidden} is not seen: uncover it.")
    if off.max() > CROOKED_MM:
        notes.append(f"T{apart[1:]}: check the board file, or use a lens that keeps straight lines straight.")
    return Registration(homography, tuple(notes))


def from_board_corners(corners: Sequence[tuple[float, float]], layout: Layout) -> Registration:
    """The board's place from its own four corners in pixels, clockwise from the top left.

    Raises:
        BadInput: not four corners, or they do not run clockwise round a board.
    """
    if len(corners) != 4:
        raise BadInput(f"{len(corners)} board corners were given: give four, clockwise from the top left")
    right, bottom = layout.length, layout.width
    board = np.array([(0, 0), (right, 0), (right, bottom), (0, bottom)], dtype=np.float64)
    return Registration(_fit(board, np.array(corners, dtype=np.float64), "the corners of the board"))


def project(homography: Floats, points: Floats) -> Floats:
    """Points `(n, 2)` through a homography `(3, 3)`."""
    moved = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return moved[:, :2] / moved[:, 2:]


def _fit(board: Floats, pixels: Floats, what: str) -> Floats:
    homography = cv2.findHomography(board, pixels, 0)[0] if np.isfinite(pixels).all() else None
    wrong = f"{what} do not lie as on a board seen from above: give them clockwise from the top left"
    if homography is None:
        raise BadInput(wrong)
    fitted = np.asarray(homography, dtype=np.float64)
    depths = board @ fitted[2, :2] + fitted[2, 2]
    # a negative determinant turns the board over; a depth that changes sign puts part of it behind the camera
    if np.linalg.det(fitted) <= 1e-9 or depths.min() * depths.max() <= 0:
        raise BadInput(wrong)
    return fitted
