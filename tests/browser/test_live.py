"""`aj web` while agents write: what is open grows, in every tab, and nothing is lost or doubled."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from tests.browser.tabs import PATIENCE
from tests.browser.windows import until
from tests.support.journals import aj, wait_until, write_claude
from tests.support.servers import Server, running

# Another one for each process of the tests: a server is started again at the port that it had
PORT = str(18_480 + 60 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))
LENGTH = 60  # messages: longer than a window
SESSIONS = ["followed", "read", "tabs"]  # each is for one test


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that watches."""
    home = tmp_path_factory.mktemp("live")
    for session in SESSIONS:
        write_claude(home, session, count=LENGTH)
    assert aj(home, "sync").returncode == 0
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


def address(session: str) -> str:
    return f"/s/claude-code/{session}"


def wait_for_text(page: Page, text: str) -> None:
    page.locator(".msg", has_text=re.compile(rf"{re.escape(text)}\b")).first.wait_for(
        state="attached", timeout=1000 * PATIENCE
    )


def open_at_end(page: Page, session: str) -> None:
    page.goto(f"{address(session)}?at=59")
    wait_for_text(page, f"assistant text 59 of {session}")


def said(page: Page, session: str) -> list[str]:
    """The texts of the session that are in the page, in their order."""
    return re.findall(
        rf"(?:user|assistant) text \d+ of {session}\b", page.locator("#talk").text_content() or ""
    )


def is_at_end(page: Page) -> bool:
    return bool(
        page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 60")
    )


