"""All of a simulated board put together, from one seed; and its readings without any wire."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine import line, position
from engine.errors import BadInput
from engine.game import Game
from engine.match import Round, first
from engine.observation import Floats
from firmware_bridge.frames import RATES
from service.simulation import mistakes
from service.simulation.board import SimulatedBoard
from service.simulation.camera import Exposure
from service.simulation.cells import Cells, CellSettings
from service.simulation.hand import Hand, Tempo
from service.simulation.player import Habits, Player, read_script
from service.simulation.stones import Stones
from service.simulation.table import Table
from service.simulation.truth import Truth


@dataclass(frozen=True, slots=True)
class Setting:
    """What is simulated.

    Raises:
        BadInput: a value cannot be.
    """

    seed: int = 0
    """Of every random number: the same seed, the same game, to the last count."""
    rate: int = 80
    """Readings a second, 10 or 80."""
    seed_mass_g: float = 3.0
    cv: float = 0.10
    """Standard deviation of the stones' masses over their mean."""
    noise: float = 0.05
    """Standard deviation of one reading, in stones."""
    cells: CellSettings = field(default_factory=CellSettings)
    """All else about the cells."""
    frames: float = 0.0
    """Exposures a second of a camera above the board; 0 for none."""
    tempo: Tempo = field(default_factory=Tempo)
    habits: Habits = field(default_factory=Habits)
    start: str = ""
    """A position (docs/record.md) that the game starts from, where it is not the usual one."""
    round: int = 1
    """Of a match, which one starts from there."""
    played: str = ""
    """Moves and rulings, as `engine.line.words_of` reads them, that have been made from there."""
    script: str = ""
    """Moves and mistakes, as `player.read_script` reads them; played before anything else."""

    def __post_init__(self) -> None:
        if self.rate not in RATES:
            raise BadInput(
                f"rate is {self.rate}: {' or '.join(map(str, RATES))} readings a second was expected"
            )
        if self.seed < 0:
            raise BadInput(f"seed is {self.seed}: a whole number from 0 up was expected")
        for name, value, most in (
            ("cv", self.cv, 0.35),
            ("noise", self.noise, 10.0),
            ("mistake rate", self.habits.mistake_rate, 1.0),
            ("frames", self.frames, 100.0),
            ("crosstalk", self.cells.crosstalk, 0.1),
        ):
            if not 0.0 <= value <= most:
                raise BadInput(f"{name} is {value}: 0 to {most:g} was expected")
        for kind in self.habits.kinds:
            if kind not in mistakes.KINDS:
                raise BadInput(
                    f"mistake {kind!r} is not known: one of {', '.join(mistakes.KINDS)} was expected"
                )


class Simulation:
    """A game on a simulated board.

    Raises:
        BadInput: the moves or the script cannot be played.
    """

    def __init__(self, game: Game, setting: Setting) -> None:
        self.setting = setting
        self._rngs = np.random.default_rng(setting.seed)
        start = position.read(game, setting.start) if setting.start else game.start()
        round_ = Round(setting.round, game, start, (0,) * game.players)
        self.stones, self.player, table = self._set_out(round_, setting.played, setting.script)
        self.board = SimulatedBoard(table)

    def _set_out(self, round_: Round, before: str, script: str) -> tuple[Stones, Player, Table]:
        s, game, start = self.setting, round_.game, round_.start
        for_stones, for_cells, for_hand, for_player, for_script = self._rngs.spawn(5)
        played = line.read(game, line.words_of(before))
        state = [start, *line.follow(game, start, played)][-1]
        stones = Stones(for_stones, state.counts, s.seed_mass_g, s.cv)
        todo = read_script(game, state, script, for_script)
        player = Player(round_, Hand(for_hand, s.tempo), stones, for_player, s.habits, played, todo)
        cells = Cells(for_cells, game.pits, game.players, s.cells, noise_g=s.noise * s.seed_mass_g)
        return stones, player, Table(stones, cells, s.rate, player.next_plan, s.frames)

    @property
    def game(self) -> Game:
        return self.player.game

    def request(self, message: Mapping[str, Any]) -> None:
        """Have the hand do something, when it has done what it was told before: `board.table.busy_s`.

        Raises:
            BadInput: the request is not known, or cannot be done now.
        """
        plan = self.player.request(message)
        if plan:
            self.board.table.do(plan)

    def new_game(self, game: Game) -> None:
        """Set out another game; on another board, with other stones, if this one has not the holes for it."""
        if (game.pits, game.players) == (self.game.pits, self.game.players):
            self.board.table.do(self.player.set_out(game))
            return
        waiting = self.player.waiting
        self.stones, self.player, table = self._set_out(first(game), "", "")
        self.player.waiting = waiting
        self.board.exchange(table, self._rngs.bytes(8))

    def calibration(self) -> dict[str, Any]:
        """What a perfect calibration would find, as `firmware_bridge.scale.Calibration` reads it.

        The mean is that of the stones on the board at present.
        """
        mean, sd = self.stones.on_board()
        cells = self.board.table.cells
        return {
            "seed_mass": {"mean": mean, "sd": sd},
            "cell_noise": [cells.noise_g] * self.board.table.holes,
            "zero_counts": cells.zero.tolist(),
            "counts_per_gram": cells.gain.tolist(),
            "crosstalk": cells.crosstalk.tolist(),
        }


def readings(
    simulation: Simulation, rest_s: float = 2.0, block: int = 64
) -> Iterator[tuple[float, Floats, tuple[Truth, ...]]]:
    """What cells of known zero and gain show, until the players rest for `rest_s` seconds.

    Yields:
        Seconds since the board was switched on; grams `(holes,)`; and what has happened since the reading
        before.
    """
    before: tuple[Truth, ...] = ()
    for t, reading, told in sensed(simulation, rest_s, block):
        if isinstance(reading, Exposure):
            before += told
        else:
            yield t, reading, (*before, *told)
            before = ()


def sensed(
    simulation: Simulation, rest_s: float = 2.0, block: int = 64
) -> Iterator[tuple[float, Floats | Exposure, tuple[Truth, ...]]]:
    """As `readings`, with the exposures of the camera among them."""
    player, table = simulation.player, simulation.board.table
    player.waiting = False
    while True:
        read = table.read(block)
        grams = table.cells.grams(read.counts)
        found: list[tuple[float, Floats | Exposure]] = [(exposure.t, exposure) for exposure in read.exposures]
        found += [(micros / 1e6, row) for micros, row in zip(read.micros, grams, strict=True)]
        truths = list(read.truths)
        for t, reading in sorted(found, key=lambda one: one[0]):
            told = tuple([truth for truth in truths if truth.t <= t])
            truths = truths[len(told) :]
            yield t, reading, told
            if table.resting(t) >= rest_s:
                return
