"""The model's side: the blocks of an assistant line as text, reasoning and tool calls; its usage.

    {"type":"assistant","message":{"id":"msg_1","model":"claude-opus-5",
     "content":[{"type":"text","text":"Done."}],
     "usage":{"input_tokens":12,"output_tokens":321}},"requestId":"req_1",…}

One response is written as several such lines, one for each block, with the same `message.id` and
the same usage on each.
"""

from __future__ import annotations

from agent_journal.connectors.claude_code.records import (
    Block,
    CacheCreation,
    LineContext,
    OutputDetails,
    Record,
    ServerTools,
    Tokens,
)
from agent_journal.connectors.claude_code.results import media, result_content
from agent_journal.connectors.tools import tool_kind
from agent_journal.model import Attachment, MessageKind, ToolCall, ToolStatus, Usage

SYNTHETIC = "<synthetic>"
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_WITHOUT_CONTENT = ("redacted_thinking", "fallback", "container_upload", "tool_reference")
_MCP_PREFIX = "mcp__"
_NO_CACHE_CREATION = CacheCreation()
_NO_OUTPUT_DETAILS = OutputDetails()
_NO_SERVER_TOOLS = ServerTools()


class AnswerBlocks:
    """The blocks of one assistant line, sorted by what they are."""

    def __init__(
        self, content: str | list[Block | str] | None, message_id: str, context: LineContext
    ) -> None:
        self.texts: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[ToolCall] = []
        self.requests: list[Block] = []  # the blocks that ask for a call
        self.attachments: list[Attachment] = []
        self.unknown: list[str] = []
        if isinstance(content, str):
            self.texts.append(content)
            return
        for block in content or ():
            if isinstance(block, str):
                self.texts.append(block)
            else:
                self._add(block, message_id, context)

    def _add(self, block: Block, message_id: str, context: LineContext) -> None:
        kind = block.type
        if kind == "text":
            self.texts.append(block.text or "")
        elif kind == "thinking":
            self.reasoning.append(block.thinking or "")
        elif kind in _CALLS:
            self.calls.append(_requested_call(block, message_id, context))
            self.requests.append(block)
        elif kind in ("image", "document"):
            self.attachments.append(media(kind, block.source, block.title))
        elif kind is not None and kind.endswith("_tool_result") and block.tool_use_id:
            self.calls.append(_completed_call(block, message_id, context))
        elif kind == "search_result":
            self.texts.append(block.title or "")
        elif kind not in _WITHOUT_CONTENT:
            self.unknown.append(str(kind))


def _requested_call(block: Block, message_id: str, context: LineContext) -> ToolCall:
    name = block.name
    server = block.server_name
    if name is not None and name.startswith(_MCP_PREFIX):
        server = name.removeprefix(_MCP_PREFIX).partition("__")[0] or None
    return ToolCall(
        session_id=context.session_id,
        id=block.id or f"call-{context.offset}",
        message_id=message_id,
        name=name,
        kind=tool_kind(name, server),
        server=server,
        arguments=bytes(block.input).decode("utf-8", "replace") or None,
        started_at=context.time,
        offset=context.offset,
        length=context.length,
    )


def _completed_call(block: Block, message_id: str, context: LineContext) -> ToolCall:
    """A call that the model's server ran: its result is a block of the answer."""
    text, attachments = result_content(block.content)
    status: ToolStatus = "ok"
    if block.is_error or (isinstance(block.content, dict) and "error_code" in block.content):
        status = "error"
    return ToolCall(
        session_id=context.session_id,
        id=block.tool_use_id or "",
        message_id=message_id,
        result=text,
        status=status,
        ended_at=context.time,
        attachments=attachments,
        offset=context.offset,
        length=context.length,
    )


def answer_kind(record: Record) -> MessageKind:
    """Whether a line of the model's side is an answer, or a notice or error of the harness."""
    if record.is_api_error_message:
        return "error"
    if record.message.model == SYNTHETIC:
        return "notice"
    return "answer"


def usage_of(record: Record, model: str | None, context: LineContext) -> Usage | None:
    """The tokens of the response a line belongs to.

    Every line of a response has the same key, so it is counted once.
    """
    tokens = record.message.usage
    message_id = record.message.id
    if tokens is None or not message_id or record.message.model == SYNTHETIC:
        return None
    cache = tokens.cache_creation or _NO_CACHE_CREATION
    details = tokens.output_tokens_details or _NO_OUTPUT_DETAILS
    server_tools = tokens.server_tool_use or _NO_SERVER_TOOLS
    cost = None
    if record.cost_usd is not None:
        cost = round(record.cost_usd * 1_000_000)
    return Usage(
        session_id=context.session_id,
        key=f"{message_id}:{record.request_id or ''}",
        model=model,
        message_id=message_id,
        timestamp=context.time,
        input_tokens=tokens.input_tokens,
        cache_read_tokens=tokens.cache_read_input_tokens,
        cache_write_tokens=_cache_writes(tokens),
        cache_write_1h_tokens=cache.ephemeral_1h_input_tokens,
        output_tokens=tokens.output_tokens,
        reasoning_tokens=details.thinking_tokens,
        cost_micro_usd=cost,
        web_searches=server_tools.web_search_requests,
        is_sidechain=context.is_child,
    )


def _cache_writes(tokens: Tokens) -> int | None:
    cache = tokens.cache_creation
    if tokens.cache_creation_input_tokens is not None or cache is None:
        return tokens.cache_creation_input_tokens
    return (cache.ephemeral_5m_input_tokens or 0) + (cache.ephemeral_1h_input_tokens or 0)
