"""What agents count themselves, beside what the journal counts: where they differ, and why that is
so.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sums import QUARTER
from agent_journal.usage.zones import Calendar

_MORE_THERE = "it counted sessions that were gone before they could be kept here"
_MORE_HERE = "it counts only now and then, and not since these"
_ORIGINS = {
    "shutdown": "its totals at the end of a session leave out compaction, and what a crash cut off",
    "usage_record": "its records of calls leave out compaction, and versions before 1.0.93 wrote none",
    "store": "its database leaves out what older versions did not write there",
    "message": "beside messages it wrote only output tokens",
}


class Difference(NamedTuple):
    """One thing that is counted twice: by the agent and by the journal."""

    what: str
    own: int
    journal: int
    why: str


def differences(db: Connection, agent: str) -> list[Difference]:
    """Where an agent's own counts differ from the journal's."""
    return [*_daily(db, agent), *_origins(db, agent)]


def _daily(db: Connection, agent: str) -> list[Difference]:
    """Statistics by day: sessions and tool calls. Its messages are records of all kinds, which
    nobody can compare.
    """
    import msgspec

    from agent_journal.model import DailyStat

    query = "SELECT d.body FROM daily_stats d JOIN files f ON f.id = d.file_id WHERE f.agent = ?"
    own = [msgspec.msgpack.decode(body, type=DailyStat) for (body,) in db.execute(query, (agent,))]
    if not own:
        return []
    calendar = Calendar(None)
    sessions, calls = _sessions_by_day(db, agent, calendar), _calls_by_day(db, agent, calendar)
    found = []
    for what, field, ours in (
        ("sessions", "session_count", sessions),
        ("tool calls", "tool_call_count", calls),
    ):
        told = {stat.date: getattr(stat, field) for stat in own if getattr(stat, field) is not None}
        differing = {day: (count, ours[day]) for day, count in told.items() if count != ours[day]}
        if differing:
            theirs, here = (sum(pair[place] for pair in differing.values()) for place in (0, 1))
            days = f"{what} on {len(differing)} of {len(told)} days"
            found.append(
                Difference(days, theirs, here, _MORE_THERE if theirs > here else _MORE_HERE)
            )
    return found


def _sessions_by_day(db: Connection, agent: str, calendar: Calendar) -> Counter[str]:
    rows = db.execute(
        "SELECT m.session_id, m.quarter FROM message_sums m JOIN sessions s ON s.id = m.session_id "
        "WHERE s.agent = ? AND s.parent_uid IS NULL",
        (agent,),
    )
    pairs = {
        (session, told[0].isoformat())
        for session, quarter in rows
        if (told := calendar.day_and_hour(quarter))
    }
    return Counter(day for _, day in pairs)


def _calls_by_day(db: Connection, agent: str, calendar: Calendar) -> Counter[str]:
    rows = db.execute(
        f"SELECT t.started_at / {QUARTER}, count(*) FROM tool_calls t JOIN sessions s ON s.id = t.session_id "
        "WHERE s.agent = ? AND t.started_at IS NOT NULL GROUP BY 1",
        (agent,),
    )
    counts: Counter[str] = Counter()
    for quarter, count in rows:
        if told := calendar.day_and_hour(quarter):
            counts[told[0].isoformat()] += count
    return counts


def _origins(db: Connection, agent: str) -> list[Difference]:
    """Places of one agent that report the same calls: what each says, beside what counts."""
    rows = db.execute(
        "WITH told AS (SELECT coalesce(s.parent_uid, s.uid) AS main, u.origin, u.counted, "
        "coalesce(u.output_tokens, 0) AS tokens FROM usage u JOIN sessions s ON s.id = u.session_id "
        "WHERE s.agent = ? AND u.rank > 0), "
        "best AS (SELECT main, sum(tokens) AS tokens FROM told WHERE counted GROUP BY 1), "
        "own AS (SELECT main, origin, sum(tokens) AS tokens FROM told GROUP BY 1, 2 HAVING sum(counted) < count(*)) "
        "SELECT own.origin, sum(own.tokens), sum(best.tokens), count(*) FROM own JOIN best USING (main) "
        "WHERE own.tokens <> best.tokens GROUP BY 1",
        (agent,),
    )
    return [
        Difference(
            f"output tokens by '{origin}' in {count:,} session{'s' if count != 1 else ''}",
            own,
            ours,
            _ORIGINS.get(origin, "the journal takes the better place"),
        )
        for origin, own, ours, count in rows
    ]
