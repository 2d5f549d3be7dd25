"""Bodies are read from blocks, of which some stay decompressed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agent_journal.model import Message
from agent_journal.search.items import new_items
from agent_journal.store.catalog import bodies
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.item_rows import stored_rows_after
from agent_journal.store.quotes import open_quotes
from tests.support.journals import open_journal
from tests.support.talks import record, write


@pytest.fixture
def decompressed(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """How often each block is decompressed."""
    counts: Counter[bytes] = Counter()
    decompress = bodies.decompress

    def count(block: bytes) -> bytes:
        counts[block] += 1
        return decompress(block)

    monkeypatch.setattr(bodies, "decompress", count)
    return counts


def _write_sessions(home: Path, count: int) -> None:
    """Sessions with messages and tool calls, each in a block of its own."""
    for number in range(count):
        name = f"s{number}"
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        records = [
            record("user", f"u-{name}", f"prompt {number}", sessionId=name),
            record("assistant", f"a-{name}", [call], sessionId=name),
        ]
        write(home, records, f".claude/projects/-work-app/{name}.jsonl")


def test_items_are_read_from_each_block_once(tmp_path: Path, decompressed: Counter[bytes]) -> None:
    _write_sessions(tmp_path, 20)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        decompressed.clear()
        with open_quotes(journal.db, journal.config.archive_path) as quotes:
            kinds = Counter(item.kind for item in new_items(journal.db, 0, quotes))
    assert kinds["prompt"] == kinds["tool"] == 20
    assert len(decompressed) == 20
    assert set(decompressed.values()) == {1}


def test_no_more_blocks_are_held_than_fit(tmp_path: Path, decompressed: Counter[bytes]) -> None:
    _write_sessions(tmp_path, 3)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        decompressed.clear()
        rows = list(stored_rows_after(journal.db, "messages", 0))
        spots = {row.spot[0]: row.spot for row in rows}  # one of each block
        reader = BodyReader(journal.db, held_bytes=1)
        for spot in [*spots.values(), *spots.values()]:
            assert reader.read(spot, Message).id
            assert reader.read(spot, Message).id  # the last block is held, however large it is
    assert set(decompressed.values()) == {2}
