"""The sowing itself: one function that plays the physical part of a move in every game.

Theory of operation. A move is a series of laps. Each lap lifts a pit and drops its seeds one by one along
the mover's course. When the hand is empty, the hole of the last seed decides, in this order:

1. a store: the turn ends, or gives another turn;
2. an opponent's pit that may be claimed: it is taken;
3. a pit brought to a size that is captured: it is taken, in a chain backwards where the game has chains;
4. a pit that held seeds, in a game with relays: lift it, and whatever the relay gathers, and sow another lap;
5. an own pit that was empty, in a game that captures across: take;
6. anything else: the turn ends.

Where pits are claimed, the counts go on after the stores with marks: by player, the pit claimed, counted
from 1, or 0.

No game has a line of its own. A store that a player does not sow, or a pit closed for the round, is not on
that player's course. `sow` works on plain integers in lists so that a compiler for numbers can take it as
it stands; `engine.game` wraps it in values.
"""

from typing import NamedTuple

from engine.rules import Board, ByCount, Claim, Facing, Rules

EXTRA_TURN = 1
SLAM = 2
"""The captures would take, or took, every seed of opponents who had some before the move."""
ENDLESS = 4
"""The relay came back to a state it had been in: the move never ends."""

MOST_SEEDS = 511
"""No board holds more; a step packs a number of seeds in ten bits."""

LIFT = 0
DROP = 1
TAKE = 2


class Tables(NamedTuple):
    """A game's rules as flat numbers, indexed by hole (pits, then stores) and player."""

    pits: int
    onward: list[list[int]]
    """`[2 * player + way][hole]`: the next hole; way 0 is counter-clockwise, 1 clockwise."""
    owner: list[int]
    """By hole; -1 for a store."""
    team: list[int]
    """By player."""
    across: list[int]
    behind: list[int]
    protected: list[bool]
    skip_origin: bool
    keeps_first: bool
    extra_turn: bool
    relay: int
    """0 none, 1 onward, -1 back."""
    gathers: int
    """0 nothing, 1 the front row, 2 both rows."""
    passing: int
    last: int
    """When so many seeds are left after a capture, they go with it; 0 for never."""
    sizes: list[bool]
    """By count: whether a pit brought to it is taken."""
    theirs_only: bool
    chain: bool
    spared: list[bool]
    """By hole: whether a grand slam leaves this pit alone."""
    claim: int
    """The number of seeds that a claimed pit is brought to; 0 for none."""
    marks: int
    """Where the marks begin, by hole."""
    twin: list[int]
    """By pit: the pit of that number in the other row, counted from 1; 0 for one that cannot be claimed."""
    facing: bool
    needs_prey: bool
    keeps_seed: bool
    after_lap: bool
    ring: list[int]
    """By player: how many pits lie on the course, where nothing but an empty pit ends a relay, the pits being
    all alike; 0 elsewhere."""


def tables(rules: Rules) -> Tables:
    """Flatten the rules."""
    board = rules.board
    pits, players = board.pits, board.players
    onward = []
    for course in board.course:
        for way in (1, -1):
            path = list(course[::way])
            following = [-1] * (pits + players)
            for here, there in zip(path, [*path[1:], path[0]], strict=True):
                following[here] = there
            onward.append(following)
    by_count, facing, claim = rules.find(ByCount), rules.find(Facing), rules.find(Claim)
    return Tables(
        pits=pits,
        onward=onward,
        owner=[*board.owner, *([-1] * players)],
        team=[rules.team(player) for player in range(players)],
        across=[*board.across, *([-1] * players)],
        behind=[*(board.behind or [-1] * pits), *([-1] * players)],
        protected=[hole in board.protected for hole in range(pits + players)],
        skip_origin=rules.skip_origin,
        keeps_first=rules.keeps_first,
        extra_turn=rules.extra_turn,
        relay={"none": 0, "onward": 1, "back": -1}[rules.relay],
        gathers={"nothing": 0, "front": 1, "both_rows": 2}[rules.relay_gathers],
        passing=rules.passing,
        last=rules.passing if rules.last_four else 0,
        sizes=[by_count is not None and n in by_count.sizes for n in range(MOST_SEEDS + 1)],
        theirs_only=by_count is not None and by_count.theirs_only,
        chain=by_count is not None and by_count.chain,
        spared=[_spared(rules, hole) for hole in range(pits + players)],
        claim=0 if claim is None else claim.size,
        marks=pits + players,
        twin=[0] * pits if claim is None else _twins(board),
        facing=facing is not None,
        needs_prey=facing is not None and facing.needs_prey,
        keeps_seed=facing is not None and facing.keeps_seed,
        after_lap=facing is not None and facing.after_lap,
        ring=[_ring(rules, player) for player in range(players)],
    )


