"""The words of whole sessions: a small index beside the one of single items.

What a session is about is often spread over many messages, none of which has all of the words. Here
a document holds what people wrote and were answered in one session, without positions. A long
session has several documents, so that a line that is appended costs no more than reading the last
one again. It is an index of its own because the weight of a word depends on how many sessions have
it, and on how long a session is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.search.backlog import Backlog
from agent_journal.search.lexical import SESSIONS
from agent_journal.search.terms import prepared

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.items import Item

KINDS = ("prompt", "answer", "compaction")
_FULL = 64_000  # characters of a document; the next message begins another
_MOST_WAITING = 64_000_000  # characters in memory, of documents that are not full yet
_HEAP = 16 * 2**20

# The items of a session from one to another, both included
Read = Callable[[int, int, int], Iterator["Item"]]


class Piece(NamedTuple):
    """A document: some of the items of a session."""

    session: int
    first: int  # item
    last: int
    size: int


class Contents(NamedTuple):
    """How much there is of each session, and up to which item."""

    sizes: dict[int, int]  # in characters
    last: int


class _Waiting:
    """A document that is not full yet."""

    def __init__(self) -> None:
        self.texts: list[str] = []  # prepared, each by itself: nothing goes beyond a line
        self.ids: list[int] = []
        self.size = 0

    def add(self, item: Item, text: str) -> None:
        self.texts.append(text)
        self.ids.append(item.id)
        self.size += len(item.text)


def schema() -> tantivy.Schema:
    """The fields of a document."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("session", indexed=True, fast=True)
    builder.add_unsigned_field("first", indexed=True, fast=True)
    builder.add_unsigned_field("last", indexed=True, fast=True)
    builder.add_unsigned_field("size", fast=True)
    builder.add_text_field("body", tokenizer_name="words", index_option="freq")
    return builder.build()


class SessionWriter:
    """Adds items to the documents of their sessions.

    Everything above the watermark is removed first, and what has gone since: the documents that
    held it are made again from what `read` still has.
    """

    def __init__(self, index: tantivy.Index, read: Read, watermark: int) -> None:
        self._index = index
        self._schema = schema()
        self._read = read
        self._watermark = watermark
        self._writer = index.writer(_HEAP, 1)
        self._backlog = Backlog()
        self._searcher = index.searcher()
        self._waiting: dict[int, _Waiting] = {}
        self._size = 0
        self._reopened: set[int] = set()  # the first items of documents that are made again
        self._seen: set[int] = set()  # the sessions that were looked up

    def begin(self, gone: Iterable[tuple[int, int]]) -> None:
        """Make room: `gone` are pairs of a session and an item of it that is no longer there."""
        if not self._watermark:
            return
        found = _by_session(gone)
        for piece in self._pieces(self._above()):
            found.setdefault(piece.session, [])
        # Each session once: what waits of its last document is not to be joined with another one
        for session, items in found.items():
            self._make_again(session, items)

    def add(self, item: Item, text: str) -> None:
        """Add an item that is new, if it is something that people wrote or were answered.

        `text` is its text as `prepared` has made it.
        """
        if belongs(item):
            self._go_on(item.session)
            self._add(item, text)
            if self._backlog.is_full:
                self._commit_early()

    def commit(self) -> None:
        """Write everything; nothing is added afterwards."""
        for session in list(self._waiting):
            self._flush(session)
        self._writer.commit()
        self._writer.wait_merging_threads()

    def _commit_early(self) -> None:
        """Wait for tantivy; a kill afterwards must not cost what is made again."""
        for session, waiting in list(self._waiting.items()):
            if min(waiting.ids) <= self._watermark:
                self._flush(session)
        self._writer.commit()
        self._backlog.clear()

    def _make_again(self, session: int, gone: list[int]) -> None:
        """Make those documents of a session again that have what is gone, or too much."""
        pieces = self._pieces(self._with("session", session))
        for piece in pieces:
            has_gone = any(piece.first <= item_id <= piece.last for item_id in gone)
            if has_gone or piece.last > self._watermark:
                self._reopen(piece)
                # Its items are followed by those of the next document, not by new ones
                if piece != pieces[-1]:
                    self._flush(session)

    def _go_on(self, session: int) -> None:
        """Open the last document of a session again, unless it is full."""
        if not self._watermark or session in self._seen:
            return
        self._seen.add(session)
        pieces = self._pieces(self._with("session", session))
        if pieces and pieces[-1].size < _FULL:
            self._reopen(pieces[-1])

    def _reopen(self, piece: Piece) -> None:
        if piece.first in self._reopened:
            return
        self._reopened.add(piece.first)
        # By query: tantivy takes a number that is given as a term for a signed one
        self._writer.delete_documents_by_query(self._with("first", piece.first))
        upto = min(piece.last, self._watermark)
        for item in self._read(piece.session, piece.first, upto):
            if belongs(item):
                self._add(item, prepared(item.text))

    def _add(self, item: Item, text: str) -> None:
        waiting = self._waiting.setdefault(item.session, _Waiting())
        waiting.add(item, text)
        self._size += len(item.text)
        if waiting.size >= _FULL:
            self._flush(item.session)
        elif self._size > _MOST_WAITING:
            self._flush(next(iter(self._waiting)))

    def _flush(self, session: int) -> None:
        import tantivy

        waiting = self._waiting.pop(session, None)
        if waiting is None:
            return
        self._size -= waiting.size
        document = tantivy.Document()
        document.add_unsigned("session", session)
        document.add_unsigned("first", min(waiting.ids))
        document.add_unsigned("last", max(waiting.ids))
        document.add_unsigned("size", waiting.size)
        document.add_text("body", "\n".join(waiting.texts))
        self._writer.add_document(document)
        self._backlog.add(waiting.size)

    # -- what is there -------------------------------------------------------------------------

    def _above(self) -> tantivy.Query:
        import tantivy

        return tantivy.Query.range_query(
            self._schema, "last", tantivy.FieldType.Unsigned, self._watermark, None, False
        )

    def _with(self, field: str, value: int) -> tantivy.Query:
        import tantivy

        return tantivy.Query.term_query(self._schema, field, value)

    def _pieces(self, query: tantivy.Query) -> list[Piece]:
        return find_pieces(self._searcher, query)


