"""The web interface, over its own requests and answers; the table behind it is a double."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from engine.errors import BadInput
from referee.events import GameOver, Mend, MoveMade, Turn, Violation
from service.settings import ClockTable
from service.web.app import create_app
from service.web.feed import MOST_WAITING, Feed
from service.web.table import Auto, Err, Pace, Play, PutRight
from tests.service.fake_table import FakeTable

MOVE = MoveMade(2.0, 1, 0, move="C", gain=(1, 0), pits=(4, 4, 0, 5, 5, 5) + (4,) * 6, stores=(1, 0))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[FakeTable]:
    fake = FakeTable(tmp_path / "games.sqlite")
    yield fake
    fake.close()


def client(app: FastAPI, base: str = "http://127.0.0.1:8080") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base)


async def get(table: FakeTable, path: str) -> Any:
    async with client(create_app(table)) as web:
        answer = await web.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def post(table: FakeTable, path: str, body: Any, arbiter: str | None = None) -> tuple[int, Any]:
    async with client(create_app(table, arbiter=arbiter)) as web:
        answer = await web.post(path, json=body)
    return answer.status_code, answer.json()


# --- state and log ------------------------------------------------------------------------------------


async def test_the_state_has_all_that_the_page_draws(table: FakeTable) -> None:
    table.say(MOVE)
    table.look(phase="mend", mend=(Mend(2, 1, 0),))
    state = await get(table, "/api/state")
    assert state["game_id"] == table.state.game_id
    assert state["seq"] == 2
    assert [event["event"] for event in state["events"]] == ["game_started", "move"]
    assert state["moves"] == ["C"]
    assert state["title"] == "Kalah"
    assert state["labels"][:12] == list("ABCDEFabcdef")
    assert state["layout"]["length"] == 477.5
    assert state["layout"]["stores"][0] == {"x": 440.0, "y": 79.5, "radius": 24.0, "half_length": 20.0}
    assert state["view"]["mend"] == [{"pit": 2, "seeds": 1, "want": 0}]
    assert state["lamps"][2] == {"colour": "red", "pattern": "fast"}
    assert state["lamps"][3] == {"colour": "none", "pattern": "off"}
    assert state["clock"] is None
    assert state["simulated"] is True
    assert state["hand"] == {"auto": False, "speed": 1.0, "mistakes": ["sown_short", "skipped_pit"]}


async def test_games_in_the_log(table: FakeTable) -> None:
    first = table.state.game_id
    table.say(MOVE)
    table.say(GameOver(9.0, 1, 0, scores=(30, 18), winners=(0,)))
    await table.new_game("oware", {}, ())
    listed = await get(table, "/api/games")
    assert [(game["game"], game["moves"]) for game in listed] == [("oware", 0), ("kalah", 1)]
    assert listed[1]["result"]["scores"] == [30, 18]
    assert listed[1]["board"] == "walnut two by six"
    game = await get(table, f"/api/games/{first}")
    assert game["standing"] == ["C"]
    assert game["events"][1]["pits"] == list(MOVE.pits)
    assert game["labels"][6] == "a"
    assert game["layout"]["width"] == 159.1


async def test_the_camera_s_picture_is_there_where_a_camera_is(table: FakeTable) -> None:
    async with client(create_app(table)) as web:
        answer = await web.get("/api/picture")
        assert answer.status_code == 404
        assert answer.json()["error"].startswith("no camera has seen this board: name one as [camera]")
        table.pictured = b"\xff\xd8picture"
        answer = await web.get("/api/picture")
    assert (answer.status_code, answer.content) == (200, b"\xff\xd8picture")
    assert answer.headers["content-type"] == "image/jpeg"


async def test_the_camera_s_picture_is_had_without_the_board_drawn_over_it(table: FakeTable) -> None:
    table.pictured, table.bare = b"drawn", b"bare"
    async with client(create_app(table)) as web:
        assert (await web.get("/api/picture?plain=true")).content == b"bare"
        assert (await web.get("/api/picture")).content == b"drawn"


async def test_the_arbiter_sets_the_corners_of_the_board(table: FakeTable) -> None:
    corners = [[100, 210], [1180.5, 190], [1205, 560], [80, 545]]
    status, answer = await post(table, "/api/camera/corners", {"corners": corners}, arbiter="owl")
    assert (status, answer) == (403, {"error": "this is not the arbiter's word: ask the arbiter"})
    status, _ = await post(
        table, "/api/camera/corners", {"corners": corners, "arbiter": "cat"}, arbiter="owl"
    )
    assert (status, table.corners) == (403, ())
    for word in ("owl", None):
        body = {"corners": corners, "arbiter": "owl"}
        status, answer = await post(table, "/api/camera/corners", body, arbiter=word)
        assert status == 200
        line = "corners = [[100.0, 210.0], [1180.5, 190.0], [1205.0, 560.0], [80.0, 545.0]]"
        assert answer["keep"].endswith(f"write into [camera] of the configuration: {line}")
        assert [list(corner) for corner in table.corners] == corners


@pytest.mark.parametrize(
    ("corners", "why"),
    [
        ([[1, 2]] * 3, "3 board corners were given: give four, clockwise from the top left"),
        ([[1, 2]] * 41, "corners: "),
        ([[1, 2, 3]] * 4, "corners"),
        ([[1, "x"]] * 4, "corners"),
    ],
)
async def test_what_are_no_corners_are_refused_in_one_sentence(
    table: FakeTable, corners: Any, why: str
) -> None:
    status, answer = await post(table, "/api/camera/corners", {"corners": corners})
    assert (status, table.corners) == (400, ())
    assert why in answer["error"]


async def test_a_game_that_is_not_in_the_log(table: FakeTable) -> None:
    async with client(create_app(table)) as web:
        answer = await web.get("/api/games/nope")
    assert answer.status_code == 404
    assert answer.json()["error"].startswith("there is no game 'nope' in the log")


async def test_a_logged_game_whose_rules_are_gone_has_no_labels(table: FakeTable) -> None:
    game_id = table.log.begin(
        game="senet",
        options={},
        board=table.state.layout,
        players=("A", "B"),
        at=datetime(2020, 1, 1, tzinfo=UTC),
    )
    assert (await get(table, f"/api/games/{game_id}"))["labels"] == []


async def test_the_rules_on_offer(table: FakeTable) -> None:
    kalah = next(game for game in await get(table, "/api/rules") if game["game"] == "kalah")
    options = {option["name"]: option for option in kalah["options"]}
    assert (options["seeds"]["default"], options["seeds"]["values"]) == (4, list(range(1, 13)))
    assert options["sweep"]["values"] == ["owner", "ender", "none"]
    assert options["pie"]["values"] == [False, True]


# --- what people and pages send -----------------------------------------------------------------------


async def test_a_new_game(table: FakeTable) -> None:
    status, answer = await post(
        table, "/api/games", {"game": "oware", "options": {"seeds": 5}, "players": ["Ann", "Bob"]}
    )
    assert status == 201
    assert answer == {"game_id": table.state.game_id}
    logged = table.log.game(answer["game_id"])
    assert (logged.game, logged.options, logged.players) == ("oware", {"seeds": 5}, ("Ann", "Bob"))


@pytest.mark.parametrize(
    ("body", "clock"),
    [
        ({}, None),
        ({"clock": None}, None),
        ({"clock": {}}, ClockTable()),
        ({"clock": {"time": "5:00+3"}}, ClockTable(time=("5:00+3",))),
        (
            {"clock": {"time": ["5:00", "1:00"], "switch": "button", "flag": "announce"}},
            ClockTable(time=("5:00", "1:00"), switch="button", flag="announce"),
        ),
    ],
)
async def test_a_new_game_with_a_clock(
    table: FakeTable, body: dict[str, Any], clock: ClockTable | None
) -> None:
    assert (await post(table, "/api/games", {"game": "kalah", **body}))[0] == 201
    assert table.clock == clock


async def test_the_state_has_the_clock(table: FakeTable) -> None:
    table.state = replace(table.state, clock={"times": ["300"]})
    assert (await get(table, "/api/state"))["clock"] == {"times": ["300"]}
    assert (await stream(table))[-1][2]["clock"] == {"times": ["300"]}


async def test_inputs_reach_the_table(table: FakeTable) -> None:
    assert (await post(table, "/api/inputs", {"input": "takeback"}))[0] == 202
    assert (await post(table, "/api/inputs", {"input": "answer", "choice": 1}))[0] == 202
    assert (await post(table, "/api/inputs", {"input": "press", "player": 1}))[0] == 202
    give = {"input": "give", "player": 0, "seconds": -30.5, "arbiter": ""}
    assert (await post(table, "/api/inputs", give))[0] == 202
    assert table.seconds == -30.5
    assert table.inputs == [("takeback", None), ("answer", 1), ("press", 1), ("arbiter: give", 0)]


async def test_orders_reach_the_hand(table: FakeTable) -> None:
    bodies: list[dict[str, Any]] = [
        {"do": "play", "pit": 2},
        {"do": "mistake", "kind": "sown_short", "pit": 3},
        {"do": "mend"},
        {"do": "auto", "on": True},
        {"do": "speed", "factor": 5},
    ]
    for body in bodies:
        assert await post(table, "/api/hand", body) == (202, {"do": body["do"]})
    assert table.orders == [
        Play(do="play", pit=2),
        Err(do="mistake", kind="sown_short", pit=3),
        PutRight(do="mend"),
        Auto(do="auto", on=True),
        Pace(do="speed", factor=5.0),
    ]


async def test_a_real_board_has_no_hand_to_order(tmp_path: Path) -> None:
    table = FakeTable(tmp_path / "games.sqlite", simulated=False)
    assert await post(table, "/api/hand", {"do": "play", "pit": 2}) == (
        409,
        {"error": "the board is real: move the seeds by hand"},
    )
    table.close()


async def test_a_calibration_is_begun_by_the_arbiter_and_led_by_whoever_is_there(table: FakeTable) -> None:
    where = "/api/calibration"
    async with client(create_app(table, arbiter="oak")) as web:
        nothing = await web.get(where)
        assert (nothing.status_code, nothing.json()["error"][:26]) == (404, "no calibration is going on")
        assert (await web.post(where, json={"answer": "done"})).status_code == 400
        for word in ({}, {"arbiter": "elm"}):
            assert (await web.post(where, json={"answer": "begin", **word})).status_code == 403
        assert (await web.post(where, json={"answer": "begin", "arbiter": "oak"})).status_code == 202
        assert (await web.post(where, json={"answer": "done"})).status_code == 202
        assert (await web.get(where)).json() == {"text": "after done", "stops": True}
        assert (await web.post(where, json={"answer": "stop"})).status_code == 202
        assert (await web.get(where)).status_code == 404


@pytest.mark.parametrize("word", [None, "oak"])
async def test_the_arbiter_is_known_by_a_word_if_there_is_one(table: FakeTable, word: str | None) -> None:
    ruling = {"input": "accept", "player": 1, "arbiter": word or ""}
    assert (await post(table, "/api/inputs", ruling, word))[0] == 202
    assert (await post(table, "/api/inputs", {"input": "accept"}, word))[0] == 202
    status, answer = await post(table, "/api/inputs", {**ruling, "arbiter": "elm"}, word)
    if word:
        assert (status, answer) == (403, {"error": "this is not the arbiter's word: ask the arbiter"})
    assert table.inputs[:2] == [("arbiter: accept", 1), ("accept", None)]
    assert len(table.inputs) == (2 if word else 3)
    async with client(create_app(table, arbiter=word)) as web:
        assert (await web.get("/api/state")).json()["arbiter_has_word"] is bool(word)


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/api/inputs", {"input": "dance"}, "the request does not fit at input: input should be 'adjust', "),
        ("/api/inputs", {}, "the request does not fit at input: field required"),
        ("/api/inputs", {"input": "swap"}, "nobody may swap sides now"),
        ("/api/inputs", [1], "the request does not fit: input should be a valid dictionary"),
        ("/api/hand", {"do": "juggle"}, "the request does not fit: input tag 'juggle' found using 'do'"),
        ("/api/hand", {"do": "play"}, "the request does not fit at play.pit: field required"),
        ("/api/hand", {"do": "play", "pit": -1}, "the request does not fit at play.pit: input should be"),
        ("/api/hand", {"do": "speed", "factor": 0}, "the request does not fit at speed.factor: input should"),
        ("/api/games", {"game": "chess"}, "unknown game 'chess'"),
        ("/api/games", {"game": "kalah", "options": {"dice": 2}}, "kalah has no option 'dice'"),
        (
            "/api/games",
            {"game": "kalah", "clock": {"time": "5+3"}},
            "the request does not fit at clock: time '5+3' begins with 5 seconds: write minutes and",
        ),
        (
            "/api/games",
            {"game": "kalah", "clock": {"flag": 1}},
            "the request does not fit at clock.flag: inp",
        ),
        ("/api/games", {"game": "kalah", "colour": "red"}, "the request does not fit at colour: extra input"),
    ],
)
async def test_what_does_not_fit_is_one_sentence(
    table: FakeTable, path: str, body: Any, sentence: str
) -> None:
    status, answer = await post(table, path, body)
    assert status == 400
    assert answer["error"].startswith(sentence)
    assert "\n" not in answer["error"]
    assert (table.inputs, table.orders) == ([], [])


async def test_a_body_that_is_not_json(table: FakeTable) -> None:
    async with client(create_app(table)) as web:
        answer = await web.post("/api/inputs", content=b"{oops", headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("the request is not JSON")


async def test_a_path_that_is_not_there(table: FakeTable) -> None:
    async with client(create_app(table)) as web:
        assert (await web.get("/api/nope")).json() == {"error": "Not Found"}
        assert (await web.get("/app.py")).status_code == 404
        assert (await web.get("/..%2fapp.py")).status_code == 404
        assert (await web.delete("/api/state")).json() == {"error": "Method Not Allowed"}


# --- server-sent events -------------------------------------------------------------------------------


def parse(stream: str) -> list[tuple[str, str | None, Any]]:
    """(event, id, data) of each message, as the standard has it; comments are left out."""
    messages = []
    for block in stream.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            messages.append((fields["event"], fields.get("id"), json.loads(fields["data"])))
    return messages


async def stream(
    table: FakeTable, after: str = "", headers: dict[str, str] | None = None, *deeds: Any
) -> list[tuple[str, str | None, Any]]:
    """What a listener gets that is there while `deeds` are done."""
    async with client(create_app(table)) as web:
        request = asyncio.create_task(web.get("/api/events", params={"after": after}, headers=headers))
        while not table.feed._listeners:  # noqa: ASYNC110  # the feed needs no event for this
            await asyncio.sleep(0)
        for deed in deeds:
            deed()
            for _ in range(20):
                await asyncio.sleep(0)
        table.feed.close()
        answer = await request
    assert answer.headers["content-type"].startswith("text/event-stream")
    return parse(answer.text)


async def test_events_come_under_their_names_with_their_numbers(table: FakeTable) -> None:
    game = table.state.game_id
    messages = await stream(table, "", None, lambda: table.say(MOVE))
    assert [(kind, id_) for kind, id_, _ in messages] == [
        ("game_started", f"{game}:1"),
        ("view", None),
        ("move", f"{game}:2"),
    ]
    data = messages[-1][2]
    assert (data["game_id"], data["seq"], data["move"], data["gain"]) == (game, 2, "C", [1, 0])


@pytest.mark.parametrize("by", ["header", "query"])
async def test_a_reader_that_comes_back_gets_what_it_missed(table: FakeTable, by: str) -> None:
    table.say(MOVE)
    table.say(Turn(2.1, 1, 1, legal=("a",)))
    known = f"{table.state.game_id}:2"
    if by == "header":
        messages = await stream(table, f"{table.state.game_id}:0", {"Last-Event-ID": known})
    else:
        messages = await stream(table, known)
    assert [kind for kind, _, _ in messages] == ["turn", "view"]


async def test_a_reader_of_an_older_game_gets_the_new_one_from_its_start(table: FakeTable) -> None:
    old = f"{table.state.game_id}:1"
    await table.new_game("oware", {}, ())
    messages = await stream(table, old)
    assert [(kind, data["game_id"]) for kind, _, data in messages] == [
        ("game_started", table.state.game_id),
        ("view", table.state.game_id),
    ]


async def test_a_listener_hears_of_the_next_game(table: FakeTable) -> None:
    def begin() -> None:
        table._begin("oware", {})

    messages = await stream(table, f"{table.state.game_id}:1", None, begin)
    assert [(kind, data["game_id"]) for kind, _, data in messages if kind != "view"] == [
        ("game_started", table.state.game_id)
    ]


@pytest.mark.parametrize(("seconds", "views"), [(3600.0, 1), (0.0, 3)])
async def test_views_keep_their_distance(
    table: FakeTable, monkeypatch: pytest.MonkeyPatch, seconds: float, views: int
) -> None:
    monkeypatch.setattr("service.web.app.LOOK_EVERY", seconds)

    def flicker() -> None:
        for n in range(100):
            table.look(live=(n % 9,) * 14)

    messages = await stream(table, f"{table.state.game_id}:1", None, flicker, flicker)
    assert [kind for kind, _, _ in messages].count("view") == views


async def test_a_listener_that_lags_too_far_is_let_go() -> None:
    feed = Feed()
    heard = 0
    with feed.listen() as listener:
        for seq in range(MOST_WAITING + 10):
            feed.say("game", seq, MOVE)
        async for said in listener.news(0.0):
            heard += said is not None
    assert heard == MOST_WAITING


# --- who may call -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "base", ["http://evil.example:8080", "http://127.0.0.1.evil.example", "http://10.0.0.7"]
)
async def test_loopback_answers_to_its_own_names_only(table: FakeTable, base: str) -> None:
    async with client(create_app(table), base) as web:
        answer = await web.get("/api/state")
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("this server answers to localhost and 127.0.0.1 only")


@pytest.mark.parametrize("base", ["http://localhost:8080", "http://127.0.0.1:9", "http://[::1]:8080"])
async def test_loopback_answers_to_its_names(table: FakeTable, base: str) -> None:
    async with client(create_app(table), base) as web:
        assert (await web.get("/api/state")).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://evil.example", 403), ("null", 403), ("http://127.0.0.1:8080", 202)],
)
async def test_other_sites_pages_cannot_post(table: FakeTable, origin: str, status: int) -> None:
    async with client(create_app(table)) as web:
        answer = await web.post("/api/inputs", json={"input": "done"}, headers={"Origin": origin})
    assert answer.status_code == status
    assert len(table.inputs) == (status == 202)


def test_a_network_wants_a_token(table: FakeTable) -> None:
    with pytest.raises(BadInput, match=r"0\.0\.0\.0 can be reached from the network, and that wants a token"):
        create_app(table, host="0.0.0.0")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/state", {}, 401),
        ("/api/state", {"Authorization": "Bearer wrong"}, 401),
        ("/api/state?token=wrong", {}, 401),
        ("/api/state", {"Authorization": "Bearer s3same"}, 200),
        ("/api/state?token=s3same", {}, 200),
        ("/api/openapi.json", {}, 401),
        ("/", {}, 200),
    ],
)
async def test_the_token_opens_the_api(
    table: FakeTable, path: str, headers: dict[str, str], status: int
) -> None:
    async with client(create_app(table, host="0.0.0.0", token="s3same"), "http://pi.local:8080") as web:
        answer = await web.get(path, headers=headers)
    assert answer.status_code == status


# --- the page's files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/api/docs", "text/html"),
        ("/app.js", "text/javascript"),
        ("/style.css", "text/css"),
    ],
)
async def test_the_pages_files_need_nothing_from_elsewhere(table: FakeTable, path: str, kind: str) -> None:
    async with client(create_app(table)) as web:
        answer = await web.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "//cdn" not in answer.text
    assert "https://" not in answer.text


async def test_the_api_describes_itself(table: FakeTable) -> None:
    described = await get(table, "/api/openapi.json")
    assert set(described["paths"]) == {
        "/api/state", "/api/events", "/api/games", "/api/games/{game_id}", "/api/inputs", "/api/hand",
        "/api/rules", "/api/picture", "/api/calibration", "/api/camera/corners",
    }  # fmt: skip


async def test_a_violation_is_told_with_its_mend(table: FakeTable) -> None:
    wrong = Violation(3.0, 1, 0, kind="sown_short", pits=(6,), mend=(Mend(6, 3, 4),), text="One seed short.")
    messages = await stream(table, f"{table.state.game_id}:1", None, lambda: table.say(wrong))
    assert messages[-1][2]["mend"] == [{"pit": 6, "seeds": 3, "want": 4}]
