"""Checks that the mirror is what was written, and has every row of the catalog once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.condemned import is_condemned
from agent_journal.store.mirror.mirror import Mirror
from agent_journal.store.mirror.parts import (
    Manifest,
    Part,
    damaged_files,
    part_path,
    read_manifest,
)
from agent_journal.store.mirror.rows import RowReader


def faults(mirror: Mirror, db: Connection) -> Iterator[str]:
    """What is wrong with it.

    Its rows are not checked when it is behind: the next sync updates it.
    """
    if not mirror.is_wanted():
        return
    if is_condemned(mirror.path):
        yield "they were found damaged"
        return
    manifest = read_manifest(mirror.path)
    if manifest is None:
        if watermark(db, mirror.name):
            yield "its manifest cannot be read"
        return
    found = list(_faults_of(mirror, manifest, db))
    if manifest == read_manifest(mirror.path):  # no sync has replaced files meanwhile
        yield from found


def _faults_of(mirror: Mirror, manifest: Manifest, db: Connection) -> Iterator[str]:
    damaged = list(damaged_files(mirror.path, manifest))
    if damaged:
        yield from (f"{path} is damaged" for path in damaged)
        return
    if not manifest.upto == watermark(db, mirror.name) == last_item(db):
        return  # it is behind, or ahead of what this reader sees
    with mirror.quotes(db) as resolve:
        reader = RowReader(db, resolve)
        for part in manifest.parts:
            yield from _wrong_rows(mirror.path, manifest, part, reader)


def _wrong_rows(folder: str, manifest: Manifest, part: Part, reader: RowReader) -> Iterator[str]:
    gone = set(manifest.gone_in(part))
    expected = reader.read(part.after, part.upto)
    for table in {*expected, *part.rows}:
        written: list[int] | None = []
        path = part_path(folder, table, part.number)
        if part.rows.get(table):
            written = _written_ids(path)
        if written is None:
            yield f"{path} cannot be read"
            continue
        found = Counter(item_id for item_id in written if item_id not in gone)
        if found != Counter(row.id for row in expected.get(table, ())):
            yield f"the rows of {table} in part {part.number} are not those of the catalog"


def _written_ids(path: str) -> list[int] | None:
    import duckdb

    try:
        return [item_id for (item_id,) in duckdb.read_parquet(path).select("id").fetchall()]
    except duckdb.Error:  # a sync may have replaced it just now
        return None
