"""Calibrations against sums worked by hand, and against a simulated board that hides what is to be found."""

from collections.abc import Sequence

import numpy as np
import pytest

from engine import games
from engine.errors import BadInput
from engine.observation import Floats
from firmware_bridge.calibration import Calibrated, Plan, ScaleCalibration
from firmware_bridge.fit import EMPTY, Fit, Step, Window
from firmware_bridge.frames import COUNT_MAX, CellFlag
from firmware_bridge.scale import Calibration
from service.simulation.cells import CellSettings, Fault
from service.simulation.simulation import Setting, Simulation

NAMES = ("A", "B", "C", "store")
FRESH = int(CellFlag.FRESH)
HANDS_OFF = "Measuring: hands off, please."


class Cups:
    """Cups whose cells are exact but for one count up and down: what is in them is put there by the test."""

    def __init__(self, calibration: ScaleCalibration, gain: Sequence[float], crosstalk: Floats) -> None:
        self.calibration = calibration
        self.gain = np.array(gain)
        self.crosstalk = crosstalk
        self.zero = np.array([1000.0, -2000.0, 0.0, 500.0])
        self.wobble = 1.0
        self.flags = [FRESH] * 4
        self.load = np.zeros(4)
        self.t = 0.0
        self.frames = 0

    def counts(self) -> Floats:
        shown = self.zero + self.gain * (self.crosstalk @ self.load)
        return np.asarray(shown + (self.wobble if self.frames % 2 else -self.wobble))

    def measure(self, load: Sequence[float]) -> None:
        """Lay grams into the cups, say so, and let them be weighed 20 times a second."""
        self.load = np.array(load, dtype=np.float64)
        self.calibration.answer("done")
        self.look()

    def look(self, windows: int = 1) -> None:
        while windows:
            self.t += 0.05
            self.frames += 1
            counts = [round(count) for count in self.counts()]
            windows -= self.calibration.read(self.t, counts, self.flags)

    def kinds(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(finding.kind, finding.cells) for finding in self.calibration.prompt.findings]


GAIN = (4000.0, -4000.0, 5000.0, 4000.0)
CROSSTALK = np.eye(4)
CROSSTALK[0, 1] = 0.01
CROSSTALK[1, 0] = 0.005


def cups(weight_g: float | None = 40.0, gain: Sequence[float] = GAIN, seeds: int = 9) -> Cups:
    return Cups(ScaleCalibration(Plan(NAMES, 3, seeds, weight_g)), gain, CROSSTALK)


def handfuls(table: Cups, grams: float = 30.0) -> None:
    for hole in range(4):
        table.measure([grams if at == hole else 0.0 for at in range(4)])


def calibrated(table: Cups) -> Calibrated:
    table.measure([0.0] * 4)
    handfuls(table)
    if table.calibration.plan.weight_g:
        table.measure([table.calibration.plan.weight_g, 0, 0, 0])
    for lie in ([2.0, 3, 4, 0], [4.0, 6, 8, 0], [5.0, 9, 13, 0]):
        table.measure(lie)
    assert table.calibration.found is not None
    return table.calibration.found


def test_all_is_found_by_hand() -> None:
    """Cells of 4000, -4000, 5000 and 4000 counts a gram. Stones of 2, 3, 4, 2, 3, 4, 1, 3 and 5 g.

    Mean 27 / 9 = 3; squares off it 1, 0, 1, 1, 0, 1, 4, 0, 4 are 12, over 8 is 1.5. One count up and down:
    consecutive ones differ by 2, so the noise is sqrt(4 / 2) counts.
    """
    found = calibrated(cups())
    calibration = found.calibration
    assert calibration.zero_counts == pytest.approx([1000, -2000, 0, 500], abs=0.6)
    assert calibration.counts_per_gram == pytest.approx(GAIN, rel=1e-5)
    assert np.array(calibration.crosstalk) == pytest.approx(CROSSTALK, abs=1e-5)
    assert calibration.seed_mass_g == pytest.approx(3.0, abs=1e-3)
    assert calibration.seed_mass_sd_g == pytest.approx(1.5**0.5, abs=1e-3)
    noise = [2**0.5 / abs(gain) for gain in GAIN]
    assert calibration.cell_noise_g == pytest.approx(noise, rel=0.02)
    assert found.rate == pytest.approx([20.0] * 4)
    assert found.weighed
    assert Calibration.from_json(found.as_json()) == calibration


