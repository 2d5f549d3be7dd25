"""What is said of a file whose newest version could be kept, but not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.health.verify import verify
from agent_journal.store.catalog.checks import pending_bytes
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
