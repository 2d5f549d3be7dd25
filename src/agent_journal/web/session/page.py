"""A session: its conversation in leaves; a long one shows only those that are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.errors import UsageError
from agent_journal.export.family import Member
from agent_journal.export.html.messages import PageContext, is_shown
from agent_journal.export.prose import in_tag, short_title
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow, children_of
from agent_journal.store.catalog.windows import Span, load_window, positions_of
from agent_journal.text.plain import shell_word
from agent_journal.web.addresses import download_address, session_address, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.pictures import LinkedAlbum
from agent_journal.web.session.conversation import DEPTHS, WebConversation
from agent_journal.web.session.head import CONVERSATION, head

LEAF = 10  # messages
_LEAVES = 8  # that a page begins with
_MOST_LEAVES = 20  # that are asked for at once


class Leaves(NamedTuple):
    """Some leaves of a session; the first one is number 0."""

    first: int
    shown: int
    total: int


def session_page(request: Request) -> Response:
    """The page of a session, around one of its messages."""
    agent, session_id = request.path_params["agent"], request.path_params["id"]
    with context_of(request).journal() as journal:
        row = journal.row(f"{agent}:{session_id}")
        positions = positions_of(journal.db, row.row_id)
        at = _at(request, positions)
        leaves = _around(positions, at)
        depth = _depth(request)
        main = [
            *head(journal, row, CONVERSATION),
            *_toolbar(row, depth),
            *_turning(row, leaves),
            *_talk(row, leaves, at),
            *_leaves(journal, row, positions, leaves, depth),
            "</div>\n",
            *_turning(row, leaves),
        ]
        title = in_tag(short_title(row.title), 120) or "(no title)"
        return respond(page(f"{title} · aj", main))


def session_part(request: Request) -> Response:
    """Some leaves of a session, for a page that is already open."""
    agent, session_id = request.path_params["agent"], request.path_params["id"]
    with context_of(request).journal() as journal:
        row = journal.row(f"{agent}:{session_id}")
        positions = positions_of(journal.db, row.row_id)
        total = _leaf_count(positions)
        first = _parameter(request, "from", 0)
        count = min(_parameter(request, "count", 1), _MOST_LEAVES, max(0, total - first))
        leaves = Leaves(first, count, total)
        return respond(_leaves(journal, row, positions, leaves, _depth(request)))


def _parameter(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, str(default))
    if not text.isascii() or not text.isdecimal():
        raise UsageError(f"{name} must be a number")
    return min(int(text[:9]), 10**8)


def _at(request: Request, positions: list[int]) -> int | None:
    """The position that is asked for, or that of the first message of a numbered page."""
    if "at" in request.query_params:
        return _parameter(request, "at", 0)
    number = _parameter(request, "page", 1)
    index = (number - 1) * _LEAVES * LEAF
    if number > 1 and index < len(positions):
        return positions[index]
    return None


def _depth(request: Request) -> str:
    depth = request.query_params.get("depth", DEPTHS[0])
    if depth not in DEPTHS:
        raise UsageError(f"depth is one of {', '.join(DEPTHS)}")
    return depth


def _leaf_count(positions: list[int]) -> int:
    return -(-len(positions) // LEAF)


def _around(positions: list[int], at: int | None) -> Leaves:
    from bisect import bisect_left

    total = _leaf_count(positions)
    if at is None:
        return Leaves(0, min(_LEAVES, total), total)
    wanted = bisect_left(positions, at) // LEAF
    first = max(0, min(wanted - 2, total - _LEAVES))
    return Leaves(first, min(_LEAVES, total - first), total)


# -- HTML ----------------------------------------------------------------------------------------


def _toolbar(row: SessionRow, depth: str) -> Iterator[str]:
    yield f'<form class="bar tools" action="{session_path(row)}" method="get">'
    yield '<label>Depth <select name="depth" id="depth">'
    for name in DEPTHS:
        chosen = " selected" if name == depth else ""
        yield f'<option value="{name}"{chosen}>{name.capitalize()}</option>'
    yield '</select></label> <button class="chip no-script">Show</button>'
    yield '<span class="downloads">Download, redacted: '
    for form in ("html", "md", "json"):
        yield f'<a href="{download_address(row, form)}" download>{form}</a> '
    yield f'</span> <button type="button" class="chip copy-text" data-text="{_resume(row)}">'
    yield "Copy the resume command</button></form>\n"


def _resume(row: SessionRow) -> str:
    """The command that continues a session, as the value of an attribute."""
    return escape(f"aj resume {shell_word(f'{row.agent}:{row.id}')}")


def _talk(row: SessionRow, leaves: Leaves, at: int | None) -> Iterator[str]:
    place = session_address(row)  # parts of it are asked for below this address
    target = "" if at is None else f' data-at="{at}"'
    yield (
        f'<div id="talk" role="feed" aria-label="Conversation" data-session="{place}" '
        f'data-first="{leaves.first}" data-total="{leaves.total}"{target}>\n'
    )


def _leaves(
    journal: Journal, row: SessionRow, positions: list[int], leaves: Leaves, depth: str
) -> Iterator[str]:
    shown = positions[leaves.first * LEAF : (leaves.first + leaves.shown) * LEAF]
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
    current = leaves.first // _LEAVES + 1
    around = range(max(2, current - 3), min(pages, current + 4))
    yield '<nav class="turning pages" aria-label="Pages">'
    for number in dict.fromkeys((1, *around, pages)):
        if number == current:
            yield f'<b aria-current="page">{number}</b> '
        else:
            address = session_address(row, page=number)
            yield f'<a href="{address}">{number}</a> '
    yield "</nav>\n"
