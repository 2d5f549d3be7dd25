"""`verify`: whether the journal is complete and unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.health.verify import Verification


class DifferenceItem(TypedDict):
    """Something that is not as it should be."""

    where: str
    what: str


class VerifyItem(TypedDict):
    """What was checked, and what differs."""

    files: int
    unkept_files: int
    versions: int
    bytes: int
    records: int
    sessions: int
    marks: int
    unknown: int
    malformed: int
    pending_bytes: int
    differences: list[DifferenceItem]
    unread_agents: list[str]
    outdated_agents: list[str]
    unfinished_files: int


def verify_answer(result: Verification | None) -> Answer:
    """Return the result of a verification; nothing where there is no journal."""
    if result is None:
        return whole_answer("verify", [])
    item = VerifyItem(
        files=result.files,
        unkept_files=result.unkept_files,
        versions=result.versions,
        bytes=result.bytes,
        records=result.records,
        sessions=result.sessions,
        marks=result.marks,
        unknown=result.unknown,
        malformed=result.malformed,
        pending_bytes=result.pending_bytes,
        differences=[DifferenceItem(where=d.where, what=d.what) for d in result.differences],
        unread_agents=result.unread_agents,
        outdated_agents=result.outdated_agents,
        unfinished_files=result.unfinished_files,
    )
    return whole_answer("verify", [item], problems=len(result.differences))
