"""DuckDB over the journal: only its tables, no writing, no other files, within limits."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from agent_journal.errors import JournalDamaged, JournalError, UsageError
from agent_journal.sql.catalog import Prices
from agent_journal.sql.folders import READERS, check_calls, folders_in, plain_calls, read_folder
from agent_journal.sql.making import Maker, quoted, string, strings, tables
from agent_journal.sql.memory import bounded, default_memory, size_of
from agent_journal.sql.mistakes import QueryError, explained, refused, timed_out
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.condemned import condemn
from agent_journal.store.mirror.mirror import private
from agent_journal.store.mirror.parts import damaged_files, read_manifest

if TYPE_CHECKING:
    import duckdb

_WORD = re.compile(r"[a-z_]+")
_ALL = {"show", "describe", "summarize", "information_schema", "pragma"}
_AWARE = "WITH TIME ZONE"
_TRIES = 5
_STEP = 2_000  # rows at a time
_SHARE = 4  # collected rows may take this fraction of the memory, for they also become text
_ROW = 100  # bytes that a row takes besides its texts
_SCRATCH = "aj-sql-"
_MOST_SPILLED = "8GB"  # temporary files may be in memory, too
# Errors that have nothing to do with what is in the files
_OF_THE_QUERY = {
    "BinderException",
    "CatalogException",
    "InterruptException",
    "ParserException",
    "PermissionException",
}
_EXPLAIN = re.compile(r"\s*explain\s+(analyze\s+)?(\([^()]*\)\s*)?", re.I)
T = TypeVar("T")


class Limits(NamedTuple):
    """What a query may use. `writes` is the one file that may be written.

    With `of_process`, the whole process is kept within the memory while a query runs.
    """

    seconds: float = 60.0
    memory: str = default_memory()
    may_read_files: bool = False
    writes: str | None = None
    of_process: bool = False


Row = tuple[Any, ...]
Take = Callable[[list[str], list[Row]], None]  # takes the columns and some rows


class Result(NamedTuple):
    """Columns with their types, and rows; with `has_more`, there are more rows."""

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
        self._scratch = temporary_folder()
        self._folder = folder
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect()
        self._maker = Maker(self.connection, folder, db, self._scratch.name, prices=prices)
        self._folders: dict[str, Maker] = {}
        self._configure(zone)

    def _configure(self, zone: str | None) -> None:
        # Where a large sort goes that does not fit into memory
        settings = {
            "memory_limit": string(self._limits.memory),
            "temp_directory": string(os.path.join(self._scratch.name, "spilled")),
            "max_temp_directory_size": string(_MOST_SPILLED),
        }
        if zone:
            settings["TimeZone"] = string(zone)
        if not self._limits.may_read_files:
            folders = [os.path.join(self._folder, ""), os.path.join(self._scratch.name, "")]
            files = []
            if self._limits.writes:
                files = _with_temporary(self._limits.writes)
            settings |= {
                "allowed_directories": strings(folders),
                "allowed_paths": strings(files),
                "enable_external_access": "false",
                "lock_configuration": "true",
            }
        for name, value in settings.items():
            try:
                self.connection.execute(f"SET {name} = {value}")
            except Exception as error:
                if name == "memory_limit":
                    memory = self._limits.memory
                    message = f"invalid --memory {memory!r}; use a size such as 2GB"
                    raise UsageError(message) from error
                raise JournalError(f"{value}: {str(error).splitlines()[0]}") from error

    def close(self) -> None:
        """Close the connection and remove temporary files."""
        self.connection.close()
        self._scratch.cleanup()

    def make_all(self) -> None:
        """Make every table and the functions of the extension."""
        self._maker.make(tables())
        self._define(list(READERS))

    def refresh(self, db: Connection | None) -> None:
        """Continue with the current contents of the journal."""
        self._maker.db = db
        if self._maker.has_moved_on():
            self._maker.refresh()

    def ask(self, query: str, limit: int | None = None) -> Result:
        """The rows of a query, at most `limit` of them; QueryError when they are too large."""
        collected = _Collected(size_of(self._limits.memory) // _SHARE)
        if limit is None:
            result = self.stream(query, collected.add)
            return result._replace(rows=collected.rows)
        result = self.stream(query, collected.add, limit + 1)
        has_more = len(collected.rows) > limit
        return result._replace(rows=collected.rows[:limit], has_more=has_more)

    def stream(self, query: str, take: Take, limit: int | None = None) -> Result:
        """Pass the columns and rows of a query to `take`, some at a time."""
        has_begun = False

        def take_rows(columns: list[str], rows: list[Row]) -> None:
            nonlocal has_begun
            has_begun = True
            take(columns, rows)

        return self._guarded(
            query,
            lambda: self._stream_once(query, take_rows, limit),
            may_repeat=lambda: not has_begun,
        )

    def _stream_once(self, query: str, take: Take, limit: int | None) -> Result:
        relation = self._relation(query)
        types = [str(kind) for kind in relation.types]
        relation = _as_text(relation)
        if limit is not None:
            relation = relation.limit(limit)
        end = time.monotonic() + self._limits.seconds
        # Not the relation's own execute(), which would not return the rows in steps
        answer = self.connection.execute(relation.sql_query())
        rows = answer.fetchmany(_STEP)
        take(relation.columns, rows)
        while rows:
            if time.monotonic() > end:
                raise timed_out(self._limits.seconds)
            rows = answer.fetchmany(_STEP)
            if rows:
                take(relation.columns, rows)
        return Result(relation.columns, types, [])

    def save(self, query: str) -> int:
        """Write the rows of a query to `limits.writes` as Parquet, and return how many."""
        path = self._limits.writes
        assert path is not None
        return self._guarded(query, lambda: self._save_once(query, path))

    def _save_once(self, query: str, path: str) -> int:
        relation = self._relation(query)
        with private():
            relation.write_parquet(path, compression="zstd")
        count = f"SELECT count(*) FROM read_parquet({string(path)})"
        [(rows,)] = self.connection.execute(count).fetchall()
        return int(rows)

    def _guarded(
        self, query: str, work: Callable[[], T], may_repeat: Callable[[], bool] = lambda: True
    ) -> T:
        """Run work within the time limit, and explain its errors."""
        timer = threading.Timer(self._limits.seconds, self.connection.interrupt)
        timer.daemon = True
        timer.start()
        bound: AbstractContextManager[None] = contextlib.nullcontext()
        if self._limits.of_process:
            bound = bounded(size_of(self._limits.memory))
        try:
            with bound:
                return self._repeated(work, may_repeat)
        except (JournalError, OSError):  # a full disk is no mistake in the query
            raise
        except KeyboardInterrupt:
            self.connection.interrupt()
            raise
        except Exception as error:
            self._check_files(error)
            raise explained(
                error,
                query,
                seconds=self._limits.seconds,
                folder=self._folder,
                may_read_files=self._limits.may_read_files,
            ) from error
        finally:
            timer.cancel()

    def _check_files(self, error: Exception) -> None:
        """Raise JournalDamaged if an error is due to damaged files, which only DuckDB's text says.

        The next query rebuilds them.
        """
        if type(error).__name__ in _OF_THE_QUERY:
            return
        manifest = read_manifest(self._folder)
        damaged = manifest and next(damaged_files(self._folder, manifest), None)
        if damaged:
            condemn(self._folder)
            message = f"a file of the tables is damaged: {damaged}"
            raise JournalDamaged(message, "the next query rebuilds it") from error

    def _repeated(self, work: Callable[[], T], may_repeat: Callable[[], bool]) -> T:
        """Run work again when a sync has replaced the files that it reads."""
        for _ in range(_TRIES):
            try:
                return work()
            except Exception as error:
                is_io_error = type(error).__name__ == "IOException"
                if not is_io_error or not self._maker.has_moved_on() or not may_repeat():
                    raise
                self._maker.refresh()
        return work()

    def _relation(self, query: str) -> duckdb.DuckDBPyRelation:
        """Check a query, and make the tables that it reads."""
        import duckdb

        query = plain_calls(query)
        statements = duckdb.extract_statements(query)
        if not statements:
            raise QueryError("there is no query", "give one SELECT at a time")
        if len(statements) > 1:
            raise QueryError("there are several queries", "give one SELECT at a time")
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
            raise QueryError("the query returns no rows", "use SELECT")
        return relation

    def _prepare(self, query: str) -> None:
        words = set(_WORD.findall(query.lower()))
        check_calls(query)
        readers = words & READERS.keys()
        named = (words & tables().keys()) | {READERS[name] for name in readers}
        if words & _ALL or not named or "duckdb_" in query:
            named = set(tables())
        self._maker.make(sorted(named))
        if readers:
            self._read_folders(query)
            self._define(sorted(readers))

    def _read_folders(self, query: str) -> None:
        for path in folders_in(query):
            if path not in self._folders:
                prefix = f"folder{len(self._folders)}_"
                folder = read_folder(path, self._scratch.name)
                self._folders[path] = Maker(
                    self.connection, folder.mirror, folder.db, self._scratch.name, prefix
                )

    def _define(self, readers: list[str]) -> None:
        """Define the functions of the extension; without `path`, they read the journal."""
        for name in readers:
            view = READERS[name]
            parts = [f"SELECT * FROM main.{view} WHERE path IS NULL"]
            for path, maker in self._folders.items():
                maker.make([view])
                parts.append(f"SELECT * FROM {maker.prefix}main.{view} WHERE path = {string(path)}")
            self.connection.execute(
                f"CREATE OR REPLACE MACRO {name}(path := NULL, source := NULL) AS TABLE "
                f"SELECT * FROM ({' UNION ALL '.join(parts)}) AS r "
                "WHERE source IS NULL OR r.source = source OR r.agent = source"
            )


class _Collected:
    """Rows that are kept in memory, up to a number of bytes."""

    def __init__(self, room: int) -> None:
        self.rows: list[Row] = []
        self._room = room

    def add(self, columns: list[str], rows: list[Row]) -> None:
        self._room -= sum(map(_row_size, rows))
        if self._room < 0:
            hint = "--parquet FILE or --csv takes all of them"
            raise QueryError("the rows exceed the memory limit", hint)
        self.rows.extend(rows)


def _row_size(row: Row) -> int:
    return _ROW + sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))


def _check_explained(query: str) -> None:
    """Refuse to explain what is not a query: EXPLAIN ANALYZE runs it."""
    import duckdb

    kinds = []
    explain = _EXPLAIN.match(query)
    if explain:
        statements = duckdb.extract_statements(query[explain.end() :])
        kinds = [statement.type.name for statement in statements]
    if kinds != ["SELECT"]:
        hint = "begin with EXPLAIN SELECT or EXPLAIN ANALYZE SELECT"
        raise QueryError("only a SELECT can be explained", hint)


def _as_text(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Times with a zone as text: as values, DuckDB needs another library to return them."""
    types = [str(kind) for kind in relation.types]
    if not any(_AWARE in kind for kind in types):
        return relation
    cells = []
    for number, (name, kind) in enumerate(zip(relation.columns, types, strict=True), 1):
        cell = f"#{number}"
        if _AWARE in kind:
            cell += "::VARCHAR"
        cells.append(f"{cell} AS {quoted(name)}")
    return relation.project(", ".join(cells))


def _with_temporary(path: str) -> list[str]:
    """A file to write, and the temporary file that DuckDB writes first."""
    folder, name = os.path.split(path)
    return [path, os.path.join(folder, f"tmp_{name}")]


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed at the end of this process, or later if it is killed."""
    return tempfile.TemporaryDirectory(prefix=f"{_SCRATCH}{os.getpid()}-")


def sweep_scratch() -> None:
    """Remove what killed processes have left behind."""
    import shutil

    if not os.path.isdir("/proc/self"):
        return  # on other systems it is not easy to see whether a process is alive
    for entry in os.scandir(tempfile.gettempdir()):
        pid = entry.name.removeprefix(_SCRATCH).partition("-")[0]
        is_ours = entry.name.startswith(_SCRATCH) and pid.isdigit()
        if is_ours and not os.path.exists(f"/proc/{pid}"):
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.getuid():
                    shutil.rmtree(entry.path)
