"""What was said before an edit: the prompt that it was made for, and the agent's words."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.model import FileEdit, Message
from agent_journal.store.catalog.bodies import BodyReader, Spot
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import Writing

_ASKED = "m.kind IN ('prompt', 'command', 'shell')"
_COLUMNS = "m.seq, m.block, m.start, m.size"
_WORDS = 8  # messages before an edit in which the agent may have said something


class Said(NamedTuple):
    """A message of a session: its position and where its text is."""

    position: int
    spot: Spot


class Edges(NamedTuple):
    """Where in a session something happened: in which file, at what position and time."""

    file_id: int | None
    seq: int
    time: int | None


def call_in(db: Connection, session: int, uid: str | None) -> Edges | None:
    """Where a call of a session is: the one that started a sub-agent."""
    row = db.execute(
        "SELECT file_id, seq, started_at FROM tool_calls WHERE session_id = ? AND uid = ?",
        (session, uid),
    ).fetchone()
    return Edges._make(row) if row else None


def is_beside_messages(db: Connection, session: int, file_id: int) -> bool:
    """Whether a file of a session has messages of it: then positions in it can be compared."""
    row = db.execute(
        "SELECT 1 FROM messages WHERE session_id = ? AND file_id = ? LIMIT 1", (session, file_id)
    ).fetchone()
    return row is not None


def edges_of_request(db: Connection, bodies: BodyReader, writing: Writing) -> Edges:
    """Where the request is that an edit names; else only its time is known."""
    edit = bodies.read(writing.spot, FileEdit)
    row = db.execute(
        "SELECT file_id, seq, timestamp FROM messages WHERE session_id = ? AND uid = ?",
        (writing.session, edit.message_id),
    ).fetchone()
    if row is None:
        return Edges(None, -1, writing.time)
    return Edges._make(row)


def prompt_before(db: Connection, session: int, edges: Edges) -> Said | None:
    """The last prompt of a session before something happened in it."""
    if edges.file_id is not None:
        row = db.execute(
            f"SELECT {_COLUMNS} FROM messages m WHERE m.session_id = ? AND m.seq <= ? "
            f"AND {_ASKED} AND m.file_id = ? ORDER BY m.seq DESC LIMIT 1",
            (session, edges.seq, edges.file_id),
        ).fetchone()
        if row is not None:
            return _said(row)
    if edges.time is None:
        return None
    row = db.execute(
        f"SELECT {_COLUMNS} FROM messages m WHERE m.session_id = ? AND m.timestamp <= ? "
        f"AND {_ASKED} ORDER BY m.timestamp DESC, m.seq DESC LIMIT 1",
        (session, edges.time),
    ).fetchone()
    return _said(row) if row else None


def words_before(db: Connection, bodies: BodyReader, session: int, edges: Edges) -> str:
    """What the agent said last before an edit, to the same prompt; empty where it said nothing."""
    rows = db.execute(
        f"SELECT m.kind, {_COLUMNS} FROM messages m WHERE m.session_id = ? AND m.seq <= ? "
        "AND (m.role = 'assistant' OR m.kind = 'prompt') ORDER BY m.seq DESC LIMIT ?",
        (session, edges.seq, _WORDS),
    ).fetchall()
    for kind, *row in rows:
        if kind == "prompt":
            break
        text = text_of(bodies, _said(row))
        if text:
            return text
    return ""


def text_of(bodies: BodyReader, said: Said) -> str:
    """The text of a message."""
    return bodies.read(said.spot, Message).text.strip()


def _said(row: tuple[int, int, int, int] | list[int]) -> Said:
    position, block, start, size = row
    return Said(position, Spot(block, start, size))
