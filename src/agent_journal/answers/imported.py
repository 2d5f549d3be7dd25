"""`imported`: what became of the files that were imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.sync.importing import Imported


class ImportedItem(TypedDict):
    """One file; `status` is `new`, `known`, `copy`, `refused` or `passed`."""

    path: str
    agent: str | None
    session: str | None
    status: str
    reason: str | None


def imported_answer(files: Sequence[Imported]) -> Answer:
    """Return what became of each file."""
    items = [
        ImportedItem(
            path=file.path,
            agent=file.agent,
            session=file.session,
            status=file.status,
            reason=file.reason,
        )
        for file in files
    ]
    refused = sum(file.status == "refused" for file in files)
    return whole_answer("imported", items, problems=refused)
