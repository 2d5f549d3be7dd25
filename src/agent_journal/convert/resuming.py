"""Resume commands: an agent's own command for a session, to be run without a shell."""

from __future__ import annotations

import ntpath
import os
import re
import shlex
from typing import NamedTuple

from agent_journal.connectors import get_connector, is_agent
from agent_journal.connectors.hooks import ResumeMethod
from agent_journal.errors import JournalError


class Command(NamedTuple):
    """What to run, and in which folder."""

    argv: tuple[str, ...]
    folder: str | None  # None: the session does not say

    def __str__(self) -> str:
        command = shlex.join(self.argv)
        if not self.folder:
            return command
        dashes = "-- " if self.folder.startswith("-") else ""
        return f"cd {dashes}{shlex.quote(self.folder)} && {command}"


def find_method(agent: str) -> ResumeMethod | None:
    """How an agent resumes sessions; None when that is not known."""
    if not is_agent(agent):
        return None
    try:
        return get_connector(agent).resume_method
    except JournalError:  # the connector of another package, which fails
        return None


def get_method(agent: str) -> ResumeMethod:
    """How an agent resumes sessions; KeyError when that is not known."""
    method = find_method(agent)
    if method is None:
        raise KeyError(agent)
    return method


def command(agent: str, session_id: str, folder: str | None) -> Command | None:
    """The command that resumes a session.

    None where the agent has none, or where it would not accept the id.
    """
    method = find_method(agent)
    if method is None or not method.argv or not re.fullmatch(method.ids, session_id):
        return None
    argv = tuple(part.replace("{}", session_id) for part in method.argv)
    if folder is None or not (os.path.isabs(folder) or ntpath.isabs(folder)):
        return Command(argv, None)
    return Command(argv, folder)
