"""`pruned`: sessions that were pruned, or are to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer

if TYPE_CHECKING:
    from agent_journal.store.pruned_file import Decision


class PrunedItem(TypedDict):
    """One session; its sub-agents go with it."""

    agent: str
    session: str
    state: str
    title: str | None
    decided_at: str | None
    size: int | None


class PrunedExtra(TypedDict):
    """What stands beside the sessions."""

    freed_bytes: int
    shared_files: list[str]


def pruned_answer(
    decisions: Sequence[Decision], freed: int = 0, shared: Sequence[str] = ()
) -> Answer:
    """Return sessions with what was decided about them."""
    items = [
        PrunedItem(
            agent=decision.agent,
            session=decision.session,
            state=decision.state,
            title=decision.title,
            decided_at=iso_time(decision.at),
            size=decision.size or None,
        )
        for decision in decisions
        if decision.parent is None
    ]
    extra = PrunedExtra(freed_bytes=freed, shared_files=list(shared))
    return whole_answer("pruned", items, **extra)
