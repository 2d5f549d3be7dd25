"""How each agent takes up a session again: the command, without a shell, with ids that can be
nothing else.
"""

from __future__ import annotations

import ntpath
import os
import re
import shlex
from typing import NamedTuple

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}\Z")  # never an option, never a path


class ResumeMethod(NamedTuple):
    """An agent's own command, `{}` for the id, and the ids that it takes; or what to do where there
    is none.
    """

    title: str
    argv: tuple[str, ...] = ()
    ids: re.Pattern[str] = _UUID
    needs_folder: bool = True  # whether it looks for the session by the folder it is started in
    instead: str = ""


_VSCODE = "open its folder in VS Code: the session is in the history of the chat view"
WAYS = {
    "claude-code": ResumeMethod("Claude Code", ("claude", "--resume", "{}")),
    "copilot-cli": ResumeMethod(
        "Copilot CLI", ("copilot", "--resume={}"), _PLAIN, needs_folder=False
    ),
    "codex": ResumeMethod("Codex CLI", ("codex", "resume", "{}"), needs_folder=False),
    "gemini": ResumeMethod("Gemini CLI", ("gemini", "--resume", "{}")),
    "cursor": ResumeMethod(
        "Cursor",
        ("cursor-agent", "--resume={}"),
        _PLAIN,
        instead="open its folder in Cursor: it is in the chat history",
    ),
    "aider": ResumeMethod(
        "Aider",
        instead="run 'aider --restore-chat-history' in its folder: it goes on from the last session",
    ),
    "vscode-chat": ResumeMethod("VS Code", instead=_VSCODE),
    "vscode-export": ResumeMethod(
        "VS Code", instead="run Chat: Import Chat... in VS Code and pick the file"
    ),
}


class Command(NamedTuple):
    """What to run, and where."""

    argv: tuple[str, ...]
    folder: str | None  # None: the session does not tell

    def __str__(self) -> str:
        dashes = "-- " if self.folder and self.folder.startswith("-") else ""
        there = f"cd {dashes}{shlex.quote(self.folder)} && " if self.folder else ""
        return there + shlex.join(self.argv)


def command(agent: str, session_id: str, folder: str | None) -> Command | None:
    """The command that resumes a session; None where the agent has none, or the id is not one of
    its own.
    """
    way = WAYS.get(agent)
    if way is None or not way.argv or not way.ids.match(session_id):
        return None
    is_whole = folder is not None and (os.path.isabs(folder) or ntpath.isabs(folder))
    return Command(
        tuple(part.replace("{}", session_id) for part in way.argv), folder if is_whole else None
    )
