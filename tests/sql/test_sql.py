"""`aj sql`: the documented tables, the extension's own examples, mistakes, limits and forms of
output.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agent_journal.demo import write_demo_home
from agent_journal.errors import JournalError
from agent_journal.sql.database import Database, Limits, sweep_scratch
from agent_journal.sql.making import tables
from agent_journal.sql.mistakes import QueryError
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json, open_journal, write_claude
from tests.support.paths import CASES, ROOT

HERE = ROOT / "tests"
# As the extension has them at ca2c0b85; ours may only add to them.
EXTENSION = {
    "conversations": (
        "source session_id project_path project_dir file_name is_agent:BOOLEAN line_number:BIGINT message_type uuid "
        "parent_uuid timestamp message_role message_content model tool_name tool_use_id tool_input "
        "input_tokens:BIGINT output_tokens:BIGINT cache_creation_tokens:BIGINT cache_read_tokens:BIGINT "
        "reasoning_tokens:BIGINT slug git_branch cwd version stop_reason reasoning_effort repository"
    ),
    "plans": "source session_id plan_name file_name file_path content file_size:BIGINT",
    "todos": "source session_id agent_id file_name item_index:BIGINT content status active_form",
    "history": "source line_number:BIGINT timestamp_ms:BIGINT project session_id display pasted_contents",
    "stats": "source date message_count:BIGINT session_count:BIGINT tool_call_count:BIGINT",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql")
    write_demo_home(str(path), parse_bound("now"))
    with open_journal(path) as journal:
        journal.sync()
    return path


@pytest.fixture
def database(home: Path) -> Any:
    with open_journal(home) as journal:
        yield journal.database()


def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    return database.ask(query).rows


def test_every_table_has_the_documented_columns(database: Database) -> None:
    for name, columns in tables().items():
        told = [(row[0], row[1]) for row in rows(database, f"DESCRIBE {name}")]
        assert told == [(one.name, one.type) for one in columns], name


def test_an_empty_journal_has_the_same_tables(tmp_path: Path) -> None:
    with open_journal(tmp_path) as journal:
        database = journal.database()
        for name, columns in tables().items():
            assert [row[1] for row in rows(database, f"DESCRIBE {name}")] == [
                one.type for one in columns
            ], name
            assert rows(database, f"SELECT count(*) FROM {name}") == [(0,)]


def test_the_extensions_columns_come_first(database: Database) -> None:
    for name, columns in EXTENSION.items():
        told = [(row[0], row[1]) for row in rows(database, f"DESCRIBE {name}")]
        expected = [
            (one.partition(":")[0], one.partition(":")[2] or "VARCHAR") for one in columns.split()
        ]
        assert told[: len(expected)] == expected


# -- the examples of the extension's page, word for word but for the folders -------------------


def test_its_example_sessions(database: Database) -> None:
    query = "SELECT COUNT(DISTINCT session_id) AS sessions, COUNT(*) AS total_messages FROM read_conversations()"
    ((sessions, total),) = rows(database, query)
    assert (sessions, total) == (17, rows(database, "SELECT count(*) FROM conversations")[0][0])


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
        f"SELECT tool_name, COUNT(*) AS uses FROM read_conversations('{home}/.copilot') WHERE tool_name IS NOT NULL "
        "GROUP BY tool_name ORDER BY uses DESC LIMIT 10",
    )
    expected = rows(
        database, "SELECT name, count(*) FROM tool_calls WHERE agent = 'copilot-cli' GROUP BY 1"
    )
    assert Counter(dict(found)) == Counter(dict(expected))


def test_its_example_active_todos(home: Path, database: Database) -> None:
    query = "SELECT content, status FROM read_todos('{}/.claude') WHERE status != 'completed' ORDER BY item_index"
    found = rows(database, query.format(home))
    assert found == [("Backfill in batches", "in_progress"), ("Read variety, drop kind", "pending")]


def test_its_example_activity_across_agents(home: Path, database: Database) -> None:
    found = rows(
        database,
        "SELECT source, COUNT(DISTINCT session_id) AS sessions, COUNT(*) AS messages FROM ("
        f"SELECT * FROM read_conversations(path='{home}/.claude') UNION ALL "
        f"SELECT * FROM read_conversations(path='{home}/.copilot', source='copilot')) GROUP BY source ORDER BY source",
    )
    expected = rows(
        database,
        "SELECT source, count(DISTINCT session_id), count(*) FROM conversations WHERE source IN ('claude', 'copilot') "
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


# -- against an independent reading of the raw files -------------------------------------------


def raw_claude(root: Path) -> tuple[int, Counter[str], int, int]:
    """Answers with tokens, tool uses by name, input and output tokens: as the simplest right
    reading has them.
    """
    aside: set[tuple[str, str]] = set()
    tokens: dict[tuple[str, str], tuple[int, int]] = {}
    calls: dict[str, str] = {}
    for path in root.rglob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            message = (
                record.get("message")
                if isinstance(record, dict) and record.get("type") == "assistant"
                else None
            )
            if (
                not isinstance(message, dict)
                or not message.get("id")
                or message.get("model") == "<synthetic>"
            ):
                continue
            key = (message["id"], record.get("requestId") or "")
            aside |= {key} if record.get("isSidechain") else set()
            usage = message.get("usage")
            if usage and (usage.get("output_tokens") or 0) >= tokens.get(key, (0, -1))[1]:
                tokens[key] = usage.get("input_tokens") or 0, usage.get("output_tokens") or 0
            for block in message["content"] if isinstance(message.get("content"), list) else ():
                if isinstance(block, dict) and block.get("type") in (
                    "tool_use",
                    "server_tool_use",
                    "mcp_tool_use",
                ):
                    calls[block["id"]] = block["name"]
    main = {
        message for message, _ in tokens.keys() - aside
    }  # a sub-agent's copy of an answer does not count
    told = [pair for key, pair in tokens.items() if key not in aside or key[0] not in main]
    return (
        len({message for message, _ in tokens}),
        Counter(calls.values()),
        sum(one for one, _ in told),
        sum(one for _, one in told),
    )


@pytest.mark.parametrize(
    "case", ["demo", "forks", "split-messages", "tool-results", "compaction", "subagents"]
)
def test_conversations_agree_with_the_raw_files(home: Path, tmp_path: Path, case: str) -> None:
    if case != "demo":
        shutil.copytree(CASES / f"claude_code/{case}/home", tmp_path, dirs_exist_ok=True)
        home = tmp_path
        with open_journal(home) as journal:
            journal.sync()
    answers, tools, fresh, output = raw_claude(home / ".claude")
    with open_journal(home) as journal:
        database = journal.database()
        claude = "FROM conversations WHERE source = 'claude'"
        told = rows(
            database, f"SELECT count(DISTINCT message_id) {claude} AND usage_key IS NOT NULL"
        )
        assert told == [(answers,)]
        query = f"SELECT tool_name, count(DISTINCT tool_use_id) {claude} AND tool_name IS NOT NULL GROUP BY 1"
        assert dict(rows(database, query)) == tools
        query = f"SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) {claude}"
        assert rows(database, query) == [(fresh, output)]


def lines_of(root: Path, pattern: str) -> Iterator[dict[str, Any]]:
    for path in sorted(root.rglob(pattern)):
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict):
                    yield record


def raw_copilot(root: Path) -> tuple[Counter[str], Counter[str]]:
    """Rows by message_type, and calls by tool, of transcripts without sub-agents."""
    types: Counter[str] = Counter()
    tools: dict[str, str] = {}
    answers: set[str] = set()
    for record in lines_of(root, "events.jsonl"):
        data = record.get("data") or {}
        if record.get("agentId"):
            continue
        if record["type"] == "user.message":
            types["user"] += 1
        elif record["type"] == "assistant.message":
            answers.add(data["messageId"])
            tools |= {
                asked["toolCallId"]: asked["name"] for asked in data.get("toolRequests") or ()
            }
        elif record["type"] == "tool.execution_start":
            tools[data["toolCallId"]] = data["toolName"]
    types["assistant"] = len(answers)
    types["tool_use"] = len(tools)
    return types, Counter(tools.values())


def raw_codex(root: Path) -> tuple[Counter[str], Counter[str]]:
    """Calls by tool, and the sum of each session's last cumulative counts."""
    last: dict[Path, dict[str, int]] = {}
    tools: Counter[str] = Counter()
    for path in sorted(root.rglob("rollout-*.jsonl")):
        for record in lines_of(path.parent, path.name):
            payload = record.get("payload") or {}
            if record.get("type") == "response_item" and payload.get("type") in (
                "function_call",
                "custom_tool_call",
            ):
                tools[payload["name"]] += 1
            if payload.get("type") == "token_count" and (payload.get("info") or {}).get(
                "total_token_usage"
            ):
                last[path] = payload["info"]["total_token_usage"]
    sums: Counter[str] = Counter()
    for used in last.values():
        sums["input"] += used["input_tokens"] - used.get("cached_input_tokens", 0)
        sums["output"] += used["output_tokens"]
    return tools, sums


