"""The lines of a log, and what is remembered between them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.titles import SpokenTitle


class Line(msgspec.Struct, rename="camel"):
    """The fields of a record that are read."""

    type: str = ""
    time: Any = None
    created_at: Any = msgspec.field(default=None, name="created_at")
    message: Any = None
    event: Any = None
    environment_disclosure: Any = None
    model: str | None = None
    key: str | None = None
    value: Any = None
    path: str | None = None
    entry: Any = None
    reason: str | None = None
    error: Any = None
    subagent_id: str | None = None
    parent_tool_call_id: str | None = None
    cwd: Any = None
    summary: Any = None
    usage: Any = None
    usage_scope: Any = None


class RequestedEdit(msgspec.Struct, omit_defaults=True):
    """A change to a file, until the result of its call is known."""

    message_id: str | None
    path: str
    content: str | None = None
    old: str | None = None
    new: str | None = None
    is_new: bool = False


class State(msgspec.Struct, omit_defaults=True):
    """What must be known to continue later."""

    cwd: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    model: str | None = None
    models: list[str] = []
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    edits: dict[str, RequestedEdit] = {}
    new_file: str | None = None  # that the next call creates
