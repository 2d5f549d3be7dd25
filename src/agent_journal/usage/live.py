"""What a running session, today and the current block cost, as fast as it can be said.

`aj statusline` asks for this after every answer. So only prices that are cached count, and only the
sums of the last days are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.query.filters import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import QUARTER, RECORDED
from agent_journal.store.catalog.usage_rows import (
    UsageSum,
    family_sums,
    recent_quarters,
    recent_sums,
    response_span,
)
from agent_journal.usage.blocks import AGENT, LENGTH, block_starts
from agent_journal.usage.prices import SCALE, Book
from agent_journal.usage.report import price_of

_DAY = 96  # quarters
_LOOKBACKS = (2 * _DAY, 16 * _DAY, None)  # None: everything
_HOUR = 3_600_000_000  # microseconds
_AHEAD = 1  # quarters by which the clock of another machine may be ahead


class Cost(NamedTuple):
    """Micro-dollars; None when nothing is known. `is_part`: something more has no price."""

    micros: int | None
    is_part: bool = False


class LiveBlock(NamedTuple):
    """The block that now belongs to; times in microseconds."""

    end: int
    cost: Cost
    cost_per_hour: float | None  # micro-dollars


class Live(NamedTuple):
    """What the journal knows; None where it does not know the session, or no block is active."""

    session: Cost | None
    today: Cost
    block: LiveBlock | None
    unknown_models: set[str]  # whose prices nobody has looked up yet


def find_live(db: Connection, book: Book, session_id: str, now: int, midnight: int) -> Live:
    """Return what the journal knows at a time; today begins at `midnight`."""
    session_rows = family_sums(db, AGENT, session_id)
    start = _block_start(db, now)
    first = midnight // QUARTER
    if start is not None:
        first = min(first, start)
    rows = recent_sums(db, first)
    session = None
    if session_rows:
        session = cost_of(book, session_rows)
    # A clock that was far wrong makes nothing happen today
    latest = now // QUARTER + _AHEAD
    today = [row for row in rows if row.quarter * QUARTER >= midnight and row.quarter <= latest]
    block = None
    if start is not None:
        block = _block(db, book, rows, start)
    models = {row.model for row in (*rows, *session_rows) if row.size_class != RECORDED}
    return Live(session, cost_of(book, today), block, book.missing(models))


def cost_of(book: Book, rows: Iterable[UsageSum]) -> Cost:
    """Return what some sums cost together."""
    recorded = 0
    priced = 0
    is_part = False
    for row in rows:
        if row.size_class == RECORDED:
            recorded += row.cost or 0
            continue
        price = price_of(book, row)
        if price is None:
            is_part = True
        else:
            priced += price
    total = recorded + (priced + SCALE // 2) // SCALE
    if is_part and not total:
        return Cost(None)
    return Cost(total, is_part)


def _block_start(db: Connection, now: int) -> int | None:
    """Return the quarter that the current block begins with; None when none is active.

    Where a block begins depends on the one before it, back to a pause of five hours: as many days
    are looked at as it takes to find one.
    """
    current = now // QUARTER
    quarters: list[int] = []
    for lookback in _LOOKBACKS:
        since = 0
        if lookback is not None:
            since = current - lookback
        found = recent_quarters(db, AGENT, since)
        quarters = [quarter for quarter in found if quarter <= current + _AHEAD]
        after = _after_last_pause(quarters, since)
        if after is not None:
            quarters = after
            break
    for start in block_starts(quarters):
        if start <= current < start + LENGTH:
            return start
    return None


def _after_last_pause(quarters: list[int], since: int) -> list[int] | None:
    """Return the quarters after the last pause as long as a block; None when there is none."""
    for place in range(len(quarters) - 1, 0, -1):
        if quarters[place] - quarters[place - 1] >= LENGTH:
            return quarters[place:]
    if not quarters or quarters[0] - since >= LENGTH:
        return quarters
    return None


def _block(db: Connection, book: Book, rows: list[UsageSum], start: int) -> LiveBlock:
    inside = [row for row in rows if row.agent == AGENT and 0 <= row.quarter - start < LENGTH]
    cost = cost_of(book, inside)
    begin = start * QUARTER
    end = (start + LENGTH) * QUARTER
    per_hour = None
    span = response_span(db, Query(AGENT), begin, end)
    if span is not None and cost.micros is not None:
        first, last = span
        if last > first:
            per_hour = cost.micros * _HOUR / (last - first)
    return LiveBlock(end, cost, per_hour)
