"""Sessions and hits: one list, one box."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.session_page import Held, held
from agent_journal.export.html.figures import counted
from agent_journal.export.html.parts import escaped
from agent_journal.export.prose import in_tag, short_title
from agent_journal.query.parser import QuerySyntaxError
from agent_journal.search.snippets import Snippet
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.human import human_time
from agent_journal.web.addresses import link, session_address
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.asked import PAGE, Asked, read_asked
from agent_journal.web.listing.chips import chips, menus
from agent_journal.web.listing.empty import nothing_found
from agent_journal.web.listing.finding import Entry, Listing, find_listing
from agent_journal.web.live.position import position_of

# The titles of hits that belong to no session, by their kind.
_WITHOUT_SESSION = {"history": "Prompt history", "plan": "Plan", "memory": "Memory"}
_TURNING = {"newest": ("newer", "older"), "oldest": ("older", "newer")}


def sessions_page(request: Request) -> Response:
    """The first page: what is in the journal, or what a search found."""
    asked = read_asked(request.query_params)
    context = context_of(request)
    with context.journal() as journal:
        position = position_of(journal)  # first: the stream has what comes later
    try:
        listing = find_listing(context, asked)
    except QuerySyntaxError as error:  # what was typed stays in the box, to be corrected
        return respond(page("Sessions · aj", _correcting(error, position), query=asked.words), 400)
    everything = listing.held
    if not everything.keys:
        with context.journal() as journal:
            everything = held(journal)
    title = f"{in_tag(asked.query, 80)} · aj" if asked.query else "Sessions · aj"
    main = [
        '<h1 class="unseen">Sessions</h1>\n',
        *menus(asked, everything),
        f'<div id="results" data-position="{position}">',
        *_results(listing, asked, everything),
        "</div>",
    ]
    return respond(page(title, main, query=asked.query, place="/"))


def results(request: Request) -> Response:
    """Only the list, for a page that is already open."""
    try:
        asked = read_asked(request.query_params)
        listing = find_listing(context_of(request), asked)
        return respond(_results(listing, asked, listing.held))
    except QuerySyntaxError as error:  # somebody is still typing
        return respond([_why(error)])


def _correcting(error: QuerySyntaxError, position: str) -> Iterator[str]:
    yield '<h1 class="unseen">Sessions</h1>\n'
    yield f'<div id="results" data-position="{position}">{_why(error)}</div>\n'


def _why(error: QuerySyntaxError) -> str:
    words = f"{error.message}; {error.fix}" if error.fix else error.message
    return f'<p class="remark" id="count">{in_tag(words, 500)}</p>'


def _results(listing: Listing, asked: Asked, everything: Held) -> Iterator[str]:
    yield from chips(asked)
    if listing.entries:
        yield f'<p class="meta" id="count">{_count(listing, asked)}</p>\n'
    for remark in listing.remarks:
        yield f'<p class="remark">{in_tag(remark, 300)}</p>\n'
    if not listing.entries:
        yield from nothing_found(asked, everything)
        return
    yield '<ol class="sessions" id="list">\n'
    for entry in listing.entries:
        yield from _entry(entry)
    yield "</ol>\n"
    yield from _turning(listing, asked)


def _count(listing: Listing, asked: Asked) -> str:
    what = "hit" if asked.is_search else "session"
    if listing.total is None:
        count = f"the best {counted(asked.offset + len(listing.entries), what)}"
    else:
        count = counted(listing.total, what)
    return f"{count} · synced {in_tag(listing.synced)}"


def _entry(entry: Entry) -> Iterator[str]:
    row = entry.row
    yield '<li class="session">'
    if row is None:
        yield from _head_without_session(entry)
    else:
        yield from _head(row, entry)
    if entry.snippet is not None and entry.passage is not None:
        yield f'<p class="snippet" dir="auto">{marked(entry.snippet)}'
        yield f' <span class="meta">{_where(entry)}</span></p>'
    yield "</li>\n"


def _head(row: SessionRow, entry: Entry) -> Iterator[str]:
    title = in_tag(short_title(row.title), 160) or "(no title)"
    star = ""
    if row.starred_at is not None:
        star = '<span class="star" role="img" aria-label="starred">★</span> '
    target = session_address(row, _position(entry))
    yield f'<a class="title" href="{target}" dir="auto">{star}{title}</a>'
    yield f'<span class="meta">{" · ".join(filter(None, _facts(row, entry)))}</span>'


def _head_without_session(entry: Entry) -> Iterator[str]:
    """A plan or a line of a prompt history: whose it is, and when it was written."""
    passage = entry.passage
    assert passage is not None
    title = _WITHOUT_SESSION.get(passage.kind, "(no session)")
    facts = [in_tag(passage.agent), in_tag(last_part(passage.project or ""), 40)]
    if passage.timestamp is not None:
        facts.append(in_tag(human_time(passage.timestamp)))
    yield f'<span class="title">{title}</span>'
    yield f'<span class="meta">{" · ".join(filter(None, facts))}</span>'


def _position(entry: Entry) -> int | None:
    if entry.passage is None:
        return None
    return entry.passage.seq


def _where(entry: Entry) -> str:
    assert entry.passage is not None
    words = [in_tag(entry.passage.kind, 30)]
    if entry.passage.seq is not None:
        words.append(f"message {entry.passage.seq}")
    if entry.by == "meaning":
        words.append("by meaning")
    return " · ".join(words)


def _facts(row: SessionRow, entry: Entry) -> Iterator[str]:
    yield " ".join(f'<span class="tag">#{in_tag(tag, 40)}</span>' for tag in row.own_tag_names())
    yield f'<span class="agent">{in_tag(row.agent)}</span>'
    yield in_tag(project_name(row), 40)
    yield in_tag(human_time(row.ended_at or row.started_at))
    yield counted(row.prompt_count, "prompt")
    if entry.cost is not None:
        yield in_tag(str(entry.cost))
    if entry.fate is not None:
        yield f'<span class="fate">{in_tag(str(entry.fate))}</span>'


def _turning(listing: Listing, asked: Asked) -> Iterator[str]:
    if not asked.offset and not listing.has_more:
        return
    back, on = _TURNING.get(asked.sort or "newest", ("previous", "next"))
    if asked.is_search and not asked.sort:
        back, on = "better", "more"
    yield '<nav class="turning" aria-label="Pages">'
    if asked.offset:
        before = max(0, asked.offset - PAGE)
        yield f'<a rel="prev" href="{link("/", **asked.parameters, offset=before)}">← {back}</a> '
    if listing.has_more:
        after = asked.offset + PAGE
        yield f'<a rel="next" href="{link("/", **asked.parameters, offset=after)}">{on} →</a>'
    yield "</nav>\n"


def project_name(row: SessionRow) -> str:
    """The last part of the folder of a session."""
    return last_part(row.project_path or row.project_dir or "")


def last_part(path: str) -> str:
    """The name at the end of a path of any system."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def marked(snippet: Snippet) -> str:
    """A part of a text with its words marked, as HTML."""
    parts = []
    done = 0
    for start, end in snippet.marks:
        parts.append(escaped(snippet.text[done:start]))
        parts.append(f"<mark>{escaped(snippet.text[start:end])}</mark>")
        done = end
    parts.append(escaped(snippet.text[done:]))
    return "".join(parts)
