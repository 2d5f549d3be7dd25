"""`/live`: the sessions that are being written now."""

from __future__ import annotations

import time
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.export.html.figures import counted
from agent_journal.export.prose import in_tag, short_title
from agent_journal.store.catalog.news import LiveSession, live_sessions
from agent_journal.text.human import human_time
from agent_journal.web.addresses import session_address
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.page import project_name
from agent_journal.web.live.position import position_of

PATH = "/live"
_SECONDS = 300  # after the last write


def live_page(request: Request) -> Response:
    """The sessions that were written in the last minutes."""
    with context_of(request).journal() as journal:
        position = position_of(journal)
        found = []
        if journal.exists:
            found = live_sessions(journal.db, time.time_ns() - _SECONDS * 10**9)
    main = [
        "<h1>Live</h1>\n",
        f'<div id="live" data-position="{position}" aria-live="polite">\n',
        *_listed(found),
        "</div>\n",
    ]
    return respond(page("Live · aj", main, place=PATH))


def _listed(found: list[LiveSession]) -> Iterator[str]:
    if not found:
        yield '<p class="remark">No session was written in the last five minutes.</p>\n'
        return
    yield f'<p class="meta">{counted(len(found), "session")} in the last five minutes</p>\n'
    yield '<ol class="sessions">\n'
    for live in found:
        row = live.row
        title = in_tag(short_title(row.title), 160) or "(no title)"
        name = ""
        if row.parent_id is not None:
            name = f"sub-agent {in_tag(row.agent_name, 40)}".rstrip()
        facts = (
            f'<span class="agent">{in_tag(row.agent)}</span>',
            name,
            in_tag(project_name(row), 40),
            counted(row.message_count, "message"),
            f"written {in_tag(human_time(live.written_at))}",
        )
        yield f'<li class="session"><a class="title" href="{session_address(row)}" dir="auto">'
        yield f'{title}</a><span class="meta">{" · ".join(filter(None, facts))}</span></li>\n'
    yield "</ol>\n"
