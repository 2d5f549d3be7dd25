"""The cases of Claude Code, read once: small synthetic homes."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import FoundFile
from agent_journal.connectors.claude_code import CONNECTOR
from agent_journal.model import Attachment, Session
from tests.support.assemble import Assembly, read_root

HOMES = Path(__file__).parent
CASES = sorted(path.parent.name for path in HOMES.glob("*/home"))
PNG_SHA256 = "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6"
PNG = Attachment(kind="image", mime_type="image/png", size=8, sha256=PNG_SHA256)


def root(case: str) -> str:
    """The configuration folder of a case."""
    return str(HOMES / case / "home" / ".claude")


@cache
def case(name: str) -> Assembly:
    """Everything that is read in a case."""
    return read_root(CONNECTOR, root(name))


@cache
def found(name: str) -> dict[str, FoundFile]:
    """The files found in a case, by name."""
    return {
        file.name: file for file in CONNECTOR.discover(root(name)) if isinstance(file, FoundFile)
    }


def at(second: int) -> datetime:
    """A time of the cases: all their sessions begin at 10:00 on 1 March 2026."""
    return datetime(2026, 3, 1, 10, second // 60, second % 60, tzinfo=UTC)


def pieces(name: str, kind: type, session_id: str | None = None) -> list[Any]:
    """The pieces of a kind in a case, or only those of a session."""
    of_kind = [piece for piece in case(name).others if isinstance(piece, kind)]
    if session_id is None:
        return of_kind
    return [piece for piece in of_kind if piece.session_id == session_id]


def session(name: str, session_id: str, n: int = 0) -> Session:
    """What the n-th file that describes a session says about it."""
    return [session for session in case(name).sessions if session.id == session_id][n]


def thread(name: str, session_id: str) -> list[tuple[str, str]]:
    """Kind and text of a session's messages."""
    return [(m.kind, m.text) for m in case(name).messages.values() if m.session_id == session_id]


def skipped(name: str, file: str) -> set[tuple[str, str]]:
    """Kind and reason of the records of a file that are left out."""
    counts = case(name).ledgers[file].counts
    return {
        (entry.kind, entry.reason)
        for entry in counts
        if entry.status == "skipped" and entry.kind != "separator"
    }
