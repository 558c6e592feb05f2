"""Replays games that independent programs played, and says where our engine differs.

    python -m tests.engine.oracle ../shared/vectors ["openspiel_*" ..]

A file has one game a line, as JSON, gzipped or not:

- `game`, `options`, `oracle`: in the words of the program that played it; `WORDS` translates them;
- `start`: `pits`, `stores` and `turn`, the player to move;
- `plies`: `player`, `legal` and `move` before the ply, `pits`, `stores`, `gain` and `next` after it;
  `opp_passes` where the other player had to pass; `disputed` where the program is believed wrong; `end` and
  `new_round` where a round of a match ends and how the next one begins, with its `blocked` pits;
- `final`: `stores` and the winner, or null where play is not over. On the last ply the programs differ in
  when they sweep, so only `legal` and `final` are compared there; where a program stopped at a majority with
  seeds still on the board, the board as it lies.
"""

import gzip
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from engine import games, match
from engine.errors import BadInput
from engine.game import Game, Ply, State
from engine.move import PASS, Move

Line = Mapping[str, Any]
"""One game of a file."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a program's options, and what it is in ours."""

    word: str
    value: object
    ours: Mapping[str, object]


def _number(word: str, option: str) -> Word:
    return Word(word, int, {option: int})


def _same(word: str, value: object) -> Word:
    """A word that says what our game does anyway."""
    return Word(word, value, {})


_SINGLE_LAP = (
    _same("variant", None),
    _same("stores", True),
    _same("sow_direct", 1),
    _same("multicapt", -1),
    Word("skip_start", False, {"skip_origin": False}),
    Word("skip_start", True, {"skip_origin": True}),
)
FAMILY = Path(__file__).parent / "family"
"""Game files of relatives, which show that the rules of others take no code."""
NAMES: Mapping[str, str] = {
    "ludii_kalah": "kalah",
    "ludii_bohnenspiel": "bohnenspiel",
    "bohnenspiel_stock": "bohnenspiel",
    "mangala2_stock_valdez": "valdez.toml",
    "anywoli_stock": "anywoli.toml",
    "ba_awa_stock_game": "ba-awa.toml",
    "namnam_stock_game": "nam-nam.toml",
    "hoyito_stock_round": "hoyito.toml",
    "ludii_main_chongkak_6": "chongkak.toml",
    "ludii_main_chongkak_7": "chongkak.toml",
    "ludii_mangala_turkey_6": "turkey.toml",
    "ludii_mangala_turkey_7": "turkey.toml",
    "ludii_oware_wari": "oware",
    "ludii_oware_awari": "awari.toml",
    "ohvalhu_7_round1": "congklak",
    "jongkak_7x5_round1": "jongkak.toml",
    "orient_standaard": "orient-standard",
    "orient_donderslag": "orient-thunderclap",
    "orient_slinger": "orient-slingshot",
    "einfaches_mancala": "simple-mancala",
}
"""Our names of games that a program calls otherwise."""

