"""Counting move sequences, on plain numbers: a walk through all play from a position.

The sowing is `engine.sowing`, turns and ends are `engine.turns`. `walk` keeps one row for each ply on the
way to where it is, so that it needs no memory of its own, can stop and go on, and runs in plain Python as
well as compiled (`engine.compiled`). In plain Python a row is a list; compiled it is an array of bytes, which
`words` shows as machine words, so that a lap is as few additions as the board has words.

What `engine.game` plays and what is counted here is held together by property tests.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.errors import BadInput, shown
from engine.rules import Rules
from engine.sowing import (
    ASKED,
    CAPTURE,
    EXTRA_TURN,
    PLAIN,
    Tables,
    has_seeds,
    land,
    next_choices,
    obliged,
    opens,
    sow,
    tables,
)
from engine.turns import ON, Turns, over, stands, turns

MOST_DEPTH = 10_000
"""Plies that a walk makes room for; no walk that deep comes to its end but where games are short."""
SMALL = 20_000
"""Moves worth making before a compiler is asked."""
CHUNK = 5_000_000
"""Moves made between two looks at whether the user wants to stop."""

# By row of a walk:
MOVER, SINCE, PASSES, FED, CURSOR, FOUND, CHOICES, LEAST = range(8)
"""The player to move; the row of the last capture; passes in succession up to now; the opponents have seeds,
where anything hangs on it; the next of `Turns.lifts` to try, and how many moves were found so far; the
choices to try in it, and how a move must begin (`PLAIN` or `CAPTURE`)."""


class Lookup(NamedTuple):
    """What is known of single laps beforehand, and how long a row of a walk is."""

    words: int
    """Words in a row."""
    reach: int = 0
    """Hands below this many seeds are looked up in `laps`; 0 for none."""
    laps: Any = ()
    """`[at][hand][word]`, `at` in `Turns.lifts`: what lifting and sowing one lap adds to a row."""
    lasts: Any = ()
    """`[at][hand]`: the hole of the last seed."""


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
        counts: by hole, pits and then stores; and then marks.
        before: positions (pits and marks, player to move) that have stood since the last capture, the present
            one last.
        passes: in succession up to now.
        every_leaf: make each last move too, where counting them would do.
        plainly: moves to make in plain Python before the rest is done compiled, where there is a compiler.

    Raises:
        BadInput: `depth` is more than can be walked.
    """
    if depth > MOST_DEPTH:
        raise BadInput(f"depth is {shown(depth)}: at most {MOST_DEPTH} was expected")
    t, u = tables(rules), turns(rules)
    look = Lookup(words=len(counts))
    root = len(before) - 1
    last, total = root + depth - 1, sum(counts[: t.marks])
    # A row more than the last move needs: for what others could play, where a player can play nothing.
    boards = [[0] * look.words for _ in range(root + depth + 2)]
    track = [[0] * 8 for _ in boards]
    for row, (position, mover) in enumerate(before):
        boards[row][:] = [*position[: t.pits], *counts[t.pits : t.marks], *position[t.pits :]]
        track[row][MOVER] = mover
    player = track[root][MOVER]
    fed, least = int(has_seeds(t, boards[root], t.team[player])), _least(t, boards[root], player)
    track[root][:] = [player, 0, passes, fed, u.first[player], 0, 0, least]
    row, leaves = walk(t, u, look, boards, boards, track, root, root, last, total, every_leaf, plainly)
    if row < root:
        return leaves
    try:
        from engine import compiled
    except ImportError:  # numba is not there
        return leaves + walk(t, u, look, boards, boards, track, root, row, last, total, every_leaf, -1)[1]
    go_on = compiled.walker(rules, boards, track)
    while row >= root:
        # In pieces, because nothing can interrupt it while it runs compiled.
        row, more = go_on(root, row, last, total, every_leaf, CHUNK)
        leaves += more
    return leaves


