"""The shape of a line of `events.jsonl`, and what a reader remembers between lines.

    {"type":…,"data":{…},"id":uuid,"timestamp":ISO,"parentId":uuid|null,"agentId":…}

`parentId` is only the line before. Field names of the structs below Record are saved in states.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.assets import Asset
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import mapping
from agent_journal.model import Usage
from agent_journal.text.dates import parse_time

Number = int | float

MAX_ASSETS = 256
MAX_PENDING = 64
MAX_SKILLS = 128
MAX_UNNAMED = 16


class ToolRequest(msgspec.Struct, rename="camel"):
    """A tool call as the model asked for it."""

    tool_call_id: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()
    tool_title: str | None = None
    intention_summary: str | None = None
    mcp_server_name: str | None = None


class Data(msgspec.Struct, rename="camel"):
    """The fields of all frequent events in one struct: decoding is fast that way.

    Fields whose type depends on the event are Any. Rare events are decoded a second time, as a
    whole.
    """

    content: str | None = None
    message_id: str | None = None
    model: str | None = None
    reasoning_text: str | None = None
    tool_requests: list[ToolRequest] | None = None
    chunk_index: Number | None = None
    output_tokens: Number | None = None
    api_call_id: str | None = None
    parent_tool_call_id: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()
    mcp_server_name: str | None = None
    success: bool | None = None
    result: Any = None
    error: Any = None
    shell_execution: Any = None
    file_edits: Any = None
    tool_usage: msgspec.Raw = msgspec.Raw()
    interaction_id: str | None = None
    source: str | None = None
    agent_mode: str | None = None
    is_autopilot_continuation: bool | None = None
    attachments: Any = None
    hook_type: str | None = None
    reasoning_id: str | None = None
    usage: msgspec.Raw = msgspec.Raw()


class Record(msgspec.Struct, rename="camel"):
    """One event."""

    type: str = ""
    # Not optional, so that damaged data can be salvaged field by field
    data: Data = msgspec.field(default_factory=Data)
    id: str | None = None
    timestamp: str | None = None
    agent_id: str | None = None


class Thread(msgspec.Struct, omit_defaults=True):
    """What is known about the main conversation, or about that of a sub-agent."""

    started: str | None = None
    ended: str | None = None
    models: list[str] = []
    prompt: str | None = None  # the id of the last prompt
    reasoned: str | None = None  # a hash of the last reasoning, which may be written twice
    name: str | None = None
    title: str | None = None
    call: str | None = None
    model: str | None = None  # the model in force
    unnamed: dict[str, Usage | None] = {}  # answers whose model is not known yet

    def note_end(self, timestamp: str, time: datetime | None) -> None:
        """Note the time of a record as the end, unless there was a later one."""
        if time is None:
            return
        ended = parse_time(self.ended)
        if ended is None or ended < time:
            self.ended = timestamp


class Totals(msgspec.Struct, omit_defaults=True):
    """The totals of one model in a `session.shutdown`."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    requests: int | None = None
    premium: float | None = None
    nano_aiu: float | None = None


class ChangedFile(NamedTuple):
    """A file that a tool call changes: `kind` is create, edit or delete."""

    path: str
    kind: str


class EventsState(msgspec.Struct, omit_defaults=True):
    """What the reader of a transcript remembers between lines."""

    seen: bool = False
    main: Thread = msgspec.field(default_factory=Thread)
    agents: dict[str, Thread] = {}
    version: str | None = None
    cwd: str | None = None
    repository: str | None = None
    branch: str | None = None
    parent: str | None = None
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    segment: int = 0  # the number of shutdowns so far
    is_cumulative: bool = False
    base: dict[str, Totals] | None = None  # totals of the last shutdown, by model
    assets: dict[str, Asset] = {}
    edits: dict[str, list[ChangedFile]] = {}  # call id -> files it is asked to change
    skills: dict[str, str] = {}  # content id -> the message with the text
    running: dict[str, str] = {}  # call id -> its session


def event_data(line: bytes) -> dict[str, Any]:
    """The whole `data` of an event, for the rare ones."""
    return mapping(decode_any(line).get("data"))
