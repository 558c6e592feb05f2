"""The plain functions of sowing and counting, compiled by numba for one game at a time.

The rules of the game are written into the functions, so that what the game lacks costs it nothing, not even
the time to compile it. Import this only where moves are made by the million: it imports numba, which takes a
second or more and may be missing, and then each game is compiled, which takes a few. What is compiled is
kept beside this file or, where that cannot be written, in the user's cache; where neither can, it is compiled
anew in each process.
"""

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numba.extending import intrinsic

from engine import perft, sowing, turns
from engine.perft import Lookup
from engine.rules import Rules
from engine.sowing import Tables, sow, tables
from engine.turns import Turns

NARROW = 127
"""Seeds in the game up to which a hole of the board is one byte; with more it is two."""
REACH = 32
"""Hands of fewer seeds are looked up."""
WORD = 8
"""Bytes in a word."""

# A level less than numba's own takes a sixth less time to compile and makes moves no slower. numba looks for
# it when it first compiles anything.
os.environ.setdefault("NUMBA_OPT", "2")

_MODULES = (sowing, turns, perft)
_TEXTS = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in _MODULES]


def walker(
    rules: Rules, boards: Sequence[Sequence[int]], track: Sequence[Sequence[int]]
) -> Callable[[int, int, int, int, bool, int], tuple[int, int]]:
    """`engine.perft.walk`, compiled for these rules, on its own copy of these rows."""
    wide = any(sum(board) > NARROW for board in boards)
    run, holes = _walk(rules, wide), _holes(rules, wide)
    rows = np.zeros((len(boards), holes), np.uint16 if wide else np.uint8)
    rows[:, : len(boards[0])] = boards
    tracks = np.array(track, np.uint32)

    def go_on(root: int, row: int, last: int, total: int, every_leaf: bool, budget: int) -> tuple[int, int]:
        now, leaves = run(rows, tracks, root, row, last, total, every_leaf, budget)
        return int(now), int(leaves)

    return go_on


