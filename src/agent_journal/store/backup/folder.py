"""A backup in a folder, which has the form of a journal; each run adds only what is new.

Bytes are appended to packs and staged beside small files first. The manifest is replaced then, and
what was staged gets its name after that: a kill at any point leaves the backup as it was, or as
it is to be.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import closing
from typing import IO, NamedTuple

from agent_journal.errors import CannotWrite, UsageError
from agent_journal.store.archive import Archive, cannot_write
from agent_journal.store.atomic import write_private
from agent_journal.store.backup.contents import (
    ARCHIVE,
    INDEX_NAME,
    PARTIAL,
    PREVIOUS,
    Pack,
    Snapshot,
    count_damaged,
    snapshot,
)
from agent_journal.store.backup.manifest import (
    NAME,
    STAGED,
    Manifest,
    Part,
    hashed,
    new_manifest,
    part_of,
    path_of,
    read_manifest,
    read_part,
)
from agent_journal.store.backup.replaced_packs import lacking_elsewhere
from agent_journal.store.backup.small_files import damage_of
from agent_journal.store.catalog.copying import copy_catalog
from agent_journal.store.catalog.store import write_lock
from agent_journal.text.human import plural

_SAMPLE = 2**16  # bytes at both ends of what is known of a pack that are compared
Tell = Callable[[int, int, str], None]  # done, total, name


class CopiedFile(NamedTuple):
    """A file of a backup, and how much of it was copied now."""

    name: str
    size: int
    new_bytes: int


class BackedUp(NamedTuple):
    """What a backup consists of now, and what a person should know."""

    files: list[CopiedFile]
    warnings: list[str]


def back_up_to_folder(
    home: str, index_path: str, folder: str, *, with_index: bool, tell: Tell
) -> BackedUp:
    """Copy what is new; raises UsageError for a folder that holds something else."""
    _check_folder(folder)
    try:
        with write_lock(folder, 0.0):
            return _Writer(folder, tell).write(home, index_path, with_index)
    except OSError as error:
        raise cannot_write(error.filename or folder, error) from error


def _check_folder(folder: str) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(
            f"{folder} is a file", "name a folder, or a file whose name ends in .tar.zst"
        )
    if not os.path.isdir(folder):
        return
    # A first backup that was killed has only packs and staged files
    first = (ARCHIVE, "index", "write.lock")
    left = (STAGED, PARTIAL)
    others = [name for name in os.listdir(folder) if name not in first and not name.endswith(left)]
    if others and not os.path.exists(os.path.join(folder, NAME)):
        raise UsageError(
            f"{folder} is not empty, and not a backup that 'aj backup' made",
            "choose an empty folder",
        )


class _Writer:
    def __init__(self, folder: str, tell: Tell) -> None:
        self.folder = folder
        self.tell = tell
        self.before = read_manifest(folder) or Manifest("", {})
        self.warnings: list[str] = []
        self.parts: dict[str, list[Part]] = dict(self.before.files)
        self.staged: list[str] = []
        self.done = 0
        self.total = 0

    def write(self, home: str, index_path: str, with_index: bool) -> BackedUp:
        """Copy, verify, and only then have the manifest mean it."""
        os.makedirs(os.path.join(self.folder, ARCHIVE), mode=0o700, exist_ok=True)
        self._remove(PARTIAL)  # of a run that was killed
        if with_index or INDEX_NAME in self.before.files:
            self._stage_index(index_path)  # first: it must not know more than the packs have
        known = {name: self.before.size_of(name) for name in self.before.files}
        with snapshot(home, known) as journal:
            self._check_same_journal(journal)
            new = [max(0, pack.size - known.get(pack.name, 0)) for pack in journal.packs]
            self.total = sum(new)
            for pack in journal.packs:
                self._append(pack)
            for name, data in journal.small.items():
                self._stage(name, data)
        data = new_manifest(self.parts).encoded()
        write_private(os.path.join(self.folder, NAME), [data], durable=True)
        self._name_staged()
        self._drop_replaced({pack.name for pack in journal.packs})
        return BackedUp(self._files(), self.warnings)

    def _files(self) -> list[CopiedFile]:
        files = []
        for name, parts in sorted(self.parts.items()):
            known = self.before.files.get(name, [])
            new_bytes = sum(part.size for part in parts[len(known) :])
            if parts != known and parts[: len(known)] != known:
                new_bytes = sum(part.size for part in parts)
            files.append(CopiedFile(name, sum(part.size for part in parts), new_bytes))
        return files

    # -- packs ---------------------------------------------------------------------------------

    def _check_same_journal(self, journal: Snapshot) -> None:
        """Refuse a backup of another journal before anything is written."""
        for pack in journal.packs:
            known = self.before.size_of(pack.name)
            if not known:
                continue
            with open(self._path(pack.name), "rb") as copy:
                first = min(known, _SAMPLE)
                last = known - first
                is_same_start = _sample(pack.file, 0, first) == _sample(copy, 0, first)
                is_same_end = _sample(pack.file, last, first) == _sample(copy, last, first)
            if not is_same_start and not is_same_end:
                raise UsageError(
                    f"{pack.name} is not the one that {self.folder} has a copy of: this is the "
                    "backup of another journal, or the pack is damaged",
                    "choose another folder; 'aj verify' says whether the journal is whole",
                )
            if not (is_same_start and is_same_end):
                self.warnings.append(
                    f"{pack.name} differs from its copy, which stays as it is: run 'aj verify'"
                )

    def _append(self, pack: Pack) -> None:
        """Copy what a pack has beyond its copy, and read it back."""
        known = self.before.size_of(pack.name)
        if pack.size < known:
            self.warnings.append(
                f"{pack.name} is shorter than its copy, which stays as it is: run 'aj verify'"
            )
        if pack.size <= known:
            return
        path = self._path(pack.name)
        part = self._copy(pack, path, known)
        with open(path, "rb") as copy:
            copy.seek(known)
            written = hashed(read_part(copy, part.size))
        if written != part:
            raise CannotWrite(
                f"{path} does not have the bytes that were written to it", "is the disk sound?"
            )
        self.parts[pack.name] = [*self.before.files.get(pack.name, []), part]
        with closing(Archive(os.path.join(self.folder, ARCHIVE))) as copies:
            damaged = count_damaged(copies, pack.number, known, pack.size)
        if damaged:
            entries = plural(damaged, "part")
            self.warnings.append(
                f"{pack.name}: {entries} damaged in the journal, copied as it is: run 'aj verify'"
            )

    def _copy(self, pack: Pack, path: str, start: int) -> Part:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        with open(descriptor, "r+b") as copy:
            copy.truncate(start)  # what a killed run has left
            copy.seek(start)
            pack.file.seek(start)
            sha256 = hashlib.sha256()
            size = 0
            for block in read_part(pack.file, pack.size - start):
                copy.write(block)
                sha256.update(block)
                size += len(block)
                self.done += len(block)
                self.tell(self.done, self.total, pack.name)
            copy.flush()
            os.fsync(descriptor)
        return Part(size, sha256.hexdigest())

    def _drop_replaced(self, current: set[str]) -> None:
        """Remove packs that a purge has rewritten, once all that is left of them is in others."""
        replaced = [
            name for name in self.parts if name.startswith(f"{ARCHIVE}/") and name not in current
        ]
        if not replaced:
            return
        lacking = lacking_elsewhere(self.folder, replaced)
        if lacking:
            packs = plural(len(replaced), "pack")
            self.warnings.append(
                f"{packs} of the backup are no longer in the journal, and have what it lacks "
                f"({lacking}): kept"
            )
            return
        for name in replaced:
            del self.parts[name]
        data = new_manifest(self.parts).encoded()
        write_private(os.path.join(self.folder, NAME), [data], durable=True)
        for name in replaced:
            os.unlink(self._path(name))
        self._remove(PREVIOUS)

    # -- small files ---------------------------------------------------------------------------

    def _stage(self, name: str, data: bytes) -> None:
        """Write a small file beside the one that the backup has, unless they are the same."""
        parts = [part_of(data)]
        if parts == self.before.files.get(name):
            return
        damage = damage_of(name, data)
        if damage and name in self.before.files:
            self.warnings.append(f"{name} is damaged ({damage}): the backup keeps the one it has")
            return
        write_private(self._path(name) + STAGED, [data], durable=True)
        self.parts[name] = parts
        self.staged.append(name)

    def _stage_index(self, index_path: str) -> None:
        path = self._path(INDEX_NAME)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        copy_catalog(index_path, path + STAGED)
        with open(path + STAGED, "rb") as copy:
            os.fsync(copy.fileno())
            part = hashed(read_part(copy, os.fstat(copy.fileno()).st_size))
        self.parts[INDEX_NAME] = [part]
        self.staged.append(INDEX_NAME)

    def _name_staged(self) -> None:
        """Give the new small files their names; one that does not go on from the old keeps it."""
        for name in self.staged:
            path = self._path(name)
            if name != INDEX_NAME and not _goes_on(path, path + STAGED):
                os.replace(path, path + PREVIOUS)
            os.replace(path + STAGED, path)
        # Those of a run that was killed after its manifest was written
        for name, parts in self.parts.items():
            path = self._path(name)
            if path_of(self.folder, name, parts) == path + STAGED:
                os.replace(path + STAGED, path)

    def _remove(self, ending: str) -> None:
        for name in os.listdir(self.folder):
            if name.endswith(ending):
                os.unlink(os.path.join(self.folder, name))

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, *name.split("/"))


def _sample(file: IO[bytes], start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)


def _goes_on(path: str, new_path: str) -> bool:
    """Whether a new file begins with all bytes of the old one, or there is no old one."""
    try:
        with open(path, "rb") as old, open(new_path, "rb") as new:
            data = old.read()
            return new.read(len(data)) == data
    except FileNotFoundError:
        return True
