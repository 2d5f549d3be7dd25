"""The journal as a library: open it, sync it, look at sessions.

with Journal.open() as journal:
    journal.sync()
    for session in journal.sessions(Query(agent="claude-code")): ...
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from agent_journal.config.loading import Config, load
from agent_journal.errors import (
    CannotWrite,
    ConfigError,
    JournalDamaged,
    JournalError,
    NoSuchSession,
)
from agent_journal.query.filters import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import (
    SessionRow,
    get_session,
    list_everything,
    list_sessions,
)
from agent_journal.store.catalog.replacing import rebuilding
from agent_journal.store.catalog.store import DB_NAME, open_reader, translated

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from duckdb import DuckDBPyConnection

    from agent_journal.connectors.base import Env
    from agent_journal.model import Session
    from agent_journal.search.lexical import Lexical
    from agent_journal.sql.database import Database, Limits
    from agent_journal.store.archive import Archive
    from agent_journal.store.quotes import Quotes
    from agent_journal.sync.indexes import Index
    from agent_journal.sync.report import Report
    from agent_journal.sync.temporary_index import TemporaryIndex
    from agent_journal.sync.work import Progress
    from agent_journal.usage.prices import Book

Result = TypeVar("Result")
_ROUND = 10.0  # seconds of a slow model before others may write
LOST_HINT = "'aj sync' rebuilds it from the archive"


def has_archive(config: Config) -> bool:
    """Whether anything has been kept."""
    with suppress(OSError):
        return any(name.endswith(".pack") for name in os.listdir(config.archive_path))
    return False


def no_journal(config: Config) -> JournalError:
    """The error for asking about sessions where there is no catalog."""
    if has_archive(config):
        return JournalDamaged(f"the index is missing: {config.index_path}", LOST_HINT)
    return NoSuchSession("there is no journal yet", "run 'aj sync' first")


class Journal:
    """The journal of one user.

    Reading sees the journal at one moment; `sync` and `refresh` move on to the present.
    """

    def __init__(self, config: Config, variables: Mapping[str, str]) -> None:
        self.config = config
        self._variables = variables
        self._db: Connection | None = None
        self._rebuilding = b""
        self._archive: Archive | None = None
        self._databases: list[Database] = []
        self._scratch: TemporaryDirectory[str] | None = None
        self._index: TemporaryIndex | None = None

    @classmethod
    def open(cls, home: str | os.PathLike[str] | None = None) -> Journal:
        """The journal in `home`, or where AJ_HOME and the settings say; it need not exist yet."""
        variables = dict(os.environ)
        if home is not None:
            variables["AJ_HOME"] = os.fspath(home)
        return cls(load(variables), variables)

    @cached_property
    def env(self) -> Env:
        """Where agents look for their folders."""
        from agent_journal.connectors.base import Env

        folder = ""
        with suppress(OSError):  # it was removed
            folder = os.getcwd()
        home = self._variables.get("HOME") or os.path.expanduser("~")
        return Env(home, self._variables, sys.platform, folder)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        for database in self._databases:
            database.close()
        if self._scratch is not None:
            self._scratch.cleanup()
        if self._index is not None:
            self._index.close()

    @property
    def exists(self) -> bool:
        """Whether there is a catalog to read; false before the first sync."""
        return self.find_db() is not None

    @property
    def db(self) -> Connection:
        """A read-only connection to the catalog; raises an error when there is no journal."""
        db = self.find_db()
        if db is None:
            raise no_journal(self.config)
        return db

    def find_db(self) -> Connection | None:
        """A read-only connection to the catalog; None while there is no journal."""
        if self.is_lost:
            raise no_journal(self.config)
        return self._db

    @property
    def is_lost(self) -> bool:
        """Whether there is an archive and no catalog; a sync rebuilds it."""
        if self._db is None:
            self._rebuilding = rebuilding(self.config.index_path)
            self._db = open_reader(self.config.index_path, self.config.marks_path)
        return self._db is None and has_archive(self.config)

    def with_indexes(self, work: Callable[[], Result]) -> Result:
        """Do work that reads the catalog and its indexes.

        It is repeated when a rebuilt catalog has come meanwhile: there, items have other ids.
        """
        while True:
            try:
                result = work()
            except (JournalError, ValueError):
                if not self._is_rebuilt():
                    raise
            else:
                if not self._is_rebuilt():
                    return result
            self.refresh()

    def _is_rebuilt(self) -> bool:
        return self._db is not None and self._rebuilding != rebuilding(self.config.index_path)

    @property
    def archive(self) -> Archive:
        """The archive, for reading."""
        if self._archive is None:
            from agent_journal.store.archive import Archive

            self._archive = Archive(self.config.archive_path)
        return self._archive

    def close(self) -> None:
        """Close the catalog and the archive; the next use opens them again."""
        if self._db is not None:
            self._db.close()
            self._db = None
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    refresh = close

    def sync(
        self,
        agents: Iterable[str] | None = None,
        *,
        files: Iterable[str | os.PathLike[str]] | None = None,
        full: bool = False,
        wait: float = 60.0,
        progress: Callable[[Progress], None] | None = None,
        waiting: Callable[[str], None] | None = None,
        index: bool = True,
        rebuild: bool = False,
        file_seconds: float | None = None,
        begins: Callable[[], None] | None = None,
        skip_unknown: bool = False,
    ) -> Report:
        """Read what is new in the agents' folders, and update the indexes.

        `rebuild` raises JournalDamaged when the catalog has what nothing else has any more;
        `sync.run.sync` explains the other options.
        """
        from agent_journal.sync.indexes import all_indexes
        from agent_journal.sync.run import FILE_SECONDS, sync

        if rebuild and self._needs_healing():
            from agent_journal.health.losses import refuse_losses

            self.sync(full=True, wait=wait, progress=progress, waiting=waiting, index=False)
            refuse_losses(self.db, self.archive, os.path.join(self.config.index_path, DB_NAME))
        self.close()
        self.remove_unfinished()
        find_indexes: Callable[[], list[Index]] = list
        if index:
            find_indexes = partial(all_indexes, self.config)
        return sync(
            self.config,
            self.env,
            agents=agents,
            files=files,
            full=full,
            wait=wait,
            progress=progress,
            waiting=waiting,
            find_indexes=find_indexes,
            rebuild=rebuild,
            file_seconds=FILE_SECONDS if file_seconds is None else file_seconds,
            begins=begins,
            skip_unknown=skip_unknown,
        )

    def _needs_healing(self) -> bool:
        """Whether the catalog can be read, and may know more than the archive."""
        from agent_journal.health.cures import is_whole

        try:
            return self.exists and not is_whole(self.db, self.archive)
        except JournalError:
            return False  # it cannot be read: rebuilding it is the cure

    def remove_unfinished(self) -> None:
        """Remove what a killed conversion has left in an agent's folder."""
        if os.path.isdir(os.path.join(self.config.home, "unfinished")):
            from agent_journal.convert.unfinished import remove_unfinished

            remove_unfinished(self.config.home)

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector that is missing, and return how many texts had none.

        After an interruption the next call continues.
        """
        from agent_journal.sync.indexes import catch_up_indexes, count_without_vector

        first = left = count_without_vector(self.config, self.db)
        while left:
            # In rounds: in between, a sync of another process has its turn.
            indexes = catch_up_indexes(self.config, seconds=_ROUND)
            self.refresh()
            before = left
            left = count_without_vector(self.config, self.db)
            if left >= before:
                troubles = [index.trouble for index in indexes if index.trouble]
                raise ConfigError("; ".join(troubles) or "no vector was made")
            if progress is not None:
                progress(first - left, first)
        return first

    def rows(self, query: Query | None = None) -> list[SessionRow]:
        """The sessions a query means, as rows of the catalog."""
        with self._reading():
            if not self.exists:
                return []
            query = query or Query()
            if query.include_all:
                found = list_everything(self.db, query)[query.offset :]
                return found[: query.limit]
            return list_sessions(self.db, query)

    def sessions(self, query: Query | None = None) -> list[Session]:
        """The sessions a query means, without their messages: people's first, newest first."""
        from agent_journal.store.catalog.loading import as_session

        return [as_session(row) for row in self.rows(query)]

    def row(self, text: str, without: Collection[int] = ()) -> SessionRow:
        """The row of a session by id, unique prefix, `agent:id` or `last`; none of `without`."""
        with self._reading():
            return get_session(self.db, text, without)

    def session(self, text: str) -> Session:
        """A session with everything in it, by id, unique prefix, `agent:id` or `last`."""
        from agent_journal.store.catalog.loading import load_session

        with self._reading():
            return load_session(self.db, self.row(text), self.quotes())

    def window(self, text: str, first: int, last: int) -> Session:
        """A session with only what is at positions from `first` to `last`; see `load_window`."""
        from agent_journal.store.catalog.windows import Span, load_window

        with self._reading():
            return load_window(self.db, self.row(text), self.quotes(), Span(first, last))

    def around(self, row: SessionRow, position: int, count: int, *, whole: bool) -> Session:
        """A session with the message at a position and at least `count` before and after it."""
        from agent_journal.store.catalog.windows import load_window, span_around

        with self._reading():
            span = span_around(self.db, row.row_id, position, count)
            return load_window(self.db, row, self.quotes(), span, whole=whole)

    def quotes(self) -> Quotes:
        """Read texts that the catalog keeps as places in kept files."""
        from agent_journal.store.catalog.files import Files
        from agent_journal.store.quotes import Quotes

        return Quotes(Files(self.db), self.archive)

    def catch_up_mirror(self, wait: float = 0.0) -> None:
        """Have the Parquet files catch up with the journal; the first time makes them."""
        from agent_journal.store.catalog.items import last_item
        from agent_journal.sync.indexes import catch_up_indexes, mirror

        if not self.exists:
            return
        made = mirror(self.config)
        if made.reached(self.db) != last_item(self.db):
            self.close()
            with translated(made.path):
                os.makedirs(made.path, mode=0o700, exist_ok=True)  # from now on it is wanted
            catch_up_indexes(self.config, wait)

    def prices(self) -> Book:
        """What tokens cost: as the settings say, or as genai-prices does."""
        from agent_journal.usage.prices import Book

        return Book(self.config.index_path, self.config.prices)

    def session_costs(self) -> dict[int, float]:
        """The dollars that each session cost, by its row; those whose cost is known."""
        from agent_journal.usage.report import session_costs

        return session_costs(self.find_db(), self.prices())

    def database(self, limits: Limits | None = None, timezone: str | None = None) -> Database:
        """The tables of docs/sql.md in DuckDB, to be queried within limits."""
        from agent_journal.sql.database import Database
        from agent_journal.sync.indexes import mirror

        made = mirror(self.config)
        folder = made.path
        if not made.is_there():
            try:
                self.catch_up_mirror(60.0)  # the first question
            except CannotWrite:
                folder = self._temporary_mirror()
        database = Database(folder, self.find_db(), limits, timezone, self.prices)
        self._databases.append(database)
        return database

    def temporary_index(self) -> Lexical:
        """A search index, for a journal that cannot be written; gone at the end."""
        from agent_journal.sync.temporary_index import TemporaryIndex

        if self._index is None:
            self._index = TemporaryIndex(self.config, self.db)
        return self._index.lexical

    def _temporary_mirror(self) -> str:
        """A folder with Parquet files, for a journal that cannot be written; gone at the end."""
        from agent_journal.sql.database import temporary_folder
        from agent_journal.sync.indexes import mirror

        if self._scratch is None:
            self._scratch = temporary_folder()
            mirror(self.config, self._scratch.name).catch_up(self.db, 0, [])
        return self._scratch.name

    def duckdb(self) -> DuckDBPyConnection:
        """A DuckDB connection with the tables of docs/sql.md, until the journal is closed."""
        from agent_journal.sql.database import Limits

        with suppress(CannotWrite):
            self.catch_up_mirror(60.0)
        database = self.database(Limits(may_read_files=True))
        database.make_all()
        return database.connection

    def arrow(self, table: str) -> Any:
        """A table of docs/sql.md as a pyarrow.Table; needs pyarrow."""
        from agent_journal.sql.arrow import need_pyarrow

        need_pyarrow()
        return self.duckdb().table(table).to_arrow_table()

    def _reading(self) -> AbstractContextManager[None]:
        return translated(os.path.join(self.config.index_path, "journal.db"))
