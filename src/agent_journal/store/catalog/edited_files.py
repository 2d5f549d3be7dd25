"""Files by the sessions that changed them."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.model import FileEdit
from agent_journal.query.filters import Query
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import conditions
from agent_journal.store.catalog.loading import items_of, without_repeated_edits

_NEWEST_FIRST = "coalesce(s.ended_at, s.started_at, 0) DESC, s.uid"


class EditedFile(NamedTuple):
    """A file, and how often it was changed; lines are None where none are recorded."""

    path: str
    sessions: int
    edits: int
    added: int | None
    removed: int | None
    last: int | None  # the end of the last of the sessions


class FileSession(NamedTuple):
    """A session that changed a file, and how often."""

    row_id: int
    edits: int


def edited_files(db: Connection, query: Query, text: str) -> list[EditedFile]:
    """The files that the sessions of a query changed, those of the most sessions first.

    `text` is a part of their paths; capitals make no difference.
    """
    where, values = conditions(query._replace(include_all=True))
    rows = db.execute(
        "SELECT e.path, count(*), sum(e.edits), sum(e.added), sum(e.removed), "
        "max(coalesce(s.ended_at, s.started_at)) "
        "FROM edit_sums e JOIN sessions s ON s.id = e.session_id "
        f"WHERE {where} AND (? = '' OR instr(folded(e.path), ?) > 0) "
        "GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ? OFFSET ?",
        (*values, text, text.lower(), query.limit or -1, query.offset),
    )
    return [EditedFile._make(row) for row in rows]


def count_edited_files(db: Connection, query: Query, text: str) -> int:
    """How many files these are, without the limit."""
    where, values = conditions(query._replace(include_all=True))
    row = db.execute(
        "SELECT count(DISTINCT e.path) FROM edit_sums e JOIN sessions s ON s.id = e.session_id "
        f"WHERE {where} AND (? = '' OR instr(folded(e.path), ?) > 0)",
        (*values, text, text.lower()),
    ).fetchone()
    count: int = row[0]
    return count


def sessions_of_file(db: Connection, path: str, query: Query) -> list[FileSession]:
    """The sessions of a query that changed a file, newest first."""
    where, values = conditions(query._replace(include_all=True))
    rows = db.execute(
        "SELECT e.session_id, e.edits FROM edit_sums e JOIN sessions s ON s.id = e.session_id "
        f"WHERE e.path = ? AND {where} ORDER BY {_NEWEST_FIRST}",
        (path, *values),
    )
    return [FileSession._make(row) for row in rows]


def edits_of_file(db: Connection, row_id: int, path: str) -> list[FileEdit]:
    """What a session did to a file, in order."""
    bodies = BodyReader(db)
    items = items_of(db, "file_edits", row_id, "t.path = ? AND t.kind <> 'backup'", (path,))
    return list(without_repeated_edits([bodies.read(item.spot, FileEdit) for item in items]))
