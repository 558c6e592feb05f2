"""The sowing itself: one function that plays the physical part of a move in every game.

Theory of operation. A move is a series of laps. Each lap lifts a pit and drops its seeds one by one along
the mover's course. When the hand is empty, the hole of the last seed decides, in this order:

1. a store: the turn ends, or the own gives another turn;
2. an opponent's pit that may be claimed: it is taken;
3. a pit brought to a size that is captured: it is taken, in a chain backwards where the game has chains;
4. a pit that held seeds, in a game with relays: lift it, or what it captures, or both, and sow another lap;
5. an own pit that was empty, in a game that captures across: take;
6. anything else: the turn ends.

Where a relay asks the player to choose, `choices` answers. A player with seeds to bring in begins with one of
them, as if it were a lap of its own. Behind the stores `counts` goes on with marks for what the seeds do not
show, each in a game that has it: by player, the pit claimed, counted from 1, or 0; by player, 1 where their
house stands, or 0; the blocked pit, counted from 1, or 0.

No game has a line of its own. A store that a player does not sow, or a pit closed for the round, is not on
that player's course. `sow` works on plain integers in lists so that a compiler for numbers can take it as
it stands; `engine.game` wraps it in values.
"""

from typing import NamedTuple

from engine.move import MOST_CHOICES
from engine.rules import Board, ByCount, Claim, Facing, Rules

EXTRA_TURN = 1
SLAM = 2
"""The captures would take, or took, every seed of opponents who had some before the move; where such a move
captures nothing, of any opponents."""
ENDLESS = 4
"""The relay came back to a state it had been in: the move never ends."""
HEADS = 8
"""Seeds were captured at both ends of the opponent's front row, in a game where that wins."""
ASKED = 4
"""The bits from this one on count how often the move asked its player to choose."""

