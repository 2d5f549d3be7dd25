"""Converted sessions, read by the connector of the agent they were converted for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import FoundFile
from agent_journal.connectors.vscode_chat import CONNECTOR
from agent_journal.convert.target import NewFile
from agent_journal.convert.writing import write_session
from agent_journal.model import Event, FileEdit, Plan, Session, Usage
from agent_journal.testing import Assembly, BytesContent, read_root

ReadBack = Callable[[str, Sequence[NewFile]], list[Session]]


def read_vscode(session_id: str, files: Sequence[NewFile]) -> list[Session]:
    """A document as the connector of VS Code reads it."""
    assembly = Assembly()
    content = BytesContent(files[0].content)
    name = f"workspaceStorage/0/chatSessions/{session_id}.json"
    assembly.read(
        CONNECTOR, FoundFile(name, name, "session", content.size, 0, 0, session_id, 2), content
    )
    return assembled(assembly)


def assembled(assembly: Assembly) -> list[Session]:
    """The sessions of what was read, with everything in them."""
    found = []
    for session in {session.id: session for session in assembly.sessions}.values():
        mine = [
            message for message in assembly.messages.values() if message.session_id == session.id
        ]
        calls = [call for call in assembly.calls.values() if call.session_id == session.id]
        messages = (
            replace(
                message, tool_calls=tuple(call for call in calls if call.message_id == message.id)
            )
            for message in mine
        )
        others = [
            piece for piece in assembly.others if getattr(piece, "session_id", None) == session.id
        ]
        found.append(
            replace(
                session,
                messages=tuple(messages),
                file_edits=tuple(piece for piece in others if isinstance(piece, FileEdit)),
                usage=tuple(piece for piece in others if isinstance(piece, Usage)),
                events=tuple(piece for piece in others if isinstance(piece, Event)),
                plans=tuple(piece for piece in others if isinstance(piece, Plan)),
            )
        )
    return found


def reader_of(agent: str) -> ReadBack:
    """What reads a folder as the connector of an agent does."""

    def read(session_id: str, files: Sequence[NewFile]) -> list[Session]:
        with tempfile.TemporaryDirectory() as folder:
            write_session(folder, files, force=False)
            return assembled(read_root(get_connector(agent), folder))

    return read
