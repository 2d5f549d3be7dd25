"""The part of a session that is loaded: some messages around a place, as blocks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import children_of, find_session_row
from agent_journal.store.catalog.prompts import prompt_positions
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.store.catalog.windows import Span, load_window, positions_of
from agent_journal.tui.blocks import Block, Conversation
from agent_journal.tui.finding import Entry
from agent_journal.tui.preview import found_position

if TYPE_CHECKING:
    from agent_journal.answers.warm_search import WarmSearch

LAST = 2**62  # a position behind every message
_AROUND = 80  # messages before and after a place
_MORE = 100  # messages that are loaded when an end comes near
_MOST = 400  # messages that are loaded at a time


class Part(NamedTuple):
    """Messages from one number to another, and where all messages of the session are."""

    row: SessionRow
    positions: list[int]
    prompts: list[int]  # positions of what people wrote
    start: int  # the number of the first message that is loaded
    stop: int  # that of the first one behind
    blocks: list[Block]
    found: int | None = None  # the position of what was found

    @property
    def total(self) -> int:
        """How many messages the session has."""
        return len(self.positions)

    @property
    def first(self) -> int:
        """The position of the first message that is loaded."""
        if not self.positions:
            return 0
        return self.positions[self.start]

    @property
    def last(self) -> int:
        """The position of the last message that is loaded."""
        if not self.positions:
            return 0
        return self.positions[self.stop - 1]

    @property
    def has_before(self) -> bool:
        """Whether there are messages before those that are loaded."""
        return self.start > 0

    @property
    def has_after(self) -> bool:
        """Whether there are messages behind those that are loaded."""
        return self.stop < len(self.positions)

    def number_of(self, position: int) -> int:
        """Return which message is at a position; the first one is 1."""
        return bisect_right(self.positions, position) or 1


class Place(NamedTuple):
    """Where words were found, and whether the search went on at the other end of the session."""

    position: int
    is_round: bool = False


def load_at(journal: Journal, entry: Entry, position: int | None, depth: str) -> Part | None:
    """Load the messages around a position, or around what was found; None without a session."""
    row = find_session_row(journal.db, *entry.key)
    if row is None:
        return None
    found = None
    if position is None:
        found = found_position(journal, entry)
        position = found or 0
    positions = positions_of(journal.db, row.row_id)
    place = bisect_left(positions, position)
    start = max(0, place - _AROUND)
    stop = min(len(positions), place + _AROUND)
    part = Part(row, positions, prompt_positions(journal.db, row.row_id), start, stop, [], found)
    return _with_blocks(journal, part, depth)


def load_again(journal: Journal, part: Part, depth: str) -> Part | None:
    """Load the same messages again, because the journal has changed; None without a session."""
    row = find_session_row(journal.db, part.row.agent, part.row.id)
    if row is None:
        return None
    positions = positions_of(journal.db, row.row_id)
    prompts = prompt_positions(journal.db, row.row_id)
    stop = min(part.stop, len(positions))
    again = Part(row, positions, prompts, min(part.start, max(0, stop - 1)), stop, [])
    return _with_blocks(journal, again, depth)


def load_beside(journal: Journal, part: Part, direction: int, depth: str) -> Part:
    """Load more messages before or behind, and let go of those at the other end."""
    start, stop = part.start, part.stop
    if direction < 0:
        start = max(0, start - _MORE)
        stop = min(stop, start + _MOST)
    else:
        stop = min(len(part.positions), stop + _MORE)
        start = max(start, stop - _MOST)
    return _with_blocks(journal, part._replace(start=start, stop=stop, found=None), depth)


def find_from(
    journal: Journal,
    search: WarmSearch,
    row: SessionRow,
    words: tuple[str, ...],
    here: int,
    direction: int,
) -> Place | None:
    """Return the next or previous message that has all words, round the ends of the session."""
    from agent_journal.answers.find_in_session import find_in_session

    found = find_in_session(
        journal,
        row,
        " ".join(words),
        lambda parsed, limit: search.find(
            journal, parsed, "lexical", limit=limit, per_session=False
        ),
    )
    if not found.positions:
        return None
    position = next_position(found.positions, here, direction)
    if position is not None:
        return Place(position)
    end = 0 if direction > 0 else -1
    return Place(found.positions[end], is_round=True)


def next_position(positions: list[int], here: int, direction: int) -> int | None:
    """Return the next or the previous one of some positions; None where there is none."""
    if direction > 0:
        place = bisect_right(positions, here)
        return positions[place] if place < len(positions) else None
    place = bisect_left(positions, here)
    return positions[place - 1] if place else None


def _with_blocks(journal: Journal, part: Part, depth: str) -> Part:
    if not part.positions:
        return part
    span = Span(part.first, part.last)
    if not part.has_after:
        span = span._replace(last=LAST)  # events behind the last message, too
    session = load_window(journal.db, part.row, journal.quotes(), span)
    children = children_of(journal.db, part.row.agent, part.row.id)
    return part._replace(blocks=Conversation(session, children, depth).blocks())
