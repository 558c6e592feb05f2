"""What becomes of a board that is against the rules: legality is a policy, from casual to tournament play.

====================  =======================================================================================
policy                after a violation
====================  =======================================================================================
``strict``            the board is to be put right
``warn``              the violation is said; it may be put right, or the players go on: they press `done`, or
                      the next player moves on from the board as it lies
``opponent_decides``  the opponent says whether it stands as it lies (`accept`) or is put right (`correct`);
                      put right unasked, it needs no answer
``arbiter``           play waits for the arbiter, who says the same, and may name who is to move
====================  =======================================================================================

Under each of them the arbiter may accept the board as it lies, at any time when it is read surely. That is a
*ruling*: a position put in the place of the settled one, from which play goes on. Who is to move then follows
from what was done, as far as that is known.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from engine import line, position
from engine.game import Game, State
from engine.step import Take, after
from referee import explain
from referee.belief import Belief
from referee.explain import Explanation

Policy = Literal["strict", "warn", "opponent_decides", "arbiter"]
By = Literal["players", "opponent", "arbiter"]
"""Who has ruled."""

_PLAYED_ON = -4.0
"""Nats: players move on from a board that the referee has called wrong."""


def culprit(game: Game, state: State, one: Explanation) -> int | None:
    """Who went wrong; None where nobody can be named."""
    if not one.moves or state.player is None:
        return None
    return game.rules.board.owner[one.moves[0].pit] if one.kind == "wrong_player" else state.player


def follower(game: Game, state: State, one: Explanation) -> int:
    """Who moves next if the board of a mistake stands as it lies.

    What was sown counts as a turn, with the further one that its move earns; what was only shoved about, lost
    or taken does not.
    """
    player, counts = state.player or 0, state.counts
    for move in one.moves:
        sower = game.rules.board.owner[move.pit] if one.kind == "wrong_player" else player
        sown = game.sown(replace(state, pits=counts[: game.pits], stores=counts[game.pits :]), sower, move)
        player = sower if sown.extra_turn else (sower + 1) % game.players
        counts = after(counts, [step for step in sown.steps if not isinstance(step, Take)])
    return player


def played_on(game: Game, state: State, one: Explanation) -> list[tuple[int, Explanation]]:
    """How play may go on from the board of a mistake as it lies: who moved, and what is to be seen of it.

    Where nobody knows what was done, anybody may be next.
    """
    found = []
    for player in (follower(game, state, one),) if one.moves else range(game.players):
        there = position.read(game, line.ruled(game, state, one.counts, player))
        ways = explain.legal(there, explain.traces(game, there))
        found += [(player, way) for way in ways if way.story != "still"]
    return found


def gone_on(
    belief: Belief,
    mistaken: Explanation,
    ways: Sequence[tuple[int, Explanation]],
    rivals: Sequence[Explanation],
) -> tuple[tuple[int, Explanation], float] | None:
    """The likeliest way in which play has gone on from a wrong board, and its probability.

    None where the wrong board still lies there.

    Args:
        mistaken: the wrong board.
        ways: as `played_on` has them.
        rivals: what else may lie on the board.
    """
    if not ways:
        return None
    boards = np.array([one.counts for one in (mistaken, *(way for _, way in ways), *rivals)], dtype=np.int64)
    priors = [0.0, *(_PLAYED_ON + way.prior for _, way in ways), *(one.prior for one in rivals)]
    fit = belief.fit(boards) + np.array(priors)
    at = int(fit[: len(ways) + 1].argmax())
    if at == 0:
        return None
    # Two stories of one board are no doubt about the board.
    others = (boards != boards[at]).any(axis=1)
    return ways[at - 1], float(1.0 / (1.0 + np.exp(fit[others] - fit[at]).sum()))
