"""What `aj import` asks the catalog: which sessions and files it knows already."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.connectors.base import ROWS_MARK
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import IS_TRANSCRIPT, FileRow, Files


def session_with_messages(db: Connection, agent: str, message_ids: Sequence[str]) -> str | None:
    """The session of an agent that has all of these messages."""
    marks = ", ".join("?" * len(message_ids))
    row = db.execute(
        "SELECT s.uid FROM messages m JOIN sessions s ON s.id = m.session_id "
        f"WHERE s.agent = ? AND m.uid IN ({marks}) "
        "GROUP BY s.id HAVING count(DISTINCT m.uid) = ? LIMIT 1",
        (agent, *message_ids, len(set(message_ids))),
    ).fetchone()
    return None if row is None else str(row[0])


def has_transcript(db: Connection, agent: str, session_id: str | None) -> bool:
    """Whether a file of the journal is a transcript of a session."""
    condition = f"agent = ? AND session = ? AND {IS_TRANSCRIPT}"
    return bool(Files(db).where(condition, agent, session_id))


def path_read_for(db: Connection, agent: str, session_id: str) -> str | None:
    """The path of the transcript that a session was read from."""
    row = db.execute(
        "SELECT f.path FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
        "JOIN files f ON f.id = p.file_id WHERE s.agent = ? AND s.uid = ? "
        f"AND f.{IS_TRANSCRIPT} AND f.status = 'read' LIMIT 1",
        (agent, session_id),
    ).fetchone()
    return None if row is None else str(row[0])


def transcripts_in_database(db: Connection, agent: str, path: str) -> list[FileRow]:
    """The sessions that were extracted from a foreign database."""
    start = path + ROWS_MARK
    condition = f"agent = ? AND {IS_TRANSCRIPT} AND completeness > 0 AND substr(path, 1, ?) = ?"
    return Files(db).where(condition, agent, len(start), start)


def reading_problem(db: Connection, file_id: int) -> str | None:
    """Why a file could not be read."""
    query = "SELECT reason FROM problems WHERE file_id = ? AND kind IN ('file', 'reader')"
    row = db.execute(query, (file_id,)).fetchone()
    return None if row is None else str(row[0])


def session_ids_in_file(db: Connection, file_id: int) -> list[str]:
    """The ids of the sessions that a file has pieces of."""
    query = (
        "SELECT s.uid FROM session_pieces p JOIN sessions s ON s.id = p.session_id "
        "WHERE p.file_id = ?"
    )
    return [uid for (uid,) in db.execute(query, (file_id,))]
