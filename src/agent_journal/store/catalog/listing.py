"""Sessions as rows: lists, look-ups and overviews, straight from the tables.

Imports no msgspec: `aj ls` runs often.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from agent_journal.errors import AmbiguousSession, JournalError, NoSessionYet, NoSuchSession
from agent_journal.query.filters import Query
from agent_journal.store.catalog.project_filters import folder_condition, project_condition
from agent_journal.store.catalog.schema import NUMBERED
from agent_journal.store.catalog.session_row import SESSION_COLUMNS, SESSIONS
from agent_journal.store.catalog.session_row import SessionRow as SessionRow
from agent_journal.text.dates import to_micros
from agent_journal.text.human import human_time, short_ids
from agent_journal.text.plain import one_line

REPOSITORY = (
    "coalesce(s.repository, (SELECT p.project FROM projects p WHERE p.path = s.project_path), '')"
)
# A sub-agent is listed under its parent, unless a person spoke in it (detached sessions of Copilot
# CLI). One that has a name may have no known parent.
IS_OF_PERSON = "((s.parent_uid IS NULL AND s.agent_name IS NULL) OR s.prompt_count > 0)"
IS_MAIN = f"s.is_known = 1 AND {IS_OF_PERSON}"
# Empty sessions are not listed; one whose conversation is lost may still have edits.
HAS_CONTENT = "(s.message_count > 0 OR s.edit_count > 0)"
_NEWEST_FIRST = "s.is_automated, coalesce(s.ended_at, s.started_at, 0) DESC, s.uid"
_LAST = "\U0010ffff"
_MOST_NAMED = 5
_MOST_LETTERS = 44  # of an id and a title, so that a row of them fits 80 columns
_LEAST_TITLE = 16
_SHORT_LENGTHS = (8, 13, 18, 24)  # letters; the groups of a UUID end there
_PLAIN_NAME = r"\w[\w./-]*\Z"  # compiled when it is used: a sync is short


def list_sessions(db: sqlite3.Connection, query: Query) -> list[SessionRow]:
    """The sessions a query means: people's first, newest first."""
    where, values = conditions(query)
    limit = query.limit
    if limit is None:
        limit = -1
    rows = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE {where} "
        f"ORDER BY {_NEWEST_FIRST} LIMIT ? OFFSET ?",
        (*values, limit, query.offset),
    )
    return [SessionRow(*row) for row in rows]


def list_everything(db: sqlite3.Connection, query: Query) -> list[SessionRow]:
    """All sessions a query means, each followed by its sub-agents.

    A session whose parent is not known is listed like one without a parent.
    """
    where, values = conditions(query)
    rows = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE {where} ORDER BY {_NEWEST_FIRST}", values
    )
    meant = [SessionRow(*row) for row in rows]
    known = set(db.execute("SELECT agent, uid FROM sessions WHERE is_known = 1"))
    roots = [row for row in meant if (row.agent, row.parent_id) not in known]
    listed: dict[tuple[str, str], SessionRow] = {}
    for root in (*roots, *meant):  # what no root leads to has parents in a circle
        _add_family(db, root, listed)
    return list(listed.values())


def _add_family(
    db: sqlite3.Connection, root: SessionRow, listed: dict[tuple[str, str], SessionRow]
) -> None:
    waiting = [root]
    while waiting:
        row = waiting.pop()
        if (row.agent, row.id) not in listed:
            listed[row.agent, row.id] = row
            waiting += reversed(children_of(db, row.agent, row.id))


def descendants_of(db: sqlite3.Connection, session: SessionRow) -> list[SessionRow]:
    """The sub-agents of a session, and theirs."""
    listed: dict[tuple[str, str], SessionRow] = {}
    _add_family(db, session, listed)
    return list(listed.values())[1:]


