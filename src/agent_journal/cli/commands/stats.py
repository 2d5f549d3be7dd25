"""`aj stats`: activity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import click

from agent_journal.cli.options import agent_option, json_option, parse_bound_option
from agent_journal.cli.output import (
    echo,
    human_count,
    human_duration,
    note,
    one_line,
    print_json,
    short_path,
    style,
    table,
    terminal_width,
    use_colour,
)
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.usage.activity import Activity, Share, collect
from agent_journal.usage.zones import Calendar, zone_named

_SHADES = " ░▒▓█"
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_BARS = " ▏▎▍▌▋▊▉█"


@click.command()
@agent_option
@click.option(
    "--project", metavar="TEXT", help="Only sessions whose folder or repository contains TEXT."
)
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="Active since: 2d, 3w, 2026-01-31 …",
)
@click.option("--until", metavar="TIME", callback=parse_bound_option, help="Started until then.")
@click.option(
    "--timezone",
    metavar="ZONE",
    help="Zone of days and hours, like Europe/Berlin; else the system's.",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="Lines of each list.",
)
@json_option
def stats(
    agent: tuple[str, ...],
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    timezone: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Activity: sessions, prompts and tools, by day, hour, agent, project, model and branch.

    Also: streaks, how often tools succeed and how long they take, the files edited most, how long
    sessions last.

    \b
    Examples:
      aj stats
      aj stats --since 30d --project my-app
      aj stats --agent claude-code --timezone UTC --json
    """
    zone = zone_named(timezone)
    with Journal.open() as journal:
        found = collect(
            journal.find_db(), Query(agent or None, project, since, until), Calendar(zone)
        )
    today = datetime.now(zone).date()
    if as_json:
        item = _as_item(found, today)
        print_json("stats", [item])
        return
    if not found.sessions:
        note("no sessions yet; 'aj sync' reads what is there")
        return
    _print(found, today, limit)


def _print(found: Activity, today: date, limit: int) -> None:
    colour = use_colour()
    current, longest = found.streaks(today)
    echo(
        f"{found.sessions:,} sessions (+{found.sub_agents:,} sub-agents), {found.prompts:,} prompts, "
        f"{found.answers:,} answers, {found.tools:,} tool calls, {found.edits:,} edits"
    )
    if found.days:
        best = max(found.days, key=lambda day: found.days[day])
        echo(
            f"{len(found.days):,} active days from {min(found.days)} to {max(found.days)}; longest streak "
            f"{longest} days, now {current}; most on {best}: {found.days[best]:,}"
        )
        _print_calendar(found, today, colour)
        _print_bars(
            "hour",
            [(f"{hour:02d}", count) for hour, count in enumerate(found.hours) if count],
            colour,
        )
    for title, shares in found.shares.items():
        _print_shares(title, shares, limit, colour)
    _print_tools(found, limit, colour)
    if found.files:
        _head("files edited most", colour)
        rows = [
            (one_line(short_path(one.path), 70), f"{one.edits:,}", _changes(one.added, one.removed))
            for one in found.files[:limit]
        ]
        _lines(rows, "lrr")
    if any(count for _, count in found.lengths):
        middle = human_duration(int((found.median_seconds or 0) * 1000))
        _print_bars(f"length of sessions (half are under {middle})", found.lengths, colour)


def _changes(added: int | None, removed: int | None) -> str:
    """Lines added and removed; nothing where neither is recorded."""
    if added is None and removed is None:
        return ""
    return f"+{human_count(added)} -{human_count(removed)}"


def _head(title: str, colour: bool) -> None:
    echo()
    echo(style(title, "bold", on=colour))


def _lines(rows: Sequence[tuple[str, ...]], align: str) -> None:
    for line in table(rows, align):
        echo(f"  {line}")


def _print_calendar(found: Activity, today: date, colour: bool) -> None:
    """A square for each day: a column is a week."""
    weeks = min(53, (terminal_width() - 8) // 2)
    first = max(min(found.days), today - timedelta(weeks=weeks - 1))
    start = first - timedelta(days=first.weekday())
    last = max(today, max(found.days))
    most = max(found.days.values())
    echo()
    for weekday in range(7):
        cells: list[str] = []
        day = start + timedelta(days=weekday)
        while day <= last and len(cells) < weeks:
            count = found.days.get(day, 0)
            shade = _SHADES[0] if not count else _SHADES[1 + min(3, 4 * count // (most + 1))]
            cells.append(shade * 2 if count else "· ")
            day += timedelta(weeks=1)
        echo(f"  {_DAYS[weekday]}  " + style("".join(cells).rstrip(), "green", on=colour))


def _print_bars(title: str, counts: list[tuple[str, int]], colour: bool) -> None:
    most = max((count for _, count in counts), default=0) or 1
    _head(title, colour)
    width = max(len(name) for name, _ in counts)
    for name, count in counts:
        eighths = round(40 * 8 * count / most)
        bar = "█" * (eighths // 8) + (_BARS[eighths % 8] if eighths % 8 else "")
        echo(f"  {name.ljust(width)}  {style(bar, 'blue', on=colour)} {count:,}")


def _print_shares(title: str, shares: list[Share], limit: int, colour: bool) -> None:
    if len(shares) == 1 and title == "branch":
        return
    _head(f"by {title}", colour)
    head = ("", "sessions", "prompts", "answers", "tools")
    rows = [
        (
            one_line(short_path(one.name) or f"(no {title})", 50),
            *(
                "" if value is None else f"{value:,}"
                for value in (one.sessions, one.prompts, one.answers, one.tools)
            ),
        )
        for one in shares[:limit]
    ]
    _lines([head, *rows], "lrrrr")
    if len(shares) > limit:
        echo(f"  … and {len(shares) - limit:,} more")


def _print_tools(found: Activity, limit: int, colour: bool) -> None:
    if not found.tool_list:
        return
    slowest = sorted(
        (one for one in found.tool_list if one.mean_ms is not None),
        key=lambda one: -(one.mean_ms or 0),
    )
    for title, tools in (("tools used most", found.tool_list), ("slowest tools", slowest)):
        _head(title, colour)
        rows = [("", "calls", "success", "stopped", "mean", "longest")]
        for one in tools[:limit]:
            success = "?" if one.success is None else f"{one.success:.0%}"
            mean = "?" if one.mean_ms is None else human_duration(int(one.mean_ms))
            longest = "?" if one.longest_ms is None else human_duration(one.longest_ms)
            name = one_line(one.name or "(no name)", 40)
            rows.append((name, f"{one.calls:,}", success, f"{one.stopped:,}", mean, longest))
        _lines(rows, "lrrrrr")


def _as_item(found: Activity, today: date) -> dict[str, Any]:
    current, longest = found.streaks(today)
    item: dict[str, Any] = found._asdict()
    item["days"] = {day.isoformat(): count for day, count in sorted(found.days.items())}
    item["streak_days"], item["longest_streak_days"] = current, longest
    item["shares"] = {
        name: [one._asdict() for one in shares] for name, shares in found.shares.items()
    }
    item["tool_list"] = [one._asdict() | {"success": one.success} for one in found.tool_list]
    item["files"] = [one._asdict() for one in found.files]
    item["lengths"] = dict(found.lengths)
    return item
