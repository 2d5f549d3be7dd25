"""Sessions that their agents will delete, in words that every front door shows."""

from __future__ import annotations

import time

from agent_journal.health.expiring import Expiring
from agent_journal.health.kept_state import KeptState
from agent_journal.text.human import human_size, plural, short_path

_DAY = 86400


def when_deleted(item: Expiring) -> str:
    """When the agent deletes a session, at the earliest."""
    days = (item.deleted_at / 1_000_000 - time.time()) / _DAY
    if days < 0:
        return "at next start"
    if days < 1:
        return "within a day"
    return f"in {plural(int(days), 'day')}"


def how_kept(state: KeptState) -> str:
    """Whether all of it is kept."""
    if state.status == "kept":
        return "yes"
    if state.status == "grown":
        return f"all but {human_size(state.unkept_bytes)}"
    if state.status == "changed":
        return "an earlier version"
    if state.status == "refused":
        return "no: unreadable"
    return "no"


def title_of(item: Expiring) -> str:
    """The title; of a session that was never read, its file."""
    if item.title:
        return item.title
    if is_named_by_file(item):
        return short_path(item.path)
    return "(no title)"


def is_named_by_file(item: Expiring) -> bool:
    """Whether a session was never read, so that nothing but its file is known."""
    return not item.title and item.state.status in ("unkept", "refused")
