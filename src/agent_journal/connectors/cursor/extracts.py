"""What Cursor's databases hold of ours, as JSON lines; which conversations changed is told by the
database itself.

A row becomes a line: {"key":"bubbleId:<conversation>:<message>","value":{…}}, with the value byte
for byte when it is JSON on one line, else as "text" or "base64". NULL is a row without any of them;
"missing" marks a message that the conversation names and the database does not have.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.base import Extract
from agent_journal.connectors.cursor import RANK_ROWS, RANK_STORE
from agent_journal.connectors.cursor.items import item_extracts
from agent_journal.connectors.sqlite import opened, tables
from agent_journal.connectors.values import file_name, items, mapping, string

Stamp = tuple[int, int, int]
CONVERSATION, STORE = "conversation-", "store.jsonl"
_CONTENT = re.compile(rb"composer\.content\.[0-9a-f]{64}")
_ONE = "SELECT value FROM cursorDiskKV WHERE key = ?"
_ROWID = 2**40 - 1  # of rowids, so that their sum fits
_any = msgspec.json.Decoder().decode
_raw = msgspec.json.Decoder(msgspec.Raw).decode


def extracts(path: str, kept: Mapping[str, Stamp]) -> Iterator[Extract | str]:
    """The extracts of a database, or of its backup when it is damaged; of what is as it was `kept`,
    only the name.
    """
    source, damage = _readable(path)
    if damage:
        yield damage
    with opened(source) as database:
        there = tables(database)
        if "blobs" in there and "meta" in there:
            session_id = path.replace("\\", "/").split("/")[-2]
            yield Extract(STORE, "session", session_id, RANK_STORE, _store(database))
        if "cursorDiskKV" in there:
            yield from _conversations(database, "composerHeaders" in there, kept)
        if "ItemTable" in there:
            yield from item_extracts(database)


def _readable(path: str) -> tuple[str, str | None]:
    """The database to read, and what is wrong with the one that should be."""
    try:
        with opened(path) as database:
            tables(database)
        return path, None
    except sqlite3.Error as error:
        if not os.path.isfile(path + ".backup"):
            raise ValueError(f"not a readable SQLite database: {error}") from error
        return (
            path + ".backup",
            f"not a readable SQLite database: {error}; its backup was read instead",
        )


# -- what changed ------------------------------------------------------------------------------


class _Seen(NamedTuple):
    """What is told about a conversation without reading it."""

    composer: tuple[int, int] | None = None  # rowid and size of its own row
    bubbles: tuple[Any, ...] = ()  # number, sum of rowids, and key, rowid and size of the newest
    header: tuple[Any, ...] = ()

    def stamp(self) -> Stamp:
        digest = hashlib.blake2b(repr(self).encode(), digest_size=14).digest()
        count = self.bubbles[0] if self.bubbles else 0
        return count, int.from_bytes(digest[:7], "big"), int.from_bytes(digest[7:], "big")


def _conversations(
    database: sqlite3.Connection, has_headers: bool, kept: Mapping[str, Stamp]
) -> Iterator[Extract]:
    try:
        seen: dict[str, _Seen] | None = _seen(database, has_headers)
    except (
        sqlite3.OperationalError
    ):  # a table without rowids, or of other columns: everything is read each time
        seen = None
    for composer_id in _ids(database) if seen is None else sorted(seen):
        name = f"{CONVERSATION}{file_name(composer_id)}.jsonl"
        stamp = None if seen is None else seen[composer_id].stamp()
        is_same = stamp is not None and kept.get(name) == stamp
        lines = None if is_same else _conversation(database, composer_id, has_headers)
        yield Extract(name, "session", composer_id, RANK_ROWS, lines, stamp)


def _seen(database: sqlite3.Connection, has_headers: bool) -> dict[str, _Seen]:
    """All conversations: keys and rowids come from the index, sizes from the heads of rows; no
    value is read.
    """
    found: dict[str, _Seen] = {}
    own = (
        "SELECT key, rowid FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
    )
    for key, rowid in database.execute(own).fetchall():
        found[_text(key)[13:]] = _Seen((rowid, _size(database, rowid)))
    # A row that is written again gets a new rowid: Cursor's tables replace. The newest one may also
    # grow in its place.
    newest = (
        "SELECT substr(key, 10, instr(substr(key, 10), ':') - 1) AS id, count(*), sum(rowid & ?), key, max(rowid) "
        "FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY id"
    )
    for composer_id, count, total, key, rowid in database.execute(newest, (_ROWID,)).fetchall():
        name = _text(composer_id)
        seen = found.get(name, _Seen())
        found[name] = seen._replace(
            bubbles=(count, total, _text(key), rowid, _size(database, rowid))
        )
    if has_headers:
        columns = "composerId, workspaceId, lastUpdatedAt, rowid"
        for composer_id, *header in database.execute(
            f"SELECT {columns} FROM composerHeaders"
        ).fetchall():
            name = _text(composer_id)
            if name in found:
                found[name] = found[name]._replace(header=tuple(header))
    found.pop("", None)
    return found


def _size(database: sqlite3.Connection, rowid: int) -> int:
    try:
        with database.blobopen("cursorDiskKV", "value", rowid, readonly=True) as blob:
            return len(blob)
    except sqlite3.Error:
        return -1  # NULL, a number, or damage that reading the row will meet


def _ids(database: sqlite3.Connection) -> list[str]:
    keys = "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ?"
    own = [_text(key)[13:] for (key,) in database.execute(keys, ("composerData:", "composerData;"))]
    said = [
        _text(key)[9:].partition(":")[0]
        for (key,) in database.execute(keys, ("bubbleId:", "bubbleId;"))
    ]
    return sorted({*own, *said} - {""})


# -- one conversation --------------------------------------------------------------------------


def _conversation(
    database: sqlite3.Connection, composer_id: str, has_headers: bool
) -> Iterator[bytes]:
    """Its messages in their order, then its own row, then messages that it does not name any more.

    What is new comes near the end, so that the beginning stays byte for byte as it was kept.
    """
    own = database.execute(_ONE, (f"composerData:{composer_id}",)).fetchone()
    first, end = f"bubbleId:{composer_id}:", f"bubbleId:{composer_id};"
    keys = "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid"
    try:
        there = [_text(key) for (key,) in database.execute(keys, (first, end))]
    except sqlite3.OperationalError:
        there = [
            _text(key) for (key,) in database.execute(keys.replace("rowid", "key"), (first, end))
        ]
    named = [first + bubble_id for bubble_id in _named(own[0] if own else None)] or there
    contents: set[bytes] = set()
    for key in named:
        yield from _bubble(database, key, contents)
    if own is not None:
        yield row_line(f"composerData:{composer_id}", own[0])
    if has_headers:
        yield from _header(database, composer_id)
    told = set(named)
    for key in there:
        if key not in told:
            yield from _bubble(database, key, contents)


def _named(value: Any) -> list[str]:
    """The messages a conversation names, in order."""
    try:
        composer = mapping(_any(value)) if value else {}
    except (msgspec.DecodeError, RecursionError, TypeError):
        return []
    ids = (
        string(header.get("bubbleId"))
        for header in items(composer.get("fullConversationHeadersOnly"))
    )
    return list(dict.fromkeys(filter(None, ids)))


def _bubble(database: sqlite3.Connection, key: str, contents: set[bytes]) -> Iterator[bytes]:
    """A message, after the texts of files that it names and no message before it did."""
    row = database.execute(_ONE, (key,)).fetchone()
    if row is None:
        yield msgspec.json.encode({"key": key, "missing": True}) + b"\n"
        return
    for content in _CONTENT.findall(row[0]) if isinstance(row[0], bytes) else ():
        if content not in contents:
            contents.add(content)
            text = database.execute(_ONE, (content.decode(),)).fetchone()
            if text is not None:
                yield row_line(content.decode(), text[0], is_json=False)
    yield row_line(key, row[0])


def _header(database: sqlite3.Connection, composer_id: str) -> Iterator[bytes]:
    cursor = database.execute("SELECT * FROM composerHeaders WHERE composerId = ?", (composer_id,))
    row = cursor.fetchone()
    if row is not None:
        names = [column[0] for column in cursor.description]
        values = {
            name: _text(value) if isinstance(value, bytes) else value
            for name, value in zip(names, row, strict=True)
        }
        yield row_line(f"composerHeaders:{composer_id}", msgspec.json.encode(values))


# -- rows --------------------------------------------------------------------------------------


def row_line(key: str, value: Any, is_json: bool = True) -> bytes:
    """A row as a line."""
    head = b'{"key":' + msgspec.json.encode(key)
    if value is None:
        return head + b"}\n"
    if not isinstance(value, bytes):
        return head + b',"value":' + msgspec.json.encode(value) + b"}\n"
    if is_json and b"\n" not in value and b"\r" not in value:
        try:
            _raw(value)
            return head + b',"value":' + value + b"}\n"
        except (msgspec.DecodeError, RecursionError):
            pass
    try:
        return head + b',"text":' + msgspec.json.encode(value.decode()) + b"}\n"
    except UnicodeDecodeError:
        return head + b',"base64":"' + base64.b64encode(value) + b'"}\n'


def _store(database: sqlite3.Connection) -> Iterator[bytes]:
    """The whole store of a conversation of the command line."""
    for table, key, value in (("blobs", "id", "data"), ("meta", "key", "value")):
        for name, data in database.execute(f"SELECT {key}, {value} FROM {table} ORDER BY rowid"):
            label = _text(name) if isinstance(name, bytes) and table == "meta" else _blob_id(name)
            yield row_line(f"{table}:{label}", data)


def _blob_id(name: Any) -> str:
    if not isinstance(name, bytes):
        return str(name)
    return name.hex() if len(name) == 32 else _text(name)


def _text(value: Any) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
