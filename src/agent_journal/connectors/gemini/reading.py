"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import FileIdentity, Reader
from agent_journal.connectors.gemini.chat import ChatReader
from agent_journal.connectors.gemini.conversation import AGENT
from agent_journal.connectors.gemini.documents import (
    FoldersReader,
    HistoryReader,
    PlanReader,
    RootReader,
    ShellHistoryReader,
)
from agent_journal.connectors.gemini.session import SessionReader
from agent_journal.connectors.kept import KeptReader
from agent_journal.model import Document

_READERS = {
    "projects.json": FoldersReader,
    "trustedFolders.json": FoldersReader,
    ".project_root": RootReader,
    "logs.json": HistoryReader,
    "shell_history": ShellHistoryReader,
}


def make_reader(file: FileIdentity, agent: str = AGENT) -> Reader:
    """Return the reader for a file of this agent, or of one that has its layout."""
    name = file.name.rpartition("/")[2]
    if file.role == "replay":
        return ChatReader(file, agent)
    if file.role == "session":
        return SessionReader(file, agent)
    if file.role == "kept":
        return _kept(file)
    if name in _READERS:
        return _READERS[name](file)
    if name.endswith(".md"):
        return PlanReader(file)
    return KeptReader(file, "file", "not a file of this agent")


def _kept(file: FileIdentity) -> Reader:
    *_, folder, owner, name = ("", "", *file.name.split("/"))
    if folder == "tool-outputs" and owner.startswith("session-"):
        document = Document(
            session_id=owner.removeprefix("session-"),
            name=f"{folder}/{owner}/{name}",
            kind="tool-result",
        )
        return KeptReader(file, "tool output", "", document)
    if "tool-outputs" in (folder, owner):
        reason = "the output of a tool, of a session it does not name"
        return KeptReader(file, "tool output", reason)
    reason = "a copy of the conversation, for the agent's own /restore and /resume"
    return KeptReader(file, "checkpoint", reason)
