"""A backup in one file: a tar archive with zstd, written and read as a stream."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Protocol

from agent_journal.errors import CannotWrite, JournalDamaged, UsageError
from agent_journal.store.archive import cannot_write
from agent_journal.store.atomic import new_private_file
from agent_journal.store.backup.contents import (
    INDEX_NAME,
    Pack,
    count_damaged,
    is_kept_name,
    snapshot,
)
from agent_journal.store.backup.folder import BackedUp, CopiedFile, Tell
from agent_journal.store.backup.manifest import (
    NAME,
    Manifest,
    Part,
    hashed,
    new_manifest,
    parse_manifest,
    part_of,
    read_part,
)
from agent_journal.store.catalog.copying import copy_catalog
from agent_journal.text.human import plural

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

DAMAGE = (tarfile.TarError, zstd.ZstdError, EOFError)  # what reading a damaged file raises
_LEVEL = 1  # nearly all of it is compressed already


def back_up_to_file(
    home: str, index_path: str, path: str, *, with_index: bool, tell: Tell
) -> BackedUp:
    """Write a backup as one file, and read it back before it gets its name."""
    if os.path.lexists(path):
        raise UsageError(f"{path} exists", "choose another name, such as one with the date")
    try:
        partial = f".aj-{os.urandom(4).hex()}.part"
        with new_private_file(path, overwrite=False, durable=True, partial=partial) as file:
            backed_up, manifest = _write(home, index_path, file, with_index, tell)
            file.flush()
            _check(os.path.join(os.path.dirname(path), partial), manifest)
            return backed_up
    except FileNotFoundError as error:
        raise CannotWrite(
            f"cannot write {path}: {error.strerror}", "does the folder exist?"
        ) from error
    except OSError as error:
        raise cannot_write(path, error) from error


def _write(
    home: str, index_path: str, file: IO[bytes], with_index: bool, tell: Tell
) -> tuple[BackedUp, Manifest]:
    parts: dict[str, list[Part]] = {}
    warnings: list[str] = []
    with _compressed(file) as tar:
        if with_index:  # first: it must not know more than the packs have
            parts[INDEX_NAME] = [_add_index(tar, index_path)]
        with snapshot(home, {}) as journal:
            for name, data in journal.small.items():
                parts[name] = [part_of(data)]
                _add(tar, name, io.BytesIO(data), len(data))
            total = sum(pack.size for pack in journal.packs)
            done = 0
            for pack in journal.packs:
                parts[pack.name] = [_add_pack(tar, pack, done, total, tell)]
                done += pack.size
                damaged = count_damaged(journal.archive, pack.number, 0, pack.size)
                if damaged:
                    found = plural(damaged, "part")
                    warnings.append(
                        f"{pack.name}: {found} damaged in the journal, copied as it is: "
                        "run 'aj verify'"
                    )
        manifest = new_manifest(parts)
        data = manifest.encoded()
        _add(tar, NAME, io.BytesIO(data), len(data))
    files = [
        CopiedFile(name, found[0].size, found[0].size) for name, found in sorted(parts.items())
    ]
    return BackedUp(files, warnings), manifest


@contextmanager
def _compressed(file: IO[bytes]) -> Iterator[tarfile.TarFile]:
    with (
        zstd.ZstdFile(file, "w", level=_LEVEL) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        yield tar


def _add(tar: tarfile.TarFile, name: str, file: _Readable, size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o600
    member.mtime = int(time.time())
    tar.addfile(member, file)


def _add_index(tar: tarfile.TarFile, index_path: str) -> Part:
    """Add the catalog, of which SQLite has to make a copy first."""
    with tempfile.TemporaryDirectory(prefix="aj-backup-") as folder:
        path = os.path.join(folder, "journal.db")
        copy_catalog(index_path, path)
        size = os.path.getsize(path)
        with open(path, "rb") as copy:
            reader = _HashingReader(copy, size, lambda _: None)
            _add(tar, INDEX_NAME, reader, size)
    return reader.part()


def _add_pack(tar: tarfile.TarFile, pack: Pack, done: int, total: int, tell: Tell) -> Part:
    pack.file.seek(0)
    reader = _HashingReader(pack.file, pack.size, lambda read: tell(done + read, total, pack.name))
    _add(tar, pack.name, reader, pack.size)
    return reader.part()


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _HashingReader:
    """Reads a part of a file for a tar archive, and remembers its checksum."""

    def __init__(self, file: IO[bytes], size: int, tell: Callable[[int], None]) -> None:
        self._file = file
        self._left = size
        self._size = 0
        self._sha256 = hashlib.sha256()
        self._tell = tell

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, up to the end of the part."""
        if size < 0:
            size = self._left
        block = self._file.read(min(size, self._left))
        self._left -= len(block)
        self._size += len(block)
        self._sha256.update(block)
        self._tell(self._size)
        return block

    def part(self) -> Part:
        """The size and checksum of what was read."""
        return Part(self._size, self._sha256.hexdigest())


# -- reading -----------------------------------------------------------------------------------


def members(path: str) -> Iterator[tuple[str, IO[bytes], int]]:
    """Yield the name, the content and the size of each file of a backup, in the order of the file.

    The manifest is the last one. JournalDamaged when the next one cannot be found; what reads the
    content raises one of DAMAGE.
    """
    try:
        with (
            zstd.ZstdFile(path, "r") as stream,
            tarfile.open(fileobj=stream, mode="r|") as tar,
        ):
            for member in tar:
                is_wanted = member.name == NAME or is_kept_name(member.name)
                if not member.isfile() or not is_wanted:
                    continue
                content = tar.extractfile(member)
                if content is not None:
                    yield member.name, content, member.size
    except DAMAGE as error:
        raise JournalDamaged(
            f"{path} is damaged: {error}", "use another backup, if there is one"
        ) from error


def _check(path: str, manifest: Manifest) -> None:
    """Read a file back and compare it with what was to be written."""
    found = {}
    for name, content, size in members(path):
        if name == NAME:
            is_same = parse_manifest(content.read(), path) == manifest
            if not is_same:
                raise CannotWrite(f"{path} was not written whole", "is the disk sound?")
        else:
            found[name] = [hashed(read_part(content, size))]
    if found != manifest.files:
        raise CannotWrite(f"{path} was not written whole", "is the disk sound?")
