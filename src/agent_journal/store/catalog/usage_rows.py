"""The sums that `aj usage` and `aj stats` add up. No msgspec: both run often."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import IS_OF_PERSON, conditions, is_not_among
from agent_journal.store.catalog.project_filters import PROJECT, project_condition
from agent_journal.store.catalog.sum_classes import QUARTER
from agent_journal.text.dates import to_micros

_GROUP_KEYS = {
    "daily": "NULL",
    "weekly": "NULL",
    "monthly": "NULL",
    "blocks": "NULL",
    "session": "u.session_id",
    "model": "u.model",
    "project": f"coalesce({PROJECT}, '')",
    "agent": "s.agent",
}
_MOST_FILES = 50
_PER_DAY = 86_400_000_000 // QUARTER


class UsageSum(NamedTuple):
    """The responses of one model that cost alike, in a quarter of an hour."""

    key: Any  # of the group
    agent: str
    quarter: int
    model: str
    size_class: int
    requests: int
    input: int | None
    cache_read: int | None
    cache_write: int | None
    cache_write_1h: int | None
    output: int | None
    reasoning: int | None
    cost: int | None
    premium: float | None
    web_searches: int | None


class Shift(NamedTuple):
    """How far the clocks of a time zone are ahead of UTC, up to a quarter of an hour."""

    until: int
    quarters: int


class Days(NamedTuple):
    """What lets the catalog add up whole days, or all of them: far fewer rows than quarters.

    The sums of a day are one where it is the same day in UTC, by which prices change, and in the
    time zone. Without `shifts`, periods do not matter: then what has one price is one sum.
    """

    by_day: tuple[str, ...]  # models whose price is the same all day
    fixed: tuple[str, ...]  # models whose price has never changed
    shifts: tuple[Shift, ...] = ()

    def sql(self) -> str:
        """What is the same for sums that are added up, of the row `u`; `values` belong to it."""
        day = f"u.quarter / {_PER_DAY} * 2"
        whole = "0"
        if self.shifts:
            *others, last = self.shifts
            steps = "".join(f"WHEN u.quarter < {at} THEN {ahead} " for at, ahead in others)
            ahead = f"CASE {steps}ELSE {last.quarters} END" if steps else str(last.quarters)
            # A day of UTC has parts of two days of any zone: which one it is makes it odd or even
            day = f"{day} + (u.quarter + {ahead}) / {_PER_DAY} % 2"
            whole = day
        return (
            "CASE WHEN u.quarter < 0 THEN -1 "
            f"WHEN u.size_class < 0 OR u.model IN ({_marks(self.fixed)}) THEN {whole} "
            f"WHEN u.model IN ({_marks(self.by_day)}) THEN {day} ELSE -2 - u.quarter END"
        )

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the parameters."""
        return (*self.fixed, *self.by_day)


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))


class SessionName(NamedTuple):
    """The id of a session and the project it belongs to."""

    uid: str
    project: str | None


class SessionActivity(NamedTuple):
    """What happened in a session."""

    id: int
    agent: str
    project: str | None
    branch: str | None
    is_main: bool
    seconds: float | None
    edits: int
    prompts: int = 0
    answers: int = 0
    tools: int = 0


class QuarterActivity(NamedTuple):
    """The messages in a quarter of an hour."""

    quarter: int
    prompts: int
    answers: int


class ModelActivity(NamedTuple):
    """The answers of a model in a session."""

    model: str
    session_id: int
    answers: int


class ToolActivity(NamedTuple):
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
        """The share of finished calls that succeeded."""
        finished = self.ok + self.failed
        if not finished:
            return None
        return self.ok / finished


class FileActivity(NamedTuple):
    """How often a file was changed."""

    path: str
    edits: int
    sessions: int
    added: int | None
    removed: int | None


# -- usage -------------------------------------------------------------------------------------


def usage_sums(
    db: Connection,
    group: str,
    query: Query,
    sessions: Collection[int] | None = None,
    days: Days | None = None,
) -> list[UsageSum]:
    """The sums of the sessions that a query means, with the key of their group.

    `sessions`: only of these rows. With `days`, what is of one day and costs alike is one sum,
    whose quarter is the first one.
    """
    where, values = _usage_conditions(query)
    if sessions is not None:
        where += f" AND u.session_id IN ({', '.join('?' * len(sessions))})"
        values += sessions
    return _sums(db, _GROUP_KEYS[group], where, values, days)


