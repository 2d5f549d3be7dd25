"""The addresses of activity."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.activity.page import activity_page

ACTIVITY = (Route("/activity", activity_page),)
