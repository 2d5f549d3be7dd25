"""The turns of a session: a prompt and everything up to the next prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from agent_journal.model import Message

_PEOPLE = ("prompt", "command", "shell")


class Turn:
    """A prompt (None when the agent begins) and what follows it."""

    def __init__(self, prompt: Message | None, replies: Iterable[Message] = ()) -> None:
        self.prompt = prompt
        self.replies = list(replies)

    @property
    def messages(self) -> list[Message]:
        """All of it."""
        if self.prompt is None:
            return self.replies
        return [self.prompt, *self.replies]

    @property
    def is_undone(self) -> bool:
        """Whether the person went back behind this turn."""
        messages = [self.prompt] if self.prompt else self.replies
        return bool(messages) and all(
            message.is_branch or message.state == "hidden" for message in messages
        )

    @property
    def times(self) -> list[datetime]:
        """All moments in it that are known."""
        found = [message.timestamp for message in self.messages]
        for message in self.messages:
            for call in message.tool_calls:
                found += (call.started_at, call.ended_at)
        return [time for time in found if time is not None]


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns in order; text of the harness before a prompt belongs to the answer to it."""
    is_prompt = _prompts(messages)
    turns: list[Turn] = []
    early: list[Message] = []
    for message in messages:
        if message.kind == "system_prompt":
            continue
        if message.id in is_prompt:
            turns.append(Turn(message, early))
            early = []
        elif turns:
            turns[-1].replies.append(message)
        elif message.role == "assistant":
            turns.append(Turn(None, [*early, message]))
            early = []
        else:
            early.append(message)
    if early:
        turns.append(Turn(None, early))
    return turns


def _prompts(messages: Sequence[Message]) -> set[str]:
    """The messages that begin a turn; in a sub-agent nobody types, so its first message does."""
    typed = {
        message.id for message in messages if message.kind in _PEOPLE and message.role == "user"
    }
    of_users = [message.id for message in messages if message.role == "user"]
    return typed or set(of_users[:1])
