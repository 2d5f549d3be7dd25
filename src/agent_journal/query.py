"""Which sessions are meant: the filters that listings share."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Query(NamedTuple):
    """Filters for sessions; None means any. `include_all` adds sub-agents and sessions without a message."""

    agent: str | tuple[str, ...] | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_all: bool = False
    limit: int | None = None
    offset: int = 0
