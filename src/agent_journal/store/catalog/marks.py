"""What a person said of sessions, in the catalog: a copy of `marks.jsonl`, so that SQL can ask.

A sync brings the table up to date. A reader that finds the file changed since then reads it into a
temporary table of the same name, which SQLite prefers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.store.catalog.comparison import is_of_this_version
from agent_journal.store.catalog.connection import CatalogError, Connection, transaction
from agent_journal.store.catalog.items import Items
from agent_journal.store.catalog.marks_stamp import file_stamp, is_saved, save_stamp
from agent_journal.store.catalog.schema import TEMPORARY_MARKS
from agent_journal.store.catalog.session_row import SESSION_COLUMNS, SESSIONS, SessionRow
from agent_journal.store.marks_file import (
    STAR,
    TAG,
    TITLE,
    Mark,
    drop_lines,
    last_words,
    merge_marks,
    read_marks,
)
from agent_journal.text.human import plural

_COLUMNS = "agent, uid, starred_at, title, titled_at, tags"
_INSERT = f"INSERT INTO {{table}} ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
_LOST = "{marks} that the catalog has {are} not in it: 'aj sync' writes them again"
_DAMAGED = "line {line} is damaged, and the mark in it is lost unless the catalog has it"


class MarkedSession(NamedTuple):
    """All that a person said of one session, as in the table."""

    agent: str
    id: str
    starred_at: int | None
    title: str | None
    titled_at: int | None
    tags: str | None  # as JSON: when each was given

    def marks(self) -> Iterator[Mark]:
        """The same as single marks."""
        if self.starred_at is not None:
            yield Mark(self.starred_at, self.agent, self.id, STAR, "", True)
        if self.title is not None and self.titled_at is not None:
            yield Mark(self.titled_at, self.agent, self.id, TITLE, self.title, True)
        for tag, at in json.loads(self.tags or "{}").items():
            yield Mark(at, self.agent, self.id, TAG, tag, True)


class TagCount(NamedTuple):
    """A tag, and how many sessions have it."""

    tag: str
    sessions: int


# -- reading -----------------------------------------------------------------------------------


def show_marks(db: Connection, path: str) -> None:
    """Have a reader of the catalog see what the file says now."""
    marked = _marked_sessions(_with_present_ids(db, read_marks(path).marks))
    db.execute(TEMPORARY_MARKS)
    db.execute("DELETE FROM temp.marks")
    db.executemany(_INSERT.format(table="temp.marks"), marked)


def marked_sessions(db: Connection) -> list[MarkedSession]:
    """All that a person said of sessions, also of those that are not in the journal."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM marks ORDER BY agent, uid")
    return [MarkedSession._make(row) for row in rows]


def marks_of(db: Connection, agent: str, uid: str) -> tuple[Mark, ...]:
    """What a person said of one session."""
    query = f"SELECT {_COLUMNS} FROM marks WHERE agent = ? AND uid = ?"
    row = db.execute(query, (agent, uid)).fetchone()
    if row is None:
        return ()
    return tuple(MarkedSession._make(row).marks())


def mark_rows(db: Connection) -> Iterator[tuple[object, ...]]:
    """The marks of all sessions, as `aj sql` has them."""
    keys = dict(db.execute("SELECT agent || ':' || uid, id FROM sessions WHERE is_known = 1"))
    for session in marked_sessions(db):
        key = keys.get(f"{session.agent}:{session.id}")
        for mark in session.marks():
            yield mark.agent, key, mark.session_id, mark.kind, mark.value or None, mark.at


def count_tags(db: Connection) -> list[TagCount]:
    """The tags of all sessions in the journal, the most frequent first."""
    rows = db.execute(
        "SELECT min(t.key), count(*) FROM marks k, json_each(k.tags) t "
        "JOIN sessions s ON s.agent = k.agent AND s.uid = k.uid AND s.is_known = 1 "
        "GROUP BY folded(t.key) ORDER BY 2 DESC, 1"
    )
    return [TagCount._make(row) for row in rows]


def sessions_with_star(db: Connection) -> list[SessionRow]:
    """The sessions that are starred, the one starred last first."""
    return _sessions(db, "k.starred_at")


def sessions_with_own_title(db: Connection) -> list[SessionRow]:
    """The sessions that a person gave a title, the last one first."""
    return _sessions(db, "k.titled_at")


def _sessions(db: Connection, time: str) -> list[SessionRow]:
    rows = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} "
        f"WHERE {time} NOT NULL AND s.is_known = 1 ORDER BY {time} DESC, s.uid"
    )
    return [SessionRow._make(row) for row in rows]


def count_marks(db: Connection) -> int:
    """How many stars, tags and titles there are."""
    return sum(1 for session in marked_sessions(db) for _ in session.marks())


def forget_marks(db: Connection, path: str, sessions: set[tuple[str, str]]) -> None:
    """Remove what a person said of sessions, by agent and id; else a sync would write it again."""
    with transaction(db):
        db.executemany("DELETE FROM main.marks WHERE agent = ? AND uid = ?", sorted(sessions))
    drop_lines(path, lambda mark: (mark.agent, mark.session_id) in sessions)


# -- a sync ------------------------------------------------------------------------------------


def save_marks(db: Connection, path: str) -> str:
    """Copy the file to the table, and return what was wrong with it.

    What the table has and the file has lost is written to the file again. A session whose title
    changed becomes a new item, so that indexes read it again.
    """
    trouble = _heal(db, path)
    stamp = file_stamp(path)
    marked = _marked_sessions(_with_present_ids(db, read_marks(path).marks))
    with transaction(db):
        if marked != marked_sessions(db):
            _replace(db, marked)
        save_stamp(db, stamp)
    return trouble


