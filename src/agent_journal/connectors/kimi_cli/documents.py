"""The files beside the logs. What a session is called, its folder, and what a sub-agent is.

state.json                  {"custom_title":"Prune the roses","title_generated":true}
subagents/<agent>/meta.json {"agent_id":"a1","subagent_type":"coder","description":"Look around"}
kimi.json                   {"work_dirs":[{"path":"/home/sam/garden"}]}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from agent_journal.connectors.base import Content, FileIdentity, Reader
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.kimi_cli import session_of
from agent_journal.connectors.values import items, mapping, string, title_of
from agent_journal.model import Document, Piece, Session
from agent_journal.text.dates import parse_time

_GENERATED_RANK = 40
_PROMPT_RANK = 5  # the first prompt cut off: the whole one is better
_FOLDERS = "../../../kimi.json"  # from the folder of a session


def document_reader(file: FileIdentity) -> Reader:
    """The reader for a file that is not a log."""
    name = file.name.rpartition("/")[2]
    session_id = session_of(file.name)
    if file.role == "kept" and session_id is not None:
        document = Document(session_id=session_id, name=name, kind="context")
        return KeptReader(file, "context", "", document)
    if name == "state.json":
        return StateReader(file)
    if name == "meta.json":
        return AgentReader(file)
    return FoldersReader(file)


class FoldersReader(DocumentReader):
    """The folders of sessions, which are read together with these."""

    kind = "folders"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing: the readers of sessions look into it."""
        decode_document(data)
        return ()


class StateReader(DocumentReader):
    """The title of a session, and its folder."""

    kind = "state"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but a hint about the session."""
        session_id = session_of(self.file.name)
        state = mapping(decode_document(data))
        if session_id is None:
            return ()
        title = title_of(state.get("custom_title"))
        rank = _GENERATED_RANK if state.get("title_generated") is True else _PROMPT_RANK
        hint = Session(
            agent="kimi-cli",
            id=session_id,
            title=title,
            title_rank=rank if title else 0,
            title_source="title" if title else None,
            project_path=_folder(self.file.name.split("/")[-3], content.sibling(_FOLDERS)),
            is_hint=True,
        )
        self.found_sessions.append(hint)
        return ()


class AgentReader(DocumentReader):
    """What a sub-agent is called, and who started it."""

    kind = "sub-agent"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but a hint about the sub-agent."""
        session_id = session_of(self.file.name)
        about = mapping(decode_document(data))
        if session_id is None:
            return ()
        title = title_of(about.get("description"))
        hint = Session(
            agent="kimi-cli",
            id=session_id,
            title=title,
            title_rank=_GENERATED_RANK if title else 0,
            title_source="description" if title else None,
            parent_id=session_id.rpartition("/")[0] or None,
            agent_name=string(about.get("subagent_type")),
            started_at=parse_time(about.get("created_at")),
            is_hint=True,
        )
        self.found_sessions.append(hint)
        return ()


def _folder(digest: str, folders: bytes | None) -> str | None:
    """The folder with this MD5, which `kimi.json` names."""
    if folders is None:
        return None
    try:
        known: Any = decode_document(folders)
    except ValueError:
        return None
    for entry in items(mapping(known).get("work_dirs")):
        path = string(entry.get("path"))
        if path and hashlib.md5(path.encode(), usedforsecurity=False).hexdigest() == digest:
            return path
    return None
