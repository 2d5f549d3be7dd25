"""The journal as a library: what is open, and what there is before the first sync."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from agent_journal.errors import JournalDamaged, NoSuchSession
from tests.support.journals import aj, aj_json, open_journal, write_claude


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


def test_what_is_read_again_is_numbered_as_in_a_new_journal(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        first = [message.seq for message in journal.session("s1").messages]
        path.write_text(path.read_text().replace("text 0", "words 0"))
        journal.sync(index=False)
        messages = journal.session("s1").messages
    assert "words 0" in messages[0].text
    assert [message.seq for message in messages] == first


def test_verify_names_agents_that_an_older_version_read(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    db = sqlite3.connect(tmp_path / ".agent-journal/index/journal.db")
    db.execute("UPDATE files SET reader_version = 0")
    db.execute("UPDATE ledger SET reason = 'an older wording'")
    db.execute("DELETE FROM meta WHERE key LIKE 'reader of %'")
    db.commit()
    db.close()
    done = aj(tmp_path, "verify")
    assert done.returncode == 0, done.stdout
    assert "the sessions of claude-code were read by an older version" in done.stderr
    aj(tmp_path, "sync", "--no-index")
    (item,) = aj_json(tmp_path, "verify")["items"]
    assert (item["outdated_agents"], item["differences"]) == ([], [])
