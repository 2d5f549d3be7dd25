"""What the pages of the server show, without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from agent_journal.web.static_files import static_files
from tests.support.journals import SRC, aj, aj_json, claude_line, sync
from tests.support.pages import HOSTILE, joined
from tests.support.servers import Server, serving

FLAKY = "/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8"


def test_the_first_page_lists_sessions(server: Server) -> None:
    listed = aj_json(server.home, "ls")
    text = server.ask("/").text
    assert f"{listed['page']['total']} sessions" in text
    links = re.findall(r'class="title" href="/s/([^"?]+)"', text)
    assert links == [f"{item['agent']}/{quote(item['id'])}" for item in listed["items"]]


def test_filters_narrow_the_list(server: Server) -> None:
    for parameters, options in (
        ("agent=codex", ("--agent", "codex")),
        ("project=relay", ("--project", "relay")),
        ("since=7d", ("--since", "7d")),
    ):
        total = aj_json(server.home, "ls", *options)["page"]["total"]
        assert re.search(rf"\b{total} sessions?\b", server.ask(f"/?{parameters}").text)


def test_a_search_marks_its_words_and_leads_to_the_message(server: Server) -> None:
    text = server.ask("/results?q=jitter&mode=lexical").text
    assert "<mark>jitter</mark>" in text
    assert re.search(rf'href="{FLAKY}\?at=\d+"', text)
    assert "<html" not in text


def test_a_word_that_nothing_has_is_named(server: Server) -> None:
    assert "not found: zzzqqq" in server.ask("/results?q=zzzqqq").text


@pytest.mark.parametrize(
    "path",
    ["/?since=nonsense", "/?offset=-1", "/?offset=x", "/?sort=x", "/?mode=x", f"{FLAKY}?depth=x"],
)
def test_a_wrong_address_says_what_is_wrong(server: Server, path: str) -> None:
    got = server.ask(path)
    assert got.status == 400
    assert 'class="remark"' in got.text


def test_a_session_that_does_not_exist_is_missing(server: Server) -> None:
    assert server.ask("/s/claude-code/nothing").status == 404
    assert server.ask("/download/claude-code/nothing.html").status == 404


def test_a_session_shows_what_was_said_and_folds_what_was_done(server: Server) -> None:
    text = server.ask(FLAKY).text
    assert "Flaky retry test: clock and jitter" in text
    assert "fails about one run in ten on CI" in text
    assert re.search(r'<details class="steps"><summary>3 steps · Read, Grep', text)
    for depth in ("steps", "everything"):
        assert '<details class="steps" open>' in server.ask(f"{FLAKY}?depth={depth}").text


def test_every_message_is_on_some_leaf(server: Server) -> None:
    whole = server.ask(FLAKY).text
    total = int(re.search(r'data-total="(\d+)"', whole)[1])  # type: ignore[index]
    parts = [server.ask(f"{FLAKY}/part?from={leaf}&count=1").text for leaf in range(total)]
    assert all(part.startswith('<section class="leaf"') for part in parts)
    shown = [int(at) for part in parts for at in re.findall(r'data-at="(\d+)"', part)]
    session = json.loads(aj(server.home, "show", "818f4c1f", "--json").stdout)
    wanted = {
        message["seq"]
        for message in session["items"][0]["messages"]
        if message["kind"] in ("prompt", "command") or message.get("text")
    }
    assert wanted <= set(shown)
    assert shown == sorted(shown)


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_a_download_is_redacted(own_home: Path, form: str) -> None:
    secret = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"
    lines = [
        claude_line("user", 0, f"the token is {secret}", "s-secret"),
        claude_line("assistant", 1, "noted", "s-secret"),
    ]
    folder = own_home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    (folder / "s-secret.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    sync(own_home)
    with serving(own_home) as server:
        assert secret in server.ask("/s/claude-code/s-secret").text  # on the page of the owner
        got = server.ask(f"/download/claude-code/s-secret.{form}")
        assert got.status == 200
        assert secret not in got.text
        assert "noted" in got.text
        assert got.headers["content-disposition"].startswith("attachment; filename=")


def test_hostile_text_is_text_on_every_page(own_home: Path) -> None:
    lines = [claude_line("user", n, text, "s-bad") for n, text in enumerate(HOSTILE)]
    folder = own_home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "s-bad.jsonl").write_bytes(text.encode("utf-8", "replace"))
    sync(own_home)
    with serving(own_home) as server:
        pages = [server.ask("/").text]
        for number in range(1, 10):
            pages.append(server.ask(f"/s/claude-code/s-bad?page={number}").text)
        for text in joined(HOSTILE):
            asked = quote(text.encode("utf-8", "replace"))
            pages.append(server.ask(f"/?q={asked}").text)
            pages.append(server.ask(f"/?agent={asked}&project={asked}").text)
            pages.append(server.ask(f"/s/{asked}/{asked}").text)
        for page in pages:
            assert "window.owned=1</script>" not in page
            assert "<img" not in page
            assert "<iframe" not in page
            assert "<svg" not in page
            assert not re.search(r'href="(?!/|#|https?://e)', page)
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)


def test_script_and_style_are_small() -> None:
    """Of all pages together; each is in the table, or it would not be served."""
    files = static_files()
    assert sum(len(file.content) for file in files.values()) <= 70_000
    folder = SRC / "agent_journal/web/static"
    assert {path.name for path in folder.glob("*.js")} == set(files) - {"app.css"}
