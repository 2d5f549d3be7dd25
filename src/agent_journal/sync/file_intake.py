"""Taking one file into the journal: its row, its bytes, what it says, and what that changes."""

from __future__ import annotations

from agent_journal.connectors.base import Connector, FileRole
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import (
    clear_problems,
    is_damaged_in_archive,
    replace_problem,
)
from agent_journal.store.catalog.listing import SessionKey, counted_sessions
from agent_journal.store.content import KeptContent
from agent_journal.sync.batches import Batches
from agent_journal.sync.budget import Budget
from agent_journal.sync.capture import Capture
from agent_journal.sync.progress import Meter
from agent_journal.sync.reading import FileReading
from agent_journal.sync.work import Work


class FileIntake:
    """Keeps and reads files, and counts what it did."""

    def __init__(
        self,
        files: Files,
        archive: Archive,
        batches: Batches,
        full: bool,
        budget: Budget,
        meter: Meter,
    ) -> None:
        self.files = files
        self.archive = archive
        self.batches = batches
        self.reading = FileReading(files, archive, batches, budget, meter)
        self.full = full
        self.changed: set[int] = set()
        self.rewritten: list[int] = []  # the versions that logs had before they were rewritten
        self.repaired = 0
        self.in_rewritten: set[SessionKey] = set()  # sessions that rewritten files had before
        self.stale = self.reading.stale

    def row_of(self, item: Work, name: str, path: str, role: FileRole) -> FileRow:
        """The row of a found file, or of one beside it."""
        session = None
        rank = 0
        if path == item.found.path:
            session = item.found.session_id
            rank = item.found.rank
        row = self.files.ensure(
            agent=item.connector.name,
            root=item.root,
            name=name,
            path=path,
            role=role,
            session=session,
            rank=rank,
        )
        if item.is_renamed:
            self.files.update(row.id, session=session, rank=rank, is_current=0, reader_version=0)
            row = self.files.get(row.id)
        # It was imported by name, and is found in its place now, or another root was set
        if (row.root, row.name) != (item.root, name):
            session = session or row.session  # that of the first of many, which is not read again
            self.files.update(
                row.id, root=item.root, name=name, session=session, rank=rank, is_current=0
            )
            row = self.files.get(row.id)
        return row

    def take_file(self, connector: Connector, row: FileRow, path: str | None = None) -> None:
        """Keep a file and read it when it changed; its bytes may be at another `path`."""
        version = self.files.version(row.version_id)
        # A file that was adopted after a crash has bytes, and yet nobody has read it
        was_read = row.read_version is not None and version is not None and version.size > 0
        # What could not be read from the archive is kept again
        is_compared = self.full or is_damaged_in_archive(self.files.db, row.id)
        with Capture(self.files, self.archive, row, is_compared, path) as capture:
            self.count(row, capture)
            is_outdated = not row.is_current or row.reader_version != connector.version
            if is_outdated or capture.change in ("new", "grown"):
                self.changed.add(row.id)
                self.reading.read(connector, row, capture)
                read = self.files.get(row.id)
                # Else what is read with others is still what it was before
                if read.read_version == read.version_id:
                    self.stale.discard(row.id)
                self.stale |= self.files.invalidate_dependents(row, is_new=not was_read)
            self.finish(row, capture)
            # Read again when what it is read with is whole again, or to its end
            if capture.is_damaged or row.id in self.reading.unfinished:
                self.files.update(row.id, is_current=0)

    def take_from_archive(self, connector: Connector, row: FileRow) -> None:
        """Read a file that is gone from disk."""
        content = KeptContent(self.files, self.archive, row)
        self.reading.read(connector, row, content)
        self.files.update(row.id, is_current=row.id not in self.reading.unfinished)
        if row.mtime_ns is None and content.version is not None:
            # After the catalog was lost: as it was last kept
            version = content.version
            self.files.update(row.id, size=version.size, mtime_ns=version.mtime_ns)
        is_new = row.read_version is None
        self.stale |= self.files.invalidate_dependents(row, is_new=is_new)

    def capture(self, row: FileRow) -> Capture:
        """The bytes of a file on disk, to be kept."""
        return Capture(self.files, self.archive, row, self.full)

    def unread_bytes(self) -> int:
        """How much of large files is left for the next sync."""
        rows = [self.files.get(file_id) for file_id in self.reading.unfinished]
        versions = [self.files.version(row.read_version) for row in rows]
        return sum(
            version.size - row.read_offset
            for row, version in zip(rows, versions, strict=True)
            if version is not None
        )

    def count(self, row: FileRow, capture: Capture) -> None:
        """Count what a capture did."""
        self.repaired += capture.repaired
        if capture.change != "new" or row.role != "log" or row.version_id is None:
            return
        self.in_rewritten |= counted_sessions(self.files.db, row.id)
        if not capture.repaired:
            self.rewritten.append(row.version_id)

    def finish(self, row: FileRow, capture: Capture) -> None:
        """Record that a file needs no more work until it changes on disk."""
        clear_problems(self.files.db, row.id, "file")
        self.files.mark_current(row.id, capture.fingerprint)

    def give_up(self, row: FileRow, reason: str) -> None:
        """Record that a file could not be kept or read."""
        replace_problem(self.files.db, row, "file", reason)
        status = row.status
        if row.version_id is None:
            status = "unreadable"
        self.files.update(row.id, is_current=0, status=status)
