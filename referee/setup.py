"""Between two rounds of a match: the players lay out the next one, and the referee reads it from the board.

There may be many right boards, as a player of Congklak spreads what does not fill a pit as he likes. Each
quiet board is held against all of them, against slips of one seed from each of the likeliest, and against
whatever it looks like; the round begins when a right one stands clear of the others.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.match import Refilling, Round
from engine.observation import Observation
from engine.step import Counts
from referee import reading, words
from referee.belief import Belief
from referee.events import Event, Question
from referee.referee import Settings
from referee.view import View
from referee.words import mends

_SLIP = -8.0
"""Nats: one seed in another hole than it belongs in; of players who look at what they lay out."""
_UNKNOWN = -20.0
"""Nats: any other board."""
_LIKELY = 3
"""Right boards whose slips are looked at."""


class SetUp:
    """One round being laid out. Deterministic: the same observations and answers make the same round."""

    def __init__(self, before: Round, following: Round | Refilling, counts: int, settings: Settings) -> None:
        """Nothing has been seen yet.

        Args:
            before: the round that is over.
            counts: length of the count axis that observations have.
        """
        self.following = following
        self.begun: Round | None = None
        """The round, once it lies on the board."""
        self._before = before
        self._settings = settings
        self._boards: NDArray[np.int64] = np.array(list(following.boards()), dtype=np.int64)
        self._belief = Belief(self._boards.shape[1], counts)
        self._question: Question | None = None
        self._choices: list[Counts] = []
        self._wrong = ""

    def observe(self, observation: Observation, ply: int) -> list[Event]:
        """Take in one look at the board."""
        t, belief = observation.t, self._belief
        belief.add(observation)
        if belief.changed_at == t:
            self._question, self._wrong = None, ""
        quiet = t - belief.changed_at
        if not belief.clear or quiet < self._settings.settle_s or self._question:
            return []
        found = list(self._likely())
        fit = np.array([prior for _, prior in found]) + belief.fit(np.array([board for board, _ in found]))
        order = np.argsort(-fit, kind="stable")
        share = np.exp(fit - fit[order[0]])
        board = found[int(order[0])][0]
        if 1.0 / share.sum() >= self._settings.certain:
            self._read(board)
        elif quiet >= self._settings.question_s:
            self._choices = [found[int(at)][0] for at in order[:2]]
            choices = tuple(self._in_words(one) for one in self._choices)
            self._question = Question(
                t, ply, self.following.starter, choices, f"Which is it: {choices[0]}, or {choices[1]}?"
            )
            return [self._question]
        return []

    def answer(self, choice: int | None) -> None:
        """What the players say of the board as it lies.

        Raises:
            BadInput: nothing was asked, or there is no such choice.
        """
        if self._question is None:
            raise BadInput("answer has no meaning now: nothing was asked")
        if choice is None or not 0 <= choice < len(self._choices):
            raise BadInput(f"answer {choice!r} is not a choice: 0 to {len(self._choices) - 1} was expected")
        self._question = None
        self._read(self._choices[choice])

    def accept(self, t: float, player: int | None) -> None:
        """Begin the round from what lies on the board, whatever that is.

        Args:
            player: who is to move; None for who would be.

        Raises:
            BadInput: the board is not read surely, or no round begins so.
        """
        following, seeds = self.following, int(self._boards[0].sum())
        game, settings = following.game, self._settings
        reading.check_quiet(self._belief, t, settings.settle_s)
        board = reading.as_it_lies(game, self._belief, seeds, settings.certain)
        if isinstance(following, Refilling):
            game = following.closed()
        starter = following.starter if player is None else player
        start = game.start(board[: game.pits], board[game.pits :], starter)
        if start.result:
            raise BadInput(f"no round begins here, as {start.result.reason}: lay out another position")
        self._question = None
        self.begun = Round(following.number, game, start, following.totals)

    def forget(self, t: float) -> None:
        """The sensor was away, or the players want the board counted afresh."""
        self._belief.forget(t)
        self._question, self._wrong = None, ""

    def view(self) -> View:
        """How the board is to be laid out, to be drawn."""
        live, certain = self._belief.likely()
        following, game = self.following, self.following.game
        want = self._nearest(live)
        owner, before = game.rules.board.owner, self._before.game.rules.board.owner
        closed = game.rules.board.protected
        if isinstance(following, Refilling):
            closed = tuple(sorted(pit for share in following.shares for pit in share.ngacang))
        return View(
            game=game.name,
            options=tuple(sorted(game.options.items())),
            players=game.players,
            pits=game.pits,
            counts=want,
            live=live,
            certain=certain,
            hand=tuple(float(value) for value in self._belief.hand),
            phase="question" if self._question else "setup",
            player=following.starter,
            # What a hand hides is not known to be wrong.
            mend=tuple(item for item in mends(live, want) if self._belief.looks[item.pit]),
            question=self._question,
            owner=owner,
            closed=closed,
            changed=tuple(pit for pit in range(game.pits) if owner[pit] != before[pit]),
            round=following.number,
            note=f"{words.layout(self._before, following)} {self._wrong}".strip(),
        )

    def _nearest(self, live: Counts) -> Counts:
        """The right board that wants the fewest seeds moved."""
        apart = np.abs(self._boards - np.array(live)).sum(axis=1)
        return tuple(map(int, self._boards[int(apart.argmin())]))

    def _likely(self) -> Iterator[tuple[Counts, float]]:
        """Boards and their priors: the likeliest right ones, slips from them, and what it looks like."""
        fit = self._belief.fit(self._boards)
        right = [tuple(map(int, self._boards[at])) for at in np.argsort(-fit, kind="stable")[:200]]
        found = dict.fromkeys(right, 0.0)
        for board in right[:_LIKELY]:
            for slip in _slips(board):
                found.setdefault(slip, _SLIP)
        found.setdefault(self._belief.likely()[0], _UNKNOWN)
        yield from found.items()

    def _read(self, board: Counts) -> None:
        """Begin the round if this is how it is laid out; else say what is not right."""
        self._wrong = ""
        try:
            round_ = self.following.begin(board[: self.following.game.pits])
        except BadInput as error:
            self._wrong = f"{str(error)[0].upper()}{str(error)[1:]}."
            return
        if round_.start.counts == board:
            self.begun = round_
        else:
            self._wrong = words.mend_in_words(round_.game, mends(board, round_.start.counts))

    def _in_words(self, board: Counts) -> str:
        """A board, told by what is to be mended in it; else by how its seeds are spread."""
        game = self.following.game
        if board not in map(tuple, self._boards.tolist()):
            return f"a board that wants: {words.mend_in_words(game, mends(board, self._nearest(board)))}"
        varied = np.flatnonzero(self._boards.min(axis=0) < self._boards.max(axis=0))
        if not len(varied):
            return "the board as it is wanted"
        return ", ".join(f"{board[hole]} in {game.hole_name(int(hole))}" for hole in varied)


def _slips(board: Counts) -> Iterator[Counts]:
    """Boards with one seed in another hole, off the board, or too many."""
    holes = range(len(board))
    for source in (-1, *holes):
        for target in (-1, *holes):
            if source != target and (source < 0 or board[source]):
                slip = list(board)
                if source >= 0:
                    slip[source] -= 1
                if target >= 0:
                    slip[target] += 1
                yield tuple(slip)
