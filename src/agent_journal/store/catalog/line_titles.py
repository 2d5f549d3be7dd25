"""Titles that a file has for sessions of other files, by the id of their last line."""

from __future__ import annotations

import sqlite3

from agent_journal.model import LineTitle, Session


def add_title(db: sqlite3.Connection, agent: str, file_id: int, piece: LineTitle) -> None:
    """Store a title; a later one of the same file replaces it."""
    db.execute(
        "INSERT OR REPLACE INTO line_titles (line, agent, file_id, title, rank, source) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (piece.line_id, agent, file_id, piece.title, piece.rank, piece.source),
    )


def sessions_titled_by(db: sqlite3.Connection, file_id: int) -> set[int]:
    """The sessions that a file has titles for."""
    query = (
        "SELECT s.id FROM line_titles t JOIN sessions s ON s.last_line = t.line "
        "AND s.agent = t.agent WHERE t.file_id = ?"
    )
    return {session_id for (session_id,) in db.execute(query, (file_id,))}


def titles_of(db: sqlite3.Connection, agent: str, session_id: str, line: str) -> list[Session]:
    """What other files say about the session with this last line."""
    query = (
        "SELECT t.title, t.rank, t.source FROM line_titles t JOIN files f ON f.id = t.file_id "
        "WHERE t.line = ? AND t.agent = ? ORDER BY f.name, f.path"
    )
    return [
        Session(
            agent=agent,
            id=session_id,
            title=title,
            title_rank=rank,
            title_source=source,
            is_hint=True,
        )
        for title, rank, source in db.execute(query, (line, agent))
    ]
