"""Vectors of what people wrote and were answered: a flat file of int8 rows, looked through whole.

`rows` and `ids` only grow; how many rows count, and up to which item, is in the catalog. What lies behind that after a
crash is written over. Rows of items that are gone stay until there are too many of them: a search drops such hits.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from agent_journal.errors import CannotWrite

DIMS = 256
VERSION = 1
NAME = f"vectors-v{VERSION}"
_KINDS = ("prompt", "answer", "session", "plan", "compaction")
_LONGEST = 4_000  # letters of a text that make its vector
_BATCH = 500
_ID = 8


class Extent(NamedTuple):
    """How far the files count: rows, the last item that was looked at, and rows of items that are gone."""

    rows: int = 0
    upto: int = 0
    gone: int = 0


class Vectors:
    """The vectors in a folder."""

    name = NAME

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, NAME)

    def is_there(self) -> bool:
        """Whether there are files to go on with."""
        return os.path.exists(self._file("rows"))

    def drop(self) -> None:
        """Removes the files; the next sync makes them anew."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _file(self, name: str) -> str:
        return os.path.join(self.path, name)

    # -- writing ------------------------------------------------------------------------------------------------------

    def bring_up(self, db: sqlite3.Connection, watermark: int, gone: list[int]) -> None:
        """Adds a row for everything above the watermark; safe to repeat after a crash."""
        extent = read_extent(db) if watermark else Extent()
        if extent.gone + len(gone) > 1_000 + extent.rows // 4:
            extent, gone = Extent(), []  # too much of it is gone: made anew
        after = max(extent.upto, watermark) if extent.rows else 0
        (last,) = db.execute("SELECT coalesce((SELECT value FROM meta WHERE key = 'last item'), 0)").fetchone()
        try:
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            with self._open("rows") as rows, self._open("ids") as ids:
                rows.seek(extent.rows * DIMS)
                ids.seek(extent.rows * _ID)
                count = extent.rows + self._append(db, after, rows, ids)
                for file in (rows, ids):
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise CannotWrite(f"cannot write the vectors in {self.path}: {error.strerror or error}") from error
        write_extent(db, Extent(count, int(last), extent.gone + len(gone)))

    def _open(self, name: str) -> IO[bytes]:
        return open(os.open(self._file(name), os.O_RDWR | os.O_CREAT, 0o600), "r+b")

    def _append(self, db: sqlite3.Connection, after: int, rows: IO[bytes], ids: IO[bytes]) -> int:
        from agent_journal.search.meaning import Table

        table = Table()
        count = 0
        for batch in _batches(_texts(db, after)):
            vectors = table.embed_many([text for _, text in batch])
            for (item_id, _), vector in zip(batch, vectors, strict=True):
                if vector is not None:
                    rows.write(vector)
                    ids.write(item_id.to_bytes(_ID, "little"))
                    count += 1
        return count

    # -- asking -------------------------------------------------------------------------------------------------------

    def nearest(self, db: sqlite3.Connection, text: str, count: int) -> list[tuple[float, int]]:
        """The items most like a text, as (likeness, item id), best first."""
        import heapq

        from agent_journal.search.meaning import Table, likeness

        extent = read_extent(db)
        vector = Table().embed(text)
        if vector is None or not extent.rows or not self.is_there():
            return []
        with open(self._file("rows"), "rb") as file:
            rows = file.read(extent.rows * DIMS)
        with open(self._file("ids"), "rb") as file:
            ids = memoryview(file.read(extent.rows * _ID)).cast("Q")
        total = min(len(rows) // DIMS, len(ids))
        if not total:
            return []
        best = heapq.nlargest(count, zip(_dots(vector, rows, total), range(total), strict=True))
        return [(likeness(dot), ids[place]) for dot, place in best]


def _dots(vector: bytes, rows: bytes, total: int) -> Any:
    """The product of a vector with every row; with simsimd, else numpy."""
    try:
        import simsimd
    except ImportError:
        import numpy as np

        numbers = np.frombuffer(rows, "i1", total * DIMS).reshape(total, DIMS).astype(np.float32)
        return (numbers @ np.frombuffer(vector, "i1").astype(np.float32)).tolist()
    query = memoryview(vector).cast("b", shape=[1, DIMS])
    table = memoryview(rows)[: total * DIMS].cast("b", shape=[total, DIMS])
    found = memoryview(simsimd.cdist(query, table, metric="dot", dtype="int8"))  # type: ignore[arg-type]
    return found.tolist()[0]


def read_extent(db: sqlite3.Connection) -> Extent:
    """How far the vectors count."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (NAME,)).fetchone()
    return Extent(*map(int, row[0].split())) if row else Extent()


def write_extent(db: sqlite3.Connection, extent: Extent) -> None:
    """Remembers how far the vectors count."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (NAME, " ".join(map(str, extent))))


def _texts(db: sqlite3.Connection, after: int) -> Iterator[tuple[int, str]]:
    from agent_journal.search.items import prose_items

    for item in prose_items(db, after):
        if item.kind in _KINDS and not item.is_hidden and item.text:
            yield item.id, item.text[:_LONGEST]


def _batches(texts: Iterator[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    batch = []
    for text in texts:
        batch.append(text)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
