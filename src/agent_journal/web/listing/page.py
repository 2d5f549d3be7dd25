"""Sessions and hits: one list, one box."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.hits_page import marker_of, snippet_of
from agent_journal.answers.searching import with_conditions
from agent_journal.answers.session_list import find_sessions
from agent_journal.export.html.figures import counted, money
from agent_journal.export.html.parts import escaped
from agent_journal.export.prose import in_tag, short_title
from agent_journal.journal import Journal
from agent_journal.query.filters import Query
from agent_journal.query.parser import parse
from agent_journal.search.snippets import Snippet
from agent_journal.search.texts import Passage, Passages
from agent_journal.store.catalog.listing import SessionRow, overview
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import human_time
from agent_journal.web.addresses import link, session_address
from agent_journal.web.context import Context, context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.asked import PAGE, Asked, read_asked

_SNIPPET = 240  # columns of a hit
_TIMES = (("", "any time"), ("1d", "today"), ("7d", "7 days"), ("30d", "30 days"), ("1y", "a year"))


class Entry(NamedTuple):
    """A session in the list, and what was found in it."""

    row: SessionRow | None
    cost: float | None  # dollars
    passage: Passage | None = None
    snippet: Snippet | None = None
    by: str = ""


class Listing(NamedTuple):
    """One page of the list."""

    entries: list[Entry]
    total: int | None
    has_more: bool
    remarks: list[str]
    synced: str  # when


def sessions_page(request: Request) -> Response:
    """The first page: what is in the journal, or what a search found."""
    asked = read_asked(request.query_params)
    context = context_of(request)
    listing = _listing(context, asked)
    with context.journal() as journal:
        filters = _filters(journal, asked)
    title = f"{in_tag(asked.words, 80)} · aj" if asked.words else "Sessions · aj"
    heading = '<h1 class="unseen">Sessions</h1>\n'
    main = [heading, *filters, '<div id="results">', *_results(listing, asked), "</div>"]
    return respond(page(title, main, query=asked.words))


def results(request: Request) -> Response:
    """Only the list, for a page that is already open."""
    asked = read_asked(request.query_params)
    return respond(_results(_listing(context_of(request), asked), asked))


def _listing(context: Context, asked: Asked) -> Listing:
    if asked.words:
        return context.search.run(lambda journal, search: _found(journal, context, asked))
    with context.journal() as journal:
        return _newest(journal, asked)


def _newest(journal: Journal, asked: Asked) -> Listing:
    query = Query(
        agent=asked.agent or None,
        project=asked.project or None,
        since=asked.bound("since"),
        until=asked.bound("until"),
        limit=PAGE,
        offset=asked.offset,
    )
    found = find_sessions(journal, query)
    costs = _costs(journal)
    entries = [Entry(row, costs.get(row.row_id)) for row in found.rows]
    has_more = asked.offset + len(entries) < found.total
    return Listing(entries, found.total, has_more, [], _synced(journal))


def _found(journal: Journal, context: Context, asked: Asked) -> Listing:
    agents = (asked.agent,) if asked.agent else ()
    parsed = with_conditions(
        parse(asked.words),
        agents=agents,
        project=asked.project or None,
        since=asked.since or None,
        until=asked.until or None,
    )
    found = context.search.find(journal, parsed, asked.mode, limit=asked.offset + PAGE)
    hits = found.hits[asked.offset :]
    entries = []
    if hits:
        passages = Passages(journal.db, journal.quotes)
        marker = marker_of(parsed, found)
        costs = _costs(journal)
        for hit in hits:
            passage = passages.get(hit)
            if passage is None:
                continue
            cost = None
            if hit.session is not None:
                cost = costs.get(hit.session.row_id)
            snippet = snippet_of(passage, marker, _SNIPPET)
            entries.append(Entry(hit.session, cost, passage, snippet, hit.by))
    remarks = [
        f"{typed} was not found; showing results for {taken}" for typed, taken in found.spelled
    ]
    if found.missing:
        remarks.append("not found: " + ", ".join(found.missing))
    has_more = len(hits) == PAGE and found.total is None
    if found.total is not None:
        has_more = asked.offset + len(hits) < found.total
    return Listing(entries, found.total, has_more, remarks, _synced(journal))


def _costs(journal: Journal) -> dict[int, float]:
    if not journal.exists:
        return {}
    return journal.session_costs()


def _synced(journal: Journal) -> str:
    return human_time(last_sync(journal.config.index_path))


# -- HTML ----------------------------------------------------------------------------------------


def _filters(journal: Journal, asked: Asked) -> Iterator[str]:
    agents = []
    if journal.exists:
        agents = [agent.agent for agent in overview(journal.db) if agent.sessions]
    yield '<form id="filters" class="filters" action="/" method="get" aria-label="Filters">'
    yield f'<input type="hidden" name="q" value="{in_tag(asked.words, 1_000)}">'
    yield '<label>Agent <select name="agent"><option value="">all agents</option>'
    for name in agents:
        chosen = " selected" if name == asked.agent else ""
        yield f'<option value="{in_tag(name)}"{chosen}>{in_tag(name)}</option>'
    yield "</select></label> "
    yield '<label>Project <input name="project" size="14" autocomplete="off" '
    yield f'value="{in_tag(asked.project, 1_000)}"></label> '
    yield '<label>Since <select name="since">'
    for value, word in _TIMES:
        chosen = " selected" if value == asked.since else ""
        yield f'<option value="{value}"{chosen}>{word}</option>'
    yield '</select></label> <button class="chip">Show</button></form>\n'


def _results(listing: Listing, asked: Asked) -> Iterator[str]:
    yield f'<p class="meta" id="count">{_count(listing, asked)}</p>\n'
    for remark in listing.remarks:
        yield f'<p class="remark">{in_tag(remark, 300)}</p>\n'
    yield '<ol class="sessions">\n'
    for entry in listing.entries:
        yield from _entry(entry)
    yield "</ol>\n"
    yield from _turning(listing, asked)


def _count(listing: Listing, asked: Asked) -> str:
    what = "hit" if asked.words else "session"
    if listing.total is None:
        count = f"the best {counted(asked.offset + len(listing.entries), what)}"
    else:
        count = counted(listing.total, what)
    return f"{count} · synced {in_tag(listing.synced)}"


def _entry(entry: Entry) -> Iterator[str]:
    row = entry.row
    title = "(no session)"
    target = ""
    if row is not None:
        title = in_tag(short_title(row.title), 160) or "(no title)"
        target = session_address(row, _position(entry))
    yield '<li class="session">'
    if target:
        yield f'<a class="title" href="{target}" dir="auto">{title}</a>'
    else:
        yield f'<span class="title">{title}</span>'
    if row is not None:
        yield f'<span class="meta">{" · ".join(filter(None, _facts(row, entry.cost)))}</span>'
    if entry.snippet is not None and entry.passage is not None:
        yield f'<p class="snippet" dir="auto">{marked(entry.snippet)}'
        yield f' <span class="meta">{_where(entry)}</span></p>'
    yield "</li>\n"


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


def _facts(row: SessionRow, cost: float | None) -> Iterator[str]:
    yield f'<span class="agent">{in_tag(row.agent)}</span>'
    yield in_tag(project_name(row), 40)
    yield in_tag(human_time(row.ended_at or row.started_at))
    yield counted(row.prompt_count, "prompt")
    if cost is not None:
        yield money(round(cost * 1_000_000))


def _turning(listing: Listing, asked: Asked) -> Iterator[str]:
    if not asked.offset and not listing.has_more:
        return
    yield '<nav class="turning" aria-label="Pages">'
    if asked.offset:
        before = max(0, asked.offset - PAGE)
        yield f'<a rel="prev" href="{link("/", **asked.parameters, offset=before)}">← newer</a> '
    if listing.has_more:
        after = asked.offset + PAGE
        yield f'<a rel="next" href="{link("/", **asked.parameters, offset=after)}">older →</a>'
    yield "</nav>\n"


def project_name(row: SessionRow) -> str:
    """The last part of the folder of a session."""
    path = (row.project_path or row.project_dir or "").replace("\\", "/").rstrip("/")
    return path.rpartition("/")[2]


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
