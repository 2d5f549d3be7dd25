"""What is known of the branches of long sessions, so that a part of one is shown at once.

The links of 50,000 messages take 0.3 s to read. So a sync notes which messages are on a branch that
was left, for all but the newest of a long session. The note holds as long as these have not changed
and what came after them continues the conversation; else all links are read. Notes are values
beside the tables, and the sums of row ids tell whether rows have changed: what changes gets a new
id.
"""

from __future__ import annotations

import sqlite3

import msgspec

from agent_journal.model.branches import Link, find_branches
from agent_journal.store.catalog.bodies import DECODE_ERRORS, compress, decompress
from agent_journal.store.catalog.connection import transaction
from agent_journal.store.catalog.items import find_meta, set_meta
from agent_journal.store.catalog.threads import in_order, left_in, read_thread

LONG = 2_000  # prompts and answers of a session: the links of fewer are read in no time
_NEWEST = 200  # messages that may still change: their calls get results
_MOST_NEW = 1_000  # messages after those that a note is about
_KEY = "branches of "
_SEEN = "branches seen"  # the last state of a session that was looked at


class _Note(msgspec.Struct, array_like=True):
    """Which messages up to a position are on a branch, if the last of them that was said is not."""

    last: int
    sums: list[int]
    tip_uid: str
    tip_records: list[str]
    left: list[int]


def find_left(db: sqlite3.Connection, session_id: int) -> set[int]:
    """The row ids of the messages of a session that a rewound prompt left behind."""
    note = _find_note(db, session_id)
    if note is not None and _is_continued(db, session_id, note):
        return set(note.left)
    return left_in(in_order(read_thread(db, session_id)))


def note_branches(db: sqlite3.Connection) -> None:
    """Note the branches of the long sessions that have changed since the last time."""
    seen = int(find_meta(db, _SEEN) or 0)
    query = "SELECT id, revision FROM sessions WHERE revision > ? AND message_count >= ?"
    changed = db.execute(query, (seen, LONG)).fetchall()
    if not changed:
        return
    with transaction(db):
        for session_id, _ in changed:
            if not _is_recent(db, session_id):
                _write_note(db, session_id)
        set_meta(db, _SEEN, str(max(revision for _, revision in changed)))


def broken_notes(db: sqlite3.Connection) -> int:
    """How many notes cannot be read."""
    rows = db.execute("SELECT value FROM meta WHERE key GLOB ?", (f"{_KEY}*",))
    return sum(_decoded(value) is None for (value,) in rows)


def _is_recent(db: sqlite3.Connection, session_id: int) -> bool:
    note = _find_note(db, session_id)
    if note is None:
        return False
    query = "SELECT count(*) FROM messages WHERE session_id = ? AND seq > ?"
    (count,) = db.execute(query, (session_id, note.last)).fetchone()
    return bool(count <= _MOST_NEW)


def _write_note(db: sqlite3.Connection, session_id: int) -> None:
    whole = in_order(read_thread(db, session_id))
    if len(whole) <= _NEWEST:
        return
    last = whole[-_NEWEST - 1].seq
    known = [each for each in whole if each.seq <= last]
    said = [each for each in known if each.is_said]
    if not said:
        return
    tip = said[-1]
    note = _Note(
        last=last,
        sums=_sums(db, session_id, last),
        tip_uid=tip.uid,
        tip_records=[*tip.link.record_ids, *tip.link.result_ids],
        left=sorted(left_in(known)),
    )
    data = compress(msgspec.msgpack.encode(note))
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"{_KEY}{session_id}", data))


def _find_note(db: sqlite3.Connection, session_id: int) -> _Note | None:
    """The note about a session; None when there is none, or it is about other rows."""
    query = "SELECT value FROM meta WHERE key = ?"
    row = db.execute(query, (f"{_KEY}{session_id}",)).fetchone()
    if row is None:
        return None
    note = _decoded(row[0])
    if note is None or note.sums != _sums(db, session_id, note.last):
        return None
    return note


def _decoded(value: object) -> _Note | None:
    if not isinstance(value, bytes):
        return None
    try:
        return msgspec.msgpack.decode(decompress(value), type=_Note)
    except DECODE_ERRORS:
        return None


def _sums(db: sqlite3.Connection, session_id: int, last: int) -> list[int]:
    """Numbers that change with any of the messages and calls up to a position."""
    sums: list[int] = []
    for table in ("messages", "tool_calls"):
        query = f"SELECT count(*), coalesce(sum(id), 0) FROM {table} "
        condition = "WHERE session_id = ? AND seq <= ?"
        sums += db.execute(query + condition, (session_id, last)).fetchone()
    return sums


def _is_continued(db: sqlite3.Connection, session_id: int, note: _Note) -> bool:
    """Whether what came after a note continues the conversation, without a branch."""
    thread = read_thread(db, session_id, note.last)
    results = [
        record_id
        for orphan in thread.orphans
        if orphan.uid == note.tip_uid
        for record_id in orphan.link.result_ids
    ]
    tip = Link("user", "prompt", None, note.tip_records, results)
    links = [tip, *(each.link for each in thread.messages)]
    # Where the parent is older, or a call without a message, only the whole thread can tell
    known = {record_id for link in links for record_id in (*link.record_ids, *link.result_ids)}
    if any(link.parent_id and link.parent_id not in known for link in links):
        return False
    return not find_branches(links)
