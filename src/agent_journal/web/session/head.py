"""The head of every page of a session: its title, what is known of it, and its tabs."""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.export.html.figures import counted, day_and_time, money
from agent_journal.export.prose import in_tag, short_title
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import from_micros
from agent_journal.web.addresses import link, session_path
from agent_journal.web.listing.page import project_name

CONVERSATION = "Conversation"
# What follows the address of the session, by the name of the tab.
TABS = {CONVERSATION: ""}


def head(journal: Journal, row: SessionRow, tab: str) -> Iterator[str]:
    """The head of a session, with one of `TABS` chosen."""
    title = in_tag(short_title(row.title), 160) or "(no title)"
    whole = in_tag(row.title, 400)
    yield f'<header class="session-head"><h1 dir="auto" title="{whole}">{title}</h1>\n'
    yield f'<p class="meta">{" · ".join(filter(None, _facts(journal, row)))}</p>\n'
    if len(TABS) > 1:
        yield from _tabs(row, tab)
    yield "</header>\n"


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
    cost = journal.session_costs().get(row.row_id)
    if cost is None:
        yield "cost unknown"
    else:
        yield money(round(cost * 1_000_000))
