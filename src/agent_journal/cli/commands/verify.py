"""`aj verify`: proof that nothing was lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import ProgressBar, echo, note, print_json
from agent_journal.errors import CannotWrite, JournalBusy, JournalDamaged
from agent_journal.journal import Journal
from agent_journal.store.catalog.damage import note_findings
from agent_journal.store.catalog.lost_bytes import note_lost_paths
from agent_journal.store.condemned import is_condemned, pardon
from agent_journal.text.human import human_size, plural
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.health.verify import Verification

_WAIT = 60.0  # seconds for a sync to end
_SHARED_MEMORY = "journal.db-shm"  # which readers change, too
_EMPTY_LOG = ("journal.db-wal", 0)  # which they make


@click.command()
@json_option
def verify(as_json: bool) -> int:
    """Verify that the journal is complete and unchanged.

    Reads every kept byte and checks its SHA-256; checks that every byte of every file is accounted
    for; derives the whole catalog again from the archive and compares; and checks the sums, the
    search index, the vectors, the index of lines and the tables of 'aj sql'. Exits with 1 if
    anything differs. The next 'aj sync' then heals it: what is derived is rebuilt, lost bytes are
    kept again while their files exist.

    \b
    Examples:
      aj verify
      aj verify --json
    """
    result = _verify()
    has_notes = result is not None and _leave_notes(result)
    if as_json:
        from agent_journal.answers.verify import verify_answer

        print_json(verify_answer(result))
    elif result is None:
        note("the journal is empty: there is nothing to verify")
    else:
        _print(result, has_notes)
    return int(result is not None and bool(result.differences))


def _verify() -> Verification | None:
    """Verify the journal; None when there is none.

    What a sync changes meanwhile looks like damage. So when something differs and there was a sync,
    the journal is verified again while no other process may write it.
    """
    with Journal.open() as journal:
        before = _written(journal)  # before the catalog is opened, as it is read as it is then
        marked = _condemned(journal)
        if not journal.exists:
            return None
        result: Verification | None = None
        try:
            result = _verify_once(journal)
        except JournalDamaged:
            if not _is_written(journal, before):
                raise
        if result is not None:
            is_sure = not result.differences or not _is_written(journal, before)
            if is_sure:
                return result
        from agent_journal.store.catalog.store import write_lock

        with write_lock(journal.config.home, _WAIT):
            journal.refresh()
            for folder in _condemned(journal) - marked:
                pardon(folder)  # it was compared with rows of another moment
            return _verify_once(journal)


def _condemned(journal: Journal) -> set[str]:
    """The folders of the indexes that are marked as damaged."""
    from agent_journal.sync.indexes import all_indexes

    return {index.path for index in all_indexes(journal.config) if is_condemned(index.path)}


def _is_written(journal: Journal, before: list[tuple[str, int, int]]) -> bool:
    """Whether another process writes the journal, or has since `before`."""
    from agent_journal.store.catalog.store import write_lock

    try:
        with write_lock(journal.config.home, 0.0):
            return _written(journal) != before
    except JournalBusy:
        return True
    except CannotWrite:  # a read-only disk
        return False


def _written(journal: Journal) -> list[tuple[str, int, int]]:
    """The size and time of each file that a sync changes."""
    found = []
    for folder in (journal.config.archive_path, journal.config.index_path):
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            stats = [(entry.name, entry.stat()) for entry in entries if entry.is_file()]
        except FileNotFoundError:  # removed just now
            continue
        found += [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
    return [state for state in found if state[0] != _SHARED_MEMORY and state[:2] != _EMPTY_LOG]


def _verify_once(journal: Journal) -> Verification:
    from agent_journal.health.verify import verify as verify_journal
    from agent_journal.sync.indexes import lexical, lines, mirror, vectors

    made, _ = vectors(journal.config)
    bar = ProgressBar("verifying")
    try:
        return verify_journal(
            journal.db,
            journal.archive,
            progress=bar,
            index=lexical(journal.config),
            mirror=mirror(journal.config),
            vectors=made,
            lines=lines(journal.config),
            seen_path=journal.config.seen_path,
            marks_path=journal.config.marks_path,
        )
    finally:
        bar.done()


def _leave_notes(result: Verification) -> bool:
    """Have the next sync heal what was found; false when the journal cannot be written."""
    findings = ""
    if result.differences:
        findings = plural(len(result.differences), "difference")
    with Journal.open() as journal:
        note_findings(journal.config.index_path, findings)
        note_lost_paths(journal.config.index_path, result.lost_paths)
        return result.cures.leave_notes(journal.config.index_path)


def _print(result: Verification, has_notes: bool) -> None:
    for difference in result.differences:
        echo(f"{safe(difference.where)}: {safe(difference.what)}")
    if result.differences:
        count = plural(len(result.differences), "difference")
        note(f"{count} found; {result.cures.advice(has_notes)}")
    else:
        kept = plural(result.files, "file")
        if result.versions != result.files:
            kept += f" in {plural(result.versions, 'version')}"
        note(f"{kept}, {human_size(result.bytes)}: all checksums match")
    _print_contents(result)
    if result.unfinished_files:
        files = plural(result.unfinished_files, "file")
        note(f"{files} not read to the end yet; run 'aj sync', then verify again")
    for agent in result.unread_agents:
        note(f"the sessions of {safe(agent)} were not derived again: its connector is missing")
    for agent in result.outdated_agents:
        note(
            f"the sessions of {safe(agent)} were read by an older version and not derived again; "
            "run 'aj sync', then verify again"
        )
    if not result.differences:
        sessions = plural(result.sessions, "session")
        note(
            f"{sessions} (including sub-agents and empty ones) rebuilt from the archive; "
            "the catalog matches"
        )


def _print_contents(result: Verification) -> None:
    """Print what there is beside the bytes that were checked."""
    if result.unkept_files:
        files = plural(result.unkept_files, "file")
        note(f"not kept, as they could never be read: {files} (aj doctor)")
    records = plural(result.records, "record")
    line = f"{records}: {result.unknown:,} unknown, {result.malformed:,} malformed"
    if result.pending_bytes:
        line += f", {human_size(result.pending_bytes)} of incomplete records"
    note(line)
    if result.marks:
        note(f"{plural(result.marks, 'mark')} of your own (stars, tags and titles)")
