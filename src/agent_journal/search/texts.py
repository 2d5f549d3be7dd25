"""What a hit says: its row in the catalog, as text with the places of the words that were asked
for.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from agent_journal.model import Event, FileEdit, HistoryEntry, Message, Plan, TodoList, ToolCall
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.loading import Resolve

if TYPE_CHECKING:
    from agent_journal.search.finding import Hit

_STORED: dict[str, tuple[str, type[Any]]] = {
    "messages": ("uid, role, kind, timestamp", Message),
    "tool_calls": ("uid, 'tool', 'tool', started_at", ToolCall),
    "events": ("'', '', 'event', timestamp", Event),
    "file_edits": ("'', '', 'edit', timestamp", FileEdit),
}
_SMALL: dict[str, tuple[str, type[Any]]] = {
    "plans": ("plan", Plan),
    "todo_lists": ("todo", TodoList),
    "history": ("history", HistoryEntry),
}
_WINDOW = 160
_LONG = 100_000  # letters


class Passage(NamedTuple):
    """A hit's row: where it stands in its session, and its text."""

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
        for table, (columns, struct) in _STORED.items():
            query = f"SELECT seq, file_id, block, start, size, {columns} FROM {table} WHERE id = ?"
            row = self._db.execute(query, (item_id,)).fetchone()
            if row is not None:
                seq, file_id, *spot = row[:5]
                uid, role, kind, time = row[5:]
                body = self._bodies.read(spot, struct)
                if hit.is_reasoning:
                    return Passage(uid, role, "reasoning", time, seq, body.reasoning or "")
                return Passage(uid, role, kind, time, seq, self._text(body, file_id))
        for table, (kind, struct) in _SMALL.items():
            found = self._db.execute(
                f"SELECT body FROM {table} WHERE id = ?", (item_id,)
            ).fetchone()
            if found is not None:
                return Passage(
                    "",
                    "",
                    kind,
                    None,
                    None,
                    _small_text(msgspec.msgpack.decode(found[0], type=struct)),
                )
        return self._session(item_id)

    def around(self, hit: Hit, count: int) -> list[Neighbour]:
        """What was said before and after a hit; nothing that the agent hides."""
        passage = self.get(hit) if count and hit.session is not None else None
        if passage is None or passage.seq is None or hit.session is None:
            return []
        place = (hit.session.row_id, passage.seq)
        before, after = (self._said(place, *way, count) for way in (("<", "DESC"), (">", "ASC")))
        return [*before[::-1], *after]

    def _said(self, place: tuple[int, int], side: str, order: str, count: int) -> list[Neighbour]:
        columns = "role, kind, timestamp, seq, block, start, size"
        query = f"SELECT {columns} FROM messages WHERE session_id = ? AND seq {side} ? ORDER BY seq {order}"
        found: list[Neighbour] = []
        for role, kind, timestamp, seq, *spot in self._db.execute(query, place):
            message = self._bodies.read(spot, Message)
            if message.text and message.state != "hidden":
                found.append(Neighbour(role, kind, timestamp, seq, message.text))
            if len(found) == count:
                break
        return found

    def _session(self, item_id: int) -> Passage | None:
        query = "SELECT title, project_path, repository, git_branch, ended_at FROM sessions WHERE item_id = ?"
        row = self._db.execute(query, (item_id,)).fetchone()
        if row is None:
            return None
        *words, time = row
        return Passage("", "", "session", time, None, "\n".join(filter(None, words)))

    def _text(self, body: Message | ToolCall | Event | FileEdit, file_id: int) -> str:
        if isinstance(body, Message):
            attached = [
                part for one in body.attachments for part in (one.name, one.path, one.text) if part
            ]
            return "\n".join(filter(None, (body.text, *attached)))
        if isinstance(body, Event):
            return body.text or body.raw or body.type
        if isinstance(body, FileEdit):
            return f"{body.path}\n{body.diff or body.after or ''}"
        result = body.result
        if result is None and body.result_at is not None:
            result = self._resolve(file_id, body.result_at)
        return "\n".join(
            filter(None, (body.name, body.title, body.server, body.arguments, body.display, result))
        )


def _small_text(body: Plan | TodoList | HistoryEntry) -> str:
    if isinstance(body, TodoList):
        return "\n".join(f"{todo.content} {todo.description or ''}".strip() for todo in body.items)
    if isinstance(body, HistoryEntry):
        return "\n".join(filter(None, (body.text, body.pasted)))
    return "\n".join(filter(None, (body.name, body.text, body.feedback)))


def folded(text: str) -> str:
    """The text in lower case and without accents, letter for letter: places in it are places in the
    text.
    """
    if text.isascii():
        return text.lower()
    return "".join(
        unicodedata.normalize("NFD", letter)[:1].lower()[:1] or letter for letter in text
    )


def snippet(text: str, terms: list[str], width: int = _WINDOW) -> Snippet:
    """The part of a text where most of the terms stand together, on one line, with the places of
    the terms.
    """
    if len(text) > _LONG:
        text = _neighbourhood(text, terms)
    plain = folded(text)
    places = _places(plain, terms)
    start = _best_start(places, width, plain)
    end = min(len(text), start + width)
    shown = text[start:end]
    marks = [(a - start, b - start) for a, b in places if a >= start and b <= end]
    lead = "…" if start > 0 else ""
    tail = "…" if end < len(text) else ""
    line = "".join(" " if letter.isspace() else letter for letter in shown)
    return Snippet(lead + line + tail, [(a + len(lead), b + len(lead)) for a, b in marks])


def _places(plain: str, terms: list[str]) -> list[tuple[int, int]]:
    """Where the terms stand, as words and their other forms; inside of words only when they stand
    nowhere else.
    """
    wanted = sorted({folded(term) for term in terms if term}, key=len, reverse=True)
    for lead, tail in ((r"(?<![a-z0-9])", r"[a-z]{0,4}(?![a-z0-9])"), ("", "")):
        # A term of few letters, or of no Latin ones, is marked as it is.
        parts = [
            re.escape(term)
            if not term.isascii()
            else lead + re.escape(term) + (tail if len(term) > 3 else "")
            for term in wanted
        ]
        found = (
            [match.span() for match in re.finditer("|".join(parts), plain)][:2_000] if parts else []
        )
        if found:
            return found
    return []


def _neighbourhood(text: str, terms: list[str]) -> str:
    """The part of a very long text around the first place of a term; folding all of it would take
    seconds.
    """
    lowered = text.lower()
    places = [place for term in terms if term and (place := lowered.find(term.lower())) >= 0]
    if not places:  # with its accents
        lowered = folded(text[: 20 * _LONG])
        places = [place for term in terms if term and (place := lowered.find(folded(term))) >= 0]
    start = max(0, min(places, default=0) - _LONG // 2)
    return text[start : start + _LONG]


def _best_start(places: list[tuple[int, int]], width: int, plain: str) -> int:
    """Where the window with the most different terms begins."""
    best, best_start = 0, 0
    for number, (start, _) in enumerate(places):
        inside = {
            plain[a:b] for a, b in places[number : number + 40] if b <= start + width * 3 // 4
        }
        if len(inside) > best:
            best, best_start = len(inside), start
    lead = max(0, best_start - width // 4)
    cut = plain.find(" ", lead, best_start)  # not in the middle of a word
    return lead if lead == 0 or cut < 0 else cut + 1
