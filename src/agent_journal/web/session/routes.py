"""The addresses of a session; the longer ones first, because ids may have slashes."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

_SESSION = "/s/{agent}/{id:path}"
SESSION = (
    Route(f"{_SESSION}/part", later("session.page", "session_part")),
    Route(_SESSION, later("session.page", "session_page")),
    Route("/download/{agent}/{name:path}", later("session.download", "download")),
)
