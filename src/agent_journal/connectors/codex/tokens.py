"""Tokens: `token_count` has the sum of the session so far, and comes again with nothing new.

`{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2,…},
"last_token_usage":{…}}}`: cached and cache-write input are part of input, reasoning is part of output.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.codex.records import Item, Record
from agent_journal.connectors.values import count, mapping
from agent_journal.model import Piece, Usage

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_FIELDS = (
    "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens",
)  # fmt: skip


def token_count(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """What is new since the count before."""
    state = reader.state
    info = mapping(item.info)
    totals, last = _numbers(info.get("total_token_usage")), _numbers(info.get("last_token_usage"))
    reader.close()
    if totals is None:
        reader.skipped(reader.kind, "limits without tokens")
        return ()
    before, state.totals = state.totals, totals
    if reader.inherited or (before is None and state.is_fork and state.last_answer is None):
        # Copied with the parent's lines, or told before there was any answer.
        reader.skipped(reader.kind, "tokens of the parent session")
        return ()
    new = _difference(totals, before)
    if new is None or (before is None and state.is_fork and last is not None):
        # The sum began anew, or it goes on from a parent whose counts are not in this file.
        new = last or totals
    if not any(new):
        reader.skipped(reader.kind, "nothing new since the count before")
        return ()
    state.counted += 1
    details = mapping(info.get("total_token_usage"))
    fresh, cached, written, output, reasoning = new
    return (
        Usage(
            session_id=reader.id,
            key=f"{reader.id}:{state.counted}",
            model=state.model,
            message_id=state.last_answer,
            timestamp=reader.when,
            input_tokens=max(0, fresh - cached - written) if "input_tokens" in details else None,
            cache_read_tokens=cached if "cached_input_tokens" in details else None,
            cache_write_tokens=written if "cache_write_input_tokens" in details else None,
            output_tokens=output if "output_tokens" in details else None,
            reasoning_tokens=reasoning if "reasoning_output_tokens" in details else None,
            is_sidechain=state.is_subagent,
        ),
    )


def _numbers(value: object) -> list[int] | None:
    values = mapping(value)
    found = [count(values.get(name)) for name in _FIELDS]
    return None if all(number is None for number in found) else [number or 0 for number in found]


def _difference(totals: list[int], before: list[int] | None) -> list[int] | None:
    if before is None:
        return totals
    new = [now - then for now, then in zip(totals, before, strict=True)]
    return new if min(new) >= 0 else None