def find_pieces(searcher: tantivy.Searcher, query: tantivy.Query) -> list[Piece]:
    """The documents that a query finds, in the order of their items."""
    found = searcher.search(query, max(1, searcher.num_docs)).hits
    places = [place for _, place in found]
    columns = (
        searcher.fast_field_values(name, places) for name in ("session", "first", "last", "size")
    )
    rows = zip(*columns, strict=True)
    pieces = [Piece(*(int(value or 0) for value in row)) for row in rows]
    return sorted(pieces, key=lambda piece: piece.first)


def belongs(item: Item) -> bool:
    """Whether an item is something that people wrote or were answered."""
    return item.kind in KINDS and not item.is_hidden and item.session > 0


def _by_session(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for session, item_id in pairs:
        found.setdefault(session, []).append(item_id)
    return found


def open_or_create(folder: str) -> tantivy.Index:
    """The index in a folder of the lexical index."""
    import tantivy

    path = os.path.join(folder, SESSIONS)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return tantivy.Index(schema(), path=path, reuse=True)


def contents(searcher: tantivy.Searcher) -> Contents:
    """What there is of all sessions."""
    import tantivy

    pieces = find_pieces(searcher, tantivy.Query.all_query())
    sizes: dict[int, int] = {}
    for piece in pieces:
        sizes[piece.session] = sizes.get(piece.session, 0) + piece.size
    return Contents(sizes, max((piece.last for piece in pieces), default=0))


def scores(searcher: tantivy.Searcher, query: tantivy.Query, count: int) -> dict[int, float]:
    """The best score of each session that a query finds, of so many documents."""
    found = searcher.search(query, count).hits
    sessions = searcher.fast_field_values("session", [place for _, place in found])
    best: dict[int, float] = {}
    for (score, _), session in zip(found, sessions, strict=True):
        key = int(session or 0)
        best[key] = max(best.get(key, 0.0), float(score))
    return best
