"""The addresses of a session; the longer ones first, because ids may have slashes."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.session.download import download
from agent_journal.web.session.page import session_page, session_part

_SESSION = "/s/{agent}/{id:path}"
SESSION = (
    Route(f"{_SESSION}/part", session_part),
    Route(_SESSION, session_page),
    Route("/download/{agent}/{name:path}", download),
)
