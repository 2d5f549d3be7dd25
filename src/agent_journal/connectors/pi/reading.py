"""A session of Pi or OpenClaw, entry by entry. Each entry names its parent: the file is a tree.

{"type":"session","version":3,"id":"0196900a-…","timestamp":"…","cwd":"/home/sam/garden"}
{"type":"model_change","id":"a59a37a9","parentId":null,"provider":"anthropic","modelId":"m-1",…}
{"type":"message","id":"b50e6b15","parentId":"a59a37a9","message":{"role":"user","content":[…]},…}
{"type":"message","id":"bac2374c","parentId":"b50e6b15","message":{"role":"assistant",…},…}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.pi.contents import Contents
from agent_journal.connectors.pi.dialects import Dialect
from agent_journal.connectors.pi.entries import ENTRIES, HEADERS
from agent_journal.connectors.pi.messages import read_message
from agent_journal.connectors.pi.records import Line, State
from agent_journal.connectors.placed_log import PlacedLogReader, with_spoken_title
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import exact_integer, mapping, string
from agent_journal.model import Message, MessageKind, Piece, Role, Session
from agent_journal.text.dates import parse_time

_LABEL_RANK = 30
_NAME_RANK = 60
_MOST_ALIASES = 1000


class EntryReader(PlacedLogReader[Line, State]):
    """Reads a session."""

    record_type = Line
    state_type = State
    is_ranked_by_bytes = True
    record_starts = ('{"type":',)

    def __init__(self, file: FileIdentity, state: bytes | None, dialect: Dialect) -> None:
        super().__init__(file, state)
        self.dialect = dialect
        self.parent_id: str | None = None

    @property
    def id(self) -> str:
        """The id of the session, by the name of the file or by its header."""
        return self.file.session_id or self.state.id or stem(self.file.name)

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one entry."""
        state = self.state
        if state.id is None and record.type not in HEADERS:
            state.id = stem(self.file.name)  # a header that comes later changes no id
        timestamp = parse_time(record.timestamp)
        self.begin(offset, length, timestamp, record.id or _made_id(record, offset))
        if timestamp is not None:
            state.ended = max(timestamp, state.ended or timestamp)
        self.parent_id = record.parent_id
        if record.parent_id in state.aliases:
            self.parent_id = state.aliases[record.parent_id]
        if record.type == "message":
            return read_message(self, mapping(record.message), line)
        read = ENTRIES.get(record.type)
        if read is None:
            self.stand_for_parent()
            return self.unknown_event(record.type, line)
        return read(self, record)

    # -- for the functions that read entries ---------------------------------------------------

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

    def said(self, role: Role, kind: MessageKind, contents: Contents, **fields: Any) -> Message:
        """The current entry as a message."""
        return self.message(
            role,
            kind,
            contents.text,
            reasoning=contents.reasoning,
            attachments=contents.attachments,
            parent_id=self.parent_id,
            **fields,
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
        return with_spoken_title(session, state.spoken)


def _made_id(record: Line, offset: int) -> str:
    """An id for an entry of the versions that wrote none; copies in forks have the same times."""
    message = mapping(record.message)
    moment = exact_integer(message.get("timestamp"))
    if moment is None:
        return f"line-{offset}"
    return f"line-{moment}-{string(message.get('role'))}"
