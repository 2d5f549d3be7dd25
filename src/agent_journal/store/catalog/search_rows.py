"""The rows that a search reads: the sessions of hits, and the passages to show. No msgspec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.session_row import SESSION_COLUMNS, SESSIONS, SessionRow


class SessionFacts(NamedTuple):
    """What the rank of a session's hits depends on."""

    is_sub_agent: bool
    started_at: int | None
    ended_at: int | None


class PassageRow(NamedTuple):
    """The row of an item whose body is in a block."""

    uid: str
    role: str
    kind: str
    timestamp: int | None
    seq: int
    session_id: int
    file_id: int
    block: int
    start: int
    size: int

    @property
    def spot(self) -> tuple[int, int, int]:
        """Where its body is."""
        return self.block, self.start, self.size


class BodyRow(NamedTuple):
    """The row of an item that holds its body, and the agent whose file it is from."""

    body: bytes
    agent: str | None


class DocumentRow(NamedTuple):
    """A kept file of a session, and when it was written."""

    file_id: int
    name: str
    timestamp: int | None


class TitleRow(NamedTuple):
    """What a session can be found by."""

    item_id: int
    session_id: int
    started_at: int | None
    ended_at: int | None
    title: str | None
    project_path: str | None
    project_dir: str | None
    repository: str | None
    git_branch: str | None
    own_title: str | None  # which a person gave it


TITLE_COLUMNS = (
    "s.item_id, s.id, s.started_at, s.ended_at, s.title, s.project_path, s.project_dir, "
    "s.repository, s.git_branch, k.title"
)
_PASSAGE_COLUMNS = {
    "messages": "uid, role, kind, timestamp",
    "tool_calls": "uid, 'tool', 'tool', started_at",
    "events": "'', '', 'event', timestamp",
    "file_edits": "'', '', 'edit', timestamp",
}
# Items with a vector, and the session each is in
_SESSIONS_OF_ITEMS = (
    "SELECT id, session_id FROM messages WHERE id IN ({ids})",
    "SELECT item_id, id FROM sessions WHERE item_id IN ({ids})",
    "SELECT id, coalesce(session_id, 0) FROM plans WHERE id IN ({ids})",
)


# -- sessions ----------------------------------------------------------------------------------


def session_facts(db: Connection, ids: Iterable[int]) -> dict[int, SessionFacts]:
    """The facts of those sessions that the catalog knows."""
    query = (
        "SELECT id, parent_uid IS NOT NULL, started_at, ended_at FROM sessions "
        f"WHERE is_known = 1 AND id IN ({_list(ids)})"
    )
    return {
        session_id: SessionFacts(bool(is_sub_agent), started_at, ended_at)
        for session_id, is_sub_agent, started_at, ended_at in db.execute(query)
    }


def session_rows(db: Connection, ids: Iterable[int]) -> dict[int, SessionRow]:
    """Sessions by their row ids."""
    query = f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE s.id IN ({_list(ids)})"
    rows = map(SessionRow._make, db.execute(query))
    return {row.row_id: row for row in rows}


def sessions_of_items(db: Connection, ids: Iterable[int]) -> dict[int, int]:
    """The session of each item that still exists, 0 when it is not known.

    The items are those that can have a vector: messages, titles of sessions, and plans.
    """
    wanted = set(ids)
    found: dict[int, int] = {}
    for query in _SESSIONS_OF_ITEMS:
        missing = wanted - found.keys()
        if missing:
            found.update(db.execute(query.format(ids=_list(missing))))
    return found


def count_prose_after(db: Connection, item_id: int) -> int:
    """How many messages and titles have an id above one."""
    query = (
        "SELECT (SELECT count(*) FROM messages WHERE id > ?1) + "
        "(SELECT count(*) FROM sessions WHERE item_id > ?1)"
    )
    (count,) = db.execute(query, (item_id,)).fetchone()
    return int(count)


def count_calls_after(db: Connection, item_id: int) -> int:
    """How many tool calls have an id above one."""
    query = "SELECT count(*) FROM tool_calls WHERE id > ?"
    (count,) = db.execute(query, (item_id,)).fetchone()
    return int(count)


# -- passages ----------------------------------------------------------------------------------


def find_passage(db: Connection, table: str, item_id: int) -> PassageRow | None:
    """The row of an item in a table whose bodies are in blocks."""
    columns = f"{_PASSAGE_COLUMNS[table]}, seq, session_id, file_id, block, start, size"
    row = db.execute(f"SELECT {columns} FROM {table} WHERE id = ?", (item_id,)).fetchone()
    if row is None:
        return None
    return PassageRow._make(row)


def find_body(db: Connection, table: str, item_id: int) -> BodyRow | None:
    """The row of an item in a table that holds its bodies."""
    query = (
        f"SELECT t.body, f.agent FROM {table} t LEFT JOIN files f ON f.id = t.file_id "
        "WHERE t.id = ?"
    )
    row = db.execute(query, (item_id,)).fetchone()
    if row is None:
        return None
    return BodyRow._make(row)


def find_document(db: Connection, item_id: int) -> DocumentRow | None:
    """The document that is an item."""
    query = (
        "SELECT d.file_id, d.name, f.mtime_ns / 1000 "
        "FROM documents d JOIN files f ON f.id = d.file_id WHERE d.id = ?"
    )
    row = db.execute(query, (item_id,)).fetchone()
    if row is None:
        return None
    return DocumentRow._make(row)


def find_title(db: Connection, item_id: int) -> TitleRow | None:
    """The session whose title is an item."""
    query = f"SELECT {TITLE_COLUMNS} FROM {SESSIONS} WHERE s.item_id = ?"
    row = db.execute(query, (item_id,)).fetchone()
    if row is None:
        return None
    return TitleRow._make(row)


def messages_before(db: Connection, session_id: int, seq: int) -> Iterator[PassageRow]:
    """The messages of a session before a place, the last one first."""
    return _messages(db, "session_id = ? AND seq < ? ORDER BY seq DESC", session_id, seq)


def messages_after(db: Connection, session_id: int, seq: int) -> Iterator[PassageRow]:
    """The messages of a session after a place, in order."""
    return _messages(db, "session_id = ? AND seq > ? ORDER BY seq", session_id, seq)


def _messages(db: Connection, condition: str, session_id: int, seq: int) -> Iterator[PassageRow]:
    columns = f"{_PASSAGE_COLUMNS['messages']}, seq, session_id, file_id, block, start, size"
    rows = db.execute(f"SELECT {columns} FROM messages WHERE {condition}", (session_id, seq))
    return map(PassageRow._make, rows)


# -- vectors -----------------------------------------------------------------------------------


def _list(ids: Iterable[int]) -> str:
    return ",".join(map(str, set(ids)))
