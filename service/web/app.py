"""The web server: state and events of one table, and the page that shows them.

| request                  | answer                                                                          |
| ------------------------ | ------------------------------------------------------------------------------- |
| GET /api/state           | everything the page draws, with all events of the game so far                   |
| GET /api/events          | server-sent events: each event under its name, and `view`, at most ten a second |
| POST /api/games          | begins a game                                                                   |
| POST /api/inputs         | what a player tells the referee                                                 |
| POST /api/hand           | what the simulated hand is to do                                                |
| GET /api/games           | the log, newest game first                                                      |
| GET /api/games/{id}      | one game with its events                                                        |
| GET /api/picture         | what the camera sees, with the board drawn over it, as JPEG                     |
| POST /api/camera/corners | where the board's corners are in that picture                                   |
| GET /api/rules           | the games that can be played, with their options                                |
| GET /api/docs            | this list, from /api/openapi.json                                               |

Every refusal is `{"error": "one sentence"}`.
"""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict
from pathlib import Path
from secrets import compare_digest
from typing import Annotated, Any

from fastapi import Body, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import Lifespan

from engine.errors import BadInput, PitwatchError
from engine.games import describe, load
from referee.events import as_json
from referee.lamps import lamps_as_json, plan
from referee.view import view_as_json
from service.catalogue import catalogue, entry
from service.log import LoggedEvent, LoggedGame, moves_of
from service.settings import ClockTable
from service.web.guard import Guard, check_exposure
from service.web.table import Guidance, InputKind, NotSimulatedError, Order, Rounds, Table

LOOK_EVERY = 0.1
"""Seconds between two `view` events at least."""

FOLDER = Path(__file__).parent

# No script, style, font or picture from anywhere else; nobody's frame.
SECURITY = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class NewGame(BaseModel):
    """A game to begin."""

    model_config = ConfigDict(extra="forbid")

    game: str
    options: dict[str, bool | int | str] = {}
    players: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=40)], ...], Field(max_length=4)
    ] = ()
    rounds: Rounds | None = None
    """Of a game that has rounds: the match, or a single one; as before, if it is left out."""
    clock: ClockTable | None = None
    """As in the configuration: `{"time": "5:00+3"}`; `{}` for none; as before, if it is left out."""


class Input(BaseModel):
    """What a player says."""

    model_config = ConfigDict(extra="forbid")

    input: InputKind
    choice: Annotated[int, Field(ge=0)] | None = None
    """Of an "answer": the index into the question's choices."""
    player: Annotated[int, Field(ge=0)] | None = None
    """Of a "press": who presses; the one whose clock it is, if it is left out. Of an "accept": who is to move
    next; who follows from what was done, if it is left out. Of a "give": who is given time."""
    seconds: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    """Of a "give": how much; below 0 what is taken."""
    arbiter: str | None = None
    """The arbiter's word, where it is the arbiter who says so; empty where none is set."""


class Guiding(BaseModel):
    """What is said to the calibration of the scale."""

    model_config = ConfigDict(extra="forbid")

    answer: Guidance
    arbiter: str | None = None
    """The arbiter's word, which a "begin" wants where one is set."""


Pixels = Annotated[float, Field(allow_inf_nan=False)]


class Corners(BaseModel):
    """Where the board's own corners are in the camera's picture."""

    model_config = ConfigDict(extra="forbid")

    corners: Annotated[tuple[tuple[Pixels, Pixels], ...], Field(max_length=40)]
    """Clockwise from the board's top left, x and y from the picture's top left."""
    arbiter: str | None = None
    """The arbiter's word, which is wanted where one is set."""


