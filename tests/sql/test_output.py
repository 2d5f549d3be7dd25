"""The output formats of `aj sql`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

from agent_journal.cli.views.csv_rows import without_formula
from agent_journal.sql.making import tables
from tests.support.journals import aj, aj_json
from tests.support.terminals import on_terminal


def test_json_has_plain_values(home: Path) -> None:
    answer = aj_json(
        home,
        "sql",
        "SELECT 1 AS a, 1 AS a, 1.5::DECIMAL(4, 2) AS d, [1, 2] AS l, {'x': NULL} AS s, "
        "sum(range) AS h, "
        "'nan'::DOUBLE AS n, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS t, 'x'::BLOB AS b FROM "
        "range(3)",
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
    odd = (
        "SELECT TIMESTAMPTZ '2026-01-01 01:30:00.25+01' AS a, NULL::TIMESTAMPTZ AS b, "
        "'infinity'::TIMESTAMPTZ AS c"
    )
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
    assert len(lines) == 23
    saved = tmp_path / "rows.parquet"
    done = aj(home, "sql", query, "--parquet", str(saved))
    assert "22 rows" in done.stderr
    described = duckdb.sql(f"DESCRIBE FROM '{saved}'").fetchall()
    assert described[2][1] == "TIMESTAMP WITH TIME ZONE"
    assert duckdb.sql(f"SELECT count(*) FROM '{saved}'").fetchall() == [(22,)]


def test_csv_and_tables_write_values_alike(home: Path) -> None:
    query = "SELECT false AS a, true AS b, NULL AS c, [true, NULL] AS d, 1.50 AS e"
    assert (
        aj(home, "sql", query, "--csv").stdout.splitlines()[1] == 'false,true,,"[true, null]",1.5'
    )
    assert aj(home, "sql", query).stdout.splitlines()[1].split("  ")[:2] == ["false", "true"]


def test_a_table_is_cut_and_says_so(home: Path) -> None:
    done = aj(home, "sql", "FROM range(2000)")
    assert len(done.stdout.splitlines()) == 1001
    assert "first 1,000 rows; use -n to show more" in done.stderr
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


def test_csv_on_a_terminal_has_no_escapes(tmp_path: Path) -> None:
    query = "SELECT chr(27) || '[31mred' || chr(155) || '2J' || chr(8238) AS \"a\x1b[1mb\""
    shown = on_terminal(tmp_path, "sql", query, "--csv").replace("\r\n", "\n")
    assert shown.endswith("ab\nred\n")
    assert not set(shown) & set("\x1b\x9b\u202e")
    exact = aj(tmp_path, "sql", query, "--csv").stdout
    assert exact == "a\x1b[1mb\n\x1b[31mred\x9b2J\u202e\n"


def test_json_on_a_terminal_escapes_what_controls_it(tmp_path: Path) -> None:
    query = "SELECT chr(155) || '2J' || chr(8238) || chr(127) || 'é' AS x"
    shown = on_terminal(tmp_path, "sql", query, "--json")
    assert '"\\u009b2J\\u202e\\u007fé"' in shown
    piped = aj(tmp_path, "sql", query, "--json").stdout
    assert '"\x9b2J\u202e\x7fé"' in piped
    begin = shown.index("{")
    assert json.loads(shown[begin:])["items"] == json.loads(piped)["items"]


@pytest.mark.parametrize(
    ("text", "is_formula"),
    [
        ("=1+1", True),
        ("+cmd|' /C calc'!A0", True),
        ("-2+3", True),
        ("@SUM(A1)", True),
        ("\t=1", True),
        ("\r=1", True),
        ("\n=1", True),
        ("＝1", True),
        ("-", True),
        ("-5", False),
        ("+5.25", False),
        ("-.5e-07", False),
        ("a=1", False),
        ("", False),
    ],
)
def test_what_a_spreadsheet_would_run(text: str, is_formula: bool) -> None:
    assert without_formula(text) == ("'" + text if is_formula else text)


def test_a_csv_file_has_no_formulas_unless_wanted(tmp_path: Path) -> None:
    query = "SELECT '=1+1' AS \"@a\", -5 AS b, '-5' AS c"
    exact = "@a,b,c\n=1+1,-5,-5\n"
    quoted = "'@a,b,c\n'=1+1,-5,-5\n"
    path = tmp_path / "rows.csv"
    path.write_text("older")
    path.chmod(0o644)
    done = aj(tmp_path, "sql", query, "--csv", "-o", str(path))
    assert "1 row written" in done.stderr
    assert done.stdout == ""
    assert path.read_text() == quoted
    assert path.stat().st_mode & 0o777 == 0o600
    aj(tmp_path, "sql", query, "--csv", "-o", str(path), "--formulas")
    assert path.read_text() == exact
    assert aj(tmp_path, "sql", query, "--csv").stdout == exact
    assert aj(tmp_path, "sql", query, "--csv", "--no-formulas").stdout == quoted


def test_a_csv_file_is_whole_or_not_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    failing = "SELECT CASE WHEN range < 9000 THEN 1 ELSE error('no') END FROM range(10000)"
    assert aj(tmp_path, "sql", failing, "--csv", "-o", str(path)).returncode != 0
    assert aj(tmp_path, "sql", "SELECT 1", "-o", str(path)).returncode == 2
    assert aj(tmp_path, "sql", "SELECT 1", "--csv", "-o", str(tmp_path / "no/x")).returncode == 1
    assert [child.name for child in tmp_path.iterdir() if child.suffix] == []