def raw_vscode(root: Path) -> tuple[int, int]:
    """Requests, and tool calls, of documents."""
    requests = [
        one
        for path in root.rglob("*hatSessions/*.json")
        for one in json.loads(path.read_text())["requests"]
    ]
    parts = [
        part for one in requests for part in one.get("response") or () if isinstance(part, dict)
    ]
    return len(requests), sum(part.get("kind") == "toolInvocationSerialized" for part in parts)


def synced(home: Path, source: Path) -> Path:
    shutil.copytree(source, home, dirs_exist_ok=True)
    with open_journal(home) as journal:
        journal.sync(index=False)
    return home


def test_copilot_conversations_agree_with_the_raw_files(home: Path) -> None:
    types, tools = raw_copilot(home / ".copilot")
    with open_journal(home) as journal:
        database = journal.database()
        ours = "FROM conversations WHERE source = 'copilot' AND NOT is_agent"
        told = dict(rows(database, f"SELECT message_type, count(*) {ours} GROUP BY 1"))
        # local_shell is the person's own `!ls`: no call of the model.
        query = f"SELECT tool_name, count(*) {ours} AND tool_name <> 'local_shell' GROUP BY 1"
        assert dict(rows(database, query)) == tools
        told["tool_use"] -= rows(database, f"SELECT count(*) {ours} AND tool_name = 'local_shell'")[
            0
        ][0]
        told["user"] -= rows(
            database,
            f"SELECT count(*) {ours} AND message_type = 'user' AND kind IN ('shell', 'notification')",
        )[0][0]
    assert {name: told[name] for name in types} == types
    assert types["user"] > 1


