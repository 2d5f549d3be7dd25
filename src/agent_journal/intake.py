"""Takes changed files in: keeps their bytes, reads them, stores what they say, commits in batches."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable

from agent_journal.archive import Archive, Entry
from agent_journal.capture import Capture, KeptContent
from agent_journal.catalog.files import FileRow, Files
from agent_journal.catalog.fold import Fold
from agent_journal.catalog.settle import settle
from agent_journal.catalog.work import GONE, Progress, Work
from agent_journal.connectors.base import Connector, FileIdentity, FileRole, Pause, Reader, stamp
from agent_journal.errors import JournalDamaged, JournalError
from agent_journal.ledger import Ledger
from agent_journal.model import Problem

BATCH_BYTES = 64 * 2**20
BATCH_SECONDS = 10.0
_STABLE_TRIES = 3


class _NotReadable(Exception):
    """A small file that could be read before is damaged now."""


def _is_all_malformed(ledger: Ledger) -> bool:
    statuses = {status for (status, _, _), (count, _) in ledger.counts.items() if count}
    return statuses == {"malformed"} and bool(ledger.troubles)


class Intake:
    """One run over the files that changed."""

    def __init__(
        self, db: sqlite3.Connection, archive: Archive, full: bool, progress: Callable[[Progress], None] | None
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
        self._new_messages_from = self._new_usage_from = 0

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
            self._commit()
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise
        finally:
            self.archive.close()

    # -- one file ---------------------------------------------------------------------------------------------------

    def _take(self, item: Work) -> None:
        found, connector = item.found, item.connector
        row = self._row(item, found.name, found.path, found.role)
        self._tell(row.path)
        try:
            if found.size == GONE:
                self._read(connector, row, KeptContent(self.files, self.archive, row))
                self.files.update(row.id, settled=1)
            elif found.role == "database":
                self._take_database(item, row)
            else:
                self._take_file(connector, row)
        except OSError as error:
            self._cannot_read(row, error.strerror or str(error))
        except JournalDamaged as error:
            self._cannot_read(row, error.message)

    def _take_file(self, connector: Connector, row: FileRow) -> None:
        with self._capture(row) as capture:
            is_stale = row.reader_version != connector.version
            self._note(row, capture)
            if capture.change in ("new", "grown") or is_stale or not row.settled:
                self.changed += 1
                self._read(connector, row, capture)
            self._settle_file(row, capture)

    def _take_database(self, item: Work, row: FileRow) -> None:
        """A database and its -wal, kept until neither changed while it was copied, then read from the copy."""
        is_changed = not row.settled or row.reader_version != item.connector.version
        for _ in range(_STABLE_TRIES):
            beside = [self._keep_companion(item, suffix) for suffix in item.found.companions]
            with self._capture(row) as capture:
                is_changed = is_changed or capture.change not in ("same", "emptied")
                capture.finish()
            row = self.files.get(row.id)
            if all(_stamp(path) == stamp for path, stamp in [*beside, (row.path, capture.fingerprint)]):
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
        session, rank = (item.found.session_id, item.found.rank) if path == item.found.path else (None, 0)
        return self.files.ensure(item.connector.name, item.root, name, path, role, session, rank)

    def _capture(self, row: FileRow) -> Capture:
        return Capture(self.files, self.archive, row, self.full)

    def _note(self, row: FileRow, capture: Capture) -> None:
        self.mended += capture.mended
        is_rewritten = capture.change == "new" and row.role == "log" and row.version_id is not None
        self.rewritten += is_rewritten and not capture.mended

    def _settle_file(self, row: FileRow, capture: Capture) -> None:
        size, mtime_ns, inode = capture.fingerprint
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'file'", (row.id,))
        self.files.update(row.id, size=size, mtime_ns=mtime_ns, inode=inode, settled=1, vanished_at=None)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _read(self, connector: Connector, row: FileRow, content: KeptContent) -> None:
        self.db.execute("SAVEPOINT file")
        try:
            self._read_pieces(connector, self._start(connector, row), content, row.read_version is not None)
        except Exception as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO file")
                self.db.execute("RELEASE file")
            if isinstance(error, (JournalError, sqlite3.Error, OSError)):
                raise
            self._give_up(connector, row, content, error)
        else:
            self.db.execute("RELEASE file")

    def _start(self, connector: Connector, row: FileRow) -> FileRow:
        """The row to read with: as it is where reading goes on, emptied where it starts anew."""
        is_same = row.read_version == self.files.get(row.id).version_id and row.reader_version == connector.version
        if row.reader_version is None or (row.role == "log" and row.status == "read" and is_same):
            return row
        self._freed_keys |= self._drop(row)
        return self.files.get(row.id)

    def _give_up(self, connector: Connector, row: FileRow, content: KeptContent, error: Exception) -> None:
        """A mistake in a reader costs one file, and only its rows: the bytes are kept all the same."""
        if isinstance(content, Capture):
            with self._capture(self.files.get(row.id)) as capture:
                capture.finish()
        reason = str(error)
        if not isinstance(error, _NotReadable):
            reason = f"the {connector.title} reader failed: {type(error).__name__}: {error}"
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'reader'", (row.id,))
        self.files.add_problems(row, [(None, "reader", reason)])

    def _read_pieces(self, connector: Connector, row: FileRow, content: KeptContent, had_rows: bool) -> None:
        identity = FileIdentity(row.name, row.path, row.role, row.session)
        reader = connector.reader(identity, self.files.state(row.id) if row.role == "log" else None)
        fold = Fold(self.db, row.agent, row.id)
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
        if had_rows and row.role != "log" and _is_all_malformed(reader.ledger):
            raise _NotReadable(f"{reader.ledger.troubles[0].reason}; what an earlier version of it said is kept")
        self._save(connector, row, reader, fold, content)
        self.done_bytes += max(0, reader.offset - row.read_offset)
        if row.role == "log":
            self._resolve_copies(row)

    def _save(self, connector: Connector, row: FileRow, reader: Reader, fold: Fold, content: KeptContent) -> None:
        if isinstance(content, Capture):
            content.keep()
        fold.flush()
        sessions = list(reader.sessions())
        fold.add_sessions(sessions)
        self._touched |= fold.touched
        self.files.add_ledger(row, reader.ledger)
        session = row.session or (sessions[0].id if sessions and row.role == "log" else None)
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'reader'", (row.id,))
        self.files.update(
            row.id, read_version=self.files.get(row.id).version_id, read_offset=reader.offset, state=reader.save(),
            reader_version=connector.version, status="read", session=session,
        )  # fmt: skip

    def _drop(self, row: FileRow) -> set[str]:
        self._touched.update(self.files.sessions_of(row.id))
        return self.files.drop_rows(row.id)

    def _resolve_copies(self, row: FileRow) -> None:
        """Of several transcripts of one session (moved, or written in two layouts) one is read, the rest are kept."""
        session = self.files.get(row.id).session
        if session is None:
            return
        same = self.files.all("agent = ? AND session = ? AND role = 'log' AND status = 'read'", row.agent, session)
        if len(same) < 2:
            return
        best = max(same, key=self._worth)
        for other in same:
            if other.id != best.id:
                self._freed_keys |= self._drop(other)
                self.files.update(other.id, status="copy", settled=1)
                ledger = Ledger()
                ledger.add(
                    "skipped", "copy", self._kept_size(other), f"another file of the session is read: {best.path}"
                )
                self.files.add_ledger(other, ledger)

    def _worth(self, row: FileRow) -> tuple[int, bool, int, str]:
        version = self.files.version(row.version_id)
        return row.rank, self._kept_size(row) > 0, (version and version.mtime_ns) or 0, row.path

    def _kept_size(self, row: FileRow) -> int:
        version = self.files.version(row.version_id)
        return version.size if version else 0

    def _cannot_read(self, row: FileRow, reason: str) -> None:
        self.db.execute("DELETE FROM problems WHERE file_id = ? AND kind = 'file'", (row.id,))
        self.files.add_problems(row, [(None, "file", f"cannot be read: {reason}")])
        self.files.update(row.id, settled=0, status="read" if row.version_id else "unreadable")

    # -- batches ----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self._batch_started = time.monotonic()
        self._batch_from = self.done_bytes
        self._touched, self._freed_keys = set(), set()
        row = self.db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").fetchone()
        self._new_messages_from = (row[0] if row else 0) + 1
        (last_usage,) = self.db.execute("SELECT coalesce(max(id), 0) FROM usage").fetchone()
        self._new_usage_from = last_usage + 1

    def _commit(self) -> None:
        settle(self.db, self._touched, self._new_messages_from, self._new_usage_from, self._freed_keys)
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
            self.progress(Progress(min(self.total_bytes, self.done_bytes + in_file), self.total_bytes, path))


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        return stamp(os.stat(path))
    except OSError:
        return None


def adopt(files: Files, archive: Archive) -> None:
    """Takes whole entries of the archive that the catalog does not know into it.

    After a crash, a lost catalog, an older one from a backup, or another catalog on the same archive.
    """
    db = files.db
    known = dict(db.execute("SELECT number, length FROM packs"))
    lengths = archive.lengths()
    db.execute("BEGIN IMMEDIATE")
    for number, length in lengths.items():
        end = known.get(number, 0)
        if length < end:
            files.forget_lost_frames(number, length)
            end = length
        is_torn = False
        for entry in archive.scan(number, end):
            is_torn |= entry.start > end
            end = entry.end
            _adopt_entry(files, entry)
        is_torn |= end < length
        db.execute(
            "INSERT INTO packs VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET length = ?2, is_closed = is_closed OR ?3",
            (number, length, is_torn),
        )
    for number in set(known) - set(lengths):
        files.forget_lost_frames(number, 0)
        db.execute("DELETE FROM packs WHERE number = ?", (number,))
    db.execute("COMMIT")
    archive.close()


def _adopt_entry(files: Files, entry: Entry) -> None:
    header = entry.header
    path = os.path.join(header.root, *header.name.split("/"))
    row = files.ensure(header.agent, header.root, header.name, path, header.role, header.session, header.rank)
    versions = {version.number: version for version in files.versions(row.id)}
    version = versions.get(header.version) or files.new_version(row.id, header.mtime_ns, header.version)
    files.link_frame(version.id, header.start, bytes.fromhex(header.sha256), header.size, entry.place)
    size = max(version.size, header.start + header.size)
    files.update_version(version.id, size=size, mtime_ns=header.mtime_ns)
    files.update(row.id, settled=0)