def count_sessions(db: sqlite3.Connection, query: Query) -> int:
    """How many sessions a query means, without its limit."""
    where, values = conditions(query)
    count: int = db.execute(f"SELECT count(*) FROM sessions s WHERE {where}", values).fetchone()[0]
    return count


class SessionKey(NamedTuple):
    """What a session is known by, also when its id is another one in a file that was rewritten."""

    agent: str
    uid: str
    project_path: str | None
    started_at: int | None


def counted_sessions(db: sqlite3.Connection, file_id: int) -> set[SessionKey]:
    """The sessions of a file that count_sessions counts."""
    where, values = conditions(Query())
    found = db.execute(
        f"SELECT s.agent, s.uid, s.project_path, s.started_at FROM sessions s WHERE {where} "
        "AND s.id IN (SELECT session_id FROM session_pieces WHERE file_id = ?)",
        (*values, file_id),
    )
    return {SessionKey(*row) for row in found}


def find_session_row(db: sqlite3.Connection, agent: str, uid: str) -> SessionRow | None:
    """A session by its whole id."""
    query = f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE s.agent = ? AND s.uid = ?"
    row = db.execute(query, (agent, uid)).fetchone()
    return SessionRow(*row) if row else None


def count_left_sessions(db: sqlite3.Connection, sessions: set[SessionKey]) -> int:
    """How many of these sessions count_sessions no longer counts."""
    where, values = conditions(Query())
    query = (
        f"SELECT 1 FROM sessions s WHERE {where} AND s.agent = ? "
        "AND (s.uid = ? OR (s.project_path IS ? AND s.started_at = ?)) LIMIT 1"
    )
    left = [key for key in sessions if db.execute(query, (*values, *key)).fetchone() is None]
    return len(left)


def count_sessions_of_files(db: sqlite3.Connection, last_file: int) -> int:
    """How many sessions are in files with ids up to this one."""
    where, values = conditions(Query())
    found = db.execute(
        f"SELECT count(*) FROM sessions s WHERE {where} AND EXISTS "
        "(SELECT 1 FROM session_pieces p WHERE p.session_id = s.id AND p.file_id <= ?)",
        (*values, last_file),
    )
    count: int = found.fetchone()[0]
    return count


def known_projects(db: sqlite3.Connection) -> tuple[str, ...]:
    """The folders that sessions were held in, by name."""
    query = (
        "SELECT DISTINCT project_path FROM sessions "
        "WHERE project_path IS NOT NULL AND is_known = 1 ORDER BY project_path"
    )
    return tuple(path for (path,) in db.execute(query) if "\0" not in path)


def children_of(db: sqlite3.Connection, agent: str, uid: str) -> list[SessionRow]:
    """The sub-agents of a session, in the order they started."""
    rows = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} "
        "WHERE s.parent_uid = ? AND s.agent = ? AND s.is_known = 1 ORDER BY s.started_at, s.uid",
        (uid, agent),
    )
    return [SessionRow(*row) for row in rows]


def child_counts(
    db: sqlite3.Connection, without: Collection[int] = ()
) -> dict[tuple[str, str], int]:
    """How many sub-agents each session has; those in some rows are left out."""
    query = (
        "SELECT s.agent, s.parent_uid, count(*) FROM sessions s "
        f"WHERE s.parent_uid IS NOT NULL AND s.is_known = 1 AND {is_not_among(without)} "
        "GROUP BY 1, 2"
    )
    return {(agent, uid): count for agent, uid, count in db.execute(query)}


def last_position(db: sqlite3.Connection, row_id: int) -> int:
    """The highest position of a message, tool call, event or edit of a session."""
    parts = [f"SELECT max(seq) FROM {table} WHERE session_id = ?1" for table in NUMBERED]
    positions = [position for (position,) in db.execute(" UNION ALL ".join(parts), (row_id,))]
    return max(filter(None, positions), default=0)