def walk(
    t: Tables,
    u: Turns,
    look: Lookup,
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
        fed, choices, least = track[row][FED] != 0, 0, PLAIN
        if t.asks:
            choices = track[row][CHOICES]
        if t.obliged:
            least = track[row][LEAST]
        end = u.first[player + 1]
        descend = False
        # Laps that are looked up are worth a tighter loop at the end. Others are made in this loop alone, so
        # that a compiler meets the sowing once.
        if look.reach and row == last:
            found = _sowings(t, u, look, boards, words, row, player, fed, least)
            leaves += found
            cursor = end
        while cursor < end and not descend:
            lift = u.lifts[cursor]
            if opens(t, boards[row], player, lift >> 1, lift & 1) < least:
                cursor += 1
                continue
            if budget > 0:
                budget -= 1
            flags = _make(t, u, look, boards, words, row, player, cursor, choices, fed)
            choices = next_choices(choices, flags >> ASKED) if t.asks else -1
            if choices < 0:
                cursor += 1
                choices = 0
            if not stands(t, u, boards[row + 1], t.team[player], flags, fed):
                continue
            found += 1
            if not look.reach and row == last:
                leaves += 1
                continue
            following = player if flags & EXTRA_TURN else (player + 1) % u.players
            if not _enter(t, u, look, boards, words, track, row + 1, following, flags, 0, total):
                continue
            descend = True
            if row + 1 == last:
                here, fed_there = 0, track[row + 1][FED] != 0
                made = every_leaf or u.trial or (u.must_feed and not fed_there)
                if look.reach and made:
                    least_there = track[row + 1][LEAST] if t.obliged else PLAIN
                    here = _sowings(t, u, look, boards, words, last, following, fed_there, least_there)
                elif not made:
                    for at in range(u.first[following], u.first[following + 1]):
                        if opens(t, boards[last], following, u.lifts[at] >> 1, u.lifts[at] & 1):
                            here += 1
                leaves += here
                # Who can sow nothing may yet pass.
                descend = (u.may_pass or (not look.reach and made)) and here == 0

        if found == 0 and u.may_pass and _may_pass(t, u, look, boards, words, track, row):
            found = 1
            if row == last:
                leaves += 1
            else:
                _copy(look, words, row)
                following, passes = (player + 1) % u.players, track[row][PASSES] + 1
                descend = _enter(t, u, look, boards, words, track, row + 1, following, 0, passes, total)
        track[row][CURSOR], track[row][FOUND] = cursor, found
        if t.asks:
            track[row][CHOICES] = choices
        row += 1 if descend else -1
    return row, leaves


def _sowings(
    t: Tables,
    u: Turns,
    look: Lookup,
    boards: list[list[int]],
    words: list[list[int]],
    row: int,
    player: int,
    fed: bool,
    least: int,
) -> int:
    """The number of sowings that a player may do, found by doing them."""
    found = 0
    for at in range(u.first[player], u.first[player + 1]):
        lift = u.lifts[at]
        choices = 0 if opens(t, boards[row], player, lift >> 1, lift & 1) >= least else -1
        while choices >= 0:
            flags = _make(t, u, look, boards, words, row, player, at, choices, fed)
            if stands(t, u, boards[row + 1], t.team[player], flags, fed):
                found += 1
            choices = next_choices(choices, flags >> ASKED) if t.asks else -1
    return found


def _least(t: Tables, counts: list[int], player: int) -> int:
    """How a move of the player must begin."""
    return CAPTURE if obliged(t, counts, player) else PLAIN


def _copy(look: Lookup, words: list[list[int]], row: int) -> None:
    for word in range(look.words):
        words[row + 1][word] = words[row][word]


def _make(
    t: Tables,
    u: Turns,
    look: Lookup,
    boards: list[list[int]],
    words: list[list[int]],
    row: int,
    player: int,
    at: int,
    choices: int,
    fed: bool,
) -> int:
    """Make the next row of this one by a sowing; returns what `sow` does."""
    origin, way = u.lifts[at] >> 1, u.lifts[at] & 1
    hand = boards[row][origin]
    if look.reach and hand < look.reach:
        for word in range(look.words):
            words[row + 1][word] = words[row][word] + look.laps[at][hand][word]
        hole = look.lasts[at][hand]
        slams = (fed or t.slams_bare) and t.theirs_only
        return land(t, boards[row + 1], player, hole, way, slams, False, None)
    _copy(look, words, row)
    return sow(t, boards[row + 1], player, origin, way, choices, None)


def _may_pass(
    t: Tables,
    u: Turns,
    look: Lookup,
    boards: list[list[int]],
    words: list[list[int]],
    track: list[list[int]],
    row: int,
) -> bool:
    """Whether play goes on after a player who can sow nothing."""
    if track[row][PASSES] + 1 >= u.passes_to_end:
        return False
    for player in range(u.players):
        fed, least = has_seeds(t, boards[row], t.team[player]), _least(t, boards[row], player)
        if _sowings(t, u, look, boards, words, row, player, fed, least):
            return True
    return False


def _enter(
    t: Tables,
    u: Turns,
    look: Lookup,
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
    # Where turns go round, so does the mover.
    step = 1 if t.extra_turn else u.players
    if row - since >= step * (u.repeats - 1) > 0:
        # The stores have not changed since, so whole rows can be compared.
        for past in range(row - step, since - 1, -step):
            word = 0
            while word < look.words and words[past][word] == words[row][word]:
                word += 1
            if word == look.words and track[past][MOVER] == following:
                stood += 1
    track[row][MOVER], track[row][SINCE], track[row][PASSES] = following, since, passes
    track[row][CURSOR], track[row][FOUND] = u.first[following], 0
    if t.asks:
        track[row][CHOICES] = 0
    if t.obliged:
        track[row][LEAST] = _least(t, counts, following)
    if u.must_feed or t.theirs_only:
        track[row][FED] = has_seeds(t, counts, t.team[following])

    return over(t, u, counts, following, flags, total, stood) == ON
