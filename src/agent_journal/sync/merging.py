"""Adding another journal to ours: one of another machine, or a backup.

The other one is never written. What its archive has is copied into ours, file by file; what follows
from it is read by the next sync of the archive. Running it again adds nothing, and completes one
that was killed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

from agent_journal.config.loading import Config
from agent_journal.errors import UsageError
from agent_journal.store.archive import Archive
from agent_journal.store.backup.contents import ARCHIVE
from agent_journal.store.backup.restoring import unpack
from agent_journal.store.catalog.connection import Connection, begin, commit, rollback
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.packs import closed_packs, save_lengths
from agent_journal.store.catalog.projects import add_projects, all_projects
from agent_journal.store.catalog.seen import lost_versions, restore_seen, save_seen
from agent_journal.store.catalog.store import open_writer, write_lock
from agent_journal.store.gaps import contents
from agent_journal.store.marks_file import merge_marks, read_marks
from agent_journal.store.pruned_file import (
    HIDDEN,
    NAME,
    PURGED,
    PURGING,
    Pruned,
    append_decisions,
    read_decisions,
)
from agent_journal.sync.merge_files import Added, FileMerge, Other
from agent_journal.sync.pruning import as_here
from agent_journal.sync.recovery import adopt

_WAIT = 60.0  # seconds for a sync to end
_BATCH = 64 * 2**20  # bytes between two commits
Tell = Callable[[int, int, str], None]  # done, total, path


class Merged(NamedTuple):
    """What was added, and what was not."""

    files: int  # of the other journal
    new_files: int  # of these, files of which something was added
    versions: int
    bytes: int
    proven_files: int  # of which every version is here now
    pruned_files: int  # that were left out: their sessions were deleted here
    marks: int
    lacking: list[str]  # what the other journal has lost


def merge_journal(config: Config, source: str, tell: Tell) -> Merged:
    """Copy what another journal has and ours does not; the caller has the archive read then."""
    with _opened(config, source) as (folder, lacking), write_lock(config.home, _WAIT):
        db = open_writer(config.index_path)
        with closing(db):
            return _Merge(config, db, folder, lacking).run(tell)


@contextmanager
def _opened(config: Config, source: str) -> Iterator[tuple[str, list[str]]]:
    """The folder of the other journal, and what is wrong with it; a file is unpacked."""
    if os.path.isdir(source):
        if os.path.realpath(source) == os.path.realpath(config.home):
            raise UsageError("this is the journal itself", "name another journal or a backup")
        if not os.path.isdir(os.path.join(source, ARCHIVE)):
            raise UsageError(
                f"{source} is neither a journal nor a backup",
                "name a folder with an archive, or a .tar.zst file of 'aj backup'",
            )
        yield source, []
        return
    with tempfile.TemporaryDirectory(prefix="aj-import-") as folder:
        files = unpack(source, folder, lambda done, total, name: None)
        yield folder, [f"{file.path}: {file.reason}" for file in files if file.reason]


class _Merge:
    def __init__(self, config: Config, db: Connection, folder: str, lacking: list[str]) -> None:
        self._config = config
        self._db = db
        self._folder = folder
        self._lacking = lacking
        self._decisions_path = os.path.join(config.home, NAME)
        self._archive = Archive(config.archive_path, closed_packs(db))
        self._other_archive = Archive(os.path.join(folder, ARCHIVE))

    def run(self, tell: Tell) -> Merged:
        """Merge what users said first: it decides what is left out."""
        self._merge_decisions()
        marks = self._merge_marks()
        with tempfile.TemporaryDirectory(prefix="aj-merge-") as scratch:
            theirs = open_writer(scratch, is_scratch=True)
            with closing(theirs), closing(self._archive), closing(self._other_archive):
                others = self._others(theirs)
                return self._add(others, Files(theirs), tell)._replace(marks=marks)

    def _merge_decisions(self) -> None:
        """Follow what was decided there later than here; what was deleted here stays so."""
        path = self._decisions_path
        decisions = read_decisions(path)
        final = {one.key for one in decisions.in_force(PURGED, PURGING)}
        others = read_decisions(os.path.join(self._folder, NAME)).all.values()
        new = [one for one in others if one.key not in final and decisions.add(one)]
        # What was deleted there is hidden here, where its bytes may be
        hidden = [
            one._replace(state=HIDDEN) if one.state in (PURGED, PURGING) else one for one in new
        ]
        append_decisions(path, [as_here(self._db, one) for one in hidden])

    def _merge_marks(self) -> int:
        """Add marks of the other journal, and return how many; none of sessions deleted here."""
        deleted = read_decisions(self._decisions_path).in_force(PURGED, PURGING)
        left_out = {decision.key for decision in deleted}
        marks = read_marks(os.path.join(self._folder, "marks.jsonl")).marks
        wanted = [mark for mark in marks if (mark.agent, mark.session_id) not in left_out]
        return len(merge_marks(self._config.marks_path, wanted))

    def _others(self, theirs: Connection) -> list[Other]:
        """The files of the other journal, from its archive alone."""
        files = Files(theirs)
        adopt(files, self._other_archive)
        seen = os.path.join(self._folder, "seen.jsonl")
        restore_seen(theirs, seen)
        gaps = contents(self._other_archive, closed_packs(theirs)).gaps
        if gaps:
            size = sum(gap.size for gap in gaps)
            self._lacking.append(f"{size:,} bytes of its archive cannot be read")
        for path, number in lost_versions(theirs, seen):
            self._lacking.append(f"{path}: version {number} is not in its archive")
        rows = files.kept()
        for row in rows:
            if not _can_be_a_file(row):
                self._lacking.append(f"{row.path}: no agent has a file of this name")
        return [Other(row, files.versions(row.id)) for row in rows if _can_be_a_file(row)]

    def _add(self, others: list[Other], theirs: Files, tell: Tell) -> Merged:
        ours = Files(self._db)
        merge = FileMerge(ours, self._archive, theirs, self._other_archive)
        pruned = Pruned(read_decisions(self._decisions_path).in_force(PURGED, PURGING))
        wanted = [other for other in others if not _is_left_out(other, pruned)]
        total = sum(map(_size, wanted))
        done = committed = new_files = 0
        sums = Added()
        begin(self._db)
        try:
            for other in wanted:
                tell(done, total, other.row.path)
                done += _size(other)
                added = merge.add(other)
                new_files += added.versions > 0
                sums = sums.plus(added)
                if added.lost:
                    self._lacking.append(f"{other.row.path}: {added.lost:,} bytes are lost")
                if done - committed >= _BATCH:
                    committed = done
                    self._commit()
                    begin(self._db)
            add_projects(self._db, all_projects(theirs.db))
            self._commit()
        except BaseException:
            rollback(self._db)
            raise
        save_seen(self._db, self._config.seen_path, is_full=True)
        return Merged(
            files=len(others),
            new_files=new_files,
            versions=sums.versions,
            bytes=sums.bytes,
            proven_files=sum(map(merge.has, wanted)),
            pruned_files=len(others) - len(wanted),
            marks=0,
            lacking=self._lacking,
        )

    def _commit(self) -> None:
        """Commit what was added, once its bytes are durable."""
        save_lengths(self._db, self._archive.flush())
        commit(self._db)


def _size(other: Other) -> int:
    return sum(version.size for version in other.versions)


def _can_be_a_file(row: FileRow) -> bool:
    """Whether an agent may have had it: an archive that somebody has made may say anything."""
    return row.agent.isprintable() and "\0" not in row.path


def _is_left_out(other: Other, deleted: Pruned) -> bool:
    """Whether a file is of a session that was deleted here for good."""
    row = other.row
    return deleted.has_file(row.agent, row.path, row.session, row.name)
