"""The rules of a game as one value. Every choice that rules.md leaves to players is a field here.

Captures are a small union, so that parameters without meaning cannot be written down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeVar

from engine.errors import BadInput, shown
from engine.move import Direction

GrandSlam = Literal[
    "no_capture", "capture", "forbidden", "leave_leftmost", "leave_rightmost", "opponent_sweeps"
]
"""What becomes of a move that would take every seed of the opponents (rules.md, *Oware*)."""
Sweep = Literal["owner", "ender", "empty_row", "none"]
"""Who gets the seeds left in the pits at the end: their pits' owners, the player who moved last, the player
whose row is empty, nobody."""
Repetition = Literal["sweep", "split", "draw", "none"]
"""How a position that keeps coming back ends play (rules.md, *Conventions*)."""

MOST_HOLES = 250
"""Pits on a board: a step packs a hole in eight bits."""
NGACANG = 3
"""So many pits of a player may be protected in a round of Congklak (source 004)."""
OPENING = 5
"""Seeds in a pit that the opening of Oriënt Slinger lifts (source 000)."""


@dataclass(frozen=True, slots=True)
class Facing:
    """The last seed in an own pit that was empty takes the seeds of the pit across."""

    needs_prey: bool = True
    """With nothing across, nothing is taken; else the last seed is taken alone."""
    keeps_seed: bool = False
    """The capturing seed stays in its pit."""
    after_lap: bool = False
    """Only when the sowing has been through an opponent's pit and come back (Congklak)."""


@dataclass(frozen=True, slots=True)
class ByCount:
    """The last seed brings its pit to one of `sizes`: that pit is taken."""

    sizes: tuple[int, ...]
    theirs_only: bool = True
    """Only pits of an opponent; else pits of any owner."""
    chain: bool = True
    """And so backwards along the sowing, through each unbroken pit that qualifies."""
    another_turn: bool = False
    """Who takes moves again."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The last seed brings an opponent's pit to `size`: it is taken, and for the rest of the game the pit is
    the mover's, who at once gets every seed that falls into it (Toguz korgool's *tuzdyk*).

    Each player may claim one pit, never the last of a row, nor the one of the number that the opponent has
    claimed on the other side.
    """

    size: int


Capture = Facing | ByCount | Claim


@dataclass(frozen=True, slots=True)
class Resown:
    """A last seed in an own front pit that held seeds takes those facing it, and they are sown on by the
    taker.

    Where nothing is taken, the game's relay goes on as it would.
    """

    needs: Literal["front", "both_rows"] = "front"
    """The facing pit must hold seeds; or that and the one behind it."""
    takes: Literal["front", "both_rows"] = "front"
    """The seeds of the facing pit; or these and those behind it."""
    joined: bool = True
    """The seeds of the capturing pit are lifted and sown with them."""
    begins: Literal["here", "lap", "end"] = "here"
    """They go into the pits after the capturing pit; or after the pit where its lap began; or from an end of
    the own front row, that pit included, to the other: the end from which the way round stays the same."""
    ends: int = 0
    """Captures by so many pits at each end of the front row begin at that end whichever way the sowing
    went."""
    obliged: bool = False
    """A move that can begin with a capture must; and a move that does not begin with one takes nothing."""
    most: int = 0
    """A pit with more seeds cannot begin a move with a capture; 0 for no limit."""

    def __post_init__(self) -> None:
        if self.ends and self.begins != "end":
            raise BadInput('ends counts only where captured seeds begin at an end: set begins to "end"')


@dataclass(frozen=True, slots=True)
class Turnback:
    """A lap from some pits may go clockwise, in a game sown counter-clockwise, where it captures at once."""

    pits: tuple[int, ...]
    """By each player's own count from 0."""
    laps: Literal["first", "any"]
    """The first lap of a move alone; or each that begins there, where the player may choose in mid-move. Then
    captured seeds may go clockwise too, if the seeds that took them did."""


@dataclass(frozen=True, slots=True)
class House:
    """A front pit of each player that keeps its seeds together while its owner has not sown or lost them
    all."""

    pit: int
    """By each player's own count from 0."""
    seeds: int
    """With fewer it is a pit like others, until it has as many again."""
    tax: int
    """A seed that has to be brought in there lifts so many seeds and leaves the rest."""
    late: bool
    """It still stops sowings when its owner has no seeds left to bring in."""


