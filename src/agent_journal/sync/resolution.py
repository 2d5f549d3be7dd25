"""Several files that say the same: which of them are read, once one of them was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.connectors.base import TRANSCRIPTS, Connector
from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import (
    release_savepoint,
    revert_to_savepoint,
    set_savepoint,
)
from agent_journal.store.catalog.derived import drop_session_rows
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import ARCHIVE_DAMAGED, replace_problem
from agent_journal.store.catalog.prompt_copies import drop_repeated_prompts
from agent_journal.store.content import KeptContent
from agent_journal.sync.batches import Batches
from agent_journal.sync.copies import (
    Roots,
    begins_with,
    candidates,
    holds_many_sessions,
    mark_copy,
)
from agent_journal.sync.side_files import SideFiles

if TYPE_CHECKING:
    from agent_journal.sync.reading import FileReading


class Resolution:
    """Sets copies aside, and reads others again in their place."""

    def __init__(
        self, reading: FileReading, files: Files, archive: Archive, batches: Batches
    ) -> None:
        self._reading = reading
        self._db = files.db
        self._files = files
        self._archive = archive
        self._batches = batches
        self._roots = Roots(files)
        self._side_files = SideFiles(files, archive, self._roots)
        self.compared: set[int] = set()  # files of which another one may be read instead

    def resolve(self, connector: Connector, row: FileRow) -> None:
        """Read one of several files that say the same, and keep the others."""
        if row.role in TRANSCRIPTS and self._files.get(row.id).session is not None:
            self._resolve_copies(connector, row)
        elif row.role == "document" and self._files.has_edits(row.id):
            self._resolve_edits(connector, row)
        elif row.role != "kept":
            self._resolve_side_files(connector, row)

    def _resolve_copies(self, connector: Connector, row: FileRow) -> None:
        """Of several transcripts of the session, keep the rows of the best one only."""
        # Another one may have become the best of the session that this one was taken for before.
        for session in dict.fromkeys((row.session, self._files.get(row.id).session)):
            if session is not None:
                self._resolve_copies_of(connector, row.agent, session)
        if holds_many_sessions(connector):
            self.resolve_exports(connector, row.agent)

    def resolve_exports(self, connector: Connector, agent: str) -> None:
        """Read the best export of each session that no history has; keep the others."""
        for export in self._files.exports(agent):
            assert export.session is not None
            if self._files.is_in_own_file(agent, export.session):
                self._set_aside(export)
                continue
            best, _ = candidates(self._files, agent, export.session, self._can_be_read)
            if best != export:
                self._set_aside(export)
            elif export.status == "copy":
                self._read_nested(connector, export, self._kept(export))

    def _resolve_copies_of(self, connector: Connector, agent: str, session: str) -> None:
        best, others = candidates(self._files, agent, session, self._can_be_read)
        if best is None:
            return
        if best.role == "export" and holds_many_sessions(connector):
            return  # a history may have it among others
        apart = []
        for other in others:
            if not self._is_copy(connector, other, best):
                apart.append(other)
            else:
                self._set_aside(other)
        if apart:
            self._share(connector, [best, *apart])
        elif best.status == "copy":
            # What was read until now may have become less than what was set aside
            self._reading.read(connector, best, self._kept(best))
        elif holds_many_sessions(connector) and not self._files.has_session(best, session):
            # Another one had what they shared, and was rewritten
            self._read_again(connector, best, self._kept(best))

    def _set_aside(self, row: FileRow) -> None:
        """Keep a file as a copy, without its rows."""
        if row.status == "read":
            self.compared.add(row.id)
            read_with = self._files.dependencies(row.id)
            self._reading.drop(row)
            mark_copy(self._files, row)
            # When one of them changes, the copy is compared again
            self._files.add_dependencies(row, read_with)

    def _resolve_edits(self, connector: Connector, row: FileRow) -> None:
        """Of several records of a session's edits, in folders that were copied, read the best."""
        best, others = self._roots.candidates(row, self._can_be_read)
        for other in others:
            self._set_aside(other)
        if best is not None and best.status == "copy":
            self._reading.read(connector, best, self._kept(best))

    def _resolve_side_files(self, connector: Connector, row: FileRow) -> None:
        """Of plans, todo lists and prompt histories in copied folders, read what differs."""
        for copy in self._side_files.leftovers(row):
            self._read_again(connector, copy, self._side_files.content(copy))
        settled = self._side_files.settle(row)
        if settled is None:
            return
        for copy in settled.copies:
            self._set_aside(copy)
        is_rewritten = row.read_offset == 0 and row.reader_version is not None
        has_less = len(settled.read) > 1 and (is_rewritten or settled.has_changed)
        for one in settled.read:
            # Its prompts may have been dropped because another one had them
            if one.status == "copy" or has_less:
                self._read_again(connector, one, self._side_files.content(one))
        drop_repeated_prompts(self._db, [one.id for one in settled.read])

    def _read_again(self, connector: Connector, row: FileRow, content: KeptContent) -> None:
        """Read a file from the beginning because another one was read."""
        if self._read_anew(connector, row, content):
            is_finished = row.id not in self._reading.unfinished
            self._files.update(row.id, is_current=row.is_current and is_finished)

    def _read_anew(self, connector: Connector, row: FileRow, content: KeptContent) -> bool:
        """Replace what was read from a file; where it is damaged, that stays, and it is False."""
        set_savepoint(self._db)
        try:
            self._reading.drop(row)
            self._read_nested(connector, row, content)
        except JournalDamaged as error:
            revert_to_savepoint(self._db)
            self._note_damage(row, error)
            return False
        release_savepoint(self._db)
        return True

    def _read_nested(self, connector: Connector, row: FileRow, content: KeptContent) -> None:
        self._reading.read_nested(connector, self._files.get(row.id), content)

    def _share(self, connector: Connector, rows: list[FileRow]) -> None:
        """Read copies that went on in several places: what they share from the first one only."""
        shared: set[int] = set()
        self.compared.update(row.id for row in rows)
        for row in sorted(rows, key=lambda row: row.path):
            self._read_anew(connector, row, self._kept(row))
            sessions = set(self._files.sessions_of(row.id))
            for session_id in sessions & shared:
                self._batches.freed_keys |= drop_session_rows(self._db, session_id, row.id)
            shared |= sessions
        self._batches.touched |= shared

    def _is_copy(self, connector: Connector, row: FileRow, best: FileRow) -> bool:
        """Whether all that a file has is in the best one, too."""
        if not holds_many_sessions(connector) or row.role == "export":
            return True
        try:
            return begins_with(self._kept(best), self._kept(row))
        except JournalDamaged:
            return row.status == "copy"  # what was read from one of them stays

    def _can_be_read(self, row: FileRow) -> bool:
        """Whether a file was read, or the archive has all bytes to read it from."""
        if row.status != "copy":
            return True
        try:
            self._kept(row).check()
        except JournalDamaged as error:
            self._note_damage(row, error)
            return False
        return True

    def _note_damage(self, row: FileRow, error: JournalDamaged) -> None:
        """Record that a file cannot be read from the archive; the next sync tries again."""
        replace_problem(self._db, row, "file", f"{ARCHIVE_DAMAGED}{error.message}")
        self._files.update(row.id, is_current=0)

    def _kept(self, row: FileRow) -> KeptContent:
        return KeptContent(self._files, self._archive, row)
