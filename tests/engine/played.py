"""One move of a shipped game from a given position, for examples worked by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine import games
from engine.game import Ply
from engine.step import Drop, Lift


def play(
    game: str,
    pits: Sequence[int],
    move: str,
    /,
    player: int = 0,
    stores: Sequence[int] | None = None,
    **options: Any,
) -> Ply:
    """The ply that `move`, in notation, makes of a position."""
    loaded = games.load(game, options)
    return loaded.play(loaded.start(pits, stores, player), loaded.parse(move))


def legal(game: str, pits: Sequence[int], /, player: int = 0, **options: Any) -> list[str]:
    """The legal moves of a position, in notation."""
    loaded = games.load(game, options)
    return [loaded.name_of(move) for move in loaded.legal(loaded.start(pits, player=player))]


def loops(south: Mapping[int, int], north: Mapping[int, int]) -> list[int]:
    """Four rows of eight with these seeds by pit, by each player's own count from 0."""
    return [*(south.get(pit, 0) for pit in range(16)), *(north.get(pit, 0) for pit in range(16))]


def lap(pit: int, *holes: int) -> list[Lift | Drop]:
    """The steps of lifting a pit and dropping a seed in each of the holes."""
    return [Lift(pit, len(holes)), *(Drop(hole) for hole in holes)]
