"""The addresses of what is live: the stream, a sync, and the page of sessions being written."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

LIVE = (
    Route("/live", later("live.page", "live_page")),
    Route("/api/1/events", later("live.streaming", "events")),
    Route("/api/1/sync", later("live.streaming", "sync_now"), methods=["POST"]),
)
