"""Giving back the original files: same bytes, same relative paths, same times."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import CannotWrite, JournalDamaged
from agent_journal.store.archive import Archive, cannot_write
from agent_journal.store.atomic import write_private
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files, Version
from agent_journal.store.catalog.listing import SessionRow, descendants_of
from agent_journal.store.content import KeptContent


class Restored(NamedTuple):
    """A file that was written, or was there already with the same bytes, or could not be given back
    (`reason`).
    """

    path: str
    size: int
    is_new: bool
    reason: str | None = None


def files_of(db: Connection, session: SessionRow) -> list[FileRow]:
    """The files a session and its sub-agents were read from; not those it shares with other
    sessions, unless it has none of its own: then the transcripts it stands in.
    """
    family = {session.row_id, *(row.row_id for row in descendants_of(db, session))}
    ids = {file_id for member in family for file_id in _files_of_one(db, member)}
    files = Files(db)
    own = {file_id for file_id in ids if set(files.sessions_of(file_id)) <= family}
    ids = own or {file_id for file_id in ids if files.get(file_id).role in TRANSCRIPTS}
    ids |= {file_id for known in list(ids) for file_id in files.read_with(known)}
    rows = [files.get(file_id) for file_id in sorted(ids)]
    copies = files.all("agent = ? AND session = ? AND status = 'copy'", session.agent, session.id)
    beside = [
        other
        for row in rows
        if row.role == "database"
        for other in files.all("path = ?", row.path + "-wal")
    ]
    return [*rows, *copies, *beside]


def restore(
    db: Connection,
    archive: Archive,
    rows: Iterable[FileRow],
    output: str,
    all_versions: bool = False,
) -> Iterator[Restored]:
    """Writes files under `output/<name of the root>/`; never over a file that has other bytes."""
    files = Files(db)
    folders = _folders(db)
    for row in rows:
        versions = files.versions(row.id)
        for version in versions if all_versions else versions[-1:]:
            parts = [part for part in row.name.split("/") if part not in ("", ".", "..")]
            path = os.path.join(output, *folders[row.agent, row.root].split("/"), *parts)
            if version is not versions[-1]:
                path += f".v{version.number}"
            yield _restored(KeptContent(files, archive, row, version), version, path)


def put_back(db: Connection, archive: Archive, rows: Iterable[FileRow]) -> Iterator[Restored]:
    """Writes files to the very places they were kept from; never over a file that has other bytes."""
    files = Files(db)
    for row in rows:
        version = files.versions(row.id)[-1]
        yield _restored(KeptContent(files, archive, row, version), version, row.path)


def _restored(content: KeptContent, version: Version, path: str) -> Restored:
    try:
        return _write(content, version, path)
    except (JournalDamaged, CannotWrite) as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in (
            errno.ENOSPC,
            errno.EDQUOT,
        ):
            raise  # nothing more can be written
        return Restored(path, version.size, False, error.message)


def _write(content: KeptContent, version: Version, path: str) -> Restored:
    try:
        if os.path.lexists(path):
            if _is_same(content, path):
                return Restored(path, version.size, False)
            raise CannotWrite(
                f"{path} exists and has other bytes", "choose another --output folder"
            )
        _make_folders(os.path.dirname(os.path.abspath(path)))
        write_private(path, content.chunks(), mtime_ns=version.mtime_ns)
    except OSError as error:
        raise cannot_write(path, error) from error
    return Restored(path, version.size, True)


def _is_same(content: KeptContent, path: str) -> bool:
    if os.path.getsize(path) != content.size:
        return False
    with open(path, "rb") as there:
        return all(there.read(len(chunk)) == chunk for chunk in content.chunks())


def _files_of_one(db: Connection, session_id: int) -> list[int]:
    query = "SELECT file_id FROM session_pieces WHERE session_id = ?"
    return [file_id for (file_id,) in db.execute(query, (session_id,))]


def _make_folders(path: str) -> None:
    """The folders of a path, each private; makedirs gives its mode only to the last."""
    if not os.path.isdir(path):
        parent = os.path.dirname(path)
        if parent != path:
            _make_folders(parent)
        os.mkdir(path, 0o700)


def _folders(db: Connection) -> dict[tuple[str, str], str]:
    """A folder name for each root: its own last part, numbered where two roots share it."""
    names: dict[tuple[str, str], str] = {}
    numbers: dict[str, int] = {}
    for agent, root in db.execute("SELECT DISTINCT agent, root FROM files ORDER BY agent, root"):
        parts = [part for part in root.replace("\\", "/").split("/") if part] or [agent]
        base = "/".join(parts[-2:] if parts[-1] == "User" else parts[-1:])  # Code/User, not User
        number = numbers[base] = numbers.get(base, 0) + 1
        names[agent, root] = base if number == 1 else f"{base}-{number}"
    return names
