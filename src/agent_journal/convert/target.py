"""The contract of a target: a session and its sub-agents in, files and a report of losses out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from agent_journal.convert.losses import Losses
from agent_journal.model import Session


class NewIdentity(NamedTuple):
    """What is new in a converted session; tests fix it, so that the files are always the same."""

    session_id: str  # a random UUID, so that no session is overwritten
    now: datetime
    new_id: Callable[[], str]  # a UUID for each record; never the same twice
    made_by: str

    def origin(self, session: Session) -> dict[str, str]:
        """Where a session comes from, for a field that its new agent keeps and ignores."""
        return {"by": self.made_by, "agent": session.agent, "session": session.id}


class NewFile(NamedTuple):
    """A file to write, and its path below the output folder: never made of session text.

    is_appended: the content is one more line of a file that the agent shares among its sessions.
    """

    path: str
    content: bytes
    is_appended: bool = False


class Converted(NamedTuple):
    """A converted session."""

    session_id: str
    files: tuple[NewFile, ...]  # the first one is the session itself
    losses: Losses


class Target(Protocol):
    """An agent whose session files can be written. Pure: it reads and writes nothing."""

    name: str

    def convert(self, family: Sequence[Session], fresh: NewIdentity) -> Converted:
        """The session (first) and its sub-agents as the agent's own files."""
        ...
