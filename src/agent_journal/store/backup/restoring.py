"""Giving a whole journal back from a backup, into a folder that has none.

Files are written to a folder of their own first. They get their places one by one, the archive
last: until then there is no journal, and running it again starts over.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import IO

from agent_journal.errors import JournalDamaged, UsageError
from agent_journal.store.archive import cannot_write
from agent_journal.store.backup.contents import ARCHIVE, INDEX_NAME, is_kept_name, snapshot
from agent_journal.store.backup.folder import Tell
from agent_journal.store.backup.manifest import (
    NAME,
    Manifest,
    has_parts,
    parse_manifest,
    path_of,
    read_manifest,
    read_part,
)
from agent_journal.store.backup.tarball import DAMAGE, members
from agent_journal.store.restore import Restored
from agent_journal.text.plain import shell_word

_STAGING = ".aj-restoring"  # a name that no folder of anybody else has
_SETTINGS = "config.toml"
_USER_FILES = ("seen.jsonl", "marks.jsonl", "pruned.jsonl")
SETTINGS_STAY = "there is one, which stays as it is"
_DIFFERS = "its bytes are not those of the backup's list: what can be read of it is kept"


def restore_journal(source: str, home: str, tell: Tell) -> list[Restored]:
    """Write the files of a backup to `home`; UsageError when there is a journal already."""
    staging = os.path.join(home, _STAGING)
    check_empty(source, home)
    try:
        shutil.rmtree(staging, ignore_errors=True)
        try:
            restored = unpack(source, staging, tell)
        except OSError:  # such as a full disk, which is not to stay full
            shutil.rmtree(staging, ignore_errors=True)
            raise
        if not os.path.isdir(os.path.join(staging, ARCHIVE)):
            shutil.rmtree(staging)
            raise JournalDamaged(f"{source} has no archive", "use another backup, if there is one")
        return [_placed(file, home) for file in _by_place(restored, staging, home)]
    except OSError as error:
        raise cannot_write(error.filename or home, error) from error


def check_empty(source: str, home: str) -> None:
    """Refuse a folder that has a journal, and say what to do."""
    packs = []
    archive = os.path.join(home, ARCHIVE)
    if os.path.isdir(archive):
        packs = os.listdir(archive)
    is_begun = os.path.isdir(os.path.join(home, _STAGING))
    others = [name for name in _USER_FILES if os.path.exists(os.path.join(home, name))]
    has_catalog = os.path.exists(os.path.join(home, *INDEX_NAME.split("/")))
    if packs or (not is_begun and (others or has_catalog)):
        raise UsageError(
            f"there is a journal in {home}, which is never overwritten",
            f"'aj import-journal {shell_word(source)}' adds the backup to it;\n"
            "'-o DIR' restores it into another folder",
        )


def unpack(source: str, folder: str, tell: Tell) -> list[Restored]:
    """Write the files of a backup to a folder, and compare them with its manifest."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.isdir(source):
        return _copy_folder(source, folder, tell)
    return _unpack_file(source, folder, tell)


def _copy_folder(source: str, folder: str, tell: Tell) -> list[Restored]:
    manifest = read_manifest(source)
    if manifest is None:
        return _copy_journal(source, folder, tell)
    restored = []
    names = [name for name in manifest.files if is_kept_name(name)]
    total = sum(map(manifest.size_of, names))
    done = 0
    for name in names:
        size = manifest.size_of(name)
        path = path_of(source, name, manifest.files[name])
        if not os.path.isfile(path):  # neither is a pipe or a device
            continue
        with open(path, "rb") as content:
            _write(folder, name, content, size)
        restored.append(Restored(name, size, is_new=True))
        done += size
        tell(done, total, name)
    return _all_compared(restored, folder, manifest)


