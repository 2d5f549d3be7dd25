"""What a newcomer sees: `aj` without a journal, and the end of the first sync."""

from __future__ import annotations

import os
import re
from pathlib import Path

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, write_claude
from tests.support.terminals import on_terminal


def test_without_a_journal_what_is_on_the_machine_is_shown(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    old = write_claude(tmp_path, "s2")
    when = old.stat().st_mtime - 25 * 86400
    os.utime(old, (when, when))
    done = aj(tmp_path)
    assert done.returncode == 0
    first, head, row, _, due, following = done.stdout.splitlines()
    assert first == "The journal is empty. Found on this machine:"
    assert head.split() == ["agent", "files", "size", "oldest", "folder"]
    assert re.fullmatch(r"  Claude Code +2 +[\d.]+ KB  \d{4}-\d\d-\d\d  ~/\.claude", row)
    assert due == "Claude Code deletes sessions after 30 days: 1 session within a week."
    assert following.startswith("Next: aj sync   keeps them in ~/.agent-journal;")
    assert not (tmp_path / ".agent-journal").exists()


def test_a_machine_without_agents_is_offered_the_demo(tmp_path: Path) -> None:
    done = aj(tmp_path)
    assert done.returncode == 0
    assert "no files of an agent were found on this machine" in done.stdout
    assert "Looked for: Aider, Claude Code, " in done.stdout
    assert "Next: aj demo" in done.stdout


def test_the_agents_that_were_looked_for_fit_the_terminal(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, columns=80, NO_COLOR="1")
    names = shown.split("Looked for: ")[1].split("Next:")[0]
    assert "VS Code Chat" in " ".join(names.split())
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_the_first_sync_ends_with_what_is_interesting(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    old = next((tmp_path / ".claude/projects").rglob("*.jsonl"))
    when = old.stat().st_mtime - 25 * 86400
    os.utime(old, (when, when))
    lines = aj(tmp_path, "sync", cwd=tmp_path).stderr.splitlines()
    assert len(lines) <= 12
    assert lines[0].startswith("20 sessions, 20 new, ")
    facts = {line.split()[0]: line for line in lines[2:6]}
    assert "6 of vscode-chat, 4 of claude-code, 3 of copilot-cli" in facts["sessions"]
    assert "1 session will be deleted by their agents within a week, all kept" in facts["expiring"]
    assert re.search(r"\$\d+\.\d\d this month, \$\d+\.\d\d in all \(aj usage\)", facts["cost"])
    assert facts["oldest"].split()[2].endswith(":")
    tried = [line.split()[1:3] for line in lines[-3:]]
    assert [command for command, _ in tried] == ["show", "export", "resume"]
    for _, session in tried:
        assert aj(tmp_path, "show", session).returncode == 0
    assert len(aj(tmp_path, "sync", cwd=tmp_path).stderr.splitlines()) == 1


def test_a_first_sync_without_sessions_says_where_it_looked(tmp_path: Path) -> None:
    lines = aj(tmp_path, "sync").stderr.splitlines()
    assert lines == ["0 sessions, 0 new", "no sessions found; 'aj sources' shows where aj looks"]


def test_the_table_fits_a_narrow_terminal(tmp_path: Path) -> None:
    write_claude(tmp_path)
    shown = on_terminal(tmp_path, columns=44, NO_COLOR="1").splitlines()
    assert max(map(len, shown[1:3])) <= 44
    assert "Claude Code" in shown[2]


def test_a_restored_journal_was_not_synced_yet(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    assert "at ~/.agent-journal; last sync just now\n" in aj(tmp_path).stdout
    aj(tmp_path, "backup", str(tmp_path / "copy"))
    other = tmp_path / "other"
    aj(tmp_path, "restore", "--from", str(tmp_path / "copy"), "-o", str(other))
    shown = aj(tmp_path, env={"AJ_HOME": str(other)}).stdout
    assert "at ~/other; not synced on this machine yet\n" in shown
