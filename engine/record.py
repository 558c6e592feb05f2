"""The record of a game as text, in the manner of PGN: headers, then moves with comments and clock times.

    >>> kalah = games.load("kalah", {"seeds": 3})
    >>> moves = (Entry(kalah.parse("D"), comment="And again."), Entry(kalah.parse("A"), clock_ms=58_500))
    >>> print(write(Record(kalah, moves, players=("Ann", "Bob"), date="2026.03.14")), end="")
    [Date "2026.03.14"]
    [South "Ann"]
    [North "Bob"]
    [Result "*"]
    [Game "kalah"]
    [Options "seeds=3"]
    <BLANKLINE>
    1. D {And again.} A+4 {[%clk 0:00:58.5]} *

The grammar is in docs/record.md. A text holds one record or several, such as the rounds of a match. No file
is read here, but for that of a player's own game when a record names one.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine import games, position
from engine.errors import BadInput
from engine.game import Game, Ply, Result, State
from engine.move import Move
from engine.movetext import (
    HEADER,
    MOST_MS,
    MOST_VALUE,
    NAME,
    RESULT,
    SPACE,
    Text,
    Token,
    clock_times,
    clock_words,
    header_lines,
    ruled_position,
    tidy,
    wrapped,
)
from engine.step import after

MOST_PLIES = 10_000
"""In one record: some fifty times as long as games are, and still read in seconds."""
ROSTER = ("Event", "Site", "Date", "Round")
"""The headers that say where and when: the fields of `Record` in small letters."""

_OWN = (*ROSTER, "Result", "Winner", "Termination", "Game", "Options", "Start")
_MOST_SCORE = 9_999
_LONGEST_MOVE = 40
_PIECE = re.compile(
    rf'{SPACE}|{HEADER}|(?P<comment>\{{[^\\}}]*(?:\\[\s\S][^\\}}]*)*\}})|(?P<word>[^\s{{}}\[\]()"]+)'
)
_NUMBER = re.compile(r"[0-9]{1,6}\.+(?=$|[A-Za-z-])")
_TAKEN = re.compile(r"(.+)\+([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class Entry:
    """One ply as it is recorded: a move, a pass or a swap."""

    move: Move
    comment: str = ""
    """One line, as `tidy` leaves it."""
    clock_ms: int | None = None
    """What the mover's clock had left after the move."""
    took_ms: int | None = None
    """How long the move took."""
    ruling: str = ""
    """The position, as `engine.position` writes it, from which play went on after the ply by a ruling."""

    def __post_init__(self) -> None:
        _check_text("a comment", self.comment, None)
        _check_text("a ruling", self.ruling)
        for time in (self.clock_ms, self.took_ms):
            if time is not None and not 0 <= time < MOST_MS:
                raise BadInput(f"a clock time is {time} ms: 0 to {MOST_MS - 1} was expected")


