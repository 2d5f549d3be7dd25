"""Sub-agents: how they are started, and what agents write to each other.

`spawn_agent` returns an id (`{"agent_id":…}`) or, in newer versions, only a name; then
`{"type":"sub_agent_activity","kind":"started","event_id":<call>,"agent_thread_id":<session>}`
says which session the call started.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex.calls import current_call_id, event_call_id, tool_call
from agent_journal.connectors.codex.contents import content_of
from agent_journal.connectors.codex.notices import describe
from agent_journal.connectors.codex.records import MAX_CALLS, Item, Record, payload_of
from agent_journal.connectors.loose import decode_any, remember
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Piece, Session, ToolCall

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_ENVELOPE = re.compile(r"Message Type: ([A-Z_]+)\n(?:Task name: .*\n)?(?:Sender: .*\n)?Payload:\n*")
# Fernet tokens and other base64; a message that a person can read has spaces
_ENCRYPTED = re.compile(r"[\w+/=-]{40,}\s*")


# -- how they are started ----------------------------------------------------------------------


def started(reader: RolloutReader, call_id: str, child: str | None) -> ToolCall:
    """Return what a record says about the call that started a sub-agent."""
    note_child(reader, call_id, child)
    return tool_call(
        reader, call_id, "spawn_agent", child_session_id=child, ended_at=reader.timestamp
    )


def note_child(reader: RolloutReader, call_id: str, child: str | None) -> None:
    """Remember the call that started a sub-agent, which its own file does not name.

    A fork that copied the call did not start it.
    """
    if child is not None and not reader.is_inherited:
        remember(reader.state.children, child, call_id, MAX_CALLS)


def children(reader: RolloutReader) -> Iterable[Session]:
    """Return what this session knows of the sub-agents it started.

    Of those in a fork, the parent may have started some: calls keep their ids in a copy.
    """
    parent_id = None if reader.state.is_fork else reader.id
    for child, call_id in reader.state.children.items():
        yield Session(
            agent="codex", id=child, parent_id=parent_id, parent_call_id=call_id, is_hint=True
        )


def agent_spawn_end(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the start of a sub-agent, as older versions recorded it."""
    child = string(payload_of(reader.line).get("new_thread_id"))
    return (started(reader, event_call_id(reader, item), child),)


def spawned_session(reader: RolloutReader, call_id: str, text: str | None) -> str | None:
    """Return the session in the result of `spawn_agent`; None where it has only a name."""
    if not text:
        return None
    is_spawn = reader.state.spawns.pop(call_id, False)
    if not is_spawn:
        return None
    try:
        values = mapping(decode_any(text.encode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None
    child = string(values.get("agent_id"))
    note_child(reader, call_id, child)
    return child


def activity(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read that a sub-agent was started, written to or interrupted."""
    payload = payload_of(reader.line)
    event = reader.event(describe("sub_agent_activity", payload))
    return (event, *_link(reader, payload, string(payload.get("event_id"))))


def activity_item(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    """Read the same as a completed item, whose id is that of the call."""
    links = _link(reader, values, string(values.get("id")))
    if not links:
        reader.skipped(reader.kind, "repeats a call and its result")
    return links


def _link(
    reader: RolloutReader, values: dict[str, Any], call_id: str | None
) -> tuple[ToolCall, ...]:
    child = string(values.get("agent_thread_id"))
    is_start = values.get("kind") == "started"
    if not is_start or call_id is None or child is None:
        return ()
    return (started(reader, current_call_id(reader, call_id), child),)


# -- what they write ---------------------------------------------------------------------------


def agent_message(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read what one agent wrote to another."""
    payload = payload_of(reader.line)
    value = payload.get("content") or payload.get("message")
    content = content_of(value)
    texts = [*content.parts, *_readable(value)] if content.parts else [content.text]
    text = without_envelope("\n\n".join(texts))
    if reader.state.is_subagent:
        reader.state.spoken.note_prompt(text)
    names = [string(payload.get(key)) for key in ("author", "recipient")]
    if any(names):
        text = " to ".join(name for name in names if name) + f": {text}"
    return (reader.message("system", "notification", text, content.attachments),)


def _readable(content: object) -> list[str]:
    """Return the texts in the places for encrypted ones: only some providers encrypt."""
    texts = [string(part.get("encrypted_content")) for part in items(content)]
    return [text for text in texts if text and not _ENCRYPTED.fullmatch(text)]


def without_envelope(text: str) -> str:
    """Return a message of an agent without its head; of one that is encrypted, its type."""
    envelope = _ENVELOPE.match(text)
    if envelope is None:
        return text
    payload = text[envelope.end() :]
    if payload.strip():
        return payload
    return f"{envelope[1].lower().replace('_', ' ')} (encrypted)"
