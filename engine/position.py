"""A position as one line of text, in the manner of FEN: pits, stores, the player to move and more.

    >>> from engine import games
    >>> kalah = games.load("kalah", {"seeds": 3})
    >>> write(kalah.play(kalah.start(), kalah.parse("D")).state)
    '3,3,3,0,4,4/3,3,3,3,3,3 1,0 0'
    >>> read(kalah, "0,0,0,0,0,1/3,3,0,0,0,0 20,9 1").player
    1

Of a round of a match it also says whose pits are whose and which are closed, where that is not the usual
thing: `write` wants the game for it, and `game_of` gives the game that is played so.

    >>> congklak = games.load("congklak", {"pits": 4, "short": "3"})
    >>> write(congklak.start((4, 4, 4, 1, 4, 4, 4, 4), (0, 3)), congklak)
    '4,4,4,1/4,4,4,4 0,3 0 closed=3'

The grammar is in docs/record.md. Carried is all of a `State` in play but two things: the positions that have
stood since the last capture (a position that is read has stood once), and the game with its options, which
whoever keeps the line must keep beside it. The result of a game that is over is not carried either.
"""

import re
from dataclasses import replace

from engine import games
from engine.errors import BadInput
from engine.game import Game, State

_NUMBER = re.compile(r"[0-9]{1,4}")
_SHOWN = 60
_OPTIONS = {"owner": "owner", "closed": "short"}
"""By word of a position, the option of the game that it speaks of."""


def write(state: State, game: Game | None = None) -> str:
    """The position as text; a game that is over has `-` for the player to move.

    Args:
        game: what is played, for whose pits are whose and which are closed; left out, that is not said.
    """
    players = len(state.stores)
    row = len(state.pits) // players
    rows = (state.pits[at : at + row] for at in range(0, len(state.pits), row))
    words = ["/".join(",".join(map(str, pits)) for pits in rows), ",".join(map(str, state.stores))]
    words.append("-" if state.player is None else str(state.player))
    if state.may_swap:
        words.append("swap")
    if state.passes:
        words.append(f"passes={state.passes}")
    if state.opening:
        words.append(f"opening={state.opening}")
    if state.marks:
        words.append("marks=" + ",".join(map(str, state.marks)))
    words += [f"{word}={','.join(map(str, pits))}" for word, pits in _of_round(game).items()] if game else []
    return " ".join(words)


def read(game: Game, text: str) -> State:
    """The state that a position's text stands for in `game`; over, where the rules end play in it.

    Raises:
        BadInput: the text is no position, or one that this game cannot have, or has `-` for the player.
    """
    words = text.split()
    if len(words) < 3:
        raise BadInput(
            f"position {_short(text)} has {len(words)} of its parts: pits, stores and the player to move "
            f"were expected, as in {write(game.start())}"
        )
    pits = [_numbers("pits", row) for row in words[0].split("/")]
    row = game.pits // game.players
    if [len(numbers) for numbers in pits] != [row] * game.players:
        rows = " and ".join(str(len(numbers)) for numbers in pits[:5])
        raise BadInput(
            f"position {_short(text)} has rows of {rows} pits: {game.name} wants {game.players} rows of {row}"
        )
    if words[2] == "-":
        raise BadInput(
            f"position {_short(text)} is of a game that is over: name the player to move in place of -"
        )
    game_of(game, text, alike=True)
    words = [word for word in words if word.partition("=")[0] not in _OPTIONS]
    (player,) = _numbers("player", words[2], most=1)
    given = ([seeds for numbers in pits for seeds in numbers], _numbers("stores", words[1]), player)
    marks = [word.removeprefix("marks=") for word in words[3:] if word.startswith("marks=")]
    also = _others(game, [word for word in words[3:] if not word.startswith("marks=")])
    if len(marks) > 1:
        raise BadInput("position has marks twice: leave one out")
    if not also["opening"]:
        game = Game(game.name, game.options, replace(game.rules, opening="none"))
    state = game.start(*given, _numbers("marks", marks[0]) if marks else None)
    if game.rules.opening == "three_two":  # Nothing ends play in it.
        state = replace(state, player=player, result=None)
    return replace(state, passes=also["passes"], may_swap=also["swap"] > 0, opening=also["opening"])


def game_of(game: Game, text: str, *, alike: bool = False) -> Game:
    """The game with its pits owned and closed as a position says.

    Args:
        alike: it must be so already.

    Raises:
        BadInput: this game has no such thing; or it is not so already.
    """
    said: dict[str, tuple[int, ...]] = {}
    for word in text.split()[3:]:
        name, _, value = word.partition("=")
        if name in _OPTIONS:
            if name in said:
                raise BadInput(f"position has {name} twice: leave one out")
            if _OPTIONS[name] not in game.options:
                raise BadInput(f"position has {_short(word)}, which {game.name} cannot have: leave it out")
            said[name] = tuple(_numbers(name, value))
    if all(_of_round(game).get(name) == pits for name, pits in said.items()):
        return game
    if alike:
        wanted = " and ".join(f"{_OPTIONS[name]} to {' '.join(map(str, said[name]))}" for name in said)
        raise BadInput(f"position is of a round that {game.name} as it is played is not: set {wanted}")
    return games.load(game.name, {**game.options, **{_OPTIONS[name]: pits for name, pits in said.items()}})


def _of_round(game: Game) -> dict[str, tuple[int, ...]]:
    """By word, the owners and the closed pits that a round has by its options."""
    options = {word: game.options.get(option) for word, option in _OPTIONS.items()}
    return {word: tuple(map(int, str(pits).split())) for word, pits in options.items() if pits}


def _others(game: Game, words: list[str]) -> dict[str, int]:
    """What stands after the player, by name; 0 for what does not."""
    rules = game.rules
    most = {
        "swap": int(rules.pie),
        "passes": rules.passes_to_end - 1 if rules.no_move == "pass" else 0,
        "opening": {"none": 0, "three_two": game.players, "no_capture": 1}[rules.opening],
    }
    found = dict.fromkeys(most, 0)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in most or (name == "swap") == bool(equals):
            raise BadInput(
                f"position has {_short(word)}: swap, passes=1, opening=1 or marks=0,1 was expected there"
            )
        if found[name]:
            raise BadInput(f"position has {name} twice: leave one out")
        (found[name],) = _numbers(name, value, most=1) if equals else (1,)
        if not 0 < found[name] <= most[name]:
            raise BadInput(
                f"position has {word}, which {game.name} as it is played cannot have: leave it out"
            )
    return found


def _numbers(what: str, text: str, most: int = 100) -> list[int]:
    words = text.split(",", most)
    if len(words) > most or not all(_NUMBER.fullmatch(word) for word in words):
        wanted = "a whole number was" if most == 1 else "whole numbers with commas between were"
        raise BadInput(f"position has {_short(text)} for {what}: {wanted} expected")
    return list(map(int, words))


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "..")
