"""A log whose pieces have the place, the id and the time of the record they are from."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.jsonl import LogReader
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.model import Event, Message, MessageKind, Role, Session, ToolCall

R = TypeVar("R", bound=msgspec.Struct)
S = TypeVar("S", bound=msgspec.Struct)
SPOKEN_RANK = 10


class PlacedLogReader(LogReader[R, S]):
    """Makes pieces of the current record. A subclass has `id`, and calls `begin` for each."""

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self.record_id = ""
        self.timestamp: datetime | None = None
        self.place = (0, 0)

    @property
    def id(self) -> str:
        """The id of the session."""
        raise NotImplementedError

    def begin(
        self, offset: int, length: int, timestamp: datetime | None, record_id: str | None = None
    ) -> None:
        """Note the current record; without an id of its own, it has one made of its place."""
        self.place = (offset, length)
        self.timestamp = timestamp
        self.record_id = record_id or f"line-{offset}"

    def event(self, kind: str, text: str = "", raw: str | None = None) -> Event:
        """The current record as an Event."""
        return Event(
            session_id=self.id,
            type=kind,
            id=self.record_id,
            text=text,
            raw=raw,
            timestamp=self.timestamp,
            offset=self.place[0],
            length=self.place[1],
        )

    def unknown_event(self, kind: str, line: bytes) -> tuple[Event]:
        """The current record as one of a kind that is not known."""
        self.unknown(kind or "no type")
        return (self.event(kind, raw=line.decode("utf-8", "replace")),)

    def message(self, role: Role, kind: MessageKind, text: str = "", **fields: Any) -> Message:
        """The current record as a message, or as a part of one where `id` is given."""
        fields.setdefault("id", self.record_id)
        return Message(
            session_id=self.id,
            role=role,
            kind=kind,
            text=text,
            timestamp=self.timestamp,
            record_ids=(self.record_id,),
            offset=self.place[0],
            length=self.place[1],
            **fields,
        )

    def call(self, call_id: str, **fields: Any) -> ToolCall:
        """The current record as a tool call, or as the result of one."""
        return ToolCall(
            session_id=self.id,
            id=call_id,
            offset=self.place[0],
            length=self.place[1],
            **fields,
        )


def with_spoken_title(session: Session, spoken: SpokenTitle) -> Session:
    """The session with a title from what was said in it."""
    if spoken.text is None:
        return session
    return replace(session, title=spoken.text, title_rank=SPOKEN_RANK, title_source=spoken.source)
