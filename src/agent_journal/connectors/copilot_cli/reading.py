"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import FileIdentity, Reader
from agent_journal.connectors.copilot_cli import databases, documents
from agent_journal.connectors.copilot_cli.events import EventsReader
from agent_journal.connectors.copilot_cli.sessions import session_of
from agent_journal.connectors.kept import KeptReader
from agent_journal.model import Document

_BY_NAME = {
    "workspace.yaml": documents.WorkspaceReader,
    "vscode.metadata.json": documents.VsCodeReader,
    "session.db": databases.SessionDbReader,
    "session-store.db": databases.StoreReader,
}


def reader_for(file: FileIdentity, state: bytes | None) -> Reader:
    """The reader for a file, by its role and name."""
    if file.role == "log":
        return EventsReader(file, state)
    folders, _, name = file.name.rpartition("/")
    folder = folders.rpartition("/")[2]
    if file.role == "kept":
        kind = _kept_kind(file.name)
        document = Document(session_id=session_of(file.name), name=file.name, kind=kind)
        return KeptReader(file, kind, "", document)
    if name in _BY_NAME:
        return _BY_NAME[name](file)
    if file.name.startswith("command-history-state"):
        return documents.HistoryReader(file)
    if file.name.startswith("history-session-state/"):
        return documents.LegacyReader(file)
    if folder in ("rewind-file-snapshots", "rewind-snapshots") and name == "index.json":
        return documents.RewindReader(file)
    if name == "plan.md" or (folder == "checkpoints" and name != "index.md"):
        return documents.PlanReader(file)
    return KeptReader(file, name, "repeats other files")


def _kept_kind(name: str) -> str:
    if "/backups/" in name:
        return "file-backup"
    if "/research/" in name:
        return "research"
    return "session-file"
