"""A line of play: moves one after another, and positions that a ruling puts in the place of the one before.

In words a move is its notation, and a position the line of `engine.position`:

    >>> from engine import games
    >>> kalah = games.load("kalah", {"pits": 2, "seeds": 2})
    >>> [after] = follow(kalah, kalah.start(), read(kalah, ["A"]))
    >>> ruled(kalah, after, (0, 3, 3, 1, 1, 0), 1)
    '0,3/3,1 1,0 1'
    >>> [position.write(state) for state in follow(kalah, after, read(kalah, ["0,3/3,1 1,0 1", "b"]))]
    ['0,3/3,1 1,0 1', '0,3/3,0 1,1 1']
"""

from collections.abc import Iterator, Sequence

from engine import position
from engine.game import Game, State
from engine.move import Move
from engine.step import Counts

Entry = Move | State
"""A move; or the position from which play went on by a ruling."""


def read(game: Game, words: Sequence[str]) -> tuple[Entry, ...]:
    """The entries that words stand for.

    Raises:
        BadInput: a word is neither a move nor a position.
    """
    return tuple(position.read(game, word) if "/" in word else game.parse(word) for word in words)


def as_text(words: Sequence[str]) -> str:
    """The words as one text: spaces between moves, semicolons around a position.

    >>> as_text(["C", "-", "0,3/3,1 1,0 1", "a"])
    'C - ; 0,3/3,1 1,0 1 ; a'
    """
    return " ".join(f"; {word} ;" if "/" in word else word for word in words)


def words_of(text: str) -> list[str]:
    """The words that `as_text` made one text of.

    >>> words_of("C - ; 0,3/3,1 1,0 1 ; a")
    ['C', '-', '0,3/3,1 1,0 1', 'a']
    """
    return [word for part in text.split(";") for word in ([part.strip()] if "/" in part else part.split())]


def follow(game: Game, start: State, entries: Sequence[Entry]) -> Iterator[State]:
    """The state after each entry.

    Raises:
        BadInput: a move is not legal where it stands.
    """
    state = start
    for entry in entries:
        state = entry if isinstance(entry, State) else game.play(state, entry).state
        yield state


def since_ruling(start: State, entries: Sequence[Entry]) -> tuple[State, tuple[Move, ...]]:
    """Where the last part of a line begins that is moves alone, and these."""
    moves: list[Move] = []
    for entry in entries:
        if isinstance(entry, Move):
            moves.append(entry)
        else:
            start, moves = entry, []
    return start, tuple(moves)


def ruled(game: Game, before: State, counts: Counts, player: int) -> str:
    """The position, in words, in which play goes on from `counts` with `player` to move, by a ruling.

    What the seeds do not show stays as it was `before`; an opening, a blocked pit and the right to swap sides
    last until it is another's turn. Nothing has stood before.
    """
    handed_on = player != before.player
    marks = before.marks
    if game.rules.blocks and handed_on:
        marks = (*marks[:-1], 0)
    state = State(
        counts[: game.pits],
        counts[game.pits :],
        player,
        may_swap=before.may_swap and not (before.player == 1 and handed_on),
        opening=before.opening - bool(before.opening and handed_on),
        marks=marks,
    )
    return position.write(state)