_CONGKLAK_LIKE: Mapping[str, object] = {
    "variant": None,
    "blocks": True,
    "mlaps": 1,
    "capt_side": 1,
    "rounds": 2,
    "sow_direct": 1,
    "sow_stores": 1,
    "stores": True,
    "xcpickown": 1,
}
_TERRITORY = (
    _same("goal", 2),
    _same("goal_param", 10),
    _same("round_starter", 0),
    _same("sow_rule", 3),
)
_FOURS = (
    _same("nbr_start", 4),
    _same("variant", None),
    _same("capt_on", [4]),
    _same("mlaps", 1),
    _same("capt_side", 0),
    _same("sow_direct", 1),
    _same("stores", True),
)
WORDS: Mapping[tuple[str, str], tuple[Word, ...]] = {
    ("open_spiel", "kalah"): (
        _number("pits", "pits"),
        _number("seeds", "seeds"),
        _same("sow", "ccw"),
        _same("skip_opp_store", True),
        _same("extra_turn_on_store", True),
        Word("capture_needs_seeds_opposite", True, {"empty_capture": False}),
        _same("lap_into_own_origin", True),
        Word("end", "any side empty right after a move", {"end": "either"}),
        Word("sweep", "owner of the pits", {"sweep": "owner"}),
    ),
    ("open_spiel", "oware"): (
        _number("pits", "pits"),
        _number("seeds", "seeds"),
        _same("sow", "ccw"),
        Word("skip_origin", True, {"skip_origin": True}),
        _same("capture", [2, 3]),
        Word("grand_slam", "legal, captures nothing", {"grand_slam": "no_capture"}),
        Word("must_feed", True, {"must_feed": True}),
        Word("end_majority", True, {"end_at_majority": True}),
        Word(
            "repetition",
            "each keeps own side, positions since last capture, turn included",
            {"repetition": "sweep", "repetition_count": 2},
        ),
        _same("no_feed", "each keeps own side"),
    ),
    ("MancalaGames", "kalah"): (
        Word("game", "kalah", {"end": "to_move", "repetition": "none"}),
        _number("holes", "pits"),
        _number("nbr_start", "seeds"),
        _same("variant", None),
        _same("crosscapt", 1),
        _same("capt_side", 1),
        _same("sow_direct", 1),
        _same("sow_stores", 1),
        _same("stores", True),
        Word("xcpickown", 0, {"capture_keeps_seed": True}),
        Word("xcpickown", 1, {"capture_keeps_seed": False, "empty_capture": False}),
        Word("xcpickown", 2, {"empty_capture": True}),
    ),
    ("MancalaGames", "oware"): (
        Word("game", "oware", {"repetition": "none"}),
        _number("holes", "pits"),
        _number("nbr_start", "seeds"),
        _same("variant", None),
        _same("capt_on", [2, 3]),
        Word("grandslam", 0, {"grand_slam": "capture"}),
        Word("grandslam", 1, {"grand_slam": "forbidden"}),
        Word("grandslam", 2, {"grand_slam": "no_capture"}),
        Word("grandslam", 3, {"grand_slam": "opponent_sweeps"}),
        Word("grandslam", 4, {"grand_slam": "leave_leftmost"}),
        Word("grandslam", 5, {"grand_slam": "leave_rightmost"}),
        _same("multicapt", -1),
        Word("mustshare", True, {"must_feed": True}),
        _same("capt_side", 1),
        Word("skip_start", True, {"skip_origin": True}),
        _same("sow_direct", 1),
        _same("stores", True),
        _same("quitter", 0),
    ),
    ("MancalaGames", "mangala2"): (
        Word("game", "mangala2", {"repetition": "none"}),
        _same("holes", 6),
        _same("nbr_start", 6),
        *_SINGLE_LAP,
        _same("capt_on", [2, 4, 6]),
        _same("capt_side", 0),
        _same("mustpass", True),
    ),
    ("MancalaGames", "orient_standaard"): (
        Word("game", "orient_standaard", {"players": 2, "repetition": "none"}),
        _same("holes", 6),
        _number("nbr_start", "seeds"),
        *_SINGLE_LAP,
        _same("capt_on", [2, 3]),
        _same("capt_side", 1),
        Word("grandslam", 0, {"grand_slam": "capture"}),
    ),
    ("MancalaGames", "orient_donderslag"): (
        Word("game", "orient_donderslag", {"players": 2, "repetition": "none"}),
        _same("holes", 6),
        _same("nbr_start", 4),
        _same("variant", None),
        _same("stores", True),
        _same("sow_direct", 1),
        _same("capt_on", [4]),
        _same("mlaps", 1),
        _same("capt_side", 0),
        _same("sow_rule", 3),
        Word("mustpass", True, {"must_pass": True}),
    ),
    ("MancalaGames", "orient_slinger"): (
        Word("game", "orient_slinger", {"players": 2, "repetition": "none"}),
        _same("holes", 6),
        _same("nbr_start", 5),
        _same("variant", None),
        _same("stores", True),
        _same("sow_direct", 1),
        _same("mlaps", 1),
        _same("sow_rule", 6),
        _same("crosscapt", 1),
        _same("capt_side", 1),
        Word("xcpickown", 2, {"lone_seed": True}),
        _same("udir_holes", [0, 1, 2, 3, 4, 5]),
    ),
    ("Ludii", "einfaches_mancala"): (
        # It lists an endless move as legal (three times in these games), and would not come back from one.
        Word("game", "einfaches_mancala", {"repetition": "none", "endless": "stop"}),
        Word("dir", "cw", {"direction": "clockwise"}),
        Word("dir", "ccw", {"direction": "counterclockwise"}),
        _same("capture", "front opposite only"),
        _same("capture", "front opposite only, when own pit was occupied"),
        Word("capture", "front and back opposite (variant 4)", {"capture_back_row": True}),
        Word("singles", False, {"win": "immobile"}),
    ),
    ("Ludii", "ludii_kalah"): (
        Word("game", "kalah", {"end": "to_move", "repetition": "none"}),
        _same("capture_needs_seeds_opposite", True),
        _same(
            "end",
            "a player on turn without seeds passes once, then the game ends; every seed left belongs to the "
            "owner of its row; a turn is NOT ended when only the opponent row is empty",
        ),
    ),
    ("Ludii", "ludii_bohnenspiel"): (
        Word("game", "mangala2-like", {"repetition": "none"}),
        _same("capture", [2, 4, 6]),
        _same("chain", "both rows"),
        _same("end", "mover cannot move; each keeps own row"),
    ),
    ("MancalaGames", "bohnenspiel_stock"): (
        Word("game", "mangala2-like", {"repetition": "none"}),
        _same("holes", 6),
        _same("nbr_start", 6),
        _same("capt_on", [2, 4, 6]),
        _same("multicapt", -1),
        _same("capt_side", 0),
        _same("sow_direct", 1),
        _same("stores", True),
        _same("variant", None),
        _same("unclaimed", 2),
    ),
    ("MancalaGames", "mangala2_stock_valdez"): (
        _same("holes", 6),
        _same("nbr_start", 6),
        _same("capt_on", [2, 4, 6]),
        _same("multicapt", -1),
        _same("capt_side", 1),
        _same("grandslam", 2),
        _same("mustshare", True),
        _same("sow_direct", 1),
        _same("stores", True),
        _same("variant", None),
    ),
    **{
        ("Ludii", f"ludii_main_chongkak_{pits}"): (
            Word("game", "congklak", {"pits": pits}),
            _same("sow", "clockwise, store at the left"),
            _same("rounds", True),
        )
        for pits in (6, 7)
    },
    **{
        ("Ludii", f"ludii_mangala_turkey_{pits}"): (
            Word("game", "mangala2-like", {"pits": pits}),
            _same("capture_before_drop", [1, 3]),
            _same("note", "Ludii tests count==1 or 3 AFTER sowing"),
            _same("end", "board empty"),
        )
        for pits in (6, 7)
    },
    ("MancalaGames", "jongkak_7x5_round1"): (
        _same("holes", 7),
        _same("nbr_start", 5),
        *(_same(word, value) for word, value in _CONGKLAK_LIKE.items()),
        _same("crosscapt", True),
        _same("end_cond", 1),
        _same("quitter", 0),
        _same("round_fill", 10),
        _same("round_starter", 2),
    ),
    ("MancalaGames", "ohvalhu_7_round1"): (
        Word("holes", 7, {"pits": 7}),
        _same("nbr_start", 7),
        Word("game", "congklak-like", {"tembak": "always", "end": "to_move", "repetition": "none"}),
        *(_same(word, value) for word, value in _CONGKLAK_LIKE.items()),
        _same("variant", "Ohvulhu_7"),
        _same("crosscapt", 1),
        _same("goal_param", 3),
        _same("round_fill", 1),
        _same("round_starter", 0),
    ),
    ("MancalaGames", "anywoli_stock"): (
        _same("holes", 12),
        *_FOURS,
        _same("capt_rturn", 1),
        _same("mustpass", True),
        _same("pickextra", 3),
        _same("sow_rule", 3),
    ),
    ("MancalaGames", "namnam_stock_game"): (
        _same("holes", 6),
        *_FOURS,
        *_TERRITORY,
        _same("mustshare", True),
        _same("pickextra", 3),
        _same("rounds", 2),
    ),
    ("MancalaGames", "ba_awa_stock_game"): (
        _same("holes", 6),
        *_FOURS,
        *_TERRITORY,
        _same("pickextra", 4),
        _same("round_fill", 8),
        _same("rounds", 4),
    ),
    ("MancalaGames", "hoyito_stock_round"): (
        _same("holes", 6),
        *_FOURS,
        _same("blocks", True),
        _same("pickextra", 3),
        _same("round_fill", 1),
        _same("round_starter", 0),
        _same("rounds", 2),
        _same("sow_rule", 14),
    ),
    ("Ludii", "ludii_oware_awari"): (
        _same("grand_slam", "move illegal"),
        _same("pits_of_12_or_more_are_skipped", True),
        _same("end", "25 captured"),
    ),
    ("Ludii", "ludii_oware_wari"): (
        Word("game", "oware", {"repetition": "none", "end_at_majority": False}),
        Word("grand_slam", "move illegal", {"grand_slam": "forbidden"}),
        Word("must_feed", True, {"must_feed": True}),
        Word("skip_origin", True, {"skip_origin": True}),
        _same(
            "end",
            "no legal move; each keeps own row; repetition -> players may propose to end "
            "(pass-like proposal plies)",
        ),
    ),
    ("MancalaGames", "congklak"): (
        Word("game", "congklak", {"tembak": "always", "repetition": "none"}),
        _number("holes", "pits"),
        *(_same("nbr_start", pits) for pits in range(4, 11)),
        *(_same("variant", variant) for variant in (None, "Dakon_4", "Dakon_6")),
        Word("blocks", True, {"short_pits": "closed"}),
        _same("crosscapt", 1),
        _same("goal_param", 4),
        _same("mlaps", 1),
        Word("mustpass", True, {"end": "pass"}),
        _same("capt_side", 1),
        Word("round_fill", 2, {"fill_from": "store"}),
        Word("round_starter", 3, {"next_starter": "last_mover"}),
        _same("rounds", 2),
        _same("sow_direct", 1),
        _same("sow_stores", 1),
        _same("stores", True),
        Word("xcpickown", 1, {"empty_tembak": False}),
    ),
}
"""How the words of each program, for each of its games, map to our options. `int` stands for any number."""


