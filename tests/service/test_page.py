"""The page in a real browser: headless Chromium, and uvicorn in front of a double of the table."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import pytest_asyncio
import uvicorn
from playwright.async_api import Page, expect

from firmware_bridge.calibration import Plan, ScaleCalibration
from firmware_bridge.search import Search
from referee.events import (
    Clock,
    Flag,
    GameOver,
    Mend,
    Mended,
    MoveMade,
    Press,
    Question,
    Reading,
    Reasons,
    RoundOver,
    Ruling,
    SensorBack,
    SensorLost,
    Takeback,
    Violation,
    Weighed,
)
from referee.view import Phase
from service.boardfile import shipped
from service.calibrating import Calibrating
from service.settings import ClockTable
from service.web.app import create_app
from service.web.table import Auto, Err, Pace, Play, PutRight
from tests.service.fake_table import FakeTable

# One browser for all tests, and so one event loop.
pytestmark = pytest.mark.asyncio(loop_scope="module")

# Kalah from the start: C ends in the own store; then A, the last seed in the fifth pit.
C = MoveMade(2.0, 1, 0, move="C", gain=(1, 0), pits=(4, 4, 0, 5, 5, 5) + (4,) * 6, stores=(1, 0))
A = MoveMade(5.0, 2, 0, move="A", gain=(0, 0), pits=(0, 5, 1, 6, 6, 5) + (4,) * 6, stores=(1, 0))


class Server:
    """The page of one table, served on a free port of this machine."""

    def __init__(self, table: FakeTable) -> None:
        self.table = table
        config = uvicorn.Config(create_app(table), port=0, log_level="error", ws="none")
        self._server = uvicorn.Server(config)

    async def __aenter__(self) -> str:
        self._task = asyncio.create_task(self._server.serve())
        while not self._server.started:  # noqa: ASYNC110  # uvicorn has no event for this
            await asyncio.sleep(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/"

    async def __aexit__(self, *_: object) -> None:
        self.table.feed.close()
        self._server.should_exit = True
        await self._task


@pytest_asyncio.fixture(loop_scope="module")
async def table(tmp_path: Path) -> AsyncIterator[FakeTable]:
    fake = FakeTable(tmp_path / "games.sqlite")
    yield fake
    fake.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(table: FakeTable, browser_page: Page) -> AsyncIterator[Page]:
    """The page, open on the table."""
    async with Server(table) as address:
        await browser_page.goto(address)
        await expect(browser_page.locator("#turn")).to_have_text("South to move")
        yield browser_page
        await browser_page.goto("about:blank")  # lets go of the events, so that the server can stop


def count(page: Page, hole: int) -> Any:
    return page.locator(f'#board [data-hole="{hole}"] .tag text')


async def test_the_board_is_drawn_to_scale(page: Page) -> None:
    assert await page.locator("#board .pit").count() == 12
    assert await page.locator("#board .store").count() == 2
    board = await page.locator("#board").bounding_box()
    assert board is not None
    assert board["width"] / board["height"] == pytest.approx(477.5 / 159.1, rel=0.01)
    scale = board["width"] / 477.5
    for hole, x, y, half_x, half_y in [(0, 100.4, 111.9, 23.4, 23.4), (12, 440.0, 79.5, 24.0, 44.0)]:
        left, top, right, bottom = await page.locator(f'#board [data-hole="{hole}"] .hole').evaluate(
            """path => {
                const box = path.getBBox(), screen = path.getScreenCTM();
                return [
                    screen.a * box.x + screen.e, screen.d * box.y + screen.f,
                    screen.a * (box.x + box.width) + screen.e, screen.d * (box.y + box.height) + screen.f,
                ];
            }"""
        )
        assert (left - board["x"]) / scale == pytest.approx(x - half_x, abs=0.5)
        assert (right - board["x"]) / scale == pytest.approx(x + half_x, abs=0.5)
        assert (top - board["y"]) / scale == pytest.approx(y - half_y, abs=0.5)
        assert (bottom - board["y"]) / scale == pytest.approx(y + half_y, abs=0.5)


async def test_the_arbiter_has_the_scale_calibrated_and_comes_back(page: Page, table: FakeTable) -> None:
    begin = page.get_by_role("button", name="Calibrate the scale")
    await page.locator("#arbiter > summary").click()
    await expect(begin).to_be_hidden()
    plan = Plan(tuple(f"pit {hole}" for hole in range(14)), 12, 48)
    asked = Calibrating(ScaleCalibration(plan), Search("/dev/nowhere")).as_json()
    table.guided = {**asked, "layout": asdict(shipped("two-by-six"))}
    table.state = replace(table.state, calibrates=True)
    table.feed.look()
    await begin.click()
    await expect(page.locator("#prompt")).to_have_text("after begin")
    await page.get_by_role("button", name="Done").click()
    await expect(page.locator("#prompt")).to_have_text("after done")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator("#turn")).to_have_text("South to move")
    assert table.guided is None


async def test_counts_hands_and_lamps_follow_the_table(page: Page, table: FakeTable) -> None:
    await expect(count(page, 2)).to_have_text("4")
    assert await page.locator('#board [data-hole="2"] .seed').count() == 4
    live = (4, 4, 0, 5, 5, 4) + (4,) * 6 + (0, 0)
    table.look(
        phase="sowing", touched=2, live=live, hand=(0.0,) * 5 + (0.9,) + (0.0,) * 8,
        certain=(1.0,) * 5 + (0.6,) + (1.0,) * 8,
    )  # fmt: skip
    await expect(page.locator("#turn")).to_have_text("South is sowing")
    await expect(count(page, 2)).to_have_text("0")
    await expect(count(page, 3)).to_have_text("5")
    await expect(count(page, 5)).to_have_text("4?")
    await expect(page.locator('#board [data-hole="2"] .seed')).to_have_count(0)
    await expect(page.locator('#board [data-hole="3"] .seed')).to_have_count(5)
    await expect(page.locator(".hands .hand").nth(5)).to_have_css("opacity", "0.7")
    await expect(page.locator(".hands .hand").nth(4)).to_have_css("opacity", "0")
    await expect(page.locator('#board [data-hole="2"] .lamp')).to_have_class("lamp c-blue p-steady")
    await expect(page.locator('#board [data-hole="0"] .lamp')).to_have_class("lamp c-none p-off")


async def test_a_pit_is_played_by_click_and_by_key(page: Page, table: FakeTable) -> None:
    async with page.expect_response("**/api/hand"):
        await page.locator('#board [data-hole="2"]').click()
    await page.locator('#board [data-hole="4"]').focus()
    async with page.expect_response("**/api/hand"):
        await page.keyboard.press("Enter")
    assert table.orders == [Play(do="play", pit=2), Play(do="play", pit=4)]


async def test_the_simulated_hand_takes_orders(page: Page, table: FakeTable) -> None:
    await page.locator("#mistake").select_option("skipped_pit")
    async with page.expect_response("**/api/hand"):
        await page.locator('#board [data-hole="1"]').click()
    await expect(page.locator("#mistake")).to_have_value("")
    async with page.expect_response("**/api/hand"):
        await page.locator("#auto").check()
    async with page.expect_response("**/api/hand"):
        await page.locator("#speed").select_option("5")
    table.look(phase="mend", mend=(Mend(6, 3, 4),))
    await expect(page.locator("#mend")).to_be_enabled()
    async with page.expect_response("**/api/hand"):
        await page.locator("#mend").click()
    assert table.orders == [
        Err(do="mistake", kind="skipped_pit", pit=1),
        Auto(do="auto", on=True),
        Pace(do="speed", factor=5.0),
        PutRight(do="mend"),
    ]


async def test_a_verdict_says_the_mistake_and_its_mend(page: Page, table: FakeTable) -> None:
    table.say(C)
    mend = (Mend(5, 6, 5), Mend(6, 3, 4))
    wrong = Violation(
        3.0, 1, 0, kind="double_drop", pits=(5, 6), seeds=(1, -1), mend=mend,
        text="Two seeds fell into F: one belongs into a.",
    )  # fmt: skip
    table.say(wrong)
    table.look(phase="mend", mend=mend, violation=wrong)
    await expect(page.locator("#verdict-text")).to_have_text("Two seeds fell into F: one belongs into a.")
    await expect(page.locator("#verdict")).to_have_attribute("data-tone", "bad")
    await expect(page.locator("#mends li")).to_have_text(
        ["F: take 1 out (6 seeds now, 5 wanted)", "a: put 1 in (3 seeds now, 4 wanted)"]
    )
    await expect(page.locator('#board [data-hole="5"] .badge')).to_have_text("−1")
    await expect(page.locator('#board [data-hole="6"] .badge')).to_have_text("+1")
    await expect(page.locator('#board [data-hole="5"] .lamp')).to_have_class("lamp c-red p-fast")
    await expect(page.locator('#board [data-hole="6"] .lamp')).to_have_class("lamp c-cyan p-slow")
    assert await page.locator("#verdict").get_attribute("aria-live") == "polite"

    table.say(Mended(4.0, 1, 0, kind="double_drop"))
    table.look(phase="waiting", mend=(), violation=None)
    await expect(page.locator("#verdict-text")).to_have_text("Mended: double drop.")
    await expect(page.locator("#moves .violation")).to_have_class("violation mended")


async def test_the_moves_are_listed_with_what_became_of_them(page: Page, table: FakeTable) -> None:
    table.say(C)
    table.say(A)
    table.say(Takeback(6.0, 1, 0, move="A", pits=C.pits, stores=C.stores))
    table.say(MoveMade(8.0, 2, 0, move="F", captured=((5, 1), (6, 4)), gain=(5, 0), certainty=0.93))
    table.say(GameOver(90.0, 2, 0, scores=(27, 21), winners=(0,), reason="North's row is empty"))
    rows = page.locator("#moves li")
    await expect(rows).to_have_count(5)
    await expect(rows.nth(0)).to_have_text("1SouthC+1")
    await expect(rows.nth(1)).to_have_class("move undone")
    await expect(rows.nth(3)).to_have_text("2SouthFcaptures 5 from F, a, 93 % certain")
    await expect(rows.nth(4)).to_have_text("South wins 27 : 21 (North's row is empty)")
    await page.reload()
    await expect(rows).to_have_count(5)


SHORT = Violation(
    3.0, 0, 0, "sown_short", (4, 3), (-1, 1), (Mend(3, 6, 5), Mend(4, 4, 5)), "It lies short, in D.",
    0.9, "A", Reasons(
        "Seeds are sown one a hole.",
        (Reading("A, sown short", 0.9, -0.5, -6.0), Reading("A", 0.0001, -9.0, 0.0)),
        (Weighed(3, 6, 0.98, (6, 5), 5),),
    ),
)  # fmt: skip


async def test_a_verdict_says_why(page: Page, table: FakeTable) -> None:
    await expect(page.locator("#why")).to_be_hidden()
    table.look(phase="mend", violation=SHORT, mend=SHORT.mend)
    await page.get_by_text("Why?").click()
    await expect(page.locator("#reasons li")).to_have_text(
        [
            "Seeds are sown one a hole.",
            "Read as A, sown short (90.0 %; fit -0.5, prior -6); or as A (under 0.1 %; fit -9, prior 0).",
            "D: measured 6 (98.0 %), wanted 5; the readings say 6, 5.",
        ]
    )
    await expect(page.locator("#choices button")).to_have_count(0)
    # A move that was not quite certain says so beside itself.
    table.say(C)
    table.say(replace(A, certainty=0.995, reasons=Reasons("", (Reading("A", 0.995, -0.2, 0.0),))))
    why = page.locator("#moves .move").nth(1).get_by_text("why?")
    await expect(why).to_have_attribute("title", "Read as A (99.5 %; fit -0.2, prior 0).")
    await expect(page.locator("#moves").get_by_text("why?")).to_have_count(1)


async def test_the_opponent_decides_by_one_press(page: Page, table: FakeTable) -> None:
    table.say(SHORT)
    table.look(phase="decide", policy="opponent_decides", deciders=(1,), follows=1, violation=SHORT)
    await expect(page.locator("#turn")).to_have_text("North decides: does it stand?")
    async with page.expect_response("**/api/inputs"):
        await page.get_by_role("button", name="Accept it: North to move").click()
    async with page.expect_response("**/api/inputs"):
        await page.locator("#choices").get_by_role("button", name="Have it put right").click()
    assert table.inputs == [("accept", None), ("correct", None)]
    ruling = Ruling(
        5.0, 0, 1, "sown_short", "opponent", "0,5,5,6,4,4/4,4,4,4,4,4 0,0 1", (0, 5, 5, 6, 4, 4) + (4,) * 6,
        (0, 0), 0, "The opponent accepts the board as it lies: North is to move.",
    )  # fmt: skip
    table.say(ruling)
    table.look(phase="waiting", violation=None, player=1, deciders=(), follows=None)
    await expect(page.locator("#moves .violation em")).to_have_text("accepted")
    await expect(page.locator("#moves .ruling")).to_contain_text("The opponent accepts the board as it lies")
    await expect(page.locator("#choices button")).to_have_count(0)
    table.say(Takeback(6.0, 0, 0, "ruling", (4,) * 12, (0, 0)))
    await expect(page.locator("#moves .ruling")).to_have_class("ruling undone")


async def test_a_warning_lets_the_players_go_on(page: Page, table: FakeTable) -> None:
    table.look(phase="mend", policy="warn", violation=SHORT, follows=1, mend=SHORT.mend)
    await expect(page.locator("#turn")).to_have_text("Put it right, or go on")
    async with page.expect_response("**/api/inputs"):
        await page.get_by_role("button", name="Accept it: North to move").click()
    assert table.inputs == [("accept", None)]


async def test_the_arbiter_rules(page: Page, table: FakeTable) -> None:
    table.look(phase="decide", policy="arbiter", violation=SHORT, follows=1, locked=True)
    await expect(page.locator("#turn")).to_have_text("The arbiter decides: does it stand?")
    await expect(page.locator("#takeback")).to_be_hidden()
    await page.get_by_label("To move").select_option("South")
    async with page.expect_response("**/api/inputs"):
        await page.get_by_role("button", name="Accept the board as it lies").click()
    for name in ("Have it put right", "Take back"):
        async with page.expect_response("**/api/inputs"):
            await page.locator("#arbiter").get_by_role("button", name=name).click()
    assert table.inputs == [
        ("arbiter: accept", 0),
        ("arbiter: correct", None),
        ("arbiter: takeback", None),
    ]
    table.look(phase="setup", violation=None)
    async with page.expect_response("**/api/inputs"):
        await page.get_by_role("button", name="Begin from what lies there").click()
    assert table.inputs[-1] == ("arbiter: accept", None)


@pytest.mark.parametrize(
    ("phase", "buttons"),
    [
        ("setup", ["#arbiter-accept", "[data-input=recount]", "#open-new"]),
        ("waiting", ["#takeback", "[data-input=resign]"]),
        ("sowing", ["#takeback", "[data-input=adjust]"]),
        ("capture", ["[data-input=done]", "#takeback"]),
        ("mend", ["#arbiter-accept", "#takeback", "[data-input=recount]"]),
        ("decide", ["#arbiter-accept", "#arbiter-correct", "#takeback"]),
        ("question", ["#choices button >> nth=0", "[data-input=recount]", "#takeback"]),
        ("lost", ["[data-input=resign]", "#takeback", "#open-new"]),
        ("over", ["#takeback", "#open-new"]),
    ],
)
async def test_every_state_has_a_way_on_from_the_page(
    page: Page, table: FakeTable, phase: Phase, buttons: list[str]
) -> None:
    over = GameOver(9.0, 1, 0, scores=(0, 0), winners=(1,), reason="South resigned")
    table.look(
        phase=phase, violation=SHORT if phase in ("mend", "decide") else None,
        result=over if phase == "over" else None,
        question=Question(3.0, 0, 0, ("C", "D"), "Was it C or D?") if phase == "question" else None,
    )  # fmt: skip
    await page.locator("#arbiter").evaluate("arbiter => { arbiter.open = true; }")
    for button in buttons:
        await expect(page.locator(button)).to_be_visible()
        await expect(page.locator(button)).to_be_enabled()


async def test_a_resignation_taken_back_leaves_the_moves(page: Page, table: FakeTable) -> None:
    table.say(C)
    table.say(GameOver(3.0, 1, 0, scores=(1, 0), winners=(1,), reason="South resigned"))
    table.say(Takeback(4.0, 1, 0, "", (4, 4, 0, 5, 5, 5) + (4,) * 6, (1, 0)))
    await expect(page.locator("#moves .move")).to_have_class("move")
    await expect(page.locator("#moves .over")).to_have_class("over undone")
    await expect(page.locator("#moves li").last).to_have_text("the end taken back: play goes on")


async def test_the_end_is_told(page: Page, table: FakeTable) -> None:
    over = GameOver(90.0, 30, 0, scores=(24, 24), winners=(0, 1))
    table.say(over)
    table.look(phase="over", player=None, result=over)
    await expect(page.locator("#turn")).to_have_text("The game is over")
    await expect(page.locator("#verdict-text")).to_have_text("South and North share the first place 24 : 24")
    await expect(page.locator("#clock-note")).to_have_text("no clock")


async def test_a_question_is_answered_by_its_button(page: Page, table: FakeTable) -> None:
    question = Question(3.0, 1, 0, choices=("C", "D"), text="Was it C or D?")
    table.say(question)
    table.look(phase="question", question=question)
    await expect(page.locator("#verdict-text")).to_have_text("Was it C or D?")
    async with page.expect_response("**/api/inputs"):
        await page.get_by_role("button", name="D", exact=True).click()
    async with page.expect_response("**/api/inputs"):
        await page.get_by_role("button", name="Take back").click()
    assert table.inputs == [("answer", 1), ("takeback", None)]


async def test_a_new_game_with_an_option(page: Page, table: FakeTable) -> None:
    table.say(C)
    await page.get_by_role("button", name="New game").click()
    await page.locator("#new-kind").select_option("oware")
    await page.locator("#new-rules summary").click()
    await page.locator('#new-options [name="seeds"]').select_option(label="3")
    await page.locator("#new-begin").click()
    await expect(page.locator("#title")).to_have_text("Oware (Awari)")
    await expect(count(page, 0)).to_have_text("3")
    await expect(page.locator("#moves li")).to_have_count(0)
    assert table.log.game(table.state.game_id).options == {"seeds": 3}


async def test_a_new_game_with_a_list_of_numbers(page: Page, table: FakeTable) -> None:
    table.say(C)
    await page.get_by_role("button", name="New game").click()
    await page.locator("#new-kind").select_option("orient-standard")
    await page.locator("#new-rules summary").click()
    await page.locator('#new-options [name="start"]').fill("9 8 7 6 5 4 3 2 1 1 1 1")
    await page.locator("#new-begin").click()
    await expect(count(page, 0)).to_have_text("9")
    assert table.log.game(table.state.game_id).options == {"start": "9 8 7 6 5 4 3 2 1 1 1 1"}


async def test_a_round_of_a_match(page: Page, table: FakeTable) -> None:
    await expect(page.locator("#end")).to_be_hidden()
    # North has conquered F and A; d is closed.
    owner = (1, 0, 0, 0, 0, 1) + (1,) * 6
    table.look(round=3, standing=(4, 8), owner=owner, closed=(9,))
    await expect(page.locator("#title")).to_have_text("Kalah, round 3, 4 : 8")
    marks = [await page.locator(f'[data-hole="{pit}"] .owner').get_attribute("class") for pit in (0, 1, 5)]
    assert marks == ["owner shown player-1", "owner shown player-0", "owner shown player-1"]
    await expect(page.locator('#board [data-hole="9"]')).to_have_class("pit closed")
    await page.locator("#end").click()
    while not table.inputs:  # noqa: ASYNC110  # the request is on its way
        await asyncio.sleep(0.01)
    assert table.inputs == [("end", None)]


async def test_a_round_that_is_over_and_the_next_one_laid_out(page: Page, table: FakeTable) -> None:
    over = RoundOver(9.0, 2, 1, (28, 20), (0,), "a row is empty", 1, 1, (28, 20), (7, 5), (0,))
    table.say(over)
    table.look(phase="setup", round=2, note="Round 2: 4 seeds in each pit.", mend=(Mend(0, 3, 4),))
    await expect(page.locator("#moves li")).to_have_text(
        "Round 1: South wins 28 : 20 by seeds (menang biji); "
        "North ran out first: South wins by play (menang jalan); the match stands 7 : 5"
    )
    await expect(page.locator("#turn")).to_have_text("Lay out round 2")
    await expect(page.locator("#verdict-text")).to_have_text("Round 2: 4 seeds in each pit.")
    await expect(page.locator("#mends li")).to_have_text("A: put 1 in (3 seeds now, 4 wanted)")


async def test_a_new_game_by_rounds(page: Page, table: FakeTable) -> None:
    await page.get_by_role("button", name="New game").click()
    await expect(page.locator("#new-rounds")).to_be_hidden()
    await page.locator("#new-kind").select_option("congklak")
    await page.locator("#new-match").select_option("single")
    await page.locator("#new-begin").click()
    await expect(page.locator("#title")).to_have_text("Congklak (Dakon)")
    assert table.rounds == "single"


def clock(*left_ms: int, player: int = 0, runs: bool = False, **more: Any) -> dict[str, Any]:
    """What the table says of its clock."""
    face = {"delay_ms": 0, "periods": 0, "in_period": False, "flagged": False}
    return {
        "times": ["300"] * len(left_ms), "switch": "move", "flag": "lose", "player": player, "runs": runs,
        "stops": [], "players": [{**face, "left_ms": left} for left in left_ms], **more,
    }  # fmt: skip


async def test_the_clock_shows_who_has_how_much(page: Page, table: FakeTable) -> None:
    times, faces = page.locator("#clock .time"), page.locator("#clock .face")
    await expect(faces).to_have_count(0)
    await expect(page.locator("#clock-stop")).to_be_hidden()
    table.clocked(clock(298_200, 3_723_000))
    await expect(times).to_have_text(["4:59", "1:02:03"])
    await expect(faces.nth(0)).to_have_class("face turn-now")
    await expect(page.locator("#clock .name")).to_have_text(["South", "North"])
    # Low, with tenths; rounded up, so that 0:00 is no time at all.
    table.clocked(clock(19_999, 20_000, player=1))
    await expect(times).to_have_text(["0:20.0", "0:20"])
    await expect(faces.nth(0)).to_have_class("face low")
    table.clocked(clock(1, 0))
    await expect(times).to_have_text(["0:00.1", "0:00.0"])
    # After a flag that is only announced; and what a turn waits for, and periods.
    told = clock(-3_450, 30_000, player=1)
    told["players"][0]["flagged"] = True
    told["players"][1].update(periods=3, in_period=True)
    table.clocked(told)
    await expect(times).to_have_text(["−0:03.4", "0:30"])
    await expect(page.locator("#clock .more")).to_have_text(["⚑ out of time", "3 periods"])
    await expect(faces.nth(0)).to_have_class("face low flagged")
    told = clock(60_000, 60_000)
    told["players"][0]["delay_ms"] = 4_200
    table.clocked(told)
    await expect(page.locator("#clock .more")).to_have_text(["waits 5 s", ""])


async def test_the_clock_runs_on_by_itself(page: Page, table: FakeTable) -> None:
    table.clocked(clock(60_000, 60_000, runs=True))
    faces = page.locator("#clock .face")
    await expect(faces.nth(0)).to_have_class("face turn-now runs")
    await expect(page.locator("#clock .time")).to_have_text(["0:58", "1:00"])
    assert await page.locator("#clock [role=timer]").count() == 2


async def test_the_arbiter_stops_the_clock(page: Page, table: FakeTable) -> None:
    stop, note = page.locator("#clock-stop"), page.locator("#clock-note")
    table.clocked(clock(60_000, 60_000, runs=True))
    async with page.expect_response("**/api/inputs"):
        await stop.click()
    table.clocked(clock(60_000, 60_000, stops=["paused"]))
    await expect(note).to_have_text("stopped by the arbiter")
    await expect(stop).to_have_text("Let the clock run")
    async with page.expect_response("**/api/inputs"):
        await stop.click()
    assert table.inputs == [("pause", None), ("resume", None)]
    table.clocked(clock(60_000, 60_000, stops=["violation"]))
    await expect(note).to_have_text("stands until the board is right")
    table.clocked(clock(60_000, 60_000, stops=["over"]))
    await expect(stop).to_be_hidden()


async def test_the_arbiter_gives_time(page: Page, table: FakeTable) -> None:
    await page.locator("#arbiter").evaluate("arbiter => { arbiter.open = true; }")
    await expect(page.locator("#arbiter-clock")).to_be_hidden()
    table.clocked(clock(60_000, 60_000))
    await page.locator("#arbiter-clock-player").select_option("North")
    for name, seconds in (("Give 1 min", 60), ("Take 1 min", -60)):
        async with page.expect_response("**/api/inputs"):
            await page.get_by_role("button", name=name).click()
        assert table.inputs[-1] == ("arbiter: give", 1)
        assert table.seconds == seconds
    table.say(Clock(3.0, 0, 1, "given", ms=60_000))
    table.say(Clock(3.0, 0, 0, "given", ms=-60_000))
    await expect(page.locator("#moves li")).to_have_text(["North is given 60 s", "South loses 60 s"])


async def test_the_button_of_a_clock(page: Page, table: FakeTable) -> None:
    table.state = replace(table.state, players=("Ann", "Bob", "Cem"))
    table.clocked(clock(60_000, 60_000, 60_000, player=2, switch="button"))
    await page.reload()
    faces = page.locator("#clock button.face")
    await expect(faces).to_have_count(3)
    await expect(faces.nth(0)).to_be_disabled()
    async with page.expect_response("**/api/inputs"):
        await faces.nth(2).click()
    assert table.inputs == [("press", 2)]


async def test_flags_and_pauses_are_told_and_beats_are_not(page: Page, table: FakeTable) -> None:
    for state in ("paused", "runs", "resumed"):
        table.say(Clock(3.0, 0, 0, state))
    table.say(Press(3.0, 0, 0))
    table.say(Flag(4.0, 0, 1, at=3.5))
    table.look()
    await expect(page.locator("#moves li")).to_have_text(
        ["clock stopped", "clock goes on", "flagNorth: the time has run out."]
    )
    await expect(page.locator("#verdict-text")).to_have_text("North: the time has run out.")


async def test_what_the_camera_sees_is_shown_where_there_is_one(page: Page, table: FakeTable) -> None:
    await expect(page.locator("#camera")).to_be_hidden()
    table.pictured = cv2.imencode(".jpg", np.zeros((90, 160, 3), np.uint8))[1].tobytes()
    table.state = replace(table.state, camera=True)
    table.feed.look()
    await page.locator("#camera summary").click()
    await expect(page.locator("#picture")).to_have_js_property("naturalWidth", 160)


async def test_the_corners_of_the_board_are_clicked(page: Page, table: FakeTable) -> None:
    table.pictured = cv2.imencode(".jpg", np.zeros((90, 160, 3), np.uint8))[1].tobytes()
    table.bare = cv2.imencode(".jpg", np.zeros((720, 1280, 3), np.uint8))[1].tobytes()
    table.state = replace(table.state, camera=True)
    table.feed.look()
    await page.locator("#camera summary").click()
    await page.get_by_role("button", name="Set the corners").click()
    lead, send = page.locator("#corners-lead"), page.locator("#corners-send")
    await expect(page.locator("#corners-marks")).to_have_attribute("viewBox", "0 0 1280 720")
    box = await page.locator("#corners-picture").bounding_box()
    assert box is not None
    scale = box["width"] / 1280
    assert 0.3 < scale < 0.99
    assert box["height"] / 720 == pytest.approx(scale, rel=0.01)

    async def click(x: float, y: float) -> None:
        await page.mouse.click(box["x"] + scale * x, box["y"] + scale * y)

    await expect(lead).to_have_text("Click the top left corner of the board, as South sees it.")
    await click(100, 210)
    await expect(lead).to_contain_text("top right")
    await click(900, 400)
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator("#corners-marks circle")).to_have_count(1)
    await expect(lead).to_contain_text("top right")
    await click(1180, 190)
    await click(1195, 200)  # so near that it moves the last one
    await expect(lead).to_contain_text("bottom right")
    await click(1205, 560)
    await expect(send).to_be_disabled()
    await click(80, 545)
    await click(140, 260)  # the fifth moves the nearest
    await expect(lead).to_contain_text("A click moves the corner")
    await send.click()
    await expect(page.locator("#corners")).to_be_hidden()
    await expect(page.locator("#corners-keep")).to_contain_text(
        "write into [camera] of the configuration: corners = [[1"
    )
    right = [(140, 260), (1195, 200), (1205, 560), (80, 545)]
    # the mouse is at whole pixels of the page; a first pixel's centre is 0
    assert np.abs(np.array(table.corners) - (np.array(right) - 0.5)).max() < 1 / scale + 0.1


async def test_refused_corners_may_be_given_anew(page: Page, table: FakeTable) -> None:
    await page.route(
        "**/api/camera/corners", lambda route: route.fulfill(status=400, json={"error": "no board"})
    )
    table.bare = cv2.imencode(".jpg", np.zeros((720, 1280, 3), np.uint8))[1].tobytes()
    table.state = replace(table.state, camera=True)
    table.feed.look()
    await page.locator("#camera summary").click()
    await page.get_by_role("button", name="Set the corners").click()
    await expect(page.locator("#corners-marks")).to_have_attribute("viewBox", "0 0 1280 720")
    for x, y in ((50, 50), (300, 50), (300, 200), (50, 200)):
        await page.locator("#corners-picture").click(position={"x": x, "y": y})
    await page.locator("#corners-send").click()
    await expect(page.locator("#corners-refused")).to_have_text("no board")
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.locator("#corners")).to_be_hidden()
    await expect(page.locator("#corners-keep")).to_be_hidden()
    assert table.corners == ()


async def test_which_of_two_sensors_is_lost_is_told(page: Page, table: FakeTable) -> None:
    table.say(SensorLost(3.0, 0, 0, "the board is gone", "scale", ("camera",)))
    table.say(SensorBack(9.0, 0, 0, "it answers again", "scale", ("camera",)))
    table.say(SensorLost(12.0, 0, 0, "the board is gone"))
    table.look()
    await expect(page.locator("#moves li")).to_have_text([
        "scale lostthe board is gone. The camera watches alone.", "scale back",
        "sensor lostthe board is gone",
    ])  # fmt: skip


async def test_a_new_game_with_a_clock(page: Page, table: FakeTable) -> None:
    await page.get_by_role("button", name="New game").click()
    await expect(page.locator("#new-timing")).to_be_hidden()
    await page.locator("#new-clock").select_option("10:00+5")
    await expect(page.locator("#new-time")).to_have_value("10:00+5")
    async with page.expect_response("**/api/games"):
        await page.locator("#new-begin").click()
    assert table.clock == ClockTable(time=("10:00+5",))
    # The dialog comes back with the clock of the table, and takes any other.
    table.clocked(clock(600_000, 300_000, times=["600+5", "300+5"], switch="button"))
    await expect(page.locator("#clock .time")).to_have_text(["10:00", "5:00"])
    await page.get_by_role("button", name="New game").click()
    await expect(page.locator("#new-time")).to_have_value("600+5 300+5")
    await page.locator("#new-time").fill("3:00d2  5:00")
    await page.locator("#new-flag").select_option("announce")
    async with page.expect_response("**/api/games"):
        await page.locator("#new-begin").click()
    assert table.clock == ClockTable(time=("3:00d2", "5:00"), switch="button", flag="announce")
    await page.get_by_role("button", name="New game").click()
    await page.locator("#new-clock").select_option("")
    async with page.expect_response("**/api/games"):
        await page.locator("#new-begin").click()
    assert table.clock == ClockTable()


async def test_a_past_game_is_replayed(page: Page, table: FakeTable) -> None:
    table.say(C)
    table.say(A)
    await page.get_by_role("link", name="Past games").click()
    await expect(page.locator("#past-rows tr")).to_have_count(1)
    await page.locator("#past-rows a").click()
    sixth = page.locator('#replay-board [data-hole="5"] .tag text')
    store = page.locator('#replay-board [data-hole="12"] .tag text')
    await expect(page.locator("#replay-text")).to_have_text("The start")
    await expect(sixth).to_have_text("4")
    await page.locator("#replay-on").click()
    await expect(page.locator("#replay-text")).to_have_text("South plays C, +1")
    await expect(sixth).to_have_text("5")
    await expect(store).to_have_text("1")
    await page.locator("#replay-on").click()
    await expect(page.locator("#replay-text")).to_have_text("South plays A")
    await page.locator("#replay-back").click()
    await expect(page.locator("#replay-moves .current")).to_have_text("1SouthC+1")


async def test_a_real_board_cannot_be_clicked(tmp_path: Path, browser_page: Page) -> None:
    table = FakeTable(tmp_path / "games.sqlite", simulated=False)
    async with Server(table) as address:
        await browser_page.goto(address)
        await expect(browser_page.locator("#board .pit")).to_have_count(12)
        assert await browser_page.locator('#board [role="button"]').count() == 0
        await expect(browser_page.locator("#simulation")).to_be_hidden()
        await browser_page.goto("about:blank")
    table.close()


async def test_a_refusal_is_said_on_the_page(page: Page, table: FakeTable) -> None:
    table.state = replace(table.state, hand=None)
    await page.locator('#board [data-hole="2"]').click()
    await expect(page.get_by_role("alert")).to_have_text("the board is real: move the seeds by hand")


async def test_it_fits_a_phone(page: Page, table: FakeTable) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await page.locator("#simulation").is_visible()


async def test_the_documentation_lists_the_endpoints(page: Page) -> None:
    await page.locator("#docs").click()
    await expect(page.locator("#endpoints h2")).to_contain_text(["GET /api/state", "GET /api/events"])
    await expect(page.locator("#endpoints")).to_contain_text("POST /api/hand")
