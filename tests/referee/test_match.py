"""A match by observations: rounds that end, boards laid out for the next one, and what is said of it."""

from typing import Any

import pytest

from engine import games
from engine.errors import BadInput
from engine.match import Round, first
from referee import lamps
from referee.events import GameOver, GameStarted, RoundOver, Turn
from referee.match import MatchReferee
from tests.referee.story import Story


def donderslag() -> Story:
    """One seed is left, in F: South sows it into a, North a into b, and South cannot move. 27 to 21."""
    game = games.load("orient-thunderclap")
    return matched(Round(1, game, game.start([0, 0, 0, 0, 0, 1, *[0] * 6], (27, 20)), (0, 0)))


def congklak(stores: tuple[int, int], **options: Any) -> Story:
    """Five pits, fifty seeds. South's store lies left of A: A's one seed goes into it, South has run out, and
    North keeps the seed in its own e."""
    game = games.load("congklak", {"pits": 5, **options})
    start = game.start([1, 0, 0, 0, 0, 0, 0, 0, 0, 1], [stores[0] - 1, stores[1] - 1])
    return matched(Round(1, game, start, (0, 0)))


def matched(round_: Round) -> Story:
    # A story knows a referee by what it is asked, and a match answers alike.
    referee: Any = MatchReferee(round_)
    return Story(round_.game, referee)


def last(story: Story, kind: type[Any]) -> Any:
    return [event for event in story.events if isinstance(event, kind)][-1]


def names(story: Story, mark: int = 0) -> list[str]:
    return [name for name in story.since(mark) if name not in ("sowing", "touch")]


# Conquest.


def test_a_conquered_pit_and_the_next_round_by_itself() -> None:
    story = donderslag()
    story.sow("F")
    mark = len(story.events)
    story.sow("a")
    assert names(story, mark) == ["move", "round_over"]
    over = last(story, RoundOver)
    # South cannot move; b's seed is North's: 27 to 21. South takes f, and holds 7 pits of 12.
    assert (over.round, over.scores, over.winners, over.ran_out) == (1, (27, 21), (0,), None)
    assert (over.totals, over.standing, over.leaders) == ((27, 21), (7, 5), (0,))

    view = story.referee.view()
    assert (view.phase, view.round, view.player) == ("setup", 2, 1)
    assert view.counts == (*[4] * 12, 0, 0)
    assert view.changed == (11,)
    assert view.owner == (0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0)
    assert view.note.startswith(
        "Round 2: 4 seeds in each pit, and none in a store. Pit f is South's from now on: mark it."
    )
    assert {item.pit: item.want for item in view.mend} == {**dict.fromkeys(range(12), 4), 12: 0, 13: 0}

    mark = len(story.events)
    story.show((*[4] * 11, 3, 1, 0))
    assert names(story, mark) == []
    view = story.referee.view()
    assert [(item.pit, item.seeds, item.want) for item in view.mend] == [(11, 3, 4), (12, 1, 0)]
    assert view.note.endswith("Pit f holds 3 seeds: 4 were expected.")
    assert [lamps.plan(view)[hole] for hole in (0, 11, 12)] == [lamps.DARK, lamps.TOO_FEW, lamps.TOO_MANY]

    story.counts = (*[4] * 12, 0, 0)
    story.look()
    assert lamps.plan(story.referee.view())[11] == lamps.TAKEN_OVER
    story.wait(2.0)
    assert names(story, mark) == ["game_started", "turn"]
    started = last(story, GameStarted)
    assert (started.round, started.ply, dict(started.options)["owner"]) == (2, 0, "0 0 0 0 0 0 1 1 1 1 1 0")
    # The loser starts; f is no longer North's to lift.
    assert (last(story, Turn).player, last(story, Turn).legal) == (1, ("a", "b", "c", "d", "e"))
    story.game = story.referee.game
    mark = len(story.events)
    story.sow("e")
    assert names(story, mark)[-2:] == ["move", "turn"]
    assert story.referee.view().standing == (7, 5)


def test_eleven_pits_end_the_match() -> None:
    """North holds b and f alone. South's F goes into a, South's own: North cannot move, and loses a pit."""
    game = games.load("orient-thunderclap", {"owner": "0 0 0 0 0 0 0 1 0 0 0 1"})
    story = matched(Round(5, game, game.start([0, 0, 0, 0, 0, 1, *[0] * 6], (27, 20)), (100, 90)))
    story.sow("F")
    over = last(story, GameOver)
    assert (over.scores, over.winners, over.reason) == ((11, 1), (0,), "11 pits are held")
    assert last(story, RoundOver).totals == (128, 110)
    assert story.referee.view().phase == "over"
    with pytest.raises(BadInput, match="end has no meaning: the match is over"):
        story.referee.input(story.t, "end")


# Refilling.


