"""Looks for a text in every file of a journal, also where it is compressed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from backports import zstd

_FRAME = b"\x28\xb5\x2f\xfd"  # how each zstd frame begins


def traces(journal: Path, text: str) -> list[str]:
    """The files below a folder that contain a text as it is, compressed, or in a table."""
    wanted = text.encode()
    found = []
    for path in sorted(journal.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            parts = [data, *_decompressed(data)]
            if path.name.endswith(".parquet"):
                parts.append(_rows_of(path).encode())
            if any(wanted in part for part in parts):
                found.append(str(path.relative_to(journal)))
    return found


def _decompressed(data: bytes) -> Iterator[bytes]:
    """What is in each zstd frame of some bytes, also in the values of a database's pages."""
    at = data.find(_FRAME)
    while at >= 0:
        decompressor = zstd.ZstdDecompressor()
        try:
            yield decompressor.decompress(data[at:])
        except zstd.ZstdError:
            pass  # these bytes are there by chance, or go on in another page
        at = data.find(_FRAME, at + 1)


def _rows_of(path: Path) -> str:
    import duckdb

    query = "SELECT COLUMNS(*)::VARCHAR FROM read_parquet(?)"
    return repr(duckdb.execute(query, [str(path)]).fetchall())


def catalog_has(journal: Path, text: str) -> bool:
    """Whether a value of any table of the catalog contains a text, decompressed or not."""
    wanted = text.encode()
    with sqlite3.connect(f"file:{journal}/index/journal.db?mode=ro", uri=True) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        for table in tables:
            for row in db.execute(f"SELECT * FROM {table}"):
                for value in row:
                    if _has(value, wanted):
                        return True
    return False


def _has(value: object, wanted: bytes) -> bool:
    if isinstance(value, str):
        return wanted in value.encode("utf-8", "replace")
    if isinstance(value, bytes):
        return wanted in value or any(wanted in part for part in _decompressed(value))
    return False
