"""What really happened, in the simulation's own words: the measure of whoever watches the board."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

What = Literal["game", "move", "mistake", "mended", "touched", "takeback", "over"]


@dataclass(frozen=True, slots=True)
class Truth:
    """One thing that happened. Fields that have no meaning for it are None."""

    truth: What
    t: float = 0.0
    """Seconds since the board was switched on, when the hand had done it."""
    player: int | None = None
    """Who did it."""
    move: str | None = None
    """In notation: the move made, meant or taken back."""
    kind: str | None = None
    """Of a mistake: one of `mistakes.KINDS`."""
    pits: tuple[int, ...] | None = None
    """Of a mistake or a touch: the holes that name it."""
    want: tuple[int, ...] | None = None
    """Of a mistake: what should lie in each hole."""
    game: str | None = None
    """What is set out."""
    options: Mapping[str, Any] | None = None
    counts: tuple[int, ...] = ()
    """What lies in each hole at `t`."""

    def as_json(self) -> dict[str, Any]:
        """As plain JSON values, without the fields that have no meaning."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: value for key, value in plain.items() if value is not None}