def _ring(rules: Rules, player: int) -> int:
    board, course = rules.board, rules.board.course[player]
    by_count, claim = rules.find(ByCount), rules.find(Claim)
    if rules.relay != "onward" or rules.skip_origin or rules.passing or by_count or claim:
        return 0
    if any(hole >= board.pits or hole in board.protected for hole in course):
        return 0
    if rules.relay_gathers != "nothing" and any(board.across[pit] in course for pit in course):
        return 0
    return len(course)


def _twins(board: Board) -> list[int]:
    rows = [board.own(0), board.own(1)]
    twin = [0] * board.pits
    for row, other in (rows, rows[::-1]):
        for pit, opposite in zip(row[:-1], other, strict=False):
            twin[pit] = opposite + 1
    return twin


def _spared(rules: Rules, hole: int) -> bool:
    if hole >= rules.board.pits:
        return False
    row = rules.board.own(rules.board.owner[hole])
    match rules.grand_slam:
        case "no_capture":
            return True
        case "leave_leftmost":
            return hole == row[0]
        case "leave_rightmost":
            return hole == row[-1]
    return False


def sow(t: Tables, counts: list[int], player: int, origin: int, way: int, steps: list[int] | None) -> int:
    """Lift `origin` and do all that the rules make of it, in place.

    Args:
        counts: by hole; changed.
        way: 0 counter-clockwise, 1 clockwise.
        steps: each step is appended as `kind | hole << 2 | seeds << 10 | to << 20`; None to keep no trace.

    Returns:
        `EXTRA_TURN`, `SLAM` and `ENDLESS` as bits. With `ENDLESS` counts and steps are those of the moment
        it was noticed.
    """
    pits, owner, passing, skip = t.pits, t.owner, t.passing, t.skip_origin
    team = t.team[player]
    onward = t.onward[2 * player + way]
    hand = counts[origin]
    fed = t.theirs_only and has_seeds(t, counts, team)
    counts[origin] = 0
    if steps is not None:
        steps.append(LIFT | origin << 2 | hand << 10)
    if t.keeps_first and hand > 1:
        counts[origin] = 1
        hand -= 1
        if steps is not None:
            steps.append(DROP | origin << 2)
    hole = origin
    abroad = home_again = False
    # Brent's search for a cycle: the state at lap 8, 16, 32 .. is kept and compared with each later one.
    laps, keep_at = 0, 8
    kept = counts
    kept_hole, kept_way, kept_hand = -1, way, 0
    while True:
        while hand > 0:
            hole = onward[hole]
            if skip and hole == origin:
                continue
            count = counts[hole] + 1
            counts[hole] = count
            hand -= 1
            if steps is not None:
                steps.append(DROP | hole << 2)
            if passing and hand and count == passing and owner[hole] >= 0:
                counts[hole] = 0
                counts[pits + owner[hole]] += count
                if steps is not None:
                    steps.append(TAKE | hole << 2 | count << 10 | (pits + owner[hole]) << 20)
                if t.last and hand + _left(t, counts) == t.last:
                    _take_rest(t, counts, pits + owner[hole], hand, steps)
                    return 0
            if t.claim and (hole + 1 == counts[t.marks] or hole + 1 == counts[t.marks + 1]):
                counts[hole] = 0
                store = pits + int(hole + 1 != counts[t.marks])
                counts[store] += 1
                if steps is not None:
                    steps.append(TAKE | hole << 2 | 1 << 10 | store << 20)
            if t.after_lap and owner[hole] >= 0:
                if t.team[owner[hole]] != team:
                    abroad = True
                elif abroad:
                    home_again = True

        count = counts[hole]
        if (
            t.relay
            and hole < pits
            and count > 1
            and not t.protected[hole]
            and not _taken(t, counts, hole, player)
        ):
            laps += 1
            if hole == kept_hole and count == kept_hand and way == kept_way and _same(counts, kept):
                return ENDLESS
            if laps == keep_at:
                if t.ring[player] and _never_ends(t, counts, player, hole, onward):
                    return ENDLESS
                keep_at *= 2
                kept = counts.copy()
                kept_hole, kept_hand, kept_way = hole, count, way
            if t.relay < 0:
                way = 1 - way
                onward = t.onward[2 * player + way]
            origin = hole
            hand = count
            counts[hole] = 0
            if steps is not None:
                steps.append(LIFT | hole << 2 | count << 10)
            if t.gathers and t.across[hole] >= 0 and counts[t.across[hole]]:
                prey = t.across[hole]
                hand += counts[prey]
                if steps is not None:
                    steps.append(LIFT | prey << 2 | counts[prey] << 10)
                counts[prey] = 0
                back = t.behind[prey]
                if t.gathers > 1 and counts[back]:
                    hand += counts[back]
                    if steps is not None:
                        steps.append(LIFT | back << 2 | counts[back] << 10)
                    counts[back] = 0
            continue

        return land(t, counts, player, hole, way, fed, home_again, steps)


