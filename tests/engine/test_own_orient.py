"""Your own Oriënt (source 000), by options and by files of one's own, with each of the three games."""

from pathlib import Path

import pytest

from engine import games
from engine.errors import BadInput
from engine.step import Drop, Lift, Take
from tests.engine.played import lap, legal, play

THREE = ("orient-standard", "orient-thunderclap", "orient-slingshot")
ALTERNATE = "0 1 0 1 0 1 0 1 0 1 0 1"
FOUR = "0 1 2 3 0 1 2 3 0 1 2 3"


@pytest.mark.parametrize("game", THREE)
def test_000_1_pits_of_one_colour_need_not_be_adjacent(game: str) -> None:
    moves = legal(game, [4] * 11 + [5], owner=ALTERNATE)
    assert sorted({move[0] for move in moves}) == ["A", "C", "E", "a", "c", "e"]
    moves = legal(game, [4] * 11 + [5], player=1, owner=FOUR, players=4)
    assert {games.load(game, {"owner": FOUR, "players": 4}).parse(move).pit for move in moves} == {1, 5, 9}


def test_000_1_in_standaard_the_chain_stops_at_the_movers_own_pits() -> None:
    ply = play("orient-standard", [3, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 9], "A", owner=ALTERNATE)
    # 1, 2 and 3 become 2 each; 2 is the mover's own.
    assert ply.captured == ((3, 2),)


def test_000_1_in_donderslag_a_four_in_passing_goes_to_the_pits_owner() -> None:
    ply = play("orient-thunderclap", [4, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 9], "A", owner=ALTERNATE)
    assert ply.steps[:5] == (Lift(0, 4), Drop(1), Take(1, 4, 13), Drop(2), Take(2, 4, 12))


def test_000_1_in_slinger_the_facing_pit_may_be_ones_own() -> None:
    # 2 faces 9: South's own and North's; with 4 the same by the map.
    ply = play("orient-slingshot", [0, 0, 1, 0, 2, 0, 0, 9, 0, 0, 0, 9], "E-", owner=ALTERNATE)
    # 3 and 2 (2 now): back into 3 (2 now) and 4, empty and South's; 7 faces it and is North's.
    assert list(ply.steps) == [*lap(4, 3, 2), *lap(2, 3, 4), Take(4, 1, 12), Take(7, 9, 12)]


def test_000_2_partners_take_nothing_from_each_other() -> None:
    pits = [0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 9]
    # Player 0 (0-2) against 3 (3-5) and 1 (9-11); 2 (6-8) is the partner.
    assert play("orient-standard", pits, "0.2+", players=4, partners=True).captured == ((3, 2),)
    far = [0, 0, 4, 1, 1, 1, 1, 0, 0, 1, 0, 9]
    assert play("orient-standard", far, "0.2+", players=4).captured == ((6, 2), (5, 2), (4, 2), (3, 2))
    assert play("orient-standard", far, "0.2+", players=4, partners=True).captured == ()


def test_000_2_in_donderslag_a_last_seed_that_makes_the_partners_pit_four_goes_on() -> None:
    pits = [0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 0, 9]
    assert play("orient-thunderclap", pits, "0.2", players=4).captured == ((6, 4),)
    ply = play("orient-thunderclap", pits, "0.2", players=4, partners=True)
    assert list(ply.steps) == [*lap(2, 3, 4, 5, 6), *lap(6, 7, 8, 9, 10)]
    # In passing it is its owner's, whoever that is.
    passing = play(
        "orient-thunderclap", [0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 0, 9], "0.2", players=4, partners=True
    )
    assert passing.gain == (0, 0, 4, 0)


def test_000_2_in_slinger_a_single_seed_that_faces_the_partner_is_taken_alone() -> None:
    # In a square 1 faces 7: the partner's.
    pits = [1, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 9]
    options = {"players": 4, "layout": "square"}
    game = games.load("orient-slingshot", options)
    assert game.play(game.start(pits), game.parse("0.0+")).captured == ((1, 1), (7, 5))
    game = games.load("orient-slingshot", {**options, "partners": True})
    assert game.play(game.start(pits), game.parse("0.0+")).captured == ((1, 1),)