def test_without_a_weight_a_mean_stone_is_a_gram() -> None:
    """As above, and all masses in units of 3 g."""
    found = calibrated(cups(weight_g=None))
    assert not found.weighed
    assert found.calibration.seed_mass_g == 1.0
    assert found.calibration.seed_mass_sd_g == pytest.approx(1.5**0.5 / 3, abs=1e-3)
    assert found.calibration.counts_per_gram == pytest.approx([3 * gain for gain in GAIN], rel=1e-4)
    assert np.array(found.calibration.crosstalk) == pytest.approx(CROSSTALK, abs=1e-5)


def test_zeros_that_drift_are_followed() -> None:
    """Eight cells of 4000 counts a gram; each drifts by 10 mg a second more than the one before."""
    crosstalk = np.eye(8) + np.diag([0.01] * 7, 1) + np.diag([0.015] * 7, -1)
    drift = 40.0 * np.arange(8)

    def window(t: float, load: Floats) -> Window:
        ones = np.ones(8)
        return Window(t, 1000.0 + drift * t + 4000.0 * (crosstalk @ load), ones, 240 * ones, 80 * ones)

    windows: dict[Step, Window] = {EMPTY: window(2.0, np.zeros(8))}
    windows |= {("handful", hole): window(6.0 + 4 * hole, 30.0 * np.eye(8)[hole]) for hole in range(8)}
    windows["weight", 0] = window(38.0, 40.0 * np.eye(8)[0])
    fit = Fit(windows, 8, 8, 40.0)
    assert fit.zero(34.0) == pytest.approx(1000.0 + 34.0 * drift)
    assert fit.crosstalk == pytest.approx(crosstalk)
    # Cell 0, which weighs the weight, does not drift.
    assert fit.counts_per_gram == pytest.approx(4000.0)


def test_it_leads_from_step_to_step() -> None:
    table = cups()
    calibration = table.calibration
    assert calibration.prompt.text == "Take everything out of all pits and stores."
    assert calibration.prompt.answers == ("done",)
    calibration.answer("done")
    measuring = calibration.prompt
    assert (measuring.text, measuring.answers) == (HANDS_OFF, ())
    with pytest.raises(BadInput, match="the answer is done: nothing, while it measures"):
        calibration.answer("done")
    table.look()
    assert calibration.prompt.text.startswith("Put a good handful of stones into A")
    assert (calibration.prompt.holes, calibration.prompt.step, calibration.prompt.steps) == ((0,), 1, 9)
    handfuls(table)
    assert calibration.prompt.text == "Take the stones out, and put the weight of 40 g into A."
    assert calibration.wanted is not None
    assert calibration.wanted.weight == (0, 40.0)
    table.measure([40.0, 0, 0, 0])
    assert (
        calibration.prompt.text == "Take everything out, then put one stone into each pit; none into a store."
    )
    assert calibration.wanted.stones == (1, 1, 1, 0)


def test_what_gives_no_reading_is_named() -> None:
    table = cups()
    table.flags = [FRESH, int(CellFlag.MISSING), FRESH | int(CellFlag.SATURATED), FRESH]
    table.measure([0.0] * 4)
    assert table.kinds() == [("dead", (1,)), ("saturated", (2,))]
    assert "see to its plug" in table.calibration.prompt.text
    assert table.calibration.prompt.holes == (1, 2)
    table.flags = [FRESH] * 4
    table.calibration.answer("again")
    table.measure([0.0] * 4)
    assert table.calibration.prompt.step == 1


