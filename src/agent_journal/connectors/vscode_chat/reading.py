"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import ROWS_MARK, FileIdentity, Reader
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.vscode_chat.document import (
    ReplayReader,
    SessionReader,
    WorkspaceReader,
)
from agent_journal.connectors.vscode_chat.editing import EditingReader
from agent_journal.connectors.vscode_chat.rows import DAMAGED, INDEX, DamagedReader, IndexReader
from agent_journal.connectors.vscode_chat.transcripts import TranscriptReader
from agent_journal.model import Document


def make_reader(file: FileIdentity, state: bytes | None) -> Reader:
    """The reader for a file of this agent."""
    if file.role == "replay":
        return ReplayReader(file)
    if file.role == "session":
        return SessionReader(file)
    if file.role == "log":
        return TranscriptReader(file, state)
    if file.role == "kept":
        return _kept(file)
    if file.name.endswith(ROWS_MARK + INDEX):
        return IndexReader(file)
    if file.name.endswith("/state.json"):
        return EditingReader(file)
    if file.name.endswith("/workspace.json"):
        return WorkspaceReader(file)
    if file.name.endswith(ROWS_MARK + DAMAGED):
        return DamagedReader(file)
    return KeptReader(file, "file", "not a file of this agent")


def _kept(file: FileIdentity) -> Reader:
    parts = file.name.split("/")
    for folder, kind in (("contents", "file-content"), ("chat-session-resources", "tool-result")):
        if folder in parts:
            at = parts.index(folder) + (-1 if folder == "contents" else 1)
            return KeptReader(
                file,
                kind,
                "",
                Document(session_id=parts[at], name="/".join(parts[at + 1 :]), kind=kind),
            )
    return KeptReader(file, "debug-log", "spans of the extension, kept as they are")
