"""Verdicts in plain sentences: what happened, and what to do about it."""

from collections.abc import Sequence

from engine.game import Game, State
from engine.match import Refilling, Round, Share
from engine.move import Move
from engine.step import Counts
from referee.events import Mend
from referee.explain import Explanation

_WHAT = {
    "wrong_player": "{pit} was sown out of turn: it is {mover}'s move",
    "not_own_pit": "{mover} sowed {pit}, which is not a pit of {mover}",
    "illegal_pit": "{pit} may not be sown: {rule}",
    "touched_other_pit": "{mover} touched {pit} and must sow it, but sowed {second}",
    "seeds_left_behind": "{pit} was not lifted whole: no seed stays behind",
    "sown_short": "the last seed lies short, in {second}: it belongs in {pit}",
    "sown_long": "the last seed lies too far on, in {second}: it belongs in {pit}",
    "skipped_pit": "{pit} was skipped: each hole on the way gets one seed",
    "double_drop": "{pit} got two seeds in passing: each hole on the way gets one",
    "wrong_direction": "{pit} was sown the wrong way round",
    "wrong_store": "a seed was sown into {pit}, which {mover} passes over",
    "relay_not_continued": "the sowing was to go on from {pit}",
    "relay_too_far": "the sowing was over at {pit}",
    "capture_missed": "the capture of {pits} was not taken",
    "capture_wrong": "the capture is not right at {pits}",
    "capture_to_wrong_store": "the capture went into {pit}: it belongs to {mover}",
    "seeds_missing": "{seeds} missing from the board, at {pit}",
    "seeds_added": "{seeds} too many on the board, at {pit}",
    "taken_back": "an earlier position was put back: taking back is locked",
    "board_disturbed": "no move explains the board",
}
_RULE = {
    "wrong_player": "Players move in turn; it is {mover}'s.",
    "not_own_pit": "A player sows pits of their own.",
    "illegal_pit": "{why}.",
    "touched_other_pit": "Who has touched a pit that may be sown must sow it.",
    "seeds_left_behind": "All seeds of a pit are lifted.",
    "sown_short": "Seeds are sown one a hole, without passing over or doubling one.",
    "sown_long": "Seeds are sown one a hole, without passing over or doubling one.",
    "skipped_pit": "Seeds are sown one a hole, without passing over or doubling one.",
    "double_drop": "Seeds are sown one a hole, without passing over or doubling one.",
    "wrong_direction": "{name} is sown one way round by {mover} here.",
    "wrong_store": "Seeds go into a player's own store, or into none, as {name} has it.",
    "relay_not_continued": "A last seed that joins others is lifted with them and sown on, as {name} has it.",
    "relay_too_far": "A relay ends where {name} says it does, and not later.",
    "capture_missed": "What a move captures is lifted before the next move.",
    "capture_wrong": "What is lifted is what a move captures, and nothing else.",
    "capture_to_wrong_store": "Captured seeds go into the store of whom the rules give them to.",
    "seeds_missing": "Seeds stay on the board: their sum is the same throughout.",
    "seeds_added": "Seeds stay on the board: their sum is the same throughout.",
    "taken_back": "Only the arbiter takes moves back.",
    "board_disturbed": "Between two moves the seeds lie still.",
}


def verdict(
    game: Game,
    state: State,
    kind: str,
    pits: Sequence[int],
    mend: Sequence[Mend],
    move: Move | None,
    also: str = "",
    also_pits: Sequence[int] = (),
) -> str:
    """The mistake, a second one in the same turn if there is one, and their mend: a sentence each."""
    what = [_what(game, state, kind, pits, mend, move)]
    if also:
        what.append(_what(game, state, also, also_pits, mend, move))
    return " ".join([*what, mend_in_words(game, mend)])


def _what(
    game: Game, state: State, kind: str, pits: Sequence[int], mend: Sequence[Mend], move: Move | None
) -> str:
    names = [game.hole_name(pit) for pit in pits] or [""]
    short = sum(item.want - item.seeds for item in mend)
    rule = game.why_not(state, move).split(";")[0] if move and kind == "illegal_pit" else ""
    what = _WHAT[kind].format(
        pit=names[0],
        second=names[-1],
        pits=" and ".join(names),
        seeds=seeds_in_words(abs(short)),
        mover=game.player_name(state.player) if state.player is not None else "nobody",
        rule=rule,
    )
    # A name stays as it is: c is another pit than C.
    first = what[0] if _WHAT[kind].startswith("{pit}") else what[0].upper()
    return f"{first}{what[1:]}."


