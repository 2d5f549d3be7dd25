"""Finds words in one session: with the index of words, and by reading what is newer than it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.model import Message
from agent_journal.query.tree import And, Field, Parsed, Value, Word
from agent_journal.search.marks import folded
from agent_journal.store.catalog.session_filters import EXACT_SESSION

if TYPE_CHECKING:
    from agent_journal.journal import Journal
    from agent_journal.search.finding import Found
    from agent_journal.store.catalog.listing import SessionRow

MOST_FOUND = 20_000
_MOST_READ = 20_000  # messages that no index has

Search = Callable[[Parsed, int], "Found"]  # the hits of a query, and how many are wanted


class FoundInSession(NamedTuple):
    """The positions of the messages that have all words, in their order."""

    positions: list[int]
    words: list[str]
    is_all: bool  # there are no others


def find_in_session(journal: Journal, row: SessionRow, text: str, search: Search) -> FoundInSession:
    """Find the messages of a session in which all words are; the last one may be unfinished."""
    words = [word for word in folded(text).split() if any(map(str.isalnum, word))]
    if not words:
        return FoundInSession([], [], is_all=True)
    indexed, is_all = _indexed(journal, row, words, search)
    newer, is_read = _newer(journal, row, words)
    positions = sorted({*indexed, *newer})
    return FoundInSession(positions, words, is_all and is_read)


def has_words(message: Message, words: Sequence[str]) -> bool:
    """Whether a message or its tool calls have all of some words, which are folded."""
    whole = folded("\n".join(_texts_of(message)))
    return all(word in whole for word in words)


def _texts_of(message: Message) -> Iterator[str]:
    texts = [message.text, message.reasoning]
    for call in message.tool_calls:
        texts += [call.name or "", call.arguments or "", call.result or "", call.display or ""]
    return filter(None, texts)


def _indexed(
    journal: Journal, row: SessionRow, words: Sequence[str], search: Search
) -> tuple[set[int], bool]:
    from agent_journal.store.catalog.item_positions import item_positions

    positions: set[int] | None = None
    is_all = True
    for word in words:  # one may be in the text of a message and the other in a call of it
        is_last = word == words[-1]
        found = search(_query(row, word, is_prefix=is_last and word.isalnum()), MOST_FOUND)
        if found.how != "all":  # nothing has it: these are words that are spelt alike
            return set(), True
        own = item_positions(journal.db, row.row_id, [hit.item_id for hit in found.hits])
        is_all = is_all and found.total is not None
        if positions is None:
            positions = set(own)
        else:
            positions.intersection_update(own)
    return positions or set(), is_all


def _query(row: SessionRow, word: str, *, is_prefix: bool) -> Parsed:
    here = Field(EXACT_SESSION, (Value(f"{row.agent}:{row.id}"),))
    return Parsed(And((here, Word(word, is_prefix))), "oldest")


def _newer(journal: Journal, row: SessionRow, words: Sequence[str]) -> tuple[list[int], bool]:
    """The messages that the index does not have yet, while a session grows or without an index."""
    from agent_journal.search.lexical import NAME
    from agent_journal.store.catalog.item_positions import positions_after
    from agent_journal.store.catalog.items import watermark
    from agent_journal.store.catalog.windows import Span, load_window
    from agent_journal.sync.indexes import lexical

    reached = 0
    if lexical(journal.config).is_of(journal.db):
        reached = watermark(journal.db, NAME)
    newer = positions_after(journal.db, row.row_id, reached)
    if not newer:
        return [], True
    read = newer[:_MOST_READ]
    session = load_window(journal.db, row, journal.quotes(), Span(read[0], read[-1]))
    found = [
        message.seq
        for message in session.messages
        if message.seq is not None and has_words(message, words)
    ]
    return found, len(read) == len(newer)
