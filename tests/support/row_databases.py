"""Databases of agents, made of the rows of the cases: files named `<database>#rows-<name>.jsonl`.

What is extracted from such a database has to be these files again, byte for byte.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import ROWS_MARK, Extract
from agent_journal.connectors.row_lines import Stamp
from agent_journal.sync.extracts import extracts_of

Row = dict[str, Any]


def rows_in(folder: Path) -> dict[str, list[Row]]:
    """The rows in the files of a folder, by table; parts are rows of their own."""
    tables: dict[str, list[Row]] = {}
    for path in sorted(folder.glob(f"*{ROWS_MARK}*.jsonl")):
        owner = ""
        for line in path.read_text().splitlines():
            row = json.loads(line)
            table = row.pop("table")
            owner = row["id"] if table in ("session", "sessions") else owner
            for part in row.pop("parts", []) if table == "message" else []:
                part.pop("table")
                key = {"message_id": row["id"], "session_id": owner}
                tables.setdefault("part", []).append(part | key)
            if table not in ("session", "sessions"):
                row = {"session_id": owner} | row
            tables.setdefault(table, []).append(row)
    return tables


def write_rows(path: Path, tables: dict[str, list[Row]], without: Iterable[str] = ()) -> None:
    """Write rows into the tables of a database, which are made if they are not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        for table, rows in tables.items():
            columns = list(dict.fromkeys(name for row in rows for name in row))
            columns = [name for name in columns if name not in without]
            db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns)})")
            cursor = db.execute(f"SELECT * FROM {table} LIMIT 0")
            known = [column[0] for column in cursor.description]
            for name in columns:
                if name not in known:
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {name}")
            for row in rows:
                names = [name for name in columns if name in row]
                marks = ", ".join("?" * len(names))
                db.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",
                    [_value(row[name]) for name in names],
                )


def _value(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return value


def extracted(
    agent: str, path: Path, kept: dict[str, Stamp] | None = None
) -> dict[str, bytes | None]:
    """The bytes of the extracts of a database by name; None for those that are unchanged."""
    found: dict[str, bytes | None] = {}
    for extract in extracts_of(get_connector(agent), str(path), kept or {}):
        assert isinstance(extract, Extract), extract
        data = extract.data
        if data is not None and not isinstance(data, bytes):
            data = b"".join(data)
        found[extract.name] = data
    return found


def stamps_of(agent: str, path: Path) -> dict[str, Stamp]:
    """The stamps of the extracts of a database."""
    extracts = extracts_of(get_connector(agent), str(path), {})
    return {
        extract.name: extract.stamp
        for extract in extracts
        if isinstance(extract, Extract) and extract.stamp
    }


def written_rows(folder: Path, database: str) -> dict[str, bytes]:
    """The rows files of a database in a folder, by the name of the extract."""
    start = f"{database}{ROWS_MARK}"
    return {
        path.name.removeprefix(start): path.read_bytes() for path in folder.glob(f"{start}*.jsonl")
    }
