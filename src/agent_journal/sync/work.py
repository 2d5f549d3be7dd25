"""What discovery plans and intake does: small records that both know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from agent_journal.connectors.base import Connector, FoundFile
from agent_journal.store.catalog.files import FileRow

_SLOW = 32 * 2**20  # bytes
_COMPRESSED = (".zst",)  # endings of files of any size when decompressed
_LIKELY_RATIO = 10  # sessions shrink to a tenth
GONE = -1  # the size of a file that is no longer on disk and is read from the archive


class Work(NamedTuple):
    """A file to read."""

    connector: Connector
    root: str
    found: FoundFile
    source: str | None = None  # where the bytes are, when that is not the file's own path
    is_renamed: bool = False  # whether its session is another one than it was kept as
    kept_size: int = 0  # of a file that is read from the archive

    @property
    def size(self) -> int:
        """How many bytes the file has, on disk or in the archive."""
        if self.found.size == GONE:
            return self.kept_size
        return self.found.size


class Progress(NamedTuple):
    """How far a sync has come."""

    done_bytes: int
    total_bytes: int
    path: str
    phase: str = ""  # what it is doing now, as people say it
    share: float = 0.0  # of the time of all phases, from 0 to 1


def is_compressed(item: Work) -> bool:
    """Whether a file may be of any size when it is read."""
    return item.found.name.endswith(_COMPRESSED)


def likely_size(item: Work) -> int:
    """How many bytes are to be read, as far as one can tell from outside."""
    size = max(0, item.found.size)
    if is_compressed(item):
        return _LIKELY_RATIO * size
    return size


def is_slow(item: Work) -> bool:
    """Whether a file may take long to read."""
    return item.found.size > _SLOW or is_compressed(item)


def from_archive(connector: Connector, row: FileRow, size: int = 0) -> Work:
    """A file to read from the archive; its size is only for telling how far the work has come."""
    found = FoundFile(row.path, row.name, row.role, GONE, 0, 0, row.session, row.rank)
    return Work(connector, row.root, found, kept_size=size)


def has_new_bytes(work: list[Work], least: int, paths_of: Callable[[str], Iterable[str]]) -> bool:
    """Whether there is so much to read, without files of which only the end may be new.

    `paths_of` tells the files of an agent that were read before.
    """
    if sum(max(0, item.found.size) for item in work) < least:
        return False
    agents = {item.connector.name for item in work}
    known = {path for agent in agents for path in paths_of(agent)}
    new = [item for item in work if item.found.path not in known]
    return sum(max(0, item.found.size) for item in new) >= least
