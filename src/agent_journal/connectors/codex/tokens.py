"""Token counts.

A `token_count` has the sum of the session so far, and is often repeated with nothing new:
`{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":4,
"output_tokens":2,…},"last_token_usage":{…}}}`. Cached and cache-write input are part of the
input, reasoning is part of the output.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.connectors.codex.records import (
    MAX_SEEN,
    Item,
    Record,
    RolloutState,
    TokenCount,
)
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import count, mapping
from agent_journal.model import Piece, Usage
from agent_journal.text.dates import EPOCH, parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

# The order of all lists of numbers here
_FIELDS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
_INPUT = _FIELDS.index("input_tokens")
_OUTPUT = _FIELDS.index("output_tokens")


class _Increment(NamedTuple):
    """What a count adds to the tokens of the session."""

    source: TokenCount
    numbers: list[int]


def token_count(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read what is new since the previous count."""
    state = reader.state
    counts = mapping(item.info)
    sums = mapping(counts.get("total_token_usage"))
    totals = _numbers(sums)
    reader.end_answer()
    if totals is None:
        reader.skipped(reader.kind, "rate limits without token counts")
        return ()
    is_before_answers = state.totals is None and state.is_fork and state.last_answer is None
    if reader.is_inherited or is_before_answers:
        _start_from(state, totals)
        reader.skipped(reader.kind, "tokens of the parent session")
        return ()
    current = TokenCount(
        totals=totals,
        last=_numbers_or_none(counts.get("last_token_usage")),
        names=[name for name in _FIELDS if name in sums],
        message_id=state.last_answer,
        model=state.model,
        time=record.timestamp,
    )
    return _new_usage(reader, current)


def _new_usage(reader: RolloutReader, current: TokenCount) -> Iterable[Piece]:
    state = reader.state
    increments = _increments(state, current)
    if increments is None:
        reader.skipped(reader.kind, "lower than the previous count")
        return ()
    if state.totals is not None and _continues(current.totals, state.totals):
        _continue_with(state, current.totals)
    else:
        _start_from(state, current.totals)
    usages = tuple(_usage(reader, increment) for increment in increments if any(increment.numbers))
    if not usages:
        reader.skipped(reader.kind, "no change since the previous count")
    return usages


def _increments(state: RolloutState, current: TokenCount) -> list[_Increment] | None:
    """Return what a count adds; None when it adds nothing, or it is not known yet."""
    if state.totals is None:
        numbers = current.totals
        if state.is_fork and current.last:
            # The sum of a fork continues that of its parent, whose counts are not in this file
            numbers = current.last
        return [_Increment(current, numbers)]
    if _continues(current.totals, state.totals):
        return [_Increment(current, _difference(current.totals, state.totals))]
    return _increments_below(state, current)


def _increments_below(state: RolloutState, current: TokenCount) -> list[_Increment] | None:
    """Return what a count below the previous one adds.

    It adds nothing where an old count is repeated or was written late, and all of it where a new
    sum was started. Which of the two it is may show only when the sum continues from it.
    """
    lower = state.lower
    if _key_of(current.totals) in state.recent_totals:
        return None
    if lower is not None and lower.totals == current.totals:
        return None
    if lower is not None and _continues(current.totals, lower.totals):
        return [
            _Increment(lower, lower.last or lower.totals),
            _Increment(current, _difference(current.totals, lower.totals)),
        ]
    if current.totals == current.last and not _is_late(state, current):
        return [_Increment(current, current.totals)]  # the first response of a new sum
    state.lower = current
    return None


def _is_late(state: RolloutState, current: TokenCount) -> bool:
    """Return whether a count is older than the latest line."""
    return (parse_time(current.time) or EPOCH) < (parse_time(state.ended) or EPOCH)


def _start_from(state: RolloutState, totals: list[int]) -> None:
    """Start a new sum."""
    state.recent_totals = {}
    _continue_with(state, totals)


def _continue_with(state: RolloutState, totals: list[int]) -> None:
    """Make a count the one that the next is compared with."""
    state.totals = totals
    state.lower = None
    remember(state.recent_totals, _key_of(totals), True, MAX_SEEN)


def _key_of(totals: list[int]) -> str:
    return " ".join(map(str, totals))


def _usage(reader: RolloutReader, increment: _Increment) -> Usage:
    state = reader.state
    state.counted += 1
    current = increment.source
    numbers = dict(zip(_FIELDS, increment.numbers, strict=True))
    recorded = {name: numbers[name] for name in current.names}
    if "input_tokens" in recorded:
        cached = numbers["cached_input_tokens"] + numbers["cache_write_input_tokens"]
        recorded["input_tokens"] = max(0, recorded["input_tokens"] - cached)
    return Usage(
        session_id=reader.id,
        key=f"{reader.id}:{state.counted}",
        model=current.model,
        message_id=current.message_id,
        timestamp=parse_time(current.time),
        input_tokens=recorded.get("input_tokens"),
        cache_read_tokens=recorded.get("cached_input_tokens"),
        cache_write_tokens=recorded.get("cache_write_input_tokens"),
        output_tokens=recorded.get("output_tokens"),
        reasoning_tokens=recorded.get("reasoning_output_tokens"),
        is_sidechain=state.is_subagent,
    )


def _numbers(values: dict[str, Any]) -> list[int] | None:
    """Return the numbers of a count, None when there are none.

    Raise ValueError when one is damaged: its value is unknown, not 0.
    """
    found = [count(values.get(name)) for name in _FIELDS]
    for name, number in zip(_FIELDS, found, strict=True):
        if number is None and values.get(name) is not None:
            raise ValueError(f"{name} of a token count is not a number")
    if all(number is None for number in found):
        return None
    return [number or 0 for number in found]


def _numbers_or_none(value: object) -> list[int] | None:
    try:
        return _numbers(mapping(value))
    except ValueError:
        return None


def _continues(totals: list[int], before: list[int]) -> bool:
    """Return whether a sum continues another.

    Only input and output are compared: the shares within them are less reliable.
    """
    return totals[_INPUT] >= before[_INPUT] and totals[_OUTPUT] >= before[_OUTPUT]


def _difference(totals: list[int], before: list[int]) -> list[int]:
    return [max(0, now - then) for now, then in zip(totals, before, strict=True)]
