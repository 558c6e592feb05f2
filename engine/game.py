"""A game in play: whose turn it is, which moves are legal, when it ends and who has won.

Rules for referee, log, search and page alike; everything here is a pure function of values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from engine import notation, perft, turns
from engine.errors import BadInput, shown
from engine.move import DIRECTIONS, PASS, SWAP, Direction, Move
from engine.rules import OPENING, Rules
from engine.sowing import (
    ASKED,
    CAPTURE,
    DROP,
    ENDLESS,
    EXTRA_TURN,
    HEADS,
    LIFT,
    MOST_SEEDS,
    PLAIN,
    SLAM,
    Tables,
    has_seeds,
    next_choices,
    obliged,
    opens,
    sow,
    tables,
)
from engine.step import Counts, Drop, Lift, Step, Take, after
from engine.turns import Turns, over, stands


@dataclass(frozen=True, slots=True)
class Result:
    """How a finished game stands."""

    scores: tuple[int, ...]
    """By player: the store, with what the sweep adds to it."""
    winners: tuple[int, ...]
    """One player, partners, or all who share the first place."""
    reason: str
    """Why play ended, in a few words."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a game stands. Two states are equal when all that can still happen is the same."""

    pits: tuple[int, ...]
    """Seeds by pit, in ring order."""
    stores: tuple[int, ...]
    """Seeds by player."""
    player: int | None
    """Who is to move; None when the game is over."""
    result: Result | None = None
    since_capture: tuple[tuple[tuple[int, ...], int], ...] = ()
    """Positions (pits and marks, player to move) that have stood since the last capture, the present last."""
    passes: int = 0
    """Passes in succession up to now."""
    may_swap: bool = False
    """The second player has yet to choose whether to swap sides."""
    opening: int = 0
    """Plies of the opening still to be played."""
    marks: tuple[int, ...] = ()
    """What the seeds do not show, each in a game that has it: by player, the pit claimed, counted from 1, or
    0; by player, whether their house stands, 1 or 0; the blocked pit, counted from 1, or 0."""

    @property
    def counts(self) -> Counts:
        """By hole: pits, then stores."""
        return self.pits + self.stores


@dataclass(frozen=True, slots=True)
class Ply:
    """One move and all that came of it."""

    player: int
    move: Move
    steps: tuple[Step, ...]
    """The trace: what the hand does, captures included."""
    sweep: tuple[Step, ...]
    """What is gathered afterwards because play has ended; it counts in the result's scores alone."""
    state: State
    """After the move, as the board lies before any sweep."""
    captured: tuple[tuple[int, int], ...]
    """Pit and seeds of each capture, in the order of the trace."""
    gain: tuple[int, ...]
    """By player: what the store gained."""

    @property
    def takes(self) -> tuple[Take, ...]:
        """Each capture with the store it goes to, in the order of the trace."""
        return tuple(step for step in self.steps if isinstance(step, Take))


