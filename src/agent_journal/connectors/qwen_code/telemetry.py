"""Tokens: of answers, and of requests that only the agent's own statistics tell."""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.qwen_code.records import Line
from agent_journal.connectors.values import count, first_string, mapping, string
from agent_journal.model import Message, Usage
from agent_journal.text.dates import parse_time


def usage_of(record: Line, message: Message) -> Usage | None:
    """The tokens of an answer; None when it was interrupted."""
    tokens = mapping(record.usage_metadata)
    return _usage(
        message.session_id,
        key=f"{message.id}:{record.timestamp}",
        record=record,
        model=record.model,
        sent=count(tokens.get("promptTokenCount")),
        cached=count(tokens.get("cachedContentTokenCount")),
        received=count(tokens.get("candidatesTokenCount")),
        thought=count(tokens.get("thoughtsTokenCount")),
        total=count(tokens.get("totalTokenCount")),
        message_id=message.id,
    )


def usage_of_response(event: dict[str, Any], session_id: str, record: Line) -> Usage | None:
    """The tokens of a request of a sub-agent that has no file."""
    name = first_string(event, "response_id") or record.uuid or str(record.timestamp)
    return _usage(
        session_id,
        key=f"{name}:{event.get('event.timestamp')}",
        record=record,
        model=string(event.get("model")),
        sent=count(event.get("input_token_count")),
        cached=count(event.get("cached_content_token_count")),
        received=count(event.get("output_token_count")),
        thought=count(event.get("thoughts_token_count")),
        total=count(event.get("total_token_count")),
        is_sidechain=True,
    )


def _usage(
    session_id: str,
    *,
    key: str,
    record: Line,
    model: str | None,
    sent: int | None,
    cached: int | None,
    received: int | None,
    thought: int | None,
    total: int | None,
    message_id: str | None = None,
    is_sidechain: bool = False,
) -> Usage | None:
    """Usage with fresh input only; thoughts are part of the output unless the total says no."""
    if sent is None and received is None:
        return None
    if received is not None and thought and total == (sent or 0) + received + thought:
        received += thought
    fresh = sent
    if sent is not None and cached is not None and cached <= sent:
        fresh = sent - cached
    return Usage(
        session_id=session_id,
        key=key,
        message_id=message_id,
        model=model,
        timestamp=parse_time(record.timestamp),
        input_tokens=fresh,
        cache_read_tokens=cached,
        output_tokens=received,
        reasoning_tokens=thought,
        is_sidechain=is_sidechain,
    )


def error_of(event: dict[str, Any]) -> str:
    """What went wrong with a request."""
    return first_string(event, "error_message", "error_type") or "the request failed"
