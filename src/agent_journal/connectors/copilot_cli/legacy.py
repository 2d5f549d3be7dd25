"""Sessions of the first releases: chat messages as they were sent to the model.

    {"sessionId":…,"startTime":…,"chatMessages":[{"role":"user","content":"hi"}],
     "timeline":[…],"selectedModel":…}

An imported session has the same object in its first event; the ids are the same, so both become
one session.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Message, MessageKind, Piece, Role, ToolCall
from agent_journal.text.dates import parse_time

_KINDS: dict[str, tuple[Role, MessageKind]] = {
    "user": ("user", "prompt"),
    "assistant": ("assistant", "answer"),
    "system": ("system", "system_prompt"),
    "developer": ("system", "system_prompt"),
}
_CLOCK = "</current_datetime>"


def pieces(old: dict[str, Any], session_id: str, offset: int | None = None) -> Iterator[Piece]:
    """The messages and tool calls of an old session."""
    times = _times(old)
    for number, chat in enumerate(items(old.get("chatMessages"))):
        record_id = f"legacy:{number}"
        text = _text(chat.get("content"))
        if chat.get("role") == "tool":
            call_id = string(chat.get("tool_call_id"))
            if call_id is not None:
                yield ToolCall(
                    session_id=session_id,
                    id=call_id,
                    result=text,
                    record_ids=(record_id,),
                    offset=offset,
                )
            continue
        role, kind = _KINDS.get(str(chat.get("role")), ("system", "notice"))
        if kind == "prompt" and text.startswith("<current_datetime>"):
            text = text.partition(_CLOCK)[2].strip()
        yield Message(
            session_id=session_id,
            id=record_id,
            role=role,
            kind=kind,
            text=text,
            timestamp=times.get(text.strip()),
            record_ids=(record_id,),
            tool_calls=tuple(_calls(chat, session_id, record_id, offset)),
            offset=offset,
        )


def _calls(
    chat: dict[str, Any], session_id: str, record_id: str, offset: int | None
) -> Iterator[ToolCall]:
    for call in items(chat.get("tool_calls")):
        function = mapping(call.get("function"))
        name = string(function.get("name"))
        call_id = string(call.get("id"))
        if call_id is not None:
            yield ToolCall(
                session_id=session_id,
                id=call_id,
                message_id=record_id,
                name=name,
                kind=tool_kind(name),
                arguments=_arguments(function.get("arguments")),
                record_ids=(record_id,),
                offset=offset,
            )


def _arguments(value: Any) -> str | None:
    """Arguments as JSON text, which most versions write them as."""
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, list)):
        return msgspec.json.encode(value).decode()
    return None


def _times(old: dict[str, Any]) -> dict[str, datetime]:
    """The times of messages, by text: only the timeline of the user interface has them."""
    times: dict[str, datetime] = {}
    for item in items(old.get("timeline")):
        text = string(item.get("text"))
        when = parse_time(item.get("timestamp"))
        if text and when:
            times.setdefault(text.strip(), when)
    return times


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in items(content) if isinstance(part.get("text"), str))
