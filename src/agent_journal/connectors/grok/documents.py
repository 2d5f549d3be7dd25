"""The files beside the logs.

summary.json           {"info":{"id":"0196…","cwd":"/home/sam/garden"},"session_summary":"Roses",…}
prompt_history.jsonl   {"timestamp":"…","session_id":"0196…","prompt":"Prune.","is_bash":false}
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import Content, FileIdentity, Reader
from agent_journal.connectors.grok import session_of
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.values import first_string, mapping, string, title_of
from agent_journal.model import Document, HistoryEntry, Piece, Session
from agent_journal.text.dates import parse_time

_TITLE_RANK = 40


def document_reader(file: FileIdentity) -> Reader:
    """The reader for a file that is not a log."""
    session_id = session_of(file.name)
    name = file.name.rpartition("/")[2]
    if file.role != "kept":
        return SummaryReader(file) if name == "summary.json" else HistoryReader(file)
    document = None
    if session_id is not None:
        document = Document(session_id=session_id, name=name, kind="terminal")
    return KeptReader(file, "terminal", "", document)


class SummaryReader(DocumentReader):
    """The title and the folder of a session, and which one it is from."""

    kind = "summary"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but a hint about the session."""
        summary = mapping(decode_document(data))
        info = mapping(summary.get("info"))
        session_id = session_of(self.file.name) or string(info.get("id"))
        if session_id is None:
            return ()
        title = title_of(first_string(summary, "session_summary", "generated_title"))
        kind = string(summary.get("session_kind")) or ""
        origin = string(summary.get("parent_session_id"))
        is_subagent = kind.startswith("subagent")
        model = string(summary.get("current_model_id"))
        hint = Session(
            agent="grok",
            id=session_id,
            title=title,
            title_rank=_TITLE_RANK if title else 0,
            title_source="summary" if title else None,
            project_path=string(info.get("cwd")),
            git_branch=string(summary.get("head_branch")),
            models=(model,) if model else (),
            started_at=parse_time(summary.get("created_at")),
            parent_id=origin if is_subagent else None,
            fork_of=None if is_subagent else origin,
            agent_name=kind if is_subagent else None,
            is_hint=True,
        )
        self.found_sessions.append(hint)
        return ()


class HistoryReader(DocumentReader):
    """The prompts that a person typed in a folder."""

    kind = "history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """An entry for each line that can be read."""
        entries = []
        for position, line in enumerate(data.splitlines()):
            try:
                entry = mapping(decode_document(line))
            except ValueError:
                continue  # half a line at the end, or damage: the others are read
            text = string(entry.get("prompt"))
            if text is not None:
                found = HistoryEntry(
                    text=text,
                    position=position,
                    timestamp=parse_time(entry.get("timestamp")),
                    session_id=string(entry.get("session_id")),
                )
                entries.append(found)
        return entries
