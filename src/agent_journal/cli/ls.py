"""`aj ls`: list sessions."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

import click

from agent_journal.catalog.listing import SessionRow, child_counts, count_sessions, list_sessions
from agent_journal.cli.options import json_option, one_agent_option, parse_bound_option
from agent_journal.cli.output import (
    echo,
    human_time,
    note,
    one_line,
    print_json,
    safe,
    style,
    table,
    terminal_width,
    use_colour,
)
from agent_journal.journal import Journal
from agent_journal.query import Query


@click.command()
@one_agent_option
@click.option("--project", metavar="TEXT", help="Only sessions whose folder or repository contains TEXT.")
@click.option("--since", metavar="TIME", callback=parse_bound_option, help="Active since: 2d, yesterday, 2026-01-31 …")
@click.option("--until", metavar="TIME", callback=parse_bound_option, help="Started until: 2d, 2026-01 …")
@click.option("--all", "include_all", is_flag=True, help="Also sub-agents (under their parent) and empty sessions.")
@click.option("-n", "--limit", type=click.IntRange(min=0), default=None, help="How many; 20 on a terminal, else all.")
@json_option
def ls(
    agent: str | None, project: str | None, since: datetime | None, until: datetime | None, include_all: bool,
    limit: int | None, as_json: bool,
) -> None:  # fmt: skip
    """List sessions: people's first, newest first.

    \b
    Examples:
      aj ls --since 2d
      aj ls --agent claude-code --project my-app
      aj ls --all -n 5 --json
    """
    import sys

    if limit is None and sys.stdout.isatty() and not as_json:
        limit = 20
    query = Query(agent, project, since, until, include_all, limit)
    with Journal.open() as journal:
        db = journal.db
        rows = list_sessions(db, query) if db is not None else []
        total = count_sessions(db, query) if db is not None else 0
        children = child_counts(db) if db is not None else {}
    listed = {(row.agent, row.id) for row in rows}
    mains = sum(1 for row in rows if row.parent_id is None or (row.agent, row.parent_id) not in listed)
    if as_json:
        items = [_as_item(row, children) for row in rows]
        print_json("sessions", items, total=total + len(rows) - mains, limit=limit)
        return
    _print(rows, children)
    if not rows:
        note("no sessions" + ("" if total else "; run 'aj sync' to read what is there, 'aj ls --all' shows empty ones"))
    elif mains < total:
        note(f"{mains:,} of {total:,} sessions; -n {total} shows all")


def _print(rows: list[SessionRow], children: dict[tuple[str, str], int]) -> None:
    colour = use_colour()
    width = terminal_width()
    cells = []
    shorts = _short_ids([row.id.rpartition("/")[2] for row in rows])
    for index, row in enumerate(rows):
        count = children.get((row.agent, row.id), 0)
        title = one_line(row.title, 200) or "(no title)"
        if row.parent_id is not None:
            title = f"└ {row.agent_name or 'sub-agent'}: {title}"
        elif count:
            title += f"  +{count} sub-agent{'s' if count > 1 else ''}"
        short = shorts[index]
        cells.append((safe(short), human_time(row.ended_at or row.started_at), row.agent, _project(row),
                      f"{row.prompt_count}", title))  # fmt: skip
    for line in table(cells, "llllr"):
        line = line if len(line) <= width else line[: width - 1] + "…"
        first, rest = line[: len(cells[0][0])], line[len(cells[0][0]) :]
        echo(style(first, "cyan", on=colour) + rest)


def _short_ids(ids: list[str]) -> list[str]:
    """Eight characters of each id, or as many as tell it from the others."""
    short = [safe(each[:8]) for each in ids]
    for length in (14, 24, 200):
        clash = {each for each in short if short.count(each) > 1} if len(set(short)) < len(short) else set()
        short = [safe(ids[i][:length]) if each in clash else each for i, each in enumerate(short)]
    return short


def _project(row: SessionRow) -> str:
    if row.project_path:
        return one_line(os.path.basename(row.project_path.rstrip("/\\").replace("\\", "/")) or row.project_path, 24)
    return one_line(row.project_dir, 24)


def _as_item(row: SessionRow, children: dict[tuple[str, str], int]) -> dict[str, Any]:
    from agent_journal.cli.items import session_item

    return session_item(row, children.get((row.agent, row.id), 0))
