"""What a hit says: its row in the catalog as text, and the snippet around the words of a query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from agent_journal.model import Event, FileEdit, HistoryEntry, Message, Plan, TodoList, ToolCall
from agent_journal.search.items import INDEXED_BYTES
from agent_journal.search.terms import attached_names, attached_text
from agent_journal.store.catalog import search_rows
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.results import recorded_result, spilled_result
from agent_journal.store.catalog.search_rows import PassageRow
from agent_journal.text.plain import without_escapes

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
_WINDOW = 160
_LONG = 100_000  # letters
_MOST_MARKS = 2_000


class Passage(NamedTuple):
    """The row of a hit: its place in the session, and its text."""

    id: str
    role: str
    kind: str
    timestamp: int | None
    seq: int | None
    text: str


class Neighbour(NamedTuple):
    """A message beside a hit."""

    role: str
    kind: str
    timestamp: int | None
    seq: int
    text: str


class Snippet(NamedTuple):
    """A piece of a text, with the places of the words in it."""

    text: str
    marks: list[tuple[int, int]]


class Passages:
    """Reads hits back from the catalog."""

    def __init__(self, db: Connection, resolve: Resolve) -> None:
        self._db = db
        self._bodies = BodyReader(db)
        self._resolve = resolve

    def get(self, hit: Hit) -> Passage | None:
        """The row of a hit; None when it is gone."""
        item_id = hit.item_id
        return (
            self._stored(hit)
            or self._inline(item_id)
            or self._title(item_id)
            or self._document(item_id)
        )

    def around(self, hit: Hit, count: int) -> list[Neighbour]:
        """What was said before and after a hit; nothing that the agent hides."""
        if not count or hit.session is None:
            return []
        passage = self.get(hit)
        if passage is None or passage.seq is None:
            return []
        session_id = hit.session.row_id
        before = search_rows.messages_before(self._db, session_id, passage.seq)
        after = search_rows.messages_after(self._db, session_id, passage.seq)
        return [*self._said(before, count)[::-1], *self._said(after, count)]

    def _said(self, rows: Iterator[PassageRow], count: int) -> list[Neighbour]:
        found: list[Neighbour] = []
        for row in rows:
            message = self._bodies.read(row.spot, Message)
            if message.text and message.state != "hidden":
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
            if hit.part == "reasoning":
                text = body.reasoning
            elif hit.part == "attachment":
                text = attached_text(body.attachments)
            else:
                text = self._text(body, row)
            kind = hit.part or row.kind
            return Passage(row.uid, row.role, kind, row.timestamp, row.seq, text)
        return None

    def _inline(self, item_id: int) -> Passage | None:
        for table, (kind, struct) in _INLINE.items():
            body = search_rows.find_body(self._db, table, item_id)
            if body is not None:
                piece = msgspec.msgpack.decode(body, type=struct)
                if isinstance(piece, Plan) and piece.kind == "memory":
                    kind = "memory"
                return Passage("", "", kind, None, None, _inline_text(piece))
        return None

    def _title(self, item_id: int) -> Passage | None:
        row = search_rows.find_title(self._db, item_id)
        if row is None:
            return None
        words = (row.title, row.project_path, row.repository, row.git_branch)
        return Passage("", "", "session", row.ended_at, None, _lines(*words))

    def _document(self, item_id: int) -> Passage | None:
        row = search_rows.find_document(self._db, item_id)
        if row is None:
            return None
        text = self._resolve.document(row.file_id, INDEXED_BYTES)
        return Passage(row.name, "", "document", row.timestamp, None, _lines(row.name, text))

    def _text(self, body: Message | ToolCall | Event | FileEdit, row: PassageRow) -> str:
        if isinstance(body, Message):
            return _lines(body.text, *attached_names(body.attachments))
        if isinstance(body, Event):
            return body.text or body.raw or body.type
        if isinstance(body, FileEdit):
            return f"{body.path}\n{body.diff or body.after or ''}"
        result = spilled_result(self._db, row.session_id, body, self._resolve, INDEXED_BYTES)
        if result is None:
            result = recorded_result(body, row.file_id, self._resolve)
        return _lines(body.name, body.title, body.server, body.arguments, body.display, result)


def _inline_text(body: Plan | TodoList | HistoryEntry) -> str:
    if isinstance(body, TodoList):
        return "\n".join(f"{todo.content} {todo.description or ''}".strip() for todo in body.items)
    if isinstance(body, HistoryEntry):
        return _lines(body.text, body.pasted)
    return _lines(body.name, body.text, body.feedback)


def _lines(*texts: str | None) -> str:
    return "\n".join(filter(None, texts))


# -- snippets ----------------------------------------------------------------------------------


def folded(text: str) -> str:
    """The text in lower case and without accents, with every letter at the same place."""
    if text.isascii():
        return text.lower()
    return "".join(
        unicodedata.normalize("NFD", letter)[:1].lower()[:1] or letter for letter in text
    )


def snippet(text: str, terms: list[str], width: int = _WINDOW) -> Snippet:
    """The part of a text with the most terms, on one line, with the places of the terms."""
    if len(text) > _LONG:
        text = _neighbourhood(text, terms)
    text = without_escapes(text)
    plain = folded(text)
    places = _places(plain, terms)
    start = _best_start(places, width, plain)
    end = min(len(text), start + width)
    line = re.sub(r"\s", " ", text[start:end])
    offset = start
    if start > 0:
        line = "…" + line
        offset -= 1
    if end < len(text):
        line += "…"
    marks = [
        (first - offset, last - offset) for first, last in places if first >= start and last <= end
    ]
    return Snippet(line, marks)


def _places(plain: str, terms: list[str]) -> list[tuple[int, int]]:
    """Where the terms are, as words in any form; inside of words only when there are none."""
    wanted = sorted({folded(term) for term in terms if term}, key=len, reverse=True)
    if not wanted:
        return []
    for pattern in ("|".join(map(_word_pattern, wanted)), "|".join(map(re.escape, wanted))):
        found = [match.span() for match in re.finditer(pattern, plain)][:_MOST_MARKS]
        if found:
            return found
    return []


def _word_pattern(term: str) -> str:
    """A term as a whole word; one of few letters has no other forms."""
    pattern = re.escape(term)
    if not term.isascii():
        return pattern
    if len(term) <= 3:
        return rf"(?<![a-z0-9]){pattern}"
    return rf"(?<![a-z0-9]){pattern}[a-z]{{0,4}}(?![a-z0-9])"


def _neighbourhood(text: str, terms: list[str]) -> str:
    """The part of a very long text around the first term; folding all of it would take seconds."""
    first = _first_place(text.lower(), [term.lower() for term in terms if term])
    if first is None:  # look again without accents
        first = _first_place(folded(text[: 20 * _LONG]), [folded(term) for term in terms if term])
    start = max(0, (first or 0) - _LONG // 2)
    return text[start : start + _LONG]


def _first_place(text: str, terms: list[str]) -> int | None:
    places = [text.find(term) for term in terms]
    return min((place for place in places if place >= 0), default=None)


def _best_start(places: list[tuple[int, int]], width: int, plain: str) -> int:
    """Where the window with the most different terms begins."""
    most = 0
    best_start = 0
    for number, (start, _) in enumerate(places):
        last_end = start + width * 3 // 4
        nearby = places[number : number + 40]
        terms = {plain[first:last] for first, last in nearby if last <= last_end}
        if len(terms) > most:
            most = len(terms)
            best_start = start
    lead = max(0, best_start - width // 4)
    if lead == 0:
        return 0
    space = plain.find(" ", lead, best_start)  # not in the middle of a word
    if space < 0:
        return lead
    return space + 1
