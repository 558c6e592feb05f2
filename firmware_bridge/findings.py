"""What can be wrong with a cell, a cup or the stones, each with its mend, in the words of people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "dead", "saturated", "slow", "noisy", "weak", "rating", "swapped", "misplaced", "coupled", "unsettled",
    "restarted", "one_stone", "seeds",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, and the mend."""

    kind: Kind
    cells: tuple[int, ...]
    """Those it is about; empty for the whole board."""
    text: str
    """With the mend."""


def saturated(cell: int, name: str) -> Finding:
    """The counts are at the end of the range."""
    return Finding(
        "saturated",
        (cell,),
        f"The cell of {name} is at the end of its range: see that nothing presses on it, "
        f"and that its four wires sit where they belong.",
    )


def dead(cell: int, name: str) -> Finding:
    """No readings, or always the same."""
    return Finding(
        "dead",
        (cell,),
        f"The cell of {name} gives no reading that changes: see to its plug and its converter, "
        f"or put in another.",
    )


def unfelt(cell: int, name: str) -> Finding:
    """Readings, but a load changes nothing."""
    return Finding(
        "dead", (cell,), f"No cell feels what lies in {name}: see that its cup rests on its cell alone."
    )


def slow(cell: int, name: str, share: float) -> Finding:
    """`share` of the readings of the fastest cell."""
    return Finding(
        "slow",
        (cell,),
        f"The cell of {name} gives {share:.0%} of the readings of the others: "
        f"set the RATE pin of its converter as on the others.",
    )


def noisy(cell: int, name: str, times: float) -> Finding:
    """`times` the noise of the others, or of what was calibrated."""
    return Finding(
        "noisy",
        (cell,),
        f"The cell of {name} is {times:.0f} times as noisy as it should be: "
        f"see to its plug and its shield, and keep draughts off.",
    )


def weak(cell: int, name: str, share: float) -> Finding:
    """`share` of what it should show."""
    return Finding(
        "weak",
        (cell,),
        f"The cell of {name} shows {share:.0%} of what the others show of the same stones: if all of them "
        f"lay there, free its cup (1 mm of air all round) and see to its screws.",
    )


def coarse_by_stones(cell: int, name: str, share: float) -> Finding:
    """`share` of what the others show: not weak, but of another rating."""
    return Finding(
        "rating",
        (cell,),
        f"The cell of {name} shows {share:.0%} of what the others show of the same stones, as a cell of 5 kg "
        f"does among cells of 500 g: too coarse for single stones. Put in one of the others' rating.",
    )


def coarse_by_weight(cell: int, name: str, counts_per_gram: float, rating_kg: float) -> Finding:
    """So few counts a gram that it must be of this rating."""
    return Finding(
        "rating",
        (cell,),
        f"The cell of {name} gives {counts_per_gram:.0f} counts a gram, as a cell of {rating_kg:g} kg does: "
        f"too coarse for single stones. Put in one of 100 to 500 g.",
    )


def coarse_by_noise(cell: int, name: str, stones: float, most: float) -> Finding:
    """A noise of so many `stones`, where `most` is allowed."""
    return Finding(
        "rating",
        (cell,),
        f"The cell of {name} has a noise of {stones:.2f} stones, as one of 5 kg has, and above {most:g} "
        f"single stones cannot be told. Put in one of 100 to 500 g, or play with heavier stones.",
    )


def misplaced(cell: int, name: str, there: int, name_there: str) -> Finding:
    """The cell of another hole feels the load: of a person's making, or of the plugs'."""
    return Finding(
        "misplaced",
        (cell, there),
        f"The cell of {name_there} feels what should lie in {name}: move it into {name}, "
        f"or say that it lies right.",
    )


def swapped(cells: tuple[int, ...], names: Sequence[str]) -> Finding:
    """Two plugs are exchanged."""
    return Finding("swapped", cells, f"The cells of {' and '.join(names)} are swapped: exchange their plugs.")


def coupled(cell: int, name: str, hole: int, name_of_hole: str, share: float, most: float) -> Finding:
    """`share` of another hole's load is felt, where `most` is allowed."""
    return Finding(
        "coupled",
        (cell, hole),
        f"The cell of {name} shows {share:.1%} of what lies in {name_of_hole}, more than {most:.0%}: "
        f"free the cups from each other and from the wood, and their cables from pull.",
    )


def all_coupled() -> Finding:
    """Each share is small, and all together are too much."""
    text = "The cells feel each other too much, all together: screw them to a stiffer base."
    return Finding("coupled", (), text)


def unsettled(cells: tuple[int, ...], names: Sequence[str]) -> Finding:
    """Some cells do not come to rest."""
    return Finding(
        "unsettled",
        cells,
        f"{' and '.join(names)} {'does' if len(cells) == 1 else 'do'} not come to rest: "
        f"hands off, and see that the cup moves freely.",
    )


def table_unsettled() -> Finding:
    """Most cells do not come to rest."""
    text = "The table does not stand still: let nobody lean on it, and see that the board does not rock."
    return Finding("unsettled", (), text)


def restarted(why: str) -> Finding:
    """Nothing measured before holds any more, because of `why`."""
    return Finding("restarted", (), f"{why[:1].upper()}{why[1:]}: begin anew.")


def not_one_stone(pit: int, name: str, gained: str, number: int) -> Finding:
    """A round of single stones in which a pit has `gained` none, or two."""
    return Finding(
        "one_stone",
        (pit,),
        f"{name} has gained {gained}: it should hold {number} now. Put that right, "
        f"or take a more usual stone.",
    )


def miscounted(there: float, seeds: int) -> Finding:
    """The whole set weighs as so many stones."""
    return Finding(
        "seeds",
        (),
        f"What lies on the board weighs as {there:.0f} stones, {seeds} were expected: count them.",
    )
