"""How much text waits for tantivy before a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.health.derived_data import index_faults
from agent_journal.search import backlog
from agent_journal.search import lexical as module
from agent_journal.search.backlog import Backlog
from agent_journal.search.items import Item
from agent_journal.store.catalog.files import Files
from agent_journal.sync.indexes import lexical
from tests.support.journals import open_journal, write_claude


def item(number: int, text: str) -> Item:
    return Item(number, 1, "prompt", "user", 0, text)


def test_it_is_full_of_text_not_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "_MOST", 100)
    waiting = Backlog()
    for _ in range(10):
        waiting.add(10)
    assert not waiting.is_full
    waiting.add(1)
    assert waiting.is_full
    waiting.clear()
    assert not waiting.is_full


def test_what_tantivy_has_taken_from_its_queue_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backlog, "_MOST", 100)
    monkeypatch.setattr(backlog, "_QUEUE", 5)
    waiting = Backlog()
    for _ in range(100):
        waiting.add(20)
        assert not waiting.is_full


def test_few_items_are_held_to_see_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SMALL", 3)
    monkeypatch.setattr(module, "_SMALL_TEXT", 100)
    texts = ["x" * 60, "y" * 60, "z"]
    items = iter([item(number, text) for number, text in enumerate(texts)])
    assert len(module._first_items(items)) == 2
    assert next(items).text == "z"
    items = iter([item(number, "word") for number in range(9)])
    assert len(module._first_items(items)) == 3


def test_everything_is_found_where_each_text_is_committed_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "_MOST", 0)
    write_claude(tmp_path, "s1", 30)
    write_claude(tmp_path, "s2", 30)
    with open_journal(tmp_path) as journal:
        journal.sync()
        write_claude(tmp_path, "s2", 4, start=30)
        journal.sync()
        faults = index_faults(Files(journal.db), journal.archive, lexical(journal.config))
        assert list(faults) == []
        assert len(lexical(journal.config).ids()) == 2 + 64  # titles and messages
