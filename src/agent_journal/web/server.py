"""Runs the page: a socket on this machine only, one server for a journal, an end at Ctrl-C."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.errors import JournalError
from agent_journal.store.atomic import write_private
from agent_journal.web.keys import Keys, make_key, read_key

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

PORT = 8480
_TRIES = 50  # ports after the first one
_NAME = "web.json"
_LOCK = "web.lock"  # held by the server that _NAME names
_ADDRESS = "127.0.0.1"
_PATIENCE = 2.0  # seconds for another server to answer


class Running(NamedTuple):
    """A server of the same journal that runs already."""

    port: int
    address: str  # opens its page, once


def listen(port: int) -> socket.socket:
    """A socket on this port or, if it is taken, on one of the next ones."""
    for number in range(port, min(port + _TRIES, 65536)):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would share the port with another program
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_ADDRESS, number))
            listener.listen(128)
            return listener
        except OSError:
            listener.close()
    raise JournalError(
        f"no port from {port} to {port + _TRIES - 1} is free", "give another one with --port"
    )


def find_running(home: str) -> Running | None:
    """The server that already shows this journal; None when there is none."""
    key = read_key(home)
    if key is None or not _is_held(home):
        return None  # what listens at its port now may be another user's, and must not get the key
    try:
        with open(os.path.join(home, _NAME), encoding="utf-8") as file:
            port = int(json.load(file)["port"])
        ticket = _ask_for_ticket(port, key)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Running(port, address_of(port, ticket))


def _ask_for_ticket(port: int, key: str) -> str:
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(_ADDRESS, port, timeout=_PATIENCE)
    headers = {
        "Authorization": f"Bearer {key}",
        "X-AJ": "1",
        "Content-Type": "application/json",
        "Content-Length": "2",
    }
    try:
        connection.request("POST", "/-/ticket", body=b"{}", headers=headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise ValueError(f"status {answer.status}")
        return str(json.loads(answer.read())["ticket"])
    except HTTPException as error:  # another program has the port now
        raise ValueError(str(error)) from error
    finally:
        connection.close()


def address_of(port: int, ticket: str) -> str:
    """The address that opens the page, once."""
    return f"http://{_ADDRESS}:{port}/-/open?t={ticket}"


def settings(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves the application."""
    import uvicorn

    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        access_log=False,  # an address can hold what somebody searched for
        log_config=None,
        log_level="critical",  # the page says what went wrong
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=0,  # Ctrl-C ends it at once, whatever is under way
    )


def serve(
    home: str, listener: socket.socket, ready: Callable[[str], None], *, is_demo: bool = False
) -> None:
    """Serve the journal in a folder until Ctrl-C; `ready` is called with the address to open."""
    import signal

    import uvicorn

    from agent_journal.web.app import make_app
    from agent_journal.web.live.feed import Feed

    port = listener.getsockname()[1]
    keys = Keys(make_key(home), port)
    feed = Feed(home)

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            feed.end_streams()  # else it would wait for them
            super().handle_exit(sig, frame)

    server = Server(settings(make_app(home, keys, port, feed, is_demo=is_demo)))
    # uvicorn ends well at either signal, and raises it again when it is done
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lock = _hold(home)
    if lock is not None:
        write_private(os.path.join(home, _NAME), [json.dumps({"port": port}).encode()])
    try:
        ready(address_of(port, keys.new_ticket()))
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # it is how this ends
    finally:
        feed.close()
        _forget(home, port)
        if lock is not None:
            os.close(lock)


def _hold(home: str) -> int | None:
    """Hold the lock of the server; None when another server has it."""
    from agent_journal.store.catalog.store import try_lock

    descriptor = os.open(os.path.join(home, _LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    if try_lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is_held(home: str) -> bool:
    """Whether a server holds the lock; one that was killed does not."""
    from agent_journal.store.catalog.store import try_lock

    try:
        descriptor = os.open(os.path.join(home, _LOCK), os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def _forget(home: str, port: int) -> None:
    """Remove the note of this server, unless another one has taken its place."""
    path = os.path.join(home, _NAME)
    with suppress(OSError, ValueError, KeyError):
        with open(path, encoding="utf-8") as file:
            is_ours = json.load(file)["port"] == port
        if is_ours:
            os.remove(path)