def _copy_journal(source: str, folder: str, tell: Tell) -> list[Restored]:
    """Copy a journal that another program has copied, without what is derived."""
    if not os.path.isdir(os.path.join(source, ARCHIVE)):
        raise UsageError(
            f"{source} is neither a backup nor a journal", "name what 'aj backup' has written"
        )
    restored = []
    with snapshot(source, {}) as journal:
        for name, data in journal.small.items():
            _write_blocks(folder, name, iter([data]))
            restored.append(Restored(name, len(data), is_new=True))
        for pack in journal.packs:
            _write(folder, pack.name, pack.file, pack.size)
            restored.append(Restored(pack.name, pack.size, is_new=True))
            tell(pack.size, journal.size, pack.name)
    return restored


def _unpack_file(source: str, folder: str, tell: Tell) -> list[Restored]:
    restored: list[Restored] = []
    manifest = None
    total = os.path.getsize(source)
    try:
        for name, content, size in members(source):
            if name == NAME:
                manifest = parse_manifest(content.read(), source)
                continue
            restored.append(Restored(name, size, is_new=True))
            _write(folder, name, content, size)
            tell(min(total, sum(file.size for file in restored)), total, name)
    except (JournalDamaged, *DAMAGE) as error:
        if not restored:
            raise
        restored[-1] = restored[-1]._replace(reason=f"the backup is damaged: {error}")
    if manifest is None:
        if restored and restored[-1].reason is None:
            reason = "the backup ends after it, and is not whole"
            restored[-1] = restored[-1]._replace(reason=reason)
        return restored
    return _all_compared(restored, folder, manifest)


def _all_compared(restored: list[Restored], folder: str, manifest: Manifest) -> list[Restored]:
    """What was written, compared with the manifest, and what the backup lacks."""
    compared = [_compared(file, folder, manifest) for file in restored]
    written = {file.path for file in restored}
    for name in manifest.files:
        if is_kept_name(name) and name not in written:
            size = manifest.size_of(name)
            compared.append(Restored(name, size, is_new=False, reason="the backup lacks it"))
    return compared


def _compared(file: Restored, folder: str, manifest: Manifest) -> Restored:
    parts = manifest.files.get(file.path, [])
    is_same = file.is_new and has_parts(_target(folder, file.path), parts)
    if file.reason is None and not is_same:
        return file._replace(reason=_DIFFERS)
    return file


def _write(folder: str, name: str, content: IO[bytes], size: int) -> None:
    _write_blocks(folder, name, read_part(content, size))


def _write_blocks(folder: str, name: str, blocks: Iterator[bytes]) -> None:
    path = _target(folder, name)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.writelines(blocks)
        file.flush()
        os.fsync(descriptor)


def _target(folder: str, name: str) -> str:
    return os.path.join(folder, *name.split("/"))


# -- into place --------------------------------------------------------------------------------


def _by_place(restored: list[Restored], staging: str, home: str) -> list[Restored]:
    """Give everything its place; what there is of settings stays."""
    if os.path.exists(os.path.join(home, _SETTINGS)):
        is_settings = [file.path == _SETTINGS for file in restored]
        if any(is_settings):
            os.unlink(os.path.join(staging, _SETTINGS))
            place = is_settings.index(True)
            restored[place] = restored[place]._replace(is_new=False, reason=SETTINGS_STAY)
    if os.path.exists(_target(staging, INDEX_NAME)):
        _place_index(staging, home)
    for name in sorted(os.listdir(staging), key=lambda name: name == ARCHIVE):
        target = os.path.join(home, name)
        if os.path.isdir(target):
            os.rmdir(target)  # an empty archive
        os.replace(os.path.join(staging, name), target)
    os.rmdir(staging)
    return restored


def _place_index(staging: str, home: str) -> None:
    """Give the catalog its place; whatever else is in that folder stays."""
    target = _target(home, INDEX_NAME)
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    for ending in ("-wal", "-shm"):  # of a catalog that a killed restore has placed
        if os.path.exists(target + ending):
            os.unlink(target + ending)
    os.replace(_target(staging, INDEX_NAME), target)
    os.rmdir(os.path.dirname(_target(staging, INDEX_NAME)))


def _placed(file: Restored, home: str) -> Restored:
    return file._replace(path=_target(home, file.path))
