"""The camera as a sensor: frames in, observations out, and a memory of how each hole looked.

Theory of operation. A network counts the stones of each hole, and is fitted to the set on the table as
the game goes on. But stones hide stones. A hole that looks as it did when the referee last knew its count
still holds that count, and one that has changed by about one stone's area holds about one more or fewer.
So once the referee has settled on a position, each hole is told by its change from that look: how much of
it changed, and how much of that turned from wood to stone or back. What a stone changes on this board is
learned from one position to the next. Without a settled look, at the start or after a hand hid it, a hole
is counted on its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import TypeAlias

import numpy as np

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Floats, Observation, nothing_seen
from vision import Image, Mask
from vision.ailments import ailments, untold
from vision.change import Frame, changed, covered_since, distance, frame
from vision.count import HIDDEN_AT, OUTLIER, hand, normal, visible, with_outliers
from vision.counter import Counted, Steady
from vision.crops import batch
from vision.markers import Registration, register
from vision.rectify import View, coarse, top_view
from vision.stones import (
    Measured,
    area_in_holes,
    covered,
    hole_mask,
    large_parts,
    logs,
    measure,
    surface_mask,
)
from vision.tuning import Tuning

Place: TypeAlias = Callable[[Image], Registration]
"""Where the board lies in a picture; raises `BadInput` if it is not found."""

STILL = 0.05
"""Stones' area that changes in a hole that nobody touched: light, noise (mean of an exponential)."""
STIRRED = 1.5
"""The same in a hole whose stones were moved and none added."""
STIRRED_SHARE = 0.03
UNSEEN_SHARE = 0.01
"""How often a stone comes or goes and nothing is seen of it."""
CHANGE, CHANGE_SPREAD = -0.1, 0.5
"""Log of the area that changes for each stone that comes or goes, in stones, and its standard deviation."""
BARE, BARE_SPREAD = 0.75, 0.35
"""How much of a stone that comes lies over bare wood, or leaves bare wood when it goes."""
PRIOR_TIMES, MOST_TIMES = 5.0, 60.0
"""For how many sightings the figures above stand, and how many a board's own are remembered."""
LEAST_SPREAD = 0.15
SURE = 0.7
"""How much less two counts of one board differ by chance than if they were of two boards."""
ALONE = 0.5
"""What a count by itself weighs beside its change: they come from the same pixels."""
RELATIVE_OUTLIER = 1e-6
"""How often change misleads altogether; a row never forbids a count."""
MOVED_MM = 3.0
"""By which a corner of the board lies elsewhere than in the frame before, when something was bumped."""
MOVED_S = 10.0
"""Seconds for which that is said."""
FROZEN_S = 8.0
"""Seconds in which no hand keeps so still that nothing changes in the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A frame, kept until the referee settles on it, and then as long as a hole is compared with it."""

    frame: Frame
    measured: Measured
    counted: Counted
    """By the network as it is shipped."""
    changes: "_Changes"
    untold: tuple[int, ...] = ()
    """The holes of which the picture tells nothing, for what ails it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """Where it can be seen how a hole looked when it held `count`."""

    seen: _Seen
    count: int


@dataclass(slots=True)
class _Usual:
    """What one stone that comes or goes changes on this board: a prior, and what was seen of it since."""

    mean: float
    spread: float
    """Standard deviation from one time to the next."""
    times: float = PRIOR_TIMES

    def learn(self, value: float) -> None:
        """Take in one more; old ones are forgotten at the rate of `MOST_TIMES`."""
        self.times = min(self.times + 1, MOST_TIMES)
        off = value - self.mean
        self.mean += off / self.times
        self.spread = float(np.sqrt(self.spread**2 + (off**2 - self.spread**2) / self.times))


@dataclass(slots=True, eq=False)
class _Changes:
    """How the holes differ from their looks, `(holes,)` each."""

    covered: Floats
    """Share of the surroundings that is covered."""
    area: Floats
    """Area that changed, in stones."""
    gained: Floats
    """What became stone less what became wood, in stones."""

    @classmethod
    def none(cls, measured: Measured) -> "_Changes":
        """Nothing has changed, as far as can be told."""
        holes = len(measured.covered)
        return cls(measured.covered.copy(), np.zeros(holes), np.zeros(holes))


class Camera:
    """An `engine.observation.Sensor` whose reading is a BGR picture of the whole board."""

    def __init__(
        self,
        layout: Layout,
        counts: int,
        first: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        place: Place | None = None,
    ) -> None:
        """A camera above the board of `layout`.

        Args:
            layout: with markers, which lie on the board only if it is found by them.
            counts: columns of an observation, 0 to counts - 1 seeds.
            first: what lies in each hole in the first frame that shows them all, where the players vouch for
                it; later frames are compared with that one. Without it the first frame is counted.
            names: of the holes, in what is said of them; by number if left out.
            place: what finds the board in a picture, if not its markers do.

        Raises:
            BadInput: `first` is not of this board.
        """
        self.layout = layout if place is None else replace(layout, markers=())
        self.most = counts - 1
        self._names = names or [f"hole {hole}" for hole in range(len(layout.holes))]
        self._place = place
        self._registration: Registration | None = None
        self._moved: tuple[float, float] | None = None
        """When the board was found elsewhere, and by how much, mm."""
        self._looks: list[_Look | None] = [None] * len(layout.holes)
        self._before: dict[int, Counted] = {}
        """By identity of what was seen: what the network says of it, as it is fitted now."""
        self._seen: _Seen | None = None
        self._clear: Frame | None = None
        """The last one in which the whole board was seen."""
        self._odd_since: float | None = None
        """Since when something has hidden the board that looks like no hand, and has not moved."""
        self._counter = Steady()
        self._tuning = Tuning()
        self._change = _Usual(CHANGE, CHANGE_SPREAD)
        self._bare = _Usual(BARE, BARE_SPREAD)
        self._first = None if first is None else self._one_each(first)

    def observe(self, t: float, reading: Image) -> Observation:
        """What a frame `(height, width, 3)` BGR, exposed at `t` seconds, says of the board.

        A frame in which the markers are hidden is read where the board was last; before the markers were ever
        found, it says nothing. Nor does it of holes of which the picture cannot tell. What ails the picture
        is in the observation's notes.
        """
        notes: list[str] = []
        try:
            if self._place is None:
                found = register(reading, self.layout, self._registration)
            else:
                found = self._place(reading)
            self._watch_place(t, found)
            self._registration = found
            notes.extend(found.notes)
        except BadInput as error:
            notes.append(f"The board is not found: {error}.")
        if self._registration is None:
            self._seen = None
            holes = len(self.layout.holes)
            return Observation(
                t, nothing_seen(holes, self.most + 1), np.zeros(holes), notes=tuple(notes), feels=False
            )
        if self._moved is not None:
            notes.append(
                f"The board or the camera has moved by {self._moved[1]:.0f} mm: fix both, "
                f"so that nothing shifts."
            )
        view = top_view(reading, self.layout, self._registration)
        ails = ailments(view)
        notes.extend(ailment.sentence(self._names) for ailment in ails)
        mute = untold(ails)
        counted = self._counter(batch(view))
        view = coarse(view)
        seen = logs(view.image)
        measured, now = measure(view, seen), frame(seen)
        if self._first is not None and not mute and measured.covered.max() <= HIDDEN_AT:
            notes.extend(_doubts(measured, self._first, self._names))
            self._seen = _Seen(now, measured, counted, _Changes.none(measured))
            self.settled(t, self._first)
        changes = self._compare(view, now, measured)
        if self._misled(t, now, measured, changes, surface_mask(view)):
            self._forget(changes)
            changes = self._compare(view, now, measured)
        tuned = self._tuning(counted)
        loglik = tuned.likelihoods(self.most)
        for hole, look in enumerate(self._looks):
            if changes.covered[hole] > HIDDEN_AT:
                loglik[hole] = 0.0
            elif look is not None:
                then = self._before[id(look.seen)]
                more = float(tuned.mean[hole] - then.mean[hole])
                spread = hypot(tuned.spread[hole], then.spread[hole])
                loglik[hole] = self._relative(look, loglik[hole], measured, hole, changes, more, spread)
        loglik[mute] = 0.0
        self._seen = _Seen(now, measured, counted, changes, tuple(mute))
        return Observation(t, loglik, hand(changes.covered), notes=tuple(notes), feels=False)

    @property
    def place(self) -> Registration | None:
        """Where the board lies in the last frame; None before it was ever found."""
        return self._registration

    def placed(self, place: Place, found: Registration) -> None:
        """Look for the board by `place` from now on; in the last frame it lies as `found`.

        How the holes looked is forgotten: that was elsewhere in the picture. The markers need not be there.
        """
        self.layout = replace(self.layout, markers=())
        self._place, self._registration, self._moved = place, found, None
        self._looks = [None] * len(self.layout.holes)
        self._seen = self._clear = None

    def settled(self, t: float, counts: Sequence[int]) -> None:
        """Remember how each hole looked in the last frame, as the look of `counts`; `t` does not matter.

        Raises:
            BadInput: not one count for each hole.
        """
        counts = self._one_each(counts)
        self._first = None
        seen = self._seen
        if seen is not None:
            # stones that lie as they lay teach nothing new
            new = [
                hole
                for hole, look in enumerate(self._looks)
                if seen.changes.covered[hole] <= HIDDEN_AT
                and hole not in seen.untold
                and (look is None or look.count != counts[hole])
            ]
            told = Counted(seen.counted.chance[new], seen.counted.features[new])
            self._tuning.learn(told, np.array([counts[hole] for hole in new], np.float64))
        for hole, count in enumerate(counts):
            look = self._looks[hole]
            if seen is not None and seen.changes.covered[hole] <= HIDDEN_AT and hole not in seen.untold:
                if look is not None:
                    self._learn(seen, look, hole, count)
                self._looks[hole] = _Look(seen, count)
            elif look is not None and look.count != count:
                self._looks[hole] = None
        if seen is not None and not seen.untold and seen.changes.covered.max() <= HIDDEN_AT:
            self._clear = seen.frame
        kept = {id(look.seen): look.seen.counted for look in self._looks if look is not None}
        self._before = {at: self._tuning(counted) for at, counted in kept.items()}

    def _watch_place(self, t: float, found: Registration) -> None:
        """Notice that the board lies elsewhere in the picture than in the frame before."""
        # the same place looks another one by another lens
        if self._registration is not None and self._registration.lens == found.lens:
            long, wide = self.layout.length, self.layout.width
            corners = np.array([(0.0, 0.0), (long, 0.0), (long, wide), (0.0, wide)])
            before = self._registration.to_picture(corners)
            apart = float(np.linalg.norm(found.to_board(before) - corners, axis=1).max())
            if apart > MOVED_MM:
                self._moved = (t, apart)
        if self._moved is not None and t - self._moved[0] > MOVED_S:
            self._moved = None

    def _misled(self, t: float, now: Frame, measured: Measured, changes: _Changes, surface: Mask) -> bool:
        """Whether it was in the frame before that something hid the board: now nothing looks so, or moves.

        A hand of the colour of the wood may have been taken for the board in the very first frame.
        """
        odd = changes.covered.max() > HIDDEN_AT >= measured.covered.max()
        if odd and self._seen is not None and self._odd_since is not None:
            moves = changed(distance(self._seen.frame, now, surface), measured.stone_radius) & surface
            odd = not large_parts(moves, measured.stone_radius).any()
        if not odd:
            self._odd_since = None
        elif self._odd_since is None:
            self._odd_since = t
        return self._odd_since is not None and t - self._odd_since >= FROZEN_S

    def _forget(self, changes: _Changes) -> None:
        """How the board and the holes looked that seem to be hidden."""
        self._clear, self._odd_since = None, None
        for hole in np.flatnonzero(changes.covered > HIDDEN_AT):
            self._looks[hole] = None

    def _one_each(self, counts: Sequence[int]) -> tuple[int, ...]:
        if len(counts) != len(self.layout.holes):
            raise BadInput(
                f"{len(counts)} counts were given for {len(self.layout.holes)} holes: give one for each"
            )
        return tuple(counts)

    def _compare(self, view: View, now: Frame, measured: Measured) -> _Changes:
        """How each hole differs from its look; nothing changed where there is none."""
        changes = _Changes.none(measured)
        surface = surface_mask(view)
        if self._clear is not None:
            hidden = large_parts(covered_since(self._clear, now, surface), measured.stone_radius)
            changes.covered = np.maximum(changes.covered, covered(view, hidden, surface))
        still = surface | hole_mask(surface.shape, view.holes)
        unit = measured.stone_radius
        stone_area = np.pi * unit**2
        for before in {id(look.seen): look.seen for look in self._looks if look is not None}.values():
            mine = [i for i, look in enumerate(self._looks) if look is not None and look.seen is before]
            mask = changed(distance(before.frame, now, still), unit)
            came = mask & measured.stone & ~before.measured.stone
            went = mask & before.measured.stone & ~measured.stone
            # against a known look a hand is what changed the surface, whatever the colour of the wood
            around = covered(view, large_parts(mask & surface, unit), surface)
            area = area_in_holes(mask, view.holes) / stone_area
            gained = (area_in_holes(came, view.holes) - area_in_holes(went, view.holes)) / stone_area
            changes.covered[mine] = np.maximum(changes.covered[mine], around[mine])
            changes.area[mine] = area[mine]
            changes.gained[mine] = gained[mine]
        return changes

    def _relative(
        self,
        look: _Look,
        said: Floats,
        measured: Measured,
        hole: int,
        changes: _Changes,
        more: float,
        spread: float,
    ) -> Floats:
        """Log-likelihoods `(counts,)` of a hole by its change from a known look and by itself.

        Args:
            said: `(counts,)`, what the network says of it by itself.
            more: stones that the network counts beyond those it counted then: what it errs by on this board
                is about the same in both.
            spread: its standard deviation, as the network tells it.
        """
        counts = np.arange(self.most + 1, dtype=np.float64)
        room = float(measured.room[hole])
        seen = visible(counts, room) - float(visible(np.array([float(look.count)]), room)[0])
        step = np.abs(counts - look.count)
        area, gained = float(changes.area[hole]), float(changes.gained[hole])
        row = np.logaddexp(
            np.log(1 - UNSEEN_SHARE)
            + _log_normal(
                area + 0.02, _moved(step, seen, self._change.mean), self._change.spread + LEAST_SPREAD
            ),
            np.log(UNSEEN_SHARE) + _exponential(area, STILL),
        )
        row[step == 0] = np.logaddexp(
            np.log(1 - STIRRED_SHARE) + _exponential(area, STILL),
            np.log(STIRRED_SHARE) + _exponential(area, STIRRED),
        )
        bare = np.hypot(self._bare.spread + LEAST_SPREAD, 0.12 * step)
        row += normal(gained, self._bare.mean * seen, bare)
        by_network = normal(more, counts - look.count, np.hypot(SURE * spread + LEAST_SPREAD, 0.1 * step))
        row += with_outliers(by_network, OUTLIER) + ALONE * with_outliers(said, OUTLIER)
        return with_outliers(row, RELATIVE_OUTLIER)

    def _learn(self, seen: _Seen, look: _Look, hole: int, count: int) -> None:
        """What stones change on this board, from a hole whose count went from one known number to another."""
        room = float(seen.measured.room[hole])
        both = visible(np.array([float(look.count), float(count)]), room)
        shown = float(both[1] - both[0])
        area = float(seen.changes.area[hole])
        if abs(shown) < 0.5 or area < STILL:
            return
        step = np.array([abs(float(count - look.count))])
        self._change.learn(float(np.log(area / _moved(step, np.array([shown]), 0.0)[0])))
        self._bare.learn(float(seen.changes.gained[hole]) / shown)


def _moved(step: Floats, shown: Floats, usual: float) -> Floats:
    """Stones' area that changes when `step` stones come or go, of which `shown` come to be seen or vanish."""
    # those that come lie on top and are seen; of those that go, only what was seen
    return np.asarray(np.exp(usual) * np.where(shown > 0, step**0.9, np.abs(shown)) + 0.05, dtype=np.float64)


def _exponential(value: float, mean: float) -> float:
    return -value / mean - float(np.log(mean))


def _log_normal(value: float, median: Floats, sd: float) -> Floats:
    return normal(float(np.log(value)), np.log(median), np.full_like(median, sd)) - float(np.log(value))


def _doubts(measured: Measured, first: Sequence[int], names: Sequence[str]) -> list[str]:
    """Where a board that the players vouch for looks otherwise: an empty hole fuller than a filled one."""
    filled = [area for area, count in zip(measured.area, first, strict=True) if count]
    least = min(filled, default=np.inf)
    return [
        f"It looks as if something lay in {names[hole]}, which should be empty: set the board up."
        for hole, count in enumerate(first)
        if not count and measured.area[hole] > least
    ]
