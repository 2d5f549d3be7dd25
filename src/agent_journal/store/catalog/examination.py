"""Signs of damage in the catalog that show without the archive.

SQLite's own check, the tables themselves, values of another type than their column's, and bodies
that cannot be read. A value that is merely another one only shows when it is derived again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import msgspec

from agent_journal.errors import CatalogDamaged
from agent_journal.model import (
    DailyStat,
    Event,
    FileEdit,
    HistoryEntry,
    Message,
    Plan,
    Session,
    TodoList,
    ToolCall,
)
from agent_journal.store.catalog.bodies import DECODE_ERRORS, BodyReader, decompress
from agent_journal.store.catalog.known_branches import broken_notes
from agent_journal.store.catalog.schema import SHAPE, VERSION, shape_of
from agent_journal.store.catalog.unwritable import connect_reader

_STORED_AS = {"TEXT": "text", "INTEGER": "integer", "BLOB": "blob", "REAL": "real"}
_REFERENCES = {
    "file_id": "files",
    "session_id": "sessions",
    "block": "blocks",
    "version_id": "versions",
    "read_version": "versions",
}
_BODIES: dict[str, type[msgspec.Struct]] = {
    "session_pieces": Session,
    "plans": Plan,
    "todo_lists": TodoList,
    "history": HistoryEntry,
    "daily_stats": DailyStat,
}
_IN_BLOCKS: dict[str, type[msgspec.Struct]] = {
    "messages": Message,
    "tool_calls": ToolCall,
    "events": Event,
    "file_edits": FileEdit,
}


def find_damage(path: str) -> str | None:
    """The first sign of damage in the database at a path; None when there is none."""
    try:
        with closing(connect_reader(path)) as db:
            return next(signs_of_damage(db), None)
    except sqlite3.OperationalError:
        return None  # it cannot be opened, or is locked


def has_other_tables(path: str) -> bool:
    """Whether a catalog has not the tables of this version."""
    with closing(connect_reader(path)) as db:
        return shape_of(db) != SHAPE


def is_older(path: str) -> bool:
    """Whether a catalog was made by an earlier version."""
    with closing(connect_reader(path)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        return bool(version < VERSION)


def signs_of_damage(db: sqlite3.Connection, *, with_bodies: bool = True) -> Iterator[str]:
    """What is wrong with a catalog, as far as it can be seen in it alone.

    Who reads every body anyway needs no check `with_bodies`.
    """
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            return
        yield from _integrity(db)
        if version != VERSION:
            return
        if shape_of(db) != SHAPE:
            yield "it does not have the tables of this version"
        yield from _wrong_types(db)
        yield from _dangling_references(db)
        yield from _broken_blocks(db)
        yield from _broken_notes(db)
        if with_bodies:
            yield from _broken_bodies(db)
    except (sqlite3.DatabaseError, ValueError) as error:  # ValueError: text that is not UTF-8
        yield str(error)


def _integrity(db: sqlite3.Connection) -> Iterator[str]:
    for (line,) in db.execute("PRAGMA integrity_check(5)"):
        if line != "ok":
            yield str(line).replace("\n", "; ")


def _wrong_types(db: sqlite3.Connection) -> Iterator[str]:
    for table in _tables(db):
        conditions = []
        for _, column, kind, is_required, *_ in db.execute(f"PRAGMA table_info({table})"):
            if kind in _STORED_AS:
                allowed = f"'{_STORED_AS[kind]}'"
                if not is_required:
                    allowed += ", 'null'"
                conditions.append(f"typeof({column}) NOT IN ({allowed})")
        if conditions:
            count = _count(db, table, " OR ".join(conditions))
            if count:
                yield f"{count} rows of {table} have a value of another type"


def _dangling_references(db: sqlite3.Connection) -> Iterator[str]:
    for table in _tables(db):
        columns = {column for _, column, *_ in db.execute(f"PRAGMA table_info({table})")}
        for column in sorted(columns & _REFERENCES.keys()):
            there = f"SELECT id FROM {_REFERENCES[column]}"
            count = _count(db, table, f"{column} IS NOT NULL AND {column} NOT IN ({there})")
            if count:
                yield f"{count} rows of {table} name a {column} that does not exist"


def _broken_blocks(db: sqlite3.Connection) -> Iterator[str]:
    for block, data in db.execute("SELECT id, data FROM blocks"):
        try:
            decompress(data)
        except DECODE_ERRORS as error:
            yield f"block {block} of the bodies cannot be read: {error}"


def _broken_notes(db: sqlite3.Connection) -> Iterator[str]:
    count = broken_notes(db)
    if count:
        yield f"{count} of the notes about branches cannot be read"


def _broken_bodies(db: sqlite3.Connection) -> Iterator[str]:
    for table, struct in _BODIES.items():
        decode = msgspec.msgpack.Decoder(struct).decode
        count = 0
        for (body,) in db.execute(f"SELECT body FROM {table} WHERE body IS NOT NULL"):
            try:
                decode(body)
            except DECODE_ERRORS:
                count += 1
        if count:
            yield f"{count} bodies in {table} cannot be read"
    bodies = BodyReader(db)
    for table, struct in _IN_BLOCKS.items():
        count = 0
        for spot in db.execute(f"SELECT block, start, size FROM {table} ORDER BY block, start"):
            try:
                bodies.read(spot, struct)
            except CatalogDamaged:
                count += 1
        if count:
            yield f"{count} bodies in {table} cannot be read"


def _tables(db: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    return [name for (name,) in db.execute(query)]


def _count(db: sqlite3.Connection, table: str, condition: str) -> int:
    (count,) = db.execute(f"SELECT count(*) FROM {table} WHERE {condition}").fetchone()
    return int(count)
