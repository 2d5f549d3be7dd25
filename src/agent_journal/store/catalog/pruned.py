"""What the user has pruned, as the catalog knows it; the decisions are in `pruned.jsonl`.

Nothing is read of sessions that were pruned: their rows are dropped, and those of files that they
share with others are read again without them. So nothing that reads the catalog has to know.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.errors import NoSuchSession
from agent_journal.store.catalog.connection import Connection, transaction
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.items import find_meta, set_meta
from agent_journal.store.catalog.parts import Parts, set_pruned_parts

if TYPE_CHECKING:  # a sync with nothing to do needs none of it
    from agent_journal.store.pruned_file import Decision, Pruned

STATUS = "pruned"  # of a file whose session was pruned
PRUNED_REASON = (
    "its session was pruned: 'aj prune --undo ID' brings it back, and after a purge "
    "'aj prune --forget ID' lets it be read again"
)
_NAME = "pruned.jsonl"
_DECISIONS = "pruned sessions"
_STAMP = "pruned sessions as of"


def apply_decisions(files: Files, home: str) -> bool:
    """Have the files of sessions read again that were pruned or brought back since the last time.

    Whether there were any.
    """
    path = os.path.join(home, _NAME)
    stamp = _stamp(path)
    if stamp == (find_meta(files.db, _STAMP) or ""):
        return False
    from agent_journal.store.pruned_file import Decisions, encode, read_decisions

    before = Decisions(_saved(files.db)).all
    now = read_decisions(path).all
    changed = [
        decision
        for key, decision in (before | now).items()
        if _is_in_force(before.get(key)) != _is_in_force(now.get(key))
    ]
    with transaction(files.db):
        ids = {row.id for row in files_of_decisions(files, changed)}
        ids |= {file_id for decision in changed for file_id in _named_after(files.db, decision)}
        for file_id in sorted(ids):
            # As if an older version of the reader had read it
            files.update(file_id, is_current=0, reader_version=0, status="read")
        in_force = [decision for decision in now.values() if decision.is_in_force]
        set_pruned_parts(files.db, [(one.agent, part) for one in in_force for part in one.parts])
        set_meta(files.db, _DECISIONS, encode(now.values()))
        set_meta(files.db, _STAMP, stamp)
    return True


def _named_after(db: Connection, decision: Decision) -> set[int]:
    """The files whose ids follow from that of a session which is pruned no more."""
    if decision.is_in_force:
        return set()
    parts = Parts(db, decision.agent)
    return {file_id for session, _ in decision.parts for file_id in parts.files(session)}


def _is_in_force(decision: Decision | None) -> bool:
    return decision is not None and decision.is_in_force


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


def _saved(db: Connection) -> list[Decision]:
    text = find_meta(db, _DECISIONS)
    if not text:
        return []
    from agent_journal.store.pruned_file import decode

    return decode(text)


def load_pruned(db: Connection) -> Pruned | None:
    """What is to be left out; None when it is nothing."""
    decisions = _saved(db)
    if not decisions:
        return None
    from agent_journal.store.pruned_file import Pruned

    return Pruned(decisions) or None


def count_pruned(db: Connection) -> int:
    """How many sessions are left out that people would see: not those of sub-agents."""
    return sum(decision.is_in_force and not decision.parent for decision in _saved(db))


def no_session(db: Connection, text: str, uid: str) -> NoSuchSession:
    """The error for an id that no session has; it may be that of one that was pruned."""
    found = [one for one in _saved(db) if one.is_in_force and one.session.startswith(uid)]
    if not uid or not found:
        return NoSuchSession(
            f"no session has the id '{text}'",
            "'aj ls' lists sessions; 'aj ls --all' includes sub-agents and empty sessions",
        )
    hint = f"'aj prune --undo {uid}' brings it back"
    if found[0].state == "purged":
        hint = f"'aj prune --forget {uid}' lets a sync read it again, while its file exists"
    return NoSuchSession(f"the session '{text}' was pruned", hint)


def copy_pruned(db: Connection, other: Connection) -> None:
    """Have another catalog leave out the same."""
    text = find_meta(db, _DECISIONS)
    if text:
        set_meta(other, _DECISIONS, text)


def files_of_decisions(files: Files, decisions: Iterable[Decision]) -> Iterator[FileRow]:
    """The files that sessions were read from when they were pruned, and those that are of them."""
    decisions = list(decisions)
    if not decisions:
        return
    from agent_journal.store.pruned_file import Pruned, file_key

    keys = {key for decision in decisions for key in (*decision.own, *decision.shared)}
    own = Pruned(decision._replace(state="hidden") for decision in decisions)
    for row in files.all():
        is_named = file_key(row.agent, row.path) in keys
        if is_named or own.has_file(row.agent, row.path, row.session, row.name):
            yield row


# -- which files a session has -----------------------------------------------------------------


class SessionFiles(NamedTuple):
    """The files of a session with its sub-agents."""

    own: list[FileRow]
    shared: list[FileRow]  # with other sessions, or with what is no session's


def session_files(files: Files, agent: str, uid: str, family: dict[int, str]) -> SessionFiles:
    """The files that sessions, by the ids of their rows, are read from, and copies of them."""
    uids = {uid, *family.values()}
    ids = {file_id for row_id in family for file_id in files.ids_of(row_id)}
    own = {file_id for file_id in ids if set(files.sessions_of(file_id)) <= set(family)}
    own = {file_id for file_id in own if not _has_other_rows(files.db, file_id, uids)}
    own -= _claimed(files, own)
    own |= {row.id for one in uids for row in files.copies_of(agent, one)}
    own |= _read_only_with(files, own)
    shared = (ids | _naming(files.db, agent, uids, set(family))) - own
    rows = [files.get(file_id) for file_id in sorted(own)]
    for row in list(rows):
        if row.role == "database":
            rows += files.at_path(row.path + "-wal")
    return SessionFiles(rows, [files.get(file_id) for file_id in sorted(shared)])


def _claimed(files: Files, file_ids: set[int]) -> set[int]:
    """The files that also have sessions which were pruned before."""
    claimed = {key for one in _saved(files.db) if one.is_in_force for key in one.shared}
    if not claimed:
        return set()
    from agent_journal.store.pruned_file import file_key

    rows = [files.get(file_id) for file_id in file_ids]
    return {row.id for row in rows if file_key(row.agent, row.path) in claimed}


def _has_other_rows(db: Connection, file_id: int, uids: set[str]) -> bool:
    """Whether a file has prompts, plans or titles that may be others'."""
    rows = db.execute("SELECT DISTINCT session FROM history WHERE file_id = ?", (file_id,))
    if any(session not in uids for (session,) in rows):
        return True
    query = (
        "SELECT EXISTS (SELECT 1 FROM plans WHERE file_id = ?1 AND session_id IS NULL) "
        "OR EXISTS (SELECT 1 FROM daily_stats WHERE file_id = ?1)"
    )
    return bool(db.execute(query, (file_id,)).fetchone()[0])