def get_session(db: sqlite3.Connection, text: str, without: Collection[int] = ()) -> SessionRow:
    """The session a person means by an id, any unique prefix of one, `agent:id`, or `last`.

    Those in the rows `without` are as if they were not there.
    """
    agent, uid = _split_agent(db, text.strip())
    if uid.lower() == "last":
        found = list_sessions(db, Query(agent=agent, limit=1, without=tuple(without)))
        if not found:
            raise NoSessionYet("there is no session yet", "run 'aj sync' first")
        return found[0]
    matches = _without(_matches(db, agent, uid), without)
    if not matches:
        matches = _without(_matches(db, agent, uid.lower()), without)
    if len(matches) == 1:
        return matches[0]
    if not matches:
        matches = _without(_formerly_called(db, uid), without)
    if len(matches) == 1:
        return matches[0]
    if not matches and _is_listed(db, uid):
        raise NoSuchSession(
            f"the agent lists '{text}', but its file is gone and was never kept",
            "'aj doctor' says what the list has",
        )
    if not matches:
        from agent_journal.store.catalog.pruned import no_session

        raise no_session(db, text, uid)
    raise _ambiguous(text, matches)


def _without(found: list[SessionRow], rows: Collection[int]) -> list[SessionRow]:
    return [row for row in found if row.row_id not in rows]


def short_name(db: sqlite3.Connection, row: SessionRow) -> str:
    """The shortest name of a session by which `get_session` finds it, in a few steps."""
    _, slash, last = row.id.rpartition("/")
    shorter = [row.id[:letters] for letters in _SHORT_LENGTHS]
    if slash:
        shorter = [last]
    for name in (*shorter, row.id):
        if re.match(_PLAIN_NAME, name, re.ASCII) and _is_called(db, row, name):
            return name
    return f"{row.agent}:{row.id}"


def _is_called(db: sqlite3.Connection, row: SessionRow, name: str) -> bool:
    try:
        return get_session(db, name).row_id == row.row_id
    except JournalError:
        return False


def _formerly_called(db: sqlite3.Connection, uid: str) -> list[SessionRow]:
    """The sessions to which earlier versions gave an id, or one that begins like this."""
    from agent_journal.store.catalog.former_ids import sessions_formerly_called

    found = sessions_formerly_called(db, uid.lower())
    rows = [
        db.execute(f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE s.id = ?", (row_id,)).fetchone()
        for row_id in found
    ]
    return [SessionRow(*row) for row in rows]


def _is_listed(db: sqlite3.Connection, uid: str) -> bool:
    """Whether a file names a session without having it."""
    query = (
        "SELECT 1 FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
        "WHERE s.uid = ? AND s.is_known = 0 AND p.body IS NOT NULL"
    )
    return db.execute(query, (uid,)).fetchone() is not None


def _ambiguous(text: str, matches: list[SessionRow]) -> AmbiguousSession:
    lines = [f"'{text}' matches {len(matches):,} sessions"]
    if len(matches) > _MOST_NAMED:
        lines[0] += "; the newest are:"
    newest = sorted(matches, key=lambda row: -(row.ended_at or row.started_at or 0))[:_MOST_NAMED]
    names = short_ids([row.id for row in newest])
    widest = max(map(len, names))
    room = max(_LEAST_TITLE, _MOST_LETTERS - widest)
    for name, row in zip(names, newest, strict=True):
        when = human_time(row.ended_at or row.started_at)
        title = one_line(row.title or "(no title)", room)
        lines.append(f"      {name:<{widest}}  {row.agent:<11}  {when:<10}  {title}")
    return AmbiguousSession("\n".join(lines), "write more of the id")


def _matches(db: sqlite3.Connection, agent: str | None, uid: str) -> list[SessionRow]:
    """The sessions with an id, or else those whose id begins with it."""
    if not uid:
        return []
    has_prefix = "s.uid >= :uid AND s.uid < :uid || :last"
    attempts = (
        "s.uid = :uid",
        f"s.parent_uid IS NULL AND {has_prefix}",
        has_prefix,
        "instr(s.uid, '/' || :uid) > 0 AND s.parent_uid IS NOT NULL",
    )
    for condition in attempts:
        rows = db.execute(
            f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} "
            f"WHERE (:agent IS NULL OR s.agent = :agent) AND s.is_known = 1 AND {condition}",
            {"agent": agent, "uid": uid, "last": _LAST},
        )
        matches = [SessionRow(*row) for row in rows]
        if matches:
            return matches
    return []


