"""Tokens: of answers, and of requests that only the agent's own statistics tell."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.qwen_code.records import Line
from agent_journal.connectors.values import count, first_string, mapping, string
from agent_journal.model import Message, Usage
from agent_journal.text.dates import parse_time

# What was sent, and how much of that was cached; received; thought; in all
_NAMES = (
    *("promptTokenCount", "cachedContentTokenCount"),
    *("candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"),
)
_NAMES_IN_EVENTS = (
    *("input_token_count", "cached_content_token_count"),
    *("output_token_count", "thoughts_token_count", "total_token_count"),
)


def usage_of(record: Line, message: Message) -> Usage | None:
    """The tokens of an answer; None when it was interrupted."""
    tokens = mapping(record.usage_metadata)
    usage = _usage(message.session_id, f"{message.id}:{record.timestamp}", record, tokens, _NAMES)
    if usage is None:
        return None
    return replace(usage, model=record.model, message_id=message.id)


def usage_of_response(event: dict[str, Any], session_id: str, record: Line) -> Usage | None:
    """The tokens of a request of a sub-agent that has no file."""
    name = first_string(event, "response_id") or record.uuid or str(record.timestamp)
    key = f"{name}:{event.get('event.timestamp')}"
    usage = _usage(session_id, key, record, event, _NAMES_IN_EVENTS)
    if usage is None:
        return None
    return replace(usage, model=string(event.get("model")), is_sidechain=True)


def _usage(
    session_id: str, key: str, record: Line, tokens: dict[str, Any], names: tuple[str, ...]
) -> Usage | None:
    """Usage with fresh input only; thoughts are part of the output unless the total says no."""
    sent, cached, received, thought, total = (count(tokens.get(name)) for name in names)
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
        timestamp=parse_time(record.timestamp),
        input_tokens=fresh,
        cache_read_tokens=cached,
        output_tokens=received,
        reasoning_tokens=thought,
    )


def error_of(event: dict[str, Any]) -> str:
    """What went wrong with a request."""
    return first_string(event, "error_message", "error_type") or "the request failed"
