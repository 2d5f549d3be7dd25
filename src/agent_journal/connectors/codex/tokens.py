"""Tokens: `token_count` has the sum of the session so far, and comes again with nothing new.

`{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2,…},
"last_token_usage":{…}}}`: cached and cache-write input are part of input, reasoning is part of
output.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex.records import MAX_SEEN, Count, Item, Record, State
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import count, mapping
from agent_journal.model import Piece, Usage
from agent_journal.text.dates import EPOCH, parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_FIELDS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


def token_count(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """What is new since the count before."""
    state, info = reader.state, mapping(item.info)
    sums = mapping(info.get("total_token_usage"))
    totals = _numbers(sums)
    reader.close()
    if totals is None:
        reader.skipped(reader.kind, "limits without tokens")
        return ()
    before, is_first = state.totals, state.totals is None and state.is_fork
    if reader.inherited or (is_first and state.last_answer is None):
        # Copied with the parent's lines, or told before there was any answer.
        _begin(state, totals)
        reader.skipped(reader.kind, "tokens of the parent session")
        return ()
    now = Count(
        totals,
        _numbers_or_none(info.get("last_token_usage")),
        [name for name in _FIELDS if name in sums],
        state.last_answer,
        state.model,
        record.timestamp,
    )
    new: list[tuple[Count, list[int]]] | None
    if before is None:
        # In a fork the sum goes on from a parent whose counts are not in this file.
        new = [(now, now.last if is_first and now.last else totals)]
    elif _is_grown(totals, before):
        new = [(now, _difference(totals, before))]
    else:
        new = _below(state, now)
    if new is None:
        reader.skipped(reader.kind, "less than the count before")
        return ()
    _begin(state, totals, is_same_sum=before is not None and _is_grown(totals, before))
    found = tuple(_usage(reader, one, numbers) for one, numbers in new if any(numbers))
    if not found:
        reader.skipped(reader.kind, "nothing new since the count before")
    return found


def _below(state: State, now: Count) -> list[tuple[Count, list[int]]] | None:
    """What a count below the one before adds: nothing where an old one is told again or came late,
    and all of it where the sum began anew. Which of them it is may show only when the sum goes on
    from it.
    """
    lower = state.lower
    if _mark(now.totals) in state.told or (lower is not None and lower.totals == now.totals):
        return None
    if lower is not None and _is_grown(now.totals, lower.totals):
        return [(lower, lower.last or lower.totals), (now, _difference(now.totals, lower.totals))]
    if now.totals == now.last and (parse_time(now.time) or EPOCH) >= (
        parse_time(state.ended) or EPOCH
    ):
        return [(now, now.totals)]  # the first response of a new sum
    state.lower = now
    return None


def _begin(state: State, totals: list[int], *, is_same_sum: bool = False) -> None:
    """Takes a count as the one that the next is compared with."""
    state.totals, state.lower = totals, None
    if not is_same_sum:
        state.told = {}
    remember(state.told, _mark(totals), True, MAX_SEEN)


def _mark(totals: list[int]) -> str:
    return " ".join(map(str, totals))


def _usage(reader: RolloutReader, one: Count, numbers: list[int]) -> Usage:
    fresh, cached, written, output, reasoning = numbers
    state = reader.state
    state.counted += 1
    return Usage(
        session_id=reader.id,
        key=f"{reader.id}:{state.counted}",
        model=one.model,
        message_id=one.answer,
        timestamp=parse_time(one.time),
        input_tokens=max(0, fresh - cached - written) if "input_tokens" in one.names else None,
        cache_read_tokens=cached if "cached_input_tokens" in one.names else None,
        cache_write_tokens=written if "cache_write_input_tokens" in one.names else None,
        output_tokens=output if "output_tokens" in one.names else None,
        reasoning_tokens=reasoning if "reasoning_output_tokens" in one.names else None,
        is_sidechain=state.is_subagent,
    )


def _numbers(values: dict[str, Any]) -> list[int] | None:
    """The numbers of a count; ValueError when one is damaged: what it should be is unknown, not 0."""
    found = [count(values.get(name)) for name in _FIELDS]
    for name, number in zip(_FIELDS, found, strict=True):
        if number is None and values.get(name) is not None:
            raise ValueError(f"a count of tokens whose {name} is no number")
    return None if all(number is None for number in found) else [number or 0 for number in found]


def _numbers_or_none(value: object) -> list[int] | None:
    try:
        return _numbers(mapping(value))
    except ValueError:
        return None


def _is_grown(totals: list[int], before: list[int]) -> bool:
    """Whether a sum goes on from another: by what was sent and said; the shares within are less
    reliable.
    """
    return totals[0] >= before[0] and totals[3] >= before[3]


def _difference(totals: list[int], before: list[int]) -> list[int]:
    return [max(0, now - then) for now, then in zip(totals, before, strict=True)]