@dataclass(frozen=True, slots=True)
class Conquest:
    """The winner of a round takes over a pit; a match of two players (Oriënt Donderslag)."""

    pits: int
    """So many win the match."""
    next_starter: Literal["loser", "winner", "alternate"]
    by: Literal["pit", "seeds"] = "pit"
    """One pit a round; or each owns as many as the own seeds fill, counted from where the row begins."""


@dataclass(frozen=True, slots=True)
class Refill:
    """Each fills the own pits from the own seeds for the next round (Congklak)."""

    seeds: int
    """In a full pit."""
    short_pits: Literal["ngacang", "closed"]
    fill_from: Literal["store", "far"]
    """The pit nearest the own store is filled first, or the farthest."""
    next_starter: Literal["winner", "loser", "last_mover", "fewest"]
    """Who did not run out first, who did, who moved last, or who has the fewest seeds, or else did."""


_Kind = TypeVar("_Kind", Facing, ByCount, Claim)

Rounds = Conquest | Refill


@dataclass(frozen=True, slots=True)
class Board:
    """The holes of a game's board and how they lie to each other."""

    owner: tuple[int, ...]
    """By pit: the player who may lift from it."""
    across: tuple[int, ...]
    """By pit: the pit facing it, or -1."""
    course: tuple[tuple[int, ...], ...]
    """By player: the closed path of holes, counter-clockwise, that this player sows along."""
    behind: tuple[int, ...] = ()
    """By pit: the back pit behind a front pit, -1 for every other; empty on a board without back rows."""
    protected: tuple[int, ...] = ()
    """Pits closed for a round (Congklak's *ngacang*): nobody lifts from them, no capture reaches them."""

    @property
    def pits(self) -> int:
        return len(self.owner)

    def front(self, player: int) -> tuple[int, ...]:
        """The pits of a player that face others, rising."""
        return tuple(pit for pit in self.own(player) if self.across[pit] >= 0)

    @property
    def players(self) -> int:
        return len(self.course)

    def own(self, player: int) -> tuple[int, ...]:
        """The pits of a player, rising."""
        return tuple(pit for pit, owner in enumerate(self.owner) if owner == player)

    def store(self, player: int) -> int:
        """The hole index of a player's store (off the course where the game does not sow it)."""
        return self.pits + player


