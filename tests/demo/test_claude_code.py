"""The demo's sessions of Claude Code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.support.demo_logs import Records, logs


def blocks(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    contents = [record["message"]["content"] for record in records if "message" in record]
    return [
        block
        for content in contents
        if isinstance(content, list)
        for block in content
        if block["type"] == kind
    ]


def test_claude_has_two_projects_of_linked_lines(home: Path, claude: Records) -> None:
    assert len(claude) == 4
    assert len({os.path.dirname(name) for name in claude}) == 2
    both = claude | logs(home, ".claude/projects/*/*/subagents/*.jsonl")
    ids = [record["uuid"] for records in both.values() for record in records if "uuid" in record]
    assert len(ids) == len(set(ids))
    for name, records in both.items():
        seen = {None}
        for record in records:
            assert record.get("parentUuid") in seen, name
            seen.add(record.get("uuid"))


def test_claude_calls_have_results_and_repeated_usage(claude: Records) -> None:
    sizes = []
    for records in claude.values():
        asked = [block["id"] for block in blocks(records, "tool_use")]
        assert [block["tool_use_id"] for block in blocks(records, "tool_result")] == asked
        answers: dict[str, list[dict[str, Any]]] = {}
        for record in records:
            if record["type"] == "assistant":
                answers.setdefault(record["message"]["id"], []).append(record["message"]["usage"])
        assert all(usage == usages[0] for usages in answers.values() for usage in usages)
        sizes += [len(usages) for usages in answers.values()]
    assert max(sizes) >= 5


def test_claude_shows_what_can_be_in_a_session(claude: Records) -> None:
    everything = [record for records in claude.values() for record in records]
    kinds = {record["type"] for record in everything}
    assert kinds >= {
        "user",
        "assistant",
        "system",
        "attachment",
        "custom-title",
        "ai-title",
        "cost-state",
        "file-history-snapshot",
        "queue-operation",
        "last-prompt",
        "permission-mode",
    }
    assert {block["name"] for block in blocks(everything, "tool_use")} == {
        "Read",
        "Grep",
        "Bash",
        "Edit",
        "Write",
        "TaskCreate",
        "TaskUpdate",
        "TodoWrite",
        "Agent",
        "ExitPlanMode",
    }
    assert all(block["thinking"] and block["signature"] for block in blocks(everything, "thinking"))
    assert len(blocks(everything, "thinking")) >= 5
    assert sum(record.get("isCompactSummary", False) for record in everything) == 1
    assert sum(record.get("isApiErrorMessage", False) for record in everything) == 1
    assert sum(block.get("is_error", False) for block in blocks(everything, "tool_result")) >= 2
    assert "[Request interrupted by user]" in {
        block["text"] for block in blocks(everything, "text")
    }


def test_claude_edits_have_a_patch_that_fits(claude: Records) -> None:
    details = [record.get("toolUseResult") for records in claude.values() for record in records]
    edits = [
        detail for detail in details if isinstance(detail, dict) and detail.get("structuredPatch")
    ]
    assert len(edits) == 5
    for edit in edits:
        assert edit["oldString"] in edit["originalFile"]
        before = edit["originalFile"].splitlines()
        for hunk in edit["structuredPatch"]:
            start = hunk["oldStart"] - 1
            old = [line[1:] for line in hunk["lines"] if line[0] in " -"]
            assert before[start : start + hunk["oldLines"]] == old
            assert len([line for line in hunk["lines"] if line[0] in " +"]) == hunk["newLines"]


def test_claude_files_around_the_sessions(home: Path, claude: Records) -> None:
    root = home / ".claude"
    history = [json.loads(line) for line in (root / "history.jsonl").read_text().splitlines()]
    assert [entry["timestamp"] for entry in history] == sorted(
        entry["timestamp"] for entry in history
    )
    assert {entry["sessionId"] for entry in history} == {Path(name).stem for name in claude}
    [spilled] = root.glob("projects/*/*/tool-results/*.txt")
    stored = [
        record["toolUseResult"]
        for records in claude.values()
        for record in records
        if "persistedOutputPath" in str(record.get("toolUseResult"))
    ]
    assert stored[0]["persistedOutputPath"].endswith(str(spilled.relative_to(home)))
    assert stored[0]["persistedOutputSize"] == spilled.stat().st_size
    tasks = [json.loads(path.read_text()) for path in sorted(root.glob("tasks/*/*.json"))]
    assert [(task["id"], task["status"]) for task in tasks] == [(n, "completed") for n in "123"]
    [title] = root.glob("projects/*/*/custom-title.json")
    assert json.loads(title.read_text()) == {"customTitle": "Flaky retry test: clock and jitter"}
    [plan] = root.glob("plans/*.md")
    assert plan.read_text().startswith("# A connection limit per host")


def test_claude_subagent(home: Path, claude: Records) -> None:
    [(name, records)] = logs(home, ".claude/projects/*/*/subagents/*.jsonl").items()
    meta = json.loads((home / name).with_suffix(".meta.json").read_text())
    parent = next(
        lines for path, lines in claude.items() if Path(path).stem == Path(name).parts[-3]
    )
    [asked] = [block for block in blocks(parent, "tool_use") if block["name"] == "Agent"]
    assert meta["toolUseId"] == asked["id"]
    assert records[0]["message"]["content"] == asked["input"]["prompt"]
    agent_id = Path(name).stem.removeprefix("agent-")
    assert {(record["agentId"], record["isSidechain"]) for record in records} == {(agent_id, True)}
    assert {record["sessionId"] for record in records} == {Path(name).parts[-3]}


def test_claude_cost_adds_up(claude: Records, home: Path) -> None:
    for name, records in claude.items():
        states = [record for record in records if record["type"] == "cost-state"]
        if not states:
            continue
        own = [
            *records,
            *(
                line
                for lines in logs(home, f"{name[:-6]}/subagents/*.jsonl").values()
                for line in lines
            ),
        ]
        usage = {
            record["message"]["id"]: record["message"]
            for record in own
            if record["type"] == "assistant"
        }
        for model, total in states[0]["modelUsage"].items():
            spent = [message["usage"] for message in usage.values() if message["model"] == model]
            assert total["outputTokens"] == sum(usage["output_tokens"] for usage in spent)
            assert total["cacheReadInputTokens"] == sum(
                usage["cache_read_input_tokens"] for usage in spent
            )
        assert 0.02 < states[0]["totalCostUSD"] < 2