class BadPly(BadInput):
    """A move of a record that cannot be played."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"ply {number}: {reason}")
        self.number = number
        """Of the ply, from 1."""


@dataclass(frozen=True, slots=True)
class Record:
    """One game, or one round of a match, as it was played. Every text in it is as `tidy` leaves it."""

    game: Game
    entries: tuple[Entry, ...] = ()
    players: tuple[str, ...] = ()
    """Names by player, "" where one is not known; as they sat at the start, where they swap sides."""
    result: Result | None = None
    """As the moves end the game; where they do not, as it ended otherwise (resigned, on time); else None."""
    start: State | None = None
    """Where play began, as `engine.position.read` makes it; None at the usual start."""
    event: str = ""
    site: str = ""
    date: str = ""
    """`2026.03.14`, with `??` for what is not known."""
    round: str = ""
    """Its number in a match or tournament: `3`, `2.1`."""
    comment: str = ""
    """Before the first move."""
    ruling: str = ""
    """The position from which play went on by a ruling before the first move."""
    headers: tuple[tuple[str, str], ...] = ()
    """All others, by name."""
    plies: tuple[Ply, ...] = field(init=False, repr=False, compare=False)
    """What came of each entry."""

    def __post_init__(self) -> None:
        """Plays the entries.

        Raises:
            BadPly: a move is not legal.
            BadInput: a field does not fit the game or the moves.
        """
        if not self.players:
            object.__setattr__(self, "players", ("",) * self.game.players)
        if len(self.players) != self.game.players:
            raise BadInput(f"{len(self.players)} names for {self.game.players} players: name all or none")
        if len(self.entries) > MOST_PLIES:
            raise BadInput(f"a record has {len(self.entries)} moves: at most {MOST_PLIES} were expected")
        if self.start == self.game.start():
            object.__setattr__(self, "start", None)
        if self.start and (
            self.start.player is None or self.start != position.read(self.game, position.write(self.start))
        ):
            raise BadInput("the start is over or has a history: a position to play on from was expected")
        object.__setattr__(self, "plies", tuple(self._played()))
        if self.last.result:
            if self.result not in (None, self.last.result):
                raise BadInput(f"the result is {self.result}: the moves end in {self.last.result}")
            object.__setattr__(self, "result", self.last.result)
        elif self.result:
            self._check_ruling(self.result)
        self._check_texts()

    @property
    def first(self) -> State:
        """Where play began."""
        return self.start or self.game.start()

    @property
    def last(self) -> State:
        """Where the moves and the rulings led."""
        ruling = self.entries[-1].ruling if self.entries else self.ruling
        if ruling:
            return position.read(self.game, ruling)
        return self.plies[-1].state if self.plies else self.first

    @property
    def ruled(self) -> bool:
        """Whether a ruling has put another position in the place of one that the moves led to."""
        return bool(self.ruling) or any(entry.ruling for entry in self.entries)

    def _played(self) -> Iterator[Ply]:
        state = position.read(self.game, self.ruling) if self.ruling else self.first
        for number, entry in enumerate(self.entries, 1):
            try:
                ply = self.game.play(state, entry.move)
                state = position.read(self.game, entry.ruling) if entry.ruling else ply.state
            except BadInput as error:
                raise BadPly(number, str(error)) from error
            yield ply

    def _check_texts(self) -> None:
        taken = {*_OWN, *player_headers(self.game)}
        if not self.result:  # Why play stopped is then for others to understand.
            taken -= {"Termination"}
        for name, _ in self.headers:
            if not NAME.fullmatch(name) or name in taken:
                raise BadInput(f"a header cannot be called {name!r} here: give it another name")
            taken.add(name)
        roster = [(name, value) for name, value in roster_headers(self) if value]
        for name, value in [*roster, *self.headers]:
            _check_text(f"header {name}", value)
        _check_text("a comment", self.comment, None)
        _check_text("a ruling", self.ruling)

    def _check_ruling(self, result: Result) -> None:
        players = range(self.game.players)
        if len(result.scores) != len(players) or not all(
            0 <= score <= _MOST_SCORE for score in result.scores
        ):
            raise BadInput(
                f"scores are {result.scores}: {len(players)} numbers from 0 to {_MOST_SCORE} were expected"
            )
        if not result.winners or result.winners != tuple(p for p in players if p in result.winners):
            raise BadInput(
                f"winners are {result.winners}: rising numbers from 0 to {players[-1]} were expected"
            )
        _check_text("the reason of a result", result.reason)


def _check_text(what: str, text: str, most: int | None = MOST_VALUE) -> None:
    if text != tidy(text):
        raise BadInput(f"{what} is {text[:60]!r}: one line, as tidy leaves it, was expected")
    if most and len(text) > most:
        raise BadInput(f"{what} has {len(text)} characters: at most {most} were expected")


def player_headers(game: Game) -> tuple[str, ...]:
    """By player: what the header with the name is called, `South` and `North` or `Player0` and so on."""
    return tuple(game.player_name(player).title().replace(" ", "") for player in range(game.players))


def roster_headers(record: Record) -> list[tuple[str, str]]:
    """Where, when and who; empty where it is not known."""
    places = [(name, str(getattr(record, name.lower()))) for name in ROSTER]
    return [*places, *zip(player_headers(record.game), record.players, strict=True)]


def ending_headers(record: Record) -> list[tuple[str, str]]:
    """Who has won where the moves do not say it, and why play ended."""
    if not record.result:
        return []
    names = player_headers(record.game)
    winners = " ".join(names[player] for player in record.result.winners)
    said = [("Winner", "" if record.last.result else winners), ("Termination", record.result.reason)]
    return [(name, value) for name, value in said if value]


def result_text(result: Result | None) -> str:
    """Scores with `-` between; `*` for a game that is not over."""
    return "-".join(map(str, result.scores)) if result else "*"


def numbers(record: Record) -> list[int]:
    """By ply: the number to write before it, where the turn of whoever began comes round; else 0."""
    found, number, before = list[int](), 0, -1
    for ply in record.plies:
        begins = ply.player == record.first.player != before
        number += begins
        found.append(number if begins else 0)
        before = ply.player
    return found


def write(record: Record) -> str:
    """The record as text, which `read` makes an equal record of."""
    headers = [*roster_headers(record), ("Result", result_text(record.result)), ("Game", record.game.name)]
    headers.append(("Options", _options_text(record.game)))
    if record.start:
        headers.append(("Start", position.write(record.start, record.game)))
    headers = [(name, value) for name, value in headers if value]
    lines = header_lines([*headers, *ending_headers(record), *record.headers])
    words = _comment_words(_ruling_words(record.ruling), record.comment)
    for number, entry, ply in zip(numbers(record), record.entries, record.plies, strict=True):
        taken = sum(seeds for _, seeds in ply.captured)
        words += [f"{number}."] * bool(number)
        words.append(record.game.name_of(entry.move) + (f"+{taken}" if taken else ""))
        said = [*clock_words(entry.clock_ms, entry.took_ms), *_ruling_words(entry.ruling)]
        words += _comment_words(said, entry.comment)
    words.append(result_text(record.result))
    return "\n".join([*lines, "", *wrapped(words), ""])


def write_all(records: Iterable[Record]) -> str:
    """Several records as one text, which `read_all` takes apart again."""
    return "\n".join(map(write, records))


def _ruling_words(ruling: str) -> list[str]:
    return [f"[%pos {ruling}]"] if ruling else []


def _comment_words(commands: list[str], comment: str) -> list[str]:
    """In braces; a backslash stands before a brace or backslash of its own, and before its `[%`."""
    if comment:
        commands = [*commands, re.sub(r"[\\{}]|\[(?=%)", r"\\\g<0>", comment)]
    return f"{{{' '.join(commands)}}}".split(" ") if commands else []


def _options_text(game: Game) -> str:
    """The options without which others would be chosen, in the manner of the command line."""
    description = games.describe(game.name)
    if games.build(description, {}).options == game.options:
        return ""
    said = dict(game.options)
    for name in game.options:
        fewer = {other: value for other, value in said.items() if other != name}
        try:
            implied = games.build(description, fewer).options == game.options
        except BadInput:  # What would be chosen in its place contradicts the others.
            continue
        if implied:
            said = fewer
    return options_text(said.items())


def options_text(options: Iterable[tuple[str, object]]) -> str:
    """`seeds=3 pie=true`; with quotes, as a shell has them, where there are spaces."""
    values = [(name, str(value).lower() if isinstance(value, bool) else value) for name, value in options]
    return shlex.join(f"{name}={value}" for name, value in values)


def read_options(text: str) -> dict[str, str]:
    """The options in a header.

    Raises:
        BadInput: it is not of the form name=value name=value, or has an option twice.
    """
    try:
        pairs = [word.partition("=") for word in shlex.split(text)]
    except ValueError as error:
        raise BadInput(f"options {text[:60]!r} have a quote that is not closed: close it") from error
    options = dict[str, str]()
    for name, equals, value in pairs:
        if not (name and equals):
            raise BadInput(f"option {name[:60]!r} is not of the form name=value, as in seeds=3")
        if name in options:
            raise BadInput(f"option {name[:60]!r} is given twice: leave one out")
        options[name] = value
    return options


def read(text: str) -> Record:
    """The one record in a text.

    Raises:
        BadInput: the text is no record, or has several; one sentence with the line, and the ply of a move
            that cannot be played.
    """
    records = read_all(text)
    if len(records) > 1:
        raise BadInput(f"there are {len(records)} records in the text: one was expected")
    return records[0]


def read_all(text: str) -> tuple[Record, ...]:
    """All records in a text, one or more.

    Raises:
        BadInput: as `read`.
    """
    source = Text(text, "game record")
    sections: list[tuple[list[Token], list[Token]]] = []
    for token in source.tokens(_PIECE):
        if not sections or (token.kind == "header" and sections[-1][1]):
            sections.append(([], []))
        sections[-1][token.kind != "header"].append(token)
    if not sections:
        raise BadInput('there is no game record in the text: it begins with headers such as [Game "kalah"]')
    loaded = dict[tuple[str, str], Game]()
    return tuple(_record(source, headers, body, loaded) for headers, body in sections)


def _record(
    source: Text, tokens: list[Token], body: list[Token], loaded: dict[tuple[str, str], Game]
) -> Record:
    at = (tokens or body)[0].at
    headers = by_name(source, tokens)
    if "Game" not in headers:
        raise source.bad(at, 'the record has no header Game: add one, such as [Game "kalah"]')
    name, options = headers.pop("Game"), headers.pop("Options", None)
    with source.place((options or name).at):
        which = (name.text, options.text if options else "")
        if which not in loaded:
            loaded[which] = games.load(which[0], read_options(which[1]))
        game = loaded[which]
    start = None
    if given := headers.pop("Start", None):
        with source.place(given.at):
            start = position.read(game, given.text)
    return assemble(source, at, headers, body, game, start)


def by_name(source: Text, tokens: Iterable[Token]) -> dict[str, Token]:
    """The headers of a record.

    Raises:
        BadInput: one stands twice.
    """
    headers = dict[str, Token]()
    for token in tokens:
        if token.name in headers:
            raise source.bad(token.at, f"header {token.name} stands here a second time: leave one out")
        headers[token.name] = token
    return headers


def assemble(
    source: Text,
    at: int,
    headers: dict[str, Token],
    body: Sequence[Token],
    game: Game,
    start: State | None,
    *,
    escapes: bool = True,
    sweep_may_differ: bool = False,
) -> Record:
    """The record that headers and moves make.

    Args:
        at: where it begins.
        headers: those that do not say which game is played and from where. They are used up.
        body: comments, moves, move numbers and the result.
        escapes: whether a backslash in a comment stands before a character that means itself.
        sweep_may_differ: the result may leave out what is gathered because play has ended, and the last move
            may count what its mover gathers as taken.

    Raises:
        BadInput: they do not make one; one sentence with the line.
    """
    names = [headers.pop(name, None) for name in player_headers(game)]
    roster = {name: headers.pop(name).text for name in ROSTER if name in headers}
    ending = dict[str, Token]()
    for name in ("Result", "Winner", "Termination"):
        if name in headers:
            ending[name] = headers.pop(name)
    moves: list[tuple[Token, Move, int | None]] = []
    said: list[list[str]] = [[]]
    times: list[dict[str, int]] = [{}]
    rulings = [""]
    for token in body:
        if token.kind == "comment":
            with source.place(token.at):
                words, ruling = ruled_position(token.text)
                words, found = clock_times(words)
                if found and not moves:
                    raise BadInput(
                        "a clock time stands before the first move: put it after the move it is of"
                    )
            said[-1].append(re.sub(r"\\([\s\S])", r"\1", words) if escapes else words)
            times[-1].update(found)
            rulings[-1] = ruling or rulings[-1]
        elif "end" in ending:
            raise source.bad(token.at, f"{token.text[:20]!r} stands after the result: a header was expected")
        elif RESULT.fullmatch(token.text):
            ending["end"] = token
        elif word := _NUMBER.sub("", token.text, count=1):
            if len(moves) == MOST_PLIES:
                raise source.bad(token.at, f"the record has more than {MOST_PLIES} moves: it is no game")
            with source.place(token.at):
                moves.append((token, *_move(game, word)))
            said.append([])
            times.append({})
            rulings.append("")
    opening, *comments = (tidy(" ".join(pieces)) for pieces in said)
    try:
        record = Record(
            game,
            tuple(
                Entry(move, comment, found.get("clk"), found.get("emt"), ruling)
                for (_, move, _), comment, found, ruling in zip(
                    moves, comments, times[1:], rulings[1:], strict=True
                )
            ),
            players=tuple(name.text if name else "" for name in names),
            start=start,
            comment=opening,
            ruling=rulings[0],
            headers=tuple((name, token.text) for name, token in headers.items()),
            event=roster.get("Event", ""),
            site=roster.get("Site", ""),
            date=roster.get("Date", ""),
            round=roster.get("Round", ""),
        )
    except BadPly as error:
        raise source.bad(moves[error.number - 1][0].at, str(error)) from error
    except BadInput as error:
        raise source.bad(at, str(error)) from error
    for number, ((token, _, wanted), ply) in enumerate(zip(moves, record.plies, strict=True), 1):
        taken = sum(seeds for _, seeds in ply.captured)
        swept = after(ply.state.counts, ply.sweep)[game.pits + ply.player] - ply.state.stores[ply.player]
        if wanted not in (None, taken, taken + swept * sweep_may_differ):
            raise source.bad(token.at, f"ply {number}: {token.text} takes {taken} seeds, not {wanted}")
    return _ended(source, record, ending, sweep_may_differ)


def _move(game: Game, word: str) -> tuple[Move, int | None]:
    """A move, and the seeds it takes where that is said: `C`, `C+3`, `C-`, `C-+3`."""
    if len(word) > _LONGEST_MOVE:
        raise BadInput(f"{word[: _LONGEST_MOVE // 2]!r}.. is no move")
    try:
        return game.parse(word), None
    except BadInput:
        said = _TAKEN.fullmatch(word)
        if said is None:
            raise
        return game.parse(said[1]), int(said[2])


def _ended(source: Text, record: Record, ending: dict[str, Token], sweep_may_differ: bool) -> Record:
    """The record with its result, where the moves do not say it."""
    given = [ending[name] for name in ("Result", "end") if name in ending]
    for token in given:
        if not RESULT.fullmatch(token.text):
            raise source.bad(
                token.at, f"result {token.text[:20]!r} is not scores such as 25-23, or * for a game not over"
            )
        if token.text != given[0].text:
            raise source.bad(token.at, f"the result is {token.text} here and {given[0].text} in the header")
    over = record.last.result
    why = ending.get("Termination")
    if not given or given[0].text == "*":
        if "Winner" in ending and not over:
            raise source.bad(ending["Winner"].at, "there is a Winner but no Result: give the scores")
        if over or why is None:
            return record
        return replace(record, headers=(*record.headers, (why.name, why.text)))
    if over:
        unswept = "-".join(map(str, record.last.stores)) if sweep_may_differ else ""
        if given[0].text not in (result_text(over), unswept):
            raise source.bad(
                given[0].at, f"the result is {given[0].text}: the moves end in {result_text(over)}"
            )
        return record
    if "Winner" not in ending:
        raise source.bad(
            given[0].at,
            f"the moves do not end the game: say who has won it {given[0].text} in a header Winner",
        )
    with source.place(ending["Winner"].at):
        names, won = player_headers(record.game), ending["Winner"].text.split()
        if not all(name in names for name in won):
            raise BadInput(f"Winner is {' '.join(won)[:40]!r}: some of {' '.join(names)} were expected")
        winners = tuple(player for player, name in enumerate(names) if name in won)
        scores = tuple(map(int, given[0].text.split("-")))
        return replace(record, result=Result(scores, winners, why.text if why else ""))
