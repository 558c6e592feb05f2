"""What the referee makes of simulated games, over the pty: moves and fouls side by side.

Each game is a process of its own, which the service's own source reads through pyserial, as fast as both can.
Its stones differ by 10 %, one reading is off by 0.05 stone, half of the games give 10 readings a second and
half 80. The measure is what the simulation says happened.

    python -m benchmarks.referee [--game NAME[:PLAYERS] ..] [--games 20] [--fouls 10]
"""

import argparse
import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from time import perf_counter
from typing import Any

import numpy as np

from engine import games
from engine.games import describe
from firmware_bridge.scale import Calibration, Scale
from referee.events import Event, GameOver, MoveMade, Question, Violation
from referee.referee import Referee
from service.sources import PortSource, Read
from service.watch import Watch

AFTER_S = 12.0
"""Seconds of the board's time to watch on, when the hand has played to the end and nothing is said."""
RATES = (80, 10)


@dataclass(slots=True)
class Tally:
    """What was done and what was said, over some games."""

    games: int = 0
    moves: int = 0
    missed: int = 0
    invented: int = 0
    fouls: int = 0
    found: int = 0
    named: int = 0
    questions: int = 0
    readings: int = 0
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    misnamed: Counter[str] = field(default_factory=Counter)
    stray: list[str] = field(default_factory=list)
    """The violations called where there was none."""

    def add(self, which: str, truths: Sequence[dict[str, Any]], events: Sequence[Event]) -> None:
        """Hold the events of one game against its truths."""
        self.games += 1
        # A pass is forced, and nothing of it is to be seen.
        done = [truth for truth in truths if truth["truth"] == "move" and truth["move"] != "-"]
        said = [event for event in events if isinstance(event, MoveMade)]
        self.moves += len(done)
        same = SequenceMatcher(
            a=[truth["move"] for truth in done], b=[event.move for event in said], autojunk=False
        )
        for tag, a, a_end, b, b_end in same.get_opcodes():
            if tag == "equal":
                self.waits += [said[b + k].t - done[a + k]["t"] for k in range(a_end - a)]
            else:
                self.missed += a_end - a
                self.invented += b_end - b
        self.questions += sum(isinstance(event, Question) for event in events)
        spans = _spans(truths)
        self.fouls += len(spans)
        calls = [event for event in events if isinstance(event, Violation)]
        for start, end, foul in spans:
            mine = [call for call in calls if start <= call.t <= end]
            calls = [call for call in calls if call not in mine]
            self.found += bool(mine)
            right = bool(mine) and (mine[0].kind, mine[0].pits) == (foul["kind"], tuple(foul["pits"]))
            self.named += right
            if not right:
                self.misnamed[f"{foul['kind']} as {mine[0].kind if mine else 'nothing'}"] += 1
        self.stray += [f"{call.kind} in {which} at {call.t:.1f} s" for call in calls]


def _spans(truths: Sequence[dict[str, Any]]) -> list[tuple[float, float, dict[str, Any]]]:
    """From when to when each foul lay on the board. It begins a little before it is complete."""
    spans = []
    for at, truth in enumerate(truths):
        if truth["truth"] == "mistake":
            mended = next((later["t"] for later in truths[at:] if later["truth"] == "mended"), float("inf"))
            spans.append((truth["t"] - 3.0, mended + 0.5, truth))
    return spans


@dataclass(frozen=True, slots=True)
class Variant:
    """A game for so many players."""

    name: str
    players: int = 0
    """0 where the game leaves no choice."""

    @property
    def options(self) -> dict[str, int]:
        return {"players": self.players} if self.players else {}

    def __str__(self) -> str:
        return f"{self.name}, {self.players} players" if self.players else self.name


def variants(name: str) -> list[Variant]:
    """A game for every number of players it has; or `NAME:PLAYERS` for one."""
    name, _, players = name.partition(":")
    if players:
        return [Variant(name, int(players))]
    for option in describe(name).options:
        if option.name == "players":
            return [Variant(name, int(value)) for value in option.values]
    return [Variant(name)]


