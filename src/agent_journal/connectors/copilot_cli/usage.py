"""Tokens, from four places: usage records, shutdowns, compactions, and messages of old versions.

They describe the same calls, so each has a rank. Of a segment, which is the part between two
shutdowns, only the highest rank counts: session-store.db 40, usage records 30, shutdown 20,
messages 10. Of these only the database includes the call that wrote a compaction. Its rows are
added to those that count, unless these are the database's.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.copilot_cli.records import Number, Totals
from agent_journal.connectors.values import integer, mapping, string
from agent_journal.model import Usage
from agent_journal.model.origins import ADDED_USAGE

RANK_STORE = 40
RANK_RECORD = 30
RANK_SHUTDOWN = 20
RANK_MESSAGE = 10
RANK_COUNT = 5  # a shutdown that only counts requests is worth less than the messages
_MAX_NANO_AIU = 1e30
_NANO_AIU_PER_MICRO_USD = 100_000  # 1e9 nano = 1 credit = 0.01 USD = 10,000 micro-dollars
_COUNTED = ("input", "output", "cache_read", "cache_write", "reasoning", "requests")


class UsageContext(NamedTuple):
    """What all Usage of a record has in common."""

    session_id: str
    time: datetime | None
    segment: int
    is_sidechain: bool


class Accounting(msgspec.Struct, rename="camel"):
    """The identity of a model call, the same in all copies of a session."""

    source_session_id: str | None = None
    sequence: Number | None = None


class Credits(msgspec.Struct, rename="camel"):
    """The cost of a call."""

    total_nano_aiu: Number | None = None


class CallUsage(msgspec.Struct, rename="camel"):
    """The usage of a model call: of the agent (`usage`), or inside a tool (`toolUsage`)."""

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
    """Input that was neither read from nor written to the cache; Copilot's input includes both."""
    number = integer(total)
    if number is None:
        return None
    return max(0, number - (integer(cache_read) or 0) - (integer(cache_write) or 0))


def cost(nano_aiu: object, status: object = None) -> int | None:
    """The cost in micro-dollars; None when the agent did not know all of it, or wrote zero."""
    amount = _number(nano_aiu)
    if amount is None or not 0 < amount < _MAX_NANO_AIU or status not in (None, "complete"):
        return None
    return round(amount / _NANO_AIU_PER_MICRO_USD)


def premium(multiplier: object, initiator: object) -> float | None:
    """Premium requests of a call: the model's multiplier, when a person started the call."""
    number = _number(multiplier)
    if number is None or initiator not in (None, "", "user"):
        return None
    return float(number)


def _number(value: object) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value


def call_usage(usage: CallUsage, record_id: str, context: UsageContext) -> Usage:
    """The Usage of a `session.usage_record`."""
    accounting = usage.accounting
    if accounting and accounting.source_session_id and accounting.sequence is not None:
        key = f"{accounting.source_session_id}:{accounting.sequence:.0f}"
    else:
        key = usage.api_call_id or usage.request_id or record_id
    nano_aiu = None
    if usage.copilot_usage is not None:
        nano_aiu = usage.copilot_usage.total_nano_aiu
    return Usage(
        session_id=context.session_id,
        key=key,
        model=usage.model,
        timestamp=context.time,
        input_tokens=fresh_input(
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens
        ),
        cache_read_tokens=integer(usage.cache_read_tokens),
        cache_write_tokens=integer(usage.cache_write_tokens),
        output_tokens=integer(usage.output_tokens),
        reasoning_tokens=integer(usage.reasoning_tokens),
        cost_micro_usd=cost(nano_aiu, usage.ai_credits_status),
        premium_requests=premium(usage.cost, usage.initiator),
        origin="usage_record",
        rank=RANK_RECORD,
        segment=context.segment,
        is_sidechain=context.is_sidechain,
    )


