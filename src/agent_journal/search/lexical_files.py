"""The files of the lexical index and their checksums.

Tantivy ends each of its segment files with a footer that has the checksum of what is before it, but
never looks at it. `checksums` lists every file with its size, time and checksum. It is removed
before anything is written and made again at the end: without it, the index is being written, or
a sync was killed, and only the footers can be trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple
from zlib import crc32

CHECKSUMS = "checksums"
_ASIDE = "before"
_LISTS = ("meta.json", ".managed.json")  # small; tantivy replaces them and gives them no checksum
_SEGMENT = (".idx", ".pos", ".term", ".store", ".fast", ".fieldnorm")
_MAGIC = 1337
_TAIL = 512  # bytes in which a footer fits
_BLOCK = 2**20


class Damaged(Exception):
    """A file is not what was written; the text says which and why."""


class Mark(NamedTuple):
    """What a file was when it was written."""

    size: int
    mtime_ns: int
    crc: int


Marks = dict[str, Mark]


def read_marks(folder: str) -> Marks | None:
    """What every file should be; None when nobody knows, Damaged when the list is damaged."""
    try:
        with open(os.path.join(folder, CHECKSUMS), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Damaged(f"{CHECKSUMS}: {error.strerror}") from error
    body, _, own = data.rpartition(b"=")
    if own != _own_mark(body):
        raise Damaged(f"{CHECKSUMS} has another checksum than when it was written")
    marks = {}
    for line in body.decode().splitlines():
        name, size, mtime_ns, crc = line.split(" ")
        marks[name] = Mark(int(size), int(mtime_ns), int(crc))
    return marks


def write_marks(folder: str) -> None:
    """Record what every file is now. Of segment files only the footer is read."""
    from agent_journal.store.atomic import write_private

    lines = []
    for name in (*_LISTS, *_named_files(folder)):
        path = os.path.join(folder, name)
        found = os.stat(path)
        lines.append(f"{name} {found.st_size} {found.st_mtime_ns} {_expected(path, found.st_size)}")
    body = "\n".join(lines).encode()
    write_private(os.path.join(folder, CHECKSUMS), [body, b"=", _own_mark(body)])


@contextmanager
def writable_view(folder: str) -> Iterator[str]:
    """A temporary folder with links to the files, for tantivy cannot open one without writing.

    What was opened stays open when the folder is gone.
    """
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="aj-search-", ignore_cleanup_errors=True) as view:
        for name in (*_LISTS, *_named_files(folder)):
            target = os.path.join(os.path.abspath(folder), name)
            try:
                os.symlink(target, os.path.join(view, name))
            except OSError:  # Windows without the right to make links
                shutil.copyfile(target, os.path.join(view, name))
        yield view


def remove_marks(folder: str) -> None:
    """Forget what the files are: they are about to be written."""
    try:
        os.unlink(os.path.join(folder, CHECKSUMS))
    except FileNotFoundError:
        pass


def find_damage(folder: str) -> str | None:
    """The first file that is not what was written, with the reason; None when all are.

    Reads every byte of the index.
    """
    return _settled(folder, _check_all)


def find_touched(folder: str, most: int | None = None) -> str | None:
    """The same for files whose size or time is not what it was; the others are not read.

    In a copy every file may have another time: at most about `most` bytes are read.
    """
    return _settled(folder, lambda folder: _check_touched(folder, most))


def set_aside(folder: str) -> None:
    """Keep the segment files that a merge may remove.

    A merge would copy their damage to files with good checksums.
    """
    aside = os.path.join(folder, _ASIDE)
    _forget(aside)  # of a sync that was killed
    os.makedirs(aside, mode=0o700)
    names = list(_named_files(folder))
    try:
        for name in names:
            os.link(os.path.join(folder, name), os.path.join(aside, name))
    except OSError:  # a disk without links
        _check_footers(os.path.join(folder, name) for name in names)


def remove_strays(folder: str) -> None:
    """Remove lists of deleted documents that no segment names, left by a sync that was killed.

    Their names are numbers that are given out again, and tantivy refuses to write over a file.
    """
    named = set(_named_files(folder))
    for name in os.listdir(folder):
        if name.endswith(".del") and name not in named:
            os.unlink(os.path.join(folder, name))


def check_merged(folder: str) -> None:
    """Raise Damaged if files were damaged that a merge has read, and forget those set aside."""
    aside = os.path.join(folder, _ASIDE)
    merged = set(os.listdir(aside)).difference(os.listdir(folder))
    _check_footers(os.path.join(aside, name) for name in merged)
    _forget(aside)


def _forget(aside: str) -> None:
    try:
        for name in os.listdir(aside):
            os.unlink(os.path.join(aside, name))
        os.rmdir(aside)
    except FileNotFoundError:
        pass


# -- checking ------------------------------------------------------------------------------------


def _settled(folder: str, check: Callable[[str], None]) -> str | None:
    """Check until nobody writes meanwhile, since a sync removes files that were merged."""
    while True:
        before = _state(folder)
        try:
            check(folder)
        except Damaged as error:
            if _state(folder) == before:
                return str(error)
        else:
            return None


def _state(folder: str) -> tuple[int, ...]:
    """Something that differs after a sync has written."""
    state: list[int] = []
    for name in ("meta.json", CHECKSUMS):
        try:
            found = os.stat(os.path.join(folder, name))
        except OSError:
            state.append(0)
        else:
            state += [found.st_ino, found.st_mtime_ns]
    return tuple(state)


def _check_all(folder: str) -> None:
    marks = read_marks(folder)
    if marks is None:
        _check_footers(os.path.join(folder, name) for name in _named_files(folder))
        return
    for name, mark in marks.items():
        _check(os.path.join(folder, name), mark)


def _check_touched(folder: str, most: int | None) -> None:
    done = 0
    for name, mark in (read_marks(folder) or {}).items():
        path = os.path.join(folder, name)
        try:
            found = os.stat(path)
        except OSError as error:
            raise Damaged(f"{name}: {error.strerror}") from error
        is_touched = (found.st_size, found.st_mtime_ns) != (mark.size, mark.mtime_ns)
        if is_touched and (most is None or done < most):
            _check(path, mark)
            done += mark.size


def _check_footers(paths: Iterable[str]) -> None:
    for path in paths:
        if _crc(path) != _expected(path, _size(path)):
            raise Damaged(f"{os.path.basename(path)} does not have its checksum")


def _check(path: str, mark: Mark) -> None:
    name = os.path.basename(path)
    size = _size(path)
    if size != mark.size:
        raise Damaged(f"{name} has {size:,} bytes instead of {mark.size:,}")
    if _crc(path) != mark.crc:
        raise Damaged(f"{name} has another checksum than when it was written")


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError as error:
        raise Damaged(f"{os.path.basename(path)}: {error.strerror}") from error


def _crc(path: str) -> int:
    crc = 0
    try:
        with open(path, "rb", buffering=0) as file:
            while block := file.read(_BLOCK):
                crc = crc32(block, crc)
    except OSError as error:
        raise Damaged(f"{os.path.basename(path)}: {error.strerror}") from error
    return crc


def _expected(path: str, size: int) -> int:
    """The checksum of a whole file: what the footer says of the rest, continued over the footer."""
    name = os.path.basename(path)
    if name in _LISTS:
        return _crc(path)
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(max(0, size - _TAIL))
            tail = file.read(_TAIL)
    except OSError as error:
        raise Damaged(f"{name}: {error.strerror}") from error
    length = int.from_bytes(tail[-8:-4], "little")
    if int.from_bytes(tail[-4:], "little") != _MAGIC or length + 8 > len(tail):
        raise Damaged(f"{name} has no footer")
    footer = tail[-8 - length :]
    _, _, crc = footer[:length].rpartition(b'"crc":')
    if not crc.endswith(b"}") or not crc[:-1].isdigit():
        raise Damaged(f"{name} has a footer without a checksum")
    return crc32(footer, int(crc[:-1]))


# -- which files there are -----------------------------------------------------------------------


def _named_files(folder: str) -> Iterator[str]:
    """The segment files that `meta.json` names; Damaged when it cannot be read."""
    import json

    try:
        for name in _LISTS:
            with open(os.path.join(folder, name), "rb") as file:
                listed = json.load(file)
            if name == "meta.json":
                meta = listed
        for segment in meta["segments"]:
            stem = segment["segment_id"].replace("-", "")
            yield from (stem + ending for ending in _SEGMENT)
            if segment["deletes"]:
                yield f"{stem}.{segment['deletes']['opstamp']}.del"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"its list of files cannot be read: {error}") from error


def _own_mark(body: bytes) -> bytes:
    return f"{crc32(body):08x}\n".encode()
