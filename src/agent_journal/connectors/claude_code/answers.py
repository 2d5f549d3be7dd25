"""What the model said: the blocks of an assistant line as text, reasoning and tool calls, and its usage.

    {"type":"assistant","message":{"id":"msg_1","model":"claude-opus-5","content":[{"type":"text","text":"Done."}],
     "usage":{"input_tokens":12,"output_tokens":321}},"requestId":"req_1",…}

One response is written as several such lines, a block each, with the same `message.id` and repeated usage.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from agent_journal.connectors.claude_code.records import Block, Record, Tokens
from agent_journal.connectors.claude_code.results import media, result_content
from agent_journal.connectors.tools import tool_kind
from agent_journal.model import Attachment, ToolCall, Usage

SYNTHETIC = "<synthetic>"
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_NOTHING = ("redacted_thinking", "fallback", "container_upload", "tool_reference")


class Where(NamedTuple):
    """Where a record is: the session it belongs to, its time and its place in the file."""

    session_id: str
    time: datetime | None
    offset: int
    length: int
    record_ids: tuple[str, ...]
    is_child: bool


class Answer:
    """The blocks of one assistant line."""

    def __init__(
        self, content: str | list[Block | str] | None, message_id: str, where: Where
    ) -> None:
        self.texts: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[ToolCall] = []
        self.opened: list[Block] = []
        self.attachments: list[Attachment] = []
        self.unknown: list[str] = []
        for block in [content] if isinstance(content, str) else content or ():
            if isinstance(block, str):
                self.texts.append(block)
            else:
                self._add(block, message_id, where)

    def _add(self, block: Block, message_id: str, where: Where) -> None:
        kind = block.type
        if kind == "text":
            self.texts.append(block.text or "")
        elif kind == "thinking":
            self.reasoning.append(block.thinking or "")
        elif kind in _CALLS:
            self.calls.append(_call(block, message_id, where))
            self.opened.append(block)
        elif kind in ("image", "document"):
            self.attachments.append(media(kind, block.source, block.title))
        elif kind is not None and kind.endswith("_tool_result") and block.tool_use_id:
            self.calls.append(_server_result(block, message_id, where))
        elif kind == "search_result":
            self.texts.append(block.title or "")
        elif kind not in _NOTHING:
            self.unknown.append(str(kind))


def _call(block: Block, message_id: str, where: Where) -> ToolCall:
    name, server = block.name, block.server_name
    if name is not None and name.startswith("mcp__"):
        server = name[5:].partition("__")[0] or None
    arguments = bytes(block.input)
    return ToolCall(
        session_id=where.session_id,
        id=block.id or f"call-{where.offset}",
        message_id=message_id,
        name=name,
        kind=tool_kind(name, server),
        server=server,
        arguments=arguments.decode("utf-8", "replace") if arguments else None,
        started_at=where.time,
        offset=where.offset,
        length=where.length,
    )


def _server_result(block: Block, message_id: str, where: Where) -> ToolCall:
    text, attachments = result_content(block.content)
    failed = block.is_error or (isinstance(block.content, dict) and "error_code" in block.content)
    return ToolCall(
        session_id=where.session_id,
        id=block.tool_use_id or "",
        message_id=message_id,
        result=text,
        status="error" if failed else "ok",
        ended_at=where.time,
        attachments=attachments,
        offset=where.offset,
        length=where.length,
    )


def usage_of(record: Record, model: str | None, where: Where) -> Usage | None:
    """The tokens of the response a line belongs to; the same key on every line of it, so it is
    counted once.
    """
    tokens, message_id = record.message.usage, record.message.id
    if tokens is None or not message_id or record.message.model == SYNTHETIC:
        return None
    cache = tokens.cache_creation
    details = tokens.output_tokens_details
    return Usage(
        session_id=where.session_id,
        key=f"{message_id}:{record.request_id or ''}",
        model=model,
        message_id=message_id,
        timestamp=where.time,
        input_tokens=tokens.input_tokens,
        cache_read_tokens=tokens.cache_read_input_tokens,
        cache_write_tokens=_cache_writes(tokens),
        cache_write_1h_tokens=None if cache is None else cache.ephemeral_1h_input_tokens,
        output_tokens=tokens.output_tokens,
        reasoning_tokens=None if details is None else details.thinking_tokens,
        cost_micro_usd=None if record.cost_usd is None else round(record.cost_usd * 1_000_000),
        is_sidechain=where.is_child,
    )


def _cache_writes(tokens: Tokens) -> int | None:
    if tokens.cache_creation_input_tokens is not None or tokens.cache_creation is None:
        return tokens.cache_creation_input_tokens
    cache = tokens.cache_creation
    return (cache.ephemeral_5m_input_tokens or 0) + (cache.ephemeral_1h_input_tokens or 0)
