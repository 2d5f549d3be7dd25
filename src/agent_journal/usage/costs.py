"""What each session used and what that cost, model by model: the rows of the table `costs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import QUARTER, RECORDED
from agent_journal.store.catalog.usage_rows import UsageSum, session_names, usage_sums
from agent_journal.text.names import model_name
from agent_journal.usage.prices import SCALE, Book
from agent_journal.usage.report import price_of


class CostRow(NamedTuple):
    """The tokens and dollars of a session and model, in a quarter of an hour."""

    timestamp: int | None
    agent: str
    session_key: int
    session_id: str
    project: str | None
    model: str | None
    model_name: str | None
    requests: int
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_write_1h_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    premium_requests: float | None
    web_searches: int | None
    cost_usd: float | None
    cost_origin: str | None


def cost_rows(db: Connection, book: Book) -> Iterator[CostRow]:
    """The usage of every session, with its cost."""
    sessions = session_names(db)
    rows = usage_sums(db, "session", Query())
    names = {model: model_name(model) for model in {row.model for row in rows} if model}
    book.learn(names)
    for row in rows:
        session = sessions[row.key]
        name = names.get(row.model)
        cost, origin = _cost(book, row)
        timestamp = None
        if row.quarter >= 0:
            timestamp = row.quarter * QUARTER
        yield CostRow(
            timestamp=timestamp,
            agent=row.agent,
            session_key=row.key,
            session_id=session.uid,
            project=session.project,
            model=row.model or None,
            model_name=name,
            requests=row.requests,
            input_tokens=row.input,
            cache_read_tokens=row.cache_read,
            cache_write_tokens=row.cache_write,
            cache_write_1h_tokens=row.cache_write_1h,
            output_tokens=row.output,
            reasoning_tokens=row.reasoning,
            premium_requests=row.premium,
            web_searches=row.web_searches,
            cost_usd=cost,
            cost_origin=origin,
        )


def _cost(book: Book, row: UsageSum) -> tuple[float | None, str | None]:
    """Dollars, and where they come from."""
    if row.size_class == RECORDED and row.cost is not None:
        return row.cost / 1_000_000, "recorded"
    price = price_of(book, row)
    if price is not None:
        return price / SCALE / 1_000_000, "priced"
    return None, None
