"""Writes the demo's session of Gemini CLI: `.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.writing import (
    Clock,
    Meter,
    compact,
    hexadecimal,
    iso,
    project_path,
    put,
    uuid,
    with_full_paths,
)

STORY = Story(
    "gemini",
    "indexes",
    "orchard-api",
    "main",
    5,
    "10:05",
    "gemini-2.5-pro",
    "0.20.0",
    steps=(
        "Which indexes of the trees table does nobody use? I want to drop them before the import on Friday.",
        Say(
            "I'll ask the statistics of the database.",
            (
                Call(
                    "run_shell_command",
                    {
                        "command": 'psql -c "SELECT indexrelname, idx_scan FROM '
                        "pg_stat_user_indexes WHERE relname = 'trees'\""
                    },
                    "ix_trees_orchard  90211\nix_trees_variety  0\nix_trees_planted  3",
                ),
            ),
            "Scans are counted since the last reset of the statistics.",
        ),
        Say(
            calls=(
                Call(
                    "write_file",
                    {
                        "file_path": "migrations/0042_drop_index.sql",
                        "content": "DROP INDEX CONCURRENTLY ix_trees_variety;\n",
                    },
                ),
            )
        ),
        Say(
            "`ix_trees_variety` was never used; the migration drops it. `ix_trees_planted` was used three times: "
            "ask the reports team first."
        ),
    ),
)


def write_gemini(home: str, now: datetime) -> None:
    """Writes all of `.gemini`."""
    clock = Clock(STORY, now)
    own, started = uuid("session", STORY.key), clock.now
    head = {
        "sessionId": own,
        "projectHash": hexadecimal(64, STORY.project),
        "startTime": iso(started),
        "lastUpdated": iso(started),
        "kind": "main",
    }
    lines = [head, *_records(clock)]
    root = f"{home}/.gemini"
    name = f"session-{started:%Y-%m-%dT%H-%M}-{own[:8]}.jsonl"
    put(
        f"{root}/tmp/{STORY.project}/chats/{name}",
        "".join(compact(line) + "\n" for line in lines),
        clock.now,
    )
    put(
        f"{root}/projects.json",
        compact({"projects": {project_path(STORY): STORY.project}}),
        started,
    )


def _records(clock: Clock) -> list[dict[str, Any]]:
    meter, found = Meter(7_800), list[dict[str, Any]]()
    for step in STORY.steps:
        record: dict[str, Any] = {"id": uuid(STORY.key, len(found))}
        if isinstance(step, str):
            meter.hear(step)
            found.append(
                record
                | {"timestamp": iso(clock.tick(9)), "type": "user", "content": [{"text": step}]}
            )
        elif isinstance(step, Say):
            record |= {
                "timestamp": iso(clock.tick(step.seconds)),
                "type": "gemini",
                "content": step.text,
            }
            if step.thinking:
                record["thoughts"] = [
                    {
                        "subject": "Looking",
                        "description": step.thinking,
                        "timestamp": iso(clock.now),
                    }
                ]
            one = meter.call(step.text + str([call.input for call in step.calls]), step.thinking)
            given = one.fresh + one.cache_read + one.cache_write
            record["tokens"] = {
                "input": given,
                "output": one.output - one.reasoning,
                "cached": one.cache_read,
                "thoughts": one.reasoning,
                "tool": 0,
                "total": given + one.output,
            }
            record["model"] = STORY.model
            if step.calls:
                record["toolCalls"] = [
                    _call(call, clock, f"{call.tool}-{len(found)}") for call in step.calls
                ]
            found.append(record)
    return found


def _call(call: Call, clock: Clock, name: str) -> dict[str, Any]:
    given = with_full_paths(call, project_path(STORY))
    output = f"Command: {given.get('command')}\nOutput: {call.output}\nExit Code: {call.exit_code}"
    told: Any = call.output
    if call.tool == "write_file":
        path, text = given["file_path"], given["content"]
        output = f"Successfully created and wrote to new file: {path}."
        told = {
            "fileDiff": f"--- Current\n+++ Written\n@@ -0,0 +1 @@\n+{text}",
            "fileName": path.rpartition("/")[2],
            "filePath": path,
            "originalContent": "",
            "newContent": text,
            "isNewFile": True,
        }
    response = {"functionResponse": {"id": name, "name": call.tool, "response": {"output": output}}}
    return {
        "id": name,
        "name": call.tool,
        "args": given,
        "status": "success",
        "timestamp": iso(clock.tick(1)),
        "result": [response],
        "resultDisplay": told,
    }
