"""Counting move sequences, on plain numbers: a walk through all play from a position.

The sowing is `engine.sowing`; here are the turns round it. `walk` keeps one row for each ply on the way to
where it is, so that it needs no memory of its own, can stop and go on, and runs in plain Python as well as
compiled (`engine.compiled`). In plain Python a row is a list; compiled it is an array of bytes, which `words`
shows as machine words, so that a lap is as few additions as the board has words.

How a turn ends is told by `engine.game`, with reasons and results; here it is only found out. Property tests
hold the two together.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import BadInput
from engine.rules import Rules
from engine.sowing import ENDLESS, EXTRA_TURN, SLAM, Tables, has_seeds, land, sow, tables

MOST_DEPTH = 10_000
"""Plies that a walk makes room for; no walk that deep comes to its end but where games are short."""
SMALL = 20_000
"""Moves worth making before a compiler is asked."""
CHUNK = 5_000_000
"""Moves made between two looks at whether the user wants to stop."""

# By row of a walk:
MOVER, SINCE, PASSES, FED, CURSOR, FOUND = range(6)
"""The player to move; the row of the last capture; passes in succession up to now; the opponents have seeds,
where anything hangs on it; the next of `Turns.lifts` to try, and how many moves were found so far."""


class Turns(NamedTuple):
    """What `Tables` lacks: the rules of turns and ends as flat numbers."""

    players: int
    first: list[int]
    """By player, and one more: where their part of `lifts` begins."""
    lifts: list[int]
    """`pit << 1 | way`, for each pit and way that a player may lift when it has the seeds."""
    least_lift: int
    must_feed: bool
    slam_forbidden: bool
    slam_ends: bool
    trial: bool
    """Of a pit with seeds enough only playing it tells whether it may be lifted."""
    majority: bool
    row_ends: bool
    row: list[int]
    """By pit: in whose row it counts for `row_ends`; -1 for none."""
    front_ends: bool
    front: list[int]
    """By pit: in whose front row it is; -1 for none."""
    repeats: int
    """How often a position stands before it ends play; 0 where it may stand for ever."""
    may_pass: bool
    passes_to_end: int
    words: int
    """Words in a row of a walk."""
    reach: int
    """Hands below this many seeds are looked up in `laps`; 0 for none."""
    laps: list[list[list[list[int]]]]
    """`[2 * player + way][origin][hand][word]`: what lifting and sowing one lap adds to a row."""
    lasts: list[list[list[int]]]
    """`[2 * player + way][origin][hand]`: the hole of the last seed."""


def turns(rules: Rules) -> Turns:
    """Flatten the rules of turns, for plain Python."""
    board, players = rules.board, range(rules.board.players)
    lifts = [
        [
            pit << 1 | int(direction < 0)
            for pit in board.own(player)
            if pit not in board.protected
            for direction in rules.ways(player)
        ]
        for player in players
    ]
    fronts = [board.front(player) for player in players]
    return Turns(
        players=len(players),
        first=[sum(map(len, lifts[:player])) for player in range(len(players) + 1)],
        lifts=[lift for own in lifts for lift in own],
        least_lift=rules.least_lift,
        must_feed=rules.must_feed,
        slam_forbidden=rules.grand_slam == "forbidden",
        slam_ends=rules.grand_slam == "opponent_sweeps",
        trial=rules.relay != "none" or rules.grand_slam == "forbidden",
        majority=rules.end_at_majority,
        row_ends=rules.end == "either",
        row=[-1 if pit in board.protected else owner for pit, owner in enumerate(board.owner)],
        front_ends=rules.win in {"front_row", "front_row_or_immobile"},
        front=[owner if pit in fronts[owner] else -1 for pit, owner in enumerate(board.owner)],
        repeats=0 if rules.repetition == "none" else rules.repetition_count,
        may_pass=rules.no_move == "pass" and rules.win == "seeds",
        passes_to_end=rules.passes_to_end,
        words=board.pits + len(players),
        reach=0,
        laps=[],
        lasts=[],
    )


def count(
    rules: Rules,
    counts: Sequence[int],
    before: Sequence[tuple[Sequence[int], int]],
    passes: int,
    depth: int,
    *,
    every_leaf: bool = False,
    plainly: int = SMALL,
) -> int:
    """The number of sequences of `depth` moves, at least 1, from a position in which the game goes on.

    Args:
        counts: by hole, pits and then stores.
        before: positions (pits, player to move) that have stood since the last capture, the present one last.
        passes: in succession up to now.
        every_leaf: make each last move too, where counting them would do.
        plainly: moves to make in plain Python before the rest is done compiled, where there is a compiler.

    Raises:
        BadInput: `depth` is more than can be walked.
    """
    if depth > MOST_DEPTH:
        raise BadInput(f"depth is {depth}: at most {MOST_DEPTH} was expected")
    t, u = tables(rules), turns(rules)
    root = len(before) - 1
    last, total = root + depth - 1, sum(counts)
    # A row more than the last move needs: for what others could play, where a player can play nothing.
    boards = [[0] * u.words for _ in range(root + depth + 2)]
    track = [[0] * 6 for _ in boards]
    for row, (pits, mover) in enumerate(before):
        boards[row][:] = [*pits, *counts[t.pits :]]
        track[row][MOVER] = mover
    player = track[root][MOVER]
    track[root][:] = [player, 0, passes, int(has_seeds(t, boards[root], t.team[player])), u.first[player], 0]
    row, leaves = walk(t, u, boards, boards, track, root, root, last, total, every_leaf, plainly)
    if row < root:
        return leaves
    try:
        from engine import compiled
    except ImportError:  # numba is not there
        return leaves + walk(t, u, boards, boards, track, root, row, last, total, every_leaf, -1)[1]
    go_on = compiled.walker(rules, boards, track)
    while row >= root:
        # In pieces, because nothing can interrupt it while it runs compiled.
        row, more = go_on(root, row, last, total, every_leaf, CHUNK)
        leaves += more
    return leaves


def walk(
    t: Tables,
    u: Turns,
    boards: list[list[int]],
    words: list[list[int]],
    track: list[list[int]],
    root: int,
    row: int,
    last: int,
    total: int,
    every_leaf: bool,
    budget: int,
) -> tuple[int, int]:
    """Go on with a walk.

    Args:
        boards: by row and hole: seeds.
        words: the same memory by row and word; in plain Python the same lists.
        track: by row: `MOVER` and its like.
        root: the row of the first position; those above it are its past.
        row: where the walk is.
        last: the row of the positions whose moves are counted.
        total: seeds in the game.
        every_leaf: make these moves too.
        budget: stop after about so many moves; negative for never.

    Returns:
        The row where the walk is now, above `root` at the end, and the sequences found meanwhile.
    """
    leaves = 0
    while row >= root and budget != 0:
        player, cursor, found = track[row][MOVER], track[row][CURSOR], track[row][FOUND]
        fed = track[row][FED] != 0
        end = u.first[player + 1]
        descend = False
        if row == last:
            found = _sowings(t, u, boards, words, row, player, fed)
            leaves += found
            cursor = end
        while cursor < end and not descend:
            lift = u.lifts[cursor]
            cursor += 1
            if boards[row][lift >> 1] < u.least_lift:
                continue
            if budget > 0:
                budget -= 1
            flags = _make(t, u, boards, words, row, player, lift, fed)
            if not _stands(t, u, boards[row + 1], t.team[player], flags, fed):
                continue
            found += 1
            following = player if flags & EXTRA_TURN else (player + 1) % u.players
            if not _enter(t, u, boards, words, track, row + 1, following, flags, 0, total):
                continue
            descend = True
            if row + 1 == last and not (every_leaf or u.trial or (u.must_feed and track[row + 1][FED] == 0)):
                open_pits = 0
                for at in range(u.first[following], u.first[following + 1]):
                    if boards[row + 1][u.lifts[at] >> 1] >= u.least_lift:
                        open_pits += 1
                leaves += open_pits
                # Who can sow nothing may yet pass.
                descend = u.may_pass and open_pits == 0

        if found == 0 and u.may_pass and _may_pass(t, u, boards, words, track, row):
            found = 1
            if row == last:
                leaves += 1
            else:
                _copy(u, words, row)
                following, passes = (player + 1) % u.players, track[row][PASSES] + 1
                descend = _enter(t, u, boards, words, track, row + 1, following, 0, passes, total)
        track[row][CURSOR], track[row][FOUND] = cursor, found
        row += 1 if descend else -1
    return row, leaves


def _sowings(
    t: Tables,
    u: Turns,
    boards: list[list[int]],
    words: list[list[int]],
    row: int,
    player: int,
    fed: bool,
) -> int:
    """The number of sowings that a player may do, found by doing them."""
    found = 0
    for at in range(u.first[player], u.first[player + 1]):
        lift = u.lifts[at]
        if boards[row][lift >> 1] >= u.least_lift:
            flags = _make(t, u, boards, words, row, player, lift, fed)
            if _stands(t, u, boards[row + 1], t.team[player], flags, fed):
                found += 1
    return found


def _copy(u: Turns, words: list[list[int]], row: int) -> None:
    for word in range(u.words):
        words[row + 1][word] = words[row][word]


def _make(
    t: Tables,
    u: Turns,
    boards: list[list[int]],
    words: list[list[int]],
    row: int,
    player: int,
    lift: int,
    fed: bool,
) -> int:
    """Make the next row of this one by a sowing; returns what `sow` does."""
    origin, way = lift >> 1, lift & 1
    hand = boards[row][origin]
    if hand < u.reach:
        line = 2 * player + way
        for word in range(u.words):
            words[row + 1][word] = words[row][word] + u.laps[line][origin][hand][word]
        hole = u.lasts[line][origin][hand]
        return land(t, boards[row + 1], player, hole, way, fed and t.theirs_only, False, None)
    _copy(u, words, row)
    return sow(t, boards[row + 1], player, origin, way, None)


def _stands(t: Tables, u: Turns, counts: list[int], team: int, flags: int, fed: bool) -> bool:
    """Whether the rules let a move of `team` stand that left these counts."""
    if flags & ENDLESS or (flags & SLAM and u.slam_forbidden):
        return False
    return not u.must_feed or fed or has_seeds(t, counts, team)


def _may_pass(
    t: Tables, u: Turns, boards: list[list[int]], words: list[list[int]], track: list[list[int]], row: int
) -> bool:
    """Whether play goes on after a player who can sow nothing."""
    if track[row][PASSES] + 1 >= u.passes_to_end:
        return False
    for player in range(u.players):
        if _sowings(t, u, boards, words, row, player, has_seeds(t, boards[row], t.team[player])):
            return True
    return False


def _enter(
    t: Tables,
    u: Turns,
    boards: list[list[int]],
    words: list[list[int]],
    track: list[list[int]],
    row: int,
    following: int,
    flags: int,
    passes: int,
    total: int,
) -> bool:
    """Note who is to move in a row just made; whether play goes on there, a move to play given."""
    counts, since = boards[row], track[row - 1][SINCE]
    for store in range(t.pits, t.pits + u.players):
        if counts[store] != boards[row - 1][store]:
            since = row
    stood = 1
    if row - since + 1 >= u.repeats > 0:
        # The stores have not changed since, so whole rows can be compared.
        for past in range(since, row):
            word = 0
            while word < u.words and words[past][word] == words[row][word]:
                word += 1
            if word == u.words and track[past][MOVER] == following:
                stood += 1
    track[row][MOVER], track[row][SINCE], track[row][PASSES] = following, since, passes
    track[row][CURSOR], track[row][FOUND] = u.first[following], 0
    if u.must_feed or t.theirs_only:
        track[row][FED] = has_seeds(t, counts, t.team[following])

    if flags & SLAM and u.slam_ends:
        return False
    if u.majority:
        for store in range(t.pits, t.pits + u.players):
            if counts[store] > total - counts[store]:
                return False
    if u.row_ends and _a_row_is_empty(t, u, counts, u.row):
        return False
    if u.front_ends and _a_row_is_empty(t, u, counts, u.front):
        return False
    return not 0 < u.repeats <= stood


def _a_row_is_empty(t: Tables, u: Turns, counts: list[int], row: list[int]) -> bool:
    for player in range(u.players):
        pit = 0
        while pit < t.pits and (counts[pit] == 0 or row[pit] != player):
            pit += 1
        if pit == t.pits:
            return True
    return False
