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


def test_an_exclusion_holds_at_once(own_home: Path) -> None:
    """A server that runs, and has the journal open, obeys the settings from the next call on."""
    with mcp_server(own_home) as server:
        assert "secret-plans" in everything(server)
        assert aj(own_home, "config", "set", "mcp.exclude", "/work/secret-plans").returncode == 0
        assert "secret-plans" not in everything(server)


def test_several_projects_by_parts_of_their_names(own_home: Path) -> None:
    assert aj(own_home, "config", "set", "mcp.exclude", "secret", "relay").returncode == 0
    with mcp_server(own_home) as server:
        sessions = server.data("list_sessions")
        assert sessions["items"] == []
        assert sessions["page"]["total"] == 0


def test_no_count_tells_what_a_prompt_history_has(own_home: Path) -> None:
    """Nobody knows for certain whose project its lines are of."""
    for number in range(3):
        line = {"display": f"lighthouse {number}", "project": "/work/secret-plans", "timestamp": 1}
        append(own_home / ".claude/history.jsonl", line)
    assert aj(own_home, "sync").returncode == 0
    with mcp_server(own_home) as server:
        assert server.data("search", query="lighthouse")["page"]["total"] == 3
    assert aj(own_home, "config", "set", "mcp.exclude", "/work/secret-plans").returncode == 0
    with mcp_server(own_home) as server:
        found, nothing = (server.data("search", query=word) for word in ("lighthouse", "nosuch"))
        assert found["page"] == nothing["page"]
        assert found["matched"] == nothing["matched"]


def test_a_folder_named_from_here_is_excluded_from_everywhere(own_home: Path) -> None:
    folder = own_home / "plans"
    folder.mkdir()
    ClaudeSession(own_home, "here", str(folder)).prompt("The plans of this folder")
    assert aj(own_home, "sync").returncode == 0
    assert aj(own_home, "config", "set", "mcp.exclude", ".", cwd=folder).returncode == 0
    elsewhere = own_home / "elsewhere"
    elsewhere.mkdir()
    with mcp_server(own_home, folder=elsewhere) as server:
        assert "here" not in names(server)
        assert "fixed" in names(server)


def test_nothing_tells_that_excluded_sessions_exist(tmp_path: Path) -> None:
    """Neither the beginning of an id, nor a count, nor the name of an agent that has no others."""
    shown = ClaudeSession(tmp_path, "plans-shown", "/work/relay")
    shown.prompt("Repair the relay")
    child = ClaudeSession(tmp_path, "plans-shown/subagents/agent-a1", "/work/secret-plans")
    child.prompt("Look at the plans")
    for name in ("plans-hidden-1", "plans-hidden-2"):
        ClaudeSession(tmp_path, name, "/work/secret-plans").prompt("The plans")
    write_codex(tmp_path, "/work/secret-plans")
    assert aj(tmp_path, "sync").returncode == 0
    with mcp_server(tmp_path) as server:
        assert "codex" in said_of_agent(server)
        (item,) = [one for one in list_items(server) if one["id"] == "plans-shown"]
        assert item["sub_agents"] == 1
    assert aj(tmp_path, "config", "set", "mcp.exclude", "/work/secret-plans").returncode == 0
    with mcp_server(tmp_path) as server:
        assert "Repair the relay" in server.text("read", session="plans")
        of_nothing = server.call("read", session="no-such")["content"][0]["text"].splitlines()[2]
        for beginning in ("plans-h", "plans-hidden", "plans-hidden-1"):
            said = server.call("read", session=beginning)["content"][0]["text"]
            assert said.splitlines()[2] == of_nothing
        assert "codex" not in said_of_agent(server)
        (item,) = list_items(server)
        assert item["sub_agents"] == 0


def test_a_fork_of_an_excluded_session_is_excluded(tmp_path: Path) -> None:
    """It repeats the conversation, wherever it went on."""
    origin = ClaudeSession(tmp_path, "origin", "/work/secret-plans")
    origin.prompt("The plans of the lighthouse")
    origin.answer("They are in the safe")
    fork = ClaudeSession(tmp_path, "fork", "/work/relay")
    fork.prompt("Now something else")
    lines = [json.loads(line) for line in origin.path.read_text().splitlines()]
    for line in lines:
        line |= {"sessionId": "fork", "cwd": "/work/relay"}
        line["forkedFrom"] = {"sessionId": "origin", "messageUuid": line["uuid"]}
    copied = "".join(json.dumps(line) + "\n" for line in lines)
    fork.path.write_text(copied + fork.path.read_text())
    ClaudeSession(tmp_path, "other", "/work/relay").prompt("Repair the relay")
    assert aj(tmp_path, "sync").returncode == 0
    with mcp_server(tmp_path) as server:
        assert [one["fork_of"] for one in list_items(server) if one["id"] == "fork"] == ["origin"]
    assert aj(tmp_path, "config", "set", "mcp.exclude", "/work/secret-plans").returncode == 0
    with mcp_server(tmp_path) as server:
        assert [one["id"] for one in list_items(server)] == ["other"]
        assert "lighthouse" not in json.dumps(server.data("search", query="lighthouse safe"))


def write_codex(home: Path, folder: str) -> None:
    """A session of an agent that has no other."""
    start = {"id": "0199aaaa-0000-7000-8000-000000000001", "cwd": folder}
    words = [{"type": "input_text", "text": "The plans, again"}]
    said = {"type": "message", "role": "user", "content": words}
    path = home / ".codex/sessions/2026/11/01/rollout-2026-11-01T00-00-00-0199aaaa.jsonl"
    for kind, payload in (("session_meta", start), ("response_item", said)):
        append(path, {"timestamp": "2026-11-01T00:00:00Z", "type": kind, "payload": payload})


def list_items(server: McpServer) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = server.data("list_sessions")["items"]
    return items


def said_of_agent(server: McpServer) -> str:
    text: str = server.call("list_sessions", agent="nobody")["content"][0]["text"]
    return text


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


def test_an_id_that_is_no_text_does_no_harm(home: Path) -> None:
    with mcp_server(home) as server:
        for meta in ({"threadId": "\ud800"}, {"claudecode/toolUseId": "\udfff"}):
            assert names(server, meta) == ["claimed", "fixed", "other"]
        assert names(server) == ["claimed", "fixed", "other"]


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
