"""The door of the server: who is answered, and what every answer tells the browser."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.types import Message

from agent_journal.web.access import Access
from agent_journal.web.keys import Keys
from agent_journal.web.server import settings
from tests.support.journals import aj
from tests.support.servers import Server, running

PATHS = (
    "/",
    "/results?q=retry",
    "/s/claude-code/818f4c1f",
    "/s/claude-code/818f4c1f/part?from=0",
    "/s/claude-code/818f4c1f/outline",
    "/s/claude-code/818f4c1f/edits",
    "/s/claude-code/818f4c1f/raw",
    "/s/claude-code/818f4c1f/provenance",
    "/s/claude-code/818f4c1f/export",
    "/s/claude-code/818f4c1f/find?q=retry&as=positions",
    "/api/1/marks",
    "/static/0/app.js",
    "/nothing",
)
JSON = {"Content_Type": "application/json", "X_AJ": "1"}


@pytest.mark.parametrize("path", [*PATHS, "/-/open?t=x"])
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil:80"])
def test_another_host_is_refused(server: Server, path: str, host: str) -> None:
    """A name of somebody else that leads to this machine (DNS rebinding) sees nothing."""
    assert server.ask(path, Host=host).status == 403


def test_the_names_of_this_machine_are_answered(server: Server) -> None:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        assert server.ask("/", Host=f"{name}:{server.port}").status == 200


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_answered_without_the_cookie(server: Server, path: str) -> None:
    for cookie in ("", "aj=1", f"aj_{server.port}=guess", f"aj_{server.port}=é", ";;=,"):
        got = server.ask(path, Cookie=cookie)
        assert got.status == 403
        assert "aj web" in got.text


@pytest.mark.parametrize("path", [*PATHS, "/-/open?t=x"])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_requests_of_other_pages_are_refused(server: Server, path: str, site: str) -> None:
    assert server.ask(path, Sec_Fetch_Site=site).status == 403


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_the_page_itself_is_answered(server: Server, site: str) -> None:
    assert server.ask("/", Sec_Fetch_Site=site).status == 200


def test_a_ticket_works_once(own_home: Path) -> None:
    with running(own_home) as started:
        first = started.open()
        assert first.status == 303
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert cookie.startswith(f"aj_{started.port}=")
        assert started.ask("/").status == 200
        again = Server(started.home, started.address)
        assert again.open().status == 403
        assert not again.cookie


@pytest.mark.parametrize(
    ("wanted", "page"),
    [
        ("/s/codex/a%20b", "/s/codex/a%20b"),
        ("//evil.example/s/", "/"),
        ("http://evil.example/s/", "/"),
        ("/s/a\r\nx: y", "/"),
    ],
)
def test_a_ticket_leads_to_a_session_and_nowhere_else(
    server: Server, wanted: str, page: str
) -> None:
    sent = {"Origin": f"http://127.0.0.1:{server.port}", **JSON}
    ticket = json.loads(server.ask("/-/ticket", "POST", "{}", **sent).text)["ticket"]
    got = server.ask(f"/-/open?t={ticket}&to={quote(wanted, safe='')}", Cookie="")
    assert got.headers["location"] == page


def test_a_cookie_is_not_the_key(server: Server) -> None:
    assert server.key not in server.cookie


def test_programs_send_the_key(server: Server) -> None:
    assert server.ask("/", Cookie="", Authorization=f"Bearer {server.key}").status == 200
    for wrong in (f"Bearer {server.key}x", f"Basic {server.key}", server.key, "Bearer"):
        assert server.ask("/", Cookie="", Authorization=wrong).status == 403


def test_the_key_is_private(server: Server) -> None:
    folder = server.home / ".agent-journal"
    for name in ("web.key", "web.json"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"X_AJ": ""},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Content_Length": "70000"},
        {"Transfer_Encoding": "chunked"},
        {"Cookie": ""},
        {"Sec_Fetch_Site": "cross-site"},
        {"Host": "evil.example"},
    ],
)
def test_only_the_page_changes_something(server: Server, changed: dict[str, str]) -> None:
    sent = {"Origin": f"http://127.0.0.1:{server.port}", **JSON}
    assert server.ask("/-/ticket", "POST", "{}", **sent).status == 200
    assert server.ask("/-/ticket", "POST", "{}", **{**sent, **changed}).status == 403


@pytest.mark.parametrize("path", [*PATHS, "/-/open?t=x"])
def test_every_answer_has_the_policy(server: Server, path: str) -> None:
    """Also a refusal."""
    for cookie in (server.cookie, ""):
        headers = server.ask(path, Cookie=cookie).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        for part in ("base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for"):
            assert part in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control")]


def test_a_query_is_limited(server: Server) -> None:
    assert server.ask(f"/?q={'a' * 1000}").status == 200
    assert server.ask(f"/?q={'a' * 1001}").status == 400
    assert server.ask(f"/?q={'a' * 9000}").status == 414


@pytest.mark.parametrize(
    "path", ["/static/0/app.js", "/static/x/..%2fkeys.py", "/static/%2e%2e/keys.py", "/%2e%2e/etc"]
)
def test_no_path_is_opened(server: Server, path: str) -> None:
    assert server.ask(path).status == 404


def test_only_requests_are_answered() -> None:
    """The application has no WebSocket; what asks for one does not get as far as that."""

    async def ask() -> list[Message]:
        told: list[Message] = []

        async def send(message: Message) -> None:
            told.append(message)

        async def refuse(*_: object) -> None:
            raise AssertionError("the application was asked")

        await Access(refuse, Keys("key", 8480), 8480)({"type": "websocket"}, refuse, send)  # type: ignore[arg-type]
        return told

    assert asyncio.run(ask()) == [{"type": "websocket.close", "code": 1008}]


def test_the_server_says_little_and_believes_no_proxy(server: Server) -> None:
    assert "server" not in server.ask("/").headers
    assert not settings(lambda *_: None).proxy_headers  # type: ignore[arg-type, return-value]


def test_a_second_command_leads_to_the_first_server(own_home: Path) -> None:
    with running(own_home) as started:
        done = aj(own_home, "web", "--no-open")
        assert done.returncode == 0
        assert f"already runs at port {started.port}" in done.stderr
        assert "Ctrl-C ends the server" not in done.stderr
        second = Server(own_home, done.stdout.strip())
        assert second.port == started.port
        assert second.open().status == 303
    assert not (own_home / ".agent-journal/web.json").exists()


def test_a_backup_has_no_key(own_home: Path, tmp_path: Path) -> None:
    """It belongs to this machine."""
    folder = own_home / ".agent-journal"
    for name in ("web.key", "web.json"):
        (folder / name).write_text("secret")
    done = aj(own_home, "backup", str(tmp_path / "backup"))
    assert done.returncode == 0, done.stderr
    copied = {path.name for path in (tmp_path / "backup").rglob("*")}
    assert "seen.jsonl" in copied
    assert not copied & {"web.key", "web.json"}
