"""The camera as a sensor: frames in, observations out, and a memory of how each hole looked when it was known.

Theory of operation. Counting stones in one picture is weak: stones hide stones. But a hole that looks as it did
when the referee last knew its count still holds that count, and one that has changed by about one stone's area
holds about one more or fewer. So once the referee has settled on a position, each hole is told by its change
from that look: how much of it changed, and by how much the measured area and circles grew. Without a settled
look, at the start or after a hand hid it, a hole is counted on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Floats, Observation, nothing_seen
from vision import Image, Pixels
from vision.change import Frame, changed, distance, frame
from vision.count import HALO, HIDDEN_AT, hand, likelihoods, normal, visible, with_outliers
from vision.markers import Registration, register
from vision.rectify import MM_PER_PIXEL, View, top_view
from vision.stones import (
    STONE_RADIUS_MM,
    Measured,
    area_in_holes,
    covered,
    hole_mask,
    large_parts,
    measure,
    surface_mask,
)

STILL = 0.05
"""Stones' area that changes in a hole that nobody touched: light, noise (mean of an exponential)."""
STIRRED = 1.5
"""The same in a hole whose stones were moved and none added."""
STIRRED_SHARE = 0.03
UNSEEN_SHARE = 0.01
"""How often a stone comes or goes and nothing is seen of it."""
CHANGE_SPREAD = 0.5
"""Standard deviation of the log of the area that changes when stones come or go."""
RELATIVE_OUTLIER = 1e-6
"""How often change misleads altogether; a row never forbids a count."""
DARK_LEVEL = 30
FEWEST_PIXELS = 9.0
"""Pixels across a stone below which its outline is lost."""
BLURRED = 4.5
"""Pixels over which the edge of a marker goes from black to white."""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """How one hole looked when its count was known."""

    frame: Frame
    count: int
    area: float
    circles: float


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """The last frame, kept until the referee settles on it."""

    frame: Frame
    measured: Measured
    covered: Floats


