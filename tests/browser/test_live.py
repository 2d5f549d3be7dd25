"""`aj web` while agents write: what is open grows, in every tab, and nothing is lost or doubled."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.journals import aj, wait_until, write_claude
from tests.support.servers import Server, running, start

PORT = "18480"
LATEST = 1.5  # seconds from the line in a file to the page
SESSION = "/s/claude-code/s1"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal with a session that is longer than a window."""
    write_claude(tmp_path, count=60)
    assert aj(tmp_path, "sync").returncode == 0
    return tmp_path


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    with running(home, "--port", PORT) as started:
        started.open()
        wait_until((home / ".agent-journal/watch.json").exists)
        yield started


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Callable[[Server], BrowserContext]]:
    """Makes windows that have the cookie; an error in a script fails the test."""
    made: list[BrowserContext] = []
    trouble: list[str] = []

    def make(server: Server) -> BrowserContext:
        name, _, value = server.cookie.partition("=")
        origin = f"http://127.0.0.1:{server.port}"
        context = browser.new_context(base_url=origin, viewport={"width": 1000, "height": 700})
        context.add_cookies([{"name": name, "value": value, "url": origin}])
        context.on("weberror", lambda error: trouble.append(str(error.error)))
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert trouble == []


Tabs = Callable[[Server], BrowserContext]


