"""Omweso and Bao once more, by the book: slow, in rows as players see them, to hold the engine against.

A place is a row (`A` the front, `B` the back), a column from the player's left, 0 to 7, and a player is 0 or
1. Rightwards is clockwise: along the front row to the right, along the back row to the left."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal

Row = Literal["A", "B"]
Place = tuple[Row, int]
Answers = tuple[bool, ...]


@dataclass
class Table:
    """What lies on the table, and who is to move."""

    seeds: list[dict[Row, list[int]]]
    """By player."""
    hand: list[int] = field(default_factory=lambda: [0, 0])
    house: list[bool] = field(default_factory=lambda: [False, False])
    blocked: Place | None = None
    """A pit of the player to move."""
    mover: int = 0
    winner: int | None = None


class Asked(Exception):  # noqa: N818  it is no error
    """The player has to choose."""


class Endless(Exception):  # noqa: N818
    """The move does not end."""


def step(place: Place, right: bool) -> Place:
    row, column = place
    if row == "A":
        return (
            (("A", column + 1) if column < 7 else ("B", 7))
            if right
            else (("A", column - 1) if column else ("B", 0))
        )
    return (
        (("B", column - 1) if column else ("A", 0))
        if right
        else (("B", column + 1) if column < 7 else ("A", 7))
    )


PLACES: list[Place] = [("A", column) for column in range(8)] + [("B", column) for column in range(8)]


def sow(own: dict[Row, list[int]], last: Place, right: bool, hand: int) -> Place:
    """Sow a hand into the places after `last`; where the last seed falls."""
    for _ in range(hand):
        last = step(last, right)
        own[last[0]][last[1]] += 1
    return last


def lift(own: dict[Row, list[int]], place: Place) -> int:
    hand, own[place[0]][place[1]] = own[place[0]][place[1]], 0
    return hand


def every_way(play: Callable[[Answers], Table]) -> Iterator[tuple[Answers, Table]]:
    """A move with all answers that its player may give."""
    open_ones: list[Answers] = [()]
    while open_ones:
        answers = open_ones.pop()
        try:
            yield answers, play(answers)
        except Asked:
            open_ones += [(*answers, False), (*answers, True)]
        except Endless:
            pass


def omweso(table: Table) -> Iterator[tuple[Place, bool, Answers, Table]]:
    """Every move: place, whether to the right, answers, and the table after it."""
    own = table.seeds[table.mover]
    for place in PLACES:
        if own[place[0]][place[1]] < 2:
            continue
        if not right_captures(table, place, own[place[0]][place[1]], lifted=True):
            directions = [False]
        else:
            directions = [False, True]
        for right in directions:

            def play(answers: Answers, place: Place = place, right: bool = right) -> Table:
                return omweso_move(deepcopy(table), place, right, list(answers))

            for answers, after in every_way(play):
                yield place, right, answers, after


LEFT_END: set[Place] = {("A", 0), ("A", 1), ("B", 0), ("B", 1)}


def right_captures(table: Table, place: Place, hand: int, lifted: bool) -> bool:
    """Whether a lap to the right may begin here: from the left end, and the lap captures."""
    trial = deepcopy(table)
    own, theirs = trial.seeds[table.mover], trial.seeds[1 - table.mover]
    if lifted:
        lift(own, place)
    row, column = sow(own, place, True, hand)
    full = row == "A" and own["A"][column] > 1
    return place in LEFT_END and full and theirs["A"][7 - column] > 0 and theirs["B"][7 - column] > 0


def omweso_move(table: Table, begin: Place, right: bool, answers: list[bool]) -> Table:
    own, theirs = table.seeds[table.mover], table.seeds[1 - table.mover]
    hand, heads, seen = lift(own, begin), set[int](), set[str]()
    while True:
        row, column = last = sow(own, begin, right, hand)
        if own[row][column] == 1:
            break
        if repr((last, begin, right, table.seeds)) in seen:
            raise Endless
        seen.add(repr((last, begin, right, table.seeds)))
        if row == "A" and theirs["A"][7 - column] and theirs["B"][7 - column]:
            heads.add(7 - column)
            hand = lift(theirs, ("A", 7 - column)) + lift(theirs, ("B", 7 - column))
            may_turn = right
        else:
            begin, may_turn, hand = last, True, lift(own, last)
        right = may_turn and right_captures(table, begin, hand, lifted=False)
        if right:
            if not answers:
                raise Asked
            right = answers.pop(0)
    if {0, 7} <= heads or not any(seeds > 1 for line in theirs.values() for seeds in line):
        table.winner = table.mover
    table.mover = 1 - table.mover
    return table


def bao(
    table: Table, late: bool = False, takasia: bool = True
) -> Iterator[tuple[Place, bool, Answers, Table]]:
    """As `omweso`; in Bao la Kiswahili, or from a table without hands and houses in Bao la Kujifunza."""
    moves = list(bao_captures(table, table.mover))
    capturing = len(moves) > 0
    if not capturing:
        moves = list(bao_takata(table))
    for place, right in moves:

        def play(answers: Answers, place: Place = place, right: bool = right) -> Table:
            return bao_move(deepcopy(table), place, right, capturing, list(answers), late, takasia)

        for answers, after in every_way(play):
            yield place, right, answers, after


def marker(table: Table, player: int, place: Place) -> bool:
    """A front pit with seeds that faces one with seeds."""
    row, column = place
    return (
        row == "A" and table.seeds[player]["A"][column] > 0 and table.seeds[1 - player]["A"][7 - column] > 0
    )


def bao_captures(table: Table, player: int) -> Iterator[tuple[Place, bool]]:
    for place in PLACES:
        for right in (False, True):
            if table.hand[player]:
                # Captured seeds from the left kichwa go to the right, and the other way about.
                if marker(table, player, place) and place[1] not in ((6, 7) if right else (0, 1)):
                    yield place, right
            elif 2 <= table.seeds[player][place[0]][place[1]] <= 15 and captured_first(
                table, player, place, right
            ):
                yield place, right


def captured_first(table: Table, player: int, place: Place, right: bool) -> Place | None:
    """The opponent's pit that the first lap captures."""
    trial = deepcopy(table)
    own = trial.seeds[player]
    last = sow(own, place, right, lift(own, place))
    full = own[last[0]][last[1]] > 1
    return ("A", 7 - last[1]) if full and marker(trial, player, last) else None


