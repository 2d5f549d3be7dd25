"""What changed -> keep its bytes -> read it -> store it. Never deletes what an agent once wrote.

T1 commits rows, cursors and the length of the archive together; then the indexes catch up from
their watermark; T2 moves the watermark. After a crash at any point the next sync continues from the
last T1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from agent_journal import connectors
from agent_journal.errors import CatalogDamaged
from agent_journal.query.filters import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.damage import (
    forget_comparison,
    is_comparison_noted,
    noted_damage,
)
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.ledger import count_problems
from agent_journal.store.catalog.listing import (
    count_left_sessions,
    count_sessions,
    count_sessions_of_files,
)
from agent_journal.store.catalog.lost_bytes import lost_paths, note_lost_paths
from agent_journal.store.catalog.marks_stamp import update_marks
from agent_journal.store.catalog.packs import (
    closed_packs,
    has_undescribed,
    pack_lengths,
    pack_sizes,
)
from agent_journal.store.catalog.pruned import apply_decisions
from agent_journal.store.catalog.seen_mark import find_mark, is_saved
from agent_journal.store.catalog.store import (
    DB_NAME,
    mark_synced,
    open_writer,
    translated,
    write_lock,
)
from agent_journal.sync.discovery import Discovery
from agent_journal.sync.indexes import Index, catch_up, catch_up_words, drop_others
from agent_journal.sync.progress import Meter
from agent_journal.sync.report import Report, Totals
from agent_journal.sync.work import Progress, Work, has_new_bytes

if TYPE_CHECKING:
    from agent_journal.config.loading import Config
    from agent_journal.connectors.base import Env
    from agent_journal.store.archive import Archive
    from agent_journal.sync.budget import Budget
    from agent_journal.sync.healing import Damage
    from agent_journal.sync.word_process import WordProcess


FILE_SECONDS = 60.0  # of CPU time: to read, store and index a file
TWO_PROCESSES_BYTES = 16 * 2**20  # to read; with less, a second process costs more than it saves
_COMPARED = "verify found damage: every file was compared with its kept bytes"


class _Before(NamedTuple):
    """What there was when a sync began."""

    started: float
    sessions: int
    adopted: int  # the last file of the archive that the catalog did not have


def sync(
    config: Config,
    env: Env,
    *,
    agents: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] | None = None,
    full: bool = False,
    wait: float = 60.0,
    progress: Callable[[Progress], None] | None = None,
    waiting: Callable[[str], None] | None = None,
    find_indexes: Callable[[], Iterable[Index]] = tuple,
    rebuild: bool = False,
    file_seconds: float = FILE_SECONDS,
    begins: Callable[[], None] | None = None,
    skip_unknown: bool = False,
) -> Report:
    """Bring the journal up to date with the agents' folders.

    A damaged catalog is set aside and rebuilt from the archive; `rebuild` does so in any case. When
    verify found damaged bytes, every file is compared, as with `full`. With `files`, only these are
    looked at; UsageError names one that no agent has, unless `skip_unknown` leaves that to the
    report. The next sync goes on with a file that takes longer than `file_seconds` of CPU time.
    `begins` is called when no other process may write, and so is `find_indexes`.
    """
    names = list(agents or connectors.NAMES)
    paths = None
    if files is not None:
        paths = [os.fspath(path) for path in files]

    with write_lock(config.home, wait, waiting) as lock:

        def run(index_path: str, indexes: list[Index]) -> Report:
            db = open_writer(index_path)
            try:
                with translated(os.path.join(index_path, DB_NAME)):
                    meter = Meter(progress, [index.name for index in indexes])
                    sync_run = _Sync(db, config, env, full, meter, file_seconds, lock)
                    # Another folder: a catalog that is rebuilt, with everything
                    if paths is not None and index_path == config.index_path:
                        return sync_run.run_files(names, indexes, paths, skip_unknown)
                    return sync_run.run(names, indexes)
            finally:
                db.close()

        if begins is not None:
            begins()
        is_partial = agents is not None or paths is not None or not config.reads_sources
        is_hurried = is_partial or file_seconds < FILE_SECONDS
        has_note = not is_hurried and is_comparison_noted(config.index_path)
        full = full or has_note
        report = _run_or_rebuild(config, run, list(find_indexes()), rebuild)
        if full and not is_hurried:
            forget_comparison(config.index_path)
        if has_note:
            report = report._replace(trouble="; ".join(filter(None, [_COMPARED, report.trouble])))
        return report


def _run_or_rebuild(
    config: Config, run: Callable[[str, list[Index]], Report], indexes: list[Index], rebuild: bool
) -> Report:
    reason = _reason_to_rebuild(config, rebuild)
    if reason is None:
        try:
            return run(config.index_path, indexes)
        except CatalogDamaged as error:
            reason = error.message
    from agent_journal.sync.rebuilding import rebuild_catalog

    report, done = rebuild_catalog(config, lambda folder: run(folder, []), is_damaged=bool(reason))
    drop_others(config, indexes)
    trouble = run(config.index_path, indexes).trouble  # the indexes follow
    troubles = dict.fromkeys([reason, done, report.trouble, trouble])
    return report._replace(trouble="; ".join(filter(None, troubles)))


def _reason_to_rebuild(config: Config, is_asked_for: bool) -> str | None:
    """Why the catalog has to be rebuilt before anything else; None when it does not."""
    path = os.path.join(config.index_path, DB_NAME)
    try:
        is_missing = os.path.getsize(path) == 0
    except OSError:
        is_missing = True
    if is_missing and pack_sizes(config.archive_path):
        return f"{path} was missing"
    if is_asked_for:
        return ""
    return noted_damage(config.index_path)


class _Sync:
    def __init__(
        self,
        db: Connection,
        config: Config,
        env: Env,
        full: bool,
        meter: Meter,
        file_seconds: float,
        lock: int,
    ) -> None:
        self.file_seconds = file_seconds
        self.lock = lock
        self.word_process: WordProcess | None = None
        self.budget: Budget | None = None
        self.db = db
        self.config = config
        self.full = full
        self.files = Files(db)
        self.meter = meter
        self.discovery = Discovery(self.files, config, env, full)
        self.is_recovered = False

    def run(self, agents: list[str], indexes: list[Index]) -> Report:
        """Look for everything that is new."""
        before = self._begin()
        damage = self._find_damage()
        work = self.discovery.changes(agents, self.meter.find)
        has_changed = bool(work)
        totals = Totals()
        self.meter.plan(work)
        self._start_word_process(work, indexes)
        try:
            work = self._read_newest(work, totals, indexes)
            if self.word_process is not None:
                self.word_process.begin()
            while work:
                self._read(work, totals)
                work = self.discovery.changes_in_new_places(agents)
                self.meter.plan(work)
            totals.repaired += self._heal(agents, damage)
            if self.config.reads_sources:
                self.discovery.save_problems(agents)
                mark_synced(self.config.index_path)
            return self._end(before, has_changed, totals, indexes)
        finally:
            if self.word_process is not None:
                self.word_process.stop()

    def run_files(
        self, agents: list[str], indexes: list[Index], paths: list[str], skip_unknown: bool
    ) -> Report:
        """Read some files; what is known of everything else stays as it is."""
        from agent_journal.sync.named_files import NamedFiles

        before = self._begin()
        totals = Totals()
        named = NamedFiles(self.files, self.discovery, agents)
        work = named.changes(paths, skip_unknown)
        self.meter.plan(work)
        if work:
            self._read(work, totals)
        totals.unknown = named.unknown
        return self._end(before, bool(work), totals, indexes)

    def _begin(self) -> _Before:
        started = time.monotonic()
        before = _Before(started, count_sessions(self.db, Query()), self._recover())
        apply_decisions(self.files, self.config.home)
        return before

    def _end(
        self, before: _Before, has_changed: bool, totals: Totals, indexes: list[Index]
    ) -> Report:
        """What follows from the files that were read, and the report."""
        sessions = sessions_before = before.sessions
        if has_changed:
            from agent_journal.store.catalog.known_branches import note_branches
            from agent_journal.sync.projects import remember_projects

            remember_projects(self.db)
            note_branches(self.db)
            sessions = count_sessions(self.db, Query())
        if before.adopted:  # sessions that were in the archive are not new
            sessions_before = max(sessions_before, count_sessions_of_files(self.db, before.adopted))
        left_sessions = count_left_sessions(self.db, totals.in_rewritten)
        has_news = has_changed or self.discovery.vanished or self.full
        if has_news or not is_saved(self.db, self.config.seen_path):
            self._save_seen()
        marks_path = self.config.marks_path
        marks_trouble = update_marks(self.db, marks_path, has_news=has_changed or self.full)
        self.meter.end_reading()
        catch_up(self.db, indexes, self.config.archive_path, self.meter, self.word_process)
        rewritten_lost = self._count_lost(totals.rewritten)
        return Report(
            sessions=sessions,
            # A session can also become a sub-agent's, or one without messages
            new_sessions=max(0, sessions + left_sessions - sessions_before),
            changed_files=totals.changed,
            rewritten_files=len(totals.rewritten) - rewritten_lost,
            rewritten_lost=rewritten_lost,
            repaired_parts=totals.repaired,
            read_bytes=totals.read_bytes,
            vanished_files=self.discovery.vanished,
            problems=count_problems(self.db),
            seconds=time.monotonic() - before.started,
            unfinished_files=totals.unfinished,
            unread_bytes=totals.unread_bytes,
            left_sessions=left_sessions,
            other_copies=self._count_other_copies(totals.compared),
            lost_files=len(lost_paths(self.db, self.config)),
            trouble="; ".join(filter(None, (self._trouble(indexes), marks_trouble))),
            unknown_files=tuple(totals.unknown),
        )

    def _read_newest(self, work: list[Work], totals: Totals, indexes: list[Index]) -> list[Work]:
        """Have the newest sessions listed and found at once; what is left to be read."""
        if not work:
            return work
        from agent_journal.sync import newest

        if not has_new_bytes(work, newest.LEAST_BYTES, self.files.paths_of):
            return work
        split = newest.split_newest(work)
        for step in split.steps:
            self._read(step, totals)
            self._index_newest(indexes)
        return split.rest

    def _index_newest(self, indexes: list[Index]) -> None:
        """Have the words of what was just read found."""
        if self.word_process is not None and self.word_process.has_begun:
            self.word_process.ask()
            return
        # At first here: a process that has just started would take longer
        catch_up_words(self.db, indexes, self.meter)
        if self.word_process is not None:
            self.word_process.begin()

    def _start_word_process(self, work: list[Work], indexes: list[Index]) -> None:
        """Have words indexed in a second process if there is much to read."""
        if has_new_bytes(work, TWO_PROCESSES_BYTES, self.files.paths_of):
            from agent_journal.sync.word_process import start_word_process

            process = start_word_process(self.config, self.db, indexes, self.meter, self.lock)
            self.word_process = process

    def _read(self, work: list[Work], totals: Totals) -> None:
        from agent_journal.sync.budget import Budget
        from agent_journal.sync.intake import Intake  # the heavy half: archive, msgspec

        self.budget = self.budget or Budget(self.file_seconds)
        process = self.word_process
        notice_commit = None if process is None else process.notice_commit
        intake = Intake(self.db, self._archive(), self.full, self.meter, self.budget, notice_commit)
        intake.run(work)
        totals.add(intake)

    def _count_other_copies(self, compared: set[int]) -> int:
        """How many of these files have messages of a session that is read from another one."""
        if not compared:
            return 0
        from agent_journal.sync.other_copies import count_other_copies

        return count_other_copies(self.files, self.config.archive_path, compared)

    def _count_lost(self, versions: list[int]) -> int:
        """How many versions the archive has lost bytes of."""
        if not versions:
            return 0
        from agent_journal.store.content import count_lost

        return count_lost(self.files, self.config.archive_path, versions)

    def _archive(self) -> Archive:
        from agent_journal.store.archive import Archive

        return Archive(self.config.archive_path, closed_packs(self.db))

    def _recover(self) -> int:
        """Add what the archive holds beyond the catalog, after a crash or when it was lost.

        Returns the id of the last file then; 0 when there was nothing to add.
        """
        adopted = 0
        is_behind = pack_sizes(self.config.archive_path) != pack_lengths(self.db)
        if is_behind:
            from agent_journal.sync.recovery import adopt

            adopt(self.files, self._archive())
            adopted = max((row.id for row in self.files.all()), default=0)
        if is_behind or find_mark(self.db) is None:
            from agent_journal.store.catalog.seen import restore_seen

            restore_seen(self.db, self.config.seen_path)
            self.is_recovered = True
        return adopted

    def _save_seen(self) -> None:
        from agent_journal.store.catalog.seen import save_seen

        save_seen(self.db, self.config.seen_path, is_full=self.full)

    def _find_damage(self) -> Damage | None:
        """Look for headers of the archive that were damaged, before anything is kept again."""
        if not self.full:
            return None
        from agent_journal.sync.healing import find_damage

        return find_damage(self.files, self._archive())

    def _heal(self, agents: list[str], damage: Damage | None) -> int:
        """Complete the archive, and return how many parts of it were kept again."""
        repaired = 0
        if self.full:
            from agent_journal.sync.same_bytes import keep_from_others

            found = keep_from_others(self.files, self._archive())
            repaired = found.healed
            if set(agents) >= set(connectors.NAMES):  # the files of all were compared
                note_lost_paths(self.config.index_path, found.lost_paths)
        if damage is not None or has_undescribed(self.db):
            from agent_journal.sync.healing import heal

            repaired += heal(self.files, self._archive(), damage)
        return repaired

    def _trouble(self, indexes: list[Index]) -> str:
        troubles = [error.message for error in self.discovery.broken.values()]
        troubles += [index.trouble for index in indexes]
        if self.is_recovered or self.full:
            from agent_journal.store.catalog.seen import lost_versions_advice

            troubles.append(lost_versions_advice(self.db, self.config.seen_path))
        return "; ".join(filter(None, troubles))
