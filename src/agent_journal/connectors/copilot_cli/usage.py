"""Tokens: `session.usage_record`, `session.shutdown`, `compactionTokensUsed`, and `outputTokens` of
old messages.

They describe the same calls, so each has a rank, and of a segment (what lies between two shutdowns)
only the highest counts: session-store.db 40, usage records 30, shutdown 20, messages 10. The
compaction call is in the database only, not in the others (also not in the shutdown's totals): its
rows have origin "compaction", do not decide which rank counts, and count themselves unless rank 40
does.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.copilot_cli.records import Number, Totals
from agent_journal.connectors.values import integer, mapping, string
from agent_journal.model import Usage
from agent_journal.model.origins import ADDED_USAGE

RANK_STORE = 40
RANK_RECORD = 30
RANK_SHUTDOWN = 20
RANK_MESSAGE = 10
RANK_COUNT = 5  # a shutdown that only counts requests says less than the messages
_NANO_AIU_PER_MICRO_USD = 100_000  # 1e9 nano = 1 credit = 0.01 USD = 10,000 micro-dollars
_COUNTED = ("input", "output", "cache_read", "cache_write", "reasoning", "requests")


class Accounting(msgspec.Struct, rename="camel"):
    """The identity of a model call, the same in all copies of a session."""

    source_session_id: str | None = None
    sequence: Number | None = None


class Credits(msgspec.Struct, rename="camel"):
    """What a call cost."""

    total_nano_aiu: Number | None = None


class CallUsage(msgspec.Struct, rename="camel"):
    """The usage of one model call (`AssistantUsageData`), or of a call inside a tool (`toolUsage`)."""

    model: str | None = None
    input_tokens: Number | None = None
    output_tokens: Number | None = None
    cache_read_tokens: Number | None = None
    cache_write_tokens: Number | None = None
    reasoning_tokens: Number | None = None
    cost: Number | None = None
    initiator: str | None = None
    ai_credits_status: str | None = None
    accounting: Accounting | None = None
    copilot_usage: Credits | None = None
    api_call_id: str | None = None
    request_id: str | None = None


def fresh_input(total: object, cache_read: object, cache_write: object) -> int | None:
    """Input without what came from or went to the cache: Copilot's input includes both."""
    number = integer(total)
    return (
        None
        if number is None
        else max(0, number - (integer(cache_read) or 0) - (integer(cache_write) or 0))
    )


def cost(nano_aiu: object, status: object = None) -> int | None:
    """Micro-dollars, when the agent knew the whole cost; zero means that it did not know."""
    if (
        isinstance(nano_aiu, bool)
        or not isinstance(nano_aiu, (int, float))
        or not 0 < nano_aiu < 1e30
    ):
        return None
    return round(nano_aiu / _NANO_AIU_PER_MICRO_USD) if status in (None, "complete") else None


def premium(multiplier: object, initiator: object) -> float | None:
    """Premium requests of one call: only what a person started is billed, by the model's
    multiplier.
    """
    if (
        isinstance(multiplier, bool)
        or not isinstance(multiplier, (int, float))
        or initiator not in (None, "", "user")
    ):
        return None
    return float(multiplier)


def call_usage(
    usage: CallUsage, session_id: str, key: str, when: datetime | None, segment: int, sub: bool
) -> Usage:
    """The Usage of a `session.usage_record`."""
    accounting = usage.accounting
    if accounting and accounting.source_session_id and accounting.sequence is not None:
        key = f"{accounting.source_session_id}:{accounting.sequence:.0f}"
    else:
        key = usage.api_call_id or usage.request_id or key
    return Usage(
        session_id=session_id,
        key=key,
        model=usage.model,
        timestamp=when,
        input_tokens=fresh_input(
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens
        ),
        cache_read_tokens=integer(usage.cache_read_tokens),
        cache_write_tokens=integer(usage.cache_write_tokens),
        output_tokens=integer(usage.output_tokens),
        reasoning_tokens=integer(usage.reasoning_tokens),
        cost_micro_usd=cost(
            usage.copilot_usage and usage.copilot_usage.total_nano_aiu, usage.ai_credits_status
        ),
        premium_requests=premium(usage.cost, usage.initiator),
        origin="usage_record",
        rank=RANK_RECORD,
        segment=segment,
        is_sidechain=sub,
    )


