"""Removing the bytes of pruned sessions from the journal, for good.

What is left of the packs that have such bytes is written to new packs, and the catalog is pointed
at these before the old ones are deleted: a kill at any point leaves a whole archive, and running
it again completes it. The indexes are dropped and rebuilt.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from contextlib import closing
from typing import NamedTuple

from agent_journal.config.loading import Config
from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.marks import forget_marks
from agent_journal.store.catalog.packs import closed_packs, pack_sizes
from agent_journal.store.catalog.pruned import files_of_decisions
from agent_journal.store.catalog.purging import compact, forget_files
from agent_journal.store.catalog.store import open_writer, write_lock
from agent_journal.store.catalog.versions import now_micros
from agent_journal.store.gaps import contents
from agent_journal.store.pruned_file import (
    HIDDEN,
    PURGED,
    PURGING,
    Decision,
    Decisions,
    file_key,
    read_decisions,
    write_decisions,
)
from agent_journal.store.rewriting import rewrite_packs
from agent_journal.store.seen_file import SeenFile
from agent_journal.sync.healing import describe_again
from agent_journal.sync.indexes import all_indexes, mirror
from agent_journal.sync.pruning import decisions_path

_WAIT = 60.0  # seconds for a sync to end
_OLD_CATALOGS = ("journal.db.set-aside-", "rebuilding", "lost", "differences")
Key = tuple[str, str]  # agent and path


class Purged(NamedTuple):
    """What a purge has removed."""

    sessions: int
    files: int
    freed: int  # bytes of the archive
    shared: list[str]  # paths of files that have something of the sessions, and stay
    packs: int  # that were read from end to end afterwards


def purge(config: Config, chosen: list[Decision]) -> Purged:
    """Remove everything of these hidden sessions; the caller rebuilds the indexes by a sync.

    The last thing that is written is that it is done.
    """
    with write_lock(config.home, _WAIT):
        path = decisions_path(config)
        decisions = read_decisions(path)
        _save(path, decisions, chosen, PURGING)
        before = sum(pack_sizes(config.archive_path).values())
        db = open_writer(config.index_path)
        with closing(db):
            files = Files(db)
            removed, shared = _files_to_remove(files, chosen, decisions)
            keys = {(row.agent, row.path) for row in removed}
            archive = Archive(config.archive_path, closed_packs(db))
            describe_again(files, archive, is_trusted=True)  # else damaged headers would be lost
            rewritten = rewrite_packs(Archive(config.archive_path), keys)
            _forget_seen(config, keys, chosen, decisions)
            forget_files(db, removed, [decision.key for decision in chosen], rewritten)
            if rewritten is not None:
                for number in rewritten.old:
                    os.unlink(archive.path(number))
            forget_marks(db, config.marks_path, {decision.key for decision in chosen})
            _remove_derived(config)
            compact(db)
        packs = _prove(config, keys)
        _save(path, decisions, [_without_traces(decision) for decision in chosen], PURGED)
        after = sum(pack_sizes(config.archive_path).values())
    return Purged(
        sessions=sum(decision.parent is None for decision in chosen),
        files=len(removed),
        freed=before - after,
        shared=[row.path for row in shared],
        packs=packs,
    )


def _save(path: str, decisions: Decisions, chosen: list[Decision], state: str) -> None:
    now = now_micros()
    for decision in chosen:
        decisions.all[decision.key] = decision._replace(state=state, at=max(now, decision.at + 1))
    write_decisions(path, decisions.all.values())


def _without_traces(decision: Decision) -> Decision:
    """A decision that says nothing of what the session was about."""
    return decision._replace(title=None, folder=None, size=0)


def _files_to_remove(
    files: Files, chosen: list[Decision], decisions: Decisions
) -> tuple[list[FileRow], list[FileRow]]:
    """The files that go, and those that have something of the sessions and stay."""
    keys = {decision.key for decision in chosen}
    others = [one for one in decisions.in_force(HIDDEN) if one.key not in keys]
    hidden = {key for decision in others for key in (*decision.own, *decision.shared)}
    own = {key for decision in chosen for key in decision.own}
    named = {key for decision in chosen for key in decision.shared}
    removed = []
    shared = []
    for row in files_of_decisions(files, chosen):
        key = file_key(row.agent, row.path)
        # One that is not named may have been a history with others, too, before it was moved
        is_only_theirs = key in own or (key not in named and not files.sessions_of(row.id))
        is_only_theirs |= _is_empty(files, row)
        if is_only_theirs and key not in hidden:
            removed.append(row)
        else:
            shared.append(row)
    return removed, shared


def _is_empty(files: Files, row: FileRow) -> bool:
    """Whether all sessions of a transcript were pruned, and it has nothing else."""
    if row.role not in TRANSCRIPTS or files.sessions_of(row.id):
        return False
    return not files.has_side_rows(row.id)


def _forget_seen(
    config: Config, keys: set[Key], chosen: list[Decision], decisions: Decisions
) -> None:
    """Remove the facts about files and folders that nothing else has."""
    seen = SeenFile(config.seen_path)
    folders = {decision.folder for decision in chosen} - {
        decision.folder for decision in decisions.in_force() if decision.title is not None
    }
    seen.remove(
        subject
        for subject in seen.facts
        if subject[1:3] in keys or (subject[0] == "project" and subject[1] in folders)
    )


def _remove_derived(config: Config) -> None:
    """Drop the indexes, and catalogs that were set aside."""
    for index in [*all_indexes(config), mirror(config)]:
        was_wanted = os.path.isdir(index.path)
        index.drop()
        if was_wanted and index.path == mirror(config).path:
            os.makedirs(index.path, mode=0o700)
    for name in os.listdir(config.index_path):
        if name.startswith(_OLD_CATALOGS):
            path = os.path.join(config.index_path, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)


def _prove(config: Config, keys: set[Key]) -> int:
    """Read all packs: no entry is about the files any more."""
    archive = Archive(config.archive_path)
    for described in contents(archive, ()).described:
        path = os.path.join(described.root, *described.name.split("/"))
        if (described.agent, path) in keys:
            raise JournalDamaged(
                f"the archive still has bytes of {path}", "run 'aj prune --purge' again"
            )
    return len(archive.lengths())
