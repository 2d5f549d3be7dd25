"""The tokens that Claude Code counted for a whole session, with its sub-agents.

{"type":"cost-state","totalCostUSD":0.0144,"modelUsage":{"claude-opus-5":{"inputTokens":24,
 "outputTokens":642,"cacheReadInputTokens":400,"cacheCreationInputTokens":200}},"sessionId":"…"}

The last such line of a file counts. It includes requests that are in no other line: compactions,
titles and other work of the harness.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Raw, Struct, field

from agent_journal.connectors.claude_code.records import Count, LineContext, decoded
from agent_journal.model import Usage
from agent_journal.model.origins import RECORDED_TOTAL


class _ModelUsage(Struct, gc=False):
    input_tokens: Count | None = field(default=None, name="inputTokens")
    output_tokens: Count | None = field(default=None, name="outputTokens")
    cache_read: Count | None = field(default=None, name="cacheReadInputTokens")
    cache_write: Count | None = field(default=None, name="cacheCreationInputTokens")
    cache_write_1h: Count | None = field(default=None, name="cacheCreationEphemeral1hInputTokens")


class _CostState(Struct, gc=False):
    model_usage: dict[str, Raw] = field(default_factory=dict, name="modelUsage")


_cost_state = msgspec.json.Decoder(_CostState)
_model_usage = msgspec.json.Decoder(_ModelUsage)


def recorded_totals(line: bytes, context: LineContext) -> Iterable[Usage]:
    """The totals of a `cost-state` line, by model; none for other lines."""
    state = decoded(Raw(line), _cost_state) or _CostState()
    totals: dict[str, _ModelUsage] = {}
    for name, raw in state.model_usage.items():
        tokens = decoded(raw, _model_usage)
        if tokens is not None:
            # Answers do not have the size of the context window: `claude-sonnet-5[1m]`
            model = name.partition("[")[0]
            totals[model] = _sum(totals.get(model), tokens)
    for model, tokens in totals.items():
        yield Usage(
            session_id=context.session_id,
            key=f"total:{context.session_id}:{model}",
            model=model,
            timestamp=context.time,
            input_tokens=tokens.input_tokens,
            cache_read_tokens=tokens.cache_read,
            cache_write_tokens=tokens.cache_write,
            cache_write_1h_tokens=tokens.cache_write_1h,
            output_tokens=tokens.output_tokens,
            origin=RECORDED_TOTAL,
        )


def _sum(first: _ModelUsage | None, second: _ModelUsage) -> _ModelUsage:
    """Both together; what one of them does not say is unknown."""
    if first is None:
        return second
    sums: dict[str, int | None] = {}
    for name in _ModelUsage.__struct_fields__:
        parts = (getattr(first, name), getattr(second, name))
        sums[name] = None if None in parts else sum(parts)
    return _ModelUsage(**sums)