def to_end(page: Page) -> None:
    until(
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
    seen: list[list[object]] = []

    def is_at_rest() -> bool:
        seen.append(page.evaluate(SEEN))
        page.wait_for_timeout(30)
        return len(seen) > 10 and all(place == seen[-1] for place in seen[-10:])

    wait_until(is_at_rest)
    return seen[-1]


def test_a_line_is_on_the_page_and_the_end_is_followed(server: Server, tabs: Tabs) -> None:
    session = "followed"
    page = tabs(server).new_page()
    open_at_end(page, session)
    to_end(page)
    for number in range(60, 66):
        write_claude(server.home, session, count=1, start=number)
        wait_for_text(page, f"text {number} of {session}")
    until(page, "innerHeight + scrollY >= document.documentElement.scrollHeight - 60")
    assert page.locator("#news").is_hidden()
    texts = said(page, session)
    assert texts == sorted(set(texts), key=lambda text: int(text.split()[2]))
    assert texts[-1] == f"assistant text 65 of {session}"


def test_somebody_who_reads_is_not_moved(server: Server, tabs: Tabs) -> None:
    session = "read"
    page = tabs(server).new_page()
    page.goto(address(session))
    wait_for_text(page, f"user text 0 of {session}")
    page.evaluate("scrollTo(0, 300)")
    seen = wait_for_rest(page)
    write_claude(server.home, session, count=3, start=60)
    news = page.locator("#news")
    until(page, "document.getElementById('news').textContent === '3 new ↓'")
    assert page.evaluate(SEEN) == seen
    write_claude(server.home, session, count=1, start=63)
    until(page, "document.getElementById('news').textContent === '4 new ↓'")
    news.click()
    wait_for_text(page, f"assistant text 63 of {session}")
    news.wait_for(state="hidden")
    assert is_at_end(page)


def test_a_server_that_is_killed_and_started_again(tmp_path: Path, tabs: Tabs) -> None:
    """The page stays open; the lines of meanwhile and of afterwards are on it, each once."""
    write_claude(tmp_path, count=LENGTH)
    assert aj(tmp_path, "sync").returncode == 0
    with running(tmp_path, "--port", PORT) as first:
        first.open()
        page = tabs(first).new_page()
        open_at_end(page, "s1")
        to_end(page)
        write_claude(tmp_path, count=1, start=60)
        wait_for_text(page, "user text 60 of s1")
        write_claude(tmp_path, count=2, start=61)
        first.process.send_signal(signal.SIGKILL)
    page.locator("#state", has_text="does not answer").wait_for(timeout=1000 * PATIENCE)
    write_claude(tmp_path, count=2, start=63)
    with running(tmp_path, "--port", str(first.port)) as second:
        assert second.port == first.port
        wait_for_text(page, "user text 64 of s1")
        write_claude(tmp_path, count=2, start=65)
        wait_for_text(page, "user text 66 of s1")
        page.locator("#state").wait_for(state="hidden")
        texts = said(page, "s1")
        assert len(texts) == len(set(texts))
        assert [text.split()[2] for text in texts if int(text.split()[2]) >= 50] == [
            str(number) for number in range(50, 67)
        ]


def test_a_server_that_is_away_is_asked_now_and_then(tmp_path: Path, tabs: Tabs) -> None:
    """Somebody scrolls to what is not in the page yet: it comes when the server is back."""
    write_claude(tmp_path, count=300)
    assert aj(tmp_path, "sync").returncode == 0
    with running(tmp_path, "--port", PORT) as first:
        first.open()
        page = tabs(first).new_page()
        page.goto(address("s1"))
        wait_for_text(page, "user text 0 of s1")
        wait_for_rest(page)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_timeout(3_000)
    assert 1 <= sum("/part?" in address for address in asked) <= 5
    with running(tmp_path, "--port", str(first.port)) as second:
        assert second.port == first.port
        wait_for_text(page, "assistant text 299 of s1")


def test_a_session_that_became_shorter_is_shown_as_it_is(tmp_path: Path, tabs: Tabs) -> None:
    path = write_claude(tmp_path, count=300)
    assert aj(tmp_path, "sync").returncode == 0
    with running(tmp_path, "--port", PORT) as server:
        server.open()
        wait_until((tmp_path / ".agent-journal/watch.json").exists)
        page = tabs(server).new_page()
        page.goto(f"{address('s1')}?at=200")
        wait_for_text(page, "user text 200 of s1")
        path.unlink()
        write_claude(tmp_path, count=50)
        page.locator("#talk[data-messages='50']").wait_for(timeout=1000 * PATIENCE)
        wait_for_text(page, "assistant text 49 of s1")
        to_end(page)
        assert said(page, "s1")[-1] == "assistant text 49 of s1"


def test_a_session_that_is_gone_is_said_to_be(tmp_path: Path, tabs: Tabs) -> None:
    write_claude(tmp_path, count=300)
    assert aj(tmp_path, "sync").returncode == 0
    with running(tmp_path, "--port", PORT) as server:
        server.open()
        page = tabs(server).new_page()
        page.goto(address("s1"))
        wait_for_text(page, "user text 0 of s1")
        wait_for_rest(page)
        assert aj(tmp_path, "prune", "s1", "--yes").returncode == 0
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        page.get_by_text("was pruned").wait_for(timeout=1000 * PATIENCE)


def test_seven_tabs_grow_and_the_stream_survives_its_tab(server: Server, tabs: Tabs) -> None:
    """A browser opens six connections to a server: one stream serves all tabs."""
    session = "tabs"
    context = tabs(server)
    pages = [context.new_page() for _ in range(7)]
    for page in pages:
        open_at_end(page, session)
    write_claude(server.home, session, count=1, start=60)
    for page in pages:
        wait_for_text(page, f"user text 60 of {session}")
    for page in pages[:2]:  # the first one held the stream
        page.close()
    write_claude(server.home, session, count=1, start=61)
    for page in pages[2:]:
        wait_for_text(page, f"assistant text 61 of {session}")
        texts = said(page, session)
        assert len(texts) == len(set(texts))


def test_the_list_and_the_live_page_grow(server: Server, tabs: Tabs) -> None:
    context = tabs(server)
    listed = context.new_page()
    listed.goto("/")
    live = context.new_page()
    live.goto("/live")
    write_claude(server.home, "new-1", count=2)
    for page in (listed, live):
        page.locator('a[href="/s/claude-code/new-1"]').wait_for(timeout=1000 * PATIENCE)
        assert page.locator('a[href="/s/claude-code/new-1"]').count() == 1
    listed.evaluate("document.body.style.minHeight = '3000px'; scrollTo(0, 500)")
    until(listed, "scrollY === 500")
    write_claude(server.home, "new-2", count=2)
    until(listed, "document.getElementById('news').textContent === '1 new ↑'")
    assert listed.locator('a[href="/s/claude-code/new-2"]').count() == 0
    listed.locator("#news").click()
    listed.locator('a[href="/s/claude-code/new-2"]').wait_for()


def test_without_a_journal_the_first_sync_comes_to_the_page(tmp_path: Path, tabs: Tabs) -> None:
    write_claude(tmp_path)
    with running(tmp_path, "--port", PORT) as server:
        server.open()
        page = tabs(server).new_page()
        page.goto("/")
        page.locator('a[href="/s/claude-code/s1"]').wait_for()
        page.locator(".menu", has_text="Agent").wait_for()
        page.locator(".menu > summary", has_text="Agent").click()
        assert page.locator(".menu[open] a", has_text="claude-code").is_visible()


def test_hits_are_not_replaced_by_a_list_that_was_asked_for_before(
    server: Server, tabs: Tabs
) -> None:
    page = tabs(server).new_page()
    page.goto("/")
    held: list[Route] = []
    page.route(re.compile(r":\d+/$"), lambda route: held.append(route))
    write_claude(server.home, "late", count=2)
    wait_until(lambda: page.wait_for_timeout(20) or bool(held))
    page.fill("#q", "followed")
    page.locator("mark", has_text="followed").first.wait_for()
    held[0].continue_()
    page.unroute_all()
    with page.expect_response("**/results*"):
        page.fill("#q", "followed ")
    page.wait_for_timeout(300)
    assert page.locator("mark", has_text="followed").count()


def test_what_a_demo_refuses_is_seen(tmp_path: Path, tabs: Tabs) -> None:
    with running(tmp_path, "--read-only-demo", "--port", PORT) as demo:
        demo.open()
        page = tabs(demo).new_page()
        page.goto("/")
        page.get_by_role("button", name="Sync").click()
        said = page.get_by_text("Not synced: this is a demo: nothing can be changed")
        said.wait_for(timeout=1000 * PATIENCE)
        until(page, "document.getElementById('say').offsetWidth > 100")
        page.locator("#list a.title").first.click()
        page.wait_for_url("**/s/**")
        page.keyboard.press("s")
        page.get_by_text("this is a demo: nothing can be changed").wait_for()
        until(page, "document.getElementById('say').offsetWidth > 100")
        assert page.locator("#star[aria-pressed=false]").count() == 1
        # What is only said afterwards looks like no refusal
        page.keyboard.press("f")
        until(page, "!document.getElementById('say').textContent.includes('demo')")
        assert page.evaluate("document.getElementById('say').offsetWidth") < 10


def test_the_button_syncs(server: Server, tabs: Tabs) -> None:
    page = tabs(server).new_page()
    page.goto("/")
    with page.expect_response("**/api/1/sync") as got:
        page.get_by_role("button", name="Sync").click()
    assert got.value.status == 200
    page.locator("#say", has_text="Synced. New sessions: 0").wait_for(state="attached")
