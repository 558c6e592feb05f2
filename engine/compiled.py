"""The plain functions of sowing and counting, compiled by numba for one game at a time.

The rules of the game become constants of the code, so that what the game lacks costs it nothing. Import this
only where moves are made by the million: it imports numba, which takes a second or more and may be missing,
and then each game is compiled, which takes a few. What is compiled is kept beside this file or, where that
cannot be written, in the user's cache; where neither can, it is compiled anew in each process.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numba.extending import intrinsic, register_jitable

from engine import perft, sowing, turns
from engine.perft import Lookup, walk
from engine.rules import Rules
from engine.sowing import Tables, sow, tables
from engine.turns import Turns

NARROW = 127
"""Seeds in the game up to which a hole of the board is one byte; with more it is two."""
REACH = 32
"""Hands of fewer seeds are looked up."""
WORD = 8
"""Bytes in a word."""

_MODULES = (sowing, turns, perft)
for _module in _MODULES:
    for _, _function in getmembers(_module, isfunction):
        if _function.__module__ == _module.__name__:
            # Inlined, so that the constants reach it.
            register_jitable(forceinline=True)(_function)
# Numba looks at this file alone to see whether what it kept is of today.
_SOURCE = int.from_bytes(
    sha256(b"".join(Path(str(module.__file__)).read_bytes() for module in (sowing, perft))).digest()[:4],
    "big",
)


def walker(
    rules: Rules, boards: Sequence[Sequence[int]], track: Sequence[Sequence[int]]
) -> Callable[[int, int, int, int, bool, int], tuple[int, int]]:
    """`engine.perft.walk`, compiled for these rules, on its own copy of these rows."""
    wide = any(sum(board) > NARROW for board in boards)
    run, holes = _walk(rules, wide), _holes(rules, wide)
    rows = np.zeros((len(boards), holes), np.int16 if wide else np.int8)
    rows[:, : len(boards[0])] = boards
    tracks = np.array(track, np.int64)

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
    frozen = (*_frozen(rules, wide), _SOURCE)

    def run(
        boards: Any, track: Any, root: int, row: int, last: int, total: int, every_leaf: bool, budget: int
    ) -> tuple[int, int]:
        # Views that own nothing: to count who holds an array would cost more than a move.
        b: Any = carray(_at(boards.ctypes.data, boards.dtype), boards.shape)
        w: Any = carray(_at(boards.ctypes.data, _WORDS), (boards.shape[0], frozen[2].words))
        k: Any = carray(_at(track.ctypes.data, track.dtype), track.shape)
        return walk(frozen[0], frozen[1], frozen[2], b, w, k, root, row, last, total, every_leaf, budget)

    try:
        compiled: Callable[..., tuple[int, int]] = numba.njit(cache=True)(run)
    except RuntimeError:  # no place to keep it
        compiled = numba.njit(run)
    return compiled


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
    laps, lasts = _laps(t, _holes(rules, wide), 2 if wide else 1)
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


def _laps(t: Tables, holes: int, size: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What `sow` itself does to an empty board when no rule follows: `Lookup.laps` and `Lookup.lasts`."""
    sowing_only = t._replace(
        sizes=[False] * len(t.sizes), theirs_only=False, facing=False, relay=0, passing=0, resown=False,
        turnback=0, houses=False, blocked=-1,
    )  # fmt: skip
    words = np.zeros((len(t.onward), t.pits, REACH, holes * size // WORD), np.int64)
    lasts = np.zeros((len(t.onward), t.pits, REACH), np.uint8)
    for line, origin, hand in np.ndindex(*lasts.shape):
        if hand == 0 or t.onward[line][origin] < 0:
            continue
        counts, steps = [0] * holes, list[int]()
        counts[origin] = hand
        sow(sowing_only, counts, line // 2, origin, line % 2, 0, steps)
        counts[origin] -= hand
        # One addition a word does for all of its holes: in the sum none of them overflows or falls below 0.
        parts = np.array(counts, np.int64).reshape(-1, WORD // size) << 8 * size * np.arange(WORD // size)
        words[line, origin, hand] = parts.sum(axis=1)
        lasts[line, origin, hand] = steps[-1] >> 2
    return words, lasts
