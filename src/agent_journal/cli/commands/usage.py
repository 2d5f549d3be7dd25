"""`aj usage`: tokens and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import click

from agent_journal.cli.nothing import why_nothing
from agent_journal.cli.options import (
    Number,
    agent_option,
    json_option,
    parse_bound_option,
    project_option,
    timezone_option,
)
from agent_journal.cli.output import note, print_json
from agent_journal.cli.table import Column, Table
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.session_names import SessionName, session_names
from agent_journal.text.human import human_count, human_money, short_ids, short_path
from agent_journal.text.plain import one_line, safe
from agent_journal.usage.prices import Book
from agent_journal.usage.report import GROUPS, Line, Report, report
from agent_journal.usage.zones import Calendar, zone_named

_PERIODS = {"daily": "day", "weekly": "week", "monthly": "month"}
_SHOWN = {"daily": 31, "weekly": 26, "session": 20}  # lines, unless -n says otherwise


@click.command()
@click.argument(
    "group", metavar="[PERIOD]", type=click.Choice(GROUPS), default="daily", required=False
)
@agent_option
@project_option
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="Only usage since TIME: 6h, 2d, 3w, yesterday, 2026-01-31.",
)
@click.option("--until", metavar="TIME", callback=parse_bound_option, help="Only usage until TIME.")
@timezone_option
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=Number(1),
    help="Show at most N lines: the newest periods, or the most expensive of a group.",
)
@click.option("--plot", metavar="FILE.svg", help="Also draw a bar chart into an SVG file.")
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
      aj usage model --since 30d
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

        draw(plot, group, found.lines, _names(found.lines, group, sessions))
        note(f"chart written to {plot}")
    if as_json:
        from agent_journal.answers.usage import usage_answer

        lines = _shown_lines(found.lines, group, limit)
        print_json(usage_answer(found, lines, group, sessions, limit))
        return
    lines = _shown_lines(found.lines, group, limit or _SHOWN.get(group))
    if not lines:
        note(nothing or "no usage recorded; 'aj sync' reads new sessions")
        return
    _print_table(found, lines, group, sessions)
    _print_notes(found, lines)


def _shown_lines(lines: list[Line], group: str, limit: int | None) -> list[Line]:
    if limit is None:
        return lines
    if group in _PERIODS:
        return lines[-limit:]
    return lines[:limit]


def _print_table(
    found: Report, lines: Sequence[Line], group: str, sessions: Mapping[int, SessionName]
) -> None:
    has_premium = found.total.premium is not None
    numbers = ["input", "cache write", "cache read", "output", "total", "cost"]
    if has_premium:
        numbers.insert(-1, "premium")
    columns = [Column(_PERIODS.get(group, group), least=12)]
    columns += [Column(name, is_number=True) for name in numbers]
    columns.append(Column("agents" if group == "model" else "models", least=8, leaves=1))
    table = Table(columns)
    for line, name in zip(lines, _names(lines, group, sessions), strict=True):
        table.add(name, *_numbers(line, has_premium), _used(line, group))
    table.add("total", *_numbers(found.total, has_premium), "", styles=("bold",))
    table.print()


def _print_notes(found: Report, lines: Sequence[Line]) -> None:
    if len(lines) < len(found.lines):
        note(f"{len(lines):,} of {len(found.lines):,} lines; -n {len(found.lines)} shows all")
    if found.total.web_searches:
        note(f"web searches: {found.total.web_searches:,}, which have no price here")
    unpriced = sorted(found.total.unpriced.items(), key=lambda item: -(item[1] or 0))
    for model, tokens in unpriced:
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


def _names(lines: Sequence[Line], group: str, sessions: Mapping[int, SessionName]) -> list[str]:
    if group == "session":
        return _session_titles(lines, sessions)
    if group == "project":
        return [one_line(short_path(line.key) or "(no folder)", 40) for line in lines]
    return [one_line(str(line.key), 40) for line in lines]


def _session_titles(lines: Sequence[Line], sessions: Mapping[int, SessionName]) -> list[str]:
    names = [sessions.get(line.key) or SessionName("", str(line.key)) for line in lines]
    ids = short_ids([name.id.rpartition("/")[2] for name in names])
    return [f"{short}  {_title(name)}" for short, name in zip(ids, names, strict=True)]


def _title(name: SessionName) -> str:
    title = one_line(name.title or "(no title)", 40)
    if name.parent_id is None:
        return title
    agent_name = one_line(name.agent_name, 20) or "sub-agent"
    return f"{agent_name} of {safe(name.parent_id)[:8]}: {title}"


def _used(line: Line, group: str) -> str:
    """Return the models of a line, the most used first; for a model, the agents."""
    if group == "model":
        names = list(line.agents)
    else:
        names = sorted(line.models, key=lambda model: -(line.models[model] or 0))
    text = ", ".join(names[:2])
    if len(names) > 2:
        text += f" +{len(names) - 2}"
    return one_line(text, 60)


def _numbers(line: Line, has_premium: bool) -> list[str]:
    tokens = (line.input, line.cache_write, line.cache_read, line.output, line.total)
    cells = [human_count(number) for number in tokens]
    if has_premium:
        cells.append("" if line.premium is None else f"{line.premium:g}")
    return [*cells, _money(line)]


def _money(line: Line) -> str:
    if line.cost_micro_usd is None:
        return "?"
    cost = human_money(line.cost_micro_usd)
    if line.unpriced:
        return f"{cost} + ?"
    return cost