def _read_only_with(files: Files, own: set[int]) -> set[int]:
    """The files that only these are read with."""
    found = {other for file_id in own for other in files.read_with(file_id)}
    query = (
        "SELECT d.file_id FROM dependencies d "
        "JOIN files f ON f.path = d.path AND f.agent = d.agent WHERE f.id = ?"
    )
    return {
        file_id
        for file_id in found
        if {dependent for (dependent,) in files.db.execute(query, (file_id,))} <= own
        and not files.sessions_of(file_id)
    }


def _naming(db: Connection, agent: str, uids: set[str], family: set[int]) -> set[int]:
    """The files that have prompts of sessions in a list, or titles for them."""
    prompts = (
        "SELECT DISTINCT h.file_id FROM history h JOIN files f ON f.id = h.file_id "
        "WHERE f.agent = ? AND h.session = ?"
    )
    titles = (
        "SELECT t.file_id FROM line_titles t JOIN sessions s ON s.last_line = t.line "
        "AND s.agent = t.agent WHERE s.id = ?"
    )
    found = {file_id for uid in uids for (file_id,) in db.execute(prompts, (agent, uid))}
    return found | {file_id for row_id in family for (file_id,) in db.execute(titles, (row_id,))}


def kept_size(db: Connection, file_ids: Iterable[int]) -> int:
    """How many bytes the archive uses for files, without what others have, too."""
    import json

    links = "SELECT l.frame_id FROM version_frames l JOIN versions v ON v.id = l.version_id"
    chosen = "(SELECT value FROM json_each(?1))"
    query = (
        "SELECT coalesce(sum(stored), 0) FROM frames "
        f"WHERE id IN ({links} WHERE v.file_id IN {chosen}) "
        f"AND id NOT IN ({links} WHERE v.file_id NOT IN {chosen})"
    )
    size: int = db.execute(query, (json.dumps(list(file_ids)),)).fetchone()[0]
    return size


def original_size(db: Connection, file_ids: Iterable[int]) -> int:
    """How many bytes files have as they were kept; of rows of a database, those of the rows."""
    import json

    query = (
        "SELECT coalesce(sum(v.size), 0) FROM files f JOIN versions v ON v.id = f.version_id "
        "WHERE f.id IN (SELECT value FROM json_each(?))"
    )
    size: int = db.execute(query, (json.dumps(list(file_ids)),)).fetchone()[0]
    return size


def continued_by(db: Connection, family: dict[int, str]) -> list[str]:
    """The sessions that begin with the messages of others."""
    found = []
    for uid in family.values():
        query = "SELECT id, agent || ':' || uid FROM sessions WHERE fork_of = ? AND is_known = 1"
        found += [name for row_id, name in db.execute(query, (uid,)) if row_id not in family]
    return found
