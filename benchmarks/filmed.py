"""Whole games filmed from start to end, hands and all, and what the referee makes of the pictures alone.

    python -m benchmarks.filmed [--games 10] [--first 0] [--to FILE] [--frames 5]

Each game is simulated as for `benchmarks.referee`, by people who do not err, and filmed by
`service.simulation.film`: another wood, other stones, another light, skin and sleeve each time. The pictures
go through the vision chain and its likelihoods to the referee, which hears of nothing else. Printed as they
come, a game a line; with `--to`, kept as JSON lines, and a game that is there already is not played again. A
move is missed or invented as there. A pit is hidden when the hand covers a tenth of it or more; of such a pit
nothing may be said. At the end: milliseconds to look at a picture, and the process's memory after the first
game and the last.
"""

import argparse
import json
import resource
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np

from benchmarks.referee import AFTER_S, START_S, Tally
from engine import games
from referee.events import Event, GameOver, MoveMade, Question
from referee.referee import Referee
from service.boards import board_for, used
from service.simulation.camera import Exposure
from service.simulation.film import Film, Scenery
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation, sensed
from service.simulation.truth import Truth
from service.watch import Watch
from vision.camera import Camera

GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kalah", {"seeds": 3}),
    ("oware", {}),
    ("kalah", {}),
    ("orient-standard", {"layout": "rows"}),
)
"""By turns."""
HIDDEN = 0.1
"""Share of a pit under a hand from which on nothing may be said of it."""
LONGEST_S = 1800.0
"""Seconds of the board's time after which a game is broken off."""


def play(number: int, frames: float, most_s: float = LONGEST_S) -> dict[str, Any]:
    """One game, as it is written down."""
    name, options = GAMES[number % len(GAMES)]
    game = games.load(name, options)
    setting = Setting(seed=number, frames=frames, rate=10, habits=Habits(auto=True, start_s=START_S))
    simulation = Simulation(game, setting)
    rng = np.random.default_rng(number)
    layout, _ = used(board_for(game), game)
    film = Film(rng, layout, Scenery.drawn(rng))
    referee = Referee(game)
    events = referee.start(0.0)
    camera = Camera(layout, referee.counts, referee.state.counts)
    watch = Watch(referee, {"camera": camera})
    truths: list[Truth] = []
    looks = hidden = read = 0
    took = 0.0
    for t, reading, told in sensed(simulation, AFTER_S):
        truths += told
        if not isinstance(reading, Exposure):
            continue
        picture = film.picture(reading)
        began = process_time()
        observation = camera.observe(t, picture)
        took += process_time() - began
        looks += 1
        under = film.covered >= HIDDEN
        hidden += int(under.sum())
        read += int((under & (observation.loglik != 0).any(axis=1)).sum())
        said = watch.take(observation, "camera")
        events += said
        for question in said:
            if isinstance(question, Question):
                events += _answered(referee, question, truths, events)
        if t > most_s or isinstance(events[-1], GameOver):
            break
    tally = Tally()
    tally.judge(truths, events)
    return {
        "number": number, "game": name, "moves": tally.moves, "missed": tally.missed,
        "invented": tally.invented, "called in vain": tally.in_vain, "asked": tally.questions, "looks": looks,
        "hidden pits": hidden, "hidden pits read": read, "ms a look": round(1000 * took / max(1, looks), 1),
        "faults": tally.faults[:5],
    }  # fmt: skip


def _answered(
    referee: Referee, question: Question, truths: Sequence[Truth], events: Sequence[Event]
) -> list[Event]:
    """What players say who are asked about moves that they have made; else they go on."""
    done = [truth.move for truth in truths if truth.truth == "move" and truth.move != "-"]
    said = sum(isinstance(event, MoveMade) for event in events)
    right = " then ".join(str(name) for name in done[said:]) or "nothing is out of place"
    if right not in question.choices:
        return []
    return referee.input(question.t, "answer", question.choices.index(right))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--frames", type=float, default=5.0, help="pictures a second")
    parser.add_argument("--to", type=Path)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    rows: list[dict[str, Any]] = []
    if given.to and given.to.exists():
        rows = [json.loads(line) for line in given.to.read_text().splitlines()]
    there = {row["number"] for row in rows}
    memory = []
    for number in range(given.first, given.first + given.games):
        if number in there:
            continue
        began = perf_counter()
        rows.append(play(number, given.frames))
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        print(json.dumps({**rows[-1], "s": round(perf_counter() - began)}), flush=True)
        if given.to:
            with given.to.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    summed = (
        "moves",
        "missed",
        "invented",
        "called in vain",
        "asked",
        "looks",
        "hidden pits",
        "hidden pits read",
    )
    flawless = sum(not (row["missed"] or row["invented"] or row["called in vain"]) for row in rows)
    print(
        "\n| games | flawless | " + " | ".join(summed) + " | ms a look | MB after the first game, the last |"
    )
    print("|" + " --- |" * (len(summed) + 4))
    sums = [str(sum(row[key] for row in rows)) for key in summed]
    ms = float(np.median([row["ms a look"] for row in rows]))
    kept = f"{memory[0]}, {memory[-1]}" if memory else ""
    print(f"| {len(rows)} | {flawless} | " + " | ".join(sums) + f" | {ms:.0f} | {kept} |")


if __name__ == "__main__":
    main()
