"""What needs attention: problems, records this version does not know, and files the agent is about to delete."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import NamedTuple

from agent_journal.catalog.listing import count_sessions
from agent_journal.config import Config
from agent_journal.connectors import NAMES, get_connector
from agent_journal.connectors.base import Connector, Env, FoundFile, Unlisted
from agent_journal.differences import Difference, differences
from agent_journal.query import Query
from agent_journal.rescue import Rescued, hidden, lost, recovered
from agent_journal.sync import is_text, roots_of

_DAY_NS = 86400 * 10**9
_RECORDS = "SELECT l.status, sum(l.count) FROM ledger l JOIN files f ON f.id = l.file_id WHERE f.agent = ? GROUP BY 1"
_PENDING = (
    "SELECT coalesce(sum(v.size - f.read_offset), 0) FROM files f JOIN versions v ON v.id = f.version_id "
    "WHERE f.agent = ? AND f.role IN ('log', 'replay') AND f.status = 'read'"
)


class Unknown(NamedTuple):
    """A kind of record this version does not know."""

    kind: str
    records: int
    versions: list[str]


class Trouble(NamedTuple):
    """A place that could not be read."""

    path: str
    offset: int | None
    reason: str


class Root(NamedTuple):
    """A folder of an agent: what is on disk, what is kept, and when the agent deletes."""

    path: str
    exists: bool
    files: int
    unkept_files: int
    retention_days: int | None
    due_files: int
    due_unkept: int
    unlisted: list[str]
    is_configured: bool


class AgentHealth(NamedTuple):
    """The state of one agent."""

    agent: str
    title: str
    roots: list[Root]
    sessions: int
    vanished_files: int
    records: dict[str, int]
    pending_bytes: int
    unknown: list[Unknown]
    troubles: list[Trouble]
    trouble_count: int
    unlooked: list[str]
    recovered: list[Rescued]
    hidden: list[Rescued]
    lost: list[Rescued]
    differences: list[Difference]


def examine(db: sqlite3.Connection | None, config: Config, env: Env, agent: str) -> AgentHealth:
    """Looks at one agent's folders and at what the journal says about them."""
    connector = get_connector(agent)
    is_configured = config.sources(agent) is not None
    roots = [_examine_root(db, connector, root, is_configured) for root in roots_of(connector, config, env)]
    named = {root.path for root in roots}
    unlooked = [
        path for path in map(os.path.realpath, connector.roots(env)) if path not in named and os.path.isdir(path)
    ]
    if db is None:
        return AgentHealth(agent, connector.title, roots, 0, 0, {}, 0, [], [], 0, unlooked, [], [], [], [])
    one = (agent,)
    troubles = db.execute(
        "SELECT path, offset, reason FROM problems WHERE agent = ? ORDER BY path, offset", one
    ).fetchall()
    return AgentHealth(
        agent,
        connector.title,
        roots,
        count_sessions(db, Query(agent=agent)),
        _number(db, "SELECT count(*) FROM files WHERE agent = ? AND vanished_at IS NOT NULL", one),
        dict(db.execute(_RECORDS, one)),
        _number(db, _PENDING, one),
        _unknown(db, agent),
        [Trouble(*row) for row in troubles[:200]],
        len(troubles),
        unlooked,
        recovered(db, agent),
        hidden(db, agent),
        lost(db, agent),
        differences(db, agent),
    )


def examine_all(db: sqlite3.Connection | None, config: Config, env: Env) -> list[AgentHealth]:
    """Looks at every agent."""
    return [examine(db, config, env, agent) for agent in NAMES]


def _examine_root(db: sqlite3.Connection | None, connector: Connector, root: str, is_configured: bool) -> Root:
    kept: dict[str, tuple[int, int]] = {}
    if db is not None:
        rows = db.execute("SELECT path, size, mtime_ns FROM files WHERE agent = ? AND settled = 1", (connector.name,))
        kept = {path: (size, mtime_ns) for path, size, mtime_ns in rows}
    refused = set()  # they have a problem of their own, and a sync would not help
    if db is not None:
        refused = {row[0] for row in db.execute("SELECT path FROM problems WHERE kind = 'file'")}
    retention = connector.retention_days(root)
    due_before = time.time_ns() - ((retention or 0) - 7) * _DAY_NS  # within the next seven days
    files = unkept = due = due_unkept = 0
    unlisted: list[str] = []
    for found in connector.discover(root):
        if isinstance(found, Unlisted):
            unlisted.append(f"{found.path}: {found.reason}")
            continue
        if not is_text(found.path):
            continue  # it has a problem of its own
        files += 1
        is_kept = kept.get(found.path) == (found.size, found.mtime_ns)
        unkept += not is_kept and found.path not in refused
        if retention is not None and _is_deletable(found) and found.mtime_ns < due_before:
            due += 1
            due_unkept += not is_kept
    return Root(root, os.path.isdir(root), files, unkept, retention, due, due_unkept, unlisted, is_configured)


def _is_deletable(found: FoundFile) -> bool:
    return found.role == "log" and found.session_id is not None


def _unknown(db: sqlite3.Connection, agent: str) -> list[Unknown]:
    rows = db.execute(
        "SELECT l.kind, sum(l.count), group_concat(DISTINCT s.agent_version) FROM ledger l "
        "JOIN files f ON f.id = l.file_id LEFT JOIN sessions s ON s.uid = f.session AND s.agent = f.agent "
        "WHERE f.agent = ? AND l.status = 'unknown' GROUP BY l.kind ORDER BY 2 DESC",
        (agent,),
    )
    return [
        Unknown(kind, count, sorted((versions or "").split(",")) if versions else []) for kind, count, versions in rows
    ]


def _number(db: sqlite3.Connection, query: str, values: tuple[str, ...]) -> int:
    number: int = db.execute(query, values).fetchone()[0]
    return number
