"""Runs a sync and reports what it did. Imports no click: `aj sync` alone comes here directly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agent_journal.cli.output import ProgressBar, note, print_json
from agent_journal.journal import Journal
from agent_journal.text.human import human_size, plural

if TYPE_CHECKING:
    from agent_journal.sync.report import Report

_LONGEST_WAIT = 3600  # seconds
_STRICT_EXIT = 3
RESTORE_VERSIONS = "'aj restore --all --all-versions' writes all versions"


def sync_and_report(
    agents: tuple[str, ...] = (),
    *,
    full: bool = False,
    is_strict: bool = False,
    is_waiting: bool = True,
    as_json: bool = False,
    index: bool = True,
    rebuild: bool = False,
    embed: bool = False,
) -> int:
    """Sync, report what happened, and return the exit code."""
    bar = ProgressBar("reading")
    with Journal.open() as journal:
        is_first = not os.path.exists(journal.config.archive_path)
        for warning in journal.config.warnings:
            note(f"aj: {warning}")
        try:
            report = journal.sync(
                agents or None,
                full=full,
                wait=_LONGEST_WAIT if is_waiting else 0,
                progress=bar,
                waiting=lambda holder: note(f"waiting for another aj to finish ({holder})"),
                index=index,
                rebuild=rebuild,
            )
        finally:
            bar.done()
        if embed:
            _embed(journal)
        if as_json:
            from agent_journal.answers.sync import sync_answer

            print_json(sync_answer(report))
        else:
            _print_report(report)
            if is_first:
                from agent_journal.cli.views.first_sync import print_first_sync

                print_first_sync(journal)
    if is_strict and report.problems:
        return _STRICT_EXIT
    return 0


def left_sessions(count: int) -> str:
    """Say how many sessions were in files that the agent has rewritten since."""
    if count == 1:
        return "1 session is only in an earlier version of its file"
    return f"{count:,} sessions are only in earlier versions of their files"


def _print_report(report: Report) -> None:
    parts = [plural(report.sessions, "session"), f"{report.new_sessions:,} new"]
    if report.changed_files:
        files = plural(report.changed_files, "file")
        parts.append(f"{files} read ({human_size(report.read_bytes)}, {report.seconds:.1f} s)")
    if report.rewritten_files:
        files = plural(report.rewritten_files, "file")
        parts.append(f"{files} rewritten by the agent (the earlier version is kept)")
    if report.rewritten_lost:
        files = plural(report.rewritten_lost, "file")
        lost = "the archive has lost bytes of the earlier version"
        parts.append(f"{files} rewritten by the agent ({lost})")
    if report.repaired_parts:
        parts.append(f"{plural(report.repaired_parts, 'damaged part')} of the archive repaired")
    if report.vanished_files:
        parts.append(_vanished(report))
    if report.unfinished_files:
        files = plural(report.unfinished_files, "large file")
        left = human_size(report.unread_bytes)
        parts.append(f"{left} of {files} left for the next sync")
    if report.problems:
        parts.append(f"{plural(report.problems, 'problem')} (aj doctor)")
    note(", ".join(parts))
    _print_remarks(report)


def _vanished(report: Report) -> str:
    files = plural(report.vanished_files, "file")
    if report.lost_files:
        return f"{files} deleted by the agent"
    return f"{files} deleted by the agent, kept here"


def _print_remarks(report: Report) -> None:
    """Print what a person should know beside the counts."""
    if report.left_sessions:
        note(f"{left_sessions(report.left_sessions)}: {RESTORE_VERSIONS}")
    if report.other_copies:
        files = plural(report.other_copies, "kept file")
        note(f"{files} with messages of a session that are not shown: see 'aj doctor'")
    if report.lost_files:
        note(f"the archive has lost bytes of {plural(report.lost_files, 'file')}: see 'aj doctor'")
    if report.trouble:
        note(f"aj: {report.trouble}")
    if not report.sessions and not report.changed_files:
        note("no sessions found; 'aj sources' shows where aj looks")


def _embed(journal: Journal) -> None:
    bar = ProgressBar("embedding")

    def show(done: int, total: int) -> None:
        bar.show(done, total, f"{done:,} of {total:,} texts")

    try:
        missing = journal.embed(show)
    finally:
        bar.done()
    if missing:
        note(f"{plural(missing, 'vector')} created")
    else:
        note("all vectors are up to date")
