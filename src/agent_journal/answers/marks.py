"""`marks`: the stars, tags and titles of sessions. `tags`: the tags in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer
from agent_journal.store.catalog.marks import TagCount
from agent_journal.store.catalog.session_row import SessionRow


class MarkedItem(TypedDict):
    """A session, and what a person said of it."""

    agent: str
    id: str
    title: str | None
    agent_title: str | None
    starred_at: str | None
    tags: list[str]


class TagItem(TypedDict):
    """A tag, and how many sessions have it."""

    tag: str
    sessions: int


def marks_answer(rows: Sequence[SessionRow]) -> Answer:
    """Return what a person said of some sessions."""
    items = [
        MarkedItem(
            agent=row.agent,
            id=row.id,
            title=row.title,
            agent_title=row.agent_title,
            starred_at=iso_time(row.starred_at),
            tags=row.own_tag_names(),
        )
        for row in rows
    ]
    return whole_answer("marks", items)


def tags_answer(counts: Sequence[TagCount]) -> Answer:
    """Return the tags in use."""
    return whole_answer("tags", [TagItem(tag=tag, sessions=count) for tag, count in counts])
