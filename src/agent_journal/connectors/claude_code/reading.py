"""Which reader reads which file, by its name under the configuration folder
(`tasks/<session>/1.json`).
"""

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
from agent_journal.connectors.claude_code.transcript import TranscriptReader
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.kept import KeptReader
from agent_journal.model import Document

_BY_FOLDER: dict[str, type[DocumentReader]] = {
    "tasks": TaskReader,
    "todos": TodosReader,
    "plans": PlanReader,
}
_IN_SESSION = {"tool-results": "tool-result", "workflows": "workflow"}


def make_reader(file: FileIdentity, state: bytes | None) -> Reader:
    """The reader for a file of this agent."""
    if file.role == "log":
        return (
            HistoryReader(file, state)
            if file.name == "history.jsonl"
            else TranscriptReader(file, state)
        )
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
    return (
        reader(file) if reader is not None else KeptReader(file, "file", "not a file of this agent")
    )


def _kept(file: FileIdentity) -> Reader:
    parts = file.name.split("/")
    if parts[0] == "file-history" and len(parts) == 3:
        document = Document(
            session_id=parts[1], name=f"file-history/{parts[2]}", kind="file-backup"
        )
        return KeptReader(file, "file-backup", "", document)
    if parts[0] == "projects" and len(parts) > 4 and parts[3] in _IN_SESSION:
        kind = _IN_SESSION[parts[3]]
        return KeptReader(
            file, kind, "", Document(session_id=parts[2], name="/".join(parts[3:]), kind=kind)
        )
    return KeptReader(file, *_reason(parts))


def _reason(parts: list[str]) -> tuple[str, str]:
    if parts[0] == "paste-cache":
        return "paste", "a long paste, named by the prompt history"
    if parts[-1].endswith(".jsonl.backup"):
        return "backup", "a copy of a transcript"
    if parts[-1] == "sessions-index.json":
        return "index", "an index of the sessions, often stale"
    if parts[-1] == ".session-aliases":
        return "aliases", "other folders of the same project"
    return "memory", "notes of the agent, not of a session"
