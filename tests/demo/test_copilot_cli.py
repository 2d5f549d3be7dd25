"""The demo's sessions of Copilot CLI."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.support.demo_logs import Records


def test_copilot_events_are_one_chain(copilot: Records) -> None:
    assert len(copilot) == 3
    for name, records in copilot.items():
        assert [record["parentId"] for record in records] == [
            None,
            *(record["id"] for record in records[:-1]),
        ]
        assert [record["timestamp"] for record in records] == sorted(
            record["timestamp"] for record in records
        )
        assert records[0]["type"] == "session.start"
        assert records[0]["data"]["sessionId"] == Path(name).parts[-2]
        assert records[-1]["type"] == "session.shutdown"


def test_copilot_shows_what_can_be_in_a_session(copilot: Records) -> None:
    everything = [record for records in copilot.values() for record in records]
    assert {record["type"] for record in everything} == {
        "session.start",
        "user.message",
        "system.message",
        "assistant.turn_start",
        "session.usage_record",
        "assistant.message",
        "tool.execution_start",
        "tool.execution_complete",
        "assistant.turn_end",
        "session.plan_changed",
        "subagent.started",
        "subagent.completed",
        "session.compaction_start",
        "session.compaction_complete",
        "session.shutdown",
        "session.resume",
        "tool.user_requested",
    }
    done = [record["data"] for record in everything if record["type"] == "tool.execution_complete"]
    shells = [event["shellExecution"] for event in done if "shellExecution" in event]
    assert {shell["exitCode"] for shell in shells} == {0, 1}
    edits = [event for event in done if "fileEdits" in event]
    assert {edit["kind"] for event in edits for edit in event["fileEdits"]} == {"create", "edit"}
    assert all("\n@@ -" in event["result"]["detailedContent"] for event in edits)


def test_copilot_calls_are_started_and_completed(copilot: Records) -> None:
    for records in copilot.values():
        ids: dict[str, list[str]] = {"start": [], "complete": []}
        requested = [
            request["toolCallId"]
            for record in records
            for request in record["data"].get("toolRequests", ())
        ]
        for record in records:
            if record["type"].startswith("tool.execution_") and not record["data"].get(
                "isUserRequested"
            ):
                ids[record["type"].rpartition("_")[2]].append(record["data"]["toolCallId"])
        assert requested == ids["start"]
        assert sorted(requested) == sorted(ids["complete"])


def test_copilot_subagent_has_its_own_id(copilot: Records) -> None:
    everything = [
        record for records in copilot.values() for record in records if "agentId" in record
    ]
    assert len({record["agentId"] for record in everything}) == 1
    assert everything[0]["type"] == "subagent.started"
    assert everything[-1]["type"] == "subagent.completed"
    assert {record["type"] for record in everything} > {
        "user.message",
        "assistant.message",
        "session.usage_record",
    }


def test_copilot_totals_are_the_sum_of_the_records(copilot: Records) -> None:
    for records in copilot.values():
        usages: list[dict[str, Any]] = []
        for record in records:
            if record["type"] == "session.usage_record":
                usages.append(record["data"]["usage"])
            if record["type"] == "session.shutdown":
                [(model, metric)] = record["data"]["modelMetrics"].items()
                assert metric["requests"]["count"] == len(usages)
                for field in (
                    "inputTokens",
                    "outputTokens",
                    "cacheReadTokens",
                    "cacheWriteTokens",
                    "reasoningTokens",
                ):
                    assert metric["usage"][field] == sum(usage[field] for usage in usages)
                nano = sum(usage["copilotUsage"]["totalNanoAiu"] for usage in usages)
                assert record["data"]["totalNanoAiu"] == nano
                assert {usage["model"] for usage in usages} == {model}


def test_copilot_todos_plan_checkpoint_and_history(home: Path, copilot: Records) -> None:
    root = home / ".copilot"
    [database] = root.glob("session-state/*/session.db")
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT id, status FROM todos ORDER BY id").fetchall()
        assert rows == [("docs", "pending"), ("headers", "done"), ("retry-after", "done")]
        assert connection.execute("SELECT count(*) FROM todo_deps").fetchone() == (2,)
    connection.close()
    [plan] = root.glob("session-state/*/plan.md")
    assert plan.parent == database.parent
    assert "- [ ] Say so in docs/api.md" in plan.read_text()
    [checkpoint] = root.glob("session-state/*/checkpoints/001-*.md")
    assert checkpoint.name in (checkpoint.parent / "index.md").read_text()
    history = json.loads((root / "command-history-state.json").read_text())["commandHistory"]
    typed = [
        record["data"]["content"]
        for records in copilot.values()
        for record in records
        if record["type"] == "user.message" and "agentId" not in record
    ]
    assert sorted(line for line in history if line[0] not in "/!") == sorted(typed)


def test_copilot_workspaces(home: Path) -> None:
    for path in home.glob(".copilot/session-state/*/workspace.yaml"):
        values = dict(line.split(": ", 1) for line in path.read_text().splitlines())
        assert values["id"] == path.parent.name
        assert ": " not in values["name"], "would need quotes"
        assert values["user_named"] == ("true" if "3.14" in values["name"] else "false")
