"""Which reader reads which file, by its name under the configuration folder."""

from __future__ import annotations

from agent_journal.connectors.base import FileIdentity, Reader
from agent_journal.connectors.claude_code.documents import (
    HistoryReader,
    MetaReader,
    PlanReader,
    StatsReader,
    TaskReader,
    TitleReader,
    TodosReader,
)
from agent_journal.connectors.claude_code.project_files import MemoryReader, SessionsIndexReader
from agent_journal.connectors.claude_code.transcript import TranscriptReader
from agent_journal.connectors.claude_code.web_export import WebExportReader
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.kept import KeptReader
from agent_journal.model import Document

_BY_FOLDER: dict[str, type[DocumentReader]] = {
    "tasks": TaskReader,
    "todos": TodosReader,
    "plans": PlanReader,
    "agent-memory": MemoryReader,
}
_KINDS_IN_SESSION = {"tool-results": "tool-result", "workflows": "workflow"}


def make_reader(file: FileIdentity, state: bytes | None) -> Reader:
    """The reader for a file of this agent."""
    if file.role == "log":
        if file.name == "history.jsonl":
            return HistoryReader(file, state)
        return TranscriptReader(file, state)
    # Journals of 0.2.0 have these as kept files
    if file.name.endswith("/sessions-index.json"):
        return SessionsIndexReader(file)
    if file.name.endswith(".md") and file.name.split("/")[-2:-1] == ["memory"]:
        return MemoryReader(file)
    if file.role == "session":
        return WebExportReader(file)
    if file.role == "kept":
        return _kept(file)
    return _document(file)


def _document(file: FileIdentity) -> Reader:
    if file.name == "stats-cache.json":
        return StatsReader(file)
    if file.name.endswith(".meta.json"):
        return MetaReader(file)
    if file.name.endswith("/custom-title.json"):
        return TitleReader(file)
    reader = _BY_FOLDER.get(file.name.partition("/")[0])
    if reader is None:
        return KeptReader(file, "file", "not a file of this agent")
    return reader(file)


def _kept(file: FileIdentity) -> Reader:
    parts = file.name.split("/")
    if parts[0] == "file-history" and len(parts) == 3:
        _, session_id, name = parts
        document = Document(session_id=session_id, name=f"file-history/{name}", kind="file-backup")
        return KeptReader(file, "file-backup", "", document)
    if parts[0] == "projects" and len(parts) > 4 and parts[3] in _KINDS_IN_SESSION:
        _, _, session_id, folder, *_ = parts
        name = "/".join(parts[3:])
        kind = _KINDS_IN_SESSION[folder]
        document = Document(session_id=session_id, name=name, kind=kind)
        return KeptReader(file, kind, "", document)
    if parts[0] == "paste-cache":
        return KeptReader(file, "paste", "a long paste, named by the prompt history")
    return _other_kept(file, parts[-1])


def _other_kept(file: FileIdentity, name: str) -> Reader:
    if name.endswith(".jsonl.backup"):
        return KeptReader(file, "backup", "a copy of a transcript")
    return KeptReader(file, "aliases", "other folders of the same project")