RULED_OTHERWISE: Mapping[tuple[str, int, int], str] = {
    ("mancalagames_orient_slinger_2p_2_11.jsonl.gz", 12, 33): (
        "MancalaGames ends play as one seed is left. Its owner is to move and can: by source 000 it goes on."
    ),
    **{
        ("ludii_oware_awari.jsonl.gz", game, ply): (
            "Ludii lets both pass where nobody can move, and calls a game in which nobody has 25 drawn. By "
            "source 001 the most seeds win."
        )
        for game, ply in ((5, 122), (8, 373))
    },
}
"""By file, game and ply: the differences in which a program leaves the source document, and how."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which our engine and the program that played disagree."""

    line: int
    """The game in its file, from 1."""
    ply: int
    """The ply in its game, from 1; 0 for the game as a whole."""
    what: str
    theirs: object
    ours: object

    def __str__(self) -> str:
        return f"game {self.line} ply {self.ply}: {self.what} is {self.theirs}, ours {self.ours}"


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one file."""

    games: int
    plies: int
    """Plies compared, passes apart."""
    differences: tuple[Difference, ...]


def read(path: Path) -> Iterator[Line]:
    """The games of a file.

    Raises:
        BadInput: a line is not a JSON object.
    """
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for number, line in enumerate(text.decode().splitlines(), 1):
        try:
            game = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path.name}, line {number} is not JSON: {error}") from error
        if not isinstance(game, dict):
            raise BadInput(f"{path.name}, line {number}: an object was expected")
        yield game


def our_game(line: Line) -> Game:
    """The game of a line, by our rules. Our own vectors (`oracle` "by hand") need no translation.

    Raises:
        BadInput: the program, its game, or one of its words is not in `WORDS`.
    """
    if line["oracle"] == "by hand":
        return games.load(line["game"], line["options"])
    program = next((name for name, _ in WORDS if name in line["oracle"]), line["oracle"])
    called = (str(line.get("config")), str(line["game"]))
    known = [(program, name) for name in called if (program, name) in WORDS]
    if not known:
        raise BadInput(f"{line['game']} as played by {program} has no words in tests/engine/oracle.py")
    words = WORDS[known[0]]
    options: dict[str, object] = {}
    for word, value in {"game": line["game"], **line["options"]}.items():
        entry = next((w for w in words if w.word == word and w.value in (value, type(value))), None)
        if entry is not None:
            options.update({name: value if fixed is int else fixed for name, fixed in entry.ours.items()})
        elif word != "game":
            raise BadInput(f"the word {word}={value!r} of {program} is not in tests/engine/oracle.py")
    name = NAMES.get(known[0][1], known[0][1])
    return games.load(str(FAMILY / name) if name.endswith(".toml") else name, options)


def replay(line: Line, number: int = 1) -> tuple[int, list[Difference]]:
    """Replay a game up to the first ply that differs: sowings compared, and the differences of that ply."""
    game, start, final = our_game(line), line["start"], line["final"]
    seat = SEATS.get(line.get("config", ""), SEATS.get(line["game"], _as_it_is))(line)
    state = game.start(_in_our_order(game, seat, start["pits"]), start.get("stores"), start["turn"])
    round_, played = match.Round(1, game, state, (0,) * game.players), list[Ply]()
    plies: Sequence[Line] = line["plies"]
    found: list[Difference] = []

    def compare(ply: int, what: str, theirs: object, ours: object) -> None:
        if theirs != ours:
            found.append(Difference(number, ply, what, theirs, ours))

    compared = 0
    for index, theirs in enumerate(plies, 1):
        if theirs.get("disputed"):
            if theirs["next"] < 0:
                break
            state = game.start(_in_our_order(game, seat, theirs["pits"]), theirs["stores"], theirs["next"])
            continue
        legal = sorted(_as_ours(game, seat, move) for move in theirs["legal"])
        compare(index, "player", theirs["player"], state.player)
        compare(index, "legal", legal, sorted(game.legal(state)))
        if found:
            return compared, found
        ours = game.play(state, _as_ours(game, seat, theirs["move"]))
        state = ours.state
        played.append(ours)
        compared += theirs["move"] != "pass"
        if theirs.get("opp_passes"):
            compare(index, "legal for the other", (PASS,), game.legal(state))
            if found:
                return compared, found
            played.append(game.play(state, PASS))
            state = played[-1].state
        if index == len(plies) - 1 and plies[-1]["legal"] == ["pass"] and state.player is None:
            # Ludii lets who cannot move pass before it ends play.
            _compare_ply(compare, index, {**theirs, "next": -1}, ours, state)
            _compare_end(compare, index, final, state)
            return compared, found
        if index == len(plies) and final is not None and final.get("result", "ranked") is not None:
            if "pits" in final:
                final = {**final, "pits": _in_our_order(game, seat, final["pits"])}
            _compare_end(compare, index, final, ours.state)
        elif theirs.get("end") == "round":
            result, winner = theirs["round_result"]
            _compare_end(compare, index, {**theirs, "result": result, "winner": winner}, ours.state)
        else:
            _compare_ply(
                compare, index, {**theirs, "pits": _in_our_order(game, seat, theirs["pits"])}, ours, state
            )
        if "new_round" in theirs:
            begun = theirs["new_round"]
            following = match.conclude(round_, played).following
            if isinstance(following, match.Refilling):
                following = following.begin(following.proposal())
            assert following is not None
            round_, played = following, []
            game, state = round_.game, round_.start
            if "starter" in game.options:
                game = games.load(game.name, {**game.options, "starter": begun["turn"]})
            compare(index, "next round's pits", _in_our_order(game, seat, begun["pits"]), list(state.pits))
            compare(index, "next round's stores", begun["stores"], list(state.stores))
            compare(index, "next round's starter", begun["turn"], state.player)
            if "blocked" in begun:
                closed = [seat(pit) for pit, blocked in enumerate(begun["blocked"]) if blocked]
                compare(index, "next round's closed pits", sorted(closed), list(game.rules.board.protected))
            if "owner" in begun:
                compare(index, "next round's owners", begun["owner"], list(game.rules.board.owner))
        if found:
            break
    return compared, found


def replay_rounds(line: Line, number: int = 1) -> tuple[int, list[Difference]]:
    """Replay the rounds that Ludii plays of Main Chongkak, each with the set-up of the next.

    Between rounds each player in turn fills a pit, a ply each (`store`), or passes. Ludii plays an extra turn
    without a choice as part of the ply before it, the first filling of a pit too. After a drawn round whose
    turn it is to fill starts. A game that was cut off was so in the middle of its last ply.
    """
    round_, played = match.first(our_game(line)), list[Ply]()
    row, following = round_.game.pits // 2, cast("match.Refilling | None", None)
    compared, found = 0, list[Difference]()

    def compare(ply: int, what: str, theirs: object, ours: object) -> None:
        if theirs != ours:
            found.append(Difference(number, ply, what, theirs, ours))

    plies, setting_up, hoards = line["plies"], False, list[int]()
    for index, theirs in enumerate(plies, 1):
        sets_up = isinstance(theirs["move"], str)
        if setting_up and not sets_up:
            laid = plies[index - 2]
            assert following is not None
            round_ = following.begin(following.proposal())
            begun = [list(round_.start.pits), list(round_.start.stores), round_.start.player]
            if len(set(hoards)) == 1:
                round_ = replace(round_, start=round_.game.start(laid["pits"], player=laid["next"]))
                begun[2] = laid["next"]
            compare(index, "next round", [laid["pits"], laid["stores"], laid["next"]], begun)
            following, played = None, []
        setting_up = sets_up
        if sets_up or (index == len(plies) and not line["final"]["terminal"]):
            continue
        state = played[-1].state if played else round_.start
        move = Move(theirs["move"], -1)
        compare(index, "legal", sorted(theirs["legal"]), [option.pit for option in round_.game.legal(state)])
        if found:
            return compared, found
        played.append(round_.game.play(state, move))
        while played[-1].state.player == theirs["player"] and len(round_.game.legal(played[-1].state)) == 1:
            state = played[-1].state
            played.append(round_.game.play(state, round_.game.legal(state)[0]))
        ours, compared = played[-1].state, compared + 1
        if ours.result is None:
            _compare_ply(compare, index, theirs, played[-1], ours)
        else:
            rows = (theirs["pits"][:row], theirs["pits"][row:])
            hoards = [store + sum(pits) for store, pits in zip(theirs["stores"], rows, strict=True)]
            compare(index, "hoards", hoards, list(ours.result.scores))
            following = cast("match.Refilling | None", match.conclude(round_, played).following)
        if found:
            break
    return compared, found


def _compare_ply(compare: Any, index: int, theirs: Line, ours: Ply, following: State) -> None:
    compare(index, "pits", theirs["pits"], list(ours.state.pits))
    if "stores" in theirs:
        compare(index, "stores", theirs["stores"], list(ours.state.stores))
    if "gain" in theirs:
        compare(index, "gain", theirs["gain"], list(ours.gain))
    compare(index, "next", theirs["next"], -1 if following.player is None else following.player)


def _compare_end(compare: Any, index: int, final: Line, ours: State) -> None:
    if _stopped_at_majority(final):
        compare(index, "unswept holes", final["pits"] + final["stores"], list(ours.counts))
        compare(index, "winners", _winners(final), [final["stores"].index(max(final["stores"]))])
        return
    compare(index, "over", True, ours.result is not None)
    if ours.result is not None and any(final.get("pits", ())):
        # Left lying for the next round, but counted.
        compare(index, "unswept holes", final["pits"] + final["stores"], list(ours.counts))
        compare(index, "winners", _winners(final), list(ours.result.winners))
    elif ours.result is not None and "ranking" in final:
        best = min(final["ranking"])
        first = [player for player, place in enumerate(final["ranking"]) if place == best]
        compare(index, "winners", first, list(ours.result.winners))
    elif ours.result is not None:
        compare(index, "final stores", final["stores"], list(ours.result.scores))
        compare(index, "winners", _winners(final), list(ours.result.winners))


def _stopped_at_majority(final: Line) -> bool:
    """Whether the program stopped because the game was decided, and left the board as it was."""
    if "ranking" in final:
        return False
    left, stores = sum(final.get("pits", ())), final["stores"]
    return left > 0 and 2 * max(stores) > left + sum(stores)


def _winners(final: Line) -> list[int | None]:
    """The players who share the first place: OpenSpiel says p0, p1 or draw; MancalaGames win or tie."""
    if final["result"] in ("draw", "tie", "round_tie"):
        return [0, 1]
    return [{"p0": 0, "p1": 1}.get(final["result"], final.get("winner"))]


Seat = Callable[[int], int]
"""Which pit of ours a pit of theirs is."""


def _as_it_is(_: Line) -> Seat:
    return lambda pit: pit


def _mirrored(line: Line) -> Seat:
    """MancalaGames sows Dakon counter-clockwise with the store at the right: the board in a mirror."""
    row = len(line["start"]["pits"]) // 2
    return lambda pit: (row - 1 - pit) % (2 * row)


def _row_by_row(_: Line) -> Seat:
    """Ludii counts the pits of four rows of eight row by row from the south, west to east."""
    return lambda site: (site % 8, 15 - site % 8, 24 + site % 8, 23 - site % 8)[site // 8]


SEATS: Mapping[str, Callable[[Line], Seat]] = {
    "congklak": _mirrored,
    "ohvalhu_7_round1": _mirrored,
    "einfaches_mancala": _row_by_row,
}
"""By game or configuration, in a program's words, where pits are counted otherwise."""


