"""`item_completed`: how newer versions record what the person saw, one record for each finished
thing.

`{"type":"item_completed","item":{"type":"AgentMessage","id":"i1","content":[{"type":"Text","text":"Done."}]}}`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex import conversation, outcomes
from agent_journal.connectors.codex.calls import call, known_id
from agent_journal.connectors.codex.contents import content_of
from agent_journal.connectors.codex.records import COMPLETED, Item, Record, json_text
from agent_journal.connectors.values import mapping, string, strings, title_of
from agent_journal.model import Piece, Plan

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

Handler = Callable[["RolloutReader", dict[str, Any], str], Iterable[Piece]]


def completed(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A finished thing, by its type."""
    values = mapping(item.item)
    kind = string(values.get("type")) or ""
    reader.kind = f"event_msg item_completed {kind}".rstrip()[:80]
    reader.mapped(reader.kind)
    handler = _HANDLERS.get(kind)
    if handler is not None:
        item_id = string(values.get("id"))
        return handler(
            reader, values, reader.place if item_id is None else known_id(reader, item_id)
        )
    if kind in _SKIPPED:
        reader.skipped(reader.kind, _SKIPPED[kind])
        return ()
    reader.unknown(reader.kind)
    return (reader.event("", reader.line.rstrip(b"\r").decode("utf-8", "replace")),)


def _user(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return conversation.asked(reader, content_of(values.get("content")), COMPLETED, item_id)


def _agent(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return conversation.said(reader, content_of(values.get("content")), COMPLETED, item_id)


def _reasoning(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    texts = strings(values.get("summary_text")) + strings(values.get("raw_content"))
    return conversation.thought(reader, [text for text in texts if text], COMPLETED, item_id)


def _plan(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    text = string(values.get("text"))
    if text is None:
        reader.skipped(reader.kind, "empty")
        return ()
    name = title_of(text.lstrip("# \n").partition("\n")[0]) or "plan"
    return (Plan(text=text, name=name, session_id=reader.id, created_at=reader.when),)


def _command(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return outcomes.command_ended(reader, values, item_id, "payload", "item")


def _changed(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return outcomes.patch_ended(reader, values, item_id, values.get("status") == "completed")


def _mcp(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return outcomes.mcp_call(reader, values, item_id)


def _web(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    action = values.get("action")
    reader.is_new("w", json_text(action) or "", COMPLETED)
    arguments = json_text(action if action else {"query": values.get("query")})
    name = (
        "web_search"
        if values.get("type") == "WebSearch"
        else string(values.get("kind")) or "extension"
    )
    found = values.get("results")
    result = json_text(found) if found else None
    return (
        call(
            reader,
            item_id,
            name,
            arguments=arguments,
            result=result,
            status="ok",
            ended_at=reader.when,
        ),
    )


def _picture(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    return outcomes.drawn_picture(reader, values, item_id)


def _dynamic(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    found = content_of(values.get("content_items"))
    return (
        call(
            reader,
            item_id,
            string(values.get("tool")),
            namespace=values.get("namespace"),
            arguments=json_text(values.get("arguments")),
            result=found.text or string(values.get("error")),
            status="error" if values.get("success") is False else "ok",
            attachments=found.attachments,
            ended_at=reader.when,
        ),
    )


def _agents(reader: RolloutReader, values: dict[str, Any], item_id: str) -> Iterable[Piece]:
    receivers = strings(values.get("receiver_thread_ids"))
    is_spawn = values.get("tool") in ("spawnAgent", "spawn_agent")
    return (
        call(
            reader,
            item_id,
            "spawn_agent" if is_spawn else string(values.get("tool")),
            arguments=json_text({"message": values.get("prompt"), "agents": receivers}),
            child_session_id=receivers[0] if is_spawn and receivers else None,
            ended_at=reader.when,
        ),
    )


_HANDLERS: dict[str, Handler] = {
    "AgentMessage": _agent,
    "CollabAgentToolCall": _agents,
    "CommandExecution": _command,
    "DynamicToolCall": _dynamic,
    "Extension": _web,
    "FileChange": _changed,
    "ImageGeneration": _picture,
    "McpToolCall": _mcp,
    "Plan": _plan,
    "Reasoning": _reasoning,
    "UserMessage": _user,
    "WebSearch": _web,
}
_SKIPPED = {
    "ContextCompaction": "the compacted record tells it",
    "HookPrompt": "told as a response item",
    "ImageView": "the call and its result tell it",
    "Sleep": "a pause without content",
    "SubAgentActivity": "the call and its result tell it",
}