BARRED, PLAIN, CAPTURE = 0, 1, 2
"""How a move may begin: not at all, without a capture, with one."""

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
    skip_full: int
    keeps_first: bool
    extra_turn: bool
    ends_in_relay: bool
    relay: int
    """0 none, 1 onward, -1 back."""
    resown: bool
    needs_both: bool
    takes_both: bool
    joined: bool
    begins: int
    """Where captured seeds are sown from: 0 the capturing pit, 1 where the lap began, 2 an end of the row."""
    end_way: list[int]
    """By hole: the way that seeds captured by it must go; -1 for any."""
    end: list[int]
    """`[2 * player + way]`: the end of the front row from which captured seeds go that way."""
    obliged: bool
    most: int
    """A pit with more seeds begins no capture."""
    least: int
    """A pit with fewer seeds is not lifted."""
    turnback: int
    """0 none, 1 in the first lap, 2 in each lap."""
    back_from: list[bool]
    """By hole: whether a lap may turn back from it."""
    asks: bool
    """A move may ask its player to choose on the way."""
    loop: list[int]
    """By player: holes on the course."""
    front: list[bool]
    """By hole: whether it is a pit of a front row."""
    enters: bool
    """Seeds in a store are to be brought in."""
    houses: bool
    house: list[int]
    """By player: the pit; -1 for none."""
    stands: list[int]
    """By hole: the mark that says whether the house there stands; -1 where there is none."""
    house_seeds: int
    tax: int
    late: bool
    keeps_front: bool
    heads: bool
    blocked: int
    """The mark that names the blocked pit, counted from 1; -1 in a game without."""
    passing: int
    passing_to_mover: bool
    last: int
    """When so many seeds are left after a capture, they are taken too; 0 for never."""
    last_to: int
    """By this player, or by who captured: -1."""
    last_late: bool
    sizes: list[bool]
    """By count: whether a pit brought to it is taken."""
    theirs_only: bool
    chain: bool
    again: bool
    """Who takes a pit for its count moves again."""
    spared: list[bool]
    """By hole: whether a grand slam leaves this pit alone."""
    slams_bare: bool
    """What takes back all that opponents without seeds were given is a grand slam too."""
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
    landed: int
    """The move is under way, and the one seed in the hand falls into this hole; -1 for a move that begins."""
    abroad: bool
    """It has already been through an opponent's pit."""
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
    resown, house, turnback = rules.resown, rules.house, rules.turnback
    fronts = [board.front(player) for player in range(players)]
    houses = [board.own(player)[house.pit] if house else -1 for player in range(players)]
    first_house = pits + players + (players if claim else 0)
    end_way = [-1] * (pits + players)
    ends = resown.ends if resown else 0
    for front in fronts if ends else ():
        for place in range(ends):
            end_way[front[place]], end_way[front[-1 - place]] = 0, 1
    return Tables(
        pits=pits,
        onward=onward,
        owner=[*board.owner, *([-1] * players)],
        team=[rules.team(player) for player in range(players)],
        across=[*board.across, *([-1] * players)],
        behind=[*(board.behind or [-1] * pits), *([-1] * players)],
        protected=[hole in board.protected for hole in range(pits + players)],
        # Where the origin is all of a course, its seeds can go nowhere else.
        skip_origin=rules.skip_origin and min(map(len, board.course)) > 1,
        skip_full=rules.skip_full,
        keeps_first=rules.keeps_first,
        extra_turn=rules.extra_turn,
        ends_in_relay=rules.end == "in_relay",
        relay={"none": 0, "onward": 1, "back": -1}[rules.relay],
        resown=resown is not None,
        needs_both=resown is not None and resown.needs == "both_rows",
        takes_both=resown is not None and resown.takes == "both_rows",
        joined=resown is not None and resown.joined,
        begins={"here": 0, "lap": 1, "end": 2}[resown.begins] if resown else 0,
        end_way=end_way,
        end=[front[-way] if front else -1 for front in fronts for way in (0, 1)],
        obliged=resown is not None and resown.obliged,
        most=resown.most if resown and resown.most else MOST_SEEDS,
        least=rules.least_lift,
        turnback={"first": 1, "any": 2}[turnback.laps] if turnback else 0,
        back_from=[
            turnback is not None
            and hole in [board.own(player)[pit] for player in range(players) for pit in turnback.pits]
            for hole in range(pits + players)
        ],
        asks=rules.choices,
        loop=[len(course) for course in board.course],
        front=[any(hole in front for front in fronts) for hole in range(pits + players)],
        enters=rules.reserve > 0,
        houses=house is not None,
        house=houses,
        stands=[first_house + houses.index(hole) if hole in houses else -1 for hole in range(pits + players)],
        house_seeds=house.seeds if house else 0,
        tax=house.tax if house else 0,
        late=house is not None and house.late,
        keeps_front=rules.keeps_front,
        heads=rules.heads,
        blocked=pits + players + rules.marks - 1 if rules.blocks else -1,
        passing=rules.passing,
        passing_to_mover=rules.passing_to == "mover",
        last=rules.last,
        last_to=rules.last_to,
        last_late=rules.last > 0 and rules.last_late,
        sizes=[by_count is not None and n in by_count.sizes for n in range(MOST_SEEDS + 1)],
        theirs_only=by_count is not None and by_count.theirs_only,
        chain=by_count is not None and by_count.chain,
        again=by_count is not None and by_count.another_turn,
        spared=[_spared(rules, hole) for hole in range(pits + players)],
        slams_bare=rules.grand_slam == "no_capture",
        claim=0 if claim is None else claim.size,
        marks=pits + players,
        twin=[0] * pits if claim is None else _twins(board),
        facing=facing is not None,
        needs_prey=facing is not None and facing.needs_prey,
        keeps_seed=facing is not None and facing.keeps_seed,
        after_lap=facing is not None and facing.after_lap,
        landed=-1,
        abroad=False,
        ring=[_ring(rules, player) for player in range(players)],
    )


def _ring(rules: Rules, player: int) -> int:
    board, course = rules.board, rules.board.course[player]
    by_count, claim = rules.find(ByCount), rules.find(Claim)
    if rules.relay != "onward" or rules.skip_origin or rules.skip_full or rules.passing or by_count or claim:
        return 0
    if rules.end == "in_relay":
        return 0
    if any(hole >= board.pits or hole in board.protected for hole in course):
        return 0
    if rules.resown and any(board.across[pit] in course for pit in course):
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


