"""The shape of a line of a rollout, and what a reader remembers between lines.

`{"timestamp":ISO,"type":"response_item","payload":{"type":"message",…},"ordinal"?}`
Up to August 2025 a line was the payload itself, and the first line was
`{"id":…,"timestamp":…,"instructions":…,"git":…}`.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import mapping

MAX_SEEN = 128  # texts: the records that repeat a text are close together
MAX_PENDING = 32  # calls without a result
MAX_CALLS = 256  # call ids: a model that uses an id again does so soon
MAX_TURNS = 50  # turns that can be taken back
MAX_TURN_MESSAGES = 500

# The parts of an answer in their order; flags of RolloutState.parts
REASONING = 1
TEXT = 2
CALLS = 4

# The sources of a text; indexes into the counts of RolloutState.seen
SHOWN = 0  # event_msg
SENT = 1  # response_item
COMPLETED = 2  # item_completed


class Item(msgspec.Struct):
    """The fields of all frequent payloads; `payload_of` decodes the rare ones."""

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


class IdUse(msgspec.Struct, array_like=True):
    """How often the model gave the same id to a call.

    `answered` counts the calls that have a result; `answer` is the message of the last call.
    """

    requested: int = 0
    answered: int = 0
    answer: str = ""


class TokenCount(msgspec.Struct, omit_defaults=True):
    """A token count: the sum so far, what the response added, and where it was recorded."""

    totals: list[int]
    last: list[int] | None = None
    names: list[str] = []  # of the numbers that were recorded
    message_id: str | None = msgspec.field(default=None, name="answer")
    model: str | None = None
    time: str | None = None


class RolloutState(msgspec.Struct, omit_defaults=True):
    """What the reader of a rollout remembers between lines.

    Saved with the journal: a field that is renamed keeps its old name on the wire.
    """

    records: int = 0
    nuls_until: int | None = None  # the end of the last line that has NULs
    started: str | None = None
    ended: str | None = None  # the latest time of a line
    last_time: float | None = msgspec.field(default=None, name="last")  # of the previous line
    meta_id: str | None = None
    version: str | None = None
    host: str | None = None
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    name: str | None = None
    model: str | None = None
    models: list[str] = []
    settings: str | None = None
    # Where the session comes from
    parent: str | None = None
    fork_of: str | None = None
    agent_name: str | None = None
    is_subagent: bool = False
    is_fork: bool = False
    # Whose lines these are: inheritance.OWN, UNDECIDED, INHERITED or LIKELY_OWN
    inheritance: int = msgspec.field(default=0, name="lineage")
    copied_from: int = 0  # the offset where the copy of the parent's file begins
    created: float | None = msgspec.field(default=None, name="born")
    turn_began: float | None = msgspec.field(default=None, name="turn")
    has_turns: bool = False
    history_start: int | None = None
    # A hash of the first line after the head
    first_digest: str | None = msgspec.field(default=None, name="first")
    is_resumed: bool = False
    repeated_until: float | None = None
    # The conversation
    prompt: str | None = None
    prompt_digest: str | None = None  # of its text
    prompt_images: int = 0
    answer: str | None = None  # the id of the answer that is being written
    parts: int = 0  # the parts of that answer so far
    last_answer: str | None = None
    seen: dict[str, list[int]] = {}  # texts by hash: how often each source recorded them
    calls: dict[str, IdUse] = {}
    patches: dict[str, list[Change]] = {}
    patched: dict[str, bool] = {}
    spawns: dict[str, bool] = {}
    children: dict[str, str] = {}  # the calls that started sub-agents
    # The ids of the messages of each turn, without the id of the session
    turns: list[list[str]] = []
    is_in_turn: bool = False
    has_turn_prompt: bool = False
    title_turn: int = 0  # the number of the turn that gave the title
    statuses: dict[str, str] = {}  # of calls whose result is still to come
    # Tokens
    totals: list[int] | None = None
    # The last counts of the current sum
    recent_totals: dict[str, bool] = msgspec.field(default_factory=dict, name="told")
    # A count below the previous one, until the next count shows what it was
    lower: TokenCount | None = None
    counted: int = 0


def payload_of(line: bytes) -> dict[str, Any]:
    """Decode the whole payload of a line, for the rare kinds of record."""
    return mapping(mapping(decode_any(line)).get("payload"))


def digest_of(text: str | bytes) -> str:
    """Return a short hash of a line, or of a text without regard to its white space."""
    if isinstance(text, str):
        text = "".join(text.split()).encode("utf-8", "replace")
    return hashlib.sha256(text).hexdigest()[:16]


def json_text(value: object) -> str | None:
    """Return a value as JSON text; a string is JSON already and is returned unchanged."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode("utf-8", "replace")
