"""Chats exported from VS Code (`Chat: Export Chat…`), imported with `aj import chat.json`.

{"responderUsername":"GitHub Copilot","initialLocation":"panel",
 "requests":[{"requestId":"request_1",…}]}

An export is a session document without id, title and dates. Its id is made from the id of its first
request, so that the same chat exported twice is one session; if the journal has the stored session
of the chat, the export becomes a copy of that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.base import (
    CopyOf,
    Env,
    FileIdentity,
    FoundFile,
    Recognition,
    Unlisted,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod
from agent_journal.connectors.vscode_chat import RANK_ROW

if TYPE_CHECKING:
    from agent_journal.connectors.base import Reader


class VsCodeExport(AgentConnector):
    """The connector for exported chats, which can be anywhere: there is nothing to discover."""

    name = "vscode-export"
    title = "VS Code chat export"
    version = 4
    resume_method = ResumeMethod(
        "VS Code", instead="run Chat: Import Chat... in VS Code and pick the file"
    )

    def roots(self, env: Env) -> list[str]:
        """None: files are imported by name."""
        return []

    def normalize_root(self, path: str) -> str:
        """The path, unchanged."""
        return path

    def retention_days(self, root: str) -> int | None:
        """Exports belong to the person who made them."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Nothing."""
        return iter(())

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one export."""
        from agent_journal.connectors.vscode_chat.document import SessionReader

        reader = SessionReader(file)
        reader.agent = self.name
        return reader

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """A chat without an id. It may be an export of one that the journal has already."""
        from agent_journal.connectors.values import string
        from agent_journal.connectors.vscode_chat.recognition import turns_of

        turns = turns_of(document)
        if turns is None or string(document.get("sessionId")) is not None:
            return None
        if not turns:
            raise ValueError("an exported chat without any turn")
        ids = tuple(turn["requestId"] for turn in turns if isinstance(turn.get("requestId"), str))
        copy_of = None
        if len(ids) == len(turns):
            copy_of = CopyOf("vscode-chat", RANK_ROW, ids)
        return Recognition("session", export_id(turns, content), 0, copy_of)


CONNECTOR = VsCodeExport()


def export_id(requests: list[Any], data: bytes) -> str:
    """The id of an export, from the id of its first request, or from its bytes if there is none."""
    import hashlib

    from agent_journal.connectors.values import mapping, string

    source = data
    if requests:
        first = string(mapping(requests[0]).get("requestId"))
        if first is not None:
            source = first.encode("utf-8", "replace")
    return hashlib.sha256(source).hexdigest()[:32]
