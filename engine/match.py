"""Rounds and matches: what one round leaves to the next. Pure, a layer above `engine.game`.

Theory of operation. A `Round` is a game with the options of that round and the state it starts from.
`conclude` takes the plies that were played and says who has won the round, how the match stands and what
comes next: the next `Round`, a `Refilling` that people have yet to lay out on the board, or nothing, as the
match is over. Three kinds of match: pits change hands (`Conquest`), each fills the own pits from the own
seeds (`Refill`), or rounds are games of their own whose scores are added, for as long as people agree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine import games
from engine.errors import BadInput
from engine.game import Game, Ply, State
from engine.rules import NGACANG, Conquest, Refill
from engine.step import Counts, stages


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a match, ready to be played."""

    number: int
    """From 1."""
    game: Game
    """With the options of this round: whose pits are whose, and which are closed."""
    start: State
    totals: tuple[int, ...]
    """By player: the scores of the rounds before, added."""

    @property
    def starter(self) -> int:
        """Who is to move first, even in a round that is over before it has begun."""
        return self.start.since_capture[-1][1]

    def boards(self) -> Iterator[Counts]:
        """The one board that the round starts from."""
        yield self.start.counts

    def begin(self, pits: Sequence[int]) -> "Round":
        """The round itself, from the pits as they lie on the board.

        Raises:
            BadInput: they are not as the round starts.
        """
        for pit, (there, wanted) in enumerate(zip(pits, self.start.pits, strict=True)):
            if there != wanted:
                raise BadInput(f"pit {self.game.hole_name(pit)} holds {there} seeds: {wanted} were expected")
        return self


@dataclass(frozen=True, slots=True)
class Share:
    """What one player has to lay out for a round."""

    full: tuple[int, ...]
    """The pits to be filled, in the order of filling."""
    short: tuple[int, ...]
    """The pits that the seeds do not fill, in the same order."""
    ngacang: tuple[int, ...]
    """Those of them that are protected; or, where short pits are closed, all of them."""
    spread: int
    """Seeds to be spread over `short` as the player likes."""
    store: int
    """Seeds that go into the store."""


