"""Moves in words: `C`, `c`, `C+`, `2.1-`, `-`.

With two players in rows South's pits are `A B C ..` and North's `a b c ..`, each from that player's left to
right; on other boards a pit is `player.pit`, both from 0, a player's pits by rising number. A direction is a
suffix where the player chooses it (rules.md, *Conventions*). Where a move asks its player to choose on the
way, a colon follows and a digit a choice, 0 or 1: `0.11+:01`. Zeros at the end are left out, and with them
the colon.
"""

import re

from engine.errors import BadInput, shown
from engine.move import MOST_CHOICES, PASS, SWAP, Move
from engine.rules import Rules

_CHOICES = re.compile(rf"[01]{{0,{MOST_CHOICES - 1}}}1")


def _lettered(rules: Rules) -> bool:
    board = rules.board
    return board.players == 2 and any(hole in board.course[1] for hole in board.course[0])


def name(rules: Rules, move: Move) -> str:
    """The move in notation; a pit that is not on the board is its bare number."""
    if move == PASS:
        return "-"
    if move == SWAP:
        return "swap"
    board = rules.board
    if not 0 <= move.pit < board.pits:
        return str(move.pit)
    way = ("+" if move.direction > 0 else "-") if len(rules.directions) > 1 else ""
    return hole_name(rules, move.pit) + way + (f":{choices(move)}" if move.choices else "")


def choices(move: Move) -> str:
    """What is chosen on the way, a digit each.

    >>> choices(Move(3, 1, choices=0b110))
    '011'
    """
    return f"{move.choices:b}"[::-1] if move.choices else ""


def read_choices(text: str) -> int:
    """The number that `Move.choices` is.

    Raises:
        BadInput: there is something other than 0 and 1 in it, or too much, or a 0 at the end.
    """
    if text and not _CHOICES.fullmatch(text):
        raise BadInput(
            f"choices are {text[:30]!r}: at most {MOST_CHOICES} digits 0 or 1 were expected, the last one a 1"
        )
    return int(text[::-1] or "0", 2)


def player_name(rules: Rules, player: int) -> str:
    """South and North on a board of two rows, else `player 2`."""
    return ("South", "North")[player] if _lettered(rules) else f"player {player}"


def hole_name(rules: Rules, hole: int) -> str:
    """A pit as in notation, a store in words."""
    board = rules.board
    if hole >= board.pits:
        return f"{player_name(rules, hole - board.pits)}'s store"
    if _lettered(rules):
        # The letters are the board's: a pit that changes hands keeps its own.
        row, place = divmod(hole, board.pits // 2)
        return chr(ord("Aa"[row]) + place)
    player = board.owner[hole]
    return f"{player}.{board.own(player).index(hole)}"


def parse(rules: Rules, text: str) -> Move:
    """The move that `text` names, legal or not.

    Raises:
        BadInput: it names no pit of this board, or leaves out or adds a direction, or choices are not right.
    """
    given = text.strip()
    text, colon, chosen = given.partition(":")
    if colon and not (rules.choices and chosen):
        raise BadInput(
            f"move {shown(given)}: nothing is chosen on the way there, leave out the colon and what follows"
        )
    if text == "-" and not colon:
        return PASS
    if text == "swap" and not colon:
        return SWAP
    board = rules.board
    for pit in range(board.pits):
        for direction in rules.directions:
            if name(rules, Move(pit, direction)) == text:
                return Move(pit, direction, read_choices(chosen))
    first, last = (name(rules, Move(pit, rules.directions[0])) for pit in (0, board.pits - 1))
    raise BadInput(
        f"move {shown(given)} names no pit of this board: {first} to {last}, or - for a pass, was expected"
    )