def test_counts_that_never_change_and_the_end_of_the_range_need_no_flag() -> None:
    table = cups()
    table.zero[3] = COUNT_MAX + 1.0
    table.wobble = 0.0
    table.measure([0.0] * 4)
    assert table.kinds() == [("dead", (0,)), ("dead", (1,)), ("dead", (2,)), ("saturated", (3,))]


def test_a_table_that_is_leaned_on_and_a_cup_that_is_held_are_told_apart() -> None:
    table, swing = cups(), np.array([1.0, 1.0, 1.0, 0.0])
    exact = table.counts

    def swinging() -> Floats:
        return np.asarray(exact() + 300 * swing * np.sin(table.t))

    table.counts = swinging  # type: ignore[method-assign]
    table.calibration.answer("done")
    table.look(2)
    assert table.calibration.prompt.text == HANDS_OFF
    table.look()
    assert table.kinds() == [("unsettled", ())]
    swing[:2] = 0.0
    table.calibration.answer("again")
    table.calibration.answer("done")
    table.look(3)
    assert table.kinds() == [("unsettled", (2,))]
    assert table.calibration.prompt.text.startswith("C does not come to rest")


def test_stones_in_the_wrong_hole_are_moved_or_the_plugs_are_swapped() -> None:
    table = cups()
    table.measure([0.0] * 4)
    table.measure([30.0, 0, 0, 0])
    table.measure([0.0, 0, 30, 0])
    assert table.kinds() == [("misplaced", (1, 2))]
    table.calibration.answer("again")
    assert table.calibration.prompt.text == "Move the same stones, all of them, into B."
    table.measure([0.0, 0, 30, 0])
    table.calibration.answer("right")
    assert table.kinds() == [("swapped", (1, 2))]
    table.calibration.answer("again")
    assert table.calibration.prompt.text == "Take everything out of all pits and stores."


def test_a_cup_that_rests_on_the_wood_feels_nothing() -> None:
    table = cups()
    table.measure([0.0] * 4)
    table.measure([30.0, 0, 0, 0])
    table.measure([0.0, 0, 0, 0])
    assert table.kinds() == [("dead", (1,))]


@pytest.mark.parametrize(
    ("share", "kind", "says"),
    [(0.4, "weak", "shows 40% of what the others show"), (0.1, "rating", "as a cell of 5 kg does")],
)
def test_a_cell_that_shows_too_little_is_named(share: float, kind: str, says: str) -> None:
    table = cups(gain=(4000.0, 4000.0, 4000.0 * share, 4000.0))
    table.measure([0.0] * 4)
    handfuls(table)
    assert table.kinds() == [(kind, (2,))]
    assert says in table.calibration.prompt.text


def test_a_board_of_nothing_but_cells_of_5_kg_is_refused_by_weight_or_by_noise() -> None:
    """1 mV/V over 5 kg: 2.147 million counts / 5,000 g = 429 a gram."""
    table = cups(gain=(429.0,) * 4)
    table.measure([0.0] * 4)
    handfuls(table)
    table.measure([40.0, 0, 0, 0])
    assert table.kinds() == [("rating", (cell,)) for cell in range(4)]
    assert "gives 429 counts a gram, as a cell of 5 kg does" in table.calibration.prompt.text
    # 300 counts up and down are a noise of 424, 0.99 g: a third of a stone of 3 g.
    table = cups(weight_g=None, gain=(429.0,) * 4)
    table.wobble = 300.0
    table.measure([0.0] * 4)
    handfuls(table, 90.0)
    table.measure([3.0, 3, 3, 0])
    assert table.kinds() == [("rating", (cell,)) for cell in range(4)]
    assert "has a noise of 0.33 stones, as one of 5 kg has" in table.calibration.prompt.text


