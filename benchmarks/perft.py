"""How fast play is counted, game by game, beside OpenSpiel: `python -m benchmarks.perft [GAME ..]`.

One core, processor seconds, the best of some runs. Moves are made on a board, those of the last ply too;
leaves are the sequences of that depth, where the last ply is counted and not made. "First use" is a new
process with nothing kept, from before the import of the compiler to the first answer; "again" is the next.

OpenSpiel (the extra `bench` brings it) is driven in two ways: "tree" makes the same moves, each by `child` of
one of the `legal_actions`, and asks nothing of the last positions; "play" is the loop of its examples, in
which a game is played at random to its end. "times" is how many moves are made here while it makes one.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import count
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

from rich.console import Console
from rich.table import Table

from engine import games, perft
from engine.game import Game, State

RUNS = 3
SECONDS = 0.3
"""A run that takes as long as this is deep enough."""
PEERS = {"kalah": "mancala", "oware": "oware"}
"""OpenSpiel's names."""
FIRST_USE = """
from time import perf_counter
start = perf_counter()
from benchmarks.perft import begin, counted
counted(*begin({game!r}), 4, plainly=0)
print(perf_counter() - start)
"""


def begin(name: str) -> tuple[Game, State]:
    """A game with its defaults, where its opening is over."""
    game = games.load(name)
    state = game.start()
    while state.opening:
        state = game.play(state, game.legal(state)[0]).state
    return game, state


def counted(game: Game, state: State, depth: int, *, every_leaf: bool = False, plainly: int = 0) -> int:
    """Sequences found compiled; in plain Python with a negative `plainly`."""
    return perft.count(
        game.rules,
        state.counts + state.marks,
        state.since_capture,
        state.passes,
        depth,
        every_leaf=every_leaf,
        plainly=plainly,
    )


def best(task: Callable[[], object], runs: int = RUNS) -> float:
    """Processor seconds of the fastest run."""
    times = []
    for _ in range(runs):
        start = process_time()
        task()
        times.append(process_time() - start)
    return min(times)


def deep_enough(task: Callable[[int], object]) -> int:
    """The first depth at which a task takes long enough to be timed."""
    return next(depth for depth in count(2) if best(partial(task, depth), 1) > SECONDS)


def first_use(name: str) -> list[float]:
    """Seconds to an answer in a new process, with nothing kept and then with what that kept."""
    with TemporaryDirectory() as folder:
        return [
            float(
                subprocess.run(
                    [sys.executable, "-c", FIRST_USE.format(game=name)],
                    env={**os.environ, "NUMBA_CACHE_DIR": folder},
                    capture_output=True,
                    check=True,
                    text=True,
                ).stdout
            )
            for _ in range(2)
        ]


def tree(name: str) -> tuple[float, list[int]]:
    """OpenSpiel's moves a second where all play is walked, and the sequences it finds by depth, from 1."""
    import pyspiel

    def leaves(state: "pyspiel.State", depth: int) -> int:
        if depth == 0:
            return 1
        return sum(leaves(state.child(action), depth - 1) for action in state.legal_actions())

    start = pyspiel.load_game(PEERS[name]).new_initial_state()
    depth = deep_enough(partial(leaves, start))
    sequences = [leaves(start, plies) for plies in range(1, depth + 1)]
    return sum(sequences) / best(partial(leaves, start, depth)), sequences


def play(name: str) -> float:
    """OpenSpiel's moves a second where games are played."""
    import pyspiel

    game = pyspiel.load_game(PEERS[name])

    def played(games: int) -> int:
        chance, moves = Random(1), 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions(state.current_player())))
                moves += 1
        return moves

    few = deep_enough(lambda tens: played(10 * tens)) * 10
    return played(few) / best(partial(played, few))


def measure(name: str) -> list[str]:
    """The row of a game."""
    game, state = begin(name)
    made = partial(counted, game, state, every_leaf=True)
    made(1)  # compiles it
    depth = deep_enough(made)
    sequences = [made(plies) for plies in range(1, depth + 1)]
    moves = sum(sequences) / best(partial(made, depth))
    leaves = sequences[-1] / best(partial(counted, game, state, depth))
    few = next(plies for plies, leaves in enumerate(sequences, 1) if leaves > 2000)
    plain = sum(sequences[:few]) / best(partial(made, few, plainly=-1))
    row = [name, str(depth), f"{moves / 1e6:.1f}", f"{leaves / 1e6:.1f}", f"{plain / 1e6:.3f}", *[""] * 4]
    if name in PEERS and find_spec("pyspiel") is not None:
        walked, theirs = tree(name)
        if theirs != sequences[: len(theirs)]:
            sys.exit(f"OpenSpiel's {name} is another game: it finds {theirs} sequences")
        played = play(name)
        row[-4:] = [
            f"{walked / 1e6:.3f}",
            f"{moves / walked:.0f}",
            f"{played / 1e6:.3f}",
            f"{moves / played:.0f}",
        ]
    return row + [f"{seconds:.1f} s" for seconds in first_use(name)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("game", nargs="*", default=games.names())
    chosen = parser.parse_args().game
    table = Table(title="perft: millions a second, one core")
    ours, theirs = ["moves", "leaves", "plain moves"], ["tree", "times", "play", "times"]
    for heading in ("game", "depth", *ours, *theirs, "first use", "again"):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    for name in chosen:
        table.add_row(*measure(name))
    Console(width=120).print(table)
    if find_spec("pyspiel") is None:
        print("OpenSpiel is not there: pip install -e '.[bench]' puts it beside these figures.")


if __name__ == "__main__":
    main()
