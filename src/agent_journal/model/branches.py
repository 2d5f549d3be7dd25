"""Which messages of a session a rewind or an edit left behind."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from agent_journal.model.structs import Message

_BY_PEOPLE = ("prompt", "command", "shell")


class Link(NamedTuple):
    """What a message says about its place in the conversation."""

    role: str
    kind: str
    parent_id: str | None
    record_ids: Sequence[str]
    result_ids: Sequence[str]  # of the records of its tool calls


def mark_branches(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Set `is_branch` on the messages that a rewound prompt left off the current conversation.

    Agents that write no parents have no branches.
    """
    left = find_branches([_link(message) for message in messages])
    if not left:
        return tuple(messages)
    return tuple(
        replace(message, is_branch=True) if index in left else message
        for index, message in enumerate(messages)
    )


def find_branches(links: Sequence[Link]) -> set[int]:
    """The places of the messages that a rewound prompt left off the current conversation."""
    indices = [i for i, link in enumerate(links) if link.role in ("user", "assistant")]
    if not any(links[i].parent_id for i in indices):
        return set()
    parents = _parents(links)
    current = _path_to_start(indices, parents)
    results = {record_id for link in links for record_id in link.result_ids}
    left: set[int] = set()
    for index, (link, parent) in enumerate(zip(links, parents, strict=True)):
        if index in current or parent is None:
            continue
        # Only a prompt begins a branch; answers side by side on one prompt (other tools write
        # them so) do not, nor what a person typed while a tool ran, beside its result.
        is_beside_result = not results.isdisjoint(link.record_ids)
        begins = link.kind in _BY_PEOPLE and not is_beside_result
        if begins or parent in left:
            left.add(index)
    return left


def _link(message: Message) -> Link:
    results = [record_id for call in message.tool_calls for record_id in call.record_ids]
    return Link(message.role, message.kind, message.parent_id, message.record_ids, results)


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


def _parents(links: Sequence[Link]) -> list[int | None]:
    """Return the place of each message's parent; a parent later in the file would be a circle."""
    owners: dict[str, int] = {}
    for index, link in enumerate(links):
        for record_id in link.record_ids:
            owners.setdefault(record_id, index)
    # A record with a result and a text beside it is the text's.
    for index, link in enumerate(links):
        for record_id in link.result_ids:
            owners.setdefault(record_id, index)
    parents: list[int | None] = []
    for index, link in enumerate(links):
        parent = owners.get(link.parent_id or "")
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