def test_codex_conversations_agree_with_the_raw_files(tmp_path: Path) -> None:
    home = synced(tmp_path, HERE / "connectors/codex/conversation/home")
    tools, sums = raw_codex(home / ".codex")
    with open_journal(home) as journal:
        database = journal.database()
        ours = "FROM conversations WHERE source = 'codex'"
        # A call without an id of its own (named by its place) is the person's `!ls`.
        query = f"SELECT tool_name, count(*) {ours} AND tool_use_id NOT LIKE '%@%' GROUP BY 1"
        told = dict(rows(database, query))
        ((fresh, output),) = rows(database, f"SELECT sum(input_tokens), sum(output_tokens) {ours}")
    assert {name: told.get(name) for name in tools} == tools
    assert {"input": fresh, "output": output} == (dict(sums) or {"input": None, "output": None})


def test_vs_code_conversations_agree_with_the_raw_files(home: Path) -> None:
    requests, calls = raw_vscode(home / ".config/Code/User")
    with open_journal(home) as journal:
        ours = "FROM conversations c JOIN sources s ON s.path = c.source_file"
        ours += " WHERE c.agent = 'vscode-chat' AND s.path LIKE '%hatSessions/%.json'"
        database = journal.database()
        assert rows(database, f"SELECT count(*) {ours} AND message_type = 'user'") == [(requests,)]
        assert rows(database, f"SELECT count(*) {ours} AND message_type = 'tool_use'") == [(calls,)]
    assert requests > 1


@pytest.mark.parametrize("column", ["input_tokens", "output_tokens", "cache_read_tokens"])
def test_sums_over_conversations_usage_and_sessions_are_the_same(
    database: Database, column: str
) -> None:
    by_agent = f"SELECT agent, sum({column}) FROM {{}} GROUP BY 1 ORDER BY 1"
    told = [
        dict(rows(database, by_agent.format(table)))
        for table in ("conversations", "usage", "sessions")
    ]
    known = [{agent: tokens for agent, tokens in one.items() if tokens is not None} for one in told]
    assert known[0] == known[1] == known[2]
    assert "codex" in known[0]


# -- what may not be, and mistakes -------------------------------------------------------------


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
def test_what_is_no_single_question_is_refused(database: Database, query: str) -> None:
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
def test_nothing_beside_the_journal_is_read(database: Database, query: str) -> None:
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
def test_a_folder_that_cannot_be_told_is_no_empty_one(database: Database, call: str) -> None:
    with pytest.raises(JournalError, match="as a plain string"):
        database.ask(f"SELECT count(*) FROM {call}")


