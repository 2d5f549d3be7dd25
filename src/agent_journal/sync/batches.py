"""Transactions of a limited size: what was read is committed every few seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection, begin, commit, rollback
from agent_journal.store.catalog.gone_rows import watch_removals
from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.packs import save_lengths
from agent_journal.store.catalog.session_rows import update_sessions

BATCH_BYTES = 64 * 2**20
NOTICED_BYTES = 24 * 2**20  # where somebody waits for what is committed
BATCH_SECONDS = 10.0


class Batches:
    """The transactions of one run, one after the other."""

    def __init__(
        self,
        db: Connection,
        archive: Archive,
        notice_commit: Callable[[], None] | None = None,
    ) -> None:
        self._db = db
        self._archive = archive
        self._notice_commit = notice_commit
        self._most_bytes = BATCH_BYTES
        if notice_commit is not None:
            self._most_bytes = NOTICED_BYTES
        self.done_bytes = 0
        # Of the current transaction
        self.touched: set[int] = set()  # sessions that rows were written or removed of
        self.freed_keys: set[str] = set()  # keys of usage that was removed
        self._started = 0.0
        self._first_byte = 0
        self._first_item = 0

    def begin(self) -> None:
        """Start a transaction."""
        watch_removals(self._db)
        begin(self._db)
        self._started = time.monotonic()
        self._first_byte = self.done_bytes
        self._first_item = last_item(self._db) + 1
        self.touched = set()
        self.freed_keys = set()

    def commit(self) -> None:
        """Commit what was read, after what follows from it."""
        update_sessions(self._db, self.touched, self._first_item, self.freed_keys)
        lengths = self._archive.flush()  # durable before the rows that point into it
        save_lengths(self._db, lengths)
        commit(self._db)
        if self._notice_commit is not None:
            self._notice_commit()

    def next(self) -> None:
        """Commit this transaction and start another."""
        self.commit()
        self.begin()

    def rollback(self) -> None:
        """Undo what was not committed."""
        rollback(self._db)

    def is_full(self, in_file: int = 0) -> bool:
        """Whether it is time to commit; `in_file` bytes of the current file have been read."""
        read = self.done_bytes - self._first_byte + in_file
        return read > self._most_bytes or time.monotonic() - self._started > BATCH_SECONDS
