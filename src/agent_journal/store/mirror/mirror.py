"""The mirror as an index that follows the catalog: parts are added, small ones become larger ones,
dead rows go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from agent_journal.errors import CannotWrite
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark

if TYPE_CHECKING:
    from agent_journal.store.catalog.loading import Resolve
    from agent_journal.store.mirror.parts import Manifest, Part
    from agent_journal.store.mirror.rows import Row, RowReader

NAME = "mirror-v2"
_STEP = 1_000  # ids read at a time
_MOST_IDS = 100_000  # of a part
_MOST_TEXT = 24 * 2**20
_LONG = frozenset(
    ("text", "reasoning", "arguments", "result", "display", "raw", "diff", "after", "pasted")
)
_MOST_MERGED = 20_000
_MOST_GONE = 50_000

Open = Callable[[Connection], AbstractContextManager["Resolve"]]


class Mirror:
    """The Parquet files in a folder. `quotes` gives what finds the texts that stand in the archive."""

    name = NAME
    trouble = ""

    def __init__(self, folder: str, quotes: Open) -> None:
        self.path = folder
        self.quotes = quotes

    def is_wanted(self) -> bool:
        """Whether anybody has asked for it: then it follows every sync. It costs a tenth of the
        sources' size.
        """
        return os.path.isdir(self.path)

    def is_there(self) -> bool:
        """Whether there is a mirror to go on with: of this version, with all its files."""
        from agent_journal.store.mirror.parts import is_whole, read_manifest

        manifest = read_manifest(self.path)
        return manifest is not None and is_whole(self.path, manifest)

    def reached(self, db: Connection) -> int:
        """Up to which item it has come; 0 when there is nothing to go on with."""
        return watermark(db, self.name) if self.is_there() else 0

    def drop(self) -> None:
        """Removes the files; the next sync makes them anew."""
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Writes the rows of new items, leaves out those that are gone; how far it came. Safe after
        a crash.
        """
        from agent_journal.store.mirror.parts import (
            Manifest,
            is_whole,
            read_manifest,
            sweep,
            write_manifest,
        )
        from agent_journal.store.mirror.rows import RowReader

        try:
            before = read_manifest(self.path)
            if (
                before is None
                or not watermark
                or before.upto < watermark
                or not is_whole(self.path, before)
            ):
                self.drop()
                before = None
            last = last_item(db)
            with private(), self.quotes(db) as resolve:
                writer = _Writer(
                    self.path, RowReader(db, resolve), before.next_number if before else 1
                )
                manifest = self._brought_up(
                    writer, before or Manifest(), watermark, gone if before else [], last
                )
                write_manifest(self.path, manifest)
                sweep(self.path, manifest)
            return last
        except OSError as error:
            raise CannotWrite(
                f"cannot write the mirror in {self.path}: {error.strerror or error}"
            ) from error

    def _brought_up(
        self, writer: _Writer, before: Manifest, watermark: int, gone: list[int], last: int
    ) -> Manifest:
        from agent_journal.store.mirror.parts import Manifest, part_path, write_file

        kept = _kept(before.parts, watermark, last)
        start = kept[-1].upto if kept else 0
        dead = sorted(item for item in {*before.gone, *gone} if item <= start)
        spoiled = _spoiled(kept, dead)
        if spoiled is not None:
            place = kept.index(spoiled)
            kept[place : place + 1] = writer.write(spoiled.after, spoiled.upto)
            dead = [item for item in dead if not spoiled.after < item <= spoiled.upto]
        kept += writer.write(start, last)
        number = before.gone_number
        if not number or tuple(dead) != before.gone:
            from agent_journal.store.mirror.parquet import encoded
            from agent_journal.store.mirror.tables import GONE

            # Also when nothing is gone: other tools then need not ask
            number = writer.take_number()
            write_file(
                part_path(self.path, "gone", number), encoded(GONE, [(item,) for item in dead])
            )
        return Manifest(tuple(kept), tuple(dead), number, writer.next_number)


class _Writer:
    """Writes parts."""

    def __init__(self, folder: str, reader: RowReader, next_number: int) -> None:
        self.folder = folder
        self.next_number = next_number
        self._reader = reader

    def take_number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    def write(self, after: int, upto: int) -> list[Part]:
        """Parts with the items of a range: one, or several when there is much in it."""
        parts: list[Part] = []
        rows: dict[str, list[Row]] = {}
        start, size = after, 0
        while after < upto:
            end = min(upto, after + _STEP)
            for table, found in self._reader.read(after, end).items():
                rows.setdefault(table, []).extend(found)
                size += _text_size(table, found)
            after = end
            if size > _MOST_TEXT or after - start >= _MOST_IDS or after == upto:
                parts.append(self._part(start, after, rows))
                start, rows, size = after, {}, 0
        return parts

    def _part(self, after: int, upto: int, rows: dict[str, list[Row]]) -> Part:
        from agent_journal.store.mirror.parquet import encoded
        from agent_journal.store.mirror.parts import Part, mark_of, part_path, write_file
        from agent_journal.store.mirror.tables import TABLES

        number = self.take_number()
        marks: dict[str, str] = {}
        for table, found in rows.items():
            if found:
                data = encoded(TABLES[table], found)
                write_file(part_path(self.folder, table, number), data)
                marks[table] = mark_of(data)
        return Part(number, after, upto, {table: len(rows[table]) for table in marks}, marks)


def _text_size(table: str, rows: list[Row]) -> int:
    """About how much text rows hold: that of the columns that can be long."""
    from agent_journal.store.mirror.tables import TABLES

    places = [place for place, column in enumerate(TABLES[table]) if column.name in _LONG]
    return 200 * len(rows) + sum(len(row[place] or "") for place in places for row in rows)


def _kept(parts: tuple[Part, ...], watermark: int, last: int) -> list[Part]:
    """The parts that stay: what lies above the watermark is written again, and so are small parts,
    with what is new.
    """
    kept = [part for part in parts if part.upto <= watermark]
    span = last - (kept[-1].upto if kept else 0)
    while kept and kept[-1].span <= 2 * span and kept[-1].span + span <= _MOST_MERGED:
        span += kept.pop().span
    return kept


def _spoiled(parts: list[Part], gone: list[int]) -> Part | None:
    """The part with most rows of items that are gone, when they are too many."""
    from agent_journal.store.mirror.parts import Manifest

    counts = (
        [(len(Manifest(gone=tuple(gone)).gone_in(part)), part) for part in parts] if gone else []
    )
    count, worst = max(counts, key=lambda found: found[0], default=(0, None))
    if worst is None or (count < 1_000 + worst.span // 5 and len(gone) < _MOST_GONE):
        return None
    return worst


@contextmanager
def private() -> Iterator[None]:
    """What is written meanwhile is the owner's alone."""
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)
