"""The files beside the logs: `state.json` names a session and its sub-agents, the others are kept.

{"id":"session_1","cwd":"/home/sam/garden","title":"Roses","isCustomTitle":true,
 "agents":{"main":{"type":"main"},"agent-0":{"type":"sub","parentAgentId":"main",
 "labels":{"profileName":"coder"}}}}
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import Content, FileIdentity, Reader
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.kimi_code import MAIN, session_of
from agent_journal.connectors.values import mapping, string, title_of
from agent_journal.model import Document, Piece, Session
from agent_journal.text.dates import parse_time

_CUSTOM_RANK = 50
_GENERATED_RANK = 40


def document_reader(file: FileIdentity) -> Reader:
    """The reader for a file that is not a log."""
    session_id = session_of(file.name)
    if file.role != "kept":
        return StateReader(file)
    document = None
    if session_id is not None:
        name = file.name.rpartition("/")[2]
        document = Document(session_id=session_id, name=name, kind="file-history")
    return KeptReader(file, "file-history", "", document)


class StateReader(DocumentReader):
    """The title and the folder of a session, and who started its sub-agents."""

    kind = "state"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but hints about the session and its sub-agents."""
        state = mapping(decode_document(data))
        session_id = string(state.get("id")) or session_of(self.file.name)
        if session_id is None:
            return ()
        title = title_of(state.get("title"))
        rank = _CUSTOM_RANK if state.get("isCustomTitle") is True else _GENERATED_RANK
        session = Session(
            agent="kimi-code",
            id=session_id,
            title=title,
            title_rank=rank if title else 0,
            title_source="title" if title else None,
            project_path=string(state.get("cwd")),
            started_at=parse_time(state.get("createdAt")),
            is_hint=True,
        )
        self.found_sessions.append(session)
        for name, about in mapping(state.get("agents")).items():
            if name != MAIN:
                self.found_sessions.append(_subagent(session_id, name, mapping(about)))
        return ()


def _subagent(session_id: str, name: str, about: dict[str, object]) -> Session:
    parent = string(about.get("parentAgentId"))
    parent_id = session_id
    if parent is not None and parent != MAIN:
        parent_id = f"{session_id}/{parent}"
    return Session(
        agent="kimi-code",
        id=f"{session_id}/{name}",
        parent_id=parent_id,
        agent_name=string(mapping(about.get("labels")).get("profileName")),
        is_hint=True,
    )
