"""`aj usage blocks`: windows of five hours, and where the active one leads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from agent_journal.cli.nothing import why_nothing
from agent_journal.cli.output import echo, note, print_json
from agent_journal.cli.table import Cell
from agent_journal.cli.views.usage_notes import print_notes
from agent_journal.cli.views.usage_table import UsageTable, money
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.text.human import compact_count, hours_and_minutes, human_money, plural
from agent_journal.usage.blocks import AGENT, Block, BlockReport, find_blocks
from agent_journal.usage.report import Report

_DAYS_FROM = 48  # hours


class BlocksRequest(NamedTuple):
    """What was asked for."""

    query: Query
    zone: tzinfo | None
    limit: int | None
    active: bool
    recent: bool
    token_limit: int | str | None
    verbose: bool


def print_blocks(request: BlocksRequest, *, plain: bool, as_json: bool) -> None:
    """Find the blocks and print them."""
    now = time.time_ns() // 1000
    query = request.query
    with Journal.open() as journal:
        found = find_blocks(journal.find_db(), journal.prices(), query, now)
        nothing = ""
        if not found.blocks:
            agents = query.agent or (AGENT,)
            nothing = why_nothing(journal, query._replace(agent=agents))
    token_limit = found.limit_of(request.token_limit)
    found = found.only(now, recently=request.recent, active=request.active)
    blocks = found.blocks
    if request.limit is not None:
        blocks = blocks[-request.limit :]
    if as_json:
        from agent_journal.answers.blocks import blocks_answer

        print_json(blocks_answer(found, blocks, now, token_limit, request.limit))
        return
    if not blocks:
        note(_why_none(found, request, nothing))
        return
    shown = _BlocksView(found, request, token_limit, now)
    if request.active and not plain:
        shown.print_active(blocks[-1])
        return
    shown.print_table(blocks, plain)


def _why_none(found: BlockReport, request: BlocksRequest, nothing: str) -> str:
    if nothing:
        return nothing
    if request.active:
        return "no block is active: nothing was used in the last five hours, or not synced yet"
    if request.recent:
        return "no block in the last three days"
    return "no usage recorded; 'aj sync' reads new sessions"


class _BlocksView:
    """How blocks look, in a time zone."""

    def __init__(
        self, found: BlockReport, request: BlocksRequest, token_limit: int | None, now: int
    ) -> None:
        self._found = found
        self._request = request
        self._token_limit = token_limit
        self._now = now

    def print_table(self, blocks: Sequence[Block], plain: bool) -> None:
        """Print a row for each block, and where the active one leads."""
        report = Report(self._found.lines, self._found.total, self._found.book)
        lines = [block.line for block in blocks]
        names = [self._name(block) for block in blocks]
        gaps = {
            place: f"({_long(block.gap_hours)} idle)"
            for place, block in enumerate(blocks)
            if block.gap_hours and place
        }
        table = UsageTable(report, "blocks", plain, self._token_limit)
        table.print(lines, names, gaps=gaps)
        active = self._found.active
        if active is not None and not plain:
            echo(f"active: {self._left(active)}, {self._course(active)}")
        if self._found.untimed:
            note(f"{plural(self._found.untimed, 'response')} without a time: in no block")
        print_notes(report, lines, self._request.verbose)

    def print_active(self, block: Block) -> None:
        """Print the active block in detail."""
        line = block.line
        echo(f"block   {self._time(block.start)} to {self._clock(block.end)}, {self._left(block)}")
        echo(f"cost    {money(line)}")
        echo(f"tokens  {compact_count(line.total)} in {plural(line.requests, 'response')}")
        burn = block.burn
        if burn is None:
            echo("rate    ? (one response does not tell)")
        else:
            per_minute = f"{compact_count(burn.tokens_per_minute)} tokens/min"
            echo(f"rate    {per_minute}, {_cost(block, burn.cost_per_hour, '/h')}")
            projected = f"{compact_count(burn.projected_tokens)} tokens"
            cost = _cost(block, burn.projected_cost)
            echo(f"end     {cost}, {projected} at this rate")
        if self._token_limit is not None and line.total is not None:
            echo(f"limit   {self._limit(block, self._token_limit)}")
        report = Report([line], line, self._found.book)
        print_notes(report, [line], self._request.verbose)

    def _limit(self, block: Block, limit: int) -> str:
        share = (block.line.total or 0) / limit
        text = f"{share:.0%} of {compact_count(limit)} tokens"
        if block.burn is None:
            return text
        return f"{text}, {block.burn.projected_tokens / limit:.0%} at this rate"

    def _course(self, block: Block) -> str:
        """Return how fast a block uses tokens and money, and where that leads."""
        burn = block.burn
        if burn is None:
            return "rate ?"
        rate = f"{compact_count(burn.tokens_per_minute)} tokens/min"
        cost = _cost(block, burn.cost_per_hour, "/h")
        return f"{rate}, {cost}, {_cost(block, burn.projected_cost)} at its end"

    def _left(self, block: Block) -> str:
        return f"{hours_and_minutes((block.end - self._now) // 1_000_000)} left"

    def _name(self, block: Block) -> Cell:
        utc = datetime.fromtimestamp(block.start / 1e6, UTC)
        styles: tuple[str, ...] = ()
        if block.is_active:
            styles = ("green",)
        return Cell(self._time(block.start), styles, plain=utc.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def _time(self, micros: int) -> str:
        return self._local(micros).strftime("%Y-%m-%d %H:%M")

    def _clock(self, micros: int) -> str:
        return self._local(micros).strftime("%H:%M")

    def _local(self, micros: int) -> datetime:
        return datetime.fromtimestamp(micros / 1e6, UTC).astimezone(self._request.zone)


def _long(hours: int) -> str:
    if hours < _DAYS_FROM:
        return f"{hours} h"
    return f"{hours / 24:,.0f} days"


def _cost(block: Block, micros: float | None, unit: str = "") -> str:
    """Return an amount of a block; with `+ ?` where a part of it has no price."""
    if micros is None:
        return f"?{unit}"
    amount = f"{human_money(round(micros))}{unit}"
    if block.line.unpriced:
        return f"{amount} + ?"
    return amount