@dataclass(frozen=True, slots=True)
class Played:
    """The physical part of a sowing, whether or not the rules allow it here."""

    steps: tuple[Step, ...]
    counts: Counts
    marks: tuple[int, ...]
    """After it, as in `State`."""
    extra_turn: bool
    flags: int
    """`SLAM` and `HEADS` of `engine.sowing`."""
    asked: int
    """How often its player had to choose on the way."""
    endless: bool
    """The relay would never end; steps and counts are those up to its first repetition."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game with its options fixed. Made by `engine.games.load`."""

    name: str
    options: Mapping[str, Any]
    rules: Rules
    _tables: Tables = field(init=False, repr=False, compare=False, hash=False)
    _opening_tables: Tables = field(init=False, repr=False, compare=False, hash=False)
    _turns: Turns = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tables", tables(self.rules))
        object.__setattr__(self, "_turns", turns.turns(self.rules))
        object.__setattr__(self, "_opening_tables", self._tables._replace(resown=False))

    @property
    def players(self) -> int:
        return self.rules.board.players

    @property
    def pits(self) -> int:
        return self.rules.board.pits

    def start(
        self,
        pits: Sequence[int] | None = None,
        stores: Sequence[int] | None = None,
        player: int = 0,
        marks: Sequence[int] | None = None,
    ) -> State:
        """The start of the game, or of play from a given position, which an opening by hand does not follow.

        Args:
            marks: as in `State`; None for no pit claimed or blocked, and for houses that stand where there
                are seeds in them and their owners have some to bring in.

        Raises:
            BadInput: a position that this board cannot hold.
        """
        pits = self.rules.set_out() if pits is None else pits
        if stores is None:
            stores = [self.rules.reserve] * self.players
        for name, given, wanted in (("pits", pits, self.pits), ("stores", stores, self.players)):
            if len(given) != wanted:
                raise BadInput(f"start.{name} has {len(given)} numbers: {self.name} wants {wanted}")
            if not all(type(n) is int and n >= 0 for n in given):
                raise BadInput(f"start.{name} holds something other than whole numbers from 0 up")
        if sum(pits) + sum(stores) > MOST_SEEDS:
            raise BadInput(
                f"start has {shown(sum(pits) + sum(stores))} seeds: at most {MOST_SEEDS} were expected"
            )
        if not (type(player) is int and 0 <= player < self.players):
            raise BadInput(f"start.player is {shown(player)}: 0 to {self.players - 1} was expected")
        counts = [*pits, *stores]
        counts += self._marks(counts) if marks is None else self._checked(marks)
        opening = {"none": 0, "three_two": self.players, "no_capture": 1}[self.rules.opening]
        if self.rules.opening == "three_two" and (any(stores) or tuple(pits) != self.rules.set_out()):
            # This opening belongs to the set-up: a position of another kind comes after it.
            opening = 0
        state, _ = self._hand_over(counts, player, player, (), 0, self.rules.pie, opening, flags=0)
        return state

    def legal(self, state: State) -> tuple[Move, ...]:
        """The moves open to the player to move, by rising pit; none when the game is over."""
        if state.player is None:
            return ()
        moves = tuple(self._sowings(state.counts + state.marks, state.player, state.opening))
        if not moves and (self.rules.no_move == "pass" or state.opening):
            moves = (PASS,)
        if state.may_swap and state.player == 1:
            moves += (SWAP,)
        return moves

    def ways(self, state: State, player: int) -> tuple[Direction, ...]:
        """The directions that `player` may sow in at this stage of the game."""
        return (-1,) if state.opening and self.rules.opening == "three_two" else self.rules.ways(player)

    def decided(self, state: State) -> tuple[int, ...]:
        """Who wins whatever follows, as more than half of the seeds are stored; nobody, for the most part."""
        rules = self.rules
        teams: dict[int, tuple[int, ...]] = {}
        for player in range(self.players):
            teams[rules.team(player)] = (*teams.get(rules.team(player), ()), player)
        if rules.win != "seeds" or (rules.misere and len(teams) > 2):
            return ()
        for team, members in teams.items():
            if 2 * sum(state.stores[player] for player in members) > sum(state.counts):
                return next(others for other, others in teams.items() if (other != team) == rules.misere)
        return ()

    def play(self, state: State, move: Move) -> Ply:
        """Play a legal move.

        Raises:
            BadInput: the move is not legal here; the sentence says why and which moves are.
        """
        player = state.player
        if player is None:
            raise BadInput("the game is over: no move can be played")
        if not self._is_legal(state, player, move):
            raise BadInput(f"{self.name_of(move)} is not legal: {self.why_not(state, move)}")
        may_swap = state.may_swap and player == 0
        if move == SWAP:
            # The position stands once, whoever sits before it.
            return self._ply(state, player, move, (), (), replace(state, may_swap=False))
        if move == PASS:
            counts, following = [*state.counts, *state.marks], self._next(player)
            # Where passes never end the game none is counted, though an opening may have one.
            passes = state.passes + 1 if self.rules.no_move == "pass" else 0
            history = state.since_capture
            opening = max(state.opening - 1, 0)
            new, sweep = self._hand_over(counts, following, player, history, passes, False, opening, flags=0)
            return self._ply(state, player, move, (), sweep, new)

        played = self.sown(state, player, move)
        following = player if played.extra_turn else self._next(player)
        captures = played.counts[self.pits :] != state.stores
        history = () if captures else state.since_capture
        new, sweep = self._hand_over(
            [*played.counts, *played.marks],
            following,
            player,
            history,
            0,
            may_swap,
            max(state.opening - 1, 0),
            flags=played.flags,
        )
        return self._ply(state, player, move, played.steps, sweep, new)

    def _is_legal(self, state: State, player: int, move: Move) -> bool:
        if not move.sows:
            return move in self.legal(state)
        # The other pits need not be sown to know.
        return move in self._sowings(state.counts + state.marks, player, state.opening, move.pit)

    def sown(self, state: State, player: int, move: Move) -> Played:
        """The same as `sow`, at this stage of the game."""
        return self.sow(state.counts, player, move, opening=state.opening > 0, marks=state.marks)

    def sow(
        self,
        counts: Sequence[int],
        player: int,
        move: Move,
        *,
        opening: bool = False,
        marks: Sequence[int] | None = None,
    ) -> Played:
        """What the hand of `player` does when it sows `move`, whoever owns the pit and whatever is legal.

        From a pit that the own course does not pass, it sows as the pit's owner would.

        Args:
            opening: in the way of the game's opening.
            marks: as in `start`.
        """
        if opening and self.rules.opening == "three_two":
            return self._three_two(counts, player, move)
        if self.next_hole(player, move.pit, move.direction) < 0:
            player = self.rules.board.owner[move.pit]
        new, codes = [*counts, *(self._marks(counts) if marks is None else marks)], list[int]()
        board = self._opening_tables if opening else self._tables
        flags = sow(board, new, player, move.pit, int(move.direction < 0), move.choices, codes)
        if flags & ENDLESS:
            turning, ring = self.rules.relay == "back", board.ring[player]
            codes = codes[: _onset(codes, self.pits) if ring else _repetition(counts, codes, turning)]
        steps = tuple(map(_step, codes))
        return Played(
            steps=steps,
            counts=after(tuple(counts), steps) if flags & ENDLESS else tuple(new[: len(counts)]),
            marks=tuple(new[len(counts) :]),
            extra_turn=bool(flags & EXTRA_TURN),
            flags=flags & (SLAM | HEADS),
            asked=flags >> ASKED,
            endless=bool(flags & ENDLESS),
        )

    def carried_on(
        self,
        state: State,
        player: int,
        move: Move,
        done: Sequence[Step],
        direction: Direction,
        choices: int = 0,
    ) -> Played:
        """What the hand does by the rules after what it has `done` of `move`, rightly or not.

        Args:
            done: from `state` on, up to a last seed dropped; the hand is empty.
            direction: the way round of the last lap.
            choices: what the player chooses where the rules then ask, as in `Move`; of `move`, none counts.
        """
        t = self._opening_tables if state.opening else self._tables
        held, way, back = [*state.counts, *state.marks], int(move.direction < 0), int(direction < 0)
        new, origin, landed, abroad, home_again = held.copy(), move.pit, -1, False, False
        onward, owners, team, stands = t.onward[2 * player], t.owner, t.team, t.stands
        for step in done:
            pit = step.pit
            if isinstance(step, Drop):
                new[pit] += 1
                landed, owner = pit, owners[pit]
                if t.after_lap and owner >= 0:
                    if team[owner] != team[player]:
                        abroad = True
                    elif abroad:
                        home_again = True
                continue
            new[pit] -= step.seeds
            if isinstance(step, Take):
                new[step.to] += step.seeds
                continue
            if stands[pit] >= 0 and not new[pit]:
                new[stands[pit]] = 0
            if onward[pit] >= 0:
                origin = pit
        counts, codes, flags = tuple(new[: t.marks]), list[int](), 0
        by_hand = state.opening > 0 and self.rules.opening == "three_two"
        # Where the rules drop no seed, they say nothing of a last one.
        astray = t.skip_origin and landed == origin
        if not by_hand and onward[landed] >= 0 and not astray:
            new[landed] -= 1
            resown = t.resown and (not t.obliged or opens(t, held, player, move.pit, way) == CAPTURE)
            enters = t.enters and held[self.pits + player] > 0
            after_lap = t.after_lap and not home_again
            under_way = _but(
                t, landed=landed, abroad=abroad, after_lap=after_lap, resown=resown, obliged=False,
                enters=enters,
            )  # fmt: skip
            flags = sow(under_way, new, player, origin, back, choices, codes)
        steps = tuple(map(_step, codes[1:]))
        return Played(
            steps=steps,
            counts=after(counts, steps) if flags & ENDLESS else tuple(new[: t.marks]),
            marks=tuple(new[t.marks :]),
            extra_turn=bool(flags & EXTRA_TURN),
            flags=flags & (SLAM | HEADS),
            asked=flags >> ASKED,
            endless=bool(flags & ENDLESS),
        )

    def _three_two(self, counts: Sequence[int], player: int, move: Move) -> Played:
        """Three seeds into the next pit, the others into the one after it."""
        pits = [self.next_hole(player, move.pit, move.direction)]
        pits.append(self.next_hole(player, pits[0], move.direction))
        seeds = counts[move.pit]
        steps: tuple[Step, ...] = (Lift(move.pit, seeds), *(Drop(pits[place >= 3]) for place in range(seeds)))
        return Played(
            steps, after(tuple(counts), steps), (), extra_turn=False, flags=0, asked=0, endless=False
        )

    def why_not(self, state: State, move: Move) -> str:
        """The rule that forbids `move` here, in one sentence."""
        player = state.player
        if player is None:
            return "the game is over"
        legal = "legal are " + ", ".join(self.name_of(option) for option in self.legal(state))
        if not move.sows:
            return f"there is no such choice now; {legal}"
        if not 0 <= move.pit < self.pits:
            return f"the board has no pit {move.pit}; {legal}"
        if self.rules.board.owner[move.pit] != player:
            return f"that pit is not player {player}'s; {legal}"
        if move.pit in self.rules.board.protected:
            return f"that pit is closed for this round; {legal}"
        if state.opening and self.rules.opening == "three_two":
            return f"the opening lifts a pit of {OPENING} and goes clockwise; {legal}"
        if move.direction not in self.ways(state, player):
            return f"{self.name} is not sown that way round; {legal}"
        if reason := self._why_barred(state, player, move):
            return f"{reason}; {legal}"
        played = self.sown(state, player, move)
        if played.asked < move.choices.bit_length():
            return f"it asks for fewer choices on the way; {legal}"
        if played.endless and self.rules.endless == "illegal":
            return f"its relay would never end; {legal}"
        if self.rules.grand_slam == "forbidden" and played.flags & SLAM:
            return f"it would take every seed of the opponent; {legal}"
        return f"the opponent has no seeds and must be given some; {legal}"

    def _why_barred(self, state: State, player: int, move: Move) -> str:
        """Why a move may not begin in a pit of its player and go that way, in words; empty where it may."""
        t, rules, counts = self._tables, self.rules, [*state.counts, *state.marks]
        pit, way = move.pit, int(move.direction < 0)
        begins = opens(t, counts, player, pit, way)
        if begins == CAPTURE or (begins == PLAIN and not obliged(t, counts, player)):
            return ""
        if begins == PLAIN:
            return "a move that captures at once must be played"
        front = t.front[pit]
        if rules.reserve and state.stores[player]:
            if not front or not counts[pit]:
                return "a seed is brought into a front pit that holds seeds"
            if counts[t.across[pit]]:
                return "what is captured there is sown from the nearer end of the row"
            others = [counts[other] for other in rules.board.front(player) if other != pit]
            if pit == t.house[player] and any(others):
                return "no seed is brought into a house while another front pit has any"
            if counts[pit] == 1 and max(others) > 1:
                return "no seed is brought to a single seed while another front pit has more"
            return "the front row would be empty"
        if counts[pit] < rules.least_lift:
            return f"that pit holds {counts[pit]} seeds, too few to lift"
        if rules.turnback and way:
            return "that pit is sown that way round only where it captures at once"
        if t.blocked >= 0 and counts[t.blocked] == pit + 1:
            return "that pit is blocked for this turn"
        return "the front row would be empty" if front else "a front pit must be lifted where one can be"

    def name_of(self, move: Move) -> str:
        """The move in notation (rules.md, *Conventions*)."""
        return notation.name(self.rules, move)

    def hole_name(self, hole: int) -> str:
        """A pit as in notation, a store in words."""
        return notation.hole_name(self.rules, hole)

    def player_name(self, player: int) -> str:
        """South and North on a board of two rows, else `player 2`."""
        return notation.player_name(self.rules, player)

    def next_hole(self, player: int, hole: int, direction: int) -> int:
        """The hole after `hole` on the course of `player`; -1 where the course does not pass."""
        return self._tables.onward[2 * player + int(direction < 0)][hole]

    def parse(self, text: str) -> Move:
        """The move that a notation names.

        Raises:
            BadInput: no such pit or direction on this board.
        """
        return notation.parse(self.rules, text)

    def perft(self, state: State, depth: int) -> int:
        """Number of move sequences of that length; a finished game counts where it ended at exactly it."""
        if depth == 0:
            return 1
        if state.player is None:
            return 0
        stops = self.rules.relay != "none" and self.rules.endless == "stop"
        if state.may_swap or state.opening or stops:
            return sum(self.perft(self.play(state, move).state, depth - 1) for move in self.legal(state))
        return perft.count(self.rules, state.counts + state.marks, state.since_capture, state.passes, depth)

    def _sowings(
        self, counts: Counts, player: int, opening: int = 0, only: int | None = None
    ) -> Iterator[Move]:
        """The legal sowings by rising pit, or those of one pit; each is found when it is asked for."""
        rules, u = self.rules, self._turns
        if opening and rules.opening == "three_two":
            yield from (Move(pit, -1) for pit in rules.board.own(player) if counts[pit] == OPENING)
            return
        t = self._opening_tables if opening else self._tables
        team, held = t.team[player], list(counts)
        fed = has_seeds(t, held, team)
        least = CAPTURE if obliged(t, held, player) else PLAIN
        for lift in u.lifts[u.first[player] : u.first[player + 1]]:
            pit, way = lift >> 1, lift & 1
            if only not in (None, pit) or opens(t, held, player, pit, way) < least:
                continue
            tried = u.trial or (u.must_feed and not fed)
            choices = 0
            while choices >= 0:
                move, asked = Move(pit, DIRECTIONS[way], choices), 0
                if tried:
                    new = list(counts)
                    flags = sow(t, new, player, pit, way, choices, None)
                    asked = flags >> ASKED
                    if flags & ENDLESS and rules.endless == "stop":
                        there, marks = counts[: t.marks], counts[t.marks :]
                        new = list(self.sow(there, player, move, opening=opening > 0, marks=marks).counts)
                        flags &= ~ENDLESS
                if not tried or stands(t, u, new, team, flags, fed):
                    yield move
                choices = next_choices(choices, asked)

    def _can_sow(self, counts: Counts, player: int, opening: int = 0) -> bool:
        return next(self._sowings(counts, player, opening), None) is not None

    def _marks(self, counts: Sequence[int]) -> list[int]:
        """What marks are taken to be where only the seeds are known."""
        t = self._tables
        claimed = [0] * (self.players if t.claim else 0)
        houses = [(player, pit) for player, pit in enumerate(t.house) if pit >= 0]
        standing = [int(counts[pit] > 0 and counts[t.pits + player] > 0) for player, pit in houses]
        return [*claimed, *standing, 0][: self.rules.marks]

    def _checked(self, marks: Sequence[int]) -> Sequence[int]:
        """The marks of a given position."""
        t = self._tables
        most = [self.pits] * (self.players if t.claim else 0) + [1] * (self.players if t.houses else 0)
        most += [self.pits] * self.rules.blocks
        if len(marks) != len(most):
            raise BadInput(f"start.marks has {len(marks)} numbers: {self.name} wants {len(most)}")
        for mark, top in zip(marks, most, strict=True):
            if not (type(mark) is int and 0 <= mark <= top):
                raise BadInput(f"start.marks holds {shown(mark)}: 0 to {top} was expected there")
        if t.claim:
            self._check_claims(marks[: self.players])
        return marks

    def _check_claims(self, claimed: Sequence[int]) -> None:
        t, owner = self._tables, self.rules.board.owner
        for player, mark in enumerate(claimed):
            if not mark:
                continue
            if owner[mark - 1] == player:
                raise BadInput(
                    f"start.marks says that player {player} has claimed pit {mark}, counted from 1: "
                    f"that is an own pit, and one of the opponent's was expected"
                )
            if not t.twin[mark - 1]:
                raise BadInput(
                    f"start.marks says that player {player} has claimed pit {mark}, counted from 1: "
                    f"that is the last of a row, which nobody may claim"
                )
            if claimed[1 - player] == t.twin[mark - 1]:
                raise BadInput(
                    f"start.marks says that pits {mark} and {claimed[1 - player]}, counted from 1, are "
                    f"claimed: they have one number, and only one of them can be"
                )

    def _next(self, player: int) -> int:
        return (player + 1) % self.players

    def _hand_over(
        self,
        counts: list[int],
        following: int,
        mover: int,
        history: tuple[tuple[tuple[int, ...], int], ...],
        passes: int,
        may_swap: bool,
        opening: int,
        *,
        flags: int,
    ) -> tuple[State, tuple[Step, ...]]:
        """The state in which `following` is to move, or in which play has ended; and the sweep."""
        rules = self.rules
        pits, marks = tuple(counts[: self.pits]), tuple(counts[self._tables.marks :])
        stores = tuple(counts[self.pits : self._tables.marks])
        position = (pits + marks, following)
        state = State(pits, stores, following, None, (*history, position), passes, may_swap, opening, marks)
        if opening and rules.opening == "three_two":
            return state, ()
        stood = state.since_capture.count(position)
        why = over(self._tables, self._turns, counts, following, flags, sum(state.counts), stood)
        if why == turns.HEADS_TAKEN:
            return self._win(state, mover, f"player {mover} captured at both ends"), ()
        if why == turns.FRONT_LOST:
            return self._win(state, 1 - following, f"the front row of player {following} is empty"), ()
        if why == turns.FRONT_WON:
            return self._win(state, following, f"the front row of player {1 - following} is empty"), ()
        can_move = self._can_sow(state.counts + marks, following, opening)
        if rules.win != "seeds" and not can_move:
            return self._win(state, 1 - following, f"player {following} cannot move"), ()
        match why:
            case turns.SLAMMED:
                to = self._next(mover)
                return self._end(state, [to] * self.pits, "every seed of the opponent was taken")
            case turns.MAJORITY:
                return self._end(state, self._heirs(mover, pits), "more than half of the seeds are taken")
            case turns.ROW_EMPTY:
                return self._end(state, self._heirs(mover, pits), "a row is empty")
            case turns.REPEATED:
                return self._end_repeated(state)
        if rules.win == "seeds" and not can_move:
            if rules.no_move == "end":
                return self._end(state, self._heirs(mover, pits), f"player {following} cannot move")
            stuck = [
                player for player in range(self.players) if not self._can_sow(state.counts + marks, player)
            ]
            if len(stuck) == self.players:
                reason = "nobody can move" if any(pits) else "the board is empty"
                return self._end(state, self._heirs(mover, pits), reason)
            if passes + 1 >= rules.passes_to_end:
                return self._end(
                    state, self._heirs(mover, pits), f"{passes + 1} players in succession cannot move"
                )
        return state, ()

    def _win(self, state: State, winner: int, reason: str) -> State:
        points = 1
        if self.rules.scoring == "seeds":
            points = sum(state.pits[pit] for pit in self.rules.board.own(winner))
            if points == sum(state.pits):
                points *= 2
        scores = tuple(points * (player == winner) for player in range(self.players))
        return replace(state, player=None, result=Result(scores, (winner,), reason))

    def _heirs(self, mover: int, pits: Sequence[int]) -> list[int] | None:
        """By pit: whose store its seeds go to when play ends by the game's own rule."""
        match self.rules.sweep:
            case "owner":
                return list(self.rules.board.owner)
            case "ender":
                return [mover] * self.pits
            case "empty_row":
                # Nothing is left where both rows are empty.
                return [int(not any(pits[pit] for pit in self.rules.board.own(1)))] * self.pits
            case "none":
                return None

    def _end(self, state: State, heirs: list[int] | None, reason: str) -> tuple[State, tuple[Step, ...]]:
        steps = tuple(
            Take(pit, seeds, self.rules.board.store(heirs[pit]))
            for pit, seeds in enumerate(state.pits if heirs else ())
            if heirs and seeds
        )
        return self._over(state, steps, reason), steps

    def _end_repeated(self, state: State) -> tuple[State, tuple[Step, ...]]:
        reason = f"the position has stood {self.rules.repetition_count} times"
        if self.rules.repetition == "sweep":
            return self._end(state, list(self.rules.board.owner), reason)
        if self.rules.repetition == "draw":
            everyone = tuple(range(self.players))
            return replace(state, player=None, result=Result(state.stores, everyone, reason)), ()
        steps = self._shares(state.pits)
        return self._over(state, steps, reason), steps

    def _shares(self, pits: Sequence[int]) -> tuple[Step, ...]:
        """Halve what is left, pit by pit as a hand would; odd seeds go to the lower players."""
        share, odd = divmod(sum(pits), self.players)
        due = [share + (player < odd) for player in range(self.players)]
        steps = list[Step]()
        for pit, seeds in enumerate(pits):
            left = seeds
            for player in range(self.players):
                part = min(left, due[player])
                if part:
                    steps.append(Take(pit, part, self.rules.board.store(player)))
                    due[player] -= part
                    left -= part
        return tuple(steps)

    def _over(self, state: State, sweep: Sequence[Step], reason: str) -> State:
        """The ended state: seeds as they lie, scores as the sweep makes them."""
        scores = after(state.counts, sweep)[self.pits :]
        return replace(state, player=None, result=Result(scores, self._winners(scores), reason))

    def _winners(self, scores: Sequence[int]) -> tuple[int, ...]:
        teams = {self.rules.team(player) for player in range(self.players)}
        totals = {
            team: sum(scores[player] for player in range(self.players) if self.rules.team(player) == team)
            for team in teams
        }
        best = min(totals.values()) if self.rules.misere else max(totals.values())
        return tuple(player for player in range(self.players) if totals[self.rules.team(player)] == best)

    def _ply(
        self,
        before: State,
        player: int,
        move: Move,
        steps: tuple[Step, ...],
        sweep: tuple[Step, ...],
        new: State,
    ) -> Ply:
        board, resown = self.rules.board, self.rules.resown
        # What is lifted along with the own seeds is no capture; what is sown on without them is.
        theirs = board.own(1 - player) if resown and not resown.joined else ()
        captured = tuple(
            (step.pit, step.seeds)
            for step in steps
            if isinstance(step, Take) or (isinstance(step, Lift) and step.pit in theirs)
        )
        gain = tuple(now - then for now, then in zip(new.stores, before.stores, strict=True))
        return Ply(player, move, steps, sweep, new, captured, gain)


