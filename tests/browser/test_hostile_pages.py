"""Hostile text in every field of a session, through every address of the server, in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from agent_journal.export.family import Member
from agent_journal.export.formats import ExportOptions, Extras, written
from tests.browser.tabs import PATIENCE, Tab, Tabs
from tests.support.journals import aj, append, claude_line, write_claude
from tests.support.pages import HOSTILE, hostile_session, joined, row
from tests.support.routes import READ, VALUES
from tests.support.servers import Server, running

TEXTS = [text for text in HOSTILE if text.isprintable() or "\n" in text]
ID = "s-hostile"
# Elements and attributes that only a text can have brought
FOREIGN = (
    "main :is(iframe, object, embed, base, math, template, plaintext, frame, style, script, link)"
)
OWN_FORMS = "form[action]:not([action^='/'])"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("hostile")
    session = hostile_session(TEXTS, ID)
    options = ExportOptions(
        form="json", is_redacted=False, has_calls=True, made_by="tests", home=str(home)
    )
    ((_, parts),) = written([Member(row(session), session)], options, Extras(), "hostile.json")
    path = home / "hostile.json"
    path.write_bytes(b"".join(parts))
    done = aj(home, "import", str(path))
    assert done.returncode == 0, done.stderr
    _write_transcript(home)
    assert aj(home, "sync").returncode == 0
    assert aj(home, "title", ID, "".join(TEXTS[:8])).returncode == 0
    for text in TEXTS[:4]:
        aj(home, "tag", ID, text.replace(" ", ""))
    with running(home) as started:
        started.open()
        yield started


def _write_transcript(home: Path) -> None:
    """A session as an agent writes it, also with what cannot be printed."""
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    lines = [claude_line("user", n, text, "s-bad") for n, text in enumerate(HOSTILE)]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "s-bad.jsonl").write_bytes(text.encode("utf-8", "replace"))


@pytest.fixture
def tab(tabs: Tabs, server: Server) -> Iterator[Tab]:
    # A page that is not found is said in the console as well
    with tabs.on(server, "status of 4") as opened:
        yield opened


def filled(route: str) -> str:
    """The path of a route for the hostile session."""
    path = route
    values = VALUES | {"id": ID, "name": f"{ID}.html"}
    for name, value in values.items():
        path = path.replace(f"{{{name}:path}}", value).replace(f"{{{name}}}", value)
    return path


ROUTES = list(dict.fromkeys(address.route for address in READ if address.method == "GET"))


def look(tab: Tab, server: Server, path: str) -> None:
    """Open an address, open everything in it, and find nothing that acted."""
    got = server.ask(path)
    kind = got.headers.get("content-type", "")
    if "content-disposition" in got.headers or not kind.startswith("text/html"):
        # Data and files are never taken for pages
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.status in (200, 204, 303, 400, 403, 404)
        return
    page = tab.page
    page.goto(path)
    page.locator("details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
    page.mouse.move(600, 400)
    tab.settle()
    assert_harmless(page)


def assert_harmless(page: Page) -> None:
    """Nothing that a session says has acted or become a part of the page."""
    assert page.evaluate("window.owned") is None
    assert page.locator(FOREIGN).count() == 0
    assert page.locator(OWN_FORMS).count() == 0
    names = page.locator("*").evaluate_all(
        "(all) => [...new Set(all.flatMap((one) => one.getAttributeNames()))]"
    )
    assert not {name for name in names if name.startswith("on")}
    links = page.locator("a[href]").evaluate_all(
        "(all) => all.map((one) => new URL(one.getAttribute('href'), location).protocol)"
    )
    assert set(links) <= {"http:", "https:", "mailto:"}


@pytest.mark.parametrize("route", ROUTES)
def test_hostile_fields_do_nothing(tab: Tab, server: Server, route: str) -> None:
    look(tab, server, filled(route))


@pytest.mark.parametrize("depth", ["story", "steps", "everything"])
def test_every_part_of_the_session_is_harmless(tab: Tab, server: Server, depth: str) -> None:
    path = f"/s/claude-code/{ID}"
    number = 1
    while f"page={number}" in server.ask(f"{path}?page={number - 1 or 1}").text or number == 1:
        look(tab, server, f"{path}?page={number}&depth={depth}")
        number += 1
    assert number > 3


@pytest.mark.parametrize("text", joined(TEXTS), ids=range(len(joined(TEXTS))))
def test_a_hostile_address_does_nothing(tab: Tab, server: Server, text: str) -> None:
    """In a query, in a filter, in the place of an agent, of a session and of a file."""
    asked = quote(text, safe="")
    for path in (
        f"/?q={asked}",
        f"/?agent={asked}&project={asked}&since={asked}",
        f"/s/{asked}/{asked}",
        f"/s/claude-code/{ID}?at={asked}&depth={asked}",
        f"/api/1/hits?q={asked}&{asked}={asked}",
        f"/download/{asked}/{asked}.html",
        f"/{asked}",
    ):
        look(tab, server, path)


@pytest.mark.parametrize(
    "path",
    ["/", "/?q=owned", "/?q=script"]
    + [f"/s/claude-code/s-bad{part}" for part in ("", "/edits", "/raw", "/provenance", "/export")]
    + ["/s/claude-code/s-bad/find?q=script"],
)
def test_a_transcript_does_nothing(tab: Tab, server: Server, path: str) -> None:
    look(tab, server, path)
    assert tab.page.locator("main img, main form[action^=http]").count() == 0


def test_the_search_box_shows_hits_as_text(tab: Tab) -> None:
    tab.page.goto("/")
    tab.page.fill("#q", "owned")
    tab.page.locator("mark", has_text="owned").first.wait_for()
    assert_harmless(tab.page)


def test_what_arrives_while_pages_are_open_does_nothing(tab: Tab, server: Server) -> None:
    """Messages, and sessions with hostile titles and folders, in the list and in a session."""
    folder = server.home / ".claude/projects/-work"
    log = folder / "s-grows.jsonl"
    write_claude(server.home, "s-grows", project="-work")
    assert aj(server.home, "sync").returncode == 0
    listed = tab.page.context.new_page()
    try:
        tab.page.goto("/s/claude-code/s-grows?depth=everything")
        listed.goto("/")
        for number, text in enumerate(TEXTS):
            append(log, claude_line("user", 4 + number, text, "s-grows"))
            append(
                folder / f"new-{number}.jsonl",
                claude_line("user", 8_000 + number, text, f"new-{number}"),
            )
        append(log, claude_line("user", 9_000, "the last one", "s-grows"))
        append(folder / "new-last.jsonl", claude_line("user", 9_001, "the newest", "new-last"))
        wait = 1000 * PATIENCE
        tab.page.locator(".msg", has_text="the last one").wait_for(state="attached", timeout=wait)
        listed.locator("a.title", has_text="the newest").wait_for(state="attached", timeout=wait)
        for page in (tab.page, listed):
            assert "<script" in page.locator("main").inner_text()
            assert_harmless(page)
    finally:
        listed.close()


def test_the_session_is_really_hostile(server: Server) -> None:
    """What is looked at above is there, as text."""
    text = server.ask(f"/s/claude-code/{ID}?depth=everything").text
    assert "&lt;script&gt;window.owned=1&lt;/script&gt;" in text
