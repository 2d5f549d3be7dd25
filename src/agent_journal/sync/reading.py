"""Reading kept bytes: a connector's reader makes pieces of them, which go to the catalog."""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import chain, islice

from agent_journal.connectors import make_reader
from agent_journal.connectors.base import (
    TRANSCRIPTS,
    Connector,
    FileIdentity,
    Part,
    Pause,
    Reader,
)
from agent_journal.connectors.ledger import Ledger
from agent_journal.errors import CatalogDamaged, JournalDamaged, JournalError
from agent_journal.model import Piece, Problem
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import (
    CatalogError,
    release_savepoint,
    revert_to_savepoint,
    set_savepoint,
)
from agent_journal.store.catalog.derived import drop_rows
from agent_journal.store.catalog.earlier_sessions import read_from_earlier
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import (
    UNREAD,
    add_ledger,
    clear_problems,
    has_content,
    is_unfinished,
    replace_problem,
    sound_bytes,
)
from agent_journal.store.catalog.line_titles import sessions_titled_by
from agent_journal.store.catalog.parts import Parts
from agent_journal.store.catalog.piece_writer import PieceWriter
from agent_journal.store.catalog.pruned import load_pruned
from agent_journal.store.content import KeptContent
from agent_journal.sync.batches import Batches
from agent_journal.sync.budget import Budget
from agent_journal.sync.capture import Capture
from agent_journal.sync.copies import holds_many_sessions, mark_pruned
from agent_journal.sync.earlier_versions import drop_earlier
from agent_journal.sync.progress import Meter
from agent_journal.sync.resolution import Resolution


class NoContent(Exception):
    """A file that could be read before is damaged or empty now."""


