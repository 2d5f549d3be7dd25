"""Finding words in one session: the positions of what was found, or a list to read."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from agent_journal.answers.find_in_session import FoundInSession, find_in_session
from agent_journal.answers.warm_search import WarmSearch
from agent_journal.errors import UsageError
from agent_journal.export.html.figures import counted
from agent_journal.export.prose import in_tag
from agent_journal.journal import Journal
from agent_journal.model import Message
from agent_journal.query.tree import Parsed
from agent_journal.search.finding import Found
from agent_journal.search.marks import Marker
from agent_journal.search.snippets import Part, snippet
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.windows import messages_at
from agent_journal.web.addresses import link, session_address, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.asked import MOST_LETTERS
from agent_journal.web.listing.page import marked
from agent_journal.web.session.head import CONVERSATION, head, page_title, row_of
from agent_journal.web.session.parameters import number_parameter, text_parameter

_SHOWN = 30  # hits on a page
_COLUMNS = 240


def find_page(request: Request) -> Response:
    """What was found: as positions for the script, or as a page."""
    asked = text_parameter(request, "q").strip()
    if len(asked) > MOST_LETTERS:
        raise UsageError(f"a query has at most {MOST_LETTERS:,} characters")
    wants_positions = request.query_params.get("as") == "positions"

    def work(journal: Journal, search: WarmSearch) -> Response:
        row = row_of(request, journal)
        found = _find(journal, search, row, asked)
        if wants_positions:
            return JSONResponse(found._asdict())
        first = min(number_parameter(request, "offset", 0), len(found.positions))
        main = [
            *head(journal, row, CONVERSATION),
            '<div class="bar tools">',
            *find_form(row, asked),
            "</div>\n",
            *_hits(journal, row, found, first),
            *_turning(row, asked, first, len(found.positions)),
        ]
        return respond(page(page_title(row, CONVERSATION), main))

    return context_of(request).search.run(work)


def _find(journal: Journal, search: WarmSearch, row: SessionRow, asked: str) -> FoundInSession:
    def lexical(parsed: Parsed, limit: int) -> Found:
        return search.find(journal, parsed, "lexical", limit=limit, per_session=False)

    return find_in_session(journal, row, asked, lexical)


def find_form(row: SessionRow, asked: str = "") -> Iterator[str]:
    """The box that finds words in a session; with a script, it steps through what was found."""
    yield f'<form id="find-form" class="find" role="search" action="{session_path(row)}/find">'
    yield (
        '<input id="find" name="q" type="search" placeholder="Find in this session" '
        'aria-label="Find in this session" autocomplete="off" spellcheck="false" '
        f'maxlength="1000" value="{in_tag(asked, 1_000)}">'
        '<button class="chip no-script">Find</button>'
        '<span id="found" class="meta" role="status"></span>'
        '<button type="button" class="chip needs-script" id="find-prev" '
        'aria-label="Previous hit" title="Previous hit (N)">↑</button>'
        '<button type="button" class="chip needs-script" id="find-next" '
        'aria-label="Next hit" title="Next hit (n)">↓</button></form>\n'
    )


def _hits(journal: Journal, row: SessionRow, found: FoundInSession, first: int) -> Iterator[str]:
    count = counted(len(found.positions), "message")
    if not found.is_all:
        count = f"the first {count}"
    yield f'<p class="meta">{count} found</p>\n<ol class="sessions" start="{first + 1}">\n'
    marker = Marker(found.words)
    shown = found.positions[first : first + _SHOWN]
    for message in messages_at(journal.db, row, journal.quotes(), shown):
        yield from _hit(row, message, marker)
    yield "</ol>\n"


def _hit(row: SessionRow, message: Message, marker: Marker) -> Iterator[str]:
    texts = [message.text, message.reasoning]
    for call in message.tool_calls:
        texts += [call.arguments or "", call.result or ""]
    part = snippet("", [Part(text) for text in texts if text], marker, _COLUMNS)
    address = session_address(row, message.seq)
    yield f'<li class="session"><a class="title" href="{address}">message {message.seq}</a>'
    yield f'<span class="meta">{in_tag(message.kind)}</span>'
    yield f'<p class="snippet" dir="auto">{marked(part)}</p></li>\n'


def _turning(row: SessionRow, asked: str, first: int, total: int) -> Iterator[str]:
    if total <= _SHOWN:
        return
    path = f"{session_path(row)}/find"
    yield '<nav class="turning" aria-label="Pages">'
    if first:
        before = max(0, first - _SHOWN)
        yield f'<a rel="prev" href="{link(path, q=asked, offset=before or None)}">← before</a> '
    if first + _SHOWN < total:
        yield f'<a rel="next" href="{link(path, q=asked, offset=first + _SHOWN)}">after →</a>'
    yield "</nav>\n"