def wait_for(page: Page, expression: str, seconds: float = 20.0) -> None:
    """Waits until an expression is true; the policy of the page forbids Playwright's own way."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)


def wait_for_text(page: Page, text: str, seconds: float = 20.0) -> None:
    page.locator(".msg", has_text=re.compile(rf"{re.escape(text)}\b")).first.wait_for(
        state="attached", timeout=1000 * seconds
    )


def said(page: Page) -> list[str]:
    """The texts of the session that are in the page, in their order."""
    return re.findall(
        r"(?:user|assistant) text \d+ of s1\b", page.locator("#talk").text_content() or ""
    )


def is_at_end(page: Page) -> bool:
    return bool(
        page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 60")
    )


def to_end(page: Page) -> None:
    wait_for(
        page,
        "(scrollTo(0, document.documentElement.scrollHeight),"
        " [...document.querySelectorAll('.leaf')].at(-1).dataset.leaf =="
        " document.getElementById('talk').dataset.total - 1)",
    )
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")


# The first message in the window, and where it is: what somebody looks at.
SEEN = """(() => {
  const all = [...document.querySelectorAll(".msg")];
  const seen = all.find((one) => one.getBoundingClientRect().bottom > 90);
  return [seen.dataset.at, Math.round(seen.getBoundingClientRect().top)];
})()"""


def wait_for_rest(page: Page) -> list[object]:
    """Waits until what is looked at no longer moves: sizes are estimated before they are known."""
    seen: list[object] = []
    times = 0
    while times < 10:
        now = page.evaluate(SEEN)
        times = times + 1 if now == seen else 0
        seen = now
        page.wait_for_timeout(30)
    return seen


def test_a_line_is_on_the_page_soon_and_the_end_is_followed(server: Server, tabs: Tabs) -> None:
    page = tabs(server).new_page()
    page.goto(f"{SESSION}?at=59")
    wait_for_text(page, "assistant text 59 of s1")
    to_end(page)
    took = []
    for number in range(60, 66):
        started = time.monotonic()
        write_claude(server.home, count=1, start=number)
        wait_for_text(page, f"text {number} of s1")
        took.append(time.monotonic() - started)
    wait_for(page, "innerHeight + scrollY >= document.documentElement.scrollHeight - 60")
    assert page.locator("#news").is_hidden()
    texts = said(page)
    assert texts == sorted(set(texts), key=lambda text: int(text.split()[2]))
    assert texts[-1] == "assistant text 65 of s1"
    assert sorted(took)[len(took) // 2] < LATEST  # other tests may hold one of them up


def test_somebody_who_reads_is_not_moved(server: Server, tabs: Tabs) -> None:
    page = tabs(server).new_page()
    page.goto(SESSION)
    wait_for_text(page, "user text 0 of s1")
    page.evaluate("scrollTo(0, 300)")
    seen = wait_for_rest(page)
    write_claude(server.home, count=3, start=60)
    news = page.locator("#news")
    wait_for(page, "document.getElementById('news').textContent === '3 new ↓'")
    assert page.evaluate(SEEN) == seen
    write_claude(server.home, count=1, start=63)
    wait_for(page, "document.getElementById('news').textContent === '4 new ↓'")
    news.click()
    wait_for_text(page, "assistant text 63 of s1")
    news.wait_for(state="hidden")
    assert is_at_end(page)


def test_a_server_that_is_killed_and_started_again(home: Path, tabs: Tabs) -> None:
    """The page stays open; the lines of meanwhile and of afterwards are on it, each once."""
    process, first = start(home, "--port", PORT)
    first.open()
    page = tabs(first).new_page()
    page.goto(f"{SESSION}?at=59")
    wait_for_text(page, "assistant text 59 of s1")
    to_end(page)
    write_claude(home, count=1, start=60)
    wait_for_text(page, "user text 60 of s1")
    write_claude(home, count=2, start=61)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    page.locator("#state", has_text="does not answer").wait_for()
    write_claude(home, count=2, start=63)
    with running(home, "--port", PORT) as second:
        assert second.port == first.port
        wait_for_text(page, "user text 64 of s1", 30)
        write_claude(home, count=2, start=65)
        wait_for_text(page, "user text 66 of s1", 30)
        page.locator("#state").wait_for(state="hidden")
        texts = said(page)
        assert len(texts) == len(set(texts))
        assert [f" {number} " for number in range(50, 67)] == [
            f" {text.split()[2]} " for text in texts if int(text.split()[2]) >= 50
        ]


def test_seven_tabs_grow_and_the_stream_survives_its_tab(server: Server, tabs: Tabs) -> None:
    """A browser opens six connections to a server: one stream serves all tabs."""
    context = tabs(server)
    pages = [context.new_page() for _ in range(7)]
    for page in pages:
        page.goto(f"{SESSION}?at=59")
        wait_for_text(page, "assistant text 59 of s1")
    write_claude(server.home, count=1, start=60)
    for page in pages:
        wait_for_text(page, "user text 60 of s1")
    for page in pages[:2]:  # the first one held the stream
        page.close()
    write_claude(server.home, count=1, start=61)
    for page in pages[2:]:
        wait_for_text(page, "assistant text 61 of s1")
        texts = said(page)
        assert len(texts) == len(set(texts))


def test_the_list_and_the_live_page_grow(server: Server, tabs: Tabs) -> None:
    context = tabs(server)
    listed = context.new_page()
    listed.goto("/")
    live = context.new_page()
    live.goto("/live")
    write_claude(server.home, "s2", count=2)
    for page in (listed, live):
        page.locator('a[href="/s/claude-code/s2"]').wait_for()
        assert page.locator('a[href="/s/claude-code/s2"]').count() == 1
    listed.evaluate("document.body.style.minHeight = '3000px'; scrollTo(0, 500)")
    wait_for(listed, "scrollY === 500")
    write_claude(server.home, "s3", count=2)
    wait_for(listed, "document.getElementById('news').textContent === '1 new ↑'")
    assert listed.locator('a[href="/s/claude-code/s3"]').count() == 0
    listed.locator("#news").click()
    listed.locator('a[href="/s/claude-code/s3"]').wait_for()


def test_without_a_journal_the_first_sync_comes_to_the_page(tmp_path: Path, tabs: Tabs) -> None:
    write_claude(tmp_path)
    with running(tmp_path, "--port", PORT) as server:
        server.open()
        page = tabs(server).new_page()
        page.goto("/")
        page.locator('a[href="/s/claude-code/s1"]').wait_for()


def test_the_button_syncs(server: Server, tabs: Tabs) -> None:
    page = tabs(server).new_page()
    page.goto("/")
    with page.expect_response("**/api/1/sync") as got:
        page.get_by_role("button", name="Sync").click()
    assert got.value.status == 200
    page.locator("#say", has_text="Synced: 0 new sessions").wait_for(state="attached")
