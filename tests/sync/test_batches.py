"""Commits in the middle of large files, when one file is read because of another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_journal.health.verify import verify
from agent_journal.store import archive
from agent_journal.sync import batches, capture
from tests.support.journals import claude_line, open_journal


def talk(home: Path, folder: str, count: int) -> None:
    path = home / ".claude/projects" / folder / "s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [claude_line("user", at, f"said {at}", "s1") for at in range(count)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_copy_that_is_read_again_is_not_committed_in_its_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "CHUNK", 1000)
    monkeypatch.setattr(capture, "CHUNK", 1000)
    monkeypatch.setattr(batches, "BATCH_BYTES", 1)
    for one, other in ((30, None), (30, 40), (30, 5), (50, 5), (10, 45)):
        talk(tmp_path, "one", one)
        if other is not None:
            talk(tmp_path, "other", other)
        with open_journal(tmp_path) as journal:
            journal.sync(index=False)
            assert len(journal.session("s1").messages) == max(one, other or 0)
            assert verify(journal.db, journal.archive).differences == []
