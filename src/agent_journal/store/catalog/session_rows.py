"""What follows from all files together: session rows, forks, and which usage counts.

Runs inside the transaction that wrote the rows, for the sessions it touched, and depends only on
what is in the tables, never on the order in which files were read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from agent_journal.model import Session
from agent_journal.model.light_msgspec import msgspec
from agent_journal.model.origins import MADE_IDS
from agent_journal.store.catalog.counting import began_together, count_usage
from agent_journal.store.catalog.endings import find_ending
from agent_journal.store.catalog.files import IN_ORDER
from agent_journal.store.catalog.forks import find_forks, places
from agent_journal.store.catalog.hashed_folders import (
    folders_of,
    name_hashed_folders,
    take_back_folders,
)
from agent_journal.store.catalog.items import Items
from agent_journal.store.catalog.line_titles import titles_of
from agent_journal.store.catalog.sum_changes import update_counts, update_sums
from agent_journal.store.catalog.totals import count_unlisted
from agent_journal.text.dates import to_micros

_decode = msgspec.msgpack.Decoder(Session).decode
_IS_OWN_ID = " AND ".join(f"uid NOT GLOB '{pattern}'" for pattern in MADE_IDS)
_SCALARS = (
    "project_path",
    "project_dir",
    "repository",
    "git_branch",
    "host_app",
    "agent_version",
    "started_at",
    "ended_at",
    "fork_of",
    "slug",
    "recorded_cost_micro_usd",
)
# A sub-agent's own small document knows these better than its transcript, which names only the
# outermost session.
_FROM_DOCUMENTS = ("parent_id", "parent_call_id", "agent_name")
# What only files say of a session, and nothing when none has it
_SAID = (
    *_SCALARS,
    "title",
    "title_source",
    "models",
    "parent_uid",
    "parent_call_uid",
    "recorded_fork_of",
    "agent_name",
    "tags",
    "last_line",
)
_NOTHING_SAID = ", ".join(f"{column} = NULL" for column in _SAID)
# What a session is found by: a change makes it a new item for the search index.
_FOUND_BY = ("title", "project_path", "project_dir", "repository", "git_branch")


class _Facts(NamedTuple):
    """What decides which rows of a session count, and when."""

    is_known: int
    started_at: int | None
    fork_of: str | None
    origin: int | None  # the session that it continues, when the journal has it


def update_sessions(
    db: sqlite3.Connection, touched: set[int], new_from: int, freed_keys: set[str]
) -> None:
    """Update the rows of the sessions a transaction touched; its items have ids from `new_from`."""
    before = _facts(db, touched)
    places_before = places(db, touched)
    folders_before = folders_of(db, touched)
    for session_id in touched:
        _merge_pieces(db, session_id)
        _note_first(db, session_id)
        _note_ending(db, session_id)
    named = take_back_folders(db, folders_before)
    named |= name_hashed_folders(db)
    together = began_together(db, touched)
    moved = {key for key, place in places(db, touched).items() if place != places_before[key]}
    suspects = find_forks(db, touched, moved | together, new_from)
    others = _counted_otherwise(before, _facts(db, touched))
    changed = touched | count_usage(db, touched, others | together, new_from, freed_keys)
    changed |= count_unlisted(db, changed | suspects)
    update_counts(db, touched, others, new_from)
    update_sums(db, changed | suspects, others | suspects - touched, new_from)
    _add_up_tokens(db, changed)
    renew_revisions(db, changed | suspects | named)


def _facts(db: sqlite3.Connection, sessions: set[int]) -> dict[int, _Facts]:
    query = (
        "SELECT s.id, s.is_known, s.started_at, s.fork_of, o.id FROM sessions s "
        "LEFT JOIN sessions o ON o.uid = s.fork_of AND o.agent = s.agent WHERE s.id = ?"
    )
    rows = [db.execute(query, (session_id,)).fetchone() for session_id in sessions]
    return {session_id: _Facts(*facts) for session_id, *facts in rows}


def _counted_otherwise(before: dict[int, _Facts], now: dict[int, _Facts]) -> set[int]:
    """The sessions of which also rows that did not change count otherwise than before."""
    return {
        session_id
        for session_id, facts in now.items()
        if facts != before[session_id] or facts.origin in now
    }


def renew_revisions(db: sqlite3.Connection, sessions: set[int]) -> None:
    """Give the rows of sessions that changed a new id, so that a mirror reads them again."""
    items = Items(db)
    db.executemany(
        "INSERT OR IGNORE INTO tombstones (item_id) "
        "SELECT revision FROM sessions WHERE id = ? AND revision",
        [(session_id,) for session_id in sessions],
    )
    revisions = [(items.next_id(), session_id) for session_id in sorted(sessions)]
    db.executemany("UPDATE sessions SET revision = ? WHERE id = ?", revisions)
    items.save()


def merged(pieces: Iterable[Session]) -> Session | None:
    """One session from what several files say: the first value of each, the best-ranked title."""
    pieces = sorted(pieces, key=lambda piece: piece.is_hint)
    if not pieces or pieces[0].is_hint:
        return None
    values: dict[str, object] = {}
    for field in _SCALARS:
        values[field] = next(iter(_known(pieces, field)), None)
    for field in _FROM_DOCUMENTS:
        values[field] = next(reversed(_known(pieces, field)), None)
    # The first of equals
    best = max(pieces, key=lambda piece: (piece.title is not None, piece.title_rank))
    return msgspec.structs.replace(
        pieces[0],
        **values,
        title=best.title,
        title_rank=best.title_rank,
        title_source=best.title_source,
        models=tuple(dict.fromkeys(model for piece in pieces for model in piece.models)),
        tags=tuple(dict.fromkeys(tag for piece in pieces for tag in piece.tags)),
        is_automated=any(piece.is_automated for piece in pieces),
    )


def _known(pieces: list[Session], field: str) -> list[Any]:
    values = [getattr(piece, field) for piece in pieces]
    return [value for value in values if value is not None]


def _merge_pieces(db: sqlite3.Connection, session_id: int) -> None:
    rows = db.execute(
        "SELECT p.body FROM session_pieces p JOIN files f ON f.id = p.file_id "
        "WHERE p.session_id = ? AND p.body IS NOT NULL "
        f"ORDER BY {IN_ORDER}",
        (session_id,),
    )
    pieces = [_decode(body) for (body,) in rows.fetchall()]
    last_line = next(iter(_known(pieces, "last_line_id")), None)
    if last_line is not None:
        pieces += titles_of(db, pieces[0].agent, pieces[0].id, last_line)
    session = merged(pieces)
    if session is None:
        _forget(db, session_id)
        return
    item_id = _item(db, session_id, session)
    columns = {
        "title": session.title,
        "title_source": session.title_source,
        "project_path": session.project_path,
        "project_dir": session.project_dir,
        "repository": session.repository,
        "git_branch": session.git_branch,
        "host_app": session.host_app,
        "agent_version": session.agent_version,
        "models": json.dumps(session.models),
        "started_at": to_micros(session.started_at),
        "ended_at": to_micros(session.ended_at),
        "parent_uid": session.parent_id,
        "parent_call_uid": session.parent_call_id,
        "recorded_fork_of": session.fork_of,
        "fork_of": session.fork_of,
        "agent_name": session.agent_name,
        "slug": session.slug,
        "tags": json.dumps(session.tags),
        "recorded_cost_micro_usd": session.recorded_cost_micro_usd,
        "is_automated": session.is_automated,
        "is_known": True,
        "last_line": last_line,
        "item_id": item_id,
    }
    assignments = ", ".join(f"{column} = ?" for column in columns)
    db.execute(f"UPDATE sessions SET {assignments} WHERE id = ?", (*columns.values(), session_id))


def _item(db: sqlite3.Connection, session_id: int, session: Session) -> int:
    """The id under which the session itself is found; a new one when what finds it changed."""
    query = f"SELECT item_id, {', '.join(_FOUND_BY)} FROM sessions WHERE id = ?"
    item_id, *before = db.execute(query, (session_id,)).fetchone()
    now = [getattr(session, field) for field in _FOUND_BY]
    if item_id and before == now:
        return int(item_id)
    items = Items(db)
    if item_id:
        items.add_tombstones([item_id])
    new_id = items.next_id()
    items.save()
    return new_id


def _forget(db: sqlite3.Connection, session_id: int) -> None:
    """Note that no file has the session any more: it is no longer found.

    What was said of it goes, too: forks and folders of others would follow from it.
    """
    (item_id,) = db.execute("SELECT item_id FROM sessions WHERE id = ?", (session_id,)).fetchone()
    if item_id:
        items = Items(db)
        items.add_tombstones([item_id])
        items.save()
    db.execute(
        f"UPDATE sessions SET {_NOTHING_SAID}, is_automated = 0, is_known = 0, item_id = 0 "
        "WHERE id = ?",
        (session_id,),
    )


def _note_first(db: sqlite3.Connection, session_id: int) -> None:
    """Note the message that a session begins with; ids that readers made up begin none."""
    db.execute(
        "UPDATE sessions SET first_uid = (SELECT uid FROM messages WHERE session_id = ?1 "
        f"AND role IN ('user', 'assistant') AND {_IS_OWN_ID} "
        "ORDER BY seq, uid LIMIT 1) WHERE id = ?1",
        (session_id,),
    )


def _note_ending(db: sqlite3.Connection, session_id: int) -> None:
    ending = find_ending(db, session_id)
    db.execute("UPDATE sessions SET ended_as = ? WHERE id = ?", (ending, session_id))


def _add_up_tokens(db: sqlite3.Connection, sessions: set[int]) -> None:
    db.executemany(
        "UPDATE sessions SET "
        "(input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_micro_usd) = "
        "(SELECT sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), "
        "sum(output_tokens), sum(cost_micro_usd) "
        "FROM usage_sums WHERE session_id = sessions.id) WHERE id = ?",
        [(session_id,) for session_id in sessions],
    )
