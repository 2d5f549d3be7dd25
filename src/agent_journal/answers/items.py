"""Rows of the catalog as the items of --json answers."""

from __future__ import annotations

import json
from typing import Any

from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import from_micros


def iso(micros: int | None) -> str | None:
    """A time as JSON answers have it."""
    when = from_micros(micros)
    return None if when is None else when.isoformat().replace("+00:00", "Z")


def session_item(row: SessionRow, children: int) -> dict[str, Any]:
    """A session in a listing: no conversation text."""
    item: dict[str, Any] = row._asdict()
    del item["row_id"]
    item["models"] = json.loads(row.models or "[]")
    item["tags"] = json.loads(row.tags or "[]")
    item["started_at"], item["ended_at"] = iso(row.started_at), iso(row.ended_at)
    item["is_automated"] = bool(row.is_automated)
    item["sub_agents"] = children
    return item
