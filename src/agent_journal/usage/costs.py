"""What each session used and what that cost, model by model: the rows that SQL adds up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import PROJECT
from agent_journal.store.catalog.sums import QUARTER, RECORDED
from agent_journal.text.names import model_name
from agent_journal.usage.prices import SCALE, Book
from agent_journal.usage.report import cost_of, sums_by


def cost_rows(db: Connection, book: Book) -> Iterator[tuple[Any, ...]]:
    """Time, session, model, tokens and dollars; a row for each quarter of an hour of a session and
    model.
    """
    sessions = {
        key: row for key, *row in db.execute(f"SELECT s.id, s.uid, {PROJECT} FROM sessions s")
    }
    rows = sums_by(db, "session", Query())
    names = {model: model_name(model) if model else None for model in {row.model for row in rows}}
    book.learn({name for name in names.values() if name})
    for row in rows:
        session_id, project = sessions[row.key]
        name = names[row.model]
        priced = cost_of(book, name, row) if name else None
        cost, origin = None, None
        if row.size_class == RECORDED and row.cost is not None:
            cost, origin = row.cost / 1_000_000, "recorded"
        elif priced is not None:
            cost, origin = priced / SCALE / 1_000_000, "priced"
        when = row.quarter * QUARTER if row.quarter >= 0 else None
        yield (
            when,
            row.agent,
            row.key,
            session_id,
            project,
            row.model or None,
            name,
            row.requests,
            row.input,
            row.cache_read,
            row.cache_write,
            row.cache_write_1h,
            row.output,
            row.reasoning,
            row.premium,
            cost,
            origin,
        )