def land(
    t: Tables,
    counts: list[int],
    player: int,
    hole: int,
    way: int,
    fed: bool,
    home_again: bool,
    steps: list[int] | None,
) -> int:
    """What the rules make of the last seed of a turn, which lies in `hole`; in place.

    Args:
        fed: the opponents had seeds before the move; of use where only their pits are taken.
        home_again: the sowing came back from an opponent's pit; of use where `after_lap` asks for it.

    Returns:
        `EXTRA_TURN` and `SLAM` as bits.
    """
    if hole >= t.pits:
        return EXTRA_TURN if t.extra_turn else 0
    store = t.pits + player
    if t.claim and counts[hole] == t.claim and _may_claim(t, counts, hole, player):
        counts[t.marks + player] = hole + 1
        counts[hole] = 0
        counts[store] += t.claim
        if steps is not None:
            steps.append(TAKE | hole << 2 | t.claim << 10 | store << 20)
        return 0
    if _taken(t, counts, hole, player):
        flags = _take_by_count(t, counts, player, hole, 2 * player + 1 - way, fed, steps)
        if t.last and _left(t, counts) == t.last:
            _take_rest(t, counts, store, 0, steps)
        return flags
    if not t.facing or counts[hole] != 1 or t.owner[hole] != player or t.protected[hole]:
        return 0
    if t.after_lap and not home_again:
        return 0
    prey = t.across[hole]
    taken = counts[prey]
    if t.team[t.owner[prey]] == t.team[player] or t.protected[prey]:
        taken = 0
    if taken == 0 and t.needs_prey:
        return 0
    if not t.keeps_seed:
        counts[hole] = 0
        counts[store] += 1
        if steps is not None:
            steps.append(TAKE | hole << 2 | 1 << 10 | store << 20)
    if taken:
        counts[prey] = 0
        counts[store] += taken
        if steps is not None:
            steps.append(TAKE | prey << 2 | taken << 10 | store << 20)
    return 0


def _may_claim(t: Tables, counts: list[int], pit: int, player: int) -> bool:
    free = counts[t.marks + player] == 0 and t.owner[pit] != player
    return free and t.twin[pit] > 0 and counts[t.marks + 1 - player] != t.twin[pit]


