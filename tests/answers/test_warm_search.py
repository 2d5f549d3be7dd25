"""A search that stays open, while others change the journal below it."""

from __future__ import annotations

from pathlib import Path

from agent_journal.answers.warm_search import WarmSearch
from agent_journal.journal import Journal
from agent_journal.query.parser import parse
from tests.support.journals import open_journal, write_claude


def test_a_catalog_that_is_rebuilt_during_a_search_is_searched(tmp_path: Path) -> None:
    """The search is repeated, with the connection to the new catalog."""
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync()
        mark = Path(journal.config.index_path) / "rebuilt"
    search = WarmSearch(str(tmp_path / ".agent-journal"))
    found: list[int] = []

    def work(journal: Journal, search: WarmSearch) -> int:
        hits = search.find(journal, parse("agent:claude"), "lexical", limit=5).hits
        if not found:
            mark.write_bytes(b"another catalog")
        found.append(len(hits))
        return len(hits)

    try:
        assert search.run(work) > 0
    finally:
        search.close()
    assert len(found) == 2
    assert found[0] == found[1]
