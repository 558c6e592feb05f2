"""What the referee makes of simulated games: moves and fouls side by side.

The games are dealt by a fixed plan (`deal`): all games for every number of players, half of them played by
hands that do not err and half by hands that do, with stones, cells and people of every kind that the plan
names. Each is simulated once and watched by three referees: one has the scale, one the camera, one has both.
The camera errs as it was measured to (confusion.csv, from `benchmarks.camera --confusion`). The measure is
what the simulation says happened. Whoever is asked about a move answers what is true.

    python -m benchmarks.referee [--games 72] [--jobs 2] [--to FILE] [--only NUMBER ..] [--game NAME ..]
        [--sensors scale camera both]

The plan goes on for as long as is asked: 72 games take some hours of two cores, 1,000 some days. With `--to`
every game is written down when it is over, and one that is there already is not played again.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from engine import games
from engine.games import describe
from engine.observation import Floats, Sensor
from firmware_bridge.frames import RATES
from firmware_bridge.scale import Calibration, Scale
from referee.events import Event, GameOver, MoveMade, Question, Violation
from referee.referee import Referee
from service.simulation.camera import Confusion, Exposure, SimulatedCamera
from service.simulation.cells import CellSettings
from service.simulation.hand import TEMPI
from service.simulation.manners import LIVELY, Manners
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation, sensed
from service.simulation.truth import Truth
from service.watch import Watch

CONFUSION = Path(__file__).with_name("confusion.csv")
AFTER_S = 12.0
"""Seconds of the board's time to watch on, when the hand has played to the end and nothing is said."""
FOUL_RATE = 0.15
"""How often a move of a hand that errs goes wrong."""
START_S = 5.0
"""Seconds before the first turn, in which a slow camera sees that the board is set up."""
EARLY_S = 3.0
"""Seconds before a foul is complete at which it may be called: its first half may be one already."""
CVS = (0.05, 0.10, 0.15, 0.20)
NOISES = (0.03, 0.05, 0.1)
FRAMES = (2, 5, 10)
"""Of the camera, a second."""
SENSORS = {"scale": ("scale",), "camera": ("camera",), "both": ("scale", "camera")}
CROSSTALKS = (0.001, 0.01, 0.02)
PEOPLE = ("steady", "steady lively", "slow lively", "quick lively")
"""By tempo, and whether their manners are lively."""


@dataclass(frozen=True, slots=True)
class Deal:
    """One game of the plan."""

    number: int
    name: str
    players: int
    """0 where the game leaves no choice."""
    fouled: bool
    rate: int
    """Readings a second."""
    cv: float
    """Of the stones' masses."""
    noise: float
    """Of a reading, in stones."""
    crosstalk: float
    people: str
    """One of `PEOPLE`."""
    frames: int
    """Exposures a second."""

    @property
    def game(self) -> str:
        return f"{self.name}, {self.players} players" if self.players else self.name

    @property
    def options(self) -> dict[str, int]:
        return {"players": self.players} if self.players else {}

    @property
    def setting(self) -> Setting:
        tempo, *lively = self.people.split()
        return Setting(
            seed=self.number,
            tempo=TEMPI[tempo],
            rate=self.rate,
            cv=self.cv,
            noise=self.noise,
            frames=self.frames,
            cells=CellSettings(crosstalk=self.crosstalk),
            habits=Habits(
                auto=True,
                start_s=START_S,
                mistake_rate=FOUL_RATE if self.fouled else 0.0,
                manners=LIVELY if lively else Manners(),
            ),
        )


@cache
def variants() -> tuple[tuple[str, int], ...]:
    """Every game for every number of players it has."""
    found = []
    for name in games.names():
        players = [option.values for option in describe(name).options if option.name == "players"]
        found += [(name, int(value)) for value in players[0]] if players else [(name, 0)]
    return tuple(found)


