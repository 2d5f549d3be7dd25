"""Whatever verify finds damaged is healed by the next plain `aj sync`, once."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from agent_journal.health.cures import Cures
from agent_journal.store.archive import Archive
from agent_journal.store.condemned import condemn
from agent_journal.sync.indexes import lexical
from tests.support.journals import (
    aj,
    flip_a_byte_of_the_archive,
    journal_digest,
    open_journal,
    pack_of,
    write_claude,
)

REBUILT = "rebuilt from the archive"
COMPARED = "every file was compared with its kept bytes"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_claude(tmp_path, "s1", count=3)
    write_claude(tmp_path, "s2", count=2)
    with open_journal(tmp_path) as journal:
        journal.sync()
    return tmp_path


def change(home: Path, statement: str) -> None:
    with sqlite3.connect(home / ".agent-journal/index/journal.db") as db:
        assert db.execute(statement).rowcount
    db.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sessions SET title = 'another one' WHERE uid = 's1'",
        "UPDATE files SET first_seen = first_seen + 1",
        "UPDATE frames SET offset = offset + 1",  # looks like a damaged archive
        "DELETE FROM version_frames",
    ],
)
def test_a_catalog_that_is_wrong_is_rebuilt_once(home: Path, statement: str) -> None:
    before = journal_digest(home)
    shutil.rmtree(home / ".claude")
    change(home, statement)
    found = aj(home, "verify")
    assert (found.returncode, "the next 'aj sync' rebuilds the catalog" in found.stderr) == (
        1,
        True,
    )
    assert REBUILT in aj(home, "sync").stderr
    assert REBUILT not in aj(home, "sync").stderr
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout
    assert journal_digest(home) == before


def test_lost_bytes_are_kept_again_and_the_catalog_is_not_rebuilt(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    found = aj(home, "verify")
    assert (found.returncode, "keeps lost bytes again" in found.stderr) == (1, True)
    done = aj(home, "sync", "--agent", "claude-code").stderr  # not every file
    assert COMPARED not in done
    done = aj(home, "sync").stderr
    assert (COMPARED in done, REBUILT in done) == (True, False)
    assert COMPARED not in aj(home, "sync").stderr
    assert aj(home, "verify").returncode == 0


def test_the_doctor_says_what_verify_found(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    assert aj(home, "doctor").returncode == 0
    assert aj(home, "verify").returncode == 1
    said = aj(home, "doctor")
    assert (said.returncode, "nothing needs attention" in said.stdout) == (1, False)
    assert "→ the last 'aj verify' found damage of the journal (" in said.stdout
    aj(home, "sync")
    assert "'aj verify' again" in aj(home, "doctor").stdout  # nobody knows yet that it is healed
    assert aj(home, "verify").returncode == 0
    assert "nothing needs attention" in aj(home, "doctor").stdout


def test_the_doctor_names_an_index_that_was_found_damaged(home: Path) -> None:
    with open_journal(home) as journal:
        condemn(lexical(journal.config).path)
    assert "the journal was found damaged: run 'aj sync'" in aj(home, "doctor").stdout
    aj(home, "sync")
    assert "nothing needs attention" in aj(home, "doctor").stdout


def test_the_doctor_names_the_archive_that_lost_bytes(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    shutil.rmtree(home / ".claude")
    (home / ".agent-journal/index/journal.db").unlink()
    assert REBUILT in aj(home, "sync").stderr
    said = aj(home, "doctor").stdout
    assert "000001.pack is damaged at byte" in said
    assert "→ the archive is damaged, and has lost bytes of some files of Claude Code" in said
    assert "permissions" not in said


def test_only_sessions_that_were_not_in_the_archive_are_new(home: Path) -> None:
    write_claude(home, "s3")
    with open_journal(home) as journal:
        report = journal.sync(index=False, rebuild=True)
        assert (report.sessions, report.new_sessions) == (3, 1)


def test_a_search_leaves_the_comparison_to_a_sync(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    assert aj(home, "verify").returncode == 1
    aj(home, "search", "--sync", "text")
    assert COMPARED in aj(home, "sync").stderr


def test_what_cannot_be_healed_costs_one_sync(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    shutil.rmtree(home / ".claude")
    assert aj(home, "verify").returncode == 1
    assert COMPARED in aj(home, "sync").stderr
    assert COMPARED not in aj(home, "sync").stderr
    assert aj(home, "verify").returncode == 1


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_loss_that_only_the_catalog_knows_is_not_forgotten(home: Path, is_deleted: bool) -> None:
    """A rebuilt catalog would know nothing of what was in the pack."""
    pack = pack_of(home)
    if is_deleted:
        pack.unlink()
    else:
        second = list(Archive(str(pack.parent)).scan(1, 0))[1]
        os.truncate(pack, second.start)
    shutil.rmtree(home / ".claude")
    assert aj(home, "sync").returncode == 0
    for _ in range(2):
        found = aj(home, "verify")
        assert found.returncode == 1
        assert "s2.jsonl: version 1: " in found.stdout
        assert REBUILT not in aj(home, "sync").stderr


def test_what_only_the_catalog_has_is_not_rebuilt_away(home: Path) -> None:
    """The bytes of s1 are lost; what was read from them can still be shown."""
    flip_a_byte_of_the_archive(home)
    shutil.rmtree(home / ".claude")
    assert aj(home, "verify").returncode == 1
    assert aj(home, "sync").returncode == 0
    refused = aj(home, "sync", "--rebuild")
    assert (refused.returncode, "only the catalog has the text" in refused.stderr) == (1, True)
    assert [aj(home, "show", name).returncode for name in ("s1", "s2")] == [0, 0]
    (home / ".agent-journal/index/journal.db").unlink()
    assert REBUILT in aj(home, "sync").stderr


def test_a_missing_search_index_is_named(home: Path) -> None:
    (path,) = (home / ".agent-journal/index").glob("lexical-*/meta.json")
    path.unlink()
    found = aj(home, "verify")
    assert "the search index: it is missing: the next 'aj sync' rebuilds it" in found.stdout
    assert (found.returncode, "the next 'aj sync' heals" in found.stderr) == (1, True)
    assert aj(home, "sync").returncode == 0
    assert aj(home, "verify").returncode == 0


def test_without_a_note_the_options_are_named(tmp_path: Path) -> None:
    cures = Cures(comparison=True, rebuild=True)
    assert not cures.leave_notes(str(tmp_path / "nowhere"))
    assert "aj sync --full" in cures.advice(has_notes=False)
    assert "aj sync --rebuild" in cures.advice(has_notes=False)
