"""Windows of five hours, as the limits of Claude's subscriptions have them.

A block begins at the full hour (UTC) of its first response and lasts five hours; the first response
after that begins the next one. So every block begins and ends with a quarter of an hour, and the
catalog's sums by quarters are exact enough.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import QUARTER
from agent_journal.store.catalog.usage_rows import response_span, usage_quarters
from agent_journal.text.dates import to_micros
from agent_journal.usage.prices import Book
from agent_journal.usage.report import Line, report, sum_of

AGENT = "claude-code"  # whose blocks are meant unless others are asked for
LENGTH = 20  # quarters
_HOUR = 4  # quarters
_MINUTE = 60_000_000  # microseconds
_RECENT = 3 * 24 * 60 * _MINUTE
# The quarter that 9999-12-30 begins with: later blocks would end outside of the calendar
_LAST = 253_402_128_000_000_000 // QUARTER


class Burn(NamedTuple):
    """How fast a block uses tokens and money, and what it will have used at its end."""

    tokens_per_minute: float
    cost_per_hour: float | None  # micro-dollars
    projected_tokens: int
    projected_cost: int | None  # micro-dollars


class Block(NamedTuple):
    """One window: its begin and end in microseconds, and what was used in it."""

    start: int
    end: int
    line: Line
    gap_hours: int | None = None  # between the block before and this one; None for the first
    is_active: bool = False
    burn: Burn | None = None  # of the active one; None where one response is not enough to tell


class BlockReport(NamedTuple):
    """Blocks, oldest first, what they used together, and the prices that were used."""

    blocks: list[Block]
    lines: list[Line]
    total: Line
    book: Book
    untimed: int  # responses whose time is not known: they are in no block

    @property
    def active(self) -> Block | None:
        """The block that now belongs to."""
        return next((block for block in self.blocks if block.is_active), None)

    def most_tokens(self) -> int | None:
        """The tokens of the largest block that has ended."""
        ended = (block.line.total for block in self.blocks if not block.is_active)
        return max((tokens for tokens in ended if tokens is not None), default=None)

    def limit_of(self, asked: int | str | None) -> int | None:
        """A number of tokens that was asked for; `max` is that of the largest block."""
        if isinstance(asked, str):
            return self.most_tokens()
        return asked

    def only(self, now: int, *, recently: bool, active: bool) -> BlockReport:
        """The report with only the recent blocks, or the active one."""
        blocks = self.blocks
        if recently:
            blocks = recent(blocks, now)
        if active:
            blocks = [block for block in blocks if block.is_active]
        lines = [block.line for block in blocks]
        return self._replace(blocks=blocks, lines=lines, total=sum_of(lines, "total"))


def find_blocks(db: Connection | None, book: Book, query: Query, now: int) -> BlockReport:
    """The blocks of some agents that a query means; `now` is in microseconds.

    A project or a time does not change where blocks begin: those are windows of an account.
    """
    agents = query.agent or (AGENT,)
    starts: list[int] = []
    if db is not None:
        starts = block_starts(usage_quarters(db, Query(agents)))

    def start_of(quarter: int) -> int:
        place = bisect_right(starts, quarter)
        if not place or quarter >= _LAST:
            return -1
        return starts[place - 1]

    found = report(db, book, "blocks", Query(agents, query.project), start_of)
    blocks = [_block(line, starts, now) for line in found.lines if line.key >= 0]
    untimed = sum(line.requests for line in found.lines if line.key < 0)
    blocks = [block for block in blocks if _is_meant(block, query)]
    if db is not None:
        asked = Query(agents, query.project)
        blocks = [_with_burn(db, asked, block, now) for block in blocks]
    lines = [block.line for block in blocks]
    return BlockReport(blocks, lines, sum_of(lines, "total"), book, untimed)


def block_starts(quarters: Iterable[int]) -> list[int]:
    """The quarters that blocks begin with, by those in which something was used."""
    starts: list[int] = []
    for quarter in sorted(quarters):
        is_time = 0 <= quarter < _LAST
        if is_time and (not starts or quarter >= starts[-1] + LENGTH):
            starts.append(quarter - quarter % _HOUR)
    return starts


def recent(blocks: Sequence[Block], now: int) -> list[Block]:
    """The blocks that began in the last three days, and the active one."""
    return [block for block in blocks if block.start >= now - _RECENT or block.is_active]


def burn_of(line: Line, first: int, last: int, left: int) -> Burn | None:
    """How fast a line was used between two times, and where that leads in the time left.

    None when there is no time between them.
    """
    tokens = line.total
    if last <= first or tokens is None:
        return None
    minutes = (last - first) / _MINUTE
    minutes_left = max(0, left) / _MINUTE
    per_minute = tokens / minutes
    cost_per_hour = None
    projected_cost = None
    cost = line.cost_micro_usd
    if cost is not None:
        cost_per_hour = cost / minutes * 60
        projected_cost = round(cost + cost / minutes * minutes_left)
    projected = round(tokens + per_minute * minutes_left)
    return Burn(per_minute, cost_per_hour, projected, projected_cost)


def _block(line: Line, starts: list[int], now: int) -> Block:
    start = line.key
    gap = None
    place = bisect_right(starts, start) - 1
    if place:
        gap = (start - starts[place - 1] - LENGTH) // _HOUR
    begin = start * QUARTER
    end = (start + LENGTH) * QUARTER
    return Block(begin, end, line, gap, begin <= now < end)


def _is_meant(block: Block, query: Query) -> bool:
    since = to_micros(query.since)
    until = to_micros(query.until)
    if since is not None and block.end <= since:
        return False
    return until is None or block.start <= until


def _with_burn(db: Connection, query: Query, block: Block, now: int) -> Block:
    if not block.is_active:
        return block
    span = response_span(db, query, block.start, block.end)
    if span is None:
        return block
    first, last = span
    return block._replace(burn=burn_of(block.line, first, last, block.end - now))
