"""DuckDB over the journal: its tables and nothing else, no writing, no other files, within limits."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from agent_journal.errors import JournalError
from agent_journal.sql.catalog import Prices
from agent_journal.sql.folders import READERS, check_calls, folders_in, plain_calls, read_folder
from agent_journal.sql.making import Maker, quoted, string, strings, tables
from agent_journal.sql.mistakes import QueryError, broken_off, explained, refused
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.mirror.mirror import private

if TYPE_CHECKING:
    import duckdb

_WORD = re.compile(r"[a-z_]+")
_ALL = {"show", "describe", "summarize", "information_schema", "pragma"}
_AWARE = "WITH TIME ZONE"
_TRIES = 5
_STEP = 2_000  # rows at a time
_SHARE = 4  # rows that are gathered may take this part of the memory, as they become text as well
_ROW = 100  # bytes that a row takes beside its texts
_SCRATCH = "aj-sql-"
_EXPLAIN = re.compile(r"\s*explain\s+(analyze\s+)?(\([^()]*\)\s*)?", re.I)
_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
T = TypeVar("T")


class Limits(NamedTuple):
    """What a query may take. `writes` is the one file that may be written."""

    seconds: float = 60.0
    memory: str = "2GB"
    may_read_files: bool = False
    writes: str | None = None


Row = tuple[Any, ...]


class Result(NamedTuple):
    """Columns with their types, and rows; `has_more`: not all rows are here."""

    columns: list[str]
    types: list[str]
    rows: list[Row]
    has_more: bool = False


class Database:
    """The tables of a journal in DuckDB. Nothing is written anywhere but to `limits.writes`."""

    def __init__(
        self,
        folder: str,
        db: Connection | None,
        limits: Limits | None = None,
        zone: str | None = None,
        prices: Prices | None = None,
    ) -> None:
        import duckdb

        self._limits = limits or Limits()
        sweep_scratch()
        self._scratch = tempfile.TemporaryDirectory(prefix=f"{_SCRATCH}{os.getpid()}-")
        self._folder = folder
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect()
        self._maker = Maker(self.connection, folder, db, self._scratch.name, prices=prices)
        self._folders: dict[str, Maker] = {}
        self._configure(zone)

    def _configure(self, zone: str | None) -> None:
        settings = {"memory_limit": string(self._limits.memory)} | (
            {"TimeZone": string(zone)} if zone else {}
        )
        if not self._limits.may_read_files:
            places = [os.path.join(place, "") for place in (self._folder, self._scratch.name)]
            written = _with_temporary(self._limits.writes) if self._limits.writes else []
            settings |= {
                "temp_directory": "''",
                "allowed_directories": strings(places),
                "allowed_paths": strings(written),
                "enable_external_access": "false",
                "lock_configuration": "true",
            }
        for name, value in settings.items():
            try:
                self.connection.execute(f"SET {name} = {value}")
            except Exception as error:
                raise JournalError(f"{value}: {str(error).splitlines()[0]}") from error

    def close(self) -> None:
        """Gives everything back."""
        self.connection.close()
        self._scratch.cleanup()

    def make_all(self) -> None:
        """Makes every table and the functions of the extension."""
        self._maker.make(tables())
        self._define(list(READERS))

    def refresh(self, db: Connection | None) -> None:
        """Goes on to what the journal holds now."""
        self._maker.db = db
        if self._maker.has_moved_on():
            self._maker.refresh()

    def ask(self, query: str, limit: int | None = None) -> Result:
        """The rows of a query, the first `limit` of them; those of a limited size."""
        rows: list[Row] = []
        room = size_of(self._limits.memory) // _SHARE

        def gather(_: list[str], more: list[Row]) -> None:
            nonlocal room
            room -= sum(
                _ROW + sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
                for row in more
            )
            if room < 0:
                raise QueryError(
                    "the rows need more memory than they may have",
                    "--parquet FILE or --csv takes all",
                )
            rows.extend(more)

        result = self.stream(query, gather, None if limit is None else limit + 1)
        return result._replace(rows=rows[:limit], has_more=limit is not None and len(rows) > limit)

    def stream(
        self, query: str, take: Callable[[list[str], list[Row]], None], limit: int | None = None
    ) -> Result:
        """Hands the columns and rows of a query on, some at a time, so that any number of them
        fits.
        """
        has_begun = False

        def hand_on() -> Result:
            nonlocal has_begun
            relation = self._relation(query)
            types = [str(kind) for kind in relation.types]
            relation = _as_text(relation)
            if limit is not None:
                relation = relation.limit(limit)
            end = time.monotonic() + self._limits.seconds
            answer = self.connection.execute(
                relation.sql_query()
            )  # unlike the relation's own, in steps
            while rows := answer.fetchmany(_STEP):
                has_begun = True
                take(relation.columns, rows)
                if time.monotonic() > end:
                    raise broken_off(self._limits.seconds)
            if not has_begun:
                take(relation.columns, [])
            return Result(relation.columns, types, [])

        return self._guarded(query, hand_on, lambda: not has_begun)

    def save(self, query: str) -> int:
        """Writes the rows of a query to the one file that may be written, as Parquet; how many."""
        path = self._limits.writes
        assert path is not None

        def write() -> int:
            relation = self._relation(query)
            with private():
                relation.write_parquet(path, compression="zstd")
            counted: int = self.connection.execute(
                f"SELECT count(*) FROM read_parquet({string(path)})"
            ).fetchall()[0][0]
            return counted

        return self._guarded(query, write)

    def _guarded(
        self, query: str, work: Callable[[], T], may_repeat: Callable[[], bool] = lambda: True
    ) -> T:
        timer = threading.Timer(self._limits.seconds, self.connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            for _ in range(_TRIES):
                try:
                    return work()
                except Exception as error:
                    if (
                        type(error).__name__ != "IOException"
                        or not self._maker.has_moved_on()
                        or not may_repeat()
                    ):
                        raise
                    # A sync has put other files in the place of those that were named
                    self._maker.refresh()
            return work()
        except JournalError:
            raise
        except KeyboardInterrupt:
            self.connection.interrupt()
            raise
        except Exception as error:
            raise explained(error, query, self._limits.seconds, self._folder) from error
        finally:
            timer.cancel()

    def _relation(self, query: str) -> duckdb.DuckDBPyRelation:
        """A query that may be asked, with its tables made."""
        import duckdb

        query = plain_calls(query)
        statements = duckdb.extract_statements(query)
        if len(statements) != 1:
            raise QueryError(
                "there is no query" if not statements else "there are several queries",
                "give one SELECT at a time",
            )
        kind = statements[0].type.name
        if kind not in ("SELECT", "EXPLAIN"):
            raise refused(kind)
        self._prepare(query)
        if kind == "EXPLAIN":
            _check_explained(query)
            rows = self.connection.execute(query).fetchall()
            lines = "\n".join(str(row[-1]) for row in rows)
            return self.connection.sql(f"SELECT {string(lines)} AS plan")
        relation = self.connection.sql(query)
        if relation is None:
            raise QueryError("the query gives no rows", "ask with SELECT")
        return relation

    def _prepare(self, query: str) -> None:
        words = set(_WORD.findall(query.lower()))
        check_calls(query)
        readers = words & READERS.keys()
        named = (words & tables().keys()) | {READERS[name] for name in readers}
        self._maker.make(
            tables() if words & _ALL or not named or "duckdb_" in query else sorted(named)
        )
        for path in folders_in(query) if readers else ():
            if path not in self._folders:
                prefix = f"folder{len(self._folders)}_"
                folder = read_folder(path, self._scratch.name)
                self._folders[path] = Maker(
                    self.connection, folder.mirror, folder.db, self._scratch.name, prefix
                )
        self._define(sorted(readers))

    def _define(self, readers: list[str]) -> None:
        """The functions of the extension: `path` reads a folder directly, without it the journal is
        asked.
        """
        for name in readers:
            view = READERS[name]
            parts = [f"SELECT * FROM main.{view} WHERE path IS NULL"]
            for path, maker in self._folders.items():
                maker.make([view])
                parts.append(f"SELECT * FROM {maker.prefix}main.{view} WHERE path = {string(path)}")
            self.connection.execute(
                f"CREATE OR REPLACE MACRO {name}(path := NULL, source := NULL) AS TABLE SELECT * FROM "
                f"({' UNION ALL '.join(parts)}) AS r WHERE source IS NULL OR r.source = source OR r.agent = source"
            )


def size_of(text: str) -> int:
    """The bytes that `2GB` or the like means; it is right, DuckDB has taken it."""
    told = re.match(r"\s*([\d.]+)\s*([kmgt]?)", text.lower())
    return int(float(told[1]) * _UNITS[told[2]]) if told else 2**31


def _check_explained(query: str) -> None:
    """Refuses to explain what is no question: EXPLAIN ANALYZE runs it."""
    import duckdb

    inner = _EXPLAIN.match(query)
    kinds = (
        [one.type.name for one in duckdb.extract_statements(query[inner.end() :])] if inner else []
    )
    if kinds != ["SELECT"]:
        raise QueryError(
            "only a SELECT can be explained", "begin with EXPLAIN SELECT or EXPLAIN ANALYZE SELECT"
        )


def _as_text(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Times with a zone as text: DuckDB hands them to Python only with a further library, and they
    are only printed.
    """
    types = [str(kind) for kind in relation.types]
    if not any(_AWARE in kind for kind in types):
        return relation
    cells = [
        f"#{place + 1}{'::VARCHAR' if _AWARE in kind else ''} AS {quoted(name)}"
        for place, (name, kind) in enumerate(zip(relation.columns, types, strict=True))
    ]
    return relation.project(", ".join(cells))


def _with_temporary(path: str) -> list[str]:
    """A file to write, and the one DuckDB writes first."""
    folder, name = os.path.split(path)
    return [path, os.path.join(folder, f"tmp_{name}")]


def sweep_scratch() -> None:
    """Removes what processes that were killed have left behind."""
    import shutil

    if not os.path.isdir("/proc/self"):
        return  # elsewhere nothing tells at once whether a process is alive
    for place in os.scandir(tempfile.gettempdir()):
        pid = place.name.removeprefix(_SCRATCH).partition("-")[0]
        if place.name.startswith(_SCRATCH) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            with contextlib.suppress(OSError):
                if place.stat(follow_symlinks=False).st_uid == os.getuid():
                    shutil.rmtree(place.path)
