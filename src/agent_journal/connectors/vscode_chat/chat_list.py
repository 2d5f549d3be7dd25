"""The list of chats that VS Code shows, in `state.vscdb`: read, and one chat added.

{"version":1,"entries":{"<session>":{"sessionId":"<session>","title":"Fix it","lastMessageDate":1}}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.sqlite_writing import changed, created

if TYPE_CHECKING:
    from sqlite3 import Connection

KEY = "chat.ChatSessionStore.index"
_VERSION = 1
_Index = dict[str, Any]


class UnknownList(ValueError):
    """The list has a shape that this version does not know."""


class AlreadyListed(ValueError):
    """The list has a chat of this id."""


def check_list(path: str) -> None:
    """Raises what would prevent a chat from being added."""
    with changed(path) as database:
        _read(database)


def has_chat(path: str, session_id: str) -> bool:
    """Whether the list has a chat."""
    with changed(path) as database:
        return session_id in _read(database)["entries"]


def add_to_list(path: str, entry: Mapping[str, Any], before_commit: Callable[[], None]) -> int:
    """Adds a chat to the list in one transaction; how many it has then.

    `before_commit` may still prevent it.
    """
    with changed(path) as database:
        database.execute("BEGIN IMMEDIATE")
        index = _read(database)
        session_id = entry["sessionId"]
        if session_id in index["entries"]:
            raise AlreadyListed(session_id)
        index["entries"][session_id] = entry
        try:
            text = json.dumps(index, separators=(",", ":"), allow_nan=False)
        except ValueError as error:
            raise UnknownList("a number that JSON cannot write") from error
        database.execute("DELETE FROM ItemTable WHERE key = ?", (KEY,))
        database.execute("INSERT INTO ItemTable (key, value) VALUES (?, ?)", (KEY, text))
        before_commit()
        database.execute("COMMIT")
        return len(index["entries"])


def create_state(path: str, values: Mapping[str, str]) -> None:
    """Writes a new `state.vscdb` with these values."""
    with created(path) as database:
        database.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        database.executemany("INSERT INTO ItemTable VALUES (?, ?)", values.items())


def _read(database: Connection) -> _Index:
    row = database.execute("SELECT value FROM ItemTable WHERE key = ?", (KEY,)).fetchone()
    if row is None:
        return {"version": _VERSION, "entries": {}}
    try:
        index = json.loads(row[0])
    except (ValueError, TypeError, RecursionError) as error:
        raise UnknownList("not JSON") from error
    if not isinstance(index, dict) or not isinstance(index.get("entries"), dict):
        raise UnknownList("no entries")
    version = index.get("version")
    if isinstance(version, bool) or version != _VERSION:
        raise UnknownList(f"version {version}")
    return index
