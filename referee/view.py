"""What there is to draw now: the referee's mind at one instant, for lamps and page.

Events tell what happened; a `View` tells how things stand. Both come from the referee alone.
"""

from dataclasses import dataclass
from typing import Any, Literal

from referee.events import GameOver, Mend, Question, Violation, as_json
from referee.policy import Policy

Phase = Literal["setup", "waiting", "sowing", "capture", "mend", "decide", "question", "over", "lost"]
"""What the table waits for: the start position, a move, the rest of a sowing, captures to be lifted,
a mend, a ruling, an answer; nothing any more; the sensor."""


@dataclass(frozen=True, slots=True)
class View:
    """One instant of one game. Tuples with an entry a hole list pits in ring order, then stores by player."""

    game: str
    options: tuple[tuple[str, Any], ...]
    players: int
    pits: int
    """Number of pits; the holes after them are stores."""
    counts: tuple[int, ...]
    """`(holes,)`: the accepted position."""
    live: tuple[int, ...]
    """`(holes,)`: the most likely count of each hole at this moment, in the middle of a sowing too."""
    certain: tuple[float, ...]
    """`(holes,)`, 0 to 1: the probability of each count in `live`."""
    hand: tuple[float, ...]
    """`(holes,)`, 0 to 1: how likely a hand is over the hole."""
    phase: Phase
    player: int | None = None
    """Who is to move; None when the game is over."""
    touched: int | None = None
    """The pit that was touched or lifted and not yet played out."""
    binding: bool = False
    """Whether `touched` must now be sown (touch-means-sow)."""
    legal: tuple[int, ...] = ()
    """The pits that `player` may play."""
    due: tuple[int, ...] = ()
    """The pits whose seeds are captured and not yet lifted."""
    mend: tuple[Mend, ...] = ()
    """The holes to put right, in phases "setup", "mend" and "decide"."""
    violation: Violation | None = None
    """The mistake that `mend` is about."""
    question: Question | None = None
    """What the players are asked, in phase "question"."""
    result: GameOver | None = None
    """How it ended, in phase "over"."""
    owner: tuple[int, ...] = ()
    """By pit, whose it is."""
    closed: tuple[int, ...] = ()
    """Pits that are closed for this round (Congklak's *ngacang*)."""
    changed: tuple[int, ...] = ()
    """Pits that change hands for the round that is being laid out, in phase "setup"."""
    round: int = 0
    """The round of a match that is played or laid out, from 1; 0 where no match is played."""
    standing: tuple[int, ...] = ()
    """By player, what wins the match (pits held, seeds owned) after the rounds before; () in the first."""
    policy: Policy = "strict"
    """What becomes of a board that is against the rules."""
    locked: bool = False
    """Taking back is for the arbiter alone."""
    deciders: tuple[int, ...] = ()
    """In phase "decide", the players of whom a ruling is awaited; none where it is the arbiter's."""
    follows: int | None = None
    """Who is to move if the board of the violation is accepted and nobody says otherwise."""
    note: str = ""
    """How the next round is laid out, and what is not right yet, in phase "setup" between rounds."""

    def __post_init__(self) -> None:
        holes = len(self.counts)
        if not (len(self.live) == len(self.certain) == len(self.hand) == holes >= self.pits):
            raise ValueError(
                f"a view of {holes} holes and {self.pits} pits wants live, certain and hand of that length; "
                f"got {len(self.live)}, {len(self.certain)} and {len(self.hand)}"
            )


def view_as_json(view: View) -> dict[str, Any]:
    """The view as plain JSON values, under the names of its fields."""
    return {
        "game": view.game,
        "options": dict(view.options),
        "players": view.players,
        "pits": view.pits,
        "counts": list(view.counts),
        "live": list(view.live),
        "certain": [round(value, 4) for value in view.certain],
        "hand": [round(value, 3) for value in view.hand],
        "phase": view.phase,
        "player": view.player,
        "touched": view.touched,
        "binding": view.binding,
        "legal": list(view.legal),
        "due": list(view.due),
        "mend": [{"pit": m.pit, "seeds": m.seeds, "want": m.want} for m in view.mend],
        "violation": as_json(view.violation) if view.violation else None,
        "question": as_json(view.question) if view.question else None,
        "result": as_json(view.result) if view.result else None,
        "owner": list(view.owner),
        "closed": list(view.closed),
        "changed": list(view.changed),
        "round": view.round,
        "standing": list(view.standing),
        "policy": view.policy,
        "locked": view.locked,
        "deciders": list(view.deciders),
        "follows": view.follows,
        "note": view.note,
    }
