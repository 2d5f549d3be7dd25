"""`aj doctor` and the settings it looks at."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from agent_journal.sync import capture
from tests.support.journals import (
    aj,
    open_journal,
    write_claude,
)


def test_doctor_reports_what_will_be_deleted(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    old = path.stat().st_mtime - 25 * 86400
    os.utime(path, (old, old))
    done = aj(tmp_path, "doctor")
    assert done.returncode == 1
    assert (
        "Claude Code will delete 1 file within a week, not kept yet: run 'aj sync'" in done.stdout
    )
    aj(tmp_path, "sync")
    done = aj(tmp_path, "doctor")
    assert done.returncode == 0
    assert (
        "the agent deletes after 30 days: 1 due within a week, 1 of them kept here" in done.stdout
    )
    (tmp_path / ".claude/settings.json").write_text(
        '{"cleanupPeriodDays": 90, "env": {"API_KEY": "secret"}}'
    )
    assert "the agent deletes after 90 days" in aj(tmp_path, "doctor").stdout


def test_folders_that_the_settings_no_longer_name(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    other = tmp_path / "elsewhere"
    assert aj(tmp_path, "config", "set", "storage.sources.claude_code", str(other)).returncode == 0
    assert "gone" not in aj(tmp_path, "sync").stderr
    done = aj(tmp_path, "doctor")
    assert done.returncode == 1
    assert (
        "the folder that the settings name for Claude Code is missing: ~/elsewhere;" in done.stdout
    )
    assert "~/.claude has files of Claude Code, but the settings do not name it" in done.stdout
    aj(tmp_path, "config", "unset", "storage.sources.claude_code")
    assert aj(tmp_path, "doctor").returncode == 0


def test_broken_settings_can_be_repaired(tmp_path: Path) -> None:
    config = tmp_path / ".agent-journal/config.toml"
    config.parent.mkdir()
    config.write_text("# mine\n[search]\nmax_results = -1\n")
    assert aj(tmp_path, "ls").returncode == 2
    assert aj(tmp_path, "config", "path").stdout.strip() == str(config)
    assert aj(tmp_path, "config", "set", "search.max_results", "5").returncode == 0
    assert config.read_text() == "# mine\n[search]\nmax_results = 5\n"
    assert aj(tmp_path, "config").returncode == 0


def test_files_that_cannot_be_kept_are_not_called_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = write_claude(tmp_path, "s1")
    write_claude(tmp_path, "s2")
    nameless = os.fsencode(write_claude(tmp_path, "s3"))
    os.rename(nameless, os.path.join(os.path.dirname(nameless), b"\xff\xfe.jsonl"))
    open_regular = capture._open_regular

    def open_or_refuse(path: str) -> int:
        if path == str(refused):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return open_regular(path)

    monkeypatch.setattr(capture, "_open_regular", open_or_refuse)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    done = aj(tmp_path, "doctor").stdout
    assert "~/.claude: 3 files, 1 of 3 kept;" in done
    assert "/\\xff\\xfe.jsonl: not kept: its name is not UTF-8" in done
    assert "/s1.jsonl: cannot be read: Permission denied" in done
    assert "→ some files of Claude Code have names that are not UTF-8: rename them" in done


def test_a_file_that_was_kept_before_it_was_refused_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path)

    def refuse(path: str) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        monkeypatch.setattr(capture, "_open_regular", refuse)
        journal.sync(index=False, full=True)
    done = aj(tmp_path, "doctor").stdout
    assert "~/.claude: 1 file, kept;" in done
    assert "/s1.jsonl: cannot be read: Permission denied" in done


def test_only_files_that_an_agent_deleted_are_called_deleted(tmp_path: Path) -> None:
    first = write_claude(tmp_path, "s1")
    second = write_claude(tmp_path, "s2")
    imported = tmp_path / ".claude/export.json"
    imported.write_text("{}")
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        update = "UPDATE files SET role = ?, path = ? WHERE path = ?"
        db.execute(update, ("export", str(imported), str(first)))
        db.execute(update, ("companion", f"{second}-wal", str(second)))
    db.close()
    with open_journal(tmp_path) as journal:
        assert journal.sync(index=False).vanished_files == 0
    assert "deleted by the agent" not in aj(tmp_path, "doctor").stdout
