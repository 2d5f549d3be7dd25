"""Writes the folder of a demo session of Copilot CLI."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from agent_journal.connectors.copilot_cli.todo_lists import write_todo_database
from agent_journal.demo.writing import hunks, put, touch

_CHECKPOINT_INDEX = """\
# Checkpoint History

Checkpoints are listed in chronological order. Checkpoint 1 is the oldest, higher numbers are \
more recent.

| # | Title | File |
|---|-------|------|
"""


class SessionFiles(NamedTuple):
    """What the folder of a session holds."""

    events: list[str]
    workspace: dict[str, Any]
    checkpoint: str
    plan: str
    queries: list[str]  # of the todo list
    started: datetime
    ended: datetime


def write_folder(folder: str, files: SessionFiles) -> None:
    """Write the folder of a session."""
    put(f"{folder}/events.jsonl", "\n".join(files.events) + "\n", files.ended)
    lines = "".join(f"{key}: {value}\n" for key, value in files.workspace.items())
    put(f"{folder}/workspace.yaml", lines, files.ended)
    index = _CHECKPOINT_INDEX
    if files.checkpoint:
        index += "| 1 | Dependencies and Python 3.14 | 001-dependencies.md |\n"
        put(f"{folder}/checkpoints/001-dependencies.md", files.checkpoint, files.ended)
    put(f"{folder}/checkpoints/index.md", index, files.ended)
    if files.plan:
        put(f"{folder}/plan.md", files.plan, files.ended)
    if files.queries:
        database = f"{folder}/session.db"
        write_todo_database(database, files.queries, files.started, files.ended)
        touch(database, files.ended)


def git_diff(path: str, before: str, after: str) -> str:
    """Return the diff of an edit as Copilot CLI records it."""
    old_path = path if before else "/dev/null"
    lines = [
        "",
        f"diff --git a{path} b{path}",
        "index 0000000..0000000 100644",
        f"--- a{old_path}",
        f"+++ b{path}",
    ]
    for hunk in hunks(before, after):
        old = f"{hunk['oldStart']},{hunk['oldLines']}"
        new = f"{hunk['newStart']},{hunk['newLines']}"
        lines += [f"@@ -{old} +{new} @@", *hunk["lines"]]
    return "\n".join(lines) + "\n"
