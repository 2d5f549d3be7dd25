"""What `state.vscdb` holds of ours: two values of hundreds. Nothing else in that database is read
or kept.

interactive.sessions: the sessions of VS Code 1.98 and before, a JSON list
chat.ChatSessionStore.index: the list of sessions that VS Code shows
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable

import msgspec

from agent_journal.connectors.base import Content, Extract
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.sqlite import Changed, opened, tables
from agent_journal.connectors.values import file_name, mapping, string
from agent_journal.connectors.vscode_chat import RANK_ROW
from agent_journal.model import Piece, Session

INDEX = "index.json"
SESSIONS = "interactive.sessions"
_KEYS = {"chat.ChatSessionStore.index": INDEX, SESSIONS: SESSIONS}
DAMAGED = f"{SESSIONS}.json"
_TRIES = 3
_STARTS = ('{"version":', '{"sessionId":', '{"requesterUsername":')
_BETWEEN = re.compile(r"[\s,]*")
_rows = msgspec.json.Decoder(list[msgspec.Raw])
_whole = json.JSONDecoder()
_NEW = "New Chat"


def extracts(path: str) -> tuple[list[Extract], str | None]:
    """The chat values of a database, or of its backup when it is damaged; ValueError when neither
    can be read.
    """
    damage = None
    try:
        values = _values(path)
    except sqlite3.Error as error:
        if not os.path.isfile(path + ".backup"):
            raise ValueError(f"not a readable SQLite database: {error}") from error
        try:
            values = _values(path + ".backup")
        except sqlite3.Error:
            raise ValueError(
                f"not a readable SQLite database, nor is its backup: {error}"
            ) from error
        damage = f"not a readable SQLite database: {error}; its backup was read instead"
    found: list[Extract] = []
    for key, value in values.items():
        if key == SESSIONS:
            found += _sessions(value)
        else:
            found.append(Extract(_KEYS[key], "document", None, 0, value))
    return found, damage


def _values(path: str) -> dict[str, bytes]:
    """The values of our keys."""
    for tries in range(_TRIES):
        try:
            with opened(path) as database:
                return _select(database)
        except Changed:
            if tries == _TRIES - 1:
                raise
    return {}


def _select(database: sqlite3.Connection) -> dict[str, bytes]:
    if "ItemTable" not in tables(database):
        return {}
    query = f"SELECT key, value FROM ItemTable WHERE key IN ({', '.join('?' * len(_KEYS))}) ORDER BY key"
    rows = database.execute(query, tuple(_KEYS)).fetchall()
    return {
        bytes(key).decode("utf-8", "replace"): bytes(value)
        for key, value in rows
        if isinstance(value, bytes)
    }


def _sessions(value: bytes) -> list[Extract]:
    """Each session of the list as a file of its own, byte for byte; a damaged list also as it is."""
    whole = []
    try:
        rows = [bytes(row) for row in _rows.decode(value)]
    except (msgspec.DecodeError, RecursionError):
        rows, is_damaged = _parts(value)
        whole = [Extract(DAMAGED, "document", None, 0, value)] if is_damaged else []
    found: dict[str, Extract] = {}
    for row in rows:
        extract = _session(row)
        found[extract.name] = extract  # the last one of an id counts
    return [*found.values(), *whole]


def _session(data: bytes) -> Extract:
    digest = hashlib.sha256(data).hexdigest()
    try:
        session_id = string(mapping(decode_document(data)).get("sessionId")) or f"row-{digest[:16]}"
    except ValueError:
        session_id = f"row-{digest[:16]}"
    return Extract(
        f"{SESSIONS}-{file_name(session_id)}.json", "session", session_id, RANK_ROW, data
    )


def _parts(value: bytes) -> tuple[list[bytes], bool]:
    """The items of a list that the fast decoder refuses, and whether something in it is lost."""
    text = value.decode("utf-8", "surrogateescape")
    parts: list[bytes] = []
    is_damaged, at = False, text.find("[") + 1
    if not at:
        return [], True
    while at < len(text):
        between = _BETWEEN.match(text, at)
        start = between.end() if between else at
        if start >= len(text) or text[start] == "]":
            break
        try:
            value_there, at = _whole.raw_decode(text, start)
        except (ValueError, RecursionError):
            is_damaged = True
            at = min(
                (place for mark in _STARTS if (place := text.find(mark, start + 1)) > 0),
                default=len(text),
            )
            continue
        if isinstance(value_there, dict):
            parts.append(text[start:at].encode("utf-8", "surrogateescape"))
        else:
            is_damaged = True
    return parts, is_damaged


class DamagedReader(DocumentReader):
    """A list of sessions with damage in it, kept as it is; the sessions that are whole are files of
    their own.
    """

    kind = "list"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but the problem."""
        raise ValueError("a damaged list of sessions; those that are whole were taken out of it")


class IndexReader(DocumentReader):
    """Reads the list that VS Code shows: titles, as hints; which sessions there are is known from
    their files.
    """

    kind = "index"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but hints about sessions."""
        entries = mapping(mapping(decode_document(data)).get("entries"))
        for entry in map(mapping, entries.values()):
            session_id, title = string(entry.get("sessionId")), string(entry.get("title"))
            if (
                session_id is None
                or entry.get("isExternal") is True
                or entry.get("isEmpty") is True
            ):
                self.ledger.add(
                    "skipped", "entry", 0, "a session of another agent, or an empty one"
                )
                continue
            self.ledger.add("mapped", "entry", 0)
            known = title is not None and title != _NEW
            self.found_sessions.append(
                Session(
                    agent="vscode-chat",
                    id=session_id,
                    title=title if known else None,
                    title_rank=30 if known else 0,
                    title_source="index" if known else None,
                    is_hint=True,
                )
            )
        return ()