def rule(game: Game, state: State, kind: str, move: Move | None) -> str:
    """The rule that a kind of mistake is against, in one sentence."""
    why = game.why_not(state, move).split(";")[0] if move and kind == "illegal_pit" else ""
    return _RULE[kind].format(
        mover="nobody" if state.player is None else game.player_name(state.player),
        name=game.name,
        why=f"{why[:1].upper()}{why[1:]}",
    )


def choice(game: Game, one: Explanation) -> str:
    """What has happened, as a choice of those who are asked."""
    moves = " then ".join(game.name_of(move) for move in one.moves)
    match one.story:
        case "still":
            return "nothing is out of place"
        case "move" | "moves":
            return moves
        case "begun":
            return f"{moves}, and the next move begun"
        case "due":
            return f"{moves} with captures to be lifted"
        case "hand":
            return f"{moves} in mid-relay" if one.kind else f"{moves} with seeds in the hand"
        case "earlier":
            return "moves taken back"
        case "unknown":
            return "something else"
    return f"a board that wants: {mend_in_words(game, mends(one.counts, one.want))}"


def story(game: Game, one: Explanation) -> str:
    """What has happened, in a few words: of a mistake what was meant, and how it went wrong."""
    if one.story != "mistake":
        return choice(game, one)
    what = one.kind.replace("_", " ")
    return f"{game.name_of(one.moves[0])}, {what}" if one.moves else what


def ruling(game: Game, by: str, player: int, seeds: int) -> str:
    """A ruling that a board stands, in a sentence.

    Args:
        by: as in `Ruling`.
        player: who is to move.
        seeds: on the board more than before.
    """
    parts = ["The players go on from" if by == "players" else f"The {by} accepts", " the board as it lies"]
    if seeds:
        parts.append(f", {seeds_in_words(abs(seeds))} {'more' if seeds > 0 else 'fewer'} than before")
    return f"{''.join(parts)}: {game.player_name(player)} is to move."


def demanded(by: str) -> str:
    """A ruling that a board is put right, in a sentence."""
    return f"The {by} wants the board put right."


def seeds_in_words(number: int) -> str:
    """
    >>> seeds_in_words(1), seeds_in_words(3)
    ('1 seed', '3 seeds')
    """
    return f"{number} seed" if number == 1 else f"{number} seeds"


def mends(seeds: Counts, want: Counts) -> tuple[Mend, ...]:
    """Every hole in which the two differ."""
    return tuple(
        Mend(hole, there, wanted)
        for hole, (there, wanted) in enumerate(zip(seeds, want, strict=True))
        if there != wanted
    )


def layout(before: Round, following: Round | Refilling) -> str:
    """What the players do to lay out the next round."""
    game, number = following.game, following.number
    if isinstance(following, Refilling):
        each = (_share(game, player, share) for player, share in enumerate(following.shares))
        return f"Round {number}: {'; '.join(each)}."
    parts = [f"Round {number}: {_even(following.start.pits)}."]
    owner = game.rules.board.owner
    for pit, was in enumerate(before.game.rules.board.owner):
        if owner[pit] != was:
            name, who = game.hole_name(pit), game.player_name(owner[pit])
            parts.append(f"Pit {name} is {who}'s from now on: mark it.")
    return " ".join(parts)


def _even(pits: Sequence[int]) -> str:
    if len(set(pits)) == 1:
        return f"{seeds_in_words(pits[0])} in each pit, and none in a store"
    return "the pits are laid out as at the start of the game"


def _share(game: Game, player: int, share: Share) -> str:
    """What one player lays out for a round, in words."""
    names = [game.hole_name(pit) for pit in share.short]
    parts = []
    if share.full:
        parts.append(f"fills {', '.join(game.hole_name(pit) for pit in share.full)}")
    if share.spread:
        parts.append(f"spreads {seeds_in_words(share.spread)} over {', '.join(names)}")
    elif names:
        parts.append(f"leaves {', '.join(names)} empty")
    if share.store:
        parts.append(f"has {seeds_in_words(share.store)} in the store")
    return f"{game.player_name(player)} {', '.join(parts)}"


def mend_in_words(game: Game, mend: Sequence[Mend]) -> str:
    """Which holes to take from and which to add to; empty where nothing is to be done."""
    take = [
        f"{item.seeds - item.want} from {game.hole_name(item.pit)}" for item in mend if item.seeds > item.want
    ]
    put = [
        f"{item.want - item.seeds} into {game.hole_name(item.pit)}" for item in mend if item.seeds < item.want
    ]
    parts = [f"take {', '.join(take)}"] if take else []
    parts += [f"put {', '.join(put)}"] if put else []
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""
