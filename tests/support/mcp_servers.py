"""`aj mcp` for tests: the real process, spoken to line by line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.journals import variables

COMMAND = [sys.executable, "-m", "agent_journal", "mcp"]


class McpServer:
    """A running `aj mcp`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def send(self, message: Any) -> None:
        """Sends a message as one line."""
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        """Sends any line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """The next message of the server."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        return json.loads(line)

    def ask(self, method: str, **params: Any) -> Any:
        """The whole response to a request."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(request)
        answer = self.receive()
        assert answer["id"] == self._number
        return answer

    def call(self, tool: str, meta: Mapping[str, Any] | None = None, **given: Any) -> Any:
        """The result of a tool."""
        params: dict[str, Any] = {"name": tool, "arguments": given}
        if meta is not None:
            params["_meta"] = meta
        answer = self.ask("tools/call", **params)
        assert "result" in answer, answer
        return answer["result"]

    def text(self, tool: str, **given: Any) -> str:
        """The text that a tool answers."""
        result = self.call(tool, **given)
        assert not result.get("isError"), result
        (content,) = result["content"]
        text: str = content["text"]
        return text

    def data(self, tool: str, **given: Any) -> Any:
        """The object that a tool answers."""
        result = self.call(tool, format="json", **given)
        assert not result.get("isError"), result
        return result["structuredContent"]


@contextmanager
def mcp_server(
    home: Path, *args: str, folder: Path | None = None, **more: str
) -> Iterator[McpServer]:
    """`aj mcp` on the journal of a home, ended afterwards."""
    process = subprocess.Popen(
        [*COMMAND, *args],
        env=variables(home, **more),
        cwd=folder or home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield McpServer(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


def assert_quoted(text: str, foreign: str = "") -> None:
    """Everything from a session is between two equal marks, on lines with the sign."""
    first, *rest = text.split("\n")
    assert not rest or rest[0].startswith("--- ")
    if not rest:
        return
    mark = rest[0]
    last = rest[-1]
    assert last == mark or last.startswith(mark + " ")
    assert len(mark) == len("--- ") + 8
    quoted = rest[1:-1]
    assert quoted
    assert all(line.startswith("| ") for line in quoted), text
    if foreign:
        assert foreign not in first
        assert foreign not in last