def sow(
    t: Tables, counts: list[int], player: int, origin: int, way: int, choices: int, steps: list[int] | None
) -> int:
    """Lift `origin`, a seed brought in with it, and do all that the rules make of it, in place.

    Args:
        counts: by hole, then marks; changed.
        origin: where the move begins; of one that is under way, where its last lap did.
        way: 0 counter-clockwise, 1 clockwise.
        choices: what the player chooses on the way, from bit 0 up.
        steps: each step is appended as `kind | hole << 2 | seeds << 10 | to << 20`; None to keep no trace.

    Returns:
        `EXTRA_TURN`, `SLAM`, `ENDLESS` and `HEADS` as bits, and from bit `ASKED` up how often the
        player had to choose. With `ENDLESS` counts and steps are those of the moment it was noticed.
    """
    pits, owner, passing, skip = t.pits, t.owner, t.passing, t.skip_origin
    team = t.team[player]
    onward = t.onward[2 * player + way]
    was = counts.copy() if t.skip_full else counts
    fed = t.theirs_only and (t.slams_bare or has_seeds(t, counts, team))
    taking = t.resown and (not t.obliged or opens(t, counts, player, origin, way) == CAPTURE)
    hole = origin
    if t.landed >= 0:
        entering, hand, hole = t.enters, 1, t.onward[2 * player + 1 - way][t.landed]
    else:
        entering = t.enters and counts[pits + player] > 0
        hand = counts[origin]
        if entering:
            taxed = t.houses and origin == t.house[player] and _stands(t, counts, player)
            counts[pits + player] -= 1
            counts[origin] += 1
            if steps is not None:
                steps.append(LIFT | (pits + player) << 2 | 1 << 10)
                steps.append(DROP | origin << 2)
            hand = t.tax if taxed else counts[origin]
        if entering and taking:
            hand = 0
        else:
            _lift(t, counts, origin, hand, steps)
        if t.keeps_first and hand > 1:
            counts[origin] = 1
            hand -= 1
            if steps is not None:
                steps.append(DROP | origin << 2)
    flags = asked = 0
    over = first = last = False
    abroad, home_again = t.abroad, False
    # Brent's search for a cycle: the state at lap 8, 16, 32 .. is kept and compared with each later one.
    laps, keep_at = 0, 8
    kept = counts
    kept_hole, kept_way, kept_hand, kept_origin = -1, way, 0, origin
    room = False
    while True:
        if t.skip_full:
            room = _has_room(t, was, player, hole, origin)
        while hand > 0:
            hole = onward[hole]
            if (skip and hole == origin) or (t.skip_full and room and _is_full(t, was, hole)):
                continue
            count = counts[hole] + 1
            counts[hole] = count
            hand -= 1
            if steps is not None:
                steps.append(DROP | hole << 2)
            if passing and hand and count == passing and owner[hole] >= 0:
                counts[hole] = 0
                store = pits + (player if t.passing_to_mover else owner[hole])
                counts[store] += count
                if steps is not None:
                    steps.append(TAKE | hole << 2 | count << 10 | store << 20)
                if t.last and not t.last_late and hand + _left(t, counts) == t.last:
                    _take_rest(t, counts, pits + t.last_to if t.last_to >= 0 else store, hand, steps)
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

        if over:
            break
        count = counts[hole]
        if (
            t.relay
            and hole < pits
            and count > 1
            and not t.protected[hole]
            and not _taken(t, counts, hole, player)
        ):
            captures = taking and _faces(t, counts, hole)
            if t.houses and not captures and hole == t.house[player] and _stands(t, counts, player):
                if not taking or asked >= MOST_CHOICES:
                    if entering or t.late:
                        break
                elif entering or t.late:
                    asked += 1
                    if choices >> (asked - 1) & 1 == 0:
                        break
            if t.blocked >= 0 and not captures and counts[t.blocked] == hole + 1:
                break
            if t.ends_in_relay and _a_row_is_bare(t, counts):
                break
            laps += 1
            if (
                hole == kept_hole
                and count == kept_hand
                and way == kept_way
                and (t.begins != 1 or origin == kept_origin)
                and _same(counts, kept)
            ):
                return flags | ENDLESS | asked << ASKED
            if laps == keep_at:
                if t.ring[player] and _never_ends(t, counts, player, hole, onward, taking):
                    return flags | ENDLESS | asked << ASKED
                keep_at *= 2
                kept = counts.copy()
                kept_hole, kept_hand, kept_way, kept_origin = hole, count, way, origin
            hand = 0
            if not captures or t.joined:
                hand = count
                _lift(t, counts, hole, count, steps)
            if captures:
                prey = t.across[hole]
                if t.heads:
                    first |= prey == t.end[2 * t.owner[prey]]
                    last |= prey == t.end[2 * t.owner[prey] + 1]
                    if first and last:
                        flags |= HEADS
                hand += counts[prey]
                _lift(t, counts, prey, counts[prey], steps)
                back = t.behind[prey]
                if t.takes_both and counts[back]:
                    hand += counts[back]
                    _lift(t, counts, back, counts[back], steps)
            if captures and t.begins == 2:
                if t.end_way[hole] >= 0:
                    way = t.end_way[hole]
                over = t.keeps_front and _fullest(t, counts, t.owner[t.across[hole]], -1) == 0
                hole = t.onward[2 * player + 1 - way][t.end[2 * player + way]]
            elif captures and t.begins == 1:
                hole = origin
            else:
                origin = hole
                if t.relay < 0:
                    way = 1 - way
            if t.turnback:
                back_too = t.turnback > 1 and t.back_from[hole] and (way == 1 or not captures)
                way = 0
                back_too = back_too and captures_at(t, counts, player, hole, counts[hole], 1, hand) >= 0
                if back_too and asked < MOST_CHOICES:
                    way = choices >> asked & 1
                    asked += 1
            onward = t.onward[2 * player + way]
            continue

        flags |= land(t, counts, player, hole, way, fed, home_again, steps)
        if t.last_late and _left(t, counts) <= t.last:
            _take_rest(t, counts, pits + (t.last_to if t.last_to >= 0 else player), 0, steps)
        break

    if t.blocked >= 0:
        counts[t.blocked] = 0 if taking else _to_block(t, counts, player)
    return flags | asked << ASKED


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
        fed: to take every seed of the opponents is a grand slam; of use where only their pits are taken.
        home_again: the sowing came back from an opponent's pit; of use where `after_lap` asks for it.

    Returns:
        `EXTRA_TURN` and `SLAM` as bits.
    """
    store = t.pits + player
    if hole >= t.pits:
        return EXTRA_TURN if t.extra_turn and hole == store else 0
    if t.claim and counts[hole] == t.claim and _may_claim(t, counts, hole, player):
        counts[t.marks + player] = hole + 1
        counts[hole] = 0
        counts[store] += t.claim
        if steps is not None:
            steps.append(TAKE | hole << 2 | t.claim << 10 | store << 20)
        return 0
    if _taken(t, counts, hole, player):
        flags = _take_by_count(t, counts, player, hole, 2 * player + 1 - way, fed, steps)
        if t.last and not t.last_late and _left(t, counts) == t.last:
            _take_rest(t, counts, t.pits + t.last_to if t.last_to >= 0 else store, 0, steps)
        return flags | EXTRA_TURN if t.again else flags
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


def _is_full(t: Tables, was: list[int], hole: int) -> bool:
    return hole < t.pits and was[hole] >= t.skip_full


def _has_room(t: Tables, was: list[int], player: int, start: int, origin: int) -> bool:
    """Whether a hole of the course takes seeds; if none does, they are sown as if none were full."""
    hole = start
    for _ in range(t.loop[player]):
        hole = t.onward[2 * player][hole]
        if not ((t.skip_origin and hole == origin) or _is_full(t, was, hole)):
            return True
    return False


def _lift(t: Tables, counts: list[int], hole: int, seeds: int, steps: list[int] | None) -> None:
    """Take seeds into the hand; a house that is emptied no longer stands."""
    counts[hole] -= seeds
    if steps is not None:
        steps.append(LIFT | hole << 2 | seeds << 10)
    if t.houses and counts[hole] == 0 and t.stands[hole] >= 0:
        counts[t.stands[hole]] = 0


def _stands(t: Tables, counts: list[int], player: int) -> bool:
    """Whether a player's house stands and has seeds enough."""
    return counts[t.stands[t.house[player]]] > 0 and counts[t.house[player]] >= t.house_seeds


