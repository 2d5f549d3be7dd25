"""What a query may not do, its limits, and mistakes in it."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from agent_journal.errors import JournalError
from agent_journal.sql.database import Database, Limits, sweep_scratch
from agent_journal.sql.memory import default_memory
from agent_journal.sql.mistakes import QueryError
from tests.support.journals import aj, open_journal
from tests.support.paths import ROOT
from tests.support.sql import rows


@pytest.mark.parametrize(
    "query",
    [
        "DROP VIEW messages",
        "CREATE TABLE x AS SELECT 1",
        "INSERT INTO messages VALUES (1)",
        "DELETE FROM sessions",
        "UPDATE sessions SET title = ''",
        "COPY (SELECT 1) TO '/tmp/aj-must-not-exist'",
        "ATTACH '/tmp/x.db'",
        "INSTALL sqlite",
        "SET threads = 1",
        "SELECT 1; DROP VIEW messages",
        "CALL pragma_version()",
        "",
        "EXPORT DATABASE '/tmp/aj-must-not-exist'",
        "PRAGMA enable_profiling",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/aj-must-not-exist'",
        "EXPLAIN DROP VIEW messages",
        "/* */ EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1",
        "EXPLAIN (ANALYZE) DELETE FROM sessions",
    ],
)
def test_only_a_single_query_is_accepted(database: Database, query: str) -> None:
    with pytest.raises(QueryError):
        database.ask(query)
    assert not Path("/tmp/aj-must-not-exist").exists()


@pytest.mark.parametrize(
    "query",
    [
        "FROM read_text('/etc/passwd')",
        "FROM read_csv('/etc/passwd')",
        "FROM glob('/etc/*')",
        "FROM '/etc/passwd'",
        "SELECT * FROM read_parquet('/etc/passwd')",
        "FROM read_text('../index/journal.db')",
        "FROM read_json('https://example.org/x.json')",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/aj-must-not-exist'",
    ],
)
def test_nothing_outside_the_journal_is_read(database: Database, query: str) -> None:
    with pytest.raises(QueryError):
        database.ask(query)
    assert not Path("/tmp/aj-must-not-exist").exists()


def test_files_that_may_be_read_are_not_written(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "x"
    done = aj(home, "sql", "--files", f"EXPLAIN ANALYZE COPY (SELECT 1) TO '{place}'")
    assert (done.returncode, place.exists()) == (2, False)
    assert "Total Time" in aj(home, "sql", "EXPLAIN ANALYZE SELECT 1").stdout


@pytest.mark.parametrize(
    "call",
    [
        "read_conversations('/a' || '/b')",
        "read_conversations(path := concat('/a'))",
        "\"read_conversations\"('/a')",
        "(SELECT '/a' AS x) p, read_conversations(p.x)",
    ],
)
def test_a_folder_must_be_a_plain_string(database: Database, call: str) -> None:
    with pytest.raises(JournalError, match="as a plain string"):
        database.ask(f"SELECT count(*) FROM {call}")


def test_calls_in_strings_and_comments_do_not_count(database: Database, tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "tests/connectors/claude_code/compaction/home/.claude", tmp_path / "it's (mine)"
    )
    folder = str(tmp_path / "it's (mine)").replace("'", "''")
    query = f"SELECT count(*) FROM /* read_plans('/no') */ read_conversations('{folder}') "
    ((count,),) = rows(database, query + "WHERE 'read_todos(''/no'')' <> 'x' -- read_todos('/no')")
    assert count > 0


def test_more_rows_than_memory_are_refused_or_handed_on(home: Path) -> None:
    with open_journal(home) as journal:
        database = journal.database(Limits(memory="64MB"))
        query = "SELECT repeat('x', 1000000) FROM range(100)"
        with pytest.raises(QueryError, match="memory limit"):
            database.ask(query)
        sizes: list[int] = []
        database.stream(query, lambda columns, more: sizes.append(len(more)))
        assert sum(sizes) == 100


def test_any_number_of_rows_fits_into_csv(home: Path) -> None:
    query = "SELECT repeat('x', 1000000) FROM range(50)"
    assert aj(home, "sql", "--json", "--memory", "64MB", query).returncode == 2
    assert len(aj(home, "sql", "--csv", "--memory", "64MB", query).stdout) > 50_000_000


def test_a_time_limit_is_a_number(home: Path) -> None:
    for value in ("nan", "inf", "0"):
        assert aj(home, "sql", "SELECT 1", "--timeout", value).returncode == 2


def test_a_kept_result_is_private(home: Path, tmp_path: Path) -> None:
    assert (
        aj(home, "sql", "FROM messages", "--parquet", str(tmp_path / "x.parquet")).returncode == 0
    )
    assert (tmp_path / "x.parquet").stat().st_mode & 0o777 == 0o600


def test_what_a_killed_query_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("aj-sql-4194999-x", f"aj-sql-{os.getpid()}-x", "aj-sql-other"):
        (tmp_path / name).mkdir()
    sweep_scratch()
    assert sorted(place.name for place in tmp_path.iterdir()) == [
        f"aj-sql-{os.getpid()}-x",
        "aj-sql-other",
    ]


def test_files_are_read_when_asked_for(home: Path) -> None:
    (home / "mine.csv").write_text("agent,nick\nclaude-code,cc\n")
    query = f"SELECT nick FROM '{home}/mine.csv' JOIN sessions USING (agent) LIMIT 1"
    done = aj(home, "sql", "--files", "--csv", query)
    assert done.stdout == "nick\ncc\n"
    assert "reading other files needs --files" in aj(home, "sql", query).stderr


def test_mistakes_are_shown_with_their_place_and_near_names(database: Database) -> None:
    for query, text, hint in (
        ("SELECT count(*)\nFROM mesages", "LINE 2: FROM mesages\n             ^^^^^^^", "messages"),
        (
            "SELECT outptu_tokens FROM usage",
            "LINE 1: SELECT outptu_tokens FROM usage\n               ^",
            "output_tokens",
        ),
        ("SELECT m.txt FROM messages m", "txt", "text"),
        ("SELEC 1", "LINE 1: SELEC 1\n        ^", None),
    ):
        with pytest.raises(QueryError) as caught:
            database.ask(query)
        assert text in caught.value.message
        assert hint is None or hint in (caught.value.hint or "")


def test_a_query_times_out(home: Path) -> None:
    with open_journal(home) as journal:
        database = journal.database(Limits(seconds=0.3))
        with pytest.raises(QueryError, match="timed out after"):
            database.ask("SELECT count(*) FROM range(1000000000) a, range(1000) b")
        assert rows(database, "SELECT 1") == [(1,)]  # and the next is answered
        small = journal.database(Limits(memory="20MB"))
        with pytest.raises(QueryError, match="memory"):
            small.ask("SELECT list(range) FROM range(20000000)")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux can limit that")
def test_texts_that_functions_make_count_as_memory(home: Path) -> None:
    query = "SELECT length(repeat('x', 1000000000 + range::INT)) FROM range(8)"
    done = aj(home, "sql", "--no-sync", "--memory", "100MB", query)
    assert done.returncode == 2
    assert "the query exceeds its memory limit" in done.stderr
    with open_journal(home) as journal:
        database = journal.database(Limits(memory="100MB", of_process=True))
        with pytest.raises(QueryError, match="memory limit"):
            database.ask(query)
        assert rows(database, "SELECT 1") == [(1,)]  # and the next is answered


def test_a_large_sort_uses_a_temporary_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    query = "SELECT range FROM range(6000000) ORDER BY hash(range) LIMIT 1 OFFSET 5000000"
    with open_journal(home) as journal:
        small = journal.database(Limits(memory="60MB", of_process=True))
        assert len(rows(small, query)) == 1
        [scratch] = tmp_path.iterdir()
        assert (scratch / "spilled").is_dir()
        assert scratch.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_the_limit_is_at_most_half_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"SC_PHYS_PAGES": 10**6, "SC_PAGE_SIZE": 1000}
    monkeypatch.setattr("os.sysconf", sizes.__getitem__)
    assert default_memory() == "500MB"
    sizes["SC_PHYS_PAGES"] = 10**8
    assert default_memory() == "2000MB"


def test_a_wrong_limit_or_zone_is_named(home: Path) -> None:
    assert "lots" in aj(home, "sql", "--memory", "lots", "SELECT 1").stderr
    done = aj(home, "sql", "--timezone", "Mars/Base", "SELECT 1")
    assert (done.returncode, "aj: there is no time zone 'Mars/Base'" in done.stderr) == (2, True)


def test_a_memory_limit_is_a_size(home: Path) -> None:
    done = aj(home, "sql", "SELECT 1", "--memory", "foo")
    assert done.returncode == 2
    assert "invalid --memory 'foo'; use a size such as 2GB" in done.stderr


def test_a_query_that_names_a_file_is_told_how_to_read_it(home: Path) -> None:
    for query in ("FROM '/etc/hosts'", "FROM read_csv('/etc/hosts')"):
        done = aj(home, "sql", query)
        assert done.returncode == 2
        assert "reading other files needs --files" in done.stderr


def test_a_full_disk_is_no_mistake_in_the_query(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(database, "_repeated", fail)
    with pytest.raises(OSError, match="No space left"):
        database.ask("SELECT 1")