def _holes(rules: Rules, wide: bool) -> int:
    """Holes in a row of whole words."""
    in_a_word = WORD // (2 if wide else 1)
    return -(-(rules.board.pits + rules.board.players + rules.marks) // in_a_word) * in_a_word


@lru_cache(maxsize=64)
def _walk(rules: Rules, wide: bool) -> Callable[..., tuple[int, int]]:
    frozen = _frozen(rules, wide)
    # What numba tells one kept function from another by is what it closes over, and the date of this file.
    own = (frozen[2].words, _digest(f"{rules} {wide}", *_TEXTS))

    def run(
        boards: Any, track: Any, root: int, row: int, last: int, total: int, every_leaf: bool, budget: int
    ) -> tuple[int, int]:
        # Views that own nothing: to count who holds an array would cost more than a move.
        b: Any = carray(_at(boards.ctypes.data, boards.dtype), boards.shape)
        w: Any = carray(_at(boards.ctypes.data, _WORDS), (boards.shape[0], own[0]))
        k: Any = carray(_at(track.ctypes.data, track.dtype), track.shape)
        return _fixed_walk(b, w, k, root, row, last, total, every_leaf, budget)

    names = globals() | {"_fixed_walk": _fixed(*frozen)["walk"]}
    with_walk = FunctionType(run.__code__, names, closure=run.__closure__)
    try:
        compiled: Any = numba.njit(cache=True)(with_walk)
    except RuntimeError:  # no place to keep it
        compiled = numba.njit(with_walk)
    return cast(Callable[..., tuple[int, int]], compiled)


_fixed_walk: Callable[..., tuple[int, int]] = perft.walk
"""In its place `_walk` puts that of one game."""


def _digest(*texts: str) -> int:
    return int.from_bytes(sha256("".join(texts).encode()).digest()[:7], "big")


def _fixed(t: Tables, u: Turns, look: Lookup) -> dict[str, Any]:
    """What the modules of sowing, turns and counting define, by name, the functions fixed for one game."""
    names = {name: value for module in _MODULES for name, value in vars(module).items()}
    names["int64"] = numba.int64
    tree = ast.parse("".join(_TEXTS))
    fix = _Fix({"t": t, "u": u, "look": look}, tree)
    tree.body = [fix.visit(part) for part in tree.body if isinstance(part, ast.FunctionDef)]
    exec(compile(ast.fix_missing_locations(tree), "engine, for one game", "exec"), names)
    # What nobody calls is not compiled. Inlined, calls cost nothing in the one loop there is, and it is the
    # loop alone that Python calls.
    njit: Any = numba.njit  # whose stubs lack what its manual has
    inlined = njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    names |= {part.name: inlined(names[part.name]) for part in tree.body if isinstance(part, ast.FunctionDef)}
    # Inlined before types are known, a function is optimised once, as a part of what calls it. It must be
    # called from one place, or it is compiled for each.
    once = ("walk",) if look.reach else ("walk", "_make")
    names |= {name: njit(inline="always")(names[name].py_func) for name in once}
    names |= fix.arrays
    return names


class _Fix(ast.NodeTransformer):
    """Writes the rules of a game into functions: `t.relay` becomes 0, `t.across` an array, `t` no argument.

    What hangs on a rule that is off is left out, so that no compiler has to see it.
    """

    def __init__(self, rules: Mapping[str, NamedTuple], tree: ast.Module) -> None:
        self.rules = rules
        self.numbers = {
            part.name: [
                isinstance(arg.annotation, ast.Name) and arg.annotation.id == "int" for arg in part.args.args
            ]
            for part in tree.body
            if isinstance(part, ast.FunctionDef)
        }
        """By function, which arguments are numbers."""
        self.arrays = dict[str, Any]()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not (isinstance(node.value, ast.Name) and node.value.id in self.rules):
            return node
        value, name = getattr(self.rules[node.value.id], node.attr), f"{node.value.id}_{node.attr}"
        if isinstance(value, int):
            return ast.Constant(value)
        self.arrays[name] = value
        return ast.Name(name, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Calls without the rules, each number as wide as any: else each mix of widths is compiled anew."""
        if isinstance(node.func, ast.Name) and node.func.id in self.numbers:
            numbers = self.numbers[node.func.id]
            node.args = [
                ast.Call(ast.Name("int64", ast.Load()), [one], []) if is_number else one
                for one, is_number in zip(node.args, numbers, strict=True)
                if not (isinstance(one, ast.Name) and one.id in self.rules)
            ]
        self.generic_visit(node)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        node.args = [one for one in node.args if one.arg not in self.rules]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """`and` and `or`, where what settles them is known."""
        self.generic_visit(node)
        settles, values = isinstance(node.op, ast.Or), list[ast.expr]()
        for value in node.values:
            if isinstance(value, ast.Constant):
                if bool(value.value) == settles:
                    # what comes before cannot unsettle it; what is called might do more than tell
                    calls = any(isinstance(part, ast.Call) for one in values for part in ast.walk(one))
                    values = [*values, value] if calls else [value]
                    break
                if value is not node.values[-1]:
                    continue
            values.append(value)
        return ast.BoolOp(node.op, values) if len(values) > 1 else values[0]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _known(node, node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return _known(node, node.left, *node.comparators)

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse or ast.Pass()
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node


def _known(node: ast.expr, *operands: ast.expr) -> ast.expr:
    """The value of an expression where those of its operands are known; else the expression."""
    if not all(isinstance(operand, ast.Constant) for operand in operands):
        return node
    return ast.Constant(eval(compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval"), {}))


_WORDS = np.dtype("<i8")


def _pointer(typing: Any, address: Any, dtype: Any) -> Any:
    """The address as a pointer to numbers of a type."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    types: Any = numba.types
    return types.CPointer(dtype.dtype)(types.intp, dtype), code


_at: Any = intrinsic(_pointer)


def _frozen(rules: Rules, wide: bool) -> tuple[Tables, Turns, Lookup]:
    """The rules as arrays of small numbers, and the laps."""
    t, u = tables(rules), turns.turns(rules)
    laps, lasts = _laps(t, u, _holes(rules, wide), 2 if wide else 1)
    # A relay, or a capture on the way, hangs on more than the hand.
    reach = 0 if t.relay or t.passing or t.after_lap or t.claim or t.skip_full else REACH
    # Where a course does not pass nobody asks for the next hole.
    onward: Any = np.array(t.onward).astype(np.uint8)
    return (
        t._replace(**_arrays(t) | {"onward": onward}),
        u._replace(**_arrays(u)),
        Lookup(laps.shape[-1], reach, laps, lasts),
    )


def _arrays(flat: Tables | Turns) -> dict[str, Any]:
    return {name: _array(value) for name, value in flat._asdict().items() if isinstance(value, list)}


def _array(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """As small as may be, and unsigned where it may be: an index that could be negative costs a test."""
    array = np.array(values)
    if array.dtype == bool:
        return array
    return array.astype(np.int8 if array.size and array.min() < 0 else np.uint8)


def _laps(t: Tables, u: Turns, holes: int, size: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What `sow` itself does to an empty board when no rule follows: `Lookup.laps` and `Lookup.lasts`."""
    sowing_only = t._replace(
        sizes=[False] * len(t.sizes), theirs_only=False, facing=False, relay=0, passing=0, resown=False,
        turnback=0, houses=False, blocked=-1, claim=0, skip_full=0, last_late=False,
    )  # fmt: skip
    words = np.zeros((len(u.lifts), REACH, holes * size // WORD), np.int64)
    lasts = np.zeros((len(u.lifts), REACH), np.uint8)
    for at, lift in enumerate(u.lifts):
        player = next(player for player in range(u.players) if at < u.first[player + 1])
        for hand in range(1, REACH):
            counts, steps = [0] * holes, list[int]()
            counts[lift >> 1] = hand
            sow(sowing_only, counts, player, lift >> 1, lift & 1, 0, steps)
            counts[lift >> 1] -= hand
            # One addition a word does for all its holes: in the sum none of them overflows or falls below 0.
            parts = np.array(counts, np.int64).reshape(-1, WORD // size)
            words[at, hand] = (parts << 8 * size * np.arange(WORD // size)).sum(axis=1)
            lasts[at, hand] = steps[-1] >> 2
    return words, lasts
