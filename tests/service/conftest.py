"""The command line as a test calls it, and one headless Chromium for the tests of a module."""

import shutil
import sys
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from service import cli

# Ten times what a page takes on an idle machine: this one may be busy.
PATIENCE_MS = 30_000.0

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pitwatch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call `pitwatch` with words: exit status, stdout, stderr."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["pitwatch", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        out, err = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return stopped.value.code, out, err

    return call


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed: `make test` does it")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        yield await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )


@pytest_asyncio.fixture(loop_scope="module")
async def browser_page(browser: Browser) -> AsyncIterator[Page]:
    """A page; any script error on it, and any request that leaves this machine, fails the test."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if "Security" in message.text else None)
    page.on("request", lambda request: faults.extend(_from_elsewhere(request.url)))
    yield page
    await context.close()
    assert faults == []


def _from_elsewhere(url: str) -> list[str]:
    return [] if url.startswith(("http://127.0.0.1:", "data:", "about:")) else [url]
