"""The server: a request on each line of stdin, an answer on each line of stdout.

One thread reads and answers what needs no journal; another one makes the calls, one after the
other. So a call can be cancelled while it waits, and its answer dropped while it runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, TYPE_CHECKING, Any

from agent_journal.answers.recall.protocol import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Protocol,
    ProtocolError,
    RequestId,
    failed,
    is_request,
    respond,
)

if TYPE_CHECKING:
    from agent_journal.answers.recall.recall import Recall

LONGEST_LINE = 4 * 2**20
_SLOW = ("tools/call", "resources/list", "resources/read")  # they read the journal
_LAST_ANSWERS = 30.0  # seconds for what was asked before the end of stdin


def serve(*, is_redacting: bool = True) -> int:
    """Answer requests until stdin ends; the exit code."""
    protocol = Protocol(lambda: _make_recall(is_redacting=is_redacting))
    # Whatever else prints would end up in the answers: its place is stderr
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    server = Server(protocol, output)
    try:
        server.read(sys.stdin.buffer)
    except BrokenPipeError:
        pass  # the client is gone
    return 0


def _make_recall(*, is_redacting: bool) -> Recall:
    from agent_journal.answers.recall.recall import Recall
    from agent_journal.answers.warm_search import WarmSearch
    from agent_journal.config.loading import load

    return Recall(WarmSearch(load().home), os.environ, _working_folder(), is_redacting=is_redacting)


def _working_folder() -> str:
    """The folder of the project that the client works in; empty when it was removed."""
    named = os.environ.get("CLAUDE_PROJECT_DIR")
    if named and os.path.isdir(named):
        return named
    try:
        return os.getcwd()
    except OSError:
        return ""


class Server:
    """Answers the requests of one client."""

    def __init__(self, protocol: Protocol, output: IO[bytes]) -> None:
        self._protocol = protocol
        self._output = output
        self._lock = Lock()
        self._waiting: set[RequestId] = set()
        self._calls: SimpleQueue[Any] = SimpleQueue()
        self._worker: Thread | None = None

    def read(self, lines: IO[bytes]) -> None:
        """Answer every line, until there are no more and all is answered."""
        while True:
            line = lines.readline(LONGEST_LINE)
            if not line:
                break
            if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
                _skip_line(lines)
                self._fail(None, ProtocolError(INVALID_REQUEST, "the line is too long"))
            elif line.strip():
                self._take(line)
        if self._worker is not None:
            self._calls.put(None)
            self._worker.join(_LAST_ANSWERS)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._fail(None, ProtocolError(PARSE_ERROR, "this is no JSON"))
            return
        if isinstance(message, list) and message:
            self._later(message)
        elif isinstance(message, dict):
            self._take_message(message)
        else:
            self._fail(None, ProtocolError(INVALID_REQUEST, "this is no request"))

    def _take_message(self, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method == "notifications/cancelled":
            self._cancel(message)
        elif not is_request(message):
            return  # a notification, or the answer to something that was never asked
        elif isinstance(method, str) and method in _SLOW:
            with self._lock:
                self._waiting.add(message["id"])
            self._later(message)
        else:
            self._send(respond(self._protocol, message))

    def _cancel(self, message: Mapping[str, Any]) -> None:
        params = message.get("params")
        if isinstance(params, Mapping) and isinstance(params.get("requestId"), (str, int)):
            with self._lock:
                self._waiting.discard(params["requestId"])

    def _later(self, work: Any) -> None:
        if self._worker is None:
            self._worker = Thread(target=self._work, name="calls", daemon=True)
            self._worker.start()
        self._calls.put(work)

    def _work(self) -> None:
        while True:
            message = self._calls.get()
            if message is None:
                return
            try:
                self._answer(message)
            except OSError:
                return  # the client is gone; so is stdin

    def _answer(self, message: Any) -> None:
        if isinstance(message, list):
            answers = [respond(self._protocol, one) for one in message if is_request(one)]
            if answers:
                self._send(answers)
            return
        with self._lock:
            is_wanted = message["id"] in self._waiting
        if not is_wanted:
            return
        answer = respond(self._protocol, message)
        with self._lock:
            is_wanted = message["id"] in self._waiting
            self._waiting.discard(message["id"])
        if is_wanted:
            self._send(answer)

    def _fail(self, request: RequestId, error: ProtocolError) -> None:
        self._send(failed(request, error))

    def _send(self, message: Any) -> None:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "replace") + b"\n"
        with self._lock:
            written = 0
            while written < len(data):
                written += self._output.write(data[written:])


def _skip_line(lines: IO[bytes]) -> None:
    while True:
        rest = lines.readline(LONGEST_LINE)
        if not rest or rest.endswith(b"\n"):
            return
