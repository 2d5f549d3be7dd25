"""What agents counted themselves, and the journal's counts of the same things."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import QUARTER


class ActiveQuarter(NamedTuple):
    """A quarter of an hour in which something was said in a session."""

    session_row_id: int
    quarter: int


class OriginTotal(NamedTuple):
    """Output tokens by one place of an agent that reports usage, and those that count instead."""

    origin: str
    own_tokens: int
    counted_tokens: int
    sessions: int


def daily_stat_bodies(db: Connection, agent: str) -> list[bytes]:
    """Return an agent's own statistics by day, as they are stored."""
    rows = db.execute(
        "SELECT d.body FROM daily_stats d JOIN files f ON f.id = d.file_id WHERE f.agent = ?",
        (agent,),
    )
    return [body for (body,) in rows]


def active_quarters(db: Connection, agent: str) -> list[ActiveQuarter]:
    """Return when something was said in each session of an agent, sub-agents aside."""
    rows = db.execute(
        "SELECT m.session_id, m.quarter FROM message_sums m JOIN sessions s ON s.id = m.session_id "
        "WHERE s.agent = ? AND s.parent_uid IS NULL",
        (agent,),
    )
    return [ActiveQuarter(*row) for row in rows]


def calls_by_quarter(db: Connection, agent: str) -> dict[int, int]:
    """Return how many tool calls of an agent began in each quarter of an hour."""
    rows = db.execute(
        f"SELECT t.started_at / {QUARTER}, count(*) "
        "FROM tool_calls t JOIN sessions s ON s.id = t.session_id "
        "WHERE s.agent = ? AND t.started_at IS NOT NULL GROUP BY 1",
        (agent,),
    )
    return dict(rows)


def differing_origins(db: Connection, agent: str) -> list[OriginTotal]:
    """Return the places that report other numbers of tokens than those that count."""
    rows = db.execute(
        "WITH reported AS (SELECT coalesce(s.parent_uid, s.uid) AS main, u.origin, u.counted, "
        "coalesce(u.output_tokens, 0) AS tokens "
        "FROM usage u JOIN sessions s ON s.id = u.session_id WHERE s.agent = ? AND u.rank > 0), "
        "best AS (SELECT main, sum(tokens) AS tokens FROM reported WHERE counted GROUP BY 1), "
        "own AS (SELECT main, origin, sum(tokens) AS tokens FROM reported "
        "GROUP BY 1, 2 HAVING sum(counted) < count(*)) "
        "SELECT own.origin, sum(own.tokens), sum(best.tokens), count(*) "
        "FROM own JOIN best USING (main) WHERE own.tokens <> best.tokens GROUP BY 1",
        (agent,),
    )
    return [OriginTotal(*row) for row in rows]
