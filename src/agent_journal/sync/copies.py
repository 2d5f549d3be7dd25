"""Several files of one session: moved, migrated, or written in two layouts.

One is read, the others are kept.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import NamedTuple

from agent_journal.connectors.base import Connector
from agent_journal.connectors.ledger import Ledger
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import add_ledger
from agent_journal.store.catalog.pruned import STATUS as PRUNED
from agent_journal.store.content import KeptContent


class _Priority(NamedTuple):
    """Why one transcript is preferred over another, most important reason first."""

    is_complete: bool
    rank: int
    completeness: int
    has_bytes: bool
    mtime_ns: int
    depth: int  # a backup has the whole path of what it is a copy of below its own folder
    path: str


def candidates(
    files: Files, agent: str, session: str, can_be_read: Callable[[FileRow], bool]
) -> tuple[FileRow | None, list[FileRow]]:
    """The transcript of a session to be read, None if none can be; the others."""
    return _choose(files, files.transcripts_of(agent, session), can_be_read)


class Roots:
    """The roots of each agent, under which a file may be copied."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._known: dict[str, set[str]] = {}

    def candidates(
        self, row: FileRow, can_be_read: Callable[[FileRow], bool]
    ) -> tuple[FileRow | None, list[FileRow]]:
        """Of a document and those with its name under other roots, the one to read; the others."""
        found = [self._files.get(row.id), *self.namesakes(row)]
        return _choose(self._files, found, can_be_read)

    def namesakes(self, row: FileRow) -> list[FileRow]:
        """The files with the name of this one under other roots that were read."""
        found = []
        for root in self._others(row):
            other = self._files.find(row.agent, os.path.join(root, *row.name.split("/")))
            if other is not None and _was_read(other):
                found.append(other)
        return found

    def _others(self, row: FileRow) -> set[str]:
        known = self._known.get(row.agent, set())
        if row.root not in known:
            known = {root for agent, root in self._files.roots() if agent == row.agent}
            self._known[row.agent] = known
        return known - {row.root}


def _was_read(row: FileRow) -> bool:
    return row.status == "copy" or (row.status == "read" and row.read_version is not None)


def holds_many_sessions(connector: Connector) -> bool:
    """Whether a transcript of the agent has several sessions."""
    return bool(getattr(connector, "holds_many_sessions", False))


def only_session(connector: Connector, role: str, session: str | None) -> str | None:
    """The session that all of a file is of; None when it may have others, too."""
    if role != "export" and holds_many_sessions(connector):
        return None
    return session


def begins_with(content: KeptContent, beginning: KeptContent) -> bool:
    """Whether a file has all the bytes of another one, and maybe more after them."""
    if beginning.size > content.size:
        return False
    return _hash_of(content, beginning.size) == _hash_of(beginning, beginning.size)


def _hash_of(content: KeptContent, size: int) -> bytes:
    found = hashlib.sha256()
    for chunk in content.chunks():
        found.update(chunk[:size])
        size -= len(chunk)
        if size <= 0:
            break
    return found.digest()


def mark_copy(files: Files, copy: FileRow) -> None:
    """Record that a file whose rows were dropped is a copy."""
    # A copy with a newer version is read after this. The version that could be read stays recorded
    # for the files that are read with it.
    files.update(copy.id, status="copy", is_current=copy.is_current, read_version=copy.read_version)
    ledger = Ledger()
    ledger.add(
        "skipped", "copy", _kept_size(files, copy), "another file that says the same is read"
    )
    add_ledger(files.db, copy, ledger)


def mark_pruned(files: Files, row: FileRow) -> None:
    """Record that a file whose rows were dropped is of a session that was pruned."""
    files.update(row.id, status=PRUNED, is_current=1, reader_version=None, completeness=0)
    ledger = Ledger()
    ledger.add("skipped", "pruned", _kept_size(files, row), "its session was pruned")
    add_ledger(files.db, row, ledger)


def _choose(
    files: Files, rows: list[FileRow], can_be_read: Callable[[FileRow], bool]
) -> tuple[FileRow | None, list[FileRow]]:
    # The best one first: few are asked, since asking may read a whole file from the archive
    ranked = sorted(rows, key=lambda row: _priority(files, row), reverse=True)
    best = next((row for row in ranked if can_be_read(row)), None)
    return best, [row for row in rows if row is not best]


def _priority(files: Files, row: FileRow) -> _Priority:
    version = files.version(row.version_id)
    mtime_ns = version.mtime_ns if version else None
    return _Priority(
        is_complete=row.completeness > 0,
        rank=row.rank,
        completeness=row.completeness,
        has_bytes=_kept_size(files, row) > 0,
        mtime_ns=mtime_ns or 0,
        depth=-row.path.count(os.sep),
        path=row.path,
    )


def _kept_size(files: Files, row: FileRow) -> int:
    version = files.version(row.version_id)
    return version.size if version else 0
