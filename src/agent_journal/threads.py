"""Which messages of a session are the conversation as it stands, and which were left behind by a rewind or an edit."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from agent_journal.model import Message


def mark_branches(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with `is_branch` set on those that are off the path from the newest one back to the start.

    Agents that write no parents have no branches. A path that ends early (compaction starts a new root, a parent is
    missing, or parents form a circle) goes on with the message before it in file order: when in doubt, show.
    """
    spoken = [i for i, message in enumerate(messages) if message.role in ("user", "assistant")]
    if not any(messages[i].parent_id for i in spoken):
        return tuple(messages)
    owner: dict[str, int] = {}
    for index, message in enumerate(messages):
        for record in (*message.record_ids, *(r for call in message.tool_calls for r in call.record_ids)):
            owner.setdefault(record, index)
    path: set[int] = set()
    at: int | None = spoken[-1]
    while at is not None:
        path.add(at)
        parent = owner.get(messages[at].parent_id or "")
        # A parent later in the file, or one already on the path, is a circle.
        at = parent if parent is not None and parent < at else _previous(spoken, at, messages)
    return tuple(
        replace(message, is_branch=True)
        if index not in path and message.role in ("user", "assistant") and message.parent_id
        else message
        for index, message in enumerate(messages)
    )


def _previous(spoken: list[int], at: int, messages: Sequence[Message]) -> int | None:
    """The message before a root in file order; none before the first."""
    from bisect import bisect_left

    place = bisect_left(spoken, at)
    return spoken[place - 1] if place > 0 else None
