"""The files with vectors: `rows` with the numbers and `ids` with the item of each row.

Both only grow. How many rows count is in the catalog; what is behind them after a crash is
overwritten. When too many rows belong to deleted items, the others are copied to files of the next
generation.
"""

from __future__ import annotations

import mmap
import os
from typing import IO, Any, NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import find_meta, set_meta

NAME = "vectors-v2"
ID_SIZE = 8
_MADE_BY = "made-by"


class Extent(NamedTuple):
    """How much of the files counts."""

    rows: int = 0
    upto: int = 0  # the last item that was considered
    gone: int = 0  # rows of deleted items
    generation: int = 0


class Mapped(NamedTuple):
    """The rows and ids that count, mapped into memory."""

    extent: Extent
    rows: memoryview
    ids: Any  # a memoryview of integers, or a list of them


class VectorFiles:
    """The files in a folder. A row has `stride` bytes."""

    def __init__(self, path: str) -> None:
        self.path = path

    def path_of(self, name: str, extent: Extent) -> str:
        """The path of `rows` or `ids`."""
        return os.path.join(self.path, f"{name}-{extent.generation}")

    def open_rows(self, extent: Extent) -> IO[bytes]:
        """The file with the rows, to write to it."""
        return _open_private(self.path_of("rows", extent))

    def open_ids(self, extent: Extent) -> IO[bytes]:
        """The file with the ids, to write to it."""
        return _open_private(self.path_of("ids", extent))

    def begin(self, maker: str) -> None:
        """Create the folder."""
        os.makedirs(self.path, mode=0o700)
        with _open_private(os.path.join(self.path, _MADE_BY)) as file:
            file.write(maker.encode())

    def made_by(self) -> str:
        """What made the vectors."""
        path = os.path.join(self.path, _MADE_BY)
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def is_complete(self, extent: Extent, stride: int) -> bool:
        """Whether the files hold all rows that count."""
        rows_size = os.path.getsize(self.path_of("rows", extent))
        ids_size = os.path.getsize(self.path_of("ids", extent))
        return rows_size >= extent.rows * stride and ids_size >= extent.rows * ID_SIZE

    def remove_old(self, extent: Extent) -> None:
        """Remove files of earlier generations, which a search may have used until now."""
        for name in os.listdir(self.path):
            if name.startswith(("rows-", "ids-")) and not name.endswith(f"-{extent.generation}"):
                os.unlink(os.path.join(self.path, name))

    def map(self, extent: Extent, stride: int) -> Mapped:
        """Map the rows and ids that count."""
        rows = _map(self.path_of("rows", extent), extent.rows * stride)
        ids = _map(self.path_of("ids", extent), extent.rows * ID_SIZE)
        return Mapped(extent, rows, ids.cast("Q"))


def read_extent(db: Connection) -> Extent:
    """How much of the files counts."""
    text = find_meta(db, NAME)
    if text is None:
        return Extent()
    return Extent(*map(int, text.split()))


def write_extent(db: Connection, extent: Extent) -> None:
    """Store how much of the files counts."""
    set_meta(db, NAME, " ".join(map(str, extent)))


def save(*files: IO[bytes]) -> None:
    """Make sure that files are on disk."""
    for file in files:
        file.flush()
        os.fsync(file.fileno())


def _open_private(path: str) -> IO[bytes]:
    return open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def _map(path: str, size: int) -> memoryview:
    with open(path, "rb") as file:
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