def test_a_board_that_bends_is_refused() -> None:
    table = cups()
    table.crosstalk = np.eye(4)
    table.crosstalk[1, 2] = 0.031
    table.measure([0.0] * 4)
    handfuls(table)
    assert table.kinds() == [("coupled", (1, 2))]
    assert "The cell of B shows 3.1% of what lies in C, more than 2%" in table.calibration.prompt.text


def test_a_round_is_one_stone_a_pit() -> None:
    table = cups()
    table.measure([0.0] * 4)
    handfuls(table)
    table.measure([40.0, 0, 0, 0])
    table.measure([3.0, 6.0, 0.0, 0])
    assert table.kinds() == [("one_stone", (1,)), ("one_stone", (2,))]
    assert "C has gained no stone: it should hold 1 now" in table.calibration.prompt.text
    table.calibration.answer("again")
    table.measure([3.0, 3.0, 3.0, 0])
    assert table.calibration.prompt.step == 7


def test_a_set_that_is_not_whole_is_counted() -> None:
    table = cups(seeds=40)
    table.measure([0.0] * 4)
    handfuls(table)
    table.measure([40.0, 0, 0, 0])
    for number in range(1, 5):
        table.measure([3.0 * number, 3.1 * number, 2.9 * number, 0])
    table.measure([30.0, 30.0, 30.0, 0])
    assert table.kinds() == [("seeds", ())]
    assert "weighs as 30 stones, 40 were expected" in table.calibration.prompt.text
    table.calibration.answer("again")
    table.measure([40.0, 40.0, 40.0, 0])
    assert table.calibration.found is not None


def test_a_board_that_has_started_anew_is_begun_anew() -> None:
    table = cups()
    table.measure([0.0] * 4)
    table.measure([30.0, 0, 0, 0])
    table.calibration.restarted("the board has started anew")
    assert table.calibration.prompt.text == "The board has started anew: begin anew."
    table.calibration.answer("again")
    assert table.calibration.prompt.step == 0


def test_a_pause_begins_the_measurement_anew() -> None:
    table = cups()
    table.load[0] = 30.0
    table.calibration.answer("done")
    for _ in range(60):
        table.t += 0.05
        table.frames += 1
        assert not table.calibration.read(table.t, [round(count) for count in table.counts()], table.flags)
    table.t += 2.0
    table.load[0] = 0.0
    table.look()
    handfuls(table)
    assert table.calibration.prompt.text.startswith("Take the stones out")


@pytest.mark.parametrize("plan", [(5, None), (48, 0.5), (48, 900.0)])
def test_what_cannot_be_is_refused(plan: tuple[int, float | None]) -> None:
    with pytest.raises(BadInput, match="expected"):
        Plan(NAMES, 3, *plan)
    with pytest.raises(BadInput, match="the board has 3 cells, and 4 holes"):
        cups().calibration.read(0.0, [1, 2, 3], [1, 1, 1])


# -- against a simulated board


def simulate(
    weight_g: float | None = None, game: str = "kalah", **setting: object
) -> tuple[Simulation, ScaleCalibration]:
    """A board as it is set up for a game, and a calibration of it that nobody has begun."""
    rules = games.load(game)
    simulation = Simulation(rules, Setting(**setting))  # type: ignore[arg-type]
    state = rules.start()
    names = tuple(rules.hole_name(hole) for hole in range(len(state.counts)))
    return simulation, ScaleCalibration(Plan(names, rules.pits, sum(state.counts), weight_g))


def guide(simulation: Simulation, calibration: ScaleCalibration) -> None:
    """Let the hand do all that is asked for, until there is nothing more, or something is found."""
    table = simulation.board.table
    while wanted := calibration.wanted:
        things = {str(wanted.weight[0]): wanted.weight[1]} if wanted.weight else {}
        simulation.request({"do": "lay", "counts": list(wanted.stones), "things": things})
        while table.busy_s:
            table.read(64)
        calibration.answer("done")
        faults = table.cells.settings.faults
        slow = [fault.cell for fault in faults if fault.kind == "slow"]
        while not calibration.prompt.answers and not calibration.found:
            block = table.read(16)
            for micros, counts in zip(block.micros, block.counts.tolist(), strict=True):
                stale = table.rate * micros // 1_000_000 % 8
                flags = [0 if stale and cell in slow else FRESH for cell in range(len(counts))]
                calibration.read(micros / 1e6, counts, flags)