def _faces(t: Tables, counts: list[int], hole: int) -> bool:
    """Whether a last seed that joins others in a hole captures by facing seeds."""
    prey = t.across[hole]
    return prey >= 0 and counts[prey] > 0 and (not t.needs_both or counts[t.behind[prey]] > 0)


def captures_at(t: Tables, counts: list[int], player: int, start: int, left: int, way: int, hand: int) -> int:
    """The pit that would capture when a hand of one or more is sown from after `start`; -1 for none.

    Args:
        left: seeds in `start` at the time.
    """
    onward = t.onward[2 * player + way]
    hole = start
    for _ in range(hand):
        hole = onward[hole]
    held = (left if hole == start else counts[hole]) + (hand - 1) // t.loop[player]
    return hole if held > 0 and _faces(t, counts, hole) else -1


def obliged(t: Tables, counts: list[int], player: int) -> bool:
    """Whether a move of the player can begin with a capture, in a game where it then must."""
    if t.obliged:
        for pit in range(t.pits):
            if t.owner[pit] == player:
                for way in range(2):
                    if opens(t, counts, player, pit, way) == CAPTURE:
                        return True
    return False


def opens(t: Tables, counts: list[int], player: int, pit: int, way: int) -> int:
    """How a move from a pit of the player begins: `BARRED`, `PLAIN` or, where it matters, `CAPTURE`."""
    if t.enters and counts[t.pits + player]:
        return _opens_entering(t, counts, player, pit, way)
    hand = counts[pit]
    if hand < t.least:
        return BARRED
    if t.turnback and way == 1:
        return (
            PLAIN if t.back_from[pit] and captures_at(t, counts, player, pit, 0, way, hand) >= 0 else BARRED
        )
    if not t.obliged:
        return PLAIN
    if hand <= t.most and captures_at(t, counts, player, pit, 0, way, hand) >= 0:
        return CAPTURE
    if t.blocked >= 0 and counts[t.blocked] == pit + 1:
        return BARRED
    if t.keeps_front and not t.front[pit] and _fullest(t, counts, player, -1) >= t.least:
        return BARRED
    return BARRED if _empties_front(t, counts, player, pit, way) else PLAIN


