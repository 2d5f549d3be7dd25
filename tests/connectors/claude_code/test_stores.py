"""The files of Claude Code beside its transcripts."""

from __future__ import annotations

import shutil
from pathlib import Path

from agent_journal.model import (
    DailyStat,
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    Plan,
    Todo,
    TodoList,
)
from tests.connectors.claude_code.cases import HOMES, pieces
from tests.support.journals import aj, aj_json


def test_only_new_backups_are_edits() -> None:
    edits = [(e.path, e.backup, e.message_id, e.origin, e.kind) for e in pieces("stores", FileEdit)]
    assert edits == [
        ("/home/u/app/w.txt", None, "u1", "file-history", "backup"),
        ("/home/u/app/w.txt", "file-history/139d@v2", "u2", "file-history", "backup"),
        ("/home/u/app/v.txt", "file-history/2222@v1", "u2", "file-history", "backup"),
    ]
    assert pieces("stores", Document) == [
        Document(session_id="kept", name="file-history/139d@v2", kind="file-backup")
    ]


def test_todo_files() -> None:
    first = Todo(
        content="First", status="in_progress", id="1", description="Do it", active_form="Doing it"
    )
    second = Todo(content="Second", status="pending", id="2", depends_on=("1",))
    dig = Todo(content="dig", status="completed", id="1")
    deeper = Todo(content="deeper", status="pending", active_form="Digging deeper")
    assert pieces("stores", TodoList) == [
        TodoList(session_id="older", origin="todos_json", items=(deeper,), agent_id="a1"),
        TodoList(session_id="older", origin="todos_json", items=(dig,)),
        TodoList(session_id="kept", origin="tasks", items=(first,), rank=2),
        TodoList(session_id="kept", origin="tasks", items=(second,), rank=2),
    ]


def test_history_plans_and_statistics() -> None:
    history = [(e.position, e.text, e.pasted, e.session_id) for e in pieces("stores", HistoryEntry)]
    assert history == [
        (0, "change w", None, "kept"),
        (1, "[Pasted text #1 +2 lines]", "one\ntwo", None),
        (
            2,
            "look [Pasted text #2 +900 lines] [Image #3]",
            "[paste-cache/ab12cd34ef56ab78.txt]",
            None,
        ),
        (3, "/exit", None, None),
    ]
    assert [(p.name, p.text, p.kind) for p in pieces("stores", Plan)] == [
        ("-home-u-app/memory/MEMORY", "# Notes\n", "memory"),
        ("calm-moth", "# Calm plan\n", "plan"),
        ("agent-memory/reviewer/MEMORY", "# Reviews\n\nTests come first.\n", "memory"),
    ]
    assert pieces("stores", DailyStat) == [
        DailyStat(
            date="2026-02-02",
            message_count=5,
            session_count=1,
            tool_call_count=2,
            tokens_by_model={"claude-opus-5": 99},
        ),
        DailyStat(date="2026-02-03", tokens_by_model={"claude-opus-5": 1}),
    ]
    assert [e.type for e in pieces("stores", Event)] == ["worktree-state", "marble-origami-commit"]


def test_the_list_of_sessions_gives_titles_and_names_those_that_are_gone(tmp_path: Path) -> None:
    shutil.copytree(HOMES / "stores/home", tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    [kept] = aj_json(tmp_path, "ls", "--all")["items"]
    assert (kept["id"], kept["title"]) == ("kept", "Say hello to the world")
    [health] = [
        item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "claude-code"
    ]
    lost = {item["session"]: item["title"] for item in health["lost"]}
    assert lost == {"lost": "why is it slow?", "named": "Named by hand", "empty": None}
    said = aj(tmp_path, "doctor").stdout
    assert ("3 sessions gone that were never kept" in said, "nothing needs attention" in said) == (
        True,
        True,
    )
    [hit] = aj_json(tmp_path, "search", "tests come first")["items"]
    assert "agent-memory/reviewer/MEMORY" in hit["snippet"]["text"]
    assert hit["message"]["kind"] == "memory"
    assert "its file is gone and was never kept" in aj(tmp_path, "show", "lost").stderr
    assert aj_json(tmp_path, "search", "tabs to spaces")["items"] == []
    [hit] = aj_json(tmp_path, "search", "tabs to spaces is:hidden")["items"]
    assert hit["message"]["kind"] == "system_prompt"
    assert aj(tmp_path, "verify").returncode == 0
