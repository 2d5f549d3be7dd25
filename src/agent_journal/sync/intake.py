"""Takes changed files in: keeps their bytes, reads them, stores what they say, commits in batches."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable

from agent_journal.connectors import make_reader
from agent_journal.connectors.base import (
    ROWS_MARK,
    TRANSCRIPTS,
    Connector,
    Extract,
    FileIdentity,
    FileRole,
    Pause,
    Reader,
    stamp,
)
from agent_journal.connectors.ledger import Ledger
from agent_journal.errors import JournalDamaged, JournalError
from agent_journal.model import Problem
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.piece_writer import PieceWriter
from agent_journal.store.catalog.settle import settle
from agent_journal.store.content import KeptContent
from agent_journal.sync.capture import Capture
from agent_journal.sync.copies import mark_copy, rivals
from agent_journal.sync.extracts import CannotExtract, extracts_of, stamps, written
from agent_journal.sync.work import GONE, Progress, Work

BATCH_BYTES = 64 * 2**20
BATCH_SECONDS = 10.0
_STABLE_TRIES = 3


class _NotReadable(Exception):
    """A file that could be read before is damaged or empty now."""


def _says_nothing(ledger: Ledger) -> bool:
    statuses = {status for (status, _, _), (count, _) in ledger.counts.items() if count}
    return statuses <= {"malformed"}


class Intake:
    """One run over the files that changed."""

    def __init__(
        self,
        db: Connection,
        archive: Archive,
        full: bool,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.db = db
        self.files = Files(db)
        self.archive = archive
        self.full = full
        self.progress = progress
        self.done_bytes = 0
        self.total_bytes = 0
        self.changed = 0
        self.rewritten = 0
        self.mended = 0
        self._batch_started = 0.0
        self._batch_from = 0
        self._touched: set[int] = set()
        self._freed_keys: set[str] = set()
        self._stale: set[int] = set()  # files to be read anew because another one changed
        self._new_from = 0

    def run(self, work: list[Work]) -> None:
        """Takes all files in."""
        self.total_bytes = sum(max(0, item.found.size) for item in work)
        self._begin()
        try:
            for item in work:
                self._take(item)
                if self._is_batch_full():
                    self._commit()
                    self._begin()
            self._read_dependents({item.connector.name: item.connector for item in work})
            self._commit()
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise
        finally:
            self.archive.close()

    # -- one file ------------------------------------------------------------------------------

    def _take(self, item: Work) -> None:
        found, connector = item.found, item.connector
        row = self._row(item, found.name, found.path, found.role)
        self._tell(row.path)
        try:
            if found.size == GONE:
                self._read(connector, row, KeptContent(self.files, self.archive, row))
                self.files.update(row.id, is_current=1)
                self._stale |= self.files.unsettle_dependents(row)
            elif found.role == "database":
                self._take_database(item, row)
            elif found.role == "rows":
                self._take_rows(item, row)
            else:
                self._take_file(connector, row, item.source)
        except OSError as error:
            self._cannot_read(row, error.strerror or str(error))
        except JournalDamaged as error:
            self._cannot_read(row, error.message)

    def _take_file(self, connector: Connector, row: FileRow, path: str | None = None) -> None:
        with Capture(self.files, self.archive, row, self.full, path) as capture:
            is_stale = row.reader_version != connector.version
            self._note(row, capture)
            if capture.change in ("new", "grown") or is_stale or not row.is_current:
                self.changed += 1
                self._read(connector, row, capture)
                read = self.files.get(row.id)
                # Else what is read with others is still of before
                if read.read_version == read.version_id:
                    self._stale.discard(row.id)
                self._stale |= self.files.unsettle_dependents(row)
            self._settle_file(row, capture)
            if capture.is_damaged:
                # Read anew when what it is read with is whole again
                self.files.update(row.id, is_current=0)

    def _take_rows(self, item: Work, row: FileRow) -> None:
        """A database of which only some rows are ours: each extract is kept and read as a file of
        its own.
        """
        before = _stamp(row.path)
        for suffix in item.found.companions:
            self._note_companion(item, suffix)
        mark = row.path + ROWS_MARK
        parts = self.files.all(
            "agent = ? AND vanished_at IS NULL AND substr(path, 1, ?) = ?",
            row.agent,
            len(mark),
            mark,
        )
        found: set[str] = set()
        damages: list[str] = []
        try:
            for extract in extracts_of(
                item.connector, row.path, {} if self.full else stamps(parts, len(mark))
            ):
                if isinstance(extract, str):
                    damages.append(extract)
                    continue
                found.add(mark + extract.name)
                if extract.data is not None and (
                    damage := self._take_extract(item.connector, row, extract)
                ):
                    damages.append(damage)
        except CannotExtract as error:
            self._cannot_read(row, str(error), "")
            return
        self.files.mark_vanished([part.id for part in parts if part.path not in found])
        self.db.execute("DELETE FROM problems WHERE file_id = ?", (row.id,))
        self.files.add_problems(row, [(None, "database", damage) for damage in damages])
        size, mtime_ns, inode = before or (0, 0, 0)
        self.files.update(
            row.id, size=size, mtime_ns=mtime_ns, inode=inode, is_current=1, vanished_at=None
        )

    def _take_extract(self, connector: Connector, row: FileRow, extract: Extract) -> str | None:
        name, path = (f"{place}{ROWS_MARK}{extract.name}" for place in (row.name, row.path))
        part = self.files.ensure(
            row.agent, row.root, name, path, extract.role, extract.session_id, extract.rank
        )
        try:
            with written(extract) as copy:
                self._take_file(connector, part, copy)
        except CannotExtract as error:  # the other conversations of the database may well be whole
            return f"{extract.name}: {error}"
        if extract.stamp is not None:
            size, mtime_ns, inode = extract.stamp
            self.files.update(part.id, size=size, mtime_ns=mtime_ns, inode=inode)
        if self._is_batch_full():
            self._commit()
            self._begin()
        return None

    def _note_companion(self, item: Work, suffix: str) -> None:
        """Remembers what the -wal looked like, without keeping it."""
        path = item.found.path + suffix
        there = _stamp(path)
        if there is None:
            known = self.files.find(item.connector.name, path)
            self.files.mark_vanished([known.id] if known else [])
            return
        row = self._row(item, item.found.name + suffix, path, "companion")
        size, mtime_ns, inode = there
        self.files.update(
            row.id, size=size, mtime_ns=mtime_ns, inode=inode, is_current=1, vanished_at=None
        )

    def _read_dependents(self, connectors: dict[str, Connector]) -> None:
        """Reads anew what was read with a file that changed since."""
        for file_id in sorted(self._stale):
            row = self.files.get(file_id)
            if row.agent in connectors and row.version_id is not None:
                # Where the newest is damaged, the one that was read
                version = self.files.version(row.read_version)
                self._read(
                    connectors[row.agent], row, KeptContent(self.files, self.archive, row, version)
                )
            self.files.update(file_id, is_current=1)
        self._stale.clear()

    def _take_database(self, item: Work, row: FileRow) -> None:
        """A database and its -wal, kept until neither changed while it was copied, then read from
        the copy.
        """
        is_changed = not row.is_current or row.reader_version != item.connector.version
        for _ in range(_STABLE_TRIES):
            beside = [self._keep_companion(item, suffix) for suffix in item.found.companions]
            with self._capture(row) as capture:
                is_changed = is_changed or capture.change not in ("same", "emptied")
                capture.finish()
            row = self.files.get(row.id)
            if all(
                _stamp(path) == stamp for path, stamp in [*beside, (row.path, capture.fingerprint)]
            ):
                break
            is_changed = True
        if is_changed:
            self.changed += 1
            self._read(item.connector, row, KeptContent(self.files, self.archive, row))
        self._note(row._replace(version_id=None), capture)
        self._settle_file(row, capture)

    def _keep_companion(self, item: Work, suffix: str) -> tuple[str, tuple[int, int, int] | None]:
        path = item.found.path + suffix
        if _stamp(path) is None:
            there = self.files.find(item.connector.name, path)
            self.files.mark_vanished([there.id] if there else [])
            return path, None
        row = self._row(item, item.found.name + suffix, path, "companion")
        with self._capture(row) as capture:
            capture.finish()
            self.files.drop_rows(row.id)
            ledger = Ledger()
            ledger.add("mapped", "write-ahead log", capture.size)
            self.files.add_ledger(row, ledger)
            self._settle_file(row, capture)
        return path, capture.fingerprint

    def _row(self, item: Work, name: str, path: str, role: FileRole) -> FileRow:
        session, rank = (
            (item.found.session_id, item.found.rank) if path == item.found.path else (None, 0)
        )
        row = self.files.ensure(item.connector.name, item.root, name, path, role, session, rank)
        # It was imported by name, and is found in its place now
        if (row.root, row.name) != (item.root, name):
            self.files.update(
                row.id, root=item.root, name=name, session=session, rank=rank, is_current=0
            )
            row = self.files.get(row.id)
        return row

    def _capture(self, row: FileRow) -> Capture:
        return Capture(self.files, self.archive, row, self.full)

    def _note(self, row: FileRow, capture: Capture) -> None:
        self.mended += capture.mended
        is_rewritten = capture.change == "new" and row.role == "log" and row.version_id is not None
        self.rewritten += is_rewritten and not capture.mended

    def _settle_file(self, row: FileRow, capture: Capture) -> None:
        size, mtime_ns, inode = capture.fingerprint
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'file'", (row.id,))
        self.files.update(
            row.id, size=size, mtime_ns=mtime_ns, inode=inode, is_current=1, vanished_at=None
        )

    # -- reading -------------------------------------------------------------------------------

    def _read(
        self, connector: Connector, row: FileRow, content: KeptContent, must_say: bool = True
    ) -> None:
        """Reads a version; one that says nothing (`must_say`) gives way to an older one that does."""
        self.db.execute("SAVEPOINT file")
        is_unread = row.read_version is None or row.status == "copy"
        try:
            has_more = self._has_older(content) if is_unread else self.files.has_said(row.id)
            self._read_pieces(
                connector, self._start(connector, row), content, must_say and has_more
            )
        except Exception as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO file")
                self.db.execute("RELEASE file")
            if isinstance(error, (JournalError, sqlite3.Error, OSError)):
                raise
            if isinstance(content, Capture):  # its bytes are kept all the same
                content.rewind()
                content.finish()
            older = self._older(content)
            if isinstance(error, _NotReadable) and is_unread and older is not None:
                # The catalog was lost since it could be read, or it is a copy
                self._read(connector, row, older)
                if not self.files.has_said(row.id):
                    self._read(connector, self.files.get(row.id), content, must_say=False)
                    return
            self._give_up(connector, row, error)
        else:
            self.db.execute("RELEASE file")

    def _start(self, connector: Connector, row: FileRow) -> FileRow:
        """The row to read with: as it is where reading goes on, emptied where it starts anew."""
        is_same = (
            row.read_version == self.files.get(row.id).version_id
            and row.reader_version == connector.version
        )
        if row.reader_version is None or (row.role == "log" and row.status == "read" and is_same):
            return row
        self._freed_keys |= self._drop(row)
        return self.files.get(row.id)

    def _give_up(self, connector: Connector, row: FileRow, error: Exception) -> None:
        """A mistake in a reader costs one file, and only its rows."""
        reason = str(error)
        if not isinstance(error, _NotReadable):
            reason = f"the {connector.title} reader failed: {type(error).__name__}: {error}"
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'reader'", (row.id,))
        self.files.add_problems(row, [(None, "reader", reason)])

    def _has_older(self, content: KeptContent) -> bool:
        return self._older(content) is not None

    def _older(self, content: KeptContent) -> KeptContent | None:
        """The version of the file before this one."""
        if content.version is None:
            return None
        number = content.version.number
        versions = [
            one for one in self.files.versions(content.row.id) if one.number < number and one.size
        ]
        return (
            KeptContent(self.files, self.archive, content.row, versions[-1]) if versions else None
        )

    def _read_pieces(
        self, connector: Connector, row: FileRow, content: KeptContent, has_more: bool
    ) -> None:
        identity = FileIdentity(row.name, row.path, row.role, row.session)
        reader = make_reader(
            connector, identity, self.files.state(row.id) if row.role == "log" else None
        )
        fold = PieceWriter(self.db, row.agent, row.id)
        for piece in reader.read(content):
            if isinstance(piece, Pause):
                self._tell(row.path, reader.offset)
                if self._is_batch_full(reader.offset - row.read_offset):
                    self._save(connector, row, reader, fold, content)
                    self.db.execute("RELEASE file")
                    self._commit()
                    self._begin()
                    self.db.execute("SAVEPOINT file")
            elif isinstance(piece, Problem):
                reader.ledger.trouble(piece.offset, piece.kind, piece.reason)
            else:
                fold.add(piece)
        if isinstance(content, Capture):
            content.finish()
        if row.role not in ("log", "kept") and _says_nothing(reader.ledger) and has_more:
            reason = (
                reader.ledger.troubles[0].reason
                if reader.ledger.troubles
                else "there is nothing in it"
            )
            raise _NotReadable(f"{reason}; what an earlier version of it said is kept")
        self._save(connector, row, reader, fold, content)
        self.done_bytes += max(0, reader.offset - row.read_offset)
        if row.role in TRANSCRIPTS:
            self._resolve_copies(connector, row)

    def _save(
        self,
        connector: Connector,
        row: FileRow,
        reader: Reader,
        fold: PieceWriter,
        content: KeptContent,
    ) -> None:
        if isinstance(content, Capture):
            content.keep()
        fold.flush()
        sessions = list(reader.sessions())
        fold.add_sessions(sessions)
        self._touched |= fold.touched
        self.files.add_ledger(row, reader.ledger)
        session = row.session or (sessions[0].id if sessions and row.role in TRANSCRIPTS else None)
        if content.version is None or content.version.id == self.files.get(row.id).version_id:
            self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'reader'", (row.id,))
        self.files.update(
            row.id,
            read_version=content.version and content.version.id,
            read_offset=reader.offset,
            state=reader.save(),
            reader_version=connector.version,
            status="read",
            session=session,
            completeness=reader.completeness,
        )
        self.files.depend(row, content.asked)

    def _drop(self, row: FileRow) -> set[str]:
        self._touched.update(self.files.sessions_of(row.id))
        return self.files.drop_rows(row.id)

    def _resolve_copies(self, connector: Connector, row: FileRow) -> None:
        best, others = rivals(self.files, row)
        for other in others:
            read_with = self.files.dependencies(other.id)
            self._freed_keys |= self._drop(other)
            mark_copy(self.files, other)
            # When one of them changes, the copy is weighed anew
            self.files.depend(other, read_with)
        if best.status == "copy":  # what was read until now has become less than what was set aside
            self._read(connector, best, KeptContent(self.files, self.archive, best))

    def _cannot_read(self, row: FileRow, reason: str, why: str = "cannot be read: ") -> None:
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'file'", (row.id,))
        self.files.add_problems(row, [(None, "file", f"{why}{reason}")])
        self.files.update(
            row.id, is_current=0, status=row.status if row.version_id else "unreadable"
        )

    # -- batches -------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self._batch_started = time.monotonic()
        self._batch_from = self.done_bytes
        self._touched, self._freed_keys = set(), set()
        self._new_from = last_item(self.db) + 1

    def _commit(self) -> None:
        settle(self.db, self._touched, self._new_from, self._freed_keys)
        lengths = self.archive.flush()  # durable before the rows that point into it
        self.db.executemany(
            "INSERT INTO packs (number, length) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET length = ?2",
            list(lengths.items()),
        )
        self.db.execute("COMMIT")

    def _is_batch_full(self, in_file: int = 0) -> bool:
        read = self.done_bytes - self._batch_from + in_file
        return read > BATCH_BYTES or time.monotonic() - self._batch_started > BATCH_SECONDS

    def _tell(self, path: str, in_file: int = 0) -> None:
        if self.progress is not None:
            self.progress(
                Progress(min(self.total_bytes, self.done_bytes + in_file), self.total_bytes, path)
            )


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        return stamp(os.stat(path))
    except OSError:
        return None
