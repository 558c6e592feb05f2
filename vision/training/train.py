"""Fit the counting network: `python -m vision.training.train DIR [--steps N] [--out FILE]`.

DIR holds the shards of `vision.training.generate`; those whose number leaves 0 when divided by `HELD` are
held out, to choose the temperature and to say how good the network is. Beside the ONNX file go the weights,
and a JSON file that tells of the run. The same shards, steps and seed give the same network again wherever
torch adds alike.
"""

import argparse
import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vision.crops import SIZE, seen
from vision.training.network import CELLS, COUNTS, Counter

HELD = 12
BATCH = 64
WARM = 500
"""Steps in which the first ones grow to their length."""
EVERY = 250
"""Steps from one look at the held-out pictures to the next."""
FULL, FULLER = 9, 0.6
"""Stones from which a hole is full, and by how much oftener than others such holes are learned from."""


class Pictures:
    """The shards of a folder that are held out, or the others, in memory."""

    def __init__(self, folder: Path, held: bool) -> None:
        self.crops = np.zeros((0, SIZE, SIZE, 3), np.uint8)
        self.counts, self.look = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.longness, self.cells = np.zeros(0, np.float32), np.zeros((0, CELLS, CELLS), np.uint8)
        for path in sorted(folder.glob("[0-9][0-9][0-9][0-9].npz")):
            if (int(path.stem) % HELD == 0) != held:
                continue
            shard = np.load(path)
            cells = np.zeros((len(shard["counts"]), CELLS, CELLS), np.uint8)
            which, stone = np.nonzero(~np.isnan(shard["stones"][..., 0]))
            places = shard["stones"][which, stone]
            x, y = np.clip(places // (SIZE / CELLS), 0, CELLS - 1).astype(int).T
            np.add.at(cells, (which, y, x), 1)
            self.crops = np.concatenate([self.crops, shard["crops"]])
            self.counts = np.concatenate([self.counts, shard["counts"].astype(np.int64)])
            self.look = np.concatenate([self.look, shard["look"].astype(np.int64)])
            self.longness = np.concatenate([self.longness, shard["longness"]])
            self.cells = np.concatenate([self.cells, cells])

    def any(self, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
        """Pictures at random: of long stores and full holes, which are few, more than there are."""
        weight = 1.0 + (self.longness > 0) + FULLER * (self.counts >= FULL)
        return rng.choice(len(weight), n, p=weight / weight.sum())

    def batch(
        self, which: NDArray[np.int64], rng: np.random.Generator | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Crops as the network takes them, counts and cells; turned and coloured at random with `rng`."""
        crops: NDArray[Any] = self.crops[which].astype(np.float32)
        cells = self.cells[which].astype(np.float32)
        masks = np.array([seen(round(float(long), 2)) for long in self.longness[which]])
        if rng is not None:
            n = len(which)
            gain = np.exp(rng.normal(0, 0.12, (n, 1, 1, 3)) + rng.normal(0, 0.2, (n, 1, 1, 1)))
            power = np.exp(rng.normal(0, 0.15, (n, 1, 1, 1)))
            crops = 255 * np.clip(crops / 255 * gain, 0, 1) ** power
            mixed = rng.random(n) < 0.3
            crops[mixed] = crops[mixed][..., rng.permutation(3)]
            grey = rng.random(n) < 0.05
            crops[grey] = crops[grey].mean(axis=3, keepdims=True)
        planes = (crops - 127.5) / 64 * masks[..., None]
        if rng is not None:
            if rng.random() < 0.5:
                planes, cells = planes[:, ::-1], cells[:, ::-1]
            if rng.random() < 0.5:
                planes, cells = planes[:, :, ::-1], cells[:, :, ::-1]
            if rng.random() < 0.5:
                planes, cells = planes.transpose(0, 2, 1, 3), cells.transpose(0, 2, 1)
        ready = np.ascontiguousarray(planes.transpose(0, 3, 1, 2), dtype=np.float32)
        counts = np.minimum(self.counts[which], COUNTS - 1)
        return (
            torch.from_numpy(ready),
            torch.from_numpy(counts),
            torch.from_numpy(np.ascontiguousarray(cells)),
        )


def loss_of(model: Counter, x: Tensor, counts: Tensor, cells: Tensor) -> tuple[Tensor, Tensor]:
    """What is lowered, and the mean log loss of the counts alone."""
    features, density = model.dense(x)
    logits = model.last(model.features(features, density))
    said = torch.nn.functional.cross_entropy(logits, counts)
    # neighbouring cells share a stone whose middle lies near their border
    blur = torch.nn.functional.avg_pool2d
    got, wanted = blur(density, 3, 1, 1, count_include_pad=True), blur(cells[:, None], 3, 1, 1)
    places = torch.nn.functional.poisson_nll_loss(got * 9, wanted * 9, log_input=False, eps=1e-3)
    return said + 0.3 * places, said


def judge(model: Counter, held: Pictures) -> tuple[Tensor, Tensor]:
    """Logits and counts of the held-out pictures."""
    model = copy.deepcopy(model).eval()  # others go on learning
    logits = []
    with torch.no_grad():
        for start in range(0, len(held.counts), 256):
            which = np.arange(start, min(start + 256, len(held.counts)))
            logits.append(model(held.batch(which, None)[0])[0])
    return torch.cat(logits), torch.from_numpy(np.minimum(held.counts, COUNTS - 1))


def temperature(logits: Tensor, counts: Tensor) -> float:
    """By which logits are divided so that held-out counts are likeliest."""
    tries = np.geomspace(0.5, 4, 100)
    losses = [float(torch.nn.functional.cross_entropy(logits / float(t), counts)) for t in tries]
    return float(tries[int(np.argmin(losses))])


def figures(logits: Tensor, counts: Tensor) -> dict[str, float]:
    """How good, on pictures that were not trained on."""
    chance, said = torch.softmax(logits, 1).max(1)
    right = (said == counts).float()
    bands = {"0-4": (0, 4), "5-8": (5, 8), "9-12": (9, 12), "13+": (13, 99)}
    out = {
        name: round(float(right[(counts >= low) & (counts <= high)].mean()), 4)
        for name, (low, high) in bands.items()
    }
    out["within one"] = round(float(((said - counts).abs() <= 1).float().mean()), 4)
    out["log loss"] = round(float(torch.nn.functional.cross_entropy(logits, counts)), 4)
    error = 0.0
    for low in np.arange(0, 1, 0.1):
        there = (chance > low) & (chance <= low + 0.1)
        if there.any():
            error += float(there.float().mean()) * abs(float(chance[there].mean() - right[there].mean()))
    out["calibration error"] = round(error, 4)
    return out


def export(model: Counter, hot: float, path: Path) -> None:
    """Write the ONNX file, with the temperature in its last layer."""
    model.eval()
    with torch.no_grad():
        model.last.weight /= hot
        model.last.bias /= hot
    torch.onnx.export(
        model, (torch.zeros(2, 3, SIZE, SIZE),), str(path), input_names=["crops"],
        output_names=["logits", "features"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}, "features": {0: "n"}},
        opset_version=13, dynamo=False,
    )  # fmt: skip


def learn(model: Counter, asked: argparse.Namespace) -> None:
    """Lower the loss, in steps that go from long to none."""
    rng = np.random.default_rng(asked.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=asked.rate, weight_decay=0.02)
    pictures, held = Pictures(asked.folder, held=False), Pictures(asked.folder, held=True)
    mean = 0.0
    for step in range(min(asked.steps, asked.until or asked.steps)):
        for group in optimizer.param_groups:
            warm, far = min(1, (step + 1) / WARM), step / asked.steps
            group["lr"] = asked.rate * warm * 0.5 * (1 + np.cos(np.pi * far)) + 1e-6
        loss, said = loss_of(model, *pictures.batch(pictures.any(rng, BATCH), rng))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        mean += (float(said.detach()) - mean) / min(step + 1, 100)
        if (step + 1) % EVERY == 0:
            print(step + 1, f"{mean:.3f}", figures(*judge(model, held)), flush=True)
            torch.save(model.state_dict(), asked.out.with_suffix(".pt"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--until", type=int, help="stop after so many of the steps")
    parser.add_argument("--from", dest="before", type=Path, help="weights to go on from, with steps anew")
    parser.add_argument("--shallow", action="store_true", help="a network of fewer layers, to go on from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("counter.onnx"))
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    torch.set_num_threads(1)
    model = Counter(asked.shallow).to(memory_format=torch.channels_last)
    if asked.before:
        # what they do not have begins as it is
        model.load_state_dict(model.state_dict() | torch.load(asked.before))
    learn(model, asked)
    torch.save(model.state_dict(), asked.out.with_suffix(".pt"))
    held = Pictures(asked.folder, held=True)
    logits, counts = judge(model, held)
    hot = temperature(logits, counts)
    export(model, hot, asked.out)
    drawn = len(list(asked.folder.glob("[0-9][0-9][0-9][0-9].npz")))
    told = {
        "shards": drawn, "held out": len(held.counts), "steps": asked.steps, "until": asked.until,
        "from": asked.before and asked.before.name, "batch": BATCH,
        "seed": asked.seed, "rate": asked.rate,
        "temperature": round(hot, 3), "torch": torch.__version__, "bytes": asked.out.stat().st_size,
        "sha256": hashlib.sha256(asked.out.read_bytes()).hexdigest(),
        "on held-out boards": figures(logits / hot, counts), "licence": "Apache-2.0",
    }  # fmt: skip
    asked.out.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")
    print(told)


if __name__ == "__main__":
    main()
