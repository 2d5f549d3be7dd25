"""Following a journal that other processes write."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from agent_journal.journal import Journal
from agent_journal.sync.watching.following import Follower
from tests.support.journals import sync, write_claude


def _follower(home: Path) -> Follower:
    with Journal.open(str(home / ".agent-journal")) as journal:
        return Follower(journal.config)


def test_a_journal_that_another_one_replaces_is_followed(tmp_path: Path) -> None:
    """It went on with the file that was deleted, which nobody changes."""
    write_claude(tmp_path)
    sync(tmp_path)
    follower = _follower(tmp_path)
    assert follower.has_changed()
    assert not follower.has_changed()
    folder = tmp_path / ".agent-journal"
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    shutil.rmtree(folder)
    assert follower.has_changed()
    assert not follower.has_changed()
    os.rename(kept, folder)
    assert follower.has_changed()
    write_claude(tmp_path, count=1, start=4)
    sync(tmp_path)
    assert follower.has_changed()
    follower.close()
