"""`blocks`: usage in windows of five hours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, iso_time, page_answer
from agent_journal.answers.usage import PricesItem, UsageNumbers, prices_item, usage_numbers

if TYPE_CHECKING:
    from agent_journal.usage.blocks import Block, BlockReport

_MINUTE = 60_000_000  # microseconds


class BlockItem(UsageNumbers):
    """What was used in one window; of the active one, also where that leads."""

    started_at: str
    ends_at: str
    is_active: bool
    gap_hours: int | None
    minutes_left: float | None
    tokens_per_minute: float | None
    cost_micro_usd_per_hour: int | None
    projected_tokens: int | None
    projected_cost_micro_usd: int | None


class BlocksExtra(TypedDict):
    """What the blocks used together, and what they are compared with."""

    totals: UsageNumbers
    token_limit: int | None
    responses_without_time: int
    prices: PricesItem


def blocks_answer(
    report: BlockReport,
    blocks: Sequence[Block],
    now: int,
    token_limit: int | None,
    limit: int | None,
) -> Answer:
    """Return some blocks of a report; `now` is in microseconds."""
    return page_answer(
        "blocks",
        [_item(block, now) for block in blocks],
        total=len(report.blocks),
        limit=limit,
        totals=usage_numbers(report.total),
        token_limit=token_limit,
        responses_without_time=report.untimed,
        prices=prices_item(report.book),
    )


def _item(block: Block, now: int) -> BlockItem:
    item = BlockItem(
        **usage_numbers(block.line),
        started_at=iso_time(block.start) or "",
        ends_at=iso_time(block.end) or "",
        is_active=block.is_active,
        gap_hours=block.gap_hours,
        minutes_left=None,
        tokens_per_minute=None,
        cost_micro_usd_per_hour=None,
        projected_tokens=None,
        projected_cost_micro_usd=None,
    )
    if block.is_active:
        item["minutes_left"] = round((block.end - now) / _MINUTE, 2)
    burn = block.burn
    if burn is not None:
        item["tokens_per_minute"] = round(burn.tokens_per_minute, 2)
        item["projected_tokens"] = burn.projected_tokens
        item["projected_cost_micro_usd"] = burn.projected_cost
        if burn.cost_per_hour is not None:
            item["cost_micro_usd_per_hour"] = round(burn.cost_per_hour)
    return item
