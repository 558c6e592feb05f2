"""The referee: observations and buttons in, events out.

Theory of operation. The referee holds one *settled* position, the authority. From it come all explanations of
what may lie on the board (`referee.explain`). Each observation goes into the belief (`referee.belief`) and
into the filter that follows the hand (`referee.progress`). The filter speaks while the hand works: which pit
was touched, how far the sowing is. Verdicts come only from a quiet board, one on which every hole has had its
clear looks and no hand hides a pit:

===============  ==============================================================================
best explanation what the referee does
===============  ==============================================================================
still            waits; a mistake that was put back is mended
move, moves      settles them, if no other board is nearly as likely; after `choice_s` one whose board a move
                 comes by that goes on
begun            settles the moves that are done, and waits for the one that is under way
due              says which captures are to be lifted; after `capture_s` they were missed
hand             waits; after `hand_s` the seeds are missing, after `capture_s` a relay was not continued
begun            settles the move that is done; the next is explained from there
mistake          after `mistake_s`, in which players mend their own slips, says what and how to mend
earlier          after twice `settle_s`, takes back the moves that the players have put back
unknown          after twice that, or `hand_s` if seeds are held, says that nothing explains the board
===============  ==============================================================================

After a violation the settled position stays the authority until the board shows it again or shows a legal
move; then the game goes on by itself. Or another position is accepted by a ruling (`referee.policy`), and is
the authority from then on. Where a quiet board stays doubtful and something waits for it, the referee asks;
what the players answer holds until the board changes.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import exp, prod
from typing import Literal

import numpy as np

from engine import line, position
from engine.errors import BadInput
from engine.game import Game, State
from engine.move import PASS, SWAP, Move
from engine.observation import Floats, Observation
from engine.step import Counts, Drop, Take
from referee import explain, outlook, policy, reading, reasons, second, words
from referee.belief import Belief
from referee.events import (
    CaptureDone,
    CaptureDue,
    Event,
    GameOver,
    GameStarted,
    Mend,
    Mended,
    MoveMade,
    Pass,
    Question,
    Recount,
    Ruling,
    SensorBack,
    SensorLost,
    Sowing,
    Takeback,
    Touch,
    Turn,
    Violation,
)
from referee.explain import Explanation
from referee.outlook import Outlook
from referee.policy import By, Policy
from referee.progress import SURE, Progress
from referee.view import Phase, View
from referee.words import mends

SPARE_COUNTS = 4
"""Counts beyond the number of seeds that an observation's likelihoods must reach: seeds may be added."""
_IMPOSSIBLE = -1000.0
"""Nats below which looks are all the same: what is -inf at one look must not be out of reach for ever."""
_PRESSED = 0.5
_GLIMPSE = 2
"""Clear looks after which a hand has left a hole."""
_LIFTED = 6.0
"""Nats by which an empty pit must beat its settled count to have been lifted."""
_AS_LIKELY = 5.0
"""Nats by which the hand's way must speak for one of two moves to leave the other out of account."""
_DONE = ("move", "moves", "begun", "due")
"""Stories in which a move has been made."""
_RIVALS = 40
"""Explanations that are weighed against each other, the best."""
_STILL_FITS = -2.0
"""Nats from which the settled position fits so well that no mistake needs to be thought of."""
_AHEAD = 3
"""Moves that seem to be done, after each of which a mistake is looked for."""
_GOES_ON = 2.2
"""Times from one seed to the next within which the hand of a move goes on when its last seed lies: later, it
is the next player's."""
_PACE_S = 0.4
"""Seconds from one seed to the next of who has not sown yet."""
_GAPS = 15
"""Seeds from which a pace is taken."""
_UNSEEN = 10.0
"""Nats that speak against a mistake of another move than the one that was seen to be done."""
_NOT_THAT_HAND = 3.0
"""Nats that speak against a mistake of who has just moved, if it was another hand by all that is seen."""
_PRACTICALLY = 0.999
"""Probability from which nobody asks why a move was settled."""
_STILL = Explanation("still", (), 0.0)
_UNKNOWN = Explanation("unknown", (), -20.0, kind="board_disturbed")


@dataclass(slots=True)
class _Ended:
    """How the move before has ended."""

    move: Move
    pit: int
    """Where its last seed fell."""
    player: int
    t: float
    """When the board came to rest, seconds."""
    stirred: Floats
    """`(holes,)`: when each was first hidden or changed again; inf if it was not."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How patient and how strict the referee is. Times in seconds."""

    settle_s: float = 0.25
    """A board must have been quiet this long before a move settles."""
    mistake_s: float = 1.0
    """.. before a mistake is called: players correct a slip within a second."""
    capture_s: float = 8.0
    """.. before captures that are due count as missed."""
    choice_s: float = 2.0
    """.. before a move settles whose board another legal move, or the same carried on, only comes by."""
    hand_s: float = 10.0
    """.. before seeds in the hand count as missing."""
    question_s: float = 3.0
    """.. before the players are asked."""
    touch_s: float = 0.5
    """A pit pressed this long has been touched, not brushed."""
    certain: float = 0.99
    """Probability at which a move settles."""
    certain_mistake: float = 0.9
    """Probability at which a mistake is called."""
    touch: Literal["strict", "announce", "off"] = "strict"
    """Touch-means-sow (rules.md): enforced, only said, or neither."""
    policy: Policy = "strict"
    """What becomes of a board that is against the rules (`referee.policy`)."""
    takeback: Literal["free", "locked"] = "free"
    """Whether players may take moves back, or the arbiter alone."""


