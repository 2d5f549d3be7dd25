"""A session of Pi or OpenClaw, entry by entry. Each entry names its parent: the file is a tree.

{"type":"session","version":3,"id":"0196900a-…","timestamp":"…","cwd":"/home/sam/garden"}
{"type":"model_change","id":"a59a37a9","parentId":null,"provider":"anthropic","modelId":"m-1",…}
{"type":"message","id":"b50e6b15","parentId":"a59a37a9","message":{"role":"user","content":[…]},…}
{"type":"message","id":"bac2374c","parentId":"b50e6b15","message":{"role":"assistant",…},…}
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.jsonl import LogReader
from agent_journal.connectors.pi.contents import Contents
from agent_journal.connectors.pi.dialects import Dialect
from agent_journal.connectors.pi.entries import ENTRIES
from agent_journal.connectors.pi.messages import read_message
from agent_journal.connectors.pi.records import Line, State
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import exact_integer, mapping, string
from agent_journal.model import (
    Event,
    Message,
    MessageKind,
    MessageState,
    Piece,
    Role,
    Session,
    Usage,
)
from agent_journal.text.dates import parse_time

_SPOKEN_RANK = 10
_LABEL_RANK = 30
_NAME_RANK = 60
_MOST_ALIASES = 1000


class EntryReader(LogReader[Line, State]):
    """Reads a session."""

    record_type = Line
    state_type = State
    is_ranked_by_bytes = True
    record_starts = ('{"type":',)

    def __init__(self, file: FileIdentity, state: bytes | None, dialect: Dialect) -> None:
        super().__init__(file, state)
        self.dialect = dialect
        self.kind = ""
        self.record_id = ""
        self.place = (0, 0)
        self.timestamp: datetime | None = None
        self.parent_id: str | None = None

    @property
    def id(self) -> str:
        """The id of the session, by the name of the file or by its header."""
        return self.file.session_id or self.state.id or stem(self.file.name)

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one entry."""
        state = self.state
        self.kind = record.type
        self.place = (offset, length)
        self.record_id = record.id or _made_id(record, offset)
        self.timestamp = parse_time(record.timestamp)
        if self.timestamp is not None:
            state.ended = max(self.timestamp, state.ended or self.timestamp)
        self.parent_id = record.parent_id
        if record.parent_id in state.aliases:
            self.parent_id = state.aliases[record.parent_id]
        if record.type == "message":
            return read_message(self, mapping(record.message), line)
        read = ENTRIES.get(record.type)
        if read is None:
            return self.unknown_entry(record.type or "no type", line)
        return read(self, record)

    # -- for the functions that read entries ---------------------------------------------------

    def unknown_entry(self, kind: str, line: bytes) -> Iterable[Piece]:
        """An entry of a kind that is not known."""
        self.unknown(kind)
        self.stand_for_parent()
        return (self.event("", line.decode("utf-8", "replace")),)

    def stand_for_parent(self) -> None:
        """Note that entries after this one, which is no message, continue the one before it."""
        aliases = self.state.aliases
        aliases[self.record_id] = self.parent_id
        if len(aliases) > _MOST_ALIASES:
            del aliases[next(iter(aliases))]

    @property
    def is_copied(self) -> bool:
        """Whether a fork has the current entry from the session it was forked from."""
        started = parse_time(self.state.started)
        if self.state.origin is None or self.timestamp is None or started is None:
            return False
        return self.timestamp < started

    def event(self, text: str, raw: str | None = None, kind: str | None = None) -> Event:
        """The current entry as an Event."""
        return Event(
            session_id=self.id,
            type=kind or self.kind,
            id=self.record_id,
            text=text,
            raw=raw,
            timestamp=self.timestamp,
            offset=self.place[0],
            length=self.place[1],
        )

    def message(
        self,
        role: Role,
        kind: MessageKind,
        contents: Contents,
        *,
        model: str | None = None,
        usage: Usage | None = None,
        state: MessageState | None = None,
        stop_reason: str | None = None,
        api_id: str | None = None,
    ) -> Message:
        """The current entry as a message."""
        return Message(
            session_id=self.id,
            id=self.record_id,
            role=role,
            kind=kind,
            text=contents.text,
            reasoning=contents.reasoning,
            attachments=contents.attachments,
            model=model,
            timestamp=self.timestamp,
            parent_id=self.parent_id,
            record_ids=(self.record_id,),
            usage=usage,
            state=state,
            stop_reason=stop_reason,
            api_id=api_id,
            offset=self.place[0],
            length=self.place[1],
        )

    # -- the session ---------------------------------------------------------------------------

    def sessions(self) -> Iterable[Session]:
        """The session, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        session = Session(
            agent=self.dialect.agent,
            id=self.id,
            project_path=state.cwd,
            models=tuple(state.models),
            started_at=parse_time(state.started),
            ended_at=state.ended,
            fork_of=state.origin,
            parent_id=state.parent,
            agent_name="subagent" if state.is_subagent else None,
            is_automated=state.is_automated,
        )
        yield self._titled(session)

    def _titled(self, session: Session) -> Session:
        state = self.state
        if state.name:
            return replace(session, title=state.name, title_rank=_NAME_RANK, title_source="name")
        if state.label:
            return replace(session, title=state.label, title_rank=_LABEL_RANK, title_source="label")
        spoken = state.spoken
        if spoken.text is None:
            return session
        return replace(
            session, title=spoken.text, title_rank=_SPOKEN_RANK, title_source=spoken.source
        )


def _made_id(record: Line, offset: int) -> str:
    """An id for an entry of the versions that wrote none; copies in forks have the same times."""
    message = mapping(record.message)
    moment = exact_integer(message.get("timestamp"))
    if moment is None:
        return f"line-{offset}"
    return f"line-{moment}-{string(message.get('role'))}"