@pytest.mark.parametrize("game", THREE)
def test_000_2_partners_add_their_scores(game: str) -> None:
    four = games.load(game, {"players": 4, "partners": True})
    state = four.start([1] + [0] * 11, [9, 12, 8, 2])
    way = "+" if len(four.rules.directions) > 1 else ""
    while state.player is not None:
        state = four.play(state, next(iter(four.legal(state)))).state
    assert state.result is not None, way
    assert state.result.scores[1:] == (12, 8, 2)
    assert state.result.winners == (0, 2)


@pytest.mark.parametrize("game", THREE)
def test_000_3_the_game_turned_round_fewest_seeds_win(game: str) -> None:
    for misere, winner in ((False, 1), (True, 0)):
        two = games.load(game, {"misere": misere})
        state = two.start([0] * 12, [20, 28])
        assert state.result is not None
        assert state.result.winners == (winner,)


@pytest.mark.parametrize("game", THREE)
def test_000_4_more_or_fewer_seeds_a_pit_or_a_start_position(game: str) -> None:
    options = {"opening": False} if game == "orient-slingshot" else {}
    assert games.load(game, {"seeds": 3, **options}).start().pits == (3,) * 12
    given = [5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5]
    assert games.load(game, {"start": given}).start().pits == tuple(given)
    assert games.load(game, {"start": "5,4,3,2,1,0,0,1,2,3,4,5"}).start().pits == tuple(given)


@pytest.mark.parametrize("game", THREE)
def test_000_4_all_seeds_dealt_at_random_from_a_number_that_is_kept(game: str) -> None:
    usual = games.load(game)
    dealt = games.load(game, {"deal": 7})
    assert dealt.options["deal"] == 7
    assert sum(dealt.start().pits) == sum(usual.start().pits)
    assert dealt.start() == games.load(game, dict(dealt.options)).start()
    assert len({games.load(game, {"deal": deal}).start().pits for deal in range(1, 40)}) == 39


@pytest.mark.parametrize("game", [name for name in games.names() if name.startswith("orient")])
def test_every_deal_that_is_offered_can_be_dealt(game: str) -> None:
    (option,) = [option for option in games.describe(game).options if option.name == "deal"]
    assert (option.least, option.most) == (0, 999)
    for deal in (1, 250, 251, 999):
        assert sum(games.load(game, {"deal": deal}).start().pits) == sum(games.load(game).start().pits)


def test_the_same_deal_for_ever() -> None:
    # Written down: a logged game must be set out again by every later Python.
    assert games.load("orient-standard", {"deal": 7}).start().pits == (7, 5, 4, 5, 3, 4, 7, 4, 2, 3, 2, 2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"partners": True}, "orient-standard: partners needs four players: set players to 4"),
        ({"deal": 3, "start": [4] * 12}, "start and deal both say how the seeds lie at the start"),
        ({"start": [4] * 11}, "start has 11 numbers: 12 were expected"),
        ({"owner": [0] * 12}, "12 numbers from 0 to 1 were expected, each player at least once"),
        ({"owner": [0, 1, 2] * 4}, "12 numbers from 0 to 1 were expected"),
        ({"owner": "0 1 x"}, "option owner cannot be '0 1 x': whole numbers with spaces between"),
        ({"ownr": "0 1"}, "orient-standard has no option 'ownr': it has players, seeds"),
    ],
)
def test_a_contradiction_gets_one_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        games.load("orient-standard", options)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


# A file of one's own.


