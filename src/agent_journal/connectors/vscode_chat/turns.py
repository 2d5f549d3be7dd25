"""A turn of a chat, and the ids that are given out while a chat is read."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from agent_journal.model import MessageState


class Turn(NamedTuple):
    """What is known of a turn besides its response."""

    agent: str
    session_id: str
    request_id: str
    answer_id: str
    time: datetime | None
    model: str | None
    state: MessageState | None
    stop_reason: str | None
    undone_after: str | None


class UniqueNames:
    """Ids given out in a session.

    An id that occurs again (a file edited by hand, a repeated turn) gets a number.
    """

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name, numbered if it was given out before."""
        number = self._seen.get(name, 0) + 1
        self._seen[name] = number
        unique = name
        while number > 1 and unique in self._seen:
            unique = f"{name}~{number}"
            number += 1
        self._seen.setdefault(unique, 1)
        return unique
