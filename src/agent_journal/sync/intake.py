"""Takes changed files into the journal: keeps their bytes, reads them, commits in batches."""

from __future__ import annotations

from collections.abc import Callable

from agent_journal.connectors.base import Connector
from agent_journal.errors import CatalogDamaged, JournalDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import ARCHIVE_DAMAGED
from agent_journal.store.catalog.listing import SessionKey
from agent_journal.store.catalog.pruned import STATUS as PRUNED
from agent_journal.store.content import KeptContent
from agent_journal.sync.batches import Batches
from agent_journal.sync.budget import Budget
from agent_journal.sync.copies import holds_many_sessions, only_session
from agent_journal.sync.databases import DatabaseIntake
from agent_journal.sync.earlier_versions import EarlierVersions
from agent_journal.sync.file_intake import FileIntake
from agent_journal.sync.progress import Meter
from agent_journal.sync.work import GONE, Work, is_compressed, is_slow, likely_size


class Intake:
    """One run over the files that changed."""

    def __init__(
        self,
        db: Connection,
        archive: Archive,
        full: bool,
        meter: Meter | None = None,
        budget: Budget | None = None,
        notice_commit: Callable[[], None] | None = None,
    ) -> None:
        self._archive = archive
        self._files = Files(db)
        self._batches = Batches(db, archive, notice_commit)
        self._meter = meter or Meter()
        self._budget = budget or Budget()
        self._intake = FileIntake(
            self._files, archive, self._batches, full, self._budget, self._meter
        )
        self._databases = DatabaseIntake(self._intake)
        self._earlier = EarlierVersions(self._files, archive, self._batches)

    @property
    def changed(self) -> int:
        """How many files were new or changed."""
        return len(self._intake.changed)

    @property
    def rewritten(self) -> list[int]:
        """The last version before it of each log that was not appended to but rewritten."""
        return self._intake.rewritten

    @property
    def in_rewritten(self) -> set[SessionKey]:
        """The sessions that rewritten logs had before."""
        return self._intake.in_rewritten

    @property
    def repaired(self) -> int:
        """How many parts of the archive were damaged or lost, and kept again."""
        return self._intake.repaired

    @property
    def compared(self) -> set[int]:
        """The files of which another one may be read instead."""
        return self._intake.reading.compared

    @property
    def done_bytes(self) -> int:
        """How many bytes were read."""
        return self._batches.done_bytes

    @property
    def unfinished(self) -> int:
        """How many files were not read to the end."""
        return len(self._intake.reading.unfinished)

    @property
    def unread_bytes(self) -> int:
        """How much of them is left for the next sync."""
        return self._intake.unread_bytes()

    def run(self, work: list[Work]) -> None:
        """Take all files; those that may take long come last, when the others are committed."""
        self._batches.begin()
        try:
            work = [item for item in work if not self._leave_out(item)]
            quick = [item for item in work if not is_slow(item)]
            slow = [item for item in work if is_slow(item)]
            for item in quick:
                self._take(item)
                if self._batches.is_full():
                    self._batches.next()
            self._take_slow(slow)
            self._read_dependents({item.connector.name: item.connector for item in work})
            self._batches.commit()
        except BaseException:
            self._batches.rollback()
            raise
        finally:
            self._archive.close()

    def _leave_out(self, item: Work) -> bool:
        """Read nothing of a file whose session was pruned; whether it is one."""
        found = item.found
        agent = item.connector.name
        session = only_session(item.connector, found.role, found.session_id)
        if not self._intake.reading.is_pruned(agent, found.path, session, found.name):
            return False
        row = self._files.find(agent, found.path)
        if row is not None:
            self._intake.reading.leave_out(row)
            if found.size != GONE:
                self._files.mark_current(row.id, (found.size, found.mtime_ns, found.inode))
        return True

    def _leave_out_read(self, connector: Connector, file_id: int) -> None:
        """Drop what was read from a file that turned out to be of a session that was pruned."""
        row = self._files.get(file_id)
        session = only_session(connector, row.role, row.session)
        if self._intake.reading.is_pruned(row.agent, row.path, session, row.name):
            self._intake.reading.leave_out(row)

    def _take_slow(self, items: list[Work]) -> None:
        """Take files that may take long, so that those which do come last."""
        self._budget.share(sum(map(likely_size, items)))
        compressed = [item for item in items if is_compressed(item)]
        unfinished = []
        with self._budget.at_a_glance(len(compressed)):
            for item in compressed:
                self._batches.next()
                row = self._take(item)
                if row.id in self._intake.reading.unfinished:
                    unfinished.append((row, item))
        large = [item for item in items if not is_compressed(item)]
        for item in sorted(large, key=lambda item: item.found.size):
            self._batches.next()
            self._take(item)
        for row, item in unfinished:
            if self._budget.left(row.id):
                self._batches.next()
                self._take(item._replace(is_renamed=False))  # that was done

    def _take(self, item: Work) -> FileRow:
        found = item.found
        row = self._intake.row_of(item, found.name, found.path, found.role)
        if found.size != GONE and row.vanished_at is not None:
            self._files.update(row.id, vanished_at=None)  # it is back, also if it cannot be read
        self._meter.begin_file(item)
        try:
            if found.size == GONE:
                self._intake.take_from_archive(item.connector, row)
            elif found.role == "database":
                self._databases.take_database(item, row)
            elif found.role == "rows":
                self._databases.take_rows(item, row)
            else:
                self._intake.take_file(item.connector, row, item.source)
            if found.size == GONE or row.id in self._intake.changed:
                self._read_earlier(item.connector)
        except OSError as error:
            self._intake.give_up(row, f"cannot be read: {error.strerror or error}")
        except CatalogDamaged:
            raise
        except JournalDamaged as error:  # the archive is, at this file
            self._intake.give_up(row, f"{ARCHIVE_DAMAGED}{error.message}")
        self._leave_out_read(item.connector, row.id)
        self._meter.end_file()
        return row

    def _read_earlier(self, connector: Connector) -> None:
        """Read the sessions that only earlier versions of histories have.

        In the transaction in which a history was read: else they would be gone after a crash.
        """
        if holds_many_sessions(connector) and self._earlier.settle(connector):
            self._intake.reading.settle_exports(connector)

    def _read_dependents(self, connectors: dict[str, Connector]) -> None:
        """Read the files again that were read with one that has changed since."""
        stale = self._intake.stale
        while stale:
            file_id = min(stale)
            stale.discard(file_id)
            row = self._files.get(file_id)
            connector = connectors.get(row.agent)
            if row.status != PRUNED and connector is not None and row.version_id is not None:
                # Where the newest is damaged, the one that was read
                version = self._files.version(row.read_version)
                content = KeptContent(self._files, self._archive, row, version)
                self._intake.reading.read(connector, row, content)
                self._read_earlier(connector)
                self._leave_out_read(connector, file_id)
            is_finished = file_id not in self._intake.reading.unfinished
            self._files.update(file_id, is_current=is_finished)
