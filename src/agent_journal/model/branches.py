"""Which messages of a session a rewind or an edit left behind."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec.structs import replace

from agent_journal.model.structs import Message

_BY_PEOPLE = ("prompt", "command", "shell")


def mark_branches(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Set `is_branch` on the messages that a rewound prompt left off the current conversation.

    Agents that write no parents have no branches.
    """
    indices = [i for i, message in enumerate(messages) if message.role in ("user", "assistant")]
    if not any(messages[i].parent_id for i in indices):
        return tuple(messages)
    parents = _parents(messages)
    current = _path_to_start(indices, parents)
    results = _records_of_results(messages)
    is_left: list[bool] = []
    marked: list[Message] = []
    for index, message in enumerate(messages):
        is_branch = False
        parent = parents[index]
        if index not in current and parent is not None:
            # Only a prompt begins a branch; answers side by side on one prompt (other tools write
            # them so) do not, nor what a person typed while a tool ran, beside its result.
            is_beside_result = not results.isdisjoint(message.record_ids)
            begins = message.kind in _BY_PEOPLE and not is_beside_result
            is_branch = begins or is_left[parent]
        is_left.append(is_branch)
        marked.append(replace(message, is_branch=True) if is_branch else message)
    return tuple(marked)


def _records_of_results(messages: Sequence[Message]) -> set[str]:
    return {
        record_id
        for message in messages
        for call in message.tool_calls
        for record_id in call.record_ids
    }


def _path_to_start(indices: list[int], parents: list[int | None]) -> set[int]:
    """Return the places of the messages from the newest back to the start.

    A path that ends early (compaction starts a new root, a parent is missing, or parents form a
    circle) continues with the message before it in file order: when in doubt, show.
    """
    path: set[int] = set()
    at: int | None = indices[-1]
    while at is not None:
        path.add(at)
        parent = parents[at]
        at = _previous(indices, at) if parent is None else parent
    return path


def _parents(messages: Sequence[Message]) -> list[int | None]:
    """Return the place of each message's parent; a parent later in the file would be a circle."""
    owners: dict[str, int] = {}
    for index, message in enumerate(messages):
        for record_id in message.record_ids:
            owners.setdefault(record_id, index)
    # A record with a result and a text beside it is the text's.
    for index, message in enumerate(messages):
        for call in message.tool_calls:
            for record_id in call.record_ids:
                owners.setdefault(record_id, index)
    parents: list[int | None] = []
    for index, message in enumerate(messages):
        parent = owners.get(message.parent_id or "")
        if parent is not None and parent >= index:
            parent = None
        parents.append(parent)
    return parents


def _previous(indices: list[int], at: int) -> int | None:
    """Return the message before a root in file order; None before the first."""
    place = bisect_left(indices, at)
    if place == 0:
        return None
    return indices[place - 1]
