"""What a person sees first: the overview, the head of a session, the previews of its tool calls."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from agent_journal.cli.commands.stats import changed_lines
from tests.support.journals import aj, write_claude
from tests.support.paths import CASES


def test_an_agent_that_writes_no_ends_has_a_newest_session(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-03-02 09:15:00\n\n#### why  \n\nBecause.\n"
    )
    aj(tmp_path, "sync")
    (line,) = (line for line in aj(tmp_path).stdout.splitlines() if line.startswith("aider"))
    assert line.split()[-2:] == ["2026-03-02", "2026-03-02"]


def test_agents_without_sessions_are_not_listed(tmp_path: Path) -> None:
    place = tmp_path / ".config/Cursor/User/workspaceStorage/0a"
    place.mkdir(parents=True)
    (place / "workspace.json").write_text('{"folder": "file:///home/u/app"}')
    aj(tmp_path, "sync")
    assert "The journal is empty" in aj(tmp_path).stdout
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    shown = aj(tmp_path).stdout
    assert "claude-code" in shown
    assert "vscode-chat" not in shown


def test_a_session_has_the_date_that_the_listing_has(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    db = sqlite3.connect(tmp_path / ".agent-journal/index/journal.db")
    db.execute("UPDATE sessions SET started_at = NULL")
    db.commit()
    db.close()
    assert (
        "\nuntil 2026-11-01 00:03 · 2 prompts"
        in aj(tmp_path, "show", "s1", env={"TZ": "UTC"}).stdout
    )


def test_the_output_of_a_command_is_shown_not_its_head(tmp_path: Path) -> None:
    shutil.copytree(CASES / "codex/conversation/home/.codex", tmp_path / ".codex")
    aj(tmp_path, "sync")
    ids = [line.split()[0] for line in aj(tmp_path, "ls", "--all").stdout.splitlines()]
    short, whole = (
        "".join(aj(tmp_path, "show", session_id, *more).stdout for session_id in ids)
        for more in ((), ("--depth", "all"))
    )
    assert "  → exec_command sleep 9  interrupted" in short
    assert "cmd=" not in short
    assert "│ make: *** fail\n" in short
    for head in ("Chunk ID", "Wall time", "Original token count", "Output:"):
        assert (head in short, head in whole) == (False, True)


def test_unknown_changes_are_not_told_as_none() -> None:
    assert [changed_lines(None, None), changed_lines(0, 0), changed_lines(1200, None)] == [
        "",
        "+0 -0",
        "+1,200 -?",
    ]
