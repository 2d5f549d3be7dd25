"""`aj usage`: tokens and what they cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from agent_journal.cli.nothing import why_nothing
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
from agent_journal.cli.views.usage_table import PERIODS, UsageTable, line_names
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.session_names import SessionName, session_names
from agent_journal.text.human import compact_count, plural
from agent_journal.text.plain import one_line
from agent_journal.text.suggestions import did_you_mean
from agent_journal.usage.prices import Book
from agent_journal.usage.report import GROUPS, Line, Report, report
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
}
_SHOWN = {"daily": 31, "weekly": 26, "session": 20}  # lines on a terminal, unless -n is given
_NAMED = 2  # models without a price, unless -v asks for all


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
    plot: str | None,
    verbose: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Show token usage and cost by day, week, month, session, model, project or agent.

    PERIOD is daily (the default), weekly, monthly, session, model, project or agent.

    Each API response counts once, however many sessions contain it. Where the agent recorded a
    cost, that is used; otherwise the tokens are priced as of the date of the response
    (docs/usage.md). Models without a known price are listed and never count as free.

    \b
    Examples:
      aj usage
      aj usage monthly --timezone UTC
      aj usage model --since last month
      aj usage session --project my-app -n 10
      aj usage daily --plot usage.svg
    """
    labels = Calendar(zone_named(timezone)).labels(group)
    query = Query(agent or None, project, since, until)
    sessions: dict[int, SessionName] = {}
    with Journal.open() as journal:
        found = report(journal.find_db(), journal.prices(), group, query, labels)
        if group == "session" and journal.exists:
            sessions = session_names(journal.db)
        nothing = ""
        if not found.lines:
            nothing = why_nothing(journal, query)
    if plot is not None:
        from agent_journal.cli.views.chart import draw

        names, titles = line_names(found.lines, group, sessions)
        shown = [f"{name}  {title}".strip() for name, title in zip(names, titles, strict=True)]
        draw(plot, group, found.lines, [one_line(name, 60) for name in shown])
        note(f"chart written to {plot}")
    if as_json:
        from agent_journal.answers.usage import usage_answer

        lines = _shown_lines(found.lines, group, limit)
        print_json(usage_answer(found, lines, group, sessions, limit))
        return
    if limit is None and sys.stdout.isatty() and not plain:
        limit = _SHOWN.get(group)
    lines = _shown_lines(found.lines, group, limit)
    if not lines:
        note(nothing or "no usage recorded; 'aj sync' reads new sessions")
        return
    UsageTable(found, group, plain).print(lines, sessions)
    _print_notes(found, lines, verbose)


def _shown_lines(lines: list[Line], group: str, limit: int | None) -> list[Line]:
    if limit is None:
        return lines
    if group in PERIODS:
        return lines[-limit:]
    return lines[:limit]


def _print_notes(found: Report, lines: Sequence[Line], verbose: bool) -> None:
    if len(lines) < len(found.lines):
        note(f"{len(lines):,} of {len(found.lines):,} lines; -n {len(found.lines)} shows all")
    if verbose:
        _print_details(found)
        return
    missing = _without_price(found.total)
    if missing:
        note(f"no price for {missing}; -v tells more")


def _without_price(total: Line) -> str:
    """Return on one line what has no price; empty where everything has one."""
    models = _unpriced_models(total)
    parts = []
    for model, tokens in models[:_NAMED]:
        parts.append(f"{one_line(model, 24)} ({compact_count(tokens)} tokens)")
    if len(models) > _NAMED:
        parts.append(plural(len(models) - _NAMED, "more model"))
    if total.web_searches:
        parts.append(f"web searches ({total.web_searches:,})")
    return ", ".join(parts)


def _unpriced_models(total: Line) -> list[tuple[str, int | None]]:
    return sorted(total.unpriced.items(), key=lambda item: -(item[1] or 0))


def _print_details(found: Report) -> None:
    if found.total.web_searches:
        note(f"web searches: {found.total.web_searches:,}, which have no price here")
    for model, tokens in _unpriced_models(found.total):
        note(f"unpriced: {one_line(model, 60)}{_why_unpriced(found.book, model, tokens)}")
    note(f"prices: {_price_table(found.book)}")


def _why_unpriced(book: Book, model: str, tokens: int | None) -> str:
    if tokens is None:
        return ": its tokens were not recorded"
    if book.is_priced(model):
        return f", {tokens:,} tokens: not all its tokens were recorded"
    return f", {tokens:,} tokens: no price is known"


def _price_table(book: Book) -> str:
    if not book.version:
        return "genai-prices is not installed"
    if not book.dated:
        return f"genai-prices {book.version}"
    return f"genai-prices {book.version}, with prices up to {book.dated}"