class Referee:
    """One game on one board. Deterministic: the same observations and inputs make the same events."""

    def __init__(
        self,
        game: Game,
        state: State | None = None,
        *,
        moves: Sequence[line.Entry] = (),
        resumed: bool = False,
        settings: Settings | None = None,
        counts: int | None = None,
        each_s: float = outlook.EACH_S,
    ) -> None:
        """A referee at the start of `game`, or at `state`, with `moves` already played there.

        Args:
            moves: and, where a ruling put another position in the place of the last, that.
            resumed: the board has been set up before and play may have gone on: what it shows need not be the
                position, but may be a move, or half of one.
            counts: length of the count axis that observations have; None for as many as are needed.
            each_s: units of work on explanations in a second of the board's time (`referee.outlook`).

        Raises:
            BadInput: one of the moves is not legal.
        """
        self.game = game
        self.settings = settings or Settings()
        self.state = state or game.start()
        self._past: list[tuple[State, line.Entry]] = []
        for entry, after in zip(moves, line.follow(game, self.state, moves), strict=True):
            self._past.append((self.state, entry))
            self.state = after
        holes = game.pits + game.players
        most = max(sum(state.counts) for state in (*self._states, self.state))
        self._belief = Belief(holes, counts or most + SPARE_COUNTS)
        self._t = 0.0
        self.accepted_at = float("-inf")
        """When the board was last seen quiet in the settled position; what `Sensor.settled` wants to know."""
        self._setup = not resumed
        self._progress = Progress(game, self.state)
        self._gaps: dict[int, deque[float]] = {}
        """By player: seconds from one seed sown to the next, of late."""
        self._sown_at = 0.0
        self._each_s = each_s
        self._looks_out_from: tuple[int, State] | None = None
        """How many entries there were, and the settled position, from which the explanations are made."""
        self._ahead: dict[State, Outlook] = {}
        """From the positions after moves that seem to be done."""
        self._unseen = True
        self._lost = False
        self._over: GameOver | None = None
        self._violation: Violation | None = None
        self._want: Counts = ()
        """The board that mends the violation."""
        self._mistaken = _UNKNOWN
        """What the violation says has happened."""
        self._onward: list[tuple[int, Explanation]] = []
        """How play may go on from it, where the policy lets it."""
        self._demanded = False
        """It has been ruled that the board is put right."""
        self._question: Question | None = None
        self._choices: tuple[Explanation, ...] = ()
        self._told: Explanation | None = None
        """What the players answered of the board as it lies."""
        self._restoring = False
        self._recounting = False
        self._touched: int | None = None
        self._touched_early: int | None = None
        """The pit touched before the position was settled."""
        self._bound: Move | None = None
        self._settle()

    @property
    def ply(self) -> int:
        """Moves completed."""
        return len(self.moves)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves completed, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Move))

    @property
    def entries(self) -> tuple[line.Entry, ...]:
        """The moves completed, and the positions that rulings put in the place of others; in order."""
        return tuple(entry for _, entry in self._past)

    @property
    def _states(self) -> list[State]:
        """The positions before each entry of the line."""
        return [state for state, _ in self._past]

    @property
    def counts(self) -> int:
        """Length of the count axis that observations must have: 0 to all seeds and a few more."""
        return self._belief.counts

    @property
    def changed_at(self) -> float:
        """When the board last changed or a hand was last over it, seconds; -inf before that."""
        return self._belief.changed_at

    @property
    def ended_at(self) -> float:
        """When the move of this turn ended, if it is done: the next may be under way before it is settled."""
        done = self._progress.done_at()
        return self.changed_at if done is None else min(done, self.changed_at)

    def start(self, t: float) -> list[Event]:
        """Begin, or go on after a resume: says what is played. The turn follows when the board is set up."""
        self._t = t
        started = GameStarted(
            t, self.ply, self._player, self.game.name, tuple(sorted(self.game.options.items())),
            self.state.pits, self.state.stores,
        )  # fmt: skip
        return [started, *self._end(t)] if self.state.result else [started]

    def observe(self, observation: Observation) -> list[Event]:
        """Take in one look at the board.

        Raises:
            ValueError: the look is of another board.
        """
        # The look of a second sensor may come late; what is said of it is said now.
        t = max(observation.t, self._t)
        self._look_out(t - self._t)
        self._t = t
        observation = replace(
            observation,
            loglik=np.maximum(observation.loglik, _IMPOSSIBLE),
            total=None if observation.total is None else np.maximum(observation.total, _IMPOSSIBLE),
        )
        lapsed = False
        if self._belief.add(observation):
            lapsed = self._question is not None
            self._question = self._told = None
        if self._over or self._lost:
            return []
        if ended := self._ended:
            ended.stirred[(self._belief.since > ended.t) & (ended.stirred == np.inf)] = t
        events = self._with_turn(t, []) if lapsed else []
        doubtful = self._question or self._told
        if not (self._setup or self._restoring or doubtful):
            follows = self._progress.add(observation)
            if not self._violation:
                events += self._follow_hand(t)
            elif not follows:
                # What the hand does until the board is right is no beginning of the next move.
                self._progress.restart()
        if self._belief.clear and t - self._belief.changed_at >= self.settings.settle_s:
            events += self._judge(t, t - self._belief.changed_at)
        return events

    def input(
        self,
        t: float,
        name: str,
        choice: int | None = None,
        *,
        player: int | None = None,
        arbiter: bool = False,
    ) -> list[Event]:
        """A button, a key or the page.

        They are adjust, done, takeback, resign, recount, swap, answer, accept and correct.

        Args:
            choice: for `answer`: which of the question's choices, from 0.
            player: for `accept`: who is to move next; None for who follows from what was done.
            arbiter: whether it is the arbiter who says so.

        Raises:
            BadInput: no such input, or it has no meaning now.
        """
        self._t = t
        if name == "adjust":
            self._adjusting = True
            self._touched = self._touched_early = self._bound = None
            return []
        if name == "done":
            self._done = True
            return []
        if name == "recount":
            self._belief.forget(t)
            self._question = self._told = None
            self._recounting = True
            return [Recount(t, self.ply, self._player, done=False)]
        if name == "takeback":
            self.may_take_back(arbiter)
            self._told = None
            return [self._take_back(t)]
        if self._over:
            raise BadInput(f"{name} has no meaning: the game is over; take back, and it is not")
        if name == "accept":
            return self._accept(t, player, self._who_rules(arbiter))
        if name == "correct":
            return self._demand(t, self._who_rules(arbiter))
        if name == "end":
            raise BadInput("end has no meaning: no match of several rounds is played")
        if name == "resign":
            return self.forfeit(t, self._player, f"{self.game.player_name(self._player)} resigned")
        if name == "swap":
            if SWAP not in self.game.legal(self.state):
                raise BadInput(
                    "swap has no meaning now: it belongs to the second player's first turn, with pie"
                )
            if self._violation or self._restoring:
                raise BadInput("swap has no meaning until the board is put right")
            return self._complete(t, SWAP, 1.0, quiet=False)
        if name == "answer":
            return self._answer(t, choice)
        raise BadInput(
            f"unknown input {name!r}: adjust, done, takeback, resign, recount, swap, answer, accept or "
            f"correct was expected"
        )

    def forfeit(self, t: float, player: int, why: str) -> list[Event]:
        """`player` has lost the game, with a partner if there is one; the others share the first place."""
        self._t = t
        team = self.game.rules.team(player)
        winners = tuple(p for p in range(self.game.players) if self.game.rules.team(p) != team)
        self._over = GameOver(t, self.ply, player, self.state.stores, winners, why)
        return [self._over]

    def lost(self, t: float, why: str, sensor: str = "", watching: Sequence[str] = ()) -> list[Event]:
        """A sensor is gone. When it was the last one, nothing is judged until one is back.

        Args:
            watching: the sensors that are still there.
        """
        if watching:
            self._belief.leave(sensor)
        elif self._lost:
            return []
        self._t, self._lost = t, not watching
        return [SensorLost(t, self.ply, self._player, why, sensor, tuple(watching))]

    def back(self, t: float, how: str, sensor: str = "", watching: Sequence[str] = ()) -> list[Event]:
        """A sensor is back. When it is the first, what was believed of the board is forgotten, what was
        settled is not.

        Args:
            watching: the sensors that were there meanwhile.
        """
        if watching:
            return [SensorBack(t, self.ply, self._player, how, sensor, tuple(watching))]
        if not self._lost:
            return []
        self._t, self._lost = t, False
        self._belief.forget(t)
        self._question = self._told = None
        return [SensorBack(t, self.ply, self._player, how, sensor)]

    def view(self) -> View:
        """How things stand, to be drawn."""
        live, certain = self._belief.likely()
        mend: tuple[Mend, ...] = ()
        if self._setup or self._restoring or self._violation:
            want = self._want if self._violation else self.state.counts
            # What a hand hides is not known to be wrong.
            mend = tuple(item for item in mends(live, want) if self._belief.looks[item.pit])
        player = self.state.player
        own = {move.pit for move in self.game.legal(self.state) if move.sows}
        return View(
            game=self.game.name,
            options=tuple(sorted(self.game.options.items())),
            players=self.game.players,
            pits=self.game.pits,
            counts=self.state.counts,
            live=live,
            certain=certain,
            hand=tuple(float(value) for value in self._belief.hand),
            phase=self._phase(),
            player=player,
            touched=self._touched,
            binding=self._bound is not None,
            legal=tuple(sorted(own)) if not self._over else (),
            due=tuple(step.pit for step in self._due),
            mend=mend,
            violation=self._violation,
            question=self._question,
            result=self._over,
            owner=self.game.rules.board.owner,
            closed=self.game.rules.board.protected,
            policy=self.settings.policy,
            locked=self.settings.takeback == "locked",
            deciders=self._deciders(),
            follows=self._follows() if self._violation and not self._setup else None,
        )

    @property
    def _player(self) -> int:
        if self.state.player is not None:
            return self.state.player
        return self._past[-1][0].player or 0 if self._past else 0

    @property
    def _in_play(self) -> bool:
        return self._phase() in ("waiting", "sowing", "capture")

    def _phase(self) -> Phase:
        if self._lost:
            return "lost"
        if self._over:
            return "over"
        if self._question:
            return "question"
        if self._setup:
            return "setup"
        if self._awaits_ruling:
            return "decide"
        if self._violation or self._restoring:
            return "mend"
        if self._due:
            return "capture"
        return "sowing" if self._touched is not None else "waiting"

    def _settle(self) -> None:
        """Make the present state the one from which everything is explained."""
        if self._told:
            # An answer is of the board, which lies as it lay.
            self._told = _STILL._replace(counts=self.state.counts)
        self._progress = self._progress.after(self.state)
        here = (len(self._past), self.state)
        if here != self._looks_out_from:
            ready = self._ahead.pop(self.state, None)
            self._outlook = ready if ready else self._outlook_of(self._progress)
            self._outlook.settle(self._states)
            self._looks_out_from = here
        self._touched = self._bound = None
        self._touched_early = self._progress.touched
        self._announced: set[int] = set()
        self._sown = (0, 0)
        self._due: tuple[Take, ...] = ()
        self._done = False
        self._ended: _Ended | None = None
        self._adjusting = False
        self._pressed_since: dict[int, float] = {}
        self._brushed: set[int] = set()
        self._rested = False
        self._lain = True
        """Whether the settled position has been seen to lie on the board, if only in passing."""

    def _outlook_of(self, progress: Progress) -> Outlook:
        return Outlook(self.game, progress.state, progress.traces)

    def _look_out(self, seconds: float) -> None:
        """Go on making explanations, of the settled position first."""
        units = self._outlook.work(outlook.fair(seconds, self._each_s))
        ahead = self._progress.done()[:_AHEAD] if units > 0 else ()
        if ahead:
            self._ahead = {
                following.state: self._ahead.get(following.state) or self._outlook_of(following)
                for _, following, _ in ahead
            }
        for one in self._ahead.values():
            units = one.work(units)

    def _follow_hand(self, t: float) -> list[Event]:
        """Say which pit is touched and how far the sowing is."""
        if self._touched_early is not None:
            early, self._touched_early = self._touched_early, None
            return self._touch(t, early)
        prefix, probability = self._progress.best()
        if prefix.move is not None and probability > SURE and self._progress.seen:
            events = self._touch(t, prefix.move.pit) if self._touched is None else []
            at = (prefix.done - prefix.dropped, prefix.dropped)
            if at > self._sown and prefix.dropped:
                if at == (self._sown[0], self._sown[1] + 1):
                    gaps = self._gaps.setdefault(self._player, deque(maxlen=_GAPS))
                    gaps.append(t - self._sown_at)
                self._sown, self._sown_at = at, t
                events.append(
                    Sowing(t, self.ply, self._player, prefix.move.pit, prefix.dropped, prefix.lifted)
                )
            pressed = self._pressed(t)
            if pressed is not None:
                self._progress.touch_after(prefix.move, pressed, int(self._belief.held[pressed]))
            return events
        pit = self._pressed(t) if self._touched is None else None
        if pit is None:
            return self._lifted(t)
        if self._belief.held[pit] not in (-1, self.state.pits[pit]):
            # Somebody puts right what has rolled there, or fell short.
            return []
        self._rested = True
        return self._touch(t, pit)

    def _pressed(self, t: float) -> int | None:
        """A finger that rests in one pit, and nowhere else, touches it."""
        belief, since = self._belief, self._pressed_since
        touch = belief.touch >= _PRESSED
        # Where a hand has just been, a look or two without it may be the pit lifted and put back.
        touch[[hole for hole in since if belief.looks[hole] <= _GLIMPSE]] = True
        pressed: list[int] = np.flatnonzero(touch).tolist()
        if not pressed:
            self._pressed_since = {}
            return None
        # Who rests a hand on several pits touches none, though not all of them feel it all the time.
        stirred = set(np.flatnonzero(t - belief.since < self.settings.touch_s).tolist())
        alone = len(pressed) == 1 and stirred <= set(pressed)
        self._brushed.update(pressed)
        self._pressed_since = {hole: since.get(hole, t) if alone else t for hole in pressed}
        if len(pressed) != 1 or pressed[0] >= self.game.pits:
            return None
        return pressed[0] if t - self._pressed_since[pressed[0]] >= self.settings.touch_s else None

    def _lifted(self, t: float) -> list[Event]:
        """A pit that is suddenly empty, though no legal move lifts it now."""
        if self._touched is not None:
            return []
        evidence, looks = self._belief.evidence, self._belief.looks
        for pit in np.flatnonzero(evidence[: self.game.pits, 0] == 0).tolist():
            seeds = self.state.pits[pit]
            if seeds and looks[pit] > 1 and evidence[pit, seeds] < -_LIFTED:
                return self._touch(t, pit)
        return []

    def _touch(self, t: float, pit: int) -> list[Event]:
        """Announce a touch, and let it bind if the rules say so."""
        if pit in self._announced or self.settings.touch == "off":
            return []
        self._announced.add(pit)
        player = self._player
        moves = [move for move in self.game.legal(self.state) if move.pit == pit]
        if not moves:
            owner = self.game.rules.board.owner[pit]
            first = Move(pit, self.game.ways(self.state, owner)[0])
            why = self.game.why_not(self.state, first).split(";")[0]
            return [
                Touch(t, self.ply, player, pit, False, f"{self.game.hole_name(pit)} binds nothing: {why}.")
            ]
        self._touched = pit
        binding = self.settings.touch == "strict" and not self._adjusting
        if binding:
            self._bound = moves[0]
        return [Touch(t, self.ply, player, pit, binding)]

    def _judge(self, t: float, quiet: float) -> list[Event]:
        """What a quiet board means; whose turn it is, too, if it is asked about no more."""
        asked = self._question is not None
        events = self._judged(t, quiet)
        return self._with_turn(t, events) if asked and self._question is None else events

    def _judged(self, t: float, quiet: float) -> list[Event]:
        explained = (self._told, 1.0, []) if self._told else self._explain()
        if explained is None:
            return []
        best, certainty, rivals = explained
        soon = quiet < self.settings.mistake_s
        if self._violation and best.story == "begun" and soon and not self._shown(best.moves):
            # Seeds on their way from one hole to another are of the mend.
            return []
        disputed = self._disputed(t, quiet, best, rivals)
        if disputed is not None:
            return disputed
        bound = self._bound
        if bound and best.story in _DONE and best.moves[0].pit != bound.pit:
            best = best._replace(
                story="mistake", kind="touched_other_pit",
                pits=(bound.pit, best.moves[0].pit), want=self.state.counts, moves=best.moves[:1],
            )  # fmt: skip
        if best.story == "hand" and not self._setup:
            patience = self.settings.capture_s if best.kind else self.settings.hand_s
            if self._violation or (quiet < patience and not self._done):
                return []
            best = best._replace(story="mistake", kind=best.kind or "seeds_missing")
        if best.story == "earlier" and self.settings.takeback == "locked":
            best = best._replace(story="mistake", kind="taken_back", want=self.state.counts)
        wrong = best.story in ("mistake", "unknown")
        if certainty < (self.settings.certain_mistake if wrong else self.settings.certain):
            return self._ask(t, quiet, best, certainty, rivals)
        if self._violation and not (wrong or self._told or self._belief.admits(best.counts)):
            # The mend goes on: a board that is put right shows it in every hole, or the players say so.
            return []
        self._question = None
        events: list[Event] = []
        if self._recounting and best.story in ("still", "move", "moves", "begun"):
            self._recounting = False
            events.append(Recount(t, self.ply, self._player, done=True))
        if best.story == "still":
            return events + self._still(t)
        if self._restoring and not self._setup:
            return events
        if wrong:
            return events + self._wrong(t, quiet, best, certainty, rivals)
        if best.story == "earlier":
            return events + self._restored(t, quiet, best)
        if best.story == "due":
            return events + self._captures_due(t, quiet, best, certainty, rivals)
        if best.story == "move" and soon and self._astray(best.counts):
            return events
        passing = quiet < self.settings.choice_s and not self._done
        if best.story == "move" and passing and self._passed_by(best):
            return events
        why = None
        if rivals and certainty < _PRACTICALLY:
            why = reasons.of(self.game, self.state, self._belief, best, certainty, rivals, best.counts)
        # The last of several is judged at the next look, when it is the only one: the hand may be passing by.
        done = best.moves[:-1] if best.story == "moves" and passing else best.moves
        made = self._complete_all(t, done, certainty, done == best.moves and best.story != "begun")
        return events + [replace(one, reasons=why) if isinstance(one, MoveMade) else one for one in made]

    def _complete_all(self, t: float, moves: Sequence[Move], certainty: float, quiet: bool) -> list[Event]:
        """Settle moves made one after another; `quiet` unless yet another one is on the board."""
        events: list[Event] = []
        for at, move in enumerate(moves):
            if at and self._touched_early not in (None, move.pit) and self.settings.touch == "strict":
                # Judged at the next look, with what binds.
                break
            events += self._complete(t, move, certainty, quiet and at + 1 == len(moves))
        return events

    def _seen_before(self, wrong: Explanation) -> tuple[Move, ...]:
        """The moves whose boards were seen before a bump, or before another hand sowed a last seed on."""
        stood = self._progress.stood()
        if stood is None or not (wrong.story == "unknown" or wrong.kind == "sown_long"):
            return ()
        moves, state = stood
        if wrong.story == "mistake":
            passing = any(one.story in ("hand", "due") for one in self._outlook.of(state.counts))
            if wrong.moves != moves or wrong.want != state.counts or passing:
                return ()
        return moves

    def _astray(self, counts: Counts) -> bool:
        """Whether the move before may have ended so, with a seed astray that its player puts right: one
        seed lies elsewhere, and the board without that was not seen."""
        apart = sum(abs(there - here) for there, here in zip(counts, self.state.counts, strict=True))
        return apart == 2 and not (self._lain or self._done or self._violation)

    def _shown(self, moves: tuple[Move, ...]) -> bool:
        """Whether the board after `moves` has lain there, if only in passing."""
        return any(done == moves and following.shown for done, following, _ in self._progress.done())

    def _passed_by(self, best: Explanation) -> bool:
        """Whether the hand may be in a move that comes by this board and goes on: a choice, captures that are
        lifted one by one, or by chance."""
        least = self._progress.log_weight(best.moves[0]) - _AS_LIKELY
        return any(
            # Of captures that are lifted in another order than theirs the hand's way tells nothing.
            one.story == "due" or (one.story == "hand" and self._progress.log_weight(one.moves[0]) > least)
            for one in self._legal()
            if one.counts == best.counts
        )

    def _legal(self) -> list[Explanation]:
        """The explanations in which nobody went wrong."""
        return self._outlook.found[: self._outlook.legal]

    def _fit(self, number: int) -> Floats:
        """`(number,)`, nats: how well the first explanations fit."""
        fit: Floats = self._belief.fit(self._outlook.boards(number)) + self._outlook.priors(number)
        return fit

    def _explain(self) -> tuple[Explanation, float, list[Explanation]] | None:
        """The best explanation, the probability of its board, and the likely boards, best first.

        None while there may be better ones that are not made yet.
        """
        fits, ahead = self._belief.standing(self.state.counts)
        if fits >= _STILL_FITS and ahead > 0.0:
            # As it nearly always is: nothing can raise enough of a doubt.
            least = 1.0 / (1.0 + _RIVALS * exp(-ahead) + exp(_UNKNOWN.prior - fits))
            if least >= self.settings.certain:
                return self._outlook.found[0], least, self._outlook.found[:1]
        found, fit = self._outlook.found, self._fit(self._outlook.legal)
        more: list[Explanation] = []
        if self._setup:
            found, fit = found[: self._outlook.at_once], self._fit(self._outlook.at_once)
            fit[[one.story not in ("still", "mistake") for one in found]] = -np.inf
        elif fit[0] < _STILL_FITS or int(fit.argmax()) != 0:
            if not self._outlook.complete:
                return None
            fit = self._fit(len(found))
            more = [explain.several(*one) for one in self._progress.in_succession()]
            if more:
                found = [*found, *more]
                seen = self._belief.fit(np.array([one.counts for one in more]))
                fit = np.concatenate((fit, seen + [one.prior for one in more]))
        best_of_all = min(_RIVALS, len(fit))
        order = np.sort(np.argpartition(-fit, best_of_all - 1)[:best_of_all])
        order = order[np.argsort(-fit[order], kind="stable")]
        if fit[order[0]] < explain.LASTING and not (self._setup or self._outlook.exhausted):
            return None
        best = [(score, found[at]) for score, at in zip(fit[order].tolist(), order.tolist(), strict=True)]
        likely, sure = self._belief.likely()
        # Two mistakes explain many a board: only one that is read surely needs them.
        needed = best[0][0] < second.BEST and prod(sure) >= self.settings.certain_mistake
        if needed and not self._setup and (two := self._outlook.two_mistakes(likely)):
            at_best = two.prior + float(self._belief.fit(np.array([two.counts]))[0])
            best = sorted([*best, (at_best, two)], key=lambda one: -one[0])
        done = [] if self._setup or self._violation else self._progress.done()
        if done and done[0][2] and done[0][1].shown:
            # Its board has lain there, and what came then is no way on from the settled position.
            best = [(score - (0.0 if self._agrees(one, done[0][0]) else _UNSEEN), one) for score, one in best]
            best.sort(key=lambda one: -one[0])
        if best[0][0] < second.BEST and not self._setup:
            further = self._further()
            if further is None:
                return None
            best = sorted([*best, *further], key=lambda one: -one[0])
        top = max(best[0][0], _UNKNOWN.prior)
        weight = exp(_UNKNOWN.prior - top)
        by_board: dict[Counts, float] = {}
        rivals: dict[Counts, Explanation] = {}
        for score, one in best:
            share = exp(score - top)
            # Two stories of one board are no doubt about the board.
            by_board[one.counts] = max(by_board.get(one.counts, 0.0), share)
            rivals.setdefault(one.counts, one)
        whole = sum(by_board.values()) + weight
        unknown = _UNKNOWN._replace(counts=likely, want=self.state.counts)
        shares = [*((by_board[board], one) for board, one in rivals.items()), (weight, unknown)]
        shares.sort(key=lambda share: -share[0])
        first = self._as_the_hand_went(shares[0][1], more)
        return first, shares[0][0] / whole, [one for share, one in shares if share > 0.0]

    def _agrees(self, one: Explanation, moves: tuple[Move, ...]) -> bool:
        """Whether an explanation may be one of a board after `moves`."""
        return one.story != "mistake" or one.moves[:1] in ((), moves[:1])

    def _further(self) -> list[tuple[float, Explanation]] | None:
        """Moves that seem to be done, though none is settled, where a mistake after them leaves the board;
        with the score in nats. None while not all mistakes are made."""
        found = []
        likely, certain = self._belief.likely()
        for moves, following, sure in self._progress.done()[:_AHEAD]:
            ahead = self._ahead.get(following.state)
            if ahead is None or not ahead.exhausted:
                return None
            number = len(ahead.found)
            fit = self._belief.fit(ahead.boards(number)) + ahead.priors(number)
            at = int(fit.argmax())
            one, score = ahead.found[at], float(fit[at])
            if score < second.BEST and prod(certain) >= self.settings.certain_mistake:
                two = ahead.two_mistakes(likely)
                fits = two.prior + float(self._belief.fit(np.array([two.counts]))[0]) if two else score
                if two and fits > score:
                    one, score = two, fits
            # A pit that is only lifted proves no move, and those that are under way the filter knows.
            if one.story == "mistake":
                begun = explain.several(moves, one.counts, under_way=True)
                # Moves that were seen to be done cost nothing beside two mistakes that would leave the board.
                found.append((score + (0.0 if sure else begun.prior), begun))
        return found

    def _as_the_hand_went(self, best: Explanation, more: Sequence[Explanation]) -> Explanation:
        """Of those that leave the same board, or that come by it, the one that was seen.

        Args:
            more: explanations that the outlook has not.
        """
        stories = ("hand",) if best.story == "hand" else _DONE
        if best.story == "mistake" and best.moves and best.kind != "capture_wrong":
            told = best.kind, best.pits, best.want
            alike = [one for one in self._outlook.of(best.counts) if (one.kind, one.pits, one.want) == told]
            legal = [one for one in alike if one.moves and one.moves[0] in self._progress.traces]
            return max(legal, key=lambda one: one.prior + self._progress.log_weight(*one.moves), default=best)
        if best.kind != "capture_wrong" and best.story not in stories:
            return best
        same = [*self._outlook.of(best.counts), *(one for one in more if one.counts == best.counts)]
        if best.kind == "capture_wrong":
            return max([best, *(one for one in same if one.story == "mistake")], key=self._in_time)
        alike = [one for one in same if one.story in stories]
        if self._violation and best.counts == self._want:
            # The way that hands went in a mend tells nothing.
            meant = [one for one in alike if self.game.name_of(one.moves[0]) == self._violation.move]
            alike = meant or alike
        return max([best, *alike], key=lambda one: one.prior + self._progress.log_weight(*one.moves))

    def _in_time(self, one: Explanation) -> float:
        """The prior of a mistake, in nats, when it is held against who can have made it.

        A pit emptied into a store may be what the last to move takes for captured, or a single seed that the
        next has sown astray.
        """
        if one.kind != "capture_wrong":
            return one.prior
        if self._ended and self._ended.stirred[one.pits[0]] == np.inf:
            # No hand has been there, and nothing has changed.
            return one.prior - _NOT_THAT_HAND
        if one.moves:
            return one.prior
        store = self.game.pits + (self._ended.player if self._ended else 0)
        theirs = one.counts[store] > self.state.counts[store] and self._by_the_same_hand(one.pits[0])
        return one.prior - (0.0 if theirs else _NOT_THAT_HAND)

    def _still(self, t: float) -> list[Event]:
        """The board shows the settled position."""
        events: list[Event] = []
        if self._violation:
            events.append(Mended(t, self.ply, self._player, self._violation.kind))
        fresh = self._setup or self._restoring or self._unseen
        if fresh or self._violation or self._due:
            bound, touched = self._bound, self._touched
            self._violation = None
            self._setup = self._restoring = self._unseen = False
            self._settle()
            self._bound, self._touched = bound, touched
        self._done = False
        self.accepted_at = t
        brushes = self._brushes(t)
        self._announced.intersection_update({self._touched})
        return [*events, self._turn(t), *brushes] if fresh or events else brushes

    def _brushes(self, t: float) -> list[Event]:
        """What a finger has pressed too shortly to touch, in a pit that a touch would have bound."""
        brushed, self._brushed = self._brushed - self._announced, set()
        could = {move.pit for move in self.game.legal(self.state)} if brushed else set()
        # A hand that passes over several pits brushes none.
        if len(brushed) > 1 or not brushed <= could or self.settings.touch == "off":
            return []
        why = "was brushed, not touched: it binds nothing."
        return [
            Touch(t, self.ply, self._player, pit, False, f"{self.game.hole_name(pit)} {why}")
            for pit in brushed
        ]

    def _went_on(self, best: Explanation) -> Move | None:
        """The move that a pit sown out of turn goes on with: sown at once, it is a relay too far.

        What lies there is the same, and so is the mend.
        """
        ended, owner = self._ended, self.game.rules.board.owner
        if ended is None or best.kind != "wrong_player" or best.pits != (ended.pit,):
            return None
        same = owner[ended.pit] == ended.player and self._by_the_same_hand(ended.pit)
        return ended.move if same else None

    def _by_the_same_hand(self, pit: int) -> bool:
        """Whether a pit was touched so soon after the move before that it was the hand of that move."""
        ended = self._ended
        if ended is None:
            return False
        gaps = self._gaps.get(ended.player)
        pace = float(np.median(gaps)) if gaps else _PACE_S
        return bool(ended.stirred[pit] - ended.t < _GOES_ON * pace)

    def _meant_the_bound_pit(self) -> bool:
        """Whether a touch still binds: hands that went wrong elsewhere touched what they did not mean to."""
        if self._bound is None or self._violation is None:
            return True
        if self._violation.kind == "touched_other_pit":
            return True
        return bool(self._violation.move) and self.game.parse(self._violation.move).pit == self._bound.pit

    def _captures_due(
        self, t: float, quiet: float, best: Explanation, certainty: float, rivals: Sequence[Explanation]
    ) -> list[Event]:
        if self._violation:
            return []
        if quiet >= self.settings.capture_s or self._done:
            pits = tuple(step.pit for step in best.due)
            missed = best._replace(story="mistake", kind="capture_missed", pits=pits)
            return self._wrong(t, quiet, missed, certainty, rivals)
        if best.due == self._due:
            return []
        self._due = best.due
        return [
            CaptureDue(t, self.ply, self._player, pits, seeds, to)
            for to, pits, seeds in _by_store(best.due, self.game.pits)
        ]

    def _wrong(
        self, t: float, quiet: float, best: Explanation, certainty: float, rivals: Sequence[Explanation]
    ) -> list[Event]:
        """Call a mistake, once it has stood long enough."""
        in_hand = sum(best.counts) < sum(self.state.counts)
        patience = self.settings.mistake_s * (2 if best.story == "unknown" or self._setup or in_hand else 1)
        if in_hand and best.story == "unknown" and not self._done:
            patience = self.settings.hand_s
        if self._violation:
            patience *= 3
        if quiet < patience:
            return []
        if not (self._violation or self._setup) and (seen := self._seen_before(best)):
            return self._complete_all(t, seen, certainty, quiet=False)
        if self._violation and best.want == self._want:
            best = best._replace(moves=self._mistaken.moves)  # it was said of which move it is the end
        self._want = best.want
        mend = mends(best.counts, best.want)
        if self._violation and self._violation.mend == mend:
            return []
        if self._violation is None:
            self._demanded = False
            self._progress.restart()
        self._mistaken, self._done = best, False
        may_go_on = self.settings.policy == "warn" and not self._setup
        self._onward = policy.played_on(self.game, self.state, best) if may_go_on else []
        by_pit = {item.pit: item.seeds - item.want for item in mend}
        pits = best.pits or tuple(by_pit)
        before = self._went_on(best)
        kind = "relay_too_far" if before else best.kind
        move = before or (best.moves[0] if best.moves else None)
        self._violation = Violation(
            t, self.ply, self._player, kind, pits, tuple(by_pit.get(pit, 0) for pit in pits), mend,
            words.verdict(self.game, self.state, kind, pits, mend, move, best.also, best.also_pits),
            certainty, self.game.name_of(move) if move else "",
            reasons.of(self.game, self.state, self._belief, best, certainty, rivals, best.want),
            best.also, best.also_pits, self.settings.policy != "warn",
        )  # fmt: skip
        if not self._meant_the_bound_pit():
            self._touched = self._bound = None
        return [self._violation]

    def _ask(
        self, t: float, quiet: float, best: Explanation, certainty: float, rivals: Sequence[Explanation]
    ) -> list[Event]:
        """Let the players say which of two boards it is, unless nothing waits for it or a mend goes on."""
        wrong = best.story in ("mistake", "unknown")
        waits = best.story != "still" or self._setup or self._restoring or self._violation or self._due
        if best.story != "still" and not self._setup and (self._restoring or (self._violation and wrong)):
            return []
        if quiet < self.settings.question_s or self._question or not waits:
            return []
        if not self._rested:
            # A touch that no finger told is as doubtful as the board that told it.
            self._touched = self._bound = None
        self._choices = tuple(rivals[:2])
        choices = tuple(words.choice(self.game, one) for one in self._choices)
        text = f"Which is it: {choices[0]}, or {choices[1]}?"
        why = reasons.of(self.game, self.state, self._belief, best, certainty, rivals, self.state.counts)
        self._question = Question(t, self.ply, self._player, choices, text, why)
        return [self._question]

    def _answer(self, t: float, choice: int | None) -> list[Event]:
        if self._question is None:
            raise BadInput("answer has no meaning now: nothing was asked")
        if choice is None or not 0 <= choice < len(self._choices):
            raise BadInput(f"answer {choice!r} is not a choice: 0 to {len(self._choices) - 1} was expected")
        self._told, self._question = self._choices[choice], None
        # What the filter made of the doubtful board is no more to be held against anybody.
        self._progress.restart()
        return self._with_turn(t, self._judge(t, t - self._belief.changed_at))

    def _complete(self, t: float, move: Move, certainty: float, quiet: bool = True) -> list[Event]:
        """Settle a legal move; `quiet` unless another one is already on the board."""
        ply = self.game.play(self.state, move)
        player, events = ply.player, list[Event]()
        mended = self._violation
        if mended:
            events.append(Mended(t, self.ply, player, mended.kind))
        self._past.append((self.state, move))
        self.state = ply.state
        for to, pits, seeds in _by_store(ply.takes, self.game.pits):
            events.append(CaptureDone(t, self.ply, player, pits, seeds, to))
        decided = self.game.decided(ply.state)
        if decided == self.game.decided(self._past[-1][0]) or ply.state.result:
            decided = ()
        events.append(
            MoveMade(
                t, self.ply, player, self.game.name_of(move), ply.captured, ply.gain, certainty,
                self.state.pits, self.state.stores, decided,
                self._ended_at(t, move, quiet),
            )
        )  # fmt: skip
        self._violation = self._question = None
        self._unseen = False
        if quiet:
            self.accepted_at = t
        events += self._go_on(t)
        self._lain = quiet or self._progress.shown
        drops = [step.pit for step in ply.steps if isinstance(step, Drop)]
        if quiet and drops:
            never = np.full(self._belief.holes, np.inf)
            self._ended = _Ended(move, drops[-1], player, self.changed_at, never)
        if mended:
            # Who puts a board right may lift and put back what they like.
            self._touched_early = None
            if quiet:
                # All seeds lie where they should: what was carried was of the mend, no move.
                self._progress.restart()
        return events

    def _ended_at(self, t: float, move: Move, quiet: bool) -> float:
        """When a move that is settled at `t` was done."""
        done = None if quiet else self._progress.done_at(move)
        ended = self.changed_at if done is None else min(done, self.changed_at)
        return t if move == SWAP or ended == float("-inf") else ended

    def _go_on(self, t: float) -> list[Event]:
        """From a position that has just been settled: who cannot move passes, and the next is to move."""
        events: list[Event] = []
        while self.state.result is None and self.game.legal(self.state) == (PASS,):
            events.append(Pass(t, self.ply, self._player))
            self._past.append((self.state, PASS))
            self.state = self.game.play(self.state, PASS).state
        self._settle()
        return events + (self._end(t) if self.state.result else [self._turn(t)])

    def _turn(self, t: float) -> Event:
        legal = tuple(self.game.name_of(move) for move in self.game.legal(self.state))
        return Turn(t, self.ply, self._player, legal)

    def _with_turn(self, t: float, events: list[Event]) -> list[Event]:
        """What is said when a question is over: whose turn it is, too, where play goes on."""
        told = any(isinstance(event, Turn) for event in events)
        return events if told or not self._in_play else [*events, self._turn(t)]

    def _end(self, t: float) -> list[Event]:
        result = self.state.result
        assert result is not None
        self._over = GameOver(t, self.ply, self._player, result.scores, result.winners, result.reason)
        return [self._over]

    def _restored(self, t: float, quiet: float, best: Explanation) -> list[Event]:
        """Take back what the players have put back, before they go on from there: sooner than a mistake."""
        if quiet < 2 * self.settings.settle_s:
            return []
        left = len(self._past) - best.back
        events: list[Event] = []
        while len(self._past) > left:
            events.append(self._take_back(t))
        return events

    def may_take_back(self, arbiter: bool) -> None:
        """Whether a move, or how the game ended, may be taken back now by the arbiter or by others.

        Raises:
            BadInput: it may not.
        """
        if arbiter:
            return
        if self.settings.takeback == "locked":
            raise BadInput("takeback is locked: the arbiter may, and nobody else")
        if self._awaits_ruling and self.settings.policy == "arbiter":
            raise BadInput("takeback has no meaning now: the arbiter has to rule first")

    def _take_back(self, t: float) -> Event:
        if self._over and self.state.result is None:
            return self.unend(t)
        if not self._past:
            raise BadInput("takeback has no meaning: no move has been completed")
        self.state, entry = self._past.pop()
        while entry == PASS and self._past:
            self.state, entry = self._past.pop()
        self._over = self._violation = self._question = None
        self._restoring = True
        self._settle()
        name = self.game.name_of(entry) if isinstance(entry, Move) else "ruling"
        return Takeback(t, self.ply, self._player, name, self.state.pits, self.state.stores)

    def unend(self, t: float) -> Event:
        """Undo an end that no move has made: play goes on where it was, once the board is seen."""
        self._over, self._unseen = None, True
        return Takeback(t, self.ply, self._player, "", self.state.pits, self.state.stores)

    # -- rulings (referee.policy)

    @property
    def _awaits_ruling(self) -> bool:
        """Whether somebody has to say what becomes of the board."""
        asked = self.settings.policy in ("opponent_decides", "arbiter")
        return asked and bool(self._violation) and not (self._setup or self._demanded or self._over)

    def _deciders(self) -> tuple[int, ...]:
        """The players of whom a ruling is awaited: all but the one who went wrong."""
        if not self._awaits_ruling or self.settings.policy == "arbiter":
            return ()
        wrong = policy.culprit(self.game, self.state, self._mistaken)
        return tuple(player for player in range(self.game.players) if player != wrong)

    def _who_rules(self, arbiter: bool) -> By:
        if arbiter:
            return "arbiter"
        if self._awaits_ruling and self.settings.policy == "opponent_decides":
            return "opponent"
        if self.settings.policy == "warn" and self._violation and not self._setup:
            return "players"
        raise BadInput("the arbiter may accept another position, and nobody else now")

    def _follows(self) -> int:
        """Who is to move if the board is accepted as it lies and nobody says otherwise."""
        if self._violation and not self._setup:
            return policy.follower(self.game, self.state, self._mistaken)
        return self._player

    def _disputed(
        self, t: float, quiet: float, best: Explanation, rivals: Sequence[Explanation]
    ) -> list[Event] | None:
        """While a violation is open: what is said if the policy has its say first; None if it has none."""
        if self._violation is None or self._setup:
            return None
        if self._awaits_ruling and self.settings.policy == "arbiter":
            return []
        if self.settings.policy != "warn" or best.story in ("still", *_DONE):
            return None
        if self._done:
            self._done = False
            with suppress(BadInput):  # Not read surely yet: it is asked for again, or put right.
                return self._accept(t, None, "players")
        gone_on = policy.gone_on(self._belief, self._mistaken, self._onward, rivals)
        if gone_on is None or gone_on[1] < self.settings.certain:
            return None
        (player, way), _ = gone_on
        if way.story == "hand":
            return []
        events = self._rule(t, self._mistaken.counts, player, "players")
        return events + self._judge(t, quiet)

    def _as_it_lies(self) -> Counts:
        """What lies on the board, if it is read surely.

        Raises:
            BadInput: it is not.
        """
        if self._lost:
            raise BadInput("the sensor is lost: nobody can say what lies on the board")
        belief, settings = self._belief, self.settings
        reading.check_quiet(belief, self._t, settings.settle_s)
        if self._told:
            return self._told.counts
        explained = self._explain()
        if explained and explained[0].story != "unknown" and explained[1] >= settings.certain_mistake:
            return explained[0].counts
        return reading.as_it_lies(self.game, belief, sum(self.state.counts), settings.certain)

    def _accept(self, t: float, player: int | None, by: By) -> list[Event]:
        """The board as it lies is the position from now on."""
        if player is not None and not 0 <= player < self.game.players:
            raise BadInput(f"player is {player}: 0 to {self.game.players - 1} was expected")
        if player is not None and by != "arbiter":
            raise BadInput("the arbiter may say who is to move, and nobody else: leave the player out")
        counts = self._as_it_lies()
        disputed = self._violation and not self._setup
        if disputed and player is None and counts != self._mistaken.counts:
            explained = self._explain()
            if explained and explained[0].story in ("still", "move", "moves"):
                # It has been put right meanwhile, and nobody waits for what may still come.
                self._demanded = self._done = True
                events = self._judge(t, t - self._belief.changed_at)
                self._done = False
                if events:
                    return events
            if by != "arbiter":
                raise BadInput("the board has changed since it was called wrong: wait, or put it right")
        if self._setup and not self._past:
            return self._begin(t, counts, self._player if player is None else player)
        follows = self._follows() if player is None else player
        if counts == self.state.counts and follows == self._player:
            if self._violation or self._setup or self._restoring:
                return self._still(t)
            raise BadInput("accept has no meaning now: the board lies as the referee has it")
        return self._rule(t, counts, follows, by)

    def _begin(self, t: float, counts: Counts, player: int) -> list[Event]:
        """Begin the game from what lies on the board instead of its usual start."""
        state = self.game.start(counts[: self.game.pits], counts[self.game.pits :], player)
        if state.result:
            raise BadInput(f"no game begins here, as {state.result.reason}: lay out another position")
        self.state = state
        self._violation = self._question = None
        self._setup = self._unseen = False
        self._settle()
        self.accepted_at = t
        return [*self.start(t), *self._go_on(t)]

    def _demand(self, t: float, by: By) -> list[Event]:
        """The board is to be put right."""
        if not self._awaits_ruling or self._violation is None:
            raise BadInput("correct has no meaning now: nobody has to rule")
        self._demanded = True
        text = words.demanded(by)
        return [Ruling(t, self.ply, self._player, self._violation.kind, by, text=text)]

    def _rule(self, t: float, counts: Counts, player: int, by: By) -> list[Event]:
        """Go on from `counts` with `player` to move."""
        there = line.ruled(self.game, self.state, counts, player)
        settled = position.read(self.game, there)
        seeds = sum(counts) - sum(self.state.counts)
        ruling = Ruling(
            t, self.ply, player, self._violation.kind if self._violation else "", by, there,
            settled.pits, settled.stores, seeds, words.ruling(self.game, by, player, seeds),
        )  # fmt: skip
        self._past.append((self.state, settled))
        self.state = settled
        self._violation = self._question = None
        self._setup = self._restoring = self._unseen = False
        self._settle()
        self.accepted_at = t
        return [ruling, *self._go_on(t)]


def _by_store(takes: Sequence[Take], pits: int) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Captures by who gets them: player, pits, seeds of each; in the order of their first ones."""
    found: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
    for to in dict.fromkeys(take.to for take in takes):
        theirs = [take for take in takes if take.to == to]
        found.append((to - pits, tuple(t.pit for t in theirs), tuple(t.seeds for t in theirs)))
    return found
