"""The rows of the mirror, from the catalog: everything with an id in a range, table by table."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator
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
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import IS_MAIN, PROJECT
from agent_journal.store.catalog.loading import Resolve
from agent_journal.store.catalog.piece_writer import call_duration
from agent_journal.text.dates import to_micros
from agent_journal.text.names import model_name

Row = tuple[Any, ...]
_plain_name = functools.cache(model_name)
# A message and its tokens got their ids one after the other (catalog/fold.py), so each finds the
# other.
_WITH_USAGE = "u.id = m.id - 1 AND u.message_uid = m.uid AND u.session_id = m.session_id"


class RowReader:
    """Reads rows of an id range."""

    def __init__(self, db: Connection, resolve: Resolve) -> None:
        self._db = db
        self._resolve = resolve
        self._bodies = BodyReader(db)

    def read(self, after: int, upto: int) -> dict[str, list[Row]]:
        """All rows of items with ids above `after` up to `upto`, by table."""
        found: dict[str, list[Row]] = {"attachments": []}
        for table, reader in _READERS.items():
            found[table] = list(reader(self, after, upto, found["attachments"]))
        return found

    def _select(
        self, columns: str, table: str, key: str, after: int, upto: int, more: str = ""
    ) -> Iterable[Row]:
        return self._db.execute(
            f"SELECT {key}, m.session_id, s.agent, s.uid, {columns} FROM {table} m "
            f"JOIN sessions s ON s.id = m.session_id {more} WHERE {key} > ? AND {key} <= ? ORDER BY {key}",
            (after, upto),
        )

    def _sessions(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._db.execute(
            "SELECT revision, id, agent, uid, title, title_source, project_path, project_dir, "
            f"{PROJECT}, repository, git_branch, host_app, "
            "agent_version, models, started_at, ended_at, parent_uid, parent_call_uid, fork_of, agent_name, slug, "
            f"tags, is_automated, {IS_MAIN} AND s.message_count > 0, "
            "message_count, prompt_count, tool_count, edit_count, input_tokens, "
            "cache_read_tokens, cache_write_tokens, output_tokens, cost_micro_usd, recorded_cost_micro_usd "
            "FROM sessions s WHERE revision > ? AND revision <= ? AND (is_known = 1 "
            "OR EXISTS (SELECT 1 FROM usage u WHERE u.session_id = s.id AND u.counted = 1))",
            (after, upto),
        )
        for *row, cost, recorded in rows:
            yield (*row, _dollars(cost), _dollars(recorded))

    def _messages(self, after: int, upto: int, attachments: list[Row]) -> Iterator[Row]:
        rows = self._select(
            "m.seq, m.uid, m.role, m.kind, m.state, m.model, m.timestamp, f.path, m.offset, m.block, m.start, m.size, "
            "u.key, u.counted, u.input_tokens, u.cache_read_tokens, u.cache_write_tokens, u.output_tokens, "
            "u.reasoning_tokens",
            "messages",
            "m.id",
            after,
            upto,
            f"JOIN files f ON f.id = m.file_id LEFT JOIN usage u ON {_WITH_USAGE}",
        )
        for row in rows:
            head, (state, model, when, path, offset), spot = row[:8], row[8:13], row[13:16]
            key, counted, *tokens = row[16:]
            body = self._bodies.read(spot, Message)
            attachments.extend(_attachments(row[:4], body.id, None, body.attachments))
            yield (
                *head,
                state,
                model,
                model and _plain_name(model),
                when,
                body.parent_id,
                (*body.record_ids, None)[0],
                body.text,
                body.reasoning or None,
                body.stop_reason,
                body.api_id,
                key,
                counted,
                *(tokens if counted else (None,) * 5),
                path,
                offset,
            )

    def _calls(self, after: int, upto: int, attachments: list[Row]) -> Iterator[Row]:
        rows = self._select(
            "m.seq, m.uid, f.path, f.id, m.block, m.start, m.size",
            "tool_calls",
            "m.id",
            after,
            upto,
            "JOIN files f ON f.id = m.file_id",
        )
        for *head, path, file_id, block, start, size in rows:
            call = self._bodies.read((block, start, size), ToolCall)
            attachments.extend(_attachments(head[:4], call.message_id, call.id, call.attachments))
            result = call.result
            if result is None and call.result_at is not None:
                result = self._resolve(file_id, call.result_at)
            yield (
                *head,
                call.message_id,
                call.name,
                call.kind,
                call.title,
                call.server,
                call.arguments,
                result,
                call.display,
                call.status,
                call.approval,
                call.exit_code,
                to_micros(call.started_at),
                to_micros(call.ended_at),
                call_duration(call),
                call.child_session_id,
                call.spilled_to,
                path,
                call.offset,
            )

    def _usage(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._select(
            "m.key, m.message_uid, m.model, m.timestamp, m.input_tokens, m.cache_read_tokens, m.cache_write_tokens, "
            "m.cache_write_1h_tokens, m.output_tokens, m.reasoning_tokens, m.cost_micro_usd, m.premium_requests, "
            "m.requests, m.origin, m.is_sidechain, EXISTS (SELECT 1 FROM messages w WHERE w.id = m.id + 1 "
            "AND w.uid = m.message_uid AND w.session_id = m.session_id)",
            "usage",
            "m.id",
            after,
            upto,
            "AND m.counted = 1",
        )
        for row in rows:
            model = row[6]
            yield (*row[:7], model and _plain_name(model), *row[7:14], _dollars(row[14]), *row[15:])

    def _edits(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._select(
            "m.seq, f.path, m.block, m.start, m.size",
            "file_edits",
            "m.id",
            after,
            upto,
            "JOIN files f ON f.id = m.file_id",
        )
        for *head, path, block, start, size in rows:
            edit = self._bodies.read((block, start, size), FileEdit)
            yield (
                *head,
                edit.path,
                edit.kind,
                edit.origin,
                edit.state,
                edit.message_id,
                edit.call_id,
                to_micros(edit.timestamp),
                edit.lines_added,
                edit.lines_removed,
                edit.diff,
                edit.after if edit.diff is None else None,
                path,
            )

    def _events(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._select(
            "m.seq, f.path, m.block, m.start, m.size",
            "events",
            "m.id",
            after,
            upto,
            "JOIN files f ON f.id = m.file_id",
        )
        for *head, path, block, start, size in rows:
            event = self._bodies.read((block, start, size), Event)
            when = to_micros(event.timestamp)
            yield (
                *head,
                event.type,
                event.id,
                event.text or None,
                event.raw,
                when,
                path,
                event.offset,
            )

    def _plans(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._db.execute(
            "SELECT m.id, m.session_id, f.agent, s.uid, f.path, m.body FROM plans m JOIN files f ON f.id = m.file_id "
            "LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? AND m.id <= ? ORDER BY m.id",
            (after, upto),
        )
        for *head, path, body in rows:
            plan = msgspec.msgpack.decode(body, type=Plan)
            when = to_micros(plan.created_at)
            yield (
                *head,
                plan.name,
                plan.kind,
                plan.path,
                plan.text,
                plan.approved,
                plan.feedback,
                when,
                path,
            )

    def _todos(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._select(
            "m.rank, f.path, m.body",
            "todo_lists",
            "m.id",
            after,
            upto,
            "JOIN files f ON f.id = m.file_id",
        )
        for *head, rank, path, body in rows:
            todos = msgspec.msgpack.decode(body, type=TodoList)
            for place, todo in enumerate(todos.items):
                yield (
                    *head,
                    todos.agent_id,
                    place,
                    todo.content,
                    todo.status,
                    todo.active_form,
                    todo.id,
                    todo.description,
                    json.dumps(todo.depends_on),
                    todos.origin,
                    rank,
                    to_micros(todo.created_at),
                    to_micros(todo.updated_at),
                    path,
                )

    def _history(self, after: int, upto: int, _: list[Row]) -> Iterator[Row]:
        rows = self._db.execute(
            "SELECT m.id, s.id, f.agent, m.session, m.position, m.timestamp, f.path, m.body FROM history m "
            "JOIN files f ON f.id = m.file_id LEFT JOIN sessions s ON s.uid = m.session AND s.agent = f.agent "
            "WHERE m.id > ? AND m.id <= ? ORDER BY m.id",
            (after, upto),
        )
        for *head, path, body in rows:
            entry = msgspec.msgpack.decode(body, type=HistoryEntry)
            yield (*head, entry.project_path, entry.text, entry.pasted, path)


_READERS = {
    "sessions": RowReader._sessions,
    "messages": RowReader._messages,
    "tool_calls": RowReader._calls,
    "usage": RowReader._usage,
    "file_edits": RowReader._edits,
    "events": RowReader._events,
    "plans": RowReader._plans,
    "todos": RowReader._todos,
    "history": RowReader._history,
}


def _attachments(
    head: Iterable[Any], message_id: str | None, call_id: str | None, found: tuple[Attachment, ...]
) -> Iterator[Row]:
    for one in found:
        yield (
            *head,
            message_id,
            call_id,
            one.kind,
            one.name,
            one.path,
            one.mime_type,
            one.size,
            one.sha256,
            one.text,
            one.note,
        )


def _dollars(micros: int | None) -> float | None:
    return None if micros is None else micros / 1_000_000
