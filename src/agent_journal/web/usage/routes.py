"""The addresses of usage."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.usage.page import usage_page

USAGE = (Route("/usage", usage_page),)
