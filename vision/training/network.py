"""The counting network, in torch: crops to logits of each count, and features that fine-tuning works on."""

import torch
from torch import Tensor, nn

from vision.crops import SIZE

COUNTS = 41
"""0 to 39 stones, and more."""
FEATURES = 48
DEEP = 64
FINE = 4
"""Layers after which a stone still covers some cells."""
CELLS = SIZE // 8


class Residual(nn.Module):
    """Two convolutions whose sum with what goes in goes out."""

    def __init__(self, channels: int, idle: bool = False) -> None:
        """An `idle` one adds nothing before it is trained, to what is not negative."""
        super().__init__()
        last = nn.BatchNorm2d(channels)
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), last,
        )  # fmt: skip
        if idle:
            nn.init.zeros_(last.weight)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


def step(inputs: int, outputs: int, size: int, stride: int) -> nn.Sequential:
    """A convolution, normalised."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class Counter(nn.Module):
    """Crops `(n, 3, SIZE, SIZE)` to `logits` `(n, COUNTS)` and `features` `(n, FEATURES)`."""

    def __init__(self, shallow: bool = False) -> None:
        """A `shallow` one lacks three layers, which begin without effect in one that goes on from it."""
        super().__init__()
        self.body = nn.Sequential(
            step(3, 16, 5, 2), step(16, 16, 3, 1), step(16, 32, 3, 2), Residual(32), step(32, DEEP, 3, 2),
            Residual(DEEP), Residual(DEEP),
        )  # fmt: skip
        self.fine: nn.Module = nn.Identity()
        self.deep: nn.Module = nn.Identity()
        if not shallow:
            self.fine = Residual(32, idle=True)
            self.deep = nn.Sequential(Residual(DEEP, idle=True), Residual(DEEP, idle=True))
        self.stones = nn.Conv2d(DEEP, 1, 1)
        self.squeeze = nn.Linear(2 * DEEP + 1, FEATURES)
        self.last = nn.Linear(FEATURES, COUNTS)

    def dense(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Features of each cell, and how many stones have their middle in it `(n, 1, CELLS, CELLS)`."""
        cells = self.deep(self.body[FINE:](self.fine(self.body[:FINE](x))))
        return cells, nn.functional.softplus(self.stones(cells))

    def features(self, cells: Tensor, density: Tensor) -> Tensor:
        mean = nn.functional.adaptive_avg_pool2d
        most = nn.functional.adaptive_max_pool2d(cells, 1)
        pooled = torch.cat([mean(cells, 1), most, mean(density, 1) * (CELLS**2 / 4)], 1).flatten(1)
        return torch.tanh(self.squeeze(pooled) * 0.5) * 3

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        features = self.features(*self.dense(x))
        return self.last(features), features
