"""The sessions in a database of Crush, as JSON lines.

{"table":"sessions","id":"5a…","title":"Prune the tree","cost":0.02,"created_at":1794000000}
{"table":"messages","id":"6b…","role":"user","parts":[{"type":"text","data":{"text":"…"}}]}
{"table":"files","id":"7c…","path":"/app/a.py","content":"…","version":"v1"}
"""

from __future__ import annotations

from agent_journal.connectors.base import Extract
from agent_journal.connectors.row_lines import Table, select, session_extract, text_of
from agent_journal.connectors.sqlite import opened, tables

_SESSIONS = Table(
    "sessions",
    (
        *("id", "parent_session_id", "title", "message_count", "prompt_tokens"),
        *("completion_tokens", "cost", "created_at", "updated_at", "summary_message_id", "todos"),
    ),
    json=("todos",),
)
_MESSAGES = Table(
    "messages",
    (
        *("id", "role", "parts", "model", "provider", "created_at", "updated_at", "finished_at"),
        "is_summary_message",
    ),
    json=("parts",),
)
_FILES = Table("files", ("id", "path", "content", "version", "created_at"))


def extracts(path: str) -> list[Extract]:
    """Return each session with its messages, in their order, and the versions of its files."""
    with opened(path) as database:
        names = tables(database)
        if not {"sessions", "messages"} <= names:
            return []
        found = []
        for (key,) in database.execute("SELECT id FROM sessions ORDER BY rowid").fetchall():
            session_id = text_of(key)
            of_session = ("session_id = ?", (session_id,), "created_at, rowid")
            lines = list(select(database, _SESSIONS, "id = ?", (session_id,)))
            lines += select(database, _MESSAGES, *of_session)
            if "files" in names:
                lines += select(database, _FILES, *of_session)
            data = b"\n".join(lines) + b"\n"
            found.append(Extract(session_extract(session_id), "session", session_id, 0, data))
        return found
