"""What is said of a file whose newest version could be kept, but not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.health.verify import verify
from agent_journal.store.catalog.checks import pending_bytes
from agent_journal.store.catalog.files import Files
from agent_journal.sync import capture
from tests.support.arrivals import sync
from tests.support.journals import open_journal, write_claude


def test_incomplete_records_are_counted_in_the_version_that_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write_claude(tmp_path, "s1", count=20)
    with log.open("a") as file:
        file.write('{"type": "us')
    sync(tmp_path)

    def broken(*_: object) -> None:
        raise RuntimeError("a mistake in the reader")

    monkeypatch.setattr(type(get_connector("claude-code")), "reader", broken)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert pending_bytes(journal.db) == len('{"type": "us')
        assert verify(journal.db, journal.archive).pending_bytes == len('{"type": "us')


def test_a_file_that_is_back_is_not_called_deleted_where_it_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write_claude(tmp_path, "s1")
    sync(tmp_path)
    data = log.read_bytes()
    log.unlink()
    sync(tmp_path)
    assert is_called_deleted(tmp_path, log)
    log.write_bytes(data)

    def refused(path: str) -> int:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(capture, "_open_regular", refused)
        sync(tmp_path)
    assert not is_called_deleted(tmp_path, log)
    log.unlink()
    sync(tmp_path)
    assert is_called_deleted(tmp_path, log)


def is_called_deleted(home: Path, log: Path) -> bool:
    with open_journal(home) as journal:
        row = Files(journal.db).find("claude-code", str(log))
    assert row is not None
    return row.vanished_at is not None