def deal(number: int) -> Deal:
    """Game `number` of the plan, from 0: round by round all variants, clean and fouled, at each rate."""
    round_, at = divmod(number, len(variants()))
    name, players = variants()[at]
    rng = np.random.default_rng(number)
    cv, noise, crosstalk = (float(rng.choice(values)) for values in (CVS, NOISES, CROSSTALKS))
    people, frames = str(rng.choice(PEOPLE)), int(rng.choice(FRAMES))
    return Deal(
        number,
        name,
        players,
        bool((round_ + at) % 2),
        RATES[(round_ // 2 + at) % 2],
        cv,
        noise,
        crosstalk,
        people,
        frames,
    )


@dataclass(slots=True)
class Tally:
    """What was done and what was said, over some games."""

    games: int = 0
    flawless: int = 0
    """Games without a fault of the referee."""
    moves: int = 0
    missed: int = 0
    invented: int = 0
    in_vain: int = 0
    """Violations called where there was none."""
    fouls: int = 0
    found: int = 0
    named: int = 0
    """Fouls that were called by their kind and their pits, or by the other name of the same thing."""
    questions: int = 0
    waits: list[float] = field(default_factory=list)
    """Seconds from the last seed of a move to its verdict."""
    calls: list[float] = field(default_factory=list)
    """Seconds from when a foul is complete to when it is called."""
    made: Counter[str] = field(default_factory=Counter)
    """Fouls by kind."""
    right: Counter[str] = field(default_factory=Counter)
    """Of these, the ones named exactly."""
    faults: list[str] = field(default_factory=list)
    """Each fault in a few words."""

    def add(self, other: "Tally") -> None:
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            setattr(self, name, mine + theirs)

    def as_json(self) -> dict[str, Any]:
        """As plain JSON values; `Tally.from_json` reads it."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """What `as_json` wrote."""
        return cls(**{**plain, "made": Counter(plain["made"]), "right": Counter(plain["right"])})

    def judge(self, truths: Sequence[Truth], events: Sequence[Event]) -> None:
        """Hold the events of one game against its truths."""
        self.games += 1
        self.questions += sum(isinstance(event, Question) for event in events)
        self._moves(truths, [event for event in events if isinstance(event, MoveMade)])
        self._fouls(truths, [event for event in events if isinstance(event, Violation)])
        self.flawless += not self.faults

    def _moves(self, truths: Sequence[Truth], said: Sequence[MoveMade]) -> None:
        # A pass is forced, and nothing of it is to be seen.
        done = [truth for truth in truths if truth.truth == "move" and truth.move != "-"]
        self.moves += len(done)
        same = SequenceMatcher(
            a=[truth.move for truth in done], b=[event.move for event in said], autojunk=False
        )
        for tag, a, a_end, b, b_end in same.get_opcodes():
            if tag == "equal":
                self.waits += [
                    round(event.t - truth.t, 3)
                    for truth, event in zip(done[a:a_end], said[b:b_end], strict=True)
                ]
                continue
            self.missed += a_end - a
            self.invented += b_end - b
            missed = " ".join(f"{truth.move} at {truth.t:.1f} s" for truth in done[a:a_end][:3])
            invented = " ".join(f"{event.move} at {event.t:.1f} s" for event in said[b:b_end][:3])
            self.faults.append(
                f"{a_end - a} missed ({missed}), {b_end - b} invented ({invented}), from ply {a + 1}"
            )

    def _fouls(self, truths: Sequence[Truth], calls: Sequence[Violation]) -> None:
        left = list(calls)
        for start, end, foul in _spans(truths):
            assert foul.kind is not None
            mine = [call for call in left if start <= call.t <= end]
            left = [call for call in left if call not in mine]
            self.fouls += 1
            self.made[foul.kind] += 1
            self.found += bool(mine)
            if mine:
                self.calls.append(round(mine[0].t - foul.t, 3))
            same = mine and (mine[0].kind, mine[0].pits) == (foul.kind, foul.pits)
            if same or (mine and _no_eye_can_tell(foul, mine[0])):
                self.named += 1
                self.right[foul.kind] += 1
            else:
                said = f"called {mine[0].kind} {mine[0].pits} {mine[0].move}" if mine else "not called"
                self.faults.append(f"foul {foul.kind} {foul.pits} {foul.move} at {foul.t:.1f} s {said}")
        self.in_vain += len(left)
        self.faults += [f"called in vain: {call.kind} {call.pits} at {call.t:.1f} s" for call in left]


def _no_eye_can_tell(foul: Truth, call: Violation) -> bool:
    """Whether the two are names of one thing: a pit's only seed has come to lie in a store.

    Its owner may have sown it astray (`wrong_store`), or who moved before has taken it for captured
    (`capture_wrong`): one seed, one pit, one store. Where no time went by between the two turns, nothing that
    a sensor of the board sees tells whose hand it was.
    """
    if {foul.kind, call.kind} != {"wrong_store", "capture_wrong"}:
        return False
    store, *_ = call.pits if call.kind == "wrong_store" else foul.pits or ()
    off = {item.pit: item.seeds - item.want for item in call.mend}
    return off.get(store) == 1 and sorted(off.values()) == [-1, 1]


def _spans(truths: Sequence[Truth]) -> Iterator[tuple[float, float, Truth]]:
    """From when to when each foul may be called."""
    for at, truth in enumerate(truths):
        if truth.truth == "mistake":
            mended = next((later.t for later in truths[at:] if later.truth == "mended"), float("inf"))
            yield truth.t - EARLY_S, mended + 0.5, truth


class Court:
    """A referee with some of the sensors, and what it has said."""

    def __init__(
        self, dealt: Deal, simulation: Simulation, sensors: Sequence[str], confusion: Confusion
    ) -> None:
        game = simulation.game
        self.referee = Referee(game)
        self.events = self.referee.start(0.0)
        start, counts = self.referee.state.counts, self.referee.counts
        calibration = Calibration.from_json(simulation.calibration())
        has: dict[str, Sensor[Any]] = {
            "scale": Scale(calibration, len(start), sum(start), counts),
            "camera": SimulatedCamera(np.random.default_rng(dealt.number), confusion, counts, start),
        }
        self.watch = Watch(self.referee, {name: has[name] for name in sensors})

    def see(self, t: float, reading: Floats | Exposure, truths: Sequence[Truth]) -> None:
        """Take in a reading, if it is of one of its sensors."""
        sensor = "camera" if isinstance(reading, Exposure) else "scale"
        if sensor not in self.watch.sensors or isinstance(self.events[-1], GameOver):
            return
        said = self.watch.read(t, reading, sensor)
        self.events += said
        for question in said:
            if isinstance(question, Question):
                self._answer(question, truths)

    def _answer(self, question: Question, truths: Sequence[Truth]) -> None:
        """What players say who are asked about moves that they have made; else they go on."""
        done = [truth.move for truth in truths if truth.truth == "move" and truth.move != "-"]
        said = sum(isinstance(event, MoveMade) for event in self.events)
        right = " then ".join(str(name) for name in done[said:]) or "nothing is out of place"
        erred = [truth.truth for truth in truths if truth.truth in ("mistake", "mended")]
        if right in question.choices and erred[-1:] != ["mistake"]:
            self.events += self.referee.input(question.t, "answer", question.choices.index(right))


def play(dealt: Deal, sensors: Sequence[str]) -> dict[str, Tally]:
    """One game, and what was made of it, by which of `SENSORS`."""
    simulation = Simulation(games.load(dealt.name, dealt.options), dealt.setting)
    with CONFUSION.open() as lines:
        confusion = Confusion.read(lines)
    courts = {name: Court(dealt, simulation, SENSORS[name], confusion) for name in sensors}
    truths: list[Truth] = []
    for t, reading, told in sensed(simulation, AFTER_S):
        truths += told
        for court in courts.values():
            court.see(t, reading, truths)
    tallies = {name: Tally() for name in courts}
    for name, tally in tallies.items():
        tally.judge(truths, courts[name].events)
    return tallies


# -- the tables

COLUMNS = (
    "games", "flawless", "moves", "missed", "invented", "called in vain", "fouls", "found", "named exactly",
    "asked", "s to a verdict: median", "99th percentile", "s to a call: median", "99th percentile",
)  # fmt: skip


def row(tally: Tally) -> Iterator[str]:
    """The figures, in the order of `COLUMNS`."""
    yield from map(
        str,
        (
            tally.games,
            tally.flawless,
            f"{tally.moves:,}",
            tally.missed,
            tally.invented,
            tally.in_vain,
            tally.fouls,
        ),
    )
    for number in (tally.found, tally.named):
        yield f"{number} ({number / tally.fouls:.1%})" if tally.fouls else ""
    yield str(tally.questions)
    for times in (tally.waits, tally.calls):
        for percentile in (50, 99):
            yield f"{np.percentile(times, percentile):.2f}" if times else ""


Results = Sequence[tuple[Deal, str, Tally]]


def table(results: Results, head: str, of: Callable[[Deal], object]) -> None:
    """The results, put together by sensor and by what `of` says of a game."""
    tallies: dict[tuple[str, str], Tally] = {}
    for dealt, sensor, tally in results:
        tallies.setdefault((sensor, str(of(dealt))), Tally()).add(tally)
    print(f"| sensor | {head} | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 2)}")
    for (sensor, key), tally in sorted(tallies.items()):
        print(f"| {sensor} | {key} | {' | '.join(row(tally))} |")
    print()


def report(results: Results) -> None:
    table(results, "hands", lambda dealt: "erring" if dealt.fouled else "clean")
    table(results, "readings a second, hands", lambda d: f"{d.rate}, {'erring' if d.fouled else 'clean'}")
    table(results, "frames a second", lambda dealt: dealt.frames)
    table(results, "stones differ by", lambda dealt: f"{dealt.cv:.0%}")
    table(results, "noise in stones", lambda dealt: dealt.noise)
    table(results, "crosstalk", lambda dealt: f"{dealt.crosstalk:.1%}")
    table(results, "people", lambda dealt: dealt.people)
    table(results, "game", lambda dealt: dealt.game)
    for sensor in dict.fromkeys(sensor for _, sensor, _ in results):
        whole = Tally()
        for _, seen_by, tally in results:
            if seen_by == sensor:
                whole.add(tally)
        print(f"| {sensor}: foul | made | named exactly |\n| --- | --- | --- |")
        for kind, made in sorted(whole.made.items()):
            print(f"| `{kind}` | {made} | {whole.right[kind]} |")
        print()


# -- the runs


def _written(path: Path | None) -> Iterator[tuple[Deal, str, Tally]]:
    """The games that are in the file."""
    if path is None or not path.exists():
        return
    for line in path.read_text().splitlines():
        plain = json.loads(line)
        yield Deal(**plain["deal"]), plain["sensor"], Tally.from_json(plain["tally"])


def run(
    deals: Iterable[Deal], sensors: Sequence[str], jobs: int, to: Path | None
) -> list[tuple[Deal, str, Tally]]:
    """Play the games that are not written down yet; the results of all, by number."""
    todo = list(deals)
    results = [one for one in _written(to) if one[0] in todo]
    known = {(dealt, sensor) for dealt, sensor, _ in results}
    left = {dealt: [sensor for sensor in sensors if (dealt, sensor) not in known] for dealt in todo}
    with ProcessPoolExecutor(jobs) as pool:
        running = {pool.submit(play, dealt, by): dealt for dealt, by in left.items() if by}
        for at, future in enumerate(as_completed(running), start=1):
            dealt = running[future]
            for sensor, tally in future.result().items():
                results.append((dealt, sensor, tally))
                # What follows the first faults of a game is mostly their doing.
                for fault in tally.faults[:3]:
                    print(f"{sensor}: {fault}: {dealt}", file=sys.stderr, flush=True)
                if to is not None:
                    with to.open("a") as file:
                        plain: dict[str, Any] = {
                            "deal": asdict(dealt),
                            "sensor": sensor,
                            "tally": tally.as_json(),
                        }
                        file.write(json.dumps(plain) + "\n")
            print(f"{at} of {len(running)} games", file=sys.stderr, flush=True)
    return sorted(results, key=lambda result: result[0].number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=72, help="how many of the plan")
    parser.add_argument("--only", type=int, nargs="+", help="these numbers of the plan alone")
    parser.add_argument("--game", nargs="+", default=games.names(), help="of the plan, these games alone")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--to", type=Path, help="a file that keeps the results of each game")
    parser.add_argument("--sensors", nargs="+", choices=SENSORS, default=list(SENSORS))
    wanted = parser.parse_args()
    numbers = wanted.only or range(wanted.games)
    deals = [one for one in map(deal, numbers) if one.name in wanted.game]
    report(run(deals, wanted.sensors, wanted.jobs, wanted.to))


if __name__ == "__main__":
    main()
