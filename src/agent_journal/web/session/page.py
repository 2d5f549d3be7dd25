"""A session: its conversation in leaves; a long one shows only those that are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.conversion import resume_command
from agent_journal.errors import UsageError
from agent_journal.export.family import Member
from agent_journal.export.html.messages import PageContext, is_shown
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow, children_of
from agent_journal.store.catalog.windows import (
    Span,
    count_messages,
    load_window,
    some_positions,
)
from agent_journal.web.addresses import session_address, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.live.position import position_of
from agent_journal.web.pictures import LinkedAlbum
from agent_journal.web.session.conversation import DEPTHS, WebConversation
from agent_journal.web.session.find import find_form
from agent_journal.web.session.head import CONVERSATION, head, page_title, row_of
from agent_journal.web.session.parameters import number_parameter
from agent_journal.web.session.side import side

LEAF = 10  # messages
# The keys that move, with the sign and the name of their buttons
_MOVES = (
    ("K", "⇑", "Previous prompt"),
    ("k", "↑", "Previous message"),
    ("j", "↓", "Next message"),
    ("J", "⇓", "Next prompt"),
)
_PRINT = "This is a part of the session. To print all of it, print its export as an HTML page."
_LEAVES = 8  # that a page begins with
_MOST_LEAVES = 20  # that are asked for at once


class Leaves(NamedTuple):
    """Some leaves of a session; the first one is number 0."""

    first: int
    shown: int
    total: int


def session_page(request: Request) -> Response:
    """The page of a session, around one of its messages."""
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        here = position_of(journal)  # first: the stream has what comes later
        at = _at(request, journal, row)
        leaves = _shown_leaves(request, journal, row, at)
        depth = _depth(request)
        main = [
            *head(journal, row, CONVERSATION),
            '<div class="beside-talk">',
            *side(journal, row, at),
            '<div class="talk-column">',
            *_toolbar(row, depth),
            *_turning(row, leaves),
            *_talk(row, leaves, at, here),
            *_leaves(journal, row, leaves, depth),
            "</div>\n",
            *_turning(row, leaves),
            f'<p class="print-only">{_PRINT}</p>',
            "</div></div>\n",
        ]
        return respond(page(page_title(row, CONVERSATION), main))


def session_part(request: Request) -> Response:
    """Some leaves of a session, for a page that is already open."""
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        if "at" in request.query_params:
            leaves = _around(journal, row, number_parameter(request, "at", 0))
        else:
            total = _leaf_count(journal, row)
            first = number_parameter(request, "from", 0)
            count = number_parameter(request, "count", 1)
            leaves = Leaves(first, min(count, _MOST_LEAVES, max(0, total - first)), total)
        return respond(_leaves(journal, row, leaves, _depth(request)))


def _shown_leaves(request: Request, journal: Journal, row: SessionRow, at: int | None) -> Leaves:
    """Those around a position; of a numbered page exactly its own."""
    if at is None or "at" in request.query_params:
        return _around(journal, row, at)
    total = _leaf_count(journal, row)
    first = (number_parameter(request, "page", 1) - 1) * _LEAVES
    return Leaves(first, min(_LEAVES, total - first), total)


def _at(request: Request, journal: Journal, row: SessionRow) -> int | None:
    """The position that is asked for, or that of the first message of a numbered page."""
    if "at" in request.query_params:
        return number_parameter(request, "at", 0)
    number = number_parameter(request, "page", 1)
    if number < 2:
        return None
    first = some_positions(journal.db, row.row_id, (number - 1) * _LEAVES * LEAF, 1)
    return first[0] if first else None


def _depth(request: Request) -> str:
    depth = request.query_params.get("depth", DEPTHS[0])
    if depth not in DEPTHS:
        raise UsageError(f"depth is one of {', '.join(DEPTHS)}")
    return depth


def _leaf_count(journal: Journal, row: SessionRow) -> int:
    return -(-count_messages(journal.db, row.row_id) // LEAF)


def _around(journal: Journal, row: SessionRow, at: int | None) -> Leaves:
    total = _leaf_count(journal, row)
    if at is None:
        return Leaves(0, min(_LEAVES, total), total)
    wanted = count_messages(journal.db, row.row_id, before=at) // LEAF
    first = max(0, min(wanted - 2, total - _LEAVES))
    return Leaves(first, min(_LEAVES, total - first), total)


# -- HTML ----------------------------------------------------------------------------------------


def _toolbar(row: SessionRow, depth: str) -> Iterator[str]:
    yield '<div class="bar tools">'
    yield from find_form(row)
    yield f'<form action="{session_path(row)}" method="get"><label>Depth '
    yield '<select name="depth" id="depth" title="Depth of reading (d)">'
    for name in DEPTHS:
        chosen = " selected" if name == depth else ""
        yield f'<option value="{name}"{chosen}>{name.capitalize()}</option>'
    yield '</select></label> <button class="chip no-script">Show</button></form>'
    yield '<span class="chips needs-script" role="group" aria-label="Go to">'
    for key, sign, name in _MOVES:
        yield (
            f'<button type="button" class="chip" data-key="{key}" aria-label="{name}" '
            f'title="{name} ({key})">{sign}</button>'
        )
    yield "</span>"
    yield (
        '<button type="button" class="chip needs-script" id="fold" '
        'title="Fold or unfold (f)">Fold</button>'
    )
    command = resume_command(row)
    if command is not None:
        yield (
            '<button type="button" class="chip copy-text needs-script" id="copy-resume" '
            f'data-text="{escape(command)}" title="Copy the resume command (c)">'
            "Copy resume</button>"
        )
    yield f'<a class="chip" id="export" href="{session_path(row)}/export" '
    yield 'title="Export and continue (e)">Export …</a>'
    yield "</div>\n"


def _talk(row: SessionRow, leaves: Leaves, at: int | None, here: str) -> Iterator[str]:
    place = session_address(row)  # parts of it are asked for below this address
    target = "" if at is None else f' data-at="{at}"'
    yield (
        f'<div id="talk" role="feed" aria-label="Conversation" data-session="{place}" '
        f'data-first="{leaves.first}" data-total="{leaves.total}"{target} '
        f'data-position="{here}" data-messages="{row.message_count}">\n'
    )


def _leaves(journal: Journal, row: SessionRow, leaves: Leaves, depth: str) -> Iterator[str]:
    shown = some_positions(journal.db, row.row_id, leaves.first * LEAF, leaves.shown * LEAF)
    if not shown:
        return
    span = Span(shown[0], shown[-1])
    session = load_window(journal.db, row, journal.quotes(), span)
    member = Member(row, session)
    book = journal.prices()
    from agent_journal.usage.responses import cost_of, learn_prices

    used = [message.usage for message in session.messages if message.usage]
    learn_prices(book, used)
    context = PageContext([member], {}, partial(cost_of, book))
    context.album = LinkedAlbum(row)
    talk = WebConversation(member, context, children_of(journal.db, row.agent, row.id), depth)
    for number in range(leaves.shown):
        own = set(shown[number * LEAF : (number + 1) * LEAF])
        messages = [
            message for message in session.messages if message.seq in own and is_shown(message)
        ]
        yield f'<section class="leaf" data-leaf="{leaves.first + number}">\n'
        yield from talk.messages(messages)
        yield "</section>\n"


def _turning(row: SessionRow, leaves: Leaves) -> Iterator[str]:
    """Numbered pages, for readers without script."""
    pages = -(-leaves.total // _LEAVES)
    if pages < 2:
        return
    before, rest = divmod(leaves.first, _LEAVES)
    current = before + 1
    around = range(max(2, current - 3), min(pages, current + 4))
    yield '<nav class="turning pages" aria-label="Pages">'
    for number in dict.fromkeys((1, *around, pages)):
        if number == current and not rest:  # else what is shown is a part of two pages
            yield f'<b aria-current="page">{number}</b> '
        else:
            address = session_address(row, page=number)
            yield f'<a href="{address}">{number}</a> '
    yield "</nav>\n"
