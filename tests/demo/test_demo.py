from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import agent_journal
from agent_journal.connectors import BUILT_IN
from agent_journal.demo import write_demo_home
from tests.support.journals import aj, aj_json, variables

NOW = datetime(2026, 11, 15, 8, 30, tzinfo=timezone(timedelta(hours=2)))
Records = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home")
    write_demo_home(str(path), NOW)
    return path


def logs(home: Path, pattern: str) -> Records:
    return {
        str(path.relative_to(home)): [json.loads(line) for line in path.read_bytes().splitlines()]
        for path in sorted(home.glob(pattern))
    }


@pytest.fixture(scope="module")
def claude(home: Path) -> Records:
    return logs(home, ".claude/projects/*/*.jsonl")


@pytest.fixture(scope="module")
def copilot(home: Path) -> Records:
    return logs(home, ".copilot/session-state/*/events.jsonl")


def tree(home: Path) -> dict[str, Path]:
    return {str(path.relative_to(home)): path for path in sorted(home.rglob("*")) if path.is_file()}


def test_the_same_time_gives_the_same_files(home: Path, tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), NOW)
    write_demo_home(str(tmp_path), NOW)
    first, second = tree(home), tree(tmp_path)
    assert list(first) == list(second)
    for name, path in first.items():
        assert filecmp.cmp(path, second[name], shallow=False), name
        assert path.stat().st_mtime == second[name].stat().st_mtime


def test_another_day_gives_the_same_sessions(home: Path, tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), NOW + timedelta(days=3, hours=5))
    assert [undated(name) for name in tree(home)] == [undated(name) for name in tree(tmp_path)]


def undated(name: str) -> str:
    """A path without the day that Codex and Gemini CLI write into it."""
    return re.sub(r"\d{4}([-/])\d\d\1\d\d(T\d\d-\d\d)?", "<day>", name)


def test_it_is_small_and_names_no_real_home(home: Path) -> None:
    assert sum(path.stat().st_size for path in tree(home).values()) < 400_000
    for path in tree(home).values():
        assert str(home).encode() not in path.read_bytes()


def test_all_times_are_in_the_month_before_now(
    home: Path, claude: Records, copilot: Records
) -> None:
    stamps = [
        record["timestamp"]
        for records in [*claude.values(), *copilot.values()]
        for record in records
        if "timestamp" in record
    ]
    times = [datetime.fromisoformat(stamp) for stamp in stamps]
    assert all(stamp.endswith("Z") for stamp in stamps)
    assert NOW - timedelta(days=30) < min(times)
    assert NOW - timedelta(days=1) < max(times) < NOW
    for path in tree(home).values():
        assert min(times) <= datetime.fromtimestamp(path.stat().st_mtime + 1, UTC) < NOW


def test_every_agent_has_sessions_that_are_read_whole(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home", copy_function=shutil.copy2)
    assert aj(tmp_path / "home", "sync").returncode == 0
    items = {item["agent"]: item for item in aj_json(tmp_path / "home", "doctor")["items"]}
    for agent in set(BUILT_IN) - {"vscode-export"}:  # those are handed over by name
        assert items[agent]["sessions"] >= 1, agent
        assert items[agent]["records"].get("unknown", 0) == 0, agent
        assert items[agent]["records"].get("malformed", 0) == (agent == "vscode-chat"), agent
    edits = aj_json(tmp_path / "home", "sql", "SELECT DISTINCT agent FROM file_edits")["items"]
    assert {item["agent"] for item in edits} >= {"aider", "codex", "cursor", "gemini"}


def test_the_demo_looks_at_nothing_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-11-02 09:15:00\n\n#### mine  \n"
    )
    done = aj(tmp_path, "demo", cwd=tmp_path, env={"CODEX_HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "mine" not in done.stdout
    assert "17 sessions, 17 new" in done.stderr
    removed = tmp_path / "removed"
    removed.mkdir()
    command = f"import os, sys; os.rmdir('{removed}'); sys.argv = ['aj', 'demo']; import agent_journal.__main__ as m"
    assert (
        subprocess.run(
            [sys.executable, "-c", command],
            cwd=removed,
            env=variables(tmp_path),
            check=False,
            capture_output=True,
        ).returncode
        == 0
    )


# -- Claude Code -------------------------------------------------------------------------------


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
            assert total["outputTokens"] == sum(one["output_tokens"] for one in spent)
            assert total["cacheReadInputTokens"] == sum(
                one["cache_read_input_tokens"] for one in spent
            )
        assert 0.02 < states[0]["totalCostUSD"] < 2


# -- Copilot CLI -------------------------------------------------------------------------------


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
    assert {one["shellExecution"]["exitCode"] for one in done if "shellExecution" in one} == {0, 1}
    assert {edit["kind"] for one in done for edit in one.get("fileEdits", ())} == {"create", "edit"}
    assert all("\n@@ -" in one["result"]["detailedContent"] for one in done if "fileEdits" in one)


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


def test_the_demo_needs_no_msgspec() -> None:
    code = "import sys, agent_journal.demo; sys.exit('msgspec' in sys.modules)"
    package = str(Path(agent_journal.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": package}, check=True)