class Camera:
    """An `engine.observation.Sensor` whose reading is a BGR picture of the whole board."""

    def __init__(self, layout: Layout, total_seeds: int, max_count: int | None = None) -> None:
        """A camera above the board of `layout`, on which `total_seeds` seeds are played.

        `max_count` is the highest count that observations tell of; by default all seeds in one hole.
        """
        self.layout = layout
        self.most = total_seeds if max_count is None else max_count
        self._registration: Registration | None = None
        self._looks: list[_Look | None] = [None] * len(layout.holes)
        self._seen: _Seen | None = None
        self._misfit = 1.0

    def observe(self, t: float, reading: Image) -> Observation:
        """What a frame `(height, width, 3)` BGR, exposed at `t` seconds, says of the board.

        A frame in which the markers are hidden is read where the board was last; before the markers were ever
        found, it says nothing. What ails the picture is in the observation's notes.
        """
        notes: list[str] = []
        try:
            self._registration = register(reading, self.layout)
            notes.extend(self._registration.notes)
        except BadInput as error:
            notes.append(f"The board is not found: {error}.")
        if self._registration is None:
            self._seen = None
            holes = len(self.layout.holes)
            return Observation(t, nothing_seen(holes, self.most + 1), np.zeros(holes), tuple(notes))
        view = top_view(reading, self.layout, self._registration.homography)
        notes.extend(ailments(view))
        measured = measure(view)
        now = frame(view.image)
        hidden, stirred = self._compare(view, now, measured)
        loglik = likelihoods(measured, self.most)
        for hole, look in enumerate(self._looks):
            if hidden[hole] > HIDDEN_AT:
                loglik[hole] = 0.0
            elif look is not None:
                loglik[hole] = self._relative(look, measured, hole, stirred[hole])
        self._seen = _Seen(now, measured, hidden)
        return Observation(t, loglik, hand(hidden), tuple(notes))

    def settled(self, t: float, counts: Sequence[int]) -> None:
        """Remember how each hole looked in the last frame, as the look of `counts`; `t` does not matter.

        Raises:
            BadInput: not one count for each hole.
        """
        if len(counts) != len(self.layout.holes):
            raise BadInput(
                f"{len(counts)} counts were settled for a board of {len(self.layout.holes)} holes: give one each"
            )
        seen = self._seen
        for hole, count in enumerate(counts):
            look = self._looks[hole]
            if seen is not None and seen.covered[hole] <= HIDDEN_AT:
                area, circles = seen.measured.area[hole], seen.measured.circles[hole]
                self._looks[hole] = _Look(seen.frame, count, float(area), float(circles))
            elif look is not None and look.count != count:
                self._looks[hole] = None
        if seen is not None:
            self._misfit = self._misfit_of(seen.measured, counts)

    def _misfit_of(self, measured: Measured, counts: Sequence[int]) -> float:
        """How far plain counting is off on this board: it is trusted with changes accordingly."""
        known = np.array(counts, dtype=np.float64)
        expected = np.array([visible(known[[i]], room)[0] for i, room in enumerate(measured.room)])
        off = (measured.area / HALO + measured.circles) / 2 - expected
        return float(np.clip(np.sqrt(np.mean(off**2)), 0.2, 4.0))

    def _compare(self, view: View, now: Frame, measured: Measured) -> tuple[Floats, Floats]:
        """How much of each hole's surroundings is covered, and how many stones' area changed in it."""
        hidden = measured.covered.copy()
        stirred = np.zeros(len(view.holes))
        surface = surface_mask(view)
        still = surface | hole_mask(surface.shape, view.holes)
        unit = measured.stone_radius
        for before in {id(look.frame): look.frame for look in self._looks if look is not None}.values():
            mine = [i for i, look in enumerate(self._looks) if look is not None and look.frame is before]
            mask = changed(distance(before, now, still), unit)
            stones = area_in_holes(mask, view.holes) / (np.pi * unit**2)
            # against a known look a hand is what changed the surface, whatever the colour of the wood
            around = covered(view, large_parts(mask & surface, unit), surface)
            stirred[mine], hidden[mine] = stones[mine], around[mine]
        return hidden, stirred

    def _relative(self, look: _Look, measured: Measured, hole: int, stirred: float) -> Floats:
        """Log-likelihoods `(counts,)` of a hole by its change from a known look."""
        counts = np.arange(self.most + 1, dtype=np.float64)
        room = float(measured.room[hole])
        seen = visible(counts, room)
        known = float(seen[look.count]) if look.count <= self.most else float(visible(counts[-1:], room)[0])
        step = np.abs(counts - look.count)
        # stones that come lie on top and are seen; of those that go, only what was seen
        moved = np.where(counts > look.count, step**0.9, np.abs(seen - known)) + 0.1
        row = np.logaddexp(
            np.log(1 - UNSEEN_SHARE) + _log_normal(stirred + 0.02, moved, CHANGE_SPREAD),
            np.log(UNSEEN_SHARE) + _exponential(stirred, STILL),
        )
        row[step == 0] = np.logaddexp(
            np.log(1 - STIRRED_SHARE) + _exponential(stirred, STILL),
            np.log(STIRRED_SHARE) + _exponential(stirred, STIRRED),
        )
        grown_area = (measured.area[hole] - look.area) / HALO
        grown_circles = measured.circles[hole] - look.circles
        spread = 0.3 + 0.25 * self._misfit + 0.08 * step
        row += normal((grown_area + grown_circles) / 2, seen - known, spread)
        return with_outliers(row, RELATIVE_OUTLIER)


def _exponential(value: float, mean: float) -> float:
    return -value / mean - float(np.log(mean))


def _log_normal(value: float, median: Floats, sd: float) -> Floats:
    return np.asarray(-0.5 * (np.log(value / median) / sd) ** 2 - np.log(sd * value), dtype=np.float64)


def ailments(view: View) -> tuple[str, ...]:
    """What is wrong with a picture, each in one sentence with its mend."""
    found = []
    grey = cv2.cvtColor(view.image, cv2.COLOR_BGR2GRAY)
    level = float(np.percentile(grey, 90))
    if level < DARK_LEVEL:
        found.append(f"The picture is too dark ({level:.0f} of 255): give the board more light.")
    across = 2 * STONE_RADIUS_MM / MM_PER_PIXEL * view.scale
    if across < FEWEST_PIXELS:
        found.append(
            f"A stone is only {across:.0f} pixels across: move the camera nearer or raise its resolution."
        )
    width = _edge_width(view, np.asarray(grey, dtype=np.float32))
    if width is not None and width > BLURRED:
        found.append(
            f"The picture is blurred (edges {width:.0f} pixels wide): focus the camera or hold it still."
        )
    return tuple(found)


def _edge_width(view: View, grey: Pixels) -> float | None:
    """Picture pixels over which the sharpest edges of the markers rise; None without markers."""
    dx = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    dy = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    slope = np.hypot(dx, dy)
    widths = []
    for left, top, right, bottom in view.surface:
        rows, columns = slice(max(0, int(top)), int(bottom)), slice(max(0, int(left)), int(right))
        part = grey[rows, columns]
        if part.size:
            contrast = float(np.ptp(np.percentile(part, [2, 98])))
            widths.append(contrast / max(1e-3, float(np.percentile(slope[rows, columns], 99))))
    return float(np.median(widths)) * view.scale if widths else None
