"""The files with vectors: `rows` with the numbers and `ids` with the item of each row.

Both only grow. How many rows count is in the catalog; what is behind them after a crash is
overwritten. When too many rows belong to deleted items, the others are copied to files of the next
generation. `sums` has the checksums of each block of rows that is full; those of the last block are
in the catalog, since that one still grows. They begin with the checksum of `made-by`.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from typing import IO, Any, NamedTuple
from zlib import crc32

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import find_meta, set_meta

NAME = "vectors-v2"
ID_SIZE = 8
BLOCK = 4_096  # rows with a checksum of their own
_MADE_BY = "made-by"
_SUMS = struct.Struct("<II")  # of the rows and of the ids of a block


class Extent(NamedTuple):
    """How much of the files counts."""

    rows: int = 0
    upto: int = 0  # the last item that was considered
    gone: int = 0  # rows of deleted items
    generation: int = 0
    stride: int = 0  # bytes of a row; 0: there are no checksums yet
    rows_sum: int = 0  # of the block that is not full
    ids_sum: int = 0


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

    def writer(self, extent: Extent, stride: int) -> RowWriter:
        """Add rows to those that count."""
        return RowWriter(self, extent, self._seed(), stride)

    def _seed(self) -> int:
        with open(os.path.join(self.path, _MADE_BY), "rb") as file:
            return crc32(file.read())

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
            is_ours = name.startswith(("rows-", "ids-", "sums-"))
            if is_ours and not name.endswith(f"-{extent.generation}"):
                os.unlink(os.path.join(self.path, name))

    def has_moved_on(self, extent: Extent) -> bool:
        """Whether a sync has copied the rows to the next generation meanwhile."""
        following = extent._replace(generation=extent.generation + 1)
        is_here = os.path.exists(self.path_of("rows", extent))
        return not is_here and os.path.exists(self.path_of("rows", following))

    def map(self, extent: Extent, stride: int) -> Mapped:
        """Map the rows and ids that count."""
        rows = _map(self.path_of("rows", extent), extent.rows * stride)
        ids = _map(self.path_of("ids", extent), extent.rows * ID_SIZE)
        return Mapped(extent, rows, ids.cast("Q"))

    def intact_rows(self, extent: Extent) -> int:
        """How many rows are before the first damaged block: all that count when none is."""
        if not extent.stride:
            return extent.rows  # of an earlier version
        good = 0
        try:
            seed = self._seed()
            for rows_sum, ids_sum, first, rows, ids in self._blocks(extent):
                if (crc32(rows, seed), crc32(ids)) != (rows_sum, ids_sum):
                    return first
                good = first + len(ids) // ID_SIZE
        except (OSError, struct.error, IndexError):
            pass  # a file is missing or too short
        return good

    def _blocks(self, extent: Extent) -> Iterator[tuple[int, int, int, bytes, bytes]]:
        """The checksums of each block, its first row, its rows and its ids."""
        rows_path = self.path_of("rows", extent)
        ids_path = self.path_of("ids", extent)
        sums = self._sums(extent)
        with open(rows_path, "rb") as rows, open(ids_path, "rb") as ids:
            for first in range(0, extent.rows, BLOCK):
                count = min(BLOCK, extent.rows - first)
                rows_sum, ids_sum = sums[first // BLOCK]
                block = rows.read(count * extent.stride), ids.read(count * ID_SIZE)
                yield (rows_sum, ids_sum, first, *block)

    def _sums(self, extent: Extent) -> list[tuple[int, int]]:
        """The checksums of every block, and at last of the one that is not full."""
        full = extent.rows // BLOCK
        data = b""
        if full:
            with open(self.path_of("sums", extent), "rb") as file:
                data = file.read(full * _SUMS.size)
        sums = list(_SUMS.iter_unpack(data))
        return [*sums, (extent.rows_sum, extent.ids_sum)]


class RowWriter:
    """Adds rows behind those that count. Use it as a context manager."""

    def __init__(self, files: VectorFiles, extent: Extent, seed: int, stride: int) -> None:
        self._seed = seed
        if not extent.rows % BLOCK:
            extent = extent._replace(rows_sum=seed, ids_sum=0)
        self.extent = extent._replace(stride=stride)
        self._rows = _open_private(files.path_of("rows", extent))
        self._ids = _open_private(files.path_of("ids", extent))
        self._sums: IO[bytes] | None = None  # there is none until a block is full
        self._sums_path = files.path_of("sums", extent)
        self._rows.seek(extent.rows * stride)
        self._ids.seek(extent.rows * ID_SIZE)

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files():
            file.close()

    def _files(self) -> list[IO[bytes]]:
        files = [self._rows, self._ids]
        if self._sums is not None:
            files.append(self._sums)
        return files

    def add(self, rows: bytes, ids: bytes) -> None:
        """Add rows with their ids."""
        self._rows.write(rows)
        self._ids.write(ids)
        stride = self.extent.stride
        while ids:
            room = BLOCK - self.extent.rows % BLOCK
            self._count(rows[: room * stride], ids[: room * ID_SIZE])
            rows = rows[room * stride :]
            ids = ids[room * ID_SIZE :]

    def _count(self, rows: bytes, ids: bytes) -> None:
        """Continue the checksums of the last block, and save them when it is full."""
        extent = self.extent
        extent = extent._replace(
            rows=extent.rows + len(ids) // ID_SIZE,
            rows_sum=crc32(rows, extent.rows_sum),
            ids_sum=crc32(ids, extent.ids_sum),
        )
        if not extent.rows % BLOCK:
            self._write_sums(extent)
            extent = extent._replace(rows_sum=self._seed, ids_sum=0)
        self.extent = extent

    def _write_sums(self, extent: Extent) -> None:
        """Save the checksums of the block that has become full."""
        if self._sums is None:
            self._sums = _open_private(self._sums_path)
        self._sums.seek((extent.rows // BLOCK - 1) * _SUMS.size)
        self._sums.write(_SUMS.pack(extent.rows_sum, extent.ids_sum))

    def save(self) -> None:
        """Make sure that everything is on disk."""
        for file in self._files():
            file.flush()
            os.fsync(file.fileno())


def read_extent(db: Connection) -> Extent:
    """How much of the files counts."""
    text = find_meta(db, NAME)
    if text is None:
        return Extent()
    return Extent(*map(int, text.split()))


def write_extent(db: Connection, extent: Extent) -> None:
    """Store how much of the files counts."""
    set_meta(db, NAME, " ".join(map(str, extent)))


def _open_private(path: str) -> IO[bytes]:
    return open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def _map(path: str, size: int) -> memoryview:
    with open(path, "rb") as file:
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
