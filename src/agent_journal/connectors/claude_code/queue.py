"""Prompts that are typed while the agent works: they wait in a queue.

    {"type":"queue-operation","operation":"enqueue","content":"and the tests","timestamp":"…Z",…}
    {"type":"queue-operation","operation":"remove","content":"and the tests",…}

`remove` and `dequeue` mean that the agent took a prompt (`dequeue` does not say which), `popAll`
that the person took it back to edit. Most prompts come again, as a `user` line or as a
`queued_command`: that one counts, and the message that was made here is withdrawn. Some never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_journal.connectors.claude_code.prompts import UserText, enqueued_text
from agent_journal.connectors.claude_code.records import LineContext, Record
from agent_journal.connectors.claude_code.state import QueuedPrompt, SessionFacts, TranscriptState
from agent_journal.model import Message, Piece, Withdrawal

_MAX_QUEUED = 100
_MAX_LENGTH = 10_000  # longer texts are compared by their beginning


class Queue:
    """The prompts that were queued and have not come again."""

    def __init__(self, state: TranscriptState) -> None:
        self._state = state

    def operation(
        self, record: Record, context: LineContext, facts: SessionFacts
    ) -> Iterable[Piece]:
        """What a `queue-operation` line adds: a message for a prompt that is queued."""
        content = enqueued_text(record.content, is_child=context.is_child)
        if record.operation != "enqueue":
            self._take_out(record.operation, _compared(content.text))
            return ()
        if not content.text and not content.attachments:
            return ()
        return [*self._replaced(content.text, context), self._add(content, context, facts)]

    def arrived(self, text: str, context: LineContext) -> Iterator[Piece]:
        """Withdraw the message of a prompt that comes again with this text."""
        compared = _compared(text)
        for prompt in self._state.queue:
            if prompt.text == compared:
                yield self._withdrawal(prompt, context)
                return
        yield from self._replaced(text, context)

    def answered(self) -> None:
        """Stop waiting for what the agent took before it began this answer.

        A prompt comes again before the answer to it, or never; the next one with the same text
        is another prompt.
        """
        self._state.queue = [prompt for prompt in self._state.queue if not prompt.is_taken]

    def _add(self, content: UserText, context: LineContext, facts: SessionFacts) -> Message:
        facts.note_queued(content.kind, content.text, context.time)
        message_id = f"line-{context.offset}"
        waiting = [*self._state.queue, QueuedPrompt(message_id, _compared(content.text))]
        self._state.queue = waiting[-_MAX_QUEUED:]
        return Message(
            session_id=context.session_id,
            id=message_id,
            role="user",
            kind=content.kind,
            text=content.text,
            timestamp=context.time,
            attachments=content.attachments,
            offset=context.offset,
            length=context.length,
        )

    def _take_out(self, operation: str | None, text: str) -> None:
        if operation == "popAll" and not text:
            for prompt in self._state.queue:
                prompt.is_popped = True
            return
        for prompt in self._state.queue:
            if prompt.text == text and not prompt.is_popped and not prompt.is_taken:
                prompt.is_popped = operation == "popAll"
                prompt.is_taken = operation == "remove"
                return

    def _replaced(self, text: str, context: LineContext) -> Iterator[Piece]:
        """Withdraw what was taken back to edit and is part of this text: they come as one."""
        words = f" {_compared(text)} "
        for prompt in [prompt for prompt in self._state.queue if prompt.is_popped]:
            if f" {prompt.text} " in words:
                yield self._withdrawal(prompt, context)

    def _withdrawal(self, prompt: QueuedPrompt, context: LineContext) -> Withdrawal:
        self._state.queue = [other for other in self._state.queue if other is not prompt]
        return Withdrawal(session_id=context.session_id, message_id=prompt.message_id)


def _compared(text: str) -> str:
    """A text as it is compared: commands come again with other spaces between their words."""
    return " ".join(text[:_MAX_LENGTH].split())