def written(folder: Path, text: str) -> str:
    path = folder / "house.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_gives_a_game_ones_own_defaults(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'base = "orient-standard"\ntitle = "Ours"\n[rules]\nplayers = 4\npartners = true\nmisere = true\n'
        'owner = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]\ngrand_slam = "forbidden"\n',
    )
    game = games.load(path)
    assert games.describe(path).title == "Ours"
    assert game.rules.board.owner == (0, 1, 2, 3) * 3
    assert (game.rules.partners, game.rules.misere, game.rules.grand_slam) == (True, True, "forbidden")
    # Six seeds go with four players in the base, and so here.
    assert game.start().pits == (6,) * 12
    assert not games.load(path, {"misere": False}).rules.misere
    assert games.load(game.name, dict(game.options)) == game


def test_oware_of_the_club(tmp_path: Path) -> None:
    path = written(tmp_path, 'base = "oware"\n[rules]\ngrand_slam = "forbidden"\nseeds = 3\n')
    game = games.load(path)
    assert game.start().pits == (3,) * 12
    assert games.describe(path).title == games.describe("oware").title


def test_a_game_whole_in_a_file_of_ones_own(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'title = "Four and four"\nsource = "us"\ntext = "Two rows of four."\n'
        "[options.seeds]\nleast = 2\ndefault = 2\n[options.repetition]\n"
        '[board]\nshape = "two_rows"\nrow = 4\nstore = "right"\n'
        '[rules]\nseeds = "$seeds"\nextra_turn = true\nrelay = "onward"\nrepetition = "$repetition"\n',
    )
    game = games.load(path, {"seeds": "3"})
    assert game.start().pits == (3,) * 8
    assert game.rules.relay == "onward"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('base = "oware"\nrule = 3\n', "has no key 'rule': base, title, text and rules may be there"),
        ('base = "owari"\n', "base is 'owari': one of "),
        ('base = "oware"\nrules = 3\n', "rules is 3: a table of options was expected"),
        ('base = "oware"\n[rules]\nlayout = "square"\n', "oware has no option 'layout'"),
        ('base = "oware"\n[rules]\nseeds = "many"\n', "option seeds cannot be 'many'"),
        ('base = "orient-standard"\n[rules]\npartners = true\n', "partners needs four players"),
        (
            'base = "simple-mancala"\n[rules]\nnorth_direction = "counterclockwise"\n',
            "set direction to each_player",
        ),
        ("base = ", "is not TOML"),
        ('title = "x"\nsource = "x"\ntext = "x"\noptions = 1\n[board]\n[rules]\n', "options is 1: a table"),
        (
            'title = "x"\nsource = "x"\ntext = "x"\n[options]\n[board]\n[rules]\n',
            "board.shape is not one of two_rows",
        ),
        ('title = "x"\n', "board, options, rules, source, text missing: it wants board"),
    ],
)
def test_a_file_that_cannot_be_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInput) as error:
        games.load(path)
    assert sentence in str(error.value)
    assert path in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        games.load(str(tmp_path / "none.toml"))
    with pytest.raises(BadInput, match=r"unknown game 'none': one of .*congklak"):
        games.load("none")


@pytest.mark.parametrize("name", games.names())
def test_every_game_is_told_in_three_languages(name: str) -> None:
    told = [games.describe(name, language) for language in games.LANGUAGES]
    assert len({one.text for one in told}) == 3
    for options in zip(*(one.options for one in told), strict=True):
        assert len({option.text for option in options}) == 3, options[0].name


@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        ("oware", "en", ("takes nothing", "cannot move although the opponent has seeds")),
        ("oware", "nl", ("vangt niets", "niet kunt zetten terwijl de tegenstander nog stenen heeft")),
        ("oware", "de", ("fängt aber nichts", "nicht ziehen kann, obwohl der Gegner noch Steine hat")),
        ("congklak", "en", ("in one of your own ends the turn", "do not count", "winner of a round starts")),
        ("congklak", "nl", ("beëindigt de beurt", "tellen niet mee", "Wie een ronde wint, begint")),
        ("congklak", "de", ("beendet den Zug", "zählen sie nicht", "Wer eine Runde gewinnt, beginnt")),
    ],
)
def test_what_the_defaults_do_is_told(name: str, language: games.Language, words: tuple[str, ...]) -> None:
    text = games.describe(name, language).text
    assert all(word in text for word in words)
