"""Makes the tables of one journal in DuckDB, when a query names them: each costs opening its files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.sql.catalog import TABLES as CATALOGUED
from agent_journal.sql.catalog import Prices, rows_of
from agent_journal.sql.views import COLUMNS, VIEWS
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.mirror.parts import Manifest, part_path, read_manifest, write_file
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
_OWN = ("sessions", "messages", "tool_calls", "usage", "file_edits", "attachments", "events")
_BASE = re.compile(r"\b(mirror|catalog)\.([a-z_]+)")


class Field(NamedTuple):
    """A column as it is documented."""

    name: str
    type: str
    meaning: str


def tables() -> dict[str, tuple[Field, ...]]:
    """Every table and its columns."""
    found = {name: tuple(Field(*column) for column in columns) for name, columns in COLUMNS.items()}
    for name in _OWN:
        found[name] = tuple(
            Field(one.name, _DUCK_TYPES[one.kind], one.meaning) for one in MIRRORED[name]
        )
    for name in ("costs", "sources", "ledger", "problems"):
        found[name] = tuple(
            Field(one.name, _DUCK_TYPES[one.kind], one.meaning) for one in CATALOGUED[name]
        )
    return found


class Maker:
    """The tables of the journal whose mirror lies in `folder`; `prefix` keeps several journals
    apart.
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
        for schema in (
            f"{prefix}mirror",
            f"{prefix}catalog",
            *([f"{prefix}main"] if prefix else []),
        ):
            connection.execute(f"CREATE SCHEMA {schema}")

    def make(self, names: Iterable[str]) -> None:
        """Makes tables that are not there yet."""
        for name in names:
            if name in VIEWS:
                for schema, base in sorted(set(_BASE.findall(VIEWS[name]))):
                    self._view(f"{schema}.{base}", self._base(schema, base))
                self._view(f"main.{name}", _BASE.sub(rf"{self.prefix}\1.\2", VIEWS[name]))
            else:
                schema = "catalog" if name in CATALOGUED else "mirror"
                self._view(f"{schema}.{name}", self._base(schema, name))
                self._view(f"main.{name}", f"SELECT * FROM {self.prefix}{schema}.{name}")

    def has_moved_on(self) -> bool:
        """Whether a sync has changed the mirror since the tables were made."""
        return self._manifest != (read_manifest(self._folder) or Manifest())

    def refresh(self) -> None:
        """Makes the tables that are there anew."""
        self._manifest = read_manifest(self._folder) or Manifest()
        names = [name.removeprefix("main.") for name in self._made if name.startswith("main.")]
        self._made.clear()
        self.make(names)

    def _view(self, name: str, query: str) -> None:
        if name not in self._made:
            self.connection.execute(f"CREATE OR REPLACE VIEW {self.prefix}{name} AS {query}")
            self._made.add(name)

    def _base(self, schema: str, table: str) -> str:
        if f"{schema}.{table}" in self._made:
            return ""
        return self._catalogued(table) if schema == "catalog" else self._mirrored(table)

    def _mirrored(self, table: str) -> str:
        clean, dirty = self._manifest.files(self._folder, table)
        parts = [f"SELECT * FROM read_parquet({strings(clean)})"] if clean else []
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
        from agent_journal.store.mirror.parquet import encoded

        path = os.path.join(self._scratch, f"{self.prefix}{table}.parquet")
        write_file(path, encoded(CATALOGUED[table], rows_of(self.db, table, self._prices)))
        return f"SELECT * FROM read_parquet({string(path)})"


def string(text: str) -> str:
    """Text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def strings(texts: Iterable[str]) -> str:
    """A list of texts as SQL writes it."""
    return f"[{', '.join(map(string, texts))}]"


def quoted(name: str) -> str:
    """The name of a column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
