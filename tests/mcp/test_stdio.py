"""The loop over lines: what is not a request, cancellation, the end, and a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from agent_journal.mcp.stdio import LONGEST_LINE
from tests.support.journals import journal_digest, variables
from tests.support.mcp_servers import COMMAND, McpServer, mcp_server

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test"}}


def request(number: int, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def search(number: int) -> dict[str, object]:
    return request(number, "tools/call", name="search", arguments={"query": "retry"})


def test_what_is_no_request(server: McpServer) -> None:
    for line, code in (
        (b"{", -32700),
        (b"[" * 5_000, -32700),
        (b"3", -32600),
        (b"[]", -32600),
        (b"\xff\xfe", -32700),
        (b" " * (LONGEST_LINE + 10), -32600),
    ):
        server.send_line(line)
        answer = server.receive()
        assert answer["id"] is None
        assert answer["error"]["code"] == code, line[:20]
    for method in (7, None, ["ping"]):
        server.send({"jsonrpc": "2.0", "id": 5, "method": method})
        answer = server.receive()
        assert answer["id"] == 5
        assert answer["error"]["code"] == -32600
    # Nothing answers these; the next answer is that of the ping
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    server.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    server.send({"jsonrpc": "2.0", "id": None, "method": "ping"})
    server.send({"jsonrpc": "2.0", "id": True, "method": "ping"})
    server.send_line(b"")
    assert server.ask("ping")["result"] == {}


def test_unknown_methods_and_params(server: McpServer) -> None:
    assert server.ask("sampling/createMessage")["error"]["code"] == -32601
    assert server.ask("server/discover")["error"]["code"] == -32601
    server.send({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": [1]})
    answer = server.receive()
    assert answer["id"] == "a"
    assert answer["error"]["code"] == -32600
    assert server.ask("tools/call", name="search", arguments=[1])["error"]["code"] == -32602
    assert server.ask("resources/read")["error"]["code"] == -32602


def test_versions_are_negotiated(server: McpServer) -> None:
    for asked, answered in (("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
        result = server.ask("initialize", **{**HELLO, "protocolVersion": asked})["result"]
        assert result["protocolVersion"] == answered
    meta = {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}
    assert server.ask("tools/list", _meta=meta)["error"]["code"] == -32602
    meta["io.modelcontextprotocol/clientCapabilities"] = {}
    error = server.ask("tools/list", _meta=meta)["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2030-01-01"}
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
    result = server.ask("server/discover", _meta=meta)["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["resultType"] == "complete"


def test_a_batch_is_answered_as_one(server: McpServer) -> None:
    server.send([request(1, "ping"), {"jsonrpc": "2.0", "method": "x"}, search(2), 5])
    first, second = server.receive()
    assert first == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert second["id"] == 2
    assert "result" in second


def test_a_cancelled_call_has_no_answer(home: Path) -> None:
    with mcp_server(home) as server:
        # The first call opens the journal, so the second one still waits when it is cancelled
        server.send(search(1))
        server.send(search(2))
        server.send(search(3))
        cancel = {"requestId": 2, "reason": "no longer wanted"}
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []})
        assert server.receive()["id"] == 1
        assert server.receive()["id"] == 3
        assert server.ask("ping")["result"] == {}


def test_everything_asked_is_answered_before_the_end(home: Path) -> None:
    lines = [request(1, "initialize", **HELLO), *(search(number) for number in range(2, 8))]
    done = subprocess.run(
        COMMAND,
        input="".join(json.dumps(line) + "\n" for line in lines),
        env=variables(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [*range(1, 8)]


def test_a_client_that_stops_reading_ends_the_server(home: Path) -> None:
    with mcp_server(home) as server:
        server.send(request(1, "initialize", **HELLO))
        server.receive()
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(request(2, "tools/list"))
        assert server.process.wait(30) == 0


def test_a_server_killed_in_the_middle_leaves_the_journal_as_it_was(home: Path) -> None:
    before = journal_digest(home)
    files = sorted(path.name for path in (home / ".agent-journal").rglob("*"))
    for delay in (0, 1, 2):
        with mcp_server(home) as server:
            for number in range(1, 30):
                server.send(search(number))
            for _ in range(delay):
                server.receive()
            os.kill(server.process.pid, signal.SIGKILL)
            assert server.process.wait(30) == -signal.SIGKILL
    with mcp_server(home) as server:
        assert server.text("search", query="retry").startswith("Hits in ")
    assert journal_digest(home) == before
    assert sorted(path.name for path in (home / ".agent-journal").rglob("*")) == files


def test_nothing_but_answers_is_printed(tmp_path: Path) -> None:
    """Also with settings that cause a warning, and a journal that cannot be read."""
    journal = tmp_path / ".agent-journal"
    (journal / "index").mkdir(parents=True)
    (journal / "config.toml").write_text("colour = 3\n")
    (journal / "index/journal.db").write_bytes(b"not a database" * 1_000)
    with mcp_server(tmp_path) as server:
        result = server.call("list_sessions")
        assert result["isError"] is True
        assert server.ask("resources/list")["error"]["code"] == -32603
        assert server.ask("ping")["result"] == {}
