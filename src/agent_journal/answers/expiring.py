"""`expiring`: the sessions that their agents will delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer

if TYPE_CHECKING:
    from agent_journal.health.expiring import Expiring


class ExpiringItem(TypedDict):
    """A transcript that its agent will delete."""

    agent: str
    session: str
    title: str | None
    path: str
    size: int
    deleted_at: str | None
    is_due: bool
    kept: str
    unkept_bytes: int


def expiring_answer(found: Sequence[Expiring]) -> Answer:
    """Return the sessions, the first to be deleted first."""
    items = [
        ExpiringItem(
            agent=item.agent,
            session=item.session,
            title=item.title,
            path=item.path,
            size=item.size,
            deleted_at=iso_time(item.deleted_at),
            is_due=item.is_due,
            kept=item.state.status,
            unkept_bytes=item.state.unkept_bytes,
        )
        for item in found
    ]
    problems = sum(item.is_in_danger for item in found)
    return whole_answer("expiring", items, problems=problems)
