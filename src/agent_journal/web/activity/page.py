"""Activity: a year of days, the hours of the week, projects, and tools with their success."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.export.html.figures import counted, duration
from agent_journal.export.prose import in_tag
from agent_journal.store.catalog.usage_rows import ToolActivity
from agent_journal.text.human import short_path
from agent_journal.usage.activity import Activity, Share, collect
from agent_journal.usage.zones import Calendar
from agent_journal.web.addresses import link
from agent_journal.web.charts import (
    DAYS,
    HATCHING,
    Day,
    calendar,
    numbers,
    share_bar,
    table,
    week_hours,
)
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.narrowed import ALL_TIME, Narrowed, narrowing, read_narrowed

_PATH = "/activity"
_SHOWN = 15  # lines of a table
_UNKNOWN = '<span class="meta">?</span>'
_SHARES = {"agent": "Agents", "project": "Projects", "model": "Models", "branch": "Branches"}


def activity_page(request: Request) -> Response:
    """When and with what people worked."""
    asked = read_narrowed(_PATH, request.query_params, since=ALL_TIME)
    query = asked.query
    context = context_of(request)
    with context.journal() as journal:
        activity = context.remembered.get(
            journal, ("activity", asked), lambda: collect(journal.find_db(), query, Calendar(None))
        )
    main = [
        '<div class="place"><h1>Activity</h1>\n',
        *narrowing(asked),
        HATCHING,
        *_body(activity, asked),
        "</div>\n",
    ]
    return respond(page("Activity · aj", main, place=_PATH))


def _body(activity: Activity, asked: Narrowed) -> Iterator[str]:
    if not activity.sessions and not activity.sub_agents:
        yield '<p class="remark">There is no session in this time.</p>\n'
        return
    today = datetime.now().astimezone().date()
    yield f'<p class="lead">{_sum(activity)}</p>\n'
    yield f'<p class="meta">{" · ".join(_facts(activity, today))}</p>\n'
    yield "<h2>Messages by day</h2>\n"
    yield from _year(activity, asked, today)
    yield '<div class="grid">\n<section><h2>Hours of the week</h2>\n'
    yield from _week(activity)
    yield "</section><section><h2>Length of sessions</h2>\n"
    rows = [[in_tag(name), f"{count:,}"] for name, count in activity.lengths]
    yield from table(("from the first to the last message", "sessions"), rows, "Lengths")
    yield "</section>"
    for name, title in _SHARES.items():
        yield f"<section><h2>{title}</h2>\n"
        rows = list(_share_rows(activity.shares[name], name, asked))
        columns = ["sessions", "prompts", "answers", "tools"]
        if name == "model":  # which one was prompted is not recorded
            columns = ["sessions", "answers"]
        yield from table((name, *columns), rows, title)
        yield "</section>"
    yield "<section><h2>Tools</h2>\n"
    of_tools = ("tool", "calls", "success", "", "stopped", "mean", "longest")
    yield from table(of_tools, list(_tool_rows(activity.tool_list)), "Tools")
    yield "</section><section><h2>Files changed most</h2>\n"
    yield from table(("file", "edits", "sessions", "lines"), list(_file_rows(activity)), "Files")
    yield "</section></div>\n"
    yield '<p class="meta">The same figures: <code>aj stats</code>.</p>\n'


def _sum(activity: Activity) -> str:
    parts = [counted(activity.sessions, "session")]
    if activity.sub_agents:
        parts.append(counted(activity.sub_agents, "sub-agent"))
    parts.append(counted(activity.prompts, "prompt"))
    parts.append(counted(activity.answers, "answer"))
    parts.append(counted(activity.tools, "tool call"))
    parts.append(counted(activity.edits, "edit"))
    return " · ".join(parts)


def _facts(activity: Activity, today: date) -> Iterator[str]:
    days = activity.days
    if not days:
        return
    current, longest = activity.streaks(today)
    yield f"{counted(len(days), 'active day')} from {min(days)} to {max(days)}"
    yield f"longest streak {counted(longest, 'day')}, current streak {current}"
    busiest = max(days, key=lambda day: days[day])
    yield f"busiest day {busiest} with {counted(days[busiest], 'message')}"
    if activity.median_seconds is not None:
        yield f"half of the sessions end within {duration(activity.median_seconds * 1000)}"


def _year(activity: Activity, asked: Narrowed, today: date) -> Iterator[str]:
    days = {}
    rows = []
    for day, count in sorted(activity.days.items()):
        name = day.isoformat()
        address = link("/", q=_condition(asked, name))
        days[day] = Day(count, f"{name}: {counted(count, 'message')}", address=address)
        rows.append([f'<a href="{address}">{name}</a>', f"{count:,}"])
    yield from calendar(days, today)
    yield from numbers(("day", "messages"), rows[::-1], "Messages by day")


def _condition(asked: Narrowed, day: str) -> str:
    """The query for the sessions of a day."""
    from agent_journal.web.listing.query_edits import condition, text_of

    parts = [f"date:{day}"]
    parts += [
        text_of(condition(name, getattr(asked, name)))
        for name in ("agent", "project")
        if getattr(asked, name)
    ]
    return " ".join(parts)


def _week(activity: Activity) -> Iterator[str]:
    yield from week_hours(activity.week_hours, "messages")
    rows = []
    for weekday, hours in enumerate(activity.week_hours):
        rows.append([DAYS[weekday], *(f"{count:,}" for count in hours)])
    columns = ("day", *(f"{hour:02d}" for hour in range(24)))
    yield from numbers(columns, rows, "Hours of the week")


def _share_rows(shares: Sequence[Share], name: str, asked: Narrowed) -> Iterator[list[str]]:
    counts: list[int | None] = []
    for share in shares[:_SHOWN]:
        word = in_tag(short_path(share.name), 60)
        if not share.name:
            word = f"(no {name})"
        elif name in ("agent", "project"):
            word = f'<a href="{asked.link(**{name: share.name})}">{word}</a>'
        counts = [share.sessions, share.prompts, share.answers, share.tools]
        if name == "model":
            counts = [share.sessions, share.answers]
        yield [word, *map(_count, counts)]
    yield from _rest(shares, columns=len(counts))


def _tool_rows(tools: Sequence[ToolActivity]) -> Iterator[list[str]]:
    for tool in tools[:_SHOWN]:
        success = _UNKNOWN
        if tool.success is not None:
            success = f"{tool.success:.0%}"
        name = in_tag(tool.name, 60) or "(no name)"
        yield [
            name,
            f"{tool.calls:,}",
            success,
            share_bar(tool.success),
            f"{tool.stopped:,}",
            _took(tool.mean_ms),
            _took(tool.longest_ms),
        ]
    yield from _rest(tools, columns=6)


def _file_rows(activity: Activity) -> Iterator[list[str]]:
    for file in activity.files[:_SHOWN]:
        address = link("/file", path=file.path)
        lines = ""
        if file.added is not None or file.removed is not None:
            lines = f"+{_count(file.added)} −{_count(file.removed)}"
        path = in_tag(short_path(file.path), 120)
        yield [
            f'<a class="path" href="{address}">{path}</a>',
            f"{file.edits:,}",
            f"{file.sessions:,}",
            lines,
        ]


def _rest(lines: Sequence[object], columns: int) -> Iterable[list[str]]:
    rest = len(lines) - _SHOWN
    if rest <= 0:
        return []
    return [[f'<span class="meta">{rest:,} more</span>', *[""] * columns]]


def _count(count: int | None) -> str:
    if count is None:
        return _UNKNOWN
    return f"{count:,}"


def _took(milliseconds: float | None) -> str:
    if milliseconds is None:
        return _UNKNOWN
    return duration(milliseconds)
