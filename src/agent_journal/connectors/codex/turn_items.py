"""`item_completed`: how newer versions record what the person saw, one record for each item.

`{"type":"item_completed","item":{"type":"AgentMessage","id":"i1","content":[{"type":"Text",…}]}}`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex import agents, call_events, conversation
from agent_journal.connectors.codex.calls import current_call_id, tool_call
from agent_journal.connectors.codex.contents import content_of
from agent_journal.connectors.codex.records import COMPLETED, Item, Record, json_text
from agent_journal.connectors.values import mapping, string, strings, title_of
from agent_journal.model import Piece, Plan, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

# Reads an item; the last argument is its id
ReadItem = Callable[["RolloutReader", dict[str, Any], str], Iterable[Piece]]


def item_completed(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a completed item, by its type."""
    values = mapping(item.item)
    kind = string(values.get("type")) or ""
    reader.kind = f"event_msg item_completed {kind}".rstrip()[:80]
    reader.mapped(reader.kind)
    if kind in _SKIPPED:
        reader.skipped(reader.kind, _SKIPPED[kind])
        return ()
    if kind not in _READERS:
        return (reader.unknown_event(),)
    item_id = string(values.get("id"))
    if item_id is None:
        item_id = reader.record_id
    else:
        item_id = current_call_id(reader, item_id)
    return _READERS[kind](reader, values, item_id)


def _user(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return conversation.user_text(reader, content_of(values.get("content")), COMPLETED, item_id)


def _agent(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return conversation.model_text(reader, content_of(values.get("content")), COMPLETED, item_id)


def _reasoning(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    texts = strings(values.get("summary_text")) + strings(values.get("raw_content"))
    texts = [text for text in texts if text]
    return conversation.reasoning_texts(reader, texts, COMPLETED, item_id)


def _plan(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    text = string(values.get("text"))
    if text is None:
        reader.skipped(reader.kind, "empty")
        return ()
    name = title_of(text.lstrip("# \n").partition("\n")[0]) or "plan"
    return (Plan(text=text, name=name, session_id=reader.id, created_at=reader.timestamp),)


def _command(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return call_events.command_ended(reader, values, item_id, path=("payload", "item"))


def _file_change(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    is_applied = values.get("status") == "completed"
    return call_events.patch_ended(reader, values, item_id, is_applied=is_applied)


def _web_search(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return _search(reader, values, item_id, "web_search")


def _extension(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return _search(reader, values, item_id, string(values.get("kind")) or "extension")


def _search(
    reader: RolloutReader, values: dict[str, Any], item_id: str, name: str
) -> Iterable[Piece]:
    call = tool_call(
        reader,
        item_id,
        name,
        arguments=call_events.search_arguments(reader, values, COMPLETED),
        result=json_text(values.get("results") or None),
        status="ok",
        ended_at=reader.timestamp,
    )
    return (call,)


def _dynamic_tool(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    content = content_of(values.get("content_items"))
    status: ToolStatus = "error" if values.get("success") is False else "ok"
    call = tool_call(
        reader,
        item_id,
        string(values.get("tool")),
        namespace=values.get("namespace"),
        arguments=json_text(values.get("arguments")),
        result=content.text or string(values.get("error")),
        status=status,
        attachments=content.attachments,
        ended_at=reader.timestamp,
    )
    return (call,)


def _agent_tool(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    name = string(values.get("tool"))
    receivers = strings(values.get("receiver_thread_ids"))
    child: str | None = None
    if name in ("spawnAgent", "spawn_agent"):
        name = "spawn_agent"
        child = next(iter(receivers), None)
        agents.note_child(reader, item_id, child)
    call = tool_call(
        reader,
        item_id,
        name,
        arguments=json_text({"message": values.get("prompt"), "agents": receivers}),
        child_session_id=child,
        ended_at=reader.timestamp,
    )
    return (call,)


_READERS: dict[str, ReadItem] = {
    "AgentMessage": _agent,
    "CollabAgentToolCall": _agent_tool,
    "CommandExecution": _command,
    "DynamicToolCall": _dynamic_tool,
    "Extension": _extension,
    "FileChange": _file_change,
    "ImageGeneration": call_events.image_ended,
    "McpToolCall": call_events.mcp_call,
    "Plan": _plan,
    "Reasoning": _reasoning,
    "SubAgentActivity": agents.activity_item,
    "UserMessage": _user,
    "WebSearch": _web_search,
}
_SKIPPED = {
    "ContextCompaction": "repeats the compacted record",
    "HookPrompt": "repeats a response item",
    "ImageView": "repeats a call and its result",
    "Sleep": "a pause without content",
}