def test_calls_in_texts_and_remarks_are_none(database: Database, tmp_path: Path) -> None:
    shutil.copytree(
        HERE / "connectors/claude_code/compaction/home/.claude", tmp_path / "it's (mine)"
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
    assert "--files allows it" in aj(home, "sql", query).stderr


def test_mistakes_are_placed_and_near_names_given(database: Database) -> None:
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


def test_a_query_is_broken_off(home: Path) -> None:
    with open_journal(home) as journal:
        database = journal.database(Limits(seconds=0.3))
        with pytest.raises(QueryError, match="timed out after"):
            database.ask("SELECT count(*) FROM range(1000000000) a, range(1000) b")
        assert rows(database, "SELECT 1") == [(1,)]  # and the next is answered
        small = journal.database(Limits(memory="20MB"))
        with pytest.raises(QueryError, match="memory"):
            small.ask("SELECT list(range) FROM range(20000000)")


def test_a_wrong_limit_or_zone_is_named(home: Path) -> None:
    assert "lots" in aj(home, "sql", "--memory", "lots", "SELECT 1").stderr
    done = aj(home, "sql", "--timezone", "Mars/Base", "SELECT 1")
    assert (done.returncode, "aj: there is no time zone 'Mars/Base'" in done.stderr) == (2, True)


# -- forms of output ---------------------------------------------------------------------------


def test_json_has_plain_values(home: Path) -> None:
    answer = aj_json(
        home,
        "sql",
        "SELECT 1 AS a, 1 AS a, 1.5::DECIMAL(4, 2) AS d, [1, 2] AS l, {'x': NULL} AS s, sum(range) AS h, "
        "'nan'::DOUBLE AS n, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS t, 'x'::BLOB AS b FROM range(3)",
        "--timezone",
        "UTC",
    )
    (item,) = answer["items"]
    assert item == {
        "a": 1,
        "a_2": 1,
        "d": 1.5,
        "l": [1, 2],
        "s": {"x": None},
        "h": 3,
        "n": None,
        "t": "2026-01-01T00:00:00Z",
        "b": "78",
    }
    odd = "SELECT TIMESTAMPTZ '2026-01-01 01:30:00.25+01' AS a, NULL::TIMESTAMPTZ AS b, 'infinity'::TIMESTAMPTZ AS c"
    for zone in ("UTC", "Asia/Kolkata"):
        (item,) = aj_json(home, "sql", odd, "--timezone", zone)["items"]
        assert item == {"a": "2026-01-01T00:30:00.250000Z", "b": None, "c": "infinity"}
    assert answer["columns"][7] == {"name": "t", "type": "TIMESTAMP WITH TIME ZONE"}


def test_csv_parquet_and_a_file(home: Path, tmp_path: Path) -> None:
    query = "SELECT session_id, title, started_at FROM sessions ORDER BY 1"
    (tmp_path / "q.sql").write_text(query)
    done = aj(home, "sql", "-f", str(tmp_path / "q.sql"), "--csv")
    lines = list(csv.reader(io.StringIO(done.stdout)))
    assert lines[0] == ["session_id", "title", "started_at"]
    assert len(lines) == 20
    saved = tmp_path / "rows.parquet"
    done = aj(home, "sql", query, "--parquet", str(saved))
    assert "19 rows" in done.stderr
    described = duckdb.sql(f"DESCRIBE FROM '{saved}'").fetchall()
    assert described[2][1] == "TIMESTAMP WITH TIME ZONE"
    assert duckdb.sql(f"SELECT count(*) FROM '{saved}'").fetchall() == [(19,)]


def test_csv_and_tables_write_values_alike(home: Path) -> None:
    query = "SELECT false AS a, true AS b, NULL AS c, [true, NULL] AS d, 1.50 AS e"
    assert (
        aj(home, "sql", query, "--csv").stdout.splitlines()[1] == 'false,true,,"[true, null]",1.5'
    )
    assert aj(home, "sql", query).stdout.splitlines()[1].split("  ")[:2] == ["false", "true"]


def test_a_table_is_cut_and_says_so(home: Path) -> None:
    done = aj(home, "sql", "FROM range(2000)")
    assert len(done.stdout.splitlines()) == 1001
    assert "there are more" in done.stderr
    assert len(aj(home, "sql", "FROM range(2000)", "--csv").stdout.splitlines()) == 2001


def test_without_a_query_the_tables_are_listed(home: Path) -> None:
    done = aj(home, "sql", input="")
    assert all(name in done.stdout.splitlines() for name in tables())
    assert done.stderr == "'aj sql -f -' reads the query from standard input\n"
    assert aj(home, "sql", "-f", "-", input="SELECT 1 + 1 AS n").stdout == "n\n2\n"
    assert [item["table"] for item in aj_json(home, "sql", input="")["items"]] == list(tables())


def test_nothing_in_a_text_steers_the_terminal(tmp_path: Path) -> None:
    done = aj(tmp_path, "sql", "SELECT chr(27) || '[31mred' AS x")
    assert "\x1b" not in done.stdout


def test_what_was_synced_without_the_index_is_there(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    assert aj_json(tmp_path, "sql", "SELECT count(*) AS n FROM messages")["items"] == [{"n": 4}]


def test_a_journal_that_moves_on_is_asked_anew(tmp_path: Path) -> None:
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
        assert journal.duckdb().sql("SELECT count(*) FROM sessions").fetchall() == [(19,)]
        table = journal.arrow("usage")
        assert table.num_rows == 57
        assert sum(filter(None, table.column("output_tokens").to_pylist())) == 4491
