"""Which files of Claude Code are found, and where."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.connectors.base import Env, FoundFile
from agent_journal.connectors.claude_code import CONNECTOR
from tests.connectors.claude_code.cases import case, found


def test_only_session_files_are_found() -> None:
    roles = {name: (file.role, file.session_id) for name, file in found("stores").items()}
    project = "projects/-home-u-app/"
    assert roles == {
        project + ".session-aliases": ("kept", None),
        project + "kept.jsonl": ("log", "kept"),
        project + "memory/MEMORY.md": ("document", None),
        project + "sessions-index.json": ("document", None),
        "agent-memory/reviewer/MEMORY.md": ("document", None),
        "history.jsonl": ("log", None),
        "stats-cache.json": ("document", None),
        "paste-cache/0011223344556677.txt": ("kept", None),
        "todos/kept-agent-kept.json": ("document", None),
        "todos/older-agent-a1.json": ("document", None),
        "todos/older-agent-older.json": ("document", None),
        "plans/calm-moth.md": ("document", None),
        "tasks/kept/1.json": ("document", None),
        "tasks/kept/2.json": ("document", None),
        "file-history/kept/139d@v2": ("kept", None),
    }
    compaction = "agent-acompact-0123456789abcdef"
    agents = {
        name.removeprefix(project): f.session_id
        for name, f in found("subagents").items()
        if f.role == "log"
    }
    assert agents == {
        "agent-a7.jsonl": None,
        "agent-a8.jsonl": None,
        "parent.jsonl": "parent",
        "parent/subagents/agent-a1.jsonl": "parent/agent-a1",
        "parent/subagents/agent-a2.jsonl": "parent/agent-a2",
        f"parent/subagents/{compaction}.jsonl": f"parent/{compaction}",
        "parent/subagents/workflows/wf_1/agent-a9.jsonl": "parent/agent-a9",
        "parent/subagents/workflows/wf_1/journal.jsonl": None,
    }


def test_the_same_session_in_two_folders_is_one_session() -> None:
    copies = {name: f.size for name, f in found("forks").items() if f.session_id == "origin"}
    assert copies["projects/-home-u-old/origin.jsonl"] == 0
    assert copies["projects/-home-u-app/origin.jsonl"] > 0
    assert sorted(s.started_at is not None for s in case("forks").sessions if s.id == "origin") == [
        False,
        True,
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_links_and_pipes_do_not_hang(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-p"
    project.mkdir(parents=True)
    (project / "s.jsonl").write_text("")
    (project / "loop").symlink_to(tmp_path)
    (project / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (project / "s").mkdir()
    (project / "s" / "subagents").symlink_to(project)
    (project / "s" / "tool-results").mkdir()
    (project / "s" / "tool-results" / "secret.txt").symlink_to("/etc/passwd")
    os.mkfifo(project / "pipe.jsonl")
    (project / "folder.jsonl").mkdir()
    assert [
        file.name for file in CONNECTOR.discover(str(tmp_path)) if isinstance(file, FoundFile)
    ] == ["projects/-p/s.jsonl"]


def test_roots(tmp_path: Path) -> None:
    home = str(tmp_path)
    desktop = (
        tmp_path
        / ".config"
        / "Claude"
        / "local-agent-mode-sessions"
        / "account"
        / "org"
        / "local_1"
        / ".claude"
    )
    desktop.mkdir(parents=True)
    defaults = [str(tmp_path / ".claude"), str(tmp_path / ".config" / "claude")]
    assert CONNECTOR.roots(Env(home, {}, "linux")) == [*defaults, str(desktop)]
    listed = {"CLAUDE_CONFIG_DIR": "~/work, /srv/claude,"}
    assert CONNECTOR.roots(Env(home, listed, "linux")) == [
        f"{home}/work",
        "/srv/claude",
        str(desktop),
    ]
    assert CONNECTOR.roots(Env(home, {"XDG_CONFIG_HOME": "/x"}, "linux"))[1:] == ["/x/claude"]
    assert CONNECTOR.roots(Env(home, {}, "darwin")) == defaults


def test_a_configured_path_may_point_deeper_or_higher(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    inner = str(tmp_path / ".claude")
    for path in (inner, inner + "/projects", inner + "/projects/", str(tmp_path)):
        assert CONNECTOR.normalize_root(path).rstrip("/") == inner
    assert CONNECTOR.normalize_root("/srv/elsewhere") == "/srv/elsewhere"


def test_listing_imports_nothing_heavy() -> None:
    code = """
import sys
from agent_journal.connectors.claude_code import CONNECTOR
list(CONNECTOR.discover('/nowhere'))
heavy = ('msgspec', 'json', 'pathlib', 'agent_journal.model')
print([module for module in heavy if module in sys.modules])
"""
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=_env()
    )
    assert run.stdout.strip() == "[]"


def _env() -> dict[str, str]:
    import agent_journal

    return {**os.environ, "PYTHONPATH": str(Path(agent_journal.__file__).parents[1])}


def test_a_transcript_of_qwen_code_is_not_claude_codes() -> None:
    """It has the same fields around messages of another shape."""
    line = {"uuid": "u1", "sessionId": "q1", "type": "user"}
    theirs = {**line, "message": {"role": "user", "parts": [{"text": "hi"}]}}
    ours = {**line, "message": {"role": "user", "content": "hi"}}
    assert CONNECTOR.recognise("/x/q1.jsonl", json.dumps(theirs).encode() + b"\n") is None
    assert CONNECTOR.recognise("/x/q1.jsonl", json.dumps(ours).encode() + b"\n") is not None
