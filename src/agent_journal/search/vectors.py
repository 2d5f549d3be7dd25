"""Vectors of what people wrote and were answered: a flat file of rows, looked through whole.

`rows` and `ids` only grow; how many rows count, and up to which item, is in the catalog. What lies
behind that after a crash is written over. Rows of items that are gone stay until there are too many
of them, then the others are copied to files of the next generation: a search drops such hits.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from agent_journal.errors import CannotWrite, ConfigError
from agent_journal.search.lexical import remove
from agent_journal.search.nearest import FORMS, nearest
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item

if TYPE_CHECKING:
    from agent_journal.search.embedding import Embedder

VERSION = 2
NAME = f"vectors-v{VERSION}"
_KINDS = ("prompt", "answer", "session", "plan", "compaction")
_LONGEST = 4_000  # letters of a text that make its vector
_BATCH = 500
_SLOW_BATCH = 32
_SLOW_SECONDS = 2.0  # of each sync for a slow model
_SAVE_SECONDS = 5.0
_MANY = 100_000  # rows from which numpy pays in a process that asks again
_ID = 8


class Extent(NamedTuple):
    """How far the files count: rows, the last item that was looked at, and rows of items that are
    gone.
    """

    rows: int = 0
    upto: int = 0
    gone: int = 0
    generation: int = 0


class Vectors:
    """The vectors in a folder, made by an embedder. A slow one is given `seconds` at a time."""

    name = NAME

    def __init__(
        self,
        folder: str,
        embedder: Embedder,
        precision: str = "int8",
        *,
        trouble: str = "",
        seconds: float | None = None,
    ) -> None:
        self.path = os.path.join(folder, NAME)
        # What a person should know: why there are no vectors, or others than were asked for
        self.trouble = trouble
        self._embedder = embedder
        self._form = FORMS[precision]
        self._is_whole_numbers = precision == "int8"
        self._seconds = (
            (_SLOW_SECONDS if seconds is None else seconds) if embedder.is_slow else None
        )
        self._mapped: tuple[Extent, memoryview, memoryview] | None = None

    def is_there(self, db: Connection) -> bool:
        """Whether there are files to go on with, made by the same embedder, with all rows that
        count.
        """
        try:
            with open(
                os.path.join(self.path, "made-by"), encoding="utf-8", errors="replace"
            ) as file:
                return file.read() == self._maker() and self._is_whole(read_extent(db))
        except OSError:
            return False

    def reached(self, db: Connection) -> int:
        """Up to which item it has come; 0 when there is nothing to go on with."""
        return read_extent(db).upto if self.is_there(db) else 0

    def _maker(self) -> str:
        return f"{self._embedder.name}, {self._form.name}"

    def drop(self) -> None:
        """Removes the files; the next sync makes them anew."""
        remove(self.path)

    def pending(self, db: Connection) -> int:
        """How many messages and titles have not been looked at yet to make their vectors."""
        upto = self.reached(db)
        counts = (
            "SELECT count(*) FROM messages WHERE id > ?",
            "SELECT count(*) FROM sessions WHERE item_id > ?",
        )
        return sum(int(db.execute(query, (upto,)).fetchone()[0]) for query in counts)

    # -- writing -------------------------------------------------------------------------------

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Adds a row for everything that has none; how far it came. Safe to repeat after a crash."""
        try:
            extent = read_extent(db)
            if not watermark:
                # What is gone never had a row
                extent, gone = self._begin(db, extent.generation + 1), []
            self._sweep(extent)
            extent = extent._replace(gone=extent.gone + len(gone))
            if extent.gone > 1_000 + extent.rows // 4:
                extent = self._compact(db, extent)
            return self._append(db, extent).upto
        except (
            ConfigError
        ) as error:  # a model that cannot be used must not keep the journal from its work
            self.trouble = error.message
            return watermark
        except OSError as error:
            raise CannotWrite(
                f"cannot write the vectors in {self.path}: {error.strerror or error}"
            ) from error

    def _is_whole(self, extent: Extent) -> bool:
        """Whether the files hold all rows that count."""
        sizes = (("rows", self._stride), ("ids", _ID)) if extent.rows else ()
        return all(
            os.path.getsize(self._file(name, extent)) >= extent.rows * size for name, size in sizes
        )

    @property
    def _stride(self) -> int:
        return self._embedder.dims * self._form.size

    def _file(self, name: str, extent: Extent) -> str:
        return os.path.join(self.path, f"{name}-{extent.generation}")

    def _begin(self, db: Connection, generation: int) -> Extent:
        self.drop()
        extent = Extent(generation=generation)
        write_extent(db, extent)
        os.makedirs(self.path, mode=0o700)
        with self._open(os.path.join(self.path, "made-by")) as file:
            file.write(self._maker().encode())
        return extent

    def _sweep(self, extent: Extent) -> None:
        """Removes files of earlier generations: a search that began before may have looked at them
        until now.
        """
        for name in os.listdir(self.path):
            if name.startswith(("rows-", "ids-")) and not name.endswith(f"-{extent.generation}"):
                os.unlink(os.path.join(self.path, name))

    @staticmethod
    def _open(path: str) -> IO[bytes]:
        return open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")

    def _compact(self, db: Connection, extent: Extent) -> Extent:
        """Copies the rows of items that are still there: making them again could take hours."""
        fresh = Extent(upto=extent.upto, generation=extent.generation + 1)
        _, rows, ids = self._map(extent)
        with (
            self._open(self._file("rows", fresh)) as new_rows,
            self._open(self._file("ids", fresh)) as new_ids,
        ):
            for place, item_id in enumerate(ids):
                if session_of(db, item_id) is not None:
                    new_rows.write(rows[place * self._stride : (place + 1) * self._stride])
                    new_ids.write(item_id.to_bytes(_ID, "little"))
                    fresh = fresh._replace(rows=fresh.rows + 1)
            _save(new_rows, new_ids)
        write_extent(db, fresh)
        return fresh

    def _append(self, db: Connection, extent: Extent) -> Extent:
        started = saved = time.monotonic()
        last = last_item(db)
        texts = _texts(db, extent.upto)
        with (
            self._open(self._file("rows", extent)) as rows,
            self._open(self._file("ids", extent)) as ids,
        ):
            rows.seek(extent.rows * self._stride)
            ids.seek(extent.rows * _ID)
            while batch := list(islice(texts, _SLOW_BATCH if self._embedder.is_slow else _BATCH)):
                count = self._write(batch, rows, ids)
                extent = extent._replace(rows=extent.rows + count, upto=batch[-1][0])
                now = time.monotonic()
                if self._seconds is not None and now - started > self._seconds:
                    last = extent.upto  # the rest another time
                    break
                if now - saved > _SAVE_SECONDS:
                    _save(rows, ids)
                    write_extent(db, extent)
                    saved = now
            _save(rows, ids)
        extent = extent._replace(upto=last)
        write_extent(db, extent)
        return extent

    def _write(self, batch: list[tuple[int, str]], rows: IO[bytes], ids: IO[bytes]) -> int:
        import numpy as np

        vectors = self._embedder.embed_many([text for _, text in batch])
        has_meaning: Any = vectors.any(axis=1)
        if self._is_whole_numbers:
            vectors = np.clip(np.rint(vectors * self._embedder.units), -127, 127)
        kind = {"int8": np.int8, "f16": np.float16, "f32": np.float32}[self._form.name]
        rows.write(vectors[has_meaning].astype(kind).tobytes())
        known = [
            item_id
            for (item_id, _), is_known in zip(batch, has_meaning.tolist(), strict=True)
            if is_known
        ]
        ids.write(struct.pack(f"<{len(known)}Q", *known))
        return len(known)

    # -- asking --------------------------------------------------------------------------------

    def nearest(
        self, db: Connection, text: str, count: int, among: set[int] | None = None
    ) -> list[tuple[float, int]]:
        """The items most like a text, of all or of some, as (likeness from 0 to 1, item id); none
        that are unlike.
        """
        extent = read_extent(db)
        is_there = extent.rows > 0 and self.is_there(db)
        try:
            # A model is asked even when it has made nothing yet: it may be that it cannot, and
            # somebody should know.
            vector = self._embedder.embed(text) if is_there or self._embedder.is_slow else None
        except ConfigError as error:
            self.trouble, vector = error.message, None
        if vector is None or not is_there:
            return []
        if self._mapped is not None and extent.rows > _MANY:
            # This process asks again: from now on it finds the best ones sooner
            import numpy  # noqa: F401
        try:
            ids: Any
            _, rows, ids = self._map(extent)
        except (OSError, ValueError):
            return []  # made anew since this search began
        if among is not None:
            rows, ids = self._some(rows, ids, among)
        found = nearest(self._packed(vector), rows, self._form, self._embedder.dims, count)
        one, least = self._embedder.units**2 if self._is_whole_numbers else 1, self._embedder.unlike
        return [
            (min(1.0, (product / one - least) / (1 - least)), ids[place])
            for product, place in found
            if product / one > least
        ]

    def _some(self, rows: memoryview, ids: Any, among: set[int]) -> tuple[memoryview, list[int]]:
        """The rows of some items, in a place of their own."""
        size = self._stride
        places = [
            place
            for item_id in sorted(among)
            if (place := bisect_left(ids, item_id)) < len(ids) and ids[place] == item_id
        ]
        return memoryview(b"".join(rows[place * size : (place + 1) * size] for place in places)), [
            ids[place] for place in places
        ]

    def _packed(self, vector: Any) -> bytes:
        if self._is_whole_numbers:
            vector = [max(-127, min(127, round(value * self._embedder.units))) for value in vector]
        return struct.pack(f"{self._embedder.dims}{self._form.code}", *vector)

    def _map(self, extent: Extent) -> tuple[Extent, memoryview, memoryview]:
        """The rows and ids that count, mapped; the same ones again for as long as nothing was
        added.
        """
        if self._mapped is None or self._mapped[0] != extent:
            views = []
            for name, size in (("rows", self._stride), ("ids", _ID)):
                with open(self._file(name, extent), "rb") as file:
                    mapped = mmap.mmap(file.fileno(), extent.rows * size, access=mmap.ACCESS_READ)
                views.append(memoryview(mapped))
            self._mapped = extent, views[0], views[1].cast("Q")
        return self._mapped


def session_of(db: Connection, item_id: int) -> int | None:
    """The row of the session that an item with a vector is in, 0 when that is not known; None: the
    item is gone.
    """
    for query in (
        "SELECT session_id FROM messages WHERE id = ?",
        "SELECT id FROM sessions WHERE item_id = ?",
        "SELECT coalesce(session_id, 0) FROM plans WHERE id = ?",
    ):
        row = db.execute(query, (item_id,)).fetchone()
        if row is not None:
            return int(row[0])
    return None


def read_extent(db: Connection) -> Extent:
    """How far the vectors count."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (NAME,)).fetchone()
    return Extent(*map(int, row[0].split())) if row else Extent()


def write_extent(db: Connection, extent: Extent) -> None:
    """Remembers how far the vectors count."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (NAME, " ".join(map(str, extent))))


def _save(*files: IO[bytes]) -> None:
    for file in files:
        file.flush()
        os.fsync(file.fileno())


def _texts(db: Connection, after: int) -> Iterator[tuple[int, str]]:
    from agent_journal.search.items import prose_items

    for item in prose_items(db, after):
        if item.kind in _KINDS and not item.is_hidden and item.text:
            yield item.id, item.text[:_LONGEST]
