"""Makes the tables of one journal in DuckDB, only those that a query names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.sql.catalog import TABLES as CATALOGUED
from agent_journal.sql.catalog import Prices, rows_of
from agent_journal.sql.line_views import LINE_COLUMNS, LINE_VIEWS
from agent_journal.sql.views import COLUMNS, VIEWS
from agent_journal.store.atomic import write_private
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.mirror.parquet import Column, encoded
from agent_journal.store.mirror.parts import Manifest, part_path, read_manifest
from agent_journal.store.mirror.tables import TABLES as MIRRORED

if TYPE_CHECKING:
    import duckdb

_DUCK_TYPES = {
    "text": "VARCHAR",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "time": "TIMESTAMP WITH TIME ZONE",
}
_FROM_MIRROR = (
    "sessions",
    "messages",
    "tool_calls",
    "usage",
    "file_edits",
    "attachments",
    "events",
)
_FROM_CATALOG = ("costs", "marks", "sources", "ledger", "problems")
_BASE = re.compile(r"\b(mirror|catalog)\.([a-z_]+)")


class Field(NamedTuple):
    """A column with its documentation."""

    name: str
    type: str
    meaning: str


def tables() -> dict[str, tuple[Field, ...]]:
    """Every table and its columns."""
    views = {**COLUMNS, **LINE_COLUMNS}
    found = {name: tuple(Field(*column) for column in columns) for name, columns in views.items()}
    found |= {name: _fields(MIRRORED[name]) for name in _FROM_MIRROR}
    found |= {name: _fields(CATALOGUED[name]) for name in _FROM_CATALOG}
    return found


def _fields(columns: Iterable[Column]) -> tuple[Field, ...]:
    return tuple(Field(column.name, _DUCK_TYPES[column.kind], column.meaning) for column in columns)


class Maker:
    """Makes the tables of the journal whose mirror is in `folder`.

    `prefix` separates several journals.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        folder: str,
        db: Connection | None,
        scratch: str,
        prefix: str = "",
        prices: Prices | None = None,
    ) -> None:
        self.connection = connection
        self.prefix = prefix
        self._folder = folder
        self.db = db
        self._scratch = scratch
        self._prices = prices
        self._made: set[str] = set()
        self._manifest = read_manifest(folder) or Manifest()
        schemas = ["mirror", "catalog"]
        if prefix:
            schemas.append("main")
        for schema in schemas:
            connection.execute(f"CREATE SCHEMA {prefix}{schema}")

    def make(self, names: Iterable[str]) -> None:
        """Make the tables that do not exist yet."""
        for name in names:
            query = _query_of(name)
            for schema, base in sorted(set(_BASE.findall(query))):
                self._make_base(schema, base)
            self._make_view(f"main.{name}", _BASE.sub(rf"{self.prefix}\1.\2", query))

    def has_moved_on(self) -> bool:
        """Whether a sync has changed the mirror since the tables were made."""
        return self._manifest != (read_manifest(self._folder) or Manifest())

    def refresh(self) -> None:
        """Make the existing tables again, from the current files."""
        self._manifest = read_manifest(self._folder) or Manifest()
        names = [name.removeprefix("main.") for name in self._made if name.startswith("main.")]
        self._made.clear()
        self.make(names)

    def _make_base(self, schema: str, table: str) -> None:
        name = f"{schema}.{table}"
        if name in self._made:
            return
        if schema == "catalog":
            self._make_view(name, self._catalogued(table))
        else:
            self._make_view(name, self._mirrored(table))

    def _make_view(self, name: str, query: str) -> None:
        if name not in self._made:
            self.connection.execute(f"CREATE OR REPLACE VIEW {self.prefix}{name} AS {query}")
            self._made.add(name)

    def _mirrored(self, table: str) -> str:
        clean, dirty = self._manifest.files(self._folder, table)
        parts = []
        if clean:
            parts.append(f"SELECT * FROM read_parquet({strings(clean)})")
        if dirty:
            gone = part_path(self._folder, "gone", self._manifest.gone_number)
            without = f"WHERE id NOT IN (SELECT id FROM read_parquet({string(gone)}))"
            parts.append(f"SELECT * FROM read_parquet({strings(dirty)}) {without}")
        if parts:
            return " UNION ALL ".join(parts)
        cells = [
            f'NULL::{_DUCK_TYPES[column.kind]} AS "{column.name}"' for column in MIRRORED[table]
        ]
        return f"SELECT {', '.join(cells)} WHERE false"

    def _catalogued(self, table: str) -> str:
        path = os.path.join(self._scratch, f"{self.prefix}{table}.parquet")
        data = encoded(CATALOGUED[table], rows_of(self.db, table, self._prices))
        write_private(path, [data])
        return f"SELECT * FROM read_parquet({string(path)})"


def _query_of(name: str) -> str:
    """The query of a table, which names the tables of the mirror and the catalog it reads."""
    if name in VIEWS:
        return VIEWS[name]
    if name in LINE_VIEWS:
        return LINE_VIEWS[name]
    if name in CATALOGUED:
        return f"SELECT * FROM catalog.{name}"
    return f"SELECT * FROM mirror.{name}"


def string(text: str) -> str:
    """A string literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def strings(texts: Iterable[str]) -> str:
    """A list of string literals in SQL."""
    return f"[{', '.join(map(string, texts))}]"


def quoted(name: str) -> str:
    """A quoted identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'
