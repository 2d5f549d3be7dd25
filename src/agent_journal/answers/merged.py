"""`merged`: what another journal added to this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.sync.merging import Merged


class MergedItem(TypedDict):
    """One run."""

    files: int
    new_files: int
    versions: int
    bytes: int
    proven_files: int
    pruned_files: int
    marks: int
    sessions_before: int
    sessions: int
    lacking: list[str]


def merged_answer(merged: Merged, before: int, after: int) -> Answer:
    """Return what was added, and the number of sessions before and after."""
    item = MergedItem(
        files=merged.files,
        new_files=merged.new_files,
        versions=merged.versions,
        bytes=merged.bytes,
        proven_files=merged.proven_files,
        pruned_files=merged.pruned_files,
        marks=merged.marks,
        sessions_before=before,
        sessions=after,
        lacking=merged.lacking,
    )
    return whole_answer("merged", [item], problems=len(merged.lacking))
