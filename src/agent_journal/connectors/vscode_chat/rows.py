"""The chats in `state.vscdb`: three values of hundreds. Nothing else in it is read or kept.

interactive.sessions: the sessions of VS Code 1.98 and before, a JSON list
chat.ChatSessionStore.index: the list of sessions that VS Code shows
memento/interactive-session: the prompts that were typed last (prompt_history.py)
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import Content, Extract
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.sqlite import TOO_LARGE, Changed, opened, tables
from agent_journal.connectors.titles import prompt_title, says_something
from agent_journal.connectors.values import file_name, mapping, string
from agent_journal.connectors.vscode_chat import RANK_ROW
from agent_journal.connectors.vscode_chat.states import moment
from agent_journal.model import Piece, Session

INDEX = "index.json"
SESSIONS = "interactive.sessions"
HISTORY = "prompt-history.json"
_KEYS = {
    "chat.ChatSessionStore.index": INDEX,
    "memento/interactive-session": HISTORY,
    SESSIONS: SESSIONS,
}
DAMAGED = f"{SESSIONS}.json"
_TRIES = 3
_STARTS = ('{"version":', '{"sessionId":', '{"requesterUsername":')
_rows = msgspec.json.Decoder(list[msgspec.Raw])
_json = json.JSONDecoder()
_UNTITLED = "New Chat"


class _Values(NamedTuple):
    """The values of our keys, and what is wrong with one of them."""

    values: dict[str, bytes]
    damage: str | None


def extracts(path: str) -> tuple[list[Extract], str | None]:
    """The chat values of a database, or of its backup if it is damaged, and the damage.

    Raises ValueError if neither can be read.
    """
    damage = None
    try:
        values, damage = _values(path)
    except sqlite3.Error as error:
        values, _ = _backup_values(path, error)
        damage = f"not a readable SQLite database: {error}; its backup was read instead"
    found: list[Extract] = []
    for key, value in values.items():
        if key == SESSIONS:
            found += _sessions(value)
        else:
            found.append(Extract(_KEYS[key], "document", None, 0, value))
    return found, damage


def _backup_values(path: str, error: sqlite3.Error) -> _Values:
    if not os.path.isfile(path + ".backup"):
        raise ValueError(f"not a readable SQLite database: {error}") from error
    try:
        return _values(path + ".backup")
    except sqlite3.Error:
        raise ValueError(f"not a readable SQLite database, nor is its backup: {error}") from error


def _values(path: str) -> _Values:
    """The values of our keys, and which of them are too large."""
    for tries in range(_TRIES):
        try:
            with opened(path) as database:
                return _select(database)
        except Changed:
            if tries == _TRIES - 1:
                raise
    return _Values({}, None)


def _select(database: sqlite3.Connection) -> _Values:
    if "ItemTable" not in tables(database):
        return _Values({}, None)
    found: dict[str, bytes] = {}
    damage = None
    for key in sorted(_KEYS):
        try:
            row = database.execute("SELECT value FROM ItemTable WHERE key = ?", (key,)).fetchone()
        except sqlite3.DataError:
            damage = f"the value of {key} is {TOO_LARGE}"
            continue
        if row is not None and isinstance(row[0], bytes):
            found[key] = row[0]
    return _Values(found, damage)


def _sessions(value: bytes) -> list[Extract]:
    """Each session of the list as a separate file, byte for byte; a damaged list as well."""
    is_damaged = False
    try:
        rows = [bytes(row) for row in _rows.decode(value)]
    except (msgspec.DecodeError, RecursionError):
        rows, is_damaged = _parts(value)
    found: dict[str, Extract] = {}
    for row in rows:
        extract = _session(row)
        found[extract.name] = extract  # the last one of an id counts
    extracts = list(found.values())
    if is_damaged:
        extracts.append(Extract(DAMAGED, "document", None, 0, value))
    return extracts


def _session(data: bytes) -> Extract:
    session_id = None
    try:
        session_id = string(mapping(decode_document(data)).get("sessionId"))
    except ValueError:
        pass
    if session_id is None:
        session_id = f"row-{hashlib.sha256(data).hexdigest()[:16]}"
    name = f"{SESSIONS}-{file_name(session_id)}.json"
    return Extract(name, "session", session_id, RANK_ROW, data)


def _parts(value: bytes) -> tuple[list[bytes], bool]:
    """The items of a list that the fast decoder refuses, and whether something in it is lost."""
    text = value.decode("utf-8", "surrogateescape")
    parts: list[bytes] = []
    is_damaged = False
    at = text.find("[") + 1
    if not at:
        return [], True
    while at < len(text):
        start = _after_separators(text, at)
        if start >= len(text) or text[start] == "]":
            break
        try:
            item, at = _json.raw_decode(text, start)
        except (ValueError, RecursionError):
            is_damaged = True
            at = _next_start(text, start + 1)
            continue
        if isinstance(item, dict):
            parts.append(text[start:at].encode("utf-8", "surrogateescape"))
        else:
            is_damaged = True
    return parts, is_damaged


def _after_separators(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] == ","):
        at += 1
    return at


def _next_start(text: str, at: int) -> int:
    """Where the next session may begin; the end of the text if nowhere."""
    places = [text.find(mark, at) for mark in _STARTS]
    return min((place for place in places if place > 0), default=len(text))


class DamagedReader(DocumentReader):
    """A list of sessions with damage in it; the sessions that are whole are separate files."""

    kind = "list"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but the problem."""
        raise ValueError("a damaged list of sessions; the undamaged ones were extracted")


class IndexReader(DocumentReader):
    """Reads the list that VS Code shows: hints about the titles and times of sessions."""

    kind = "index"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but hints about sessions."""
        entries = mapping(mapping(decode_document(data)).get("entries"))
        for entry in map(mapping, entries.values()):
            hint = _hint(entry)
            if hint is None:
                reason = "a session of another agent, or an empty one"
                self.ledger.add("skipped", "entry", 0, reason)
            else:
                self.ledger.add("mapped", "entry", 0)
                self.found_sessions.append(hint)
        return ()


def _hint(entry: dict[str, Any]) -> Session | None:
    session_id = string(entry.get("sessionId"))
    if session_id is None or entry.get("isExternal") is True or entry.get("isEmpty") is True:
        return None
    timing = mapping(entry.get("timing"))
    hint = Session(
        agent="vscode-chat",
        id=session_id,
        started_at=moment(timing.get("created")) or moment(timing.get("startTime")),
        ended_at=moment(entry.get("lastMessageDate")),
        is_hint=True,
    )
    title = string(entry.get("title"))
    if title is None or title == _UNTITLED:
        return hint
    # VS Code names a chat after its first prompt until a model has named it.
    spoken = prompt_title(title)
    if spoken is None or not says_something(spoken):
        return replace(hint, title=title, title_rank=1, title_source="index")
    return replace(hint, title=spoken, title_rank=30, title_source="index")
