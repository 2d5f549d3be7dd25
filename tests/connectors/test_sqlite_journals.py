"""Databases that a program left in the middle of a transaction, over one or several databases."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors.sqlite import opened
from tests.support.journals import aj
from tests.support.paths import CASES
from tests.support.row_databases import rows_in, write_rows

TALK = CASES / "opencode/conversation/home/.local/share/opencode"


MAGIC = bytes.fromhex("d9d505f920a163d7")
PAGE = 4096


def killed(folder: Path, other: Path | None = None) -> Path:
    """A database as a program leaves it that is killed before the end of a transaction."""
    path = folder / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"PRAGMA page_size = {PAGE}")
        db.execute("CREATE TABLE notes (text)")
        db.execute("INSERT INTO notes VALUES ('before')")
        before = path.read_bytes()
        db.execute("UPDATE notes SET text = 'half'")
    (folder / "a.db-journal").write_bytes(journal(before, other))
    return path


def journal(before: bytes, other: Path | None) -> bytes:
    """A journal with all pages, and the name of the journal of several databases."""
    pages = [before[start : start + PAGE] for start in range(0, len(before), PAGE)]
    numbers = (len(pages), 0, len(pages), 512, PAGE)
    data = (MAGIC + b"".join(number.to_bytes(4, "big") for number in numbers)).ljust(512, b"\0")
    for number, page in enumerate(pages, 1):
        total = sum(page[at] for at in range(PAGE - 200, 0, -200))
        data += number.to_bytes(4, "big") + page + total.to_bytes(4, "big")
    if other is None:
        return data
    name = os.fsencode(other)
    total = sum(byte - 256 if byte > 127 else byte for byte in name) & 0xFFFFFFFF
    data += (2**30 // PAGE + 1).to_bytes(4, "big") + name
    return data + len(name).to_bytes(4, "big") + total.to_bytes(4, "big") + MAGIC


def texts(path: Path) -> list[bytes]:
    with opened(str(path)) as database:
        return [text for (text,) in database.execute("SELECT text FROM notes LIMIT 1")]


def test_what_was_not_finished_is_undone_in_a_copy(tmp_path: Path) -> None:
    path = killed(tmp_path)
    before = [(tmp_path / name).read_bytes() for name in ("a.db", "a.db-journal")]
    assert texts(path) == [b"before"]
    assert [(tmp_path / name).read_bytes() for name in ("a.db", "a.db-journal")] == before


@pytest.mark.parametrize("name", ["letter.txt", "Brief über Äpfel.txt"])
def test_a_file_that_a_journal_names_is_not_deleted(tmp_path: Path, name: str) -> None:
    letter = tmp_path / name
    letter.write_text("not a journal")
    assert texts(killed(tmp_path, letter)) == [b"before"]
    assert letter.read_text() == "not a journal"


def test_a_transaction_whose_common_journal_is_gone_was_finished(tmp_path: Path) -> None:
    path = killed(tmp_path, tmp_path / "gone")
    assert texts(path) == [b"half"]
    assert (tmp_path / "a.db-journal").exists()


def test_a_sync_deletes_nothing(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("not a journal")
    folder = tmp_path / ".local/share/opencode"
    write_rows(folder / "opencode.db", rows_in(TALK))
    (tmp_path / "j").mkdir()
    killed(tmp_path / "j", letter)
    shutil.move(tmp_path / "j/a.db-journal", folder / "opencode.db-journal")
    assert aj(tmp_path, "sync").returncode == 0
    assert letter.read_text() == "not a journal"


@pytest.mark.skipif(os.name == "nt", reason="there are no such devices")
def test_a_log_that_is_no_file_is_not_copied(tmp_path: Path) -> None:
    path = killed(tmp_path)
    (tmp_path / "a.db-wal").symlink_to("/dev/zero")
    assert texts(path) == [b"before"]


def test_a_copy_that_another_sync_removes_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = killed(tmp_path)
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: [*listed(folder), "aj-rows-gone"])
    assert texts(path) == [b"before"]
