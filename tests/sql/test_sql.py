"""`aj sql`: the documented tables, and the examples of the extension."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agent_journal.sql.database import Database
from agent_journal.sql.making import tables
from tests.support.journals import aj, aj_json, open_journal, write_claude
from tests.support.sql import rows

# As the extension has them at ca2c0b85; ours may only add to them.
EXTENSION = {
    "conversations": (
        "source session_id project_path project_dir file_name is_agent:BOOLEAN "
        "line_number:BIGINT message_type uuid "
        "parent_uuid timestamp message_role message_content model tool_name tool_use_id tool_input "
        "input_tokens:BIGINT output_tokens:BIGINT cache_creation_tokens:BIGINT "
        "cache_read_tokens:BIGINT "
        "reasoning_tokens:BIGINT slug git_branch cwd version stop_reason reasoning_effort "
        "repository"
    ),
    "plans": "source session_id plan_name file_name file_path content file_size:BIGINT",
    "todos": "source session_id agent_id file_name item_index:BIGINT content status active_form",
    "history": "source line_number:BIGINT timestamp_ms:BIGINT project session_id display "
    "pasted_contents",
    "stats": "source date message_count:BIGINT session_count:BIGINT tool_call_count:BIGINT",
}


def test_every_table_has_the_documented_columns(database: Database) -> None:
    for name, columns in tables().items():
        described = [(row[0], row[1]) for row in rows(database, f"DESCRIBE {name}")]
        assert described == [(column.name, column.type) for column in columns], name


def test_an_empty_journal_has_the_same_tables(tmp_path: Path) -> None:
    with open_journal(tmp_path) as journal:
        database = journal.database()
        for name, columns in tables().items():
            types = [row[1] for row in rows(database, f"DESCRIBE {name}")]
            assert types == [column.type for column in columns], name
            assert rows(database, f"SELECT count(*) FROM {name}") == [(0,)]


def test_the_extensions_columns_come_first(database: Database) -> None:
    for name, columns in EXTENSION.items():
        described = [(row[0], row[1]) for row in rows(database, f"DESCRIBE {name}")]
        expected = []
        for column in columns.split():
            column_name, _, kind = column.partition(":")
            expected.append((column_name, kind or "VARCHAR"))
        assert described[: len(expected)] == expected


# -- the examples of the extension's page, verbatim except for the folders ---------------------


def test_its_example_sessions(database: Database) -> None:
    query = (
        "SELECT COUNT(DISTINCT session_id) AS sessions, COUNT(*) AS total_messages FROM "
        "read_conversations()"
    )
    ((sessions, total),) = rows(database, query)
    assert (sessions, total) == (20, rows(database, "SELECT count(*) FROM conversations")[0][0])


def test_its_example_stats(database: Database) -> None:
    found = rows(
        database,
        "SELECT date, message_count, tool_call_count FROM read_stats() ORDER BY date DESC LIMIT 7",
    )
    assert len(found) == 7
    assert all(count >= 0 for _, count, _ in found)


def test_its_example_tools(home: Path, database: Database) -> None:
    found = rows(
        database,
        f"SELECT tool_name, COUNT(*) AS uses FROM read_conversations('{home}/.copilot') WHERE "
        f"tool_name IS NOT NULL "
        "GROUP BY tool_name ORDER BY uses DESC LIMIT 10",
    )
    expected = rows(
        database, "SELECT name, count(*) FROM tool_calls WHERE agent = 'copilot-cli' GROUP BY 1"
    )
    assert Counter(dict(found)) == Counter(dict(expected))


def test_its_example_active_todos(home: Path, database: Database) -> None:
    query = (
        "SELECT content, status FROM read_todos('{}/.claude') WHERE status != 'completed' "
        "ORDER BY item_index"
    )
    found = rows(database, query.format(home))
    assert found == [("Backfill in batches", "in_progress"), ("Read variety, drop kind", "pending")]


def test_its_example_activity_across_agents(home: Path, database: Database) -> None:
    found = rows(
        database,
        "SELECT source, COUNT(DISTINCT session_id) AS sessions, COUNT(*) AS messages FROM ("
        f"SELECT * FROM read_conversations(path='{home}/.claude') UNION ALL "
        f"SELECT * FROM read_conversations(path='{home}/.copilot', source='copilot')) GROUP BY "
        f"source ORDER BY source",
    )
    expected = rows(
        database,
        "SELECT source, count(DISTINCT session_id), count(*) FROM conversations WHERE source "
        "IN ('claude', 'copilot') "
        "GROUP BY 1 ORDER BY 1",
    )
    assert found == expected


def test_its_joins(home: Path, database: Database) -> None:
    query = (
        "SELECT count(*) FROM (SELECT DISTINCT c.session_id FROM read_conversations() c "
        "JOIN read_history() h ON c.session_id = h.session_id)"
    )
    assert rows(database, query)[0][0] > 0
    other = rows(
        database, f"SELECT DISTINCT source FROM read_history('{home}/.copilot', source := 'claude')"
    )
    assert other == []


def test_a_folder_that_is_not_there_is_named(database: Database) -> None:
    with pytest.raises(Exception, match="there is no folder"):
        database.ask("FROM read_conversations('/not/there')")


def test_what_was_synced_without_the_index_is_found(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    assert aj_json(tmp_path, "sql", "SELECT count(*) AS n FROM messages")["items"] == [{"n": 4}]


def test_a_journal_that_moves_on_can_be_queried_again(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync()
        database = journal.database()
        assert rows(database, "SELECT count(*) FROM messages") == [(4,)]
        for step in range(3):
            write_claude(tmp_path, f"t{step}")
            with open_journal(tmp_path) as other:
                other.sync()
            # Whatever was swept away meanwhile
            assert rows(database, "SELECT count(*) FROM messages")[0][0] > 0
        journal.refresh()
        database.refresh(journal.db)
        assert rows(database, "SELECT count(*) FROM messages") == [(16,)]


def test_from_python(home: Path) -> None:
    with open_journal(home) as journal:
        assert journal.duckdb().sql("SELECT count(*) FROM sessions").fetchall() == [(22,)]
        table = journal.arrow("usage")
        assert table.num_rows == 67
        assert sum(filter(None, table.column("output_tokens").to_pylist())) == 4864
