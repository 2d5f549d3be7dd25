"""`aj ls`: list sessions."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import click

from agent_journal.answers.session_list import SessionList, find_sessions
from agent_journal.cli.exclusions import note_exclusions
from agent_journal.cli.nothing import no_match
from agent_journal.cli.options import (
    Number,
    agent_option,
    json_option,
    project_option,
    since_option,
    until_option,
)
from agent_journal.cli.output import (
    echo,
    note,
    print_json,
    style,
    table,
    terminal_width,
    use_colour,
)
from agent_journal.cli.query_command import QueryCommand
from agent_journal.cli.views.marks import shown_star, shown_tags
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.human import ENDINGS, human_time, plural, short_ids
from agent_journal.text.plain import one_line, safe

_ON_TERMINAL = 20  # sessions, unless -n says otherwise


@click.command(cls=QueryCommand)
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@agent_option
@project_option
@since_option
@until_option
@click.option(
    "--all",
    "include_all",
    is_flag=True,
    help="Also list sub-agents, below their parent, and empty sessions.",
)
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=Number(0, 10**9),
    default=None,
    help="List at most N sessions.  [default: 20 on a terminal, otherwise all]",
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
    """List sessions, newest first; automated sessions are listed last.

    The columns are id, last activity, agent, project, number of prompts and title. On a terminal
    with fewer than 100 columns, the agent is left out; with fewer than 80, also the project and the
    prompts. With a QUERY (docs/query.md), only sessions that contain a match are listed.

    \b
    Examples:
      aj ls --since 2d
      aj ls --agent claude-code --project my-app
      aj ls --all -n 5 --json
      aj ls branch:main model:opus is:edited
    """
    if limit is None and sys.stdout.isatty() and not as_json:
        limit = _ON_TERMINAL
    query = Query(agent or None, project, since, until, include_all, limit)
    nothing = ""
    with Journal.open() as journal:
        found = find_sessions(journal, query, " ".join(words))
        if not found.total:
            nothing = no_match(journal)
    if as_json:
        from agent_journal.answers.sessions import sessions_answer

        print_json(sessions_answer(found, limit))
        return
    if words:
        from agent_journal.query.parser import parse

        note_exclusions(parse(" ".join(words)))
    if found.rows:
        print_sessions(found)
    if nothing:
        note(nothing)
    elif not found.total:
        note("no sessions yet; 'aj sync' reads new sessions, 'aj ls --all' also lists empty ones")
    elif len(found.rows) < found.total:
        note(f"{len(found.rows):,} of {found.total:,} sessions; -n {found.total} shows all")


class _Title(NamedTuple):
    """A title, and what is before and after it; only the title itself is cut to fit."""

    text: str
    before: str = ""
    after: str = ""


class _Line(NamedTuple):
    """A session in the list."""

    short_id: str
    when: str
    agent: str
    project: str
    prompts: str
    title: _Title

    def columns(self, width: int) -> tuple[str, ...]:
        """Return what is shown before the title: on a narrow terminal, less."""
        if width >= 100:
            return (self.short_id, self.when, self.agent, self.project, self.prompts)
        if width >= 80:
            return (self.short_id, self.when, self.project, self.prompts)
        return (self.short_id, self.when)


def print_sessions(found: SessionList) -> None:
    """Print a list of sessions, a line for each."""
    colour = use_colour()
    width = terminal_width()
    lines = _lines(found)
    columns = [line.columns(width) for line in lines]
    align = "l" * len(columns[0])
    if width >= 80:
        align = align[:-1] + "r"  # the number of prompts
    fixed = table(columns, align)
    fixed_width = max(len(text) for text in fixed)
    for line, text in zip(lines, fixed, strict=True):
        title = line.title
        room = width - fixed_width - 2 - len(title.before) - len(title.after)
        shown = f"{title.before}{one_line(title.text, max(10, room))}{title.after}"
        details = text.ljust(fixed_width)[len(line.short_id) :]
        echo(f"{style(line.short_id, 'cyan', on=colour)}{details}  {shown}")


def _lines(found: SessionList) -> list[_Line]:
    lines = []
    listed: set[tuple[str, str]] = set()
    for short, row in zip(_short_ids(found.rows), found.rows, strict=True):
        is_of_person = row.agent_name is None or row.prompt_count > 0
        if row.parent_id is None and is_of_person:
            title = _main_title(row, found.children.get((row.agent, row.id), 0))
        else:
            title = _sub_agent_title(row, (row.agent, row.parent_id) in listed)
        lines.append(
            _Line(
                short_id=short,
                when=human_time(row.ended_at or row.started_at),
                agent=row.agent,
                project=_project(row),
                prompts=f"{row.prompt_count}",
                title=title,
            )
        )
        listed.add((row.agent, row.id))
    return lines


def _short_ids(rows: Sequence[SessionRow]) -> list[str]:
    return short_ids([row.id.rpartition("/")[2] for row in rows])


def _main_title(row: SessionRow, sub_agents: int) -> _Title:
    after = shown_tags(row)
    if sub_agents:
        after += f"  +{plural(sub_agents, 'sub-agent')}"
    if row.is_automated:
        after += "  (automated)"
    if row.ended_as in ENDINGS:
        after += f"  ({ENDINGS[row.ended_as]})"
    return _Title(row.title or "(no title)", before=shown_star(row), after=after)


def _sub_agent_title(row: SessionRow, is_below_parent: bool) -> _Title:
    name = one_line(row.agent_name, 30) or "sub-agent"
    before = f"{name}: "
    if is_below_parent:
        before = f"└ {name}: "
    elif row.parent_id is not None:
        before = f"{name} of {safe(row.parent_id)[:8]}: "
    return _Title(row.title or "(no title)", before=shown_star(row) + before, after=shown_tags(row))


def _project(row: SessionRow) -> str:
    if not row.project_path:
        return one_line(row.project_dir, 24)
    path = row.project_path.rstrip("/\\").replace("\\", "/")
    return one_line(os.path.basename(path) or row.project_path, 24)
