"""`restored`: original files that were written back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.store.restore import Restored


class RestoredItem(TypedDict):
    """One file."""

    path: str
    size: int
    is_new: bool
    reason: str | None


def restored_answer(files: Sequence[Restored]) -> Answer:
    """Return what was written, and what could not be."""
    items = [
        RestoredItem(path=file.path, size=file.size, is_new=file.is_new, reason=file.reason)
        for file in files
    ]
    failed = sum(file.reason is not None for file in files)
    return whole_answer("restored", items, problems=failed)
