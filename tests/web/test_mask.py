"""Masked pages: no secret and no home folder in any answer, whoever made it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from agent_journal.text.redaction.redact import redact
from agent_journal.web.mask import _mask_events, _mask_text
from agent_journal.web.masked_html import mask_html
from tests.support.journals import claude_line, sync, variables
from tests.support.servers import Server, running, serving

TOKEN = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"
PASSWORD = "hX9-quartz-Vale31"
TEXTS = (
    f"the token is {TOKEN}",
    f"```python\npassword = '{PASSWORD}'\n```",
    "look into /home/jessica/work/notes.txt",
)


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a session that has secrets in its title, texts and folder."""
    home = tmp_path_factory.mktemp("mask")
    lines = [claude_line("user", n, text, "s-secret") for n, text in enumerate(TEXTS)]
    lines.append(claude_line("assistant", 3, f"noted: {TEXTS[1]}", "s-secret"))
    lines += _write_file(4, "/home/jessica/work/notes.txt")
    for line in lines:
        line["cwd"] = "/home/jessica/work"
    folder = home / ".claude/projects/-home-jessica-work"
    folder.mkdir(parents=True)
    (folder / "s-secret.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    sync(home)
    with running(home, env=variables(home)) as server:
        server.open()
        yield server


def _write_file(number: int, path: str) -> list[dict[str, Any]]:
    asked = claude_line("assistant", number, "", "s-secret")
    arguments = {"file_path": path, "content": "a note\n"}
    asked["message"]["content"] = [
        {"type": "tool_use", "id": "w", "name": "Write", "input": arguments}
    ]
    answered = claude_line("user", number + 1, "", "s-secret")
    answered["message"]["content"] = [
        {"type": "tool_result", "tool_use_id": "w", "content": "written"}
    ]
    return [asked, answered]


PATHS = (
    "/",
    "/?q=token",
    "/results?q=password",
    "/s/claude-code/s-secret",
    "/s/claude-code/s-secret?depth=everything",
    "/s/claude-code/s-secret/part?from=0&count=9",
    "/s/claude-code/s-secret/raw",
    "/s/claude-code/s-secret/provenance",
    "/s/claude-code/s-secret/export",
    "/s/claude-code/s-secret/outline",
    "/s/claude-code/s-secret/find?q=token",
    "/live",
    "/usage?since=2020-01-01",
    "/activity?since=2020-01-01",
    "/api/1/events?after=0-0",
    "/api/1/sessions",
    "/api/1/session?id=s-secret",
    "/api/1/hits?q=token",
    "/api/1/sources?files=1",
)


@pytest.mark.parametrize("path", PATHS)
def test_a_masked_answer_has_no_secret(masked: Server, path: str) -> None:
    plain = masked.ask(path)
    assert plain.status == 200
    assert TOKEN in plain.text or PASSWORD in plain.text or "jessica" in plain.text
    sign = "&" if "?" in path else "?"
    for got in (
        masked.ask(f"{path}{sign}mask=1"),
        masked.ask(path, Cookie=f"{masked.cookie}; aj_mask_{masked.port}=1"),
    ):
        assert got.status == 200
        for secret in (TOKEN, TOKEN[4:20], PASSWORD, "quartz", "jessica"):
            assert secret not in got.text
        assert int(got.headers["content-length"]) == len(got.text.encode())


def test_masked_links_lead_where_they_led(masked: Server) -> None:
    """A file below a home folder was not found, because the address had `~` in its place."""
    cookie = f"{masked.cookie}; aj_mask_{masked.port}=1"
    for path in ("/files", "/s/claude-code/s-secret/edits"):
        plain, shown = masked.ask(path).text, masked.ask(path, Cookie=cookie).text
        assert len(_links(plain)) == len(_links(shown)) > 0
        for link, hidden in zip(_links(plain), _links(shown), strict=True):
            assert link != hidden
            got = masked.ask(hidden, Cookie=cookie)
            assert got.status == masked.ask(link).status == 200
            assert "notes.txt" in got.text
            assert "jessica" not in got.text
            assert "jessica" in masked.ask(hidden).text


def test_the_way_back_shows_the_same_page(masked: Server) -> None:
    """It led to the list, from a search, and to an error, from a file."""
    path = "/file?path=%2Fhome%2Fjessica%2Fwork%2Fnotes.txt"
    shown = masked.ask(f"{path}&mask=1").text
    [back] = re.findall(r'class="masked" href="([^"]*)"', shown)
    assert "jessica" not in back
    got = masked.ask("/file" + html.unescape(back))
    assert got.status == 200
    assert "/home/jessica/work/notes.txt" in got.text


def _links(page: str) -> list[str]:
    """The addresses on a page that name a file."""
    return [html.unescape(link) for link in re.findall(r'href="(/[^"]*(?:path|file)=[^"]*)"', page)]


def test_the_mask_is_kept_and_taken_back(masked: Server) -> None:
    on = masked.ask("/?mask=1").headers["set-cookie"]
    assert on.startswith(f"aj_mask_{masked.port}=1;")
    assert "HttpOnly" in on
    assert "SameSite=Strict" in on
    cookie = f"{masked.cookie}; {on.partition(';')[0]}"
    text = masked.ask("/", Cookie=cookie).text
    assert 'href="?mask=0"' in text
    off = masked.ask("/?mask=0", Cookie=cookie)
    assert "Max-Age=0" in off.headers["set-cookie"]
    assert 'href="?mask=0"' not in off.text
    assert 'href="?mask=0"' not in masked.ask("/").text


@pytest.mark.parametrize("other", ['x={"a": [1]}', "x[0]=1", "x=a b", "x", "é=1"])
def test_a_strange_cookie_of_another_program_hides_none_of_ours(masked: Server, other: str) -> None:
    cookie = f"{other}; {masked.cookie}; {other}; aj_mask_{masked.port}=1"
    got = masked.ask("/", Cookie=cookie)
    assert got.status == 200
    assert TOKEN not in got.text
    assert 'href="?mask=0"' in got.text


def test_a_mask_opens_no_door(masked: Server) -> None:
    assert masked.ask("/?mask=1", Cookie="").status == 403
    assert masked.ask("/?mask=1", Cookie=f"aj_mask_{masked.port}=1").status == 403


def test_the_page_stays_as_it_was_but_for_secrets(masked: Server) -> None:
    """What has no secret is the same page, with the way back in its head."""
    for path, back in (("/?q=nothing", "?q=nothing&amp;mask=0"), ("/-/nothing", "?mask=0")):
        plain, got = masked.ask(path).text, masked.ask(f"{path}&mask=1".replace("g&", "g?", 1))
        shown = masked.ask(path, Cookie=f"{masked.cookie}; aj_mask_{masked.port}=1").text
        link = f'<a class="masked" href="{back}" title="Show everything again">masked</a>'
        assert shown.replace(link, "", 1) == plain
        assert got.status in (200, 404)


# -- without a server ----------------------------------------------------------------------------


def mask(text: str) -> str:
    return mask_html(text, lambda plain: redact(plain, "/home/jessica"))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("<p>a &lt;b&gt; &amp; c</p>", "<p>a &lt;b&gt; &amp; c</p>"),
        (f"<p>{TOKEN}</p>", "<p>[redacted github-token]</p>"),
        (
            f"<p>{TOKEN[:9]}<mark>{TOKEN[9:20]}</mark>{TOKEN[20:]}.</p>",
            "<p>[redacted github-token]<mark></mark>.</p>",
        ),
        (
            f'<p><span class="k">password</span> = <span class="s">"{PASSWORD}"</span></p>',
            '<p><span class="k">password</span> = <span class="s">"[redacted password]"</span></p>',
        ),
        (f'<p title="{TOKEN}">x</p>', '<p title="[redacted github-token]">x</p>'),
        (
            f'<a href="/?q={TOKEN}&amp;x=1">x</a>',
            '<a href="/?q=%5Bredacted+github-token%5D&amp;x=1">x</a>',
        ),
        (f'<a href="/s/claude-code/{TOKEN}">x</a>', f'<a href="/s/claude-code/{TOKEN}">x</a>'),
        ("<p>/home/jessica/x</p>", "<p>~/x</p>"),
        ("<p>--- a/home/tom/x</p>", "<p>--- a~/x</p>"),
        ("<p>+++ b/Users/tom/x</p>", "<p>+++ b~/x</p>"),
        ("<p>+++ b/home/views.py</p>", "<p>+++ b/home/views.py</p>"),
        (
            "<p>in /home/<mark>jessica</mark>/work/x</p>",
            "<p>in ~<mark></mark>/work/x</p>",
        ),
        ("<!doctype html><br><input disabled>", "<!doctype html><br><input disabled>"),
        ("<p>password:</p><p>correct</p>", "<p>password:</p><p>correct</p>"),
    ],
)
def test_masking_html(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"say {TOKEN[:17]}…", "say …"),
        (f"…{TOKEN[-9:]} was used…", "… was used…"),
        (f"…{TOKEN[-9:]}…", "……"),
        (f"…{TOKEN}…", "…[redacted github-token]…"),
        ("a long sentence… and another…", "a long sentence… and another…"),
        ("… …", "… …"),
    ],
)
def test_the_half_of_a_secret_is_masked(text: str, masked: str) -> None:
    assert _mask_text(text) == masked