def test_what_does_not_fill_a_pit_is_spread_as_its_owner_likes_and_read_from_the_board() -> None:
    """South has 13: A and B are filled, 3 seeds are spread over C, D and E. North, 37, stores 12."""
    story = congklak((13, 37))
    mark = len(story.events)
    story.sow("A")
    assert names(story, mark) == ["move", "round_over"]
    over = last(story, RoundOver)
    assert (over.scores, over.winners, over.ran_out, over.leaders) == ((13, 37), (1,), 0, (1,))
    view = story.referee.view()
    assert view.note.startswith(
        "Round 2: South fills A, B, spreads 3 seeds over C, D, E; "
        "North fills a, b, c, d, e, has 12 seeds in the store."
    )
    assert view.closed == (2, 3, 4)

    mark = len(story.events)
    for pits, stores, sentence in (
        ((5, 4, 2, 1, 1), (0, 12), "Pit B holds 4 seeds: 5 were expected, full pits come first."),
        ((5, 5, 0, 1, 1), (1, 12), "Pits C, D, E hold 2 seeds together: 3 were expected."),
        ((5, 5, 1, 1, 1), (1, 11), "Take 1 from South's store; put 1 into North's store."),
    ):
        story.show((*pits, 5, 5, 5, 5, 5, *stores))
        assert story.referee.view().note.endswith(sentence)
    assert names(story, mark) == []

    story.show((5, 5, 0, 1, 2, 5, 5, 5, 5, 5, 0, 12))
    assert names(story, mark) == ["game_started", "turn"]
    started = last(story, GameStarted)
    assert (started.pits, started.stores) == ((5, 5, 0, 1, 2, 5, 5, 5, 5, 5), (0, 12))
    assert dict(started.options)["short"] == "2 3 4"
    assert last(story, Turn).player == 1
    assert story.referee.view().closed == (2, 3, 4)


def test_of_all_ways_to_spread_the_one_that_lies_there_is_read() -> None:
    """With 4 seeds South fills nothing: 4 over five pits, of which A and B must not both be empty. The boards
    are 70 ways to spread less the 15 with nothing in A and B."""
    story = congklak((4, 46))
    story.sow("A")
    mark = len(story.events)
    story.show((0, 0, 4, 0, 0, 5, 5, 5, 5, 5, 0, 21))
    assert story.referee.view().note.endswith("lay at least one seed into A, B.")
    assert names(story, mark) == []
    story.show((0, 1, 3, 0, 0, 5, 5, 5, 5, 5, 0, 21))
    assert last(story, GameStarted).pits == (0, 1, 3, 0, 0, 5, 5, 5, 5, 5)


def test_who_has_lost_all_seeds_has_lost_the_match() -> None:
    game = games.load("congklak", {"pits": 5})
    start = game.start([1, *[0] * 9], [0, 49])
    story = matched(Round(3, game, start, (0, 0)))
    # Nothing is North's in the pits: the round was over before it began, and South owns a seed.
    assert names(story) == ["game_started", "round_over"]
    start = game.start([*[0] * 5, 1, *[0] * 4], [0, 49], 1)
    story = matched(Round(3, game, start, (0, 0)))
    over = last(story, GameOver)
    assert (over.scores, over.winners, over.reason) == ((0, 50), (1,), "a player has lost all seeds")


# What players say.


def test_the_last_move_of_a_round_can_be_taken_back_until_the_next_begins() -> None:
    story = congklak((13, 37))
    story.sow("A")
    story.events += story.referee.input(story.t, "takeback")
    story.show((1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 12, 36))
    assert names(story)[-2:] == ["takeback", "turn"]
    assert story.referee.view().phase == "waiting"
    story.sow("A")
    assert names(story)[-2:] == ["move", "round_over"]


@pytest.mark.parametrize(("played", "scores"), [(False, (12, 38)), (True, (13, 37))])
def test_players_agree_to_end_a_match(played: bool, scores: tuple[int, int]) -> None:
    """Before A is sown South owns 12 in store and 1 in A."""
    story = congklak((13, 37))
    if played:
        story.sow("A")
    story.events += story.referee.input(story.t, "end")
    over = last(story, GameOver)
    assert (over.scores, over.winners) == ((13, 37), (1,))
    assert over.reason == "the players agreed to end the match"
    assert story.referee.view().phase == "over"


def test_an_unfinished_round_conquers_nothing() -> None:
    story = matched(first(games.load("orient-thunderclap")))
    story.events += story.referee.input(story.t, "end")
    assert (last(story, GameOver).scores, last(story, GameOver).winners) == ((6, 6), (0, 1))


def test_who_resigns_loses_the_match() -> None:
    story = donderslag()
    story.events += story.referee.input(story.t, "resign")
    assert last(story, GameOver).winners == (1,)
    assert story.referee.view().phase == "over"


def test_what_has_no_meaning_between_rounds() -> None:
    story = congklak((13, 37))
    story.sow("A")
    for name in ("adjust", "done", "swap", "resign"):
        with pytest.raises(BadInput, match=f"{name} has no meaning"):
            story.referee.input(story.t, name)


def test_a_lost_sensor_between_rounds_is_awaited() -> None:
    story = congklak((13, 37))
    story.sow("A")
    story.events += story.referee.lost(story.t, "the plug")
    assert story.referee.view().phase == "lost"
    story.show((5, 5, 1, 1, 1, 5, 5, 5, 5, 5, 0, 12))
    assert names(story)[-1] == "sensor_lost"
    story.events += story.referee.back(story.t, "plugged in")
    story.wait(1.5)
    assert names(story)[-3:] == ["sensor_back", "game_started", "turn"]


def test_no_match_is_ended_where_none_is_played() -> None:
    story = Story(games.load("congklak", {"pits": 5}))
    with pytest.raises(BadInput, match="end has no meaning: no match of several rounds is played"):
        story.referee.input(story.t, "end")
