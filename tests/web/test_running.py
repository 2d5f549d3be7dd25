"""How the server starts and ends."""

from __future__ import annotations

import signal
import socket
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.journals import aj, variables, wait_until
from tests.support.servers import Server, running


def test_it_is_only_bound_to_this_machine(server: Server) -> None:
    """127.0.0.2 is this machine as well: a server on all addresses would answer there."""
    if sys.platform != "linux":
        pytest.skip("only Linux has more than one address of its own")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=5)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org"])
def test_other_addresses_are_refused(own_home: Path, host: str) -> None:
    done = aj(own_home, "web", "--no-open", "--host", host)
    assert done.returncode == 2
    assert "served to this machine only" in done.stderr
    assert "ssh -L 8480:127.0.0.1:8480" in done.stderr


def test_the_browser_is_opened_at_the_address(own_home: Path, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("a script of a shell stands for the browser")
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf %s "$1" > "{opened}.part" && mv "{opened}.part" "{opened}"\n'
    )
    browser.chmod(0o755)
    env = variables(own_home, BROWSER=str(browser))
    with running(own_home, env=env, is_opened=True) as started:
        wait_until(opened.exists)
        assert opened.read_text() == started.address


def test_a_taken_port_is_named(own_home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running(own_home, "--port", str(port)) as started:
            assert port < started.port < port + 50
            assert started.open().status == 303
    assert f"port {port} is taken; using {started.port}" in started.said


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_with_open_connections(own_home: Path, sent: signal.Signals) -> None:
    with running(own_home) as started:
        started.open()
        waiting = HTTPConnection("127.0.0.1", started.port, timeout=10)
        waiting.request("GET", "/", headers={"Cookie": started.cookie})
        waiting.getresponse().read()  # and the connection stays
        half = socket.create_connection(("127.0.0.1", started.port))
        half.sendall(b"GET / HTTP/1.1\r\nHost: ")  # a request that never ends
        started.process.send_signal(sent)
        assert started.process.wait(120) == 0  # it would wait for both for ever
        waiting.close()
        half.close()
    assert "Traceback" not in started.said
    assert "interrupted" not in started.said
    assert not (own_home / ".agent-journal/web.json").exists()


def test_the_note_of_a_server_that_was_killed_is_no_obstacle(own_home: Path) -> None:
    with running(own_home) as started:
        started.process.kill()
        started.process.wait(120)
    assert (own_home / ".agent-journal/web.json").exists()
    with running(own_home) as again:
        assert again.open().status == 303


def test_the_key_is_not_sent_to_another_program_at_the_port(own_home: Path) -> None:
    """After a server was killed, its port may be taken by a program of another user."""
    with running(own_home) as started:
        started.process.kill()
        started.process.wait(120)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", started.port))
        other.listen()
        with running(own_home) as again:
            assert again.open().status == 303
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.accept()


def test_a_journal_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    with running(tmp_path) as started:
        started.open()
        got = started.ask("/")
        assert got.status == 200
        assert started.ask("/api/1/sessions").status == 200
        assert started.ask("/api/1/session?id=last").status == 404


def test_the_help_has_examples() -> None:
    done = aj(Path(), "web", "--help")
    for words in ("aj web --read-only-demo", "ssh -L 8480", "--port", "--no-open", "?mask=1"):
        assert words in done.stdout


# -- the demo ------------------------------------------------------------------------------------


@pytest.fixture
def busy_home(own_home: Path) -> Path:
    """A home with a journal and sessions of its own, and settings that name them."""
    (own_home / ".claude/projects/-work").mkdir(parents=True)
    (own_home / ".claude/projects/-work/s.jsonl").write_text("{}\n")
    return own_home


def test_the_demo_touches_nothing_of_the_user(
    busy_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    before = _seen(busy_home)
    env = variables(busy_home) | {
        "TMPDIR": str(temporary),
        "CLAUDE_CONFIG_DIR": str(busy_home / ".claude"),
    }
    with running(busy_home, "--read-only-demo", env=env) as started:
        started.open()
        assert "Flaky retry test" in started.ask("/").text
        shown = started.ask("/api/1/sources").text
        assert str(temporary) in shown
        assert str(busy_home / ".claude") not in shown
        (folder,) = temporary.iterdir()
        assert folder.name.startswith("aj-demo-")
        assert folder.stat().st_mode & 0o77 == 0
        started.process.send_signal(signal.SIGINT)
        assert started.process.wait(30) == 0
    assert _seen(busy_home) == before
    assert list(temporary.iterdir()) == []


def _seen(home: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in home.rglob("*"):
        status = path.stat()
        found[str(path)] = (status.st_size, status.st_mtime_ns)
    return found


def test_the_demo_refuses_to_change_something(own_home: Path) -> None:
    from tests.support.routes import WRITTEN

    with running(own_home, "--read-only-demo") as started:
        started.open()
        for address in WRITTEN:
            sent = {"Origin": f"http://127.0.0.1:{started.port}", "X_AJ": "1"}
            sent["Content_Type"] = "application/json"
            got = started.ask(address.path, address.method, "{}", **sent)
            assert got.status == 403
            assert "nothing can be changed" in got.text


def test_the_demo_does_not_lead_to_the_journal_that_is_open(own_home: Path) -> None:
    with running(own_home) as first, running(own_home, "--read-only-demo") as demo:
        assert demo.port != first.port