def quarter_span(db: Connection) -> tuple[int, int]:
    """The first and the last quarter of an hour in which something was used."""
    row = db.execute("SELECT min(quarter), max(quarter) FROM usage_sums").fetchone()
    first, last = row
    return max(0, first or 0), max(0, last or 0)


def recent_sums(db: Connection, first_quarter: int) -> list[UsageSum]:
    """The sums of all sessions from a quarter of an hour on."""
    # No session ends before its last response: those that ended earlier need no look at their sums
    values = [first_quarter * QUARTER, first_quarter]
    return _sums(db, "NULL", "s.ended_at >= ? AND u.quarter >= ?", values)


def recent_quarters(db: Connection, agent: str, first_quarter: int) -> list[int]:
    """The quarters of an hour, from one on, in which an agent used something, in their order."""
    rows = db.execute(
        "SELECT DISTINCT u.quarter FROM sessions s JOIN usage_sums u ON u.session_id = s.id "
        "WHERE s.ended_at >= ? AND s.agent = ? AND u.quarter >= ? ORDER BY 1",
        (first_quarter * QUARTER, agent, first_quarter),
    )
    return [quarter for (quarter,) in rows]


def family_sums(db: Connection, agent: str, session_id: str) -> list[UsageSum]:
    """The sums of a session and of its sub-agents."""
    family = (
        "WITH RECURSIVE family (id, uid) AS ("
        "SELECT id, uid FROM sessions WHERE uid = ? AND agent = ? UNION "
        "SELECT c.id, c.uid FROM family f JOIN sessions c ON c.parent_uid = f.uid AND c.agent = ?) "
        "SELECT id FROM family"
    )
    return _sums(db, "NULL", f"u.session_id IN ({family})", [session_id, agent, agent])


def _sums(
    db: Connection, key: str, where: str, values: list[Any], days: Days | None = None
) -> list[UsageSum]:
    quarter = moment = "u.quarter"
    if days is not None:
        quarter = "min(u.quarter)"
        moment = days.sql()
        values = [*values, *days.values]
    rows = db.execute(
        f"SELECT {key}, s.agent, {quarter}, u.model, u.size_class, "
        "sum(u.requests), sum(u.input_tokens), sum(u.cache_read_tokens), "
        "sum(u.cache_write_tokens), sum(u.cache_write_1h_tokens), sum(u.output_tokens), "
        "sum(u.reasoning_tokens), sum(u.cost_micro_usd), sum(u.premium_requests), "
        "sum(u.web_searches) "
        f"FROM usage_sums u JOIN sessions s ON s.id = u.session_id WHERE {where} "
        f"GROUP BY 1, 2, {moment}, 4, 5",
        values,
    )
    return [UsageSum._make(row) for row in rows]


def usage_quarters(db: Connection, query: Query) -> list[int]:
    """The quarters of an hour in which the sessions that a query means used something."""
    where, values = _usage_conditions(query)
    rows = db.execute(
        "SELECT DISTINCT u.quarter FROM usage_sums u JOIN sessions s ON s.id = u.session_id "
        f"WHERE {where}",
        values,
    )
    return [quarter for (quarter,) in rows]


def response_span(db: Connection, query: Query, start: int, end: int) -> tuple[int, int] | None:
    """The times of the first and the last response from one time up to another.

    Only the rows of sessions that had not ended before are read: of the active ones.
    """
    where, values = _usage_conditions(query)
    row = db.execute(
        "SELECT min(u.timestamp), max(u.timestamp) "
        "FROM sessions s JOIN usage u ON u.session_id = s.id "
        f"WHERE {where} AND s.ended_at >= ? "
        "AND u.counted = 1 AND u.timestamp >= ? AND u.timestamp < ?",
        [*values, start, start, end],
    ).fetchone()
    first, last = row
    if first is None:
        return None
    return first, last


def session_names(db: Connection) -> dict[int, SessionName]:
    """The id and the project of every session, by its row."""
    rows = db.execute(f"SELECT s.id, s.uid, {PROJECT} FROM sessions s")
    return {session_id: SessionName(uid, project) for session_id, uid, project in rows}


def quarter_of(micros: int | None) -> int:
    """The quarter of an hour of a time in microseconds."""
    return (micros or 0) // QUARTER


