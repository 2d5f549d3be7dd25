"""Chats exported from VS Code (`Chat: Export Chat…`), taken in with `aj import chat.json`.

{"responderUsername":"GitHub
Copilot","initialLocation":"panel","requests":[{"requestId":"request_1",…}]}

An export is a session document without id, title and dates. Its id is made of its first request's,
so that the same chat exported twice is one session; a chat whose stored session is in the journal
becomes a copy of that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Unlisted

if TYPE_CHECKING:
    from agent_journal.connectors.base import Reader


class VsCodeExport:
    """The connector for exported chats: they lie anywhere, so there is nothing to look through."""

    name = "vscode-export"
    title = "VS Code chat export"
    version = 2

    def roots(self, env: Env) -> list[str]:
        """None: files are imported by name."""
        return []

    def normalize_root(self, path: str) -> str:
        """The path as it is."""
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


CONNECTOR = VsCodeExport()


def export_id(requests: list[Any], data: bytes) -> str:
    """The id of an export: of its first request's id, or of its bytes when that has none."""
    import hashlib

    first = requests[0].get("requestId") if requests and isinstance(requests[0], dict) else None
    named = first.encode("utf-8", "replace") if isinstance(first, str) and first else data
    return hashlib.sha256(named).hexdigest()[:32]
