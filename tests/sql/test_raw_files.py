"""The tables against an independent reading of the raw files."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_journal.sql.database import Database
from tests.support.journals import open_journal
from tests.support.paths import CASES, ROOT
from tests.support.sql import rows


def raw_claude(root: Path) -> tuple[int, Counter[str], int, int]:
    """Answers with tokens, tool uses by name, input and output tokens, by the simplest reading."""
    aside: set[tuple[str, str]] = set()
    tokens: dict[tuple[str, str], tuple[int, int]] = {}
    calls: dict[str, str] = {}
    for record in lines_of(root, "*.jsonl"):
        message = record.get("message")
        if record.get("type") != "assistant" or not isinstance(message, dict):
            continue
        if not message.get("id") or message.get("model") == "<synthetic>":
            continue
        key = (message["id"], record.get("requestId") or "")
        if record.get("isSidechain"):
            aside.add(key)
        usage = message.get("usage")
        if usage and (usage.get("output_tokens") or 0) >= tokens.get(key, (0, -1))[1]:
            tokens[key] = usage.get("input_tokens") or 0, usage.get("output_tokens") or 0
        calls |= raw_calls(message.get("content"))
    # A sub-agent's copy of an answer does not count.
    main = {message for message, _ in tokens.keys() - aside}
    counted = [pair for key, pair in tokens.items() if key not in aside or key[0] not in main]
    return (
        len({message for message, _ in tokens}),
        Counter(calls.values()),
        sum(fresh for fresh, _ in counted),
        sum(output for _, output in counted),
    )


def raw_calls(content: object) -> dict[str, str]:
    """The names of the tool uses in a message, by their ids."""
    if not isinstance(content, list):
        return {}
    uses = ("tool_use", "server_tool_use", "mcp_tool_use")
    blocks = [block for block in content if isinstance(block, dict)]
    return {block["id"]: block["name"] for block in blocks if block.get("type") in uses}


@pytest.mark.parametrize(
    "case", ["demo", "forks", "split-messages", "tool-results", "compaction", "subagents"]
)
def test_conversations_agree_with_the_raw_files(home: Path, tmp_path: Path, case: str) -> None:
    if case != "demo":
        shutil.copytree(CASES / f"claude_code/{case}/home", tmp_path, dirs_exist_ok=True)
        home = tmp_path
        with open_journal(home) as journal:
            journal.sync()
    answers, tools, fresh, output = raw_claude(home / ".claude")
    with open_journal(home) as journal:
        database = journal.database()
        claude = "FROM conversations WHERE source = 'claude'"
        query = f"SELECT count(DISTINCT message_id) {claude} AND usage_key IS NOT NULL"
        assert rows(database, query) == [(answers,)]
        named = f"{claude} AND tool_name IS NOT NULL"
        query = f"SELECT tool_name, count(DISTINCT tool_use_id) {named} GROUP BY 1"
        assert dict(rows(database, query)) == tools
        query = f"SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) {claude}"
        assert rows(database, query) == [(fresh, output)]


def lines_of(root: Path, pattern: str) -> Iterator[dict[str, Any]]:
    for path in sorted(root.rglob(pattern)):
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict):
                    yield record


def raw_copilot(root: Path) -> tuple[Counter[str], Counter[str]]:
    """Rows by message_type, and calls by tool, of transcripts without sub-agents."""
    types: Counter[str] = Counter()
    tools: dict[str, str] = {}
    answers: set[str] = set()
    for record in lines_of(root, "events.jsonl"):
        data = record.get("data") or {}
        if record.get("agentId"):
            continue
        if record["type"] == "user.message":
            types["user"] += 1
        elif record["type"] == "assistant.message":
            answers.add(data["messageId"])
            tools |= {
                asked["toolCallId"]: asked["name"] for asked in data.get("toolRequests") or ()
            }
        elif record["type"] == "tool.execution_start":
            tools[data["toolCallId"]] = data["toolName"]
    types["assistant"] = len(answers)
    types["tool_use"] = len(tools)
    return types, Counter(tools.values())


def raw_codex(root: Path) -> tuple[Counter[str], Counter[str]]:
    """Calls by tool, and the sum of each session's last cumulative counts."""
    last: dict[Path, dict[str, int]] = {}
    tools: Counter[str] = Counter()
    for path in sorted(root.rglob("rollout-*.jsonl")):
        for record in lines_of(path.parent, path.name):
            payload = record.get("payload") or {}
            if record.get("type") == "response_item" and payload.get("type") in (
                "function_call",
                "custom_tool_call",
            ):
                tools[payload["name"]] += 1
            if payload.get("type") == "token_count" and (payload.get("info") or {}).get(
                "total_token_usage"
            ):
                last[path] = payload["info"]["total_token_usage"]
    sums: Counter[str] = Counter()
    for used in last.values():
        sums["input"] += used["input_tokens"] - used.get("cached_input_tokens", 0)
        sums["output"] += used["output_tokens"]
    return tools, sums


