"""Writing the original files back: same bytes, same relative paths, same times."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import CannotWrite, JournalDamaged
from agent_journal.store.archive import Archive, cannot_write
from agent_journal.store.atomic import write_private
from agent_journal.store.below import Folder, LinkOnTheWay, folder_below
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.earlier_sessions import place_of
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.growth import real_size
from agent_journal.store.catalog.listing import SessionRow, descendants_of
from agent_journal.store.catalog.versions import Version
from agent_journal.store.content import KeptContent

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class Restored(NamedTuple):
    """A file that was written, or existed with the same bytes, or could not be written."""

    path: str
    size: int
    is_new: bool
    reason: str | None = None  # why it could not be written


class _Target(NamedTuple):
    """A file to write below a folder; links inside the folder are not followed."""

    top: str
    parts: list[str]

    @property
    def path(self) -> str:
        """The path of the file."""
        return os.path.join(self.top, *self.parts)

    def with_suffix(self, suffix: str) -> _Target:
        """The file beside it whose name has this at its end."""
        return self._replace(parts=[*self.parts[:-1], self.parts[-1] + suffix])


def files_of(db: Connection, session: SessionRow) -> list[FileRow]:
    """The files a session and its sub-agents were read from.

    Not those it shares with other sessions, unless it has none of its own: then the transcripts
    that hold it. For one that only an earlier version of a history has, the row has that version.
    """
    files = Files(db)
    earlier = place_of(db, session.agent, session.id)
    if earlier is not None:
        return [files.get(earlier.file_id)._replace(version_id=earlier.version_id)]
    family = {session.row_id, *(row.row_id for row in descendants_of(db, session))}
    ids = _ids_of(files, family)
    for file_id in list(ids):
        ids.update(files.read_with(file_id))
    rows = [files.get(file_id) for file_id in sorted(ids)]
    copies = files.copies_of(session.agent, session.id)
    logs = []
    for row in rows:
        if row.role == "database":
            logs += files.at_path(row.path + "-wal")
    return [*rows, *copies, *logs]


def _ids_of(files: Files, family: set[int]) -> set[int]:
    ids: set[int] = set()
    for session_id in family:
        ids.update(files.ids_of(session_id))
    own = {file_id for file_id in ids if set(files.sessions_of(file_id)) <= family}
    return own or {file_id for file_id in ids if files.get(file_id).role in TRANSCRIPTS}


def restore(
    db: Connection,
    archive: Archive,
    rows: Iterable[FileRow],
    output: str,
    all_versions: bool = False,
) -> Iterator[Restored]:
    """Write files under `output/<name of the root>/`; never over a file that has other bytes."""
    files = Files(db)
    folders = _folders(files)
    for row in rows:
        versions = files.versions(row.id)
        newest = versions[-1:]
        if not all_versions:
            versions = [version for version in versions if version.id == row.version_id]
        for version in versions:
            parts = [part for part in row.name.split("/") if part not in ("", ".", "..")]
            target = _Target(output, [*folders[row.agent, row.root].split("/"), *parts])
            if version in newest:
                yield _restored(KeptContent(files, archive, row, version), version, target)
            else:
                yield from _restored_older(files, archive, row, version, target)


def _restored_older(
    files: Files, archive: Archive, row: FileRow, version: Version, target: _Target
) -> Iterator[Restored]:
    """Write an earlier version; of a mixture what was in the file at one time, and then all."""
    target = target.with_suffix(f".v{version.number}")
    real = version._replace(size=real_size(files.db, version))
    yield _restored(KeptContent(files, archive, row, real), real, target)
    if real != version:
        mixed = target.with_suffix(".mixed")
        yield _restored(KeptContent(files, archive, row, version), version, mixed)


def put_back(db: Connection, archive: Archive, rows: Iterable[FileRow]) -> Iterator[Restored]:
    """Write files to where they were kept from; never over a file that has other bytes."""
    files = Files(db)
    for row in rows:
        version = files.versions(row.id)[-1]
        folder, name = os.path.split(row.path)
        # Links on the way to the folder are those of the agent's user
        target = _Target(folder, [name])
        yield _restored(KeptContent(files, archive, row, version), version, target)


def _restored(content: KeptContent, version: Version, target: _Target) -> Restored:
    path = target.path
    try:
        is_new = _write(content, version, target)
    except (JournalDamaged, CannotWrite) as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in _NO_SPACE:
            raise  # nothing more can be written
        return Restored(path, version.size, is_new=False, reason=error.message)
    return Restored(path, version.size, is_new)


def _write(content: KeptContent, version: Version, target: _Target) -> bool:
    """Write a file; false when it exists with the same bytes."""
    path = target.path
    *folders, name = target.parts
    try:
        _make_folders(os.path.abspath(target.top))
        with folder_below(target.top, folders, made=[]) as folder:
            if folder.has(name):
                if _is_same(content, folder, name):
                    return False
                raise CannotWrite(
                    f"{path} exists and has other bytes", "choose another --output folder"
                )
            write_private(
                folder.name(name),
                content.chunks(),
                overwrite=False,
                mtime_ns=version.mtime_ns,
                folder=folder.descriptor,
            )
    except LinkOnTheWay as error:
        raise CannotWrite(str(error), "choose another --output folder") from error
    except OSError as error:
        raise cannot_write(path, error) from error
    return True


def _is_same(content: KeptContent, folder: Folder, name: str) -> bool:
    try:
        descriptor = folder.open(name)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return False  # a link
        raise
    with open(descriptor, "rb") as there:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size != content.size:
            return False
        return all(there.read(len(chunk)) == chunk for chunk in content.chunks())


def _make_folders(path: str) -> None:
    """Make the folders of a path, each private; makedirs gives its mode only to the last."""
    if not os.path.isdir(path):
        parent = os.path.dirname(path)
        if parent != path:
            _make_folders(parent)
        os.mkdir(path, 0o700)


def _folders(files: Files) -> dict[tuple[str, str], str]:
    """A folder name for each root: its own last part, numbered where two roots share it."""
    names: dict[tuple[str, str], str] = {}
    numbers: dict[str, int] = {}
    for agent, root in files.roots():
        name = _folder_name(root) or agent
        number = numbers.get(name, 0) + 1
        numbers[name] = number
        if number > 1:
            names[agent, root] = f"{name}-{number}"
        else:
            names[agent, root] = name
    return names


def _folder_name(root: str) -> str:
    parts = [part for part in root.replace("\\", "/").split("/") if part]
    is_below_agent = parts[-2:-1] and parts[-2].startswith(".")
    if parts[-1:] == ["User"] or is_below_agent:  # Code/User, .pi/agent
        return "/".join(parts[-2:])
    return "/".join(parts[-1:])