def create_app(
    table: Table,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    arbiter: str | None = None,
    lifespan: Lifespan[FastAPI] | None = None,
) -> FastAPI:
    """The server for one table.

    Args:
        host: the address it will listen on; beyond loopback a token is wanted.
        token: what a caller of the API must know.
        arbiter: the word of the arbiter; None lets anybody be that.
        lifespan: what runs for as long as the server does.

    Raises:
        BadInput: `host` is beyond loopback and there is no token.
    """
    check_exposure(host, token)
    app = FastAPI(
        title="Pitwatch",
        description="A referee for mancala games played with real seeds on a real board.",
        openapi_url="/api/openapi.json",
        # FastAPI's own page of documentation loads its script from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(Guard, host=host, token=token)
    answer_in_one_sentence(app)
    serve_page(app, "index.html")

    def check_word(said: str | None) -> None:
        if arbiter and not compare_digest((said or "").encode(), arbiter.encode()):
            raise HTTPException(403, "this is not the arbiter's word: ask the arbiter")

    @app.get("/api/state")
    async def state() -> dict[str, Any]:
        """Everything the page draws: the table now, and all events of the game so far."""
        snapshot = table.snapshot()
        view = snapshot.view
        events = table.log.events(snapshot.game_id)
        return {
            "seq": events[-1].seq if events else 0,
            "title": describe(view.game).title,
            "players": list(snapshot.players),
            "labels": hole_names(view.game, view.options),
            "layout": asdict(snapshot.layout),
            "events": _plain(events),
            "moves": moves_of(logged.event for logged in events),
            "arbiter_has_word": bool(arbiter),
            **now(table),
        }

    @app.get("/api/events", response_class=EventSourceResponse)
    async def events(
        request: Request,
        after: Annotated[
            str,
            Query(description="The last event known, as GAME_ID:SEQ; the header Last-Event-ID comes first"),
        ] = "",
    ) -> EventSourceResponse:
        """Server-sent events: the referee's, each under its name, and `view` when the table has changed.

        Events have ids, and a reader that comes back gets what it missed. After another game has
        begun it gets `game_started` of that game, and should read the state again.
        """
        return EventSourceResponse(_stream(table, request.headers.get("last-event-id") or after))

    @app.post("/api/games", status_code=201)
    async def new_game(wanted: NewGame) -> dict[str, str]:
        """Leaves the game that is on, and begins another."""
        game_id = await table.new_game(
            wanted.game, wanted.options, wanted.players, wanted.rounds, wanted.clock
        )
        return {"game_id": game_id}

    @app.post("/api/inputs", status_code=202)
    async def post_input(said: Input) -> dict[str, str]:
        """Tells the referee what a player says."""
        by_arbiter = said.arbiter is not None
        if by_arbiter:
            check_word(said.arbiter)
        await table.post_input(said.input, said.choice, said.player, by_arbiter, said.seconds)
        return {"input": said.input}

    @app.get("/api/calibration")
    async def calibration() -> dict[str, Any]:
        """What the calibration of the scale asks for, or has found; 404 where there is none."""
        asked = table.calibration()
        if asked is None:
            raise HTTPException(404, "no calibration is going on: the arbiter begins one on the board's page")
        return {**asked, "stops": True}

    @app.post("/api/calibration", status_code=202)
    async def calibrate(said: Guiding) -> dict[str, str]:
        """Begins the calibration of the scale, answers what it asks for, or stops it."""
        if said.answer == "begin":
            check_word(said.arbiter)
        await table.calibrate(said.answer)
        return {"answer": said.answer}

    @app.post("/api/hand", status_code=202)
    async def hand(order: Annotated[Order, Body()]) -> dict[str, str]:
        """Tells the simulated hand what to do; 409 on a real board."""
        await table.order(order)
        return {"do": order.do}

    @app.get("/api/games")
    async def games() -> list[dict[str, Any]]:
        """All games in the log, the newest first."""
        return [_summary(game) for game in table.log.games()]

    @app.get("/api/games/{game_id}")
    async def game(game_id: str) -> dict[str, Any]:
        """One game in the log, with the board it was played on and all its events."""
        try:
            found = table.log.game(game_id)
        except BadInput as error:
            raise HTTPException(404, str(error)) from error
        logged = table.log.events(game_id)
        return {
            **_summary(found),
            "layout": found.board,
            "labels": hole_names(found.game, found.options.items()),
            "events": _plain(logged),
            "standing": moves_of(one.event for one in logged),
        }

    @app.get("/api/picture", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
    async def picture(plain: bool = False) -> Response:
        """What the camera has seen last, with the board's edge, its holes and its markers drawn over it.

        Unless it is to be `plain`.
        """
        seen = table.picture(plain)
        if seen is None:
            raise HTTPException(
                404, "no camera has seen this board: name one as [camera] in the configuration"
            )
        return Response(seen, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @app.post("/api/camera/corners")
    async def corners(said: Corners) -> dict[str, str]:
        """Has the camera find the board by its corners, and follow it from there; says how they are kept."""
        check_word(said.arbiter)
        await table.set_corners(said.corners)
        line = f"corners = {[list(corner) for corner in said.corners]}"
        return {"keep": f"To keep them at the next start, write into [camera] of the configuration: {line}"}

    @app.get("/api/rules")
    async def rules() -> list[dict[str, Any]]:
        """The games that can be played, with their options, defaults and values."""
        own = table.snapshot().view.game
        shipped = list(catalogue())
        return shipped if any(game["game"] == own for game in shipped) else [*shipped, entry(describe(own))]

    return app


def now(table: Table) -> dict[str, Any]:
    """What a `view` event carries: how the table stands at this moment."""
    snapshot = table.snapshot()
    return {
        "game_id": snapshot.game_id,
        "view": view_as_json(snapshot.view),
        "lamps": lamps_as_json(plan(snapshot.view)),
        "clock": dict(snapshot.clock) if snapshot.clock else None,
        "port": snapshot.port,
        "sensor": snapshot.sensor,
        "lights": snapshot.lights,
        "notes": list(snapshot.notes),
        "rounds": snapshot.rounds,
        "camera": snapshot.camera,
        "calibrates": snapshot.calibrates,
        "simulated": snapshot.hand is not None,
        "hand": asdict(snapshot.hand) if snapshot.hand else None,
    }


def hole_names(game: str, options: Iterable[tuple[str, Any]]) -> list[str]:
    """What the players call each hole; nothing for a game that this Pitwatch does not know (any more)."""
    try:
        rules = load(game, dict(options))
    except BadInput:
        return []
    return [rules.hole_name(hole) for hole in range(len(rules.start().counts))]


async def _stream(table: Table, after: str) -> AsyncIterator[ServerSentEvent]:
    """The events after `after` (GAME_ID:SEQ), from the log and then as they come."""
    known_id, _, known_seq = after.rpartition(":")
    with table.feed.listen() as listener:
        game_id = table.snapshot().game_id
        seq = int(known_seq) if known_id == game_id and known_seq.isdecimal() else 0
        for logged in table.log.events(game_id, seq):
            seq = logged.seq
            yield _sent(game_id, logged)
        async for said in listener.news(LOOK_EVERY):
            if said is None:
                yield ServerSentEvent(event="view", data=json.dumps(now(table)))
            # What was said between listening and reading the log has been sent already.
            elif said.game_id != game_id or said.seq > seq:
                game_id, seq = said.game_id, said.seq
                yield _sent(game_id, LoggedEvent(seq, said.event))


def _sent(game_id: str, logged: LoggedEvent) -> ServerSentEvent:
    return ServerSentEvent(
        event=logged.event.event,
        id=f"{game_id}:{logged.seq}",
        data=json.dumps({"game_id": game_id, "seq": logged.seq, **as_json(logged.event)}),
    )


def _plain(events: Iterable[LoggedEvent]) -> list[dict[str, Any]]:
    return [{"seq": logged.seq, **as_json(logged.event)} for logged in events]


def _summary(game: LoggedGame) -> dict[str, Any]:
    return {
        "game_id": game.id,
        "started_at": game.started_at,
        "game": game.game,
        "options": dict(game.options),
        "board": game.board["name"],
        "players": list(game.players),
        "moves": game.moves,
        "result": as_json(game.result) if game.result else None,
        "match": game.match,
        "round": game.round,
    }


def serve_page(app: FastAPI, first: str) -> None:
    """Serve the page's own files, each by its name, `first` at the root: this folder holds our source too."""
    files = {path.name: path for path in FOLDER.iterdir() if path.suffix in {".html", ".js", ".css"}}

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(files[first], headers=SECURITY)

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(files["docs.html"], headers=SECURITY)

    @app.get("/{name}", include_in_schema=False)
    async def file(name: str) -> FileResponse:
        if name not in files:
            raise HTTPException(404, f"there is no page {name!r}")
        return FileResponse(files[name], headers=SECURITY)


def answer_in_one_sentence(app: FastAPI) -> None:
    """Make every refusal `{"error": "one sentence"}`."""

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        return _error(400, _sentence(error))

    @app.exception_handler(NotSimulatedError)
    async def not_simulated(_: Request, error: NotSimulatedError) -> JSONResponse:
        return _error(409, str(error))

    @app.exception_handler(PitwatchError)
    async def refused(_: Request, error: PitwatchError) -> JSONResponse:
        return _error(400 if isinstance(error, BadInput) else 503, str(error))

    @app.exception_handler(StarletteHTTPException)
    async def no_such(_: Request, error: StarletteHTTPException) -> JSONResponse:
        return _error(error.status_code, str(error.detail))


def _error(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def _sentence(error: RequestValidationError) -> str:
    """The first thing wrong with a request, in one sentence."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"the request is not JSON: {first['ctx']['error']} at character {first['loc'][-1]}"
    where = ".".join(str(part) for part in first["loc"][1:])
    message = first["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    return f"the request does not fit{f' at {where}' if where else ''}: {message}"
