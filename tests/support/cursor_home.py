"""Home folders with Cursor's databases: a case has plain files in `home`, and rows of databases in
`databases.json`.

{".config/Cursor/User/globalStorage/state.vscdb": {"cursorDiskKV": [["composerData:a",
{"composerId": "a"}]]}}

A value is written as compact JSON, a text as it is. In a store, {"tree": ["m1", "m2"]} is a blob
that names others, and ids stand for hashes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import ROWS_MARK, Extract, FoundFile
from agent_journal.connectors.cursor import CONNECTOR
from tests.support.paths import CASES

CASES = CASES / "cursor"
ROOTS = (".config/Cursor/User", ".cursor")
_KEY_VALUE = "(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
TABLES = {
    "ItemTable": f"CREATE TABLE ItemTable {_KEY_VALUE}",
    "cursorDiskKV": f"CREATE TABLE cursorDiskKV {_KEY_VALUE}",
    "composerHeaders": "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, "
    "createdAt INTEGER, lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER, value TEXT)",
    "blobs": "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)",
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
}


def blob_id(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def build(case: str, home: Path) -> Path:
    """Puts a case into a home folder."""
    shutil.copytree(CASES / case / "home", home, dirs_exist_ok=True)
    described = CASES / case / "databases.json"
    for name, tables in json.loads(described.read_text()).items() if described.exists() else ():
        write_database(home / name, tables)
    return home


def write_database(path: Path, tables: dict[str, list[list[Any]]]) -> None:
    """Writes rows into a database, made when it is not there; a row of the same key is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        there = {
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        for table, rows in tables.items():
            if table not in there:
                db.execute(TABLES[table])
            for row in rows:
                values = [_value(table, place, value) for place, value in enumerate(row)]
                db.execute(
                    f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(values))})",
                    values,
                )


def _value(table: str, place: int, value: Any) -> Any:
    if table == "blobs":
        if place == 0:
            return blob_id(value)
        if isinstance(value, dict) and "tree" in value:
            return b"".join(b"\x0a\x20" + bytes.fromhex(blob_id(name)) for name in value["tree"])
        return json.dumps(value, separators=(",", ":")).encode()
    if table == "meta" and isinstance(value, dict):
        named = {**value, "latestRootBlobId": blob_id(value.get("latestRootBlobId", ""))}
        return json.dumps(named).encode().hex()
    return json.dumps(value, separators=(",", ":")) if isinstance(value, (dict, list)) else value


def extracts(
    path: Path, kept: dict[str, tuple[int, int, int]] | None = None
) -> list[tuple[Extract, bytes | None]]:
    """What the connector takes out of a database, with its bytes."""
    found = []
    for extract in CONNECTOR.extract_changes(str(path), kept or {}):
        assert isinstance(extract, Extract), extract
        data = extract.data
        found.append((extract, data if data is None or isinstance(data, bytes) else b"".join(data)))
    return found


def files_of(home: Path) -> Iterator[FoundFile]:
    """All files of a home; what is taken out of databases lies beside them, as files."""
    for root in ROOTS:
        for file in CONNECTOR.discover(str(home / root)):
            assert isinstance(file, FoundFile), file
            if file.role != "rows":
                yield file
                continue
            for extract, data in extracts(Path(file.path)):
                path = Path(f"{file.path}{ROWS_MARK}{extract.name}")
                path.write_bytes(data or b"")
                name = f"{file.name}{ROWS_MARK}{extract.name}"
                yield FoundFile(
                    str(path),
                    name,
                    extract.role,
                    len(data or b""),
                    0,
                    0,
                    extract.session_id,
                    extract.rank,
                )
