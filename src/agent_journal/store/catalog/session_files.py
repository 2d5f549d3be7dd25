"""Which files the items of a session were read from."""

from __future__ import annotations

from agent_journal.store.catalog.connection import Connection


def files_with_pictures(db: Connection, session_id: int) -> list[int]:
    """The ids of the files that messages and tool calls of a session were read from."""
    query = (
        "SELECT file_id FROM messages WHERE session_id = ?1 "
        "UNION SELECT file_id FROM tool_calls WHERE session_id = ?1"
    )
    return [file_id for (file_id,) in db.execute(query, (session_id,))]
