"""The cases of Copilot CLI: small synthetic homes, read once."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import Content, FoundFile, Pause, Reader
from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.model import Message, Session
from tests.support.assemble import Assembly, read_root

HOMES = Path(__file__).parent
CASES = sorted(path.parent.name for path in HOMES.glob("*/home"))
CONVERSATION = "11111111-0000-4000-8000-000000000001"  # the session of the case of that name
PNG = hashlib.sha256(b"PNG").hexdigest()


def home(name: str, root: str = ".copilot") -> Path:
    """The folder of Copilot CLI in a case."""
    return HOMES / name / "home" / root


@cache
def case(name: str) -> Assembly:
    """Everything that is read in a case; not to be changed."""
    return read_root(CONNECTOR, home(name))


def found(name: str) -> list[FoundFile]:
    """The files found in a case."""
    return [file for file in CONNECTOR.discover(str(home(name))) if isinstance(file, FoundFile)]


def pieces(assembly: Assembly, kind: type[Any], session_id: str | None = None) -> list[Any]:
    """The pieces of a kind, or only those of a session."""
    of_kind = [piece for piece in assembly.others if isinstance(piece, kind)]
    if session_id is None:
        return of_kind
    return [piece for piece in of_kind if piece.session_id == session_id]


def messages(assembly: Assembly, session_id: str) -> list[Message]:
    """The messages of a session."""
    everything = assembly.messages.values()
    return [message for message in everything if message.session_id == session_id]


def sessions(assembly: Assembly, session_id: str) -> list[Session]:
    """What each file that describes a session says about it."""
    return [session for session in assembly.sessions if session.id == session_id]


def read_pieces(reader: Reader, content: Content) -> list[Any]:
    """The pieces of a file."""
    return [piece for piece in reader.read(content) if not isinstance(piece, Pause)]
