"""The statistics of weighing against sums worked by hand, and against stones drawn at random."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.observation import Floats, Observation
from firmware_bridge import health
from firmware_bridge.frames import CellFlag
from firmware_bridge.scale import CALM_TIME, HOLD, LEAN_TIME, Calibration, Scale
from service.simulation.cells import Cells, CellSettings
from service.simulation.hand import Action, Carry, Plan, Press
from service.simulation.stones import HAND, Stones
from service.simulation.table import Table as SimulatedTable

SEEDS = 48
CALIBRATION = Calibration(seed_mass_g=3.0, seed_mass_sd_g=0.3, cell_noise_g=(0.15,))


class Table:
    """A scale, and stones of known mass in its cups: weighs them `rate` times a second."""

    def __init__(self, counts: Sequence[int], *, seed: int = 1, rate: float = 80.0, sd: float = 0.1) -> None:
        self.rng = np.random.default_rng(seed)
        masses = np.maximum(self.rng.normal(1.0, sd, sum(counts)), 0.4)
        masses *= 3.0 / masses.mean()
        cuts = np.cumsum(counts)[:-1]
        self.cups = [list(cup) for cup in np.split(masses, cuts)]
        self.zero = np.zeros(len(counts))
        self.rate = rate
        self.t = 0.0
        self.scale = Scale(
            Calibration(3.0, 3.0 * sd, CALIBRATION.cell_noise_g), len(counts), sum(counts), sum(counts) + 4
        )

    @property
    def counts(self) -> list[int]:
        return [len(cup) for cup in self.cups]

    def look(self, force: Floats | float = 0.0, noise: float = 0.15) -> Observation:
        """One weighing, with `force` grams on top of the stones."""
        self.t += 1 / self.rate
        weight = self.zero + np.array([sum(cup) for cup in self.cups]) + force
        return self.scale.observe(self.t, weight + self.rng.normal(0.0, noise, len(weight)))

    def wait(self, seconds: float) -> Observation:
        for _ in range(round(seconds * self.rate)):
            seen = self.look()
        return seen

    def settle(self) -> None:
        self.wait(1.0)
        self.scale.settled(self.t, self.counts)


def on_hole(table: Table, hole: int, grams: float) -> Floats:
    force = np.zeros(len(table.cups))
    force[hole] = grams
    return force


def test_absolute_weighing_by_hand() -> None:
    # 5 seeds of 4 ± 0.4 g. Variance of n of them: 0.16 n (5 - n) / 4, and of the weighing: noise 0.1² +
    # zero (0.05 · 4)² + creep (0.02 · 4)² = 0.0564. So n=1: 0.2164, n=2: 0.2964. At 5.9 g:
    # n=1: -ln(0.2164)/2 - 1.9²/(2 · 0.2164) = -7.576; n=2: -ln(0.2964)/2 - 2.1²/(2 · 0.2964) = -6.831.
    scale = Scale(Calibration(4.0, 0.4, (0.1,)), 2, 5)
    seen = scale.observe(0.0, np.array([5.9, 14.1]))
    assert seen.loglik.shape == (2, 6)
    assert seen.loglik[0, 2] == 0.0
    assert seen.loglik[0, 1] == pytest.approx(-0.745, abs=0.02)
    assert seen.hand.tolist() == [0.0, 0.0]
    assert seen.total is not None
    assert int(seen.total.argmax()) == 5
    assert seen.notes == ()


def test_ledger_by_hand() -> None:
    # 10 of 20 seeds of 3 ± 0.3 g weigh 31.2 g in 41 readings of noise 0.15 g. Error of the ledger:
    # 0.15²/41 + 0.06² = 0.00415; of a weighing 0.15² + 0.06² = 0.0261; of one seed more 0.09 · 19/19.
    # At 32.9 g: n=10: -ln(0.03025)/2 - 1.7²/(2 · 0.03025) = -46; n=11: 0.12025: -ln/2 - 1.3²/(2 · 0.12025)
    # = 1.059 - 7.027 = -5.968. A reading that has nothing to do with seeds: ln(1e-4/60) = -13.305, against
    # n=11 at -5.968 - 0.919: 6.42 below the best.
    scale = Scale(Calibration(3.0, 0.3, (0.15,)), 2, 20)
    for i in range(41):
        scale.observe(i / 80, np.array([31.2, 28.8]))
    scale.settled(0.5, [10, 10])
    for i in range(41, 50):
        seen = scale.observe(i / 80, np.array([32.9, 28.8]))
    assert seen.loglik[0, 11] == 0.0
    assert seen.loglik[0, 10] == pytest.approx(-6.42, abs=0.05)
    # Nothing at all is exact, whatever the seeds weigh.
    assert seen.loglik[0, 0] == pytest.approx(-6.42, abs=0.05)
    assert seen.loglik[1, 10] == 0.0


def test_the_ledger_is_sharper_than_weighing_alone() -> None:
    right = {"ledger": 0, "alone": 0}
    for seed in range(40):
        table = Table([10, 10, 10, 10, 8], seed=seed)
        table.wait(1.0)
        absolute = table.look()
        right["alone"] += [int(n) for n in absolute.loglik.argmax(axis=1)] == table.counts
        table.scale.settled(table.t, table.counts)
        table.cups[0].append(table.cups[1].pop())
        seen = table.wait(0.5)
        right["ledger"] += [int(n) for n in seen.loglik.argmax(axis=1)] == table.counts
    assert right["ledger"] == 40
    assert right["alone"] <= 32


@given(
    seed=st.integers(0, 10_000), hops=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)
)
@settings(max_examples=30, derandomize=True, deadline=None)
def test_seeds_that_hop_one_by_one_are_followed(seed: int, hops: list[tuple[int, int]]) -> None:
    table = Table([4] * 7, seed=seed, rate=10.0)
    table.settle()
    for start, end in hops:
        if table.cups[start]:
            table.cups[end].append(table.cups[start].pop())
        seen = table.wait(0.6)
        assert [int(n) for n in seen.loglik.argmax(axis=1)] == table.counts
        assert seen.total is not None
        assert int(seen.total.argmax()) == 28
        table.scale.settled(table.t, table.counts)


def test_a_lost_seed_shows_in_the_sum() -> None:
    table = Table([4] * 6)
    table.settle()
    table.cups[2].pop()
    seen = table.wait(0.5)
    assert seen.total is not None
    assert int(seen.total.argmax()) == 23
    assert seen.total[24] < -3


def test_a_lifted_pit_is_empty_for_sure_and_counts_afresh() -> None:
    table = Table([13, 6, 5])
    table.settle()
    lifted, table.cups[0] = table.cups[0], []
    seen = table.wait(0.5)
    assert seen.loglik[0].argmax() == 0
    assert seen.loglik[0, 1:].max() < -10
    table.cups[0].append(min(lifted))
    assert table.wait(0.5).loglik[0].argmax() == 1


def test_a_stone_exchanged_for_another_is_no_stone_more() -> None:
    """A slip put right: one falls in, another is taken out. The whole weighs what it weighed."""
    table = Table([1, 4, 4, 4], sd=0.2)
    table.cups[0], table.cups[1][0] = [2.3], 4.1
    table.settle()
    table.cups[0].append(table.cups[1].pop(0))
    table.wait(0.5)
    for _ in range(24):
        table.look(on_hole(table, 0, 90.0))
    table.cups[1].insert(0, table.cups[0].pop(0))
    table.wait(0.5)
    seen = table.look(noise=0.0)
    # 4.1 g where one seed weighed 2.3 g. As one exchanged, off by 1.8 with variance 2 · 0.36 + 0.03: 0.05 ·
    # exp(-2.16) / 0.866 = 0.0067; as two, off by 1.2 with variance 0.36 + 0.03: exp(-1.85) / 0.62 = 0.25.
    assert seen.loglik[0, 1] - seen.loglik[0, 2] == pytest.approx(math.log(0.0067 / 0.25), abs=0.6)
    assert seen.total is not None
    assert seen.total[13] - seen.total[14] > 6
    assert not seen.hand.any()


def test_a_seed_that_lands_is_no_hand() -> None:
    table = Table([4] * 6)
    table.settle()
    seed = table.cups[0].pop()
    table.wait(0.6)
    # Half way in one reading, a little too far in the next, and there.
    hands = []
    for share in (0.5, 1.3, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0):
        hands.append(table.look(on_hole(table, 3, seed * share)).hand.max())
    assert max(hands) == 0.0
    table.cups[3].append(seed)
    seen = table.look()
    assert seen.loglik[3].argmax() == 5
    assert seen.loglik[3, 4] < -5


@pytest.mark.parametrize("rate", [10.0, 80.0])
def test_noise_is_no_hand_and_no_move(rate: float) -> None:
    table = Table([4] * 12 + [0, 0], rate=rate)
    table.settle()
    for _ in range(4000):
        seen = table.look()
        assert not seen.hand.any()
        assert seen.loglik.any(axis=1).all()


@pytest.mark.parametrize("grams", [-3.0, 250.0])
def test_what_seeds_cannot_weigh_is_a_hand(grams: float) -> None:
    table = Table([4] * 6)
    table.settle()
    table.cups[4] = [] if grams < 0 else table.cups[4]
    table.wait(0.5)
    for _ in range(10):
        seen = table.look(on_hole(table, 4, grams))
    assert seen.hand.tolist() == [0, 0, 0, 0, 1, 0]
    assert not seen.loglik[4].any()
    assert seen.loglik[3].any()
    assert seen.total is None
    assert not table.wait(1.0).hand.any()


def test_fingers_that_press_up_and_down_are_a_hand() -> None:
    table = Table([4] * 6)
    table.settle()
    for i in range(24):
        seen = table.look(on_hole(table, 1, 20.0 + 4.0 * math.sin(i)))
    assert seen.hand.tolist() == [0, 1, 0, 0, 0, 0]
    ended = [table.look().hand[1] for _ in range(80)]
    assert ended[-1] == 0.0


def test_a_hand_is_believed_until_the_weight_keeps_still() -> None:
    table = Table([4, 4])
    table.settle()
    table.look(on_hole(table, 0, 300.0))
    at = table.t
    while table.t < at + CALM_TIME - 0.02:
        assert table.look().hand[0] == 1.0
    table.wait(0.03)
    assert table.look().hand[0] == 0.0


def test_a_hand_that_does_not_keep_still_is_believed_a_moment_longer() -> None:
    table = Table([4, 4])
    table.settle()
    table.look(on_hole(table, 0, 300.0))
    at = table.t
    while table.t < at + HOLD - 0.02:
        assert table.look(on_hole(table, 0, 1.0 if round(table.t * 80) % 2 else 0.0)).hand[0] == 1.0


@pytest.mark.parametrize("height", [0.01, 0.03, 0.05])
def test_a_seed_that_has_landed_is_seen_at_once(height: float) -> None:
    """It hits with m * sqrt(2 h / g), 0.3 g s from 5 cm: as 24 g for one conversion of 80 a second."""
    table = Table([4, 4], sd=0.0)
    table.settle()
    blow = 3.0 * math.sqrt(2 * height / 9.81) * table.rate
    table.cups[0].append(3.0)
    # Each reading is the mean of four conversions, the first of which the blow is in.
    for part in (0.25, 0.5, 0.75, 1.0):
        table.look(on_hole(table, 0, 0.25 * blow - 3.0 * (1 - part)))
    at = table.t
    seen = table.look()
    while not seen.loglik[0].any():
        seen = table.look()
    assert table.t - at < 0.1
    assert int(seen.loglik[0].argmax()) == 5


def test_a_weight_between_two_counts_is_a_hand_and_then_a_thing() -> None:
    table = Table([2, 2, 2, 2, 2], sd=0.02)
    table.settle()
    force = on_hole(table, 2, 1.5)
    seen = [table.look(force) for _ in range(320)]
    assert seen[20].hand[2] == 1.0
    assert seen[20].notes == ()
    assert seen[-1].hand[2] == 0.0
    assert seen[-1].notes == (
        "cell 3 of 5 weighs between two counts: take out what is no seed, or free a seed that leans out",
    )


@pytest.mark.parametrize("rate", [10.0, 80.0])
@pytest.mark.parametrize("grams", [15.0, 30.0, 60.0])
def test_a_hand_that_rests_on_pits_is_one_though_so_many_seeds_weigh_as_much(
    grams: float, rate: float
) -> None:
    """15 g are five seeds of 3 g; but more than all the seeds there are cannot lie on the board."""
    table = Table([4] * 6, rate=rate)
    table.settle()
    seen = [table.look(on_hole(table, 2, grams) + on_hole(table, 3, grams)) for _ in range(round(2 * rate))]
    hands = [look.hand.tolist() for look in seen[round(0.3 * rate) :]]
    assert all(hand == [0, 0, 1, 1, 0, 0] for hand in hands)


def test_a_trembling_hand_stays_one_however_long_it_rests() -> None:
    table = Table([4] * 6)
    table.settle()
    for look in range(round(8 * table.rate)):
        force = 30 + 4 * math.sin(2 * math.pi * 2 * look / table.rate)
        seen = table.look(on_hole(table, 2, force) + on_hole(table, 3, force))
    assert seen.hand.tolist() == [0, 0, 1, 1, 0, 0]


def felt(rate: int, actions: Sequence[Action]) -> list[Observation]:
    """What the cells of a simulated board feel in three seconds, while 8 of its 48 stones are in a hand."""
    counts = (4,) * 12 + (0, 0)
    stones = Stones(np.random.default_rng(1), counts, 3.0, 0.1)
    cells = Cells(np.random.default_rng(2), 12, 2, CellSettings(), 0.15)
    board = SimulatedTable(stones, cells, rate)
    calibration = Calibration(3.0, 0.3, (0.15,), tuple(cells.zero), tuple(cells.gain))
    scale = Scale(calibration, len(counts), 48)

    def look(seconds: float) -> list[Observation]:
        block = board.read(round(seconds * rate))
        rows = zip(block.micros, cells.grams(block.counts), strict=True)
        return [scale.observe(micros / 1e6, row) for micros, row in rows]

    look(1.5)
    scale.settled(1.5, counts)
    board.do(Plan((Carry(0.1, 4, 0, HAND), Carry(0.6, 4, 1, HAND)), 1.0))
    look(1.5)
    board.do(Plan(tuple(actions), 3.0))
    return look(3.0)


@pytest.mark.parametrize(
    ("rate", "grams"),
    [
        (10, (6.0, 9.0, 7.0)), (10, (12.0, 30.0, 15.0)),
        (80, (6.0, 9.0, 7.0)), (80, (12.0, 30.0, 15.0)), (80, (3.0, 3.2, 2.8, 3.1)),
    ],
)  # fmt: skip
def test_an_arm_that_lies_still_over_several_pits_is_no_seeds(rate: int, grams: tuple[float, ...]) -> None:
    """It weighs less than the seeds that are in the hand: only that it comes to all of them at once tells."""
    holes = range(5, 5 + len(grams))
    tremor = ((0.02, 2.0, 0.0),)
    seen = felt(rate, [Press(0.02, hole, 2.0, g, tremor) for hole, g in zip(holes, grams, strict=True)])
    for look in seen[round(0.4 * rate) : round(1.9 * rate)]:
        assert [hole for hole, hand in enumerate(look.hand) if hand] == list(holes)
    assert not seen[-1].hand.any()
    assert seen[-1].loglik.argmax(axis=1).tolist() == [0, 0, *[4] * 10, 0, 0]


@pytest.mark.parametrize("rate", [10, 80])
def test_two_quick_hands_that_sow_are_no_arm(rate: int) -> None:
    """Each lets a seed fall every 0.18 s. What lands may be felt for a moment, hole by hole."""
    sown = [Carry(0.18 * k, 1, HAND, 3 + k, 0.02) for k in range(4)]
    others = [Carry(0.05 + 0.18 * k, 1, HAND, 8 + k, 0.02) for k in range(4)]
    seen = felt(rate, [*sorted([*sown, *others], key=lambda one: one.at)])
    assert max(look.hand.sum() for look in seen) <= 1
    assert seen[-1].loglik.argmax(axis=1).tolist() == [0, 0, 4, 5, 5, 5, 5, 4, 5, 5, 5, 5, 0, 0]


@pytest.mark.parametrize("rate", [10, 80])
def test_a_bump_that_throws_seeds_into_their_neighbours_is_no_arm(rate: int) -> None:
    """Three pits grow at once, by what three others lose."""
    seen = felt(rate, [Carry(0.02, 2, 3 + 2 * k, 4 + 2 * k, 0.02) for k in range(3)])
    assert not any(look.hand.any() for look in seen[round(0.8 * rate) :])
    assert seen[-1].loglik.argmax(axis=1).tolist() == [0, 0, 4, 2, 6, 2, 6, 2, 6, 4, 4, 4, 0, 0]


def test_a_handful_of_seeds_too_many_is_seen_when_it_has_lain_there() -> None:
    table = Table([4] * 6)
    table.settle()
    table.cups[2] += [3.0] * 5
    assert table.wait(1.0).hand[2] == 1.0
    seen = table.wait(3.0)
    assert seen.hand.tolist() == [0.0] * 6
    assert int(seen.loglik[2].argmax()) == 9


def test_somebody_who_leans_on_the_table_is_a_hand_everywhere() -> None:
    table = Table([4] * 6)
    table.settle()
    for _ in range(100):
        seen = table.look(force=3.0)
    assert seen.hand.all()
    assert seen.notes == ("all cells are pressed alike: nobody should lean on the table",)
    table.wait(1.0)
    assert not table.look().hand.any()
    assert [int(n) for n in table.look().loglik.argmax(axis=1)] == [4] * 6


def test_a_shift_of_all_cells_that_stays_goes_into_the_zeros() -> None:
    table = Table([4] * 6)
    table.settle()
    table.zero += 2.0
    table.wait(LEAN_TIME + 1.0)
    seen = table.look()
    assert not seen.hand.any()
    assert [int(n) for n in seen.loglik.argmax(axis=1)] == [4] * 6
    assert table.scale.zero_g == pytest.approx(np.full(6, 2.0), abs=0.3)


def test_empty_cups_carry_the_zero_along_with_drift() -> None:
    table = Table([6, 6, 6, 0, 0])
    for _ in range(40):
        table.zero += 0.05
        table.settle()
    # 2 g of drift, more than half a seed, yet never seen as one.
    assert [int(n) for n in table.look().loglik.argmax(axis=1)] == [6, 6, 6, 0, 0]
    assert table.scale.zero_g == pytest.approx(np.full(5, 2.0), abs=0.3)
    assert table.scale.seed_mass_g == pytest.approx(3.0, rel=0.02)
    table.cups[0].clear()
    assert table.wait(0.5).loglik[0].argmax() == 0


def test_one_cell_that_drifts_takes_no_other_along() -> None:
    """It is the only empty one; seeds go to and fro between two others, the fourth is left alone."""
    table = Table([6, 6, 6, 0], rate=20.0)
    table.settle()
    for step in range(30):
        table.zero[3] = min(table.zero[3] + 0.1, 2.0)
        table.cups[step % 2].append(table.cups[1 - step % 2].pop())
        table.settle()
    assert table.scale.zero_g[3] == pytest.approx(2.0, abs=0.1)
    assert table.scale.zero_g[:3] == pytest.approx(0.0, abs=0.1)
    assert table.scale.seed_mass_g == pytest.approx(3.0, rel=0.01)


@pytest.mark.parametrize("left_alone", [[6, 6, 0], [5, 0, 0], [4, 4, 4]])
def test_what_is_common_to_three_cells_is_so_to_those_of_which_nothing_is_known(
    left_alone: list[int],
) -> None:
    """As when the room grows warmer. Between two other holes seeds go to and fro: these cannot tell."""
    table = Table([6, 6, *left_alone], rate=20.0)
    table.settle()
    for step in range(40):
        table.zero += 0.05
        table.cups[step % 2].append(table.cups[1 - step % 2].pop())
        table.settle()
    assert table.scale.zero_g == pytest.approx(2.0, abs=0.35)
    table.cups[0].clear()
    assert table.wait(0.5).loglik[0].argmax() == 0


def test_the_noise_of_many_weighings_does_not_add_up_to_a_drift() -> None:
    """Cells that noisy (a tenth of a seed) and that slow, whose zeros stay where they are: 0."""
    table = Table([6, 6, 6, 6, 5, 7], rate=10.0)
    for step in range(150):
        table.cups[step % 5].append(table.cups[step % 5 + 1].pop())
        for look in range(14):
            table.look(noise=0.3)
            if look in (5, 13):  # as a move, and once more as its capture
                table.scale.settled(table.t, table.counts)
        if step % 5 == 4:  # round they go, so that each hole loses what it won
            for hole in range(5, 0, -1):
                table.cups[hole] += [table.cups[hole - 1].pop()]
    assert table.scale.zero_g == pytest.approx(0.0, abs=0.3)


def test_a_hole_whose_mass_was_not_known_has_not_drifted() -> None:
    """Its cell was silent at the first `settled`; 18 g of stones are no drift when it speaks again."""
    table = Table([6, 6, 6, 0], rate=10.0)
    table.wait(1.0)
    for _ in range(10):
        table.look(on_hole(table, 0, np.nan))
    table.scale.settled(table.t, table.counts)
    for _ in range(60):
        table.settle()
    assert table.scale.zero_g == pytest.approx(0.0, abs=0.1)


def test_stones_exchanged_for_others_are_no_drift() -> None:
    table = Table([4, 4, 4, 0])
    table.settle()
    light, heavy = sorted(table.cups[0] + table.cups[1])[:4], sorted(table.cups[0] + table.cups[1])[4:]
    table.cups[0], table.cups[1] = [], []
    table.wait(0.5)
    table.cups[0], table.cups[1] = light, heavy
    table.settle()
    assert table.scale.zero_g == pytest.approx(0.0, abs=0.05)


def test_the_mean_mass_is_learned_from_the_whole_set() -> None:
    table = Table([4] * 12 + [0, 0])
    for cup in table.cups:
        cup[:] = [mass * 1.04 for mass in cup]
    for _ in range(15):
        table.settle()
    assert table.scale.seed_mass_g == pytest.approx(3.12, rel=0.005)


def test_noise_is_learned_but_never_below_the_calibration() -> None:
    table = Table([4] * 6)
    for _ in range(15):
        for _ in range(80):
            table.look(noise=0.3)
        table.scale.settled(table.t, table.counts)
    assert table.scale.noise_g == pytest.approx(np.full(6, 0.3), rel=0.2)
    for _ in range(30):
        for _ in range(80):
            table.look(noise=0.01)
        table.scale.settled(table.t, table.counts)
    assert table.scale.noise_g == pytest.approx(np.full(6, 0.15), rel=0.02)


def test_settled_under_a_hand_keeps_what_the_ledger_makes_of_it() -> None:
    table = Table([4] * 6)
    table.settle()
    for _ in range(200):
        table.look(on_hole(table, 0, 300.0 + 20.0 * (table.rng.random() - 0.5)))
    table.scale.settled(table.t, table.counts)
    assert table.wait(1.0).loglik[0].argmax() == 4


def test_settled_before_the_first_reading_is_no_harm() -> None:
    table = Table([4, 0, 4])
    table.scale.settled(0.0, [4, 0, 4])
    assert [int(n) for n in table.wait(0.2).loglik.argmax(axis=1)] == [4, 0, 4]
    with pytest.raises(ValueError, match="3 counts were expected; got 2"):
        table.scale.settled(1.0, [4, 0])


def test_a_cell_without_reading_says_nothing_and_is_named() -> None:
    table = Table([4] * 6)
    table.settle()
    dead = on_hole(table, 5, math.nan)
    # One reading that is lost is no news.
    seen = table.look(dead)
    assert seen.loglik.argmax(axis=1).tolist() == [4] * 6
    assert seen.notes == ()
    for _ in range(50):
        seen = table.look(dead)
    assert not seen.loglik[5].any()
    assert seen.loglik[4].any()
    assert seen.total is None
    assert seen.hand[5] == 0.0
    assert seen.notes == ("cell 6 of 6 gives no reading: check its plug and what presses on it",)
    assert table.wait(0.1).notes == ()


@given(st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), min_size=1, max_size=20))
def test_no_reading_is_impossible(readings: list[list[float]]) -> None:
    scale = Scale(CALIBRATION, 3, 12)
    for i, reading in enumerate(readings):
        seen = scale.observe(i / 80, np.array(reading, dtype=np.float64))
        assert np.isfinite(seen.loglik).all()
        assert (seen.loglik.max(axis=1) == 0.0).all()
        assert seen.loglik.min() > -40
        assert set(seen.hand.tolist()) <= {0.0, 1.0}
        if i % 5 == 4:
            scale.settled(i / 80, [4, 4, 4])


def test_raw_counts_become_grams() -> None:
    calibration = Calibration(
        3.0, 0.3, (0.1, 0.1, 0.2, 0.1), (1000.0, -50.0, 0.0, 0.0), (500.0, -250.0, 1.0, 1.0)
    )
    bad = CellFlag.FRESH | CellFlag.SATURATED
    grams = calibration.grams((2500, -550, 7, 7), (CellFlag.FRESH, CellFlag.FRESH, bad, 0))
    assert grams[:2].tolist() == [3.0, 2.0]
    assert np.isnan(grams[2:]).all()
    with pytest.raises(BadInput, match="the board has 3 cells, the calibration 4"):
        calibration.grams((1, 2, 3), (1, 1, 1))


def test_calibration_goes_through_json() -> None:
    calibration = Calibration(
        3.0, 0.3, (0.1, 0.2), (1000.0, -50.0), (500.0, -250.0), ((1.0, 0.01), (0.02, 1.0))
    )
    assert Calibration.from_json(json.loads(json.dumps(calibration.as_json()))) == calibration
    short = {"seed_mass": {"mean": 3, "sd": 0.3}, "cell_noise": 0.1}
    assert Calibration.from_json(short) == Calibration(3.0, 0.3, (0.1,))


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({}, "lacks 'cell_noise'"),
        ({"cell_noise": 0.1}, "lacks 'seed_mass'"),
        ({"cell_noise": 0.1, "seed_mass": 3.0}, "cannot be read"),
        ({"cell_noise": "much", "seed_mass": {"mean": 3, "sd": 0.3}}, "cannot be read"),
        ({"cell_noise": 0.1, "seed_mass": {"mean": 0, "sd": 0.3}}, "a mass above 0"),
        ({"cell_noise": [], "seed_mass": {"mean": 3, "sd": 0.3}}, "a mass above 0"),
        ({"cell_noise": math.nan, "seed_mass": {"mean": 3, "sd": 0.3}}, "a number that is none"),
        (
            {"cell_noise": 0.1, "seed_mass": {"mean": 3, "sd": 0.3}, "zero_counts": [1.0]},
            "1 zero_counts and 0 counts_per_gram",
        ),
        (
            {
                "cell_noise": 0.1,
                "seed_mass": {"mean": 3, "sd": 0.3},
                "zero_counts": [1],
                "counts_per_gram": [0],
            },
            "none of them 0",
        ),
        ({"cell_noise": 0.1, "seed_mass": {"mean": 3, "sd": 0.3}, "crosstalk": [[1.0, 0.0]]}, "of cell 1"),
        (
            {"cell_noise": 0.1, "seed_mass": {"mean": 3, "sd": 0.3}, "crosstalk": [[1.0, 0.0], [1.5, 1.0]]},
            r"crosstalk of cell 2 is \[1.5, 1.0\]",
        ),
        (
            {
                "cell_noise": 0.1,
                "seed_mass": {"mean": 3, "sd": 0.3},
                "zero_counts": [1],
                "counts_per_gram": [1],
                "crosstalk": [[1, 0], [0, 1]],
            },
            "crosstalk of 2 cells and zero_counts of 1",
        ),
    ],
)
def test_a_bad_calibration_is_one_sentence(plain: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Calibration.from_json(plain)


CROSSTALK = ((1.0, 0.02, 0.0), (0.02, 1.0, 0.02), (0.0, 0.02, 1.0))
"""Of three cells in a row."""


def test_crosstalk_is_undone() -> None:
    # 40 seeds of 3 g lie in the middle: its neighbours show 120 · 0.02 = 2.4 g each, most of a seed.
    for crosstalk, seeds in (((), 1), (CROSSTALK, 0)):
        scale = Scale(Calibration(3.0, 0.3, (0.1,), crosstalk=crosstalk), 3, 40)
        for i in range(40):
            seen = scale.observe(i / 80, np.array([2.4, 120.0, 2.4]))
        assert seen.loglik.argmax(axis=1).tolist() == [seeds, 40, seeds]


def test_a_hand_in_one_pit_is_none_in_the_next_when_crosstalk_is_known() -> None:
    for crosstalk, felt in (((), True), (CROSSTALK, False)):
        scale = Scale(Calibration(3.0, 0.3, (0.1,), crosstalk=crosstalk), 3, 20)
        hands = np.zeros(3)
        for i in range(80):
            # 200 g, trembling by half four times a second: 4 ± 2 g more next to it.
            force = 200 + 100 * math.sin(2 * math.pi * 4 * i / 80)
            seen = scale.observe(i / 80, np.array([12.0 + 0.02 * force, force, 0.02 * force]))
            hands = np.maximum(hands, seen.hand)
        assert hands.tolist() == [felt, 1.0, felt]


def test_a_cell_that_says_nothing_for_a_moment_still_presses_on_its_neighbours() -> None:
    scale = Scale(Calibration(3.0, 0.3, (0.1,), crosstalk=CROSSTALK), 3, 40)
    for i in range(40):
        seen = scale.observe(i / 80, np.array([2.4, math.nan if i % 4 == 3 else 120.0, 2.4]))
        assert seen.loglik.argmax(axis=1).tolist() == [0, 40, 0]


def test_a_cell_that_was_never_heard_holds_nobody_knows_what() -> None:
    seen = Scale(Calibration(3.0, 0.3, (0.1,)), 2, 4).observe(0.0, np.array([math.nan, 6.0]))
    assert not seen.loglik[0].any()
    assert int(seen.loglik[1].argmax()) == 2


def test_some_cells_of_a_calibration_keep_their_crosstalk() -> None:
    whole = Calibration(3.0, 0.3, (0.1,), (1.0, 2.0, 3.0), (5.0, 6.0, 7.0), CROSSTALK)
    assert whole.of([2, 1]).crosstalk == ((1.0, 0.02), (0.02, 1.0))
    assert whole.of([0, 2]).crosstalk == ((1.0, 0.0), (0.0, 1.0))


def test_a_calibration_of_another_board_is_refused() -> None:
    with pytest.raises(BadInput, match="the calibration is of 1 cells, the board has 14 holes"):
        Scale(Calibration(3.0, 0.3, (0.1,), crosstalk=((1.0,),)), 14, 48)
    with pytest.raises(BadInput, match="the calibration is of 2 cells, the board has 14 holes"):
        Scale(Calibration(3.0, 0.3, (0.1, 0.1)), 14, 48)
    with pytest.raises(BadInput, match="a weighing has 3 values, the board 14 holes"):
        Scale(CALIBRATION, 14, 48).observe(0.0, np.zeros(3))


# -- how the cells are


def looked(scale: Scale, grams: Sequence[float], seconds: float = 1.0, t: float = 0.0) -> Observation:
    for number in range(round(seconds * 80)):
        seen = scale.observe(t + number / 80, np.array(grams) + 0.01 * (number % 2))
    return seen


def test_at_the_start_a_cell_that_is_off_is_named_with_the_mend() -> None:
    """Four seeds of 3 g in each of six holes, two empty; hole 3 shows half of it, hole 8 0.6 of a seed."""
    scale = Scale(CALIBRATION, 8, 24, known=(4, 4, 4, 4, 4, 4, 0, 0))
    seen = looked(scale, [12, 12, 6, 12, 12, 12, 0, 1.8])
    assert seen.notes == (
        "cell 3 of 8 shows 2.0 seeds where 4 should lie: count them; if 4 lie there, free its cup, or put in "
        "another cell, and calibrate the scale anew",
        "cell 8 of 8 shows 1.8 g where nothing should lie: take out what lies there; if nothing does, free "
        "its cup and calibrate the scale anew",
    )
    # Four stones weigh 12 ± 0.6 g: nothing is said of 1.2 g.
    assert (
        looked(Scale(CALIBRATION, 8, 24, known=(4,) * 6 + (0, 0)), [13.2, 12, 12, 12, 12, 12, 0, 0]).notes
        == ()
    )


def test_a_board_that_is_not_set_up_yet_is_no_fault_and_after_the_start_nothing_is_said() -> None:
    scale = Scale(CALIBRATION, 8, 24, known=(4, 4, 4, 4, 4, 4, 0, 0))
    assert looked(scale, [12, 12, 6, 0, 0, 0, 0, 0]).notes == ()
    assert looked(scale, [12, 12, 6, 12, 12, 12, 0, 0], t=2.0).notes != ()
    scale.settled(3.0, (4, 4, 2, 4, 4, 4, 0, 0))
    assert looked(scale, [12, 12, 6, 12, 12, 12, 0, 0], t=3.0).notes == ()


def test_a_slow_cell_is_named() -> None:
    scale = Scale(CALIBRATION, 3, 12)
    for number in range(640):
        grams = np.array([12.0, 12.0 if number % 8 == 0 else math.nan, 12.0])
        notes = scale.observe(number / 80, grams).notes
    (note,) = notes
    assert note.startswith(
        "cell 2 of 3 gives 12% of the readings of the others: set the RATE pin of its conv"
    )


def test_a_zero_that_wanders_is_followed_where_nothing_lies_and_then_named() -> None:
    """0.3 g a step, followed by a share of 0.3 of what is left, until it stands at 3.6 g: a seed weighs 3."""
    table = Table([4, 4, 4, 0, 0, 0], sd=0.1)
    table.settle()
    for _ in range(25):
        table.zero[3] = min(table.zero[3] + 0.3, 3.6)
        table.settle()
    assert table.scale.zero_g[3] == pytest.approx(3.6, abs=0.2)
    assert table.scale.zero_g[[0, 1, 2, 4, 5]] == pytest.approx(0.0, abs=0.1)
    (note,) = table.wait(0.5).notes
    assert note.startswith("cell 4 of 6 has drifted by 3.")


def test_a_cell_that_has_become_noisy_is_named() -> None:
    table = Table([4, 4, 4, 0])
    table.settle()
    for _ in range(12):
        for _ in range(80):
            table.look(on_hole(table, 1, table.rng.normal(0.0, 0.5)))
        table.scale.settled(table.t, table.counts)
    # sqrt(0.15² + 0.5²) = 0.52; what is far off is not taken for noise, so that less is learned.
    assert 0.375 < table.scale.noise_g[1] < 0.52
    (note,) = table.look().notes
    assert note.startswith("cell 2 of 4 is 3 times as noisy as when it was calibrated")


def test_a_cell_that_is_too_noisy_for_its_calibration_is_named_with_the_mend() -> None:
    """0.5 g over 0.15 g are 3.3 times as much, 0.36 g 2.4 times; 0.29 g are less than a tenth of a seed."""
    (note,) = health.notes(np.zeros(3), np.array([0.5, 0.36, 0.29]), np.array([0.15, 0.15, 0.05]), 3.0)
    assert note.startswith("cell 1 of 3 is 3 times as noisy as when it was calibrated: see to its plug")
