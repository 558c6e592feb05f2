"""The shipped network: right where stones can be told apart, and chances that are chances."""

import hashlib
from importlib.resources import files

import numpy as np
import pytest

from engine.layout import Layout
from tests.vision.conftest import COUNTS
from tests.vision.draw import Look, Scene, Shot, photograph, placed, random_look, random_shot
from vision import Image
from vision.counter import MODEL, Counter, Steady, likelihoods, said_of
from vision.crops import SIZE, batch
from vision.rectify import top_view

MOST = 60


@pytest.fixture(scope="module")
def counter() -> Counter:
    return Counter()


def test_only_a_hole_that_looks_otherwise_is_counted_anew(layout: Layout, counter: Counter) -> None:
    scene, steady = Scene(layout, Look(), np.random.default_rng(5)), Steady()
    scene.set(COUNTS)
    first = batch(top_view(photograph(scene, Shot(), 1), layout, placed(layout, Shot())))
    before = steady(first)
    assert (before.chance == counter(first).chance).all()
    # the same board in another exposure: nothing but the camera's noise is new
    assert steady(batch(top_view(photograph(scene, Shot(), 2), layout, placed(layout, Shot())))) is before
    more = list(COUNTS)
    more[4] += 1
    scene.set(more)
    then = batch(top_view(photograph(scene, Shot(), 3), layout, placed(layout, Shot())))
    after = steady(then)
    same = np.arange(len(COUNTS)) != 4
    assert (after.chance[same] == before.chance[same]).all()
    assert after.chance[4] == pytest.approx(counter(then).chance[4], abs=1e-4)
    # and another board is counted whole
    assert (steady(then[:6]).chance == counter(then[:6]).chance).all()


def test_a_drawn_board_is_counted(counter: Counter, layout: Layout, picture: Image) -> None:
    rows = said_of(top_view(picture, layout, placed(layout, Shot())), counter, MOST)
    assert rows.argmax(axis=1).tolist() == list(COUNTS)


def test_few_stones_are_mostly_counted_right_on_any_board(counter: Counter, layout: Layout) -> None:
    right = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scene, shot = Scene(layout, random_look(rng), rng), random_shot(rng)
        counts = rng.integers(0, 5, len(layout.holes))
        scene.set([int(count) for count in counts])
        view = top_view(photograph(scene, shot, seed), layout, placed(layout, shot))
        right += list(counter(batch(view)).likelihoods(MOST).argmax(axis=1) == counts)
    assert np.mean(right) > 0.8


def test_all_holes_at_once_or_one_by_one(counter: Counter, layout: Layout, picture: Image) -> None:
    crops = batch(top_view(picture, layout, placed(layout, Shot())))
    together = counter(crops)
    for hole in range(len(crops)):
        alone = counter(crops[hole : hole + 1])
        assert alone.chance[0] == pytest.approx(together.chance[hole], abs=1e-3)
        assert alone.features[0] == pytest.approx(together.features[hole], abs=1e-3)


def test_chances_are_finite_and_add_up_to_one(counter: Counter) -> None:
    """Whatever it is shown: black, white, noise."""
    rng = np.random.default_rng(1)
    crops = np.stack(
        [np.full((3, SIZE, SIZE), -2), np.full((3, SIZE, SIZE), 2), rng.normal(0, 1, (3, SIZE, SIZE))]
    )
    said = counter(crops.astype(np.float32))
    assert np.isfinite(said.chance).all()
    assert np.exp(said.chance).sum(axis=1) == pytest.approx(np.ones(3))


@pytest.mark.parametrize("most", [5, 40, 160])
def test_likelihoods_reach_as_far_as_they_are_wanted(most: int) -> None:
    chance = np.log(np.array([[0.5, 0.2, 0.2] + [0.1 / 38] * 38]))
    rows = likelihoods(chance, most)
    assert rows.shape == (1, most + 1)
    assert rows[0, 0] == 0
    assert rows[0, 1] == pytest.approx(np.log(0.4))
    if most > 40:
        # what is said of "40 and more" is shared by all that it may be
        assert np.exp(rows[0, 40:]).sum() == pytest.approx(0.1 / 38 / 0.5)
        assert np.ptp(rows[0, 40:]) == 0


def test_no_holes_are_no_trouble(counter: Counter) -> None:
    assert counter(np.zeros((0, 3, SIZE, SIZE), np.float32)).likelihoods(MOST).shape == (0, MOST + 1)


def test_crops_of_another_size_are_refused(counter: Counter) -> None:
    with pytest.raises(ValueError, match="is expected"):
        counter(np.zeros((2, 3, 32, 32), np.float32))


def test_the_network_is_the_one_its_record_tells_of(counter: Counter) -> None:
    data = files("vision").joinpath(MODEL).read_bytes()
    assert counter.about["sha256"] == hashlib.sha256(data).hexdigest()
    assert counter.about["licence"] == "Apache-2.0"
    assert len(data) == counter.about["bytes"]
    assert len(data) < 2_000_000
