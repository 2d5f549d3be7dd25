"""Tool calls and edits as rows, for answers that rest on what was done: with their success."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.store.catalog.bodies import Spot
from agent_journal.store.catalog.connection import Connection

_CALL_COLUMNS = (
    "t.id, t.session_id, t.seq, t.name, t.kind, t.status, t.exit_code, "
    "coalesce(t.started_at, m.timestamp), coalesce(m.seq, t.seq), t.file_id, "
    "t.block, t.start, t.size"
)
_CALLS = (
    "tool_calls t LEFT JOIN messages m "
    "ON m.uid = t.message_uid AND m.session_id = t.session_id AND m.file_id = t.file_id"
)


class CallRow(NamedTuple):
    """A tool call without its texts; `at` is the position of its message."""

    id: int
    session_id: int
    seq: int
    name: str | None
    kind: str
    status: str | None
    exit_code: int | None
    timestamp: int | None
    at: int
    file_id: int
    block: int
    start: int
    size: int

    @property
    def spot(self) -> Spot:
        """Where its body is."""
        return Spot(self.block, self.start, self.size)

    @property
    def success(self) -> bool | None:
        """Whether the call did what it was asked; None while it is unknown."""
        if self.status in (None, "running"):
            return None
        return self.status == "ok"


class EditRow(NamedTuple):
    """An edit of a file without its texts."""

    id: int
    session_id: int
    seq: int
    path: str
    kind: str
    timestamp: int | None
    lines_added: int | None
    lines_removed: int | None
    block: int
    start: int
    size: int

    @property
    def spot(self) -> Spot:
        """Where its body is."""
        return Spot(self.block, self.start, self.size)


def calls_by_id(db: Connection, ids: Iterable[int]) -> dict[int, CallRow]:
    """Tool calls by the ids of their items."""
    query = f"SELECT {_CALL_COLUMNS} FROM {_CALLS} WHERE t.id IN ({_numbers(ids)})"
    rows = map(CallRow._make, db.execute(query))
    return {row.id: row for row in rows}


def calls_from(db: Connection, session_id: int, seq: int, most: int) -> list[CallRow]:
    """The tool calls of a session from a position on, in their order."""
    query = (
        f"SELECT {_CALL_COLUMNS} FROM {_CALLS} WHERE t.session_id = ? AND t.seq >= ? "
        "ORDER BY t.seq, t.id LIMIT ?"
    )
    return [CallRow(*row) for row in db.execute(query, (session_id, seq, most))]


def edits_by_id(db: Connection, ids: Iterable[int]) -> dict[int, EditRow]:
    """Edits of files by the ids of their items."""
    query = (
        "SELECT id, session_id, seq, path, kind, timestamp, lines_added, lines_removed, "
        f"block, start, size FROM file_edits WHERE id IN ({_numbers(ids)})"
    )
    rows = map(EditRow._make, db.execute(query))
    return {row.id: row for row in rows}


def sessions_of_calls(db: Connection, uids: Iterable[str]) -> set[int]:
    """The rows of the sessions that have tool calls with these ids of their agent."""
    found: set[int] = set()
    for uid in uids:
        rows = db.execute("SELECT session_id FROM tool_calls WHERE uid = ?", (uid,))
        found.update(session_id for (session_id,) in rows)
    return found


def _numbers(ids: Iterable[int]) -> str:
    return ", ".join(str(int(number)) for number in ids)
