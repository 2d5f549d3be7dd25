"""The tokens that entries record: of a response, of a summary, of what a tool asked a model.

{"input":701,"output":51,"cacheRead":300,"cacheWrite":0,"totalTokens":1052,"cost":{"total":0.003}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_journal.connectors.values import count, integer, mapping, string
from agent_journal.model import Usage

if TYPE_CHECKING:
    from agent_journal.connectors.pi.reading import EntryReader

_TOKENS = ("input", "output", "cacheRead", "cacheWrite")


def usage_of_answer(
    reader: EntryReader, message: dict[str, Any], model: str | None
) -> Usage | None:
    """The usage of an answer; None for a response that never came."""
    # The copy of an entry in a fork has its id, its times and the id that the provider gave. Ids of
    # entries are short: those of two sessions may be the same.
    response = string(message.get("responseId")) or integer(message.get("timestamp"))
    mark = str(response or reader.timestamp)
    return _usage(reader, message.get("usage"), mark, model=model, message_id=reader.record_id)


def usage_beside(reader: EntryReader, recorded: Any, model: str | None = None) -> tuple[Usage, ...]:
    """The usage of an entry that is no answer: of a summary, a tool, a cache kept warm."""
    usage = _usage(reader, recorded, str(reader.timestamp), model=model)
    if usage is None:
        return ()
    return (usage,)


def _usage(reader: EntryReader, recorded: Any, mark: str, **fields: Any) -> Usage | None:
    usage = mapping(recorded)
    tokens = {name: count(usage.get(name)) for name in _TOKENS}
    if not any(tokens.values()):
        return None  # a response that never came has zeros
    reasoning = count(usage.get("reasoning"))
    if reasoning is None:
        reasoning = count(usage.get("reasoningTokens"))  # as OpenClaw calls them
    return Usage(
        session_id=reader.id,
        key=f"{reader.record_id}:{mark}",
        timestamp=reader.timestamp,
        input_tokens=tokens["input"],
        output_tokens=tokens["output"],
        cache_read_tokens=tokens["cacheRead"],
        cache_write_tokens=tokens["cacheWrite"],
        cache_write_1h_tokens=count(usage.get("cacheWrite1h")),
        reasoning_tokens=reasoning,
        cost_micro_usd=_micro_dollars(mapping(usage.get("cost")).get("total")),
        **fields,
    )


def _micro_dollars(cost: Any) -> int | None:
    """A cost that is known: zero is written for models without a price."""
    if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 < cost < 2**28:
        return None
    return round(cost * 1_000_000)
