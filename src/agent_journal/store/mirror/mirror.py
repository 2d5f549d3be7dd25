"""The mirror as an index that follows the catalog.

New items become new parts, small parts are merged, and parts with many deleted items are rewritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from agent_journal.errors import CannotWrite
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.condemned import is_condemned
from agent_journal.store.incomplete import forget_incomplete

if TYPE_CHECKING:
    from agent_journal.store.catalog.results import Resolve
    from agent_journal.store.mirror.parts import Manifest, Part
    from agent_journal.store.mirror.rows import Row, RowReader

NAME = "mirror-v3"
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
    """The Parquet files in a folder. `quotes` opens what resolves texts in the archive."""

    name = NAME
    trouble = ""

    def __init__(self, folder: str, quotes: Open) -> None:
        self.path = folder
        self.quotes = quotes
        self.tell: Callable[[float], None] = lambda _: None

    def is_wanted(self) -> bool:
        """Whether it was ever used: only then it follows every sync, for it takes space."""
        return os.path.isdir(self.path)

    def is_there(self) -> bool:
        """Whether there is a mirror of this version, with all its files."""
        from agent_journal.store.mirror.parts import is_whole, read_manifest

        if is_condemned(self.path):
            return False
        manifest = read_manifest(self.path)
        return manifest is not None and is_whole(self.path, manifest)

    def reached(self, db: Connection) -> int:
        """The last item it has; 0 when it has to be built from scratch."""
        if not self.is_there():
            return 0
        return watermark(db, self.name)

    def drop(self) -> None:
        """Remove the files; the next sync rebuilds them."""
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Write the rows of new items, drop those of deleted ones, and return the last item.

        Safe to repeat after a crash.
        """
        from agent_journal.store.mirror.parts import read_manifest, sweep, write_manifest
        from agent_journal.store.mirror.rows import RowReader

        last = last_item(db)
        try:
            before = read_manifest(self.path)
            if before is None or not _can_continue(self.path, before, watermark):
                before = self._begin(before)
                watermark = 0
                gone = []
            with private(), self.quotes(db) as resolve:
                reader = RowReader(db, resolve)
                writer = _Writer(self.path, reader, before.next_number, self.tell)
                manifest = self._update(writer, before, watermark, gone, last)
                write_manifest(self.path, manifest)
                sweep(self.path, manifest)
            return last
        except OSError as error:
            reason = error.strerror or error
            raise CannotWrite(f"cannot write the mirror in {self.path}: {reason}") from error

    def _begin(self, before: Manifest | None) -> Manifest:
        """Begin again; files that are whole stay until then, for queries may be reading them."""
        from agent_journal.store.mirror.parts import Manifest

        forget_incomplete(self.path)
        if before is not None and self.is_there():
            return Manifest(next_number=before.next_number)
        self.drop()
        return Manifest()

    def _update(
        self, writer: _Writer, before: Manifest, watermark: int, gone: list[int], last: int
    ) -> Manifest:
        from agent_journal.store.mirror.parts import Manifest

        kept = _kept(before.parts, watermark, last)
        start = _end_of(kept)
        dead = sorted(item for item in {*before.gone, *gone} if item <= start)
        worst = _worst_part(kept, dead)
        if worst is not None:
            place = kept.index(worst)
            kept[place : place + 1] = writer.write(worst.after, worst.upto)
            dead = [item for item in dead if not worst.after < item <= worst.upto]
        kept += writer.write(start, last)
        number, mark = before.gone_number, before.gone_mark
        # Written even when nothing is gone, so that other tools need not check for it
        if not mark or tuple(dead) != before.gone:
            number, mark = writer.write_gone(dead)
        return Manifest(tuple(kept), tuple(dead), number, writer.next_number, mark)


class _Writer:
    """Writes parts."""

    def __init__(
        self, folder: str, reader: RowReader, next_number: int, tell: Callable[[float], None]
    ) -> None:
        self._folder = folder
        self._tell = tell
        self.next_number = next_number
        self._reader = reader

    def _take_number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    def write(self, after: int, upto: int) -> list[Part]:
        """Write the items of a range: to one part, or to several when there is much in it."""
        parts: list[Part] = []
        rows: dict[str, list[Row]] = {}
        first = start = after
        size = 0
        while after < upto:
            self._tell((after - first) / (upto - first))
            end = min(upto, after + _STEP)
            for table, found in self._reader.read(after, end).items():
                rows.setdefault(table, []).extend(found)
                size += _text_size(table, found)
            after = end
            if size > _MOST_TEXT or after - start >= _MOST_IDS or after == upto:
                parts.append(self._write_part(start, after, rows))
                start = after
                rows = {}
                size = 0
        return parts

    def write_gone(self, ids: list[int]) -> tuple[int, str]:
        """Write the ids of deleted items for other tools; return the file's number and mark."""
        from agent_journal.store.mirror.parquet import encoded
        from agent_journal.store.mirror.parts import mark_of, part_path, write_file
        from agent_journal.store.mirror.tables import GONE

        number = self._take_number()
        data = encoded(GONE, [(item_id,) for item_id in ids])
        write_file(part_path(self._folder, "gone", number), data)
        return number, mark_of(data)

    def _write_part(self, after: int, upto: int, rows: dict[str, list[Row]]) -> Part:
        from agent_journal.store.mirror.parquet import encoded
        from agent_journal.store.mirror.parts import Part, mark_of, part_path, write_file
        from agent_journal.store.mirror.tables import TABLES

        number = self._take_number()
        marks: dict[str, str] = {}
        for table, found in rows.items():
            if found:
                data = encoded(TABLES[table], found)
                write_file(part_path(self._folder, table, number), data)
                marks[table] = mark_of(data)
        return Part(number, after, upto, {table: len(rows[table]) for table in marks}, marks)


def _text_size(table: str, rows: list[Row]) -> int:
    """About how much text rows hold: that of the columns that can be long."""
    from agent_journal.store.mirror.tables import TABLES

    names = [column.name for column in TABLES[table] if column.name in _LONG]
    size = 200 * len(rows)
    for name in names:
        size += sum(len(getattr(row, name) or "") for row in rows)
    return size


def _kept(parts: tuple[Part, ...], watermark: int, last: int) -> list[Part]:
    """The parts that stay; those above the watermark and small ones at the end are rewritten."""
    kept = [part for part in parts if part.upto <= watermark]
    span = last - _end_of(kept)
    while kept and kept[-1].span <= 2 * span and kept[-1].span + span <= _MOST_MERGED:
        span += kept[-1].span
        kept.pop()
    return kept


def _end_of(parts: list[Part]) -> int:
    if not parts:
        return 0
    return parts[-1].upto


def _can_continue(path: str, manifest: Manifest, watermark: int) -> bool:
    """Whether the files can be added to, and need not be rebuilt."""
    from agent_journal.store.mirror.parts import is_whole

    if not watermark or manifest.upto < watermark or is_condemned(path):
        return False
    return is_whole(path, manifest)


def _worst_part(parts: list[Part], gone: list[int]) -> Part | None:
    """The part with the most deleted items, when there are too many of them."""
    from agent_journal.store.mirror.parts import Manifest

    if not gone or not parts:
        return None
    manifest = Manifest(gone=tuple(gone))
    worst = max(parts, key=lambda part: len(manifest.gone_in(part)))
    count = len(manifest.gone_in(worst))
    if count < 1_000 + worst.span // 5 and len(gone) < _MOST_GONE:
        return None
    return worst


@contextmanager
def private() -> Iterator[None]:
    """Make files that are written meanwhile readable by their owner only."""
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)
