"""What needs attention: problems, records this version does not know, and files the agent is about
to delete.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from agent_journal import connectors
from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import (
    Connector,
    Env,
    FoundFile,
    Unlisted,
    folder_of,
    is_scattered,
)
from agent_journal.errors import JournalError
from agent_journal.health.own_counts import Difference, differences
from agent_journal.health.rescued import Rescued, hidden, lost, recovered
from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import count_sessions
from agent_journal.sync.run import found_files, is_text, roots_of, with_projects

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
    kind: str = "record"


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
    is_scattered: bool = False  # whether its files lie in the users' own folders
    broken: str = ""  # why the connector, of another package, is of no use
    is_installed: bool = True  # whether there is a connector at all


def examine(db: Connection | None, config: Config, env: Env, agent: str) -> AgentHealth:
    """Looks at one agent's folders and at what the journal says about them."""
    connector = get_connector(agent)
    is_configured = config.sources(agent) is not None
    env = with_projects(env, db)
    kept, refused = _kept(db, agent)
    paths = roots_of(connector, config, env)
    failures: list[JournalError] = []
    roots = [
        _examine_root(connector, root, is_configured, kept, refused, failures) for root in paths
    ]
    broken = failures[0].message if failures else ""
    unlooked = _unlooked(connector, paths, env) if is_configured else []
    if db is None:
        told = AgentHealth(
            agent, connector.title, roots, 0, 0, {}, 0, [], [], 0, unlooked, [], [], [], []
        )
    else:
        told = _told(db, agent, connector.title, roots, unlooked)
    return told._replace(is_scattered=is_scattered(connector), broken=broken)


def _told(
    db: Connection, agent: str, title: str, roots: list[Root], unlooked: list[str]
) -> AgentHealth:
    """What the journal says about an agent."""
    one = (agent,)
    troubles = db.execute(
        "SELECT path, offset, reason, kind FROM problems WHERE agent = ? ORDER BY path, offset", one
    ).fetchall()
    return AgentHealth(
        agent,
        title,
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


def examine_all(db: Connection | None, config: Config, env: Env) -> list[AgentHealth]:
    """Looks at every agent."""
    found = [_examined(db, config, env, agent) for agent in connectors.NAMES]
    gone = () if db is None else uninstalled(db)
    return found + [
        _told(db, agent, agent, [], [])._replace(is_installed=False)
        for agent in gone
        if db is not None
    ]


def uninstalled(db: Connection) -> list[str]:
    """The agents whose files are kept, and whose connectors, of other packages, are not installed
    any more.
    """
    kept = {agent for (agent,) in db.execute("SELECT DISTINCT agent FROM files")}
    return sorted(kept.difference(connectors.NAMES))


def _examined(db: Connection | None, config: Config, env: Env, agent: str) -> AgentHealth:
    try:
        return examine(db, config, env, agent)
    except JournalError as error:
        if agent in connectors.BUILT_IN:
            raise
        sessions = count_sessions(db, Query(agent=agent)) if db is not None else 0
        troubles = [Trouble(agent, None, error.message, "connector")]
        told = AgentHealth(
            agent, agent, [], sessions, 0, {}, 0, [], troubles, 1, [], [], [], [], []
        )
        return told._replace(broken=error.message)


def _kept(db: Connection | None, agent: str) -> tuple[dict[str, tuple[int, int]], set[str]]:
    """What is kept of an agent's files; and files that have a problem of their own, so that a sync
    would not help.
    """
    if db is None:
        return {}, set()
    rows = db.execute(
        "SELECT path, size, mtime_ns FROM files WHERE agent = ? AND is_current = 1", (agent,)
    )
    kept = {path: (size, mtime_ns) for path, size, mtime_ns in rows}
    return kept, {row[0] for row in db.execute("SELECT path FROM problems WHERE kind = 'file'")}


def _unlooked(connector: Connector, roots: list[str], env: Env) -> list[str]:
    """Where the agent has files that the settings leave out."""
    others = [path for path in map(os.path.realpath, connector.roots(env)) if path not in roots]
    found = {
        path: {file.path for file in found_files(connector, path)}
        for path in others
        if os.path.exists(path)
    }
    named = (
        {file.path for root in roots for file in found_files(connector, root)}
        if any(found.values())
        else set()
    )
    return [path for path, files in found.items() if files - named]


def _examine_root(
    connector: Connector,
    root: str,
    is_configured: bool,
    kept: dict[str, tuple[int, int]],
    refused: set[str],
    failures: list[JournalError],
) -> Root:
    retention = connector.retention_days(root)
    due_before = time.time_ns() - ((retention or 0) - 7) * _DAY_NS  # within the next seven days
    files = unkept = due = due_unkept = 0
    unlisted: list[str] = []
    for found in found_files(connector, root, failures.append):
        if isinstance(found, Unlisted):
            if failures and found.reason == failures[-1].message:
                continue  # nothing is wrong with the folder
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
    return Root(
        root,
        os.path.exists(folder_of(root)),
        files,
        unkept,
        retention,
        due,
        due_unkept,
        unlisted,
        is_configured,
    )


def _is_deletable(found: FoundFile) -> bool:
    # A log without a session is a sub-agent's; documents and replays tell their session only when
    # they are read.
    return found.role in ("replay", "session") or (
        found.role == "log" and found.session_id is not None
    )


def _unknown(db: Connection, agent: str) -> list[Unknown]:
    rows = db.execute(
        "SELECT l.kind, sum(l.count), group_concat(DISTINCT s.agent_version) FROM ledger l "
        "JOIN files f ON f.id = l.file_id LEFT JOIN sessions s ON s.uid = f.session AND s.agent = f.agent "
        "WHERE f.agent = ? AND l.status = 'unknown' GROUP BY l.kind ORDER BY 2 DESC",
        (agent,),
    )
    return [
        Unknown(kind, count, sorted((versions or "").split(",")) if versions else [])
        for kind, count, versions in rows
    ]


def _number(db: Connection, query: str, values: tuple[str, ...]) -> int:
    number: int = db.execute(query, values).fetchone()[0]
    return number
