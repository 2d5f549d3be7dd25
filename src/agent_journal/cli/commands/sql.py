"""`aj sql`: query the journal with SQL."""

from __future__ import annotations

import os
import sys

import click

from agent_journal.cli.options import (
    Number,
    Seconds,
    json_option,
    plain_option,
    timezone_option,
)
from agent_journal.cli.output import echo, note, print_json, style, use_colour
from agent_journal.errors import CannotWrite, JournalBusy, UsageError
from agent_journal.journal import Journal
from agent_journal.sql.database import Database, Limits
from agent_journal.sql.making import tables
from agent_journal.sql.memory import default_memory
from agent_journal.text.human import plural
from agent_journal.usage.zones import zone_named

_MOST_ROWS = 1_000  # in a table
_FIRST_WAIT = 60.0  # seconds for another aj, when the tables do not exist yet


@click.command()
@click.argument("query", required=False)
@click.option(
    "-f", "--file", "path", metavar="FILE", help="Read the query from FILE; - is standard input."
)
@json_option
@plain_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV.")
@click.option("-o", "--output", metavar="FILE", help="With --csv: write the rows to FILE.")
@click.option(
    "--formulas/--no-formulas",
    "has_formulas",
    default=None,
    help="With --csv: leave texts alone that a spreadsheet would run, or put a ' before them.  "
    "[default: --no-formulas with -o]",
)
@click.option("--parquet", metavar="FILE", help="Write the rows to a Parquet file.")
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=Number(1),
    help="Return at most N rows.  [default: 1,000 in a table, otherwise all]",
)
@timezone_option
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=Seconds(),
    default=60,
    show_default=True,
    help="Stop the query after this time.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="Use at most this much memory.  [default: 2GB, or half of the machine's]",
)
@click.option("--files", is_flag=True, help="Allow the query to read other files.")
@click.option("--no-sync", is_flag=True, help="Do not look for new sessions first.")
def sql(
    query: str | None,
    path: str | None,
    as_json: bool,
    plain: bool,
    as_csv: bool,
    output: str | None,
    has_formulas: bool | None,
    parquet: str | None,
    limit: int | None,
    timezone: str | None,
    timeout: float,
    memory: str | None,
    files: bool,
    no_sync: bool,
) -> None:
    """Query the journal with SQL (DuckDB): sessions, messages, tool calls, tokens, edits.

    Without a query, aj opens a prompt on a terminal and otherwise lists the tables and their
    columns; docs/sql.md describes them. A query cannot write anything, and reads only the journal
    unless --files is given.

    \b
    Examples:
      aj sql "SELECT agent, count(*) FROM sessions GROUP BY 1"
      aj sql "SELECT name, count(*) FROM tool_calls WHERE status IN ('error', 'failed') GROUP BY 1"
      aj sql "SELECT project, sum(cost_usd) FROM costs GROUP BY 1 ORDER BY 2 DESC"
      aj sql "FROM sessions" --csv -o sessions.csv
      aj sql "FROM conversations WHERE tool_name = 'Bash'" --parquet bash.parquet
      aj sql "FROM read_conversations('/mnt/laptop/.claude')" --json -n 10
    """
    if sum((as_json, plain, as_csv, parquet is not None)) > 1:
        raise UsageError("--json, --plain, --csv and --parquet exclude each other")
    if not as_csv and (output is not None or has_formulas is not None):
        raise UsageError("-o, --formulas and --no-formulas are for CSV", "add --csv")
    query = _read_query(query, path)
    zone_named(timezone)  # an unknown zone is refused before anything is built
    if query is None and not sys.stdin.isatty():
        _print_tables(as_json)
        return
    limits = Limits(timeout, memory or default_memory(), files, of_process=True)
    if parquet is not None:
        limits = limits._replace(writes=os.path.realpath(parquet))
    with Journal.open() as journal:
        _prepare(journal, is_synced=not no_sync)
        database = journal.database(limits, timezone)
        if query is None:
            from agent_journal.cli.views.sql_prompt import converse

            converse(journal, database, limit or _MOST_ROWS)
        elif parquet is not None:
            note(f"{plural(database.save(query), 'row')} written to {parquet}")
        elif as_csv:
            _csv(database, query, limit, output, has_formulas)
        else:
            _print_rows(database, query, limit, as_json, plain)


def _read_query(query: str | None, path: str | None) -> str | None:
    """Return the query, read from a file where one is given."""
    if path is None:
        return query
    if query is not None:
        raise UsageError("give a query or -f FILE, not both")
    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _prepare(journal: Journal, is_synced: bool) -> None:
    """Look for new sessions if the last sync was a while ago, and update the tables."""
    from agent_journal.cli.search_request import sync_if_stale
    from agent_journal.store.incomplete import INCOMPLETE, is_incomplete
    from agent_journal.sync.indexes import mirror

    if is_synced:
        sync_if_stale(journal)
    wait = 0.0
    if journal.exists and not mirror(journal.config).is_there():
        note("aj: building the tables")
        wait = _FIRST_WAIT
    try:
        journal.catch_up_mirror(wait)
    except (JournalBusy, CannotWrite) as error:
        note(f"aj: the tables are as of the last sync: {error.message}")
    if is_incomplete(mirror(journal.config).path):
        note(f"aj: results of tools are missing in the tables: {INCOMPLETE}")


def _print_rows(
    database: Database, query: str, limit: int | None, as_json: bool, plain: bool
) -> None:
    if as_json:
        from agent_journal.answers.rows import rows_answer

        print_json(rows_answer(database.ask(query, limit), limit))
    else:
        from agent_journal.cli.views.rows import print_result

        if limit is None and not plain:
            limit = _MOST_ROWS
        print_result(database.ask(query, limit), plain)


def _csv(
    database: Database,
    query: str,
    limit: int | None,
    output: str | None,
    has_formulas: bool | None,
) -> None:
    """Write CSV: to a file, which spreadsheets open, without formulas unless they are wanted."""
    from agent_journal.cli.views.csv_rows import print_csv, save_csv

    if output is None:
        print_csv(database, query, limit, has_formulas=has_formulas is not False)
        return
    count = save_csv(database, query, limit, output, has_formulas=bool(has_formulas))
    note(f"{plural(count, 'row')} written to {output}")


def _print_tables(as_json: bool) -> None:
    if as_json:
        from agent_journal.answers.tables import tables_answer

        print_json(tables_answer())
        return
    from agent_journal.cli.views.rows import described

    colour = use_colour()
    for name, columns in tables().items():
        echo(style(name, "bold", on=colour))
        described(columns, indent="  ").print()
    note("'aj sql -f -' reads the query from standard input")
