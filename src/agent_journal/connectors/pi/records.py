"""The lines of a session, and what is remembered between them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.pi.edits import RequestedEdit
from agent_journal.connectors.titles import SpokenTitle


class Line(msgspec.Struct, rename="camel"):
    """The fields of an entry that are read."""

    type: str = ""
    id: str | None = None
    parent_id: str | None = None
    timestamp: Any = None
    cwd: str | None = None
    parent_session: str | None = None
    branched_from: str | None = None  # what versions before the tree wrote for parentSession
    message: Any = None
    provider: str | None = None
    model_id: str | None = None
    thinking_level: str | None = None
    summary: str = ""
    content: Any = None
    custom_type: str | None = None
    label: str | None = None
    name: str | None = None
    window: Any = None
    usage: Any = None
    kind: Any = None
    model: Any = None
    target_id: Any = None


class State(msgspec.Struct, omit_defaults=True):
    """What must be known to continue later."""

    id: str | None = None
    cwd: str | None = None
    origin: str | None = None  # the session that this one was forked from
    parent: str | None = None  # the session that started this one
    is_subagent: bool = False
    is_automated: bool = False
    started: str | None = None
    ended: datetime | None = None
    models: list[str] = []
    name: str | None = None
    label: str | None = None
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    # The messages that entries which are none stand for, as parents of other entries
    aliases: dict[str, str | None] = {}
    # Edits that wait for the results of their calls
    edits: dict[str, RequestedEdit] = {}