def raw_vscode(root: Path) -> tuple[int, int]:
    """Requests, and tool calls, of documents."""
    requests = []
    for path in root.rglob("*hatSessions/*.json"):
        requests += json.loads(path.read_text())["requests"]
    calls = 0
    for request in requests:
        for part in request.get("response") or ():
            if isinstance(part, dict) and part.get("kind") == "toolInvocationSerialized":
                calls += 1
    return len(requests), calls


def synced(home: Path, source: Path) -> Path:
    shutil.copytree(source, home, dirs_exist_ok=True)
    with open_journal(home) as journal:
        journal.sync(index=False)
    return home


def test_copilot_conversations_agree_with_the_raw_files(home: Path) -> None:
    types, tools = raw_copilot(home / ".copilot")
    with open_journal(home) as journal:
        database = journal.database()
        ours = "FROM conversations WHERE source = 'copilot' AND NOT is_agent"
        found = dict(rows(database, f"SELECT message_type, count(*) {ours} GROUP BY 1"))
        # local_shell is the person's own `!ls`: no call of the model.
        query = f"SELECT tool_name, count(*) {ours} AND tool_name <> 'local_shell' GROUP BY 1"
        assert dict(rows(database, query)) == tools
        shell = f"SELECT count(*) {ours} AND tool_name = 'local_shell'"
        found["tool_use"] -= rows(database, shell)[0][0]
        typed = "message_type = 'user' AND kind IN ('shell', 'notification')"
        found["user"] -= rows(database, f"SELECT count(*) {ours} AND {typed}")[0][0]
    assert {name: found[name] for name in types} == types
    assert types["user"] > 1


def test_codex_conversations_agree_with_the_raw_files(tmp_path: Path) -> None:
    home = synced(tmp_path, ROOT / "tests/connectors/codex/conversation/home")
    tools, sums = raw_codex(home / ".codex")
    with open_journal(home) as journal:
        database = journal.database()
        ours = "FROM conversations WHERE source = 'codex'"
        # A call without an id (it is named by its place) is the person's `!ls`.
        query = f"SELECT tool_name, count(*) {ours} AND tool_use_id NOT LIKE '%@%' GROUP BY 1"
        found = dict(rows(database, query))
        ((fresh, output),) = rows(database, f"SELECT sum(input_tokens), sum(output_tokens) {ours}")
    assert {name: found.get(name) for name in tools} == tools
    assert {"input": fresh, "output": output} == (dict(sums) or {"input": None, "output": None})


def test_vs_code_conversations_agree_with_the_raw_files(home: Path) -> None:
    requests, calls = raw_vscode(home / ".config/Code/User")
    with open_journal(home) as journal:
        ours = "FROM conversations c JOIN sources s ON s.path = c.source_file"
        ours += " WHERE c.agent = 'vscode-chat' AND s.path LIKE '%hatSessions/%.json'"
        database = journal.database()
        assert rows(database, f"SELECT count(*) {ours} AND message_type = 'user'") == [(requests,)]
        assert rows(database, f"SELECT count(*) {ours} AND message_type = 'tool_use'") == [(calls,)]
    assert requests > 1


@pytest.mark.parametrize("column", ["input_tokens", "output_tokens", "cache_read_tokens"])
def test_sums_over_conversations_usage_and_sessions_are_the_same(
    database: Database, column: str
) -> None:
    by_agent = f"SELECT agent, sum({column}) FROM {{}} GROUP BY 1 ORDER BY 1"

    def sums(table: str) -> dict[str, int]:
        found = rows(database, by_agent.format(table))
        return {agent: tokens for agent, tokens in found if tokens is not None}

    assert sums("conversations") == sums("usage") == sums("sessions")
    assert "codex" in sums("usage")
