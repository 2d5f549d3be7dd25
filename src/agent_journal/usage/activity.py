"""When and with what people worked, from the catalog's sums and the list of sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any, NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import PROJECT, conditions
from agent_journal.store.catalog.sums import QUARTER
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


class Share(NamedTuple):
    """What falls to one agent, project, model or branch; None where it is not told apart."""

    name: str
    sessions: int
    prompts: int | None
    answers: int | None
    tools: int | None


class Tool(NamedTuple):
    """How a tool was used. `stopped`: denied by the person, or interrupted."""

    name: str
    calls: int
    ok: int
    failed: int
    stopped: int
    mean_ms: float | None
    longest_ms: int | None

    @property
    def success(self) -> float | None:
        """The share of finished calls that did what they were asked."""
        return self.ok / (self.ok + self.failed) if self.ok + self.failed else None


class File(NamedTuple):
    """How often a file was changed."""

    path: str
    edits: int
    sessions: int
    added: int | None
    removed: int | None


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
    shares: dict[str, list[Share]]
    tool_list: list[Tool]
    files: list[File]
    lengths: list[tuple[str, int]]
    median_seconds: float | None
    longest_seconds: float | None

    def streaks(self, today: date) -> tuple[int, int]:
        """Days in a row with a message: until today (or yesterday), and at most."""
        longest = run = 0
        before: date | None = None
        for day in sorted(self.days):
            run = run + 1 if before is not None and day - before == timedelta(days=1) else 1
            longest, before = max(longest, run), day
        current = run if before is not None and today - before <= timedelta(days=1) else 0
        return current, longest


class _Session(NamedTuple):
    id: int
    agent: str
    project: str | None
    branch: str | None
    is_main: bool
    seconds: float | None
    edits: int
    prompts: int
    answers: int
    tools: int


def collect(db: Connection | None, query: Query, calendar: Calendar) -> Activity:
    """The activity of the sessions that a query means."""
    sessions = _sessions(db, query) if db is not None else []
    mains = [one for one in sessions if one.is_main]
    chosen = _chosen(query, sessions)
    days, hours, weekdays, prompts, answers = _times(db, query, chosen, calendar)
    seconds = sorted(one.seconds for one in mains if one.seconds is not None)
    return Activity(
        len(mains),
        len(sessions) - len(mains),
        prompts,
        answers,
        sum(one.tools for one in sessions),
        sum(one.edits for one in sessions),
        days,
        hours,
        weekdays,
        {
            "agent": _shares(sessions, [one.agent for one in sessions]),
            "project": _shares(sessions, [one.project for one in sessions]),
            "branch": _shares(sessions, [one.branch for one in sessions]),
            "model": _models(db, chosen),
        },
        _tools(db, chosen),
        _files(db, chosen),
        _lengths(seconds),
        seconds[len(seconds) // 2] if seconds else None,
        seconds[-1] if seconds else None,
    )


def _sessions(db: Connection, query: Query) -> list[_Session]:
    where, values = conditions(query._replace(include_all=True))
    rows = db.execute(
        f"SELECT s.id, s.agent, {PROJECT}, s.git_branch, s.parent_uid IS NULL OR s.prompt_count > 0, "
        "nullif(s.ended_at - s.started_at, 0) / 1e6, s.edit_count "
        f"FROM sessions s WHERE {where} AND s.message_count > 0",
        values,
    )
    said = "SELECT session_id, sum(prompts), sum(answers) FROM message_sums GROUP BY 1"
    spoken = {session_id: (prompts, answers) for session_id, prompts, answers in db.execute(said)}
    done = dict(db.execute("SELECT session_id, sum(calls) FROM tool_sums GROUP BY 1"))
    nothing = (0, 0)
    return [
        _Session._make((*row, *spoken.get(row[0], nothing), done.get(row[0], 0))) for row in rows
    ]


def _chosen(query: Query, sessions: list[_Session]) -> str:
    """A condition on `session_id` for the sums; none where all sessions are meant."""
    if query == Query():
        return "1"
    return f"session_id IN ({', '.join(str(one.id) for one in sessions) or 'NULL'})"


def _times(
    db: Connection | None, query: Query, chosen: str, calendar: Calendar
) -> tuple[dict[date, int], list[int], list[int], int, int]:
    days: Counter[date] = Counter()
    hours, weekdays = [0] * 24, [0] * 7
    prompts = answers = 0
    since, until = (
        (to_micros(bound) or 0) // QUARTER if bound else None
        for bound in (query.since, query.until)
    )
    sums = f"SELECT quarter, sum(prompts), sum(answers) FROM message_sums WHERE {chosen} GROUP BY 1"
    for quarter, asked, answered in db.execute(sums) if db is not None else ():
        if (since is not None and quarter < since) or (until is not None and quarter > until):
            continue
        prompts, answers = prompts + asked, answers + answered
        told = calendar.day_and_hour(quarter)
        if told is not None:
            days[told[0]] += asked + answered
            hours[told[1]] += asked + answered
            weekdays[told[0].weekday()] += asked + answered
    return dict(days), hours, weekdays, prompts, answers


def _shares(sessions: list[_Session], names: Iterable[str | None]) -> list[Share]:
    found: dict[str, list[int]] = {}
    for one, name in zip(sessions, names, strict=True):
        counts = found.setdefault(name or "", [0, 0, 0, 0])
        for place, value in enumerate((one.is_main, one.prompts, one.answers, one.tools)):
            counts[place] += value
    ordered = sorted(found.items(), key=lambda item: (-item[1][1], -item[1][2], item[0]))
    return [Share(name, *counts) for name, counts in ordered]


def _models(db: Connection | None, chosen: str) -> list[Share]:
    query = f"SELECT model, session_id, sum(answers) FROM message_sums WHERE {chosen} AND model <> '' GROUP BY 1, 2"
    sessions: dict[str, set[int]] = {}
    said: Counter[str] = Counter()
    names: dict[str, str] = {}
    for model, session_id, answers in db.execute(query) if db is not None else ():
        name = names.get(model) or names.setdefault(model, model_name(model))
        sessions.setdefault(name, set()).add(session_id)
        said[name] += answers
    return [
        Share(name, len(sessions[name]), None, count, None) for name, count in said.most_common()
    ]


def _tools(db: Connection | None, chosen: str) -> list[Tool]:
    rows = _all(
        db,
        "SELECT name, sum(calls), sum(ok), sum(failed), sum(stopped), CASE WHEN sum(timed) THEN "
        f"1.0 * sum(total_ms) / sum(timed) END, max(longest_ms) FROM tool_sums WHERE {chosen} "
        "GROUP BY 1 ORDER BY 2 DESC",
    )
    return [Tool(*row) for row in rows]


def _files(db: Connection | None, chosen: str) -> list[File]:
    rows = _all(
        db,
        "SELECT path, sum(edits), count(DISTINCT session_id), sum(added), sum(removed) FROM edit_sums "
        f"WHERE {chosen} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50",
    )
    return [File(*row) for row in rows]


def _all(db: Connection | None, query: str) -> list[Any]:
    return [] if db is None else db.execute(query).fetchall()


def _lengths(seconds: list[float]) -> list[tuple[str, int]]:
    counts = dict.fromkeys((name for _, name in LENGTHS), 0)
    for one in seconds:
        counts[next(name for most, name in LENGTHS if most is None or one < most)] += 1
    return list(counts.items())
