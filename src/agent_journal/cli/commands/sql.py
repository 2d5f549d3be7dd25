"""`aj sql`: ask with SQL."""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import (
    echo,
    note,
    one_line,
    plural,
    print_json,
    style,
    table,
    terminal_width,
    use_colour,
)
from agent_journal.errors import CannotWrite, UsageError
from agent_journal.journal import Journal
from agent_journal.sql.database import Database, Limits, Result
from agent_journal.sql.making import tables
from agent_journal.usage.zones import zone_named

_SHOWN = 1_000
_WIDEST = 60
_AWARE = "TIMESTAMP WITH TIME ZONE"


@click.command()
@click.argument("query", required=False)
@click.option(
    "-f", "--file", "path", metavar="FILE", help="Read the query from a file; - is standard input."
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--parquet", metavar="FILE", help="Write the rows to a Parquet file.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), help="Most rows; 1,000 in a table, else all."
)
@click.option(
    "--timezone",
    metavar="ZONE",
    help="Zone of days and hours, like Europe/Berlin; else the system's.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 86_400.0),
    default=60.0,
    show_default=True,
    help="Most seconds.",
)
@click.option("--memory", default="2GB", show_default=True, help="Most memory.")
@click.option("--files", is_flag=True, help="Let the query read other files.")
@click.option("--no-sync", is_flag=True, help="Do not look for new sessions first.")
def sql(
    query: str | None,
    path: str | None,
    as_json: bool,
    as_csv: bool,
    parquet: str | None,
    limit: int | None,
    timezone: str | None,
    timeout: float,
    memory: str,
    files: bool,
    no_sync: bool,
) -> None:
    """Ask with SQL (DuckDB): all sessions, messages, tool calls, tokens and edits as tables.

    Without a query: a prompt on a terminal, else the list of tables and columns. docs/sql.md
    explains each of them. Nothing can be written, and only the journal is read.

    \b
    Examples:
      aj sql "SELECT agent, count(*) FROM sessions GROUP BY 1"
      aj sql "SELECT name, count(*) FROM tool_calls WHERE status IN ('error', 'failed') GROUP BY 1"
      aj sql "SELECT project, sum(cost_usd) FROM costs GROUP BY 1 ORDER BY 2 DESC"
      aj sql "FROM conversations WHERE tool_name = 'Bash'" --parquet bash.parquet
      aj sql "FROM read_conversations('/mnt/laptop/.claude')" --json -n 10
    """
    if sum((as_json, as_csv, parquet is not None)) > 1:
        raise UsageError("--json, --csv and --parquet exclude each other")
    if query is not None and path is not None:
        raise UsageError("there is a query and -f FILE: give one of them")
    if timeout != timeout:
        raise UsageError("--timeout is no number", "give seconds, like 60")
    query = _read(path) if path is not None else query
    zone_named(timezone)  # refused before anything is made ready
    if query is None and not sys.stdin.isatty():
        _print_schema(as_json)
        return
    written = os.path.realpath(parquet) if parquet is not None else None
    with Journal.open() as journal:
        _ready(journal, not no_sync)
        with_limits = Limits(timeout, memory, files, written)
        database = journal.database(with_limits, timezone)
        if query is None:
            from agent_journal.cli.views.sql_prompt import converse

            converse(journal, database, limit or _SHOWN)
        elif parquet is not None:
            note(f"{plural(database.save(query), 'row')} in {parquet}")
        else:
            _answer(database, query, as_json, as_csv, limit)


def _read(path: str) -> str:
    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
        ) from error


def _ready(journal: Journal, is_synced: bool) -> None:
    """Looks for new sessions when nobody did lately, and brings the mirror up to what the journal
    holds.
    """
    from agent_journal.cli.search_request import freshen
    from agent_journal.errors import JournalBusy
    from agent_journal.sync.indexes import mirror

    if is_synced:
        freshen(journal)
    is_first = journal.exists and not mirror(journal.config).is_there()
    if is_first:
        note("aj: making the tables, once")
    try:
        journal.bring_up_mirror(60.0 if is_first else 0.0)
    except (JournalBusy, CannotWrite) as error:
        note(f"aj: the tables are as of the last sync: {error.message}")


