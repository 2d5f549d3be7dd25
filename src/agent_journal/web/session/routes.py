"""The addresses of a session; the longer ones first, because ids may have slashes."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

_SESSION = "/s/{agent}/{id:path}"
SESSION = (
    Route(f"{_SESSION}/part", later("session.page", "session_part")),
    Route(f"{_SESSION}/outline", later("session.side", "outline_part")),
    Route(f"{_SESSION}/edits", later("session.changes", "changes_page")),
    Route(f"{_SESSION}/raw", later("session.raw", "raw_page")),
    Route(f"{_SESSION}/provenance", later("session.provenance", "provenance_page")),
    Route(f"{_SESSION}/export", later("session.export_page", "export_page")),
    Route(f"{_SESSION}/find", later("session.find", "find_page")),
    Route(_SESSION, later("session.page", "session_page")),
    Route("/download/{agent}/{name:path}", later("session.download", "download")),
    Route("/api/1/marks", later("session.marks", "change_marks"), methods=["POST"]),
)
