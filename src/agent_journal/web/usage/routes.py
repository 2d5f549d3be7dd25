"""The addresses of usage."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

USAGE = (Route("/usage", later("usage.page", "usage_page")),)
