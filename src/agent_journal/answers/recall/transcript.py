"""`read`: the messages of a session, page by page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.answers.answer import Answer, iso_time
from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.lines import moment_of, quoted_title
from agent_journal.answers.recall.message_texts import message_text, trimmed
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.quotation import plain, quoted_lines
from agent_journal.answers.recall.reply import AROUND_JSON, Reply, written
from agent_journal.answers.session import SessionExtra
from agent_journal.errors import UsageError
from agent_journal.model import Message
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.loading import as_session
from agent_journal.store.catalog.windows import Span, load_window, positions_of
from agent_journal.text.human import plural

_AT_ONCE = 12  # messages that are loaded together
_AROUND = 600  # characters of an answer that are not of messages
_CURSOR = re.compile(r"(\d{1,9})\.(\d{1,9})\Z")


class Place(NamedTuple):
    """Where a page begins: the position of a message, and the first letter of its text."""

    position: int
    letter: int = 0

    @property
    def cursor(self) -> str:
        """The place as a client gives it back."""
        return f"{self.position}.{self.letter}"


class Piece(NamedTuple):
    """A message as text, or a part of a long one, and where it begins."""

    place: Place
    text: str
    message: Message


class Page(NamedTuple):
    """Some pieces, and what follows the last one."""

    pieces: list[Piece]
    after: Place | None

    def place_after(self, shown: int) -> Place | None:
        """Where the next page begins when so many pieces are shown; None at the end."""
        if shown < len(self.pieces):
            return self.pieces[shown].place
        return self.after


def tell_transcript(moment: Moment, given: Arguments) -> Reply:
    """Show messages of a session."""
    row = moment.row(given.text("session") or "")
    positions = positions_of(moment.journal.db, row.row_id)
    page = _page(moment, row, positions, given)
    title = f"{moment.session_name(row)}  {quoted_title(moment, row)}"
    times = f"{moment_of(row.started_at)} to {moment_of(row.ended_at)}"

    def head(shown: int) -> str:
        following = page.place_after(shown)
        more = "This is the end."
        if following is not None:
            more = f'More: cursor="{following.cursor}".'
        return f"{plural(len(positions), 'message')} in this session. {more} {moment.synced()}"

    def parts() -> list[str]:
        texts = [piece.text for piece in page.pieces]
        if texts:
            texts[0] = f"{title}  {times}\n{texts[0]}"
        return texts

    most_chars = given.number("max_chars") - AROUND_JSON
    return Reply(_answer(moment, row, page, most_chars), parts, head)


def _page(moment: Moment, row: SessionRow, positions: list[int], given: Arguments) -> Page:
    start, wanted = _wanted(positions, given)
    depth = given.text("depth") or "story"
    most_chars = given.number("max_chars")
    longest = most_chars - _AROUND
    pieces: list[Piece] = []
    used = 0
    place = start
    for first in range(0, len(wanted), _AT_ONCE):
        chunk = wanted[first : first + _AT_ONCE]
        for message in _messages(moment, row, chunk, depth):
            letter = start.letter if message.seq == start.position else 0
            for piece in _divided(message, message_text(message, depth), letter, longest):
                pieces.append(piece)
                used += len(quoted_lines(piece.text)) + 1
        place = Place(chunk[-1])
        if used > most_chars:
            break
    following = bisect_right(positions, place.position)
    after = Place(positions[following]) if following < len(positions) else None
    return Page(pieces, after)


def _wanted(positions: list[int], given: Arguments) -> tuple[Place, list[int]]:
    """Where to begin, and the positions of the messages that are wanted."""
    cursor = given.text("cursor")
    if cursor is not None:
        found = _CURSOR.match(cursor)
        if found is None:
            raise UsageError("this is no cursor", "copy it from the answer before")
        start = Place(int(found[1]), int(found[2]))
        return start, positions[bisect_left(positions, start.position) :]
    at = given.known_number("at")
    if at is None:
        return Place(0), positions
    middle = max(0, bisect_right(positions, at) - 1)
    first = max(0, middle - given.number("before"))
    wanted = positions[first : middle + given.number("after") + 1]
    return Place(0), wanted


def _messages(
    moment: Moment, row: SessionRow, positions: list[int], depth: str
) -> tuple[Message, ...]:
    journal = moment.journal
    span = Span(positions[0], positions[-1])
    session = load_window(journal.db, row, journal.quotes(), span)
    return moment.cleaning.session(trimmed(session, depth)).messages


def _divided(message: Message, text: str, letter: int, longest: int) -> Iterator[Piece]:
    """The text of a message from a letter on, in pieces that each fit into an answer."""
    text = plain(text)
    position = message.seq or 0
    while letter < len(text) or letter == 0:
        end = _end_of_piece(text, letter, longest)
        yield Piece(Place(position, letter), text[letter:end], message)
        letter = end
        if not text:
            return


def _end_of_piece(text: str, start: int, longest: int) -> int:
    """Where a piece ends: between lines, unless one line is too long."""
    end = start
    used = 0
    for line in text[start : start + longest].splitlines(keepends=True):
        size = len(line) + len("| \n")
        if used + size > longest:
            break
        used += size
        end += len(line)
    if end == start:
        end = start + longest - len("| \n")
    return min(end, len(text))


# -- JSON ----------------------------------------------------------------------------------------


def _answer(moment: Moment, row: SessionRow, page: Page, most_chars: int) -> Answer:
    """The session with as many messages as fit."""
    row = moment.cleaning.row(row)
    item: dict[str, Any] = msgspec.to_builtins(as_session(row))
    extra = SessionExtra(
        starred_at=iso_time(row.starred_at),
        own_tags=row.own_tag_names(),
        agent_title=row.agent_title,
    )
    room = most_chars - len(written({**item, **extra})) - _AROUND // 2
    messages: list[Any] = []
    shown = 0
    for piece in page.pieces:
        shown += 1
        if piece.place.letter:
            continue  # a message is there as a whole, or cut
        message = msgspec.to_builtins(_cut(piece.message, room))
        size = len(written(message)) + len(", ")
        if size > room and messages:
            shown -= 1
            break
        messages.append(message)
        room -= size
    item["messages"] = messages
    following = page.place_after(shown)
    extra["cursor"] = following.cursor if following is not None else None
    return Answer("session", [item], total=1, extra=extra)


def _cut(message: Message, room: int) -> Message:
    """A message that is too long for an answer, with shorter texts."""
    if len(written(msgspec.to_builtins(message))) <= room:
        return message
    share = max(100, room // (2 + 2 * len(message.tool_calls)))
    calls = tuple(
        replace(
            call,
            arguments=_shorter(call.arguments, share // 2),
            result=_shorter(call.result, share // 2),
        )
        for call in message.tool_calls[:20]
    )
    return replace(
        message,
        text=message.text[:share],
        reasoning=message.reasoning[: share // 2],
        tool_calls=calls,
        attachments=(),
    )


def _shorter(text: str | None, length: int) -> str | None:
    if text is None:
        return None
    return text[:length]
