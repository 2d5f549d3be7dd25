"""`secrets`: where secrets are in sessions, masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.health.secrets import Leak


class SecretItem(TypedDict):
    """One secret in one session: where it occurs first, and how often."""

    agent: str
    session: str
    title: str | None
    place: str
    position: int | None
    kind: str
    masked: str
    times: int


def secrets_answer(leaks: Sequence[Leak]) -> Answer:
    """Return the secrets that were found."""
    items = [
        SecretItem(
            agent=leak.row.agent,
            session=leak.row.id,
            title=leak.title,
            place=leak.place,
            position=leak.position,
            kind=leak.kind,
            masked=leak.masked,
            times=leak.times,
        )
        for leak in leaks
    ]
    return whole_answer("secrets", items, problems=len(leaks))
