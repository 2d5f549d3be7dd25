"""The facts of a catalog that are in no archive: kept in `seen.jsonl`, and restored from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent_journal.store.catalog.connection import CatalogError, Connection, transaction
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.seen_mark import Mark, find_mark, save_mark
from agent_journal.store.seen_file import SeenFile, append_facts, size_of
from agent_journal.text.human import plural

_FILES = "SELECT 'file', agent, path, first_seen FROM files WHERE id > ? AND first_seen NOT NULL"
_VERSIONS = (
    "SELECT 'version', f.agent, f.path, v.number, v.captured_at "
    "FROM versions v JOIN files f ON f.id = v.file_id WHERE v.id > ? AND v.captured_at NOT NULL"
)
_VANISHED = "SELECT 'vanished', agent, path, vanished_at FROM files WHERE vanished_at > ?"
_UNKEPT = (
    "SELECT 'unkept', agent, path, root, name, role, session, rank FROM files "
    "WHERE id > ? AND version_id IS NULL"
)
_PROJECTS = "SELECT 'project', path, project FROM projects"
_KEPT = "SELECT f.agent, f.path, v.number FROM versions v JOIN files f ON f.id = v.file_id"
_NOUNS = {
    "file": "the day it was first seen",
    "version": "the day a version of it was kept",
    "vanished": "the day it vanished",
    "project": "its project",
}
Fact = tuple[Any, ...]


def save_seen(db: Connection, path: str, *, is_full: bool = False) -> None:
    """Add the facts of the catalog that the file does not have yet.

    Without `is_full`, only those since the last time, where nothing but additions happened.
    """
    mark = find_mark(db)
    if mark == _present(db, size_of(path)) and not is_full:
        return
    new = None
    if not is_full and mark is not None and mark.size == size_of(path):
        new = _facts_since(db, mark)
    if new is None:
        seen = SeenFile(path)
        _add_all(db, seen)
        seen.write()
    else:
        append_facts(path, new)
    present = _present(db, size_of(path))
    with transaction(db):
        save_mark(db, present)


def restore_seen(db: Connection, path: str) -> None:
    """Give the files of a rebuilt catalog the dates they had, and the folders their projects."""
    files = Files(db)
    facts = SeenFile(path).facts.items()
    with transaction(db):
        # Files that are in no archive come first: others say more of them
        for subject, known in sorted(facts, key=lambda fact: fact[0][0] != "unkept"):
            _restore(files, subject, known)


def _restore(files: Files, subject: Fact, known: Fact) -> None:
    kind = subject[0]
    if kind == "project":
        insert = "INSERT OR IGNORE INTO projects (path, project) VALUES (?, ?)"
        files.db.execute(insert, (subject[1], known[0]))
    elif kind == "unkept":
        root, name, role, session, rank = known
        _, agent, path = subject
        files.ensure(
            agent=agent, root=root, name=name, path=path, role=role, session=session, rank=rank
        )
    elif kind == "version":
        files.db.execute(
            "UPDATE versions SET captured_at = ?4 WHERE number = ?3 "
            "AND file_id = (SELECT id FROM files WHERE agent = ?1 AND path = ?2)",
            (*subject[1:], known[0]),
        )
    else:
        column = {"file": "first_seen", "vanished": "vanished_at"}[kind]
        update = f"UPDATE files SET {column} = ? WHERE agent = ? AND path = ?"
        files.db.execute(update, (known[0], *subject[1:]))


def salvage_seen(db: Connection, path: str) -> None:
    """Add the facts of a catalog that is about to be set aside, as far as they can be read.

    It may be damaged or old: what the file says takes precedence, and no files are made of it.
    """
    seen = SeenFile(path)
    for query in (_FILES, _VERSIONS, _VANISHED, _PROJECTS):
        values = (-1,) if "?" in query else ()
        try:
            for fact in db.execute(query, values).fetchall():
                if fact[0] != "vanished" or fact[:3] not in seen.facts:
                    seen.add(fact)
        except (CatalogError, ValueError):
            continue
    seen.write()


def wrong_facts(db: Connection, path: str) -> Iterator[tuple[str, str]]:
    """The names of what the catalog and the file disagree about, and how."""
    seen = SeenFile(path)
    if seen.damaged:
        yield path, f"{seen.damaged} lines are damaged: the next 'aj sync' writes them again"
        return
    mark = find_mark(db)
    if mark is not None and size_of(path) < mark.size:
        yield path, "facts are missing at its end: the next 'aj sync' writes them again"
        return
    for fact in _dates_and_projects(db):
        *subject, value = fact
        known = seen.facts.get(tuple(subject))
        if known is not None and known != (value,):
            what = f"{_NOUNS[fact[0]]} in the catalog is another one than in {path}"
            yield str(subject[-1] if fact[0] == "project" else subject[2]), what


def lost_versions(db: Connection, path: str) -> list[tuple[str, int]]:
    """The path and number of each version that was kept once, and that the archive lacks."""
    known = {tuple(row) for row in db.execute(_KEPT)}
    return sorted(
        (subject[2], subject[3])
        for subject in SeenFile(path).facts
        if subject[0] == "version" and subject[1:] not in known
    )


def lost_versions_cure(path: str) -> str:
    """What to do about versions that the archive lacks."""
    return f"copy the archive from a backup, or delete {path} and run 'aj sync' to give them up"


def lost_versions_advice(db: Connection, path: str) -> str:
    """Name the files of which the archive lacks what was kept once; empty when there are none."""
    lost = list(dict.fromkeys(name for name, _ in lost_versions(db, path)))
    if not lost:
        return ""
    others = ""
    if len(lost) > 1:
        others = f" and {plural(len(lost) - 1, 'other file')}"
    cure = lost_versions_cure(path)
    return f"the archive lacks what was kept of {lost[0]}{others}: {cure}"


def _dates_and_projects(db: Connection) -> Iterator[Fact]:
    for query in (_FILES, _VERSIONS, _VANISHED):
        yield from db.execute(query, (-1,))
    yield from db.execute(_PROJECTS)


def _facts_since(db: Connection, mark: Mark) -> list[Fact] | None:
    """What was added since; None when something else changed, too."""
    vanished = db.execute(_VANISHED, (mark.last_vanished,)).fetchall()
    now = _present(db, mark.size)
    if mark.projects != now.projects or mark.vanished + len(vanished) != now.vanished:
        return None
    facts = db.execute(_FILES, (mark.last_file,)).fetchall()
    facts += db.execute(_UNKEPT, (mark.last_file,)).fetchall()
    facts += db.execute(_VERSIONS, (mark.last_version,)).fetchall()
    return facts + vanished


def _add_all(db: Connection, seen: SeenFile) -> None:
    vanished = set()
    for fact in _dates_and_projects(db):
        if fact[0] == "vanished":
            vanished.add(fact[:3])
        seen.add(fact)
    for fact in db.execute(_UNKEPT, (-1,)):
        seen.add(fact)
    files = Files(db)
    for subject, known in list(seen.facts.items()):
        if subject[0] != "vanished" or known == (None,) or subject in vanished:
            continue
        if files.find(subject[1], subject[2]) is not None:
            seen.add((*subject, None))  # it came back


def _present(db: Connection, size: int) -> Mark:
    last_file, last_vanished, vanished = db.execute(
        "SELECT coalesce(max(id), 0), coalesce(max(vanished_at), 0), count(vanished_at) FROM files"
    ).fetchone()
    (last_version,) = db.execute("SELECT coalesce(max(id), 0) FROM versions").fetchone()
    (projects,) = db.execute("SELECT count(*) FROM projects").fetchone()
    return Mark(size, last_file, last_version, last_vanished, vanished, projects)
