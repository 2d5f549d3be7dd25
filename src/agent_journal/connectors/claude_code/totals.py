"""The tokens that Claude Code counted for a whole session, with its sub-agents.

{"type":"cost-state","totalCostUSD":0.0144,"modelUsage":{"claude-opus-5":{"inputTokens":24,
 "outputTokens":642,"cacheReadInputTokens":400,"cacheCreationInputTokens":200}},"sessionId":"…"}

The last such line of a file counts. It includes requests that are in no other line: compactions,
titles and other work of the harness.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct, field

from agent_journal.connectors.claude_code.records import Count, LineContext, Record, decoded
from agent_journal.model import Usage
from agent_journal.model.origins import RECORDED_TOTAL


class _ModelUsage(Struct, gc=False):
    input_tokens: Count | None = field(default=None, name="inputTokens")
    output_tokens: Count | None = field(default=None, name="outputTokens")
    cache_read: Count | None = field(default=None, name="cacheReadInputTokens")
    cache_write: Count | None = field(default=None, name="cacheCreationInputTokens")
    cache_write_1h: Count | None = field(default=None, name="cacheCreationEphemeral1hInputTokens")


_model_usage = msgspec.json.Decoder(dict[str, _ModelUsage])


def recorded_totals(record: Record, context: LineContext) -> Iterable[Usage]:
    """The totals of a `cost-state` line, by model."""
    for name, tokens in (decoded(record.model_usage, _model_usage) or {}).items():
        # Answers do not have the size of the context window: `claude-sonnet-5[1m]`
        model = name.partition("[")[0]
        yield Usage(
            session_id=context.session_id,
            key=f"total:{context.session_id}:{name}",
            model=model,
            timestamp=context.time,
            input_tokens=tokens.input_tokens,
            cache_read_tokens=tokens.cache_read,
            cache_write_tokens=tokens.cache_write,
            cache_write_1h_tokens=tokens.cache_write_1h,
            output_tokens=tokens.output_tokens,
            origin=RECORDED_TOTAL,
        )
