"""Databases of the agents: kept whole with their write-ahead logs, or only our rows of them."""

from __future__ import annotations

import os

from agent_journal.connectors.base import ROWS_MARK, Connector, Extract, stamp
from agent_journal.connectors.ledger import Ledger
from agent_journal.store.catalog.derived import drop_rows
from agent_journal.store.catalog.files import FileRow, Stamp
from agent_journal.store.catalog.ledger import add_ledger, add_problems, clear_problems
from agent_journal.store.content import KeptContent
from agent_journal.sync.extracts import CannotExtract, extracts_of, stamps, written
from agent_journal.sync.file_intake import FileIntake
from agent_journal.sync.work import Work

_STABLE_TRIES = 3


class DatabaseIntake:
    """Takes databases into the journal."""

    def __init__(self, intake: FileIntake) -> None:
        self._intake = intake
        self._files = intake.files

    # -- whole databases -----------------------------------------------------------------------

    def take_database(self, item: Work, row: FileRow) -> None:
        """Keep a database and its -wal until neither changes while it is copied, then read it."""
        is_changed = not row.is_current or row.reader_version != item.connector.version
        for _ in range(_STABLE_TRIES):
            kept = [self._keep_companion(item, suffix) for suffix in item.found.companions]
            with self._intake.capture(row) as capture:
                if capture.change not in ("same", "emptied"):
                    is_changed = True
                capture.finish()
            row = self._files.get(row.id)
            kept.append((row.path, capture.fingerprint))
            if all(_stamp(path) == fingerprint for path, fingerprint in kept):
                break
            is_changed = True
        if is_changed:
            self._intake.changed.add(row.id)
            content = KeptContent(self._files, self._intake.archive, row)
            self._intake.reading.read(item.connector, row, content)
        # A database is rewritten all the time: that is not counted
        self._intake.count(row._replace(version_id=None), capture)
        self._intake.finish(row, capture)

    def _keep_companion(self, item: Work, suffix: str) -> tuple[str, Stamp | None]:
        """Keep the -wal of a database; its path and fingerprint."""
        path = item.found.path + suffix
        if _stamp(path) is None:
            self._mark_vanished(item.connector.name, path)
            return path, None
        row = self._intake.row_of(item, item.found.name + suffix, path, "companion")
        with self._intake.capture(row) as capture:
            capture.finish()
            drop_rows(self._files, row.id)
            ledger = Ledger()
            ledger.add("mapped", "write-ahead log", capture.size)
            add_ledger(self._files.db, row, ledger)
            self._intake.finish(row, capture)
        return path, capture.fingerprint

    # -- rows of databases ---------------------------------------------------------------------

    def take_rows(self, item: Work, row: FileRow) -> None:
        """Keep and read each extract of a database that is mostly not ours as a file of its own."""
        found_as = (item.found.size, item.found.mtime_ns, item.found.inode)
        for suffix in item.found.companions:
            self._note_companion(item, suffix)
        prefix = row.path + ROWS_MARK
        known = self._files.extracts(row.agent, prefix)
        kept: dict[str, Stamp] = {}
        if not self._intake.full:
            kept = stamps(known, len(prefix))
        found: set[str] = set()
        damages: list[str] = []
        try:
            for extract in extracts_of(item.connector, row.path, kept):
                if isinstance(extract, str):
                    damages.append(extract)
                    continue
                found.add(prefix + extract.name)
                if extract.data is not None:
                    damages += self._take_extract(item.connector, row, extract)
        except CannotExtract as error:
            self._intake.give_up(row, str(error))
            return
        self._files.mark_vanished([part.id for part in known if part.path not in found])
        clear_problems(self._files.db, row.id)
        add_problems(self._files.db, row, [(None, "database", damage) for damage in damages])
        self._files.mark_current(row.id, found_as)

    def _take_extract(self, connector: Connector, row: FileRow, extract: Extract) -> list[str]:
        """Keep and read an extract; what is wrong with it."""
        name = f"{row.name}{ROWS_MARK}{extract.name}"
        path = f"{row.path}{ROWS_MARK}{extract.name}"
        if self._intake.reading.is_pruned(row.agent, path, extract.session_id, name):
            return []
        part = self._files.ensure(
            agent=row.agent,
            root=row.root,
            name=name,
            path=path,
            role=extract.role,
            session=extract.session_id,
            rank=extract.rank,
        )
        try:
            with written(connector, extract) as copy:
                self._intake.take_file(connector, part, copy)
        except CannotExtract as error:  # the other conversations of the database may well be whole
            return [f"{extract.name}: {error}"]
        if extract.stamp is not None:
            size, mtime_ns, inode = extract.stamp
            self._files.update(part.id, size=size, mtime_ns=mtime_ns, inode=inode)
        if self._intake.batches.is_full():
            self._intake.batches.next()
        return []

    def _note_companion(self, item: Work, suffix: str) -> None:
        """Record the fingerprint of the -wal, without keeping it."""
        path = item.found.path + suffix
        fingerprint = _stamp(path)
        if fingerprint is None:
            self._mark_vanished(item.connector.name, path)
            return
        row = self._intake.row_of(item, item.found.name + suffix, path, "companion")
        self._files.mark_current(row.id, fingerprint)

    def _mark_vanished(self, agent: str, path: str) -> None:
        row = self._files.find(agent, path)
        if row is not None:
            self._files.mark_vanished([row.id])


def _stamp(path: str) -> Stamp | None:
    try:
        return stamp(os.stat(path))
    except OSError:
        return None
