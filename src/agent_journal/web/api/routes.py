"""The addresses of the API: one for each kind."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

PREFIX = "/api/1/"
# The kinds of `api.kinds`, which is imported when one is asked for.
_NAMES = (
    *("sessions", "hits", "session", "edits", "blame", "tags", "sources", "doctor", "expiring"),
    *("usage", "blocks", "stats"),
)
API = tuple(Route(PREFIX + name, later("api.answering", "answer"), name=name) for name in _NAMES)