def bao_takata(table: Table) -> Iterator[tuple[Place, bool]]:
    player = table.mover
    own = table.seeds[player]
    front = [column for column in range(8) if own["A"][column]]
    if table.hand[player]:
        working = table.house[player] and own["A"][4] >= 6
        if working:
            columns = [column for column in front if column != 4] or [4]
        else:
            columns = [column for column in front if own["A"][column] > 1] or front
        places: list[Place] = [("A", column) for column in columns]
    else:
        places = [("A", column) for column in front if own["A"][column] > 1]
        places = places or [("B", column) for column in range(8) if own["B"][column] > 1]
        places = [place for place in places if place != table.blocked]
    for place in places:
        for right in (False, True):
            if not (front == [place[1]] and place[0] == "A" and step(place, right)[0] == "B"):
                yield place, right


def bao_move(
    table: Table, place: Place, right: bool, capturing: bool, answers: list[bool], late: bool, takasia: bool
) -> Table:
    player = table.mover
    own, theirs = table.seeds[player], table.seeds[1 - player]
    namua = table.hand[player] > 0
    last, hand, seen = place, 0, set[str]()

    def works() -> bool:
        return table.house[player] and own["A"][4] >= 6

    if namua:
        tax = works() and place == ("A", 4)
        table.hand[player] -= 1
        own["A"][place[1]] += 1
        if not capturing and tax:
            own["A"][4] -= 2
            last = sow(own, place, right, 2)
        elif not capturing:
            hand = lift(own, place)
    else:
        hand = lift(own, place)
    if hand:
        table.house[player] &= place != ("A", 4)
        last = sow(own, place, right, hand)
    while own[last[0]][last[1]] > 1:
        if repr((last, right, table.seeds)) in seen:
            raise Endless
        seen.add(repr((last, right, table.seeds)))
        if capturing and marker(table, player, last):
            column = last[1]
            hand = lift(theirs, ("A", 7 - column))
            table.house[1 - player] &= 7 - column != 4
            right = True if column < 2 else False if column > 5 else right
            last = sow(own, ("B", 0) if right else ("B", 7), right, hand)
            if not any(theirs["A"]):
                table.winner = player
                break
            continue
        if last == ("A", 4) and works() and (namua or late):
            if not capturing:
                break
            if not answers:
                raise Asked
            if not answers.pop(0):
                break
        if last == table.blocked:
            break
        hand = lift(own, last)
        table.house[player] &= last != ("A", 4)
        last = sow(own, last, right, hand)
    table.blocked = None
    if takasia and not capturing and not any(table.hand) and table.winner is None:
        table.blocked = bao_takasia(table)
    if table.winner is None and not any(own["A"]):
        table.winner = 1 - player
    table.mover = 1 - player
    return table


def bao_takasia(table: Table) -> Place | None:
    """The pit of the opponent of the mover, who has just made a takata, that is blocked."""
    player = table.mover
    front = table.seeds[1 - player]["A"]
    targets = {captured_first(table, player, *move) for move in bao_captures(table, player)}
    if len(targets) != 1 or list(bao_captures(table, 1 - player)):
        return None
    (target,) = targets
    assert target is not None
    works = table.house[1 - player] and front[4] >= 6
    if front[target[1]] < 2 or sum(seeds > 1 for seeds in front) == 1 or (works and target == ("A", 4)):
        return None
    return target
