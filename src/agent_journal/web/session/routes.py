"""The addresses of a session; the longer ones first, because ids may have slashes."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.session.changes import changes_page
from agent_journal.web.session.download import download
from agent_journal.web.session.export_page import export_page
from agent_journal.web.session.find import find_page
from agent_journal.web.session.marks import change_marks
from agent_journal.web.session.page import session_page, session_part
from agent_journal.web.session.provenance import provenance_page
from agent_journal.web.session.raw import raw_page
from agent_journal.web.session.side import outline_part

_SESSION = "/s/{agent}/{id:path}"
SESSION = (
    Route(f"{_SESSION}/part", session_part),
    Route(f"{_SESSION}/outline", outline_part),
    Route(f"{_SESSION}/edits", changes_page),
    Route(f"{_SESSION}/raw", raw_page),
    Route(f"{_SESSION}/provenance", provenance_page),
    Route(f"{_SESSION}/export", export_page),
    Route(f"{_SESSION}/find", find_page),
    Route(_SESSION, session_page),
    Route("/download/{agent}/{name:path}", download),
    Route("/api/1/marks", change_marks, methods=["POST"]),
)
