"""`aj usage`: tokens and what they cost."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import click

from agent_journal.cli.options import agent_option, json_option, parse_bound_option
from agent_journal.cli.output import (
    echo,
    human_money,
    note,
    one_line,
    print_json,
    safe,
    short_ids,
    short_path,
    style,
    table,
    use_colour,
)
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.usage.prices import Book
from agent_journal.usage.report import GROUPS, Line, Report, report
from agent_journal.usage.zones import Calendar, zone_named

_PERIODS = ("daily", "weekly", "monthly")
_SHOWN = {"daily": 31, "weekly": 26, "session": 20}


@click.command()
@click.argument("group", type=click.Choice(GROUPS), default="daily", required=False)
@agent_option
@click.option(
    "--project", metavar="TEXT", help="Only sessions whose folder or repository contains TEXT."
)
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="From then on: 2d, 3w, 2026-01-31 …",
)
@click.option("--until", metavar="TIME", callback=parse_bound_option, help="Until then.")
@click.option(
    "--timezone", metavar="ZONE", help="Zone of the days, like Europe/Berlin; else the system's."
)
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), help="How many lines; the newest or dearest."
)
@click.option("--plot", metavar="FILE", help="Draw a chart into a .svg or .png file.")
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
    """Tokens by kind and their cost: daily, weekly, monthly, session, model, project or agent.

    Each API response counts once. The cost an agent recorded is taken; otherwise the tokens are
    priced as of their own date (docs/usage.md). Models without a price are listed, and never count
    as free.

    \b
    Examples:
      aj usage
      aj usage monthly --timezone UTC
      aj usage model --since 30d
      aj usage session --project my-app -n 10
      aj usage daily --plot usage.svg
    """
    zone = zone_named(timezone)
    with Journal.open() as journal:
        book = journal.prices()
        query = Query(agent or None, project, since, until)
        found = report(journal.find_db(), book, group, query, Calendar(zone).labels(group))
        titles = _titles(journal) if group == "session" else {}
    if plot is not None:
        from agent_journal.cli.views.chart import draw

        draw(plot, group, found.lines, _names(found.lines, group, titles))
        note(f"drawn: {plot}")
    lines = _cut(found.lines, group, limit if limit or as_json else _SHOWN.get(group))
    if as_json:
        items = [_as_item(line, group, titles) for line in lines]
        print_json(
            "usage",
            items,
            total=len(found.lines),
            limit=limit,
            group=group,
            totals=_as_item(found.total, "total", {}),
            prices=_prices(found.book),
        )
        return
    _print(found, lines, group, titles)


def _cut(lines: list[Line], group: str, limit: int | None) -> list[Line]:
    if limit is None:
        return lines
    return lines[-limit:] if group in _PERIODS else lines[:limit]


class _Titled(NamedTuple):
    agent: str
    uid: str
    title: str | None = None
    parent: str | None = None
    agent_name: str | None = None


def _titles(journal: Journal) -> dict[int, _Titled]:
    if not journal.exists:
        return {}
    rows = journal.db.execute("SELECT id, agent, uid, title, parent_uid, agent_name FROM sessions")
    return {row_id: _Titled(*row) for row_id, *row in rows}


def _print(found: Report, lines: list[Line], group: str, titles: dict[int, _Titled]) -> None:
    if not lines:
        note("nothing was used, as far as the journal knows; 'aj sync' reads what is there")
        return
    colour = use_colour()
    has_premium = found.total.premium is not None
    head = [
        group.removesuffix("ly").replace("dai", "day"),
        "input",
        "cache write",
        "cache read",
        "output",
        "total",
        *(["premium"] if has_premium else []),
        "cost",
        "agents" if group == "model" else "models",
    ]
    named = zip(lines, _names(lines, group, titles), strict=True)
    rows = [head, *([*_cells(line, name, has_premium), _last(line, group)] for line, name in named)]
    rows.append([*_cells(found.total, "total", has_premium), ""])
    printed = table(rows, "l" + "r" * (len(head) - 2) + "l")
    echo(style(printed[0], "bold", on=colour))
    for line in printed[1:-1]:
        echo(line)
    echo(style(printed[-1], "bold", on=colour))
    if len(lines) < len(found.lines):
        note(f"{len(lines):,} of {len(found.lines):,} lines; -n {len(found.lines)} shows all")
    for model, tokens in sorted(found.total.unpriced.items(), key=lambda one: -one[1]):
        reason = (
            "not all its tokens were recorded"
            if found.book.is_priced(model)
            else "no price is known"
        )
        note(f"unpriced: {one_line(model, 60)}, {tokens:,} tokens: {reason}")
    version = found.book.version
    dated = f", with prices up to {found.book.dated}" if found.book.dated else ""
    note(
        f"prices: genai-prices {version}{dated}"
        if version
        else "prices: genai-prices is not installed"
    )


def _names(lines: list[Line], group: str, titles: dict[int, _Titled]) -> list[str]:
    if group == "session":
        told = [titles.get(line.key, _Titled("", str(line.key))) for line in lines]
        shorts = short_ids([one.uid.rpartition("/")[2] for one in told])
        return [f"{short}  {_title(one)}" for short, one in zip(shorts, told, strict=True)]
    if group == "project":
        return [one_line(short_path(line.key) or "(no folder)", 40) for line in lines]
    return [one_line(str(line.key), 40) for line in lines]


def _title(one: _Titled) -> str:
    title = one_line(one.title or "(no title)", 40)
    if one.parent is None:
        return title
    return f"{one_line(one.agent_name, 20) or 'sub-agent'} of {safe(one.parent)[:8]}: {title}"


def _last(line: Line, group: str) -> str:
    """The models of a line, the largest first; of a model those who used it."""
    names = (
        list(line.agents)
        if group == "model"
        else sorted(line.models, key=lambda model: -line.models[model])
    )
    more = f" +{len(names) - 2}" if len(names) > 2 else ""
    return one_line(", ".join(names[:2]) + more, 60)


def _cells(line: Line, name: str, has_premium: bool) -> list[str]:
    numbers = (line.input, line.cache_write, line.cache_read, line.output)
    premium = ["" if line.premium is None else f"{line.premium:g}"] if has_premium else []
    cells = ["?" if number is None else f"{number:,}" for number in numbers]
    return [name, *cells, "?" if line.total is None else f"{line.total:,}", *premium, _money(line)]


def _money(line: Line) -> str:
    cost = line.cost_micro_usd
    known = "" if cost is None else human_money(cost)
    return known + (" + ?" if known else "?") if line.unpriced else known or "?"


def _as_item(line: Line, group: str, titles: dict[int, _Titled]) -> dict[str, Any]:
    who: dict[str, Any] = {"key": line.key}
    if group == "session":
        one = titles.get(line.key)
        who = {
            "agent": one and one.agent,
            "session_id": one and one.uid,
            "title": one and one.title,
        }
    credit = line.credits_micro
    return {
        **who,
        "requests": line.requests,
        "input_tokens": line.input,
        "cache_read_tokens": line.cache_read,
        "cache_write_tokens": line.cache_write,
        "cache_write_1h_tokens": line.cache_write_1h,
        "output_tokens": line.output,
        "reasoning_tokens": line.reasoning,
        "total_tokens": line.total,
        "cost_micro_usd": line.cost_micro_usd,
        "recorded_cost_micro_usd": line.recorded,
        "premium_requests": line.premium,
        "credits": None if credit is None else credit / 10_000,
        "unpriced": line.unpriced,
        "models": line.models,
        "agents": list(line.agents),
    }


def _prices(book: Book) -> dict[str, str | None]:
    return {"source": "genai-prices", "version": book.version, "dated": book.dated}
