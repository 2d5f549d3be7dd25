"""`aj web` in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, claude_line
from tests.support.pages import HOSTILE
from tests.support.servers import Server, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo, a session of 3,000 messages, and one of hostile text."""
    home = tmp_path_factory.mktemp("web")
    write_demo_home(str(home), parse_bound("now"))
    _write(home, "s-long", [f"long text number {n}" for n in range(3_000)])
    _write(home, "s-bad", HOSTILE)
    assert aj(home, "sync").returncode == 0
    with running(home) as started:
        yield started


def _write(home: Path, session: str, texts: list[str]) -> None:
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(claude_line("user", n, text, session)) for n, text in enumerate(texts))
    text = "".join(f"{line}\n" for line in lines)
    (folder / f"{session}.jsonl").write_bytes(text.encode("utf-8", "replace"))


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A window that has the cookie; what it complains of fails the test."""
    if not server.cookie:
        server.open()
    name, _, value = server.cookie.partition("=")
    origin = f"http://127.0.0.1:{server.port}"
    context = browser.new_context(base_url=origin, viewport={"width": 1200, "height": 800})
    context.add_cookies([{"name": name, "value": value, "url": origin}])
    trouble: list[str] = []
    opened = context.new_page()
    opened.on("console", lambda line: trouble.append(f"console: {line.text}"))
    opened.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    opened.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
    opened.on("request", lambda asked: _check(asked.url, origin, trouble))
    yield opened
    context.close()
    assert trouble == []


def _check(url: str, origin: str, trouble: list[str]) -> None:
    if not url.startswith(f"{origin}/"):
        trouble.append(f"request: {url}")


def test_results_follow_what_is_typed(page: Page) -> None:
    page.goto("/")
    assert page.locator(".session").count() > 10
    page.keyboard.press("/")
    page.keyboard.type("jitter")
    page.locator("mark", has_text="jitter").first.wait_for()
    assert "q=jitter" in page.url
    page.locator(".session .title").first.click()
    target = page.locator(".msg.target")
    target.wait_for()
    assert "jitter" in target.inner_text().lower()


def test_a_long_session_opens_anywhere_and_stays_small(page: Page) -> None:
    page.goto("/s/claude-code/s-long?at=1500")
    page.locator(".msg.target", has_text="long text number 1500").wait_for()
    for _ in range(6):
        page.mouse.wheel(0, 4_000)
        page.wait_for_timeout(150)
    assert page.locator(".leaf").count() <= 44
    page.evaluate("scrollTo(0, 0)")
    page.locator(".msg", has_text="long text number 0").first.wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator(".msg", has_text="long text number 2999").first.wait_for()
    assert page.locator(".leaf").count() <= 44


def test_steps_open_in_place(page: Page) -> None:
    page.goto("/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8")
    steps = page.locator("details.steps:has(details.call)").first
    assert steps.get_attribute("open") is None
    steps.locator(":scope > summary").click()
    assert steps.locator("details.call").first.is_visible()
    page.select_option("#depth", "steps")
    page.locator("details.steps[open]").first.wait_for()


@pytest.mark.parametrize("path", ["/", "/s/claude-code/s-bad", "/?q=owned", "/?q=script"])
def test_hostile_text_does_nothing(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.owned") is None
    assert page.locator("main img, main iframe, main form[action^=http]").count() == 0


def test_a_phone_needs_no_scrolling_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/", "/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8", "/?q=retry"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
