"""What of a journal belongs to a backup, as it is at one moment, while syncs may run.

Packs are only appended to, and the small files name what was kept before them: so the small files
are read first, and packs up to their last whole entry after that.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, NamedTuple

from agent_journal.errors import JournalBusy, NoSuchSession
from agent_journal.store.archive import Archive
from agent_journal.store.backup.manifest import NAME, STAGED

ARCHIVE = "archive"
INDEX_NAME = "index/journal.db"
PREVIOUS = ".previous"  # ends the name of a small file that another one replaced
PARTIAL = ".part"  # ends the name of a file that is being written
# Endings of files that are nobody's data; the key of `aj web` belongs to one machine
_TRANSIENT = (".lock", "web.key", "web.json", "watch.json", PARTIAL, STAGED, PREVIOUS)


class Pack(NamedTuple):
    """A pack that is open to be copied, up to the end of its last whole entry."""

    name: str
    number: int
    file: IO[bytes]
    size: int


class Snapshot(NamedTuple):
    """A journal at one moment, without what is derived."""

    small: dict[str, bytes]
    packs: list[Pack]
    archive: Archive

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return sum(map(len, self.small.values())) + sum(pack.size for pack in self.packs)


@contextmanager
def snapshot(home: str, known: Mapping[str, int]) -> Iterator[Snapshot]:
    """The files of a journal that cannot be rebuilt; `known` has the sizes of earlier copies."""
    archive = Archive(os.path.join(home, ARCHIVE))
    small = _small_files(home)
    with ExitStack() as opened:
        opened.callback(archive.close)
        lengths = archive.lengths()
        if not any(lengths.values()):
            raise NoSuchSession("the journal is empty", "run 'aj sync' first")
        packs = []
        for number, size in lengths.items():
            name = f"{ARCHIVE}/{os.path.basename(archive.path(number))}"
            if number == max(lengths):
                size = _whole_size(archive, number, min(known.get(name, 0), size))
            try:
                file = opened.enter_context(open(archive.path(number), "rb"))
            except FileNotFoundError:
                raise JournalBusy(
                    "the archive was rewritten meanwhile", "run the command again"
                ) from None
            packs.append(Pack(name, number, file, size))
        yield Snapshot(small, packs, archive)


def _small_files(home: str) -> dict[str, bytes]:
    """All files of a journal beside its folders: settings, and what users and syncs noted."""
    found = {}
    for name in sorted(os.listdir(home)):
        path = os.path.join(home, name)
        if not is_kept_name(name):
            continue
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                continue
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:  # another process has removed it
            continue
        if name.endswith(".jsonl"):
            data = data[: data.rfind(b"\n") + 1]  # a sync may be writing the next line
        found[name] = data
    return found


def is_kept_name(name: str) -> bool:
    """Whether a file of this name may be part of a backup: it stays in the folder it is put in."""
    folder, _, file = name.rpartition("/")
    if folder:
        return name == INDEX_NAME or (folder == ARCHIVE and _is_plain(file))
    return _is_plain(file) and file not in (ARCHIVE, "index", NAME) and _is_lasting(file)


def _is_plain(file: str) -> bool:
    return file.isprintable() and file not in ("", ".", "..") and not {"\\", ":"} & set(file)


def _is_lasting(file: str) -> bool:
    return not file.endswith(_TRANSIENT)


def _whole_size(archive: Archive, number: int, start: int) -> int:
    """Where the last whole entry of a pack ends: a sync may be writing the next one."""
    end = start
    for entry in archive.scan(number, start):
        end = entry.end
    return end


def count_damaged(archive: Archive, number: int, start: int, end: int) -> int:
    """How many entries of a pack are damaged between two places."""
    damaged = 0
    at = start
    for entry in archive.scan(number, start):
        if entry.start >= end:
            break
        is_whole = entry.start == at
        if entry.place.stored:
            is_whole &= archive.holds(entry.place, bytes.fromhex(entry.header.sha256))
        damaged += not is_whole
        at = entry.end
    return damaged + (at < end)
