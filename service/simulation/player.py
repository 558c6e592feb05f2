"""Who plays: moves from a list, at random, or on request; and what the hand has to do for it."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

import numpy as np

from engine import games, line, position
from engine.errors import BadInput
from engine.game import Game, Ply, State, replay
from engine.match import Round, conclude, first
from engine.move import Move
from engine.step import Counts, Take
from service.simulation import mistakes
from service.simulation.hand import (
    Find,
    Gesture,
    Hand,
    Lay,
    Plan,
    Say,
    Touch,
    Wait,
    counts_after,
    putting_right,
)
from service.simulation.manners import Mannered, Manners, parted
from service.simulation.mistakes import Mistake
from service.simulation.stones import Stones
from service.simulation.truth import Truth

TOUCH_S = 0.8
"""Seconds for which a pit is pressed on request."""
REQUESTS = (
    "play (move), mistake (kind, move), touch (pit), restore, takeback (ply), "
    "enter (round, options, start, played), lay (counts, things), auto (on)"
)
"""What `Player.request` knows, with the fields of each."""


def read_script(game: Game, state: State, text: str, rng: np.random.Generator) -> tuple[Move | Mistake, ...]:
    """Moves and mistakes from `state` on: `C sown_short:A wrong_player b`.

    A mistake is a kind, or a kind and its move. It will be put right before the next word.

    Raises:
        BadInput: a word is neither, or cannot be played where it stands.
    """
    script: list[Move | Mistake] = []
    for word in text.replace(",", " ").split():
        kind, colon, name = word.partition(":")
        if colon or kind in mistakes.KINDS:
            made = mistakes.make(game, state, kind, game.parse(name) if name else None, rng)
            script.append(made)
            if made.plays and made.move is not None:
                state = game.play(state, made.move).state
        else:
            script.append(game.parse(word))
            state = game.play(state, game.parse(word)).state
    return tuple(script)


@dataclass(frozen=True, slots=True)
class Habits:
    """How the player chooses what to do."""

    auto: bool = False
    """Play random legal moves to the end of the game."""
    mistake_rate: float = 0.0
    """How often a random move goes wrong, 0 to 1."""
    kinds: tuple[str, ...] = mistakes.KINDS
    """The mistakes that may happen then."""
    match: bool = False
    """Go on to the next round of a game that has rounds, laid out as the rules have it."""
    start_s: float = 2.0
    """Before the first turn of a game or a round."""
    manners: Manners = field(default_factory=Manners)


class Player:
    """Both players of a game, and the state of it. What it plans, it takes for done.

    Args:
        round_: what is played: a round of a match, or the only one.
        stones: those on the board; more of them come out of the bag when a game wants more.
        played: moves that have been made before, and lie on the board; and positions of rulings.
        script: played before anything else.
    """

    def __init__(
        self,
        round_: Round,
        hand: Hand,
        stones: Stones,
        rng: np.random.Generator,
        habits: Habits,
        played: Sequence[line.Entry] = (),
        script: Sequence[Move | Mistake] = (),
    ) -> None:
        self.game = round_.game
        self.hand = hand
        self.habits = habits
        states = [round_.start, *line.follow(self.game, round_.start, played)]
        self.state = states[-1]
        self.waiting = True
        """Nothing is played by itself until this is False."""
        self._stones = stones
        self._rng = rng
        self._mannered = Mannered(rng, habits.manners, round_.game.pits)
        self._script = deque(script)
        self._counts: Counts = self.state.counts
        self._past: list[tuple[State, line.Entry]] = list(zip(states, played, strict=False))
        self._round = round_
        self._before: tuple[Round, list[tuple[State, line.Entry]]] | None = None
        """The round before, as it was left."""
        self._made: Counter[str] = Counter()
        self._open: Mistake | None = None
        self._then: Move | None = None
        self._begun = False

    def next_plan(self) -> Plan | None:
        """What the hand does next by itself, if anything."""
        if self.waiting or not (self._script or self.habits.auto):
            return None
        opening: list[Gesture] = [] if self._begun else [Wait(self.habits.start_s)]
        self._begun = True
        if self._open:
            return self._plan([*opening, self.hand.think(), *self._mending()])
        if self.state.player is None:
            return self._plan([*opening, self.hand.think(), *laid]) if (laid := self._laying_out()) else None
        opening += self._mannered.opening(self.hand.think())
        todo = self._script.popleft() if self._script else self._choose()
        if isinstance(todo, Move):
            return self._plan([*opening, *self._playing(todo)])
        tempo = self.hand.tempo
        pause = tempo.missed_s if todo.kind in ("capture_missed", "relay_not_continued") else tempo.mend_s
        return self._plan([*opening, *self._erring(todo), Wait(pause), *self._mending()])

    def request(self, message: Mapping[str, Any]) -> Plan | None:
        """What somebody asks of the hand; None when it is only to be remembered.

        Raises:
            BadInput: the request is not known, or cannot be done now.
        """
        match message:
            case {"do": "auto", "on": bool(on)}:
                self.habits = replace(self.habits, auto=on)
                return None
            case {"do": "touch", "pit": int(hole)} if 0 <= hole < len(self._counts):
                said = Say(Truth("touched", pits=(hole,)))
                return self._plan([Touch(hole, TOUCH_S), said])
            case {"do": "restore"}:
                if not self._open and (laid := self._laying_out()):
                    return self._plan(laid)
                if not self._open:
                    raise BadInput("nothing is to be put right: the board is as it should be")
                return self._plan(self._mending())
            case {"do": "takeback", **rest} if rest.keys() <= {"ply", "round"}:
                if self._before and rest.get("round") == self._before[0].number != self._round.number:
                    self._enter(*self._before)
                return self._plan(self._taking_back(rest.get("ply", len(self._past) - 1)))
            case {"do": "enter", "round": int(number), "options": dict(options), **rest}:
                game = games.load(self.game.name, options)
                there = Round(number, game, position.read(game, str(rest.get("start"))), self._round.totals)
                played = line.read(game, line.words_of(str(rest.get("played", ""))))
                return self._plan(self._entering(there, played))
            case {"do": "lay", "counts": list(counts), "things": dict(things)}:
                return self._plan(self._laying(counts, things))
            case {"do": "play" | "mistake"} if self._open:
                raise BadInput(f"the mistake {self._open.kind} is not put right yet: restore the board first")
            case {"do": "play", "move": str(name)}:
                return self._plan(self._playing(self.game.parse(name)))
            case {"do": "mistake", "kind": str(kind), **rest}:
                meant = rest.get("move")
                move = self.game.parse(meant) if isinstance(meant, str) else None
                return self._plan(self._erring(mistakes.make(self.game, self.state, kind, move, self._rng)))
        raise BadInput(f"the hand cannot do {dict(message)!r}: one of {REQUESTS} was expected")

    def _laying(self, counts: Sequence[object], things: Mapping[str, object]) -> list[Gesture]:
        """Lay so many seeds into each hole, and things of so many grams beside them, game or no game.

        What is surplus in one hole goes to others first: the same handful goes from hole to hole.
        """
        holes = len(self._counts)
        wanted = [count for count in counts if isinstance(count, int) and count >= 0]
        if not len(wanted) == len(counts) == holes:
            raise BadInput(f"counts are {list(counts)}: {holes} whole numbers from 0 up were expected")
        laid = [
            Lay(hole, float(grams)) for hole in range(holes) if _is_mass(grams := things.get(str(hole), 0))
        ]
        return [*putting_right(self._counts, wanted), *laid]

    def set_out(self, game: Game) -> Plan:
        """Clear the board and set out a game of as many holes."""
        self._enter(first(game), [])
        self._before = None
        self._script.clear()
        said = Say(Truth("game", game=game.name, options=game.options))
        return self._plan([*putting_right(self._counts, self.state.counts), said])

    def _enter(self, round_: Round, past: list[tuple[State, line.Entry]]) -> None:
        """Be at the end of what has been played of a round."""
        self._round, self.game, self._past = round_, round_.game, past
        entries = [entry for _, entry in past]
        self.state = [round_.start, *line.follow(self.game, round_.start, entries)][-1]
        self._open = self._then = None

    def _entering(self, round_: Round, played: Sequence[line.Entry]) -> list[Gesture]:
        """Take it that a round has been played so, and let the board be as it is then."""
        states = [round_.start, *line.follow(round_.game, round_.start, played)]
        self._enter(round_, list(zip(states, played, strict=False)))
        return [*putting_right(self._counts, self.state.counts)]

    def _laying_out(self) -> list[Gesture]:
        """Lay out the next round, if there is one; what players may choose is chosen at random."""
        if self.state.player is not None or not (self.habits.match and self.game.rules.rounds):
            return []
        since, moves = line.since_ruling(self._round.start, [entry for _, entry in self._past])
        following = conclude(self._round, tuple(replay(self.game, since, moves)), since).following
        if following is None:
            return []
        boards = list(following.boards())
        board = boards[int(self._rng.integers(len(boards)))]
        round_ = following.begin(board[: self.game.pits])
        self._before = (self._round, self._past)
        self._enter(round_, [])
        said = Say(Truth("game", game=self.game.name, options=self.game.options))
        return [*putting_right(self._counts, round_.start.counts), said, Wait(self.habits.start_s)]

    def _plan(self, gestures: Sequence[Gesture]) -> Plan:
        self._counts = counts_after(self._counts, gestures)
        self._stones.fill_bag(sum(gesture.seeds for gesture in gestures if isinstance(gesture, Find)))
        return self.hand.plan(gestures)

    def _choose(self) -> Move | Mistake:
        legal = self.game.legal(self.state)
        if self._then is not None and self._then in legal:
            return self._then
        if self.habits.mistake_rate and self._rng.random() < self.habits.mistake_rate:
            # What has been done least comes first: the rare kinds are made when they can be.
            kinds = self._rng.permutation(list(self.habits.kinds)).tolist()
            for kind in sorted(kinds, key=lambda kind: self._made[kind]):
                found = mistakes.possible(self.game, self.state, kind, self._rng)
                found = mistakes.unmistakable(self.game, self.state, found, self._rng) if found else ()
                # Who puts an earlier position back takes moves back.
                stood = {state.counts for state, _ in self._past}
                found = tuple(one for one in found if one.counts not in stood)
                if found:
                    self._made[kind] += 1
                    return found[int(self._rng.integers(len(found)))]
        moves = [move for move in legal if move.sows] or list(legal)
        return moves[int(self._rng.integers(len(moves)))]

    def _playing(self, move: Move) -> list[Gesture]:
        ply = self.game.play(self.state, move)
        sowing, captures = parted(ply.steps)
        if captures and self.habits.auto and self._mannered.hasty():
            reply = self._beside(ply, captures)
            if reply is not None:
                said = self._played(move)
                return [
                    *self._mannered.move(sowing),
                    self._mannered.beside(captures, said[0], self.game.play(self.state, reply).steps),
                    *self._played(reply),
                ]
        return [*self._mannered.move(ply.steps), *self._played(move)]

    def _beside(self, ply: Ply, captures: Sequence[Take]) -> Move | None:
        """Another player's reply that neither needs nor touches what is still to be captured."""
        found = []
        for reply in self.game.legal(ply.state) if ply.state.player != ply.player else ():
            used = set()
            for step in self.game.play(ply.state, reply).steps:
                used |= {step.pit, step.to} if isinstance(step, Take) else {step.pit}
            if reply.sows and not used & {take.pit for take in captures}:
                found.append(reply)
        return found[int(self._rng.integers(len(found)))] if found else None

    def _played(self, move: Move) -> list[Gesture]:
        """Enter a move that lies on the board, or is about to."""
        ply = self.game.play(self.state, move)
        self._past.append((self.state, move))
        self._then = None
        self.state = ply.state
        said = [Say(Truth("move", player=ply.player, move=self.game.name_of(move)))]
        if ply.state.result:
            said.append(Say(Truth("over")))
        return [*said]

    def _erring(self, made: Mistake) -> list[Gesture]:
        self._open = made
        move = None if made.move is None else self.game.name_of(made.move)
        said = Truth("mistake", player=made.player, move=move, kind=made.kind, pits=made.pits, want=made.want)
        return [*made.gestures, Say(said)]

    def _mending(self) -> list[Gesture]:
        made = self._open
        assert made is not None
        self._open, self._then = None, made.then
        gestures: list[Gesture] = [
            *putting_right(made.counts, made.want),
            Say(Truth("mended", kind=made.kind)),
        ]
        if made.plays and made.move is not None:
            gestures += self._played(made.move)
        return gestures

    def _taking_back(self, ply: object) -> list[Gesture]:
        """Put back the position after so many moves and rulings, whatever lies on the board."""
        if not self._past:
            raise BadInput("no move can be taken back: none has been made")
        if not isinstance(ply, int) or not 0 <= ply <= len(self._past):
            raise BadInput(f"ply is {ply!r}: 0 to {len(self._past)} was expected, the moves that stand")
        self._open = self._then = None
        said: list[Gesture] = []
        while len(self._past) > ply:
            self.state, entry = self._past.pop()
            name = self.game.name_of(entry) if isinstance(entry, Move) else "ruling"
            said.append(Say(Truth("takeback", player=self.state.player, move=name)))
        return [*putting_right(self._counts, self.state.counts), *said]


def _is_mass(grams: object) -> TypeGuard[float]:
    return isinstance(grams, int | float) and 0 <= grams <= 1000
