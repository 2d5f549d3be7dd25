"""The addresses of activity."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

ACTIVITY = (Route("/activity", later("activity.page", "activity_page")),)
