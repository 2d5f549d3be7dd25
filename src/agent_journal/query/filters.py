"""The filters that listings share. A sync imports this module and nothing else of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class Query(NamedTuple):
    """Filters for sessions; None means any.

    `include_all` adds sub-agents and sessions without a message. `folder` means sessions that were
    held in it or below it, while `project` means all folders of a project. `without` are the rows
    of sessions that are left out.
    """

    agent: str | tuple[str, ...] | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_all: bool = False
    limit: int | None = None
    offset: int = 0
    folder: str | None = None
    without: tuple[int, ...] = ()
