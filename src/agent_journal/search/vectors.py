"""Vectors of what people wrote and what they were answered, compared with a query one by one.

They follow the catalog like the other indexes. Rows of deleted items stay in the files until there
are too many of them; a search ignores such hits.
"""

from __future__ import annotations

import os
import struct
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from agent_journal.errors import CannotWrite, ConfigError
from agent_journal.search.lexical import remove
from agent_journal.search.nearest import FORMS, nearest
from agent_journal.search.vector_files import (
    ID_SIZE,
    NAME,
    Extent,
    Mapped,
    RowWriter,
    VectorFiles,
    read_extent,
    write_extent,
)
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item
from agent_journal.store.condemned import condemn, is_condemned, pardon

if TYPE_CHECKING:
    from agent_journal.search.embedding import Embedder, Weigh

_KINDS = ("prompt", "answer", "session", "plan", "compaction")
_LONGEST = 4_000  # letters of a text that make its vector
_BATCH = 500
_FEW_LETTERS = 12_000  # of texts whose vectors are made without numpy
_SLOW_BATCH = 32
_SLOW_SECONDS = 2.0  # of each sync for a slow model
_SAVE_SECONDS = 5.0
_MANY = 100_000  # rows from which numpy pays off in a process that searches more than once


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
        self._files = VectorFiles(self.path)
        self._embedder = embedder
        self._form = FORMS[precision]
        self._has_whole_numbers = precision == "int8"
        self._batch = _BATCH
        self._seconds: float | None = None
        if embedder.is_slow:
            self._batch = _SLOW_BATCH
            self._seconds = seconds
            if seconds is None:
                self._seconds = _SLOW_SECONDS
        # A slow embedder imports numpy for every text; then it costs nothing to use it here too.
        self._with_numpy = embedder.is_slow
        self.tell: Callable[[float], None] = lambda _: None
        self._mapped: Mapped | None = None

    def is_there(self, db: Connection) -> bool:
        """Whether the files were made by the same embedder and hold all rows that count."""
        try:
            if self._files.made_by() != self._maker() or is_condemned(self.path):
                return False
            extent = read_extent(db)
            # Without rows, their size is not needed: it may require a model that cannot be loaded.
            return not extent.rows or self._files.is_complete(extent, self._stride)
        except OSError:
            return False

    def reached(self, db: Connection) -> int:
        """The last item that was considered; 0 when the vectors have to be made from scratch."""
        if not self.is_there(db):
            return 0
        return read_extent(db).upto

    def drop(self) -> None:
        """Remove the files; the next sync rebuilds them."""
        remove(self.path)

    def pending(self, db: Connection) -> int:
        """How many messages and titles have not been considered yet."""
        from agent_journal.store.catalog.search_rows import count_prose_after

        return count_prose_after(db, self.reached(db))

    def _maker(self) -> str:
        return f"{self._embedder.name}, {self._form.name}"

    @property
    def _stride(self) -> int:
        return self._embedder.dims * self._form.size

    # -- writing -------------------------------------------------------------------------------

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Add a row for every item without one and return the last item that was considered.

        Safe to repeat after a crash.
        """
        try:
            extent = read_extent(db)
            if watermark or self._can_salvage(extent):
                extent = extent._replace(gone=extent.gone + len(gone))
            else:
                extent = self._begin(db, extent.generation + 1)
            if is_condemned(self.path):
                extent = self._without_damage(db, extent)
            self._files.remove_old(extent)
            if self._needs_copy(extent):
                extent = self._compact(db, self._without_damage(db, extent))
            extent = self._append(db, extent, partial(write_extent, db), lambda: False)
            write_extent(db, extent)
            return extent.upto
        # A model that cannot be used must not keep the journal from its work.
        except ConfigError as error:
            self.trouble = error.message
            return watermark
        except OSError as error:
            reason = error.strerror or error
            raise CannotWrite(f"cannot write the vectors in {self.path}: {reason}") from error

    @property
    def is_from_table(self) -> bool:
        """Whether they are made from the table of words in the package."""
        from agent_journal.search.meaning import Table

        return isinstance(self._embedder, Table)

    def can_be_followed(self, db: Connection) -> bool:
        """Whether another process may `follow`: they are begun, and only rows have to be added."""
        if self._embedder.is_slow or is_condemned(self.path):
            return False
        extent = read_extent(db)
        try:
            if not self.reached(db):
                extent = self._begin(db, extent.generation + 1)
        except OSError:
            return False
        return not self._needs_copy(extent)

    def follow(self, db: Connection, extent: Extent, is_enough: Callable[[], bool]) -> Extent:
        """Add rows behind those of an extent, until there is nothing more or it is enough.

        They count when somebody writes the extent that is returned.
        """
        return self._append(db, extent, lambda _: None, is_enough)

    def _begin(self, db: Connection, generation: int) -> Extent:
        self.drop()
        extent = Extent(generation=generation)
        write_extent(db, extent)
        self._files.begin(self._maker())
        return extent

    def _needs_copy(self, extent: Extent) -> bool:
        """Whether too many rows are of deleted items, or rows have no checksums."""
        has_sums = extent.stride or not extent.rows
        return extent.gone > 1_000 + extent.rows // 4 or not has_sums

    def _compact(self, db: Connection, extent: Extent) -> Extent:
        """Copy the rows of items that still exist: to make them again could take hours."""
        from agent_journal.store.catalog.search_rows import sessions_of_items

        new = Extent(upto=extent.upto, generation=extent.generation + 1)
        old = self._map(extent)
        with self._files.writer(new, self._stride) as writer:
            for first in range(0, extent.rows, _BATCH):
                batch = old.ids[first : first + _BATCH].tolist()
                existing = sessions_of_items(db, batch)
                for place, item_id in enumerate(batch, first):
                    if item_id in existing:
                        row = self._row(old.rows, place).tobytes()
                        writer.add(row, item_id.to_bytes(ID_SIZE, "little"))
            writer.save()
        write_extent(db, writer.extent)
        return writer.extent

    def _append(
        self,
        db: Connection,
        extent: Extent,
        save: Callable[[Extent], None],
        is_enough: Callable[[], bool],
    ) -> Extent:
        last = last_item(db)
        texts = _texts(db, extent.upto)
        started = saved = time.monotonic()
        with self._files.writer(extent, self._stride) as writer:
            for batch in _batches(texts, self._batch):
                self._write(batch, writer)
                upto, _ = batch[-1]
                self.tell((upto - extent.upto) / max(1, last - extent.upto))
                now = time.monotonic()
                is_late = self._seconds is not None and now - started > self._seconds
                if is_late or is_enough():
                    last = upto  # the next time it continues here
                    break
                if now - saved > _SAVE_SECONDS:
                    writer.save()
                    save(writer.extent._replace(upto=upto))
                    saved = now
            writer.save()
        return writer.extent._replace(upto=last)

    def _write(self, batch: list[tuple[int, str]], writer: RowWriter) -> None:
        """Write the vectors of texts with a meaning."""
        if not self._with_numpy and sum(len(text) for _, text in batch) <= _FEW_LETTERS:
            self._write_few(batch, writer)
            return
        import numpy as np

        self._with_numpy = True
        vectors = self._embedder.embed_many([text for _, text in batch])
        has_meaning: Any = vectors.any(axis=1)
        if self._has_whole_numbers:
            vectors = np.clip(np.rint(vectors * self._embedder.units), -127, 127)
        rows = vectors[has_meaning].astype(self._form.dtype)
        item_ids = np.array([item_id for item_id, _ in batch], "<u8")[has_meaning]
        writer.add(rows.tobytes(), item_ids.tobytes())

    def _write_few(self, batch: list[tuple[int, str]], writer: RowWriter) -> None:
        """The same without numpy, whose import takes longer than the vectors of a few texts."""
        for item_id, text in batch:
            vector = self._embedder.embed(text)
            if vector is not None:
                writer.add(self._packed(vector), item_id.to_bytes(ID_SIZE, "little"))

    # -- damage --------------------------------------------------------------------------------

    def find_damage(self, db: Connection) -> str | None:
        """What is damaged, read from beginning to end; None when nothing is."""
        extent = read_extent(db)
        if not os.path.isdir(self.path) or not extent.rows or self._files.has_moved_on(extent):
            return None
        if is_condemned(self.path):
            return "they were found damaged"
        good = self._files.intact_rows(extent)
        if good == extent.rows:
            return None
        return f"rows from {good:,} on are damaged"

    def condemn(self) -> None:
        """Mark them as damaged: nobody uses them until the next sync has made them again."""
        condemn(self.path)

    def _can_salvage(self, extent: Extent) -> bool:
        """Whether they were found damaged and are the right ones otherwise."""
        if not is_condemned(self.path) or extent.stride != self._stride:
            return False
        try:
            return self._files.made_by() == self._maker()
        except OSError:
            return False

    def _without_damage(self, db: Connection, extent: Extent) -> Extent:
        """The rows before the damage, if there is any: to make all again could take hours."""
        good = self._files.intact_rows(extent)
        if good < extent.rows:
            self.trouble = "vectors were damaged and have been made again"
            upto = 0
            if good:
                upto = self._files.map(extent._replace(rows=good), extent.stride).ids[good - 1]
            extent = extent._replace(rows=good, upto=upto)
            write_extent(db, extent)
        pardon(self.path)
        return extent

    # -- searching -----------------------------------------------------------------------------

    def nearest(
        self,
        db: Connection,
        text: str,
        count: int,
        among: set[int] | None = None,
        weigh: Weigh | None = None,
    ) -> list[tuple[float, int]]:
        """The items most like a text, as (similarity from 0 to 1, item id), without unlike ones.

        With `among`, only these items are compared; `weigh` says how much a word counts.
        """
        extent = read_extent(db)
        is_there = extent.rows > 0 and self.is_there(db)
        vector = self._embed(text, is_there, weigh)
        if vector is None or not is_there:
            return []
        if self._mapped is not None and extent.rows > _MANY:
            self._with_numpy = True  # this process searches again
        try:
            mapped = self._map(extent)
        except (OSError, ValueError):
            return []  # rebuilt since this search began
        if among is not None:
            mapped = self._only(mapped, among)
        found = nearest(
            self._packed(vector),
            mapped.rows,
            self._form,
            dims=self._embedder.dims,
            count=count,
            with_numpy=self._with_numpy,
        )
        return self._likenesses(found, mapped.ids)

    def knows(self, word: str) -> bool:
        """Whether a word has a meaning for what makes the vectors."""
        return self._embedder.knows(word)

    def _embed(self, text: str, is_there: bool, weigh: Weigh | None) -> Sequence[float] | None:
        # A model is tried even when it has made nothing yet: if it cannot be used, the person
        # should know.
        if not is_there and not self._embedder.is_slow:
            return None
        try:
            return self._embedder.embed(text, weigh)
        except ConfigError as error:
            self.trouble = error.message
            return None

    def _likenesses(self, found: list[tuple[float, int]], ids: Any) -> list[tuple[float, int]]:
        unit = 1
        if self._has_whole_numbers:
            unit = self._embedder.units**2
        least = self._embedder.unlike
        likenesses = []
        for product, place in found:
            cosine = product / unit
            if cosine > least:
                likenesses.append((min(1.0, (cosine - least) / (1 - least)), ids[place]))
        return likenesses

    def _only(self, mapped: Mapped, among: set[int]) -> Mapped:
        """A copy of the rows of some items."""
        rows = []
        ids = []
        for item_id in sorted(among):
            place = bisect_left(mapped.ids, item_id)
            if place < len(mapped.ids) and mapped.ids[place] == item_id:
                rows.append(self._row(mapped.rows, place))
                ids.append(item_id)
        return Mapped(mapped.extent, memoryview(b"".join(rows)), ids)

    def _row(self, rows: memoryview, place: int) -> memoryview:
        stride = self._stride
        return rows[place * stride : (place + 1) * stride]

    def _packed(self, vector: Sequence[float]) -> bytes:
        if self._has_whole_numbers:
            units = self._embedder.units
            vector = [max(-127, min(127, round(value * units))) for value in vector]
        return struct.pack(f"{self._embedder.dims}{self._form.code}", *vector)

    def _map(self, extent: Extent) -> Mapped:
        """The rows and ids that count, mapped again only when they have changed."""
        if self._mapped is None or self._mapped.extent != extent:
            self._mapped = self._files.map(extent, self._stride)
        return self._mapped


def _texts(db: Connection, after: int) -> Iterator[tuple[int, str]]:
    from agent_journal.search.items import prose_items

    for item in prose_items(db, after):
        if item.kind in _KINDS and not item.is_hidden and item.text:
            yield item.id, item.text[:_LONGEST]


def _batches(texts: Iterator[tuple[int, str]], size: int) -> Iterator[list[tuple[int, str]]]:
    while True:
        batch = list(islice(texts, size))
        if not batch:
            return
        yield batch