def _in_our_order(game: Game, seat: Seat, pits: Sequence[int]) -> list[int]:
    ours = [0] * game.pits
    for pit, seeds in enumerate(pits):
        ours[seat(pit)] = seeds
    return ours


def _as_ours(game: Game, seat: Seat, move: Any) -> Move:
    if move == "pass":
        return PASS
    if isinstance(move, list) and move[1] is None:
        move = move[0]
    if isinstance(move, list):
        return Move(seat(move[0]), 1 if move[1] > 0 else -1)
    return Move(seat(move), game.rules.directions[0])


def replay_file(path: Path) -> Report:
    """Replay all games of a file.

    Raises:
        BadInput: a line cannot be read or translated.
    """
    games_seen = plies = 0
    differences: list[Difference] = []
    for number, line in enumerate(read(path), 1):
        rounds = "main_chongkak" in line.get("config", "")
        compared, found = (replay_rounds if rounds else replay)(line, number)
        games_seen, plies = number, plies + compared
        differences += [one for one in found if (path.name, number, one.ply) not in RULED_OTHERWISE]
    return Report(games_seen, plies, tuple(differences))


def main(arguments: Sequence[str]) -> int:
    """Replay the files of a folder that match the globs, by default all; 1 if any differs."""
    if not arguments:
        print(__doc__)
        return 2
    folder, globs = Path(arguments[0]), arguments[1:] or ["*"]
    paths = sorted({path for pattern in globs for path in folder.glob(pattern) if ".jsonl" in path.name})
    if not paths:
        print(f"no file of {folder} matches {' '.join(globs)}: name a folder of vectors", file=sys.stderr)
        return 2
    differences = 0
    for path in paths:
        try:
            report = replay_file(path)
        except BadInput as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            return 2
        differences += len(report.differences)
        print(
            f"{path.name}: {report.games} games, {report.plies} plies, {len(report.differences)} differences"
        )
        for difference in report.differences:
            print(f"  {difference}")
    print(f"{len(paths)} files, {differences} differences")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
