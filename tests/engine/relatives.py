"""The other games of rules.md as values of `Rules`: proof that the one engine is built for all of them.

A game is shipped when its match, its set-up and its options are there too; these are single rounds.
"""

from engine.game import Game
from engine.rules import ByCount, Facing, Resown, Rules, own_loops, shared_ring, two_rows

STANDARD = Rules(board=shared_ring(2), seeds=4, captures=(ByCount((2, 3)),))
STANDARD_SKIPS = Rules(board=shared_ring(2), seeds=4, captures=(ByCount((2, 3)),), skip_origin=True)
THUNDERCLAP = Rules(
    board=shared_ring(2),
    seeds=4,
    captures=(ByCount((4,), theirs_only=False, chain=False),),
    relay="onward",
    passing=4,
)
SLINGSHOT = Rules(
    board=shared_ring(2),
    seeds=5,
    directions=(1, -1),
    captures=(Facing(needs_prey=False),),
    relay="back",
)
SIMPLE = Rules(
    board=own_loops(), seeds=2, directions=(-1,), relay="onward", resown=Resown(), least_lift=2,
    sweep="none",
)  # fmt: skip
MANGALA2 = Rules(
    board=two_rows(6, "off"), seeds=6, captures=(ByCount((2, 4, 6), theirs_only=False),), no_move="pass"
)


def congklak(row: int) -> Rules:
    return Rules(
        board=two_rows(row, "left"),
        seeds=row,
        directions=(-1,),
        extra_turn=True,
        relay="onward",
        captures=(Facing(),),
        no_move="pass",
    )


def game(name: str, rules: Rules) -> Game:
    return Game(name, {}, rules)
