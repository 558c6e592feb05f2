"""`pitwatch run` as people meet it: a process, a page in a real browser, a log that can be replayed."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.service.running import logged, service

# One browser for all tests, and so one event loop.
pytestmark = pytest.mark.asyncio(loop_scope="module")


def count(page: Page, hole: int) -> Any:
    return page.locator(f'#board [data-hole="{hole}"] .tag text')


@pytest.mark.parametrize(
    ("options", "title"),
    [
        (("--seed", "1"), "Kalah"),
        (("--game", "oware", "--seed", "2", "-o", "pits=4", "-o", "seeds=3"), "Oware (Awari)"),
    ],
)
async def test_a_game_plays_itself_to_the_end(
    tmp_path: Path, browser_page: Page, options: tuple[str, ...], title: str
) -> None:
    page, log = browser_page, tmp_path / "pitwatch.db"
    with service(log, "--speed", "40", *options) as running:
        await page.goto(running.address)
        await expect(page.locator("#title")).to_have_text(title)
        await expect(page.locator("#moves li.move").first).to_be_visible()
        await expect(page.locator("#turn")).to_have_text("The game is over", timeout=60_000)
        shown = await page.locator("#moves li.move strong").all_text_contents()
        verdict = await page.locator("#verdict-text").text_content()
        shown_pits = await page.locator("#board .pit").count()
        stores = [await count(page, shown_pits + player).text_content() for player in range(2)]
        assert await page.locator("#moves li.violation").count() == 0
        await page.goto("about:blank")
    game, moves, state = logged(log)
    assert shown == [move.replace("-", "–") for move in moves]
    assert state.result is not None
    assert game.result is not None
    assert (game.result.scores, game.result.winners) == (state.result.scores, state.result.winners)
    assert verdict is not None
    assert " : ".join(map(str, state.result.scores)) in verdict
    assert [int(store or "-1") for store in stores] == list(state.stores)


async def test_what_people_do_at_the_page(tmp_path: Path, browser_page: Page) -> None:
    page, log = browser_page, tmp_path / "pitwatch.db"
    with service(log, "--speed", "20", "--no-auto", "--seed", "4") as running:
        await page.goto(running.address)
        moves, turn, verdict = page.locator("#moves li"), page.locator("#turn"), page.locator("#verdict-text")
        await expect(turn).to_have_text("South to move")

        # A pit is clicked: the hand lifts and sows it, and the referee sees a move.
        await page.locator('#board [data-hole="2"]').click()
        await expect(moves.first).to_have_text("1SouthC+1")
        await expect(count(page, 2)).to_have_text("0")
        await expect(count(page, 12)).to_have_text("1")

        # A mistake from the menu: named, with its mend; put right, the game goes on.
        await page.locator("#mistake").select_option("sown_short")
        await page.locator('#board [data-hole="0"]').click()
        await expect(page.locator("#moves li.violation strong")).to_have_text("sown short")
        await expect(page.locator("#verdict")).to_have_attribute("data-tone", "bad")
        await expect(page.locator("#mends li")).to_have_text(
            ["D: take 1 out (7 seeds now, 6 wanted)", "E: put 1 in (5 seeds now, 6 wanted)"]
        )
        await page.locator("#mend").click()
        await expect(page.locator("#moves li.violation")).to_have_class("violation mended")
        await expect(page.locator("#moves li.move strong")).to_have_text(["C", "A"])
        await expect(turn).to_have_text("North to move")

        # The next player's move, taken back in the midst of its own mistake.
        await page.locator('#board [data-hole="6"]').click()
        await expect(page.locator("#moves li.move strong")).to_have_text(["C", "A", "a"])
        await page.locator("#mistake").select_option("wrong_player")
        await page.locator('#board [data-hole="7"]').click()
        await expect(verdict).to_contain_text("turn")
        await page.get_by_role("button", name="Take back").click()
        await expect(page.locator("#moves li.undone strong")).to_have_text("a")
        await expect(turn).to_have_text("North to move")
        await expect(count(page, 6)).to_have_text("4")
        assert running.get("state")["view"]["counts"] == [0, 5, 1, 6, 6, 5] + [4] * 6 + [1, 0]

        # Giving up ends the game; the hand has nothing more to do.
        await page.get_by_role("button", name="Resign").click()
        await expect(verdict).to_have_text("South wins 1 : 0 (North resigned)")
        await page.locator('#board [data-hole="6"]').click()
        await expect(page.get_by_role("alert")).to_contain_text("the game is over")

        # The pie rule: the button is there when the second player may swap, and only then.
        await expect(page.locator("#swap")).to_be_hidden()
        running.post("games", {"game": "kalah", "options": {"pie": True, "pits": 3}})
        await expect(turn).to_have_text("South to move")
        await page.locator('#board [data-hole="0"]').click()
        await page.locator("#swap").click()
        await expect(page.locator("#moves li.move strong")).to_have_text(["A", "swap"])
        await expect(page.locator("#swap")).to_be_hidden()

        # Another game with other options, on a board of other length; it plays by itself when told to.
        await page.get_by_role("button", name="New game").click()
        await page.locator("#new-rules summary").click()
        await page.locator('#new-options [name="pits"]').select_option(label="3")
        await page.locator('#new-options [name="seeds"]').select_option(label="2")
        await page.locator("#new-begin").click()
        await expect(page.locator("#board .pit")).to_have_count(6)
        await expect(turn).to_have_text("South to move")
        await page.locator("#auto").check()
        await expect(turn).to_have_text("The game is over", timeout=60_000)
        first, _, second = reversed(running.get("games"))
        assert first["result"]["reason"] == "North resigned"
        assert (second["options"]["pits"], second["options"]["seeds"]) == (3, 2)
        assert sum(second["result"]["scores"]) == 12
        await page.goto("about:blank")
