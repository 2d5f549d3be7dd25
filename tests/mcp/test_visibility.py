"""What agents do not see: excluded projects, and the session that asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import write_sessions
from tests.support.journals import aj, append
from tests.support.mcp_servers import McpServer, mcp_server
from tests.support.mcp_sessions import ClaudeSession

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "retry deploy secret plans", "limit": 20}),
    ("search", {"query": "tool:bash", "limit": 20}),
    ("search", {"query": "project:secret-plans"}),
    ("list_sessions", {"limit": 100}),
    ("list_sessions", {"project": "secret-plans"}),
    ("file_history", {"path": "retry.py"}),
    ("find_fix", {"error": "make: *** [deploy] Error 1"}),
    ("how_run", {"what": "deploy"}),
    ("usage", {"by": "project"}),
    ("usage", {"by": "session"}),
    ("read", {"session": "other"}),
    ("read", {"session": "claude-code:oth"}),
]


def everything(server: McpServer) -> str:
    """All that the tools and resources say."""
    said = [
        json.dumps(server.call(tool, format=form, **given))
        for tool, given in QUESTIONS
        for form in ("text", "json")
    ]
    said.append(json.dumps(server.ask("resources/list")))
    said.append(json.dumps(server.ask("resources/read", uri="journal://session/claude-code/other")))
    return "\n".join(said)


@pytest.fixture
def own_home(tmp_path: Path) -> Path:
    write_sessions(tmp_path)
    child = ClaudeSession(tmp_path, "other/subagents/agent-a1", "/work/elsewhere")
    child.prompt("Sub-agent of the secret-plans: deploy")
    append(
        tmp_path / ".claude/history.jsonl",
        {"display": "deploy the plans of retry", "project": "/work/secret-plans", "timestamp": 1},
    )
    assert aj(tmp_path, "sync").returncode == 0
    return tmp_path


def test_an_excluded_project_is_not_there(own_home: Path) -> None:
    with mcp_server(own_home) as server:
        said = everything(server)
        assert "secret-plans" in said
        assert "make deploy" in said
    assert aj(own_home, "config", "set", "mcp.exclude", "/work/secret-plans").returncode == 0
    with mcp_server(own_home) as server:
        said = everything(server)
        for trace in ("secret-plans", "make deploy", "deployed", "code:other", "Deploy it"):
            assert trace not in said, trace
        assert "claude-code:fixed" in said
        assert server.call("read", session="last")["content"][0]["text"].count("relay")


def test_several_projects_by_parts_of_their_names(own_home: Path) -> None:
    assert aj(own_home, "config", "set", "mcp.exclude", "secret", "relay").returncode == 0
    with mcp_server(own_home) as server:
        sessions = server.data("list_sessions")
        assert sessions["items"] == []
        assert sessions["page"]["total"] == 0


def names(server: McpServer, meta: dict[str, Any] | None = None) -> list[str]:
    result = server.call("list_sessions", meta, format="json")
    return sorted(item["id"] for item in result["structuredContent"]["items"])


@pytest.mark.parametrize(
    "meta",
    [
        {"claudecode/toolUseId": "toolu_fixed_1"},
        {"vscode.conversationId": "fixed"},
        {"threadId": "fixed"},
        {"x-codex-turn-metadata": json.dumps({"session_id": "fixed"})},
    ],
)
def test_the_session_that_asks_is_left_out(home: Path, meta: dict[str, Any]) -> None:
    with mcp_server(home) as server:
        assert names(server) == ["claimed", "fixed", "other"]
        assert names(server, meta) == ["claimed", "other"]
        # What is known of the client stays known
        assert names(server) == ["claimed", "other"]
        assert "claude-code:fixed" not in server.text("search", query="retry")


def test_a_variable_counts_for_the_client_that_sets_it(home: Path) -> None:
    for client, left in (
        ("claude-code", ["claimed", "other"]),
        ("x", ["claimed", "fixed", "other"]),
    ):
        with mcp_server(home, CLAUDE_CODE_SESSION_ID="fixed") as server:
            server.ask(
                "initialize",
                protocolVersion="2025-11-25",
                capabilities={},
                clientInfo={"name": client, "version": "1"},
            )
            assert names(server) == left


def test_metadata_that_makes_no_sense_is_ignored(home: Path) -> None:
    odd: list[dict[str, Any]] = [
        {"threadId": 5},
        {"threadId": "x" * 10_000},
        {"x-codex-turn-metadata": "{"},
        {"x-codex-turn-metadata": [1]},
        {"claudecode/toolUseId": None},
        {"threadId": "fix"},  # only a whole id counts
    ]
    with mcp_server(home) as server:
        for meta in odd:
            assert names(server, meta) == ["claimed", "fixed", "other"]