def has_seeds(t: Tables, counts: list[int], team: int) -> bool:
    """Whether the opponents of `team` have a seed in their pits."""
    for pit in range(t.pits):  # noqa: SIM110  a loop is what a compiler for numbers takes
        if counts[pit] and t.team[t.owner[pit]] != team:
            return True
    return False


def _never_ends(t: Tables, counts: list[int], player: int, hole: int, onward: list[int]) -> bool:
    """Whether a relay on a `Tables.ring`, about to lift `hole`, can be seen never to end.

    A relay of Einfaches Mancala may take thousands of millions of laps to come back to where it was, but
    something in it never changes. Count the places the hand passes on and on, and call a pit's mark the place
    where it will come to be passed next, plus the seeds it will then hold: where its seeds would end. With
    n pits, a pit that is passed and not lifted gets one seed and is next passed n places on, so that its mark
    is the same again modulo n + 1. A pit lifted at place x is next passed at x + n, with one seed: its mark
    becomes x, and the hand goes where the old mark says. So hand and pits, n + 1 in all, only ever exchange
    their numbers. The relay ends where the hand, at x, finds the pit empty before: where the mark is x + 1.
    Of numbers of which no two are neighbours that never comes about, and a relay that never ends comes round.
    """
    size = t.ring[player] + 1
    marks, pit = 1, hole  # The hand is at place 0.
    for place in range(1, size):
        pit = onward[pit]
        if t.gathers and t.across[pit] >= 0 and counts[t.across[pit]]:
            return False
        marks |= 1 << (place + counts[pit] + 1) % size
    return marks & (marks >> 1 | marks << size - 1) == 0


def _same(one: list[int], other: list[int]) -> bool:
    for hole in range(len(one)):  # noqa: SIM110
        if one[hole] != other[hole]:
            return False
    return True


def _theirs(t: Tables, counts: list[int], team: int) -> int:
    seeds = 0
    for pit in range(t.pits):
        if t.team[t.owner[pit]] != team:
            seeds += counts[pit]
    return seeds


def _left(t: Tables, counts: list[int]) -> int:
    seeds = 0
    for pit in range(t.pits):
        seeds += counts[pit]
    return seeds


def _take_rest(t: Tables, counts: list[int], store: int, hand: int, steps: list[int] | None) -> None:
    """What is in the hand, and then what is in the pits, goes into the store."""
    counts[store] += hand
    if steps is not None:
        for _ in range(hand):
            steps.append(DROP | store << 2)
    for pit in range(t.pits):
        if counts[pit]:
            if steps is not None:
                steps.append(TAKE | pit << 2 | counts[pit] << 10 | store << 20)
            counts[store] += counts[pit]
            counts[pit] = 0


def _taken(t: Tables, counts: list[int], hole: int, player: int) -> bool:
    """Whether a pit is taken for its count: an opponent's, or where the rules say so the player's own."""
    theirs = t.team[t.owner[hole]] != t.team[player]
    allowed = theirs | (t.owner[hole] == player and not t.theirs_only)
    return allowed & t.sizes[counts[hole]] and not t.protected[hole]


def _take_by_count(
    t: Tables,
    counts: list[int],
    player: int,
    hole: int,
    backward: int,
    fed: bool,
    steps: list[int] | None,
) -> int:
    """Take the pit at `hole` and, in a chain, those before it; mind a grand slam."""
    onward, store = t.onward[backward], t.pits + player
    pits, seeds, pit = 0, 0, hole
    while True:
        pits += 1
        seeds += counts[pit]
        pit = onward[pit]
        if not t.chain or pit >= t.pits or pit == hole or not _taken(t, counts, pit, player):
            break

    slam = fed and seeds == _theirs(t, counts, t.team[player])
    for _ in range(pits):
        if not (slam and t.spared[hole]):
            if steps is not None:
                steps.append(TAKE | hole << 2 | counts[hole] << 10 | store << 20)
            counts[store] += counts[hole]
            counts[hole] = 0
        hole = onward[hole]
    return SLAM if slam else 0