@pytest.mark.parametrize(
    ("seed", "weight_g", "setting"),
    [
        (1, 50.0, {"cells": CellSettings(crosstalk=0.001, uneven=0.5)}),
        (2, 50.0, {"cells": CellSettings(crosstalk=0.01, uneven=0.5), "cv": 0.15, "noise": 0.03}),
        (3, None, {"cells": CellSettings(crosstalk=0.005, uneven=0.5), "cv": 0.05}),
        (4, 50.0, {"cells": CellSettings(crosstalk=0.005, uneven=0.5), "rate": 10}),
        (
            5,
            20.0,
            {
                "cells": CellSettings(crosstalk=0.005, uneven=0.5),
                "seed_mass_g": 1.3,
                "noise": 0.08,
                "game": "togyzkumalak",
            },
        ),
    ],
)
def test_hidden_values_are_found_within_the_bounds_of_the_documents(
    seed: int, weight_g: float | None, setting: dict[str, object]
) -> None:
    """docs/calibration.md, *How good it is*."""
    simulation, calibration = simulate(weight_g, seed=seed, **setting)  # type: ignore[arg-type]
    guide(simulation, calibration)
    assert calibration.prompt.findings == ()
    assert calibration.found is not None
    found, cells = calibration.found.calibration, simulation.board.table.cells
    mean, sd = simulation.stones.on_board()
    unit = 1.0 if weight_g else mean
    assert found.seed_mass_g * unit == pytest.approx(mean, rel=0.005)
    assert found.seed_mass_sd_g * unit == pytest.approx(sd, rel=0.3)
    assert np.array(found.counts_per_gram) / unit == pytest.approx(cells.gain, rel=0.005)
    assert np.array(found.crosstalk) == pytest.approx(cells.crosstalk, abs=0.003)
    assert np.array(found.cell_noise_g) * unit == pytest.approx(cells.noise_g, rel=0.15)
    assert calibration.found.rate == pytest.approx([simulation.setting.rate] * len(cells.gain), rel=0.02)


@pytest.mark.parametrize(
    ("fault", "weight_g", "kind", "cells"),
    [
        (Fault("rating", 3), 50.0, "rating", (3,)),
        (Fault("rating", 3), None, "rating", (3,)),
        (Fault("weak", 5), None, "weak", (5,)),
        (Fault("dead", 0), None, "dead", (0,)),
        (Fault("saturated", 13), None, "saturated", (13,)),
        (Fault("noisy", 7), None, "noisy", (7,)),
        (Fault("slow", 2), None, "slow", (2,)),
        (Fault("swapped", 1, 4), None, "misplaced", (1, 4)),
    ],
)
def test_a_faulty_cell_of_the_simulated_board_is_named(
    fault: Fault, weight_g: float | None, kind: str, cells: tuple[int, ...]
) -> None:
    simulation, calibration = simulate(weight_g, cells=CellSettings(faults=(fault,)))
    guide(simulation, calibration)
    assert [(finding.kind, finding.cells) for finding in calibration.prompt.findings] == [(kind, cells)]
    if kind == "rating":
        assert "as a cell of 5 kg does" in calibration.prompt.text


def test_crosstalk_of_the_simulated_board_that_is_too_much_is_refused() -> None:
    simulation, calibration = simulate(cells=CellSettings(crosstalk=0.06))
    guide(simulation, calibration)
    assert {finding.kind for finding in calibration.prompt.findings} == {"coupled"}
