"""Reads the sessions of Goose: rows of the database, or a log of an older version.

{"working_dir":"/app","description":"Prune the tree","message_count":4,"total_tokens":1200}
{"role":"user","created":1750383377,"content":[{"type":"text","text":"Prune the tree"}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import ROWS_MARK, FileIdentity, Reader
from agent_journal.connectors.goose.blocks import (
    Block,
    answer_of,
    blocks_of,
    file_edit,
    picture,
    requested,
)
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.recognition import first_records
from agent_journal.connectors.row_lines import OpenCalls, RowLine, RowsReader, json_column
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.tokens import fresh_tokens, micro_dollars
from agent_journal.connectors.values import count, mapping, string, title_of
from agent_journal.model import (
    Event,
    FileEdit,
    Message,
    MessageKind,
    Piece,
    Session,
    Todo,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.text.dates import parse_time

_NAMED_BY_PERSON = 60
_NAMED = 40
_SPOKEN = 10
_AUTOMATED = ("scheduled", "sub_agent", "hidden")
_ITEM = re.compile(r"^\s*[-*] \[([ xX])\] (.+)$", re.MULTILINE)
_NOTICES = ("toolConfirmationRequest", "actionRequired", "systemNotification")
_SILENT = ("redactedThinking",)


class Row(RowLine):
    """A row of any table, or a line of a log, where `content` and `created` name the same."""

    name: Any = None
    description: Any = None
    user_set_name: Any = None
    session_type: Any = None
    parent_session_id: Any = None
    working_dir: Any = None
    created_at: Any = None
    updated_at: Any = None
    extension_data: Any = None
    accumulated_input_tokens: Any = None
    accumulated_output_tokens: Any = None
    accumulated_cost: Any = None
    model_config_json: Any = None
    message_id: Any = None
    role: Any = None
    content_json: Any = None
    content: Any = None
    created_timestamp: Any = None
    created: Any = None
    metadata_json: Any = None
    model: Any = None
    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_tokens: Any = None
    cache_write_tokens: Any = None
    cost: Any = None


def make_reader(file: FileIdentity) -> Reader:
    """Return the reader for a file."""
    if file.role == "rows":
        return KeptReader(file, "rows", "its sessions are files of their own")
    if ROWS_MARK in file.name:
        return SessionReader(file)
    return OldLogReader(file)


class SessionReader(RowsReader[Row]):
    """Reads the rows of a session."""

    record_type = Row

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._session = Row()
        self._calls = OpenCalls()
        self._edits: list[FileEdit] = []
        self._ledger: list[Usage] = []
        self._title = SpokenTitle()
        self._models: dict[str, None] = {}
        self._times: list[datetime] = []
        self._answers = 0
        self._was_compacted = False

    def row(self, row: Row, offset: int, length: int) -> Iterable[Piece] | None:
        """Return the pieces of a row."""
        if row.table == "sessions":
            return self._note_session(row)
        if row.table == "messages":
            name = string(row.message_id) or f"message-{row.id}"
            return self._message(row, name, json_column(row.content_json), (offset, length))
        if row.table == "usage_ledger":
            self._note_usage(row)
            return ()
        return None

    def finished(self) -> Iterable[Piece]:
        """Return the calls with their results, what they changed, and the tokens."""
        self.completeness = self._answers
        calls = {call.id: call for call in self._calls.all()}
        edits = [
            replace(edit, timestamp=calls[edit.call_id].ended_at)
            for edit in self._edits
            if edit.call_id in calls and calls[edit.call_id].status == "ok"
        ]
        return [*calls.values(), *edits, *(self._ledger or self._totals())]

    # -- the session ---------------------------------------------------------------------------

    def _note_session(self, row: Row) -> Iterator[Piece]:
        self._session = row
        model = string(mapping(json_column(row.model_config_json)).get("model_name"))
        if model:
            self._models.setdefault(model)
        todos = mapping(json_column(row.extension_data)).get("todo.v0")
        found = _ITEM.findall(string(mapping(todos).get("content")) or "")
        if found:
            made = [
                Todo(content=text, status="pending" if mark == " " else "completed")
                for mark, text in found
            ]
            yield TodoList(session_id=self.id, origin="markdown", items=tuple(made))

    def _note_usage(self, row: Row) -> None:
        """Take a call of the ledger. Its input has what was cached, too."""
        model = string(row.model)
        if model:
            self._models.setdefault(model)
        read, written = count(row.cache_read_tokens), count(row.cache_write_tokens)
        usage = Usage(
            session_id=self.id,
            key=f"ledger:{self.id}:{row.id}",
            model=model,
            timestamp=parse_time(row.created_timestamp),
            input_tokens=fresh_tokens(count(row.input_tokens), read, written),
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=count(row.output_tokens),
            cost_micro_usd=micro_dollars(row.cost),
        )
        self._ledger.append(usage)

    def _totals(self) -> Iterator[Usage]:
        """Yield the sums of the session, which older versions have instead of a ledger."""
        row = self._session
        sent = count(row.accumulated_input_tokens)
        received = count(row.accumulated_output_tokens)
        cost = micro_dollars(row.accumulated_cost)
        if not sent and not received and cost is None:
            return
        yield Usage(
            session_id=self.id,
            key=f"session:{self.id}",
            model=next(iter(self._models), None),
            timestamp=max(self._times, default=None),
            input_tokens=sent,
            output_tokens=received,
            cost_micro_usd=cost,
            requests=self._answers,
        )

    def sessions(self) -> Iterable[Session]:
        """Return the session, once something of it was read."""
        if not any(status == "mapped" for status, _, _ in self.ledger.counts):
            return
        row = self._session
        kind = string(row.session_type)
        parent = None
        if kind == "sub_agent":
            parent = string(row.parent_session_id)  # since schema 15
        session = Session(
            agent="goose",
            id=self.id,
            project_path=string(row.working_dir),
            models=tuple(self._models),
            started_at=parse_time(row.created_at) or min(self._times, default=None),
            ended_at=max(self._times, default=parse_time(row.updated_at)),
            is_automated=kind in _AUTOMATED,
            parent_id=parent,
            agent_name="sub-agent" if kind == "sub_agent" else None,
        )
        yield self._titled(session, row)

    def _titled(self, session: Session, row: Row) -> Session:
        name = title_of(row.name)
        if name and name != self.id:
            rank = _NAMED_BY_PERSON if row.user_set_name in (1, True) else _NAMED
            return replace(session, title=name, title_rank=rank, title_source="name")
        description = title_of(row.description)
        if description:
            return replace(
                session, title=description, title_rank=_NAMED, title_source="description"
            )
        if self._title.text is None:
            return session
        spoken = self._title
        return replace(session, title=spoken.text, title_rank=_SPOKEN, title_source=spoken.source)

    # -- messages ------------------------------------------------------------------------------

    def _message(
        self, row: Row, name: str, content: Any, place: tuple[int, int]
    ) -> Iterator[Piece]:
        if row.role not in ("user", "assistant"):
            raise ValueError(f"a message of the role {str(row.role)[:40]!r}")
        when = parse_time(row.created_timestamp or row.created)
        if when is not None:
            self._times.append(when)
        blocks = blocks_of(content)
        text = _joined(blocks, "text", "text")
        message = Message(
            session_id=self.id,
            id=name,
            role=row.role,
            kind=self._kind(row),
            text=text,
            reasoning=_joined(blocks, "thinking", "thinking"),
            timestamp=when,
            record_ids=(name,),
            attachments=tuple(picture(each.values) for each in blocks if each.kind == "image"),
            offset=place[0],
            length=place[1],
        )
        if message.kind == "prompt":
            self._title.note_prompt(text)
        elif message.kind == "answer":
            self._answers += 1
            self._title.note_answer(text)
        if row.role == "assistant" or text or message.attachments:
            yield message
        for block in blocks:
            yield from self._block(block, message, isinstance(row.content_json, list))

    def _kind(self, row: Row) -> MessageKind:
        metadata = mapping(json_column(row.metadata_json))
        if metadata.get("agentVisible") is False:
            self._was_compacted = True  # what comes in its place is not visible to the person
        elif metadata.get("userVisible") is False:
            return "compaction" if self._was_compacted else "injected"
        if row.role == "assistant":
            return "answer"
        if self._session.session_type == "sub_agent":
            return "injected"  # another agent wrote it
        return "prompt"

    def _block(self, block: Block, message: Message, is_plain: bool) -> Iterator[Event]:
        if block.is_request:
            call = requested(block, self.id, message.id)
            call = replace(call, started_at=message.timestamp, offset=message.offset)
            call = self._calls.asked(replace(call, length=message.length))
            edit = file_edit(call, block)
            if edit is not None:
                self._edits.append(replace(edit, offset=message.offset))
        elif block.kind == "toolResponse":
            self._note_answer(block, message, is_plain)
        elif block.kind in _NOTICES:
            yield self._event(block, message, None)
        elif block.kind not in ("text", "thinking", "image", *_SILENT):
            self.ledger.add("unknown", f"block/{block.kind}", 0)
            yield self._event(block, message, msgspec.json.encode(block.values).decode())

    def _note_answer(self, block: Block, message: Message, is_plain: bool) -> None:
        answer = answer_of(block)
        quote = None
        if answer.path is not None and is_plain and message.offset is not None:
            place = (message.offset, message.length or 0)
            path = (self._content_name, block.number, *answer.path)
            quote = self.quote(answer.text, place, *path)
        result = ToolCall(
            session_id=self.id,
            id=string(block.values.get("id")) or f"{message.id}#{block.number}",
            result=answer.text,
            result_at=quote,
            status="error" if answer.is_error else "ok",
            ended_at=message.timestamp,
            attachments=answer.attachments,
        )
        self._calls.answered(result)

    _content_name = "content_json"

    def _event(self, block: Block, message: Message, raw: str | None) -> Event:
        return Event(
            session_id=self.id,
            type=block.kind,
            id=f"{message.id}#{block.number}",
            text=string(block.values.get("msg")) or "",
            raw=raw,
            timestamp=message.timestamp,
            offset=message.offset,
            length=message.length,
        )


class OldLogReader(SessionReader):
    """Reads a log of versions before 1.10: a line about the session, and one for each message."""

    record_starts = ('{"working_dir":', '{"id":', '{"role":')
    _content_name = "content"
    is_cut_line_damage = False

    def row(self, row: Row, offset: int, length: int) -> Iterable[Piece] | None:
        """Return the pieces of a line."""
        if row.role is None and (row.working_dir is not None or row.description is not None):
            self.mapped("session")
            return self._note_session(row)
        if row.role is None:
            return None
        self.mapped("message")
        # `content_json` tells whether a text can be quoted
        row.content_json = row.content
        name = string(row.id) or f"line-{offset}"
        return self._message(row, name, row.content, (offset, length))


def _joined(blocks: list[Block], kind: str, name: str) -> str:
    texts = [string(block.values.get(name)) for block in blocks if block.kind == kind]
    return "\n\n".join(filter(None, texts))


def is_log(head: bytes) -> bool:
    """Whether a file is a log of an older version."""
    records = first_records(head)
    if len(records) < 2:
        return False
    first, second = records[:2]
    has_session = "working_dir" in first and ("description" in first or "message_count" in first)
    return has_session and "role" in second and isinstance(second.get("content"), list)
