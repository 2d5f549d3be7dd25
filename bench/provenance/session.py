"""An invented session, before a writer writes it as its agent would."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

Agent = Literal["claude-code", "codex", "copilot-cli", "gemini"]
AGENTS: tuple[Agent, ...] = ("claude-code", "codex", "copilot-cli", "gemini")


class Prompt(NamedTuple):
    """What the person asks for."""

    when: datetime
    text: str


class Edit(NamedTuple):
    """A change of a file by a tool. `before` is None for a new file."""

    when: datetime
    path: str
    before: str | None
    after: str
    is_whole: bool = False  # a tool that writes whole files
    has_failed: bool = False
    by_subagent: bool = False


class Shell(NamedTuple):
    """A command and what it printed."""

    when: datetime
    command: str
    output: str


Step = Prompt | Edit | Shell


class Session:
    """One session: its agent, its folder and what happened in it."""

    def __init__(self, agent: Agent, number: int, folder: str) -> None:
        self.agent = agent
        self.id = made_id("session", agent, folder, number)
        self.folder = folder
        self.steps: list[Step] = []

    @property
    def started(self) -> datetime:
        """When it began."""
        return self.steps[0].when

    @property
    def ended(self) -> datetime:
        """When its last step was."""
        return self.steps[-1].when


def made_id(*seed: object) -> str:
    """Return a UUID that follows from the seed."""
    digest = hashlib.sha256("\0".join(map(str, seed)).encode()).digest()
    return str(UUID(bytes=digest[:16], version=4))
