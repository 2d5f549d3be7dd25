"""The conversations in Cursor's databases, as JSON lines.

A row becomes a line: {"key":"bubbleId:<conversation>:<message>","value":{…}}, with the value byte
for byte when it is JSON on one line, else as "text" or "base64". NULL is a row without any of
them; "missing" marks a message that the conversation names and the database does not have, and
"too_large" a row whose value is not read.
changes.py finds out which conversations changed, without reading them.
"""

from __future__ import annotations

import base64
import os
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

import msgspec

from agent_journal.connectors.base import Extract
from agent_journal.connectors.cursor import RANK_ROWS, RANK_STORE
from agent_journal.connectors.cursor.changes import (
    Stamp,
    conversation_ids,
    fingerprints,
    text_of,
)
from agent_journal.connectors.cursor.items import item_extracts
from agent_journal.connectors.row_lines import is_json_line
from agent_journal.connectors.sqlite import opened, tables
from agent_journal.connectors.values import file_name, items, mapping, string, strings

CONVERSATION = "conversation-"
PARENT = "parent-of-"
STORE = "store.jsonl"
_CONTENT_KEY = re.compile(rb"composer\.content\.[0-9a-f]{64}")
_NAMES_SUB_AGENTS = b'"subagentComposerIds":["'
_VALUE = "SELECT value FROM cursorDiskKV WHERE key = ?"
_BUBBLE_KEYS = "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY {}"
_HEADER = "SELECT * FROM composerHeaders WHERE composerId = ?"
_decode = msgspec.json.Decoder().decode


def extracts(path: str, kept: Mapping[str, Stamp]) -> Iterator[Extract | str]:
    """Yield the extracts of a database, or of its backup when it is damaged.

    An extract that is unchanged since it was `kept` has only a name. A text is a problem.
    """
    source, problem = _readable(path)
    if problem is not None:
        yield problem
    with opened(source) as database:
        names = tables(database)
        if "blobs" in names and "meta" in names:
            session_id = path.replace("\\", "/").split("/")[-2]
            yield Extract(STORE, "session", session_id, RANK_STORE, _store_lines(database))
        if "cursorDiskKV" in names:
            yield from _conversations(database, "composerHeaders" in names, kept)
        if "ItemTable" in names:
            yield from item_extracts(database)


def _readable(path: str) -> tuple[str, str | None]:
    """Return the database to read, and what is wrong with the given one."""
    try:
        with opened(path) as database:
            tables(database)
    except sqlite3.Error as error:
        problem = f"not a readable SQLite database: {error}"
        backup = path + ".backup"
        if not os.path.isfile(backup):
            raise ValueError(problem) from error
        return backup, f"{problem}; its backup was read instead"
    return path, None


# -- conversations -----------------------------------------------------------------------------


def _conversations(
    database: sqlite3.Connection, has_headers: bool, kept: Mapping[str, Stamp]
) -> Iterator[Extract]:
    found = fingerprints(database, has_headers)
    stamps: dict[str, Stamp | None] = {}
    if found is None:
        stamps = dict.fromkeys(conversation_ids(database))
    else:
        stamps = {composer_id: found[composer_id].stamp() for composer_id in sorted(found)}
    # Without a stamp, changes cannot be seen: it is read each time
    changed = {
        composer_id: stamp
        for composer_id, stamp in stamps.items()
        if stamp is None or kept.get(_extract_name(composer_id)) != stamp
    }
    yield from _parents(database, changed, kept)
    for composer_id, stamp in stamps.items():
        lines = None
        if composer_id in changed:
            lines = _conversation_lines(database, composer_id, has_headers)
        yield Extract(_extract_name(composer_id), "session", composer_id, RANK_ROWS, lines, stamp)


def _parents(
    database: sqlite3.Connection, changed: Iterable[str], kept: Mapping[str, Stamp]
) -> Iterator[Extract]:
    """Yield a document for each sub-agent that a conversation names, with the conversation.

    The sub-agent's own row does not always name it. What is kept stays as it is: it was taken from
    a conversation that did not change.
    """
    documents: dict[str, bytes] = {}
    for composer_id in changed:
        value = _value(database, f"composerData:{composer_id}")
        if not isinstance(value, bytes) or _NAMES_SUB_AGENTS not in value:
            continue
        for child in strings(_composer(value).get("subagentComposerIds")):
            if child and child != composer_id:
                data = msgspec.json.encode({"parentComposerId": composer_id})
                documents[parent_name(child)] = data
    for name, data in documents.items():
        stamp = (len(data), zlib.crc32(data), 0)
        yield Extract(name, "document", None, 0, None if kept.get(name) == stamp else data, stamp)
    for name, stamp in kept.items():
        if name.startswith(PARENT) and name not in documents:
            yield Extract(name, "document", None, 0, None, stamp)


def parent_name(composer_id: str) -> str:
    """Return the name of the extract that names the parent of a sub-agent."""
    return f"{PARENT}{file_name(composer_id)}.json"


def _extract_name(composer_id: str) -> str:
    return f"{CONVERSATION}{file_name(composer_id)}.jsonl"