def _replace(db: Connection, marked: list[MarkedSession]) -> None:
    titles = set(db.execute("SELECT agent, uid, title FROM marks WHERE title NOT NULL"))
    db.execute("DELETE FROM marks")
    db.executemany(_INSERT.format(table="marks"), marked)
    now = {(row.agent, row.id, row.title) for row in marked if row.title is not None}
    _renew_items(db, {(agent, uid) for agent, uid, _ in titles ^ now})


def salvage_marks(db: Connection, path: str) -> None:
    """Write what a catalog has that is about to be set aside, and the file has lost."""
    try:
        merge_marks(path, _lost_marks(db, read_marks(path).marks))
    except (CatalogError, ValueError):
        return  # it is damaged, or older than marks


def _heal(db: Connection, path: str) -> str:
    found = read_marks(path)
    lost = _lost_marks(db, found.marks)
    if not lost and not found.damaged:
        return ""
    if found.damaged:
        drop_lines(path)
    merge_marks(path, lost)
    again = f"{plural(len(lost), 'mark')} written again from the catalog"
    if not found.damaged:
        return f"{path} was incomplete: {again}"
    return f"{path} had {plural(len(found.damaged), 'damaged line')}: {again}"


def _lost_marks(db: Connection, marks: list[Mark]) -> list[Mark]:
    """The marks of the table that the file does not have."""
    rows = [MarkedSession._make(row) for row in db.execute(f"SELECT {_COLUMNS} FROM main.marks")]
    if not rows:
        return []
    known = set(_with_present_ids(db, marks))
    return [mark for row in rows for mark in row.marks() if mark not in known]


def _renew_items(db: Connection, sessions: set[tuple[str, str]]) -> None:
    items = Items(db)
    query = "SELECT id, item_id FROM sessions WHERE agent = ? AND uid = ? AND item_id"
    for session in sorted(sessions):
        for row_id, item_id in db.execute(query, session).fetchall():
            items.add_tombstones([item_id])
            new_id = items.next_id()
            db.execute("UPDATE sessions SET item_id = ? WHERE id = ?", (new_id, row_id))
    items.save()


# -- checking ----------------------------------------------------------------------------------


def wrong_marks(db: Connection, path: str) -> Iterator[str]:
    """What is wrong with the file, and with the table where it is a copy of the file as it is."""
    found = read_marks(path)
    for line in found.damaged:
        yield _DAMAGED.format(line=line)
    if not is_of_this_version(db):
        return
    lost = _lost_marks(db, found.marks)
    if lost:
        are = "is" if len(lost) == 1 else "are"
        yield _LOST.format(marks=plural(len(lost), "mark"), are=are)
    elif not found.damaged and is_saved(db, path):
        rows = db.execute(f"SELECT {_COLUMNS} FROM main.marks").fetchall()
        if set(rows) != set(_marked_sessions(_with_present_ids(db, found.marks))):
            yield "the catalog has other marks than it: 'aj sync' corrects it"


def marks_advice(path: str) -> str:
    """What to do about damaged lines; empty when there are none."""
    damaged = len(read_marks(path).damaged)
    if not damaged:
        return ""
    return f"{plural(damaged, 'line')} of {path} cannot be read: 'aj sync' writes what can be saved"


# -- from marks to rows ------------------------------------------------------------------------


def _marked_sessions(marks: Iterable[Mark]) -> list[MarkedSession]:
    stars: dict[tuple[str, str], int] = {}
    titles: dict[tuple[str, str], Mark] = {}
    tags: dict[tuple[str, str], dict[str, int]] = {}
    for mark in last_words(marks).values():
        session = (mark.agent, mark.session_id)
        if not mark.is_set:
            continue
        if mark.kind == STAR:
            stars[session] = mark.at
        elif mark.kind == TITLE:
            titles[session] = mark
        elif mark.kind == TAG:
            tags.setdefault(session, {})[mark.value] = mark.at
    found = []
    for session in sorted({*stars, *titles, *tags}):
        title = titles.get(session)
        own_tags = tags.get(session)
        found.append(
            MarkedSession(
                *session,
                starred_at=stars.get(session),
                title=title.value if title else None,
                titled_at=title.at if title else None,
                tags=_json(own_tags) if own_tags else None,
            )
        )
    return found


def _json(tags: dict[str, int]) -> str:
    return json.dumps(dict(sorted(tags.items())), ensure_ascii=False)


def _with_present_ids(db: Connection, marks: list[Mark]) -> list[Mark]:
    """The marks, each with the id that its session has now."""
    named = dict.fromkeys((mark.agent, mark.session_id) for mark in marks)
    query = "SELECT 1 FROM sessions WHERE agent = ? AND uid = ? AND is_known = 1"
    missing = {name for name in named if db.execute(query, name).fetchone() is None}
    if not missing:
        return marks
    from agent_journal.store.catalog.former_ids import former_ids

    present: dict[tuple[str, str], str] = {}
    for found in former_ids(db):
        if (found.agent, found.former) in missing:
            row = db.execute("SELECT uid FROM sessions WHERE id = ?", (found.row_id,)).fetchone()
            present[found.agent, found.former] = row[0]
    return [
        mark._replace(session_id=present.get((mark.agent, mark.session_id), mark.session_id))
        for mark in marks
    ]
