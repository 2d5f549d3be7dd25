"""The journal as a library: what is open, and what there is before the first sync."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_journal.errors import JournalDamaged, NoSuchSession
from tests.support.journals import open_journal, write_claude


def test_before_the_first_sync(tmp_path: Path) -> None:
    with open_journal(tmp_path) as journal:
        assert not journal.exists
        assert journal.find_db() is None
        assert journal.rows() == []
        with pytest.raises(NoSuchSession, match="there is no journal yet"):
            _ = journal.db


def test_a_lost_catalog_is_not_an_empty_journal(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        assert journal.exists
        shutil.rmtree(tmp_path / ".agent-journal/index")
        journal.refresh()
        with pytest.raises(JournalDamaged, match="the index is missing"):
            _ = journal.db


def test_the_archive_is_opened_once_and_closed_with_the_journal(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        archive = journal.archive
        assert journal.archive is archive
        journal.close()
        assert journal.archive is not archive
        assert len(journal.session("s1").messages) == 4
