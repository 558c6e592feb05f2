"""How far a move has got: a forward filter over the prefixes of the traces of all legal moves.

The physical half of a move is a prefix of its trace (design.md), so the filter's states are those prefixes.
Between two looks a hand stays where it is, or goes on by a step or a few; seldom, anything else. The filter
says which pit is being sown and how many seeds are down; it never settles a move, `referee.referee` does that
on a quiet board.

Quick people never leave the board quiet. So where a move seems to be sown, a second filter begins from there,
and follows the next one, its captures lifted or not; and so on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import exp, factorial

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, State
from engine.move import PASS, Move
from engine.observation import Floats, Observation
from engine.step import Counts, Drop, Lift, Take, after, stages
from referee.explain import traces

_STEPS_S = 1.0
"""Steps of a hand that sows or captures in a second, in the mean of a turn with its pauses."""
_AT_ONCE_S = 0.1
"""How often in a second it does two or three of them at once, each: a handful, a burst."""
_MOST = 8
"""Steps between two looks that are thought of."""
_FIRST_S = 0.1
"""Seconds that are taken to lie before the first look."""
_ELSEWHERE = 1e-5
"""Probability of anything else: the filter can always recover."""
SURE = 0.95
"""Probability at which a pit is said to be sown."""
_DONE = 0.5
"""Probability that a move is sown from which the next move is followed."""
_PERHAPS = 0.01
""".. and from which a move may be done, when it is asked what all lies on the board."""
_STANDS = 4.0
"""Nats by which a look may speak against a board that it shows, all holes together."""
_STOOD, _STOOD_S = 3, 0.15
"""Looks and seconds for which it shows that board, if no hand only comes by it."""
_SEEN = 3.0
"""Nats by which a look must speak against a board that nobody has touched."""
_OUTDONE = 10.0
"""Nats by which the next move must explain what lies there better than this one to be under way."""
_AS_LIKELY = 5.0
"""Nats by which this move may explain better what lies there, where the next one may be under way."""
_ASTRAY = 45.0
"""Nats by which a look speaks against every board that is followed when none of them lies there."""
_SETTLED_BY_NEXT = 100.0
"""Nats of that beyond which this move is looked at no more."""
_AHEAD = 24
"""Moves that are followed beyond the settled position."""
_KEPT = 3
"""Moves after each of which the next one is followed, the likeliest; further on it is one."""
_WEIGHT = 0.5
"""Share of a look's evidence that is new: looks share their errors."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """A move, and how many of its steps are done."""

    move: Move | None
    """None: nothing has been touched."""
    done: int
    dropped: int
    """Seeds dropped since the last lift."""
    lifted: int
    """Seeds of the last lift."""


@lru_cache(maxsize=1024)
def _on(micros: int) -> Floats:
    """Probability that a hand does 0, 1, 2 .. steps in so long: chance, and now and then at once."""
    seconds = micros / 1e6
    mean = _STEPS_S * seconds
    chance = [exp(-mean) * mean**on / factorial(on) for on in range(_MOST + 1)]
    at_once = min(_AT_ONCE_S * seconds, 0.1)
    made = [p + (at_once if on in (2, 3) else 0.0) for on, p in enumerate(chance)]
    most = max(on for on, p in enumerate(made) if p > _ELSEWHERE)
    return np.array(made[: most + 1]) / sum(made[: most + 1])


