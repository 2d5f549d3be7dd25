"""What is read from a set of files does not depend on the order in which they came.

CI tries a few orders of each case; AJ_ALL_CUTS tries many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from agent_journal.connectors.claude_code.transcript import TranscriptReader
from agent_journal.health.verify import verify
from agent_journal.model import Session
from tests.support.arrivals import build, cases_with_several_files, digest_of, orders, sync
from tests.support.journals import open_journal, write_claude

_ORDERS = 40 if os.environ.get("AJ_ALL_CUTS") else 2


@pytest.mark.parametrize("case", cases_with_several_files(), ids=lambda case: case.name)
def test_any_order_and_grouping_gives_the_journal_of_one_read(tmp_path: Path, case: Path) -> None:
    names = build(case, tmp_path / "source")
    at_once = digest_of(tmp_path / "source", tmp_path / "home", [names])
    for groups in orders(names, _ORDERS):
        in_turn = digest_of(tmp_path / "source", tmp_path / "home", groups)
        assert in_turn == at_once, groups


def test_verify_sees_what_depends_on_the_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that gives sessions the number in which their files were read."""
    numbers: dict[str, int] = {}
    read = TranscriptReader.sessions

    def numbered(reader: TranscriptReader) -> Iterator[Session]:
        for session in read(reader):
            number = numbers.setdefault(session.id, len(numbers))
            yield replace(session, title=f"number {number}")

    for name in ("s1", "s2"):
        write_claude(tmp_path, name)
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert verify(journal.db, journal.archive).differences == []
    monkeypatch.setattr(TranscriptReader, "sessions", numbered)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False, rebuild=True)
        numbers.clear()
        differing = {found.where for found in verify(journal.db, journal.archive).differences}
    assert {"claude-code:s1", "claude-code:s2"} <= differing