_FIELDS = {name: at for at, name in enumerate(Tables._fields)}


def _but(t: Tables, **changed: int) -> Tables:
    """The same as `t._replace`, in a quarter of the time: moves are carried on by the thousand."""
    values = list(t)
    for name, value in changed.items():
        values[_FIELDS[name]] = value
    return Tables._make(values)


@lru_cache(maxsize=1 << 14)
def _step(code: int) -> Step:
    kind, hole = code & 3, code >> 2 & 255
    if kind == DROP:
        return Drop(hole)
    if kind == LIFT:
        return Lift(hole, code >> 10 & 1023)
    return Take(hole, code >> 10 & 1023, code >> 20)


def _onset(codes: Sequence[int], pits: int) -> int:
    """Steps of an endless relay on a `Tables.ring` up to where its cycle begins.

    As long as a relay captures nothing, each of its laps can be undone in one way only: it came from the pit
    with the fewest seeds; of several, from the nearest behind, where the last seed fell being the very
    nearest. So nothing leads into the cycle but laps that capture, which lift other seeds than those the last
    seed fell among; and a beginning with a seed brought in, which may leave some of them.

    Args:
        pits: on the board.
    """
    hand, last, onset, led, entering = 0, -1, 0, True, False
    for done, code in enumerate(codes):
        hole = code >> 2 & 255
        if code & 3 == LIFT:
            if hand or hole != last or entering:
                led = True
            elif led:
                onset, led = done, False
            hand += code >> 10 & 1023
            entering = hole >= pits
        else:
            hand -= 1
            last = hole
    return onset


def _repetition(counts: Sequence[int], codes: Sequence[int], turning: bool) -> int:
    """Steps of an endless relay up to where it first finds what it has found before.

    What a relay finds is where its last seed fell, the board, and the way round if it is `turning`.
    """
    board, hand, laps = list(counts), 0, 0
    seen: set[tuple[object, ...]] = set()
    for done, code in enumerate(codes):
        kind, hole = code & 3, code >> 2 & 255
        if kind == LIFT:
            if hand == 0 and done:
                state = (hole, turning and laps & 1, *board)
                if state in seen:
                    return done
                seen.add(state)
            laps += hand == 0
            hand += board[hole]
            board[hole] = 0
        elif kind == DROP:
            hand -= 1
            board[hole] += 1
        else:
            board[hole] -= code >> 10 & 1023
            board[code >> 20] += code >> 10 & 1023
    return len(codes)


def replay(game: Game, start: State, moves: Sequence[Move]) -> Iterator[Ply]:
    """Play the moves one after another.

    Raises:
        BadInput: one of them is not legal where it stands.
    """
    state = start
    for move in moves:
        ply = game.play(state, move)
        yield ply
        state = ply.state
