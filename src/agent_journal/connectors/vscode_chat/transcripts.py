"""The transcript the Copilot extension keeps for its hooks, with events like those of Copilot CLI.

It is read if the file of VS Code has nothing of the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.copilot_cli.events import EventsReader
from agent_journal.connectors.vscode_chat.document import AGENT, workspace_place
from agent_journal.connectors.vscode_chat.places import product_of
from agent_journal.connectors.vscode_chat.uris import Place
from agent_journal.model import Message, Piece, Session, ToolCall


class TranscriptReader(EventsReader):
    """Reads a transcript of the extension."""

    agent_name = AGENT
    is_ranked_by_bytes = False

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self._project: Place | None = None

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of all whole lines."""
        self._project = workspace_place(content.sibling("../../workspace.json"))
        for piece in super().read(content):
            if isinstance(piece, (Message, ToolCall)):
                piece = _with_objects(piece)
            yield piece
        self.completeness = int(self.state.seen)

    def sessions(self) -> Iterable[Session]:
        """The session, with the project of its workspace."""
        host = product_of(self.file.path[: -len(self.file.name)])
        for session in super().sessions():
            path = session.project_path
            if self._project is not None:
                path = self._project.path or path
            yield replace(session, host_app=host, project_path=path)


def _with_objects(piece: Message | ToolCall) -> Message | ToolCall:
    """The piece with decoded arguments: the extension writes them as a string of JSON."""
    if isinstance(piece, Message):
        return replace(piece, tool_calls=tuple(map(_with_objects, piece.tool_calls)))
    if not piece.arguments or not piece.arguments.startswith('"'):
        return piece
    try:
        text = msgspec.json.decode(piece.arguments, type=str)
    except msgspec.DecodeError:
        return piece
    return replace(piece, arguments=text or None)