def _conversation_lines(
    database: sqlite3.Connection, composer_id: str, has_headers: bool
) -> Iterator[bytes]:
    """Yield the messages in their order, the conversation's own row, then unnamed messages.

    New messages come near the end, so that the beginning stays byte for byte as it was kept.
    """
    composer_key = f"composerData:{composer_id}"
    composer = _value(database, composer_key)
    stored_keys = _bubble_keys(database, composer_id)
    named_keys = stored_keys
    if not isinstance(composer, _Absent):
        named_ids = _named_bubbles(composer)
        named_keys = [f"bubbleId:{composer_id}:{name}" for name in named_ids] or stored_keys
    contents: set[bytes] = set()
    for key in named_keys:
        yield from _bubble_lines(database, key, contents)
    if composer is _Absent.TOO_LARGE:
        yield too_large_line(composer_key)
    elif composer is not _Absent.MISSING:
        yield row_line(composer_key, composer)
    if has_headers:
        yield from _header_line(database, composer_id)
    named = set(named_keys)
    for key in stored_keys:
        if key not in named:
            yield from _bubble_lines(database, key, contents)


def _composer(value: Any) -> dict[str, Any]:
    """Return the row of a conversation; empty when it is not JSON."""
    if not value:
        return {}
    try:
        return mapping(_decode(value))
    except (msgspec.DecodeError, RecursionError, TypeError, ValueError):
        return {}


def _bubble_keys(database: sqlite3.Connection, composer_id: str) -> list[str]:
    """Return the keys of all messages that are stored, oldest first where there are rowids."""
    bounds = (f"bubbleId:{composer_id}:", f"bubbleId:{composer_id};")
    try:
        rows = database.execute(_BUBBLE_KEYS.format("rowid"), bounds).fetchall()
    except sqlite3.OperationalError:
        rows = database.execute(_BUBBLE_KEYS.format("key"), bounds).fetchall()
    return [text_of(key) for (key,) in rows]


def _named_bubbles(value: Any) -> list[str]:
    """Return the ids of the messages that a conversation names, in order."""
    headers = items(_composer(value).get("fullConversationHeadersOnly"))
    ids = [bubble_id for header in headers if (bubble_id := string(header.get("bubbleId")))]
    return list(dict.fromkeys(ids))


def _bubble_lines(database: sqlite3.Connection, key: str, contents: set[bytes]) -> Iterator[bytes]:
    """Yield a message, after the texts of files that it is the first to name."""
    value = _value(database, key)
    if value is _Absent.MISSING:
        yield msgspec.json.encode({"key": key, "missing": True}) + b"\n"
        return
    if value is _Absent.TOO_LARGE:
        yield too_large_line(key)
        return
    if isinstance(value, bytes):
        for content_key in _CONTENT_KEY.findall(value):
            if content_key not in contents:
                contents.add(content_key)
                yield from _content_line(database, content_key.decode())
    yield row_line(key, value)


def _content_line(database: sqlite3.Connection, key: str) -> Iterator[bytes]:
    value = _value(database, key)
    if value is _Absent.TOO_LARGE:
        yield too_large_line(key)
    elif value is not _Absent.MISSING:
        yield row_line(key, value, is_json=False)


class _Absent(Enum):
    """Why there is no value of a key."""

    MISSING = 1
    TOO_LARGE = 2


def _value(database: sqlite3.Connection, key: str) -> Any:
    try:
        row = database.execute(_VALUE, (key,)).fetchone()
    except sqlite3.DataError:
        return _Absent.TOO_LARGE
    return _Absent.MISSING if row is None else row[0]


def _header_line(database: sqlite3.Connection, composer_id: str) -> Iterator[bytes]:
    cursor = database.execute(_HEADER, (composer_id,))
    row = cursor.fetchone()
    if row is None:
        return
    values = {}
    for column, value in zip(cursor.description, row, strict=True):
        values[column[0]] = text_of(value) if isinstance(value, bytes) else value
    yield row_line(f"composerHeaders:{composer_id}", msgspec.json.encode(values))


# -- stores ------------------------------------------------------------------------------------


def _store_lines(database: sqlite3.Connection) -> Iterator[bytes]:
    """Yield the whole store of a conversation of the command line."""
    for blob_id, value in _store_rows(database, "blobs", "id", "data"):
        key = f"blobs:{_blob_id(blob_id)}"
        yield too_large_line(key) if value is _Absent.TOO_LARGE else row_line(key, value)
    for name, value in _store_rows(database, "meta", "key", "value"):
        key = f"meta:{text_of(name)}"
        yield too_large_line(key) if value is _Absent.TOO_LARGE else row_line(key, value)


def _store_rows(
    database: sqlite3.Connection, table: str, name: str, value: str
) -> Iterator[tuple[Any, Any]]:
    """Yield all rows of a table, one by one: one that is too large does not end the query."""
    query = f"SELECT {value} FROM {table} WHERE rowid = ?"
    for row_name, rowid in database.execute(f"SELECT {name}, rowid FROM {table} ORDER BY rowid"):
        try:
            yield row_name, database.execute(query, (rowid,)).fetchone()[0]
        except sqlite3.DataError:
            yield row_name, _Absent.TOO_LARGE


def _blob_id(value: Any) -> str:
    if isinstance(value, bytes) and len(value) == 32:
        return value.hex()
    return text_of(value)


# -- lines -------------------------------------------------------------------------------------


def too_large_line(key: str) -> bytes:
    """Return the line for a row whose value is not read."""
    return msgspec.json.encode({"key": key, "too_large": True}) + b"\n"


def row_line(key: str, value: Any, is_json: bool = True) -> bytes:
    """Return a row as a line."""
    head = b'{"key":' + msgspec.json.encode(key)
    if value is None:
        return head + b"}\n"
    if not isinstance(value, bytes):
        return head + b',"value":' + msgspec.json.encode(value) + b"}\n"
    if is_json and is_json_line(value):
        return head + b',"value":' + value + b"}\n"
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return head + b',"base64":"' + base64.b64encode(value) + b'"}\n'
    return head + b',"text":' + msgspec.json.encode(text) + b"}\n"
