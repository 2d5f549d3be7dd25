"""Imports files that people name: exports, sessions from other machines, single logs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import TRANSCRIPTS, FoundFile, stamp
from agent_journal.store.archive import Archive
from agent_journal.store.catalog import imports
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.marks_stamp import update_marks
from agent_journal.store.catalog.packs import closed_packs
from agent_journal.store.catalog.parts import Parts
from agent_journal.store.catalog.pruned import PRUNED_REASON, load_pruned
from agent_journal.store.catalog.seen import save_seen
from agent_journal.store.catalog.store import open_writer, translated, write_lock
from agent_journal.store.content import KeptContent
from agent_journal.store.marks_file import Mark, merge_marks
from agent_journal.sync.copies import holds_many_sessions
from agent_journal.sync.discovery import is_text
from agent_journal.sync.imported_folders import FoundInFolder, files_of_agent, files_to_import
from agent_journal.sync.imported_marks import marks_of_export
from agent_journal.sync.indexes import Index, all_indexes, catch_up
from agent_journal.sync.intake import Intake
from agent_journal.sync.projects import remember_projects
from agent_journal.sync.recognition import NotRecognised, Recognised, recognise, recognise_as
from agent_journal.sync.work import Work

_MAX_IDS = 500
_NOT_UTF8 = "its name is not UTF-8: rename it"


class Imported(NamedTuple):
    """What became of a file: the session it holds, or the reason why it was refused."""

    path: str
    agent: str | None
    session: str | None
    status: str  # new, known, copy, refused; passed for a file in a folder that is no session
    reason: str | None = None


def import_files(
    config: Config,
    paths: Iterable[str],
    *,
    agent: str | None = None,
    wait: float = 60.0,
    indexes: Iterable[Index] | None = None,
) -> list[Imported]:
    """Imports files, and all sessions below folders; as files of `agent` when it is given."""
    with write_lock(config.home, wait, None):
        db = open_writer(config.index_path)
        try:
            with translated(os.path.join(config.index_path, "journal.db")):
                run = _Import(db, config, agent)
                results = run.run(paths)
                remember_projects(db)
                save_seen(db, config.seen_path)
                merge_marks(config.marks_path, run.marks)
                update_marks(db, config.marks_path, has_news=True)
                if indexes is None:
                    indexes = all_indexes(config)
                catch_up(db, indexes, config.archive_path)
                return results
        finally:
            db.close()


class _Import:
    """One run of `aj import`; `results` are of the files that it refuses or passes over."""

    def __init__(
        self,
        db: Connection,
        config: Config,
        agent: str | None,
    ) -> None:
        self.db = db
        self.agent = agent
        self.files = Files(db)
        self.config = config
        self.archive = Archive(config.archive_path, closed_packs(db))
        self.results: list[Imported] = []
        self.marks: list[Mark] = []  # which exports have

    def run(self, paths: Iterable[str]) -> list[Imported]:
        work = self._plan(paths)
        rows_before = {item: self._row_of(item) for item in work}
        versions_before = {row.id: row.version_id for row in self._rows_in_databases(work)}
        Intake(self.db, self.archive, False).run(work)
        taken = [
            self._result(item, rows_before[item]) for item in work if item.found.role in TRANSCRIPTS
        ]
        for row in self._rows_in_databases(work):
            is_known = versions_before.get(row.id) == row.version_id
            taken.append(Imported(row.path, row.agent, row.session, _status(row, is_known)))
        return [*self.results, *taken]

    # -- which files ---------------------------------------------------------------------------

    def _plan(self, paths: Iterable[str]) -> list[Work]:
        """What to read: the files of agents' folders, single files, and exports last."""
        work: list[Work] = []
        exports: list[tuple[str, Recognised]] = []
        for found in self._found(paths):
            if isinstance(found.file, Work):
                if is_text(found.file.found.path):
                    work.append(found.file)
                else:
                    self._refuse(found.file.found.path, _NOT_UTF8)
                continue
            try:
                recognised = self._recognised(found.file)
                if recognised.role == "export":
                    exports.append((found.file, recognised))
                else:
                    self._check_sessions(recognised)
                    work.append(self._work(found.file, recognised))
            except OSError as error:
                self._refuse(found.file, error.strerror or str(error))
            except NotRecognised as error:
                status = "refused" if found.is_named else "passed"
                self._refuse(found.file, str(error), status)
        work.extend(self._exports(exports))
        return work

    def _found(self, paths: Iterable[str]) -> Iterator[FoundInFolder]:
        if self.agent is None:
            return files_to_import(paths, self._refuse)
        agent = self.agent

        def refuse(path: str, reason: str) -> None:
            self.results.append(Imported(_printable(path), agent, None, "refused", reason))

        return files_of_agent(paths, agent, refuse)

    def _recognised(self, path: str) -> Recognised:
        if not is_text(path):
            raise NotRecognised(_NOT_UTF8)
        if self.agent is not None:
            return recognise_as(path, self.agent)
        return self._as_copy(recognise(path))

    def _as_copy(self, found: Recognised) -> Recognised:
        """A chat all of whose messages are in a stored session is a copy of that session."""
        original = found.copy_of
        if original is None or not 0 < len(original.message_ids) <= _MAX_IDS:
            return found
        session = imports.session_with_messages(self.db, original.agent, original.message_ids)
        if session is None:
            return found
        return Recognised(original.agent, "session", session, original.rank)

    def _exports(self, exports: list[tuple[str, Recognised]]) -> Iterator[Work]:
        """The exports to read, those with most sessions first.

        A sub-agent that is also in a file of its own is read once.
        """
        read: dict[tuple[str, str], tuple[str, str | None]] = {}  # by (agent, session)
        for path, found in sorted(exports, key=lambda export: -len(export[1].sessions)):
            keys = [(found.agent, session) for session in found.sessions]
            others = {read[key] for key in keys if key in read}
            other = next((other for other, main in others if main != found.session_id), None)
            if other is not None:
                self._refuse(path, f"its sessions are also in {other}")
                continue
            try:
                self._check_sessions(found)
                yield self._work(path, found)
            except OSError as error:
                self._refuse(path, error.strerror or str(error))
            except NotRecognised as error:
                self._refuse(path, str(error))
            else:
                read.update(dict.fromkeys(keys, (path, found.session_id)))
                self.marks += marks_of_export(path, found.agent, found.sessions)

    def _check_sessions(self, found: Recognised) -> None:
        """Refuses an export with a session of another file, unless the whole would be a copy."""
        if imports.has_transcript(self.db, found.agent, found.session_id):
            return
        if self._is_in_history(found):
            return
        for session in found.sessions:
            path = imports.path_read_for(self.db, found.agent, session)
            if path is not None:
                raise NotRecognised(f"the journal already has its session {session}, from {path}")

    def _is_in_history(self, found: Recognised) -> bool:
        """Whether an export has one of the many sessions of a file that its agent wrote."""
        if not holds_many_sessions(get_connector(found.agent)):
            return False
        return self.files.is_in_own_file(found.agent, found.session_id)

    def _work(self, path: str, found: Recognised) -> Work:
        """The file with what it holds now; another chat of the same name is kept apart."""
        connector = get_connector(found.agent)
        folder, name = os.path.split(path)
        known = self.files.find(found.agent, path)
        stamped = stamp(os.stat(path))
        if known is None:
            file = FoundFile(path, name, found.role, *stamped, found.session_id, found.rank)
            return Work(connector, folder, file)
        part = Parts(self.db, found.agent).of(known.id)
        sessions = {known.session, part and part.session_id}
        if found.session_id in sessions and known.role == found.role:
            file = FoundFile(path, known.name, known.role, *stamped, known.session, known.rank)
            return Work(connector, known.root, file)
        if known.role == found.role == "log" and self._is_continued(known, path):
            file = FoundFile(path, known.name, known.role, *stamped, found.session_id, found.rank)
            return Work(connector, known.root, file, is_renamed=True)
        session = (found.session_id or "").encode("utf-8", "replace")
        suffix = "#as-" + hashlib.sha256(session).hexdigest()[:8]
        file = FoundFile(
            path + suffix, name + suffix, found.role, *stamped, found.session_id, found.rank
        )
        return Work(connector, folder, file, source=path)

    def _is_continued(self, known: FileRow, path: str) -> bool:
        """Whether a log is still the one that was kept; only its end may name the session."""
        kept = next(iter(KeptContent(self.files, self.archive, known).chunks()), b"")
        with open(path, "rb") as file:
            return kept != b"" and file.read(len(kept)) == kept

    # -- results -------------------------------------------------------------------------------

    def _refuse(self, path: str, reason: str, status: str = "refused") -> None:
        self.results.append(Imported(_printable(path), None, None, status, reason))

    def _row_of(self, item: Work) -> FileRow | None:
        return self.files.find(item.connector.name, item.found.path)

    def _rows_in_databases(self, work: Iterable[Work]) -> list[FileRow]:
        """The sessions that are in the databases among the files."""
        rows: list[FileRow] = []
        for item in work:
            if item.found.role == "rows":
                agent = item.connector.name
                rows += imports.transcripts_in_database(self.db, agent, item.found.path)
        return rows

    def _result(self, item: Work, before: FileRow | None) -> Imported:
        row = self._row_of(item)
        found = item.found
        pruned = load_pruned(self.db)
        if pruned is not None and pruned.has_file(
            item.connector.name, found.path, found.session_id, found.name
        ):
            return Imported(
                found.path, item.connector.name, found.session_id, "refused", PRUNED_REASON
            )
        if row is None or row.version_id is None:
            reason = "it could not be read"
            return Imported(item.found.path, item.connector.name, None, "refused", reason)
        problem = imports.reading_problem(self.db, row.id)
        if problem is not None:
            return Imported(row.path, row.agent, row.session, "refused", problem)
        sessions = imports.session_ids_in_file(self.db, row.id)
        if self.agent is not None and not sessions:
            reason = f"nothing in it can be read as a session of {self.agent}; its bytes are kept"
            return Imported(row.path, row.agent, None, "refused", reason)
        session = row.session
        if session not in sessions and sessions and row.status != "copy":
            session = sessions[0]  # what the file calls it may not be its id
        return Imported(row.path, row.agent, session, _status(row, _is_unchanged(before, row)))


def _is_unchanged(before: FileRow | None, after: FileRow) -> bool:
    if before is None or before.version_id != after.version_id or before.status != after.status:
        return False
    return after.status == "copy" or before.read_offset == after.read_offset


def _status(row: FileRow, is_known: bool) -> str:
    if is_known:
        return "known"
    return "copy" if row.status == "copy" else "new"


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
