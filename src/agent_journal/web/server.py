"""Runs the page: a socket on this machine only, one server for a journal, an end at Ctrl-C."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

from agent_journal.errors import JournalError
from agent_journal.store.atomic import write_private
from agent_journal.web.keys import Keys, make_key, read_key

PORT = 8480
_TRIES = 50  # ports after the first one
_NAME = "web.json"
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
    if key is None:
        return None
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
    config = uvicorn.Config(
        make_app(home, keys, port, feed, is_demo=is_demo),
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

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            feed.end_streams()  # else it would wait for them
            super().handle_exit(sig, frame)

    server = Server(config)
    # uvicorn ends well at either signal, and raises it again when it is done
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    write_private(os.path.join(home, _NAME), [json.dumps({"port": port}).encode()])
    try:
        ready(address_of(port, keys.new_ticket()))
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # it is how this ends
    finally:
        feed.close()
        _forget(home, port)


def _forget(home: str, port: int) -> None:
    """Remove the note of this server, unless another one has taken its place."""
    path = os.path.join(home, _NAME)
    with suppress(OSError, ValueError, KeyError):
        with open(path, encoding="utf-8") as file:
            is_ours = json.load(file)["port"] == port
        if is_ours:
            os.remove(path)
