"""Sessions of Gemini CLI for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import FoundFile
from agent_journal.connectors.gemini import CONNECTOR
from agent_journal.model import Session
from tests.support.assemble import Assembly, BytesContent

CASES_FOLDER = Path(__file__).parent.parent / "connectors/gemini"
TALK = "6f0c11e2-0000-4000-8000-000000000001"


def home(case: str) -> Path:
    return CASES_FOLDER / case / "home" / ".gemini"


def of(assembly: Assembly, kind: type[Any]) -> list[Any]:
    return [piece for piece in assembly.others if isinstance(piece, kind)]


def session(assembly: Assembly, session_id: str) -> Session:
    return next(found for found in assembly.sessions if found.id == session_id)


def read_lines(*records: dict[str, Any]) -> Assembly:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    assembly = Assembly()
    file = FoundFile(
        "/x/tmp/p/chats/session-x.jsonl", "tmp/p/chats/session-x.jsonl", "replay", len(data), 0, 0
    )
    assembly.read(CONNECTOR, file, BytesContent(data))
    return assembly


def user(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "type": "user", "content": text}
