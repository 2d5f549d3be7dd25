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
from agent_journal.connectors.vscode_chat.prompt_history import PromptHistoryReader
from agent_journal.connectors.vscode_chat.rows import (
    DAMAGED,
    HISTORY,
    INDEX,
    DamagedReader,
    IndexReader,
)
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
    if file.name.endswith(ROWS_MARK + HISTORY):
        return PromptHistoryReader(file)
    if file.name.endswith("/state.json"):
        return EditingReader(file)
    if file.name.endswith("/workspace.json"):
        return WorkspaceReader(file)
    if file.name.endswith(ROWS_MARK + DAMAGED):
        return DamagedReader(file)
    return KeptReader(file, "file", "not a file of this agent")


def _kept(file: FileIdentity) -> Reader:
    parts = file.name.split("/")
    if "contents" in parts:
        # …/chatEditingSessions/<session>/contents/<hash>
        session_at = parts.index("contents") - 1
        kind = "file-content"
    elif "chat-session-resources" in parts:
        # …/chat-session-resources/<session>/<call>/content.txt
        session_at = parts.index("chat-session-resources") + 1
        kind = "tool-result"
    else:
        return KeptReader(file, "debug-log", "spans of the extension, kept but not read")
    name = "/".join(parts[session_at + 1 :])
    document = Document(session_id=parts[session_at], name=name, kind=kind)
    return KeptReader(file, kind, "", document)