def _answer(database: Database, query: str, as_json: bool, as_csv: bool, limit: int | None) -> None:
    if as_json:
        result = database.ask(query, limit)
        columns = [
            {"name": name, "type": kind}
            for name, kind in zip(result.columns, result.types, strict=True)
        ]
        names = _distinct(result.columns)
        forms = [_utc if kind == _AWARE else _plain for kind in result.types]
        items = [
            {name: form(cell) for name, form, cell in zip(names, forms, row, strict=True)}
            for row in result.rows
        ]
        total = len(items) + result.has_more
        print_json("rows", items, total=total, limit=limit, columns=columns)
    elif as_csv:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        has_head = False

        def write(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
            nonlocal has_head
            if not has_head:
                writer.writerow(columns)
                has_head = True
            writer.writerows([list(map(_text, row)) for row in rows])

        database.stream(query, write, limit)
    else:
        print_result(database.ask(query, limit or _SHOWN))


def print_result(result: Result) -> None:
    """Rows as a table for a person."""
    if len(result.columns) == 1 and any("\n" in str(row[0]) for row in result.rows[:1]):
        for row in result.rows:  # a plan, a long text: as it is
            echo(_shown(row[0], 10**6, keep_lines=True))
        return
    width = max(12, min(_WIDEST, terminal_width() // max(1, len(result.columns)) * 2))
    rows = [tuple(one_line(name, width) for name in result.columns)]
    rows += [tuple(_shown(cell, width) for cell in row) for row in result.rows]
    align = "".join("r" if _is_number(kind) else "l" for kind in result.types)
    lines = table(rows, align)
    echo(style(lines[0], "bold", on=use_colour()))
    for line in lines[1:]:
        echo(line)
    more = f"; more are there, -n {len(result.rows) * 10} shows them" if result.has_more else ""
    note(f"{plural(len(result.rows), 'row')}{more}")


def _shown(cell: Any, width: int, keep_lines: bool = False) -> str:
    from agent_journal.cli.output import safe

    if isinstance(cell, float):
        return f"{cell:,.4f}".rstrip("0").rstrip(".")
    return safe(_text(cell)) if keep_lines else one_line(_text(cell), width)


def _is_number(kind: str) -> bool:
    return kind.startswith(
        ("BIGINT", "INTEGER", "HUGEINT", "UBIGINT", "DOUBLE", "DECIMAL", "SMALLINT", "FLOAT")
    )


def _distinct(names: list[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        again = sum(one == name for one in names[: len(found)])
        found.append(f"{name}_{again + 1}" if again else name)
    return found


def _text(cell: Any) -> str:
    """A value in a table or in CSV: nothing for NULL, true and false as SQL has them."""
    plain = _plain(cell)
    if plain is None or isinstance(plain, str):
        return plain or ""
    import json

    return json.dumps(plain, ensure_ascii=False)


def _utc(cell: Any) -> Any:
    """A time with a zone as all JSON answers have it: 2026-01-31T12:00:00Z."""
    try:
        return datetime.fromisoformat(cell).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (TypeError, ValueError, OverflowError):  # NULL, infinity, before the year 1
        return cell


def _plain(cell: Any) -> Any:
    """A value as JSON can have it."""
    if cell is None or isinstance(cell, (bool, int, str)):
        return cell
    if isinstance(cell, float):
        return cell if cell == cell and abs(cell) != float("inf") else None
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    if isinstance(cell, (list, tuple)):
        return [_plain(one) for one in cell]
    if isinstance(cell, dict):
        return {str(name): _plain(one) for name, one in cell.items()}
    return cell.hex() if isinstance(cell, bytes) else str(cell)


def _print_schema(as_json: bool) -> None:
    if as_json:
        items = [
            {"table": name, "columns": [one._asdict() for one in cells]}
            for name, cells in tables().items()
        ]
        print_json("tables", items)
        return
    colour = use_colour()
    for name, cells in tables().items():
        echo(style(name, "bold", on=colour))
        for line in table(
            [
                (f"  {one.name}", one.type.replace(" WITH TIME ZONE", "TZ"), one.meaning)
                for one in cells
            ]
        ):
            echo(line)
    note("'aj sql -f -' reads the query from standard input")
