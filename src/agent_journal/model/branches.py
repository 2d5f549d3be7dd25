"""Which messages of a session are the conversation as it stands, and which were left behind by a
rewind or an edit.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec.structs import replace

from agent_journal.model.structs import Message

_BY_PEOPLE = ("prompt", "command", "shell")


def mark_branches(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with `is_branch` set on those that a rewound prompt left off the path from the
    newest to the start.

    Agents that write no parents have no branches. A path that ends early (compaction starts a new
    root, a parent is missing, or parents form a circle) goes on with the message before it in file
    order: when in doubt, show.
    """
    spoken = [i for i, message in enumerate(messages) if message.role in ("user", "assistant")]
    if not any(messages[i].parent_id for i in spoken):
        return tuple(messages)
    parents = _parents(messages)
    path: set[int] = set()
    at: int | None = spoken[-1]
    while at is not None:
        path.add(at)
        parent = parents[at]
        at = parent if parent is not None else _previous(spoken, at)
    left: list[bool] = []
    for index, message in enumerate(messages):
        parent = parents[index]
        # Only a prompt begins a branch; answers side by side on one prompt (other tools write them
        # so) do not.
        is_rewound = (
            index not in path
            and parent is not None
            and (message.kind in _BY_PEOPLE or left[parent])
        )
        left.append(is_rewound)
    return tuple(
        replace(m, is_branch=True) if is_left else m
        for m, is_left in zip(messages, left, strict=True)
    )


def _parents(messages: Sequence[Message]) -> list[int | None]:
    """The place of each message's parent; none for one that comes later in the file, which would be
    a circle.
    """
    owner: dict[str, int] = {}
    for index, message in enumerate(messages):
        for record in (
            *message.record_ids,
            *(r for call in message.tool_calls for r in call.record_ids),
        ):
            owner.setdefault(record, index)
    found = (owner.get(message.parent_id or "") for message in messages)
    return [
        parent if parent is not None and parent < index else None
        for index, parent in enumerate(found)
    ]


def _previous(spoken: list[int], at: int) -> int | None:
    """The message before a root in file order; none before the first."""
    place = bisect_left(spoken, at)
    return spoken[place - 1] if place > 0 else None
