"""The shape of a line of a rollout, and what a reader remembers between lines.

`{"timestamp":ISO,"type":"response_item","payload":{"type":"message","role":"user","content":[…]},"ordinal"?}`
Up to August 2025 a line was the payload itself, and the first one
`{"id":…,"timestamp":…,"instructions":…,"git":…}`.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.values import mapping

MAX_SEEN = 128  # the places of a text lie close together
MAX_PENDING = 32
MAX_CALLS = 256  # ids of calls that are remembered: those that come again do so soon
REASONING, TEXT, CALLS = 1, 2, 4  # the parts of an answer, in the order they come
SHOWN, SENT, COMPLETED = 0, 1, 2  # the places of a text: event_msg, response_item, item_completed


class Item(msgspec.Struct):
    """The fields of the frequent payloads, all of them together, whatever their type; rare ones are
    decoded again.
    """

    type: str | None = None
    id: Any = None
    role: Any = None
    content: Any = None
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    call_id: Any = None
    output: Any = None
    status: Any = None
    action: Any = None
    summary: Any = None
    message: Any = None
    images: Any = None
    local_images: Any = None
    text: Any = None
    info: Any = None
    item: Any = None
    changes: Any = None
    success: Any = None
    turn_id: Any = None
    passthrough: Any = msgspec.field(
        default=None, name="internal_chat_message_metadata_passthrough"
    )
    model: Any = None
    cwd: Any = None
    effort: Any = None
    approval_policy: Any = None
    sandbox_policy: Any = None


class Record(Item):
    """One line: an envelope around a payload, or the payload itself."""

    timestamp: str | None = None
    payload: Item = msgspec.field(default_factory=Item)
    ordinal: Any = None
    record_type: Any = None


class Change(msgspec.Struct, omit_defaults=True):
    """What a patch does to one file."""

    path: str
    kind: str = "edit"
    diff: str | None = None
    added: int | None = None
    removed: int | None = None
    before: str | None = None
    after: str | None = None


class Asked(msgspec.Struct, array_like=True):
    """How often an id was given to a call, how many of these calls have their result, and the
    answer of the last.
    """

    times: int = 0
    answered: int = 0
    answer: str = ""


class Count(msgspec.Struct, omit_defaults=True):
    """A count of tokens: the sum so far, what the response added to it, and where it stands."""

    totals: list[int]
    last: list[int] | None = None
    names: list[str] = []  # of the numbers that were recorded
    answer: str | None = None
    model: str | None = None
    time: str | None = None


class State(msgspec.Struct, omit_defaults=True):
    """What the reader of a rollout remembers between lines."""

    records: int = 0
    started: str | None = None
    ended: str | None = None  # the latest time of a line
    last: float | None = None  # the time of the line before
    meta_id: str | None = None
    version: str | None = None
    host: str | None = None
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    title: str | None = None
    name: str | None = None
    model: str | None = None
    models: list[str] = []
    settings: str | None = None
    # where it comes from
    parent: str | None = None
    fork_of: str | None = None
    agent_name: str | None = None
    is_subagent: bool = False
    is_fork: bool = False
    lineage: int = 0  # whose lines these are: lineage.OWN, PERHAPS, INHERITED, LIKELY
    copied_from: int = 0  # where the copy of the parent's file begins
    born: float | None = None
    turn: float | None = None  # when a turn began that will tell whether it was lived
    has_turns: bool = False
    history_start: int | None = None
    first: str | None = None  # a hash of the first line after the head
    is_resumed: bool = False
    repeated_until: float | None = None
    # the conversation
    prompt: str | None = None
    answer: str | None = None  # the id of the answer that is being written
    parts: int = 0  # what it has so far
    last_answer: str | None = None
    seen: dict[str, list[int]] = {}  # texts by hash: how often each place told them
    calls: dict[str, Asked] = {}
    patches: dict[str, list[Change]] = {}
    patched: dict[str, bool] = {}
    spawns: dict[str, bool] = {}
    statuses: dict[str, str] = {}  # of calls whose result is still to come
    # tokens
    totals: list[int] | None = None
    told: dict[str, bool] = {}  # the last counts of this sum
    lower: Count | None = None  # a count below the one before it, until the next tells what it was
    counted: int = 0


def payload_of(line: bytes) -> dict[str, Any]:
    """The whole payload of a line, for the rare ones."""
    return mapping(mapping(decode_any(line)).get("payload"))


def mark_of(text: str | bytes) -> str:
    """A short hash of a line, or of a text whatever its white space."""
    data = text if isinstance(text, bytes) else "".join(text.split()).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:16]


def json_text(value: object) -> str | None:
    """A value as JSON text; a string that is JSON already stays as it is."""
    if value is None:
        return None
    return (
        value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8", "replace")
    )