async def play(
    variant: Variant, seed: int, rate: int, mistakes: float
) -> tuple[list[dict[str, Any]], list[Event], int]:
    """One game over the pty: what happened, what the referee said, and how many readings it took."""
    options = [word for key, value in variant.options.items() for word in ("--option", f"{key}={value}")]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "service.simulation", "--game", variant.name, *options, "--seed", str(seed),
        "--speed", "0", "--rate", str(rate), "--mistake-rate", str(mistakes), stdin=PIPE, stdout=PIPE,
    )  # fmt: skip
    assert process.stdout
    ready = json.loads(await process.stdout.readline())
    truths: list[dict[str, Any]] = []

    async def listen() -> None:
        assert process.stdout
        async for line in process.stdout:
            truths.append(json.loads(line))

    listening = asyncio.create_task(listen())
    game = games.load(variant.name, variant.options)
    referee = Referee(game)
    calibration = Calibration.from_json(ready["calibration"])
    watch = Watch(
        referee, Scale(calibration, game.pits + game.players, sum(referee.state.counts), referee.counts)
    )
    events = referee.start(0.0)
    readings = 0
    source = PortSource(ready["port"], calibration)
    async with aclosing(source.readings()) as items:
        async for item in items:
            if not isinstance(item, Read):
                raise RuntimeError(f"{variant}, seed {seed}: the port was lost: {item}")
            readings += 1
            events += watch.read(item.t, item.value)
            over = truths and truths[-1]["truth"] == "over"
            if isinstance(events[-1], GameOver) or (over and item.t > truths[-1]["t"] + AFTER_S):
                break
    process.terminate()
    await process.wait()
    await listening
    return truths, events, readings


async def measure(variant: Variant, number: int, mistakes: float) -> Tally:
    """So many games, two at a time, at both rates."""
    tally = Tally()
    todo = iter(range(number))

    async def work() -> None:
        for seed in todo:
            truths, events, readings = await play(variant, seed, RATES[seed % 2], mistakes)
            tally.add(f"{variant}, seed {seed}", truths, events)
            tally.readings += readings
            print(f"\r{variant}: {tally.games} of {number} games", end="", file=sys.stderr, flush=True)

    start = perf_counter()
    await asyncio.gather(work(), work())
    tally.seconds = perf_counter() - start
    print(file=sys.stderr)
    return tally


COLUMNS = (
    "game", "games", "moves", "missed", "invented", "fouls", "found", "named exactly", "in vain", "asked",
    "median s", "99th percentile s", "readings/s",
)  # fmt: skip


def row(variant: Variant, tally: Tally) -> str:
    """The figures as a row of Markdown."""
    waits = np.array(tally.waits or [0.0])
    cells = (
        variant, tally.games, f"{tally.moves:,}", tally.missed, tally.invented, tally.fouls, tally.found,
        tally.named, len(tally.stray), tally.questions, f"{np.median(waits):.2f}",
        f"{np.percentile(waits, 99):.2f}", f"{tally.readings / tally.seconds:,.0f}",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--game", nargs="+", default=games.names(), help="all are played if it is left out")
    parser.add_argument("--games", type=int, default=20, help="of each, without fouls")
    parser.add_argument("--fouls", type=int, default=10, help="of each, a tenth of the moves going wrong")
    wanted = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}")
    notes = []
    for number, rate in ((wanted.games, 0.0), (wanted.fouls, 0.1)):
        for variant in [one for name in wanted.game for one in variants(name)] if number else ():
            tally = asyncio.run(measure(variant, number, rate))
            print(row(variant, tally), flush=True)
            notes += tally.stray
            notes += [f"{variant}: {n} {kind}" for kind, n in tally.misnamed.items()]
    print("\n".join(notes))


if __name__ == "__main__":
    main()