@dataclass(frozen=True, slots=True)
class Refilling:
    """The board is to be filled for the next round; `begin` reads how it was done."""

    number: int
    game: Game
    """Of the round before."""
    starter: int
    totals: tuple[int, ...]
    shares: tuple[Share, ...]
    """By player."""

    def proposal(self) -> tuple[int, ...]:
        """Pits as a player without a wish would lay them out: the rest spread evenly over the short pits."""
        pits = [0] * self.game.pits
        for share in self.shares:
            for pit in share.full:
                pits[pit] = _refill(self.game).seeds
            for place in range(share.spread):
                pits[share.short[place % len(share.short)]] += 1
        return tuple(pits)

    def boards(self) -> Iterator[Counts]:
        """Every board that is right, pits and stores: one for each way of spreading."""
        stores = tuple(share.store for share in self.shares)
        # Sharing is zero-sum: only one player can be short of seeds.
        short = next((share for share in self.shares if share.spread), None)
        pits = list(self.proposal())
        if short is None:
            yield (*pits, *stores)
            return
        places, seeds = len(short.short), short.spread
        for bars in combinations(range(seeds + places - 1), places - 1):
            edges = (-1, *bars, seeds + places - 1)
            for pit, left, right in zip(short.short, edges, edges[1:], strict=False):
                pits[pit] = right - left - 1
            try:
                self.begin(pits)
            except BadInput:
                continue
            yield (*pits, *stores)

    def begin(self, pits: Sequence[int]) -> Round:
        """The round that starts from the pits as they lie on the board.

        Raises:
            BadInput: they are not filled as the rules want; the sentence says what is due where.
        """
        if len(pits) != self.game.pits:
            raise BadInput(f"the board has {len(pits)} pits: {self.game.pits} were expected")
        for player, share in enumerate(self.shares):
            self._check(player, share, pits)
        game = self.closed()
        start = game.start(pits, [share.store for share in self.shares], self.starter)
        return Round(self.number, game, start, self.totals)

    def closed(self) -> Game:
        """The game as the round is played: with the short pits closed that the rules protect."""
        closed = sorted(pit for share in self.shares for pit in share.ngacang)
        return games.load(self.game.name, {**self.game.options, "short": closed})

    def _check(self, player: int, share: Share, pits: Sequence[int]) -> None:
        full, name = _refill(self.game).seeds, self.game.hole_name
        for pit in share.full:
            if pits[pit] != full:
                raise BadInput(
                    f"pit {name(pit)} holds {pits[pit]} seeds: {full} were expected, full pits come first"
                )
        laid = sum(pits[pit] for pit in share.short)
        if laid != share.spread or any(pits[pit] < 0 for pit in share.short):
            places = ", ".join(name(pit) for pit in share.short)
            raise BadInput(f"pits {places} hold {laid} seeds together: {share.spread} were expected")
        open_pits = [pit for pit in share.short if pit not in share.ngacang]
        if not share.full and open_pits and not any(pits[pit] for pit in open_pits):
            who, places = self.game.player_name(player), ", ".join(name(pit) for pit in open_pits)
            raise BadInput(f"{who} would have nothing to play: lay at least one seed into {places}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished round means."""

    scores: tuple[int, ...]
    """By player, of this round."""
    winners: tuple[int, ...]
    """Of this round by its scores (in Congklak *menang biji*); all who share the place."""
    ran_out: int | None
    """The player who first had nothing to play (*kalah jalan*); the other is *menang jalan*. None where play
    ended otherwise, or the game knows no such thing."""
    totals: tuple[int, ...]
    """By player: scores added up to now."""
    standing: tuple[int, ...]
    """By player, what wins the match: pits held, seeds owned or points."""
    leaders: tuple[int, ...]
    """Who stands first in the match: with the most pits, seeds or points; its winners if it ends here."""
    following: Round | Refilling | None
    """What comes next; None when the match is over."""


def first(game: Game) -> Round:
    """The first round of a match."""
    return Round(1, game, game.start(), (0,) * game.players)


def conclude(round_: Round, plies: Sequence[Ply], since: State | None = None) -> Outcome:
    """The outcome of a round that was played to its end.

    Args:
        plies: all of the round, from `round_.start` on; none if that is over already.
        since: the position from which the plies go on, where that is by a ruling another than `round_.start`.

    Raises:
        BadInput: the round is not over.
    """
    start = since or round_.start
    end = plies[-1].state if plies else start
    if end.result is None:
        raise BadInput(f"round {round_.number} is not over: play it to its end first")
    totals = tuple(old + new for old, new in zip(round_.totals, end.result.scores, strict=True))
    match round_.game.rules.rounds:
        case Conquest() as rules:
            return _conquer(round_, end, totals, rules)
        case Refill() as rules:
            return _refilled(round_, end, plies, totals, rules, _ran_out(round_.game, start, plies))
        case None:
            best = (min if round_.game.rules.misere else max)(totals)
            leaders = tuple(player for player, total in enumerate(totals) if total == best)
            starter = (round_.starter + 1) % round_.game.players
            start = round_.game.start(player=starter)
            following = Round(round_.number + 1, round_.game, start, totals)
            result = end.result
            return Outcome(result.scores, result.winners, None, totals, totals, leaders, following)


def agreed(round_: Round, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How the match stands, and who has won it, when the players agree to end it in the middle of a round.

    A round without an end conquers no pit and scores no points; seeds are their owners', stored or not.
    """
    game, board = round_.game, round_.game.rules.board
    match game.rules.rounds:
        case Conquest():
            standing = tuple(len(board.own(player)) for player in range(game.players))
        case Refill():
            standing = tuple(
                state.stores[player] + sum(state.pits[pit] for pit in board.own(player))
                for player in range(game.players)
            )
        case None:
            standing = round_.totals
    best = (min if game.rules.misere and game.rules.rounds is None else max)(standing)
    return standing, tuple(player for player, held in enumerate(standing) if held == best)


def _conquer(round_: Round, end: State, totals: tuple[int, ...], rules: Conquest) -> Outcome:
    """Pits change hands: to the winner the one just before the own first pit in sowing order, or by seeds."""
    assert end.result is not None
    game, owner = round_.game, list(round_.game.rules.board.owner)
    starter = round_.starter
    winners = end.result.winners
    if rules.by == "seeds":
        owner = _filled(end.result.scores, game.rules.seeds, len(owner))
    if len(winners) == 1:
        (winner,) = winners
        if rules.by == "pit":
            owner[_conquered(owner, winner)] = winner
        following = {"loser": 1 - winner, "winner": winner, "alternate": 1 - starter}[rules.next_starter]
    else:
        # A drawn round has neither winner nor loser to start the next, and conquers no pit.
        following = 1 - starter
    held = (owner.count(0), owner.count(1))
    leaders = tuple(player for player in (0, 1) if held[player] == max(held))
    if max(held) >= rules.pits:
        return Outcome(end.result.scores, winners, None, totals, held, leaders, None)
    game = games.load(game.name, {**game.options, "owner": owner})
    start = game.start(player=following)
    then = Round(round_.number + 1, game, start, totals)
    return Outcome(end.result.scores, winners, None, totals, held, leaders, then)


def _filled(scores: Sequence[int], seeds: int, pits: int) -> list[int]:
    """Owners where the richer keeps what the seeds of the other do not fill, as seen from the own row on."""
    richer = int(scores[1] > scores[0])
    held = pits - min(scores[1 - richer] // seeds, pits // 2)
    row = pits // 2
    return [richer if (pit - richer * row) % pits < held else 1 - richer for pit in range(pits)]


def _conquered(owner: Sequence[int], winner: int) -> int:
    """The opponent's pit before the winner's first; of several such, the first clockwise from the seat."""
    pits = len(owner)
    firsts = [pit for pit in range(pits) if owner[pit] == winner != owner[pit - 1]]
    seat = winner * pits // 2
    return (min(firsts, key=lambda pit: (seat - pit) % pits) - 1) % pits


def _refill(game: Game) -> Refill:
    rounds = game.rules.rounds
    assert isinstance(rounds, Refill)
    return rounds


def _refilled(
    round_: Round,
    end: State,
    plies: Sequence[Ply],
    totals: tuple[int, ...],
    rules: Refill,
    ran_out: int | None,
) -> Outcome:
    assert end.result is not None
    game, scores = round_.game, end.result.scores
    leaders = tuple(player for player, score in enumerate(scores) if score == max(scores))
    shares = tuple(_share(game, player, seeds, rules) for player, seeds in enumerate(scores))
    following = None
    if all(share.full or share.spread for share in shares):
        loser = ran_out
        if loser is None and len(leaders) == 1:
            loser = 1 - leaders[0]
        starter = round_.starter
        next_one = 1 - starter if loser is None else loser if rules.next_starter == "loser" else 1 - loser
        if rules.next_starter == "last_mover" and plies:
            next_one = plies[-1].player
        if rules.next_starter == "fewest":
            next_one = 1 - leaders[0] if len(leaders) == 1 else 1 - next_one
        following = Refilling(round_.number + 1, game, next_one, totals, shares)
    return Outcome(scores, end.result.winners, ran_out, totals, scores, leaders, following)


def _share(game: Game, player: int, seeds: int, rules: Refill) -> Share:
    own = game.rules.board.own(player)
    # Stores lie at each player's left, before the first pit.
    order = own if rules.fill_from == "store" else own[::-1]
    full = min(seeds // rules.seeds, len(order))
    rest = seeds - full * rules.seeds
    short = order[full:]
    if not short or rules.short_pits == "closed":
        return Share(order[:full], short, short, 0, rest)
    return Share(order[:full], short, short[-NGACANG:], rest, 0)


def _ran_out(game: Game, start: State, plies: Sequence[Ply]) -> int | None:
    """The player whose row, apart from protected pits, was empty first for good."""
    board = game.rules.board
    boards = [start.counts]
    for ply in plies:
        boards += stages(boards[-1], ply.steps)
    held = [-1, -1]
    for player in (0, 1):
        row = [pit for pit in board.own(player) if pit not in board.protected]
        held[player] = max(
            (at for at, counts in enumerate(boards) if any(counts[pit] for pit in row)), default=-1
        )
    return None if held[0] == held[1] else held.index(min(held))
