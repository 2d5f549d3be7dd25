"""A disk that becomes full between two commits of one file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from agent_journal.errors import CannotWrite
from agent_journal.sync import batches
from tests.support.journals import aj, open_journal, write_claude


def test_a_commit_that_fails_in_the_middle_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path, count=2000)
    monkeypatch.setattr(batches, "BATCH_BYTES", 1000)

    def full(self: batches.Batches) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch, open_journal(tmp_path) as journal:
        patch.setattr(batches.Batches, "next", full)
        with pytest.raises(CannotWrite, match="no space left"):
            journal.sync()
    with open_journal(tmp_path) as journal:
        assert journal.sync().sessions == 1
        assert len(journal.session("s1").messages) == 2000
    assert aj(tmp_path, "verify").returncode == 0
