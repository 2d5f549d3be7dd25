"""`installed`: what the settings of agents have of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from agent_journal.answers.answer import Answer, whole_answer


class InstalledItem(TypedDict):
    """Whether the settings of an agent start one of our commands.

    `state` is installed, absent, changed (another command), other (not ours) or unknown.
    """

    agent: str
    state: str
    path: str
    error: str | None


def installed_answer(items: Sequence[InstalledItem]) -> Answer:
    """Return what was found in the settings of agents."""
    return whole_answer("installed", items)


def installed_item(agent: str, state: str, path: str, error: str | None = None) -> InstalledItem:
    """Return what was found in one file."""
    return InstalledItem(agent=agent, state=state, path=path, error=error)
