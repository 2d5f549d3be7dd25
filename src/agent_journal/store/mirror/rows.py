"""The rows of the mirror, from the catalog: everything with an id in a range, table by table."""

from __future__ import annotations

import functools
import json
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    HistoryEntry,
    Message,
    Plan,
    TodoList,
    ToolCall,
)
from agent_journal.store.catalog import mirror_rows
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.mirror_rows import MessageItem, StoredItem
from agent_journal.store.catalog.results import Resolve, recorded_result, spilled_result
from agent_journal.store.mirror.tables import TABLES
from agent_journal.text.dates import to_micros
from agent_journal.text.names import model_name

Row = Any  # a named tuple with the columns of its table


def _row_type(table: str) -> Callable[..., Row]:
    return namedtuple(table, [column.name for column in TABLES[table]])


_SessionRow = _row_type("sessions")
_MessageRow = _row_type("messages")
_CallRow = _row_type("tool_calls")
_UsageRow = _row_type("usage")
_EditRow = _row_type("file_edits")
_AttachmentRow = _row_type("attachments")
_EventRow = _row_type("events")
_PlanRow = _row_type("plans")
_TodoRow = _row_type("todos")
_HistoryRow = _row_type("history")


class RowReader:
    """Reads rows of an id range."""

    def __init__(self, db: Connection, resolve: Resolve) -> None:
        self._db = db
        self._resolve = resolve
        self._bodies = BodyReader(db)
        self._attachments: list[Row] = []

    def read(self, after: int, upto: int) -> dict[str, list[Row]]:
        """All rows of items with ids above `after` up to `upto`, by table."""
        self._attachments = []  # filled with those of messages and calls
        return {
            "attachments": self._attachments,
            "sessions": list(self._sessions(after, upto)),
            "messages": list(self._messages(after, upto)),
            "tool_calls": list(self._calls(after, upto)),
            "usage": list(self._usage(after, upto)),
            "file_edits": list(self._edits(after, upto)),
            "events": list(self._events(after, upto)),
            "plans": list(self._plans(after, upto)),
            "todos": list(self._todos(after, upto)),
            "history": list(self._history(after, upto)),
        }

    def _sessions(self, after: int, upto: int) -> Iterator[Row]:
        for session in mirror_rows.session_items(self._db, after, upto):
            yield _SessionRow(**session._asdict())

    def _messages(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.message_items(self._db, after, upto):
            message = self._bodies.read(item.spot, Message)
            self._attach(item, message.attachments, message_id=message.id)
            yield _MessageRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                seq=item.seq,
                message_id=item.message_id,
                role=item.role,
                kind=item.kind,
                state=item.state,
                model=item.model,
                model_name=_plain_name(item.model),
                timestamp=item.timestamp,
                parent_id=message.parent_id,
                record_id=next(iter(message.record_ids), None),
                text=message.text,
                reasoning=message.reasoning or None,
                stop_reason=message.stop_reason,
                api_id=message.api_id,
                usage_key=item.usage_key,
                usage_counted=item.usage_counted,
                input_tokens=item.input_tokens,
                cache_read_tokens=item.cache_read_tokens,
                cache_write_tokens=item.cache_write_tokens,
                output_tokens=item.output_tokens,
                reasoning_tokens=item.reasoning_tokens,
                file=item.file,
                byte_offset=item.byte_offset,
            )

    def _calls(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.stored_items(self._db, "tool_calls", after, upto):
            call = self._bodies.read(item.spot, ToolCall)
            self._attach(item, call.attachments, message_id=call.message_id, call_id=call.id)
            result = spilled_result(self._db, item.session_key, call, self._resolve)
            if result is None:
                result = recorded_result(call, item.file_id, self._resolve)
            yield _CallRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                seq=item.seq,
                call_id=item.uid,
                message_id=call.message_id,
                name=call.name,
                kind=call.kind,
                title=call.title,
                server=call.server,
                arguments=call.arguments,
                result=result,
                display=call.display,
                status=call.status,
                approval=call.approval,
                exit_code=call.exit_code,
                started_at=to_micros(call.started_at),
                ended_at=to_micros(call.ended_at),
                duration_ms=call.duration_ms,
                child_session_id=call.child_session_id,
                spilled_to=call.spilled_to,
                file=item.file,
                byte_offset=call.offset,
            )

    def _usage(self, after: int, upto: int) -> Iterator[Row]:
        for usage in mirror_rows.usage_items(self._db, after, upto):
            yield _UsageRow(**usage._asdict(), model_name=_plain_name(usage.model))

    def _edits(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.stored_items(self._db, "file_edits", after, upto):
            edit = self._bodies.read(item.spot, FileEdit)
            text_after = None
            if edit.diff is None:
                text_after = edit.after
            yield _EditRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                seq=item.seq,
                path=edit.path,
                kind=edit.kind,
                origin=edit.origin,
                state=edit.state,
                message_id=edit.message_id,
                call_id=edit.call_id,
                timestamp=to_micros(edit.timestamp),
                lines_added=edit.lines_added,
                lines_removed=edit.lines_removed,
                diff=edit.diff,
                after=text_after,
                file=item.file,
            )

    def _events(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.stored_items(self._db, "events", after, upto):
            event = self._bodies.read(item.spot, Event)
            yield _EventRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                seq=item.seq,
                type=event.type,
                event_id=event.id,
                text=event.text or None,
                raw=event.raw,
                timestamp=to_micros(event.timestamp),
                file=item.file,
                byte_offset=event.offset,
            )

    def _plans(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.plan_items(self._db, after, upto):
            plan = msgspec.msgpack.decode(item.body, type=Plan)
            yield _PlanRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                name=plan.name,
                kind=plan.kind,
                path=plan.path,
                text=plan.text,
                approved=plan.approved,
                feedback=plan.feedback,
                created_at=to_micros(plan.created_at),
                file=item.file,
            )

    def _todos(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.todo_list_items(self._db, after, upto):
            todos = msgspec.msgpack.decode(item.body, type=TodoList)
            for index, todo in enumerate(todos.items):
                yield _TodoRow(
                    id=item.id,
                    session_key=item.session_key,
                    agent=item.agent,
                    session_id=item.session_id,
                    agent_id=todos.agent_id,
                    item_index=index,
                    content=todo.content,
                    status=todo.status,
                    active_form=todo.active_form,
                    todo_id=todo.id,
                    description=todo.description,
                    depends_on=json.dumps(todo.depends_on),
                    origin=todos.origin,
                    rank=item.rank,
                    created_at=to_micros(todo.created_at),
                    updated_at=to_micros(todo.updated_at),
                    file=item.file,
                )

    def _history(self, after: int, upto: int) -> Iterator[Row]:
        for item in mirror_rows.history_items(self._db, after, upto):
            entry = msgspec.msgpack.decode(item.body, type=HistoryEntry)
            yield _HistoryRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                position=item.position,
                timestamp=item.timestamp,
                project_path=entry.project_path,
                text=entry.text,
                pasted=entry.pasted,
                file=item.file,
            )

    def _attach(
        self,
        item: MessageItem | StoredItem,
        attachments: tuple[Attachment, ...],
        *,
        message_id: str | None,
        call_id: str | None = None,
    ) -> None:
        for attachment in attachments:
            row = _AttachmentRow(
                id=item.id,
                session_key=item.session_key,
                agent=item.agent,
                session_id=item.session_id,
                message_id=message_id,
                call_id=call_id,
                kind=attachment.kind,
                name=attachment.name,
                path=attachment.path,
                mime_type=attachment.mime_type,
                size=attachment.size,
                sha256=attachment.sha256,
                text=attachment.text,
                note=attachment.note,
            )
            self._attachments.append(row)


@functools.cache
def _plain_name(model: str | None) -> str | None:
    if not model:
        return model
    return model_name(model)