def compaction_usage(
    used: dict[str, Any], session_id: str, key: str, when: datetime | None, segment: int, sub: bool
) -> Usage | None:
    """The Usage of the call that wrote a compaction summary; early versions used short names."""
    total = used.get("inputTokens", used.get("input"))
    output = used.get("outputTokens", used.get("output"))
    cached = used.get("cacheReadTokens", used.get("cachedInput"))
    if integer(total) is None and integer(output) is None:
        return None
    return Usage(
        session_id=session_id,
        key=f"compaction:{key}",
        model=string(used.get("model")),
        timestamp=when,
        input_tokens=fresh_input(total, cached, used.get("cacheWriteTokens")),
        cache_read_tokens=integer(cached),
        cache_write_tokens=integer(used.get("cacheWriteTokens")),
        output_tokens=integer(output),
        cost_micro_usd=cost(
            mapping(used.get("copilotUsage")).get("totalNanoAiu"), used.get("aiCreditsStatus")
        ),
        requests=integer(used.get("requestCount")) or 1,
        origin=ADDED_USAGE,
        rank=RANK_RECORD,
        segment=segment,
        is_sidechain=sub,
    )


def shutdown_totals(data: dict[str, Any]) -> dict[str, Totals]:
    """What a `session.shutdown` says per model."""
    status = {
        model: mapping(metric).get("aiCreditsStatus")
        for model, metric in mapping(
            mapping(data.get("accountingSnapshot")).get("modelMetrics")
        ).items()
    }
    totals = {}
    for model, metric in mapping(data.get("modelMetrics")).items():
        metric = mapping(metric)
        requests = metric.get("requests")
        requests = mapping(requests) or {"count": requests}  # a bare number in some files
        tokens = mapping(metric.get("usage"))
        nano = metric.get("totalNanoAiu")
        totals[str(model)] = Totals(
            input=integer(tokens.get("inputTokens")),
            output=integer(tokens.get("outputTokens")),
            cache_read=integer(tokens.get("cacheReadTokens")),
            cache_write=integer(tokens.get("cacheWriteTokens")),
            reasoning=integer(tokens.get("reasoningTokens")),
            requests=integer(requests.get("count")),
            premium=premium(requests.get("cost"), None),
            nano_aiu=float(nano) if nano and cost(nano, status.get(model)) is not None else None,
        )
    return totals


def shutdown_delta(now: Totals, base: Totals | None) -> Totals:
    """What is new in a shutdown that continues an earlier one; all of it when it does not."""
    if base is None:
        return now
    for field in _COUNTED:
        if (getattr(now, field) or 0) < (getattr(base, field) or 0):
            return now
    values = {}
    for field in Totals.__struct_fields__:
        value = getattr(now, field)
        values[field] = None if value is None else max(0, value - (getattr(base, field) or 0))
    return Totals(**values)


def shutdown_usage(
    model: str, new: Totals, session_id: str, key: str, when: datetime | None, segment: int
) -> Usage | None:
    """The Usage of one model in one segment, None when there was no call."""
    tokens = (new.input, new.output, new.cache_read, new.cache_write)
    if not any(tokens) and not new.requests:
        return None
    return Usage(
        session_id=session_id,
        key=key,
        model=model,
        timestamp=when,
        input_tokens=fresh_input(new.input, new.cache_read, new.cache_write),
        cache_read_tokens=new.cache_read,
        cache_write_tokens=new.cache_write,
        output_tokens=new.output,
        reasoning_tokens=new.reasoning,
        cost_micro_usd=cost(new.nano_aiu),
        premium_requests=new.premium,
        requests=1 if new.requests is None else new.requests,
        origin="shutdown",
        rank=RANK_COUNT if tokens == (None,) * 4 else RANK_SHUTDOWN,
        segment=segment,
    )


def message_usage(
    session_id: str,
    message_id: str,
    model: str | None,
    output: Number,
    when: datetime | None,
    segment: int,
    sub: bool,
) -> Usage:
    """The output tokens that versions before 1.0.92 wrote beside a message."""
    return Usage(
        session_id=session_id,
        key=message_id,
        model=model,
        message_id=message_id,
        timestamp=when,
        output_tokens=integer(output),
        origin="message",
        rank=RANK_MESSAGE,
        segment=segment,
        is_sidechain=sub,
    )
