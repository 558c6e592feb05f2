"""Which board a game is played on."""

from dataclasses import replace
from itertools import pairwise

from engine.errors import BadInput
from engine.game import Game
from engine.layout import Layout
from service.boardfile import shipped, shipped_names


def board_for(game: Game) -> Layout:
    """A shipped board with the holes of `game`; for two rows of another length, one of the same pattern.

    On a ring of twelve with corner stores each player has the corner at their own right; of four corners,
    two or three players leave some empty.

    Raises:
        BadInput: no board is known for so many pits and players.
    """
    if "layout" in game.options:
        return _ring(shipped(f"orient-{game.options['layout']}"), game)
    for name in shipped_names():
        layout = shipped(name)
        if (len(layout.pits), len(layout.stores)) == (game.pits, game.players):
            return layout
    if game.players != 2:
        raise BadInput(
            f"no board with {game.pits} pits for {game.players} players is shipped: name a board file"
        )
    return _two_rows(game.pits // 2)


def used(layout: Layout, game: Game) -> tuple[Layout, tuple[int, ...]]:
    """The part of a board that `game` is played on, and by its holes which of the board's they are.

    A ring of twelve with four corner stores serves two and three players too.

    Raises:
        BadInput: it has other pits or stores.
    """
    if "layout" in game.options and (len(layout.pits), len(layout.stores)) == (game.pits, 4):
        return _ring(layout, game), (*range(game.pits), *(game.pits + corner for corner in _corners(game)))
    fits(layout, game)
    return layout, tuple(range(game.pits + game.players))


def fits(layout: Layout, game: Game) -> None:
    """Check that a board has the holes of `game`.

    Raises:
        BadInput: it has other pits or stores.
    """
    wanted, there = (game.pits, game.players), (len(layout.pits), len(layout.stores))
    if wanted != there:
        raise BadInput(
            f"the board {layout.name} has {there[0]} pits and {there[1]} stores, this {game.name} wants "
            f"{wanted[0]} and {wanted[1]}: choose another board or other options"
        )


def hole_names(layout: Layout) -> tuple[str, ...]:
    """What a board's holes are called where no game is known: letters on two rows, else `pit 0` and so on."""
    pits, row = layout.pits, len(layout.pits) // 2
    south, north = pits[:row], pits[row:]
    lettered = (
        len(layout.stores) in (0, 2)
        and 2 * row == len(pits) <= 2 * 26
        and all(a.x < b.x for a, b in pairwise(south))
        and all(a.x > b.x for a, b in pairwise(north))
    )
    names = [chr(ord("A" if pit < row else "a") + pit % row) for pit in range(len(pits))] if lettered else []
    stores = (
        ["South's store", "North's store"] if lettered else [f"store {n}" for n in range(len(layout.stores))]
    )
    return (*(names or [f"pit {pit}" for pit in range(len(pits))]), *stores[: len(layout.stores)])


def _corners(game: Game) -> list[int]:
    """By player, the corner that is used, counted counter-clockwise from the bottom right."""
    apart = 2 if game.players == 2 else 1
    # Turns pass clockwise: the second player sits last on the ring.
    return [-player % game.players * apart for player in range(game.players)]


def _ring(board: Layout, game: Game) -> Layout:
    """The board with the corners that are used."""
    pits, corners = len(board.pits), _corners(game)
    holes = {pit: pit for pit in range(pits)}
    holes |= {pits + corner: pits + player for player, corner in enumerate(corners)}
    return replace(
        board,
        stores=tuple(board.stores[corner] for corner in corners),
        lights=tuple(replace(light, hole=holes[light.hole]) for light in board.lights if light.hole in holes),
    )


def _two_rows(row: int) -> Layout:
    """The pattern of `two-by-six`, with rows of another length."""
    model = shipped("two-by-six")
    pitch = model.pits[1].x - model.pits[0].x
    more = (row - 6) * pitch
    south = [replace(model.pits[0], x=model.pits[0].x + place * pitch) for place in range(row)]
    north = [replace(pit, y=model.pits[6].y) for pit in reversed(south)]
    east, west = model.stores
    return replace(
        model,
        name=f"two rows of {row}",
        length=model.length + more,
        pits=(*south, *north),
        stores=(replace(east, x=east.x + more), west),
        markers=(),
        lights_kind="none",
        lights=(),
    )
