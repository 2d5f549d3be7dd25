"""`sync`: what a sync did."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.sync.report import Report


class SyncItem(TypedDict):
    """The result of one sync."""

    sessions: int
    new_sessions: int
    changed_files: int
    rewritten_files: int
    repaired_parts: int
    read_bytes: int
    vanished_files: int
    problems: int
    seconds: float
    unfinished_files: int
    unread_bytes: int
    left_sessions: int
    other_copies: int
    trouble: str


def sync_answer(report: Report) -> Answer:
    """Return the report of a sync."""
    item = SyncItem(
        sessions=report.sessions,
        new_sessions=report.new_sessions,
        changed_files=report.changed_files,
        rewritten_files=report.rewritten_files,
        repaired_parts=report.repaired_parts,
        read_bytes=report.read_bytes,
        vanished_files=report.vanished_files,
        problems=report.problems,
        seconds=report.seconds,
        unfinished_files=report.unfinished_files,
        unread_bytes=report.unread_bytes,
        left_sessions=report.left_sessions,
        other_copies=report.other_copies,
        trouble=report.trouble,
    )
    return whole_answer("sync", [item], problems=report.problems)
