"""Fitting to the set on the table: it helps where the network errs alike, and costs little elsewhere."""

import numpy as np
import pytest

from engine.observation import Floats
from vision.counter import Counted
from vision.tuning import LEAST_LOOKS, MOST_LOOKS, Tuning

COLUMNS, FEATURES = 41, 12


def looks(seed: int, number: int, error: float) -> tuple[Counted, Floats]:
    """A network that says `1 + error` times the true count, give or take; its features tell the count."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 13, number).astype(np.float64)
    said = counts * (1 + error) + rng.normal(0, 0.4, number)
    rows = -0.5 * ((np.arange(COLUMNS) - said[:, None]) / 0.8) ** 2
    rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
    features = np.tanh(said[:, None] / 6 - np.linspace(0, 2, FEATURES)) + rng.normal(
        0, 0.05, (number, FEATURES)
    )
    return Counted(rows, features), counts


def loss(counted: Counted, counts: Floats) -> float:
    return float(-counted.chance[np.arange(len(counts)), counts.astype(int)].mean())


def learned(error: float, looks_each: int = 6, times: int = 12, seed: int = 0) -> Tuning:
    tuning = Tuning()
    for time in range(times):
        tuning.learn(*looks(1000 * seed + time, looks_each, error))
    return tuning


@pytest.mark.parametrize("error", [-0.25, 0.25])
def test_a_network_that_errs_alike_is_put_right(error: float) -> None:
    tuning = learned(error)
    counted, counts = looks(99, 200, error)
    before = (counted.chance.argmax(axis=1) == counts).mean()
    after = (tuning(counted).chance.argmax(axis=1) == counts).mean()
    assert after > before + 0.15
    assert loss(tuning(counted), counts) < loss(counted, counts) - 0.3
    assert tuning.share > 0.9


def test_the_first_board_tells_whether_a_fit_helps() -> None:
    """Its holes stand in for each other: 14 of them, before any board was counted by the fit to another."""
    fits = [learned(0.3, looks_each=14, times=1, seed=seed) for seed in range(5)]
    assert min(fit.share for fit in fits) > 0.9
    doubted = [learned(0.0, looks_each=14, times=1, seed=seed) for seed in range(5)]
    assert np.mean([fit.share for fit in doubted]) < 0.6


def test_a_network_that_errs_by_chance_alone_is_not_made_worse() -> None:
    for seed in range(5):
        tuning = learned(0.0, seed=seed)
        counted, counts = looks(99 + seed, 200, 0.0)
        assert loss(tuning(counted), counts) < loss(counted, counts) + 0.03


def test_wrong_labels_cost_little() -> None:
    """What did worse than the network until now weighs nothing."""
    tuning = Tuning()
    for time in range(12):
        counted, _ = looks(time, 6, 0.0)
        tuning.learn(counted, np.random.default_rng(time).permutation(13)[:6].astype(np.float64))
    counted, counts = looks(99, 200, 0.0)
    for _ in range(8):
        tuning.learn(*looks(50, 6, 0.0))
    assert loss(tuning(counted), counts) < loss(counted, counts) + 0.7


def test_chances_stay_chances() -> None:
    tuning = learned(0.25)
    counted, _ = looks(7, 30, 0.25)
    fitted = tuning(counted).chance
    assert np.isfinite(fitted).all()
    assert np.exp(fitted).sum(axis=1) == pytest.approx(np.ones(30))


def test_nothing_is_fitted_to_a_few_looks() -> None:
    tuning = Tuning()
    counted, counts = looks(1, LEAST_LOOKS - 1, 0.3)
    tuning.learn(counted, counts)
    assert tuning(counted) is counted
    assert tuning.share == 0.0


def test_only_the_last_looks_are_kept() -> None:
    tuning = Tuning()
    for time in range(3):
        tuning.learn(*looks(time, MOST_LOOKS // 2, 0.1))
    assert tuning.looks == MOST_LOOKS


def test_counts_must_be_one_a_look_and_none_below_nothing() -> None:
    counted, counts = looks(1, 10, 0.0)
    with pytest.raises(ValueError, match="10 looks need as many counts"):
        Tuning().learn(counted, counts[:9])
    with pytest.raises(ValueError, match="10 looks need as many counts"):
        Tuning().learn(counted, counts - 20)
