"""Sessions of the first releases: chat messages as they were sent to the model.

`{"sessionId":…,"startTime":…,"chatMessages":[{"role":"user","content":"hi"}],"timeline":[…],"selectedModel":…}`
A migrated session has the same object in its first event; the ids are the same, so both become one.
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
            if call_id := string(chat.get("tool_call_id")):
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
        name, arguments = string(function.get("name")), function.get("arguments")
        if isinstance(arguments, (dict, list)):
            arguments = msgspec.json.encode(arguments).decode()
        if call_id := string(call.get("id")):
            yield ToolCall(
                session_id=session_id,
                id=call_id,
                message_id=record_id,
                name=name,
                kind=tool_kind(name),
                arguments=arguments if isinstance(arguments, str) else None,
                record_ids=(record_id,),
                offset=offset,
            )


def _times(old: dict[str, Any]) -> dict[str, datetime]:
    """The times of texts; only the timeline of the user interface has them."""
    times: dict[str, datetime] = {}
    for item in items(old.get("timeline")):
        text, when = string(item.get("text")), parse_time(item.get("timestamp"))
        if text and when:
            times.setdefault(text.strip(), when)
    return times


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in items(content) if isinstance(part.get("text"), str))