class FileReading:
    """Reads one file after the other, each in a savepoint of the current batch."""

    def __init__(
        self, files: Files, archive: Archive, batches: Batches, budget: Budget, meter: Meter
    ) -> None:
        self._db = files.db
        self._meter = meter
        self._budget = budget
        self._files = files
        self._archive = archive
        self._batches = batches
        self._pruned = load_pruned(files.db)
        self._resolution = Resolution(self, files, archive, batches)
        self.compared = self._resolution.compared
        self._depth = 0  # how many files are read, each because of the one before
        self.is_nested = False  # whether a file is read because of another one that was read
        self.stale: set[int] = set()  # files to be read again because another one changed
        self.unfinished: set[int] = set()  # files that the next sync goes on with

    def read(
        self, connector: Connector, row: FileRow, content: KeptContent, require_content: bool = True
    ) -> bool:
        """Read a version and return whether there was anything to read.

        `require_content`: if it is empty or damaged, keep an older one.
        """
        self._depth += 1
        try:
            return self._read(connector, row, content, require_content)
        finally:
            self._depth -= 1

    def _read(
        self, connector: Connector, row: FileRow, content: KeptContent, require_content: bool
    ) -> bool:
        is_unread = row.read_version is None or row.status == "copy"
        if is_unread:
            has_older = self._older(content) is not None
        else:
            has_older = has_content(self._db, row.id)
        set_savepoint(self._db)
        try:
            start = self._start(connector, row)
            was_anything = self._read_pieces(
                connector, start, content, require_content and has_older
            )
        except (CatalogDamaged, CatalogError, OSError):
            revert_to_savepoint(self._db)
            raise
        except JournalDamaged:  # the archive is, at what was kept before
            revert_to_savepoint(self._db)
            _keep(content)
            raise
        except JournalError:
            revert_to_savepoint(self._db)
            raise
        except Exception as error:
            revert_to_savepoint(self._db)
            _keep(content)
            if isinstance(error, NoContent) and is_unread:
                return self._read_older(connector, row, content, error)
            self._give_up(connector, row, error)
            return has_content(self._db, row.id)
        release_savepoint(self._db)
        return was_anything

    def read_nested(self, connector: Connector, row: FileRow, content: KeptContent) -> None:
        """Read a file from the beginning because another one was read."""
        # Else two that are read together each time would never come to their end
        self._budget.forget(row.id)
        self.is_nested = True
        try:
            self.read(connector, row, content)
        finally:
            self.is_nested = False

    def settle_exports(self, connector: Connector) -> None:
        """Read the exports of sessions that nothing else has any more."""
        self._resolution.resolve_exports(connector, connector.name)

    def is_pruned(self, agent: str, path: str, session: str | None, name: str) -> bool:
        """Whether nothing is to be kept or read of a file: its session was pruned."""
        if self._pruned is None:
            return False
        return self._pruned.has_file(agent, path, session, name)

    def leave_out(self, row: FileRow) -> None:
        """Drop what was read from a file whose session was pruned; its bytes stay."""
        self._place(row, None)
        self.drop(row)
        mark_pruned(self._files, row)

    def drop(self, row: FileRow) -> None:
        """Remove everything that was read from a file."""
        self._batches.touched.update(self._files.sessions_of(row.id))
        self._batches.touched |= sessions_titled_by(self._db, row.id)
        self._batches.freed_keys |= drop_rows(self._files, row.id)

    # -- where to start, and what to do when that fails ----------------------------------------

    def _start(self, connector: Connector, row: FileRow) -> FileRow:
        """The row to read with: unchanged where reading continues, emptied where it starts over."""
        if row.reader_version is None:
            return row
        is_continued = (
            self._is_continuable(row)
            and row.status == "read"
            and row.reader_version == connector.version
            and row.read_version == self._files.get(row.id).version_id
        )
        if is_continued:
            return row
        self.drop(row)
        return self._files.get(row.id)

    def _is_continuable(self, row: FileRow) -> bool:
        return row.role == "log" or is_unfinished(self._db, row.id)

    def _older(self, content: KeptContent) -> KeptContent | None:
        """The version of the file before this one that has bytes."""
        if content.version is None:
            return None
        versions = [
            version
            for version in self._files.versions(content.row.id)
            if version.number < content.version.number and version.size
        ]
        if not versions:
            return None
        return KeptContent(self._files, self._archive, content.row, versions[-1])

    def _read_older(
        self, connector: Connector, row: FileRow, content: KeptContent, error: NoContent
    ) -> bool:
        """Read an older version: the catalog was lost since it could be read, or it is a copy."""
        older = self._older(content)
        assert older is not None
        # Its rows do not tell: they are gone by now if it was set aside as a copy
        was_anything = self.read(connector, row, older)
        if not was_anything:
            row = self._files.get(row.id)
            return self.read(connector, row, content, require_content=False)
        self._give_up(connector, row, error)
        return True

    def _give_up(self, connector: Connector, row: FileRow, error: Exception) -> None:
        """Record that a file could not be read: a mistake in a reader affects one file only."""
        reason = str(error)
        if not isinstance(error, NoContent):
            reason = f"the {connector.title} reader failed: {type(error).__name__}: {error}"
        replace_problem(self._db, row, "reader", reason)

    # -- reading -------------------------------------------------------------------------------

    def _read_pieces(
        self, connector: Connector, row: FileRow, content: KeptContent, has_older: bool
    ) -> bool:
        """Write what a version says, and return whether that is anything."""
        reader = self._continued(connector, row)
        if reader is None:
            self.drop(row)
            row = self._files.get(row.id)
            reader = make_reader(connector, _identity(row), None)
        writer = PieceWriter(self._db, row.agent, row.id)
        self.unfinished.discard(row.id)
        with self._budget.spent_on(row.id):
            self._write_pieces(connector, row, reader, writer, content)
        if isinstance(content, Capture):
            content.finish()
        if has_older and row.role not in ("log", "kept") and not has_content(self._db, row.id):
            _check_content(reader.ledger)
        self._save(connector, row, reader, writer, content)
        self._account_for_rest(row, reader.offset, content.size)
        self._batches.done_bytes += max(0, reader.offset - row.read_offset)
        was_anything = has_content(self._db, row.id)
        if not self.is_nested:
            self._resolution.resolve(connector, row)
        return was_anything

    def _write_pieces(
        self,
        connector: Connector,
        row: FileRow,
        reader: Reader,
        writer: PieceWriter,
        content: KeptContent,
    ) -> None:
        """Write the pieces of a file until its time is used up, and commit after many of them."""
        last = time.process_time() + self._budget.left(row.id)
        earlier = read_from_earlier(self._db, row.id)
        for piece in self._pieces(reader, row, content):
            if isinstance(piece, Pause):
                self._meter.read(row.path, reader.offset)
                if time.process_time() > last and reader.offset < content.size:
                    self.unfinished.add(row.id)
                    return
                # The savepoint of the other one must last
                is_alone = self._depth == 1 and not self.is_nested
                if is_alone and self._batches.is_full(reader.offset - row.read_offset):
                    self._save(connector, row, reader, writer, content)
                    release_savepoint(self._db)
                    self._batches.next()
                    set_savepoint(self._db)
            elif isinstance(piece, Problem):
                reader.ledger.trouble(piece.offset, piece.kind, piece.reason)
            else:
                if earlier:
                    self._make_room(row, earlier, getattr(piece, "session_id", ""))
                writer.add(piece)

    def _make_room(self, row: FileRow, earlier: set[str], session: str) -> None:
        """Drop the rows of a session that were read from an earlier version: it came back."""
        if session in earlier:
            earlier.discard(session)
            drop_earlier(self._db, self._batches, row.agent, row.id, session)

    def _continued(self, connector: Connector, row: FileRow) -> Reader | None:
        """A reader in the state it was saved in; None when that cannot be read."""
        state = None
        if self._is_continuable(row):
            state = self._files.state(row.id)
        try:
            return make_reader(connector, _identity(row), state)
        except JournalError:
            raise
        except Exception:
            if state is None:
                raise
            return None

    def _account_for_rest(self, row: FileRow, offset: int, size: int) -> None:
        """Say what is left for the next sync, in place of what was left for this one."""
        clear_problems(self._db, row.id, UNREAD)
        if row.id in self.unfinished:
            reason = f"{offset:,} of {size:,} bytes were read; the next sync goes on"
            replace_problem(self._db, row, UNREAD, reason)

    def _pieces(
        self, reader: Reader, row: FileRow, content: KeptContent
    ) -> Iterable[Piece | Pause]:
        """The pieces of a file, once its place in the session is known."""
        pieces = iter(reader.read(content))
        first = list(islice(pieces, 1))
        if row.role in TRANSCRIPTS:
            self._place(row, content.part)
        return chain(first, pieces)

    def _save(
        self,
        connector: Connector,
        row: FileRow,
        reader: Reader,
        writer: PieceWriter,
        content: KeptContent,
    ) -> None:
        if isinstance(content, Capture):
            content.save_size()
        writer.flush()
        sessions = list(reader.sessions())
        writer.add_sessions(sessions)
        self._batches.touched |= writer.touched
        add_ledger(self._db, row, reader.ledger)
        completeness = reader.completeness
        if getattr(reader, "is_ranked_by_bytes", False):
            completeness = sound_bytes(self._db, row.id)
        session = row.session
        is_told_by_reader = not session or content.part is not None
        # An earlier version may have called its first session otherwise
        is_first_read = row.read_offset == 0
        is_told_by_reader |= is_first_read and holds_many_sessions(connector)
        if is_told_by_reader and sessions and row.role in TRANSCRIPTS:
            session = sessions[0].id
        version_id = None
        if content.version is not None:
            version_id = content.version.id
        if version_id is None or version_id == self._files.get(row.id).version_id:
            clear_problems(self._db, row.id, "reader")
        self._files.update(
            row.id,
            read_version=version_id,
            read_offset=reader.offset,
            state=reader.save(),
            reader_version=connector.version,
            status="read",
            session=session,
            completeness=completeness,
        )
        self._files.add_dependencies(row, content.asked, content.looked_for)

    # -- the parts of a session ----------------------------------------------------------------

    def _place(self, row: FileRow, part: Part | None) -> None:
        """Record the part of a session that a file is, before its first piece is written.

        The first part has the id of the session, and the first one of a name has that name: where
        another one is the first now, all of them are read again.
        """
        parts = Parts(self._db, row.agent)
        before = parts.of(row.id)
        if before == part:
            return
        known = [one for one in (before, part) if one is not None]
        firsts = [parts.firsts(one) for one in known]
        parts.save(row.id, part)
        for one, old in zip(known, firsts, strict=True):
            new = parts.firsts(one)
            if old.of_session != new.of_session:
                self._read_again(row, parts.files(one.session_id))
            elif old.of_name != new.of_name:
                self._read_again(row, parts.files(one.session_id, one.name))

    def _read_again(self, row: FileRow, files: list[int]) -> None:
        """Have parts read again, which may be another session now; `row` is read right now."""
        for file_id in files:
            if file_id != row.id:
                self.drop(self._files.get(file_id))
                self.stale.add(file_id)


def _keep(content: KeptContent) -> None:
    """Keep all bytes of a file that could not be read."""
    if isinstance(content, Capture):
        content.rewind()
        content.finish()


def _identity(row: FileRow) -> FileIdentity:
    return FileIdentity(row.name, row.path, row.role, row.session)


def _check_content(ledger: Ledger) -> None:
    statuses = {status for (status, _, _), (count, _) in ledger.counts.items() if count}
    if not statuses <= {"malformed"}:
        return
    reason = "it is empty"
    if ledger.troubles:
        reason = ledger.troubles[0].reason
    raise NoContent(f"{reason}; the content of an earlier version is kept")
