"""The tokens of a turn: all its calls together, for each model.

{"inputTokens":6021,"cachedReadTokens":1800,"outputTokens":321,"reasoningTokens":42,"modelCalls":6,
 "modelUsage":{"grok-1":{…the same…}}}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.tokens import fresh_tokens
from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import Usage

if TYPE_CHECKING:
    from agent_journal.connectors.grok.reading import UpdatesReader

_TICKS_OF_MICRO_DOLLAR = 10_000


def usage_of(reader: UpdatesReader, update: dict[str, Any]) -> Iterable[Usage]:
    """The tokens of a turn; a turn that was cut off has none."""
    total = mapping(update.get("usage"))
    by_model = {model: mapping(value) for model, value in mapping(total.get("modelUsage")).items()}
    if not by_model and total:
        by_model = {"": total}
    turn = string(update.get("prompt_id")) or reader.record_id
    for model, tokens in by_model.items():
        ticks = count(tokens.get("costUsdTicks"))
        if ticks is None and len(by_model) == 1:
            ticks = count(total.get("costUsdTicks"))
        cached = count(tokens.get("cachedReadTokens"))
        written = count(tokens.get("cacheCreationTokens"))
        yield Usage(
            session_id=reader.id,
            key=f"{turn}:{model}",
            message_id=turn,
            model=model or reader.state.model,
            timestamp=reader.timestamp,
            input_tokens=fresh_tokens(count(tokens.get("inputTokens")), cached, written),
            output_tokens=count(tokens.get("outputTokens")),
            cache_read_tokens=cached,
            cache_write_tokens=written,
            reasoning_tokens=count(tokens.get("reasoningTokens")),
            cost_micro_usd=None if ticks is None else round(ticks / _TICKS_OF_MICRO_DOLLAR),
            requests=count(tokens.get("modelCalls")) or 1,
        )
