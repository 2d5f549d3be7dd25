"""The real `aj web` for tests, and requests to it with any headers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from unittest import mock
from urllib.parse import urlsplit

from tests.support.journals import variables


class Got(NamedTuple):
    """An answer."""

    status: int
    headers: Mapping[str, str]
    text: str


class _Whole(HTTPConnection):
    """Sends head and body at once: a server that refuses a head reads no body after it."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        super().__init__(host, port, timeout=timeout)
        self._parts: list[bytes] = []

    def send(self, data: Any) -> None:
        self._parts.append(data)

    def send_all(self) -> None:
        super().send(b"".join(self._parts))


class Server:
    """A server that is asked; `address` works once."""

    def __init__(self, home: Path, address: str) -> None:
        self.home = home
        self.address = address
        self.port = int(urlsplit(address).port or 0)
        self.cookie = ""

    @property
    def key(self) -> str:
        return (self.home / ".agent-journal/web.key").read_text()

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Got:
        """Ask as the opened browser does; headers may be replaced or, with "", left out."""
        sent = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = _Whole("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if body is not None:
            sent.setdefault("Content-Length", str(len(body.encode())))
        for name, value in sent.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(body.encode() if body is not None else None)
        connection.send_all()
        answer = connection.getresponse()
        got = Got(answer.status, dict(answer.getheaders()), answer.read().decode())
        connection.close()
        return got

    def open(self) -> Got:
        """Use the address, and keep the cookie."""
        parts = urlsplit(self.address)
        got = self.ask(f"{parts.path}?{parts.query}")
        self.cookie = got.headers.get("set-cookie", "").partition(";")[0]
        return got


class ServerProcess(Server):
    """A running `aj web`."""

    def __init__(self, home: Path, process: subprocess.Popen[str], address: str) -> None:
        super().__init__(home, address)
        self.process = process
        self.said = ""


@contextmanager
def running(
    home: Path, *args: str, env: Mapping[str, str] | None = None, is_opened: bool = False
) -> Iterator[ServerProcess]:
    """`aj web` on the journal of a home, ended afterwards; `said` then is what it said."""
    command = [sys.executable, "-m", "agent_journal", "web", *args]
    if not is_opened:
        command.append("--no-open")
    process = subprocess.Popen(
        command,
        env=env or variables(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    if not address.startswith("http://127.0.0.1:"):
        process.kill()  # else one that says something else would be waited for
        raise AssertionError(f"{address}\n{process.communicate()[1]}")
    server = ServerProcess(home, process, address)
    try:
        yield server
    finally:
        process.terminate()
        try:
            _, server.said = process.communicate(timeout=120)
        finally:
            process.kill()  # nothing stays behind, whatever happened


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """The server in this process, opened, for tests of its answers: nothing is watched.

    It costs a tenth of `aj web`.
    """
    import uvicorn

    from agent_journal.web.app import make_app
    from agent_journal.web.keys import Keys, make_key
    from agent_journal.web.live.feed import Feed
    from agent_journal.web.server import address_of, listen, settings

    class Unwatched(Feed):
        def begin(self, *, is_watching: bool) -> None:
            super().begin(is_watching=False)

    folder = str(home / ".agent-journal")
    listener = listen(0)
    port = listener.getsockname()[1]
    keys = Keys(make_key(folder), port)
    server = uvicorn.Server(settings(make_app(folder, keys, port, Unwatched(folder))))
    with mock.patch.dict(os.environ, variables(home), clear=True):
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            asked = Server(home, address_of(port, keys.new_ticket()))
            asked.open()
            yield asked
        finally:
            server.should_exit = True
            thread.join(60)
            assert not thread.is_alive()


def error_of(got: Got) -> str:
    """What an answer in JSON says is wrong."""
    return str(json.loads(got.text)["error"]["message"])