def _usage_conditions(query: Query) -> tuple[str, list[Any]]:
    found = ["1"]
    values: list[Any] = []
    agents = query.agent or ()
    if isinstance(agents, str):
        agents = (agents,)
    if agents:
        found.append(f"s.agent IN ({', '.join('?' * len(agents))})")
        values += agents
    if query.project is not None:
        of_project = project_condition(query.project)
        found.append(of_project.sql)
        values += of_project.values
    if query.since is not None:
        # No session ends before its last response: those that ended earlier need no look
        found.append("u.quarter >= ? AND (s.ended_at >= ? OR s.ended_at IS NULL)")
        first = quarter_of(to_micros(query.since))
        values += [first, first * QUARTER]
    if query.until is not None:
        found.append("u.quarter <= ?")
        values.append(quarter_of(to_micros(query.until)))
    if query.without:
        found.append(is_not_among(query.without))
    return " AND ".join(found), values


# -- activity ----------------------------------------------------------------------------------


def session_activity(db: Connection, query: Query) -> list[SessionActivity]:
    """The sessions that a query means, with sub-agents, and what happened in them."""
    where, values = conditions(query._replace(include_all=True))
    rows = db.execute(
        f"SELECT s.id, s.agent, {PROJECT}, s.git_branch, "
        f"{IS_OF_PERSON}, "
        "nullif(s.ended_at - s.started_at, 0) / 1e6, s.edit_count "
        f"FROM sessions s WHERE {where} AND s.message_count > 0",
        values,
    )
    messages = _message_counts(db)
    calls = _call_counts(db)
    sessions = []
    for row in rows:
        session = SessionActivity(*row)
        prompts, answers = messages.get(session.id, (0, 0))
        tools = calls.get(session.id, 0)
        sessions.append(session._replace(prompts=prompts, answers=answers, tools=tools))
    return sessions


def _message_counts(db: Connection) -> dict[int, tuple[int, int]]:
    query = "SELECT session_id, sum(prompts), sum(answers) FROM message_sums GROUP BY 1"
    return {session_id: (prompts, answers) for session_id, prompts, answers in db.execute(query)}


def _call_counts(db: Connection) -> dict[int, int]:
    return dict(db.execute("SELECT session_id, sum(calls) FROM tool_sums GROUP BY 1"))


# In these functions, `sessions` are the rows of the sessions that count; None means all of them.


def quarter_activity(db: Connection, sessions: Collection[int] | None) -> list[QuarterActivity]:
    """The messages by quarter of an hour."""
    query = (
        "SELECT quarter, sum(prompts), sum(answers) FROM message_sums "
        f"WHERE {_in_sessions(sessions)} GROUP BY 1"
    )
    return [QuarterActivity._make(row) for row in db.execute(query)]


def model_activity(db: Connection, sessions: Collection[int] | None) -> list[ModelActivity]:
    """The answers by model and session."""
    query = (
        "SELECT model, session_id, sum(answers) FROM message_sums "
        f"WHERE {_in_sessions(sessions)} AND model <> '' GROUP BY 1, 2"
    )
    return [ModelActivity._make(row) for row in db.execute(query)]


def tool_activity(db: Connection, sessions: Collection[int] | None) -> list[ToolActivity]:
    """The tools, those with the most calls first."""
    query = (
        "SELECT name, sum(calls), sum(ok), sum(failed), sum(stopped), "
        "CASE WHEN sum(timed) THEN 1.0 * sum(total_ms) / sum(timed) END, max(longest_ms) "
        f"FROM tool_sums WHERE {_in_sessions(sessions)} GROUP BY 1 ORDER BY 2 DESC"
    )
    return [ToolActivity._make(row) for row in db.execute(query)]


def file_activity(db: Connection, sessions: Collection[int] | None) -> list[FileActivity]:
    """The files that were edited most."""
    query = (
        "SELECT path, sum(edits), count(DISTINCT session_id), sum(added), sum(removed) "
        f"FROM edit_sums WHERE {_in_sessions(sessions)} "
        f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {_MOST_FILES}"
    )
    return [FileActivity._make(row) for row in db.execute(query)]


def _in_sessions(sessions: Collection[int] | None) -> str:
    if sessions is None:
        return "1"
    return f"session_id IN ({', '.join(map(str, sessions))})"
