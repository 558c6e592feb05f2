"""What one reading of the cells costs, from grams to events, on one core: every game, some moves going wrong.

Beside it stands what the same games cost when the explanations of a board are all made at once, when they are
first wanted, instead of bit by bit (`referee.outlook`): that is what holds a reading up.

    python -m benchmarks.readings [--seconds 120] [--rate 80]
"""

import argparse
import gc
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

import numpy as np

from engine import games
from firmware_bridge.scale import Calibration, Scale
from referee import outlook
from referee.events import MoveMade
from referee.referee import Referee
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation, readings
from service.watch import Watch

GAMES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    *((name, {}) for name in games.names()),
    ("orient-standard", {"players": 4}),
    ("orient-slingshot", {"players": 4}),
    ("congklak", {"pits": 10}),
    ("simple-mancala", {"direction": "each_move"}),
)
BAR_MS = {False: 2.0, True: 6.0}
"""Milliseconds a reading may cost, by whether the board has more than 20 holes."""


@dataclass(slots=True)
class Cost:
    """Milliseconds of each reading, and moves settled."""

    ms: list[float] = field(default_factory=list)
    moves: int = 0


def play(
    name: str, options: Mapping[str, Any], seconds: float, rate: int, each_s: float = outlook.EACH_S
) -> Cost:
    """The first `seconds` of a game."""
    game = games.load(name, options)
    simulation = Simulation(game, Setting(rate=rate, habits=Habits(auto=True, mistake_rate=0.1)))
    referee = Referee(game, each_s=each_s)
    calibration = Calibration.from_json(simulation.calibration())
    scale = Scale(calibration, game.pits + game.players, sum(referee.state.counts), referee.counts)
    watch = Watch(referee, {"scale": scale})
    referee.start(0.0)
    # As `pitwatch run` does.
    gc.collect()
    gc.freeze()
    cost = Cost()
    for t, grams, _ in readings(simulation, 12.0):
        start = thread_time()
        events = watch.read(t, grams, "scale")
        cost.ms.append(1e3 * (thread_time() - start))
        cost.moves += sum(isinstance(event, MoveMade) for event in events)
        if t >= seconds:
            break
    return cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="of each game, on the board's clock")
    parser.add_argument("--rate", type=int, default=80, choices=(10, 80), help="readings a second")
    wanted = parser.parse_args()
    columns = ("game", "holes", "readings", "moves", "mean ms", "bar ms", "99th percentile", "most",
               "all at once: most", "times")  # fmt: skip
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for name, options in GAMES:
        game = games.load(name, options)
        holes = game.pits + game.players
        ours = play(name, options, wanted.seconds, wanted.rate)
        at_once = play(name, options, wanted.seconds, wanted.rate, float("inf"))
        title = ", ".join([name, *(f"{key} {value}" for key, value in options.items())])
        cells = (
            title, holes, f"{len(ours.ms):,}", ours.moves, f"{np.mean(ours.ms):.2f}", BAR_MS[holes > 20],
            f"{np.percentile(ours.ms, 99):.2f}", f"{max(ours.ms):.0f}", f"{max(at_once.ms):.0f}",
            f"{max(at_once.ms) / max(ours.ms):.1f}",
        )  # fmt: skip
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
