"""The counting network: crops of holes to the likelihood of each count.

It was trained on drawn pictures alone (`vision.training`, docs/vision.md) and is run by OpenCV, all holes
of a picture at once.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

import cv2
import numpy as np

from engine.observation import Floats
from vision import Pixels
from vision.count import HIDDEN_AT
from vision.crops import SIZE, batch
from vision.rectify import View, coarse
from vision.stones import measure

MODEL = "counter.onnx"
CELL = 8
"""Pixels of a crop across a cell: a stone covers most of one at least."""
SAME = 0.08
"""Change of a cell's mean, of which a camera's noise alone makes a quarter at most."""


@dataclass(frozen=True, eq=False)
class Counted:
    """What the network says of some holes."""

    chance: Floats
    """`(holes, COUNTS)` log-probabilities of 0, 1, 2 .. stones; the last column is of all from there on."""
    features: Floats
    """`(holes, FEATURES)`: what it saw, for `vision.tuning`."""

    def likelihoods(self, most: int) -> Floats:
        """Log-likelihoods `(holes, most + 1)` of 0 .. `most` stones, each row's best at 0.

        In training small counts were about as frequent as each other: probabilities serve as likelihoods.
        """
        return likelihoods(self.chance, most)

    @cached_property
    def mean(self) -> Floats:
        """`(holes,)`: stones to expect."""
        return np.asarray(np.exp(self.chance) @ np.arange(self.chance.shape[1], dtype=np.float64))

    @cached_property
    def spread(self) -> Floats:
        """`(holes,)`: standard deviation of the count."""
        counts = np.arange(self.chance.shape[1], dtype=np.float64)
        square = np.exp(self.chance) @ counts**2 - self.mean**2
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def likelihoods(chance: Floats, most: int) -> Floats:
    """Rows of log-probabilities `(holes, columns)` spread over 0 .. `most`, each row's best at 0."""
    last = chance.shape[1] - 1
    rows = np.empty((len(chance), most + 1))
    rows[:, : last + 1] = chance[:, : most + 1]
    if most >= last:
        # nothing tells the counts from there on apart
        rows[:, last:] = chance[:, last:] - np.log(most - last + 1)
    return np.asarray(rows - rows.max(axis=1, keepdims=True), dtype=np.float64)


class Counter:
    """The network, loaded; it is not to be run by two threads at once."""

    def __init__(self) -> None:
        """Load the shipped network: about 10 ms."""
        data = files("vision").joinpath(MODEL).read_bytes()
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))

    def __call__(self, crops: Pixels) -> Counted:
        """Count crops `(holes, 3, SIZE, SIZE)` as `vision.crops.batch` makes them; there may be none.

        Raises:
            ValueError: another shape.
        """
        if crops.shape[1:] != (3, SIZE, SIZE):
            raise ValueError(
                f"crops of shape {crops.shape} were given: (holes, 3, {SIZE}, {SIZE}) is expected"
            )
        if not len(crops):
            return Counted(np.zeros((0, 1)), np.zeros((0, 1)))
        self._net.setInput(crops)
        logits, features = (np.asarray(out, np.float64) for out in self._net.forward(["logits", "features"]))
        logits -= logits.max(axis=1, keepdims=True)
        return Counted(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), features)

    @cached_property
    def about(self) -> dict[str, object]:
        """The training run: pictures, steps, seed, digest of the network, figures on held-out boards."""
        told: dict[str, object] = json.loads(files("vision").joinpath("counter.json").read_text("utf-8"))
        return told


class Steady:
    """A counter that counts anew only the holes that look otherwise than when it counted them last."""

    def __init__(self) -> None:
        self._counter = Counter()
        self._crops: Pixels = np.zeros((0, 3, SIZE, SIZE), np.float32)
        self._counted = Counted(np.zeros((0, 1)), np.zeros((0, 1)))

    def __call__(self, crops: Pixels) -> Counted:
        """Count crops as `Counter` does, of the same holes as before, or of others."""
        if crops.shape != self._crops.shape:
            self._crops, self._counted = crops.copy(), self._counter(crops)
            return self._counted
        cells = (crops - self._crops).reshape(len(crops), 3, SIZE // CELL, CELL, SIZE // CELL, CELL)
        other = np.abs(cells.mean(axis=(3, 5))).max(axis=(1, 2, 3), initial=0.0) > SAME
        if other.any():
            fresh = self._counter(crops[other])
            chance, features = self._counted.chance.copy(), self._counted.features.copy()
            chance[other], features[other] = fresh.chance, fresh.features
            self._counted = Counted(chance, features)
            self._crops[other] = crops[other]
        return self._counted


def said_of(view: View, counter: Counter, most: int) -> Floats:
    """Log-likelihoods `(holes, most + 1)` of a picture by itself: zeros for a hole that something hides."""
    rows = counter(batch(view)).likelihoods(most)
    rows[measure(coarse(view)).covered > HIDDEN_AT] = 0.0
    return rows
