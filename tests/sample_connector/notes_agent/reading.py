"""A notebook, line by line: each line becomes pieces of the model, and each is accounted for.

{"kind":"open","time":"2026-05-02T09:00:00Z","folder":"/home/sam/garden","title":"Roses"}
{"kind":"ask","id":"1","time":"2026-05-02T09:00:05Z","text":"When do I prune roses?"}
{"kind":"reply","id":"2","time":"2026-05-02T09:00:09Z","text":"In winter.","model":"rose-1",…}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.jsonl import LogReader
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import Event, Message, Piece, Session, ToolCall, Usage
from agent_journal.text.dates import parse_time


class Line(msgspec.Struct):
    """The fields we know. Others are ignored; a value of another type counts as missing."""

    kind: str = ""
    id: str | None = None
    time: str | None = None
    text: str = ""
    model: str | None = None
    tokens: Any = None
    folder: str | None = None
    title: str | None = None
    of: str | None = None
    tool: str | None = None
    query: Any = None
    found: str | None = None


class State(msgspec.Struct):
    """What must be known to continue later. It is saved: keep it small."""

    title: str | None = None
    folder: str | None = None
    started: str | None = None
    ended: str | None = None
    models: list[str] = []


class NotebookReader(LogReader[Line, State]):
    """Reads a notebook. LogReader handles damage, half lines and continuing later."""

    record_type = Line
    state_type = State
    record_starts = ('{"kind":',)  # how a line begins, to find the next one after damage

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self.id = file.session_id or file.name

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line, after exactly one of mapped, skipped and unknown."""
        self.state.started = self.state.started or record.time
        self.state.ended = record.time or self.state.ended
        if record.kind == "open":
            self.mapped("open")
            self.state.title = record.title
            self.state.folder = record.folder
            return ()
        if record.kind in ("ask", "reply") and record.id:
            self.mapped(record.kind)
            return (self._message(record, record.id, offset, length),)
        if record.kind == "tool" and record.id:
            self.mapped("tool")
            return (self._call(record, record.id, offset, length),)
        if record.kind == "cursor":
            self.skipped("cursor", "the position of the cursor")
            return ()
        self.unknown(record.kind or "no kind")
        raw = line.decode("utf-8", "replace")
        return (Event(session_id=self.id, type=record.kind, raw=raw, offset=offset, length=length),)

    def _message(self, record: Line, name: str, offset: int, length: int) -> Message:
        is_reply = record.kind == "reply"
        if record.model and record.model not in self.state.models:
            self.state.models.append(record.model)
        return Message(
            session_id=self.id,
            id=name,
            role="assistant" if is_reply else "user",
            kind="answer" if is_reply else "prompt",
            text=record.text,
            model=record.model,
            timestamp=parse_time(record.time),
            record_ids=(name,),
            usage=self._usage(record, name) if is_reply else None,
            offset=offset,
            length=length,
        )

    def _usage(self, record: Line, name: str) -> Usage | None:
        tokens = mapping(record.tokens)
        if not tokens:
            return None  # not recorded is None, never 0
        return Usage(
            session_id=self.id,
            key=f"{self.id}-{name}:",  # the same response has the same key in every copy
            message_id=name,
            model=record.model,
            timestamp=parse_time(record.time),
            input_tokens=count(tokens.get("in")),
            output_tokens=count(tokens.get("out")),
        )

    def _call(self, record: Line, name: str, offset: int, length: int) -> ToolCall:
        return ToolCall(
            session_id=self.id,
            id=name,
            message_id=record.of,
            name=record.tool,
            kind=tool_kind(record.tool),
            arguments=msgspec.json.encode({"query": record.query}).decode(),
            result=record.found,
            result_at=self.quote(record.found, (offset, length), "found"),
            status="ok" if record.found is not None else "running",
            ended_at=parse_time(record.time),
            offset=offset,
            length=length,
        )

    def sessions(self) -> Iterable[Session]:
        """The notebook, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        yield Session(
            agent="notes-agent",
            id=self.id,
            title=string(state.title),
            title_rank=40 if state.title else 0,
            title_source="title" if state.title else None,
            project_path=state.folder,
            models=tuple(state.models),
            started_at=parse_time(state.started),
            ended_at=parse_time(state.ended),
        )
