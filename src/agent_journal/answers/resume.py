"""`resume`: the command that continues a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from agent_journal.answers.answer import Answer, whole_answer


class ResumeItem(TypedDict):
    """The command; `cwd` is null where the folder of the session is unknown."""

    agent: str
    session: str
    argv: list[str]
    cwd: str | None


def resume_answer(agent: str, session: str, argv: Sequence[str], folder: str | None) -> Answer:
    """Return the command that continues a session."""
    item = ResumeItem(agent=agent, session=session, argv=list(argv), cwd=folder)
    return whole_answer("resume", [item])
