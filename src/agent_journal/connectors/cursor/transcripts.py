"""Transcripts in `agent-transcripts`: JSON lines, a JSON list, or text with headings; none of them
has times.

user:
<user_query>…</user_query>
assistant:
[Thinking] …
[Tool call] Shell
  command: ls
[Tool result] Shell
…
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.cursor import TRANSCRIPTS
from agent_journal.connectors.cursor.script import Entry, State, blocks_of, pieces_of, session_of
from agent_journal.connectors.cursor.talk import moment
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Event, Piece, Session

_SPEAKER = re.compile(r"^(user|assistant|A|system|tool):[ \t]*$")
_HEADING = re.compile(r"^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)$")
_ARGUMENT = re.compile(r"^  ([A-Za-z_][A-Za-z0-9_]*): ?(.*)$")
_SUBAGENTS = "subagents"


class Record(msgspec.Struct):
    """One line of a transcript."""

    role: Any = None
    type: Any = None
    event: Any = None
    status: Any = None
    message: Any = None
    text: Any = None
    content: Any = None
    timestamp: Any = None
    model: Any = None


def about(file: FileIdentity) -> tuple[str, dict[str, Any]]:
    """The session a transcript is of, and what its path tells: the folder's name, the session it is
    a sub-agent of.
    """
    parts = file.name.split("/")
    session_id = file.session_id or parts[-1].rpartition(".")[0] or parts[-1]
    more: dict[str, Any] = {}
    if TRANSCRIPTS in parts[1:] and parts.index(TRANSCRIPTS) > 1:
        more["project_dir"] = parts[parts.index(TRANSCRIPTS) - 1]
    if _SUBAGENTS in parts[1:-1]:
        parent = parts[parts.index(_SUBAGENTS) - 1]
        more["parent_id"] = parent if parent not in (session_id, TRANSCRIPTS) else None
    return session_id, more


class LinesReader(LogReader[Record, State]):
    """Reads a transcript of JSON lines."""

    record_type = Record
    state_type = State
    record_starts = ('{"role":', '{"type":', '{"timestamp":')

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self._id, self._more = about(file)
        self.completeness = self.state.completeness

    def sessions(self) -> Iterable[Session]:
        """The session as far as it has been read."""
        return (session_of(self._id, self.state, **self._more),)

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        marker = string(record.event) or (
            string(record.type) if string(record.role) is None else None
        )
        if marker == "turn_ended":
            status = string(record.status)
            if status in (None, "success", "completed"):
                self.skipped("turn_ended", "a marker without content")
                return ()
            self.mapped("turn_ended")
            return (self._event("turn_ended", f"the turn ended: {status}", None, offset, length),)
        role = string(record.role)
        if role not in ("user", "assistant", "system", "tool"):
            self.unknown(f"line/{marker or role}"[:80])
            return (
                self._event(
                    f"line/{marker or role}"[:80],
                    "",
                    line.decode("utf-8", "replace"),
                    offset,
                    length,
                ),
            )
        entry = Entry(
            f"line-{self.state.count}",
            role,
            _content(record),
            moment(record.timestamp),
            string(record.model),
            offset=offset,
            length=length,
        )
        self.mapped(f"line/{role}")
        found = list(pieces_of(entry, self._id, self.state, self.ledger))
        self.completeness = self.state.completeness
        return found

    def _event(self, kind: str, text: str, raw: str | None, offset: int, length: int) -> Event:
        return Event(
            session_id=self._id, type=kind, text=text, raw=raw, offset=offset, length=length
        )


def _content(record: Record) -> list[dict[str, Any]]:
    message = record.message
    content = message if isinstance(message, (str, list)) else mapping(message).get("content")
    return blocks_of(content or record.content or record.text)


class ScriptReader(DocumentReader):
    """Reads a transcript that is one document. A subclass writes `entries`."""

    kind = "transcript"

    def entries(self, data: bytes) -> Iterator[Entry]:
        """The records of the transcript; ValueError when it is none."""
        raise NotImplementedError

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Everything the transcript says."""
        session_id, more = about(self.file)
        state = State()
        found = [
            piece
            for entry in self.entries(data)
            for piece in pieces_of(entry, session_id, state, self.ledger)
        ]
        self.completeness = state.completeness
        self.found_sessions = [session_of(session_id, state, **more)]
        return found