def _split_agent(db: sqlite3.Connection, text: str) -> tuple[str | None, str]:
    """The agent and the id of `agent:id`; the beginning of the agent's name is enough."""
    beginning, colon, uid = text.partition(":")
    if not colon or not beginning:
        return None, text
    agents = {agent for (agent,) in db.execute("SELECT DISTINCT agent FROM sessions")}
    if beginning in agents:
        return beginning, uid
    if _matches(db, None, text):  # an id with a colon in it
        return None, text
    candidates = sorted(agent for agent in agents if agent.startswith(beginning.lower()))
    if not candidates:
        return None, text
    if len(candidates) > 1:
        message = f"'{beginning}' is the beginning of several agents: {', '.join(candidates)}"
        raise AmbiguousSession(message, "write more of the name")
    return candidates[0], uid


def conditions(query: Query) -> tuple[str, list[Any]]:
    """What a query asks of the row `s` of a session, in SQL."""
    values: list[Any] = []
    if query.include_all:
        conditions = ["s.is_known = 1"]
    else:
        conditions = [IS_MAIN, HAS_CONTENT]
    agents = query.agent or ()
    if isinstance(agents, str):
        agents = (agents,)
    if agents:
        conditions.append(f"s.agent IN ({', '.join('?' * len(agents))})")
        values += agents
    if query.project is not None:
        of_project = project_condition(query.project)
        conditions.append(of_project.sql)
        values += of_project.values
    if query.folder is not None:
        in_folder = folder_condition(query.folder)
        conditions.append(in_folder.sql)
        values += in_folder.values
    if query.since is not None:
        conditions.append("coalesce(s.ended_at, s.started_at) >= ?")
        values.append(to_micros(query.since))
    if query.until is not None:
        conditions.append("coalesce(s.started_at, s.ended_at) <= ?")
        values.append(to_micros(query.until))
    if query.without:
        conditions.append(is_not_among(query.without))
    return " AND ".join(conditions), values


def is_not_among(rows: Iterable[int]) -> str:
    """The condition that the session `s` is none of some rows, in SQL."""
    return f"s.id NOT IN ({', '.join(str(int(row)) for row in rows)})"


class AgentOverview(NamedTuple):
    """What the journal holds of one agent."""

    agent: str
    sessions: int
    messages: int
    files: int
    source_bytes: int
    oldest: int | None
    newest: int | None
    vanished: int


def overview(db: sqlite3.Connection) -> list[AgentOverview]:
    """One line per agent."""
    rows = db.execute(
        "SELECT f.agent, "
        "(SELECT count(*) FROM sessions s "
        f"WHERE s.agent = f.agent AND {IS_MAIN} AND {HAS_CONTENT}), "
        "(SELECT coalesce(sum(message_count), 0) FROM sessions s WHERE s.agent = f.agent), "
        "count(*), coalesce(sum(v.size), 0), "
        "(SELECT min(started_at) FROM sessions s WHERE s.agent = f.agent AND s.message_count > 0), "
        "(SELECT max(ended_at) FROM sessions s WHERE s.agent = f.agent AND s.message_count > 0), "
        "coalesce(sum(f.vanished_at IS NOT NULL), 0) "
        "FROM files f LEFT JOIN versions v ON v.id = f.version_id "
        "WHERE f.role NOT IN ('rows', 'companion') GROUP BY f.agent ORDER BY f.agent"
    )
    return [AgentOverview(*row) for row in rows]
