"""`aj usage`: tokens and what they cost."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

import click

from agent_journal.cli.nothing import pruned_note, why_nothing
from agent_journal.cli.options import (
    Number,
    agent_option,
    json_option,
    parse_bound_option,
    plain_option,
    project_option,
    timezone_option,
)
from agent_journal.cli.output import note, print_json
from agent_journal.cli.spoken_times import SpokenTimesCommand
from agent_journal.cli.views.usage_notes import print_notes
from agent_journal.cli.views.usage_table import UsageTable, line_names
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.session_names import SessionName, session_names
from agent_journal.text.plain import one_line
from agent_journal.text.suggestions import did_you_mean
from agent_journal.usage.report import GROUPS, Line, report, shown_lines
from agent_journal.usage.zones import Calendar, zone_named

# What people type instead
_OTHER_WORDS = {
    "day": "daily",
    "days": "daily",
    "week": "weekly",
    "weeks": "weekly",
    "month": "monthly",
    "months": "monthly",
    "sessions": "session",
    "models": "model",
    "projects": "project",
    "agents": "agent",
    "block": "blocks",
}
_SHOWN = {"daily": 31, "weekly": 26, "session": 20, "blocks": 20}  # on a terminal, unless -n says


class GroupChoice(click.Choice):  # type: ignore[type-arg]
    """A word that says what usage is added up by."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word of the report for what was typed."""
        word = str(value).lower()
        word = _OTHER_WORDS.get(word, word)
        if word in self.choices:
            return word
        hint = did_you_mean(word, (*self.choices, *_OTHER_WORDS))
        known = f"there are: {', '.join(self.choices)}"
        if hint:
            self.fail(f"no report '{one_line(str(value), 40)}'; {hint} {known}", param, ctx)
        return self.fail(f"no report '{one_line(str(value), 40)}'; {known}", param, ctx)


class TokenLimit(click.ParamType):  # type: ignore[type-arg]
    """A number of tokens, or `max`."""

    name = "tokens"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Return the number or `max`; fail when it is neither."""
        if value == "max":
            return "max"
        return Number(1).convert(value, param, ctx)


@click.command(cls=SpokenTimesCommand)
@click.argument(
    "group", metavar="[PERIOD]", type=GroupChoice(GROUPS), default="daily", required=False
)
@agent_option
@project_option
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="Only usage since TIME: 6h, 2d, 3w, yesterday, last month, 2026-01-31.",
)
@click.option("--until", metavar="TIME", callback=parse_bound_option, help="Only usage until TIME.")
@timezone_option
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=Number(1),
    help="Show at most N lines: the newest periods, or the most expensive of a group.  "
    "[default: 31 days, 26 weeks or 20 sessions on a terminal, otherwise all]",
)
@click.option("--active", is_flag=True, help="blocks: only the active one, in detail.")
@click.option("--recent", is_flag=True, help="blocks: only those of the last three days.")
@click.option(
    "--token-limit",
    metavar="N|max",
    type=TokenLimit(),
    help="blocks: compare them with a limit; max is the largest one that has ended.",
)
@click.option("--plot", metavar="FILE.svg", help="Also draw a bar chart into an SVG file.")
@click.option("-v", "--verbose", is_flag=True, help="List what has no price, and the prices used.")
@plain_option
@json_option
def usage(
    group: str,
    agent: tuple[str, ...],
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    timezone: str | None,
    limit: int | None,
    active: bool,
    recent: bool,
    token_limit: int | str | None,
    plot: str | None,
    verbose: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Show token usage and cost by day, week, month, session, model, project or agent.

    PERIOD is daily (the default), weekly, monthly, session, blocks, model, project or agent.
    Blocks are the windows of five hours in which Claude Code's usage is limited; with --agent,
    those of another agent.

    Each API response counts once, however many sessions contain it. Where the agent recorded a
    cost, that is used; otherwise the tokens are priced as of the date of the response
    (docs/usage.md). Models without a known price are listed and never count as free.

    \b
    Examples:
      aj usage
      aj usage monthly --timezone UTC
      aj usage model --since last month
      aj usage session --project my-app -n 10
      aj usage blocks --active
      aj usage blocks --recent --token-limit max
      aj usage daily --plot usage.svg
    """
    shown = limit
    if shown is None and sys.stdout.isatty() and not plain and not as_json:
        shown = _SHOWN.get(group)
    query = Query(agent or None, project, since, until)
    zone = zone_named(timezone)
    if group == "blocks":
        from agent_journal.cli.views.usage_blocks import BlocksRequest, print_blocks

        _check_blocks_options(plot)
        blocks = BlocksRequest(query, zone, shown, active, recent, token_limit, verbose)
        print_blocks(blocks, plain=plain, as_json=as_json)
        return
    _check_other_options(active, recent, token_limit)
    _print_report(_Request(group, query, zone, shown, plot, verbose, plain, as_json))


class _Request(NamedTuple):
    """What was asked for, blocks aside."""

    group: str
    query: Query
    zone: tzinfo | None
    limit: int | None
    plot: str | None
    verbose: bool
    plain: bool
    as_json: bool


def _print_report(request: _Request) -> None:
    group = request.group
    calendar = Calendar(request.zone)
    labels = calendar.labels(group)
    sessions: dict[int, SessionName] = {}
    with Journal.open() as journal:
        found = report(journal.find_db(), journal.prices(), group, request.query, labels, calendar)
        if group == "session" and journal.exists:
            sessions = session_names(journal.db)
        pruned = pruned_note(journal)
        nothing = ""
        if not found.lines:
            nothing = why_nothing(journal, request.query)
    if request.plot is not None:
        _draw(request.plot, group, found.lines, sessions)
    lines = shown_lines(found.lines, group, request.limit)
    if request.as_json:
        from agent_journal.answers.usage import usage_answer

        print_json(usage_answer(found, lines, group, sessions, request.limit))
        return
    if not lines:
        note(nothing or "no usage recorded; 'aj sync' reads new sessions")
        return
    names, titles = line_names(lines, group, sessions)
    UsageTable(found, group, request.plain).print(lines, names, titles)
    print_notes(found, lines, request.verbose)
    if pruned:
        note(pruned)


def _check_blocks_options(plot: str | None) -> None:
    if plot is not None:
        raise UsageError("there is no chart of blocks", "'aj usage daily --plot' draws days")


def _check_other_options(active: bool, recent: bool, token_limit: int | str | None) -> None:
    if active or recent or token_limit is not None:
        hint = "'aj usage blocks' has them"
        raise UsageError("--active, --recent and --token-limit are options of blocks", hint)


def _draw(path: str, group: str, lines: list[Line], sessions: Mapping[int, SessionName]) -> None:
    from agent_journal.cli.views.chart import draw

    cells, titles = line_names(lines, group, sessions)
    names = [cell.text for cell in cells]
    if titles:
        names = [f"{name}  {title}" for name, title in zip(names, titles, strict=True)]
    draw(path, group, lines, [one_line(name, 60) for name in names])
    note(f"chart written to {path}")
