"""What follows from all files together: session rows, forks, and which usage counts.

Runs inside the transaction that wrote the rows, for the sessions it touched, and depends only on
what is in the tables, never on the order in which files were read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

import msgspec

from agent_journal.model import Session
from agent_journal.model.origins import MADE_IDS, MENTIONED_EDIT, RECORDED_EDIT
from agent_journal.store.catalog.counting import count_usage
from agent_journal.store.catalog.files import IS_TRANSCRIPT
from agent_journal.store.catalog.items import Items
from agent_journal.store.catalog.sums import sum_up
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


def settle(db: sqlite3.Connection, touched: set[int], new_from: int, freed_keys: set[str]) -> None:
    """Brings the sessions a transaction touched up to date; its items have ids from `new_from` on."""
    for session_id in touched:
        _merge_pieces(db, session_id)
        _count(db, session_id)
    suspects = _find_forks(db, touched, new_from)
    changed = touched | count_usage(db, touched, new_from, freed_keys)
    _total(db, changed)
    sum_up(db, changed | suspects)
    renew(db, changed | suspects)


def renew(db: sqlite3.Connection, sessions: set[int]) -> None:
    """Gives the rows of sessions that changed a new id, so that a mirror takes them in again."""
    items = Items(db)
    buried = [(session_id,) for session_id in sessions]
    db.executemany(
        "INSERT OR IGNORE INTO tombstones SELECT revision FROM sessions WHERE id = ? AND revision",
        buried,
    )
    rows = [(items.take(), session_id) for session_id in sorted(sessions)]
    db.executemany("UPDATE sessions SET revision = ? WHERE id = ?", rows)
    items.save()


def merged(pieces: Iterable[Session]) -> Session | None:
    """One session from what several files say: the first value of each field, the best-ranked
    title.
    """
    pieces = sorted(pieces, key=lambda piece: piece.is_hint)
    if not pieces or pieces[0].is_hint:
        return None
    first = pieces[0]
    values: dict[str, object] = {}
    for field in _SCALARS:
        values[field] = next(
            (value for piece in pieces if (value := getattr(piece, field)) is not None), None
        )
    for field in _FROM_DOCUMENTS:
        told = [value for piece in pieces if (value := getattr(piece, field)) is not None]
        values[field] = told[-1] if told else None
    # The first of equals
    best = max(pieces, key=lambda piece: (piece.title is not None, piece.title_rank))
    return msgspec.structs.replace(
        first,
        **values,
        title=best.title,
        title_rank=best.title_rank,
        title_source=best.title_source,
        models=tuple(dict.fromkeys(model for piece in pieces for model in piece.models)),
        tags=tuple(dict.fromkeys(tag for piece in pieces for tag in piece.tags)),
        is_automated=any(piece.is_automated for piece in pieces),
    )


def _merge_pieces(db: sqlite3.Connection, session_id: int) -> None:
    rows = db.execute(
        "SELECT p.body FROM session_pieces p JOIN files f ON f.id = p.file_id "
        f"WHERE p.session_id = ? AND p.body IS NOT NULL ORDER BY NOT f.{IS_TRANSCRIPT}, f.name, f.path",
        (session_id,),
    )
    session = merged(_decode(body) for (body,) in rows.fetchall())
    if session is None:
        db.execute("UPDATE sessions SET is_known = 0 WHERE id = ?", (session_id,))
        return
    db.execute(
        "UPDATE sessions SET title=?, title_source=?, project_path=?, project_dir=?, repository=?, git_branch=?, "
        "host_app=?, agent_version=?, models=?, started_at=?, ended_at=?, parent_uid=?, parent_call_uid=?, "
        "recorded_fork_of=?, fork_of=?, agent_name=?, slug=?, tags=?, recorded_cost_micro_usd=?, "
        "is_automated=?, is_known=1, item_id=? WHERE id=?",
        (
            session.title,
            session.title_source,
            session.project_path,
            session.project_dir,
            session.repository,
            session.git_branch,
            session.host_app,
            session.agent_version,
            json.dumps(session.models),
            to_micros(session.started_at),
            to_micros(session.ended_at),
            session.parent_id,
            session.parent_call_id,
            session.fork_of,
            session.fork_of,
            session.agent_name,
            session.slug,
            json.dumps(session.tags),
            session.recorded_cost_micro_usd,
            session.is_automated,
            _item(db, session_id, session),
            session_id,
        ),
    )


def _item(db: sqlite3.Connection, session_id: int, session: Session) -> int:
    """The id under which the session itself is found; a new one when what it is found by has
    changed.
    """
    query = "SELECT title, project_path, project_dir, repository, git_branch, item_id FROM sessions WHERE id = ?"
    *before, item_id = db.execute(query, (session_id,)).fetchone()
    now = [
        session.title,
        session.project_path,
        session.project_dir,
        session.repository,
        session.git_branch,
    ]
    if item_id and before == now:
        return int(item_id)
    items = Items(db)
    if item_id:
        items.bury("SELECT ?", (item_id,))
    item_id = items.take()
    items.save()
    return int(item_id)


def _count(db: sqlite3.Connection, session_id: int) -> None:
    db.execute(
        "UPDATE sessions SET (message_count, prompt_count, first_uid) = (SELECT "
        "coalesce(sum(kind IN ('prompt', 'answer')), 0), coalesce(sum(kind = 'prompt'), 0), "
        "(SELECT uid FROM messages WHERE session_id = ?1 AND role IN ('user', 'assistant') "
        f"AND {_IS_OWN_ID} "
        "ORDER BY seq LIMIT 1) FROM messages WHERE session_id = ?1 AND state IS NOT 'hidden'), "
        "tool_count = (SELECT count(*) FROM tool_calls WHERE session_id = ?1), "
        "edit_count = (SELECT count(*) FROM file_edits WHERE session_id = ?1 AND kind <> 'backup' AND "
        f"(origin <> '{MENTIONED_EDIT}' OR NOT EXISTS (SELECT 1 FROM file_edits "
        f"WHERE session_id = ?1 AND origin = '{RECORDED_EDIT}'))) WHERE id = ?1",
        (session_id,),
    )


def _find_forks(db: sqlite3.Connection, touched: set[int], new_messages_from: int) -> set[int]:
    """A session that begins with a message of another one continues it: forks carry no pointer
    back.

    The sessions that were looked at.
    """
    suspects = set(touched)
    for session_id in touched:
        suspects.update(
            row[0]
            for row in db.execute(
                "SELECT s.id FROM messages m JOIN sessions s ON s.first_uid = m.uid "
                "WHERE m.session_id = ? AND m.id >= ? AND s.id <> m.session_id",
                (session_id, new_messages_from),
            )
        )
    for session_id in touched:
        query = "SELECT f.id FROM sessions s JOIN sessions f ON f.fork_of = s.uid WHERE s.id = ?"
        suspects.update(row[0] for row in db.execute(query, (session_id,)))
    for session_id in suspects:
        db.execute(
            "UPDATE sessions SET fork_of = coalesce(recorded_fork_of, ?) WHERE id = ? AND parent_uid IS NULL",
            (_origin(db, session_id), session_id),
        )
    return suspects


def _origin(db: sqlite3.Connection, session_id: int) -> str | None:
    others = db.execute(
        "SELECT o.uid, o.first_uid IN (SELECT uid FROM messages WHERE session_id = s.id), "
        "(o.started_at, o.ended_at, o.uid) < (s.started_at, s.ended_at, s.uid) "
        "FROM sessions s JOIN messages m ON m.uid = s.first_uid JOIN sessions o ON o.id = m.session_id "
        "WHERE s.id = ? AND o.id <> s.id AND o.parent_uid IS NULL "
        "ORDER BY o.started_at, o.ended_at, o.uid LIMIT 50",
        (session_id,),
    )
    for uid, mutual, earlier in others:
        if not mutual or earlier:  # of two that begin alike, the earlier one is the origin
            return str(uid)
    return None


def _total(db: sqlite3.Connection, sessions: set[int]) -> None:
    db.executemany(
        "UPDATE sessions SET (input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_micro_usd) = "
        "(SELECT sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens), "
        "sum(cost_micro_usd) FROM usage WHERE session_id = sessions.id AND counted = 1) WHERE id = ?",
        [(session_id,) for session_id in sessions],
    )