def test_masking_events() -> None:
    events = f'id: 7\nevent: news\ndata: {{"title":"{TOKEN}"}}\n\n: still here\n\n'
    assert _mask_events(events.encode()).decode() == (
        'id: 7\nevent: news\ndata: {"title":"[redacted github-token]"}\n\n: still here\n\n'
    )
    assert _mask_events(f"data: {TOKEN}\n\n".encode()) == b"data: [redacted github-token]\n\n"


def test_a_masked_stream_has_no_secret(masked: Server) -> None:
    mask = f"{masked.cookie}; aj_mask_{masked.port}=1"
    for cookie, is_masked in ((masked.cookie, False), (mask, True)):
        connection = HTTPConnection("127.0.0.1", masked.port, timeout=60)
        headers = {"Cookie": cookie, "Accept": "text/event-stream"}
        connection.request("GET", "/api/1/events?after=0-0", headers=headers)
        told = next(line.decode() for line in connection.getresponse() if b"s-secret" in line)
        connection.close()
        assert told.startswith("data: ")
        assert (TOKEN in told) is not is_masked
        assert ("jessica" in told) is not is_masked


def test_the_home_of_the_user_is_masked(own_home: Path) -> None:
    with serving(own_home) as server:
        assert str(own_home) in server.ask("/api/1/sources").text
        assert str(own_home) not in server.ask("/api/1/sources?mask=1").text
