"""What a hit says: its row in the catalog as texts that people read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.model import Event, FileEdit, HistoryEntry, Message, Plan, TodoList, ToolCall
from agent_journal.search.snippets import Part
from agent_journal.search.terms import INDEXED_BYTES, attached_names, attached_text
from agent_journal.store.catalog import search_rows
from agent_journal.store.catalog.bodies import BodyReader, decode_body
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.results import recorded_result, spilled_result
from agent_journal.store.catalog.search_rows import PassageRow
from agent_journal.text.dates import to_micros

if TYPE_CHECKING:
    from agent_journal.search.finding import Hit
    from agent_journal.store.catalog.results import Resolve

# The tables of items whose bodies are in blocks, and of those that hold their bodies
_STORED: dict[str, type[Any]] = {
    "messages": Message,
    "tool_calls": ToolCall,
    "events": Event,
    "file_edits": FileEdit,
}
_INLINE: dict[str, tuple[str, type[Any]]] = {
    "plans": ("plan", Plan),
    "todo_lists": ("todo", TodoList),
    "history": ("history", HistoryEntry),
}
_HEAD_OF_A_DIFF = ("--- ", "+++ ", "diff --git ", "index ")
_HEAD_LINES = 4
_RESULT = " → "


class Passage(NamedTuple):
    """The row of a hit: its place in the session, and its texts. `name` is that of a tool.

    `agent` and `project` are known of plans and prompt histories, which may have no session.
    """

    id: str
    role: str
    kind: str
    timestamp: int | None
    seq: int | None
    parts: tuple[Part, ...]
    name: str = ""
    agent: str | None = None
    project: str | None = None


class Neighbour(NamedTuple):
    """A message beside a hit."""

    role: str
    kind: str
    timestamp: int | None
    seq: int
    text: str


class Passages:
    """Reads hits back from the catalog."""

    def __init__(self, db: Connection, open_archive: Callable[[], Resolve]) -> None:
        self._db = db
        self._bodies = BodyReader(db)
        self._open_archive = open_archive

    @cached_property
    def _resolve(self) -> Resolve:
        return self._open_archive()  # few hits need it

    def get(self, hit: Hit) -> Passage | None:
        """The row of a hit; None when it is gone."""
        item_id = hit.item_id
        return (
            self._stored(hit)
            or self._inline(item_id)
            or self._title(item_id)
            or self._document(item_id)
        )

    def around(self, hit: Hit, passage: Passage, count: int) -> list[Neighbour]:
        """What was said before and after a hit; nothing that the agent hides."""
        if not count or hit.session is None or passage.seq is None:
            return []
        session_id = hit.session.row_id
        before = search_rows.messages_before(self._db, session_id, passage.seq)
        after = search_rows.messages_after(self._db, session_id, passage.seq)
        return [*self._said(before, count)[::-1], *self._said(after, count)]

    def _said(self, rows: Iterator[PassageRow], count: int) -> list[Neighbour]:
        found: list[Neighbour] = []
        for row in rows:
            message = self._bodies.read(row.spot, Message)
            if message.text.strip() and message.state != "hidden":
                found.append(Neighbour(row.role, row.kind, row.timestamp, row.seq, message.text))
            if len(found) == count:
                break
        return found

    def _stored(self, hit: Hit) -> Passage | None:
        for table, struct in _STORED.items():
            row = search_rows.find_passage(self._db, table, hit.item_id)
            if row is None:
                continue
            body = self._bodies.read(row.spot, struct)
            name = ""
            parts: tuple[Part, ...]
            if hit.part == "reasoning":
                parts = (Part(body.reasoning),)
            elif hit.part == "attachment":
                parts = (Part(attached_text(body.attachments)),)
            elif isinstance(body, ToolCall):
                name = body.name or "unknown tool"
                parts = _call_parts(body, self._result(body, row))
            else:
                parts = _stored_parts(body)
            kind = hit.part or row.kind
            return Passage(row.uid, row.role, kind, row.timestamp, row.seq, parts, name)
        return None

    def _inline(self, item_id: int) -> Passage | None:
        for table, (kind, struct) in _INLINE.items():
            row = search_rows.find_body(self._db, table, item_id)
            if row is None:
                continue
            piece = decode_body(row.body, struct)
            if isinstance(piece, Plan) and piece.kind == "memory":
                kind = "memory"
            project = None
            if isinstance(piece, HistoryEntry):
                project = piece.project_path
            return Passage(
                "",
                "",
                kind,
                _written_at(piece),
                None,
                _inline_parts(piece),
                agent=row.agent,
                project=project,
            )
        return None

    def _title(self, item_id: int) -> Passage | None:
        row = search_rows.find_title(self._db, item_id)
        if row is None:
            return None
        places = filter(None, (row.project_path, row.repository, row.git_branch))
        titles = filter(None, (row.own_title, row.title))
        parts = (Part(" · ".join(titles)), Part(" · ".join(places), " · "))
        return Passage("", "", "session", row.ended_at, None, parts)

    def _document(self, item_id: int) -> Passage | None:
        row = search_rows.find_document(self._db, item_id)
        if row is None:
            return None
        text = self._resolve.document(row.file_id, INDEXED_BYTES)
        parts = (Part(row.name), Part(text or "", ": "))
        return Passage(row.name, "", "document", row.timestamp, None, parts)

    def _result(self, call: ToolCall, row: PassageRow) -> str:
        result = spilled_result(self._db, row.session_id, call, self._resolve, INDEXED_BYTES)
        if result is None:
            result = recorded_result(call, row.file_id, self._resolve)
        return result or ""


def _stored_parts(body: Message | Event | FileEdit) -> tuple[Part, ...]:
    if isinstance(body, Message):
        return (Part(body.text), Part(", ".join(attached_names(body.attachments)), " · "))
    if isinstance(body, Event):
        return (Part(body.type), Part(body.text or _without_json(body.raw), ": "))
    return (Part(body.path), Part(_changes(body), ": "))


def _call_parts(call: ToolCall, result: str) -> tuple[Part, ...]:
    """A call as a person would write it: the command or the file, then the rest, then the result.

    No JSON: every argument is there, with its name.
    """
    from agent_journal.model.arguments import parse_arguments, split_arguments, written_out

    arguments = split_arguments(call.kind, parse_arguments(call.arguments) or {})
    others = [call.title, call.server, written_out(arguments.others), call.display]
    return (
        Part(arguments.main),
        Part("\n".join(filter(None, others)), ": "),
        Part(result, _RESULT),
    )


def _without_json(text: str | None) -> str:
    """A record that no reader knows, without the signs of JSON."""
    from agent_journal.model.arguments import parse_arguments, written_out

    return written_out(parse_arguments(text))


def _changes(edit: FileEdit) -> str:
    """The lines that an edit changed and those beside them."""
    if not edit.diff:
        return edit.after or ""
    lines = edit.diff.split("\n")
    head = [line for line in lines[:_HEAD_LINES] if not line.startswith(_HEAD_OF_A_DIFF)]
    changes = [*head, *lines[_HEAD_LINES:]]
    return "\n".join(line for line in changes if not line.startswith("@@"))


def _inline_parts(body: Plan | TodoList | HistoryEntry) -> tuple[Part, ...]:
    if isinstance(body, TodoList):
        todos = [f"{todo.content} {todo.description or ''}".strip() for todo in body.items]
        return (Part(" · ".join(todos)),)
    if isinstance(body, HistoryEntry):
        return (Part(body.text), Part(body.pasted or "", " · "))
    return (Part(body.name), Part(body.feedback or "", ": "), Part(body.text, ": "))


def _written_at(body: Plan | TodoList | HistoryEntry) -> int | None:
    if isinstance(body, HistoryEntry):
        return to_micros(body.timestamp)
    if isinstance(body, Plan):
        return to_micros(body.created_at)
    return None
