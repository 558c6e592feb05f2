"""`pitwatch engine`: the rules for other programs, as JSON lines on stdin and stdout.

One request a line, one answer a line, in order. Whatever a line holds, the answer is JSON and the process
goes on.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from engine.errors import BadInput, PitwatchError, shown

if TYPE_CHECKING:
    from engine.game import Game, Ply, Result, State
    from engine.move import Move
    from engine.step import Step

Plain = dict[str, Any]
"""A JSON object."""


def engine() -> None:
    """Answer JSON lines on stdin with JSON lines on stdout, for other programs.

    {"id":1,"cmd":"play","game":"oware","options":{},"start":{"pits":[..],"stores":[..],"player":0},
    "moves":["C","b"]} plays the moves; cmd "trace" gives the physical steps of the last one; cmd "perft"
    with a "depth" counts move sequences. An error answers {"id":1,"error":"one sentence"}.
    """
    for answer in answers(sys.stdin.buffer):
        print(answer, flush=True)


def answers(lines: Iterable[bytes]) -> Iterator[str]:
    """One JSON text for each line that is not blank."""
    for line in lines:
        if line.strip():
            yield _answer(line)


def _answer(line: bytes) -> str:
    ident = None
    try:
        request = _read(line)
        ident = request.get("id")
        _check_id(ident)
    except (PitwatchError, ValueError, RecursionError) as error:
        return _write({"id": None, "error": _sentence(error)})
    try:
        return _write({"id": ident, **_obey(request)})
    except (PitwatchError, RecursionError) as error:
        return _write({"id": ident, "error": _sentence(error)})


def _check_id(ident: object) -> None:
    """An id that JSON cannot carry back must not break the answer that names the mistake."""
    try:
        _write({"id": ident})
    except ValueError as error:
        raise BadInput("id has a number in it that is larger than JSON can carry: choose another") from error


def _sentence(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the request is nested, or asks to look, more deeply than this process can"
    return " ".join(str(error).split())


def _read(line: bytes) -> Plain:
    def refuse(word: str) -> NoReturn:
        raise BadInput(f"the line is not JSON: {word} is no number there")

    try:
        request = json.loads(line.decode(), parse_constant=refuse)
    except BadInput:
        raise
    except UnicodeDecodeError as error:
        raise BadInput(f"the line is not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        fault = error.msg.removesuffix(" at")
        raise BadInput(f"the line is not JSON: {fault} at character {error.pos}") from error
    except ValueError as error:
        raise BadInput("the line holds a number with more digits than can be read") from error
    if not isinstance(request, dict):
        raise BadInput('the line is no request: an object like {"id":1,"cmd":"play",..} was expected')
    return request


def _write(answer: Plain) -> str:
    return json.dumps(answer, separators=(",", ":"), allow_nan=False)


def _obey(request: Plain) -> Plain:
    _only(request, "request", ("id", "cmd", "game", "options", "start", "moves", "depth"))
    cmd = _get(request, "cmd", str, "a string")
    command = _COMMANDS.get(cmd)
    if command is None:
        raise BadInput(f"unknown cmd {shown(cmd)}: {', '.join(_COMMANDS)} was expected")

    from engine import games

    name = _get(request, "game", str, "a string")
    game = games.load(name, _get(request, "options", dict, "an object", {}))
    start = _get(request, "start", dict, "an object", {})
    _only(start, "start", ("pits", "stores", "player", "marks"))
    state = game.start(
        _get(start, "pits", list, "a list", None, where="start."),
        _get(start, "stores", list, "a list", None, where="start."),
        _get(start, "player", int, "a whole number", 0, where="start."),
        _get(start, "marks", list, "a list", None, where="start."),
    )
    plies: list[Ply] = []
    legal = [game.legal(state)]
    for index, given in enumerate(_get(request, "moves", list, "a list", [])):
        try:
            ply = game.play(state, _move(game, given))
        except BadInput as error:
            raise BadInput(f"moves[{index}]: {error}") from error
        state = ply.state
        plies.append(ply)
        legal.append(game.legal(state))
    return command(request, game, state, plies, legal)


def _play(
    _request: Plain, game: "Game", state: "State", plies: "list[Ply]", legal: "list[tuple[Move, ...]]"
) -> Plain:
    from engine.notation import choices

    names = [[game.name_of(move) for move in moves] for moves in legal]
    return {
        "plies": [
            {
                "player": ply.player,
                "legal": before,
                "move": game.name_of(ply.move),
                "pit": ply.move.pit if ply.move.sows else None,
                "direction": ply.move.direction if ply.move.sows else None,
                **({"choices": choices(ply.move)} if game.rules.choices else {}),
                "pits": ply.state.pits,
                "stores": ply.state.stores,
                **({"marks": ply.state.marks} if ply.state.marks else {}),
                "captured": ply.captured,
                "gain": ply.gain,
                "next": ply.state.player,
                **({"marks": ply.state.marks} if ply.state.marks else {}),
            }
            for ply, before in zip(plies, names[:-1], strict=True)
        ],
        "legal": names[-1],
        "over": state.result is not None,
        "result": _result(state.result),
    }


def _result(result: "Result | None") -> Plain | None:
    return None if result is None else {"scores": result.scores, "winners": result.winners}


def _perft(request: Plain, game: "Game", state: "State", *_: object) -> Plain:
    depth = _get(request, "depth", int, "a whole number")
    if depth < 0:
        raise BadInput(f"depth is {shown(depth)}: 0 or more was expected")
    return {"depth": depth, "nodes": game.perft(state, depth)}


def _trace(_request: Plain, game: "Game", _state: "State", plies: "list[Ply]", *_: object) -> Plain:
    if not plies:
        raise BadInput("trace wants at least one move in moves: it tells the steps of the last")
    ply = plies[-1]
    return {
        "player": ply.player,
        "move": game.name_of(ply.move),
        "steps": [_step(step) for step in ply.steps],
        "sweep": [_step(step) for step in ply.sweep],
    }


def _step(step: "Step") -> Plain:
    from engine.step import Drop, Lift

    match step:
        case Lift(pit, seeds):
            return {"step": "lift", "pit": pit, "seeds": seeds}
        case Drop(pit):
            return {"step": "drop", "pit": pit}
    return {"step": "take", "pit": step.pit, "seeds": step.seeds, "to": step.to}


_COMMANDS: Mapping[str, Callable[..., Plain]] = {"play": _play, "perft": _perft, "trace": _trace}


def _move(game: "Game", given: object) -> "Move":
    """The move that a string in notation or `{"pit":i,"direction":1,"choices":"01"}` names."""
    from engine.move import Move
    from engine.notation import read_choices

    if isinstance(given, str):
        return game.parse(given)
    if not isinstance(given, dict):
        raise BadInput('a move is a string in notation, or {"pit":0,"direction":1}')
    _only(given, "a move", ("pit", "direction", "choices"))
    pit = _get(given, "pit", int, "a whole number")
    if not 0 <= pit < game.pits:
        raise BadInput(f"pit is {shown(pit)}: 0 to {game.pits - 1} was expected")
    ways = game.rules.directions
    direction = _get(given, "direction", int, "1 or -1", ways[0] if len(ways) == 1 else _NEEDED)
    if direction not in (1, -1):
        raise BadInput(f"direction is {shown(direction)}: 1 or -1 was expected")
    return Move(pit, 1 if direction == 1 else -1, read_choices(_get(given, "choices", str, "a string", "")))


_NEEDED: Any = object()


def _get(holder: Plain, key: str, kind: type, wanted: str, default: Any = _NEEDED, *, where: str = "") -> Any:
    """The value of a key that has to be of a kind; a missing or null one is the default, if there is one."""
    value = holder.get(key)
    if value is None and default is not _NEEDED:
        return default
    if type(value) is not kind:
        what = "missing" if key not in holder else shown(value)
        raise BadInput(f"{where}{key} is {what}: {wanted} was expected")
    return value


def _only(holder: Plain, where: str, known: tuple[str, ...]) -> None:
    for key in holder:
        if key not in known:
            raise BadInput(f"{where} has no key {shown(key)}: {', '.join(known)} may be there")
