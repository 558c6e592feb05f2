"""What a lens does to a picture, estimated from the printed markers.

Theory of operation. A lens shifts what lies off the middle of the picture outwards or inwards, about by the
cube of the distance: one number, the bend. A board's markers tell it, since each is printed square, though
nobody glues them exactly where the board file has them. So the corners of one marker are taken to be off
together, by so much as a hand errs, and only what is left of that speaks of the lens. Where this leaves much
open, the estimate stays near none.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from engine.observation import Floats

GLUED_MM, GLUED_TURN, PRINTED = 0.7, 0.01, 0.01
"""By which a marker is off its place, turned (radians), and larger than it should be: standard deviations."""
CORNER = 0.2
"""Pixels by which a corner is found off where it is, for each 1,000 pixels of the picture's diagonal."""
USUAL_BEND = 0.1
"""Standard deviation of `Lens.bend` over cameras that people have."""
MOST_BEND = 0.3
"""Beyond which one number does not describe a lens."""
LEAST_BEND = 0.01
"""Below which it is taken for none: it moves no hole by half a millimetre, and is no surer than that."""
ODD = 4.0
"""Misfit, in what is usual, from which markers are those of another board, not seen through a lens."""
STEPS = 4


def project(homography: Floats, points: Floats) -> Floats:
    """Points `(n, 2)` through a homography `(3, 3)`."""
    moved = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(moved[:, :2] / moved[:, 2:], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Lens:
    """How pictures of one size differ from those of a lens that keeps straight lines straight."""

    width: int
    height: int
    """Pixels of the picture."""
    bend: float = 0.0
    """By which what lies in the picture's corners is shifted outwards, in half diagonals."""

    def bent(self, points: Floats) -> Floats:
        """Pixels `(n, 2)` of a straight picture to those of this lens."""
        aside = points - self._middle
        square = (aside**2).sum(axis=1, keepdims=True) / self._half**2
        return np.asarray(self._middle + aside * (1 + self.bend * square), dtype=np.float64)

    def straight(self, points: Floats) -> Floats:
        """The other way round."""
        if not self.bend:  # an iteration saved
            return points
        middle = self._middle
        camera = np.array([[self._half, 0, middle[0]], [0, self._half, middle[1]], [0, 0, 1]])
        bends = np.array([self.bend, 0, 0, 0, 0])
        enough = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-9)
        back = cv2.undistortImagePoints(points.reshape(-1, 1, 2), camera, bends, arg1=enough)
        return np.asarray(back, dtype=np.float64).reshape(-1, 2)

    @property
    def _middle(self) -> Floats:
        # pixel centres lie at whole numbers
        return np.array([(self.width - 1) / 2, (self.height - 1) / 2])

    @property
    def _half(self) -> float:
        return float(np.hypot(self.width, self.height) / 2)


def estimate(board: Floats, pixels: Floats, homography: Floats, width: int, height: int) -> Lens:
    """The lens by which markers are seen as they are, or one without a bend if none explains them.

    Args:
        board: corners `(markers, 4, 2)` of three markers or more, mm.
        pixels: where they are in a picture of that size.
        homography: `(3, 3)`, from one to the other without a lens.
    """
    flat, seen = board.reshape(-1, 2), pixels.reshape(-1, 2)
    weight = np.linalg.inv(_spread(board, homography, width, height))
    bend = 0.0
    for _ in range(STEPS):
        lens = Lens(width, height, bend)
        placed = project(homography, flat)
        off = (seen - lens.bent(placed)).ravel()
        slope = np.column_stack([_slope(lens, homography, flat), _by_bend(lens, placed)])
        bends = np.zeros((9, 9))
        bends[8, 8] = 1 / USUAL_BEND**2
        pull = slope.T @ weight @ off
        pull[8] -= bend / USUAL_BEND**2
        step = np.linalg.solve(slope.T @ weight @ slope + bends, pull)
        homography = homography + np.append(step[:8], 0.0).reshape(3, 3)
        bend = float(np.clip(bend + step[8], -MOST_BEND, MOST_BEND))
    odd = float(off @ weight @ off) > ODD * (len(off) - 9)
    return Lens(width, height, 0.0 if odd or abs(bend) < LEAST_BEND else bend)


def _spread(board: Floats, homography: Floats, width: int, height: int) -> Floats:
    """`(8 markers, 8 markers)`: covariance of the corners' coordinates, pixels squared."""
    corner = CORNER * np.hypot(width, height) / 1000
    middles = board.mean(axis=1)
    out: Floats = np.eye(board.size) * corner**2
    for number, (corners, middle) in enumerate(zip(board, middles, strict=True)):
        turned = (corners - middle) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
        ways = [
            (np.tile([1.0, 0.0], (4, 1)), GLUED_MM), (np.tile([0.0, 1.0], (4, 1)), GLUED_MM),
            (turned, GLUED_TURN), (corners - middle, PRINTED),
        ]  # fmt: skip
        here = slice(8 * number, 8 * number + 8)
        for way, size in ways:
            moved = (project(homography, corners + 0.1 * way) - project(homography, corners)).ravel() / 0.1
            out[here, here] += np.outer(moved, moved) * size**2
    return out


def _slope(lens: Lens, homography: Floats, board: Floats) -> Floats:
    """`(2 n, 8)`: by what each coordinate changes with the first eight numbers of the homography."""
    columns = []
    for place in range(8):
        step = np.zeros(9)
        step[place] = 1e-6 * max(1e-3, abs(homography.ravel()[place]))
        moved = lens.bent(project(homography + step.reshape(3, 3), board))
        columns.append(((moved - lens.bent(project(homography, board))) / step[place]).ravel())
    return np.column_stack(columns)


def _by_bend(lens: Lens, placed: Floats) -> Floats:
    """`(2 n,)`: by what each coordinate changes with the bend."""
    return np.ravel(Lens(lens.width, lens.height, 1.0).bent(placed) - placed)
