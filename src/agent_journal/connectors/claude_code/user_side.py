"""The user's side: the messages and results of `user` lines, of queued prompts and of commands.

    {"type":"user","message":{"role":"user","content":[
     {"type":"tool_result","tool_use_id":"toolu_1","content":"a.py"}]},…}

prompts.py says what a text is, outcomes.py what a result made; this module makes the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec import Raw

from agent_journal.connectors.claude_code import harness
from agent_journal.connectors.claude_code.chain import Chain
from agent_journal.connectors.claude_code.outcomes import ToolResult, prompt_mark, result_pieces
from agent_journal.connectors.claude_code.prompts import (
    INTERRUPTED,
    UserBlocks,
    UserText,
    marked_text,
    queued_text,
    user_text,
)
from agent_journal.connectors.claude_code.queue import Queue
from agent_journal.connectors.claude_code.records import LineContext, Record
from agent_journal.connectors.claude_code.results import quotable_text
from agent_journal.connectors.claude_code.state import SessionFacts, TranscriptState
from agent_journal.connectors.claude_code.threads import Threads
from agent_journal.model import Message, MessageState, Piece, Quote, Role, ToolCall


class UserLine(NamedTuple):
    """The pieces of a `user` line, and the types of its blocks that are not known."""

    pieces: list[Piece]
    unknown: list[str]


class UserSide:
    """Makes the pieces of the user's side; `quote` is that of the reader."""

    def __init__(
        self,
        state: TranscriptState,
        chain: Chain,
        threads: Threads,
        quote: Callable[..., Quote | None],
    ) -> None:
        self._state = state
        self._chain = chain
        self._threads = threads
        self._quote = quote
        self.queue = Queue(state)

    def line(self, record: Record, context: LineContext, facts: SessionFacts) -> UserLine:
        """A `user` line: results of tools, and a text."""
        blocks = UserBlocks(record.message.content)
        pieces = self._results(blocks, record, context)
        if any(blocks.texts) or blocks.attachments:
            content = user_text(blocks.texts, record, is_child=context.is_child)
            if blocks.attachments:
                content = content._replace(attachments=(*content.attachments, *blocks.attachments))
            pieces += self._prompt(content, record, context, facts)
        return UserLine(pieces, blocks.unknown)

    def queued_command(
        self, record: Record, context: LineContext, facts: SessionFacts
    ) -> list[Piece]:
        """A prompt that was given while the agent worked, as the model was shown it."""
        content = queued_text(record.attachment, is_child=context.is_child)
        return [*self._prompt(content, record, context, facts)]

    def task(self, text: str, context: LineContext, facts: SessionFacts) -> Iterable[Piece]:
        """What a sub-agent was asked, where no line of its own says so."""
        content = UserText("injected", text)
        return self._prompt(content, Record(), context._replace(record_ids=()), facts)

    def hook_context(self, record: Record, context: LineContext) -> Message:
        """What a hook gave to the model."""
        content = UserText("hook", harness.content_text(record.attachment))
        return self._message(content, "user", record, context)

    def instructions(self, text: str, record: Record, context: LineContext) -> Message:
        """Instructions to the model, which nobody is shown."""
        content = UserText("system_prompt", text)
        # No line follows this one: it is bridged
        return self._message(content, "system", record, context._replace(record_ids=()))

    def local_command(
        self, record: Record, context: LineContext, facts: SessionFacts
    ) -> Iterable[Piece]:
        """A slash command or its output, as a `system` line has them."""
        text = harness.plain(record.content)
        content = marked_text(text) or UserText("command_output", text)
        role: Role = "system"
        if content.kind == "command":
            role = "user"
            facts.note_text(content.kind, content.text)
            yield from self.queue.arrived(content.text, context)
        yield self._message(content, role, record, context)

    def _results(self, blocks: UserBlocks, record: Record, context: LineContext) -> list[Piece]:
        pieces: list[Piece] = []
        details = Raw()
        if len(blocks.results) == 1:
            details = record.tool_use_result
        is_interrupted = any(text.startswith(INTERRUPTED) for text in blocks.texts)
        for index, block in blocks.results:
            call_id = block.tool_use_id or record.source_tool_use_id or f"result-{context.offset}"
            call = self._state.calls.pop(call_id, None)
            text, path = quotable_text(block.content, index)
            where = (context.offset, context.length)
            text_at = self._quote(text, where, *context.path, *path)
            denial = record.tool_denial_kind
            if is_interrupted and not block.content:
                denial = "interrupted"
            result = ToolResult(block, call_id, details, denial, text_at)
            pieces += result_pieces(result, call, context, self._threads.owner)
        return pieces

    def _prompt(
        self, content: UserText, record: Record, context: LineContext, facts: SessionFacts
    ) -> Iterable[Piece]:
        is_blank = not content.text.strip() and not content.attachments
        if is_blank and content.kind in ("prompt", "injected"):
            return
        facts.note_text(content.kind, content.text, is_child=context.is_child)
        if self._state.queue:
            yield from self.queue.arrived(content.text, context)
        yield self._message(content, "user", record, context)
        is_sidechain_start = facts is not self._state.main and record.parent_uuid is None
        if is_sidechain_start and facts.parent_call is None:
            call_id = self._state.tasks.pop(prompt_mark(content.text), None)
            if call_id is not None:
                facts.parent_call = call_id
                main_id = self._state.main.id
                yield ToolCall(session_id=main_id, id=call_id, child_session_id=facts.id)

    def _message(
        self, content: UserText, role: Role, record: Record, context: LineContext
    ) -> Message:
        state: MessageState | None = None
        if self._threads.is_internal:
            state = "hidden"
        return Message(
            session_id=context.session_id,
            id=record.uuid or f"line-{context.offset}",
            role=role,
            kind=content.kind,
            text=content.text,
            timestamp=context.time,
            parent_id=self._chain.parent(record.parent_uuid),
            record_ids=context.record_ids,
            attachments=content.attachments,
            state=state,
            offset=context.offset,
            length=context.length,
        )
