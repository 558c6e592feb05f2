"""Pictures that several tests look at, drawn once."""

from collections.abc import Sequence

import numpy as np
import pytest

from engine.layout import Layout
from service.boardfile import shipped
from tests.vision.draw import Look, Scene, Shot, photograph
from vision import Image

COUNTS = (0, 1, 2, 3, 4, 5, 1, 0, 3, 2, 0, 4, 2, 1)


@pytest.fixture(scope="session")
def layout() -> Layout:
    return shipped("two-by-six")


def drawn(layout: Layout, counts: Sequence[int], shot: Shot | None = None, seed: int = 1) -> Image:
    """A picture of a walnut board with `counts` blue gems in its holes."""
    scene = Scene(layout, Look(), np.random.default_rng(seed))
    scene.set(counts)
    return photograph(scene, shot or Shot(), seed)


@pytest.fixture(scope="session")
def picture(layout: Layout) -> Image:
    """A picture in which `COUNTS` lie."""
    return drawn(layout, COUNTS)
