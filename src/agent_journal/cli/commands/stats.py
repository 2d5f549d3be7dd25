"""`aj stats`: activity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import click

from agent_journal.cli.nothing import pruned_note, why_nothing
from agent_journal.cli.options import (
    Number,
    agent_option,
    json_option,
    project_option,
    since_option,
    timezone_option,
    until_option,
)
from agent_journal.cli.output import (
    echo,
    note,
    print_json,
    style,
    terminal_width,
    use_colour,
)
from agent_journal.cli.spoken_times import SpokenTimesCommand
from agent_journal.cli.table import Column, Table
from agent_journal.cli.views.flow import print_text
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.usage_rows import FileActivity, ToolActivity
from agent_journal.text.human import human_count, human_duration, plural, short_path
from agent_journal.usage.activity import Activity, Share, collect
from agent_journal.usage.zones import Calendar, zone_named

_SHADES = "░▒▓█"
_NO_ACTIVITY = "· "
_WEEK = 7  # days
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_WIDEST_BAR = 40
_INDENT = "  "
_LEAST_NAME = 20  # columns
_MOST_NAME = 50


@click.command(cls=SpokenTimesCommand)
@agent_option
@project_option
@since_option
@until_option
@timezone_option
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=Number(1),
    default=8,
    show_default=True,
    help="Show at most N lines of each list.",
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
    """Show activity statistics: sessions, prompts and tool calls.

    Broken down by day, hour, agent, project, branch and model. Also shown: streaks, how often each
    tool succeeds and how long it takes, the files edited most, and how long sessions last.

    \b
    Examples:
      aj stats
      aj stats --since 30d --project my-app
      aj stats --agent claude-code --timezone UTC --json
    """
    zone = zone_named(timezone)
    query = Query(agent or None, project, since, until)
    with Journal.open() as journal:
        activity = collect(journal.find_db(), query, Calendar(zone))
        pruned = pruned_note(journal)
        nothing = ""
        if not activity.sessions:
            nothing = why_nothing(journal, query)
    today = datetime.now(zone).date()
    if as_json:
        from agent_journal.answers.stats import stats_answer

        print_json(stats_answer(activity, today))
    elif activity.sessions:
        _print(activity, today, limit)
        if pruned:
            note(pruned)
    else:
        note(nothing or "no sessions yet; 'aj sync' reads new sessions")


def _print(activity: Activity, today: date, limit: int) -> None:
    colour = use_colour()
    print_text(
        f"{plural(activity.sessions, 'session')} (+{plural(activity.sub_agents, 'sub-agent')}), "
        f"{plural(activity.prompts, 'prompt')}, {plural(activity.answers, 'answer')}, "
        f"{plural(activity.tools, 'tool call')}, {plural(activity.edits, 'edit')}"
    )
    if activity.days:
        _print_days(activity, today)
        _print_calendar(activity, today, colour)
        hours = [(f"{hour:02d}", count) for hour, count in enumerate(activity.hours) if count]
        _print_bars("messages by hour", hours, colour)
    for title, shares in activity.shares.items():
        _print_shares(title, shares, limit, colour)
    if activity.tool_list:
        timed = [tool for tool in activity.tool_list if tool.mean_ms is not None]
        slowest = sorted(timed, key=lambda tool: -(tool.mean_ms or 0))
        _print_tools("tools used most", activity.tool_list[:limit], colour)
        _print_tools("slowest tools", slowest[:limit], colour)
    if activity.files:
        _print_heading("files edited most", colour)
        _print_files(activity.files[:limit])
    if any(count for _, count in activity.lengths):
        median = human_duration(int((activity.median_seconds or 0) * 1000))
        title = f"session length (median {median})"
        _print_bars(title, activity.lengths, colour)


def _print_days(activity: Activity, today: date) -> None:
    days = activity.days
    current, longest = activity.streaks(today)
    busiest = max(days, key=lambda day: days[day])
    print_text(
        f"{plural(len(days), 'active day')} from {min(days)} to {max(days)}; "
        f"longest streak {plural(longest, 'day')}, current streak {current}; "
        f"busiest day {busiest} ({plural(days[busiest], 'message')})"
    )


def _print_heading(title: str, colour: bool) -> None:
    echo()
    echo(style(title, "bold", on=colour))


def _print_calendar(activity: Activity, today: date, colour: bool) -> None:
    """Print a square for each day; a column is a week."""
    weeks = min(53, (terminal_width() - 8) // 2)
    first = max(min(activity.days), today - timedelta(weeks=weeks - 1))
    monday = first - timedelta(days=first.weekday())
    last = max(today, *activity.days)
    most = max(activity.days.values())
    echo()
    echo("       " + style(_month_names(monday, last, weeks), "dim", on=colour))
    for weekday, name in enumerate(_DAYS):
        cells: list[str] = []
        day = monday + timedelta(days=weekday)
        while day <= last and len(cells) < weeks:
            cells.append(_square(activity.days.get(day, 0), most))
            day += timedelta(weeks=1)
        echo(f"  {name}  " + style("".join(cells).rstrip(), "green", on=colour))


def _month_names(monday: date, last: date, weeks: int) -> str:
    """Return the name of each month above the first week that begins in it."""
    line = ""
    for place in range(weeks):
        week = monday + timedelta(weeks=place)
        if week > last:
            break
        if week.day <= _WEEK:
            line = line.ljust(2 * place) + _MONTHS[week.month - 1]
    return line


def _square(count: int, most: int) -> str:
    if not count:
        return _NO_ACTIVITY
    return _SHADES[min(3, 4 * count // (most + 1))] * 2


def _print_bars(title: str, counts: Sequence[tuple[str, int]], colour: bool) -> None:
    most = max((count for _, count in counts), default=0) or 1
    _print_heading(title, colour)
    width = max(len(name) for name, _ in counts)
    room = terminal_width() - len(f"  {'':{width}}   {most:,}")
    longest = min(_WIDEST_BAR, room)
    for name, count in counts:
        whole, eighths = divmod(round(longest * 8 * count / most), 8)
        bar = style("█" * whole + _EIGHTHS[eighths], "blue", on=colour)
        echo(f"  {name.ljust(width)}  {bar} {count:,}")


def _print_shares(title: str, shares: list[Share], limit: int, colour: bool) -> None:
    if len(shares) == 1 and title == "branch":
        return
    _print_heading(f"by {title}", colour)
    name = Column("", least=_LEAST_NAME, most=_MOST_NAME, is_path=title == "project")
    is_model = title == "model"  # which only answers have
    headings = ["sessions", "prompts", "answers", "tools"]
    if is_model:
        headings = ["sessions", "answers"]
    table = Table((name, *map(_number, headings)), _INDENT)
    for share in shares[:limit]:
        counts = [share.sessions, share.prompts, share.answers, share.tools]
        if is_model:
            counts = [share.sessions, share.answers]
        shown = [_count_or_nothing(count) for count in counts]
        table.add(short_path(share.name) or f"(no {title})", *shown)
    table.print()
    if len(shares) > limit:
        echo(f"  and {len(shares) - limit:,} more (-n {len(shares)})")


def _count_or_nothing(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _print_tools(title: str, tools: Sequence[ToolActivity], colour: bool) -> None:
    _print_heading(title, colour)
    numbers = map(_number, ("calls", "success", "stopped", "mean", "longest"))
    table = Table((Column("", least=_LEAST_NAME, most=_MOST_NAME), *numbers), _INDENT)
    for tool in tools:
        success = "?" if tool.success is None else f"{tool.success:.0%}"
        table.add(
            tool.name or "(no name)",
            f"{tool.calls:,}",
            success,
            f"{tool.stopped:,}",
            _duration_or_unknown(tool.mean_ms),
            _duration_or_unknown(tool.longest_ms),
        )
    table.print()


def _duration_or_unknown(milliseconds: float | None) -> str:
    return "?" if milliseconds is None else human_duration(int(milliseconds))


def _print_files(files: Sequence[FileActivity]) -> None:
    path = Column("", least=_LEAST_NAME, is_path=True)
    table = Table((path, _number("edits"), _number("lines")), _INDENT)
    for file in files:
        lines = changed_lines(file.added, file.removed)
        table.add(short_path(file.path), f"{file.edits:,}", lines)
    table.print()


def _number(header: str) -> Column:
    return Column(header, is_number=True)


def changed_lines(added: int | None, removed: int | None) -> str:
    """Return lines added and removed; nothing where neither is recorded."""
    if added is None and removed is None:
        return ""
    return f"+{human_count(added)} -{human_count(removed)}"
