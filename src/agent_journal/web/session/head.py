"""The head of every page of a session: its title, what is known of it, and its tabs."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request

from agent_journal.export.html.figures import counted, day_and_time, money
from agent_journal.export.prose import in_tag, short_title
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.neighbours import neighbours_of
from agent_journal.text.dates import from_micros
from agent_journal.usage.listed_costs import listed_costs
from agent_journal.web.addresses import link, session_address, session_path
from agent_journal.web.listing.page import project_name
from agent_journal.web.session.dialogs import dialogs

CONVERSATION = "Conversation"
CHANGES = "Changes"
RAW = "Raw"
PROVENANCE = "Provenance"
EXPORT = "Export"  # a page of the session that is no tab of it
# What follows the address of the session, by the name of the tab.
TABS = {CONVERSATION: "", CHANGES: "/edits", RAW: "/raw", PROVENANCE: "/provenance"}


def row_of(request: Request, journal: Journal) -> SessionRow:
    """The session that a request names."""
    return journal.row(f"{request.path_params['agent']}:{request.path_params['id']}")


def page_title(row: SessionRow, tab: str) -> str:
    """The title of the window, as HTML."""
    title = in_tag(short_title(row.title), 120) or "(no title)"
    if tab != CONVERSATION:
        title = f"{tab}: {title}"
    return f"{title} · aj"


def head(journal: Journal, row: SessionRow, tab: str) -> Iterator[str]:
    """The head of a session, with one of `TABS` chosen."""
    title = in_tag(short_title(row.title), 160) or "(no title)"
    whole = in_tag(row.title, 400)
    yield f'<header class="session-head" data-session="{session_address(row)}">\n'
    yield from _neighbours(journal, row)
    yield f'<h1 dir="auto" title="{whole}">{title}</h1>\n'
    yield from _marks(row)
    yield f'<p class="meta">{" · ".join(filter(None, _facts(journal, row)))}</p>\n'
    yield "</header>\n"
    yield from _tabs(row, tab)
    yield from dialogs(row)


def _neighbours(journal: Journal, row: SessionRow) -> Iterator[str]:
    """The sessions before and after this one in the list, the newest first."""
    newer, older = neighbours_of(journal.db, row)
    yield '<nav class="beside" aria-label="Sessions by time">'
    if newer is not None:
        title = in_tag(short_title(newer.title), 80)
        yield f'<a rel="prev" href="{session_address(newer)}" title="{title}">← newer</a> '
    if older is not None:
        title = in_tag(short_title(older.title), 80)
        yield f'<a rel="next" href="{session_address(older)}" title="{title}">older →</a>'
    yield "</nav>\n"


def _marks(row: SessionRow) -> Iterator[str]:
    """Stars, tags and the agent's own title; the script makes them changeable."""
    is_starred = row.starred_at is not None
    tags = row.own_tag_names()
    word, pressed = ("★", "true") if is_starred else ("☆", "false")
    yield '<p class="marks">'
    yield (
        f'<button type="button" class="chip needs-script" id="star" aria-pressed="{pressed}" '
        f'aria-label="Star" title="Star (s)">{word}</button> '
    )
    if is_starred:
        yield '<span class="no-script">★ starred</span> '
    for tag in tags:
        yield f'<a class="tag" href="{link("/", q=f"tag:{tag}")}">#{in_tag(tag, 64)}</a> '
    if row.title_source == "own" and row.agent_title:
        yield f'<span class="meta">called {in_tag(row.agent_title, 120)} by its agent</span> '
    yield '<button type="button" class="chip needs-script" id="name-it">Title and tags</button> '
    yield '<button type="button" class="chip needs-script" id="help" title="Keys (?)">Keys</button>'
    yield "</p>\n"


def _tabs(row: SessionRow, tab: str) -> Iterator[str]:
    yield '<nav class="tabs" aria-label="Parts of this session">'
    for name, ending in TABS.items():
        current = ' aria-current="page"' if name == tab else ""
        yield f'<a href="{link(session_path(row) + ending)}"{current}>{name}</a>'
    yield "</nav>\n"


def _facts(journal: Journal, row: SessionRow) -> Iterator[str]:
    yield f'<span class="agent">{in_tag(row.agent)}</span>'
    yield in_tag(project_name(row), 60)
    yield in_tag(row.git_branch, 60)
    yield day_and_time(from_micros(row.started_at))
    yield counted(row.prompt_count, "prompt")
    yield counted(row.message_count, "message")
    yield counted(row.tool_count, "tool call")
    cost = listed_costs(journal.db, journal.prices(), [row.row_id]).get(row.row_id)
    if cost is None:
        yield "cost unknown"
    elif cost.is_partial:
        yield f"≥ {money(cost.micro_usd)}"
    else:
        yield money(cost.micro_usd)