def compaction_usage(used: dict[str, Any], key: str, context: UsageContext) -> Usage | None:
    """The Usage of the call that wrote a compaction; early versions have short field names."""
    total = used.get("inputTokens", used.get("input"))
    output = used.get("outputTokens", used.get("output"))
    cached = used.get("cacheReadTokens", used.get("cachedInput"))
    if integer(total) is None and integer(output) is None:
        return None
    nano_aiu = mapping(used.get("copilotUsage")).get("totalNanoAiu")
    return Usage(
        session_id=context.session_id,
        key=f"compaction:{key}",
        model=string(used.get("model")),
        timestamp=context.time,
        input_tokens=fresh_input(total, cached, used.get("cacheWriteTokens")),
        cache_read_tokens=integer(cached),
        cache_write_tokens=integer(used.get("cacheWriteTokens")),
        output_tokens=integer(output),
        cost_micro_usd=cost(nano_aiu, used.get("aiCreditsStatus")),
        requests=integer(used.get("requestCount")) or 1,
        origin=ADDED_USAGE,
        rank=RANK_RECORD,
        segment=context.segment,
        is_sidechain=context.is_sidechain,
    )


def shutdown_totals(data: dict[str, Any]) -> dict[str, Totals]:
    """The totals of a `session.shutdown`, by model."""
    snapshot = mapping(mapping(data.get("accountingSnapshot")).get("modelMetrics"))
    totals: dict[str, Totals] = {}
    for model, metric in mapping(data.get("modelMetrics")).items():
        credits_status = mapping(snapshot.get(model)).get("aiCreditsStatus")
        totals[model] = _model_totals(mapping(metric), credits_status)
    return totals


def _model_totals(metric: dict[str, Any], credits_status: object) -> Totals:
    tokens = mapping(metric.get("usage"))
    # A bare number in some files
    requests = mapping(metric.get("requests")) or {"count": metric.get("requests")}
    nano_aiu = None
    if cost(metric.get("totalNanoAiu"), credits_status) is not None:
        nano_aiu = float(metric["totalNanoAiu"])
    return Totals(
        input=integer(tokens.get("inputTokens")),
        output=integer(tokens.get("outputTokens")),
        cache_read=integer(tokens.get("cacheReadTokens")),
        cache_write=integer(tokens.get("cacheWriteTokens")),
        reasoning=integer(tokens.get("reasoningTokens")),
        requests=integer(requests.get("count")),
        premium=premium(requests.get("cost"), None),
        nano_aiu=nano_aiu,
    )


def shutdown_delta(now: Totals, base: Totals | None) -> Totals:
    """What is new in a shutdown that includes an earlier one; all of it when it does not."""
    if base is None:
        return now
    for field in _COUNTED:
        if (getattr(now, field) or 0) < (getattr(base, field) or 0):
            return now
    values = {}
    for field in Totals.__struct_fields__:
        value = getattr(now, field)
        if value is not None:
            values[field] = max(0, value - (getattr(base, field) or 0))
    return Totals(**values)


def shutdown_usage(model: str, new: Totals, key: str, context: UsageContext) -> Usage | None:
    """The Usage of one model in one segment; None when there was no call."""
    tokens = [new.input, new.output, new.cache_read, new.cache_write]
    if not any(tokens) and not new.requests:
        return None
    rank = RANK_SHUTDOWN
    if all(count is None for count in tokens):
        rank = RANK_COUNT
    requests = new.requests
    if requests is None:
        requests = 1
    return Usage(
        session_id=context.session_id,
        key=key,
        model=model,
        timestamp=context.time,
        input_tokens=fresh_input(new.input, new.cache_read, new.cache_write),
        cache_read_tokens=new.cache_read,
        cache_write_tokens=new.cache_write,
        output_tokens=new.output,
        reasoning_tokens=new.reasoning,
        cost_micro_usd=cost(new.nano_aiu),
        premium_requests=new.premium,
        requests=requests,
        origin="shutdown",
        rank=rank,
        segment=context.segment,
    )


def message_usage(
    message_id: str, model: str | None, output_tokens: Number, context: UsageContext
) -> Usage:
    """The output tokens of a message, which versions before 1.0.92 wrote there."""
    return Usage(
        session_id=context.session_id,
        key=message_id,
        model=model,
        message_id=message_id,
        timestamp=context.time,
        output_tokens=integer(output_tokens),
        origin="message",
        rank=RANK_MESSAGE,
        segment=context.segment,
        is_sidechain=context.is_sidechain,
    )
