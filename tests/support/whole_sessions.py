"""The index of whole sessions: what it holds, and a catalog of messages to write it from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import tantivy

from agent_journal.search.items import Item
from agent_journal.search.lexical_documents import analyzers
from agent_journal.search.session_words import Piece, SessionWriter, find_pieces, schema
from agent_journal.search.terms import prepared

if TYPE_CHECKING:
    from agent_journal.journal import Journal


class Held(NamedTuple):
    """What an index has of whole sessions."""

    sizes: dict[int, int]  # of each session
    words: dict[tuple[int, str], int]  # how many documents of a session have a word


def all_pieces(searcher: tantivy.Searcher) -> list[Piece]:
    """Every document, in the order of the items."""
    return find_pieces(searcher, tantivy.Query.all_query())


def held(searcher: tantivy.Searcher, words: tuple[str, ...]) -> Held:
    """What an index has; the ranges of its documents must not overlap."""
    pieces = all_pieces(searcher)
    sizes: dict[int, int] = {}
    ends: dict[int, int] = {}
    for piece in pieces:
        assert piece.first <= piece.last
        assert piece.first > ends.get(piece.session, 0), pieces
        ends[piece.session] = piece.last
        sizes[piece.session] = sizes.get(piece.session, 0) + piece.size
    counts: dict[tuple[int, str], int] = {}
    for word in words:
        for piece in find_pieces(searcher, tantivy.Query.term_query(schema(), "body", word)):
            key = (piece.session, word)
            counts[key] = counts.get(key, 0) + 1
    return Held(sizes, counts)


def of_journal(journal: Journal) -> tantivy.Searcher:
    """The index of whole sessions of a journal."""
    from agent_journal.sync.indexes import lexical

    return lexical(journal.config).session_searcher()


class Sessions:
    """Messages in memory with an index of their sessions, as a catalog and its syncs."""

    def __init__(self) -> None:
        self.items: dict[int, Item] = {}
        self.gone: dict[int, int] = {}  # since the last sync: items with their sessions
        self.index = new_index()
        self.watermark = 0
        self.last = 0
        self.read: list[int] = []  # items that were read again by the last sync

    def say(self, session: int, text: str, **more: Any) -> int:
        """Add a message."""
        self.last += 1
        kind = more.pop("kind", "prompt")
        self.items[self.last] = Item(self.last, session, kind, "user", 0, text, **more)
        return self.last

    def remove(self, item_id: int) -> Item:
        """Remove a message."""
        item = self.items.pop(item_id)
        self.gone[item_id] = item.session
        return item

    def sync(self, *, is_killed: bool = False, items: int | None = None) -> None:
        """Have the index catch up; when it is killed, the watermark stays where it is.

        With `items`, it ends after so many of them, without a last commit.
        """
        self.read = []
        gone = [(session, item_id) for item_id, session in self.gone.items()]
        self._write(self.index, self.watermark, gone, items)
        if not is_killed:
            self.watermark = self.last
            self.gone = {}

    def rebuild(self) -> None:
        """Build the index from scratch."""
        self.index = self.fresh()
        self.watermark = self.last
        self.gone = {}

    def fresh(self) -> tantivy.Index:
        """An index that is built from scratch."""
        index = new_index()
        self._write(index, 0, [])
        return index

    def _write(
        self,
        index: tantivy.Index,
        watermark: int,
        gone: list[tuple[int, int]],
        most: int | None = None,
    ) -> None:
        writer = SessionWriter(index, self._read, watermark)
        writer.begin(gone)
        added = [item for item_id, item in self.items.items() if item_id > watermark]
        for item in added[:most]:
            writer.add(item, prepared(item.text))
        if most is None:
            writer.commit()
        index.reload()

    def _read(self, session: int, first: int, last: int) -> Iterator[Item]:
        for item_id, item in self.items.items():
            if item.session == session and first <= item_id <= last:
                self.read.append(item_id)
                yield item


def new_index() -> tantivy.Index:
    """An empty index in memory."""
    index = tantivy.Index(schema())
    for name, analyzer in analyzers().items():
        index.register_tokenizer(name, analyzer)
    return index
