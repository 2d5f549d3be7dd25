"""Rollouts for tests: the cases on disk, and records that are written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import FileIdentity, FoundFile, Pause
from agent_journal.connectors.codex import CONNECTOR
from agent_journal.model import Message, Session, Usage
from tests.support.assemble import Assembly, BytesContent, read_root

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/home"))

Json = dict[str, Any]


def sid(number: int) -> str:
    """The id of a session: a UUIDv7."""
    return f"019a4389-{0x1000 + number:04x}-7000-8000-{number:012d}"


# -- cases -------------------------------------------------------------------------------------


def home(case: str) -> Path:
    return HERE / case / "home/.codex"


def read_case(case: str) -> Assembly:
    return read_root(CONNECTOR, home(case))


def messages(assembly: Assembly, session_id: str) -> list[Message]:
    return [message for (owner, _), message in assembly.messages.items() if owner == session_id]


def pieces_of(assembly: Assembly, kind: type[Any], session_id: str) -> list[Any]:
    return [
        piece
        for piece in assembly.others
        if isinstance(piece, kind) and piece.session_id == session_id
    ]


def session(assembly: Assembly, session_id: str) -> Session:
    (found,) = (
        session for session in assembly.sessions if session.id == session_id and not session.is_hint
    )
    return found


def tokens(assembly: Assembly, session_id: str) -> tuple[int, ...]:
    """Sums of uncached input, cache reads, cache writes and output."""
    rows: list[Usage] = pieces_of(assembly, Usage, session_id)
    fields = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    return tuple(sum(getattr(row, field) or 0 for row in rows) for field in fields)


# -- records -----------------------------------------------------------------------------------


def read_lines(*records: Any, name: str = "sessions/rollout-x.jsonl") -> Assembly:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    assembly = Assembly()
    assembly.read(CONNECTOR, FoundFile("", name, "log", len(data), 0, 0), BytesContent(data))
    return assembly


def line(second: float, kind: str, **payload: Any) -> Json:
    timestamp = f"2026-11-02T09:{int(second) // 60:02d}:{second % 60:06.3f}Z"
    return {"timestamp": timestamp, "type": kind, "payload": payload}


def head(second: float, number: int, **more: Any) -> Json:
    return line(
        second,
        "session_meta",
        id=sid(number),
        timestamp="2026-11-02T09:00:00.000Z",
        cwd="/p",
        **more,
    )


def turn(second: float, prompt: str, answer: str) -> list[Json]:
    return [
        line(second, "event_msg", type="user_message", message=prompt),
        line(second + 2, "event_msg", type="agent_message", message=answer),
    ]


def token_count(second: float, total: Any, last: int | None = None, output: Any = 1) -> Json:
    counts = {"total_token_usage": {"input_tokens": total, "output_tokens": output}}
    if last is not None:
        counts["last_token_usage"] = {"input_tokens": last, "output_tokens": output}
    return line(second, "event_msg", type="token_count", info=counts)


def shell_call(second: float, command: str, call_id: str = "c") -> Json:
    return line(
        second,
        "response_item",
        type="function_call",
        name="shell",
        arguments=json.dumps({"command": [command]}),
        call_id=call_id,
    )


def call_output(second: float, text: str, call_id: str = "c") -> Json:
    return line(second, "response_item", type="function_call_output", call_id=call_id, output=text)


def in_parts(file: FoundFile, data: bytes, cut: int) -> Assembly:
    """A file that is read up to `cut`, and then to its end by a reader with the saved state."""
    identity = FileIdentity(file.name, file.path, file.role, file.session_id)
    assembly = Assembly()
    first = CONNECTOR.reader(identity, None)
    for piece in first.read(BytesContent(data[:cut])):
        if not isinstance(piece, Pause):
            assembly.add(piece)
    second = CONNECTOR.reader(identity, first.save())
    for piece in second.read(BytesContent(data)):
        if not isinstance(piece, Pause):
            assembly.add(piece)
    assembly.sessions = list(second.sessions())
    return assembly
