"""A board without markers, kept in view: its corners are given once, and what is on its surface is followed.

Theory of operation. Corners of the grain, the rims and the board's edge are found in the first picture and
looked for in each later one, near where the board was last. They are always followed from the first picture,
so that errors do not add up. What lies in the holes moves by itself and is left out.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Floats
from vision import Image
from vision.lens import project
from vision.markers import Registration, from_board_corners

POINTS = 400
LEAST = 16
"""Points that have to be found again, and .."""
LEAST_SHARE = 0.25
""".. the share of them: more than half may be under a hand."""
RETURN = 1.0
"""Pixels from where it started at which a point may end that is followed there and back."""
WITHIN = 2.0
"""Pixels by which a point may be off the common movement."""


class Tracked:
    """Where the board lies in each of a camera's pictures, the first of which shows it at given corners."""

    def __init__(self, corners: Sequence[tuple[float, float]], layout: Layout) -> None:
        """Nothing has been seen yet.

        Args:
            corners: of the board, in pixels, clockwise from the top left.

        Raises:
            BadInput: these are not the corners of a board.
        """
        self.layout = layout
        self._given = from_board_corners(corners, layout)
        self._first: NDArray[np.uint8] | None = None
        self._points: Floats = np.empty((0, 2))
        self._moved: Floats = np.eye(3)
        """`(3, 3)`: pixels of the first picture to those of the last."""

    def __call__(self, image: Image) -> Registration:
        """Find the board in the next picture.

        Raises:
            BadInput: it is not found again.
        """
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        if self._first is None or self._first.shape != grey.shape:
            self._begin(grey)
            return self._given
        self._moved = self._follow(self._first, grey)
        return Registration(np.asarray(self._moved @ self._given.homography, dtype=np.float64))

    def _begin(self, grey: NDArray[np.uint8]) -> None:
        layout, to_pixels = self.layout, self._given.homography
        turn = np.linspace(0, 2 * np.pi, 24)
        mask = np.zeros(grey.shape, np.uint8)
        edge = 3.0  # the board's own edge is the best there is to follow
        left, right, below = -edge, layout.length + edge, layout.width + edge
        board = np.array([(left, -edge), (right, -edge), (right, below), (left, below)])
        cv2.fillConvexPoly(mask, project(to_pixels, board).round().astype(np.int32), 255)
        for hole in layout.holes:
            along = hole.half_length * np.sign(np.sin(turn))
            inner = 0.97 * hole.radius
            rim = np.column_stack([hole.x + inner * np.cos(turn), hole.y + inner * np.sin(turn) + along])
            cv2.fillConvexPoly(mask, project(to_pixels, rim).round().astype(np.int32), 0)
        found = cv2.goodFeaturesToTrack(grey, POINTS, 0.005, 7, mask=mask)
        points = np.empty((0, 2)) if found is None else np.asarray(found, np.float64).reshape(-1, 2)
        if len(points) < LEAST:
            raise BadInput(
                "the board has too little to be followed by (no grain, no edge is seen): give it markers"
            )
        self._first, self._points, self._moved = grey, points, np.eye(3)

    def _follow(self, first: NDArray[np.uint8], grey: NDArray[np.uint8]) -> Floats:
        start = self._points.astype(np.float32)
        guess = project(self._moved, self._points).astype(np.float32)
        size = (25, 25)
        there, good, _ = cv2.calcOpticalFlowPyrLK(
            first, grey, start, guess.copy(), winSize=size, maxLevel=3, flags=cv2.OPTFLOW_USE_INITIAL_FLOW
        )
        back, returned, _ = cv2.calcOpticalFlowPyrLK(
            grey, first, there, start.copy(), winSize=size, maxLevel=3, flags=cv2.OPTFLOW_USE_INITIAL_FLOW
        )
        kept = (good.ravel() == 1) & (returned.ravel() == 1)
        kept &= np.linalg.norm(back - start, axis=1) < RETURN
        if kept.sum() >= LEAST:
            moved, agreed = cv2.findHomography(start[kept], there[kept], cv2.RANSAC, WITHIN)
            if moved is not None and agreed.sum() >= max(LEAST, LEAST_SHARE * len(start)):
                return np.asarray(moved, dtype=np.float64)
        raise BadInput(
            "the board is no more where its corners were given: uncover it and put it back, or give them anew"
        )
