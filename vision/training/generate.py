"""Draw pits with known counts: `python -m vision.training.generate DIR [--shards N] [--seed S] [--flat F]`.

A shard is a file `0000.npz` of `LOOKS` boards with `EACH` pictures each: `crops` `(pictures, SIZE, SIZE,
3)` BGR, `counts` `(pictures,)`, `longness` of stores `(pictures,)`, `stones` `(pictures, MOST, 2)` pixels
or NaN, and the `look` each is of, which is unique to it. A shard follows from seed, number and
the share of flat holes alone, and one that is there is not drawn again.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.crops import SIZE
from vision.training.scene import MOST, picture, random_count, random_look, room, with_flat_holes

LOOKS, EACH = 256, 4


def shard(
    seed: int, number: int, flat: float = 0.0, looks: int = LOOKS, each: int = EACH
) -> dict[str, NDArray[Any]]:
    """One shard's arrays; a share `flat` of the boards have holes with flat bottoms."""
    total = looks * each
    crops = np.zeros((total, SIZE, SIZE, 3), np.uint8)
    counts, look_of = np.zeros(total, np.int16), np.zeros(total, np.int32)
    longness, stones = np.zeros(total, np.float32), np.full((total, MOST, 2), np.nan, np.float32)
    for number_of_look in range(looks):
        rng = np.random.default_rng([seed, number, number_of_look])
        look = random_look(rng)
        if flat and rng.random() < flat:
            look = with_flat_holes(look, rng)
        for k in range(each):
            at = number_of_look * each + k
            longness[at] = round(float(rng.uniform(0.4, 1.2)), 2) if rng.random() < 0.1 else 0.0
            wanted = random_count(rng, room(look, float(longness[at])))
            crops[at], where = picture(look, rng, wanted, float(longness[at]))
            counts[at], stones[at, : len(where)] = len(where), where
            look_of[at] = number * looks + number_of_look
    return {"crops": crops, "counts": counts, "longness": longness, "stones": stones, "look": look_of}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--flat", type=float, default=0.0, help="share of boards whose holes have flat bottoms"
    )
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for number in range(asked.shards):
        path = asked.folder / f"{number:04}.npz"
        if not path.exists():
            part = path.with_suffix(".part.npz")
            np.savez(part, **shard(asked.seed, number, asked.flat))  # type: ignore[arg-type]
            part.rename(path)
            print(path, flush=True)


if __name__ == "__main__":
    main()
