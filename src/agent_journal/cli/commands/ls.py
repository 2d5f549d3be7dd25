"""`aj ls`: list sessions."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING

import click

from agent_journal.answers.session_list import ORDERS, SessionList, find_sessions
from agent_journal.cli.exclusions import note_exclusions
from agent_journal.cli.nothing import no_match_of
from agent_journal.cli.options import (
    Number,
    agent_option,
    json_option,
    plain_option,
    project_option,
    since_option,
    until_option,
)
from agent_journal.cli.output import current_screen, note, print_json
from agent_journal.cli.paging import print_long
from agent_journal.cli.query_command import QueryCommand
from agent_journal.cli.views.session_table import SessionTable
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.compact_ids import compact_ids

if TYPE_CHECKING:
    from agent_journal.usage.listed_costs import SessionCost

_ON_TERMINAL = 20  # sessions, unless -n or --all says otherwise
_WIDTH_WITH_COSTS = 90  # columns; on a narrower terminal there is no room for costs


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
    help="List all sessions, also sub-agents, below their parents, and empty ones.",
)
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=Number(0, 10**9),
    default=None,
    help="List at most N sessions.  [default: 20 on a terminal; with --all or in a pipe, all]",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(ORDERS),
    default="newest",
    help="What comes first: the newest, the oldest, the most expensive, those with the most "
    "messages, or those that lasted longest.  [default: newest]",
)
@json_option
@plain_option
def ls(
    words: tuple[str, ...],
    agent: tuple[str, ...],
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    include_all: bool,
    limit: int | None,
    order: str,
    as_json: bool,
    plain: bool,
) -> None:
    """List sessions, newest first; automated sessions are listed last.

    The columns are id, last activity, agent, project, number of prompts, cost and title. A narrow
    terminal shows fewer. A cost of ? is not known; costs of sub-agents are their own. With a QUERY
    (docs/query.md), only sessions that contain a match are listed.

    After a title stands how a session ended without a complete answer: (waiting) for you to answer
    a question, (interrupted) by you, (in a tool call), or (cut off) before the answer. (automated)
    sessions were started by a program.

    With --plain, the columns are id, last activity, agent, folder, prompts, messages, cost in
    dollars, marks (starred, #tags, automated, how the session ended) and title.

    \b
    Examples:
      aj ls --since 2d
      aj ls --agent claude-code --project my-app
      aj ls --all -n 5 --json
      aj ls --sort cost -n 10
      aj ls --plain | cut -f1
      aj ls branch:main model:opus is:edited
    """
    if limit is None:
        limit = _default_limit(is_long=include_all or as_json or plain)
    query = Query(agent or None, project, since, until, include_all, limit)
    text = " ".join(words)
    with Journal.open() as journal:
        found = find_sessions(journal, query, text, order)
        if as_json:
            from agent_journal.answers.sessions import sessions_answer

            print_json(sessions_answer(found, limit))
            return
        if text:
            from agent_journal.query.parser import parse

            note_exclusions(parse(text))
        if found.rows:
            _print(journal, found, order, plain)
        _note_rest(journal, found, text)


def _note_rest(journal: Journal, found: SessionList, text: str) -> None:
    """Say why nothing is listed, or how many sessions are not."""
    if not found.total:
        nothing = (
            "no sessions yet; 'aj sync' reads new sessions, 'aj ls --all' also lists empty ones"
        )
        note(no_match_of(journal, text) or nothing)
    elif len(found.rows) < found.total:
        note(f"{len(found.rows):,} of {found.total:,} sessions; -n {found.total} shows all")


def _default_limit(is_long: bool) -> int | None:
    if is_long or not sys.stdout.isatty():
        return None
    return _ON_TERMINAL


def _print(journal: Journal, found: SessionList, order: str, plain: bool) -> None:
    costs: dict[int, SessionCost] = {}
    if plain or _shows_costs(order):
        from agent_journal.usage.listed_costs import listed_costs

        rows = [row.row_id for row in found.rows]
        costs = listed_costs(journal.db, journal.prices(), rows)
    sessions = SessionTable(found, costs, order)
    if plain:
        sessions.plain_table().print(plain=True)
    else:
        ids = compact_ids(journal.db, found.rows)
        print_long(sessions.table(ids).lines(current_screen()))


def _shows_costs(order: str) -> bool:
    """Whether the list has costs: it takes time to sum them up, and a wide terminal to show."""
    if order == "cost":
        return True
    width = current_screen().width
    return width is not None and width >= _WIDTH_WITH_COSTS