class Progress:
    """The filter for one settled position."""

    def __init__(self, game: Game, state: State, ahead: int = 0) -> None:
        """Nothing has been touched.

        Args:
            state: the settled position, or the one after moves that seem to be done.
            ahead: how many.
        """
        self.game = game
        self.state = state
        self._moves_ahead = ahead
        self.traces = traces(game, state)
        self.prefixes = [Prefix(None, 0, 0, 0)]
        boards: list[Counts] = [state.counts]
        starts = []
        self._of: dict[Move, slice] = {}
        self._sown: dict[Move, int] = {}
        self._way: dict[Move, set[int]] = {}
        """Where each move drops seeds."""
        self._ending: dict[Move, set[int]] = {}
        for move, steps in self.traces.items():
            starts.append(len(boards))
            dropped = lifted = 0
            sown = len(boards)
            for done, (step, board) in enumerate(
                zip(steps, stages(state.counts, steps)[1:], strict=True), start=1
            ):
                if isinstance(step, Lift):
                    dropped, lifted = 0, step.seeds
                elif isinstance(step, Drop):
                    dropped += 1
                    sown = len(boards)
                else:
                    # What is captured is in the hand for a while.
                    self.prefixes.append(Prefix(move, done - 1, dropped, lifted))
                    boards.append(after(boards[-1], [Lift(step.pit, step.seeds)]))
                self.prefixes.append(Prefix(move, done, dropped, lifted))
                boards.append(board)
            self._of[move] = slice(starts[-1], len(boards))
            self._sown[move] = sown
            drops = [step.pit for step in steps if isinstance(step, Drop)]
            self._way[move] = set(drops)
            self._ending[move] = {*drops[-1:], *(step.pit for step in steps if isinstance(step, Take))}
        self._boards: NDArray[np.int64] = np.array(boards, dtype=np.int64)
        self._cells: dict[int, NDArray[np.int64]] = {}
        """By counts of a look, `(holes, n)`: where in it, row after row, each hole of a board stands."""
        self._pit_of = np.array([one.move.pit if one.move else -1 for one in self.prefixes])
        self._starts = np.array(starts, dtype=np.int64)
        lengths = np.diff([*starts, len(boards)])
        self._last = np.append(0, np.repeat(self._starts + lengths - 1, lengths))
        self._targets: dict[int, NDArray[np.int64]] = {}
        self.restart()

    def restart(self) -> None:
        """Nothing has been touched, whatever it looked like."""
        self._weights = np.full(len(self.prefixes), _ELSEWHERE)
        self._weights[0] = 1.0
        self._t: float | None = None
        self._then: dict[Move, Progress] = {}
        self._done_at: dict[Move, float] = {}
        self.seen = False
        """Whether the last look itself shows that something has been touched."""
        self._stood = (0, 0.0)
        """Looks that have shown the whole board as it is before anything is touched, and their seconds."""
        self._evidence = 0.0
        self._over = self._outdone = False
        self._joined: dict[Move, float] = {}
        """By move followed: the evidence so far when the next one began to be followed."""
        self.touched: int | None = None
        """The pit that was sown first, as far as that has shown for two looks."""
        self._shown: int | None = None

    def _passed(self, seconds: float) -> Floats:
        """`(n,)`: the weights when the hand has had so long."""
        n, weights, moves = len(self._weights), self._weights, len(self._starts)
        on = _on(round(seconds * 1e6))
        begun = np.repeat(weights[0] * on[1:] / max(moves, 1), moves)
        gone = np.concatenate(((on[:, None] * weights).ravel(), begun))
        # What goes on from nothing goes into the moves: its own rows are for none.
        passed: Floats = np.bincount(self._after(len(on)), gone, n + 1)[:n].astype(np.float64, copy=False)
        passed += weights.sum() * _ELSEWHERE / n
        return passed

    def _after(self, number: int) -> NDArray[np.int64]:
        """Where each prefix leads in 0, 1, 2 .. steps, so many rows of them; and each move in 1, 2 .."""
        if number not in self._targets:
            on = np.arange(number)[:, None]
            rows = np.minimum(np.arange(len(self._last)) + on, self._last)
            rows[1:, 0] = len(self._last)
            begun = np.minimum(self._starts + on[1:] - 1, self._last[self._starts])
            self._targets[number] = np.concatenate((rows.ravel(), begun.ravel()))
        return self._targets[number]

    def _fit(self, look: Floats) -> Floats:
        """`(n,)`, nats: how well the board of each prefix fits a look."""
        holes, counts = look.shape
        if counts not in self._cells:
            there = np.minimum(self._boards, counts - 1) + counts * np.arange(holes)
            self._cells[counts] = np.ascontiguousarray(there.T)
        fit: Floats = np.add.reduce(look.ravel().take(self._cells[counts]), axis=0)
        return fit

    def add(self, observation: Observation) -> bool:
        """Take in one look.

        Returns:
            Whether any of the boards that are followed fits it.
        """
        if self._over:
            return sum(following.add(observation) for following in self._then.values()) > 0
        fit = self._fit(observation.loglik) * _WEIGHT
        before = observation.t - _FIRST_S if self._t is None else self._t
        # The look of a second sensor may come late.
        seconds, self._t = max(observation.t - before, 0.0), max(observation.t, before)
        weights = self._passed(seconds) * np.exp(fit - fit.max())
        whole = float(weights.sum())
        self._evidence += float(np.log(whole) + fit.max())
        fits = float(fit.max()) > -_ASTRAY * _WEIGHT
        for following in self._then.values():
            fits |= following.add(observation)
        ahead = max(map(self._standing, self._then), default=-np.inf) - self._evidence
        self._over = ahead > _SETTLED_BY_NEXT
        self._outdone = ahead > _OUTDONE
        if self._outdone:
            # The next move is under way: none of the boards of this one is to be seen any more.
            return fits
        self._weights = np.maximum(weights / whole, 1e-12)
        # What hands hide may be anything, and proves nothing.
        best = int(self._weights.argmax())
        self.seen = bool(fit[best] > fit[0] + _SEEN)
        untouched = self._moves_ahead and best == 0 and fit[0] > -_STANDS * _WEIGHT
        if untouched and np.minimum.reduce(observation.loglik, axis=1).all():
            self._stood = (self._stood[0] + 1, self._stood[1] + seconds)
        if self.seen:
            self._note_touch()
            self._look_ahead(self._t)
        return fits

    def _standing(self, move: Move) -> float:
        """Nats: the evidence for `move` and what followed it, comparable with that for this move alone."""
        return self._joined[move] + self._then[move]._evidence

    def _note_touch(self) -> None:
        prefix, probability = self.best()
        shown = prefix.move.pit if prefix.move and probability > SURE else None
        if self.touched is None and shown == self._shown:
            self.touched = shown
        self._shown = shown

    def touch_after(self, move: Move, pit: int, held: int) -> None:
        """Somebody rests a finger in a pit when `move` is sown: a touch, but where that move has its end, or
        if the pit `held` what it never does in that move, and is put right."""
        following = self._then.get(move)
        if following is None or following.touched is not None or pit in self._ending[move]:
            return
        if held < 0 or (self._boards[self._of[move], pit] == held).any():
            following.touched = pit

    def _look_ahead(self, t: float) -> None:
        best = int(self._weights.argmax())
        move = self.prefixes[best].move
        if move is None:
            return
        if best == self._last[best] and self._weights[best] > _DONE * self._weights.sum():
            self._done_at.setdefault(move, t)
        if move in self._then or self._moves_ahead == _AHEAD:
            return
        sown = self._weights[self._sown[move] : self._of[move].stop].sum()
        if best < self._sown[move] or sown < _DONE * self._weights.sum():
            return
        state = self.game.play(self.state, move).state
        while self.game.legal(state) == (PASS,):
            state = self.game.play(state, PASS).state
        if state.player is not None:
            self._then[move] = Progress(self.game, state, self._moves_ahead + 1)
            self._joined[move] = self._evidence
        if len(self._then) > (1 if self._moves_ahead else _KEPT):
            del self._then[min(self._then, key=self._standing)]

    @property
    def shown(self) -> bool:
        """Whether the board was seen to lie as it is before anything is touched, if only in passing."""
        looks, seconds = self._stood
        return looks > 1 and seconds >= _STOOD_S

    def stood(self) -> tuple[tuple[Move, ...], State] | None:
        """The most moves after which the board was seen to lie untouched, so that no hand only came by, and
        the position then; None if there are none."""
        for move in sorted(self._then, key=self._standing, reverse=True):
            following = self._then[move]
            if further := following.stood():
                return (move, *further[0]), further[1]
            looks, seconds = following._stood
            if looks >= _STOOD and seconds >= _STOOD_S:
                return (move,), following.state
        return None

    def done_at(self, move: Move | None = None) -> float | None:
        """When `move` was first likely to be done, or any move; None if it was not, seconds."""
        if move is None:
            return min(self._done_at.values(), default=None)
        return self._done_at.get(move)

    def done(self) -> "list[tuple[tuple[Move, ...], Progress, bool]]":
        """The moves that seem to be done, as is likeliest: the first, the first two ..; the filter that
        follows the next one from there; and whether what has been seen since can only be of that one."""
        found: list[tuple[tuple[Move, ...], Progress, bool]] = []
        at, moves, sure = self, tuple[Move, ...](), True
        while at._then:
            move = max(at._then, key=at._standing)
            if not at._over and at._standing(move) < at._evidence - _AS_LIKELY:
                break
            sure = sure and at._outdone
            at, moves = at._then[move], (*moves, move)
            found.append((moves, at, sure))
        return found

    def after(self, state: State) -> "Progress":
        """The filter for the position settled since: the one that has followed it, or one that begins."""
        if state == self.state:
            self.restart()
            return self
        for move, following in self._then.items():
            if following.state == state:
                following._come_closer()
                if following.touched in self._way[move] and following.best()[0].move is None:
                    # A seed of this move that fell late: until then its pit looked as if it had been lifted.
                    following.touched = None
                return following
        return Progress(self.game, state)

    def _come_closer(self) -> None:
        self._moves_ahead -= 1
        for following in self._then.values():
            following._come_closer()

    def in_succession(self) -> Iterator[tuple[tuple[Move, ...], Counts, bool]]:
        """What may lie on the board when the next move has been begun, or made, before this one was settled.

        Yields:
            The moves that are done; what lies on the board; whether yet another move is under way.
        """
        for move, following in self._then.items():
            for at in np.flatnonzero(following._weights > _PERHAPS * following._weights.sum()):
                prefix = following.prefixes[at]
                last = prefix.move
                board = tuple(following._boards[at].tolist())
                if last is not None and following._last[at] == at:
                    yield (move, last), board, False
                elif last is not None and prefix.dropped:
                    # A pit lifted and not sown is no proof: a wrong capture looks so, and seeds astray.
                    yield (move,), board, True
            for moves, counts, under_way in following.in_succession():
                yield (move, *moves), counts, under_way

    def best(self) -> tuple[Prefix, float]:
        """The likeliest prefix, and the probability that its pit is being sown, whichever way and how far."""
        best = int(self._weights.argmax())
        same = self._pit_of == self._pit_of[best]
        return self.prefixes[best], float(self._weights[same].sum() / self._weights.sum())

    def log_weight(self, *moves: Move) -> float:
        """Natural log of the probability that the first of `moves` is being played, or has been, and then the
        next, as far as they were followed."""
        first = float(np.log(self._weights[self._of[moves[0]]].sum() / self._weights.sum()))
        following = self._then.get(moves[0])
        if len(moves) == 1 or following is None or moves[1] not in following._of:
            return first
        return first + following.log_weight(*moves[1:])
