"""Where the board lies in a picture: the four ArUco markers, and the homography they give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Floats
from vision import Image
from vision.lens import Lens, estimate, project

LONGEST_SIDE = 1920
"""Markers are looked for in a picture shrunk to this many pixels: more cost time and find no more."""
ENOUGH = 3
"""Three markers are twelve points spread over the board, where a homography wants four."""
CROOKED_MM, WRONG_MM = 1.3, 2.0
"""A marker corner further than the first from its place in the board file is a wrong board file or an odd
lens; further than the second, another board."""


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """The board's place in a picture."""

    homography: Floats
    """`(3, 3)`: board millimetres to pixels, if the lens kept straight lines straight."""
    lens: Lens | None = None
    """What it does instead; nothing, as far as is known, if None."""
    notes: tuple[str, ...] = ()
    """What is not as it should be, each in one sentence with its mend."""

    def to_picture(self, points: Floats) -> Floats:
        """Board millimetres `(n, 2)` to pixels."""
        straight = project(self.homography, points)
        return straight if self.lens is None else self.lens.bent(straight)

    def to_board(self, points: Floats) -> Floats:
        """Pixels `(n, 2)` to board millimetres."""
        straight = points if self.lens is None else self.lens.straight(points)
        return project(np.asarray(np.linalg.inv(self.homography), dtype=np.float64), straight)


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

    What the lens does is estimated once all markers are seen, and holds from then on.

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
    lens = None if before is None else before.lens
    if lens is None and seen.keys() == wanted:
        lens = lens_by(seen, layout, image.shape[1], image.shape[0])
    return from_corners(seen, layout, lens)


def lens_by(seen: Mapping[int, Floats], layout: Layout, width: int, height: int) -> Lens:
    """What the lens does, by the corners `(4, 2)` of three markers or more in a picture of that size.

    Raises:
        BadInput: no homography leads from the board's markers to these corners, not even roughly.
    """
    known = [marker for marker in layout.markers if marker.id in seen]
    board = np.array([marker.corners for marker in known], dtype=np.float64)
    pixels = np.array([seen[marker.id] for marker in known])
    homography = _fit(board.reshape(-1, 2), pixels.reshape(-1, 2), "the markers")
    return estimate(board, pixels, homography, width, height)


def _where_they_were(image: Image, layout: Layout, before: Registration) -> dict[int, Floats]:
    """The corners of markers that lie within their own size of where they were."""
    seen: dict[int, Floats] = {}
    height, width = image.shape[:2]
    for marker in layout.markers:
        corners = before.to_picture(np.array(marker.corners))
        middle, reach = corners.mean(axis=0), 1.5 * np.ptp(corners, axis=0).max()
        left, top = np.clip(middle - reach, 0, (width, height)).astype(int)
        right, bottom = np.clip(middle + reach, 0, (width, height)).astype(int)
        if right > left and bottom > top:
            here = detect(np.ascontiguousarray(image[top:bottom, left:right]))
            if marker.id in here:
                seen[marker.id] = here[marker.id] + (left, top)
    return seen


def from_corners(seen: Mapping[int, Floats], layout: Layout, lens: Lens | None = None) -> Registration:
    """The board's place from the pixel corners `(4, 2)` of three or more of its markers, found or clicked.

    Raises:
        BadInput: no homography leads from the board's markers to these corners, not even roughly.
    """
    known = [marker for marker in layout.markers if marker.id in seen]
    board = np.array([corner for marker in known for corner in marker.corners], dtype=np.float64)
    pixels = np.concatenate([seen[marker.id] for marker in known])
    homography = _fit(board, pixels if lens is None else lens.straight(pixels), "the markers")
    place = Registration(homography, lens)
    off = np.linalg.norm(place.to_board(pixels) - board, axis=1)
    apart = f"the markers lie up to {off.max():.1f} mm from where board {layout.name!r} has them"
    if off.max() > WRONG_MM:
        raise BadInput(f"{apart}: this is another board, name the board file that belongs to the picture")
    notes = []
    if len(known) < len(layout.markers):
        hidden = ", ".join(str(marker.id) for marker in layout.markers if marker.id not in seen)
        notes.append(f"Marker {hidden} is not seen: uncover it.")
    if off.max() > CROOKED_MM:
        notes.append(f"T{apart[1:]}: check the board file, and where it has the markers.")
    return replace(place, notes=tuple(notes))


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
