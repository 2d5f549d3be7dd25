"""The facts of sessions are read once in all searches over one connection."""

from __future__ import annotations

from pathlib import Path

from agent_journal.search.known_sessions import KnownSessions
from agent_journal.store.catalog.search_rows import session_facts
from tests.support.journals import open_journal, write_claude


def test_facts_are_those_of_one_moment(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as writer:
        writer.sync()
    with open_journal(tmp_path) as reader:
        [row] = reader.rows()
        known = KnownSessions(reader.db)
        before = known.facts([row.row_id])[row.row_id]
        write_claude(tmp_path, start=4)
        with open_journal(tmp_path) as writer:
            writer.sync()
        assert session_facts(reader.db, [row.row_id]) == {row.row_id: before}
        reader.refresh()
        assert session_facts(reader.db, [row.row_id]) != {row.row_id: before}


def test_a_session_that_the_catalog_lacks_has_no_facts(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync()
        [row] = journal.rows()
        known = KnownSessions(journal.db)
        assert known.facts([row.row_id, 999]).keys() == {row.row_id}