class ListReader(ScriptReader):
    """Reads a transcript that is a JSON list."""

    def entries(self, data: bytes) -> Iterator[Entry]:
        """The records of the list."""
        value = decode_document(data)
        records = (
            value
            if isinstance(value, list)
            else mapping(value).get("messages", mapping(value).get("conversation"))
        )
        if not isinstance(records, list):
            raise ValueError("not a transcript: there is no list of messages")
        for number, record in enumerate(items(records)):
            role = string(record.get("role")) or string(record.get("type")) or "assistant"
            when = moment(record.get("timestamp") or record.get("createdAt"))
            key = string(record.get("id")) or f"line-{number}"
            yield Entry(key, role, list(_blocks(record)), when, string(record.get("model")))


def _blocks(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if thinking := string(record.get("thinking")):
        yield {"type": "thinking", "thinking": thinking}
    message = mapping(record.get("message"))
    yield from blocks_of(record.get("text") or record.get("content") or message.get("content"))
    for call in items(record.get("toolCalls")):
        yield {**call, "type": "tool_use"}
    if result := mapping(record.get("toolResult")):
        yield {**result, "type": "tool_result"}


class TextReader(ScriptReader):
    """Reads a transcript that is text with headings."""

    def entries(self, data: bytes) -> Iterator[Entry]:
        """One record for each heading with a speaker."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
        role, number = "", 0
        lines: list[str] = []
        for line in text.split("\n"):
            if speaker := _SPEAKER.match(line):
                if role:
                    yield Entry(f"line-{number}", role, list(_sections(lines)))
                    number += 1
                role, lines = {"A": "assistant"}.get(speaker[1], speaker[1]), []
            elif role:
                lines.append(line)
            elif line.strip():
                raise ValueError("not a transcript: it does not begin with 'user:' or 'assistant:'")
        if role:
            yield Entry(f"line-{number}", role, list(_sections(lines)))


def _sections(lines: list[str]) -> Iterator[dict[str, Any]]:
    """The blocks of one speaker."""
    kind, name, held = "", "", []
    for line in [*lines, "[Thinking]"]:
        heading = _HEADING.match(line)
        if heading is None:
            held.append(line)
            continue
        yield from _section(kind, name, held)
        kind, name = heading[1], heading[2].strip()
        held = [name] if kind == "Thinking" else []


def _section(kind: str, name: str, lines: list[str]) -> Iterator[dict[str, Any]]:
    text = "\n".join(lines).strip("\n")
    if kind == "Tool result":
        yield {"type": "tool_result", "name": name or None, "content": text}
        return
    if kind == "Thinking":
        # A thought ends at the first empty line; what follows is said aloud.
        thought, _, text = text.partition("\n\n")
        if thought.strip():
            yield {"type": "thinking", "thinking": thought.strip()}
    elif kind == "Tool call":
        arguments, rest = _arguments(lines)
        yield {"type": "tool_use", "name": name or None, "input": arguments}
        text = rest
    if text.strip():
        yield {"type": "text", "text": text.strip("\n")}


def _arguments(lines: list[str]) -> tuple[dict[str, str], str]:
    """The arguments of a call, each indented by two; what comes after an empty line and is not
    indented is text.
    """
    found: dict[str, str] = {}
    name = ""
    for at, line in enumerate(lines):
        if argument := _ARGUMENT.match(line):
            name = argument[1]
            found[name] = argument[2]
        elif name and line.strip() and (at == 0 or lines[at - 1].strip() or line.startswith("  ")):
            found[name] += "\n" + line
        elif line.strip():
            return found, "\n".join(lines[at:])
    return found, ""
