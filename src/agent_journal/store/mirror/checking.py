"""Checks that the mirror is what was written, and has every row of the catalog once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.mirror.mirror import Mirror
from agent_journal.store.mirror.parts import Manifest, Part, mark_of, part_path, read_manifest
from agent_journal.store.mirror.rows import RowReader


def faults(mirror: Mirror, db: Connection) -> Iterator[str]:
    """What is wrong with it; nothing when it is behind, since the next sync updates it."""
    if not mirror.is_wanted() or watermark(db, mirror.name) != last_item(db):
        return
    manifest = read_manifest(mirror.path)
    if manifest is None:
        yield "its manifest cannot be read"
        return
    with mirror.quotes(db) as resolve:
        reader = RowReader(db, resolve)
        for part in manifest.parts:
            damaged = [table for table in part.rows if not _is_intact(mirror.path, table, part)]
            for table in damaged:
                yield f"{part_path(mirror.path, table, part.number)} is damaged"
            if not damaged:
                yield from _wrong_rows(mirror.path, manifest, part, reader)


def _is_intact(folder: str, table: str, part: Part) -> bool:
    try:
        with open(part_path(folder, table, part.number), "rb") as file:
            return mark_of(file.read()) == part.marks.get(table)
    except OSError:
        return False


def _wrong_rows(folder: str, manifest: Manifest, part: Part, reader: RowReader) -> Iterator[str]:
    gone = set(manifest.gone_in(part))
    expected = reader.read(part.after, part.upto)
    for table in {*expected, *part.rows}:
        written: list[int] = []
        if part.rows.get(table):
            written = _written_ids(part_path(folder, table, part.number))
        found = Counter(item_id for item_id in written if item_id not in gone)
        if found != Counter(row.id for row in expected.get(table, ())):
            yield f"the rows of {table} in part {part.number} are not those of the catalog"


def _written_ids(path: str) -> list[int]:
    import duckdb

    return [item_id for (item_id,) in duckdb.read_parquet(path).select("id").fetchall()]
