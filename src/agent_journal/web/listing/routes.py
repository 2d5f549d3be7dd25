"""The addresses of the list."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.listing.chips import narrow
from agent_journal.web.listing.page import results, sessions_page

LISTING = (
    Route("/", sessions_page),
    Route("/results", results),
    Route("/narrow", narrow),
)
