"""Home folders with Cursor's databases.

A case has plain files in `home`, and the rows of databases in `databases.json`:
{".config/Cursor/User/globalStorage/state.vscdb": {"cursorDiskKV": [["composerData:a", {…}]]}}

An object is written as compact JSON, a text unchanged. In a store, {"tree": ["m1", "m2"]} is a
blob that names others, and ids take the place of hashes.
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
from tests.support.assemble import Assembly
from tests.support.paths import CASES

CASES = CASES / "cursor"
GLOBAL = ".config/Cursor/User/globalStorage/state.vscdb"
WORKSPACE = ".config/Cursor/User/workspaceStorage/0123456789abcdef0123456789abcdef"
CONVERSATION = "a0000000-0000-4000-8000-000000000001"  # the main one of the case `editor`
ROOTS = (".config/Cursor/User", ".cursor")
_KEY_VALUE = "(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
TABLES = {
    "ItemTable": f"CREATE TABLE ItemTable {_KEY_VALUE}",
    "cursorDiskKV": f"CREATE TABLE cursorDiskKV {_KEY_VALUE}",
    "composerHeaders": "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, "
    "workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER, isArchived INTEGER, "
    "isSubagent INTEGER, value TEXT)",
    "blobs": "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)",
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
}


def blob_id(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def build(case: str, home: Path) -> Path:
    """Write a case into a home folder."""
    shutil.copytree(CASES / case / "home", home, dirs_exist_ok=True)
    described = CASES / case / "databases.json"
    if described.exists():
        for name, tables in json.loads(described.read_text()).items():
            write_database(home / name, tables)
    return home


def write_database(path: Path, tables: dict[str, list[list[Any]]]) -> None:
    """Write rows into a database, which is created if needed; rows of the same key are replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        existing = {name for (name,) in names}
        for table, rows in tables.items():
            if table not in existing:
                db.execute(TABLES[table])
            for row in rows:
                values = [_value(table, column, value) for column, value in enumerate(row)]
                marks = ", ".join("?" * len(values))
                db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)


def _value(table: str, column: int, value: Any) -> Any:
    if table == "blobs":
        if column == 0:
            return blob_id(value)
        if isinstance(value, dict) and "tree" in value:
            return b"".join(b"\x0a\x20" + bytes.fromhex(blob_id(name)) for name in value["tree"])
        return json.dumps(value, separators=(",", ":")).encode()
    if table == "meta" and isinstance(value, dict):
        named = {**value, "latestRootBlobId": blob_id(value.get("latestRootBlobId", ""))}
        return json.dumps(named).encode().hex()
    if isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"))
    return value


def extracts(
    path: Path, kept: dict[str, tuple[int, int, int]] | None = None
) -> list[tuple[Extract, bytes | None]]:
    """The extracts of a database, with their bytes."""
    found = []
    for extract in CONNECTOR.extract_changes(str(path), kept or {}):
        assert isinstance(extract, Extract), extract
        data = extract.data
        if data is not None and not isinstance(data, bytes):
            data = b"".join(data)
        found.append((extract, data))
    return found


def files_of(home: Path) -> Iterator[FoundFile]:
    """All files of a home; the extracts of databases are written beside them."""
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
                    path=str(path),
                    name=name,
                    role=extract.role,
                    size=len(data or b""),
                    mtime_ns=0,
                    inode=0,
                    session_id=extract.session_id,
                    rank=extract.rank,
                )


def assembled(home: Path) -> Assembly:
    """Everything the files of a home say."""
    assembly = Assembly()
    for file in files_of(home):
        assembly.read(CONNECTOR, file)
    return assembly
