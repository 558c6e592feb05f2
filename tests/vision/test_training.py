"""The generator of training pictures: what it says lies there does, and a seed gives the same again."""

import numpy as np

from engine.observation import Floats
from vision.crops import SIZE
from vision.training.generate import shard
from vision.training.scene import random_look
from vision.training.settle import depth, settle


def test_a_seed_gives_the_same_pictures_again() -> None:
    one, again, other = (
        shard(3, 0, looks=2, each=2),
        shard(3, 0, looks=2, each=2),
        shard(4, 0, looks=2, each=2),
    )
    for name, values in one.items():
        assert np.array_equal(values, again[name], equal_nan=values.dtype.kind == "f"), name
    assert not np.array_equal(one["crops"], other["crops"])
    assert one["crops"].shape == (4, SIZE, SIZE, 3)
    told = (~np.isnan(one["stones"][..., 0])).sum(axis=1)
    assert told.tolist() == one["counts"].tolist()


def test_stones_come_to_rest_in_the_bowl_and_apart() -> None:
    bowl = np.array([0.6, 2.0, 0.0, 0.0])
    at, turns = settle(np.full((6, 3), 0.25), bowl, 0.4, 0.0, 1)
    assert np.hypot(at[:, 0], at[:, 1]).max() < 0.9
    for place in at:
        assert place[2] > depth(place[0], place[1], bowl) + 0.15
    # each lies on the wood or on another
    for stone, place in enumerate(at):
        others = np.linalg.norm(np.delete(at, stone, axis=0) - place, axis=1).min()
        assert min(others - 0.5, place[2] - depth(place[0], place[1], bowl) - 0.5) < 0.03
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)[np.triu_indices(6, 1)]
    assert apart.min() > 0.4
    assert np.abs(np.linalg.norm(turns, axis=1) - 1).max() < 1e-6


def test_stones_stay_about_where_they_fell_in_a_hole_with_a_flat_bottom() -> None:
    """Of two that fall anywhere within 0.7 radii of the middle, the distance is 0.63 in the mean."""
    hollow, flat = np.array([0.5, 2.0, 0.0, 0.0]), np.array([0.3, 12.0, 0.0, 0.0])

    def apart(bowl: Floats, hold: float) -> float:
        places = [settle(np.full((2, 3), 0.15), bowl, 0.7, hold, seed)[0] for seed in range(40)]
        return float(np.mean([np.linalg.norm(at[0] - at[1]) for at in places]))

    assert apart(hollow, 0.0) < 0.45
    assert 0.55 < apart(flat, 0.02) < 0.75
    shallow = shard(3, 0, flat=1.0, looks=2, each=2)
    assert not np.array_equal(shallow["crops"], shard(3, 0, looks=2, each=2)["crops"])


def test_looks_vary() -> None:
    looks = [random_look(np.random.default_rng(seed)) for seed in range(60)]
    assert len({look.kind for look in looks}) == 8
    assert {look.glass for look in looks} == {True, False}
    assert min(look.pixels for look in looks) < 50
    assert max(look.pixels for look in looks) > 150
