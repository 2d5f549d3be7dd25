"""A sync and what it did, in words. Imports no click: `aj sync` alone comes here directly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.cli.output import ProgressBar, human_size, note, plural, print_json
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.sync.run import Report


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
    """Brings the journal up to date and says what happened; the exit code."""
    bar = ProgressBar("reading")
    with Journal.open() as journal:
        for warning in journal.config.warnings:
            note(f"aj: {warning}")
        try:
            report = journal.sync(
                agents or None,
                full=full,
                wait=3600 if is_waiting else 0,
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
        print_json("sync", [report._asdict()], problems=report.problems)
    else:
        _tell(report)
    return 3 if is_strict and report.problems else 0


def _tell(report: Report) -> None:
    parts = [plural(report.sessions, "session"), f"{report.new_sessions:,} new"]
    if report.changed_files:
        parts.append(
            f"{plural(report.changed_files, 'file')} read ({human_size(report.read_bytes)}, {report.seconds:.1f} s)"
        )
    if report.rewritten_files:
        parts.append(
            f"{plural(report.rewritten_files, 'file')} rewritten by the agent, the earlier version is kept"
        )
    if report.repaired_parts:
        parts.append(f"{plural(report.repaired_parts, 'damaged part')} of the archive kept again")
    if report.vanished_files:
        parts.append(f"{plural(report.vanished_files, 'file')} gone from disk, kept here")
    if report.problems:
        parts.append(f"{plural(report.problems, 'problem')} (aj doctor)")
    note(", ".join(parts))
    if report.trouble:
        note(f"aj: {report.trouble}")
    if not report.sessions and not report.changed_files:
        note("nothing was found; 'aj sources' shows where aj looks")


def _embed(journal: Journal) -> None:
    bar = ProgressBar("embedding")
    try:
        made = journal.embed(
            lambda done, total: bar.show(done, total, f"{done:,} of {total:,} texts")
        )
    finally:
        bar.done()
    note(
        f"{plural(made, 'text')} had no vector; all have one now"
        if made
        else "every text has its vector"
    )
