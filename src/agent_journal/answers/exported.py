"""`exported`: files that sessions were written to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from agent_journal.answers.answer import Answer, whole_answer


class ExportedItem(TypedDict):
    """One session; `pages` where its HTML was split into several."""

    agent: str
    session: str
    path: str
    size: int
    format: str
    pages: NotRequired[int]


def exported_answer(items: Sequence[ExportedItem], unreadable_results: int) -> Answer:
    """Return what was written, and how much of it could not be read."""
    return whole_answer("exported", items, problems=unreadable_results)
