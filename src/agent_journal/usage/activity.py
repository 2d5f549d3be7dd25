"""When and with what people worked, from the catalog's sums and the list of sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.usage_rows import (
    FileActivity,
    ModelActivity,
    QuarterActivity,
    SessionActivity,
    ToolActivity,
    file_activity,
    model_activity,
    quarter_activity,
    quarter_of,
    session_activity,
    tool_activity,
)
from agent_journal.text.dates import to_micros
from agent_journal.text.names import model_name
from agent_journal.usage.zones import Calendar

LENGTHS = (
    (300, "under 5 min"),
    (900, "5 to 15 min"),
    (3600, "15 to 60 min"),
    (14400, "1 to 4 h"),
    (None, "over 4 h"),
)
_ONE_DAY = timedelta(days=1)


class Share(NamedTuple):
    """The share of one agent, project, model or branch; None where it is not known."""

    name: str
    sessions: int
    prompts: int | None
    answers: int | None
    tools: int | None


class Activity(NamedTuple):
    """Everything `aj stats` shows."""

    sessions: int
    sub_agents: int
    prompts: int
    answers: int
    tools: int
    edits: int
    days: dict[date, int]  # prompts and answers
    hours: list[int]
    weekdays: list[int]
    week_hours: list[list[int]]  # the hours of each weekday
    shares: dict[str, list[Share]]
    tool_list: list[ToolActivity]
    files: list[FileActivity]
    lengths: list[tuple[str, int]]
    median_seconds: float | None
    longest_seconds: float | None

    def streaks(self, today: date) -> tuple[int, int]:
        """Days in a row with a message: until today (or yesterday), and at most."""
        longest = 0
        run = 0
        before: date | None = None
        for day in sorted(self.days):
            if before is not None and day - before == _ONE_DAY:
                run += 1
            else:
                run = 1
            longest = max(longest, run)
            before = day
        if before is None or today - before > _ONE_DAY:
            return 0, longest
        return run, longest


class _Rows(NamedTuple):
    """What the catalog says about the sessions of a query."""

    sessions: list[SessionActivity]
    quarters: list[QuarterActivity]
    models: list[ModelActivity]
    tools: list[ToolActivity]
    files: list[FileActivity]


class _Times:
    """Messages by day, hour and weekday."""

    def __init__(self) -> None:
        self.days: Counter[date] = Counter()
        self.hours = [0] * 24
        self.weekdays = [0] * 7
        self.week_hours = [[0] * 24 for _ in range(7)]
        self.prompts = 0
        self.answers = 0

    def add(self, row: QuarterActivity, calendar: Calendar) -> None:
        self.prompts += row.prompts
        self.answers += row.answers
        moment = calendar.day_and_hour(row.quarter)
        if moment is None:
            return
        day, hour = moment
        messages = row.prompts + row.answers
        self.days[day] += messages
        self.hours[hour] += messages
        self.weekdays[day.weekday()] += messages
        self.week_hours[day.weekday()][hour] += messages


def collect(db: Connection | None, query: Query, calendar: Calendar) -> Activity:
    """The activity in the sessions that a query means."""
    rows = _Rows([], [], [], [], [])
    if db is not None:
        rows = _read(db, query)
    times = _times(rows.quarters, query, calendar)
    sessions = rows.sessions
    mains = [session for session in sessions if session.is_main]
    seconds = sorted(session.seconds for session in mains if session.seconds is not None)
    median = longest = None
    if seconds:
        median = seconds[len(seconds) // 2]
        longest = seconds[-1]
    return Activity(
        sessions=len(mains),
        sub_agents=len(sessions) - len(mains),
        prompts=times.prompts,
        answers=times.answers,
        tools=sum(session.tools for session in sessions),
        edits=sum(session.edits for session in sessions),
        days=dict(times.days),
        hours=times.hours,
        weekdays=times.weekdays,
        week_hours=times.week_hours,
        shares={
            "agent": _shares(sessions, lambda session: session.agent),
            "project": _shares(sessions, lambda session: session.project),
            "branch": _shares(sessions, lambda session: session.branch),
            "model": _model_shares(rows.models),
        },
        tool_list=rows.tools,
        files=rows.files,
        lengths=_lengths(seconds),
        median_seconds=median,
        longest_seconds=longest,
    )


def _read(db: Connection, query: Query) -> _Rows:
    sessions = session_activity(db, query)
    ids = None
    if query != Query():
        ids = [session.id for session in sessions]
    return _Rows(
        sessions=sessions,
        quarters=quarter_activity(db, ids),
        models=model_activity(db, ids),
        tools=tool_activity(db, ids),
        files=file_activity(db, ids),
    )


def _times(rows: list[QuarterActivity], query: Query, calendar: Calendar) -> _Times:
    if query.since is not None:
        first = quarter_of(to_micros(query.since))
        rows = [row for row in rows if row.quarter >= first]
    if query.until is not None:
        last = quarter_of(to_micros(query.until))
        rows = [row for row in rows if row.quarter <= last]
    times = _Times()
    for row in rows:
        times.add(row, calendar)
    return times


def _shares(
    sessions: list[SessionActivity], name_of: Callable[[SessionActivity], str | None]
) -> list[Share]:
    groups: dict[str, list[SessionActivity]] = {}
    for session in sessions:
        groups.setdefault(name_of(session) or "", []).append(session)
    shares = [_share(name, group) for name, group in groups.items()]
    return sorted(
        shares, key=lambda share: (-(share.prompts or 0), -(share.answers or 0), share.name)
    )


def _share(name: str, sessions: list[SessionActivity]) -> Share:
    return Share(
        name=name,
        sessions=sum(session.is_main for session in sessions),
        prompts=sum(session.prompts for session in sessions),
        answers=sum(session.answers for session in sessions),
        tools=sum(session.tools for session in sessions),
    )


def _model_shares(rows: list[ModelActivity]) -> list[Share]:
    names = {model: model_name(model) for model in {row.model for row in rows}}
    sessions: dict[str, set[int]] = {}
    answers: Counter[str] = Counter()
    for row in rows:
        name = names[row.model]
        sessions.setdefault(name, set()).add(row.session_id)
        answers[name] += row.answers
    return [
        Share(name, len(sessions[name]), prompts=None, answers=count, tools=None)
        for name, count in answers.most_common()
    ]


def _lengths(seconds: list[float]) -> list[tuple[str, int]]:
    counts = Counter(map(_length, seconds))
    return [(name, counts[name]) for _, name in LENGTHS]


def _length(seconds: float) -> str:
    return next(name for most, name in LENGTHS if most is None or seconds < most)
