"""The real `aj web` for tests, and requests to it with any headers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.support.journals import variables


class Got(NamedTuple):
    """An answer."""

    status: int
    headers: Mapping[str, str]
    text: str


class Server:
    """A running `aj web`; `address` works once."""

    def __init__(self, home: Path, process: subprocess.Popen[str], address: str) -> None:
        self.home = home
        self.process = process
        self.address = address
        self.port = int(urlsplit(address).port or 0)
        self.cookie = ""
        self.said = ""

    @property
    def key(self) -> str:
        return (self.home / ".agent-journal/web.key").read_text()

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Got:
        """Ask as the opened browser does; headers may be replaced or, with "", left out."""
        sent = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if body is not None:
            sent.setdefault("Content-Length", str(len(body.encode())))
        for name, value in sent.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(body.encode() if body is not None else None)
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


def start(
    home: Path, *args: str, env: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[str], Server]:
    """`aj web` on the journal of a home; whoever starts it ends it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_journal", "web", "--no-open", *args],
        env=env or variables(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:"), process.communicate()[1]
    return process, Server(home, process, address)


@contextmanager
def running(home: Path, *args: str, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """`aj web` on the journal of a home, ended afterwards; `said` then is what it said."""
    process, server = start(home, *args, env=env)
    try:
        yield server
    finally:
        process.terminate()
        _, said = process.communicate(timeout=60)
    server.said = said


def error_of(got: Got) -> str:
    """What an answer in JSON says is wrong."""
    return str(json.loads(got.text)["error"]["message"])