def _opens_entering(t: Tables, counts: list[int], player: int, pit: int, way: int) -> int:
    """As `opens`, with a seed brought into the pit."""
    if not t.front[pit] or counts[pit] == 0:
        return BARRED
    if _faces(t, counts, pit):
        return BARRED if t.end_way[pit] == 1 - way else CAPTURE
    house = t.houses and _stands(t, counts, player)
    if house and pit == t.house[player]:
        return BARRED if _fullest(t, counts, player, pit) else PLAIN
    if not house and counts[pit] == 1 and _fullest(t, counts, player, pit) > 1:
        return BARRED
    return BARRED if _empties_front(t, counts, player, pit, way) else PLAIN


def _fullest(t: Tables, counts: list[int], player: int, but: int) -> int:
    """Most seeds in a front pit of the player other than `but`."""
    most = 0
    for pit in range(t.pits):
        if t.front[pit] and t.owner[pit] == player and pit != but and counts[pit] > most:
            most = counts[pit]
    return most


def _empties_front(t: Tables, counts: list[int], player: int, pit: int, way: int) -> bool:
    """Whether the front row has no seeds but those of a pit that is sown out of it."""
    out = t.front[pit] and not t.front[t.onward[2 * player + way][pit]]
    return t.keeps_front and out and _fullest(t, counts, player, pit) == 0


def _to_block(t: Tables, counts: list[int], player: int) -> int:
    """The pit of the opponent that the player may capture next while nothing can stop it, from 1; else 0."""
    target = -1
    for pit in range(t.pits):
        if counts[pit] < t.least or counts[pit] > t.most:
            continue
        owner = t.owner[pit]
        for way in range(2):
            at = captures_at(t, counts, owner, pit, 0, way, counts[pit])
            if at < 0:
                continue
            prey = t.across[at]
            if owner != player or (target >= 0 and target != prey):
                return 0
            target = prey
    if target < 0 or counts[target] == 1 or counts[t.pits] or counts[t.pits + 1]:
        return 0
    other = t.owner[target]
    if t.houses and target == t.house[other] and _stands(t, counts, other):
        return 0
    return target + 1 if _fullest(t, counts, other, target) > 1 else 0


def next_choices(choices: int, asked: int) -> int:
    """The choices to try after these, which met so many points where one is asked; -1 after the last."""
    point = asked - 1
    while point >= 0 and choices >> point & 1:
        point -= 1
    return -1 if point < 0 else choices & (1 << point) - 1 | 1 << point


def has_seeds(t: Tables, counts: list[int], team: int) -> bool:
    """Whether the opponents of `team` have a seed in their pits."""
    for pit in range(t.pits):  # noqa: SIM110  a loop is what a compiler for numbers takes
        if counts[pit] and t.team[t.owner[pit]] != team:
            return True
    return False


def _never_ends(
    t: Tables, counts: list[int], player: int, hole: int, onward: list[int], taking: bool
) -> bool:
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
    if (t.houses and _stands(t, counts, player)) or (t.blocked >= 0 and counts[t.blocked]):
        return False
    size = t.ring[player] + 1
    marks, pit = 1, hole  # The hand is at place 0.
    for place in range(1, size):
        pit = onward[pit]
        if taking and _faces(t, counts, pit):
            return False
        marks |= 1 << (place + counts[pit] + 1) % size
    return marks & (marks >> 1 | marks << size - 1) == 0


def _a_row_is_bare(t: Tables, counts: list[int]) -> bool:
    """Whether a player has nothing to lift."""
    for player in range(len(t.team)):
        bare = True
        for pit in range(t.pits):
            if counts[pit] and t.owner[pit] == player and not t.protected[pit]:
                bare = False
        if bare:
            return True
    return False


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
