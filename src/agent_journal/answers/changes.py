"""`changes`: which sessions have something new, since a position in the journal.

A position is a text such as `0-81234`: ids of items are other ones after the catalog was rebuilt,
so the first part says which catalog it is of.
"""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer
from agent_journal.journal import Journal
from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.news import ChangedSession, News, news_since
from agent_journal.store.catalog.replacing import rebuilding

_FIRST = "0"


class ChangedItem(TypedDict):
    """A session with something new."""

    agent: str
    id: str
    title: str | None
    project_path: str | None
    parent_id: str | None
    ended_at: str | None
    message_count: int
    new_items: int
    is_new: bool


class ChangesExtra(TypedDict):
    """Between which positions that is everything."""

    after: str
    position: str
    is_whole: bool


class Changes(NamedTuple):
    """What is new after a position, and the position of now."""

    news: News
    after: str
    position: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return self.after == self.position


def find_changes(journal: Journal, after: str | None) -> Changes:
    """What came after a position; with None, nothing: only the position of now.

    Everything counts as changed when the position is of another catalog, or makes no sense.
    """
    catalog = rebuilding(journal.config.index_path).decode("ascii", "replace") or _FIRST
    if not journal.exists:
        nowhere = f"{catalog}-0"
        return Changes(News([], 0), after or nowhere, after or nowhere)
    db = journal.db
    if after is None:
        here = f"{catalog}-{last_item(db)}"
        return Changes(News([], 0), here, here)
    before, _, number = after.rpartition("-")
    is_number = number.isascii() and number.isdecimal() and len(number) < 18
    if before != catalog or not is_number:
        here = f"{catalog}-{last_item(db)}"
        return Changes(News([], 0, is_whole=False), after, here)
    news = news_since(db, int(number))
    if news.reached < int(number):  # of a journal that was replaced by an older one
        return Changes(News([], 0, is_whole=False), after, f"{catalog}-{news.reached}")
    return Changes(news, after, f"{catalog}-{news.reached}")


def changes_answer(changes: Changes) -> Answer:
    """Return the sessions that changed."""
    items = [_item(changed) for changed in changes.news.sessions]
    return whole_answer(
        "changes",
        items,
        after=changes.after,
        position=changes.position,
        is_whole=changes.news.is_whole,
    )


def _item(changed: ChangedSession) -> ChangedItem:
    row = changed.row
    return ChangedItem(
        agent=row.agent,
        id=row.id,
        title=row.title,
        project_path=row.project_path,
        parent_id=row.parent_id,
        ended_at=iso_time(row.ended_at),
        message_count=row.message_count,
        new_items=changed.items,
        is_new=changed.is_new,
    )
