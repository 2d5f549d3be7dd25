"""What `state.vscdb` holds of ours: two values of hundreds. Nothing else in that database is read or kept.

interactive.sessions: the sessions of VS Code 1.98 and before, a JSON list
chat.ChatSessionStore.index: the list of sessions that VS Code shows
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from agent_journal.connectors.base import Content, Extract
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat import RANK_ROW
from agent_journal.model import Piece, Session

INDEX = "index.json"
SESSIONS = "interactive.sessions"
_KEYS = {"chat.ChatSessionStore.index": INDEX, SESSIONS: SESSIONS}
_MAX_COPY = 2 * 2**30
_rows = msgspec.json.Decoder(list[msgspec.Raw])
_whole = json.JSONDecoder()
_ODD = re.compile(r"[^\w.-]|^\.+$")
_NEW = "New Chat"


def extracts(path: str) -> tuple[list[Extract], str | None]:
    """The chat values of a database, or of its backup when it is damaged; ValueError when neither can be read."""
    damage = None
    try:
        values = _values(path)
    except sqlite3.Error as error:
        if not os.path.exists(path + ".backup"):
            raise ValueError(f"not a readable SQLite database: {error}") from error
        try:
            values = _values(path + ".backup")
        except sqlite3.Error:
            raise ValueError(f"not a readable SQLite database, nor is its backup: {error}") from error
        damage = f"not a readable SQLite database: {error}; its backup was read instead"
    found: list[Extract] = []
    for key, value in values.items():
        if key == SESSIONS:
            found += _sessions(value)
        else:
            found.append(Extract(_KEYS[key], "document", None, 0, value))
    return found, damage


def _values(path: str) -> dict[str, bytes]:
    """The values of our keys. It is opened in place, unlocked and unwritten, unless its log has part of it."""
    log = path + "-wal"
    if not os.path.exists(log) or os.path.getsize(log) == 0:
        return _select(f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1")
    if os.path.getsize(path) + os.path.getsize(log) > _MAX_COPY:
        raise ValueError("too large to copy while VS Code writes to it; close VS Code and sync again")
    with tempfile.TemporaryDirectory(prefix="aj-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, "copy.db")
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy + "-wal")
        return _select(f"{Path(copy).as_uri()}?mode=ro")


def _select(uri: str) -> dict[str, bytes]:
    with closing(sqlite3.connect(uri, uri=True)) as database:
        database.text_factory = bytes
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'ItemTable'").fetchone():
            return {}
        query = f"SELECT key, value FROM ItemTable WHERE key IN ({', '.join('?' * len(_KEYS))}) ORDER BY key"
        rows = database.execute(query, tuple(_KEYS)).fetchall()
    return {bytes(key).decode("utf-8", "replace"): bytes(value) for key, value in rows if isinstance(value, bytes)}


def _sessions(value: bytes) -> list[Extract]:
    """Each session of the list as a file of its own, byte for byte."""
    try:
        rows = [bytes(row) for row in _rows.decode(value)]
    except (msgspec.DecodeError, RecursionError):
        rows = _parts(value)
    found = [_session(row) for row in rows]
    return found or ([] if value.strip() == b"[]" else [Extract(f"{SESSIONS}.json", "document", None, 0, value)])


def _session(data: bytes) -> Extract:
    digest = hashlib.sha256(data).hexdigest()
    try:
        session_id = string(mapping(decode_document(data)).get("sessionId")) or f"row-{digest[:16]}"
    except ValueError:
        session_id = f"row-{digest[:16]}"
    name = _ODD.sub("_", session_id)[:60]
    if name != session_id:  # two ids may look alike without their odd letters
        name += "-" + hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()[:8]
    return Extract(f"{SESSIONS}-{name}.json", "session", session_id, RANK_ROW, data)


def _parts(value: bytes) -> list[bytes]:
    """The items of a list that the fast decoder refuses: broken UTF-8 and lone surrogates do not lose a session."""
    text = value.decode("utf-8", "surrogateescape")
    parts, at = [], text.find("[") + 1
    try:
        while at:
            start = at + len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
            _, at = _whole.raw_decode(text, start)
            parts.append(text[start:at].encode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        pass  # the end of the list, or damage: what was found before it counts
    return parts


class IndexReader(DocumentReader):
    """Reads the list that VS Code shows: titles, as hints; which sessions there are is known from their files."""

    kind = "index"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but hints about sessions."""
        entries = mapping(mapping(decode_document(data)).get("entries"))
        for entry in map(mapping, entries.values()):
            session_id, title = string(entry.get("sessionId")), string(entry.get("title"))
            if session_id is None or entry.get("isExternal") is True or entry.get("isEmpty") is True:
                self.ledger.add("skipped", "entry", 0, "a session of another agent, or an empty one")
                continue
            self.ledger.add("mapped", "entry", 0)
            known = title is not None and title != _NEW
            self._sessions.append(
                Session(
                    agent="vscode-chat", id=session_id, title=title if known else None,
                    title_rank=30 if known else 0, title_source="index" if known else None, is_hint=True,
                )
            )  # fmt: skip
        return ()