def two_rows(
    row: int,
    store: Literal["right", "left", "off"],
    short: Sequence[int] = (),
    short_pits: Literal["ngacang", "closed"] = "closed",
    every_store: bool = False,
) -> Board:
    """Two rows of `row` pits, a player a row; each store sown by its owner alone, or by nobody.

    Args:
        every_store: both players sow both stores.
        short: pits that could not be filled for this round.
        short_pits: nobody lifts from these or takes from them; their owner sows into them ("ngacang"), or
            nobody does ("closed").

    Raises:
        BadInput: no such arrangement of pits, stores or short pits.
    """
    if not 1 <= row <= MOST_HOLES // 2:
        raise BadInput(f"row is {shown(row)}: 1 to {MOST_HOLES // 2} was expected")
    ring = list(range(2 * row))
    for player in (0, 1):
        mine = [pit for pit in short if pit // row == player]
        if len(mine) > (NGACANG if short_pits == "ngacang" else row):
            raise BadInput(f"short has {len(mine)} pits of player {player}: at most {NGACANG} may be ngacang")
    if not set(short) <= set(ring):
        raise BadInput(f"short is {shown(short)}: pits from 0 to {2 * row - 1} were expected")
    courses = []
    if store not in ("right", "left", "off"):
        raise BadInput(f"store {store!r} is not known: right, left or off was expected")
    for player in (0, 1):
        holes = ring.copy()
        for owner in (1, 0) if every_store else (player,):
            if store != "off":
                holes.insert(row * (owner + (store == "right")), 2 * row + owner)
        sown = short_pits == "ngacang"
        courses.append(tuple(hole for hole in holes if hole not in short or (sown and hole // row == player)))
    return Board(
        owner=tuple(pit // row for pit in ring),
        across=tuple(2 * row - 1 - pit for pit in ring),
        course=tuple(courses),
        protected=tuple(sorted(set(short))),
    )


def shared_ring(players: int, square: bool = False, owner: Sequence[int] = ()) -> Board:
    """The ring of 12 with a store at each corner (source 000), for 2 to 4 players.

    Pits are numbered counter-clockwise and turns pass clockwise, so that the player after South has the pits
    before South's.

    Args:
        square: three pits a side instead of two rows of six.
        owner: by pit, its player; empty where each player has the pits of one side.

    Raises:
        BadInput: 12 pits do not fall to so many players.
    """
    if players not in (2, 3, 4):
        raise BadInput(f"{players} players do not fit a ring of 12 pits: 2, 3 or 4 were expected")
    owner = tuple(owner) or tuple(-(pit * players // 12) % players for pit in range(12))
    if len(owner) != 12 or set(owner) != set(range(players)):
        raise BadInput(
            f"owner is {shown(owner)}: 12 numbers from 0 to {players - 1} were expected, "
            f"each player at least once"
        )

    def facing(pit: int) -> int:
        if not square:
            return 11 - pit
        return 14 - pit if pit in (3, 4, 5, 9, 10, 11) else 8 - pit

    return Board(
        owner=owner,
        across=tuple(facing(pit) for pit in range(12)),
        course=(tuple(range(12)),) * players,
    )


def own_loops() -> Board:
    """Four rows of eight: each player sows round the two rows nearest (source 002)."""
    return Board(
        owner=(0,) * 16 + (1,) * 16,
        across=tuple(16 * (1 - pit // 16) + 23 - pit % 16 if pit % 16 >= 8 else -1 for pit in range(32)),
        course=(tuple(range(16)), tuple(range(16, 32))),
        behind=tuple(16 * (pit // 16) + 15 - pit % 16 if pit % 16 >= 8 else -1 for pit in range(32)),
    )


_LEAST: Mapping[str, int] = {
    "seeds": 0, "skip_full": 0, "reserve": 0, "passing": 0, "last": 0, "least_lift": 1, "passes_to_end": 1,
    "repetition_count": 2,
}  # fmt: skip
"""Of the numbers among the rules that speak of seeds, pits or turns: the least that each may be."""
MOST_DEAL = 999_999_999
"""The greatest seed of a random deal."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything the engine needs to know of a game."""

    board: Board
    seeds: int
    """In each pit at the start."""
    start: tuple[int, ...] = ()
    """By pit, the seeds at the start, where they are not everywhere the same."""
    deal: int = 0
    """The seed of a random deal of all seeds over the pits at the start; 0 for none."""
    directions: tuple[Direction, ...] = (1,)
    """Those a mover may choose from."""
    kept: tuple[Direction, ...] = ()
    """By player, the one direction of `directions` that each chose before the game; empty where none did."""
    opening: Literal["none", "three_two", "no_capture"] = "none"
    """At first each player lifts a pit of five and puts 3 and 2 in the next two pits clockwise (Oriënt
    Slinger); or the first move of all takes nothing (Einfaches Mancala, variant 1)."""
    captures: tuple[Capture, ...] = ()
    """At most one of a kind; a claim comes before what is captured by count."""
    keeps_first: bool = False
    """Of several seeds lifted the first goes back into their own pit."""
    skip_origin: bool = False
    """A lap leaves the lifted pit empty."""
    skip_full: int = 0
    """Pits that held so many seeds or more before the move are sown past, unless every pit there is did; 0
    for none."""
    extra_turn: bool = False
    """The last seed in the own store gives another turn."""
    relay: Literal["none", "onward", "back"] = "none"
    """A last seed that joins others is lifted with them and sown on, the same way or the other way."""
    resown: Resown | None = None
    """How a relay captures seeds that are sown on."""
    turnback: Turnback | None = None
    """Where a lap may go the other way."""
    reserve: int = 0
    """Seeds in each store at the start. Who has any left begins a move by bringing one into an own front pit
    that holds seeds; without a capture not into a single seed, where another pit will do and no house
    stands."""
    house: House | None = None
    """A last seed in a house that stands ends the move; in a move that captures its owner may sow it instead.
    Where nothing is captured, no seed is brought in there while another front pit has any."""
    keeps_front: bool = False
    """Where nothing is captured, a front pit is lifted if one can be, and never so as to empty the front row.
    A capture that empties the opponent's ends the move when what is in the hand has been sown."""
    heads: bool = False
    """Who captures at both ends of the opponent's front row in one move has won."""
    blocks: bool = False
    """A move without a capture, after which the opponent cannot capture either and just one pit of theirs can
    be captured, keeps them from lifting it in their next turn: a relay that ends there stops. Not a pit with
    a single seed, the only one with seeds or with more than one in the front row, or a house that stands."""
    endless: Literal["illegal", "stop"] = "illegal"
    """A relay that would never end may not be played, or ends where it first repeats itself."""
    passing: int = 0
    """A pit brought to this many in passing is taken at once; 0 for none."""
    passing_to: Literal["owner", "mover"] = "owner"
    """Whose it is then."""
    last: int = 0
    """When a pit taken for its count leaves so many seeds, they are taken too; 0 for never."""
    last_to: int = -1
    """By this player; -1 for who took that pit."""
    last_late: bool = False
    """Only when the move is done, and then so few or fewer; -1 is who moved."""
    least_lift: int = 1
    """A pit with fewer seeds may not be lifted."""
    must_feed: bool = False
    """An opponent without seeds must be given some, if a move can."""
    grand_slam: GrandSlam = "capture"
    partners: bool = False
    """Players 0 and 2 against 1 and 3."""
    misere: bool = False
    """Fewest seeds win."""
    end: Literal["either", "in_relay", "to_move"] = "to_move"
    """Play ends when any row is empty after a move, or even before a relay goes on; or only when the player
    to move cannot."""
    no_move: Literal["end", "pass"] = "end"
    """What happens to a player who cannot move."""
    passes_to_end: int = 2
    """So many players in succession who cannot move end play (`no_move` "pass")."""
    win: Literal["seeds", "immobile", "front_row_or_immobile", "front_row"] = "seeds"
    """By the number of seeds; or by leaving the opponent no move, or an empty front row (source 002)."""
    scoring: Literal["games", "seeds"] = "games"
    """Where the win is not by seeds, the winner scores 1; or the seeds on their half, twice those if all."""
    sweep: Sweep = "owner"
    end_at_majority: bool = False
    """More than half the seeds in one store ends play at once."""
    repetition: Repetition = "sweep"
    repetition_count: int = field(default=3)
    """How often a position must have stood since the last capture, 2 or more."""
    rounds: Rounds | None = None
    """How one round follows another in a match; None where each is a game of its own."""
    pie: bool = False
    """At their first turn the second player may swap sides."""

    def __post_init__(self) -> None:
        self._check_numbers()
        if len({type(capture) for capture in self.captures}) < len(self.captures):
            raise BadInput("capture names one kind twice: leave one out")
        by_count = self.find(ByCount)
        if self.relay != "none" and by_count is not None and by_count.chain:
            raise BadInput("a relay with a chain of captures has no meaning: set chain to false")
        if self.find(Claim) is not None and self.board.players != 2:
            raise BadInput("pits are claimed by two players: set players to 2, or leave claim out")
        if self.pie and self.board.players != 2:
            raise BadInput("pie needs two players")
        if self.partners and self.board.players != 4:
            raise BadInput("partners needs four players: set players to 4, or leave partners out")
        if self.win != "seeds" and self.board.players != 2:
            raise BadInput(f"win {self.win} needs two players")
        if self.opening == "three_two" and self.seeds != OPENING and not (self.start or self.deal):
            raise BadInput(
                f"the opening lifts pits of {OPENING} seeds, and there are {self.seeds} in each: "
                f"set seeds to {OPENING}, or opening to false"
            )
        if self.start and len(self.start) != self.board.pits:
            raise BadInput(f"start has {len(self.start)} numbers: {self.board.pits} were expected, one a pit")
        if self.resown and self.relay != "onward":
            raise BadInput('captured seeds are sown on in a relay: set relay to "onward"')
        if self.resown and not self.board.behind:
            raise BadInput(
                "captured seeds are sown on where each player has two rows: set shape to own_loops"
            )
        if self.heads and not self.resown:
            raise BadInput("heads counts only where captured seeds are sown on: leave it out")
        obliged = self.resown is not None and self.resown.obliged
        if (self.reserve or self.house or self.keeps_front or self.blocks) and not obliged:
            raise BadInput("reserve, house, keeps_front and blocks need captures that are obliged")
        own, front = self.board.own(0), self.board.front(0)
        if self.house and own[self.house.pit] not in front:
            raise BadInput(f"house.pit is {self.house.pit}: a pit of the front row was expected")
        if self.turnback and not (self.resown and self.directions == (1, -1)):
            raise BadInput("turnback needs captured seeds that are sown on, and directions 1 and -1")
        if self.endless == "stop" and (self.turnback or (self.resown and self.resown.begins != "here")):
            raise BadInput('endless "stop" needs a relay that goes on from where it is: set it to "illegal"')
        if self.start and self.deal:
            raise BadInput("start and deal both say how the seeds lie at the start: leave one out")

    def _check_numbers(self) -> None:
        board, most = self.board, MOST_HOLES
        ranges = [(name, getattr(self, name), least, most) for name, least in _LEAST.items()]
        ranges += [("deal", self.deal, 0, MOST_DEAL)]
        ranges += [("last_to", self.last_to, -1, board.players - 1), ("holes", board.pits, 2, most)]
        by_count, claim = self.find(ByCount), self.find(Claim)
        ranges += [("sizes", min(size, most), 1, most) for size in (by_count.sizes if by_count else ())]
        ranges += [("size", claim.size, 1, most)] if claim else []
        if self.house:
            ranges += [("house.pit", self.house.pit, 0, len(board.own(0)) - 1)]
            ranges += [("house.seeds", self.house.seeds, 1, most)]
            # No more can be lifted from a house than must be in it.
            ranges += [("house.tax", self.house.tax, 1, self.house.seeds)]
        if self.turnback:
            ranges += [("turnback.pits", pit, 0, len(board.own(0)) - 1) for pit in self.turnback.pits]
        if self.resown:
            ranges += [
                ("resown.ends", self.resown.ends, 0, len(board.front(0)) // 2),
                ("resown.most", self.resown.most, 0, most),
            ]
        if self.rounds:
            number = self.rounds.pits if isinstance(self.rounds, Conquest) else self.rounds.seeds
            ranges += [("rounds", number, 1, most)]
        for name, number, least, greatest in ranges:
            if not least <= number <= greatest:
                raise BadInput(f"{name} is {shown(number)}: {least} to {greatest} was expected")
        if not self.directions or len(set(self.directions)) < len(self.directions):
            raise BadInput("directions is a list of 1, -1 or both: name each once")
        if self.kept and (len(self.kept) != board.players or not set(self.kept) <= set(self.directions)):
            raise BadInput("kept names one of directions for each player, or is left empty")

    def find(self, kind: type[_Kind]) -> _Kind | None:
        """The capture of a kind."""
        return next((capture for capture in self.captures if isinstance(capture, kind)), None)

    @property
    def marks(self) -> int:
        """How many numbers a position has beside its seeds: the pits claimed, the houses, the blocked pit."""
        each = (self.find(Claim) is not None) + (self.house is not None)
        return each * self.board.players + self.blocks

    @property
    def choices(self) -> bool:
        """A move may ask its player to choose on the way."""
        return self.house is not None or (self.turnback is not None and self.turnback.laps == "any")

    def ways(self, player: int) -> tuple[Direction, ...]:
        """The directions that a player may sow in."""
        return (self.kept[player],) if self.kept else self.directions

    def set_out(self) -> tuple[int, ...]:
        """The seeds of each pit at the start."""
        even = (self.seeds,) * self.board.pits
        if not self.deal:
            return self.start or even
        # Of all that `Random` does, only `random()` is promised to stay the same from Python to Python.
        chance = Random(self.deal)
        dealt = [0] * self.board.pits
        for _ in range(sum(even)):
            dealt[int(chance.random() * self.board.pits)] += 1
        return tuple(dealt)

    def team(self, player: int) -> int:
        return player % 2 if self.partners else player
