"""Tokens and cost: one record for each step, or the message's where it has no steps.

{"total":1092,"input":721,"output":64,"reasoning":7,"cache":{"write":0,"read":300}}

`input` never has what was cached. Whether `output` has the reasoning differs between versions;
`total` tells. The cost of a message of Kilo has that of its sub-agents, the cost of a step has not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent_journal.connectors.opencode.parts import Part
from agent_journal.connectors.tokens import micro_dollars
from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import Usage
from agent_journal.text.dates import parse_time


def usages(
    session_id: str, message_id: str, info: dict[str, Any], steps: list[Part]
) -> Iterator[Usage]:
    """Yield the usage of each step of a message."""
    records = [step.values for step in steps] or [info]
    time = mapping(info.get("time"))
    model = string(info.get("modelID"))
    for number, record in enumerate(records):
        tokens = mapping(record.get("tokens"))
        cache = mapping(tokens.get("cache"))
        numbers = [
            count(value)
            for value in (
                tokens.get("input"),
                tokens.get("output"),
                tokens.get("reasoning"),
                cache.get("read"),
                cache.get("write"),
            )
        ]
        if not any(numbers):
            continue  # written before the answer came: not known, rather than none
        sent, _, thought, read, written = numbers
        # A fork copies messages under new ids, but with their times and tokens
        copied = [time.get("created"), time.get("completed"), model, number, *numbers]
        yield Usage(
            session_id=session_id,
            key=":".join("" if value is None else str(value) for value in copied),
            message_id=message_id,
            model=model,
            timestamp=parse_time(time.get("created")),
            input_tokens=sent,
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=_with_reasoning(tokens, numbers),
            reasoning_tokens=thought,
            cost_micro_usd=micro_dollars(record.get("cost")),
        )


def _with_reasoning(tokens: dict[str, Any], numbers: list[int | None]) -> int | None:
    """Return the output with the reasoning, which is in it or beside it."""
    sent, received, thought, read, written = numbers
    total = count(tokens.get("total"))
    if received is None or not thought or total is None:
        return received
    without = (sent or 0) + received + (read or 0) + (written or 0)
    if without == total:
        return received
    return received + thought
