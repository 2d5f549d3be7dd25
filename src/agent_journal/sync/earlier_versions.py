"""Sessions that a history no longer has: they are read from an earlier version of it.

What is read depends on which sessions all files and versions have, never on the order in which they
came: a session is read from the newest version of any file that has it, or else from the first
earlier one, by path, the newest first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from agent_journal.connectors import make_reader
from agent_journal.connectors.base import Connector, FileIdentity, Pause, Reader
from agent_journal.errors import JournalDamaged
from agent_journal.model import Event, Piece, Problem, Session
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.derived import drop_session_rows
from agent_journal.store.catalog.earlier_sessions import (
    EarlierSession,
    Stretch,
    earlier_sessions,
    is_looked_at,
    mark_read,
    mark_unread,
    row_id_of,
    save_sessions,
    shown_sessions,
)
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.piece_writer import PieceWriter
from agent_journal.store.catalog.versions import Version
from agent_journal.store.content import KeptContent
from agent_journal.sync.batches import Batches


class EarlierVersions:
    """Reads the sessions that only earlier versions of histories have."""

    def __init__(self, files: Files, archive: Archive, batches: Batches) -> None:
        self._files = files
        self._db = files.db
        self._archive = archive
        self._batches = batches

    def settle(self, connector: Connector) -> bool:
        """Read what only earlier versions have, and drop what newer ones have; if any changed."""
        for row in self._files.rewritten(connector.name):
            if row.role == "export":
                continue  # what it has is read from the agent's own file, if that has it
            for version in self._files.versions(row.id):
                if version.id != row.version_id and not is_looked_at(self._db, version.id):
                    self._look_at(connector, row, version)
        known = earlier_sessions(self._db, connector.name)
        wanted = self._wanted(connector.name, known)
        missing: dict[tuple[int, int], list[EarlierSession]] = defaultdict(list)
        has_changed = False
        for session in known:
            is_wanted = (session.file_id, session.version_id, session.uid) in wanted
            if session.is_read and not is_wanted:
                drop_earlier(self._db, self._batches, connector.name, session.file_id, session.uid)
                has_changed = True
            elif is_wanted and not session.is_read:
                missing[session.file_id, session.version_id].append(session)
        for (file_id, version_id), sessions in missing.items():
            self._read(connector, file_id, version_id, sessions)
        return has_changed or bool(missing)

    def _wanted(self, agent: str, known: list[EarlierSession]) -> set[tuple[int, int, str]]:
        if not known:
            return set()
        shown = shown_sessions(self._db, agent, known)
        wanted = set()
        for session in known:
            if session.uid in shown.uids or session.start in shown.starts:
                continue
            wanted.add((session.file_id, session.version_id, session.uid))
            shown.uids.add(session.uid)
            if session.start is not None:
                shown.starts.add(session.start)
        return wanted

    def _look_at(self, connector: Connector, row: FileRow, version: Version) -> None:
        """Record which sessions a version has."""
        reader = _reader(connector, row)
        starts = []
        try:
            for piece in self._pieces(reader, row, version):
                if isinstance(piece, Event) and piece.type == "run":
                    starts.append((piece.offset or 0, piece.session_id))
        except JournalDamaged:
            return  # the next sync tries again
        found = _with_stretches(list(reader.sessions()), starts, version.size)
        save_sessions(self._db, row.id, version.id, found)

    def _read(
        self, connector: Connector, file_id: int, version_id: int, sessions: list[EarlierSession]
    ) -> None:
        row = self._files.get(file_id)
        version = self._files.version(version_id)
        assert version is not None
        uids = {session.uid for session in sessions}
        reader = _reader(connector, row)
        writer = PieceWriter(self._db, row.agent, row.id)
        try:
            for piece in self._pieces(reader, row, version):
                if getattr(piece, "session_id", None) in uids:
                    writer.add(piece)
        except JournalDamaged:
            pass  # what could be read is shown
        writer.flush()
        writer.add_sessions([session for session in reader.sessions() if session.id in uids])
        self._batches.touched |= writer.touched
        for session in sessions:
            mark_read(self._db, file_id, version_id, session.uid)

    def _pieces(self, reader: Reader, row: FileRow, version: Version) -> Iterator[Piece]:
        content = KeptContent(self._files, self._archive, row, version)
        for piece in reader.read(content):
            if not isinstance(piece, Pause | Problem):
                yield piece


def drop_earlier(db: Connection, batches: Batches, agent: str, file_id: int, uid: str) -> None:
    """Remove the rows of a session of an earlier version: a newer one or another file has it."""
    mark_unread(db, file_id, uid)
    row_id = row_id_of(db, agent, uid)
    if row_id is not None:
        batches.freed_keys |= drop_session_rows(db, row_id, file_id)
        batches.touched.add(row_id)


def _reader(connector: Connector, row: FileRow) -> Reader:
    return make_reader(connector, FileIdentity(row.name, row.path, row.role, None), None)


def _with_stretches(
    sessions: list[Session], starts: list[tuple[int, str]], size: int
) -> list[tuple[Session, list[Stretch]]]:
    """Each session with the bytes from each of its starts to the next start of any."""
    if sessions and all(uid != sessions[0].id for _, uid in starts):
        starts = [(0, sessions[0].id), *starts]
    stretches: dict[str, list[Stretch]] = defaultdict(list)
    ends = [*(offset for offset, _ in starts[1:]), size]
    # Without any start, as in a version that is no history at all, there is only the end
    for (offset, uid), end in zip(starts, ends, strict=False):
        stretches[uid].append(Stretch(offset, end))
    return [(session, stretches[session.id]) for session in sessions]
