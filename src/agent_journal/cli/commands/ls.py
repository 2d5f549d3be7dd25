"""`aj ls`: list sessions."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from typing import Any

import click

from agent_journal.cli.options import agent_option, json_option, parse_bound_option
from agent_journal.cli.output import (
    echo,
    human_time,
    note,
    one_line,
    print_json,
    safe,
    short_ids,
    style,
    table,
    terminal_width,
    use_colour,
)
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import (
    SessionRow,
    child_counts,
    count_sessions,
    list_everything,
    list_sessions,
)


@click.command()
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@agent_option
@click.option(
    "--project", metavar="TEXT", help="Only sessions whose folder or repository contains TEXT."
)
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="Active since: 90m, 6h, 2d, 3w, yesterday, 2026-01-31 …",
)
@click.option(
    "--until", metavar="TIME", callback=parse_bound_option, help="Started until: 2d, 2026-01 …"
)
@click.option(
    "--all",
    "include_all",
    is_flag=True,
    help="Also sub-agents (under their parent) and empty sessions.",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0, max=10**9),
    default=None,
    help="How many; 20 on a terminal, else all.",
)
@json_option
def ls(
    words: tuple[str, ...],
    agent: tuple[str, ...],
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    include_all: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """List sessions: people's first, then automated ones, newest first.

    The columns: id, last activity, agent, project, number of prompts, title. With a QUERY
    (docs/query.md), those with something that meets it.

    \b
    Examples:
      aj ls --since 2d
      aj ls --agent claude-code --project my-app
      aj ls --all -n 5 --json
      aj ls branch:main model:opus is:edited
    """
    if limit is None and sys.stdout.isatty() and not as_json:
        limit = 20
    query = Query(agent or None, project, since, until, include_all, limit)
    with Journal.open() as journal:
        rows, total = find_rows(journal, query, " ".join(words))
        children = child_counts(journal.db) if journal.exists else {}
        held = count_sessions(journal.db, Query()) if journal.exists and not total else 0
    if as_json:
        print_json("sessions", [_as_item(row, children) for row in rows], total=total, limit=limit)
        return
    _print(rows, children)
    if held:
        note(f"no session matches; the journal holds {held:,}")
    elif not total:
        note("no sessions yet; 'aj sync' reads what is there, 'aj ls --all' shows empty ones too")
    elif len(rows) < total:
        note(f"{len(rows):,} of {total:,} sessions; -n {total} shows all")


def find_rows(journal: Journal, query: Query, text: str) -> tuple[list[SessionRow], int]:
    """The rows that a query means and that meet one of the language (if any), too; and how many
    there are.
    """
    if not text:
        return _find(journal.find_db(), query)
    from agent_journal.query.parser import parse
    from agent_journal.sync.indexes import lexical

    parsed, index = parse(text), lexical(journal.config)
    rows, _ = _find(journal.find_db(), query._replace(limit=None))
    if parsed.tree is not None and rows:
        from agent_journal.search.finding import Searcher

        if not index.is_there():
            journal.sync()
        meant = Searcher(journal.db, index, None).sessions(parsed.tree)
        rows = [row for row in rows if row.row_id in meant]
    if parsed.sort == "oldest":
        rows.sort(key=lambda row: row.ended_at or row.started_at or 0)
    return rows[: query.limit], len(rows)


def _find(db: Connection | None, query: Query) -> tuple[list[SessionRow], int]:
    """The rows to show, and how many there are."""
    if db is None:
        return [], 0
    if query.include_all:
        rows = list_everything(db, query)
        return rows[: query.limit], len(rows)
    return list_sessions(db, query), count_sessions(db, query)


def _print(rows: list[SessionRow], children: dict[tuple[str, str], int]) -> None:
    if not rows:
        return
    colour, width = use_colour(), terminal_width()
    shorts = short_ids([row.id.rpartition("/")[2] for row in rows])
    listed: set[tuple[str, str]] = set()
    cells = []
    for short, row in zip(shorts, rows, strict=True):
        when = human_time(row.ended_at or row.started_at)
        marks = _marks(
            row, children.get((row.agent, row.id), 0), (row.agent, row.parent_id or "") in listed
        )
        cells.append((short, when, row.agent, _project(row), f"{row.prompt_count}", *marks))
        listed.add((row.agent, row.id))
    # On a narrow terminal the title is worth more than the agent and the project.
    columns = (0, 1, 2, 3, 4) if width >= 100 else (0, 1, 3, 4) if width >= 80 else (0, 1)
    fixed = table(
        [tuple(cell[i] for i in columns) for cell in cells],
        "".join("r" if i == 4 else "l" for i in columns),
    )
    for line, (short, *_, before, title, after) in zip(_padded(fixed), cells, strict=True):
        room = max(10, width - len(line) - 2 - len(before) - len(after))
        text = f"{line[len(short) :]}  {before}{one_line(title, room)}{after}"
        echo(style(short, "cyan", on=colour) + text)


def _marks(row: SessionRow, children: int, is_under_parent: bool) -> tuple[str, str, str]:
    """What stands before the title, the title, and what stands after it and is never cut off."""
    title = row.title or "(no title)"
    if row.parent_id is not None:
        name = one_line(row.agent_name, 30) or "sub-agent"
        return (
            (f"└ {name}: " if is_under_parent else f"{name} of {safe(row.parent_id)[:8]}: "),
            title,
            "",
        )
    after = f"  +{children} sub-agent{'s' if children > 1 else ''}" if children else ""
    return "", title, after + ("  (automated)" if row.is_automated else "")


def _padded(lines: list[str]) -> list[str]:
    width = max(len(line) for line in lines)
    return [line.ljust(width) for line in lines]


def _project(row: SessionRow) -> str:
    if row.project_path:
        return one_line(
            os.path.basename(row.project_path.rstrip("/\\").replace("\\", "/")) or row.project_path,
            24,
        )
    return one_line(row.project_dir, 24)


def _as_item(row: SessionRow, children: dict[tuple[str, str], int]) -> dict[str, Any]:
    from agent_journal.answers.items import session_item

    return session_item(row, children.get((row.agent, row.id), 0))
